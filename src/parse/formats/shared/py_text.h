/* Lines that look like Python, taken apart: lists, names, literals. No grammar is checked: what is
 * not understood stays text. */
#ifndef MI_PARSE_PY_TEXT_H
#define MI_PARSE_PY_TEXT_H

#include "model/batch.h"

struct mi_bytes mi_py_trim(struct mi_bytes text);

/* The next line without its end; false: no more. `rest` moves behind it. */
bool mi_py_line(struct mi_bytes *rest, struct mi_bytes *line);

/* The next part of a list, split at commas outside of brackets and quotes, trimmed; false: no more.
 */
bool mi_py_part(struct mi_bytes *rest, struct mi_bytes *part);

/* Offset of the first `byte` outside of brackets and quotes from `from` on, of a bracket that
 * closes more than was opened since, or text.len. */
size_t mi_py_find(struct mi_bytes text, size_t from, uint8_t byte);

/* Length of the name (letters, digits, _, not a digit first) at the start of `text`; 0: none. */
size_t mi_py_name(struct mi_bytes text);

/* Offset of the bracket that closes the one at `open`, or text.len if none does. */
size_t mi_py_close(struct mi_bytes text, size_t open);

/* Offset behind the quoted string that starts at `at`, or text.len if it does not end. */
size_t mi_py_string(struct mi_bytes text, size_t at);

/* What stands between the brackets, or quotes, that are around all of `text`; else the empty text
 * at text.at. */
struct mi_bytes mi_py_inside(struct mi_bytes text);
struct mi_bytes mi_py_unquoted(struct mi_bytes text);

/* Splits "key=" (`mark` '=') or "key: " (':') off a part of a list; without one the key is empty.
 */
struct mi_bytes mi_py_key(struct mi_bytes *part, uint8_t mark);

/* A whole number; false: it is none. */
bool mi_py_int(struct mi_bytes text, int64_t *value);

/* Adds an attribute for a literal: int, float, bool, string, list of ints; else opaque text. */
void mi_py_attr(struct mi_batch *out, mi_str_id name, struct mi_bytes literal);

#endif
