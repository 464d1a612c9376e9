/* Clocks: how far the clocks of the streams are apart, and what that rests on.
 *
 * Question: may starts on different streams be compared, and by how much were they moved for it?
 * Formula: none of its own; `fits` are made when correlating (docs/clocks.md). Distances from cause
 * to effect are looked at here once more, over all signals and launches, as exported and
 * calibrated. Limits: where no anchor ties a clock nothing can be said. */
#include "analyse/clocks/clocks_effects.h"
#include "analyse/describe.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "base/mem.h"
#include "base/translate.h"

#include <math.h>

enum {
    LEAST_OFFSET_NS = 5000, /* an offset worth a finding, and this many times its uncertainty */
    LEAST_TIMES = 3
};

const struct mi_param mi_params_clocks[] = {
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = 1000000,
     .default_text = "10",
     .help = N_("At most N effects that come before their cause.")},
    MI_PARAM_END};

static const struct mi_report_column columns[] = {
    {"device", N_("device"), MI_CELL_INT, "", N_("device; none = host")},
    {"clock", N_("clock"), MI_CELL_TEXT, "", N_("stream or lane that goes by it")},
    {"group", N_("group"), MI_CELL_INT, "", N_("clocks tied to each other have one number")},
    {"is_reference", N_("reference"), MI_CELL_BOOL, "",
     N_("the others of its group are fitted to it")},
    {"offset_ns", N_("offset"), MI_CELL_INT, "ns", N_("exported - calibrated at its first task")},
    {"drift_ppm", N_("drift"), MI_CELL_REAL, "ppm", N_("growth of the offset")},
    {"uncertainty_ns", N_("uncertainty"), MI_CELL_INT, "ns",
     N_("how far the offset may be off; none = unknown")},
    {"low_ns", N_("least"), MI_CELL_INT, "ns", N_("least offset that is possible; none = open")},
    {"high_ns", N_("greatest"), MI_CELL_INT, "ns",
     N_("greatest offset that is possible; none = open")},
    {"anchors", N_("anchors"), MI_CELL_INT, "", N_("causes and effects used")},
    {"blocked", N_("blocked"), MI_CELL_INT, "", N_("of these waits that really blocked")},
    {"rejected", N_("rejected"), MI_CELL_INT, "",
     N_("causes and effects that contradict the others")},
    {"violations_before", N_("early, exported"), MI_CELL_INT, "",
     N_("effects before their cause, as exported")},
    {"violations_after", N_("early, calibrated"), MI_CELL_INT, "",
     N_("effects before their cause, calibrated")},
    {"residual_ns", N_("residual"), MI_CELL_INT, "ns", N_("median misfit of waits that blocked")},
    {"launches", N_("launches"), MI_CELL_INT, "", N_("tasks whose host launch is known")},
    {"early_launches", N_("before launch"), MI_CELL_INT, "",
     N_("of these tasks that begin before their launch, calibrated")},
    {"worst_launch_ns", N_("worst"), MI_CELL_INT, "ns",
     N_("least time from a launch to its task, calibrated")},
    {"note", N_("rests on"), MI_CELL_SENTENCE, "",
     N_("what the fit rests on, or why there is none")},
};

static const struct mi_report_column early_columns[] = {
    {"kind", N_("kind"), MI_CELL_WORD, "",
     N_("event: wait and record; launch: task and host call")},
    {"cause", N_("cause"), MI_CELL_TEXT, "", N_("what comes first by nature")},
    {"cause_on", N_("on"), MI_CELL_TEXT, "", N_("stream or thread of the cause")},
    {"effect", N_("effect"), MI_CELL_TASK, "", N_("task that seems to come before it")},
    {"effect_on", N_("on"), MI_CELL_TEXT, "", N_("stream of the effect")},
    {"before_ns", N_("exported"), MI_CELL_INT, "ns", N_("from cause to effect, as exported")},
    {"after_ns", N_("calibrated"), MI_CELL_INT, "ns", N_("from cause to effect, calibrated")},
};

struct clocks {
    const struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_report *out;
    struct mi_effects effects;
    uint32_t *fit_of;      /* [clocks.count] */
    int64_t *reference_ns; /* [fits.count] offset of the reference of each group */
    int64_t moved, tied;
};

/* --- one clock --- */

static struct mi_cell or_none(int64_t number, bool is_none)
{
    return is_none ? mi_cell_none() : mi_cell_int(number);
}

static void fill_fit(struct mi_cell *row, const struct mi_fits *fits, uint32_t f)
{
    row[2] = or_none(fits->group[f], !fits->group[f]);
    row[3] = mi_cell_int(fits->is_reference[f]);
    row[4] = mi_cell_int(fits->offset_ns[f]);
    row[5] = mi_cell_real(round(fits->drift_ppm[f] * 1000) / 1000);
    row[6] = or_none(fits->uncertainty_ns[f], fits->uncertainty_ns[f] < 0);
    row[7] = or_none(fits->low_ns[f], fits->low_ns[f] == INT64_MIN);
    row[8] = or_none(fits->high_ns[f], fits->high_ns[f] == INT64_MAX);
    row[9] = mi_cell_int(fits->anchors[f]);
    row[10] = mi_cell_int(fits->blocked[f]);
    row[11] = mi_cell_int(fits->rejected[f]);
    row[12] = mi_cell_int(fits->violations_before[f]);
    row[13] = mi_cell_int(fits->violations_after[f]);
    row[14] = or_none(fits->residual_ns[f], fits->residual_ns[f] < 0);
}

static void add_row(struct clocks *c, uint32_t track, struct mi_report_table *table)
{
    const struct mi_tracks *tracks = &c->rows->tracks;
    const struct mi_fits *fits = &c->rows->fits;
    const struct mi_effect_count *launches = &c->effects.by_track[track];
    uint32_t fit = c->fit_of[tracks->clock[track].v];
    struct mi_cell *row = mi_report_add_row(c->out, table);
    if (!row)
        return;
    row[0] = or_none(tracks->device[track], tracks->device[track] < 0);
    row[1] = mi_cell_text(mi_describe_track(c->model, (mi_track_id){track}, &c->out->arena));
    if (fit) {
        fill_fit(row, fits, fit);
        row[18] = mi_cell_text(mi_model_text(c->model, fits->note[fit]));
        c->moved += fits->offset_ns[fit] != 0;
        c->tied += fits->group[fit] != 0;
    } else {
        row[18] = mi_cell_text(mi_cstr(N_("no anchor: left as exported")));
    }
    if (!launches->pairs)
        return;
    row[15] = mi_cell_int(launches->pairs);
    row[16] = mi_cell_int(launches->violated_after);
    row[17] = mi_cell_int(launches->worst_after_ns);
}

static void judge_offset(struct clocks *c, uint32_t track)
{
    const struct mi_tracks *tracks = &c->rows->tracks;
    const struct mi_fits *fits = &c->rows->fits;
    uint32_t f = c->fit_of[tracks->clock[track].v];
    struct mi_arena *arena = &c->out->arena;
    if (!f || fits->is_reference[f] || fits->group[f] >= fits->count || fits->uncertainty_ns[f] < 0)
        return;
    int64_t off = fits->offset_ns[f] - c->reference_ns[fits->group[f]];
    bool is_ahead = off > 0;
    off = off < 0 ? -off : off;
    if (off < LEAST_OFFSET_NS || off / LEAST_TIMES < fits->uncertainty_ns[f])
        return;
    mi_report_add_finding(
        c->out,
        &(struct mi_finding){
            .rule = "clock_offset",
            .severity = MI_WARNING,
            .subject = mi_arena_printf(arena, "stream %lld/%lld", (long long)tracks->device[track],
                                       (long long)tracks->native_id[track]),
            .sentence = is_ahead
                            ? N_("The clock of %1 is ahead of the others by %2; exported starts "
                                 "on it cannot be compared with those of other streams.")
                            : N_("The clock of %1 is behind the others by %2; exported starts "
                                 "on it cannot be compared with those of other streams."),
            .args = {mi_describe_track(c->model, (mi_track_id){track}, arena),
                     mi_describe_span(off, arena)},
            .cost_ns = -1});
}

/* One row per clock that tasks go by; streams of a device each have their own. */
static bool list_clocks(struct clocks *c)
{
    const struct mi_tracks *tracks = &c->rows->tracks;
    uint8_t *is_listed = mi_mem_zero(c->rows->clocks.count, 1);
    struct mi_report_table *table = mi_report_add_table(c->out, "clocks", N_("Clocks"), columns,
                                                        sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "low_ns high_ns rejected residual_ns is_reference launches");
    for (uint32_t t = 1; is_listed && t < tracks->count; t++) {
        uint32_t clock = tracks->clock[t].v;
        bool has_tasks =
            c->model->index.track_first_task[t] < c->model->index.track_first_task[t + 1];
        bool is_own = tracks->kind[t] == MI_TRACK_STREAM && tracks->device[t] >= 0;
        if (!clock || !(has_tasks || c->fit_of[clock]) || (!is_own && is_listed[clock]))
            continue;
        is_listed[clock] = 1;
        add_row(c, t, table);
        if (is_own)
            judge_offset(c, t);
    }
    mi_mem_free(is_listed);
    return is_listed != NULL;
}

/* --- effects --- */

static void list_early(struct clocks *c)
{
    const struct mi_tasks *tasks = &c->rows->tasks;
    const struct mi_slices *slices = &c->rows->slices;
    struct mi_arena *arena = &c->out->arena;
    struct mi_report_table *table =
        mi_report_add_table(c->out, "early", N_("Effects before their cause"), early_columns,
                            sizeof early_columns / sizeof *early_columns);
    for (uint32_t i = 0; i < c->effects.worst_count; i++) {
        const struct mi_effect *e = &c->effects.worst[i];
        bool is_launch = e->kind == MI_EFFECT_LAUNCH;
        struct mi_cell *row = mi_report_add_row(c->out, table);
        if (!row)
            return;
        row[0] = mi_cell_word(is_launch ? N_("launch") : N_("event"));
        row[1] = is_launch ? mi_cell_text(mi_model_text(c->model, slices->name[e->cause]))
                           : mi_cell_text(mi_arena_printf(arena, "task:%u", e->cause));
        row[2] = mi_cell_text(mi_describe_track(
            c->model, is_launch ? slices->track[e->cause] : tasks->track[e->cause], arena));
        row[3] = mi_cell_int(e->effect);
        row[4] = mi_cell_text(mi_describe_track(c->model, tasks->track[e->effect], arena));
        row[5] = mi_cell_int(e->before_ns);
        row[6] = mi_cell_int(e->after_ns);
    }
}

/* --- facts --- */

static void add_fact(struct mi_report *out, const char *name, const char *title, const char *unit,
                     struct mi_cell cell)
{
    mi_report_add_fact(
        out, &(struct mi_report_fact){
                 .name = name, .title = title, .kind = MI_CELL_INT, .unit = unit, .cell = cell});
}

static void add_facts(struct clocks *c)
{
    const struct mi_effect_count *events = &c->effects.count[MI_EFFECT_EVENT];
    const struct mi_effect_count *launches = &c->effects.count[MI_EFFECT_LAUNCH];
    struct mi_report *out = c->out;
    add_fact(out, "tied", N_("Clocks tied to others"), "", mi_cell_int(c->tied));
    add_fact(out, "moved", N_("Clocks moved"), "", mi_cell_int(c->moved));
    add_fact(out, "events", N_("Pairs of records and waits"), "", mi_cell_int(events->pairs));
    add_fact(out, "events_early_exported", N_("Waits that end before their record, exported"), "",
             mi_cell_int(events->violated_before));
    add_fact(out, "events_early", N_("The same, calibrated"), "",
             mi_cell_int(events->violated_after));
    add_fact(out, "events_worst_ns", N_("Least time from record to wait, calibrated"), "ns",
             or_none(events->worst_after_ns, !events->pairs));
    add_fact(out, "launches", N_("Tasks with a known launch"), "", mi_cell_int(launches->pairs));
    add_fact(out, "launches_early_exported", N_("Tasks that begin before their launch, exported"),
             "", mi_cell_int(launches->violated_before));
    add_fact(out, "launches_worst_exported_ns", N_("Least time from launch to task, exported"),
             "ns", or_none(launches->worst_before_ns, !launches->pairs));
    add_fact(out, "launches_early", N_("Tasks that begin before their launch, calibrated"), "",
             mi_cell_int(launches->violated_after));
    add_fact(out, "launches_worst_ns", N_("Least time from launch to task, calibrated"), "ns",
             or_none(launches->worst_after_ns, !launches->pairs));
    if (!c->tied)
        mi_report_add_finding(
            out, &(struct mi_finding){
                     .rule = "no_anchors",
                     .severity = MI_INFO,
                     .sentence = N_("Refused: no anchors. Nothing ties these clocks on both sides, "
                                    "so none is corrected beyond what order demands."),
                     .cost_ns = -1});
}

/* --- the pass --- */

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct clocks c = {.model = model, .rows = &model->all.rows, .out = out};
    const struct mi_fits *fits = &c.rows->fits;
    c.fit_of = mi_mem_zero(c.rows->clocks.count, sizeof *c.fit_of);
    c.reference_ns = mi_mem_zero(fits->count, sizeof *c.reference_ns);
    bool ok = c.fit_of && c.reference_ns &&
              mi_effects_find(&c.effects, model, (uint32_t)mi_args_int(args, "top", 10));
    for (uint32_t f = 1; ok && f < fits->count; f++) {
        c.fit_of[fits->clock[f].v] = f;
        if (fits->is_reference[f] && fits->group[f] < fits->count)
            c.reference_ns[fits->group[f]] = fits->offset_ns[f];
    }
    if (ok && list_clocks(&c)) {
        list_early(&c);
        add_facts(&c);
    } else {
        ok = false;
    }
    mi_effects_fini(&c.effects);
    mi_mem_free(c.fit_of);
    mi_mem_free(c.reference_ns);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for clocks");
}

const struct mi_pass mi_pass_clocks = {.name = "clocks",
                                       .title = N_("Clocks: offsets, drifts, anchors"),
                                       .needs = MI_HAS_TASKS,
                                       .params = mi_params_clocks,
                                       .run = run};
