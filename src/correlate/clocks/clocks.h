/* Capture time: the one scale on which tasks and slices of all sources are compared.
 *
 * Capture time 0 is model->start_unix_ns, from the manifest or else the earliest known origin of a
 * clock. Raw times are never edited. */
#ifndef MI_CORRELATE_CLOCKS_CLOCKS_H
#define MI_CORRELATE_CLOCKS_CLOCKS_H

#include "model/model.h"

/* Sets start_ns of all tasks, slices, windows and at_ns of all samples, and model->start_unix_ns if
 * it is not known yet. A clock without origin (empty note) counts from the start of the capture.
 * Call it after the last merge; calling it again gives the same. */
void mi_clocks_apply(struct mi_model *model);

/* A raw time of clock row `clock` in capture time; clock 0 = raw is taken as ns. Exact for whole
 * ticks of whole nanoseconds; out of range it stays at the end of the range. */
int64_t mi_clock_to_capture(const struct mi_model *model, mi_clock_id clock, int64_t raw);

#endif
