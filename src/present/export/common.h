/* Pieces that several exports write the same way. */
#ifndef MI_PRESENT_EXPORT_COMMON_H
#define MI_PRESENT_EXPORT_COMMON_H

#include "base/json_write.h"
#include "present/export/relate.h"
#include "present/exporter.h"

/* Text for formats that have no escape for NUL: NUL becomes U+2400, each byte that is not UTF-8
 * becomes U+FFFD. Hands it to `sink` piece by piece. */
void mi_export_clean_text(struct mi_sink *sink, struct mi_bytes text);

/* a + b and a - b, at the ends of the range where they would overflow: times come from files. */
int64_t mi_export_add(int64_t a, int64_t b);
int64_t mi_export_sub(int64_t a, int64_t b);

/* Members of a JSON object: a string even when empty; or null when there is none. */
void mi_export_name(struct mi_jw *jw, const char *key, const struct mi_model *model, mi_str_id id);
void mi_export_text(struct mi_jw *jw, const char *key, const struct mi_model *model, mi_str_id id);
void mi_export_enum(struct mi_jw *jw, const char *key, enum mi_enum_no which, unsigned value);

/* A row number, null for none; a number of the input, null for -1 (unknown). */
void mi_export_id(struct mi_jw *jw, const char *key, uint32_t id);
void mi_export_known(struct mi_jw *jw, const char *key, int64_t value);

/* A public node id, null for none. */
void mi_export_node_id(struct mi_jw *jw, const char *key, const struct mi_relate *relate,
                       mi_node_id node);

/* An int64 as a number while it is exact in a double, else as a string. */
void mi_export_exact(struct mi_jw *jw, int64_t value);

/* A list of numbers as member `key`. */
void mi_export_ids(struct mi_jw *jw, const char *key, struct mi_id_list list);

/* Capture start as "start_unix_ns": text or null. */
void mi_export_start(struct mi_jw *jw, const struct mi_model *model);

/* "sources" (the ledger) and "diagnostics". */
void mi_export_sources(struct mi_jw *jw, const struct mi_model *model);
void mi_export_diagnostics(struct mi_jw *jw, const struct mi_model *model);

/* "shape" of a value: sizes, names of symbolic sizes, null for unknown ones; null without a rank.
 */
void mi_export_shape(struct mi_jw *jw, const struct mi_model *model, mi_value_id value);

/* Starts a record on a line of its own, inside an array. */
void mi_export_begin_record(struct mi_jw *jw);

/* The parts of the json export. */
bool mi_export_graph_json(const struct mi_view *view, struct mi_sink *sink, struct mi_error *err);
bool mi_export_trace_json(const struct mi_view *view, struct mi_sink *sink, struct mi_error *err);
bool mi_export_summary_json(const struct mi_view *view, struct mi_sink *sink, struct mi_error *err);

/* SQL behind the sqlite export: views over the generic tables. */
extern const char *const mi_export_sql_views;

#endif
