/* Sets of moments: lists of intervals, their measure and what they share. Intervals are
 * [start, end); ends of the range hold. */
#ifndef MI_ANALYSE_SPANS_H
#define MI_ANALYSE_SPANS_H

#include "analyse/accounting.h"

/* A set while it grows: intervals in any order. After mi_spans_join() they are in order and apart
 * from each other, which the functions below ask for. All zero = empty. */
struct mi_spans {
    struct mi_span *list;
    uint32_t count, room;
    bool is_unsorted;
    bool failed; /* sticky: out of memory */
};

void mi_spans_fini(struct mi_spans *spans);

/* Intervals that come in the order of their starts cost little: those that touch the last one
 * become part of it. Empty ones are left out. */
void mi_spans_add(struct mi_spans *spans, int64_t start_ns, int64_t end_ns);
void mi_spans_add_all(struct mi_spans *spans, const struct mi_spans *others);
void mi_spans_join(struct mi_spans *spans);

int64_t mi_spans_measure(const struct mi_spans *spans);

/* Measure of what both have, and of what the set has within one interval. */
int64_t mi_spans_shared(const struct mi_spans *a, const struct mi_spans *b);
int64_t mi_spans_within(const struct mi_spans *spans, int64_t start_ns, int64_t end_ns);

#endif
