/* Pairs that spread from pairs: what stands at the same port of two partners is the same, if it has
 * the same type and nothing else of that type could be meant. Nodes with one input that are on one
 * side only - a Cast or a copy that was put in between - are looked through. */
#include "analyse/compare/match_parts.h"
#include "base/mem.h"

enum { MOST_NEAR = 48, MOST_HOPS = 3 };

/* An open node near a pair. */
struct near {
    uint32_t node, port;
    uint32_t hops; /* nodes looked through */
    uint64_t sign;
};

struct near_list {
    struct near at[MOST_NEAR];
    uint32_t count;
    bool is_cut; /* there are more: nothing is alone for sure */
};

static uint32_t data_inputs(const struct mi_match_half *half, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = half->in.first[node]; i < half->in.first[node + 1]; i++)
        count += half->links[half->in.list[i]].to_port != MI_MATCH_CONTROL;
    return count;
}

static void add_near(struct near_list *list, uint32_t node, uint32_t port, uint32_t hops,
                     uint64_t sign)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].node == node && list->at[i].port == port)
            return;
    if (list->count == MOST_NEAR)
        list->is_cut = true;
    else
        list->at[list->count++] = (struct near){node, port, hops, sign};
}

static void add_links(const struct mi_matcher *m, unsigned side, uint32_t node, bool backwards,
                      uint32_t hops, uint32_t port, struct near_list *list)
{
    const struct mi_match_half *half = &m->half[side];
    const struct mi_csr *csr = backwards ? &half->in : &half->out;
    for (uint32_t i = csr->first[node]; i < csr->first[node + 1] && !list->is_cut; i++) {
        const struct mi_match_link *link = &half->links[csr->list[i]];
        uint32_t end = backwards ? link->from : link->to;
        /* Backwards the port of the first step says which input it is; forwards the last one. */
        uint32_t own = backwards && hops ? port : link->to_port;
        if (!mi_matcher_other(m, side, end))
            add_near(list, end, own, hops, half->type[end]);
    }
}

/* Open nodes that the node reads, or that read it, also through nodes with one input. */
static void find_near(const struct mi_matcher *m, unsigned side, uint32_t node, bool backwards,
                      struct near_list *list)
{
    list->count = 0;
    list->is_cut = false;
    add_links(m, side, node, backwards, 0, 0, list);
    for (uint32_t i = 0; i < list->count && !list->is_cut; i++) {
        struct near near = list->at[i];
        if (near.hops < MOST_HOPS && data_inputs(&m->half[side], near.node) == 1 &&
            near.port != MI_MATCH_CONTROL)
            add_links(m, side, near.node, backwards, near.hops + 1, near.port, list);
    }
}

static const struct near *only_one(const struct near_list *list, const struct mi_match_half *half,
                                   const struct near *like, const struct mi_match_half *other)
{
    const struct near *found = NULL;
    bool is_exact = false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct near *near = &list->at[i];
        if (near->sign != like->sign || near->port != like->port)
            continue;
        bool exact = half->shape[near->node] == other->shape[like->node] &&
                     half->detail[near->node] == other->detail[like->node];
        if (found && exact == is_exact)
            return NULL;
        if (!found || exact) {
            found = near;
            is_exact = exact;
        }
    }
    return found;
}

static uint32_t pair_near(struct mi_matcher *m, const struct near_list near[])
{
    const struct mi_match_half *base = &m->half[MI_CMP_BASE], *new = &m->half[MI_CMP_NEW];
    uint32_t made = 0;
    if (near[MI_CMP_BASE].is_cut || near[MI_CMP_NEW].is_cut)
        return 0;
    for (uint32_t i = 0; i < near[MI_CMP_BASE].count; i++) {
        const struct near *mine = &near[MI_CMP_BASE].at[i];
        const struct near *its = only_one(&near[MI_CMP_NEW], new, mine, base);
        if (!its || only_one(&near[MI_CMP_BASE], base, its, new) != mine ||
            mi_matcher_other(m, MI_CMP_BASE, mine->node) ||
            mi_matcher_other(m, MI_CMP_NEW, its->node))
            continue;
        mi_matcher_pair(m, mine->node, its->node, MI_CMP_BY_NEIGHBOURS,
                        mine->hops || its->hops ? MI_GUESS : MI_LIKELY);
        made++;
    }
    return made;
}

/* One sweep in topological order, so that a pair helps those behind it at once. */
bool mi_match_by_neighbours(struct mi_matcher *m)
{
    struct near_list *near = mi_mem_new(MI_CMP_SIDES, sizeof *near);
    const struct mi_match_half *base = &m->half[MI_CMP_BASE];
    uint32_t made = 0;
    m->failed = m->failed || !near;
    for (int backwards = 0; !m->failed && backwards < 2; backwards++)
        for (uint32_t i = 0; i < base->order_count; i++) {
            uint32_t n = base->order[backwards ? base->order_count - 1 - i : i];
            uint32_t other = mi_matcher_other(m, MI_CMP_BASE, n);
            if (!other)
                continue;
            find_near(m, MI_CMP_BASE, n, backwards, &near[MI_CMP_BASE]);
            if (!near[MI_CMP_BASE].count)
                continue;
            find_near(m, MI_CMP_NEW, other, backwards, &near[MI_CMP_NEW]);
            made += pair_near(m, near);
        }
    mi_mem_free(near);
    return made != 0;
}
