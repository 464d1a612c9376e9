/* Inputs for benches: always the same bytes for the same size. */
#ifndef MI_TESTS_GENERATE_H
#define MI_TESTS_GENERATE_H

#include "base/sink.h"

/* A Chrome trace as profilers write it: an object with traceEvents, one event per line, epoch
 * microseconds with three decimals, arguments with shapes, a few escapes. At least `size_bytes`
 * long. */
void generate_trace(struct mi_sink *sink, size_t size_bytes);

/* A table of operators: a header, then rows with quoted shapes, times with a tab behind them. */
void generate_table(struct mi_sink *sink, size_t size_bytes);

#endif
