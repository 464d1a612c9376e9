/* Rows that tell of single tasks, calls or sums, from files of their own: joined with what they
 * tell of, and compared with it. */
#ifndef MI_CORRELATE_NOTES_H
#define MI_CORRELATE_NOTES_H

#include "model/model.h"

/* Sets notes.task: by device, stream and task id, collectives by name and start. */
bool mi_notes_join_tasks(struct mi_model *model, struct mi_error *err);

/* Sets notes.slice: tables of ops by their order, allocations by name and time. */
bool mi_notes_join_slices(struct mi_model *model, struct mi_error *err);

/* Compares the sums that the profiler's own tools made with those of the tasks; what differs is
 * told in a notice. Call it once notes are joined. */
bool mi_check_sums(struct mi_model *model, struct mi_error *err);

/* Shared by the parts: a row of some list under a number that stands for what it is looked up by.
 */
struct mi_keyed {
    uint32_t key, group, row;
    int64_t at;
};

/* How far two times are apart, both hostile. */
static inline int64_t mi_notes_distance(int64_t a, int64_t b)
{
    int64_t distance;
    return __builtin_sub_overflow(a > b ? a : b, a > b ? b : a, &distance) ? INT64_MAX : distance;
}

/* By key, group, time, row. */
int mi_keyed_compare(const void *left, const void *right);

/* Adds one notice about a source. */
void mi_notes_notice(struct mi_model *model, uint32_t source, enum mi_severity severity,
                     const char *code, int64_t times, mi_str_id text);

#endif
