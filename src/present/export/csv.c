/* Export "csv": every table of the model as one file, RFC 4180, UTF-8, one header line.
 *
 * The first column is the row number `id` to which the id columns of other tables point; names are
 * written out, closed vocabularies by their words, an id of none is empty. Text is quoted where it
 * has to be; NUL shows as U+2400 and bytes that are not UTF-8 as U+FFFD. Text is otherwise left
 * alone: see docs/exports.md on spreadsheets that take "=..." for a formula. */
#include "base/decimal.h"
#include "base/translate.h"
#include "present/export/common.h"
#include "present/export/table_rows.h"

static void write_text(struct mi_sink *sink, struct mi_bytes text)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.len && !is_quoted; i++)
        is_quoted = text.at[i] == '"' || text.at[i] == ',' || text.at[i] == '\n' ||
                    text.at[i] == '\r' || text.at[i] == ' ';
    if (!is_quoted) {
        mi_export_clean_text(sink, text);
        return;
    }
    mi_sink_byte(sink, '"');
    for (;;) {
        const uint8_t *quote = text.len ? memchr(text.at, '"', text.len) : NULL;
        size_t len = quote ? (size_t)(quote - text.at) : text.len;
        mi_export_clean_text(sink, mi_bytes_sub(text, 0, len));
        if (!quote)
            break;
        mi_sink_text(sink, "\"\"");
        text = mi_bytes_sub(text, len + 1, SIZE_MAX);
    }
    mi_sink_byte(sink, '"');
}

static void write_real(struct mi_sink *sink, const struct mi_table_rows *at,
                       const struct mi_column_info *column)
{
    const struct mi_any_table *table = mi_any_table_of(&at->model->all.rows, at->which);
    double value;
    char text[MI_DECIMAL_ROOM];
    memcpy(&value, (const char *)mi_column_array(table, column) + (size_t)at->row * sizeof value,
           sizeof value);
    mi_decimal_format_double(value, text);
    mi_sink_text(sink, text);
}

static void write_cell(struct mi_sink *sink, const struct mi_table_rows *at,
                       const struct mi_column_info *column)
{
    int64_t value = column->kind == MI_KIND_F64 ? 0 : mi_table_rows_int(at, column);
    switch (column->kind) {
    case MI_KIND_STR:
        write_text(sink, mi_model_text(at->model, (mi_str_id){(uint32_t)value}));
        return;
    case MI_KIND_ENUM:
        mi_sink_text(sink, mi_enum_name((enum mi_enum_no)column->extra, (unsigned)value));
        return;
    case MI_KIND_F64:
        write_real(sink, at, column);
        return;
    case MI_KIND_ID:
        if (value)
            mi_sink_i64(sink, value);
        return;
    case MI_KIND_FIRST:
    case MI_KIND_COUNT:
    case MI_KIND_BOOL:
    case MI_KIND_U32:
    case MI_KIND_SOME:
    case MI_KIND_I64:
    case MI_KIND_NS:
    case MI_KIND_TICKS:
        mi_sink_i64(sink, value);
        return;
    }
}

/* `relate` of the nodes table adds the public id; NULL for others. */
static void write_table(struct mi_sink *sink, const struct mi_model *model, enum mi_table_no which,
                        const struct mi_relate *relate)
{
    const struct mi_table_info *info = &mi_table_infos[which];
    struct mi_table_rows at = mi_table_rows_begin(model, which);
    mi_sink_text(sink, "id");
    for (unsigned c = 0; c < info->column_count; c++) {
        if (!mi_table_rows_has(&info->columns[c]))
            continue;
        mi_sink_byte(sink, ',');
        mi_sink_text(sink, info->columns[c].name);
    }
    mi_sink_text(sink, relate ? ",node_id\n" : "\n");
    while (!mi_sink_failed(sink) && mi_table_rows_next(&at)) {
        mi_sink_u64(sink, at.id);
        for (unsigned c = 0; c < info->column_count; c++) {
            if (!mi_table_rows_has(&info->columns[c]))
                continue;
            mi_sink_byte(sink, ',');
            write_cell(sink, &at, &info->columns[c]);
        }
        if (relate) {
            mi_sink_byte(sink, ',');
            mi_sink_u64(sink, relate->public_id[at.row]);
        }
        mi_sink_byte(sink, '\n');
    }
}

static bool write_csv(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    struct mi_relate relate;
    bool ok = mi_relate_init(&relate, view->model, err);
    for (int t = 0; ok && t < MI_TABLE_COUNT; t++) {
        char name[64] = "";
        size_t len = strlen(mi_table_infos[t].name);
        memcpy(name, mi_table_infos[t].name, len);
        memcpy(name + len, ".csv", sizeof ".csv");
        struct mi_sink *sink = target->open(target, name, err);
        if (sink)
            write_table(sink, view->model, (enum mi_table_no)t, t == MI_T_nodes ? &relate : NULL);
        ok = sink && target->close(target, err);
    }
    mi_relate_fini(&relate);
    return ok;
}

const struct mi_exporter mi_exporter_csv = {
    .name = "csv",
    .title = N_("one CSV file per table of the model"),
    .media_type = "text/csv; charset=utf-8",
    .write = write_csv,
};
