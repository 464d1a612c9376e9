/* What a node has to do: the bytes of its tensors and the arithmetic of its product. Only what
 * follows from shapes, element types and layouts; anything else is not known. */
#ifndef MI_ANALYSE_WORK_H
#define MI_ANALYSE_WORK_H

#include "model/model.h"

/* A data input or output. `sizes` [rank] are those before its layout was changed, outermost first;
 * they belong to the model. */
struct mi_work_tensor {
    uint32_t value, rank;
    const int64_t *sizes;
    int64_t elements; /* -1: not all sizes are known */
};

/* The next of the data inputs and then outputs of a node, from *at on (begin with 0); false: there
 * is none left. Absent and control ones are passed over. */
bool mi_work_next(const struct mi_model *model, uint32_t node, uint32_t *at,
                  struct mi_work_tensor *tensor);

/* Bits of one element; 0: not known, or of no fixed size. */
int mi_work_bits(const struct mi_model *model, mi_str_id dtype);

struct mi_work {
    int64_t bytes; /* of all inputs and outputs, a tensor at two of them twice, without padding */
    int64_t flops; /* of a matrix product or convolution, two per multiply-add; nothing else that a
                      fused node computes is counted */
};                 /* -1: not known */

struct mi_work mi_work_of(const struct mi_model *model, mi_node_id node);

#endif
