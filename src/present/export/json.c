/* Export "json": graph.json, trace.json and summary.json, the dumps that every capture gets.
 * Their schemas stand in docs/schema, what the fields mean in docs/exports.md. */
#include "base/translate.h"
#include "present/export/common.h"

typedef bool part_fn(const struct mi_view *view, struct mi_sink *sink, struct mi_error *err);

static const char *const files[] = {"graph.json", "trace.json", "summary.json", NULL};
static part_fn *const parts[] = {mi_export_graph_json, mi_export_trace_json,
                                 mi_export_summary_json};

static bool write_json(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    for (int i = 0; files[i]; i++) {
        struct mi_sink *sink = target->open(target, files[i], err);
        if (!sink || !parts[i](view, sink, err) || !target->close(target, err))
            return false;
    }
    return true;
}

const struct mi_exporter mi_exporter_json = {
    .name = "json",
    .title = N_("graph.json, trace.json and summary.json: nodes, tasks, tables, for scripts"),
    .media_type = "application/json",
    .files = files,
    .write = write_json,
};
