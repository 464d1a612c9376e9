/* GET diff/partner?node=ID or ?task=ID (&side=base&lang=zh): what a node or task of a side is on
 * the other side of a comparison, on what evidence, and what differs: members as of
 * mi_subject_write(), and for a node that was fused otherwise "stretch": {"base": [node, ..],
 * "new": [node, ..]}, all that its ops are shared out among. Of what is not compared (stages,
 * waits) it is an empty object. */
#include "present/serve/routes.h"
#include "present/serve/site.h"
#include "present/serve/subject.h"
#include "present/serve/words.h"

enum { MOST_STRETCH = 500 /* nodes that are listed */ };

static struct mi_subject find(const struct mi_subjects *s, uint32_t node, uint32_t task)
{
    unsigned side = mi_site_side(s->site);
    const struct mi_model *model = mi_site_model(s->site);
    uint32_t link = task ? model->all.rows.tasks.link[task].v : 0;
    node = link ? model->all.rows.executed.node[link].v : node;
    uint32_t joint = s->joint->node_of[side][node];
    return joint || !task ? mi_subject_of_node(s, joint)
                          : mi_subject_of_op(s, s->compare->side[side].captures[0].op_of[task]);
}

static uint32_t region_of(const struct mi_subjects *s, uint32_t joint)
{
    const struct mi_csr *list = &s->changes_of;
    uint32_t region = 0;
    for (uint32_t i = list->first[joint]; joint && !region && i < list->first[joint + 1]; i++)
        region = s->compare->changes[list->list[i] - 1].region;
    return region;
}

static void write_stretch(struct mi_jw *jw, const struct mi_subjects *s, uint32_t joint)
{
    static const char *const keys[MI_CMP_SIDES] = {"base", "new"};
    uint32_t region = region_of(s, joint), written = 0;
    if (!region)
        return;
    mi_jw_key(jw, "stretch");
    mi_jw_begin_object(jw);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        mi_jw_key(jw, keys[side]);
        mi_jw_begin_array(jw);
        for (uint32_t i = 0; i < s->compare->change_count && written < MOST_STRETCH; i++)
            if (s->compare->changes[i].region == region && s->compare->changes[i].node[side]) {
                mi_jw_i64(jw, s->compare->changes[i].node[side]);
                written++;
            }
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

void mi_route_partner(struct mi_site *site, const struct mi_request *request,
                      struct mi_reply *reply)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_subjects subjects;
    const struct mi_tables *rows = &mi_site_model(site)->all.rows;
    enum mi_lang lang = mi_request_lang(request);
    int64_t node = 0, task = 0;
    if (!mi_http_number(request->query(request, "node"), &node) &&
        !mi_http_number(request->query(request, "task"), &task)) {
        mi_reply_error(reply, 400, "usage", "node or task is wanted");
        return;
    }
    if (node < 0 || node >= rows->nodes.count || task < 0 || task >= rows->tasks.count) {
        mi_reply_error(reply, 404, "not_found", "there is no such node or task");
        return;
    }
    if (mi_subjects_init(&subjects, site, &err)) {
        struct mi_jw jw;
        struct mi_subject found = find(&subjects, (uint32_t)node, (uint32_t)task);
        mi_jw_init(&jw, &reply->body, NULL);
        mi_jw_begin_object(&jw);
        if (found.joint || found.op)
            mi_subject_write(&jw, &subjects, &found, lang);
        write_stretch(&jw, &subjects, found.joint);
        mi_jw_end(&jw);
        mi_jw_finish(&jw, NULL);
    } else {
        mi_reply_failure(reply, &err);
    }
    mi_subjects_fini(&subjects);
}
