/* What a comparison found as neutral JSON of schema casegen-mapping/1: only its findings, which
 * name nodes and tasks of the new side the way the links export does (export/links.c). */
#ifndef MI_PRESENT_DIFF_LINKS_H
#define MI_PRESENT_DIFF_LINKS_H

#include "analyse/compare/compare.h"
#include "base/sink.h"

/* Causes that cost at least `least_ns`, the costliest first. */
bool mi_export_diff_links(const struct mi_compare *compare, int64_t least_ns, struct mi_sink *sink,
                          struct mi_error *err);

#endif
