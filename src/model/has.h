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

/* "a compiled graph and tasks": the bits of `missing` in words, as a message id; for "not checked,
 * because the inputs hold no ...". Only the first missing thing is named. */
const char *mi_has_missing(unsigned needs, unsigned has);

#endif
