/* Pairs by what surrounds a node: its type, shape and attributes, hashed with those of its
 * neighbours up to DEPTH steps away. A node that has a partner looks on both sides like that
 * partner, so what was matched before anchors what lies near it. Two nodes that are alone with
 * their hash become a pair. */
#include "analyse/compare/match_parts.h"
#include "base/mem.h"

enum { DEPTH = 4, KINDS = 3 };

/* What counts besides the type, the most exact first. */
enum kind { WITH_DETAIL, WITH_SHAPE, TYPE_ALONE };

/* hash[d][n]: the node with its surroundings up to d steps. */
struct signs {
    uint64_t *hash[DEPTH + 1];
    uint32_t *open; /* nodes without a partner, in the order of rows */
    uint32_t open_count;
};

static uint64_t own_sign(const struct mi_match_half *half, uint32_t node, enum kind kind)
{
    uint64_t hash = half->type[node];
    if (kind != TYPE_ALONE)
        hash = mi_hash_mix(hash, half->shape[node]);
    return kind == WITH_DETAIL ? mi_hash_mix(hash, half->detail[node]) : hash;
}

static uint64_t pair_sign(const struct mi_matcher *m, unsigned side, uint32_t node)
{
    uint32_t base = side == MI_CMP_BASE ? node : mi_matcher_other(m, side, node);
    return mi_hash_mix(UINT64_C(0x5851f42d4c957f2d), base);
}

static uint64_t around(const struct mi_match_half *half, const uint64_t *hash, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t i = half->in.first[node]; i < half->in.first[node + 1]; i++) {
        const struct mi_match_link *link = &half->links[half->in.list[i]];
        uint64_t port = mi_pair(link->from_port, link->to_port);
        sum += mi_hash_mix(mi_hash_mix(2, port), hash[link->from]);
    }
    for (uint32_t i = half->out.first[node]; i < half->out.first[node + 1]; i++) {
        const struct mi_match_link *link = &half->links[half->out.list[i]];
        uint64_t port = mi_pair(link->from_port, link->to_port);
        sum += mi_hash_mix(mi_hash_mix(3, port), hash[link->to]); /* readers have no order */
    }
    return sum;
}

static void hash_nodes(const struct mi_matcher *m, unsigned side, enum kind kind,
                       struct signs *signs)
{
    const struct mi_match_half *half = &m->half[side];
    for (uint32_t n = 1; n < half->node_count; n++)
        if (half->layer[n] && mi_matcher_other(m, side, n))
            for (int d = 0; d <= DEPTH; d++)
                signs->hash[d][n] = pair_sign(m, side, n);
    for (uint32_t i = 0; i < signs->open_count; i++)
        signs->hash[0][signs->open[i]] = own_sign(half, signs->open[i], kind);
    for (int d = 1; d <= DEPTH; d++)
        for (uint32_t i = 0; i < signs->open_count; i++) {
            uint32_t n = signs->open[i];
            signs->hash[d][n] = mi_hash_mix(signs->hash[0][n], around(half, signs->hash[d - 1], n));
        }
}

static void list_open(const struct mi_matcher *m, unsigned side, struct signs *signs)
{
    signs->open_count = 0;
    for (uint32_t n = 1; n < m->half[side].node_count; n++)
        if (m->half[side].layer[n] && !mi_matcher_other(m, side, n))
            signs->open[signs->open_count++] = n;
}

/* A node beside a pair, or one that is not alone with its type only by what lies far away. */
static bool is_anchored(const struct mi_matcher *m, unsigned side, uint32_t node)
{
    const struct mi_match_half *half = &m->half[side];
    for (uint32_t i = half->in.first[node]; i < half->in.first[node + 1]; i++)
        if (mi_matcher_other(m, side, half->links[half->in.list[i]].from))
            return true;
    for (uint32_t i = half->out.first[node]; i < half->out.first[node + 1]; i++)
        if (mi_matcher_other(m, side, half->links[half->out.list[i]].to))
            return true;
    return false;
}

/* Pairs of one kind and depth. Type alone, or one step alone, needs a pair next to it. */
static uint32_t pair_alone(struct mi_matcher *m, struct signs signs[], enum kind kind, int depth)
{
    struct mi_map alone[MI_CMP_SIDES] = {{0}, {0}};
    uint32_t made = 0;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t i = 0; i < signs[side].open_count; i++) {
            uint32_t n = signs[side].open[i];
            if (!mi_matcher_other(m, side, n))
                mi_matcher_note(m, &alone[side], signs[side].hash[depth][n], n);
        }
    for (uint32_t i = 0; !m->failed && i < signs[MI_CMP_BASE].open_count; i++) {
        uint32_t n = signs[MI_CMP_BASE].open[i];
        uint64_t sign = signs[MI_CMP_BASE].hash[depth][n];
        uint32_t other = mi_matcher_alone(&alone[MI_CMP_NEW], sign);
        if (!other || mi_matcher_alone(&alone[MI_CMP_BASE], sign) != n)
            continue;
        bool anchored = is_anchored(m, MI_CMP_BASE, n);
        if (!anchored && (kind == TYPE_ALONE || depth < 2))
            continue;
        mi_matcher_pair(m, n, other, MI_CMP_BY_STRUCTURE,
                        anchored && kind != TYPE_ALONE ? MI_LIKELY : MI_GUESS);
        made++;
    }
    mi_map_fini(&alone[MI_CMP_BASE]);
    mi_map_fini(&alone[MI_CMP_NEW]);
    return made;
}

static bool signs_init(struct mi_matcher *m, unsigned side, struct signs *signs)
{
    size_t count = m->half[side].node_count;
    bool ok = (signs->open = mi_mem_new(count, sizeof *signs->open)) != NULL;
    for (int d = 0; d <= DEPTH; d++) {
        signs->hash[d] = mi_mem_zero(count, sizeof *signs->hash[d]);
        ok = ok && signs->hash[d];
    }
    return ok;
}

static void signs_fini(struct signs *signs)
{
    mi_mem_free(signs->open);
    for (int d = 0; d <= DEPTH; d++)
        mi_mem_free(signs->hash[d]);
}

bool mi_match_by_structure(struct mi_matcher *m)
{
    struct signs signs[MI_CMP_SIDES] = {0};
    uint32_t made = 0;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        m->failed = !signs_init(m, side, &signs[side]) || m->failed;
    for (int kind = 0; !m->failed && kind < KINDS; kind++) {
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            list_open(m, side, &signs[side]);
            hash_nodes(m, side, (enum kind)kind, &signs[side]);
        }
        for (int depth = DEPTH;
             depth >= 1 && signs[MI_CMP_BASE].open_count && signs[MI_CMP_NEW].open_count; depth--)
            made += pair_alone(m, signs, (enum kind)kind, depth);
    }
    signs_fini(&signs[MI_CMP_BASE]);
    signs_fini(&signs[MI_CMP_NEW]);
    return made != 0;
}
