/* Groups, clocks of their own and the host as rigid bodies.
 *
 * What binds two of them on one side only cannot be fitted, but it can be broken: then the effect
 * is moved behind its cause, and no further. All bounds are differences s[b] - s[a] <= w, where
 * s is how much later than now a body is taken to show its times. The solutions of such a system
 * are closed under minimum and maximum of their members, which gives one that keeps to all bounds,
 * leaves the host where it is, and moves nothing that need not move: max(least, min(greatest, s))
 * of the least and greatest solution with the host at 0 and of one found without the host. */
#include "base/mem.h"
#include "correlate/clocks/parts.h"

#include <math.h>

#define MARGIN_NS        2.0 /* beyond rounding */
#define CONTRADICTION_NS 20000.0
#define MISFIT_NS        100000.0

struct bound { /* s[to] - s[from] <= most */
    uint32_t from, to;
    double most;
};

struct bodies {
    struct mi_calibration *c;
    uint32_t *body_of; /* [unit_count] */
    uint8_t *is_host;  /* [count] */
    uint32_t count;
    struct bound *bounds;
    uint32_t bound_count;
    double *least, *greatest, *shift; /* [count] */
};

/* Streams that nothing but their launches ties are moved as one: what else they may share is not
 * known, but launches bound all of them on the same side. */
static bool is_only_launched(const struct mi_calibration *c, uint32_t unit)
{
    for (uint32_t e = c->unit_ties.first[unit]; e < c->unit_ties.first[unit + 1]; e++) {
        const struct mi_tie *tie = &c->ties[(c->unit_ties.list[e] - 1) / 2];
        if (!tie->with_host || (tie->forward && tie->forward < tie->count))
            return false;
    }
    return !c->units[unit].is_host && !c->units[unit].group && mi_csr_count(&c->unit_ties, unit);
}

static bool join_launched(struct bodies *b)
{
    struct mi_calibration *c = b->c;
    struct mi_map devices = {0};
    bool ok = true;
    for (uint32_t u = 1; ok && u < c->unit_count; u++) {
        uint32_t track = c->units[u].track;
        if (!is_only_launched(c, u))
            continue;
        uint32_t *at = mi_map_at(
            &devices, mi_pair(c->rows->sources.collection[c->rows->tracks.source[track].v],
                              (uint32_t)c->rows->tracks.device[track]));
        ok = at != NULL;
        if (ok && !*at)
            *at = b->body_of[u];
        if (ok)
            b->body_of[u] = *at;
    }
    mi_map_fini(&devices);
    return ok;
}

static bool number_bodies(struct bodies *b)
{
    struct mi_calibration *c = b->c;
    b->body_of = mi_mem_zero(c->unit_count, sizeof *b->body_of);
    b->is_host = mi_mem_zero((size_t)c->unit_count + c->group_count, 1);
    if (!b->body_of || !b->is_host)
        return false;
    b->count = c->group_count;
    for (uint32_t u = 1; u < c->unit_count; u++) {
        b->body_of[u] = c->units[u].group ? c->units[u].group : b->count++;
        b->is_host[b->body_of[u]] |= c->units[u].is_host;
    }
    return join_launched(b);
}

/* One tie says how far apart two bodies are at most, on one side or both. Where clocks run at
 * different speeds both may contradict: then the middle is right. */
static void bound_tie(struct bodies *b, struct mi_tie *tie)
{
    double high = INFINITY, low = -INFINITY;
    for (uint32_t k = 0; k < tie->count; k++) {
        const struct mi_point *point = &b->c->points[tie->first + k];
        double t, gap = mi_point_shown_gap(b->c, tie, point, &t);
        if (point->flags & MI_POINT_FORWARD)
            high = fmin(high, gap - MARGIN_NS);
        else
            low = fmax(low, gap + MARGIN_NS);
    }
    if (low - high > CONTRADICTION_NS)
        return; /* not the causes they were taken for */
    if (tie->with_host && high > -MISFIT_NS && low < MISFIT_NS)
        return; /* exporters align host and device no better than this */
    if (low > high)
        low = high = low + (high - low) / 2;
    uint32_t from = b->body_of[tie->low], to = b->body_of[tie->high];
    if (high < INFINITY)
        b->bounds[b->bound_count++] = (struct bound){from, to, high};
    if (low > -INFINITY)
        b->bounds[b->bound_count++] = (struct bound){to, from, -low};
}

/* Lowers s until all bounds hold; with `is_pinned` the host stays where it is. A bound that still
 * does not hold after as many rounds as there are bodies contradicts others: it is given up. */
static void relax(struct bodies *b, double *s, bool is_backward, bool is_pinned)
{
    for (uint32_t round = 0; round <= b->count + 1; round++) {
        bool is_changed = false;
        for (uint32_t i = 0; i < b->bound_count; i++) {
            struct bound *bound = &b->bounds[i];
            uint32_t from = is_backward ? bound->to : bound->from;
            uint32_t to = is_backward ? bound->from : bound->to;
            if (!(s[from] + bound->most < s[to] - 1e-3) || (is_pinned && b->is_host[to]))
                continue;
            s[to] = s[from] + bound->most;
            is_changed = true;
            if (round > b->count)
                bound->most = INFINITY;
        }
        if (!is_changed)
            return;
    }
}

static void solve(struct bodies *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        b->shift[i] = 0;
        b->greatest[i] = b->least[i] = b->is_host[i] ? 0 : INFINITY;
    }
    relax(b, b->shift, false, false); /* the only one that may give up bounds comes first */
    relax(b, b->greatest, false, true);
    relax(b, b->least, true, true);
    for (uint32_t i = 0; i < b->count; i++) {
        double at = fmin(b->greatest[i], b->shift[i]);
        b->shift[i] = b->is_host[i] ? 0 : fmax(-b->least[i], at);
    }
}

/* What its ties to the others, as they are now, leave to a unit without a group. */
static void bound_unit(struct bodies *b, uint32_t u)
{
    struct mi_calibration *c = b->c;
    struct mi_unit *unit = &c->units[u];
    unit->low = -INFINITY;
    unit->high = INFINITY;
    for (uint32_t e = c->unit_ties.first[u]; e < c->unit_ties.first[u + 1]; e++) {
        const struct mi_tie *tie = &c->ties[(c->unit_ties.list[e] - 1) / 2];
        bool is_low = tie->low == u;
        for (uint32_t k = 0; k < tie->count; k++) {
            const struct mi_point *point = &c->points[tie->first + k];
            double t, gap = mi_point_shown_gap(c, tie, point, &t);
            if (((point->flags & MI_POINT_FORWARD) != 0) != is_low) /* it is the effect */
                unit->high = fmin(unit->high, is_low ? -gap : gap);
            else
                unit->low = fmax(unit->low, is_low ? -gap : gap);
        }
    }
}

static bool place(struct bodies *b)
{
    struct mi_calibration *c = b->c;
    if (!number_bodies(b))
        return false;
    double *room = mi_mem_new((size_t)b->count * 3, sizeof *room);
    b->bounds = mi_mem_new((size_t)c->tie_count * 2 + 1, sizeof *b->bounds);
    bool ok = room && b->bounds;
    if (ok) {
        b->shift = room;
        b->least = room + b->count;
        b->greatest = b->least + b->count;
        for (uint32_t t = 0; t < c->tie_count; t++)
            if (b->body_of[c->ties[t].low] != b->body_of[c->ties[t].high])
                bound_tie(b, &c->ties[t]);
        solve(b);
        for (uint32_t u = 1; u < c->unit_count; u++)
            c->units[u].line.offset += b->shift[b->body_of[u]];
        for (uint32_t u = 1; u < c->unit_count; u++)
            if (!c->units[u].group)
                bound_unit(b, u);
    }
    mi_mem_free(room);
    return ok;
}

bool mi_bodies_place(struct mi_calibration *c)
{
    struct bodies b = {.c = c};
    bool ok = place(&b);
    mi_mem_free(b.body_of);
    mi_mem_free(b.is_host);
    mi_mem_free(b.bounds);
    return ok;
}
