#include "analyse/find.h"

#include "base/decimal.h"
#include "base/glob.h"

/* --- by number --- */

/* "node:12" with prefix "node:" gives 12; 0 if it is no such thing or beyond `count`. */
static uint32_t number_behind(struct mi_bytes name, struct mi_bytes prefix, uint32_t count)
{
    uint64_t number = 0;
    if (!mi_bytes_starts(name, prefix) || name.len == prefix.len)
        return 0;
    if (mi_decimal_u64(mi_bytes_sub(name, prefix.len, name.len), &number))
        return 0;
    return number < count ? (uint32_t)number : 0;
}

/* --- by name --- */

static bool add_node(struct mi_found *found, uint32_t node)
{
    if (found->node_count == MI_FIND_MOST)
        return false;
    found->nodes[found->node_count++] = (mi_node_id){node};
    return true;
}

/* Stages of a build count only where they are asked for: every node stands in many of them. */
static bool is_layer(const struct mi_model *model, uint32_t graph, enum mi_layer layer)
{
    enum mi_layer of = (enum mi_layer)model->all.rows.graphs.layer[graph];
    return layer == MI_LAYER_NONE ? of != MI_LAYER_STAGE : of == layer;
}

static void find_nodes(const struct mi_model *model, mi_str_id name, enum mi_layer layer,
                       struct mi_found *found)
{
    const struct mi_index *index = &model->index;
    for (uint32_t g = 1; name.v && g < model->all.rows.graphs.count; g++) {
        if (!is_layer(model, g, layer))
            continue;
        uint32_t node = mi_map_get(&index->node_by_name, mi_pair(g, name.v));
        for (; node; node = index->next_same_name[node])
            if (!add_node(found, node))
                return;
    }
}

static void find_producers(const struct mi_model *model, mi_str_id name, enum mi_layer layer,
                           struct mi_found *found)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t g = 1; name.v && g < rows->graphs.count; g++) {
        uint32_t value = mi_map_get(&model->index.value_by_name, mi_pair(g, name.v));
        if (value && rows->values.producer[value].v && is_layer(model, g, layer) &&
            !add_node(found, rows->values.producer[value].v))
            return;
    }
    if (found->node_count)
        found->how = MI_FOUND_TENSOR;
}

/* Graph inputs and constants have no producer. */
static void find_readers(const struct mi_model *model, mi_str_id name, enum mi_layer layer,
                         struct mi_found *found)
{
    const struct mi_csr *readers = &model->index.consumers;
    for (uint32_t g = 1; name.v && g < model->all.rows.graphs.count; g++) {
        uint32_t value = mi_map_get(&model->index.value_by_name, mi_pair(g, name.v));
        if (!value || !is_layer(model, g, layer))
            continue;
        for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++) {
            bool is_again = i > readers->first[value] && readers->list[i] == readers->list[i - 1];
            if (!is_again && !add_node(found, readers->list[i]))
                return;
        }
    }
    if (found->node_count)
        found->how = MI_FOUND_READERS;
}

static void add_task(const struct mi_model *model, struct mi_found *found, uint32_t task)
{
    if (found->task_count == MI_FIND_MOST)
        return;
    found->how = MI_FOUND_TASK;
    found->tasks[found->task_count++] = (mi_task_id){task};
    uint32_t link = model->all.rows.tasks.link[task].v;
    if (link && found->task_count == 1)
        add_node(found, model->all.rows.executed.node[link].v);
}

static void find_tasks(const struct mi_model *model, mi_str_id name, struct mi_found *found)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t k = 1; name.v && k < rows->kernels.count; k++) {
        if (rows->kernels.name[k].v != name.v && rows->kernels.node_name[k].v != name.v)
            continue;
        uint32_t left = model->index.kernel_count[k];
        for (uint32_t t = model->index.kernel_first[k]; left && found->task_count < MI_FIND_MOST;
             t++)
            if (rows->tasks.kernel[t].v == k) {
                add_task(model, found, t);
                left--;
            }
    }
}

/* --- nothing found --- */

static bool fail_unknown(const struct mi_model *model, struct mi_bytes name, struct mi_error *err)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    int shown = (int)(name.len < 80 ? name.len : 80);
    for (uint32_t n = 1; n < nodes->count && name.len; n++) {
        struct mi_bytes other = mi_model_text(model, nodes->name[n]);
        if (mi_bytes_find(other, name) < other.len)
            return mi_fail(err, MI_ENOTFOUND,
                           "no node, tensor or task is called \"%.*s\"; there is \"%.*s\"", shown,
                           (const char *)name.at, (int)(other.len < 80 ? other.len : 80),
                           (const char *)other.at);
    }
    return mi_fail(err, MI_ENOTFOUND, "no node, tensor or task is called \"%.*s\"", shown,
                   name.len ? (const char *)name.at : "");
}

bool mi_find(const struct mi_model *model, struct mi_bytes name, struct mi_arena *arena,
             struct mi_found *found, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_bytes bare = name;
    enum mi_layer layer = MI_LAYER_NONE;
    *found = (struct mi_found){.how = MI_FOUND_NODE};
    found->nodes = mi_arena_alloc(arena, MI_FIND_MOST * sizeof *found->nodes);
    found->tasks = mi_arena_alloc(arena, MI_FIND_MOST * sizeof *found->tasks);
    if (!found->nodes || !found->tasks)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    find_nodes(model, mi_strings_find(&model->all.strings, name), layer, found);
    if (found->node_count)
        return true;
    /* What stands in stages only was gone before the build was finished. */
    find_nodes(model, mi_strings_find(&model->all.strings, name), MI_LAYER_STAGE, found);
    if (found->node_count)
        return true;
    if (mi_bytes_starts(name, MI_LIT("framework:"))) {
        layer = MI_LAYER_FRAMEWORK;
        bare = mi_bytes_sub(name, 10, name.len);
    } else if (mi_bytes_starts(name, MI_LIT("compiled:"))) {
        layer = MI_LAYER_COMPILED;
        bare = mi_bytes_sub(name, 9, name.len);
    } else if (mi_bytes_starts(name, MI_LIT("stage:"))) {
        layer = MI_LAYER_STAGE;
        bare = mi_bytes_sub(name, 6, name.len);
    }
    uint32_t node = number_behind(name, MI_LIT("node:"), rows->nodes.count);
    uint32_t task = number_behind(name, MI_LIT("task:"), rows->tasks.count);
    mi_str_id text = mi_strings_find(&model->all.strings, bare);
    if (node)
        add_node(found, node);
    else if (task)
        add_task(model, found, task);
    if (!found->node_count && !found->task_count && layer)
        find_nodes(model, text, layer, found);
    if (!found->node_count && !found->task_count)
        find_producers(model, text, layer, found);
    if (!found->node_count && !found->task_count && !layer)
        find_tasks(model, text, found);
    if (!found->node_count && !found->task_count)
        find_readers(model, text, layer, found);
    return found->node_count || found->task_count || fail_unknown(model, name, err);
}
