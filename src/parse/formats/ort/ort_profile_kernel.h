/* Kernel rows of an ONNX Runtime profile: one per distinct launch signature. */
#ifndef MI_PARSE_FORMATS_ORT_PROFILE_KERNEL_H
#define MI_PARSE_FORMATS_ORT_PROFILE_KERNEL_H

#include "base/map.h"
#include "base/scratch.h"
#include "model/batch.h"
#include "parse/formats/ort/ort_profile_event.h"

/* Finds the row of an event without building any text when the same event was seen before: the raw
 * slices of its args are compared. */
struct mi_ort_kernels {
    struct mi_batch *batch;
    uint32_t max_name_bytes;
    struct mi_ort_signature *seen; /* [seen_count], by order of appearance; [0] unused */
    uint32_t seen_count, seen_room;
    uint32_t *first_seen; /* [name_room] id of the node's name -> row of `seen`; 0 = none */
    uint32_t name_room;
    struct mi_map rows; /* hash of the normalised columns -> kernel row */
    struct mi_scratch scratch;
};

void mi_ort_kernels_init(struct mi_ort_kernels *kernels, struct mi_batch *batch,
                         uint32_t max_name_bytes);
void mi_ort_kernels_fini(struct mi_ort_kernels *kernels);

/* The kernel row of `event`, which runs node `node_name` and is called `name`; none: the batch has
 * failed. */
mi_kernel_id mi_ort_kernel_of(struct mi_ort_kernels *kernels, const struct mi_ort_event *event,
                              struct mi_bytes name, struct mi_bytes node_name);

/* `[{"float":[1,3]},{"int64":[]}]` as `float32[1,3];int64[]`, in `scratch` until its next use;
 * what is no such list is taken as it stands. */
struct mi_bytes mi_ort_shapes(struct mi_bytes raw, struct mi_scratch *scratch);

#endif
