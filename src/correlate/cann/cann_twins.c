/* The same tasks told by several files: op_summary has the operators with their counters, task_time
 * everything on the streams, kernel_details is op_summary once more; a trace and a database tell of
 * all of it again, with the calls that launched it.
 *
 * Rows of one start, stream and task id are one task; rows without a stream (collectives, tables of
 * the lowest profiler level) are the task of that start and name. The row that describes its kernel
 * best stays and takes over what the others know besides. */
#include "correlate/cann/cann_twins.h"

#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cann/cann_tables.h"
#include "model/drop.h"
#include "model/sort.h"

enum {
    MAX_LOOSE_BLOCK = 4096, /* rows of one start among which pairs by name are looked for */
    MAX_NEAR = 64,
    NEAR_NS = 10,    /* exporters compute collectives with parts of a nanosecond */
    ROUNDING_NS = 1, /* ... and cut them */
};

/* --- order --- */

/* All that makes up the key of a task; then what tells copies of one row from others. */
static bool key_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tasks *tasks = &rows->tasks;
    if (tasks->start_raw[a] != tasks->start_raw[b])
        return tasks->start_raw[a] > tasks->start_raw[b];
    if (tasks->track[a].v != tasks->track[b].v)
        return tasks->track[a].v > tasks->track[b].v;
    if (mi_some_get(tasks->native_id[a]) != mi_some_get(tasks->native_id[b]))
        return mi_some_get(tasks->native_id[a]) > mi_some_get(tasks->native_id[b]);
    if (mi_cann_source_in(rows, a) != mi_cann_source_in(rows, b))
        return mi_cann_source_in(rows, a) > mi_cann_source_in(rows, b);
    if (tasks->dur_ns[a] != tasks->dur_ns[b])
        return tasks->dur_ns[a] > tasks->dur_ns[b];
    return tasks->kernel[a].v > tasks->kernel[b].v;
}

uint32_t *mi_cann_order(const struct mi_model *model, const uint32_t *collections, uint32_t *count)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t *order = mi_mem_new(rows->tasks.count, sizeof *order);
    *count = 1;
    if (!order)
        return NULL;
    order[0] = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        if (collections[rows->kernels.source[rows->tasks.kernel[t].v].v])
            order[(*count)++] = t;
    if (!mi_rows_sort(rows, order, *count, key_behind)) {
        mi_mem_free(order);
        return NULL;
    }
    return order;
}

/* --- joining two rows --- */

/* Work of another kind; what the kind is not known of contradicts nothing. */
static bool kinds_differ(const struct mi_kernels *kernels, uint32_t a, uint32_t b)
{
    return kernels->kind[a] != kernels->kind[b] && kernels->kind[a] != MI_TASK_OTHER &&
           kernels->kind[b] != MI_TASK_OTHER;
}

static void join(struct mi_cann_twins *tw, uint32_t kept, uint32_t dropped)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    uint32_t source = mi_cann_source_of(tw, dropped);
    struct mi_cann_tally *tally = &tw->tallies[source];
    mi_cann_count_one(tw, &tally->twice, dropped);
    int64_t longer = tasks->dur_ns[kept] - tasks->dur_ns[dropped];
    if (longer > ROUNDING_NS || longer < -ROUNDING_NS)
        mi_cann_count_one(tw, &tally->durations, dropped);
    if (kinds_differ(&tw->rows->kernels, tasks->kernel[kept].v, tasks->kernel[dropped].v))
        mi_cann_count_one(tw, &tally->kinds, dropped);
    mi_cann_hand_over(tw->model, kept, dropped);
    tw->instead[dropped] = kept;
    mi_cann_take(tw, kept, source);
}

/* --- rows of one key --- */

/* Rows that are alike in all columns of the model are one task written twice; but sub-tasks of one
 * parent may well be alike. */
static void drop_copies(struct mi_cann_twins *tw, uint32_t from, uint32_t end)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    for (uint32_t i = from + 1; i < end; i++) {
        uint32_t a = tw->order[i - 1], b = tw->order[i];
        if (tasks->kernel[a].v != tasks->kernel[b].v || tasks->dur_ns[a] != tasks->dur_ns[b] ||
            tasks->parent[b].v)
            continue;
        tw->instead[b] = mi_cann_is_alive(tw, a) ? a : tw->instead[a];
        mi_cann_count_one(tw, &tw->tallies[mi_cann_source_of(tw, b)].repeated, b);
    }
}

/* The source whose rows stay: that of the richest row; of equal ones the first. */
static uint32_t choose_source(const struct mi_cann_twins *tw, uint32_t from, uint32_t end)
{
    uint32_t best = tw->order[from];
    for (uint32_t i = from + 1; i < end; i++)
        if (mi_cann_richness(tw->model, tw->order[i]) > mi_cann_richness(tw->model, best))
            best = tw->order[i];
    return mi_cann_source_of(tw, best);
}

/* The end of the rows of one source from place `at` on. */
static uint32_t source_end(const struct mi_cann_twins *tw, uint32_t at, uint32_t end)
{
    uint32_t source = mi_cann_source_of(tw, tw->order[at]);
    while (at < end && mi_cann_source_of(tw, tw->order[at]) == source)
        at++;
    return at;
}

/* The rows [b, b_end) of a source are tasks of those [a, a_end) that stay, both by duration: first
 * those of equal length, then the rest in order. */
static void join_source(struct mi_cann_twins *tw, uint32_t a, uint32_t a_end, uint32_t b,
                        uint32_t b_end)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    uint32_t source = mi_cann_source_of(tw, tw->order[b]);
    for (uint32_t i = a, k = b; i < a_end && k < b_end;) {
        uint32_t kept = tw->order[i], other = tw->order[k];
        bool is_equal = tasks->dur_ns[kept] == tasks->dur_ns[other];
        bool can_join = mi_cann_is_alive(tw, kept) && mi_cann_is_alive(tw, other) && is_equal;
        bool goes_on = !mi_cann_is_alive(tw, kept) || can_join ||
                       (mi_cann_is_alive(tw, other) && tasks->dur_ns[kept] < tasks->dur_ns[other]);
        k += can_join || !goes_on;
        i += goes_on;
        if (can_join)
            join(tw, kept, other);
    }
    for (uint32_t i = a, k = b; i < a_end && k < b_end;) {
        uint32_t kept = tw->order[i], other = tw->order[k];
        bool is_free = mi_cann_is_alive(tw, kept) && mi_cann_taken(tw, kept) != source;
        bool can_join = is_free && mi_cann_is_alive(tw, other);
        k += can_join || !mi_cann_is_alive(tw, other);
        i += can_join || !is_free;
        if (can_join)
            join(tw, kept, other);
    }
}

/* The rows of one stream, id and start, in [from, end) of the order. */
static void join_key(struct mi_cann_twins *tw, uint32_t from, uint32_t end)
{
    uint32_t stays = choose_source(tw, from, end), a = from, a_end;
    while (mi_cann_source_of(tw, tw->order[a]) != stays)
        a = source_end(tw, a, end);
    a_end = source_end(tw, a, end);
    for (uint32_t b = from, b_end; b < end; b = b_end) {
        b_end = source_end(tw, b, end);
        if (b != a)
            join_source(tw, a, a_end, b, b_end);
    }
}

/* --- rows without a stream --- */

static mi_str_id shown_name(const struct mi_kernels *kernels, uint32_t kernel)
{
    return kernels->node_name[kernel].v ? kernels->node_name[kernel] : kernels->name[kernel];
}

static bool is_loose_twin(const struct mi_cann_twins *tw, uint32_t a, uint32_t b)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    const struct mi_kernels *kernels = &tw->rows->kernels;
    uint32_t track_a = tasks->track[a].v, track_b = tasks->track[b].v;
    return mi_cann_source_of(tw, a) != mi_cann_source_of(tw, b) &&
           tw->collections[mi_cann_source_of(tw, a)] == tw->collections[mi_cann_source_of(tw, b)] &&
           tw->rows->tracks.device[track_a] == tw->rows->tracks.device[track_b] &&
           shown_name(kernels, tasks->kernel[a].v).v == shown_name(kernels, tasks->kernel[b].v).v;
}

/* A stream tells more than a lane of collectives, and that more than no lane at all. */
static unsigned lane_rank(const struct mi_cann_twins *tw, uint32_t task)
{
    unsigned kind = tw->rows->tracks.kind[tw->rows->tasks.track[task].v];
    return kind == MI_TRACK_STREAM ? 2 : kind == MI_TRACK_GROUP ? 1 : 0;
}

static bool stays_before(const struct mi_cann_twins *tw, uint32_t a, uint32_t b)
{
    if (lane_rank(tw, a) != lane_rank(tw, b))
        return lane_rank(tw, a) > lane_rank(tw, b);
    if (mi_cann_richness(tw->model, a) != mi_cann_richness(tw->model, b))
        return mi_cann_richness(tw->model, a) > mi_cann_richness(tw->model, b);
    return mi_cann_source_of(tw, a) < mi_cann_source_of(tw, b);
}

/* Joins rows without a stream to those of the same start and name. */
static void join_loose(struct mi_cann_twins *tw, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        uint32_t a = tw->order[i];
        for (uint32_t k = from; mi_cann_is_loose(tw, a) && mi_cann_is_alive(tw, a) && k < end;
             k++) {
            uint32_t b = tw->order[k];
            if (b == a || !mi_cann_is_alive(tw, b) || !is_loose_twin(tw, a, b))
                continue;
            uint32_t kept = stays_before(tw, a, b) ? a : b, other = kept == a ? b : a;
            if (mi_cann_taken(tw, kept) != mi_cann_source_of(tw, other))
                join(tw, kept, other);
        }
    }
}

/* Rows that start nearly at once, of which one has no stream. */
static void join_near(struct mi_cann_twins *tw, uint32_t at)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    uint32_t a = tw->order[at];
    for (uint32_t k = at + 1; k < tw->order_count && k - at < MAX_NEAR && mi_cann_is_alive(tw, a);
         k++) {
        uint32_t b = tw->order[k];
        if (tasks->start_raw[b] - NEAR_NS > tasks->start_raw[a])
            return;
        if (!mi_cann_is_alive(tw, b) || (!mi_cann_is_loose(tw, a) && !mi_cann_is_loose(tw, b)) ||
            !is_loose_twin(tw, a, b))
            continue;
        uint32_t kept = stays_before(tw, a, b) ? a : b, other = kept == a ? b : a;
        if (mi_cann_taken(tw, kept) != mi_cann_source_of(tw, other))
            join(tw, kept, other);
    }
}

/* --- all --- */

static bool same_key(const struct mi_tasks *tasks, uint32_t a, uint32_t b)
{
    return tasks->track[a].v == tasks->track[b].v &&
           mi_some_get(tasks->native_id[a]) == mi_some_get(tasks->native_id[b]);
}

/* All rows of one start, in [from, end) of the order. */
static void join_start(struct mi_cann_twins *tw, uint32_t from, uint32_t end)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    bool any_loose = false;
    for (uint32_t i = from, next; i < end; i = next) {
        bool is_here_loose = mi_cann_is_loose(tw, tw->order[i]);
        for (next = i + 1; next < end && same_key(tasks, tw->order[i], tw->order[next]); next++)
            ;
        any_loose |= is_here_loose;
        if (next - i == 1)
            continue;
        drop_copies(tw, i, next);
        if (!is_here_loose)
            join_key(tw, i, next);
    }
    if (any_loose && end - from > 1 && end - from <= MAX_LOOSE_BLOCK)
        join_loose(tw, from, end);
}

/* Rows that stay point to themselves, and copies of a row that turned out to be a twin itself past
 * it. */
static void straighten(struct mi_cann_twins *tw)
{
    for (uint32_t t = 0; t < tw->rows->tasks.count; t++)
        if (mi_cann_is_alive(tw, t))
            tw->instead[t] = t;
    for (uint32_t i = 1; i < tw->order_count; i++) {
        uint32_t task = tw->order[i], to = tw->instead[task];
        while (tw->instead[to] != to)
            to = tw->instead[to];
        tw->instead[task] = to;
    }
}

/* --- the step --- */

static bool join_all(struct mi_cann_twins *tw)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    for (uint32_t t = 0; t < tasks->count; t++)
        mi_cann_take(tw, t, 0);
    bool any_loose = mi_cann_find_scopes(tw);
    for (uint32_t from = 1, end; from < tw->order_count; from = end) {
        int64_t start = tasks->start_raw[tw->order[from]];
        for (end = from + 1; end < tw->order_count; end++)
            if (tasks->start_raw[tw->order[end]] != start)
                break;
        if (end - from > 1)
            join_start(tw, from, end);
    }
    for (uint32_t i = 1; any_loose && i < tw->order_count; i++)
        join_near(tw, i);
    mi_cann_count_alone(tw);
    straighten(tw);
    mi_cann_report_twins(tw);
    /* dropping needs memory of its own: what it does not ask for goes first */
    mi_mem_free(tw->order);
    tw->order = NULL;
    return mi_table_drop(tw->rows, MI_T_tasks, tw->instead);
}

/* [tracks.count] 1 where tasks lie. */
static uint8_t *find_lanes(const struct mi_tables *rows)
{
    uint8_t *had = mi_mem_zero(rows->tracks.count, 1);
    for (uint32_t t = 1; had && t < rows->tasks.count; t++)
        had[rows->tasks.track[t].v] = 1;
    return had;
}

static bool merge_tasks(struct mi_cann_twins *tw)
{
    uint32_t count = tw->rows->tasks.count;
    tw->order = mi_cann_order(tw->model, tw->collections, &tw->order_count);
    tw->instead = mi_mem_new(count, sizeof *tw->instead);
    tw->is_parent = mi_mem_zero(count, 1);
    tw->tallies = mi_mem_zero(tw->rows->sources.count, sizeof *tw->tallies);
    bool has_numbers = count <= UINT32_MAX - tw->rows->sources.count; /* for mi_cann_take() */
    bool ok =
        has_numbers && tw->order && tw->instead && tw->is_parent && tw->tallies && join_all(tw);
    mi_mem_free(tw->order);
    mi_mem_free(tw->instead);
    mi_mem_free(tw->is_parent);
    mi_mem_free(tw->tallies);
    return ok;
}

bool mi_cann_merge_twins(struct mi_model *model, struct mi_error *err)
{
    uint32_t *collections = mi_cann_collections(model);
    struct mi_cann_twins tw = {
        .model = model, .rows = &model->all.rows, .collections = collections};
    if (collections && !mi_cann_has_any(model, collections)) {
        mi_mem_free(collections);
        return true;
    }
    bool ok = collections && mi_cann_unite_tracks(model, collections);
    uint8_t *had_tasks = ok ? find_lanes(tw.rows) : NULL;
    ok = had_tasks && merge_tasks(&tw) && mi_cann_find_sub_tasks(model, collections) &&
         mi_cann_merge_host_rows(model, collections) &&
         mi_cann_merge_counters(model, collections) &&
         mi_cann_drop_unused(model, collections, had_tasks);
    mi_mem_free(had_tasks);
    mi_mem_free(collections);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while joining files of one run");
}
