/* ge.proto messages as protobuf text, walked in one pass: fields are handed to the builder as they
 * come, nesting is kept on a stack of its own, weights and kernels are stepped over. Shared by the
 * dumps of GE and of TorchAir. */
#ifndef MI_PARSE_GE_TEXT_H
#define MI_PARSE_GE_TEXT_H

#include "base/pb_text.h"
#include "base/scratch.h"
#include "parse/formats/ge/ge_build.h"
#include "parse/reader.h"

/* Dictionaries of compressed attributes; empty until the first compressed name. */
struct mi_ge_text_dict {
    mi_str_id *names, *texts;
    uint8_t *is_text; /* per name: numbers stand for `texts` */
    uint32_t name_count, name_room, text_count, text_room, flag_count, flag_room;
    bool is_read;
};

struct mi_ge_text {
    struct mi_ge ge;
    const struct mi_source *src;
    struct mi_error broken;    /* what the text broke at */
    struct mi_error stopped;   /* a limit, or the user */
    struct mi_scratch scratch; /* the string that was decoded last */
    struct mi_ge_text_graph {  /* graphs inside attributes, to be read when theirs has ended */
        size_t from, to;
        mi_graph_id graph;
    } * queue;
    size_t queue_count, queue_room, queue_done;
    uint32_t max_string_bytes, max_rows, steps;
    struct mi_ge_text_dict dict;
};

/* false: out of memory. fini is right after both. */
bool mi_ge_text_init(struct mi_ge_text *g, const struct mi_source *src, struct mi_batch *out,
                     const struct mi_ge_options *options);
void mi_ge_text_fini(struct mi_ge_text *g);

/* The whole source: a ModelDef, or a bare GraphDef when `is_bare`. */
void mi_ge_text_model(struct mi_ge_text *g, bool is_bare);

/* Text of one AttrDef: the value of the attribute that is open in g->ge. Of one TensorDescriptor: a
 * descriptor of the op that is open. False: it is broken; what came before stands. */
bool mi_ge_text_value(struct mi_ge_text *g, struct mi_bytes text);
bool mi_ge_text_desc(struct mi_ge_text *g, enum mi_ge_side side, struct mi_bytes text);

/* The string of the current field: borrowed from the file, or from g->scratch until its next use.
 * Empty, and counted, when it is no string. */
struct mi_bytes mi_ge_text_string(struct mi_ge_text *g, const struct mi_pbt *t);

/* Remembers the message of the current field as a graph to be read later, and steps over it. */
void mi_ge_text_queue(struct mi_ge_text *g, struct mi_pbt *t, mi_graph_id graph);

/* The same for bytes [from, to) of the source. */
void mi_ge_text_queue_at(struct mi_ge_text *g, size_t from, size_t to, mi_graph_id graph);

/* Once per op: false after a limit or when the user has stopped (g->stopped). */
bool mi_ge_text_step(struct mi_ge_text *g);

/* Turns what went wrong into `err`, and gives the diagnostics their lines. True: nothing did. */
bool mi_ge_text_finish(struct mi_ge_text *g, struct mi_error *err);

/* The stage as the name of the file tells it, written into `options`; a single op is a fact. */
void mi_ge_text_stage(const struct mi_source *src, struct mi_batch *out,
                      struct mi_ge_options *options);

#endif
