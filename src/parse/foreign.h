/* What a file is that no reader recognises, and what to do about it. Files that are no models often
 * bear the names of models: pointers of Git LFS, web pages of a failed download, checkpoints,
 * archives. */
#ifndef MI_PARSE_FOREIGN_H
#define MI_PARSE_FOREIGN_H

#include "base/bytes.h"

/* Writes one sentence (English, no newline) about `bytes` into text [size]. */
void mi_explain_foreign(struct mi_bytes bytes, char *text, size_t size);

/* Whether `bytes` are a dump that this program exported (docs/exports.md). Dumps are not inputs:
 * read back, they would tell everything twice. */
bool mi_is_own_dump(struct mi_bytes bytes);

#endif
