/* No pair may contradict the order of data. Both graphs are put on top of each other, partners
 * being one vertex; where that makes a cycle, the weakest pairs on it are taken back. Cycles are
 * the strongly connected parts with more than one vertex, found by Tarjan's method without
 * recursion. */
#include "analyse/compare/match_parts.h"
#include "base/mem.h"

enum { MOST_ROUNDS = 48 /* then all pairs that still lie on cycles go */ };

/* Vertices: nodes of the base under their rows, those of the new side without a partner behind. */
struct tangle {
    const struct mi_matcher *m;
    uint32_t base_count, count;
    uint32_t *index, *low; /* [count] of Tarjan; index 0 = not seen yet */
    uint32_t *part;        /* [count] strongly connected part, from 1; 0 = not known yet */
    uint32_t *part_size;   /* [count + 1] */
    uint32_t *stack, *path, *place;
    uint32_t part_count;
};

static uint32_t vertex_of(const struct tangle *t, uint32_t new)
{
    uint32_t base = mi_matcher_other(t->m, MI_CMP_NEW, new);
    return base ? base : t->base_count + new;
}

/* The k-th successor of a vertex, over the links of both sides; 0: no more. */
static uint32_t successor(const struct tangle *t, uint32_t v, uint32_t k)
{
    const struct mi_match_half *base = &t->m->half[MI_CMP_BASE], *new = &t->m->half[MI_CMP_NEW];
    uint32_t mine = v < t->base_count ? mi_csr_count(&base->out, v) : 0;
    if (k < mine)
        return base->links[base->out.list[base->out.first[v] + k]].to;
    uint32_t other = v < t->base_count ? mi_matcher_other(t->m, MI_CMP_BASE, v) : v - t->base_count;
    if (!other || k - mine >= mi_csr_count(&new->out, other))
        return 0;
    return vertex_of(t, new->links[new->out.list[new->out.first[other] + k - mine]].to);
}

/* All parts that can be reached from `root`. */
static void find_parts(struct tangle *t, uint32_t root, uint32_t *clock)
{
    uint32_t depth = 0, open = 0;
    t->path[depth] = root;
    t->place[root] = 0;
    t->index[root] = t->low[root] = ++*clock;
    t->stack[open++] = root;
    for (;;) {
        uint32_t v = t->path[depth], to = successor(t, v, t->place[v]);
        if (to) {
            t->place[v]++;
            if (!t->index[to]) {
                t->index[to] = t->low[to] = ++*clock;
                t->place[to] = 0;
                t->stack[open++] = to;
                t->path[++depth] = to;
            } else if (!t->part[to] && t->index[to] < t->low[v]) {
                t->low[v] = t->index[to];
            }
            continue;
        }
        if (t->low[v] == t->index[v]) {
            uint32_t size = 0, member;
            t->part_count++;
            do {
                member = t->stack[--open];
                t->part[member] = t->part_count;
                size++;
            } while (member != v);
            t->part_size[t->part_count] = size;
        }
        if (!depth)
            return;
        uint32_t above = t->path[--depth];
        if (t->low[v] < t->low[above])
            t->low[above] = t->low[v];
    }
}

static void find_all_parts(struct tangle *t)
{
    uint32_t clock = 0;
    memset(t->index, 0, (size_t)t->count * sizeof *t->index);
    memset(t->part, 0, (size_t)t->count * sizeof *t->part);
    t->part_count = 0;
    for (uint32_t v = 1; v < t->base_count; v++)
        if (t->m->half[MI_CMP_BASE].layer[v] && !t->index[v])
            find_parts(t, v, &clock);
}

/* How little speaks for a pair: what was tried last, and is least sure, is weakest. */
static uint32_t weakness(const struct mi_matcher *m, uint32_t base)
{
    return (uint32_t)(MI_CERTAIN - m->confidence[base]) * MI_CMP_EVIDENCES + m->evidence[base];
}

/* A pair on a cycle that only both graphs together have: a cycle of one graph alone is no pair's
 * fault. */
static bool is_tangled(const struct mi_matcher *m, const struct tangle *t, uint32_t base)
{
    uint32_t new = mi_matcher_other(m, MI_CMP_BASE, base);
    return new && t->part_size[t->part[base]] > 1 && !m->half[MI_CMP_BASE].is_cyclic[base] &&
           !m->half[MI_CMP_NEW].is_cyclic[new];
}

/* On each cycle the weakest pair goes; of inferred ones all that are equally weak. */
static uint32_t take_back(struct mi_matcher *m, struct tangle *t, bool all)
{
    uint32_t *worst = t->path; /* [part_count + 1] weakness + 1, no longer needed as a path */
    uint32_t taken = 0;
    memset(worst, 0, (size_t)t->count * sizeof *worst);
    for (uint32_t v = 1; v < t->base_count; v++)
        if (is_tangled(m, t, v) && weakness(m, v) + 1 > worst[t->part[v]])
            worst[t->part[v]] = weakness(m, v) + 1;
    for (uint32_t v = t->base_count; v-- > 1;) {
        uint32_t *limit = &worst[t->part[v]];
        if (!is_tangled(m, t, v) || (!all && weakness(m, v) + 1 != *limit))
            continue;
        if (!all && m->evidence[v] <= MI_CMP_BY_NAME)
            *limit = UINT32_MAX; /* one that a file states is enough for a start */
        mi_matcher_part(m, v);
        taken++;
    }
    return taken;
}

static bool tangle_init(struct tangle *t, const struct mi_matcher *m)
{
    *t = (struct tangle){.m = m, .base_count = m->half[MI_CMP_BASE].node_count};
    uint64_t count = (uint64_t)t->base_count + m->half[MI_CMP_NEW].node_count + 1;
    t->count = count < UINT32_MAX ? (uint32_t)count : 0;
    t->index = mi_mem_new(count, sizeof *t->index);
    t->low = mi_mem_new(count, sizeof *t->low);
    t->part = mi_mem_new(count, sizeof *t->part);
    t->part_size = mi_mem_zero(count, sizeof *t->part_size);
    t->stack = mi_mem_new(count, sizeof *t->stack);
    t->path = mi_mem_new(count, sizeof *t->path);
    t->place = mi_mem_new(count, sizeof *t->place);
    return t->count && t->index && t->low && t->part && t->part_size && t->stack && t->path &&
           t->place;
}

static void tangle_fini(struct tangle *t)
{
    mi_mem_free(t->index);
    mi_mem_free(t->low);
    mi_mem_free(t->part);
    mi_mem_free(t->part_size);
    mi_mem_free(t->stack);
    mi_mem_free(t->path);
    mi_mem_free(t->place);
}

void mi_match_untangle(struct mi_matcher *m)
{
    struct tangle t;
    bool ok = !m->failed && tangle_init(&t, m);
    if (m->failed)
        return;
    for (int i = 0; ok && i <= MOST_ROUNDS; i++) {
        find_all_parts(&t);
        uint32_t taken = take_back(m, &t, i == MOST_ROUNDS);
        m->match->refused += taken;
        if (!taken)
            break;
    }
    m->failed = !ok;
    tangle_fini(&t);
}
