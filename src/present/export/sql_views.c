/* Indexes and views of the sqlite export. Views carry names and ids that people ask by; the tables
 * behind them are generic. Example queries stand in docs/exports.md and are run by a test. */
#include "present/export/common.h"

/* clang-format off */
const char *const mi_export_sql_views =
    "CREATE INDEX nodes_name ON nodes (name);"
    "CREATE INDEX nodes_node_id ON nodes (node_id);"
    "CREATE INDEX tasks_kernel ON tasks (kernel);"
    "CREATE INDEX executed_node ON executed (node);"
    "CREATE INDEX executed_task ON executed (task);"
    "CREATE INDEX lowered_framework ON lowered (framework);"
    "CREATE INDEX lowered_compiled ON lowered (compiled);"
    "CREATE INDEX fates_node ON fates (node);"
    "CREATE INDEX births_node ON births (node);"
    /* one row per node */
    "CREATE VIEW v_nodes AS SELECT n.id, n.node_id, g.layer AS layer_level, n.op AS op_type, n.name,"
    " n.domain, n.category, g.name AS graph_name, g.kind AS graph_kind, g.role AS branch,"
    " f.fate, f.reason AS fate_reason, f.evidence AS fate_evidence, b.origin,"
    " (SELECT v.dtype FROM ports p JOIN \"values\" v ON v.id = p.value"
    "  WHERE n.out_count > 0 AND p.id = n.first_out) AS dtype"
    " FROM nodes n JOIN graphs g ON g.id = n.graph"
    " LEFT JOIN fates f ON f.node = n.id LEFT JOIN births b ON b.node = n.id;"
    /* one row per link between the graphs */
    "CREATE VIEW v_links AS SELECT l.id, f.id AS framework_id, f.name AS framework_name,"
    " f.op AS framework_op, c.id AS compiled_id, c.name AS compiled_name, c.op AS compiled_op,"
    " l.role, l.confidence, l.rule, l.evidence, l.conflict"
    " FROM lowered l JOIN nodes f ON f.id = l.framework JOIN nodes c ON c.id = l.compiled;"
    /* one row per task, with its strongest link */
    "CREATE VIEW v_tasks AS SELECT t.id AS task_id, t.start_ns, t.dur_ns, t.start_ns / 1000.0 AS start_us,"
    " t.dur_ns / 1000.0 AS duration_us, t.start_raw, t.run, t.turn, tr.name AS track, tr.device, tr.rank,"
    " tr.native_id AS stream_id, k.name AS kernel_name, k.op AS kernel_op, k.kind, k.category, k.engine,"
    " n.id AS node, n.node_id AS op_node_id, n.name AS node_name, n.op AS op_type,"
    " e.confidence, e.rule, e.evidence"
    " FROM tasks t JOIN tracks tr ON tr.id = t.track LEFT JOIN kernels k ON k.id = t.kernel"
    " LEFT JOIN executed e ON e.id = (SELECT min(x.id) FROM executed x WHERE x.task = t.id)"
    " LEFT JOIN nodes n ON n.id = e.node;"
    /* one row per tensor that one node makes and another reads */
    "CREATE VIEW v_edges AS SELECT v.producer AS from_node, n.id AS to_node, p.id - n.first_in AS to_input,"
    " v.id AS tensor, v.name AS tensor_name, v.dtype, v.format, p.is_control"
    " FROM nodes n JOIN ports p ON p.id >= n.first_in AND p.id < n.first_in + n.in_count"
    " JOIN \"values\" u ON u.id = p.value JOIN \"values\" v ON v.id = coalesce(u.\"outer\", u.id)"
    " WHERE v.producer IS NOT NULL;"
    /* time by operator type; tasks that only enclose others count for nothing */
    "CREATE VIEW v_by_type AS SELECT coalesce(op_type, kernel_op, kernel_name) AS op_type,"
    " count(DISTINCT node) AS nodes, count(*) AS tasks, sum(dur_ns) AS total_ns,"
    " sum(dur_ns) / count(*) AS average_ns FROM v_tasks WHERE kind <> 'control'"
    " GROUP BY 1 ORDER BY total_ns DESC, 1;";
/* clang-format on */
