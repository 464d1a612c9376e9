#include "present/serve/frame.h"

#include <string.h>

static const uint8_t sizes[] = {0, 1, 2, 4, 4, 8, 8};

static void put(struct mi_sink *sink, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        mi_sink_byte(sink, (uint8_t)(value >> (8 * i)));
}

static void put_column(struct mi_sink *sink, const struct mi_frame_column *column)
{
    const uint8_t *at = column->values;
    size_t size = sizes[column->type];
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    mi_sink_write(sink, (struct mi_bytes){at, size * column->count});
#else
    for (uint32_t i = 0; i < column->count; i++)
        for (size_t k = size; k-- > 0;)
            mi_sink_byte(sink, at[i * size + k]);
#endif
}

struct mi_frame_column mi_frame_narrow(uint16_t id, uint32_t *values, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    if (largest > UINT16_MAX)
        return (struct mi_frame_column){id, MI_F_U32, count, values};
    bool is_small = largest <= UINT8_MAX;
    uint8_t *to = (uint8_t *)values;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t two = (uint16_t)values[i];
        if (is_small)
            to[i] = (uint8_t)two;
        else
            memcpy(to + 2 * (size_t)i, &two, 2);
    }
    return (struct mi_frame_column){id, is_small ? MI_F_U8 : MI_F_U16, count, values};
}

void mi_reply_frame(struct mi_reply *reply, const struct mi_frame *frame)
{
    struct mi_sink *sink = &reply->body;
    uint64_t offset = 32 + 16 * (uint64_t)frame->column_count;
    reply->media = "application/octet-stream";
    mi_sink_text(sink, "MIB1");
    put(sink, 1, 2);
    put(sink, frame->kind, 2);
    put(sink, frame->column_count, 4);
    put(sink, frame->rows, 4);
    put(sink, (uint64_t)frame->base_ns, 8);
    put(sink, (uint64_t)frame->step_ns, 8);
    for (uint32_t c = 0; c < frame->column_count; c++) {
        const struct mi_frame_column *column = &frame->columns[c];
        put(sink, column->id, 2);
        put(sink, column->type, 1);
        put(sink, 0, 1);
        put(sink, column->count, 4);
        put(sink, offset, 8);
        offset = (offset + (uint64_t)column->count * sizes[column->type] + 7) & ~UINT64_C(7);
    }
    for (uint32_t c = 0; c < frame->column_count; c++) {
        size_t size = (size_t)frame->columns[c].count * sizes[frame->columns[c].type];
        put_column(sink, &frame->columns[c]);
        mi_sink_repeat(sink, 0, (8 - size % 8) % 8);
    }
}
