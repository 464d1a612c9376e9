/* Types that flow through a node: what it takes and gives, and element types that change. */
#ifndef MI_ANALYSE_PATH_TYPES_H
#define MI_ANALYSE_PATH_TYPES_H

#include "analyse/report.h"
#include "model/model.h"

enum { MI_PATH_MAX_TYPES = 8 };

struct mi_dtype_set {
    struct mi_bytes list[MI_PATH_MAX_TYPES];
    unsigned count;
};

/* Types of the tensors at ports first .. first + count - 1, constants left out, joined by "; ";
 * their element types go to `set`. */
struct mi_cell mi_path_types_at(const struct mi_model *model, struct mi_arena *arena,
                                uint32_t first, uint32_t count, struct mi_dtype_set *set);

/* "float16 -> float32" for each element type that goes in and does not come out as itself. */
struct mi_bytes mi_path_changes(struct mi_arena *arena, const struct mi_dtype_set *in,
                                const struct mi_dtype_set *out);

#endif
