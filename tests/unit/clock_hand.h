/* Streams with clocks of their own, events between them, calls that launch: what calibration is
 * tried on. Times are as exported, in ns. */
#ifndef MI_TESTS_CLOCK_HAND_H
#define MI_TESTS_CLOCK_HAND_H

#include "correlate/clocks/calibrate.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MS 1000000

static struct hand hand;
static mi_kernel_id record_kernel, wait_kernel;

static inline int setup(void **state)
{
    (void)state;
    hand_init(&hand);
    struct mi_batch *all = &hand.model.all;
    struct mi_kernel_row row = {.source = hand.source,
                                .name = hand_str(&hand, "EVENT_RECORD"),
                                .node_index = -1,
                                .kind = MI_TASK_SYNC,
                                .sync = MI_SYNC_RECORD};
    record_kernel = mi_add_kernel(all, &row);
    row.name = hand_str(&hand, "EVENT_WAIT");
    row.sync = MI_SYNC_WAIT;
    wait_kernel = mi_add_kernel(all, &row);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    hand_fini(&hand);
    return 0;
}

/* A stream of device 0 with a clock of its own. */
static inline uint32_t stream(int64_t number)
{
    struct mi_batch *all = &hand.model.all;
    mi_clock_id clock =
        mi_add_clock(all, &(struct mi_clock_row){.name = hand_str(&hand, "stream"),
                                                 .ns_per_tick = 1,
                                                 .residual_ns = -1,
                                                 .note = hand_str(&hand, "as exported")});
    uint32_t track = hand_track(&hand, "stream", number);
    hand.model.all.rows.tracks.clock[track] = clock;
    hand.model.all.rows.tracks.device[track] = 0;
    return track;
}

static inline uint32_t event(uint32_t track, mi_kernel_id kernel, int64_t end, int64_t dur)
{
    return mi_add_task(&hand.model.all, &(struct mi_task_row){.track = {track},
                                                              .kernel = kernel,
                                                              .native_id = -1,
                                                              .start_raw = end - dur,
                                                              .start_ns = end - dur,
                                                              .dur_ns = dur,
                                                              .record_offset = -1})
        .v;
}

/* A record that ends at `record_end` and a wait that ends at `wait_end`, as exported. */
static inline void pair(uint32_t from, int64_t record_end, uint32_t to, int64_t wait_end,
                        int64_t wait_dur)
{
    uint32_t record = event(from, record_kernel, record_end, 20);
    uint32_t wait = event(to, wait_kernel, wait_end, wait_dur);
    mi_add_signal(&hand.model.all, &(struct mi_signal_row){.record = {record},
                                                           .wait = {wait},
                                                           .confidence = MI_LIKELY,
                                                           .rule = hand_str(&hand, "planned")});
}

static inline uint32_t fit_of(uint32_t track)
{
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    for (uint32_t f = 1; f < fits->count; f++)
        if (fits->clock[f].v == hand.model.all.rows.tracks.clock[track].v)
            return f;
    return 0;
}

static inline int64_t moved(uint32_t task)
{
    const struct mi_tasks *tasks = &hand.model.all.rows.tasks;
    return tasks->start_ns[task] - tasks->start_raw[task];
}

static inline void calibrate(void)
{
    struct mi_error err = {0};
    assert_true(mi_calibrate(&hand.model, &err));
}

static inline mi_slice_id call(mi_track_id thread, const char *name, const char *category,
                               mi_slice_id parent, int64_t start, int64_t dur)
{
    return mi_add_slice(&hand.model.all,
                        &(struct mi_slice_row){.track = thread,
                                               .name = hand_str(&hand, name),
                                               .category = hand_str(&hand, category),
                                               .parent = parent,
                                               .start_raw = start,
                                               .start_ns = start,
                                               .dur_ns = dur});
}

static inline mi_track_id host_thread(void)
{
    struct mi_batch *all = &hand.model.all;
    mi_clock_id clock = mi_add_clock(all, &(struct mi_clock_row){.name = hand_str(&hand, "host"),
                                                                 .ns_per_tick = 1,
                                                                 .residual_ns = -1,
                                                                 .note = hand_str(&hand, "x")});
    uint32_t track = hand_track(&hand, "thread", 1);
    all->rows.tracks.clock[track] = clock;
    all->rows.tracks.kind[track] = MI_TRACK_THREAD;
    return (mi_track_id){track};
}

static inline uint32_t launched(uint32_t track, mi_slice_id launch, int64_t start, int64_t dur)
{
    uint32_t task = event(track, record_kernel, start + dur, dur);
    hand.model.all.rows.tasks.launch[task] = launch;
    return task;
}

#endif
