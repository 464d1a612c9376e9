/* JSON writer: streams one document into a sink, commas and indentation by itself.
 *
 *     mi_jw_init(&jw, &sink, &options);
 *     mi_jw_begin_object(&jw);
 *     mi_jw_key(&jw, "name");
 *     mi_jw_string(&jw, name);
 *     mi_jw_end(&jw);
 *     if (!mi_jw_finish(&jw, err)) ...
 *
 * The output is always valid JSON in valid UTF-8, the same bytes on every machine and in every
 * locale:
 * - control characters (C0, DEL, C1), quote and backslash are escaped;
 * - each byte that is not valid UTF-8 becomes U+FFFD; `invalid_bytes` counts them, and
 * mi_jw_hex_note() keeps the original bytes of a name beside it where that matters;
 * - NaN and infinities, for which JSON has no word, become null.
 * Misuse (a value where a key belongs, an end too many, nesting beyond MI_JW_DEPTH_MOST) puts
 * MI_EINTERNAL into the sink; failures stick there. One writer, one thread; nothing is allocated.
 */
#ifndef MI_BASE_JSON_WRITE_H
#define MI_BASE_JSON_WRITE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/sink.h"

#define MI_JW_DEPTH_MOST 64

struct mi_jw_options {
    unsigned indent; /* blanks per level, 0 = all on one line */
    bool html_safe;  /* also escapes < > & U+2028 U+2029 and bidi controls: fit for a <script> block
                      */
};

/* Fields are private except `invalid_bytes`. */
struct mi_jw {
    struct mi_sink *sink; /* borrowed */
    struct mi_jw_options options;
    uint64_t invalid_bytes; /* replaced so far */
    uint32_t depth;
    bool has_value; /* the document's value was begun */
    bool after_key;
    uint64_t is_object, is_filled; /* one bit per open container, outermost lowest */
};

void mi_jw_init(struct mi_jw *jw, struct mi_sink *sink, const struct mi_jw_options *options);

void mi_jw_begin_object(struct mi_jw *jw);
void mi_jw_begin_array(struct mi_jw *jw);
void mi_jw_end(struct mi_jw *jw); /* closes the innermost container */

void mi_jw_key(struct mi_jw *jw, const char *key);
void mi_jw_key_bytes(struct mi_jw *jw, struct mi_bytes key);

void mi_jw_string(struct mi_jw *jw, struct mi_bytes text);
void mi_jw_text(struct mi_jw *jw, const char *text); /* NULL: null */
void mi_jw_i64(struct mi_jw *jw, int64_t value);
void mi_jw_u64(struct mi_jw *jw, uint64_t value);
void mi_jw_double(struct mi_jw *jw, double value); /* shortest digits that read back equal */
void mi_jw_bool(struct mi_jw *jw, bool value);
void mi_jw_null(struct mi_jw *jw);
void mi_jw_raw(struct mi_jw *jw, struct mi_bytes json); /* one value, already valid JSON */

/* As a string, "-9223372036854775808": for numbers that may exceed 2^53 (absolute ns, 64-bit ids).
 */
void mi_jw_i64_string(struct mi_jw *jw, int64_t value);

/* ns as a number of microseconds with three decimals, exact. */
void mi_jw_us(struct mi_jw *jw, int64_t ns);

/* Members in one call, for objects. */
void mi_jw_member_string(struct mi_jw *jw, const char *key, struct mi_bytes text);
void mi_jw_member_text(struct mi_jw *jw, const char *key, const char *text);
void mi_jw_member_i64(struct mi_jw *jw, const char *key, int64_t value);
void mi_jw_member_bool(struct mi_jw *jw, const char *key, bool value);

/* If `text` is not valid UTF-8: a member `key` with all its bytes as lower-case hex; else nothing.
 */
void mi_jw_hex_note(struct mi_jw *jw, const char *key, struct mi_bytes text);

/* Ends the document: checks that it is complete, adds a line end, flushes the sink. */
bool mi_jw_finish(struct mi_jw *jw, struct mi_error *err);

/* The text of a JSON string without quotes, escaped like above; returns the number of replaced
 * bytes. For writers that need no more than this. */
uint64_t mi_json_escape(struct mi_sink *sink, struct mi_bytes text, bool html_safe);

#endif
