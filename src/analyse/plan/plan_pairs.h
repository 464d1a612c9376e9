/* Planned records and waits of events: which wait waits for which record. */
#ifndef MI_ANALYSE_PLAN_PAIRS_H
#define MI_ANALYSE_PLAN_PAIRS_H

#include "model/model.h"

enum mi_planned_sync {
    MI_PLANNED_NO_SYNC,
    MI_PLANNED_RECORD, /* EVENT_RECORD, NOTIFY_RECORD and their kin */
    MI_PLANNED_WAIT
};

enum mi_planned_sync mi_planned_sync(const struct mi_model *model, uint32_t planned);

/* For each planned task [planned.count] the one at the other end of its event; 0 = none, or no such
 * task. A wait belongs to the last record of that event before it in the list of its model, else to
 * the first one behind it: numbers are used again. A record belongs to its first wait. NULL: out of
 * memory. Free with mi_mem_free(). */
uint32_t *mi_planned_pairs(const struct mi_model *model);

#endif
