/* Writes ONNX Runtime profiles of any size, in ORT's own layout, for tests and benchmarks. */
#ifndef MI_TESTS_MAKE_ORT_PROFILE_H
#define MI_TESTS_MAKE_ORT_PROFILE_H

#include "base/sink.h"

struct mi_make_ort_profile {
    uint32_t event_count;   /* events of all kinds; what does not fit is cut, as ORT does */
    uint32_t nodes_per_run; /* kernels of the main graph per run, at least 1 */
    uint32_t loop_turns;    /* > 0: the last node is a Loop with three body kernels per turn */
    uint32_t threads;       /* kernels go round robin over these; 0 = 1 */
    bool fences;            /* two fence events around each kernel, as up to 1.20 */
    bool unclosed;          /* no `]` at the end */
};

/* The same options give the same bytes. A kernel event is about 600 bytes long. */
void mi_make_ort_profile(struct mi_sink *sink, const struct mi_make_ort_profile *options);

/* Writes the name of main-graph node `index` in such a profile to `name`, and returns its type. */
const char *mi_make_ort_profile_node(char *name, size_t room, uint32_t index);

#endif
