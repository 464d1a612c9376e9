/* What lanes do over time: for a set of tracks the moments in which they compute, move data,
 * communicate or wait. */
#ifndef MI_ANALYSE_LANES_H
#define MI_ANALYSE_LANES_H

#include "analyse/accounting/spans.h"

enum mi_lane_kind {
    MI_LANE_COMPUTE, /* and what encloses the tasks of a body */
    MI_LANE_TRANSFER,
    MI_LANE_COMMUNICATION, /* collectives, and what they are made of */
    MI_LANE_OTHER,
    MI_LANE_WORK_KINDS,
    MI_LANE_WAIT = MI_LANE_WORK_KINDS, /* for an event or a notification */
    MI_LANE_KINDS,
    MI_LANE_NONE = MI_LANE_KINDS /* records, stream control, envelopes */
};

enum mi_lane_kind mi_lane_kind(const struct mi_account *account, uint32_t task);

struct mi_lanes {
    struct mi_spans kinds[MI_LANE_KINDS];
    struct mi_spans work; /* all kinds of work together; see mi_lanes_join() */
};

void mi_lanes_add_task(struct mi_lanes *lanes, const struct mi_account *account, uint32_t task);

/* Adds the tasks of a track that belong to counted runs. */
void mi_lanes_add_track(struct mi_lanes *lanes, const struct mi_account *account, uint32_t track);

/* Makes all sets ready to be measured. False: out of memory, now or while adding. */
bool mi_lanes_join(struct mi_lanes *lanes);
/* Empties the sets, keeping their memory; frees them. */
void mi_lanes_clear(struct mi_lanes *lanes);
void mi_lanes_fini(struct mi_lanes *lanes);

#endif
