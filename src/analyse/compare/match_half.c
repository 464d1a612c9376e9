/* One side of a matching: links between its nodes, their order, and what each node looks like. */
#include "analyse/compare/match_parts.h"
#include "analyse/describe.h"
#include "base/mem.h"

#include <stdlib.h>

/* --- links --- */

static uint32_t count_links(const struct mi_tables *rows)
{
    uint64_t count = 1;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        count += rows->nodes.in_count[n];
    return count < UINT32_MAX ? (uint32_t)count : 0;
}

static uint32_t output_no(const struct mi_tables *rows, uint32_t node, uint32_t value)
{
    uint32_t first = rows->nodes.first_out[node], count = rows->nodes.out_count[node];
    for (uint32_t p = 0; p < count && p < MI_MATCH_CONTROL; p++)
        if (rows->ports.value[first + p].v == value)
            return p;
    return 0;
}

static void add_links(struct mi_match_half *half, uint32_t node)
{
    const struct mi_tables *rows = half->rows;
    for (uint32_t p = 0; p < rows->nodes.in_count[node]; p++) {
        uint32_t port = rows->nodes.first_in[node] + p;
        mi_value_id value = mi_value_origin(half->model, rows->ports.value[port]);
        uint32_t from = rows->values.producer[value.v].v;
        if (!from || rows->ports.is_back[port] || half->layer[from] != half->layer[node])
            continue;
        bool control = rows->ports.is_control[port];
        uint32_t to_port = p < MI_MATCH_CONTROL ? p : MI_MATCH_CONTROL - 1;
        half->links[half->link_count++] = (struct mi_match_link){
            from, node, control ? MI_MATCH_CONTROL : output_no(rows, from, value.v),
            control ? MI_MATCH_CONTROL : to_port};
    }
}

static bool index_links(struct mi_match_half *half)
{
    uint32_t *ends = mi_mem_new(half->link_count, sizeof *ends);
    for (uint32_t l = 1; ends && l < half->link_count; l++)
        ends[l] = half->links[l].from;
    bool ok = ends && mi_csr_build(&half->out, half->node_count, ends, half->link_count);
    for (uint32_t l = 1; ok && l < half->link_count; l++)
        ends[l] = half->links[l].to;
    ok = ok && mi_csr_build(&half->in, half->node_count, ends, half->link_count);
    mi_mem_free(ends);
    return ok;
}

static bool find_links(struct mi_match_half *half)
{
    uint32_t room = count_links(half->rows);
    half->links = room ? mi_mem_new(room, sizeof *half->links) : NULL;
    if (!half->links)
        return false;
    half->link_count = 1;
    for (uint32_t n = 1; n < half->node_count; n++)
        if (half->layer[n])
            add_links(half, n);
    return index_links(half);
}

/* Nodes on cycles, which a broken file may have, come last. */
static bool find_order(struct mi_match_half *half)
{
    uint32_t *waits = mi_mem_zero(half->node_count, sizeof *waits);
    half->order = mi_mem_new(half->node_count, sizeof *half->order);
    half->is_cyclic = mi_mem_zero(half->node_count, sizeof *half->is_cyclic);
    bool ok = waits && half->order && half->is_cyclic;
    for (uint32_t n = 1; ok && n < half->node_count; n++) {
        waits[n] = mi_csr_count(&half->in, n);
        if (half->layer[n] && !waits[n])
            half->order[half->order_count++] = n;
    }
    for (uint32_t i = 0; ok && i < half->order_count; i++) {
        uint32_t n = half->order[i];
        for (uint32_t k = half->out.first[n]; k < half->out.first[n + 1]; k++) {
            uint32_t to = half->links[half->out.list[k]].to;
            if (--waits[to] == 0)
                half->order[half->order_count++] = to;
        }
    }
    for (uint32_t n = 1; ok && n < half->node_count; n++)
        if (half->layer[n] && waits[n]) {
            half->order[half->order_count++] = n;
            half->is_cyclic[n] = 1;
        }
    mi_mem_free(waits);
    return ok;
}

/* --- the ops that a node stands for --- */

struct origin {
    uint32_t node, text;
};

static int compare_origins(const void *left, const void *right)
{
    const struct origin *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->text > b->text) - (a->text < b->text);
}

/* What the compiler recorded; of a node without such names what the links say, if they are sure. */
static uint32_t gather_origins(const struct mi_match_half *half, const struct mi_match *match,
                               unsigned side, struct origin *list)
{
    const struct mi_recorded *recorded = &half->rows->recorded;
    const struct mi_lowered *links = &half->rows->lowered;
    uint32_t count = 0;
    for (uint32_t r = 1; r < recorded->count; r++)
        if (half->layer[recorded->node[r].v] && recorded->name[r].v)
            list[count++] =
                (struct origin){recorded->node[r].v, mi_match_text(match, side, recorded->name[r])};
    uint32_t stated = count;
    qsort(list, stated, sizeof *list, compare_origins);
    for (uint32_t l = 1; l < links->count; l++) {
        uint32_t node = links->compiled[l].v;
        struct origin key = {node, 0};
        uint32_t low = 0, high = stated;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (compare_origins(&list[middle], &key) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        mi_str_id name = half->rows->nodes.name[links->framework[l].v];
        if ((low < stated && list[low].node == node) || links->role[l] != MI_ROLE_COMPUTED ||
            links->confidence[l] < MI_LIKELY || !half->layer[node] || !name.v)
            continue;
        list[count++] = (struct origin){node, mi_match_text(match, side, name)};
    }
    qsort(list, count, sizeof *list, compare_origins);
    return count;
}

static bool find_origins(struct mi_match_half *half, const struct mi_match *match, unsigned side)
{
    size_t room = (size_t)half->rows->recorded.count + half->rows->lowered.count;
    struct origin *list = mi_mem_new(room, sizeof *list);
    uint32_t *owners = mi_mem_zero(room, sizeof *owners);
    half->origins = mi_mem_zero(room, sizeof *half->origins);
    bool ok = list && owners && half->origins;
    uint32_t count = ok ? gather_origins(half, match, side, list) : 0, kept = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i && compare_origins(&list[i], &list[i - 1]) == 0)
            continue;
        owners[kept] = list[i].node;
        half->origins[kept++] = list[i].text;
    }
    ok = ok && mi_csr_build(&half->origins_of, half->node_count, owners, kept);
    mi_mem_free(list);
    mi_mem_free(owners);
    return ok;
}

/* --- what a node looks like --- */

static uint64_t shape_of(const struct mi_match_half *half, uint32_t node)
{
    const struct mi_tables *rows = half->rows;
    uint64_t hash = 1;
    for (uint32_t p = 0; p < rows->nodes.out_count[node]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[node] + p].v;
        hash =
            mi_hash_mix(hash, rows->values.has_shape[value] ? rows->values.dim_count[value] : 99);
        for (uint32_t d = 0; d < rows->values.dim_count[value]; d++)
            hash = mi_hash_mix(hash, (uint64_t)rows->dims.size[rows->values.first_dim[value] + d]);
    }
    return hash;
}

/* Attributes that a compiler writes for itself - numbers of streams, offsets - differ from build to
 * build and begin with an underscore. */
static uint64_t attr_of(const struct mi_match_half *half, const struct mi_match *match,
                        unsigned side, uint32_t attr)
{
    const struct mi_tables *rows = half->rows;
    struct mi_bytes name = mi_model_text(half->model, rows->attrs.name[attr]);
    if (mi_bytes_starts(name, MI_LIT("_")))
        return 0;
    uint64_t hash = mi_hash_mix(5, mi_match_text(match, side, rows->attrs.name[attr]));
    for (uint32_t i = 0; i < rows->attrs.item_count[attr] && i < 64; i++) {
        uint32_t item = rows->attrs.first_item[attr] + i;
        uint64_t real;
        memcpy(&real, &rows->items.real_value[item], sizeof real);
        hash = mi_hash_mix(mi_hash_mix(hash, (uint64_t)rows->items.int_value[item]), real);
        hash = mi_hash_mix(hash, mi_match_text(match, side, rows->items.text[item]));
    }
    return hash;
}

static uint64_t detail_of(const struct mi_match_half *half, const struct mi_match *match,
                          unsigned side, uint32_t node)
{
    const struct mi_tables *rows = half->rows;
    uint64_t hash = 1, attrs = 0;
    for (uint32_t p = 0; p < rows->nodes.out_count[node]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[node] + p].v;
        if (rows->ports.is_control[rows->nodes.first_out[node] + p])
            continue;
        hash = mi_hash_mix(hash, mi_match_text(match, side, rows->values.dtype[value]));
        hash = mi_hash_mix(hash, mi_match_text(match, side, rows->values.format[value]));
    }
    for (uint32_t a = 0; a < rows->nodes.attr_count[node]; a++)
        attrs += attr_of(half, match, side, rows->nodes.first_attr[node] + a);
    return mi_hash_mix(hash, attrs);
}

static void look_at_nodes(struct mi_match_half *half, const struct mi_match *match, unsigned side)
{
    const struct mi_nodes *nodes = &half->rows->nodes;
    for (uint32_t n = 1; n < half->node_count; n++) {
        if (!half->layer[n])
            continue;
        half->type[n] =
            mi_hash_mix(mi_hash_mix(half->layer[n], mi_match_text(match, side, nodes->op[n])),
                        mi_match_text(match, side, nodes->domain[n]));
        half->shape[n] = shape_of(half, n);
        half->detail[n] = detail_of(half, match, side, n);
    }
}

bool mi_match_half_init(struct mi_match_half *half, const struct mi_match *match, unsigned side)
{
    const struct mi_model *model = match->model[side];
    size_t count = model->all.rows.nodes.count;
    *half = (struct mi_match_half){
        .model = model, .rows = &model->all.rows, .node_count = (uint32_t)count};
    half->layer = mi_mem_zero(count, sizeof *half->layer);
    half->type = mi_mem_zero(count, sizeof *half->type);
    half->shape = mi_mem_zero(count, sizeof *half->shape);
    half->detail = mi_mem_zero(count, sizeof *half->detail);
    if (!half->layer || !half->type || !half->shape || !half->detail)
        return false;
    for (uint32_t n = 1; n < count; n++) {
        enum mi_layer layer = mi_node_layer(model, (mi_node_id){n});
        half->layer[n] = layer == MI_LAYER_STAGE ? MI_LAYER_NONE : (uint8_t)layer;
    }
    look_at_nodes(half, match, side);
    return find_links(half) && find_order(half) && find_origins(half, match, side);
}

void mi_match_half_fini(struct mi_match_half *half)
{
    mi_mem_free(half->layer);
    mi_mem_free(half->links);
    mi_csr_fini(&half->out);
    mi_csr_fini(&half->in);
    mi_mem_free(half->order);
    mi_mem_free(half->is_cyclic);
    mi_csr_fini(&half->origins_of);
    mi_mem_free(half->origins);
    mi_mem_free(half->type);
    mi_mem_free(half->shape);
    mi_mem_free(half->detail);
}
