/* Stretches of the graph that were fused otherwise. Nodes of both sides that stand for an op in
 * common belong together, and so do nodes without partners that are linked, or that replace each
 * other between the same pairs. A group is such a stretch if something of it has no partner on one
 * side and it has nodes on both. */
#include "analyse/compare/compare_parts.h"
#include "analyse/compare/match_parts.h"
#include "base/mem.h"

struct joiner {
    const struct mi_compare *compare;
    struct mi_match_half half[MI_CMP_SIDES];
    uint32_t *parent; /* nodes of the base, then those of the new side */
    uint32_t base_count, count;
    bool failed;
};

static uint32_t place_of(const struct joiner *j, unsigned side, uint32_t node)
{
    return side == MI_CMP_BASE ? node : j->base_count + node;
}

static uint32_t root_of(struct joiner *j, uint32_t at)
{
    while (j->parent[at] != at) {
        j->parent[at] = j->parent[j->parent[at]];
        at = j->parent[at];
    }
    return at;
}

static void join(struct joiner *j, uint32_t a, uint32_t b)
{
    uint32_t x = root_of(j, a), y = root_of(j, b);
    j->parent[x > y ? x : y] = x < y ? x : y;
}

static bool is_in(const struct joiner *j, unsigned side, uint32_t node)
{
    return j->half[side].layer[node] == j->compare->side[side].layer;
}

static bool is_open(const struct joiner *j, unsigned side, uint32_t node)
{
    return is_in(j, side, node) && !j->compare->match.other[side][node];
}

/* Constants come and go with what reads them. */
static bool is_constant(const struct joiner *j, unsigned side, uint32_t node)
{
    return mi_is_constant_node(j->half[side].model, (mi_node_id){node});
}

/* An op that a node without a partner stands for ties it to whoever has that op on the other side.
 */
static void join_origins(struct joiner *j)
{
    struct mi_map holder[MI_CMP_SIDES] = {{0}, {0}}; /* op -> first node that stands for it */
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t n = 1; !j->failed && n < j->half[side].node_count; n++) {
            const struct mi_match_half *half = &j->half[side];
            for (uint32_t i = half->origins_of.first[n];
                 is_in(j, side, n) && !j->failed && i < half->origins_of.first[n + 1]; i++) {
                uint32_t *at = mi_map_at(&holder[side], half->origins[half->origins_of.list[i]]);
                j->failed = !at;
                if (at && (!*at || is_open(j, side, n)))
                    *at = n;
            }
        }
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t n = 1; !j->failed && n < j->half[side].node_count; n++) {
            const struct mi_match_half *half = &j->half[side];
            for (uint32_t i = half->origins_of.first[n];
                 is_open(j, side, n) && i < half->origins_of.first[n + 1]; i++) {
                uint32_t other =
                    mi_map_get(&holder[!side], half->origins[half->origins_of.list[i]]);
                if (other)
                    join(j, place_of(j, side, n), place_of(j, !side, other));
            }
        }
    mi_map_fini(&holder[MI_CMP_BASE]);
    mi_map_fini(&holder[MI_CMP_NEW]);
}

/* Whether both are read by one pair at the same port. */
static bool lead_to_same(const struct joiner *j, uint32_t base, uint32_t new)
{
    const struct mi_match_half *a = &j->half[MI_CMP_BASE], *b = &j->half[MI_CMP_NEW];
    uint32_t most = 64;
    for (uint32_t i = a->out.first[base]; i < a->out.first[base + 1] && most--; i++) {
        const struct mi_match_link *link = &a->links[a->out.list[i]];
        uint32_t reader = j->compare->match.other[MI_CMP_BASE][link->to], left = 64;
        for (uint32_t k = b->out.first[new]; reader && k < b->out.first[new + 1] && left--; k++) {
            const struct mi_match_link *their = &b->links[b->out.list[k]];
            if (their->to == reader && their->to_port == link->to_port)
                return true;
        }
    }
    return false;
}

/* Nodes without a partner that come from the same pair at the same port, on one side each, and lead
 * to the same: one replaces the other unless their ops say more. */
static void join_replaced(struct joiner *j)
{
    struct mi_map behind = {0}; /* (pair, port) -> node of the base */
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t l = 1; !j->failed && l < j->half[side].link_count; l++) {
            const struct mi_match_link *link = &j->half[side].links[l];
            uint32_t pair = j->compare->match.pair_of[side][link->from];
            if (!pair || link->to_port == MI_MATCH_CONTROL || !is_open(j, side, link->to) ||
                is_constant(j, side, link->from) ||
                mi_csr_count(&j->half[side].origins_of, link->to))
                continue;
            uint32_t *at = mi_map_at(&behind, mi_pair(pair, link->from_port));
            j->failed = !at;
            if (!at)
                break;
            if (side == MI_CMP_BASE)
                *at = *at ? UINT32_MAX : link->to;
            else if (*at && *at != UINT32_MAX && !mi_csr_count(&j->half[0].origins_of, *at) &&
                     lead_to_same(j, *at, link->to))
                join(j, place_of(j, MI_CMP_BASE, *at), place_of(j, MI_CMP_NEW, link->to));
        }
    mi_map_fini(&behind);
}

/* Numbers groups that have something without a partner and stand on both sides. */
static bool number_groups(struct joiner *j, uint32_t *region[], uint32_t *count)
{
    uint8_t *sides = mi_mem_zero(j->count, sizeof *sides);
    uint32_t *number = mi_mem_zero(j->count, sizeof *number);
    enum { BOTH = 3, OPEN = 4 };
    bool ok = sides && number;
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++)
        for (uint32_t n = 1; n < j->half[side].node_count; n++)
            if (is_in(j, side, n))
                sides[root_of(j, place_of(j, side, n))] |=
                    (uint8_t)(1u << side | (is_open(j, side, n) ? OPEN : 0));
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++)
        for (uint32_t n = 1; n < j->half[side].node_count; n++) {
            uint32_t root = is_in(j, side, n) ? root_of(j, place_of(j, side, n)) : 0;
            if (!root || sides[root] != (BOTH | OPEN))
                continue;
            if (!number[root])
                number[root] = ++*count;
            region[side][n] = number[root];
        }
    mi_mem_free(sides);
    mi_mem_free(number);
    return ok;
}

bool mi_cmp_find_regions(const struct mi_compare *compare, uint32_t *region[MI_CMP_SIDES],
                         uint32_t *count)
{
    struct joiner j = {.compare = compare};
    bool ok = true;
    *count = 0;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        region[side] =
            mi_mem_zero(mi_cmp_model(compare, side)->all.rows.nodes.count, sizeof **region);
        ok = ok && mi_match_half_init(&j.half[side], &compare->match, side) && region[side];
    }
    j.base_count = j.half[MI_CMP_BASE].node_count;
    j.count = j.base_count + j.half[MI_CMP_NEW].node_count;
    j.parent = ok ? mi_mem_new(j.count, sizeof *j.parent) : NULL;
    for (uint32_t i = 0; j.parent && i < j.count; i++)
        j.parent[i] = i;
    ok = ok && j.parent;
    for (uint32_t i = 0; ok && i < compare->match.pair_count; i++) {
        const uint32_t *node = compare->match.pairs[i].node;
        join(&j, node[MI_CMP_BASE], place_of(&j, MI_CMP_NEW, node[MI_CMP_NEW]));
    }
    if (ok && compare->side[MI_CMP_BASE].layer) {
        join_origins(&j);
        join_replaced(&j);
        ok = !j.failed && number_groups(&j, region, count);
    }
    mi_mem_free(j.parent);
    mi_match_half_fini(&j.half[MI_CMP_BASE]);
    mi_match_half_fini(&j.half[MI_CMP_NEW]);
    return ok;
}
