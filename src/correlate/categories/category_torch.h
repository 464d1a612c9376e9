/* Categories of PyTorch's operators; part of categories.c. */
#ifndef MI_CORRELATE_CATEGORY_TORCH_H
#define MI_CORRELATE_CATEGORY_TORCH_H

#include "base/bytes.h"
#include "model/tables.h"

/* False: `op` is no operator of PyTorch. One that ships with it but is in no table is other. */
bool mi_category_of_torch(struct mi_bytes op, enum mi_category *category);

/* Of a call of CANN's operator library, by what stands behind "aclnn" and "Inplace": its names are
 * those of PyTorch's operators, spelled otherwise. One that is in no table is other. */
enum mi_category mi_category_of_aclnn(struct mi_bytes name);

#endif
