/* Which clocks are tied to each other, and a first estimate of every line: along a spanning tree of
 * the strongest ties. */
#include "base/mem.h"
#include "correlate/clocks/parts.h"

#include <math.h>
#include <stdlib.h>

/* Bounds on both sides tie two clocks if they are no further apart. */
#define BAND_NS 20000.0

/* A single wait that blocked has lasted this many times longer than those that did not, and other
 * pairs contradict it by no more than this. */
#define LONG_WAIT 4.0
#define ONE_NS    2000.0

/* Clocks of one machine differ in speed by no more than this. */
#define MAX_SLOPE 5e-4

/* --- one tie --- */

static int compare_values(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The median of y of some places; and of their t. */
static double median_of(struct mi_calibration *c, const struct mi_place *places, uint32_t count,
                        bool of_t)
{
    uint32_t step = count / MI_SAMPLE_MAX + 1, taken = 0;
    for (uint32_t i = 0; i < count; i += step)
        c->sample[taken++] = of_t ? places[i].t : places[i].y;
    qsort(c->sample, taken, sizeof *c->sample, compare_values);
    return c->sample[taken / 2];
}

static int compare_moments(const void *left, const void *right)
{
    const struct mi_place *a = left, *b = right;
    return (a->t > b->t) - (a->t < b->t);
}

/* A line through waits that blocked: medians, so that single wrong pairs do not matter. */
static void estimate_blocked(struct mi_calibration *c, struct mi_tie *tie)
{
    uint32_t count = 0, third;
    for (uint32_t i = 0; i < tie->count; i++) {
        const struct mi_point *point = &c->points[tie->first + i];
        struct mi_place *place = &c->places[count];
        if (!(point->flags & MI_POINT_BLOCKED))
            continue;
        double gap = mi_point_gap(c, tie, point, &place->t);
        place->y = point->flags & MI_POINT_FORWARD ? gap - c->delay_ns : gap + c->delay_ns;
        count++;
    }
    qsort(c->places, count, sizeof *c->places, compare_moments);
    third = count / 3;
    tie->slope = 0;
    tie->diff = median_of(c, c->places, count, false);
    double at = median_of(c, c->places, count, true);
    if (third >= 2) {
        double y = median_of(c, c->places, third, false), t = median_of(c, c->places, third, true);
        const struct mi_place *last = &c->places[count - third];
        double rise = median_of(c, last, third, false) - y,
               run = median_of(c, last, third, true) - t;
        tie->slope = run > 0 ? fmin(fmax(rise / run, -MAX_SLOPE), MAX_SLOPE) : 0;
    }
    tie->diff += tie->slope * (mi_since_base(c, c->units[tie->low].first_start) - at);
}

void mi_tie_band(struct mi_calibration *c, const struct mi_tie *tie, struct mi_band *band,
                 const struct mi_slack *slack)
{
    struct mi_place *above = c->places, *below = c->places + tie->count;
    *band = (struct mi_band){.above = above, .below = below, .max_slope = slack->max_slope};
    for (uint32_t i = 0; i < tie->count; i++) {
        const struct mi_point *point = &c->points[tie->first + i];
        bool forward = point->flags & MI_POINT_FORWARD;
        bool is_equal = slack->delay_ns > 0 && (point->flags & MI_POINT_BLOCKED);
        double t, gap = slack->is_shown ? mi_point_shown_gap(c, tie, point, &t)
                                        : mi_point_gap(c, tie, point, &t);
        if (point->flags & MI_POINT_REJECTED)
            continue;
        if (forward || is_equal)
            above[band->above_count++] =
                (struct mi_place){t, gap + slack->noise_ns + (forward ? 0 : slack->delay_ns)};
        if (!forward || is_equal)
            below[band->below_count++] =
                (struct mi_place){t, -gap + slack->noise_ns + (forward ? slack->delay_ns : 0)};
    }
    band->above_count = mi_hull_of(above, band->above_count);
    band->below_count = mi_hull_of(below, band->below_count);
}

/* Whether the one wait that blocked is to be believed: it lasted long, and no other pair says that
 * the clocks must be further apart. */
static bool is_plausible(const struct mi_calibration *c, const struct mi_tie *tie)
{
    double low = -INFINITY, high = INFINITY, one = 0, dur = 0, t;
    for (uint32_t i = 0; i < tie->count; i++) {
        const struct mi_point *point = &c->points[tie->first + i];
        bool forward = point->flags & MI_POINT_FORWARD;
        double gap = mi_point_gap(c, tie, point, &t);
        if (point->flags & MI_POINT_BLOCKED) {
            one = gap;
            dur = point->effect_dur;
        }
        high = forward ? fmin(high, gap) : high;
        low = forward ? low : fmax(low, gap);
    }
    return dur > LONG_WAIT * c->blocked_ns && one - high <= ONE_NS && low - one <= ONE_NS;
}

static void judge_tie(struct mi_calibration *c, struct mi_tie *tie)
{
    struct mi_band band;
    double slope, low, high;
    mi_tie_band(c, tie, &band, &(struct mi_slack){.max_slope = MAX_SLOPE});
    tie->width = mi_band_width(&band, &slope);
    if (tie->blocked) {
        tie->strength = tie->blocked > 1 ? MI_TIE_STRONG : MI_TIE_ONE;
        if (tie->blocked == 1 && fabs(tie->width) <= BAND_NS)
            tie->strength = MI_TIE_BAND;
        estimate_blocked(c, tie);
        if (tie->strength == MI_TIE_ONE && !is_plausible(c, tie))
            tie->strength = MI_TIE_NONE;
    } else if (fabs(tie->width) <= BAND_NS) {
        tie->strength = tie->loose < tie->count ? MI_TIE_BAND : MI_TIE_LOOSE;
        tie->slope = slope;
        mi_band_at(&band, mi_since_base(c, c->units[tie->low].first_start), &low, &high);
        tie->diff = low + (high - low) / 2;
    }
}

enum mi_tie_class mi_tie_strongest(const struct mi_calibration *c, uint32_t unit)
{
    enum mi_tie_class best = MI_TIE_NONE;
    for (uint32_t e = c->unit_ties.first[unit]; e < c->unit_ties.first[unit + 1]; e++) {
        const struct mi_tie *tie = &c->ties[(c->unit_ties.list[e] - 1) / 2];
        best = tie->strength > best ? tie->strength : best;
    }
    return best;
}

/* --- groups --- */

static int compare_ties(const void *left, const void *right)
{
    const struct mi_tie *a = *(const struct mi_tie *const *)left,
                        *b = *(const struct mi_tie *const *)right;
    if (a->strength != b->strength)
        return a->strength > b->strength ? -1 : 1;
    if (a->blocked != b->blocked)
        return a->blocked > b->blocked ? -1 : 1;
    if (a->width != b->width)
        return a->width < b->width ? -1 : 1;
    return (a > b) - (a < b);
}

static uint32_t root_of(uint32_t *parents, uint32_t unit)
{
    while (parents[unit] != unit)
        unit = parents[unit] = parents[parents[unit]];
    return unit;
}

struct trees {
    struct mi_calibration *c;
    struct mi_tie **order;
    uint32_t *parents;
    uint8_t *is_held;   /* [unit_count] of a root: something better than a loose tie holds it */
    uint8_t *is_branch; /* [tie_count] */
};

/* Puts the trees at both ends of a tie together, unless they are one already. */
static void join_trees(struct trees *trees, const struct mi_tie *tie)
{
    uint32_t a = root_of(trees->parents, tie->low), b = root_of(trees->parents, tie->high);
    trees->is_branch[tie - trees->c->ties] |= a != b;
    trees->is_held[a] |= trees->is_held[b] | (tie->strength >= MI_TIE_BAND);
    trees->is_held[b] = trees->is_held[a];
    trees->parents[a < b ? b : a] = a < b ? a : b;
    trees->c->units[a].group = trees->c->units[b].group = 1; /* until they are numbered */
}

/* Loose ties count once one of their ends is held; what is left at the end ties nothing. */
static void join_loose(struct trees *trees, uint32_t first)
{
    struct mi_calibration *c = trees->c;
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (uint32_t i = first; i < c->tie_count; i++) {
            struct mi_tie *tie = trees->order[i];
            uint32_t a = root_of(trees->parents, tie->low), b = root_of(trees->parents, tie->high);
            if (a == b || tie->strength != MI_TIE_LOOSE || !(trees->is_held[a] | trees->is_held[b]))
                continue;
            join_trees(trees, tie);
            is_changed = true;
        }
    }
    for (uint32_t i = first; i < c->tie_count; i++)
        if (root_of(trees->parents, trees->order[i]->low) !=
            root_of(trees->parents, trees->order[i]->high))
            trees->order[i]->strength = MI_TIE_NONE;
}

/* Numbers the groups and marks the ties of a spanning tree. */
static void build_trees(struct trees *trees)
{
    struct mi_calibration *c = trees->c;
    uint32_t i = 0;
    for (uint32_t u = 0; u < c->unit_count; u++)
        trees->parents[u] = u;
    for (uint32_t t = 0; t < c->tie_count; t++)
        trees->order[t] = &c->ties[t];
    qsort(trees->order, c->tie_count, sizeof *trees->order, compare_ties);
    for (; i < c->tie_count && trees->order[i]->strength > MI_TIE_LOOSE; i++)
        join_trees(trees, trees->order[i]);
    join_loose(trees, i);
    c->group_count = 1;
    for (uint32_t u = 1; u < c->unit_count; u++) {
        uint32_t root = root_of(trees->parents, u);
        if (root == u && c->units[u].group)
            c->units[u].group = c->group_count++;
        else if (root != u)
            c->units[u].group = c->units[root].group;
    }
}

static bool list_groups(struct mi_calibration *c)
{
    uint32_t ends = c->tie_count * 2 + 1;
    uint32_t *keys = mi_mem_zero(c->unit_count > ends ? c->unit_count : ends, sizeof *keys);
    bool ok = keys != NULL;
    for (uint32_t u = 1; ok && u < c->unit_count; u++)
        keys[u] = c->units[u].group;
    ok = ok && mi_csr_build(&c->group_units, c->group_count, keys, c->unit_count);
    for (uint32_t t = 0; ok && t < c->tie_count; t++) {
        uint32_t group = c->units[c->ties[t].low].group;
        keys[t + 1] = group == c->units[c->ties[t].high].group ? group : 0;
    }
    ok = ok && mi_csr_build(&c->group_ties, c->group_count, keys, c->tie_count + 1);
    for (uint32_t t = 0; ok && t < c->tie_count; t++) {
        keys[t * 2 + 1] = c->ties[t].low;
        keys[t * 2 + 2] = c->ties[t].high;
    }
    ok = ok && mi_csr_build(&c->unit_ties, c->unit_count, keys, ends);
    mi_mem_free(keys);
    return ok;
}

/* The line of a unit at the other end of a tie from a unit whose line is known. */
static void carry_over(struct mi_calibration *c, const struct mi_tie *tie, uint32_t from)
{
    bool upward = from == tie->low;
    const struct mi_line *known = &c->units[from].line;
    struct mi_line *line = &c->units[upward ? tie->high : tie->low].line;
    double low_start = mi_since_base(c, c->units[tie->low].first_start);
    double diff = tie->diff + tie->slope * (line->at - low_start);
    diff = upward ? diff : -diff;
    line->offset = known->offset + known->drift * (line->at - diff - known->at) + diff;
    line->drift = known->drift + (upward ? tie->slope : -tie->slope);
}

/* From the first unit of each group along the branches. */
static bool estimate_lines(struct mi_calibration *c, const uint8_t *is_branch)
{
    struct mi_u32s queue = {0};
    uint8_t *is_known = mi_mem_zero(c->unit_count, 1);
    bool ok = is_known != NULL;
    for (uint32_t u = 1; u < c->unit_count; u++)
        c->units[u].line.at = mi_since_base(c, c->units[u].first_start);
    for (uint32_t g = 1; ok && g < c->group_count; g++) {
        queue.count = 0;
        ok = mi_u32s_push(&queue, c->group_units.list[c->group_units.first[g]]);
        for (uint32_t i = 0; ok && i < queue.count; i++) {
            uint32_t unit = queue.at[i];
            is_known[unit] = 1;
            for (uint32_t e = c->unit_ties.first[unit]; ok && e < c->unit_ties.first[unit + 1];
                 e++) {
                uint32_t t = (c->unit_ties.list[e] - 1) / 2;
                uint32_t other = c->ties[t].low == unit ? c->ties[t].high : c->ties[t].low;
                if (!is_branch[t] || is_known[other])
                    continue;
                carry_over(c, &c->ties[t], unit);
                ok = mi_u32s_push(&queue, other);
            }
        }
    }
    mi_u32s_fini(&queue);
    mi_mem_free(is_known);
    return ok;
}

bool mi_groups_build(struct mi_calibration *c)
{
    struct trees trees = {.c = c,
                          .order = mi_mem_new((size_t)c->tie_count + 1, sizeof *trees.order),
                          .parents = mi_mem_new(c->unit_count, sizeof *trees.parents),
                          .is_held = mi_mem_zero(c->unit_count, 1),
                          .is_branch = mi_mem_zero((size_t)c->tie_count + 1, 1)};
    bool ok = trees.order && trees.parents && trees.is_held && trees.is_branch;
    if (ok) {
        for (uint32_t t = 0; t < c->tie_count; t++)
            judge_tie(c, &c->ties[t]);
        build_trees(&trees);
        ok = list_groups(c) && estimate_lines(c, trees.is_branch);
    }
    mi_mem_free(trees.order);
    mi_mem_free(trees.parents);
    mi_mem_free(trees.is_held);
    mi_mem_free(trees.is_branch);
    return ok;
}
