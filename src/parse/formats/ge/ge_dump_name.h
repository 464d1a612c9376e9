/* What the name of a graph dump says: which stage of which graph, and when.
 *
 *   ge_proto_<index>[_aclop]_graph_<graph id>_<stage>.txt     ge_onnx_....pbtxt,
 * ge_readable_....txt ge_proto_<index>_<stage>.txt                              older
 *   dynamo_original_graph_<...>.txt  .pbtxt  .py              TorchAir, before GE sees the graph
 *   dynamo_optimized_graph_<...>.txt .pbtxt  .py
 *
 * The index counts the dumps of one process and one format, all graphs together, from 0. A stage is
 * free text: it depends on version and options. Names never decide what a file is. */
#ifndef MI_PARSE_GE_DUMP_NAME_H
#define MI_PARSE_GE_DUMP_NAME_H

#include "base/bytes.h"

struct mi_ge_dump_name {
    struct mi_bytes stage; /* borrowed from the path; empty: the name says nothing */
    uint32_t stage_index;  /* index + 1; 0 = unknown */
    int64_t graph_id;      /* -1 = not stated */
    bool is_single_op;     /* "aclop": one op called by itself */
};

struct mi_ge_dump_name mi_ge_dump_name(const char *path);

#endif
