/* Binary replies of the views: columns of numbers that a browser reads without copying.
 *
 *   OFFSET SIZE MEANING                     all little-endian
 *   0      4    "MIB1"
 *   4      2    version, 1
 *   6      2    kind: MI_FRAME_...
 *   8      4    number of columns
 *   12     4    number of rows (of the main columns; others say their own count)
 *   16     8    base: what times in the columns count from, ns of capture time
 *   24     8    step of these times, ns
 *   32          per column 16 bytes: id u16, type u8, 0 u8, count u32, offset u64 from the start
 *               then the columns, each on a multiple of 8
 *
 * Readers check every offset and count, and ignore columns they do not know. */
#ifndef MI_PRESENT_SERVE_FRAME_H
#define MI_PRESENT_SERVE_FRAME_H

#include "present/serve/http.h"

enum mi_frame_kind {
    MI_FRAME_SCENE = 1,
    MI_FRAME_SLICES = 2,
    MI_FRAME_FLOWS = 3,
    MI_FRAME_OUTLINE = 4,
    MI_FRAME_BUSY = 5,
    MI_FRAME_COUNTERS = 6,
    MI_FRAME_PLACES = 7
};

enum mi_frame_type { MI_F_U8 = 1, MI_F_U16, MI_F_U32, MI_F_F32, MI_F_F64, MI_F_I64 };

struct mi_frame_column {
    uint16_t id;
    enum mi_frame_type type;
    uint32_t count;
    const void *values; /* [count] of the type, as this machine holds them */
};

struct mi_frame {
    enum mi_frame_kind kind;
    uint32_t rows;
    int64_t base_ns, step_ns;
    const struct mi_frame_column *columns;
    uint32_t column_count;
};

/* A column of numbers, moved together in place so that each takes 1, 2 or 4 bytes, as the largest
 * needs. */
struct mi_frame_column mi_frame_narrow(uint16_t id, uint32_t *values, uint32_t count);

/* Makes the frame the reply. */
void mi_reply_frame(struct mi_reply *reply, const struct mi_frame *frame);

#endif
