/* Pairs of nodes that were fused otherwise: most of the ops recorded on one are recorded on the
 * other (Jaccard: common ops / all ops of both >= 1/2), each is the best partner of the other, and
 * their types agree - or all ops do, and the compiler chose another operator for them. */
#include "analyse/compare/match_parts.h"
#include "base/mem.h"

enum { MOST_HOLDERS = 8 /* nodes that hold one op: further ones are not looked at */ };

struct best {
    uint32_t node;
    uint32_t common, all; /* of the best partner; two equally good ones are none */
    bool is_tied;
};

static bool is_open(const struct mi_matcher *m, unsigned side, uint32_t node)
{
    return m->half[side].layer[node] && !mi_matcher_other(m, side, node);
}

static uint32_t count_common(const struct mi_matcher *m, uint32_t base, uint32_t new)
{
    const struct mi_match_half *a = &m->half[MI_CMP_BASE], *b = &m->half[MI_CMP_NEW];
    uint32_t i = a->origins_of.first[base], k = b->origins_of.first[new], common = 0;
    while (i < a->origins_of.first[base + 1] && k < b->origins_of.first[new + 1]) {
        uint32_t left = a->origins[a->origins_of.list[i]];
        uint32_t right = b->origins[b->origins_of.list[k]];
        common += left == right;
        i += left <= right;
        k += left >= right;
    }
    return common;
}

static void consider(struct best *best, uint32_t node, uint32_t common, uint32_t all)
{
    uint64_t mine = (uint64_t)common * best->all, its = (uint64_t)best->common * all;
    if (best->node == node)
        return;
    if (!best->node || mine > its)
        *best = (struct best){node, common, all, false};
    else if (mine == its)
        best->is_tied = true;
}

/* Holders of each op on the new side: op -> entry, entries chained. */
struct holders {
    struct mi_map first;
    struct entry {
        uint32_t node, next;
    } * entries;
    uint32_t count;
};

static void list_holders(struct mi_matcher *m, struct holders *holders)
{
    const struct mi_match_half *half = &m->half[MI_CMP_NEW];
    holders->entries =
        mi_mem_new((size_t)half->origins_of.first[half->node_count] + 1, sizeof *holders->entries);
    holders->count = 1;
    m->failed = m->failed || !holders->entries;
    for (uint32_t n = half->node_count; n-- > 1;) {
        if (!is_open(m, MI_CMP_NEW, n))
            continue;
        for (uint32_t i = half->origins_of.first[n];
             !m->failed && i < half->origins_of.first[n + 1]; i++) {
            uint32_t *at = mi_map_at(&holders->first, half->origins[half->origins_of.list[i]]);
            m->failed = !at;
            if (!at)
                return;
            holders->entries[holders->count] = (struct entry){n, *at};
            *at = holders->count++;
        }
    }
}

static void try_pair(const struct mi_matcher *m, struct best *best[], uint32_t base, uint32_t new)
{
    const struct mi_match_half *a = &m->half[MI_CMP_BASE], *b = &m->half[MI_CMP_NEW];
    uint32_t common = count_common(m, base, new);
    uint32_t all = mi_csr_count(&a->origins_of, base) + mi_csr_count(&b->origins_of, new) - common;
    bool is_same_type = a->type[base] == b->type[new];
    if (a->layer[base] != b->layer[new] || (is_same_type ? 2 * common < all : common < all))
        return;
    consider(&best[MI_CMP_BASE][base], new, common, all);
    consider(&best[MI_CMP_NEW][new], base, common, all);
}

static void find_best(const struct mi_matcher *m, const struct holders *holders,
                      struct best *best[])
{
    const struct mi_match_half *half = &m->half[MI_CMP_BASE];
    for (uint32_t n = 1; n < half->node_count; n++) {
        if (!is_open(m, MI_CMP_BASE, n))
            continue;
        for (uint32_t i = half->origins_of.first[n]; i < half->origins_of.first[n + 1]; i++) {
            uint32_t at = mi_map_get(&holders->first, half->origins[half->origins_of.list[i]]);
            for (int k = 0; at && k < MOST_HOLDERS; k++, at = holders->entries[at].next)
                try_pair(m, best, n, holders->entries[at].node);
        }
    }
}

void mi_match_by_jaccard(struct mi_matcher *m)
{
    struct holders holders = {0};
    struct best *best[MI_CMP_SIDES] = {NULL, NULL};
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        best[side] = mi_mem_zero(m->half[side].node_count, sizeof *best[side]);
        m->failed = m->failed || !best[side];
    }
    if (!m->failed)
        list_holders(m, &holders);
    if (!m->failed) {
        find_best(m, &holders, best);
        for (uint32_t n = 1; n < m->half[MI_CMP_BASE].node_count; n++) {
            const struct best *mine = &best[MI_CMP_BASE][n];
            const struct best *its = &best[MI_CMP_NEW][mine->node];
            if (mine->node && its->node == n && !mine->is_tied && !its->is_tied)
                mi_matcher_pair(m, n, mine->node, MI_CMP_BY_JACCARD, MI_LIKELY);
        }
    }
    mi_map_fini(&holders.first);
    mi_mem_free(holders.entries);
    mi_mem_free(best[MI_CMP_BASE]);
    mi_mem_free(best[MI_CMP_NEW]);
}
