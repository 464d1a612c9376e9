/* Logical streams of ONNX Runtime: from the partition file to nodes and tasks. */
#ifndef MI_CORRELATE_ORT_STREAMS_H
#define MI_CORRELATE_ORT_STREAMS_H

#include "model/model.h"

/* Puts the tasks of each profile onto the streams that the partition file of the same capture names
 * for their nodes, and sets the stream of the compiled nodes. Tasks of bodies run on the stream of
 * the task that encloses them. Tasks whose node no partition names stay where they are. Call it
 * after mi_model_index_graphs(), before the matchers. */
bool mi_ort_streams_apply(struct mi_model *model, struct mi_error *err);

#endif
