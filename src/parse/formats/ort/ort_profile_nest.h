/* Who ran inside whom: runs of the model, bodies of control-flow nodes. */
#ifndef MI_PARSE_FORMATS_ORT_PROFILE_NEST_H
#define MI_PARSE_FORMATS_ORT_PROFILE_NEST_H

#include "model/batch.h"

/* A session event that encloses others on its thread: `model_run`, or the execution of one graph.
 */
struct mi_ort_frame {
    uint32_t slice;
    uint32_t tasks_before; /* rows of tasks.count when it was read: its place among the tasks */
    bool is_run;
};

struct mi_ort_nest {
    struct mi_batch *batch;
    struct mi_ort_frame *frames; /* [frame_count], in the order of the file */
    uint32_t frame_count, frame_room;
    uint32_t run_count;         /* out: runs, with one that was never closed */
    bool has_unclosed_run;      /* out: tasks stand behind the last closed run */
    bool was_sorted;            /* out: events did not stand in the order of their ends */
    bool tasks_of_threads_meet; /* out: tasks of two threads ran at the same time */
};

/* Remembers a slice as a frame. The batch fails when memory is out. */
void mi_ort_nest_add(struct mi_ort_nest *nest, mi_slice_id slice, bool is_run);

/* Sets parent, turn and run of the tasks and run of the slices, and the kind of the kernels that
 * enclose others. Tasks without a thread (device kernels) keep their parent, which stands before
 * them, and get its run, or that which their start lies in. */
void mi_ort_nest_resolve(struct mi_ort_nest *nest);

void mi_ort_nest_fini(struct mi_ort_nest *nest);

#endif
