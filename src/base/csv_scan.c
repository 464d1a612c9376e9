/* CSV pull scanner.
 *
 * A 64-byte block is compared at once with delimiter, quote, LF and CR; the result is a bit mask
 * from which the special bytes are taken one by one. What comes between two of them is never looked
 * at. The scalar twin builds the same mask byte by byte, and serves the last bytes of the input as
 * well. */
#include "base/csv_scan.h"
#include "base/mem.h"
#include "base/simd.h"

#define BLOCK 64

static uint64_t scalar_mask(const struct mi_csv *csv, const uint8_t *at, size_t len)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < len; i++) {
        uint8_t c = at[i];
        bool special = c == csv->options.delimiter || c == '"' || c == '\n' || c == '\r';
        mask |= (uint64_t)special << i;
    }
    return mask;
}

static void load_block(struct mi_csv *csv, const uint8_t *block)
{
    size_t left = (size_t)(csv->end - block);
    csv->block = block;
#if MI_SIMD
    if (left >= BLOCK && !csv->options.force_scalar) {
        csv->mask = mi_block_csv(block, csv->options.delimiter);
        return;
    }
#endif
    csv->mask = scalar_mask(csv, block, left < BLOCK ? left : BLOCK);
}

/* Takes the next special byte; csv->end if there is none. */
static inline const uint8_t *next_special(struct mi_csv *csv)
{
    while (!csv->mask) {
        if (csv->end - csv->block <= BLOCK)
            return csv->end;
        load_block(csv, csv->block + BLOCK);
    }
    const uint8_t *found = csv->block + mi_low_bit(csv->mask);
    csv->mask &= csv->mask - 1;
    return found;
}

static void restart(struct mi_csv *csv, const uint8_t *at)
{
    csv->at = at;
    load_block(csv, at);
}

static bool fail(struct mi_csv *csv, const uint8_t *at, enum mi_code code, const char *text)
{
    uint64_t offset = csv->options.first_offset + (uint64_t)(at - csv->begin);
    mi_fail_at(&csv->error, code, offset, csv->line, "%s", text);
    return false;
}

void mi_csv_init(struct mi_csv *csv, struct mi_bytes input, const struct mi_csv_options *options)
{
    static const uint8_t nothing[1];
    *csv = (struct mi_csv){.error = MI_ERROR_INIT};
    if (options)
        csv->options = *options;
    if (!csv->options.delimiter)
        csv->options.delimiter = ',';
    if (!csv->options.fields_limit)
        csv->options.fields_limit = MI_CSV_FIELDS_DEFAULT;
    if (!csv->options.first_line)
        csv->options.first_line = 1;
    csv->begin = input.at ? input.at : nothing;
    csv->end = csv->begin + (input.at ? input.len : 0);
    csv->line = csv->options.first_line;
    restart(csv, csv->begin + (mi_bytes_starts(input, MI_LIT("\xef\xbb\xbf")) ? 3 : 0));
}

void mi_csv_fini(struct mi_csv *csv)
{
    mi_mem_free(csv->fields);
    csv->fields = NULL;
    csv->room = 0;
}

static bool grow(struct mi_csv *csv)
{
    uint32_t room = csv->room ? csv->room * 2 : 64;
    if (csv->room >= csv->options.fields_limit)
        return fail(csv, csv->at, MI_ELIMIT, "CSV row has too many fields");
    if (room > csv->options.fields_limit)
        room = csv->options.fields_limit;
    struct mi_csv_field *fields = mi_mem_resize(csv->fields, room, sizeof *fields);
    if (!fields)
        return fail(csv, csv->at, MI_ENOMEM, "no memory for the fields of a CSV row");
    csv->fields = fields;
    csv->room = room;
    return true;
}

static bool is_line_end(uint8_t c)
{
    return c == '\n' || c == '\r';
}

/* Line ends inside a quoted field, CRLF being one. */
static uint32_t count_line_ends(const uint8_t *p, const uint8_t *to)
{
    uint32_t count = 0;
    for (; p < to; p++)
        count += *p == '\n' ? p[-1] != '\r' : *p == '\r';
    return count;
}

/* `p` behind an opening quote. Returns the closing quote, or NULL at the end of the input. */
static const uint8_t *close_quote(struct mi_csv *csv, const uint8_t *p, bool *has_escape,
                                  uint32_t *line_ends)
{
    const uint8_t *start = p;
    bool has_line_end = false;
    *has_escape = false;
    for (;;) {
        p = next_special(csv);
        if (p == csv->end)
            return NULL;
        has_line_end |= is_line_end(*p);
        if (*p != '"')
            continue;
        if (p + 1 == csv->end || p[1] != '"')
            break;
        next_special(csv); /* the second quote of the pair */
        *has_escape = true;
    }
    *line_ends = has_line_end ? count_line_ends(start, p) : 0;
    return p;
}

/* Next delimiter or line end from where the mask stands; csv->end if none. */
static inline const uint8_t *field_end(struct mi_csv *csv)
{
    const uint8_t *p;
    do
        p = next_special(csv);
    while (p < csv->end && *p == '"');
    return p;
}

/* `p` at the opening quote, which has been taken from the mask. Returns the field's end or NULL. */
static const uint8_t *quoted_field(struct mi_csv *csv, const uint8_t *p, struct mi_csv_field *field,
                                   struct mi_csv_row *row, uint32_t *line_ends)
{
    bool has_escape;
    uint32_t inside;
    const uint8_t *quote = close_quote(csv, p + 1, &has_escape, &inside);
    if (!quote) {
        csv->line += *line_ends;
        return fail(csv, p, MI_ETRUNCATED, "CSV ends inside a quoted field"), NULL;
    }
    *line_ends += inside;
    const uint8_t *stop = field_end(csv);
    if (stop == quote + 1) {
        field->raw = (struct mi_bytes){p + 1, (size_t)(quote - p) - 1};
        field->is_quoted = true;
        field->has_escape = has_escape;
    } else {
        field->raw = (struct mi_bytes){p, (size_t)(stop - p)};
        field->is_quoted = field->has_escape = false;
        row->is_malformed = true;
    }
    return stop;
}

/* Steps over blank lines; false at the end of the input. */
static bool find_row(struct mi_csv *csv)
{
    while (csv->at < csv->end && is_line_end(*csv->at)) {
        const uint8_t *p = next_special(csv);
        if (*p == '\r' && p + 1 < csv->end && p[1] == '\n')
            p = next_special(csv);
        csv->at = p + 1;
        csv->line++;
        csv->blank_lines++;
    }
    return csv->at < csv->end;
}

/* Fields that begin with no quote and hold none, from `p` on, while there is room: what most rows
 * consist of. Returns the place of the line end, or NULL: what begins at *from is another matter.
 */
static const uint8_t *plain_fields(struct mi_csv *csv, struct mi_csv_row *row, const uint8_t **from)
{
    const uint8_t delimiter = csv->options.delimiter, *p = *from, *line_end = NULL;
    uint32_t count = row->count;
    uint64_t mask = csv->mask;
    while (count < csv->room) {
        while (!mask && csv->end - csv->block > BLOCK) {
            load_block(csv, csv->block + BLOCK);
            mask = csv->mask;
        }
        const uint8_t *stop = csv->block + (mask ? mi_low_bit(mask) : 0);
        if (!mask || *stop == '"')
            break;
        mask &= mask - 1;
        csv->fields[count++] = (struct mi_csv_field){{p, (size_t)(stop - p)}, false, false};
        if (*stop != delimiter) {
            line_end = stop;
            break;
        }
        p = stop + 1;
    }
    csv->mask = mask;
    row->count = count;
    *from = p;
    return line_end;
}

/* Fields of one row; returns the place of its line end (csv->end if there is none), NULL on
 * failure. */
static const uint8_t *read_fields(struct mi_csv *csv, struct mi_csv_row *row, uint32_t *line_ends)
{
    const uint8_t *p = csv->at;
    for (;;) {
        const uint8_t *stop = plain_fields(csv, row, &p);
        if (stop)
            return stop;
        if (row->count == csv->room && !grow(csv))
            return NULL;
        struct mi_csv_field *field = &csv->fields[row->count];
        bool begins_quoted = p < csv->end && *p == '"';
        stop = next_special(csv);
        if (begins_quoted)
            stop = quoted_field(csv, p, field, row, line_ends);
        else if (stop < csv->end && *stop == '"')
            stop = field_end(csv);
        if (!stop)
            return NULL;
        if (!begins_quoted)
            *field = (struct mi_csv_field){{p, (size_t)(stop - p)}, false, false};
        row->count++;
        if (stop == csv->end || *stop != csv->options.delimiter)
            return stop;
        p = stop + 1;
    }
}

bool mi_csv_next(struct mi_csv *csv, struct mi_csv_row *row)
{
    uint32_t line_ends = 0;
    *row = (struct mi_csv_row){0};
    if (mi_csv_failed(csv) || !find_row(csv))
        return false;
    row->line = csv->line;
    row->offset = (size_t)(csv->at - csv->begin);
    const uint8_t *stop = read_fields(csv, row, &line_ends);
    if (!stop) {
        *row = (struct mi_csv_row){0};
        return false;
    }
    row->is_open = stop == csv->end;
    if (!row->is_open) {
        if (*stop == '\r' && stop + 1 < csv->end && stop[1] == '\n')
            stop = next_special(csv);
        stop++;
        line_ends++;
    }
    csv->at = stop;
    csv->line += line_ends;
    row->end = (size_t)(stop - csv->begin);
    row->fields = csv->fields;
    if (!csv->columns)
        csv->columns = row->count;
    row->is_ragged = row->count != csv->columns;
    return true;
}

void mi_csv_seek(struct mi_csv *csv, size_t offset, uint32_t line)
{
    size_t size = (size_t)(csv->end - csv->begin);
    csv->error = MI_ERROR_INIT;
    csv->line = line;
    restart(csv, csv->begin + (offset < size ? offset : size));
}

size_t mi_csv_unescape(struct mi_bytes raw, uint8_t *out)
{
    size_t used = 0;
    while (raw.len) {
        const uint8_t *quote = memchr(raw.at, '"', raw.len);
        size_t take = quote ? (size_t)(quote - raw.at) + 1 : raw.len;
        memcpy(out + used, raw.at, take);
        used += take;
        bool pair = quote && take < raw.len && raw.at[take] == '"';
        raw = mi_bytes_sub(raw, take + pair, raw.len);
    }
    return used;
}

bool mi_csv_text(struct mi_csv_field field, struct mi_scratch *scratch, struct mi_bytes *out)
{
    *out = field.raw;
    if (!field.has_escape)
        return true;
    uint8_t *room = mi_scratch_room(scratch, field.raw.len);
    if (!room) {
        *out = (struct mi_bytes){0};
        return false;
    }
    *out = (struct mi_bytes){room, mi_csv_unescape(field.raw, room)};
    return true;
}
