/* The language of the search box: words, all of which must fit.
 *
 *   text            in the name or the operator type, in any case; of a node without a name in that
 *                   of the tensor it makes
 *   op:text         in the operator type                ns:text      a scope of the name
 *   dtype:text      element type of an input or output ("float16" or "f16")
 *   layer:framework layer:compiled                      stream:n     runs on that stream
 *   dur>1ms dur<20us dur>=1.5s                           the time of its tasks, all runs
 *   unmapped        no link to another layer
 * Units: ns, us, µs, ms, s; none means µs. A word in quotes is taken as it is: "op:x" in names. */
#ifndef MI_PRESENT_SERVE_SEARCH_QUERY_H
#define MI_PRESENT_SERVE_SEARCH_QUERY_H

#include "model/model.h"

enum { MI_QUERY_MOST_WORDS = 16, MI_QUERY_OPS = 64 };

enum mi_query_kind {
    MI_QUERY_TEXT,
    MI_QUERY_OP,
    MI_QUERY_SCOPE,
    MI_QUERY_DTYPE,
    MI_QUERY_LAYER,
    MI_QUERY_STREAM,
    MI_QUERY_ABOVE, /* a time greater than `ns` */
    MI_QUERY_BELOW,
    MI_QUERY_UNMAPPED
};

struct mi_query_word {
    enum mi_query_kind kind;
    struct mi_bytes text;
    int64_t ns;
    /* operator types are few: whether those that were met last have the text */
    uint32_t op[MI_QUERY_OPS]; /* string; 0 = none yet */
    bool op_has_it[MI_QUERY_OPS];
};

struct mi_query {
    struct mi_query_word words[MI_QUERY_MOST_WORDS];
    uint32_t count;
    bool has_text_only; /* nothing that only a node can fit */
};

/* Texts are borrowed. What is half typed ("dur>") fits everything. */
struct mi_query mi_query_read(struct mi_bytes text);

/* 0 = no hit; 1 = hit; 2 = a text stands at the beginning of the name or of its last part. */
int mi_query_node(struct mi_query *query, const struct mi_model *model, uint32_t node);

/* The same for a constant that no node makes, by what is known of its tensor; its operator type is
 * that of ONNX for a node that would make it, "Constant". */
int mi_query_constant(const struct mi_query *query, const struct mi_model *model, uint32_t value);

/* The same for what tasks run, by its names. */
int mi_query_kernel(const struct mi_query *query, const struct mi_model *model, uint32_t kernel);

#endif
