/* What a source yields, what a model holds, what a matcher or a pass needs: one set of bits. */
#ifndef MI_MODEL_HAS_H
#define MI_MODEL_HAS_H

struct mi_model;

enum mi_has {
    MI_HAS_FRAMEWORK_GRAPH = 1 << 0,
    MI_HAS_COMPILED_GRAPH = 1 << 1,
    MI_HAS_TASKS = 1 << 2,
    MI_HAS_SLICES = 1 << 3,
    MI_HAS_LINKS = 1 << 4
};

unsigned mi_model_has(const struct mi_model *model);

/* "not checked: the inputs hold no device tasks", a message id, for what is missing first; "" if
 * nothing is. */
const char *mi_has_missing(unsigned needs, unsigned has);

#endif
