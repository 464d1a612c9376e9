/* What the files of the step types.c share. */
#ifndef MI_CORRELATE_TYPES_PARTS_H
#define MI_CORRELATE_TYPES_PARTS_H

#include "base/vec.h"
#include "model/model.h"

/* Numbers of TensorProto.DataType; higher ones are not known here. */
#define MI_DTYPE_MAX 26

enum mi_type_state {
    MI_TYPE_NOTHING, /* nothing is known yet */
    MI_TYPE_KNOWN,
    MI_TYPE_VARIES /* two things that both hold contradict each other: never known */
};

/* What is said about a tensor. The dimensions are rows of mi_dims. */
struct mi_tensor_type {
    uint32_t type, dtype; /* strings, as in mi_values */
    uint32_t first_dim, dim_count;
    uint8_t dtype_state, shape_state; /* enum mi_type_state */
};

struct mi_types {
    struct mi_model *model;
    mi_str_id dtypes[MI_DTYPE_MAX + 1]; /* by number; none at 0 */
    struct mi_tensor_type *derived;     /* [values.count] from the definitions of operators */
    struct mi_map diags;                /* source -> its row of mi_diags */
    struct mi_rules *rules;
};

/* --- types.c --- */

/* The declared or observed type of a value, else the derived one; captured values are followed. */
struct mi_tensor_type mi_types_of(const struct mi_types *types, uint32_t value);

/* The value that an OUTER value stands for in the end. */
uint32_t mi_types_origin(const struct mi_types *types, uint32_t value);

/* True if no tensor can have both shapes: the ranks differ, or two sizes that are known. */
bool mi_types_shapes_differ(const struct mi_model *model, uint32_t first_dim, uint32_t dim_count,
                            uint32_t other_first, uint32_t other_count);

/* What says something else than what is known of a value. */
struct mi_types_contradiction {
    enum mi_known by;       /* MI_KNOWN_OBSERVED or MI_KNOWN_DERIVED */
    mi_str_id known, other; /* element types; both none: the shapes differ */
};

/* Counts a contradiction for the source of the value; the first of each source is told in words. */
bool mi_types_conflict(struct mi_types *types, uint32_t value,
                       const struct mi_types_contradiction *what);

/* --- types_seen.c: what devices reported --- */

bool mi_types_observe(struct mi_types *types, struct mi_error *err);

/* --- types_rules.c: types.def --- */

struct mi_rules;

/* NULL: out of memory. */
struct mi_rules *mi_rules_new(struct mi_types *types);
void mi_rules_free(struct mi_rules *rules);

/* What the definition of the node's operator says about output `index`. */
struct mi_tensor_type mi_rules_apply(const struct mi_types *types, uint32_t node, uint32_t index);

/* --- types_shapes.c: shapes that operators compute from others --- */

/* Puts the operators that have a rule into the map: name -> number of the rule. */
bool mi_shapes_find(struct mi_map *rules, const struct mi_model *model);

/* Adds the shape of output `index` to `type`, where it follows. */
void mi_shapes_apply(const struct mi_types *types, uint32_t rule, uint32_t node, uint32_t index,
                     struct mi_tensor_type *type);

/* --- types_flow.c: through the graphs, into bodies and functions --- */

bool mi_types_derive(struct mi_types *types, struct mi_error *err);

#endif
