/* CSV pull scanner over one buffer that stays mapped (RFC 4180 and what tools really write).
 *
 * Rows end with LF, CRLF or a lone CR, also mixed; blank lines are stepped over and counted; a
 * UTF-8 byte order mark at the start is stepped over. A field that starts with a quote runs to the
 * closing quote and may hold delimiters and line ends, "" in it means one quote. Everything else is
 * kept as written: tabs and blanks, NUL bytes, quotes inside unquoted fields. Text behind a closing
 * quote ("ab"c) makes the whole field count as unquoted, as written, and the row is marked.
 *
 *     mi_csv_init(&csv, input, NULL);
 *     while (mi_csv_next(&csv, &row))
 *         ... row.fields[0 .. row.count) ...
 *     if (mi_csv_failed(&csv)) ...
 *     mi_csv_fini(&csv);
 *
 * The scanner is sticky: after a failure mi_csv_next() returns false and `error` keeps the first
 * failure with offset and line; mi_csv_seek() goes on elsewhere. MI_ETRUNCATED: the input ends
 * inside quotes (place of the opening quote). MI_ELIMIT: too many fields in a row. One scanner, one
 * thread. */
#ifndef MI_BASE_CSV_SCAN_H
#define MI_BASE_CSV_SCAN_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/scratch.h"

#define MI_CSV_FIELDS_DEFAULT 65536

struct mi_csv_options {
    uint8_t delimiter;     /* 0 = comma */
    bool force_scalar;     /* never use vector instructions: for tests and comparisons */
    uint32_t fields_limit; /* fields of one row; 0 = MI_CSV_FIELDS_DEFAULT */
    uint64_t first_offset; /* offset of the buffer inside the input, for error places */
    uint32_t first_line;   /* its line inside the input, 1-based; 0 = 1 */
};

/* Text without its quotes, borrowed from the buffer. */
struct mi_csv_field {
    struct mi_bytes raw;
    bool is_quoted;
    bool has_escape; /* holds "" pairs */
};

struct mi_csv_row {
    const struct mi_csv_field *fields; /* [count], borrowed until the next row */
    uint32_t count;                    /* >= 1 */
    uint32_t line;                     /* of its first byte, 1-based */
    size_t offset;                     /* of its first byte from the start of the buffer */
    size_t end;                        /* offset behind its line end */
    bool is_ragged;                    /* another number of fields than the first row had */
    bool is_malformed;                 /* text behind a closing quote */
    bool is_open;                      /* no line end: the last row of a file that may be cut */
};

/* Fields are private except `error` and the two counts. */
struct mi_csv {
    struct mi_error error;
    uint32_t columns;     /* fields of the first row; 0 before it; may be set by the caller */
    uint32_t blank_lines; /* stepped over so far */
    const uint8_t *begin, *end, *at;
    const uint8_t *block; /* the 64 bytes that `mask` describes */
    uint64_t mask;        /* special bytes of the block not yet seen, lowest bit first */
    uint32_t line;
    uint32_t room; /* of `fields` */
    struct mi_csv_field *fields;
    struct mi_csv_options options;
};

/* `input` must stay readable and unchanged while the scanner and its rows are used. */
void mi_csv_init(struct mi_csv *csv, struct mi_bytes input, const struct mi_csv_options *options);
void mi_csv_fini(struct mi_csv *csv);

static inline bool mi_csv_failed(const struct mi_csv *csv)
{
    return csv->error.code != MI_OK;
}

/* Reads the next row; false at the end of the input and after a failure (row is zeroed then). */
bool mi_csv_next(struct mi_csv *csv, struct mi_csv_row *row);

/* Goes on at a line start: `offset` in the buffer, `line` its number. Forgets a failure. */
void mi_csv_seek(struct mi_csv *csv, size_t offset, uint32_t line);

/* Field `index` of a row, or empty text if the row is too short. */
static inline struct mi_bytes mi_csv_raw(const struct mi_csv_row *row, uint32_t index)
{
    return index < row->count ? row->fields[index].raw : (struct mi_bytes){0};
}

/* Turns "" into ". `out` has room for raw.len bytes; returns the length. */
size_t mi_csv_unescape(struct mi_bytes raw, uint8_t *out);

/* The field's text: borrowed from the buffer if it has no escapes, else from `scratch` until its
 * next use. False if memory is short. */
bool mi_csv_text(struct mi_csv_field field, struct mi_scratch *scratch, struct mi_bytes *out);

#endif
