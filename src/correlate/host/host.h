/* The host side of profiles: which call encloses which, which call launched a task, and which op of
 * the framework asked for it. */
#ifndef MI_CORRELATE_HOST_H
#define MI_CORRELATE_HOST_H

#include "model/model.h"

/* Sets slices.parent: the innermost span of the same thread that encloses it. Threads are those of
 * a collection with one number, whichever lanes and files tell of them. Call it once capture time
 * is known. */
bool mi_host_nest(struct mi_model *model, struct mi_error *err);

/* Sets tasks.launch: the call that has the task's connection id; without one the call that an arrow
 * of the trace starts at. */
bool mi_host_launches(struct mi_model *model, struct mi_error *err);

/* Tasks of a loaded model were launched when it was loaded, as far as their ids say. Where the runs
 * of the model are the calls that execute it, one for one, these become their launches. Call it
 * once runs are numbered. */
bool mi_host_launches_of_models(struct mi_model *model, struct mi_error *err);

/* Numbers the steps of a training loop as runs, where no loaded model repeats. */
bool mi_host_number_steps(struct mi_model *model, struct mi_error *err);

/* Without any graph the profile's own ops become the framework layer, and what they launched the
 * compiled one, with links between them. */
bool mi_host_make_graphs(struct mi_model *model, struct mi_error *err);

/* Fills the table peers: collectives that several ranks took part in. */
bool mi_host_pair_collectives(struct mi_model *model, struct mi_error *err);

/* Adds the names (string ids) of nodes whose launch has no task. False: out of memory. */
bool mi_host_find_lost(const struct mi_model *model, struct mi_map *names);

/* What the spans are, by their category. */
enum mi_host_level {
    MI_HOST_OTHER,
    MI_HOST_STEP,
    MI_HOST_PYTHON,
    MI_HOST_OP,
    MI_HOST_QUEUE,
    MI_HOST_ACL,
    MI_HOST_MODEL,
    MI_HOST_NODE,
    MI_HOST_COMMUNICATION,
    MI_HOST_RUNTIME,
};

enum mi_host_level mi_host_level(struct mi_bytes category);

/* Looks for the ops that asked for something. */
struct mi_host_ops {
    const struct mi_model *model;
    uint8_t *levels; /* [strings of categories] level of each string, by id */
    uint32_t level_count;
    struct mi_map enqueues; /* (collection, correlation) -> Enqueue */
    uint32_t *statements;   /* [tasks.count] op that an arrow of the file states; 0 = none */
};

bool mi_host_ops_init(struct mi_host_ops *ops, const struct mi_model *model); /* false: no memory */
void mi_host_ops_fini(struct mi_host_ops *ops);

enum mi_host_level mi_host_slice_level(const struct mi_host_ops *ops, uint32_t slice);

/* The innermost op that encloses the span, or that put it into the queue which it was taken from;
 * 0 = none. */
uint32_t mi_host_op_of(const struct mi_host_ops *ops, uint32_t slice);

/* Steps of a training loop, as files mark them. */
struct mi_host_steps {
    const struct mi_tables *rows;
    uint32_t *order, count; /* their windows from place 1 on, by collection and start */
    uint32_t *first;        /* [collections + 3] place of the first step of each collection */
};

bool mi_host_steps_init(struct mi_host_steps *steps, const struct mi_model *model);
void mi_host_steps_fini(struct mi_host_steps *steps);

/* How many steps of the collection there are, and how many have begun at that time. */
uint32_t mi_host_step_count(const struct mi_host_steps *steps, uint32_t collection);
uint32_t mi_host_steps_begun(const struct mi_host_steps *steps, uint32_t collection, int64_t at_ns);

static inline uint32_t mi_host_collection_of_task(const struct mi_tables *rows, uint32_t task)
{
    return rows->sources.collection[rows->kernels.source[rows->tasks.kernel[task].v].v];
}

static inline uint32_t mi_host_collection_of_slice(const struct mi_tables *rows, uint32_t slice)
{
    return rows->sources.collection[rows->tracks.source[rows->slices.track[slice].v].v];
}

#endif
