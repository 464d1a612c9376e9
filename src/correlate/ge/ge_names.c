#include "correlate/ge/ge_names.h"

#include "correlate/ge/ge_graphs.h"

#define SEVERAL   UINT32_MAX
#define MAX_DEPTH 64u
#define MAX_SPLIT 2048u /* bytes of a name that is taken apart */
#define MAX_TRIES 64u   /* ends of a scoped name that are tried */

static bool map_framework(struct mi_ge_names *names, uint32_t main)
{
    const struct mi_tables *rows = &names->model->all.rows;
    const uint32_t *first = names->model->index.graph_first_node;
    uint32_t source = rows->graphs.source[main].v;
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        if (rows->graphs.source[g].v != source || rows->graphs.layer[g] != MI_LAYER_FRAMEWORK)
            continue;
        for (uint32_t n = first[g]; n < first[g + 1]; n++) {
            if (!rows->nodes.name[n].v)
                continue;
            uint32_t *slot = mi_map_at(&names->nodes, mi_pair(main, rows->nodes.name[n].v));
            if (!slot)
                return false;
            *slot = *slot ? SEVERAL : n;
        }
    }
    return true;
}

/* Graphs without a counterpart of their own, like those of partitioned calls, stand for what the
 * graph around them stands for. */
static void spread_inwards(struct mi_ge_names *names)
{
    const struct mi_tables *rows = &names->model->all.rows;
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        uint32_t at = g;
        for (uint32_t depth = 0; !names->framework_of[at] && depth < MAX_DEPTH; depth++) {
            uint32_t owner = rows->graphs.parent[at].v;
            if (!owner)
                break;
            at = rows->nodes.graph[owner].v;
        }
        if (rows->graphs.layer[g] == MI_LAYER_COMPILED && mi_is_ge_graph(names->model, g))
            names->framework_of[g] = names->framework_of[at];
    }
}

/* The framework main graph around a graph. */
static uint32_t main_of(const struct mi_ge_names *names, uint32_t graph)
{
    const struct mi_tables *rows = &names->model->all.rows;
    for (uint32_t depth = 0; rows->graphs.parent[graph].v && depth < MAX_DEPTH; depth++)
        graph = rows->nodes.graph[rows->graphs.parent[graph].v].v;
    return graph;
}

bool mi_ge_names_init(struct mi_ge_names *names, const struct mi_model *model,
                      const struct mi_graph_pairs *pairs)
{
    *names = (struct mi_ge_names){.model = model};
    uint32_t graphs = model->all.rows.graphs.count;
    names->framework_of = mi_mem_zero(graphs, sizeof *names->framework_of);
    uint8_t *is_mapped = mi_mem_zero(graphs, 1);
    bool ok = names->framework_of && is_mapped;
    for (uint32_t p = 0; ok && p < pairs->count; p++) {
        if (!mi_is_ge_graph(model, pairs->at[p].compiled))
            continue;
        uint32_t framework = pairs->at[p].framework, main = main_of(names, framework);
        names->framework_of[pairs->at[p].compiled] = framework;
        if (!is_mapped[main])
            ok = map_framework(names, main);
        is_mapped[main] = 1;
    }
    mi_mem_free(is_mapped);
    if (ok)
        spread_inwards(names);
    return ok;
}

void mi_ge_names_fini(struct mi_ge_names *names)
{
    mi_mem_free(names->framework_of);
    mi_map_fini(&names->nodes);
    *names = (struct mi_ge_names){0};
}

static uint32_t find_plain(const struct mi_ge_names *names, uint32_t graph, mi_str_id name,
                           enum mi_name_fit *fit)
{
    const struct mi_index *index = &names->model->index;
    uint32_t n = mi_map_get(&names->nodes, mi_pair(main_of(names, graph), name.v));
    *fit = MI_NAME_UNIQUE;
    if (n != SEVERAL)
        return n;
    *fit = MI_NAME_NEAR;
    n = mi_map_get(&index->node_by_name, mi_pair(graph, name.v));
    return n && !index->next_same_name[n] ? n : 0;
}

/* "PartitionedCall_<name>_...": the longest name that stands there and that a node has. */
static uint32_t find_scoped(const struct mi_ge_names *names, uint32_t graph, mi_str_id name,
                            enum mi_name_fit *fit)
{
    struct mi_bytes text = mi_model_text(names->model, name);
    struct mi_bytes prefix = MI_LIT("PartitionedCall_");
    if (!mi_bytes_starts(text, prefix))
        return 0;
    text = mi_bytes_sub(text, prefix.len, text.len);
    for (size_t end = text.len, tries = 0; end && tries < MAX_TRIES; end--) {
        if (end < text.len && text.at[end] != '_')
            continue;
        tries++;
        mi_str_id id = mi_strings_find(&names->model->all.strings, mi_bytes_sub(text, 0, end));
        uint32_t n = id.v ? find_plain(names, graph, id, fit) : 0;
        *fit = MI_NAME_SCOPED;
        if (n)
            return n;
    }
    return 0;
}

uint32_t mi_ge_name_find(const struct mi_ge_names *names, uint32_t graph, mi_str_id name,
                         enum mi_name_fit *fit)
{
    uint32_t framework = names->framework_of[graph];
    if (!framework || !name.v)
        return 0;
    uint32_t n = find_plain(names, framework, name, fit);
    return n ? n : find_scoped(names, framework, name, fit);
}

/* The node whose name stands at the start of `text`: the longest; `*len` is its length. */
static uint32_t find_start(const struct mi_ge_names *names, uint32_t framework,
                           struct mi_bytes text, size_t *len, uint64_t *budget)
{
    enum mi_name_fit fit;
    for (*len = text.len; *len && *budget >= *len; --*len) {
        *budget -= *len;
        mi_str_id id = mi_strings_find(&names->model->all.strings, mi_bytes_sub(text, 0, *len));
        uint32_t n = id.v ? find_plain(names, framework, id, &fit) : 0;
        if (n)
            return n;
    }
    return 0;
}

uint32_t mi_ge_name_split(const struct mi_ge_names *names, uint32_t graph, mi_str_id name,
                          uint32_t *nodes, uint32_t room, bool *is_all, uint64_t *budget)
{
    struct mi_bytes text = mi_model_text(names->model, name);
    uint32_t framework = names->framework_of[graph], count = 0;
    *is_all = false;
    if (!framework || text.len > MAX_SPLIT)
        return 0;
    while (text.len && count < room) {
        size_t len;
        uint32_t n = find_start(names, framework, text, &len, budget);
        if (!n)
            return count;
        nodes[count++] = n;
        text = mi_bytes_sub(text, len, text.len);
    }
    *is_all = !text.len;
    return count;
}
