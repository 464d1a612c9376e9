/* What both sides call the same work; see struct mi_cmp_op. */
#include "analyse/accounting/lanes.h"
#include "analyse/compare/compare_parts.h"
#include "base/hash.h"
#include "base/mem.h"

struct lister {
    struct mi_compare *compare;
    uint32_t op_room, type_room;
    struct mi_map types;   /* common text -> place in types */
    struct mi_map kernels; /* sign of name and type -> op */
    bool failed;
};

static bool make_room(void *block, uint32_t *room, uint32_t count, size_t size)
{
    void **at = block;
    if (count < *room)
        return true;
    uint32_t more = *room ? 2 * *room : 64;
    void *bigger = more > *room ? mi_mem_resize(*at, more, size) : NULL;
    if (!bigger)
        return false;
    *at = bigger;
    *room = more;
    return true;
}

/* --- common texts of further captures --- */

/* A number that equal texts of all captures share. */
static uint64_t common_text(const struct mi_compare *compare, unsigned side, uint32_t capture,
                            mi_str_id text)
{
    const struct mi_match *match = &compare->match;
    const struct mi_match *own = &compare->side[side].captures[capture].to_first;
    uint64_t number = capture ? mi_match_text(own, MI_CMP_NEW, text) : text.v;
    uint32_t known = match->model[side]->all.strings.count;
    if (number < known)
        return mi_match_text(match, side, (mi_str_id){(uint32_t)number});
    return number + ((uint64_t)(side + 1) << 32); /* of this side alone */
}

/* --- types --- */

static uint32_t type_of(struct lister *l, unsigned side, uint32_t capture, mi_str_id name)
{
    struct mi_compare *compare = l->compare;
    uint32_t *at = mi_map_at(&l->types, common_text(compare, side, capture, name));
    if (!at || (!*at && !make_room(&compare->types, &l->type_room, compare->type_count,
                                   sizeof *compare->types))) {
        l->failed = true;
        return 0;
    }
    if (!*at) {
        *at = compare->type_count++;
        compare->types[*at] = (struct mi_cmp_type){
            .model = compare->side[side].captures[capture].model, .name = name};
    }
    return *at;
}

/* --- ops --- */

static uint32_t add_op(struct lister *l, const struct mi_cmp_op *op)
{
    struct mi_compare *compare = l->compare;
    if (!make_room(&compare->ops, &l->op_room, compare->op_count, sizeof *compare->ops)) {
        l->failed = true;
        return 0;
    }
    compare->ops[compare->op_count] = *op;
    return compare->op_count++;
}

/* Each node of the compared layer and its partner. */
static void add_nodes(struct lister *l)
{
    struct mi_compare *compare = l->compare;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        const struct mi_model *model = mi_cmp_model(compare, side);
        const struct mi_nodes *nodes = &model->all.rows.nodes;
        for (uint32_t n = 1; !l->failed && n < nodes->count; n++) {
            if (mi_node_layer(model, (mi_node_id){n}) != compare->side[side].layer)
                continue;
            uint32_t type = type_of(l, side, 0, nodes->op[n]);
            uint32_t other = compare->match.other[side][n];
            if (l->failed)
                return;
            compare->types[type].nodes[side]++;
            if (side == MI_CMP_NEW && other) {
                compare->op_of_node[side][n] = compare->op_of_node[MI_CMP_BASE][other];
                compare->ops[compare->op_of_node[side][n]].type = type;
                continue;
            }
            struct mi_cmp_op op = {.type = type};
            op.node[side] = n;
            op.node[!side] = other;
            compare->op_of_node[side][n] = add_op(l, &op);
        }
    }
}

/* Kernels without a node that both sides know: by name and type. */
static uint32_t op_of_kernel(struct lister *l, unsigned side, uint32_t c, uint32_t kernel)
{
    struct mi_compare *compare = l->compare;
    const struct mi_kernels *kernels = &compare->side[side].captures[c].model->all.rows.kernels;
    mi_str_id name =
        kernels->node_name[kernel].v ? kernels->node_name[kernel] : kernels->name[kernel];
    uint32_t type =
        type_of(l, side, c, kernels->op[kernel].v ? kernels->op[kernel] : kernels->type[kernel]);
    uint64_t sign = mi_hash_mix(mi_hash_mix(7, common_text(compare, side, c, name)), type);
    uint32_t *at = mi_map_at(&l->kernels, sign);
    l->failed = l->failed || !at;
    if (!l->failed && !*at) {
        struct mi_cmp_op op = {.type = type};
        *at = add_op(l, &op);
    }
    return at ? *at : 0;
}

/* The op of a task: that of its node in the compared layer, as the first capture calls it. */
static uint32_t op_of_task(struct lister *l, unsigned side, uint32_t c, uint32_t task)
{
    const struct mi_cmp_capture *capture = &l->compare->side[side].captures[c];
    const struct mi_tables *rows = &capture->model->all.rows;
    uint32_t link = capture->model->all.rows.tasks.link[task].v;
    uint32_t node = link ? rows->executed.node[link].v : 0;
    if (node && c)
        node = capture->to_first.other[MI_CMP_NEW][node];
    uint32_t op = node ? l->compare->op_of_node[side][node] : 0;
    return op ? op : op_of_kernel(l, side, c, rows->tasks.kernel[task].v);
}

static void add_tasks(struct lister *l, unsigned side, uint32_t c)
{
    struct mi_cmp_side *at = &l->compare->side[side];
    struct mi_cmp_capture *capture = &at->captures[c];
    const struct mi_tables *rows = &capture->model->all.rows;
    for (uint32_t t = 1; !l->failed && t < rows->tasks.count; t++) {
        uint32_t track = rows->tasks.track[t].v, kernel = rows->tasks.kernel[t].v;
        if (!capture->sample_of[capture->account.run_of[t]] ||
            rows->tracks.rank[track] != at->rank || rows->tracks.device[track] != at->device ||
            mi_account_part(&capture->account, t) != MI_PART_WORK)
            continue;
        uint32_t number = op_of_task(l, side, c, t);
        if (l->failed)
            return;
        struct mi_cmp_op *op = &l->compare->ops[number];
        capture->op_of[t] = number;
        op->tasks[side]++;
        op->is_transfer = op->is_transfer || mi_lane_kind(&capture->account, t) == MI_LANE_TRANSFER;
        op->is_collective =
            op->is_collective || mi_lane_kind(&capture->account, t) == MI_LANE_COMMUNICATION;
        if (!op->kernel[side]) {
            op->kernel[side] = kernel;
            op->kernel_capture[side] = c;
        }
    }
}

bool mi_cmp_find_ops(struct mi_compare *compare)
{
    struct lister l = {.compare = compare};
    bool ok = make_room(&compare->ops, &l.op_room, 0, sizeof *compare->ops) &&
              make_room(&compare->types, &l.type_room, 0, sizeof *compare->types);
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++) {
        size_t count = mi_cmp_model(compare, side)->all.rows.nodes.count;
        compare->op_of_node[side] = mi_mem_zero(count, sizeof **compare->op_of_node);
        ok = compare->op_of_node[side] != NULL;
    }
    if (!ok)
        return false;
    compare->ops[0] = (struct mi_cmp_op){0};
    compare->types[0] = (struct mi_cmp_type){.model = mi_cmp_model(compare, MI_CMP_BASE)};
    compare->op_count = compare->type_count = 1;
    add_nodes(&l);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t c = 0; c < compare->side[side].capture_count; c++)
            add_tasks(&l, side, c);
    mi_map_fini(&l.types);
    mi_map_fini(&l.kernels);
    return !l.failed;
}
