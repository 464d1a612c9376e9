/* Which rank each box stands in. */
#include "base/mem.h"
#include "present/layout/lay.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

enum { TIGHTEN_PASSES = 3 };

static const double BLOCK_ASPECT = 1.4, LEAST_ROW = 720; /* width of half a dozen boxes */

bool mi_lay_lists(struct lay_lists *lists, uint32_t vertices, uint32_t count, const uint32_t *from,
                  const uint32_t *to)
{
    lists->first = mi_mem_zero((size_t)vertices + 2, sizeof *lists->first);
    lists->list = mi_mem_new((size_t)count + 1, sizeof *lists->list);
    if (!lists->first || !lists->list)
        return false;
    for (uint32_t i = 0; i < count; i++)
        lists->first[from[i] + 2]++;
    for (uint32_t v = 2; v < vertices + 2; v++)
        lists->first[v] += lists->first[v - 1];
    for (uint32_t i = 0; i < count; i++)
        lists->list[lists->first[from[i] + 1]++] = to[i];
    return true;
}

void mi_lay_lists_fini(struct lay_lists *lists)
{
    mi_mem_free(lists->first);
    mi_mem_free(lists->list);
    *lists = (struct lay_lists){0};
}

/* --- cycles --- */

struct search {
    uint32_t *stack, *next; /* boxes on the way; next neighbour of each box */
    uint8_t *state;         /* 0 new, 1 on the way, 2 done */
};

/* Marks the edges that lead back to a box on the way. `edge_of` gives the edge of each list place.
 */
static void walk(const struct lay *lay, const struct lay_lists *out, const uint32_t *edge_of,
                 struct search *s, uint32_t start)
{
    uint32_t depth = 0;
    s->stack[depth++] = start;
    s->state[start] = 1;
    s->next[start] = out->first[start];
    while (depth) {
        uint32_t v = s->stack[depth - 1];
        if (s->next[v] == out->first[v + 1]) {
            s->state[v] = 2;
            depth--;
            continue;
        }
        uint32_t at = s->next[v]++, to = out->list[at];
        if (s->state[to] == 1) {
            lay->edge_flags[edge_of[at]] |= MI_EDGE_BACK;
        } else if (s->state[to] == 0) {
            s->state[to] = 1;
            s->next[to] = out->first[to];
            s->stack[depth++] = to;
        }
    }
}

/* Boxes without inputs first, so that what closes a cycle is what a reader takes for it. */
static bool find_back_edges(struct lay *lay, const struct lay_lists *out, const uint32_t *edge_of,
                            const uint32_t *in_count)
{
    uint32_t n = lay->boxes;
    struct search s = {.stack = mi_mem_new((size_t)n + 1, sizeof *s.stack),
                       .next = mi_mem_new((size_t)n + 1, sizeof *s.next),
                       .state = mi_mem_zero((size_t)n + 1, sizeof *s.state)};
    bool ok = s.stack && s.next && s.state;
    for (uint32_t v = 0; ok && v < n; v++)
        if (!in_count[v] && !s.state[v])
            walk(lay, out, edge_of, &s, v);
    for (uint32_t v = 0; ok && v < n; v++)
        if (!s.state[v])
            walk(lay, out, edge_of, &s, v);
    mi_mem_free(s.stack);
    mi_mem_free(s.next);
    mi_mem_free(s.state);
    return ok;
}

/* --- edges as they are drawn --- */

/* Marks loops and repetitions. */
static bool mark_repetitions(struct lay *lay)
{
    const struct mi_layout_graph *g = lay->graph;
    uint32_t *list = mi_mem_new((size_t)g->edge_count + 1, sizeof *list);
    uint32_t *first = mi_mem_zero((size_t)lay->boxes + 2, sizeof *first);
    uint32_t *seen = mi_mem_zero((size_t)lay->boxes + 1, sizeof *seen);
    bool ok = list && first && seen;
    for (uint32_t e = 0; ok && e < g->edge_count; e++)
        first[g->from[e] + 2]++;
    for (uint32_t v = 2; ok && v < lay->boxes + 2; v++)
        first[v] += first[v - 1];
    for (uint32_t e = 0; ok && e < g->edge_count; e++)
        list[first[g->from[e] + 1]++] = e;
    for (uint32_t v = 0; ok && v < lay->boxes; v++)
        for (uint32_t i = first[v]; i < first[v + 1]; i++) {
            uint32_t e = list[i], to = g->to[e];
            if (to == v)
                lay->edge_flags[e] |= MI_EDGE_LOOP;
            else if (seen[to] == v + 1)
                lay->edge_flags[e] |= MI_EDGE_REPEATED;
            seen[to] = v + 1;
        }
    mi_mem_free(list);
    mi_mem_free(first);
    mi_mem_free(seen);
    return ok;
}

struct drawn { /* edges without loops and repetitions */
    uint32_t count;
    uint32_t *from, *to, *edge;
};

static bool list_drawn(const struct lay *lay, struct drawn *d)
{
    const struct mi_layout_graph *g = lay->graph;
    d->from = mi_mem_new((size_t)g->edge_count + 1, sizeof *d->from);
    d->to = mi_mem_new((size_t)g->edge_count + 1, sizeof *d->to);
    d->edge = mi_mem_new((size_t)g->edge_count + 1, sizeof *d->edge);
    if (!d->from || !d->to || !d->edge)
        return false;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (lay->edge_flags[e] & (MI_EDGE_LOOP | MI_EDGE_REPEATED))
            continue;
        bool is_back = lay->edge_flags[e] & MI_EDGE_BACK;
        d->from[d->count] = is_back ? g->to[e] : g->from[e];
        d->to[d->count] = is_back ? g->from[e] : g->to[e];
        d->edge[d->count++] = e;
    }
    return true;
}

static void drawn_fini(struct drawn *d)
{
    mi_mem_free(d->from);
    mi_mem_free(d->to);
    mi_mem_free(d->edge);
    *d = (struct drawn){0};
}

static bool break_cycles(struct lay *lay, struct drawn *d)
{
    uint32_t n = lay->boxes;
    struct lay_lists out = {0};
    uint32_t *index = mi_mem_new((size_t)d->count + 1, sizeof *index);
    uint32_t *edge_of = mi_mem_new((size_t)d->count + 1, sizeof *edge_of);
    uint32_t *in_count = mi_mem_zero((size_t)n + 1, sizeof *in_count);
    bool ok = index && edge_of && in_count;
    for (uint32_t i = 0; ok && i < d->count; i++) {
        index[i] = i;
        in_count[d->to[i]]++;
    }
    ok = ok && mi_lay_lists(&out, n, d->count, d->from, index);
    for (uint32_t at = 0; ok && at < d->count; at++) {
        edge_of[at] = d->edge[out.list[at]];
        out.list[at] = d->to[out.list[at]];
    }
    ok = ok && find_back_edges(lay, &out, edge_of, in_count);
    mi_lay_lists_fini(&out);
    mi_mem_free(index);
    mi_mem_free(edge_of);
    mi_mem_free(in_count);
    return ok;
}

/* --- ranks --- */

/* Boxes in topological order, and the longest way to each from above. */
static bool longest_ways(struct lay *lay, uint32_t *order)
{
    uint32_t n = lay->boxes, count = 0;
    uint32_t *left = mi_mem_new((size_t)n + 1, sizeof *left);
    if (!left)
        return false;
    for (uint32_t v = 0; v < n; v++) {
        left[v] = lay->in.first[v + 1] - lay->in.first[v];
        lay->rank[v] = lay->graph->pin && lay->graph->pin[v] != MI_PIN_TOP;
        if (!left[v])
            order[count++] = v;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = order[i];
        for (uint32_t k = lay->out.first[v]; k < lay->out.first[v + 1]; k++) {
            uint32_t to = lay->out.list[k];
            if (lay->rank[to] < lay->rank[v] + 1)
                lay->rank[to] = lay->rank[v] + 1;
            if (!--left[to])
                order[count++] = to;
        }
    }
    mi_mem_free(left);
    return true;
}

/* The nearest ranks above and below that hold a neighbour; NONE where there is none. */
static void room_of(const struct lay *lay, uint32_t v, uint32_t *above, uint32_t *below)
{
    *above = *below = NONE;
    for (uint32_t k = lay->in.first[v]; k < lay->in.first[v + 1]; k++) {
        uint32_t rank = lay->rank[lay->in.list[k]];
        if (*above == NONE || rank > *above)
            *above = rank;
    }
    for (uint32_t k = lay->out.first[v]; k < lay->out.first[v + 1]; k++) {
        uint32_t rank = lay->rank[lay->out.list[k]];
        if (rank < *below)
            *below = rank;
    }
}

static enum mi_layout_pin pin_of(const struct lay *lay, uint32_t v)
{
    return lay->graph->pin ? (enum mi_layout_pin)lay->graph->pin[v] : MI_PIN_NONE;
}

/* Moves a box to the side on which it has more edges, which makes these shorter. */
static void tighten(struct lay *lay, uint32_t v)
{
    uint32_t above, below;
    uint32_t ins = lay->in.first[v + 1] - lay->in.first[v];
    uint32_t outs = lay->out.first[v + 1] - lay->out.first[v];
    if (pin_of(lay, v) != MI_PIN_NONE)
        return;
    room_of(lay, v, &above, &below);
    if (outs > ins && below != NONE)
        lay->rank[v] = below - 1;
    else if (ins >= outs && above != NONE)
        lay->rank[v] = above + 1;
}

/* Pinned boxes go to the first or last rank, as far as their edges allow. */
static void pin_boxes(struct lay *lay)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < lay->boxes; v++)
        most = lay->rank[v] > most ? lay->rank[v] : most;
    for (uint32_t v = 0; v < lay->boxes; v++) {
        uint32_t above, below;
        if (pin_of(lay, v) == MI_PIN_NONE)
            continue;
        room_of(lay, v, &above, &below);
        if (pin_of(lay, v) == MI_PIN_TOP && above == NONE)
            lay->rank[v] = 0;
        else if (pin_of(lay, v) == MI_PIN_BOTTOM && below == NONE)
            lay->rank[v] = most + 1;
    }
}

static bool is_alone(const struct lay *lay, uint32_t v)
{
    return pin_of(lay, v) == MI_PIN_NONE && lay->in.first[v] == lay->in.first[v + 1] &&
           lay->out.first[v] == lay->out.first[v + 1];
}

/* Boxes without edges would stand in one endless row: they become rows of a block below the rest,
 * about as wide as a screen is beside its height. */
static void stack_lone_boxes(struct lay *lay)
{
    const struct mi_layout_graph *graph = lay->graph;
    double area = 0, sum = 0;
    uint32_t most = 0, row = 0;
    for (uint32_t v = 0; v < lay->boxes; v++) {
        double width = (double)graph->width[v] + lay->options.box_gap;
        if (is_alone(lay, v))
            area += width * ((double)graph->height[v] + lay->options.rank_gap);
        most = lay->rank[v] > most ? lay->rank[v] : most;
    }
    double limit = sqrt(area * BLOCK_ASPECT);
    limit = limit < LEAST_ROW ? LEAST_ROW : limit;
    for (uint32_t v = 0; v < lay->boxes; v++) {
        double width = (double)graph->width[v] + lay->options.box_gap;
        if (!is_alone(lay, v))
            continue;
        if (sum > 0 && sum + width > limit) {
            row++;
            sum = 0;
        }
        sum += width;
        lay->rank[v] = most + 1 + row;
    }
}

/* Ranks that have become empty are closed. */
static bool close_gaps(struct lay *lay)
{
    uint32_t most = 0, n = lay->boxes;
    for (uint32_t v = 0; v < n; v++)
        most = lay->rank[v] > most ? lay->rank[v] : most;
    uint32_t *to = mi_mem_zero((size_t)most + 1, sizeof *to);
    if (!to)
        return false;
    for (uint32_t v = 0; v < n; v++)
        to[lay->rank[v]] = 1;
    for (uint32_t r = 0; r <= most; r++) {
        uint32_t is_used = to[r];
        to[r] = lay->rank_count;
        lay->rank_count += is_used;
    }
    for (uint32_t v = 0; v < n; v++)
        lay->rank[v] = to[lay->rank[v]];
    mi_mem_free(to);
    return true;
}

bool mi_lay_rank(struct lay *lay)
{
    struct drawn d = {0};
    uint32_t *order = mi_mem_new((size_t)lay->boxes + 1, sizeof *order);
    bool ok = order && mark_repetitions(lay) && list_drawn(lay, &d) && break_cycles(lay, &d);
    drawn_fini(&d);
    ok = ok && list_drawn(lay, &d) && mi_lay_lists(&lay->out, lay->boxes, d.count, d.from, d.to) &&
         mi_lay_lists(&lay->in, lay->boxes, d.count, d.to, d.from) && longest_ways(lay, order);
    for (int pass = 0; ok && pass < TIGHTEN_PASSES; pass++)
        for (uint32_t i = 0; i < lay->boxes; i++)
            tighten(lay, order[pass & 1 ? i : lay->boxes - 1 - i]);
    if (ok && lay->graph->pin)
        pin_boxes(lay);
    if (ok)
        stack_lone_boxes(lay);
    ok = ok && close_gaps(lay);
    drawn_fini(&d);
    mi_mem_free(order);
    return ok;
}
