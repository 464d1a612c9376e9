/* Tensors of a launch, from the lists that Ascend profilers write: a shape and a type for each. */
#ifndef MI_PARSE_FORMATS_MSPROF_TENSORS_H
#define MI_PARSE_FORMATS_MSPROF_TENSORS_H

#include "base/scratch.h"
#include "model/batch.h"

/* "1,32,64;64" and "FLOAT16;FLOAT16" as float16[1,32,64];float16[64]. None for "N/A", "NULL" and
 * nothing. */
mi_str_id mi_msprof_tensors(struct mi_batch *batch, struct mi_scratch *scratch,
                            struct mi_bytes shapes, struct mi_bytes types);

#endif
