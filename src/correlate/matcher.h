/* Matchers: links between layers, each with rule, evidence and confidence (docs/correlation.md).
 *
 * They run in the order of matchers.def on a merged model whose graphs are indexed and whose tasks
 * are not sorted yet. A matcher only adds rows (links; births and fates where it knows one that no
 * link tells); it never removes what another has added. What several say about the same nodes is
 * settled afterwards, in one place (settle.c).
 * `certain` is a promise: see mi_confidence in model/enums.def. */
#ifndef MI_CORRELATE_MATCHER_H
#define MI_CORRELATE_MATCHER_H

#include "model/has.h"
#include "model/model.h"

struct mi_matcher {
    const char *name;  /* "ort_cuts": the rule column of its links */
    const char *title; /* message id: what it goes by, for people */
    unsigned needs;    /* MI_HAS_... bits (model/has.h); unmet: skipped */
    bool is_whole;     /* its links of a compiled node are all origins that the node has */
    bool (*run)(struct mi_model *model, struct mi_error *err);
};

#define MI_MATCHER(name) extern const struct mi_matcher mi_matcher_##name;
#include "correlate/matchers.def"
#undef MI_MATCHER

extern const struct mi_matcher *const mi_matchers[]; /* in order */
extern const size_t mi_matcher_count;

/* The whole stage: capture time of tasks and slices, categories, matchers, then the fate of every
 * framework op and the origin of every compiled node. */
bool mi_correlate(struct mi_model *model, struct mi_error *err);

#endif
