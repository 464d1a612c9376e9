/* The parts of the pass "check"; see check.c. */
#ifndef MI_ANALYSE_CHECK_PARTS_H
#define MI_ANALYSE_CHECK_PARTS_H

#include "analyse/report.h"
#include "model/model.h"

enum mi_check_kind {
    MI_CHECK_VANISHED, /* a framework op that nothing accounts for */
    MI_CHECK_SHAPE,
    MI_CHECK_DTYPE,
    MI_CHECK_KEPT,   /* element type kept where the model as a whole changed it */
    MI_CHECK_AI_CPU, /* runs on a slow processor */
    MI_CHECK_ADDED,
    MI_CHECK_REPLACED,
    MI_CHECK_LAYOUT,
    MI_CHECK_REMOVED, /* with a reason */
    MI_CHECK_KINDS
};

extern const char *const mi_check_names[MI_CHECK_KINDS]; /* message ids */

struct mi_check_change {
    enum mi_check_kind kind;
    enum mi_severity severity;
    mi_node_id framework, compiled; /* either may be none */
    mi_value_id before, after;      /* framework tensor and the one that carries it */
    bool is_model_wide;             /* DTYPE: the model as a whole was changed so */
};

struct mi_check {
    const struct mi_model *model;
    uint32_t *carrier; /* [values.count] of a framework tensor: the compiled one that carries it */
    uint32_t *part_of; /* [nodes.count] of a framework op: the compiled node looked at last that it
                          is part of */
    uint32_t looked_at;
    struct mi_check_change *changes;
    uint32_t count, room;
};

bool mi_check_add(struct mi_check *check, const struct mi_check_change *change);

static inline enum mi_layer mi_check_layer(const struct mi_check *check, mi_node_id node)
{
    return mi_node_layer(check->model, node);
}

/* The framework op at the end of those in a compiled node, or the first there is; none: no op. */
mi_node_id mi_check_op_of(struct mi_check *check, mi_node_id compiled);

/* Element type before compiling: of the framework tensor, else as the compiler recorded it. */
mi_str_id mi_check_dtype_before(const struct mi_check *check, mi_value_id before,
                                mi_value_id after);

/* --- check_carry.c: fills carrier --- */
bool mi_check_carry(struct mi_check *check);

/* --- check_tensors.c: DTYPE, KEPT, SHAPE, LAYOUT --- */
bool mi_check_tensors(struct mi_check *check);

/* Sizes of a compiled tensor before its layout was changed, outermost first, -1 = not known before
 * the run; they belong to the model. NULL: not known. */
const int64_t *mi_check_plain_sizes(const struct mi_model *model, uint32_t value, uint32_t *rank);

/* --- check_nodes.c: VANISHED, REMOVED, REPLACED, ADDED, AI_CPU --- */
bool mi_check_nodes(struct mi_check *check);

/* --- check_downstream.c: table of what depends on ops whose element type changed; sets *count ---
 */
bool mi_check_downstream(const struct mi_check *check, struct mi_report *out, uint32_t *counts,
                         struct mi_error *err);

#endif
