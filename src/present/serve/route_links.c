/* GET links?node=ID or ?task=ID (&fold=scope&lang=zh): what belongs to a selection in the other
 * layers.
 *
 *   {"node", "task", "name", "layer",
 *    "framework": [{"node", "name", "op", "others", "rule", "confidence", "evidence"}],
 *    "compiled": [..], "others": framework ops that a compiled node stands for,
 *    "tasks": [id, ..] in the order of time, at most MOST_TASKS, "task_total",
 *    "task_counted": those that sums elsewhere count (analyse/accounting.h),
 *    "runs", "streams": how many these tasks are of, "first_ns", "end_ns" of these tasks,
 *    "groups": {"framework": [group, ..], "compiled": [..]} the groups around the first node of
 * each layer, from the outside in, in the outline of that fold} */
#include "analyse/describe.h"
#include "base/map.h"
#include "present/export/common.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"
#include "present/serve/words.h"

#include <string.h>

enum { MOST_TASKS = 2000, MOST_NODES = 500, MOST_GROUPS = 64 };

struct linking {
    const struct mi_model *model;
    struct mi_jw jw;
    enum mi_lang lang;                        /* of evidence */
    uint32_t first_framework, first_compiled; /* for the groups */
};

static void write_node(struct linking *l, uint32_t node, uint32_t link)
{
    const struct mi_tables *rows = &l->model->all.rows;
    mi_jw_begin_object(&l->jw);
    mi_jw_member_i64(&l->jw, "node", node);
    mi_jw_member_string(&l->jw, "name", mi_node_known_as(l->model, (mi_node_id){node}));
    mi_export_name(&l->jw, "op", l->model, rows->nodes.op[node]);
    mi_jw_member_i64(&l->jw, "others", mi_csr_count(&l->model->index.framework_of, node));
    if (link) {
        mi_export_name(&l->jw, "rule", l->model, rows->lowered.rule[link]);
        mi_export_enum(&l->jw, "confidence", MI_E_confidence, rows->lowered.confidence[link]);
        mi_str_id evidence = rows->lowered.evidence[link];
        mi_jw_key(&l->jw, "evidence");
        if (evidence.v)
            mi_reply_message(&l->jw, l->lang, mi_model_text(l->model, evidence));
        else
            mi_jw_null(&l->jw);
    }
    mi_jw_end(&l->jw);
}

/* Nodes of one layer: the node itself if it is of that layer, else those linked with it. */
static void write_layer(struct linking *l, const char *key, uint32_t node, bool is_own,
                        const struct mi_csr *others, const mi_node_id *other_of, uint32_t *first)
{
    mi_jw_key(&l->jw, key);
    mi_jw_begin_array(&l->jw);
    if (is_own) {
        write_node(l, node, 0);
        *first = node;
    }
    uint32_t begin = node && !is_own ? others->first[node] : 0;
    uint32_t end = node && !is_own ? others->first[node + 1] : 0;
    for (uint32_t i = begin; i < end && i - begin < MOST_NODES; i++) {
        write_node(l, other_of[others->list[i]].v, others->list[i]);
        if (!*first)
            *first = other_of[others->list[i]].v;
    }
    mi_jw_end(&l->jw);
}

struct task_sum {
    uint32_t total, written;
    int64_t counted, first_ns, end_ns;
    struct mi_map runs, tracks; /* those of the tasks -> 1 */
    bool failed;                /* out of memory */
};

static void write_tasks_of(struct linking *l, const struct mi_node_time *times, uint32_t node,
                           struct task_sum *sum)
{
    const struct mi_tables *rows = &l->model->all.rows;
    const struct mi_csr *csr = &l->model->index.node_tasks;
    if (times && mi_csr_count(csr, node))
        sum->counted += times[node].tasks;
    for (uint32_t i = csr->first[node]; i < csr->first[node + 1]; i++) {
        uint32_t task = csr->list[i];
        int64_t start = rows->tasks.start_ns[task];
        int64_t end = mi_export_add(start, rows->tasks.dur_ns[task]);
        sum->first_ns = !sum->total || start < sum->first_ns ? start : sum->first_ns;
        sum->end_ns = !sum->total || end > sum->end_ns ? end : sum->end_ns;
        sum->total++;
        uint32_t run = rows->tasks.run[task];
        sum->failed |= (run != MI_NO_RUN && !mi_map_set(&sum->runs, run, 1)) ||
                       !mi_map_set(&sum->tracks, rows->tasks.track[task].v, 1);
        if (sum->written < MOST_TASKS) {
            sum->written++;
            mi_jw_i64(&l->jw, task);
        }
    }
}

static void write_tasks(struct linking *l, struct mi_site *site, uint32_t node, enum mi_fold fold)
{
    const struct mi_tables *rows = &l->model->all.rows;
    const struct mi_csr *compiled = &l->model->index.compiled_of;
    enum mi_layer layer = mi_node_layer(l->model, (mi_node_id){node});
    bool is_drawn = node && (layer == MI_LAYER_FRAMEWORK || layer == MI_LAYER_COMPILED);
    struct mi_folding folding = {.layer = layer, .fold = fold};
    const struct mi_drawn *drawn = is_drawn ? mi_site_drawn(site, folding, NULL) : NULL;
    const struct mi_node_time *times = drawn ? drawn->outline.times : NULL;
    struct task_sum sum = {.total = 0};
    mi_jw_key(&l->jw, "tasks");
    mi_jw_begin_array(&l->jw);
    if (node)
        write_tasks_of(l, times, node, &sum);
    if (node && layer == MI_LAYER_FRAMEWORK)
        for (uint32_t i = compiled->first[node]; i < compiled->first[node + 1]; i++)
            write_tasks_of(l, times, rows->lowered.compiled[compiled->list[i]].v, &sum);
    mi_jw_end(&l->jw);
    mi_jw_member_i64(&l->jw, "task_total", sum.total);
    mi_jw_member_i64(&l->jw, "task_counted", sum.counted);
    mi_jw_member_i64(&l->jw, "runs", sum.failed ? 0 : sum.runs.count);
    mi_jw_member_i64(&l->jw, "streams", sum.failed ? 0 : sum.tracks.count);
    mi_jw_member_i64(&l->jw, "first_ns", sum.first_ns);
    mi_jw_member_i64(&l->jw, "end_ns", sum.end_ns);
    mi_map_fini(&sum.runs);
    mi_map_fini(&sum.tracks);
}

static void write_groups(struct linking *l, struct mi_site *site, const char *key,
                         enum mi_layer layer, enum mi_fold fold, uint32_t node)
{
    uint32_t chain[MOST_GROUPS], count = 0;
    struct mi_folding folding = {.layer = layer, .fold = fold};
    const struct mi_drawn *drawn = node ? mi_site_drawn(site, folding, NULL) : NULL;
    uint32_t item = drawn ? drawn->outline.item_of_node[node] : 0;
    while (item && count < MOST_GROUPS) {
        item = drawn->outline.items[item].parent;
        if (item)
            chain[count++] = item;
    }
    mi_jw_key(&l->jw, key);
    mi_jw_begin_array(&l->jw);
    while (count)
        mi_jw_i64(&l->jw, chain[--count]);
    mi_jw_end(&l->jw);
}

static void write_links(struct linking *l, struct mi_site *site, uint32_t node, uint32_t task,
                        enum mi_fold fold)
{
    const struct mi_tables *rows = &l->model->all.rows;
    const struct mi_index *index = &l->model->index;
    enum mi_layer layer = node ? mi_node_layer(l->model, (mi_node_id){node}) : MI_LAYER_NONE;
    mi_jw_begin_object(&l->jw);
    mi_export_id(&l->jw, "node", node);
    mi_export_id(&l->jw, "task", task);
    mi_jw_member_string(
        &l->jw, "name",
        node ? mi_node_known_as(l->model, (mi_node_id){node})
             : mi_model_text(l->model, rows->kernels.name[rows->tasks.kernel[task].v]));
    mi_export_enum(&l->jw, "layer", MI_E_layer, layer);
    write_layer(l, "framework", node, layer == MI_LAYER_FRAMEWORK, &index->framework_of,
                rows->lowered.framework, &l->first_framework);
    write_layer(l, "compiled", node, layer == MI_LAYER_COMPILED, &index->compiled_of,
                rows->lowered.compiled, &l->first_compiled);
    write_tasks(l, site, node, fold);
    mi_jw_key(&l->jw, "groups");
    mi_jw_begin_object(&l->jw);
    write_groups(l, site, "framework", MI_LAYER_FRAMEWORK, fold, l->first_framework);
    write_groups(l, site, "compiled", MI_LAYER_COMPILED, fold, l->first_compiled);
    mi_jw_end(&l->jw);
    mi_jw_end(&l->jw);
}

void mi_route_links(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    struct linking l = {.model = mi_site_model(site), .lang = mi_request_lang(request)};
    const struct mi_tables *rows = &l.model->all.rows;
    const char *fold = request->query(request, "fold");
    int64_t node = 0, task = 0;
    bool by_node = mi_http_number(request->query(request, "node"), &node);
    bool by_task = !by_node && mi_http_number(request->query(request, "task"), &task);
    if (!by_node && !by_task) {
        mi_reply_error(reply, 400, "usage", "node or task is wanted");
        return;
    }
    if (node < 0 || node >= rows->nodes.count || task < 0 || task >= rows->tasks.count ||
        (!node && !task)) {
        mi_reply_error(reply, 404, "not_found", "there is no such node or task");
        return;
    }
    if (by_task && l.model->all.rows.tasks.link[task].v)
        node = rows->executed.node[rows->tasks.link[task].v].v;
    mi_jw_init(&l.jw, &reply->body, NULL);
    write_links(&l, site, (uint32_t)node, (uint32_t)task, mi_site_fold(mi_cstr(fold ? fold : "")));
    mi_jw_finish(&l.jw, NULL);
}
