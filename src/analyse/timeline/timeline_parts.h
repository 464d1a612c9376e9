/* The parts of the pass "timeline"; see timeline.c. */
#ifndef MI_ANALYSE_TIMELINE_PARTS_H
#define MI_ANALYSE_TIMELINE_PARTS_H

#include "analyse/accounting/lanes.h"
#include "analyse/pass.h"

struct mi_timeline {
    const struct mi_model *model;
    const struct mi_account *account;
    struct mi_report *out;
    int64_t zero_ns;        /* start of the first task: times are counted from here */
    int64_t from_ns, to_ns; /* window, capture time (raw: as exported) */
    uint32_t width;         /* columns that a line may take */
    uint32_t top;           /* rows of the lists */
    bool is_raw, is_ascii;
    bool *is_shown;         /* [tracks.count] */
    const uint32_t *marked; /* [marked_count] tasks to point at */
    uint32_t marked_count;
};

/* Start of a task as it is drawn: calibrated, or as exported. */
int64_t mi_timeline_start(const struct mi_timeline *timeline, uint32_t task);

/* Tables lanes and signs. False: out of memory. */
bool mi_timeline_draw(const struct mi_timeline *timeline);

/* Tables tasks and waits: the longest ones in the window. False: out of memory. */
bool mi_timeline_list(const struct mi_timeline *timeline);

#endif
