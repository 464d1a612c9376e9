/* Dumps of one build: which of them is the compiled graph. */
#ifndef MI_CORRELATE_STAGES_H
#define MI_CORRELATE_STAGES_H

#include "model/model.h"

/* GE dumps a graph after each stage of a build. Of all dumps of one build the finished graph alone
 * stays in the layer of compiled graphs: that of the offline model, else of the stage "Build", else
 * of the last stage at hand; the others move to MI_LAYER_STAGE. Files belong to one build when
 * one's folder is or holds the other's and the graphs have a name or most of their nodes in common.
 */
bool mi_stages_apply(struct mi_model *model, struct mi_error *err);

#endif
