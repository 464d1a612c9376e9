/* Short texts about rows of the model, for cells of reports. They are made of bytes of the user's
 * files and lie in the given arena; len 0 where there is nothing to say (or memory is out). */
#ifndef MI_ANALYSE_DESCRIBE_H
#define MI_ANALYSE_DESCRIBE_H

#include "base/arena.h"
#include "model/model.h"

/* Growing text in an arena; starts all zero. */
struct mi_words {
    struct mi_arena *arena;
    uint8_t *at;
    size_t len, room;
};

void mi_words_put(struct mi_words *words, struct mi_bytes text);
void mi_words_printf(struct mi_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline struct mi_bytes mi_words_get(const struct mi_words *words)
{
    return (struct mi_bytes){words->at, words->len};
}

/* Type of a value: "float32[1,3,N,?]", "float16[2,4] NC1HWC0", "sequence"; "" if nothing is
 * known. */
struct mi_bytes mi_describe_type(const struct mi_model *model, mi_value_id value,
                                 struct mi_arena *arena);

/* Shape alone: "[1,3,N,?]"; "" if not even the rank is known. */
struct mi_bytes mi_describe_shape(const struct mi_model *model, mi_value_id value,
                                  struct mi_arena *arena);

/* Element type alone: "float16". */
struct mi_bytes mi_describe_dtype(const struct mi_model *model, mi_value_id value);

/* The value of an attribute; long lists end with "... (N)". */
struct mi_bytes mi_describe_attr(const struct mi_model *model, mi_attr_id attr,
                                 struct mi_arena *arena);

/* The node's name, or "(unnamed Conv, position 7)". */
struct mi_bytes mi_describe_node(const struct mi_model *model, mi_node_id node,
                                 struct mi_arena *arena);

/* A time within a sentence, in the unit that fits: "5.004 us", "127.476 ms". */
struct mi_bytes mi_describe_span(int64_t ns, struct mi_arena *arena);

/* What people know the node by: its name, or without one that of the tensor it makes first;
 * borrowed from the model. */
struct mi_bytes mi_node_known_as(const struct mi_model *model, mi_node_id node);

/* Operator type with the domain in front, unless that is the stack's own: "com.microsoft.Gelu". */
struct mi_bytes mi_describe_op(const struct mi_model *model, mi_node_id node,
                               struct mi_arena *arena);

/* The track's name, or "stream 3" made of its kind and number. */
struct mi_bytes mi_describe_track(const struct mi_model *model, mi_track_id track,
                                  struct mi_arena *arena);

/* Output types of a node joined by "; ". */
struct mi_bytes mi_describe_outputs(const struct mi_model *model, mi_node_id node,
                                    struct mi_arena *arena);

/* The value that an OUTER value stands for in the end; other values themselves. */
mi_value_id mi_value_origin(const struct mi_model *model, mi_value_id value);

#endif
