/* What differs of the graphs, node by node: those without a partner, and what differs of partners -
 * type, outputs, kernel, stream, name. What one side does not know has not changed. */
#include "analyse/compare/compare_parts.h"
#include "analyse/describe.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

const char *const mi_cmp_change_words[MI_CMP_CHANGES + 1] = {
    [MI_CMP_APPEARED] = N_("appeared"),       [MI_CMP_VANISHED] = N_("vanished"),
    [MI_CMP_REFUSED] = N_("fused otherwise"), [MI_CMP_RETYPED] = N_("another type"),
    [MI_CMP_DTYPE] = N_("element type"),      [MI_CMP_SHAPE] = N_("shape"),
    [MI_CMP_FORMAT] = N_("layout"),           [MI_CMP_KERNEL] = N_("kernel"),
    [MI_CMP_STREAM] = N_("stream"),           [MI_CMP_RENAMED] = N_("renamed"),
};

struct changer {
    struct mi_compare *compare;
    uint32_t room;
    uint32_t *region[MI_CMP_SIDES];
    uint32_t *planned_of[MI_CMP_SIDES]; /* [nodes.count] a planned task with a kernel; 0 = none */
    bool failed;
};

static const struct mi_tables *rows_of(const struct changer *c, unsigned side)
{
    return &mi_cmp_model(c->compare, side)->all.rows;
}

static void add(struct changer *c, struct mi_cmp_change change)
{
    struct mi_compare *compare = c->compare;
    if (compare->change_count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 64;
        void *list = mi_mem_resize(compare->changes, room, sizeof *compare->changes);
        c->failed = c->failed || !list || room < c->room;
        if (c->failed)
            return;
        compare->changes = list;
        c->room = room;
    }
    unsigned side = change.node[MI_CMP_NEW] ? MI_CMP_NEW : MI_CMP_BASE;
    const struct mi_model *model = mi_cmp_model(compare, side);
    change.layer = (uint8_t)mi_node_layer(model, (mi_node_id){change.node[side]});
    change.op = compare->op_of_node[side][change.node[side]];
    compare->changes[compare->change_count++] = change;
}

static bool same_text(const struct changer *c, mi_str_id base, mi_str_id new)
{
    return mi_match_text(&c->compare->match, MI_CMP_BASE, base) ==
           mi_match_text(&c->compare->match, MI_CMP_NEW, new);
}

/* A change of a text that both sides know. */
static void compare_texts(struct changer *c, const uint32_t node[], enum mi_cmp_change_kind kind,
                          mi_str_id was, mi_str_id is)
{
    if (!was.v || !is.v || same_text(c, was, is))
        return;
    add(c, (struct mi_cmp_change){.kind = (uint8_t)kind,
                                  .node = {node[MI_CMP_BASE], node[MI_CMP_NEW]},
                                  .was = mi_model_text(mi_cmp_model(c->compare, MI_CMP_BASE), was),
                                  .is = mi_model_text(mi_cmp_model(c->compare, MI_CMP_NEW), is)});
}

static bool same_shape(const struct mi_tables *a, uint32_t was, const struct mi_tables *b,
                       uint32_t is)
{
    if (a->values.dim_count[was] != b->values.dim_count[is])
        return false;
    for (uint32_t d = 0; d < a->values.dim_count[was]; d++)
        if (a->dims.size[a->values.first_dim[was] + d] != b->dims.size[b->values.first_dim[is] + d])
            return false;
    return true;
}

/* The first output that differs stands for the node. */
static void compare_outputs(struct changer *c, const uint32_t node[])
{
    const struct mi_tables *a = rows_of(c, MI_CMP_BASE), *b = rows_of(c, MI_CMP_NEW);
    struct mi_arena *arena = &c->compare->arena;
    bool dtype = false, shape = false, format = false;
    for (uint32_t p = 0; p < a->nodes.out_count[node[0]] && p < b->nodes.out_count[node[1]]; p++) {
        uint32_t was = a->ports.value[a->nodes.first_out[node[0]] + p].v;
        uint32_t is = b->ports.value[b->nodes.first_out[node[1]] + p].v;
        uint32_t before = c->compare->change_count;
        if (!dtype)
            compare_texts(c, node, MI_CMP_DTYPE, a->values.dtype[was], b->values.dtype[is]);
        dtype = dtype || before != c->compare->change_count;
        before = c->compare->change_count;
        if (!format)
            compare_texts(c, node, MI_CMP_FORMAT, a->values.format[was], b->values.format[is]);
        format = format || before != c->compare->change_count;
        if (shape || !a->values.has_shape[was] || !b->values.has_shape[is] ||
            same_shape(a, was, b, is))
            continue;
        shape = true;
        add(c, (struct mi_cmp_change){
                   .kind = MI_CMP_SHAPE,
                   .node = {node[0], node[1]},
                   .was = mi_describe_shape(c->compare->match.model[0], (mi_value_id){was}, arena),
                   .is = mi_describe_shape(c->compare->match.model[1], (mi_value_id){is}, arena)});
    }
}

/* What the compiler chose, else what the device reports. */
static void compare_kernels(struct changer *c, const uint32_t node[])
{
    const struct mi_compare *compare = c->compare;
    uint32_t a = c->planned_of[MI_CMP_BASE][node[0]], b = c->planned_of[MI_CMP_NEW][node[1]];
    const struct mi_cmp_op *op = &compare->ops[compare->op_of_node[MI_CMP_NEW][node[1]]];
    uint32_t before = compare->change_count;
    if (op->kernel[0] && op->kernel[1]) {
        const struct mi_model *was = compare->side[0].captures[op->kernel_capture[0]].model;
        const struct mi_model *is = compare->side[1].captures[op->kernel_capture[1]].model;
        struct mi_bytes old = mi_model_text(was, was->all.rows.kernels.engine[op->kernel[0]]);
        struct mi_bytes new = mi_model_text(is, is->all.rows.kernels.engine[op->kernel[1]]);
        if (old.len && new.len && !mi_bytes_equal(old, new))
            add(c, (struct mi_cmp_change){
                       .kind = MI_CMP_KERNEL, .node = {node[0], node[1]}, .was = old, .is = new});
    }
    if (a && b && before == compare->change_count)
        compare_texts(c, node, MI_CMP_KERNEL, rows_of(c, MI_CMP_BASE)->planned.kernel[a],
                      rows_of(c, MI_CMP_NEW)->planned.kernel[b]);
}

static void compare_streams(struct changer *c, const uint32_t node[])
{
    struct mi_compare *compare = c->compare;
    uint32_t op = compare->op_of_node[MI_CMP_NEW][node[MI_CMP_NEW]];
    struct mi_bytes text[MI_CMP_SIDES];
    if (!op || !mi_cmp_is_moved(compare, op))
        return;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        const struct mi_cmp_run *run = &compare->side[side].run;
        uint32_t track = run->graph.track[run->lane_of_op[op] - 1];
        text[side] =
            mi_describe_track(mi_cmp_model(compare, side), (mi_track_id){track}, &compare->arena);
    }
    add(c, (struct mi_cmp_change){
               .kind = MI_CMP_STREAM, .node = {node[0], node[1]}, .was = text[0], .is = text[1]});
}

static void compare_pairs(struct changer *c)
{
    const struct mi_match *match = &c->compare->match;
    const struct mi_tables *a = rows_of(c, MI_CMP_BASE), *b = rows_of(c, MI_CMP_NEW);
    for (uint32_t i = 0; !c->failed && i < match->pair_count; i++) {
        const uint32_t *node = match->pairs[i].node;
        compare_texts(c, node, MI_CMP_RETYPED, a->nodes.op[node[0]], b->nodes.op[node[1]]);
        compare_outputs(c, node);
        compare_kernels(c, node);
        compare_streams(c, node);
        compare_texts(c, node, MI_CMP_RENAMED, a->nodes.name[node[0]], b->nodes.name[node[1]]);
    }
}

/* Nodes without a partner, and partners in a stretch that was fused otherwise. */
static void list_unpaired(struct changer *c, unsigned side)
{
    const struct mi_compare *compare = c->compare;
    const struct mi_model *model = mi_cmp_model(compare, side);
    for (uint32_t n = 1; !c->failed && n < model->all.rows.nodes.count; n++) {
        enum mi_layer layer = mi_node_layer(model, (mi_node_id){n});
        uint32_t region = c->region[side][n], other = compare->match.other[side][n];
        if (layer == MI_LAYER_STAGE || !mi_model_has_layer(mi_cmp_model(compare, !side), layer) ||
            (other && (!region || side == MI_CMP_NEW)))
            continue;
        struct mi_cmp_change change = {.region = region};
        change.kind = region                ? MI_CMP_REFUSED
                      : side == MI_CMP_BASE ? MI_CMP_VANISHED
                                            : MI_CMP_APPEARED;
        change.node[side] = n;
        change.node[!side] = other;
        *(side == MI_CMP_BASE ? &change.was : &change.is) =
            mi_describe_op(model, (mi_node_id){n}, &c->compare->arena);
        if (other)
            change.is = mi_describe_op(mi_cmp_model(compare, !side), (mi_node_id){other},
                                       &c->compare->arena);
        add(c, change);
    }
}

static bool index_planned(struct changer *c, unsigned side)
{
    const struct mi_tables *rows = rows_of(c, side);
    c->planned_of[side] = mi_mem_zero(rows->nodes.count, sizeof **c->planned_of);
    for (uint32_t t = rows->planned.count; c->planned_of[side] && t-- > 1;)
        if (rows->planned.kernel[t].v)
            c->planned_of[side][rows->planned.node[t].v] = t;
    return c->planned_of[side] != NULL;
}

/* Compiled before framework, then by kind, region and node. */
static int compare_changes(const void *left, const void *right)
{
    const struct mi_cmp_change *a = left, *b = right;
    const uint32_t x[] = {b->layer, a->kind, a->region, a->node[1], a->node[0]};
    const uint32_t y[] = {a->layer, b->kind, b->region, b->node[1], b->node[0]};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

bool mi_cmp_find_changes(struct mi_compare *compare)
{
    struct changer c = {.compare = compare};
    uint32_t regions;
    bool ok = mi_cmp_find_regions(compare, c.region, &regions) && index_planned(&c, MI_CMP_BASE) &&
              index_planned(&c, MI_CMP_NEW);
    if (ok) {
        list_unpaired(&c, MI_CMP_BASE);
        list_unpaired(&c, MI_CMP_NEW);
        compare_pairs(&c);
    }
    if (ok && compare->change_count)
        qsort(compare->changes, compare->change_count, sizeof *compare->changes, compare_changes);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        mi_mem_free(c.region[side]);
        mi_mem_free(c.planned_of[side]);
    }
    return ok && !c.failed;
}
