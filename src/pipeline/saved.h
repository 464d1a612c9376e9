/* Inputs that were read before: a snapshot of the whole model (model/snapshot.h), as `baseline
 * save` leaves it. */
#ifndef MI_PIPELINE_SAVED_H
#define MI_PIPELINE_SAVED_H

#include "model/model.h"
#include "pipeline/inputs.h"

/* The item that is a snapshot, or NULL. Items must be open. */
const struct mi_item *mi_saved_find(const struct mi_inputs *inputs);

/* Fills an initialised model from it, frozen; it borrows from the item. MI_EUSAGE: there are other
 * inputs beside it. */
bool mi_saved_load(const struct mi_inputs *inputs, const struct mi_item *item,
                   struct mi_model *model, struct mi_error *err);

#endif
