/* What the files of the torchair_py reader share. */
#ifndef MI_PARSE_TORCHAIR_PY_H
#define MI_PARSE_TORCHAIR_PY_H

#include "parse/formats/ge/ge_text.h"
#include "parse/formats/shared/fx_rows.h"
#include "parse/formats/shared/py_text.h"

/* A line with a call: "A_0, A_1 = ge.Split(...)". */
struct mi_torchair_call {
    struct mi_bytes text;
    mi_node_id fx_node; /* that it was made for; 0 = none */
    uint64_t offset;
    uint32_t line;
};

struct mi_torchair_py {
    const struct mi_source *src;
    struct mi_batch *out;
    struct mi_fx fx;
    struct mi_fx_call place;        /* path, line and code for the FX nodes to come */
    mi_node_id fx_node;             /* the last one; 0 = none */
    struct mi_torchair_call *calls; /* [call_count] */
    uint32_t call_count, call_room;
    uint64_t offset; /* of the line that is read */
    uint32_t line;
};

bool mi_torchair_is_call(struct mi_bytes line);

/* The node name of a call of ge.Data; empty for all others. */
struct mi_bytes mi_torchair_data_name(struct mi_bytes call);

/* Turns the calls into the GE graph. false: out of memory. */
bool mi_torchair_calls(struct mi_torchair_py *o, const struct mi_ge_options *options);

#endif
