/* Causes that the graphs tell of: other fusion, other element types, what was put in or taken out.
 * Where nothing was measured all of them count, else only what runs. */
#include "analyse/compare/compare_causes.h"
#include "analyse/describe.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

enum {
    MOST_LOOKS = 4, /* named of stretches that were fused otherwise */
    MOST_BESIDE = 32
};

static bool is_measured(const struct mi_compare *compare)
{
    return compare->side[MI_CMP_BASE].sample_count && compare->side[MI_CMP_NEW].sample_count;
}

static bool counts(const struct mi_compare *compare, uint32_t op)
{
    const struct mi_cmp_op *at = &compare->ops[op];
    if (is_measured(compare))
        return at->tasks[MI_CMP_BASE] || at->tasks[MI_CMP_NEW];
    unsigned side = at->node[MI_CMP_NEW] ? MI_CMP_NEW : MI_CMP_BASE;
    return op && !mi_is_constant_node(mi_cmp_model(compare, side), (mi_node_id){at->node[side]});
}

/* --- fused otherwise --- */

/* One type of a stretch, on one side. */
struct part {
    uint32_t region, side, type;
};

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return (a->type > b->type) - (a->type < b->type);
}

/* "Gelu -> RealDiv + Erf + 2 Mul" of the sorted parts of one stretch. */
static struct mi_bytes describe_parts(struct mi_compare *compare, const struct part *parts,
                                      uint32_t count)
{
    struct mi_words words = {.arena = &compare->arena};
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_parts(&parts[end], &parts[i]) == 0;)
            end++;
        if (i && parts[i].side != parts[i - 1].side)
            mi_words_put(&words, MI_LIT(" -> "));
        else if (i)
            mi_words_put(&words, MI_LIT(" + "));
        if (end - i > 1)
            mi_words_printf(&words, "%u ", end - i);
        mi_words_put(&words, mi_cmp_type_name(compare, parts[i].type));
    }
    return mi_words_get(&words);
}

static uint32_t list_parts(const struct mi_compare *compare, struct part *parts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < compare->change_count; i++) {
        const struct mi_cmp_change *change = &compare->changes[i];
        if (change->kind != MI_CMP_REFUSED || !counts(compare, change->op))
            continue;
        for (unsigned side = 0; side < MI_CMP_SIDES; side++)
            if (change->node[side])
                parts[count++] = (struct part){change->region, side, compare->ops[change->op].type};
    }
    if (count)
        qsort(parts, count, sizeof *parts, compare_parts);
    return count;
}

/* What stretches look like, and how many look so: the most frequent first. */
struct look {
    uint32_t first, count; /* in parts */
    uint32_t stretches;
};

static int compare_looks(const void *left, const void *right)
{
    const struct look *a = left, *b = right;
    if (a->stretches != b->stretches)
        return a->stretches > b->stretches ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Lists the looks of sorted parts; false: out of memory. */
static bool list_looks(const struct part *parts, uint32_t count, struct look *looks,
                       uint32_t *look_count)
{
    struct mi_map by_sign = {0};
    bool ok = true;
    for (uint32_t i = 0, end; ok && i < count; i = end) {
        uint64_t sign = 0;
        for (end = i; end < count && parts[end].region == parts[i].region; end++)
            sign = mi_hash_mix(mi_hash_mix(sign, parts[end].side), parts[end].type);
        uint32_t *at = mi_map_at(&by_sign, sign);
        ok = at != NULL;
        if (ok && !*at) {
            *at = ++*look_count;
            looks[*at - 1] = (struct look){.first = i, .count = end - i};
        }
        if (ok)
            looks[*at - 1].stretches++;
    }
    mi_map_fini(&by_sign);
    if (*look_count)
        qsort(looks, *look_count, sizeof *looks, compare_looks);
    return ok;
}

/* "3 x Gelu -> RealDiv + Erf; Add -> Mul": a few of them. */
static struct mi_bytes describe_looks(struct mi_compare *compare, const struct part *parts,
                                      const struct look *looks, uint32_t count)
{
    struct mi_words words = {.arena = &compare->arena};
    for (uint32_t i = 0; i < count && i < MOST_LOOKS; i++) {
        if (i)
            mi_words_put(&words, MI_LIT("; "));
        if (looks[i].stretches > 1)
            mi_words_printf(&words, "%u x ", looks[i].stretches);
        mi_words_put(&words, describe_parts(compare, &parts[looks[i].first], looks[i].count));
    }
    if (count > MOST_LOOKS)
        mi_words_put(&words, MI_LIT("; ..."));
    return mi_words_get(&words);
}

/* All stretches are one cause: fusing is decided for the graph as a whole. */
void mi_cmp_blame_fusion(struct mi_cmp_causer *c)
{
    struct mi_compare *compare = c->compare;
    size_t room = 2 * (size_t)compare->change_count + 1;
    struct part *parts = mi_mem_new(room, sizeof *parts);
    struct look *looks = mi_mem_new(room, sizeof *looks);
    uint32_t look_count = 0;
    compare->region_of_op = mi_mem_zero(compare->op_count, sizeof *compare->region_of_op);
    c->failed = c->failed || !parts || !looks || !compare->region_of_op;
    uint32_t count = c->failed ? 0 : list_parts(compare, parts);
    c->failed = c->failed || !list_looks(parts, count, looks, &look_count);
    if (count && !c->failed)
        c->fusion = mi_cmp_cause_of(c, "fusion_changed", 0);
    if (c->fusion)
        compare->causes[c->fusion - 1].what = describe_looks(compare, parts, looks, look_count);
    for (uint32_t i = 0; !c->failed && i < compare->change_count; i++) {
        const struct mi_cmp_change *change = &compare->changes[i];
        if (change->kind != MI_CMP_REFUSED || !counts(compare, change->op))
            continue;
        compare->region_of_op[change->op] = change->region;
        mi_cmp_own(c, c->fusion, change->op);
    }
    mi_mem_free(parts);
    mi_mem_free(looks);
}

/* Reads one tensor that is not constant. */
static bool reads_one(const struct mi_tables *rows, uint32_t node)
{
    uint32_t first = rows->nodes.first_in[node], count = 0;
    for (uint32_t i = first; i < first + rows->nodes.in_count[node]; i++) {
        uint32_t value = rows->ports.value[i].v;
        count +=
            !rows->ports.is_control[i] && value && rows->values.kind[value] != MI_VALUE_CONSTANT;
    }
    return count == 1;
}

/* Moves or converts a tensor and computes nothing. What the model itself asks for, and what picks
 * or joins (Gather, Concat), is work like any other. */
bool mi_cmp_is_conversion(const struct mi_compare *compare, uint32_t number)
{
    const struct mi_cmp_op *op = &compare->ops[number];
    unsigned side = op->node[MI_CMP_NEW] ? MI_CMP_NEW : MI_CMP_BASE;
    const struct mi_model *model = mi_cmp_model(compare, side);
    const struct mi_tables *rows = &model->all.rows;
    uint32_t node = op->node[side], birth = model->index.birth_of[node];
    if (op->is_transfer || mi_bytes_equal(mi_cmp_type_name(compare, op->type), MI_LIT("Cast")))
        return true;
    uint8_t origin = birth ? rows->births.origin[birth] : MI_ORIGIN_UNKNOWN;
    return rows->nodes.category[node] == MI_CATEGORY_DATA_MOVEMENT && reads_one(rows, node) &&
           (origin == MI_ORIGIN_UNKNOWN || origin == MI_ORIGIN_INSERTED);
}

/* --- other element types, other engines --- */

static int bits_of(struct mi_bytes dtype)
{
    int bits = 0;
    for (size_t i = 0; i < dtype.len && bits < 10000; i++)
        if (dtype.at[i] >= '0' && dtype.at[i] <= '9')
            bits = 10 * bits + dtype.at[i] - '0';
    return bits;
}

/* Nodes without a partner that lie next to one. */
struct beside {
    uint32_t nodes[MOST_BESIDE];
    uint32_t count;
};

static void add_beside(const struct mi_compare *compare, struct beside *list, uint32_t node)
{
    if (!node || compare->match.other[MI_CMP_NEW][node] || list->count == MOST_BESIDE)
        return;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->nodes[i] == node)
            return;
    list->nodes[list->count++] = node;
}

static void add_neighbours(const struct mi_compare *compare, struct beside *list, uint32_t node)
{
    const struct mi_model *model = mi_cmp_model(compare, MI_CMP_NEW);
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_csr *readers = &model->index.consumers;
    for (uint32_t p = 0; p < rows->nodes.in_count[node]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_in[node] + p].v;
        add_beside(compare, list, rows->values.producer[value].v);
    }
    for (uint32_t p = 0; p < rows->nodes.out_count[node]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[node] + p].v;
        for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++)
            add_beside(compare, list, readers->list[i]);
    }
}

/* Conversions that were put in beside a node, also one behind the other, belong to the change of
 * its type. */
static void own_neighbours(struct mi_cmp_causer *c, uint32_t cause, uint32_t node)
{
    const struct mi_compare *compare = c->compare;
    struct beside list = {.count = 0};
    add_neighbours(compare, &list, node);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t op = compare->op_of_node[MI_CMP_NEW][list.nodes[i]];
        mi_cmp_own(c, cause, op);
        if (mi_cmp_is_conversion(compare, op))
            add_neighbours(compare, &list, list.nodes[i]);
    }
}

static void describe_change(struct mi_cmp_causer *c, uint32_t cause,
                            const struct mi_cmp_change *change)
{
    struct mi_words words = {.arena = &c->compare->arena};
    if (!cause || c->compare->causes[cause - 1].what.len)
        return;
    mi_words_put(&words, change->was);
    mi_words_put(&words, MI_LIT(" -> "));
    mi_words_put(&words, change->is);
    c->compare->causes[cause - 1].what = mi_words_get(&words);
}

void mi_cmp_blame_changes(struct mi_cmp_causer *c)
{
    struct mi_compare *compare = c->compare;
    for (uint32_t i = 0; !c->failed && i < compare->change_count; i++) {
        const struct mi_cmp_change *change = &compare->changes[i];
        uint64_t key = mi_hash_mix(mi_hash64(change->was), mi_hash64(change->is));
        const char *rule = NULL;
        if (!change->op || c->owner[change->op] || !counts(compare, change->op))
            continue;
        if (change->kind == MI_CMP_DTYPE)
            rule = bits_of(change->is) > bits_of(change->was) ? "dtype_upcast" : "dtype_changed";
        if (change->kind == MI_CMP_KERNEL && mi_bytes_equal(change->is, MI_LIT("AI_CPU")))
            rule = "aicpu_fallback";
        if (!rule)
            continue;
        uint32_t cause = mi_cmp_cause_of(c, rule, key);
        describe_change(c, cause, change);
        mi_cmp_own(c, cause, change->op);
        own_neighbours(c, cause, change->node[MI_CMP_NEW]);
    }
}

/* --- on one side only --- */

/* With tasks: what runs on one side only. Without: nodes on one side only. */
static bool is_only_on(const struct mi_compare *compare, const struct mi_cmp_op *op, unsigned side)
{
    if (is_measured(compare))
        return op->tasks[side] && !op->tasks[!side];
    return op->node[side] && !op->node[!side];
}

/* "4 Cast + 2 TransData" */
static void describe_transfers(struct mi_cmp_causer *c, uint32_t cause)
{
    struct mi_compare *compare = c->compare;
    struct part *parts = mi_mem_new(compare->op_count, sizeof *parts);
    uint32_t count = 0;
    c->failed = c->failed || !parts;
    for (uint32_t o = 1; parts && o < compare->op_count; o++)
        if (c->owner[o] == cause)
            parts[count++] = (struct part){0, MI_CMP_NEW, compare->ops[o].type};
    if (count) {
        qsort(parts, count, sizeof *parts, compare_parts);
        compare->causes[cause - 1].what = describe_parts(compare, parts, count);
    }
    mi_mem_free(parts);
}

void mi_cmp_blame_one_sided(struct mi_cmp_causer *c)
{
    uint32_t inserted = 0;
    struct mi_compare *compare = c->compare;
    for (uint32_t o = 1; !c->failed && o < compare->op_count; o++) {
        const struct mi_cmp_op *op = &compare->ops[o];
        bool added = is_only_on(compare, op, MI_CMP_NEW);
        if (c->owner[o] || !counts(compare, o) || (!added && !is_only_on(compare, op, MI_CMP_BASE)))
            continue;
        bool transfers = added && mi_cmp_is_conversion(compare, o);
        uint32_t cause = transfers
                             ? mi_cmp_cause_of(c, "inserted_transfers", 0)
                             : mi_cmp_cause_of(c, added ? "op_added" : "op_removed", op->type);
        if (c->failed)
            return;
        if (transfers)
            inserted = cause;
        else
            compare->causes[cause - 1].what = mi_cmp_type_name(compare, op->type);
        mi_cmp_own(c, cause, o);
    }
    if (inserted && !c->failed)
        describe_transfers(c, inserted);
}
