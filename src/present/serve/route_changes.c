/* GET diff/changes?max=N&lang=zh: what differs between the sides of a comparison, the costliest
 * first, what saves time last.
 *
 *   {"names": [base, new], "layer": that is compared by time, or null, "timed",
 *    "first_ns": [base, new] when the first counted run of each began, null without one,
 *    "makespan_ns": [base, new] medians, "kinds": {kind: subjects}, "total",
 *    "changes": [..]} members of each as of mi_subject_write()
 *
 * A node that differs by its name alone is none of them. */
#include "base/mem.h"
#include "present/export/common.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"
#include "present/serve/subject.h"
#include "present/serve/words.h"

#include <stdlib.h>

enum { MOST = 500 };

struct list {
    const struct mi_subjects *subjects;
    struct mi_subject *rows;
    uint32_t count;
    uint32_t kinds[MI_DIFFERS_KINDS];
};

/* --- finding --- */

static void add(struct list *list, struct mi_subject subject)
{
    for (unsigned kind = 0; kind < MI_DIFFERS_KINDS; kind++)
        list->kinds[kind] += (list->subjects->differs[subject.joint] >> kind) & 1;
    list->rows[list->count++] = subject;
}

static bool is_changed(const struct mi_subjects *s, const struct mi_subject *subject)
{
    return subject->cause || (s->differs[subject->joint] & ~(1U << MI_CMP_RENAMED)) != 0;
}

static bool find(struct list *list)
{
    const struct mi_subjects *s = list->subjects;
    const struct mi_compare *compare = s->compare;
    uint32_t nodes = s->joint->model.all.rows.nodes.count;
    list->rows =
        mi_mem_new((size_t)nodes + compare->op_count + compare->cause_count, sizeof *list->rows);
    if (!list->rows)
        return false;
    for (uint32_t n = 1; n < nodes; n++) {
        struct mi_subject subject = mi_subject_of_node(s, n);
        if (is_changed(s, &subject))
            add(list, subject);
    }
    for (uint32_t o = 1; o < compare->op_count; o++) {
        const uint32_t *node = compare->ops[o].node;
        if (!node[MI_CMP_BASE] && !node[MI_CMP_NEW] && s->cause_of[o])
            add(list, mi_subject_of_op(s, o));
    }
    for (uint32_t c = 0; c < compare->cause_count; c++)
        if (!compare->causes[c].op_count)
            add(list, (struct mi_subject){.cause = c + 1, .cost_ns = compare->causes[c].cost_ns});
    return true;
}

/* Of one cause the ops whose times differ most; compiled nodes have larger rows than the ops that
 * they come from, and tell more. */
static int compare_subjects(const void *left, const void *right)
{
    const struct mi_subject *a = left, *b = right;
    uint32_t a_cause = a->cause - 1, b_cause = b->cause - 1; /* none comes last */
    if (a->cost_ns != b->cost_ns)
        return a->cost_ns > b->cost_ns ? -1 : 1;
    if (a_cause != b_cause)
        return a_cause < b_cause ? -1 : 1;
    if (a->size_ns != b->size_ns)
        return a->size_ns > b->size_ns ? -1 : 1;
    if (a->joint != b->joint)
        return a->joint > b->joint ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

/* --- writing --- */

/* When the first counted run of the capture that stands for the side began. */
static bool first_run(const struct mi_cmp_side *side, int64_t *begin_ns)
{
    bool has_any = false;
    for (uint32_t i = 0; i < side->sample_count; i++) {
        const struct mi_cmp_sample *sample = &side->samples[i];
        int64_t at = side->captures[sample->capture].units.list[sample->unit].begin_ns;
        if (sample->capture || (has_any && at >= *begin_ns))
            continue;
        *begin_ns = at;
        has_any = true;
    }
    return has_any;
}

static void write_sides(struct mi_jw *jw, const struct mi_subjects *s)
{
    const struct mi_cmp_side *sides = s->compare->side;
    mi_jw_key(jw, "names");
    mi_jw_begin_array(jw);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        mi_jw_string(jw, mi_site_names(s->site)[side]);
    mi_jw_end(jw);
    mi_jw_key(jw, "first_ns");
    mi_jw_begin_array(jw);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        int64_t begin_ns = 0;
        if (first_run(&sides[side], &begin_ns))
            mi_jw_i64(jw, begin_ns);
        else
            mi_jw_null(jw);
    }
    mi_jw_end(jw);
    mi_jw_key(jw, "makespan_ns");
    mi_jw_begin_array(jw);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        mi_jw_i64(jw, sides[side].makespan_ns);
    mi_jw_end(jw);
    mi_jw_member_text(jw, "layer",
                      sides[MI_CMP_BASE].layer ? mi_enum_name(MI_E_layer, sides[MI_CMP_BASE].layer)
                                               : NULL);
    mi_jw_member_bool(jw, "timed",
                      sides[MI_CMP_BASE].sample_count && sides[MI_CMP_NEW].sample_count);
}

static void write_list(struct mi_jw *jw, const struct list *list, uint32_t most, enum mi_lang lang)
{
    mi_jw_begin_object(jw);
    write_sides(jw, list->subjects);
    mi_jw_key(jw, "kinds");
    mi_jw_begin_object(jw);
    for (unsigned kind = 0; kind < MI_DIFFERS_KINDS; kind++)
        if (list->kinds[kind])
            mi_jw_member_i64(jw, mi_differs_names[kind], list->kinds[kind]);
    mi_jw_end(jw);
    mi_jw_member_i64(jw, "total", list->count);
    mi_jw_key(jw, "changes");
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < list->count && i < most; i++) {
        mi_jw_begin_object(jw);
        mi_subject_write(jw, list->subjects, &list->rows[i], lang);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
    mi_jw_end(jw);
}

void mi_route_changes(struct mi_site *site, const struct mi_request *request,
                      struct mi_reply *reply)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_subjects subjects;
    struct list list = {.subjects = &subjects};
    enum mi_lang lang = mi_request_lang(request);
    int64_t most = MOST;
    if (request->query(request, "max") &&
        (!mi_http_number(request->query(request, "max"), &most) || most < 0)) {
        mi_reply_error(reply, 400, "usage", "max is no number");
        return;
    }
    bool ok = mi_subjects_init(&subjects, site, &err) &&
              (find(&list) || mi_fail(&err, MI_ENOMEM, "out of memory for changes"));
    if (ok) {
        struct mi_jw jw;
        if (list.count)
            qsort(list.rows, list.count, sizeof *list.rows, compare_subjects);
        mi_jw_init(&jw, &reply->body, NULL);
        write_list(&jw, &list, most > UINT32_MAX ? UINT32_MAX : (uint32_t)most, lang);
        mi_jw_finish(&jw, NULL);
    } else {
        mi_reply_failure(reply, &err);
    }
    mi_mem_free(list.rows);
    mi_subjects_fini(&subjects);
}
