/* The profile holds events in the order of their ends, so on one thread an event comes behind
 * everything that ran inside it. One pass with a stack per thread therefore finds the nesting: an
 * event takes from the top of the stack what started when it had started already. Ends are not
 * compared, because start and duration are cut to whole microseconds each. A file that was
 * sorted anew by some tool is first put back into the order of ends. */
#include "parse/formats/ort/ort_profile_nest.h"

#include "base/mem.h"
#include "base/vec.h"

#include <stdlib.h>

#define FRAME_BIT UINT32_C(0x80000000)

enum { RUN_UNKNOWN = -1 };

/* What is known of a frame once everything was seen. */
struct place {
    uint32_t task;  /* control-flow task that it is a turn of; 0 = none */
    uint32_t outer; /* frame that encloses it directly, + 1; 0 = none */
    uint32_t turn;
    int64_t run;
};

struct stack {
    uint32_t *list; /* task rows, and frames with FRAME_BIT */
    uint32_t count, room;
};

struct span {
    int64_t start_us, end_us;
};

struct work {
    struct mi_ort_nest *nest;
    struct mi_batch *batch;
    struct place *places; /* [frame_count] */
    struct stack *stacks; /* [tracks.count] by thread */
    uint32_t *order;      /* [order_count] tasks and frames in the order of their ends */
    uint32_t order_count;
    uint32_t *runs; /* [closed_runs] frames by start */
    uint32_t closed_runs;
    uint32_t last_run; /* where the search for a run begins */
};

static void out_of_memory(struct mi_batch *batch)
{
    mi_batch_fail(batch, MI_ENOMEM, "out of memory for the nesting of events");
}

void mi_ort_nest_add(struct mi_ort_nest *nest, mi_slice_id slice, bool is_run)
{
    if (!slice.v)
        return;
    if (nest->frame_count == nest->frame_room) {
        uint32_t room = nest->frame_room ? nest->frame_room * 2 : 64;
        void *moved =
            room < FRAME_BIT ? mi_mem_resize(nest->frames, room, sizeof *nest->frames) : NULL;
        if (!moved) {
            out_of_memory(nest->batch);
            return;
        }
        nest->frames = moved;
        nest->frame_room = room;
    }
    nest->frames[nest->frame_count++] = (struct mi_ort_frame){
        .slice = slice.v, .tasks_before = nest->batch->rows.tasks.count, .is_run = is_run};
}

void mi_ort_nest_fini(struct mi_ort_nest *nest)
{
    mi_mem_free(nest->frames);
    nest->frames = NULL;
}

/* --- order --- */

static struct span span_of(const struct work *w, uint32_t code)
{
    const struct mi_tables *rows = &w->batch->rows;
    int64_t start, dur_ns;
    if (code & FRAME_BIT) {
        uint32_t slice = w->nest->frames[code & ~FRAME_BIT].slice;
        start = rows->slices.start_raw[slice];
        dur_ns = rows->slices.dur_ns[slice];
    } else {
        start = rows->tasks.start_raw[code];
        dur_ns = rows->tasks.dur_ns[code];
    }
    return (struct span){start, start + dur_ns / 1000};
}

static uint32_t thread_of(const struct work *w, uint32_t code)
{
    const struct mi_tables *rows = &w->batch->rows;
    return code & FRAME_BIT ? rows->slices.track[w->nest->frames[code & ~FRAME_BIT].slice].v
                            : rows->tasks.thread[code].v;
}

/* Tasks and frames as they stand in the file. */
static bool list_events(struct work *w)
{
    const struct mi_ort_nest *nest = w->nest;
    uint32_t tasks = w->batch->rows.tasks.count, frame = 0;
    w->order = mi_mem_new((size_t)tasks + nest->frame_count, sizeof *w->order);
    if (!w->order)
        return false;
    for (uint32_t t = 1; t <= tasks; t++) {
        while (frame < nest->frame_count && nest->frames[frame].tasks_before <= t)
            w->order[w->order_count++] = FRAME_BIT | frame++;
        if (t < tasks && w->batch->rows.tasks.thread[t].v)
            w->order[w->order_count++] = t;
    }
    return true;
}

/* On each thread the ends must not fall by more than what the rounding explains. */
static bool ends_ascend(const struct work *w, int64_t *last_end)
{
    for (uint32_t i = 0; i < w->order_count; i++) {
        int64_t end = span_of(w, w->order[i]).end_us, *last = &last_end[thread_of(w, w->order[i])];
        if (end < *last - 2)
            return false;
        if (end > *last)
            *last = end;
    }
    return true;
}

struct sort_key {
    struct span span;
    uint32_t code;
    int rank; /* of equal spans the outer one comes last */
};

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    if (a->span.end_us != b->span.end_us)
        return a->span.end_us < b->span.end_us ? -1 : 1;
    if (a->span.start_us != b->span.start_us)
        return a->span.start_us > b->span.start_us ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    return a->code < b->code ? -1 : a->code > b->code;
}

static int rank_of(const struct work *w, uint32_t code)
{
    const struct mi_tables *rows = &w->batch->rows;
    if (code & FRAME_BIT)
        return w->nest->frames[code & ~FRAME_BIT].is_run ? 3 : 1;
    return rows->kernels.kind[rows->tasks.kernel[code].v] == MI_TASK_CONTROL ? 2 : 0;
}

static bool sort_events(struct work *w)
{
    struct sort_key *keys = mi_mem_new((size_t)w->order_count + 1, sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t i = 0; i < w->order_count; i++)
        keys[i] = (struct sort_key){span_of(w, w->order[i]), w->order[i], rank_of(w, w->order[i])};
    qsort(keys, w->order_count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < w->order_count; i++)
        w->order[i] = keys[i].code;
    mi_mem_free(keys);
    return true;
}

static bool put_in_order(struct work *w)
{
    uint32_t threads = w->batch->rows.tracks.count;
    int64_t *last_end = mi_mem_new((size_t)threads + 1, sizeof *last_end);
    if (!last_end)
        return false;
    for (uint32_t i = 0; i <= threads; i++)
        last_end[i] = INT64_MIN / 2;
    w->nest->was_sorted = !ends_ascend(w, last_end);
    mi_mem_free(last_end);
    return !w->nest->was_sorted || sort_events(w);
}

/* --- nesting --- */

static bool push(struct stack *stack, uint32_t code)
{
    if (!mi_vec_room(&stack->list, &stack->room, stack->count, sizeof *stack->list))
        return false;
    stack->list[stack->count++] = code;
    return true;
}

/* A task takes the executions of its bodies, which are on top of the stack. */
static void take_bodies(struct work *w, struct stack *stack, uint32_t task, int64_t start_us)
{
    uint32_t first = stack->count;
    while (first && stack->list[first - 1] & FRAME_BIT &&
           span_of(w, stack->list[first - 1]).start_us >= start_us)
        first--;
    for (uint32_t i = first; i < stack->count; i++) {
        struct place *place = &w->places[stack->list[i] & ~FRAME_BIT];
        place->task = task;
        place->turn = i - first;
    }
    if (first < stack->count) {
        struct mi_tables *rows = &w->batch->rows;
        rows->kernels.kind[rows->tasks.kernel[task].v] = MI_TASK_CONTROL;
    }
    stack->count = first;
}

/* A frame takes everything that started within it. The parent column of its tasks holds the frame
 * until the frames' own places are known. */
static void take_content(struct work *w, struct stack *stack, uint32_t frame, int64_t start_us)
{
    while (stack->count && span_of(w, stack->list[stack->count - 1]).start_us >= start_us) {
        uint32_t code = stack->list[--stack->count];
        if (code & FRAME_BIT)
            w->places[code & ~FRAME_BIT].outer = frame + 1;
        else
            w->batch->rows.tasks.parent[code].v = frame + 1;
    }
}

static bool nest_events(struct work *w)
{
    for (uint32_t i = 0; i < w->order_count; i++) {
        uint32_t code = w->order[i], frame = code & ~FRAME_BIT;
        struct stack *stack = &w->stacks[thread_of(w, code)];
        int64_t start_us = span_of(w, code).start_us;
        if (!(code & FRAME_BIT))
            take_bodies(w, stack, code, start_us);
        else
            take_content(w, stack, frame, start_us);
        bool is_run = code & FRAME_BIT && w->nest->frames[frame].is_run;
        if (!is_run && !push(stack, code))
            return false;
    }
    return true;
}

/* --- runs --- */

static int compare_runs(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    if (a->span.start_us != b->span.start_us)
        return a->span.start_us < b->span.start_us ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

static bool number_runs(struct work *w)
{
    const struct mi_ort_nest *nest = w->nest;
    struct sort_key *keys = mi_mem_new((size_t)nest->frame_count + 1, sizeof *keys);
    w->runs = mi_mem_new((size_t)nest->frame_count + 1, sizeof *w->runs);
    if (!keys || !w->runs) {
        mi_mem_free(keys);
        return false;
    }
    for (uint32_t f = 0; f < nest->frame_count; f++)
        if (nest->frames[f].is_run)
            keys[w->closed_runs++] =
                (struct sort_key){.span = span_of(w, FRAME_BIT | f), .code = f};
    qsort(keys, w->closed_runs, sizeof *keys, compare_runs);
    for (uint32_t r = 0; r < w->closed_runs; r++) {
        w->runs[r] = keys[r].code;
        w->places[keys[r].code].run = r;
    }
    mi_mem_free(keys);
    return true;
}

/* The run whose time a start lies in: the last one that had begun. Behind the end of the last run
 * lies a run that was never closed. */
static uint32_t run_at(struct work *w, int64_t start_us)
{
    uint32_t low = 0, high = w->closed_runs;
    if (w->closed_runs == 0)
        return 0;
    if (w->last_run + 1 < w->closed_runs &&
        span_of(w, FRAME_BIT | w->runs[w->last_run]).start_us <= start_us &&
        span_of(w, FRAME_BIT | w->runs[w->last_run + 1]).start_us > start_us)
        return w->last_run;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (span_of(w, FRAME_BIT | w->runs[middle]).start_us <= start_us)
            low = middle;
        else
            high = middle;
    }
    w->last_run = low;
    bool is_last = low + 1 == w->closed_runs;
    return is_last && start_us > span_of(w, FRAME_BIT | w->runs[low]).end_us + 1 ? low + 1 : low;
}

/* Outer frames come later in the order of ends, so a frame is placed after the one around it. */
static void place_frames(struct work *w)
{
    const struct mi_tasks *tasks = &w->batch->rows.tasks;
    for (uint32_t i = w->order_count; i-- > 0;) {
        if (!(w->order[i] & FRAME_BIT))
            continue;
        struct place *place = &w->places[w->order[i] & ~FRAME_BIT];
        uint32_t outer = place->task ? tasks->parent[place->task].v : place->outer;
        if (outer && place->run == RUN_UNKNOWN)
            place->run = w->places[outer - 1].run;
        if (outer && !place->task) { /* one graph directly within another: the same place */
            place->task = w->places[outer - 1].task;
            place->turn = w->places[outer - 1].turn;
        }
    }
}

static void note_run(struct work *w, uint32_t run)
{
    if (run >= w->closed_runs)
        w->nest->has_unclosed_run = true;
    if (run >= w->nest->run_count)
        w->nest->run_count = run + 1;
}

static void place_tasks(struct work *w)
{
    struct mi_tables *rows = &w->batch->rows;
    struct mi_tasks *tasks = &rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        int64_t run = RUN_UNKNOWN;
        if (tasks->thread[t].v) {
            uint32_t frame = tasks->parent[t].v;
            tasks->parent[t].v = frame ? w->places[frame - 1].task : 0;
            tasks->turn[t] = frame ? w->places[frame - 1].turn : 0;
            run = frame ? w->places[frame - 1].run : RUN_UNKNOWN;
        } else if (tasks->parent[t].v) { /* stands before it */
            run = tasks->run[tasks->parent[t].v];
        }
        tasks->run[t] = run == RUN_UNKNOWN ? run_at(w, tasks->start_raw[t]) : (uint32_t)run;
        note_run(w, tasks->run[t]);
    }
    for (uint32_t f = 0; f < w->nest->frame_count; f++) {
        uint32_t slice = w->nest->frames[f].slice;
        int64_t run = w->places[f].run;
        rows->slices.run[slice] =
            run == RUN_UNKNOWN ? run_at(w, rows->slices.start_raw[slice]) : (uint32_t)run;
        note_run(w, rows->slices.run[slice]);
    }
}

/* --- threads --- */

/* In the order of ends two tasks overlap if the later one started before the other had ended. Only
 * the latest end of another thread matters: the two best are kept. */
static bool threads_meet(const struct work *w)
{
    const struct mi_tables *rows = &w->batch->rows;
    uint32_t best_thread = 0;
    int64_t best_end = INT64_MIN / 2, other_end = INT64_MIN / 2;
    for (uint32_t i = 0; i < w->order_count; i++) {
        uint32_t t = w->order[i];
        if (t & FRAME_BIT || rows->kernels.kind[rows->tasks.kernel[t].v] == MI_TASK_CONTROL)
            continue;
        struct span span = span_of(w, t);
        uint32_t thread = rows->tasks.thread[t].v;
        int64_t end_elsewhere = thread == best_thread ? other_end : best_end;
        if (span.start_us + 1 < end_elsewhere)
            return true;
        if (thread != best_thread) {
            other_end = best_end;
            best_thread = thread;
            best_end = span.end_us;
        } else if (span.end_us > best_end) {
            best_end = span.end_us;
        }
    }
    return false;
}

void mi_ort_nest_resolve(struct mi_ort_nest *nest)
{
    struct work w = {.nest = nest, .batch = nest->batch};
    uint32_t threads = nest->batch->rows.tracks.count;
    if (mi_batch_failed(nest->batch) || nest->batch->rows.tasks.count >= FRAME_BIT)
        return;
    w.places = mi_mem_zero((size_t)nest->frame_count + 1, sizeof *w.places);
    w.stacks = mi_mem_zero((size_t)threads + 1, sizeof *w.stacks);
    for (uint32_t f = 0; w.places && f < nest->frame_count; f++)
        w.places[f].run = RUN_UNKNOWN;
    if (w.places && w.stacks && list_events(&w) && put_in_order(&w) && number_runs(&w) &&
        nest_events(&w)) {
        nest->run_count = w.closed_runs;
        place_frames(&w);
        place_tasks(&w);
        nest->tasks_of_threads_meet = threads_meet(&w);
    } else {
        out_of_memory(nest->batch);
    }
    for (uint32_t i = 0; w.stacks && i < threads; i++)
        mi_mem_free(w.stacks[i].list);
    mi_mem_free(w.stacks);
    mi_mem_free(w.places);
    mi_mem_free(w.order);
    mi_mem_free(w.runs);
}
