#include "model/batch.h"

#include "base/mem.h"

#include <stdio.h>

bool mi_batch_init(struct mi_batch *batch, struct mi_bytes mapping, struct mi_error *err)
{
    *batch = (struct mi_batch){.mapping = mapping, .error = MI_ERROR_INIT};
    mi_tables_init(&batch->rows);
    if (!mi_strings_init(&batch->strings))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    return true;
}

void mi_batch_fini(struct mi_batch *batch)
{
    mi_tables_fini(&batch->rows);
    mi_strings_fini(&batch->strings);
    mi_map_fini(&batch->link_rows);
}

bool mi_batch_fail(struct mi_batch *batch, enum mi_code code, const char *format, ...)
{
    char text[sizeof batch->error.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mi_fail(&batch->error, code, "%s", text);
}

mi_str_id mi_batch_str(struct mi_batch *batch, struct mi_bytes text)
{
    if (mi_batch_failed(batch))
        return MI_NO_STR;
    uintptr_t lo = (uintptr_t)batch->mapping.at, at = (uintptr_t)text.at;
    bool borrowed = batch->mapping.at && at >= lo && at - lo <= batch->mapping.len &&
                    text.len <= batch->mapping.len - (at - lo);
    bool failed = false;
    mi_str_id id = mi_strings_add(&batch->strings, text, !borrowed, &failed);
    if (failed)
        mi_batch_fail(batch, MI_ENOMEM, "out of memory for names");
    return id;
}

mi_str_id mi_batch_cstr(struct mi_batch *batch, const char *text)
{
    return mi_batch_str(batch, mi_cstr(text));
}

mi_str_id mi_batch_printf(struct mi_batch *batch, const char *format, ...)
{
    char small[256], *text = small;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (len >= (int)sizeof small) {
        text = mi_mem_new((size_t)len + 1, 1);
        if (text)
            vsnprintf(text, (size_t)len + 1, format, again);
        else
            mi_batch_fail(batch, MI_ENOMEM, "out of memory for names");
    }
    va_end(again);
    mi_str_id id = MI_NO_STR;
    if (text && len > 0)
        id = mi_batch_str(batch, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
    if (text != small)
        mi_mem_free(text);
    return id;
}

static bool room_for_row(struct mi_batch *batch, enum mi_table_no which)
{
    if (mi_batch_failed(batch))
        return false;
    if (mi_table_reserve(&batch->rows, which, mi_any_table(&batch->rows, which)->room ? 1 : 2))
        return true;
    return mi_batch_fail(batch, MI_ENOMEM, "out of memory for %s", mi_table_infos[which].name);
}

/* A zero in a row that was never written stands there already, and costs no memory. */
static inline void put_cell(void *cell, const void *value, size_t size, bool is_fresh)
{
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    if (bits || !is_fresh)
        memcpy(cell, value, size);
}

#define MI_KEEP_STR(field)   (field)
#define MI_KEEP_ID(field)    (field)
#define MI_KEEP_FIRST(field) (field)
#define MI_KEEP_COUNT(field) (field)
#define MI_KEEP_ENUM(field)  (field)
#define MI_KEEP_BOOL(field)  (field)
#define MI_KEEP_U32(field)   (field)
#define MI_KEEP_SOME(field)  mi_some_of(field)
#define MI_KEEP_I64(field)   (field)
#define MI_KEEP_F64(field)   (field)
#define MI_KEEP_NS(field)    (field)
#define MI_KEEP_TICKS(field) (field)
#define MI_COL(T, name, type, kind, extra, unit, meaning)                                          \
    MI_CELL_##kind(type) kept_##name = MI_KEEP_##kind(fields->name);                               \
    put_cell(&table->name[at], &kept_##name, sizeof kept_##name, is_fresh);
#define MI_TABLE(row, table_name, COLUMNS)                                                         \
    mi_##row##_id mi_add_##row(struct mi_batch *batch, const struct mi_##row##_row *fields)        \
    {                                                                                              \
        struct mi_##table_name *table = &batch->rows.table_name;                                   \
        if ((table->count >= table->room || mi_batch_failed(batch)) &&                             \
            !room_for_row(batch, MI_T_##table_name))                                               \
            return (mi_##row##_id){0};                                                             \
        uint32_t at = table->count++;                                                              \
        bool is_fresh = at >= table->used;                                                         \
        table->used = is_fresh ? table->count : table->used;                                       \
        COLUMNS(MI_COL, table_name)                                                                \
        return (mi_##row##_id){at};                                                                \
    }
MI_TABLES(MI_TABLE)
#undef MI_TABLE
#undef MI_COL

void mi_batch_diag(struct mi_batch *batch, enum mi_severity severity, const char *code,
                   uint64_t offset, uint32_t line, const char *format, ...)
{
    mi_str_id code_id = mi_batch_cstr(batch, code);
    struct mi_diags *diags = &batch->rows.diags;
    if (batch->diag_hint && diags->code[batch->diag_hint].v == code_id.v) {
        diags->times[batch->diag_hint]++;
        return;
    }
    for (uint32_t i = 1; i < mi_any_table(&batch->rows, MI_T_diags)->count; i++) {
        if (diags->code[i].v == code_id.v) {
            diags->times[i]++;
            batch->diag_hint = i;
            return;
        }
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mi_add_diag(batch,
                &(struct mi_diag_row){.code = code_id,
                                      .severity = (uint8_t)severity,
                                      .times = 1,
                                      .offset = offset == MI_NO_OFFSET ? -1 : (int64_t)offset,
                                      .line = line,
                                      .text = mi_batch_cstr(batch, text)});
}
