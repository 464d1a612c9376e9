/* Task types of Ascend devices: three vocabularies (what was submitted, what the graph engine calls
 * it, what the scheduler logged) brought to one kind and one engine. */
#ifndef MI_PARSE_FORMATS_MSPROF_TYPES_H
#define MI_PARSE_FORMATS_MSPROF_TYPES_H

#include "base/bytes.h"
#include "model/tables.h"

struct mi_msprof_type {
    const char *name;       /* as written in the files */
    const char *engine;     /* core type in one spelling; "" = no engine of its own */
    enum mi_task_kind kind; /* events, labels and stream control are all SYNC */
    enum mi_sync sync;
};

/* The row of a type; an unknown one gets kind OTHER and an empty name and engine. Never NULL. */
const struct mi_msprof_type *mi_msprof_type_find(struct mi_bytes name);

/* True for names of collectives, which some exporters give the type of the core that runs them. */
bool mi_msprof_is_collective(struct mi_bytes name);

/* FLOAT16, DT_BF16, INT64 to float16, bfloat16, int64. `out` has room for name.len + 8 bytes;
 * returns the length. */
size_t mi_msprof_dtype(struct mi_bytes name, uint8_t *out);

#endif
