/* How a comparison is put together; see compare.h. */
#ifndef MI_ANALYSE_COMPARE_PARTS_H
#define MI_ANALYSE_COMPARE_PARTS_H

#include "analyse/compare/compare.h"
#include "analyse/taskgraph/whatif.h"
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

/* --- compare_runs.c --- */

/* Task graphs of the iterations that are looked at closely, and which lane is which. */
bool mi_cmp_find_runs(struct mi_compare *compare, struct mi_error *err);
void mi_cmp_run_fini(struct mi_cmp_run *run);

/* The lane an op would be on if streams had not changed; UINT32_MAX: its stream is gone or the op
 * is not on both sides. */
uint32_t mi_cmp_lane_before(const struct mi_compare *compare, uint32_t op);
bool mi_cmp_is_moved(const struct mi_compare *compare, uint32_t op);

/* --- compare_changes.c --- */
bool mi_cmp_find_changes(struct mi_compare *compare);

bool mi_cmp_add_change(struct mi_compare *compare, uint32_t *room,
                       const struct mi_cmp_change *change);

/* --- compare_regions.c --- */

/* [nodes.count] of each side: number of the stretch that was fused otherwise, from 1; 0 = none. The
 * caller frees them. */
bool mi_cmp_find_regions(const struct mi_compare *compare, uint32_t *region[MI_CMP_SIDES],
                         uint32_t *count);

/* --- compare_serial.c --- */
bool mi_cmp_find_serials(struct mi_compare *compare, struct mi_error *err);

/* --- compare_causes.c --- */
bool mi_cmp_find_causes(struct mi_compare *compare, struct mi_error *err);

/* --- compare_noise.c --- */

/* How much samples scatter, as MAD / median in millionths: of an op, the median over all ops; of
 * the work of a sample as a whole, of the side where it scatters more. */
struct mi_cmp_noise {
    int64_t op_ppm, work_ppm;
};
bool mi_cmp_find_noise(const struct mi_compare *compare, struct mi_cmp_noise *noise);

/* Whether two lists of samples differ by more than they scatter, and by enough to matter. Sorts
 * both. */
bool mi_cmp_differs(int64_t *base, uint32_t base_count, int64_t *new, uint32_t new_count,
                    int64_t noise_ppm);

/* --- compare_cost.c --- */

struct mi_cmp_simulator {
    const struct mi_compare *compare;
    struct mi_whatif whatif[MI_CMP_SIDES];
    int64_t makespan_ns[MI_CMP_SIDES]; /* of the unchanged graphs */
};
bool mi_cmp_simulator_init(struct mi_cmp_simulator *simulator, const struct mi_compare *compare,
                           struct mi_error *err);
void mi_cmp_simulator_fini(struct mi_cmp_simulator *simulator);

/* Fills cost_ns and is_simulated. */
void mi_cmp_simulate(struct mi_cmp_simulator *simulator, struct mi_cmp_cause *cause);

#endif
