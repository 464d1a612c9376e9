/* The mapping: each framework op with the compiled nodes it became part of and the tasks these ran;
 * then the compiled nodes that come from no framework op. */
#include "analyse/accounting.h"
#include "analyse/describe.h"
#include "analyse/fate_table.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/work.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/translate.h"

static const char *const fates[] = {"executed", "fused_into",   "folded",
                                    "removed",  "not_executed", NULL};

const struct mi_param mi_params_map[] = {
    {.name = "name",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NAME"),
     .help = N_("Only ops with this in their name, or that match it with * and ?.")},
    {.name = "type",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("TYPE"),
     .help = N_("Only ops of this type (* and ? stand for anything).")},
    {.name = "only",
     .kind = MI_PARAM_CHOICE,
     .choices = fates,
     .help = N_("Only ops of this fate.")},
    {.name = "unmapped-first",
     .kind = MI_PARAM_FLAG,
     .help = N_("Ops without any link come first.")},
    MI_PARAM_END};

static const struct mi_report_column map_columns[] = {
    {"framework", N_("op"), MI_CELL_NODE, "", N_("row of the framework op")},
    {"framework_name", N_("framework op"), MI_CELL_TEXT, "", N_("its name")},
    {"framework_type", N_("type"), MI_CELL_TEXT, "", N_("its operator type")},
    {"fate", N_("fate"), MI_CELL_WORD, "", N_("what became of it")},
    {"reason", N_("reason"), MI_CELL_WORD, "", N_("why")},
    {"compiled", N_("node"), MI_CELL_NODE, "", N_("row of the compiled node")},
    {"compiled_name", N_("compiled node"), MI_CELL_TEXT, "", N_("its name")},
    {"compiled_type", N_("its type"), MI_CELL_TEXT, "", N_("its operator type")},
    {"role", N_("role"), MI_CELL_WORD, "", N_("what the op is to the node")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure the link is")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks of the node in the counted runs")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times")},
    {"bytes", N_("bytes"), MI_CELL_INT, "B",
     N_("of all inputs and outputs of the node, without padding; none: not all are known")},
    {"flops", N_("FLOPs"), MI_CELL_INT, "",
     N_("two per multiply-add of its product or convolution; none: not known")},
    {"rule", N_("rule"), MI_CELL_TEXT, "", N_("matcher that made the link")},
    {"evidence", N_("evidence"), MI_CELL_SENTENCE, "", N_("what link or fate rest on")},
    {"conflict", N_("contradiction"), MI_CELL_SENTENCE, "", N_("what contradicts the link")},
};

static const struct mi_report_column rest_columns[] = {
    {"compiled", N_("node"), MI_CELL_NODE, "", N_("row of the compiled node")},
    {"compiled_name", N_("compiled node"), MI_CELL_TEXT, "", N_("its name")},
    {"compiled_type", N_("type"), MI_CELL_TEXT, "", N_("its operator type")},
    {"origin", N_("origin"), MI_CELL_WORD, "", N_("where it comes from")},
    {"serves", N_("serves"), MI_CELL_TEXT, "", N_("tensor that it moves or converts")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks of the node in the counted runs")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times")},
    {"bytes", N_("bytes"), MI_CELL_INT, "B",
     N_("of all inputs and outputs of the node, without padding; none: not all are known")},
    {"flops", N_("FLOPs"), MI_CELL_INT, "",
     N_("two per multiply-add of its product or convolution; none: not known")},
    {"evidence", N_("evidence"), MI_CELL_SENTENCE, "", N_("what the origin rests on")},
};

struct mapping {
    const struct mi_model *model;
    struct mi_report *out;
    struct mi_node_time *times; /* [nodes.count]; NULL: no tasks */
    struct mi_bytes name, type;
    const char *only;
};

static struct mi_cell text_or_none(const struct mi_model *model, mi_str_id text)
{
    return text.v ? mi_cell_text(mi_model_text(model, text)) : mi_cell_none();
}

/* `cells`: tasks, time, bytes, FLOPs. */
static void fill_sums(const struct mapping *mapping, struct mi_cell *cells, mi_node_id node)
{
    struct mi_work work = mi_work_of(mapping->model, node);
    if (work.bytes >= 0)
        cells[2] = mi_cell_int(work.bytes);
    if (work.flops >= 0)
        cells[3] = mi_cell_int(work.flops);
    if (!mapping->times || !mapping->times[node.v].tasks)
        return;
    cells[0] = mi_cell_int(mapping->times[node.v].tasks);
    cells[1] = mi_cell_int(mapping->times[node.v].total_ns);
}

/* One row; `link` in `lowered`, 0 = the op has none. */
static void add_row(const struct mapping *mapping, struct mi_report_table *table, uint32_t node,
                    uint32_t link)
{
    const struct mi_model *model = mapping->model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t fate = model->index.fate_of[node];
    struct mi_arena *arena = &mapping->out->arena;
    struct mi_cell *row = mi_report_add_row(mapping->out, table);
    if (!row)
        return;
    row[0] = mi_cell_int(node);
    row[1] = mi_cell_text(mi_describe_node(model, (mi_node_id){node}, arena));
    row[2] = mi_cell_text(mi_describe_op(model, (mi_node_id){node}, arena));
    if (fate) {
        row[3] = mi_cell_word(mi_enum_name(MI_E_fate, rows->fates.fate[fate]));
        row[4] = mi_cell_word(mi_enum_name(MI_E_reason, rows->fates.reason[fate]));
        row[15] = text_or_none(model, rows->fates.evidence[fate]);
    }
    mi_node_id compiled = link ? rows->lowered.compiled[link] : (mi_node_id){0};
    if (!link && fate)
        compiled = rows->fates.into[fate];
    if (compiled.v) {
        row[5] = mi_cell_int(compiled.v);
        row[6] = mi_cell_text(mi_describe_node(model, compiled, arena));
        row[7] = mi_cell_text(mi_describe_op(model, compiled, arena));
    }
    if (link) {
        row[8] = mi_cell_word(mi_enum_name(MI_E_role, rows->lowered.role[link]));
        row[9] = mi_cell_word(mi_enum_name(MI_E_confidence, rows->lowered.confidence[link]));
        row[14] = text_or_none(model, rows->lowered.rule[link]);
        row[15] = text_or_none(model, rows->lowered.evidence[link]);
        row[16] = text_or_none(model, rows->lowered.conflict[link]);
        fill_sums(mapping, row + 10, compiled);
    } else if (mi_csr_count(&model->index.node_tasks, node)) {
        fill_sums(mapping, row + 10, (mi_node_id){node});
    }
}

static bool passes(const struct mapping *mapping, uint32_t node)
{
    const struct mi_tables *rows = &mapping->model->all.rows;
    uint32_t fate = mapping->model->index.fate_of[node];
    if (mi_node_layer(mapping->model, (mi_node_id){node}) != MI_LAYER_FRAMEWORK)
        return false;
    if (mapping->only &&
        (!fate || strcmp(mi_enum_name(MI_E_fate, rows->fates.fate[fate]), mapping->only) != 0))
        return false;
    return (!mapping->name.len ||
            mi_glob_search(mapping->name, mi_model_text(mapping->model, rows->nodes.name[node]))) &&
           (!mapping->type.len ||
            mi_glob_match(mapping->type, mi_model_text(mapping->model, rows->nodes.op[node])));
}

enum which { LINKED = 1, UNLINKED = 2 };

static void add_ops(const struct mapping *mapping, struct mi_report_table *table, unsigned which)
{
    const struct mi_csr *links = &mapping->model->index.compiled_of;
    for (uint32_t n = 1; n < mapping->model->all.rows.nodes.count; n++) {
        bool is_linked =
            mi_csr_count(links, n) || mi_csr_count(&mapping->model->index.node_tasks, n);
        if (!(which & (is_linked ? LINKED : UNLINKED)) || !passes(mapping, n))
            continue;
        if (mi_csr_count(links, n) == 0)
            add_row(mapping, table, n, 0);
        for (uint32_t i = links->first[n]; i < links->first[n + 1]; i++)
            add_row(mapping, table, n, links->list[i]);
    }
}

/* Compiled nodes without a framework op: inserted ones, and those whose origin is not known. */
static void add_rest(const struct mapping *mapping)
{
    const struct mi_model *model = mapping->model;
    const struct mi_tables *rows = &model->all.rows;
    struct mi_arena *arena = &mapping->out->arena;
    struct mi_report_table *table = mi_report_add_table(
        mapping->out, "without_origin", N_("Compiled nodes that come from no framework op"),
        rest_columns, sizeof rest_columns / sizeof *rest_columns);
    mi_report_mark_details(table, "serves tasks bytes flops evidence");
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        uint32_t birth = model->index.birth_of[n];
        if (mi_node_layer(model, (mi_node_id){n}) != MI_LAYER_COMPILED ||
            mi_csr_count(&model->index.framework_of, n))
            continue;
        struct mi_cell *row = mi_report_add_row(mapping->out, table);
        if (!row)
            return;
        row[0] = mi_cell_int(n);
        row[1] = mi_cell_text(mi_describe_node(model, (mi_node_id){n}, arena));
        row[2] = mi_cell_text(mi_describe_op(model, (mi_node_id){n}, arena));
        if (birth) {
            row[3] = mi_cell_word(mi_enum_name(MI_E_origin, rows->births.origin[birth]));
            row[4] = text_or_none(model, rows->values.name[rows->births.serves[birth].v]);
            row[9] = text_or_none(model, rows->births.evidence[birth]);
        }
        fill_sums(mapping, row + 5, (mi_node_id){n});
    }
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    const struct mi_arg *only = mi_args_find(args, "only");
    struct mapping mapping = {.model = model,
                              .out = out,
                              .name = mi_cstr(mi_args_text(args, "name", NULL)),
                              .type = mi_cstr(mi_args_text(args, "type", NULL)),
                              .only = only ? fates[only->number] : NULL};
    if (!mi_node_times(model, &mapping.times, err))
        return false;
    mi_fate_table(model, out);
    struct mi_report_table *table =
        mi_report_add_table(out, "map", N_("Framework ops, compiled nodes, tasks"), map_columns,
                            sizeof map_columns / sizeof *map_columns);
    mi_report_mark_details(
        table, "framework_type reason compiled_type role tasks bytes flops rule evidence conflict");
    if (mi_args_flag(args, "unmapped-first")) {
        add_ops(&mapping, table, UNLINKED);
        add_ops(&mapping, table, LINKED);
    } else {
        add_ops(&mapping, table, LINKED | UNLINKED);
    }
    if (!mapping.name.len && !mapping.type.len && !mapping.only &&
        mi_model_has_layer(model, MI_LAYER_COMPILED))
        add_rest(&mapping);
    mi_mem_free(mapping.times);
    return true;
}

const struct mi_pass mi_pass_map = {
    .name = "map",
    .title = N_("What each framework op became, and which tasks ran it"),
    .needs = MI_HAS_FRAMEWORK_GRAPH,
    .params = mi_params_map,
    .run = run,
};
