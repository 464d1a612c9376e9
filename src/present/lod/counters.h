/* Counters at any scale: of all samples within one step of time the least, the greatest, the last.
 */
#ifndef MI_PRESENT_LOD_COUNTERS_H
#define MI_PRESENT_LOD_COUNTERS_H

#include "model/model.h"

struct mi_counter_series {
    const struct mi_model *model;
    struct mi_csr samples;    /* counter -> samples, by time */
    double *least, *greatest; /* [counters.count] of all its samples */
};

/* Samples that are no numbers are left out. */
bool mi_counter_series_init(struct mi_counter_series *series, const struct mi_model *model,
                            struct mi_error *err);
void mi_counter_series_fini(struct mi_counter_series *series);

struct mi_counter_step {
    int64_t at_ns; /* of the first sample */
    double least, greatest, last;
};

/* What a counter showed in [from_ns, to_ns), one entry per step at most, and before them the last
 * sample before from_ns; returns how many of `out` [room] were filled. */
uint32_t mi_counter_series_query(const struct mi_counter_series *series, uint32_t counter,
                                 int64_t from_ns, int64_t to_ns, int64_t step_ns,
                                 struct mi_counter_step *out, uint32_t room);

#endif
