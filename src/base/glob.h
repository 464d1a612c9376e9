/* Patterns over names: * stands for any bytes, ? for one byte, all else for itself. */
#ifndef MI_BASE_GLOB_H
#define MI_BASE_GLOB_H

#include "base/bytes.h"

/* True if the whole of `text` matches. Time is at most len(pattern) * len(text). */
bool mi_glob_match(struct mi_bytes pattern, struct mi_bytes text);

/* Same, but a pattern without * and ? matches wherever it occurs in `text`. */
bool mi_glob_search(struct mi_bytes pattern, struct mi_bytes text);

/* First place of `part` in `text`, or text.len if it does not occur. */
size_t mi_bytes_find(struct mi_bytes text, struct mi_bytes part);

#endif
