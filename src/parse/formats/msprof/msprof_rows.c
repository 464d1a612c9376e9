#include "parse/formats/msprof/msprof_rows.h"

#include "base/decimal.h"
#include "base/translate.h"

enum {
    CLEAN_BYTES = 1 << 16, /* looked through for zeroes at once */
    TRIES = 64,            /* lines behind a broken row at which another one may begin */
};

void mi_msprof_rows_init(struct mi_msprof_rows *rows, struct mi_bytes bytes, uint8_t delimiter,
                         uint32_t columns, struct mi_batch *out)
{
    struct mi_csv_row header;
    *rows = (struct mi_msprof_rows){.out = out, .columns = columns};
    mi_csv_init(&rows->csv, bytes, &(struct mi_csv_options){.delimiter = delimiter});
    mi_csv_next(&rows->csv, &header);
}

void mi_msprof_rows_fini(struct mi_msprof_rows *rows)
{
    mi_csv_fini(&rows->csv);
}

static void lose(struct mi_msprof_rows *rows, const struct mi_csv_row *row, int64_t count,
                 const char *code, const char *text)
{
    rows->out->counts.in += count;
    rows->out->counts.lost += count;
    for (int64_t i = 0; i < count; i++)
        mi_batch_diag(rows->out, MI_LOSS, code, row->offset, row->line, "%s", text);
}

static void note(struct mi_msprof_rows *rows, const struct mi_csv_row *row, const char *code,
                 const char *text)
{
    mi_batch_diag(rows->out, MI_NOTICE, code, row->offset, row->line, "%s", text);
}

/* --- what is wrong with a row --- */

static bool has_hole(struct mi_msprof_rows *rows, const struct mi_csv_row *row)
{
    if (rows->clean_from <= row->offset && row->end <= rows->clean_to)
        return false;
    const uint8_t *from = rows->csv.begin + row->offset;
    size_t rest = (size_t)(rows->csv.end - from), len = row->end - row->offset;
    size_t look = rest < CLEAN_BYTES ? rest : CLEAN_BYTES;
    look = look < len ? len : look;
    const uint8_t *zero = memchr(from, 0, look);
    rows->clean_from = row->offset;
    rows->clean_to = row->offset + (zero ? (size_t)(zero - from) : look);
    return rows->clean_to < row->end;
}

/* In the first line of a row, also those within quotes. */
static uint32_t delimiters_of_line(const struct mi_msprof_rows *rows, const struct mi_csv_row *row)
{
    const uint8_t *end = rows->csv.begin + row->end;
    uint32_t count = 0;
    for (const uint8_t *p = rows->csv.begin + row->offset; p < end && *p != '\n' && *p != '\r'; p++)
        count += *p == rows->csv.options.delimiter;
    return count;
}

static bool is_number(struct mi_bytes text)
{
    double ignored;
    return mi_decimal_double(text, &ignored) == 0;
}

/* Two rows without a line end between them: as many fields as two rows have (the last of the first
 * row and the first of the second may be one), numbers where the first row has numbers. Where
 * quotes are in disorder only the delimiters tell. */
static bool is_joined(const struct mi_msprof_rows *rows, const struct mi_csv_row *row)
{
    uint32_t last = rows->columns - 1, numbers = 0;
    if (last < 2)
        return false;
    if (row->is_malformed)
        return delimiters_of_line(rows, row) >= 2 * last;
    if (row->count < rows->columns + last)
        return false;
    for (uint32_t i = 1; i < last; i++) {
        bool is_first = is_number(row->fields[i].raw);
        if (is_first != is_number(row->fields[row->count - rows->columns + i].raw))
            return false;
        numbers += is_first;
    }
    return numbers > 0;
}

/* Counts a row that is of no use as lost. */
static bool lose_broken(struct mi_msprof_rows *rows, const struct mi_csv_row *row)
{
    if (has_hole(rows, row))
        lose(rows, row, 1, "msprof.zero_bytes",
             N_("a row with zero bytes: a part of the file is gone, how many rows with it is not "
                "known"));
    else if (is_joined(rows, row))
        lose(rows, row, 2, "msprof.rows_joined", N_("two rows without a line end between them"));
    else if (row->is_malformed)
        lose(rows, row, 1, "msprof.row_broken", N_("text behind a closing quote"));
    else if (row->count < rows->columns && row->is_open)
        lose(rows, row, 1, "msprof.truncated", N_("the file ends within a row"));
    else if (row->count < rows->columns)
        lose(rows, row, 1, "msprof.row_broken", N_("a row with fewer fields than the header has"));
    else
        return false;
    return true;
}

/* --- going on --- */

static size_t next_line(const struct mi_csv *csv, size_t from)
{
    const uint8_t *p = csv->begin + from;
    while (p < csv->end && *p != '\n' && *p != '\r')
        p++;
    p += p < csv->end;
    p += p < csv->end && p[-1] == '\r' && *p == '\n';
    return (size_t)(p - csv->begin);
}

static uint32_t count_lines(const struct mi_csv *csv, size_t from, size_t to)
{
    uint32_t lines = 0;
    while ((from = next_line(csv, from)) <= to && from < (size_t)(csv->end - csv->begin))
        lines++;
    return lines;
}

static bool is_whole(const struct mi_msprof_rows *rows, const struct mi_csv_row *row)
{
    return row->count == rows->columns && !row->is_malformed;
}

/* A quote that is missing or one too many makes rows run together: goes on at the first line in
 * [from, to) at which a whole row begins, else at `otherwise`. `line`: that of `from`. */
static void resume(struct mi_msprof_rows *rows, size_t from, size_t to, uint32_t line,
                   size_t otherwise)
{
    struct mi_csv *csv = &rows->csv;
    struct mi_csv_row row;
    size_t at = from;
    uint32_t lines = 0;
    while (lines < TRIES && (at = next_line(csv, at)) < to) {
        lines++;
        mi_csv_seek(csv, at, line + lines);
        if (mi_csv_next(csv, &row) && is_whole(rows, &row))
            break;
    }
    if (lines == TRIES || at >= to)
        at = otherwise;
    mi_csv_seek(csv, at, line + count_lines(csv, from, at));
}

/* The scanner gave up: a quote that is never closed, or too many fields. */
static enum mi_msprof_rows_result mend(struct mi_msprof_rows *rows, struct mi_csv_row *row)
{
    struct mi_csv *csv = &rows->csv;
    size_t size = (size_t)(csv->end - csv->begin), at = (size_t)csv->error.offset;
    size_t behind = next_line(csv, at);
    bool is_cut = csv->error.code == MI_ETRUNCATED && behind == size;
    *row = (struct mi_csv_row){.offset = (size_t)(csv->at - csv->begin)};
    row->line = csv->error.line - count_lines(csv, row->offset, at);
    rows->out->counts.in++;
    rows->out->counts.lost++;
    mi_batch_diag(rows->out, MI_LOSS, is_cut ? "msprof.truncated" : "msprof.row_broken", at,
                  csv->error.line, "%s", csv->error.text);
    resume(rows, row->offset, size, row->line, behind);
    return MI_ROWS_LOST;
}

enum mi_msprof_rows_result mi_msprof_rows_next(struct mi_msprof_rows *rows, struct mi_csv_row *row,
                                               struct mi_error *err)
{
    struct mi_csv *csv = &rows->csv;
    if (!mi_csv_next(csv, row)) {
        if (csv->error.code == MI_ENOMEM)
            return mi_fail(err, MI_ENOMEM, "out of memory for the fields of a row"), MI_ROWS_FAIL;
        return mi_csv_failed(csv) ? mend(rows, row) : MI_ROWS_END;
    }
    if (lose_broken(rows, row)) {
        resume(rows, row->offset, row->end, row->line, row->end);
        return MI_ROWS_LOST;
    }
    if (row->count > rows->columns)
        note(rows, row, "msprof.name_unquoted",
             N_("a row with more fields than the header: a comma in the name was not quoted"));
    if (row->is_open)
        note(rows, row, "msprof.row_open",
             N_("the last row has no line end: its last field may be cut"));
    return MI_ROWS_ROW;
}
