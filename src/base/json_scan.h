/* JSON pull scanner over one buffer that stays mapped (RFC 8259), made for files of many GB.
 *
 * Nothing is allocated and nothing is copied: strings are borrowed from the buffer, raw, with a
 * flag that tells whether they hold escapes. The reader asks for what it expects:
 *
 *     mi_json_begin_array(&js);
 *     while (mi_json_next_item(&js)) {
 *         mi_json_begin_object(&js);
 *         while (mi_json_next_key(&js, &key)) {
 *             if (mi_json_string_is(key, MI_LIT("ts")))
 *                 mi_json_scaled(&js, 3, &start_ns, &flags);
 *         }                         <- a value nobody read is skipped (and checked) by the next
 * call
 *     }
 *     if (mi_json_failed(&js)) ...  <- one check per record or per file, as the reader likes
 *
 * The scanner is sticky: after a failure every call is a no-op that returns false and zeroed
 * results, and `error` holds the first failure with offset and line. mi_json_seek() brings it back
 * to life at a place where the reader knows how to go on, for instance at the next line of a
 * profile whose names were not escaped.
 *
 * The whole grammar is checked, also in skipped values. Not checked: UTF-8 validity and paired
 * surrogates (names are hostile bytes; whoever prints them escapes them), repeated keys, ranges of
 * numbers. A UTF-8 byte order mark at the start is stepped over. MI_ETRUNCATED: the input ends
 * where valid JSON could go on; MI_EFORMAT: it could not; MI_ELIMIT: nested too deeply. Nothing
 * recurses. One scanner, one thread. */
#ifndef MI_BASE_JSON_SCAN_H
#define MI_BASE_JSON_SCAN_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/scratch.h"

#define MI_JSON_DEPTH_DEFAULT 512
#define MI_JSON_DEPTH_MOST    4096

struct mi_json_options {
    bool allow_trailing_comma; /* one comma before `]` or `}` */
    bool allow_control;        /* bare bytes below 0x20 inside strings, line ends too */
    bool allow_non_finite; /* NaN, nan, Infinity, inf, each with an optional minus, as numbers */
    bool allow_escape; /* a backslash in front of anything stands for itself; odd_escapes counts */
    bool force_scalar; /* never use vector instructions: for tests and comparisons */
    uint32_t
        depth_limit; /* open containers; 0 = MI_JSON_DEPTH_DEFAULT, at most MI_JSON_DEPTH_MOST */
    uint64_t first_offset; /* offset of the buffer inside the input, for error places */
    uint32_t first_line;   /* its line inside the input, 1-based; 0 = 1 */
};

enum mi_json_type {
    MI_JSON_NONE, /* no value starts here: end of input, failure or a byte that is not JSON */
    MI_JSON_OBJECT,
    MI_JSON_ARRAY,
    MI_JSON_STRING,
    MI_JSON_NUMBER,
    MI_JSON_BOOL,
    MI_JSON_NULL,
};

/* What lies between the quotes, as written; borrowed from the buffer. */
struct mi_json_string {
    struct mi_bytes raw;
    bool has_escape;
};

struct mi_json_number {
    struct mi_bytes text;           /* as written; borrowed from the buffer */
    size_t whole_len, fraction_len; /* digits in front of and behind the point */
    bool is_negative, has_exponent;
    bool is_integer; /* neither point nor exponent */
    bool is_finite;  /* false only with allow_non_finite; lengths are 0 then */
};

/* Fields are private except `error`, `odd_escapes` and `zero_bytes`. */
struct mi_json {
    struct mi_error error; /* first failure since init or seek */
    const uint8_t *at, *end;
    const uint8_t *begin, *limit; /* the whole buffer; `end` moves to `at` on failure */
    const uint8_t *line_at;       /* lines are counted up to here */
    uint32_t line, depth, deepest;
    uint32_t odd_escapes; /* met with allow_escape */
    uint32_t zero_bytes;  /* inside strings, met with allow_control */
    uint8_t state;
    struct mi_json_options options;
    uint64_t is_object[MI_JSON_DEPTH_MOST / 64]; /* one bit per open container, outermost first */
};

/* `input` must stay readable and unchanged while the scanner is used; `options` NULL = all
 * defaults. */
void mi_json_init(struct mi_json *js, struct mi_bytes input, const struct mi_json_options *options);

static inline bool mi_json_failed(const struct mi_json *js)
{
    return js->error.code != MI_OK;
}

/* Type of the value that comes next, by its first byte; reads nothing. */
enum mi_json_type mi_json_peek(struct mi_json *js);

/* Enters an object or array. */
bool mi_json_begin_object(struct mi_json *js);
bool mi_json_begin_array(struct mi_json *js);

/* Steps to the next member and gives its key; false at the closing brace, which is then behind us,
 * and on failure. A value of the previous member that was not read is skipped first. Call it with
 * the object as innermost open container. */
bool mi_json_next_key(struct mi_json *js, struct mi_json_string *key);

/* The same for arrays: true if an item comes next. */
bool mi_json_next_item(struct mi_json *js);

bool mi_json_string(struct mi_json *js, struct mi_json_string *out);
bool mi_json_number(struct mi_json *js, struct mi_json_number *out);
bool mi_json_bool(struct mi_json *js, bool *out);
bool mi_json_null(struct mi_json *js);

/* Numbers as values; each also takes a string that holds a number, since traces write
 * "ts":"123.456". `flags` gets mi_decimal_flag bits: a string that is no number, NaN or infinity
 * sets MI_DECIMAL_BAD and leaves the scanner alive. */
bool mi_json_i64(struct mi_json *js, int64_t *out,
                 unsigned *flags); /* LOSS if there was a fraction */
bool mi_json_u64(struct mi_json *js, uint64_t *out,
                 unsigned *flags); /* a fraction or exponent: BAD */
bool mi_json_scaled(struct mi_json *js, int exp10, int64_t *out,
                    unsigned *flags); /* times 10^exp10 */
bool mi_json_double(struct mi_json *js, double *out,
                    unsigned *flags); /* NaN and infinities as such */

/* Steps over one value of any type, checking it; `raw` (may be NULL) gets its extent without
 * blanks. */
bool mi_json_skip(struct mi_json *js, struct mi_bytes *raw);

/* Steps over the value that comes next and ends in front of `behind`: the caller has checked all of
 * it against the grammar by itself. */
void mi_json_took(struct mi_json *js, const uint8_t *behind);

/* True if nothing but blanks follows the outermost value; anything else is MI_EFORMAT. */
bool mi_json_done(struct mi_json *js);

/* Offset of the next unread byte from the start of the buffer (first_offset is not added). After a
 * failure: where it happened. */
static inline size_t mi_json_offset(const struct mi_json *js)
{
    return (size_t)(js->at - js->begin);
}

/* Number of open containers. */
static inline uint32_t mi_json_depth(const struct mi_json *js)
{
    return js->depth;
}

/* Line of a place in the buffer; costs what lies between it and the place asked for last. */
uint32_t mi_json_line(struct mi_json *js, size_t offset);

/* Goes on at `offset` of the buffer, inside the container that was last opened at nesting `depth`
 * (it may have been closed since: broken text closes what it should not). Forgets a failure. The
 * next mi_json_next_item() or mi_json_next_key() accepts the place before a comma, behind it, or at
 * the closing bracket. With depth 0 a value is expected. A depth that was never reached is
 * MI_EINTERNAL. */
bool mi_json_seek(struct mi_json *js, size_t offset, uint32_t depth);

/* Goes on at `offset` of the buffer as inside an outermost array, whatever was open: for items that
 * have lost what stood around them. Forgets a failure. */
void mi_json_seek_item(struct mi_json *js, size_t offset);

/* Offset of the first byte of the line after the one that holds `offset`; the buffer's length if
 * none. */
size_t mi_json_next_line(const struct mi_json *js, size_t offset);

/* For strings with escapes; use mi_json_string_is(). */
bool mi_json_escaped_is(struct mi_bytes raw, struct mi_bytes text);

/* True if the string means `text`, escapes resolved. */
static inline bool mi_json_string_is(struct mi_json_string string, struct mi_bytes text)
{
    return string.has_escape ? mi_json_escaped_is(string.raw, text)
                             : mi_bytes_equal(string.raw, text);
}

/* Resolves escapes. `out` has room for raw.len bytes, which always suffices; returns the length.
 * Halves of surrogate pairs that stand alone come out as three bytes each (the form known as
 * WTF-8), so that different names stay different; mi_utf8 treats these bytes as invalid and they
 * are escaped on output. Escapes that are cut or unknown are copied as they stand. \u0000 gives a
 * NUL byte. */
size_t mi_json_unescape(struct mi_bytes raw, uint8_t *out);

/* The string's text: borrowed from the buffer if it has no escapes, else from `scratch` until its
 * next use. False if memory is short. */
bool mi_json_text(struct mi_json_string string, struct mi_scratch *scratch, struct mi_bytes *out);

#endif
