/* The parts of joining what several files of a collection tell. */
#ifndef MI_CORRELATE_CANN_TWINS_H
#define MI_CORRELATE_CANN_TWINS_H

#include "model/model.h"

/* One track for each stream, thread and communication lane. False: out of memory. */
bool mi_cann_unite_tracks(struct mi_model *model, const uint32_t *collections);

/* Takes out kernels and clocks that nothing refers to, and the tracks that had tasks
 * (had_tasks[tracks.count]) and have none any more. False: out of memory. */
bool mi_cann_drop_unused(struct mi_model *model, const uint32_t *collections,
                         const uint8_t *had_tasks);

/* What the row that stays does not know and the other does: symbol, engine, connection, parent. */
void mi_cann_hand_over(struct mi_model *model, uint32_t kept, uint32_t dropped);

/* How much the row of a task tells of its kernel. Tables have counters besides. */
unsigned mi_cann_richness(const struct mi_model *model, uint32_t task);

/* Host calls and windows that two files tell of stand once afterwards. False: out of
 * memory. */
bool mi_cann_merge_host_rows(struct mi_model *model, const uint32_t *collections);

/* The same for counters and their samples. False: out of memory. */
bool mi_cann_merge_counters(struct mi_model *model, const uint32_t *collections);

/* Sub-tasks of a collective that no file assigns to it. False: out of memory. */
bool mi_cann_find_sub_tasks(struct mi_model *model, const uint32_t *collections);

/* A notice about a source; none where `times` is 0. `offset`: the first place, -1 unknown. */
void mi_cann_notice(struct mi_model *model, uint32_t source, enum mi_severity severity,
                    const char *code, const char *text, int64_t times, int64_t offset);

#endif
