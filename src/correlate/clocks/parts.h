/* Between the parts of the calibration. Times are doubles: ns since `base_ns` of capture time,
 * which is a task of this capture, so that they are exact for weeks. */
#ifndef MI_CORRELATE_CLOCKS_PARTS_H
#define MI_CORRELATE_CLOCKS_PARTS_H

#include "base/vec.h"
#include "correlate/clocks/band.h"
#include "model/model.h"

#include <math.h>

/* calibrated = raw - (offset + drift * (raw - at)) */
struct mi_line {
    double at, offset, drift;
};

struct mi_unit {
    struct mi_line line;
    uint32_t track; /* its first one */
    uint32_t group; /* number from 1 of those that are tied; 0 = none */
    uint32_t tasks; /* on all its tracks */
    uint32_t first_task;
    uint32_t via;        /* tie + 1 on its way to the reference of its group; 0: none */
    int64_t first_start; /* capture time of its first task, as exported */
    double low, high;    /* of the offset, against the estimate: low <= 0 <= high */
    bool is_reference;   /* the others of its group are fitted to it */
    bool is_host;        /* stays where it is */
    bool is_unsure;      /* rests on a single wait somewhere on its way */
    bool is_with_rank;   /* moved with all of its rank */
    bool is_moved;       /* its line is not zero */
};

enum mi_point_flags {
    MI_POINT_FORWARD = 1,  /* the cause is on the lower unit */
    MI_POINT_BLOCKED = 2,  /* the effect followed at once: a wait that blocked */
    MI_POINT_REJECTED = 4, /* contradicts the others */
    MI_POINT_LOOSE = 8     /* a run or a call that encloses: what it leaves is no scatter */
};

struct mi_point {
    double cause, effect;        /* as exported */
    float cause_dur, effect_dur; /* of the tasks that end there; 0: they start there */
    uint32_t flags;
};

/* What ties two units, the weakest first. */
enum mi_tie_class {
    MI_TIE_NONE,  /* bounds on one side, or far apart: nothing to go by */
    MI_TIE_LOOSE, /* bounds on both sides by runs and calls: ties only to what others hold together
                   */
    MI_TIE_ONE,   /* one wait that blocked */
    MI_TIE_BAND,  /* bounds on both sides */
    MI_TIE_STRONG /* several waits that blocked */
};

struct mi_tie {
    uint32_t low, high;    /* units, low < high */
    uint32_t first, count; /* its points */
    uint32_t forward, blocked, loose;
    bool with_host;
    uint32_t place; /* within its group, while that is at hand */
    enum mi_tie_class strength;
    double width, diff, slope; /* first estimate of high - low, at the lower unit's first task */
};

struct mi_calibration {
    struct mi_model *model;
    struct mi_tables *rows;
    int64_t base_ns;
    uint32_t *unit_of; /* [tracks.count]; 0 = not to be fitted */
    struct mi_unit *units;
    uint32_t unit_count; /* with unit 0 */
    uint32_t *place_of;  /* [unit_count] number within its group, while that is at hand */
    struct mi_tie *ties;
    uint32_t tie_count;
    struct mi_point *points;
    struct mi_place *places; /* [greatest number of points of a tie * 4] working space */
    double *sample;          /* [MI_SAMPLE_MAX] working space */
    struct mi_csr group_units, group_ties; /* group -> units; group -> ties + 1 within it */
    struct mi_csr unit_ties;               /* unit -> ends of ties: tie * 2 + 1 (low), + 2 (high) */
    uint32_t group_count;                  /* with group 0 */
    uint8_t *group_is_right;               /* [group_count] as exported */
    double blocked_ns;                     /* a wait that lasts longer has blocked */
    double scatter_ns; /* of two ends against each other, as lengths of records tell it */
    double noise_ns;   /* scatter of blocked waits around the fit, of the group at hand */
    double delay_ns;   /* the usual time from a record to the end of its wait */
};

enum { MI_SAMPLE_MAX = 16384 };

static inline double mi_line_apply(const struct mi_line *line, double raw)
{
    return raw - (line->offset + line->drift * (raw - line->at));
}

/* Difference of what the two clocks show, high - low, at the point's moment `*t`, once both are
 * calibrated by their lines. */
static inline double mi_point_gap(const struct mi_calibration *c, const struct mi_tie *tie,
                                  const struct mi_point *point, double *t)
{
    bool forward = point->flags & MI_POINT_FORWARD;
    double low = mi_line_apply(&c->units[tie->low].line, forward ? point->cause : point->effect);
    double high = mi_line_apply(&c->units[tie->high].line, forward ? point->effect : point->cause);
    *t = low + (high - low) / 2;
    return high - low;
}

/* The same where the end of a task is its calibrated start plus its length as exported. */
static inline double mi_point_shown_gap(const struct mi_calibration *c, const struct mi_tie *tie,
                                        const struct mi_point *point, double *t)
{
    bool forward = point->flags & MI_POINT_FORWARD;
    const struct mi_line *low = &c->units[tie->low].line, *high = &c->units[tie->high].line;
    double cause_start = point->cause - point->cause_dur,
           effect_start = point->effect - point->effect_dur;
    double cause = mi_line_apply(forward ? low : high, cause_start) + point->cause_dur;
    double effect = mi_line_apply(forward ? high : low, effect_start) + point->effect_dur;
    *t = cause + (effect - cause) / 2;
    return forward ? effect - cause : cause - effect;
}

static inline double mi_since_base(const struct mi_calibration *c, int64_t ns)
{
    int64_t since;
    if (__builtin_sub_overflow(ns, c->base_ns, &since))
        return ns < 0 ? -9e18 : 9e18;
    return (double)since;
}

/* Rounded; times that are beyond all reason stay where three of them can still be added up. */
static inline int64_t mi_whole_ns(double ns)
{
    const double most = 3e18;
    return ns > -most && ns < most ? llround(ns) : ns >= most ? (int64_t)most : -(int64_t)most;
}

/* Whoever knows causes and effects adds them twice: they are counted first, then written down. */
struct mi_collector {
    struct mi_calibration *c;
    struct mi_map pairs; /* (low unit, high unit) -> tie + 1 */
    uint32_t tie_room;
    bool is_filling;              /* the second time */
    double blocked_ns;            /* a wait that lasts longer has blocked */
    struct mi_launches *launches; /* NULL: not looked at yet */
};

/* ties.c: a cause on one unit and its effect on another; nothing if they are one. False: out of
 * memory. */
bool mi_ties_add_point(struct mi_collector *k, uint32_t cause_unit, uint32_t effect_unit,
                       struct mi_point point);

/* ties_runs.c: runs of a model lie between the task that starts them and the next one of its
 * stream. False: out of memory. */
bool mi_ties_of_runs(struct mi_collector *k);

/* ties_launches.c: host calls and what they launched. False: out of memory. */
bool mi_ties_of_launches(struct mi_collector *k);
void mi_launches_fini(struct mi_launches *launches);

/* ties.c: units, ties and points of the model; false: out of memory. */
bool mi_ties_collect(struct mi_calibration *c);

/* How far bounds are moved apart. */
struct mi_slack {
    double max_slope;
    double blocked_ns; /* a wait that lasts longer has blocked */
    double noise_ns;   /* everything by this much */
    bool is_shown;     /* ends are starts, calibrated, plus lengths as exported: what others see */
    double delay_ns;   /* > 0: a wait that blocked ended no later than this behind its record */
};

/* groups.c: the bounds of a tie in terms of the lines at hand; uses c->places until the next call.
 */
void mi_tie_band(struct mi_calibration *c, const struct mi_tie *tie, struct mi_band *band,
                 const struct mi_slack *slack);

/* groups.c: of the ties of a unit. */
enum mi_tie_class mi_tie_strongest(const struct mi_calibration *c, uint32_t unit);

/* groups.c: which ties hold, spanning trees, first estimate of each line. False: out of memory. */
bool mi_groups_build(struct mi_calibration *c);

/* bands.c: chooses the reference of one group, whose offset becomes 0, and how far off the other
 * lines may be. False: out of memory. */
bool mi_bands_find(struct mi_calibration *c, uint32_t group);

/* bodies.c: moves groups, and clocks without one, where bounds on one side are broken. False: out
 * of memory. */
bool mi_bodies_place(struct mi_calibration *c);

/* ranks.c: moves ranks whose collectives end later than on others. False: out of memory. */
bool mi_ranks_place(struct mi_calibration *c);

/* fits.c: whether the clocks of a group already tick together as exported, so that they are left as
 * they are. */
bool mi_fits_unneeded(struct mi_calibration *c, uint32_t group);

/* fits.c: leaves the clocks of a group as exported. */
void mi_lines_clear(struct mi_calibration *c, uint32_t group);

/* fits.c: moves the starts of tasks. */
void mi_fits_apply(struct mi_calibration *c);

/* fits.c: rows of `fits`. False: out of memory. */
bool mi_fits_add(struct mi_calibration *c);

/* joint.c: refines the lines of one group by all its points. False: out of memory. */
bool mi_joint_refine(struct mi_calibration *c, uint32_t group);

#endif
