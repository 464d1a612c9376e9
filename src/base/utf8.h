/* UTF-8 that may be broken: checking, walking, width on a terminal, and escaping hostile text so
 * that it can be shown. Pure functions, any thread, no locale. */
#ifndef MI_BASE_UTF8_H
#define MI_BASE_UTF8_H

#include "base/bytes.h"
#include "base/sink.h"

/* Decodes the character at the front of `at[0 .. len)`. Returns its length, 1 to 4; 0 if the first
 * byte does not start a valid character (overlong forms, surrogates and numbers beyond 0x10ffff are
 * invalid) or len is 0: the caller then treats that one byte as invalid and goes on behind it. */
unsigned mi_utf8_decode(const uint8_t *at, size_t len, uint32_t *code);

/* Length of the longest valid front part, in whole characters. */
size_t mi_utf8_valid_len(struct mi_bytes text);

static inline bool mi_utf8_valid(struct mi_bytes text)
{
    return mi_utf8_valid_len(text) == text.len;
}

/* Terminal columns of one character: 0 for combining marks, 2 for wide East Asian characters and
 * emoji, else
 * 1. Meaningless for control characters. */
unsigned mi_utf8_width(uint32_t code);

/* Characters that must not reach a terminal or a table as they stand: control characters (C0, DEL,
 * C1), bidi controls, invisible format characters, line and paragraph separators, byte order marks.
 */
bool mi_utf8_is_hostile(uint32_t code);

/* Columns that mi_utf8_show() uses for the whole text. Stops counting once `most` is exceeded (0 =
 * never). */
size_t mi_utf8_shown_width(struct mi_bytes text, size_t most);

/* Writes text for people: valid characters as they are; backslash as \\, line feed, return and tab
 * as \n \r \t; other control characters below 0x80 and invalid bytes as \xNN; other hostile
 * characters as \uNNNN or \UNNNNNNNN. The result is valid UTF-8 on one line and tells different
 * names apart. Text wider than `most_columns` (0 = no limit) is cut between characters and ends in
 * U+2026. Returns the columns used. */
size_t mi_utf8_show(struct mi_sink *sink, struct mi_bytes text, size_t most_columns);

#endif
