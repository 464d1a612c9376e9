/* Looking for what people type in names, which are bytes: ASCII letters count in any case. */
#ifndef MI_PRESENT_SERVE_FIND_TEXT_H
#define MI_PRESENT_SERVE_FIND_TEXT_H

#include "base/bytes.h"

/* Where `text` stands in `name` first; SIZE_MAX = nowhere. An empty text stands at 0. */
size_t mi_find_text(struct mi_bytes name, struct mi_bytes text);

#endif
