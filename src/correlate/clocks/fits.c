/* What comes of it: rows of `fits`, and tasks that are moved. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/clocks/parts.h"

#include <math.h>
#include <stdlib.h>

/* A clock that is off by less than this in a year needs no moving. */
#define NO_DRIFT 1e-15

/* --- clocks that are right --- */

/* Waits that blocked end within this behind their record, where clocks are right. */
#define USUAL_MOST_NS 1000.0
#define LEAST_DELAY   60.0

/* An effect this far before its cause is not explained by a length that was exported wrong. */
#define MOST_WRONG_NS 5000.0

/* As exported, and as moved: the time from the end of the cause to the end of the effect. */
static int64_t gap_of(const struct mi_calibration *c, const struct mi_tie *tie,
                      const struct mi_point *point, bool is_moved)
{
    bool forward = point->flags & MI_POINT_FORWARD;
    const struct mi_unit *low = &c->units[tie->low], *high = &c->units[tie->high];
    const struct mi_unit *cause = forward ? low : high, *effect = forward ? high : low;
    double cause_start = point->cause - (double)point->cause_dur - cause->line.at;
    double effect_start = point->effect - (double)point->effect_dur - effect->line.at;
    int64_t gap = mi_whole_ns(point->effect - point->cause);
    if (!is_moved)
        return gap;
    return gap - mi_whole_ns(effect->line.offset + effect->line.drift * effect_start) +
           mi_whole_ns(cause->line.offset + cause->line.drift * cause_start);
}

/* Single wrong pairs prove nothing: a fit that leaves as many effects before their causes as the
 * export had is no better than it. */
bool mi_fits_unneeded(struct mi_calibration *c, uint32_t group)
{
    double early = -fmax(0, 4 * c->scatter_ns - LEAST_DELAY), late = USUAL_MOST_NS - early;
    double worst = 0; /* of those that the fit does not reject */
    uint32_t before = 0, after = 0;
    for (uint32_t i = c->group_ties.first[group]; i < c->group_ties.first[group + 1]; i++) {
        const struct mi_tie *tie = &c->ties[c->group_ties.list[i] - 1];
        uint32_t far = 0;
        for (uint32_t k = 0; k < tie->count; k++) {
            const struct mi_point *point = &c->points[tie->first + k];
            double gap = point->effect - point->cause;
            bool is_rejected = point->flags & MI_POINT_REJECTED;
            before += gap < early;
            worst = gap < early && !is_rejected ? fmin(worst, gap) : worst;
            after += (double)gap_of(c, tie, point, true) < early;
            far += (point->flags & MI_POINT_BLOCKED) && gap > late && !is_rejected;
        }
        if (far > tie->blocked / 5)
            return false;
    }
    return worst == 0 || (worst > -MOST_WRONG_NS && after >= before);
}

/* --- applying --- */

void mi_lines_clear(struct mi_calibration *c, uint32_t group)
{
    for (uint32_t i = c->group_units.first[group]; i < c->group_units.first[group + 1]; i++) {
        struct mi_line *line = &c->units[c->group_units.list[i]].line;
        line->offset = line->drift = 0;
    }
}

/* How much later the clock shows `ns` of capture time than it is. */
static int64_t off_at(const struct mi_calibration *c, const struct mi_unit *unit, int64_t ns)
{
    double since = mi_since_base(c, ns) - unit->line.at;
    return mi_whole_ns(unit->line.offset + unit->line.drift * since);
}

static int64_t moved(const struct mi_calibration *c, const struct mi_unit *unit, int64_t ns)
{
    int64_t at;
    return __builtin_sub_overflow(ns, off_at(c, unit, ns), &at) ? ns : at;
}

void mi_fits_apply(struct mi_calibration *c)
{
    struct mi_tasks *tasks = &c->rows->tasks;
    struct mi_slices *slices = &c->rows->slices;
    for (uint32_t t = 1; t < tasks->count; t++) {
        const struct mi_unit *unit = &c->units[c->unit_of[tasks->track[t].v]];
        if (unit->is_moved)
            tasks->start_ns[t] = moved(c, unit, tasks->start_ns[t]);
    }
    for (uint32_t s = 1; s < slices->count; s++) {
        const struct mi_unit *unit = &c->units[c->unit_of[slices->track[s].v]];
        if (unit->is_moved)
            slices->start_ns[s] = moved(c, unit, slices->start_ns[s]);
    }
}

/* --- rows --- */

static int compare_values(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void count_points(struct mi_calibration *c, uint32_t unit, struct mi_fit_row *row)
{
    uint32_t count = 0;
    for (uint32_t e = c->unit_ties.first[unit]; e < c->unit_ties.first[unit + 1]; e++) {
        const struct mi_tie *tie = &c->ties[(c->unit_ties.list[e] - 1) / 2];
        for (uint32_t k = 0; k < tie->count; k++) {
            const struct mi_point *point = &c->points[tie->first + k];
            double t, gap = mi_point_gap(c, tie, point, &t);
            bool is_rejected = point->flags & MI_POINT_REJECTED;
            bool is_blocked = point->flags & MI_POINT_BLOCKED;
            gap = point->flags & MI_POINT_FORWARD ? gap : -gap;
            row->rejected += is_rejected;
            row->anchors += !is_rejected;
            row->blocked += is_blocked && !is_rejected;
            row->violations_before += gap_of(c, tie, point, false) < 0;
            row->violations_after += gap_of(c, tie, point, true) < 0;
            if (is_blocked && !is_rejected && count < MI_SAMPLE_MAX)
                c->sample[count++] = fabs(gap - c->delay_ns);
        }
    }
    if (count)
        qsort(c->sample, count, sizeof *c->sample, compare_values);
    row->residual_ns = count ? mi_whole_ns(c->sample[count / 2]) : -1;
}

static int64_t whole(double ns)
{
    return ns <= -9e18 ? INT64_MIN : ns >= 9e18 ? INT64_MAX : (int64_t)ns;
}

/* Tracks that a file gives one clock get one each once they are fitted. */
static mi_clock_id clock_of(struct mi_calibration *c, uint32_t unit, uint32_t *users)
{
    struct mi_tracks *tracks = &c->rows->tracks;
    const struct mi_clocks *clocks = &c->rows->clocks;
    uint32_t track = c->units[unit].track, clock = tracks->clock[track].v;
    if (tracks->kind[track] != MI_TRACK_STREAM || users[clock] == 1)
        return (mi_clock_id){clock};
    users[clock]--;
    mi_clock_id copy = mi_add_clock(
        &c->model->all, &(struct mi_clock_row){.name = tracks->name[track],
                                               .ref_raw = clocks->ref_raw[clock],
                                               .ref_ns = clocks->ref_ns[clock],
                                               .ns_per_tick = clocks->ns_per_tick[clock],
                                               .residual_ns = clocks->residual_ns[clock],
                                               .note = clocks->note[clock]});
    tracks->clock[track] = copy;
    return copy;
}

static const char *note_of(const struct mi_calibration *c, uint32_t unit)
{
    const struct mi_unit *own = &c->units[unit];
    if (own->is_with_rank && !own->group)
        return N_("moved with its rank, whose collectives would end later than those of others");
    if (!own->group && (own->low > 0 || own->high < 0))
        return N_("begins before its launches, as host and device usually disagree: as exported");
    if (!own->group && own->low > -INFINITY && own->high < INFINITY)
        return own->is_moved
                   ? N_("no event binds it: moved into the bounds of runs and calls")
                   : N_("no event binds it: within the bounds of runs and calls, as exported");
    if (!own->group)
        return own->is_moved ? N_("moved as little as its events need, which bind one side only")
                             : N_("bound on one side only: left as exported");
    if (c->group_is_right[own->group])
        return N_("agrees with the others as exported");
    if (own->is_reference && own->is_host)
        return N_("the host's: the others of its group are fitted to it");
    if (own->is_reference)
        return N_("the others of its group are fitted to it");
    switch (mi_tie_strongest(c, unit)) {
    case MI_TIE_STRONG:
        return N_("fitted by waits that blocked");
    case MI_TIE_ONE:
        return N_("fitted by the one wait that blocked");
    case MI_TIE_BAND:
        return N_("in the middle of what its events allow");
    case MI_TIE_LOOSE:
    case MI_TIE_NONE:
        break;
    }
    return N_("in the middle of what runs and calls allow");
}

static void add_row(struct mi_calibration *c, uint32_t unit, uint32_t *users)
{
    struct mi_unit *own = &c->units[unit];
    uint32_t clock = c->rows->tracks.clock[own->track].v;
    struct mi_fit_row row = {.group = own->group,
                             .is_reference = own->is_reference,
                             .at_raw = own->tasks ? c->rows->tasks.start_raw[own->first_task]
                                                  : c->rows->clocks.ref_raw[clock],
                             .offset_ns = mi_whole_ns(own->line.offset),
                             .drift_ppm = own->line.drift * 1e6,
                             .uncertainty_ns = -1,
                             .low_ns = INT64_MIN,
                             .high_ns = INT64_MAX,
                             .note = mi_batch_cstr(&c->model->all, note_of(c, unit))};
    if (own->group || (own->is_with_rank && own->is_host)) {
        row.uncertainty_ns = own->is_unsure ? -1 : whole(ceil(fmax(-own->low, own->high)));
    }
    row.low_ns = whole(floor(own->line.offset + own->low));
    row.high_ns = whole(ceil(own->line.offset + own->high));
    count_points(c, unit, &row);
    row.clock = clock_of(c, unit, users);
    mi_add_fit(&c->model->all, &row);
}

bool mi_fits_add(struct mi_calibration *c)
{
    uint32_t *users = mi_mem_zero(c->rows->clocks.count, sizeof *users);
    if (!users)
        return false;
    for (uint32_t t = 1; t < c->rows->tracks.count; t++)
        users[c->rows->tracks.clock[t].v]++;
    for (uint32_t u = 1; u < c->unit_count; u++) {
        const struct mi_line *line = &c->units[u].line;
        c->units[u].is_moved = line->offset != 0 || fabs(line->drift) > NO_DRIFT;
        bool is_shown = c->units[u].tasks || (c->units[u].is_host && c->units[u].group);
        if ((mi_csr_count(&c->unit_ties, u) && is_shown) || c->units[u].is_with_rank)
            add_row(c, u, users);
    }
    mi_mem_free(users);
    return !mi_batch_failed(&c->model->all);
}
