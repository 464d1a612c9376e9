/* Calibration: what clocks must have shown, from causes and effects on different clocks.
 *
 * A *unit* is what is fitted: a stream of a device, or a clock that several tracks share. A *tie*
 * is all that two units have in common. See docs/clocks.md for the method. */
#ifndef MI_CORRELATE_CLOCKS_CALIBRATE_H
#define MI_CORRELATE_CLOCKS_CALIBRATE_H

#include "model/model.h"

/* Fits the clocks of device streams to each other and to the host, by the rows of `signals`, host
 * launches and runs of models. Adds rows to `fits`, and moves start_ns of the tasks whose clock was
 * off; start_raw stays. Call it once everything is joined, before freezing. */
bool mi_calibrate(struct mi_model *model, struct mi_error *err);

#endif
