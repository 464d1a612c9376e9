/* What a report leaves out to stay below its size, in a fixed order: what the page can do without
 * first, the tasks last and then from the end of time. */
#ifndef MI_PRESENT_OFFLINE_CUT_H
#define MI_PRESENT_OFFLINE_CUT_H

#include "base/json_write.h"
#include "model/snapshot.h"

struct mi_cut {
    const struct mi_model *model;
    uint8_t *keep[MI_TABLE_COUNT]; /* as mi_snapshot_options has it */
    unsigned step;                 /* next of the fixed ones */
    int64_t *starts;               /* of all tasks, in order; made when the first has to go */
    uint32_t tasks_kept;
};

void mi_cut_init(struct mi_cut *cut, const struct mi_model *model);
void mi_cut_fini(struct mi_cut *cut);

enum mi_cut_result { MI_CUT_DONE, MI_CUT_NOTHING_LEFT, MI_CUT_NO_MEMORY };

/* Leaves out more. `parts_per_1000`: how much of the present size may stay. */
enum mi_cut_result mi_cut_more(struct mi_cut *cut, uint32_t parts_per_1000);

/* An array of {"table", "kept", "of"}. */
void mi_cut_describe(const struct mi_cut *cut, struct mi_jw *jw);

#endif
