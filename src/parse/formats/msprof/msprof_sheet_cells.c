#include "parse/formats/msprof/msprof_sheet_cells.h"

#include "base/decimal.h"
#include "parse/formats/msprof/msprof_columns.h"

/* Times beyond this overflow in sums. */
#define MAX_NS INT64_C(9000000000000000000)

bool mi_sheet_lose(struct mi_sheet_reading *r, const char *code, const char *text)
{
    r->out->counts.lost++;
    mi_batch_diag(r->out, MI_LOSS, code, r->row->offset, r->row->line, "%s", text);
    return false;
}

static struct mi_bytes unit_of_column(const struct mi_sheet_reading *r, int32_t column)
{
    struct mi_bytes unit = {0};
    if (column >= 0)
        mi_sheet_stem(r->header.fields[column].raw, &unit);
    return unit;
}

mi_str_id mi_sheet_text(struct mi_sheet_reading *r, enum mi_sheet_role role)
{
    struct mi_bytes raw = mi_sheet_here(r, role), text = raw;
    uint32_t max = r->src->limits.max_string_bytes;
    struct mi_csv_field cell = {.raw = raw, .has_escape = false};
    for (size_t i = 0; i + 1 < raw.len && !cell.has_escape; i++)
        cell.has_escape = raw.at[i] == '"' && raw.at[i + 1] == '"';
    if (!mi_csv_text(cell, &r->scratch, &text)) {
        mi_batch_fail(r->out, MI_ENOMEM, "out of memory");
        return MI_NO_STR;
    }
    if (max && text.len > max) {
        mi_batch_diag(r->out, MI_NOTICE, "msprof.name_cut", r->row->offset, r->row->line,
                      "a name longer than the limit was cut");
        text.len = max;
    }
    return mi_batch_str(r->out, text);
}

static bool is_scientific(struct mi_bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == 'e' || text.at[i] == 'E')
            return true;
    return false;
}

struct mi_bytes mi_sheet_with_point(const struct mi_sheet_reading *r, struct mi_bytes text,
                                    uint8_t buffer[MI_SHEET_NUMBER_BYTES])
{
    const uint8_t *comma = text.len ? memchr(text.at, ',', text.len) : NULL;
    if (r->sheet.delimiter != ';' || !comma || text.len > MI_SHEET_NUMBER_BYTES)
        return text;
    memcpy(buffer, text.at, text.len);
    buffer[comma - text.at] = '.';
    return (struct mi_bytes){buffer, text.len};
}

bool mi_sheet_time(struct mi_sheet_reading *r, enum mi_sheet_role role, bool is_moment,
                   int64_t otherwise, int64_t *ns)
{
    uint8_t buffer[MI_SHEET_NUMBER_BYTES];
    struct mi_bytes text = mi_sheet_here(r, role);
    *ns = otherwise;
    if (mi_msprof_is_absent(text))
        return true;
    if (is_moment && is_scientific(text))
        return mi_sheet_lose(
            r, "msprof.digits_lost",
            "a time in scientific notation: its digits are lost; export the table anew");
    unsigned flags =
        mi_decimal_scaled(mi_sheet_with_point(r, text, buffer),
                          mi_sheet_exponent(unit_of_column(r, r->sheet.place[role])), ns);
    if (flags & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW) || *ns > MAX_NS || *ns < -MAX_NS)
        return mi_sheet_lose(r, "msprof.row_broken", "a time that is no number");
    return true;
}

bool mi_sheet_number(struct mi_sheet_reading *r, enum mi_sheet_role role, int64_t *number)
{
    struct mi_bytes text = mi_sheet_here(r, role);
    const uint8_t *colon = text.len ? memchr(text.at, ':', text.len) : NULL;
    double ignored;
    *number = -1;
    if (mi_msprof_is_absent(text))
        return true;
    if (role == MI_SHEET_DEVICE && colon)
        text = mi_bytes_sub(text, (size_t)(colon - text.at) + 1, text.len);
    unsigned flags = mi_decimal_i64(text, number);
    if (!flags)
        return true;
    *number = -1;
    if (role == MI_SHEET_DEVICE) /* "host", "CPU" */
        return true;
    if (mi_decimal_double(text, &ignored) == 0 &&
        mi_decimal_scaled(text, 0, number) <= MI_DECIMAL_LOSS) /* a spreadsheet wrote "4.0" */
        return true;
    return mi_sheet_lose(r, "msprof.row_broken", "an id or count that is no number");
}
