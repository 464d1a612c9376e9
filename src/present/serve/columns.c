#include "present/serve/columns.h"

#include <string.h>

void mi_columns_init(struct mi_columns *columns)
{
    *columns = (struct mi_columns){.count = 0};
    mi_arena_init(&columns->arena);
}

void mi_columns_fini(struct mi_columns *columns)
{
    mi_arena_fini(&columns->arena);
}

void *mi_columns_add(struct mi_columns *columns, uint16_t id, enum mi_frame_type type, size_t count)
{
    static const uint8_t sizes[] = {0, 1, 2, 4, 4, 8, 8};
    void *values = columns->count < MI_COLUMNS_MOST && count < UINT32_MAX
                       ? mi_arena_alloc(&columns->arena, (count + 1) * sizes[type])
                       : NULL;
    columns->failed |= !values;
    if (columns->failed)
        return NULL;
    columns->list[columns->count++] = (struct mi_frame_column){id, type, (uint32_t)count, values};
    return values;
}

/* A cut must not leave half a letter. */
static uint32_t cut(struct mi_bytes text, uint32_t most)
{
    if (text.len <= most)
        return (uint32_t)text.len;
    uint32_t len = most;
    while (len && (text.at[len] & 0xC0) == 0x80)
        len--;
    return len ? len : most;
}

void mi_columns_add_texts(struct mi_columns *columns, uint16_t id, const struct mi_bytes *texts,
                          uint32_t count, uint32_t most_bytes)
{
    uint32_t *ends = texts ? mi_columns_add(columns, id, MI_F_U32, count) : NULL;
    uint32_t total = 0;
    for (uint32_t i = 0; ends && i < count; i++)
        ends[i] = total += cut(texts[i], most_bytes);
    uint8_t *bytes = ends ? mi_columns_add(columns, (uint16_t)(id + 1), MI_F_U8, total) : NULL;
    for (uint32_t i = 0; bytes && i < count; i++) {
        uint32_t from = i ? ends[i - 1] : 0;
        if (ends[i] > from)
            memcpy(bytes + from, texts[i].at, ends[i] - from);
    }
}
