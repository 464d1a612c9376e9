/* How a comparison is put together; see compare.h. */
#ifndef MI_ANALYSE_COMPARE_PARTS_H
#define MI_ANALYSE_COMPARE_PARTS_H

#include "analyse/compare/compare.h"
#include "base/map.h"

/* --- compare_samples.c --- */

/* Chooses the device and lists the samples of a side, whose captures are there. `like`: the side
 * whose rank and device are wanted if it has them; NULL: none. */
bool mi_cmp_find_samples(struct mi_cmp_side *side, const struct mi_cmp_options *options,
                         const struct mi_cmp_side *like, struct mi_error *err);

/* --- compare_ops.c --- */

/* Lists types and ops, and the op of each work task. False: out of memory. */
bool mi_cmp_find_ops(struct mi_compare *compare);

/* --- compare_times.c --- */

/* Times of ops and types per sample. False: out of memory. */
bool mi_cmp_find_times(struct mi_compare *compare);

#endif
