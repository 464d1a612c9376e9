/* Writing snapshots: rows that are left out are squeezed from all that refers to them, strings are
 * numbered in the order of their first use. */
#include "model/snapshot_parts.h"

#include "base/hash.h"
#include "base/mem.h"

uint64_t mi_snapshot_shape(void)
{
    uint64_t shape = 0;
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        const struct mi_table_info *info = &mi_table_infos[t];
        shape = shape * 31 + mi_hash64(mi_cstr(info->name));
        for (unsigned c = 0; c < info->column_count; c++) {
            const struct mi_column_info *column = &info->columns[c];
            shape = shape * 31 + mi_hash64(mi_cstr(column->name));
            shape = shape * 31 + (uint64_t)column->kind * 64 + column->size;
            shape = shape * 31 + (uint64_t)(column->kind == MI_KIND_STR ? 0 : column->extra);
        }
    }
    for (int e = 0; e < MI_ENUM_COUNT; e++)
        for (unsigned v = 0; v < mi_enum_size((enum mi_enum_no)e); v++)
            shape = shape * 31 + mi_hash64(mi_cstr(mi_enum_name((enum mi_enum_no)e, v)));
    return shape;
}

static void put_u64(struct mi_sink *sink, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    mi_sink_write(sink, (struct mi_bytes){bytes, sizeof bytes});
}

void mi_snapshot_put(struct mi_sink *sink, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        mi_sink_byte(sink, (uint8_t)(value | 0x80));
    mi_sink_byte(sink, (uint8_t)value);
}

/* --- rows --- */

static bool is_kept(const struct mi_snapshot_writing *w, int table, uint32_t row)
{
    const uint8_t *keep = w->options->keep[table];
    return !keep || keep[row];
}

static bool count_rows(struct mi_snapshot_writing *w)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        if (!w->options->keep[t])
            continue;
        uint32_t count = mi_any_table_of(&w->model->all.rows, (enum mi_table_no)t)->count;
        uint32_t *below = w->below[t] = mi_mem_zero((size_t)count + 1, sizeof *below);
        if (!below)
            return false;
        for (uint32_t r = 1; r < count; r++)
            below[r + 1] = below[r] + (w->options->keep[t][r] != 0);
    }
    return true;
}

static uint32_t rows_of(const struct mi_snapshot_writing *w, int table)
{
    uint32_t count = mi_any_table_of(&w->model->all.rows, (enum mi_table_no)table)->count;
    return w->below[table] ? w->below[table][count] : count - 1;
}

uint32_t mi_snapshot_row(const struct mi_snapshot_writing *w, int table, uint32_t row)
{
    if (!w->below[table] || !row)
        return row;
    return w->options->keep[table][row] ? w->below[table][row] + 1 : 0;
}

/* --- strings --- */

static uint32_t string_number(struct mi_snapshot_writing *w, int kind, mi_str_id id)
{
    if (!id.v || id.v >= w->model->all.strings.count)
        return 0;
    uint32_t *number = &w->number_of[kind][id.v];
    if (!*number) {
        struct mi_bytes text = mi_model_text(w->model, id);
        if (w->options->rename)
            text = w->options->rename(w->options->user, (enum mi_str_kind)kind, text);
        *number = mi_strings_add(&w->out, text, false, &w->failed).v + 1;
    }
    return *number - 1;
}

uint32_t mi_snapshot_text(struct mi_snapshot_writing *w, enum mi_str_kind kind,
                          struct mi_bytes text)
{
    if (w->options->rename)
        text = w->options->rename(w->options->user, kind, text);
    mi_str_id id = mi_strings_find(&w->out, text);
    if (id.v || !text.len)
        return id.v;
    text = mi_arena_copy(&w->arena, text); /* the record it stands in may be gone soon */
    w->failed = w->failed || !text.at;
    return text.at ? mi_strings_add(&w->out, text, false, &w->failed).v : 0;
}

static void number_strings(struct mi_snapshot_writing *w)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        const struct mi_table_info *info = &mi_table_infos[t];
        const struct mi_any_table *table =
            mi_any_table_of(&w->model->all.rows, (enum mi_table_no)t);
        for (unsigned c = 0; c < info->column_count; c++) {
            const struct mi_column_info *column = &info->columns[c];
            const mi_str_id *list = mi_column_array(table, column);
            for (uint32_t r = 1; column->kind == MI_KIND_STR && r < table->count; r++)
                if (is_kept(w, t, r))
                    string_number(w, column->extra, list[r]);
        }
    }
    mi_snapshot_number_values(w);
}

static void write_strings(struct mi_snapshot_writing *w)
{
    mi_snapshot_put(w->sink, w->out.count);
    for (uint32_t s = 1; s < w->out.count; s++)
        mi_snapshot_put(w->sink, w->out.list[s].len);
    for (uint32_t s = 1; s < w->out.count; s++)
        mi_sink_write(w->sink, mi_strings_get(&w->out, (mi_str_id){s}));
}

/* --- columns --- */

/* What is written for a row of a column of numbers. A COUNT column stands behind its FIRST. */
static uint64_t number_at(struct mi_snapshot_writing *w, const struct mi_any_table *table,
                          const struct mi_column_info *column, uint32_t row)
{
    uint64_t value = (uint64_t)mi_column_int(table, column, row);
    if (column->kind == MI_KIND_STR)
        return string_number(w, column->extra, (mi_str_id){(uint32_t)value});
    if (column->kind == MI_KIND_SOME)
        return mi_some_of((int64_t)value).plus_one;
    if (column->kind == MI_KIND_ID)
        return mi_snapshot_row(w, column->extra, (uint32_t)value);
    if (column->kind == MI_KIND_FIRST && w->below[column->extra])
        return w->below[column->extra][value] + 1;
    if (column->kind == MI_KIND_COUNT && w->below[column[-1].extra]) {
        const uint32_t *below = w->below[column[-1].extra];
        uint64_t first = (uint64_t)mi_column_int(table, &column[-1], row);
        return value ? below[first + value] - below[first] : 0;
    }
    return value;
}

static bool is_bytes(const struct mi_column_info *column)
{
    return column->size == 1 || column->kind == MI_KIND_F64;
}

static void write_bytes(struct mi_snapshot_writing *w, int t, const struct mi_any_table *table,
                        const struct mi_column_info *column)
{
    const uint8_t *list = mi_column_array(table, column);
    for (uint32_t r = 1; r < table->count; r++) {
        if (!is_kept(w, t, r))
            continue;
        if (column->size == 1) {
            mi_sink_byte(w->sink, list[r]);
            continue;
        }
        uint64_t bits;
        memcpy(&bits, list + (size_t)r * 8, sizeof bits);
        put_u64(w->sink, bits);
    }
}

static void write_numbers(struct mi_snapshot_writing *w, int t, const struct mi_any_table *table,
                          const struct mi_column_info *column)
{
    uint64_t before = 0;
    for (uint32_t r = 1; r < table->count; r++) {
        if (!is_kept(w, t, r))
            continue;
        uint64_t value = number_at(w, table, column, r), step = value - before;
        mi_snapshot_put(w->sink, step << 1 ^ (step >> 63 ? UINT64_MAX : 0));
        before = value;
    }
}

static bool is_all_zero(const struct mi_any_table *table, const struct mi_column_info *column)
{
    const uint8_t *list = mi_column_array(table, column);
    return mi_mem_is_zero(list + column->size, (size_t)(table->count - 1) * column->size);
}

static void write_table(struct mi_snapshot_writing *w, int t)
{
    const struct mi_table_info *info = &mi_table_infos[t];
    const struct mi_any_table *table = mi_any_table_of(&w->model->all.rows, (enum mi_table_no)t);
    uint32_t rows = rows_of(w, t);
    mi_snapshot_put(w->sink, rows);
    for (unsigned c = 0; rows && c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        bool is_nothing = c > 0 && is_all_zero(table, column);
        mi_sink_byte(w->sink, is_nothing ? 0 : is_bytes(column) ? 1 : 2);
        if (is_nothing)
            continue;
        if (is_bytes(column))
            write_bytes(w, t, table, column);
        else
            write_numbers(w, t, table, column);
    }
}

/* --- the whole --- */

static bool begin(struct mi_snapshot_writing *w)
{
    uint32_t strings = w->model->all.strings.count;
    mi_arena_init(&w->arena);
    bool ok = mi_strings_init(&w->out) && count_rows(w);
    for (int k = 0; k < MI_S_KINDS; k++) {
        w->number_of[k] = mi_mem_zero(strings, sizeof *w->number_of[k]);
        ok = ok && w->number_of[k];
    }
    return ok;
}

static void end(struct mi_snapshot_writing *w)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        mi_mem_free(w->below[t]);
    for (int k = 0; k < MI_S_KINDS; k++)
        mi_mem_free(w->number_of[k]);
    mi_strings_fini(&w->out);
    mi_arena_fini(&w->arena);
}

bool mi_snapshot_write(const struct mi_model *model, const struct mi_snapshot_options *options,
                       struct mi_sink *sink, struct mi_error *err)
{
    static const struct mi_snapshot_options whole;
    struct mi_snapshot_writing w = {
        .model = model, .options = options ? options : &whole, .sink = sink};
    w.failed = !begin(&w);
    if (!w.failed)
        number_strings(&w);
    if (!w.failed) {
        mi_sink_text(sink, MI_SNAPSHOT_MAGIC);
        put_u64(sink, mi_snapshot_shape());
        put_u64(sink, (uint64_t)model->start_unix_ns);
        write_strings(&w);
        for (int t = 0; t < MI_TABLE_COUNT; t++)
            write_table(&w, t);
        mi_snapshot_write_values(&w);
    }
    end(&w);
    return !w.failed || mi_fail(err, MI_ENOMEM, "out of memory for the snapshot");
}
