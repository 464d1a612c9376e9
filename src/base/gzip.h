/* A whole block of memory to gzip and back. */
#ifndef MI_BASE_GZIP_H
#define MI_BASE_GZIP_H

#include "base/sink.h"

enum mi_gzip_effort { MI_GZIP_FAST = 1, MI_GZIP_SMALL = 6 };

/* Appends `in` as one gzip member. */
bool mi_gzip_pack(struct mi_sink *out, struct mi_bytes in, enum mi_gzip_effort effort,
                  struct mi_error *err);

/* Appends what the gzip members `in` hold. Damaged input fails. */
bool mi_gzip_unpack(struct mi_sink *out, struct mi_bytes in, struct mi_error *err);

#endif
