/* Pairs by what files say: the recorded ops that went into a node, then its name. Names that a
 * compiler counts up (trans_TransData_12) move on when something is inserted before them: a name
 * counts only while the neighbours do not say otherwise. */
#include "analyse/compare/match_parts.h"
#include "base/mem.h"

enum { MOST_ROUNDS = 8 /* of taking back names: each may leave others without support */ };

/* --- recorded ops --- */

static uint64_t origin_sign(const struct mi_match_half *half, uint32_t node)
{
    uint64_t hash = half->type[node];
    for (uint32_t i = half->origins_of.first[node]; i < half->origins_of.first[node + 1]; i++)
        hash = mi_hash_mix(hash, half->origins[half->origins_of.list[i]]);
    return hash;
}

void mi_match_by_origins(struct mi_matcher *m)
{
    struct mi_map alone[MI_CMP_SIDES] = {{0}, {0}};
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t n = 1; n < m->half[side].node_count; n++)
            if (m->half[side].layer[n] && mi_csr_count(&m->half[side].origins_of, n))
                mi_matcher_note(m, &alone[side], origin_sign(&m->half[side], n), n);
    const struct mi_match_half *base = &m->half[MI_CMP_BASE];
    for (uint32_t n = 1; !m->failed && n < base->node_count; n++) {
        if (!base->layer[n] || !mi_csr_count(&base->origins_of, n))
            continue;
        uint64_t sign = origin_sign(base, n);
        uint32_t other = mi_matcher_alone(&alone[MI_CMP_NEW], sign);
        if (other && mi_matcher_alone(&alone[MI_CMP_BASE], sign) == n)
            mi_matcher_pair(m, n, other, MI_CMP_BY_ORIGINS, MI_CERTAIN);
    }
    mi_map_fini(&alone[MI_CMP_BASE]);
    mi_map_fini(&alone[MI_CMP_NEW]);
}

/* --- names --- */

static uint64_t name_sign(const struct mi_matcher *m, unsigned side, uint32_t node)
{
    const struct mi_match_half *half = &m->half[side];
    return mi_hash_mix(half->type[node],
                       mi_match_text(m->match, side, half->rows->nodes.name[node]));
}

/* Ops of both are recorded, and none of them is the same. */
static bool origins_contradict(const struct mi_matcher *m, uint32_t base, uint32_t new)
{
    const struct mi_match_half *a = &m->half[MI_CMP_BASE], *b = &m->half[MI_CMP_NEW];
    uint32_t i = a->origins_of.first[base], i_end = a->origins_of.first[base + 1];
    uint32_t k = b->origins_of.first[new], k_end = b->origins_of.first[new + 1];
    if (i == i_end || k == k_end)
        return false;
    while (i < i_end && k < k_end) {
        uint32_t left = a->origins[a->origins_of.list[i]];
        uint32_t right = b->origins[b->origins_of.list[k]];
        if (left == right)
            return false;
        i += left < right;
        k += left > right;
    }
    return true;
}

static bool has_name(const struct mi_matcher *m, unsigned side, uint32_t node)
{
    const struct mi_match_half *half = &m->half[side];
    return half->layer[node] && half->rows->nodes.name[node].v && !mi_matcher_other(m, side, node);
}

/* Nodes of one name and type in the order of rows: `last` of a sign is the newest, `before` leads
 * back. Counts must agree, else the order says nothing. */
struct same_name {
    struct mi_map last, count;
    uint32_t *before;
};

static void list_names(struct mi_matcher *m, unsigned side, struct same_name *names)
{
    names->before = mi_mem_zero(m->half[side].node_count, sizeof *names->before);
    m->failed = m->failed || !names->before;
    for (uint32_t n = 1; !m->failed && n < m->half[side].node_count; n++) {
        if (!has_name(m, side, n))
            continue;
        uint64_t sign = name_sign(m, side, n);
        uint32_t *last = mi_map_at(&names->last, sign);
        uint32_t *count = mi_map_at(&names->count, sign);
        m->failed = !last || !count;
        if (m->failed)
            return;
        names->before[n] = *last;
        *last = n;
        ++*count;
    }
}

static void pair_names(struct mi_matcher *m, struct same_name *names)
{
    for (uint32_t n = m->half[MI_CMP_BASE].node_count; !m->failed && n-- > 1;) {
        if (!has_name(m, MI_CMP_BASE, n))
            continue;
        uint64_t sign = name_sign(m, MI_CMP_BASE, n);
        uint32_t other = mi_map_get(&names[MI_CMP_NEW].last, sign);
        if (!other || mi_map_get(&names[MI_CMP_BASE].count, sign) !=
                          mi_map_get(&names[MI_CMP_NEW].count, sign))
            continue;
        uint32_t *last = mi_map_at(&names[MI_CMP_NEW].last, sign);
        uint32_t before = names[MI_CMP_NEW].before[other];
        *last = before ? before : other;
        if (!origins_contradict(m, n, other))
            mi_matcher_pair(m, n, other, MI_CMP_BY_NAME, MI_CERTAIN);
    }
}

/* --- do the neighbours agree? --- */

static uint32_t end_of(const struct mi_match_link *link, bool backwards)
{
    return backwards ? link->from : link->to;
}

struct verdict {
    uint32_t agree;  /* links of the base node that lead to partners of the new one's neighbours */
    uint32_t differ; /* those whose place on the new side is taken by another pair */
    uint32_t lost;   /* those to pairs that are not found on the new side */
};

static void judge_links(const struct mi_matcher *m, uint32_t base, uint32_t new, bool backwards,
                        struct verdict *verdict)
{
    const struct mi_match_half *a = &m->half[MI_CMP_BASE], *b = &m->half[MI_CMP_NEW];
    const struct mi_csr *left = backwards ? &a->in : &a->out;
    const struct mi_csr *right = backwards ? &b->in : &b->out;
    uint32_t most = 64; /* of a constant with a million readers a few are enough */
    for (uint32_t i = left->first[base]; i < left->first[base + 1] && most--; i++) {
        const struct mi_match_link *link = &a->links[left->list[i]];
        uint32_t partner = mi_matcher_other(m, MI_CMP_BASE, end_of(link, backwards));
        bool found = false, taken = false;
        for (uint32_t k = right->first[new]; partner && k < right->first[new + 1]; k++) {
            const struct mi_match_link *their = &b->links[right->list[k]];
            if (k - right->first[new] > 256)
                break;
            found = found || end_of(their, backwards) == partner;
            taken = taken || (their->to_port == link->to_port &&
                              mi_matcher_other(m, MI_CMP_NEW, end_of(their, backwards)));
        }
        verdict->agree += found;
        verdict->differ += partner && !found && taken;
        verdict->lost += partner && !found;
    }
}

/* A name that nothing speaks for is likely at best, unless a framework gave it. */
static bool neighbours_contradict(struct mi_matcher *m, uint32_t base, uint32_t new)
{
    const struct mi_match_half *a = &m->half[MI_CMP_BASE], *b = &m->half[MI_CMP_NEW];
    struct verdict verdict = {0};
    judge_links(m, base, new, true, &verdict);
    judge_links(m, base, new, false, &verdict);
    bool is_sure = verdict.agree || a->layer[base] == MI_LAYER_FRAMEWORK;
    bool is_alike = a->shape[base] == b->shape[new] && a->detail[base] == b->detail[new];
    m->confidence[base] = is_sure ? MI_CERTAIN : MI_LIKELY;
    return verdict.differ > verdict.agree || (!verdict.agree && verdict.lost && !is_alike);
}

/* Ends with a number, as names do that are counted up; the others are kept whatever stands around
 * them. */
static bool is_counted(const struct mi_matcher *m, uint32_t base)
{
    const struct mi_match_half *half = &m->half[MI_CMP_BASE];
    struct mi_bytes name = mi_model_text(half->model, half->rows->nodes.name[base]);
    return name.len && name.at[name.len - 1] >= '0' && name.at[name.len - 1] <= '9';
}

/* Doubts are gathered first, so that the order of nodes does not matter. */
static uint32_t drop_doubtful(struct mi_matcher *m, uint8_t *doubt)
{
    uint32_t dropped = 0, count = m->half[MI_CMP_BASE].node_count;
    for (uint32_t n = 1; n < count; n++)
        doubt[n] = m->evidence[n] == MI_CMP_BY_NAME &&
                   neighbours_contradict(m, n, mi_matcher_other(m, MI_CMP_BASE, n)) &&
                   is_counted(m, n);
    for (uint32_t n = 1; n < count; n++)
        if (doubt[n]) {
            mi_matcher_part(m, n);
            dropped++;
        }
    return dropped;
}

void mi_match_by_name(struct mi_matcher *m)
{
    struct same_name names[MI_CMP_SIDES] = {0};
    uint8_t *doubt = mi_mem_zero(m->half[MI_CMP_BASE].node_count, sizeof *doubt);
    m->failed = m->failed || !doubt;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        list_names(m, side, &names[side]);
    pair_names(m, names);
    for (int i = 0; !m->failed && i < MOST_ROUNDS; i++)
        if (!drop_doubtful(m, doubt))
            break;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        mi_map_fini(&names[side].last);
        mi_map_fini(&names[side].count);
        mi_mem_free(names[side].before);
    }
    mi_mem_free(doubt);
}
