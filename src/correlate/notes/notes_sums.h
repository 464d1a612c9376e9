/* Between the parts that compare the sums of the profiler's tools with those of the tasks. */
#ifndef MI_CORRELATE_NOTES_SUMS_H
#define MI_CORRELATE_NOTES_SUMS_H

#include "base/mem.h"
#include "correlate/notes/notes.h"

struct mi_sum {
    int64_t times, total_ns;
};

struct mi_sums {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_map places, names, keys; /* -> numbers; see key_of() */
    struct mi_sum *list;               /* by key, from 1 */
    uint32_t count, room;
};

static inline uint32_t mi_sums_collection(const struct mi_sums *s, uint32_t source)
{
    return s->rows->sources.collection[source];
}

static inline struct mi_bytes mi_sums_text(const struct mi_sums *s, mi_str_id id)
{
    return mi_model_text(s->model, id);
}

static inline int mi_sums_shown(struct mi_bytes name)
{
    return (int)(name.len < 80 ? name.len : 80);
}

/* Operators, not their parts and not what the runtime does. */
static inline bool mi_sums_is_operator(const struct mi_sums *s, uint32_t kernel)
{
    return s->rows->kernels.kind[kernel] == MI_TASK_COMPUTE && s->rows->kernels.node_name[kernel].v;
}

static inline int64_t mi_sums_add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static inline bool mi_sums_differ(int64_t stated, int64_t found, int64_t times)
{
    return mi_notes_distance(stated, found) > times + 1;
}

/* Compares the statistics of one source, in [from, end), if they are those of a step. False: out of
 * memory. */
bool mi_sums_compare_step(struct mi_sums *s, uint32_t from, uint32_t end);

#endif
