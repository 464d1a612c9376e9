/* What depends on an op whose element type changed: all of it may compute otherwise than before. */
#include "analyse/check/check_parts.h"
#include "analyse/deps.h"
#include "analyse/describe.h"
#include "base/mem.h"
#include "base/translate.h"

enum { MOST_STARTS = 256 /* changes whose surroundings are walked one by one */ };

static const struct mi_report_column columns[] = {
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the framework op")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of the framework op")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"behind", N_("behind"), MI_CELL_TEXT, "", N_("the first changed op that it depends on")},
    {"dtype_before", N_("before"), MI_CELL_TEXT, "", N_("its element type in the framework graph")},
    {"dtype_after", N_("after"), MI_CELL_TEXT, "", N_("the same after compiling, where known")},
};

static bool is_start(const struct mi_check_change *change)
{
    return change->kind == MI_CHECK_DTYPE && change->severity >= MI_WARNING && change->framework.v;
}

static void add_row(const struct mi_check *check, struct mi_report *out,
                    struct mi_report_table *table, uint32_t node, mi_node_id start)
{
    const struct mi_tables *rows = &check->model->all.rows;
    struct mi_cell *row = mi_report_add_row(out, table);
    if (!row)
        return;
    row[0] = mi_cell_int(node);
    row[1] = mi_cell_text(mi_describe_node(check->model, (mi_node_id){node}, &out->arena));
    row[2] = mi_cell_text(mi_describe_op(check->model, (mi_node_id){node}, &out->arena));
    row[3] = mi_cell_text(mi_describe_node(check->model, start, &out->arena));
    if (!rows->nodes.out_count[node])
        return;
    mi_value_id value = rows->ports.value[rows->nodes.first_out[node]];
    mi_value_id carrier = {check->carrier[value.v]};
    struct mi_bytes was = mi_model_text(check->model, mi_check_dtype_before(check, value, carrier));
    struct mi_bytes is = mi_model_text(check->model, rows->values.dtype[carrier.v]);
    if (was.len)
        row[4] = mi_cell_text(was);
    if (is.len)
        row[5] = mi_cell_text(is);
}

/* Walks from each start; `behind` [nodes.count] gets the first start that reaches a node. */
static bool walk(const struct mi_check *check, const struct mi_deps *deps, uint32_t *behind,
                 uint32_t *counts)
{
    uint32_t node_count = check->model->all.rows.nodes.count, starts = 0;
    uint8_t *marks = mi_mem_new(deps->vertex_count, sizeof *marks);
    bool ok = marks != NULL;
    for (uint32_t i = 0; ok && i < check->count; i++) {
        if (!is_start(&check->changes[i]) || starts++ >= MOST_STARTS)
            continue;
        memset(marks, 0, deps->vertex_count);
        ok = mi_deps_reach(deps, check->changes[i].framework.v, false, marks, 1);
        for (uint32_t n = 1; ok && n < node_count; n++) {
            counts[i] += marks[n] != 0;
            if (marks[n] && !behind[n])
                behind[n] = check->changes[i].framework.v;
        }
    }
    mi_mem_free(marks);
    return ok;
}

bool mi_check_downstream(const struct mi_check *check, struct mi_report *out, uint32_t *counts,
                         struct mi_error *err)
{
    uint32_t node_count = check->model->all.rows.nodes.count;
    bool any = false;
    for (uint32_t i = 0; i < check->count; i++)
        any = any || is_start(&check->changes[i]);
    struct mi_report_table *table =
        mi_report_add_table(out, "downstream", N_("Depend on changed element types"), columns,
                            sizeof columns / sizeof *columns);
    if (!any)
        return true;
    struct mi_deps deps;
    if (!mi_deps_init(&deps, check->model, err))
        return false;
    uint32_t *behind = mi_mem_zero(node_count, sizeof *behind);
    bool ok = behind && walk(check, &deps, behind, counts);
    for (uint32_t n = 1; ok && n < node_count; n++)
        if (behind[n] && mi_check_layer(check, (mi_node_id){n}) == MI_LAYER_FRAMEWORK)
            add_row(check, out, table, n, (mi_node_id){behind[n]});
    mi_deps_fini(&deps);
    mi_mem_free(behind);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}
