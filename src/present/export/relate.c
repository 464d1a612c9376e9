#include "present/export/relate.h"

#include "base/mem.h"

#include <stdlib.h>

/* A chain of OUTER values is as long as graphs are nested; a longer one is a cycle in a broken
 * input. */
enum { MOST_HOPS = 1024 };

/* The framework op that a kept compiled node is: its only computed origin. */
static mi_node_id twin_of(const struct mi_model *model, uint32_t node)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_csr *csr = &model->index.framework_of;
    mi_node_id twin = {0};
    uint32_t birth = model->index.birth_of[node];
    if (!birth || rows->births.origin[birth] != MI_ORIGIN_KEPT)
        return twin;
    for (uint32_t i = csr->first[node]; i < csr->first[node + 1]; i++) {
        uint32_t link = csr->list[i];
        if (rows->lowered.role[link] != MI_ROLE_COMPUTED)
            continue;
        if (twin.v && twin.v != rows->lowered.framework[link].v)
            return (mi_node_id){0};
        twin = rows->lowered.framework[link];
    }
    return twin;
}

bool mi_relate_init(struct mi_relate *relate, const struct mi_model *model, struct mi_error *err)
{
    uint32_t count = model->all.rows.nodes.count;
    *relate = (struct mi_relate){.model = model};
    relate->public_id = mi_mem_zero(count, sizeof *relate->public_id);
    uint8_t *taken = mi_mem_zero(count, sizeof *taken);
    if (!relate->public_id || !taken) {
        mi_mem_free(taken);
        mi_relate_fini(relate);
        return mi_fail(err, MI_ENOMEM, "out of memory for the ids of the export");
    }
    for (uint32_t n = 1; n < count; n++) {
        mi_node_id twin = {0};
        if (mi_node_layer(model, (mi_node_id){n}) == MI_LAYER_COMPILED)
            twin = twin_of(model, n);
        bool is_twin = twin.v && !taken[twin.v];
        if (is_twin)
            taken[twin.v] = 1;
        relate->public_id[n] = is_twin ? twin.v : n;
    }
    mi_mem_free(taken);
    return true;
}

void mi_relate_fini(struct mi_relate *relate)
{
    mi_mem_free(relate->public_id);
    mi_mem_free(relate->list);
    *relate = (struct mi_relate){0};
}

/* --- lists --- */

static bool room_for(struct mi_relate *relate, uint32_t count)
{
    if (count <= relate->list_room)
        return true;
    uint64_t room = (uint64_t)count * 2;
    uint32_t *list = room > UINT32_MAX ? NULL : mi_mem_resize(relate->list, room, sizeof *list);
    if (!list)
        return false;
    relate->list = list;
    relate->list_room = (uint32_t)room;
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Sorts the scratch list and drops repeats. */
static struct mi_id_list as_set(struct mi_relate *relate, uint32_t count)
{
    uint32_t *list = relate->list, kept = 0;
    if (count > 1)
        qsort(list, count, sizeof *list, compare_ids);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return (struct mi_id_list){list, kept};
}

bool mi_relate_is_gone(const struct mi_model *model, mi_node_id framework)
{
    uint32_t fate = model->index.fate_of[framework.v];
    enum mi_fate what = fate ? (enum mi_fate)model->all.rows.fates.fate[fate] : MI_FATE_UNKNOWN;
    return what == MI_FATE_REMOVED || what == MI_FATE_FOLDED;
}

/* Whether the op of a link lives on in its compiled node. */
static bool is_carried_on(const struct mi_model *model, uint32_t link)
{
    const struct mi_lowered *links = &model->all.rows.lowered;
    return links->role[link] != MI_ROLE_FOLDED && !mi_relate_is_gone(model, links->framework[link]);
}

bool mi_relate_fused_from(struct mi_relate *relate, mi_node_id node, struct mi_id_list *out)
{
    const struct mi_lowered *links = &relate->model->all.rows.lowered;
    const struct mi_csr *csr = &relate->model->index.framework_of;
    *out = (struct mi_id_list){0};
    if (mi_node_layer(relate->model, node) != MI_LAYER_COMPILED ||
        relate->public_id[node.v] != node.v)
        return true;
    if (!room_for(relate, mi_csr_count(csr, node.v)))
        return false;
    uint32_t count = 0;
    for (uint32_t i = csr->first[node.v]; i < csr->first[node.v + 1]; i++)
        if (is_carried_on(relate->model, csr->list[i]))
            relate->list[count++] = links->framework[csr->list[i]].v;
    *out = as_set(relate, count);
    return true;
}

static bool add_tasks(struct mi_relate *relate, uint32_t node, uint32_t *count)
{
    const struct mi_csr *csr = &relate->model->index.node_tasks;
    uint32_t more = mi_csr_count(csr, node);
    if (more > UINT32_MAX - *count || !room_for(relate, *count + more))
        return false;
    for (uint32_t i = 0; i < more; i++)
        relate->list[(*count)++] = csr->list[csr->first[node] + i];
    return true;
}

bool mi_relate_tasks(struct mi_relate *relate, mi_node_id node, struct mi_id_list *out)
{
    const struct mi_lowered *links = &relate->model->all.rows.lowered;
    const struct mi_csr *csr = &relate->model->index.compiled_of;
    uint32_t count = 0;
    bool ok = add_tasks(relate, node.v, &count);
    for (uint32_t i = csr->first[node.v]; ok && i < csr->first[node.v + 1]; i++)
        if (is_carried_on(relate->model, csr->list[i]))
            ok = add_tasks(relate, links->compiled[csr->list[i]].v, &count);
    *out = ok ? as_set(relate, count) : (struct mi_id_list){0};
    return ok;
}

/* --- single facts --- */

bool mi_relate_is_fused(const struct mi_model *model, mi_node_id node)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t birth = model->index.birth_of[node.v], fate = model->index.fate_of[node.v];
    return (birth && rows->births.origin[birth] == MI_ORIGIN_FUSED) ||
           (fate && rows->fates.fate[fate] == MI_FATE_FUSED_INTO);
}

mi_node_id mi_relate_origin(const struct mi_model *model, mi_node_id compiled)
{
    const struct mi_lowered *links = &model->all.rows.lowered;
    const struct mi_csr *csr = &model->index.framework_of;
    for (uint32_t i = csr->first[compiled.v]; i < csr->first[compiled.v + 1]; i++)
        if (links->role[csr->list[i]] == MI_ROLE_COMPUTED)
            return links->framework[csr->list[i]];
    return (mi_node_id){0};
}

struct mi_branch mi_relate_branch(const struct mi_model *model, mi_node_id node)
{
    const struct mi_tables *rows = &model->all.rows;
    for (int layer = 0; node.v && layer < 2; layer++) {
        mi_graph_id graph = rows->nodes.graph[node.v];
        if (rows->graphs.parent[graph.v].v)
            return (struct mi_branch){rows->graphs.parent[graph.v], graph};
        node = mi_relate_origin(model, node);
    }
    return (struct mi_branch){{0}, {0}};
}

mi_value_id mi_relate_real_value(const struct mi_model *model, mi_value_id value)
{
    const struct mi_values *values = &model->all.rows.values;
    for (int hops = 0; value.v && hops < MOST_HOPS && values->outer[value.v].v; hops++)
        value = values->outer[value.v];
    return value;
}

mi_node_id mi_relate_first_reader(const struct mi_model *model, mi_value_id value)
{
    const struct mi_csr *readers = &model->index.consumers, *inner = &model->index.outer_uses;
    for (int hops = 0; hops < MOST_HOPS; hops++) {
        if (mi_csr_count(readers, value.v))
            return (mi_node_id){readers->list[readers->first[value.v]]};
        if (!mi_csr_count(inner, value.v))
            break;
        value.v = inner->list[inner->first[value.v]];
    }
    return (mi_node_id){0};
}

uint32_t mi_relate_link(const struct mi_model *model, uint32_t task)
{
    return model->all.rows.tasks.link[task].v;
}

mi_node_id mi_relate_task_node(const struct mi_model *model, uint32_t task)
{
    uint32_t link = mi_relate_link(model, task);
    return link ? model->all.rows.executed.node[link] : (mi_node_id){0};
}
