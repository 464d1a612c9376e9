/* Columns of a binary reply while they are collected. */
#ifndef MI_PRESENT_SERVE_COLUMNS_H
#define MI_PRESENT_SERVE_COLUMNS_H

#include "base/arena.h"
#include "present/serve/frame.h"

enum { MI_COLUMNS_MOST = 32 };

struct mi_columns {
    struct mi_frame_column list[MI_COLUMNS_MOST];
    uint32_t count;
    struct mi_arena arena; /* of the columns, and of whoever makes texts for them */
    bool failed;           /* sticky: out of memory */
};

void mi_columns_init(struct mi_columns *columns);
void mi_columns_fini(struct mi_columns *columns);

/* Room for `count` values; NULL once memory is out. */
void *mi_columns_add(struct mi_columns *columns, uint16_t id, enum mi_frame_type type,
                     size_t count);

/* Texts as two columns: `id` the end of each, `id` + 1 the bytes. Longer ones are cut. */
void mi_columns_add_texts(struct mi_columns *columns, uint16_t id, const struct mi_bytes *texts,
                          uint32_t count, uint32_t most_bytes);

/* One column whose value at `i` is an expression. */
#define MI_COLUMN(columns, id, type, ctype, size, value)                                           \
    do {                                                                                           \
        ctype *values_ = mi_columns_add(columns, id, type, size);                                  \
        for (uint32_t i = 0; values_ && i < (size); i++)                                           \
            values_[i] = (ctype)(value);                                                           \
    } while (0)

#endif
