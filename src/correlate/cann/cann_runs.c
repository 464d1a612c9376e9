/* Executions of a loaded model, told apart where its tasks repeat.
 *
 * A loaded model keeps the ids of its tasks, and on each stream they ascend within an execution: an
 * id that is not larger than the one before it begins the next. Ids also wrap at 65536, except on
 * chips whose ids have 32 bits, which shows by larger ones; and inexact
 * clocks swap short tasks: a fall from the top of the range, or one to an id that is new in this
 * execution and started at the same moment, begins nothing. Where a stream has fewer executions
 * than another (records were lost) the starts of the other tell which are missing. Streams of the
 * application, whose ids never repeat, are cut at the tasks that start a model. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"

enum {
    WRAP_FALL = 32768, /* ids fall this far ... */
    WRAP_FROM = 65000, /* ... from here on where they wrap */
    WRAP_AT = 65536,
    SWAP_NS = 2000, /* tasks that started within this may stand in the wrong order */
    MAX_ALIGN_WORK = 4000000
};

struct lane { /* one track */
    int64_t last_id, last_start, last_end;
    uint32_t begins;      /* executions begun */
    uint32_t first_begin; /* place of its starts in `starts` */
    uint32_t collection;
    uint32_t marks; /* tasks that start a model */
    uint32_t tasks, tasks_seen;
    bool is_wide;             /* its ids do not wrap */
    uint32_t model, last_run; /* of lanes without ids: the lane that they go by */
};

struct numbering {
    struct mi_tables *rows;
    const struct mi_model *model;
    uint32_t *order, order_count;
    const uint32_t *collections;
    struct lane *lanes; /* [tracks.count] */
    uint8_t *is_mark;   /* [kernels.count] starts a model */
    uint8_t *is_eager;  /* [collections + 1] every task states that it is of no model */
    int64_t *starts;    /* of the executions of each lane */
    uint32_t *becomes;  /* for each of them the execution of the model that it is */
    struct mi_map seen; /* (track, id) -> execution of its lane, from 1 */
};

static int64_t distance(int64_t a, int64_t b)
{
    int64_t d;
    return __builtin_sub_overflow(a, b, &d) ? INT64_MAX / 4 : d < 0 ? -d : d;
}

/* Where a profile states no ids of tasks, that of the launch serves: a loaded model keeps it, too.
 */
static int64_t id_of(const struct mi_tasks *tasks, uint32_t t)
{
    if (mi_some_get(tasks->native_id[t]) >= 0 ||
        mi_some_u32(tasks->connection[t]) == MI_NO_CONNECTION)
        return mi_some_get(tasks->native_id[t]);
    return mi_some_u32(tasks->connection[t]);
}

static int64_t end_of(const struct mi_tasks *tasks, uint32_t t)
{
    int64_t end;
    return __builtin_add_overflow(tasks->start_raw[t], tasks->dur_ns[t], &end) ? INT64_MAX : end;
}

/* Whether the task is the first of an execution; `seen`: the execution, from 1, in which its id was
 * met last. */
static bool begins_run(const struct lane *lane, const struct mi_tasks *tasks, uint32_t t,
                       uint32_t seen)
{
    int64_t id = id_of(tasks, t);
    if (id > lane->last_id)
        return false;
    if (id == lane->last_id) /* sub-tasks share an id, and lie within each other */
        return tasks->start_raw[t] >= lane->last_end;
    if (!lane->is_wide && lane->last_id >= WRAP_FROM && lane->last_id - id >= WRAP_FALL)
        return false;
    return seen == lane->begins || distance(tasks->start_raw[t], lane->last_start) >= SWAP_NS;
}

/* Counts the executions of each lane; parts of a task share its id, and those of an eager run never
 * come again. tasks.run is the number within the lane. */
static bool begin_runs(struct numbering *n)
{
    struct mi_tasks *tasks = &n->rows->tasks;
    for (uint32_t i = 1; i < n->order_count; i++) {
        uint32_t t = n->order[i], track = tasks->track[t].v;
        struct lane *lane = &n->lanes[track];
        int64_t id = id_of(tasks, t);
        lane->tasks++;
        lane->collection = n->collections[n->rows->tracks.source[track].v];
        lane->marks += n->is_mark[tasks->kernel[t].v];
        if (id < 0 || n->rows->tracks.kind[track] != MI_TRACK_STREAM || tasks->parent[t].v ||
            n->is_eager[lane->collection])
            continue;
        uint32_t *seen = mi_map_at(&n->seen, mi_pair(track, (uint32_t)id));
        if (!seen)
            return false;
        if (!lane->begins || begins_run(lane, tasks, t, *seen))
            lane->begins++;
        *seen = lane->begins;
        tasks->run[t] = lane->begins - 1;
        lane->is_wide |= id >= WRAP_AT;
        lane->last_id = id;
        lane->last_start = tasks->start_raw[t];
        lane->last_end = end_of(tasks, t);
    }
    return true;
}

static bool list_starts(struct numbering *n)
{
    const struct mi_tasks *tasks = &n->rows->tasks;
    uint32_t total = 0;
    for (uint32_t track = 1; track < n->rows->tracks.count; track++) {
        n->lanes[track].first_begin = total;
        total += n->lanes[track].begins;
    }
    n->starts = mi_mem_new((size_t)total + 1, sizeof *n->starts);
    n->becomes = mi_mem_zero((size_t)total + 1, sizeof *n->becomes);
    for (uint32_t i = n->order_count; n->starts && i-- > 1;) { /* the first of a run is left */
        uint32_t t = n->order[i];
        const struct lane *lane = &n->lanes[tasks->track[t].v];
        if (lane->begins)
            n->starts[lane->first_begin + tasks->run[t]] = tasks->start_raw[t];
    }
    return n->starts && n->becomes;
}

/* The lane of the same device that saw most executions; several: the one with most tasks. */
static uint32_t find_model_lane(const struct numbering *n, uint32_t track)
{
    uint32_t best = 0;
    for (uint32_t other = 1; other < n->rows->tracks.count; other++) {
        const struct lane *lane = &n->lanes[other], *chosen = &n->lanes[best];
        if (lane->collection != n->lanes[track].collection || lane->marks || lane->begins < 2 ||
            n->rows->tracks.device[other] != n->rows->tracks.device[track])
            continue;
        if (!best || lane->begins > chosen->begins ||
            (lane->begins == chosen->begins && lane->tasks > chosen->tasks))
            best = other;
    }
    return best;
}

/* --- lanes that miss executions --- */

/* The execution of the model lane that start `at` less `offset` is nearest to. */
static uint32_t nearest(const int64_t *starts, uint32_t count, int64_t at)
{
    uint32_t lo = 0, hi = count - 1;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (starts[middle] < at)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo && distance(starts[lo - 1], at) <= distance(starts[lo], at) ? lo - 1 : lo;
}

/* Clocks of streams may differ, so each execution is tried as that of the lane's first start; the
 * one that leaves least between the starts is taken. Returns that shift in time. */
static int64_t align(const int64_t *own, uint32_t own_count, const int64_t *model, uint32_t count)
{
    int64_t best_shift = 0, best_cost = INT64_MAX;
    uint32_t tries = count - own_count + 1;
    if ((uint64_t)tries * own_count > MAX_ALIGN_WORK)
        tries = 1;
    for (uint32_t k = 0; k < tries; k++) {
        int64_t shift = own[0] - model[k], cost = 0;
        for (uint32_t j = 0; j < own_count; j++) {
            int64_t at = own[j] - shift;
            int64_t more = distance(model[nearest(model, count, at)], at);
            cost = cost > INT64_MAX - more ? INT64_MAX : cost + more;
        }
        if (cost < best_cost ||
            (cost == best_cost && distance(shift, 0) < distance(best_shift, 0))) {
            best_cost = cost;
            best_shift = shift;
        }
    }
    return best_shift;
}

/* What the executions of a lane become that has fewer of them than the model lane: becomes[0 ..
 * own_count - 1], ascending. */
static void find_missing(const int64_t *own, uint32_t own_count, const int64_t *model,
                         uint32_t count, uint32_t *becomes)
{
    int64_t shift = own_count > 1 ? align(own, own_count, model, count) : 0;
    for (uint32_t j = 0; j < own_count; j++)
        becomes[j] = nearest(model, count, own[j] - shift);
}

/* --- lanes of the application --- */

struct application { /* one lane, in the order of time */
    uint32_t *list, count;
    int64_t *starts; /* of models */
    uint32_t *runs;  /* of these starts */
    uint32_t start_count;
};

static void number_starts(const struct numbering *n, uint32_t track, struct application *a)
{
    const struct mi_tasks *tasks = &n->rows->tasks;
    const struct lane *model = &n->lanes[find_model_lane(n, track)];
    a->start_count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (n->is_mark[tasks->kernel[a->list[i]].v]) {
            a->runs[a->start_count] = a->start_count;
            a->starts[a->start_count++] = tasks->start_raw[a->list[i]];
        }
    if (a->start_count < model->begins)
        find_missing(a->starts, a->start_count, &n->starts[model->first_begin], model->begins,
                     a->runs);
}

/* How many tasks fetch the results of a start: as many as stand behind the last one, if these and
 * those before the first one are what stands between each two. UINT32_MAX: they are not. */
static uint32_t count_results(const struct numbering *n, const struct application *a)
{
    const struct mi_tasks *tasks = &n->rows->tasks;
    uint32_t before = 0, since = 0, between = UINT32_MAX, starts = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!n->is_mark[tasks->kernel[a->list[i]].v]) {
            since++;
            continue;
        }
        if (!starts++)
            before = since;
        else if (between != UINT32_MAX && between != since)
            return UINT32_MAX;
        else
            between = since;
        since = 0;
    }
    return between != UINT32_MAX && before + since == between ? since : UINT32_MAX;
}

/* Where in list[from .. to) what belongs to the next start begins: behind the longest pause. Before
 * the first start all belongs to it, unless an earlier start is missing. */
static uint32_t find_cut(const struct numbering *n, const struct application *a, uint32_t from,
                         uint32_t to)
{
    const struct mi_tasks *tasks = &n->rows->tasks;
    int64_t pause = -1;
    uint32_t cut = to;
    for (uint32_t k = from ? from : 1; k <= to && to < a->count; k++) {
        int64_t gap = distance(tasks->start_raw[a->list[k]], end_of(tasks, a->list[k - 1]));
        bool is_alone = k == from && to - from > 1; /* what ran fetches its results */
        cut = gap > pause && !is_alone ? k : cut;
        pause = gap > pause && !is_alone ? gap : pause;
    }
    return cut;
}

/* Between two starts of a model stand what fetches the results of the one and what brings the
 * inputs of the next; where their numbers do not tell them apart, a pause does. */
static void number_application(struct numbering *n, uint32_t track, struct application *a)
{
    struct mi_tasks *tasks = &n->rows->tasks;
    uint32_t mark = 0, results = count_results(n, a);
    number_starts(n, track, a);
    for (uint32_t i = 0, to; i < a->count; i = to + 1) {
        for (to = i; to < a->count && !n->is_mark[tasks->kernel[a->list[to]].v]; to++)
            ;
        uint32_t next = mark < a->start_count ? a->runs[mark] : 0;
        uint32_t before = mark ? a->runs[mark - 1] : next ? next - 1 : 0;
        uint32_t cut = to < a->count ? (mark || next ? find_cut(n, a, i, to) : i) : to;
        if (mark && to < a->count && results != UINT32_MAX)
            cut = i + results;
        for (uint32_t k = i; k < to; k++)
            tasks->run[a->list[k]] = k < cut ? before : next;
        if (to < a->count)
            tasks->run[a->list[to]] = next;
        mark++;
    }
    n->lanes[track].begins = a->start_count;
}

static bool number_applications(struct numbering *n)
{
    const struct mi_tasks *tasks = &n->rows->tasks;
    struct application a = {.list = mi_mem_new(n->order_count, sizeof *a.list)};
    bool ok = a.list != NULL;
    for (uint32_t track = 1; ok && track < n->rows->tracks.count; track++) {
        if (!n->lanes[track].marks)
            continue;
        a.count = 0;
        for (uint32_t i = 1; i < n->order_count; i++)
            if (tasks->track[n->order[i]].v == track)
                a.list[a.count++] = n->order[i];
        a.starts = mi_mem_new(n->lanes[track].marks, sizeof *a.starts);
        a.runs = mi_mem_new(n->lanes[track].marks, sizeof *a.runs);
        ok = a.starts && a.runs;
        if (ok)
            number_application(n, track, &a);
        mi_mem_free(a.starts);
        mi_mem_free(a.runs);
    }
    mi_mem_free(a.list);
    return ok;
}

/* --- the step --- */

static void settle_lane(struct numbering *n, uint32_t track)
{
    const struct lane *lane = &n->lanes[track];
    uint32_t model_track = find_model_lane(n, track);
    const struct lane *model = &n->lanes[model_track];
    uint32_t *becomes = &n->becomes[lane->first_begin];
    if (model_track && model_track != track && lane->begins < model->begins)
        find_missing(&n->starts[lane->first_begin], lane->begins, &n->starts[model->first_begin],
                     model->begins, becomes);
    else
        for (uint32_t j = 0; j < lane->begins; j++)
            becomes[j] = j;
}

/* Collectives have no ids: they belong to the execution that was going on. */
static void number_by_time(struct numbering *n)
{
    struct mi_tasks *tasks = &n->rows->tasks;
    for (uint32_t i = 1; i < n->order_count; i++) {
        uint32_t t = n->order[i], track = tasks->track[t].v;
        if (n->rows->tracks.kind[track] == MI_TRACK_STREAM)
            continue;
        if (!n->lanes[track].tasks_seen++)
            n->lanes[track].model = find_model_lane(n, track);
        const struct lane *model = &n->lanes[n->lanes[track].model];
        const int64_t *starts = &n->starts[model->first_begin];
        uint32_t run = n->lanes[track].last_run;
        while (n->lanes[track].model && run + 1 < model->begins &&
               starts[run + 1] <= tasks->start_raw[t])
            run++;
        tasks->run[t] = n->lanes[track].last_run = run;
    }
}

static void settle(struct numbering *n)
{
    struct mi_tasks *tasks = &n->rows->tasks;
    uint32_t tracks = n->rows->tracks.count;
    number_by_time(n);
    for (uint32_t track = 1; track < tracks; track++)
        if (n->lanes[track].begins)
            settle_lane(n, track);
    for (uint32_t i = 1; i < n->order_count; i++) {
        uint32_t t = n->order[i];
        const struct lane *lane = &n->lanes[tasks->track[t].v];
        if (lane->begins)
            tasks->run[t] = n->becomes[lane->first_begin + tasks->run[t]];
    }
    for (uint32_t i = 1; i < n->order_count; i++) {
        uint32_t t = n->order[i], parent = tasks->parent[t].v;
        for (unsigned depth = 0; parent && depth < 4; depth++) { /* parts run with the whole */
            tasks->run[t] = tasks->run[parent];
            parent = tasks->parent[parent].v;
        }
    }
}

static void find_eager(struct numbering *n)
{
    const struct mi_kernels *kernels = &n->rows->kernels;
    uint8_t *is_other = n->is_eager; /* inverted at the end */
    for (uint32_t i = 1; i < n->order_count; i++) {
        uint32_t kernel = n->rows->tasks.kernel[n->order[i]].v;
        bool is_part = n->rows->tasks.parent[n->order[i]].v != 0;
        is_other[n->collections[kernels->source[kernel].v]] |=
            kernels->model[kernel] != UINT32_MAX && !is_part &&
            kernels->kind[kernel] != MI_TASK_COMMUNICATION; /* tables state none for these */
    }
    for (uint32_t c = 0; c <= n->rows->sources.count; c++)
        n->is_eager[c] = !is_other[c];
}

static void find_marks(struct numbering *n)
{
    const struct mi_kernels *kernels = &n->rows->kernels;
    for (uint32_t k = 1; k < kernels->count; k++)
        n->is_mark[k] =
            mi_bytes_equal(mi_model_text(n->model, kernels->name[k]), MI_LIT("MODEL_EXECUTE"));
}

bool mi_cann_number_runs(struct mi_model *model, struct mi_error *err)
{
    struct mi_tables *rows = &model->all.rows;
    struct numbering n = {.rows = rows, .model = model};
    uint32_t *collections = mi_cann_collections(model);
    n.collections = collections;
    if (collections && !mi_cann_has_any(model, collections)) {
        mi_mem_free(collections);
        return true;
    }
    n.order = collections ? mi_cann_order(model, collections, &n.order_count) : NULL;
    bool ok = n.order != NULL;
    if (ok && n.order_count > 1) {
        n.lanes = mi_mem_zero(rows->tracks.count, sizeof *n.lanes);
        n.is_mark = mi_mem_zero(rows->kernels.count, sizeof *n.is_mark);
        n.is_eager = mi_mem_zero((size_t)rows->sources.count + 2, 1);
        ok = n.lanes && n.is_mark && n.is_eager;
        if (ok) {
            find_eager(&n);
            find_marks(&n);
        }
        ok = ok && begin_runs(&n) && list_starts(&n);
        if (ok)
            settle(&n);
        ok = ok && number_applications(&n);
    }
    mi_mem_free(n.order);
    mi_mem_free(collections);
    mi_mem_free(n.lanes);
    mi_mem_free(n.is_mark);
    mi_mem_free(n.is_eager);
    mi_mem_free(n.starts);
    mi_mem_free(n.becomes);
    mi_map_fini(&n.seen);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while numbering runs");
}
