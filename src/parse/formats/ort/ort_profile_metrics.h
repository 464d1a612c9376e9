/* Counters of one ONNX Runtime kernel event, read from its record when somebody asks. */
#ifndef MI_PARSE_FORMATS_ORT_PROFILE_METRICS_H
#define MI_PARSE_FORMATS_ORT_PROFILE_METRICS_H

#include "parse/reader.h"

/* See struct mi_reader. Args that have columns of their own (op_name, provider, node_index, shapes)
 * are left out; objects are flattened with dots, lists stay one text. */
void mi_ort_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user);

#endif
