/* Questions that the rules of types_shapes.c ask about one node: shapes of its inputs, attributes,
 * numbers of small constants. */
#ifndef MI_CORRELATE_TYPES_ASK_H
#define MI_CORRELATE_TYPES_ASK_H

#include "correlate/types/types_parts.h"

enum { MI_ASK_RANK = 16 };

#define MI_ASK_SIZE (INT64_C(1) << 40) /* of one dimension; larger ones only damaged files have */

struct mi_shape {
    uint32_t rank;
    struct mi_size {
        int64_t size;    /* -1 = unknown */
        uint32_t symbol; /* string; only of unknown ones */
    } at[MI_ASK_RANK];
};

struct mi_int_list {
    uint32_t count;
    int64_t at[MI_ASK_RANK];
};

/* One output of one node. */
struct mi_ask {
    const struct mi_types *types;
    const struct mi_tables *rows;
    uint32_t node, index;
    bool varies; /* something that was asked for is known to have no one shape */
};

/* The shape of input `i`. False: not known. */
bool mi_ask_shape(struct mi_ask *ask, uint32_t i, struct mi_shape *out);

/* The row of the attribute of that name; 0 = none. */
uint32_t mi_ask_attr(const struct mi_ask *ask, const char *name);

int64_t mi_ask_int(const struct mi_ask *ask, const char *attr, int64_t otherwise);

/* *is_there: there is such an attribute. False: what it says is no short list of numbers. */
bool mi_ask_ints(const struct mi_ask *ask, const char *attr, struct mi_int_list *out,
                 bool *is_there);

/* The attribute, else the input, which must be a constant. *is_there: the node has one of them. */
bool mi_ask_list(const struct mi_ask *ask, const char *attr, uint32_t input,
                 struct mi_int_list *out, bool *is_there);

#endif
