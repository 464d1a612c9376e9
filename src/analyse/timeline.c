/* What every stream did in a window of time, drawn as lines of signs.
 *
 * Each line is cut into slices; a slice shows the kind of work that took most of it, or a wait.
 * Times are counted from the start of the first task. */
#include "analyse/describe.h"
#include "analyse/find.h"
#include "analyse/pass_params.h"
#include "analyse/timeline/timeline_parts.h"
#include "base/decimal.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/translate.h"

enum {
    DEFAULT_WIDTH = 100,
    AROUND_TIMES = 5, /* as much before and behind a node as this many of its durations */
    AROUND_LEAST_NS = 20000
};

const struct mi_param mi_params_timeline[] = {
    {.name = "from",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("TIME"),
     .help = N_("Start of the window, from the start of the first task: 120, 1.5ms, 2s (plain "
                "numbers are microseconds).")},
    {.name = "to", .kind = MI_PARAM_TEXT, .metavar = N_("TIME"), .help = N_("End of the window.")},
    {.name = "run",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("The window is this run (default: the first counted one, where there are "
                "several).")},
    {.name = "around",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE"),
     .help = N_("The window lies around the task of this node, or this task, and points at it.")},
    {.name = "lanes",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NAME"),
     .help = N_("Only streams with this name or number (* and ? stand for anything).")},
    {.name = "width",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 40,
     .max = 10000,
     .help = N_("Columns of a line (default: those of the terminal).")},
    {.name = "raw", .kind = MI_PARAM_FLAG, .help = N_("Times as exported, not calibrated.")},
    {.name = "ascii", .kind = MI_PARAM_FLAG, .help = N_("Letters instead of blocks.")},
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("Rows of the lists below; 0 = all (default: 5; all with --json).")},
    MI_PARAM_END};

/* raw = calibrated + offset + drift */
int64_t mi_timeline_start(const struct mi_timeline *timeline, uint32_t task)
{
    const struct mi_tables *rows = &timeline->model->all.rows;
    int64_t start_ns = rows->tasks.start_ns[task];
    if (!timeline->is_raw)
        return start_ns;
    uint32_t clock = rows->tracks.clock[rows->tasks.track[task].v].v;
    for (uint32_t f = 1; f < rows->fits.count; f++) {
        if (rows->fits.clock[f].v != clock)
            continue;
        double since_ns = (double)mi_ns_sub(rows->tasks.start_raw[task], rows->fits.at_raw[f]) *
                          rows->clocks.ns_per_tick[clock];
        double drift_ns = since_ns * rows->fits.drift_ppm[f] / 1e6;
        int64_t shift_ns = rows->fits.offset_ns[f];
        if (drift_ns > -1e18 && drift_ns < 1e18)
            shift_ns = mi_ns_add(shift_ns, (int64_t)(drift_ns + (drift_ns < 0 ? -0.5 : 0.5)));
        return mi_ns_add(start_ns, shift_ns);
    }
    return start_ns;
}

/* --- the window --- */

/* "1.5ms" as ns. */
static bool read_time(const struct mi_args *args, const char *name, int64_t *time_ns,
                      struct mi_error *err)
{
    static const struct {
        const char *unit;
        int exp10;
    } units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
    struct mi_bytes text = mi_cstr(mi_args_text(args, name, ""));
    int exp10 = 3;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        struct mi_bytes unit = mi_cstr(units[u].unit);
        if (text.len > unit.len && mi_bytes_ends(text, unit)) {
            text = mi_bytes_sub(text, 0, text.len - unit.len);
            exp10 = units[u].exp10;
            break;
        }
    }
    if (mi_decimal_scaled(text, exp10, time_ns) & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW))
        return mi_fail(err, MI_EUSAGE, "--%s: \"%.60s\" is no time; wanted: 120, 1.5ms, 2s", name,
                       mi_args_text(args, name, ""));
    return true;
}

/* From the first start to the last end of the tasks shown, or of those of one run. */
static void take_extent(struct mi_timeline *tl, int64_t run)
{
    const struct mi_tasks *tasks = &tl->model->all.rows.tasks;
    bool is_first = true;
    for (uint32_t t = 1; t < tasks->count; t++) {
        if (!tl->is_shown[tasks->track[t].v] ||
            (run >= 0 && tl->account->runs[tl->account->run_of[t]].run != run))
            continue;
        int64_t start_ns = mi_timeline_start(tl, t), end_ns = mi_ns_add(start_ns, tasks->dur_ns[t]);
        tl->from_ns = is_first || start_ns < tl->from_ns ? start_ns : tl->from_ns;
        tl->to_ns = is_first || end_ns > tl->to_ns ? end_ns : tl->to_ns;
        is_first = false;
    }
}

/* Times are counted from the first task of all, whichever lanes are shown. */
static void find_zero(struct mi_timeline *tl)
{
    const struct mi_tasks *tasks = &tl->model->all.rows.tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        int64_t start_ns = mi_timeline_start(tl, t);
        tl->zero_ns = t == 1 || start_ns < tl->zero_ns ? start_ns : tl->zero_ns;
    }
}

/* The run that is shown unless another one is wanted: the first that is counted. */
static int64_t default_run(const struct mi_account *account)
{
    for (uint32_t r = 0; account->run_count > 1 && r < account->run_count; r++)
        if (account->runs[r].is_counted && !account->runs[r].is_outside && account->runs[r].tasks)
            return account->runs[r].run;
    return -1;
}

static uint32_t task_of_node(const struct mi_timeline *tl, uint32_t node, int64_t run)
{
    const struct mi_model *model = tl->model;
    const struct mi_csr *of = &model->index.node_tasks;
    for (uint32_t i = of->first[node]; i < of->first[node + 1]; i++) {
        uint32_t task = of->list[i];
        if (run < 0 || tl->account->runs[tl->account->run_of[task]].run == run)
            return task;
    }
    return 0;
}

/* The task that is meant: itself, or that of the node, or of the node that its op became. */
static uint32_t task_meant(const struct mi_timeline *tl, const struct mi_found *found, int64_t run)
{
    const struct mi_model *model = tl->model;
    uint32_t task = found->how == MI_FOUND_TASK && found->task_count ? found->tasks[0].v : 0;
    for (uint32_t i = 0; !task && i < found->node_count; i++) {
        uint32_t node = found->nodes[i].v;
        const struct mi_csr *lowered = &model->index.compiled_of;
        task = task_of_node(tl, node, run);
        for (uint32_t k = lowered->first[node]; !task && k < lowered->first[node + 1]; k++)
            task = task_of_node(tl, model->all.rows.lowered.compiled[lowered->list[k]].v, run);
    }
    return task;
}

static bool take_around(struct mi_timeline *tl, const char *name, int64_t run, uint32_t *task,
                        struct mi_error *err)
{
    const struct mi_tasks *tasks = &tl->model->all.rows.tasks;
    struct mi_found found;
    if (!mi_find(tl->model, mi_cstr(name), &tl->out->arena, &found, err))
        return false;
    *task = task_meant(tl, &found, run);
    if (!*task)
        return mi_fail(err, MI_ENOTFOUND, "no task of \"%.200s\" ran", name);
    int64_t beside_ns = tasks->dur_ns[*task] < INT64_MAX / AROUND_TIMES
                            ? tasks->dur_ns[*task] * AROUND_TIMES
                            : INT64_MAX;
    beside_ns = beside_ns > AROUND_LEAST_NS ? beside_ns : AROUND_LEAST_NS;
    int64_t start_ns = mi_timeline_start(tl, *task);
    tl->from_ns = mi_ns_sub(start_ns, beside_ns);
    tl->to_ns = mi_ns_add(mi_ns_add(start_ns, tasks->dur_ns[*task]), beside_ns);
    tl->marked = task;
    tl->marked_count = 1;
    return true;
}

static bool choose_window(struct mi_timeline *tl, const struct mi_args *args, uint32_t *marked,
                          struct mi_error *err)
{
    const char *around = mi_args_text(args, "around", NULL);
    bool has_from = mi_args_find(args, "from") != NULL, has_to = mi_args_find(args, "to") != NULL;
    int64_t run = mi_args_int(args, "run", -1), at_ns;
    find_zero(tl);
    take_extent(tl, -1);
    if (around) {
        if (!take_around(tl, around, run >= 0 ? run : default_run(tl->account), marked, err))
            return false;
    } else if (run >= 0 || (!has_from && !has_to)) {
        take_extent(tl, run >= 0 ? run : default_run(tl->account));
    }
    if (has_from) {
        if (!read_time(args, "from", &at_ns, err))
            return false;
        tl->from_ns = mi_ns_add(tl->zero_ns, at_ns);
    }
    if (has_to) {
        if (!read_time(args, "to", &at_ns, err))
            return false;
        tl->to_ns = mi_ns_add(tl->zero_ns, at_ns);
    }
    if (tl->to_ns < tl->from_ns)
        return mi_fail(err, MI_EUSAGE, "the window ends before it begins");
    if (tl->to_ns == tl->from_ns)
        tl->to_ns = mi_ns_add(tl->from_ns, 1);
    return true;
}

/* --- lanes --- */

static bool choose_lanes(struct mi_timeline *tl, const struct mi_args *args)
{
    const struct mi_tracks *tracks = &tl->model->all.rows.tracks;
    const uint32_t *first = tl->model->index.track_first_task;
    struct mi_bytes wanted = mi_cstr(mi_args_text(args, "lanes", NULL));
    tl->is_shown = mi_mem_zero(tracks->count, sizeof *tl->is_shown);
    for (uint32_t t = 0; tl->is_shown && t < tracks->count; t++) {
        char digits[MI_DECIMAL_ROOM];
        size_t len = mi_decimal_format_i64(tracks->native_id[t], digits);
        tl->is_shown[t] =
            first[t] < first[t + 1] &&
            (!wanted.len ||
             mi_glob_match(wanted,
                           mi_describe_track(tl->model, (mi_track_id){t}, &tl->out->arena)) ||
             (t && mi_glob_match(wanted, (struct mi_bytes){(const uint8_t *)digits, len})));
    }
    return tl->is_shown != NULL;
}

static void add_fact(struct mi_report *out, const char *name, const char *title, int64_t number)
{
    mi_report_add_fact(out, &(struct mi_report_fact){.name = name,
                                                     .title = title,
                                                     .kind = MI_CELL_INT,
                                                     .unit = "ns",
                                                     .cell = mi_cell_int(number)});
}

static bool show(struct mi_timeline *tl, const struct mi_args *args, struct mi_error *err)
{
    uint32_t marked = 0;
    if (!choose_lanes(tl, args))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    if (!choose_window(tl, args, &marked, err))
        return false;
    add_fact(tl->out, "from_ns", N_("From"), mi_ns_sub(tl->from_ns, tl->zero_ns));
    add_fact(tl->out, "to_ns", N_("To"), mi_ns_sub(tl->to_ns, tl->zero_ns));
    add_fact(tl->out, "zero_ns", N_("Start of the first task, capture time"), tl->zero_ns);
    return (mi_timeline_draw(tl) && mi_timeline_list(tl)) ||
           mi_fail(err, MI_ENOMEM, "out of memory");
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_account account;
    if (!mi_account_init(&account, model, err))
        return false;
    struct mi_timeline timeline = {.model = model,
                                   .account = &account,
                                   .out = out,
                                   .width = (uint32_t)mi_args_int(args, "width", DEFAULT_WIDTH),
                                   .top = (uint32_t)mi_args_int(args, "top", 0),
                                   .is_raw = mi_args_flag(args, "raw"),
                                   .is_ascii = mi_args_flag(args, "ascii")};
    bool ok = show(&timeline, args, err);
    mi_mem_free(timeline.is_shown);
    mi_account_fini(&account);
    return ok;
}

const struct mi_pass mi_pass_timeline = {
    .name = "timeline",
    .title = N_("What every stream did in a window of time"),
    .needs = MI_HAS_TASKS,
    .params = mi_params_timeline,
    .run = run,
};
