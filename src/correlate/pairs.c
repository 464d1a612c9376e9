/* Which framework graph a compiled graph was made from: folders of files, then shared names. */
#include "correlate/pairs.h"

#include "correlate/ge/ge_graphs.h"

/* Values that are looked up for one compiled graph, over all framework graphs it might fit; more
 * would not change the verdict. */
#define MAX_SAMPLES 4096u
#define MIN_SAMPLES 16u /* for each of them */

/* The folder of a path, with its slash. */
static struct mi_bytes folder_of(struct mi_bytes path)
{
    while (path.len && path.at[path.len - 1] != '/')
        path.len--;
    return path;
}

static bool has_node(const struct mi_model *model, uint32_t graph, mi_str_id name)
{
    return name.v && mi_map_get(&model->index.node_by_name, mi_pair(graph, name.v)) != 0;
}

/* Names of values of `compiled` that `framework` has too, among an even sample. GE names its
 * tensors itself, but keeps names of ops and records which op a tensor comes from. */
static uint32_t shared_names(const struct mi_model *model, uint32_t framework, uint32_t compiled,
                             uint32_t samples)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = model->index.graph_first_node[compiled];
    uint32_t count = model->index.graph_first_node[compiled + 1] - first, shared = 0;
    uint32_t step = count / samples + 1;
    bool is_ge = mi_is_ge_graph(model, compiled);
    for (uint32_t n = first; n < first + count; n += step) {
        if (!rows->nodes.out_count[n])
            continue;
        uint32_t value = rows->ports.value[rows->nodes.first_out[n]].v;
        uint32_t name = rows->values.name[value].v;
        shared += name && mi_map_get(&model->index.value_by_name, mi_pair(framework, name)) != 0;
        if (is_ge)
            shared += has_node(model, framework, rows->values.origin_name[value]) ||
                      has_node(model, framework, rows->nodes.name[n]);
    }
    for (uint32_t i = 0; i < rows->graphs.in_count[compiled] && i < samples; i++) {
        uint32_t value = rows->ports.value[rows->graphs.first_in[compiled] + i].v;
        uint32_t name = rows->values.name[value].v;
        shared += name && mi_map_get(&model->index.value_by_name, mi_pair(framework, name)) != 0;
    }
    return shared;
}

static bool same_folder(const struct mi_tables *rows, const struct mi_model *model, uint32_t a,
                        uint32_t b)
{
    mi_str_id path_a =
        rows->sources.count > 1 ? rows->sources.path[rows->graphs.source[a].v] : MI_NO_STR;
    mi_str_id path_b =
        rows->sources.count > 1 ? rows->sources.path[rows->graphs.source[b].v] : MI_NO_STR;
    return mi_bytes_equal(folder_of(mi_model_text(model, path_a)),
                          folder_of(mi_model_text(model, path_b)));
}

static bool is_main(const struct mi_graphs *graphs, uint32_t g, enum mi_layer layer)
{
    return graphs->kind[g] == MI_GRAPH_MAIN && graphs->layer[g] == layer;
}

/* How well a pair fits; 0 = nothing in common. */
static uint64_t score(const struct mi_model *model, uint32_t framework, uint32_t compiled,
                      uint32_t samples)
{
    uint64_t shared = shared_names(model, framework, compiled, samples);
    if (!shared)
        return 0;
    bool near = same_folder(&model->all.rows, model, framework, compiled);
    return shared * 2 + (near ? (uint64_t)1 << 40 : 0);
}

static uint32_t framework_of(const struct mi_model *model, uint32_t compiled,
                             const struct mi_u32s *mains)
{
    if (mains->count == 1)
        return mains->at[0];
    uint64_t best = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < mains->count; i++) {
        uint64_t fit =
            score(model, mains->at[i], compiled, MAX_SAMPLES / mains->count + MIN_SAMPLES);
        if (fit > best) {
            best = fit;
            found = mains->at[i];
        } else if (fit == best) {
            found = 0;
        }
    }
    return found;
}

static bool push_pair(struct mi_graph_pairs *pairs, uint32_t framework, uint32_t compiled)
{
    if (!mi_vec_room(&pairs->at, &pairs->room, pairs->count, sizeof *pairs->at))
        return false;
    pairs->at[pairs->count++] = (struct mi_graph_pair){framework, compiled};
    return true;
}

/* The one node of graph g with this name, or 0. */
static uint32_t unique_node(const struct mi_model *model, uint32_t g, mi_str_id name)
{
    uint32_t n = name.v ? mi_map_get(&model->index.node_by_name, mi_pair(g, name.v)) : 0;
    return n && !model->index.next_same_name[n] ? n : 0;
}

static bool pair_bodies_by_name(struct mi_graph_pairs *pairs, const struct mi_model *model,
                                uint32_t n, uint32_t framework)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_csr *inner = &model->index.inner;
    uint32_t q = unique_node(model, framework, rows->nodes.name[n]);
    if (!q || rows->nodes.op[q].v != rows->nodes.op[n].v)
        return true;
    for (uint32_t i = inner->first[n]; i < inner->first[n + 1]; i++)
        for (uint32_t k = inner->first[q]; k < inner->first[q + 1]; k++)
            if (rows->graphs.role[inner->list[i]].v == rows->graphs.role[inner->list[k]].v) {
                if (!push_pair(pairs, inner->list[k], inner->list[i]))
                    return false;
                break;
            }
    return true;
}

static bool find_pairs(struct mi_graph_pairs *pairs, const struct mi_model *model,
                       struct mi_u32s *mains)
{
    const struct mi_graphs *graphs = &model->all.rows.graphs;
    for (uint32_t g = 1; g < graphs->count; g++)
        if (is_main(graphs, g, MI_LAYER_FRAMEWORK) && !mi_u32s_push(mains, g))
            return false;
    for (uint32_t g = 1; g < graphs->count; g++) {
        if (!is_main(graphs, g, MI_LAYER_COMPILED))
            continue;
        uint32_t framework = framework_of(model, g, mains);
        if (framework && !push_pair(pairs, framework, g))
            return false;
    }
    pairs->main_count = pairs->count;
    /* A graph has one parent, so this list ends: no graph enters it twice. */
    for (uint32_t p = 0; p < pairs->count && pairs->count < graphs->count; p++) {
        struct mi_graph_pair pair = pairs->at[p];
        uint32_t end = model->index.graph_first_node[pair.compiled + 1];
        for (uint32_t n = model->index.graph_first_node[pair.compiled]; n < end; n++)
            if (mi_csr_count(&model->index.inner, n) &&
                !pair_bodies_by_name(pairs, model, n, pair.framework))
                return false;
    }
    return true;
}

bool mi_graph_pairs_find(struct mi_graph_pairs *pairs, const struct mi_model *model,
                         struct mi_error *err)
{
    struct mi_u32s mains = {0};
    *pairs = (struct mi_graph_pairs){0};
    bool ok = find_pairs(pairs, model, &mains);
    mi_u32s_fini(&mains);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while pairing graphs");
}

void mi_graph_pairs_fini(struct mi_graph_pairs *pairs)
{
    mi_mem_free(pairs->at);
    *pairs = (struct mi_graph_pairs){0};
}
