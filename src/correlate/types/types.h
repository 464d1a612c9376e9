/* Element types and shapes of tensors that the file of a graph leaves open.
 *
 * Each value gets what is known and how (mi_known): declared in the file, observed by the device
 * when its node ran, derived from the definition of the operator. The stronger is never overwritten
 * by the weaker; where they contradict each other a notice "types.conflict" names the tensor. What
 * none of them tells stays unknown. */
#ifndef MI_CORRELATE_TYPES_H
#define MI_CORRELATE_TYPES_H

#include "model/model.h"

/* Fills dtype, shape, dtype_from and shape_from of all values. Call once the links are settled and
 * before tasks are sorted. false: out of memory. */
bool mi_fill_types(struct mi_model *model, struct mi_error *err);

#endif
