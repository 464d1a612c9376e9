/* The tasks that a compiler planned, and the nodes that they belong to. */
#ifndef MI_CORRELATE_PLANNED_H
#define MI_CORRELATE_PLANNED_H

#include "model/model.h"

/* Sets node, confidence, rule, evidence, peer and conflict of the rows of `planned`. A task belongs
 * to the node of its number, else to that of the name that the model states for it, else to the
 * node of its neighbour where its type says which; node 0: it belongs to its stream. */
bool mi_planned_apply(struct mi_model *model, struct mi_error *err);

#endif
