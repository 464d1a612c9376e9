/* From left to right: vertices of a rank are put where their neighbours are, up and down in turns,
 * neighbours in a rank are exchanged where that saves crossings, and the best order met is kept. */
#include "base/mem.h"
#include "present/layout/lay.h"

#include <string.h>

enum {
    PATIENCE = 4,         /* sweeps without gain */
    EXCHANGE_ROUNDS = 4,  /* over all ranks, after a sweep */
    WORK_LIMIT = 6000000, /* vertices and pieces looked at in all sweeps together */
    LEAST_SWEEPS = 4
};

struct ordering {
    struct lay *lay;
    uint32_t *best;                    /* [vertices] the best order so far */
    float *key;                        /* [vertices] where the neighbours are; negative = none */
    uint32_t *moved;                   /* [widest rank] work room of sorting */
    uint32_t *up_places, *down_places; /* places of neighbours, ascending, parallel to the lists */
    uint32_t *fill;                    /* [vertices] */
    uint32_t *counts;                  /* [widest rank + 2] Fenwick tree */
    uint32_t widest;
};

static void set_places(struct lay *lay, uint32_t rank)
{
    for (uint32_t i = lay->first[rank]; i < lay->first[rank + 1]; i++)
        lay->place[lay->order[i]] = i - lay->first[rank];
}

/* --- first orders --- */

static bool count_ranks(struct lay *lay)
{
    lay->first = mi_mem_zero((size_t)lay->rank_count + 2, sizeof *lay->first);
    lay->order = mi_mem_new((size_t)lay->vertices + 1, sizeof *lay->order);
    lay->place = mi_mem_new((size_t)lay->vertices + 1, sizeof *lay->place);
    if (!lay->first || !lay->order || !lay->place)
        return false;
    for (uint32_t v = 0; v < lay->vertices; v++)
        lay->first[lay->rank[v] + 1]++;
    for (uint32_t r = 0; r < lay->rank_count; r++)
        lay->first[r + 1] += lay->first[r];
    return true;
}

struct walk {
    uint32_t *stack, *next, *at; /* at: [rank_count] next free place of a rank */
    uint8_t *is_seen;
    uint32_t depth;
};

static void visit(struct lay *lay, struct walk *w, uint32_t v)
{
    w->is_seen[v] = 1;
    w->next[v] = 0;
    lay->order[w->at[lay->rank[v]]++] = v;
    w->stack[w->depth++] = v;
}

/* The next neighbour that was not met: below, and with `both` above too. */
static bool step(struct lay *lay, struct walk *w, uint32_t v, bool both)
{
    uint32_t downs = lay->down.first[v + 1] - lay->down.first[v];
    uint32_t ups = both ? lay->up.first[v + 1] - lay->up.first[v] : 0;
    while (w->next[v] < downs + ups) {
        uint32_t i = w->next[v]++;
        uint32_t to = i < downs ? lay->down.list[lay->down.first[v] + i]
                                : lay->up.list[lay->up.first[v] + i - downs];
        if (!w->is_seen[to]) {
            visit(lay, w, to);
            return true;
        }
    }
    return false;
}

static bool first_order(struct lay *lay, bool both)
{
    uint32_t n = lay->vertices;
    struct walk w = {.stack = mi_mem_new((size_t)n + 1, sizeof *w.stack),
                     .next = mi_mem_new((size_t)n + 1, sizeof *w.next),
                     .at = mi_mem_new((size_t)lay->rank_count + 1, sizeof *w.at),
                     .is_seen = mi_mem_zero((size_t)n + 1, sizeof *w.is_seen)};
    bool ok = w.stack && w.next && w.at && w.is_seen;
    if (ok)
        memcpy(w.at, lay->first, lay->rank_count * sizeof *w.at);
    for (int roots = 1; ok && roots >= 0; roots--)
        for (uint32_t v = 0; v < n; v++) {
            if (w.is_seen[v] || (roots && lay->up.first[v] != lay->up.first[v + 1]))
                continue;
            visit(lay, &w, v);
            while (w.depth)
                if (!step(lay, &w, w.stack[w.depth - 1], both))
                    w.depth--;
        }
    for (uint32_t r = 0; ok && r < lay->rank_count; r++)
        set_places(lay, r);
    mi_mem_free(w.stack);
    mi_mem_free(w.next);
    mi_mem_free(w.at);
    mi_mem_free(w.is_seen);
    return ok;
}

/* --- crossings --- */

/* Fills `places` with the places that the vertices of `rank` see in the list, ascending: goes
 * through the neighbouring rank from left to right and notes each vertex with its neighbours. */
static void see_places(struct ordering *o, uint32_t rank, uint32_t other,
                       const struct lay_lists *seen, const struct lay_lists *back, uint32_t *places)
{
    struct lay *lay = o->lay;
    for (uint32_t i = lay->first[rank]; i < lay->first[rank + 1]; i++)
        o->fill[lay->order[i]] = seen->first[lay->order[i]];
    for (uint32_t i = lay->first[other]; i < lay->first[other + 1]; i++) {
        uint32_t v = lay->order[i];
        for (uint32_t k = back->first[v]; k < back->first[v + 1]; k++)
            places[o->fill[back->list[k]]++] = i - lay->first[other];
    }
}

static uint64_t count_rank(struct ordering *o, uint32_t rank)
{
    struct lay *lay = o->lay;
    uint32_t width = lay->first[rank + 2] - lay->first[rank + 1], inserted = 0;
    uint64_t crossings = 0;
    if (lay->first[rank + 1] - lay->first[rank] < 2 || width < 2)
        return 0;
    see_places(o, rank, rank + 1, &lay->down, &lay->up, o->down_places);
    memset(o->counts, 0, ((size_t)width + 1) * sizeof *o->counts);
    for (uint32_t i = lay->first[rank]; i < lay->first[rank + 1]; i++) {
        uint32_t v = lay->order[i], begin = lay->down.first[v], end = lay->down.first[v + 1];
        for (uint32_t k = begin; k < end; k++) {
            uint32_t before = 0;
            for (uint32_t at = o->down_places[k] + 1; at; at &= at - 1)
                before += o->counts[at];
            crossings += inserted - before;
        }
        for (uint32_t k = begin; k < end; k++)
            for (uint32_t at = o->down_places[k] + 1; at <= width; at += at & (0 - at))
                o->counts[at]++;
        inserted += end - begin;
    }
    return crossings;
}

static uint64_t count_all(struct ordering *o)
{
    uint64_t crossings = 0;
    for (uint32_t r = 0; r + 1 < o->lay->rank_count; r++)
        crossings += count_rank(o, r);
    return crossings;
}

/* --- sweeps --- */

static void find_keys(struct ordering *o, uint32_t rank, const struct lay_lists *seen)
{
    struct lay *lay = o->lay;
    for (uint32_t i = lay->first[rank]; i < lay->first[rank + 1]; i++) {
        uint32_t v = lay->order[i], sum = 0;
        uint32_t count = seen->first[v + 1] - seen->first[v];
        for (uint32_t k = seen->first[v]; k < seen->first[v + 1]; k++)
            sum += lay->place[seen->list[k]];
        o->key[v] = count ? (float)sum / (float)count : -1;
    }
}

/* Sorts list[0 .. count - 1] by key, equal ones as they are, or turned round. */
static void sort_by_key(const struct ordering *o, uint32_t *list, uint32_t count, uint32_t *room,
                        bool turn)
{
    enum { RUN = 12 };
    for (uint32_t from = 0; from < count; from += RUN) {
        uint32_t end = from + RUN < count ? from + RUN : count;
        for (uint32_t i = from + 1; i < end; i++) {
            uint32_t v = list[i], at = i;
            for (; at > from && (o->key[list[at - 1]] > o->key[v] ||
                                 (turn && o->key[list[at - 1]] == o->key[v]));
                 at--)
                list[at] = list[at - 1];
            list[at] = v;
        }
    }
    for (uint32_t size = RUN; size < count; size *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * size) {
            uint32_t a = from, middle = from + size < count ? from + size : count;
            uint32_t b = middle, end = from + 2 * size < count ? from + 2 * size : count;
            for (uint32_t at = from; at < end; at++) {
                bool right =
                    a == middle || (b < end && (o->key[list[b]] < o->key[list[a]] ||
                                                (turn && o->key[list[b]] == o->key[list[a]])));
                room[at] = list[right ? b++ : a++];
            }
        }
        memcpy(list, room, count * sizeof *list);
    }
}

/* Vertices without neighbours on that side stay where they are; the others share what is left. */
static void sort_rank(struct ordering *o, uint32_t rank, bool turn)
{
    struct lay *lay = o->lay;
    uint32_t *order = &lay->order[lay->first[rank]],
             width = lay->first[rank + 1] - lay->first[rank];
    uint32_t count = 0, *sorted = o->moved, *room = o->moved + o->widest;
    for (uint32_t i = 0; i < width; i++)
        if (o->key[order[i]] >= 0)
            sorted[count++] = order[i];
    sort_by_key(o, sorted, count, room, turn);
    for (uint32_t i = 0, next = 0; i < width; i++)
        if (o->key[order[i]] >= 0)
            order[i] = sorted[next++];
    set_places(lay, rank);
}

static void sweep(struct ordering *o, bool down, bool turn)
{
    struct lay *lay = o->lay;
    for (uint32_t i = 1; i < lay->rank_count; i++) {
        uint32_t rank = down ? i : lay->rank_count - 1 - i;
        find_keys(o, rank, down ? &lay->up : &lay->down);
        sort_rank(o, rank, turn);
    }
}

/* --- exchanges --- */

/* Crossings between the edges of a vertex with places a and one to its right with places b, less
 * those if they changed sides. */
static int64_t gain_of(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    int64_t now = 0, then = 0;
    for (uint32_t i = 0, below = 0, up_to = 0; i < a_count; i++) {
        while (below < b_count && b[below] < a[i])
            below++;
        while (up_to < b_count && b[up_to] <= a[i])
            up_to++;
        now += below;
        then += b_count - up_to;
    }
    return now - then;
}

static int64_t gain_at(const struct ordering *o, uint32_t a, uint32_t b)
{
    const struct lay_lists *up = &o->lay->up, *down = &o->lay->down;
    return gain_of(&o->up_places[up->first[a]], up->first[a + 1] - up->first[a],
                   &o->up_places[up->first[b]], up->first[b + 1] - up->first[b]) +
           gain_of(&o->down_places[down->first[a]], down->first[a + 1] - down->first[a],
                   &o->down_places[down->first[b]], down->first[b + 1] - down->first[b]);
}

static int64_t exchange_rank(struct ordering *o, uint32_t rank)
{
    struct lay *lay = o->lay;
    uint32_t *order = &lay->order[lay->first[rank]],
             width = lay->first[rank + 1] - lay->first[rank];
    int64_t total = 0;
    if (width < 2)
        return 0;
    if (rank)
        see_places(o, rank, rank - 1, &lay->up, &lay->down, o->up_places);
    if (rank + 1 < lay->rank_count)
        see_places(o, rank, rank + 1, &lay->down, &lay->up, o->down_places);
    for (uint32_t i = 0; i + 1 < width; i++) {
        int64_t gain = gain_at(o, order[i], order[i + 1]);
        if (gain <= 0)
            continue;
        uint32_t left = order[i];
        order[i] = order[i + 1];
        order[i + 1] = left;
        total += gain;
    }
    set_places(lay, rank);
    return total;
}

static void exchange(struct ordering *o)
{
    for (int round = 0; round < EXCHANGE_ROUNDS; round++) {
        int64_t gain = 0;
        for (uint32_t r = 0; r < o->lay->rank_count; r++)
            gain += exchange_rank(o, r);
        if (!gain)
            break;
    }
}

/* --- the step --- */

static void keep_if_better(struct ordering *o, uint64_t crossings, uint64_t *best)
{
    if (crossings >= *best)
        return;
    *best = crossings;
    memcpy(o->best, o->lay->order, o->lay->vertices * sizeof *o->best);
}

static uint32_t allowed_sweeps(const struct lay *lay)
{
    uint64_t size = (uint64_t)lay->vertices + lay->down.first[lay->vertices] + 1;
    uint64_t fit = WORK_LIMIT / size;
    fit = fit < LEAST_SWEEPS ? LEAST_SWEEPS : fit;
    return fit < lay->options.sweeps ? (uint32_t)fit : lay->options.sweeps;
}

static bool improve(struct ordering *o)
{
    struct lay *lay = o->lay;
    uint32_t sweeps = allowed_sweeps(lay);
    uint64_t best = UINT64_MAX;
    for (int both = 0; both < 2 && best; both++) {
        uint64_t own_best = UINT64_MAX;
        if (!first_order(lay, both))
            return false;
        keep_if_better(o, count_all(o), &best);
        for (uint32_t i = 0, idle = 0; i < sweeps && idle < PATIENCE && best; i++) {
            sweep(o, !(i & 1), i & 2);
            exchange(o);
            uint64_t crossings = count_all(o);
            keep_if_better(o, crossings, &best);
            idle = crossings < own_best ? 0 : idle + 1;
            own_best = crossings < own_best ? crossings : own_best;
        }
    }
    lay->crossings = best;
    memcpy(lay->order, o->best, lay->vertices * sizeof *lay->order);
    for (uint32_t r = 0; r < lay->rank_count; r++)
        set_places(lay, r);
    return true;
}

bool mi_lay_order(struct lay *lay)
{
    struct ordering o = {.lay = lay};
    if (!count_ranks(lay))
        return false;
    for (uint32_t r = 0; r < lay->rank_count; r++)
        if (lay->first[r + 1] - lay->first[r] > o.widest)
            o.widest = lay->first[r + 1] - lay->first[r];
    size_t pieces = (size_t)lay->down.first[lay->vertices] + 1;
    o.best = mi_mem_new((size_t)lay->vertices + 1, sizeof *o.best);
    o.key = mi_mem_new((size_t)lay->vertices + 1, sizeof *o.key);
    o.fill = mi_mem_new((size_t)lay->vertices + 1, sizeof *o.fill);
    o.moved = mi_mem_new(2 * ((size_t)o.widest + 1), sizeof *o.moved);
    o.counts = mi_mem_new((size_t)o.widest + 2, sizeof *o.counts);
    o.up_places = mi_mem_new(pieces, sizeof *o.up_places);
    o.down_places = mi_mem_new(pieces, sizeof *o.down_places);
    bool ok = o.best && o.key && o.fill && o.moved && o.counts && o.up_places && o.down_places &&
              improve(&o);
    mi_mem_free(o.best);
    mi_mem_free(o.key);
    mi_mem_free(o.fill);
    mi_mem_free(o.moved);
    mi_mem_free(o.counts);
    mi_mem_free(o.up_places);
    mi_mem_free(o.down_places);
    return ok;
}
