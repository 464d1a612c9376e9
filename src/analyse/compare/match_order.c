/* What is left: nodes of one type and shape in the same stretch of the graph - behind the same
 * pair, or before the same one - become pairs in topological order if there are as many on both
 * sides. */
#include "analyse/compare/match_parts.h"
#include "base/mem.h"

enum stretch { BEHIND, BEFORE, ANYWHERE, STRETCHES };

/* [node_count] the nearest pair up (or down) the data, as a node of the base; 0 = none */
static void find_anchors(const struct mi_matcher *m, unsigned side, bool up, uint32_t *anchor)
{
    const struct mi_match_half *half = &m->half[side];
    const struct mi_csr *csr = up ? &half->in : &half->out;
    for (uint32_t i = 0; i < half->order_count; i++) {
        uint32_t n = half->order[up ? i : half->order_count - 1 - i];
        anchor[n] = 0;
        for (uint32_t k = csr->first[n]; !anchor[n] && k < csr->first[n + 1]; k++) {
            const struct mi_match_link *link = &half->links[csr->list[k]];
            uint32_t end = up ? link->from : link->to;
            uint32_t other = mi_matcher_other(m, side, end);
            anchor[n] = !other ? anchor[end] : side == MI_CMP_BASE ? end : other;
        }
    }
}

/* Nodes under each sign, in topological order: chains from the first to the last. */
struct buckets {
    struct mi_map first, last, count;
    uint32_t *next, *anchor;
};

static uint64_t sign_of(const struct mi_match_half *half, const struct buckets *b, uint32_t node,
                        enum stretch stretch)
{
    return mi_hash_mix(mi_hash_mix(half->type[node], half->shape[node]),
                       stretch == ANYWHERE ? 0 : b->anchor[node]);
}

static void add_node(struct mi_matcher *m, struct buckets *b, uint64_t sign, uint32_t node)
{
    uint32_t *first = mi_map_at(&b->first, sign), *last = mi_map_at(&b->last, sign);
    uint32_t *count = mi_map_at(&b->count, sign);
    m->failed = !first || !last || !count;
    if (m->failed)
        return;
    if (*last)
        b->next[*last] = node;
    else
        *first = node;
    *last = node;
    ++*count;
}

static void fill(struct mi_matcher *m, unsigned side, enum stretch stretch, struct buckets *b)
{
    const struct mi_match_half *half = &m->half[side];
    b->next = mi_mem_zero(half->node_count, sizeof *b->next);
    b->anchor = mi_mem_zero(half->node_count, sizeof *b->anchor);
    m->failed = m->failed || !b->next || !b->anchor;
    if (m->failed)
        return;
    if (stretch != ANYWHERE)
        find_anchors(m, side, stretch == BEHIND, b->anchor);
    for (uint32_t i = 0; !m->failed && i < half->order_count; i++) {
        uint32_t n = half->order[i];
        if (!mi_matcher_other(m, side, n) && (stretch == ANYWHERE || b->anchor[n]))
            add_node(m, b, sign_of(half, b, n, stretch), n);
    }
}

static void pair_bucket(struct mi_matcher *m, const struct buckets b[], uint64_t sign)
{
    uint32_t base = mi_map_get(&b[MI_CMP_BASE].first, sign);
    uint32_t new = mi_map_get(&b[MI_CMP_NEW].first, sign);
    if (mi_map_get(&b[MI_CMP_BASE].count, sign) != mi_map_get(&b[MI_CMP_NEW].count, sign))
        return;
    for (; base && new; base = b[MI_CMP_BASE].next[base], new = b[MI_CMP_NEW].next[new])
        mi_matcher_pair(m, base, new, MI_CMP_BY_ORDER, MI_GUESS);
}

void mi_match_by_order(struct mi_matcher *m)
{
    const struct mi_match_half *base = &m->half[MI_CMP_BASE];
    for (int stretch = 0; !m->failed && stretch < STRETCHES; stretch++) {
        struct buckets b[MI_CMP_SIDES] = {0};
        for (unsigned side = 0; side < MI_CMP_SIDES; side++)
            fill(m, side, (enum stretch)stretch, &b[side]);
        for (uint32_t i = 0; !m->failed && i < base->order_count; i++) {
            uint32_t n = base->order[i];
            if (mi_matcher_other(m, MI_CMP_BASE, n))
                continue;
            uint64_t sign = sign_of(base, &b[MI_CMP_BASE], n, (enum stretch)stretch);
            if (mi_map_get(&b[MI_CMP_BASE].first, sign) == n)
                pair_bucket(m, b, sign);
        }
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            mi_map_fini(&b[side].first);
            mi_map_fini(&b[side].last);
            mi_map_fini(&b[side].count);
            mi_mem_free(b[side].next);
            mi_mem_free(b[side].anchor);
        }
    }
}
