/* What the small JSON files of a profiling folder state, as facts: members found by their path get
 * a name that does not depend on the file, all others keep their path. */
#ifndef MI_PARSE_FORMATS_MSPROF_FACTS_H
#define MI_PARSE_FORMATS_MSPROF_FACTS_H

#include "base/json_scan.h"
#include "parse/reader.h"

/* Which file it is, by the names of its outermost members; NULL: none of these. */
const char *mi_msprof_info_kind(struct mi_bytes head);

/* Reads the whole file into facts; one record per value. */
bool mi_msprof_read_facts(const struct mi_source *src, struct mi_batch *out, struct mi_error *err);

#endif
