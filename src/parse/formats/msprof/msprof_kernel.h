/* Distinct launches of a task table: rows that agree in name, types and shapes share one kernel. */
#ifndef MI_PARSE_FORMATS_MSPROF_KERNEL_H
#define MI_PARSE_FORMATS_MSPROF_KERNEL_H

#include "base/map.h"
#include "model/batch.h"
#include "parse/formats/msprof/msprof_columns.h"

enum { MI_MSPROF_PARTS = 9, MI_MSPROF_LANES = 16 };

struct mi_msprof_kernels {
    struct mi_batch *batch;
    uint32_t max_name_bytes;
    uint32_t part_at[MI_MSPROF_PARTS], part_count; /* columns that tell launches apart */
    struct mi_map places;                          /* hash of the parts -> place in `seen` */
    struct mi_msprof_seen *seen;
    uint32_t seen_count, seen_room;
    uint32_t last[MI_MSPROF_LANES]; /* place of the kernel of its row before; 0 = none */
    struct mi_scratch scratch;
};

void mi_msprof_kernels_init(struct mi_msprof_kernels *kernels, struct mi_batch *batch,
                            const struct mi_msprof_columns *columns, uint32_t max_name_bytes);
void mi_msprof_kernels_fini(struct mi_msprof_kernels *kernels);

/* The kernel of a row, added if it is new. `lane`: its stream, whose rows mostly follow each other
 * in the order of the run before; it decides on speed alone. None once the batch has failed. The
 * bytes of the row must outlive `kernels`. */
mi_kernel_id mi_msprof_kernel_of(struct mi_msprof_kernels *kernels, const struct mi_msprof_row *row,
                                 uint32_t lane);

#endif
