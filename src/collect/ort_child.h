/* The process that runs the model. ONNX Runtime, and the custom kernels it loads, may crash or exit
 * as they please: they live in a child of their own, which tells its parent how far it came through
 * a page of shared memory. */
#ifndef MI_COLLECT_ORT_CHILD_H
#define MI_COLLECT_ORT_CHILD_H

#include "collect/collector.h"

#include <stdatomic.h>

enum mi_ort_stage { MI_ORT_STAGE_START, MI_ORT_STAGE_LOAD, MI_ORT_STAGE_RUN, MI_ORT_STAGE_CLOSE };

/* Shared by parent and child; zero at the start. The child writes, but for `stop`. */
struct mi_ort_shared {
    atomic_int stage;             /* enum mi_ort_stage: how far it came */
    atomic_bool has_ended;        /* in an orderly way, with or without an error */
    atomic_uint runs_done;        /* warm-up included */
    atomic_bool stop;             /* set by the parent: finish early */
    atomic_bool was_stopped;      /* the child did */
    char version[64];             /* of ONNX Runtime */
    char library[512];            /* what was loaded */
    char shapes[512];             /* what was fed */
    char profile[4200];           /* file name that ONNX Runtime chose */
    uint64_t profile_start_ns;    /* raw time 0 of the profile, ns since 1970 */
    struct mi_error error;        /* why it stopped; MI_OK = it ran to the end */
    struct mi_error no_optimised; /* why there is no optimised model although the model runs */
};

/* Files that the run leaves in the capture folder. */
#define MI_ORT_SOURCE         "source.onnx"
#define MI_ORT_OPTIMISED      "optimised.onnx"
#define MI_ORT_PROFILE        "profile.json"
#define MI_ORT_PARTITION      "partition.json"
#define MI_ORT_PROFILE_PREFIX "ort" /* of the name that ONNX Runtime gives it: ort_<time>.json */
#define MI_ORT_LOG            "onnxruntime.log"
#define MI_ORT_RUNS_DONE      "runs-done" /* setting: runs that ended, where not all of them did */

/* Loads and runs job->model_path; to be called in the child only, which then ends with _exit(). */
void mi_ort_child(const struct mi_collect *job, struct mi_ort_shared *shared);

#endif
