/* The plan: what the compiler laid down to be run, in its order, before anything has run.
 *
 * Question: which tasks does the compiled model consist of, on which logical streams, which of them
 * wait for which, and to which node does each belong? Limits: it tells no times. */
#include "analyse/describe.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/plan/plan_parts.h"
#include "base/glob.h"
#include "base/translate.h"

const struct mi_param mi_params_plan[] = {
    {.name = "stream",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = INT64_MAX,
     .help = N_("Only tasks of this logical stream.")},
    {.name = "type",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("TYPE"),
     .help = N_("Only planned tasks of this type (* and ? stand for anything).")},
    {.name = "node",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NAME"),
     .help = N_("Only tasks of nodes with this in their name, or that match it with * and ?.")},
    {.name = "task",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("Only the task at this place, with what its record says.")},
    {.name = "kernels",
     .kind = MI_PARAM_FLAG,
     .help = N_("Instead of tasks the kernels in the model, and which tasks run them.")},
    {.name = "unlinked", .kind = MI_PARAM_FLAG, .help = N_("Only tasks that belong to no node.")},
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N rows; 0 = all (default: 1000; all with --json).")},
    MI_PARAM_END};

static const struct mi_report_column columns[] = {
    {"model", N_("model"), MI_CELL_TEXT, "", N_("graph of the model that owns the list")},
    {"depth", NULL, MI_CELL_DEPTH, "", N_("contexts of the device stand below their task")},
    {"position", N_("no."), MI_CELL_INT, "", N_("place in the list of its model, from 0")},
    {"stream", N_("stream"), MI_CELL_INT, "", N_("logical stream")},
    {"type", N_("planned task"), MI_CELL_TEXT, "", N_("type of the planned task")},
    {"kind", N_("kind"), MI_CELL_WORD, "", N_("compute, transfer, sync, ...")},
    {"event", N_("event"), MI_CELL_INT, "", N_("event or notify number")},
    {"pair", N_("pair"), MI_CELL_INT, "", N_("place of the record it waits for, or of its wait")},
    {"label", N_("label"), MI_CELL_INT, "", N_("label, or stream that it activates")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("node that it belongs to")},
    {"node_name", N_("name"), MI_CELL_TEXT, "", N_("name of the node, else the one stated")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"kernel", N_("kernel"), MI_CELL_TEXT, "", N_("kernel function")},
    {"block_dim", N_("cores"), MI_CELL_INT, "", N_("cores asked for")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure it is that it belongs to the node")},
    {"rule", N_("rule"), MI_CELL_TEXT, "", N_("rule that tied it to the node")},
    {"evidence", N_("evidence"), MI_CELL_SENTENCE, "", N_("what it rests on")},
};

struct mi_bytes mi_plan_node_name(const struct mi_plan *plan, uint32_t task)
{
    const struct mi_planned *planned = &plan->model->all.rows.planned;
    return planned->node[task].v
               ? mi_describe_node(plan->model, planned->node[task], &plan->out->arena)
               : mi_model_text(plan->model, planned->op_name[task]);
}

bool mi_plan_is_filtered(const struct mi_plan *plan)
{
    return plan->stream >= 0 || plan->position >= 0 || plan->unlinked || plan->type.len ||
           plan->node.len;
}

bool mi_plan_passes(const struct mi_plan *plan, uint32_t task)
{
    const struct mi_planned *planned = &plan->model->all.rows.planned;
    return (plan->stream < 0 || planned->stream[task] == plan->stream) &&
           (plan->position < 0 ||
            (planned->position[task] == plan->position && !planned->parent[task].v)) &&
           (!plan->unlinked || !planned->node[task].v) &&
           (!plan->type.len ||
            mi_glob_match(plan->type, mi_model_text(plan->model, planned->type[task]))) &&
           (!plan->node.len || mi_glob_search(plan->node, mi_plan_node_name(plan, task)));
}

void mi_plan_fact(const struct mi_plan *plan, const char *name, const char *title, int64_t number)
{
    mi_report_add_fact(plan->out, &(struct mi_report_fact){.name = name,
                                                           .title = title,
                                                           .kind = MI_CELL_INT,
                                                           .unit = "",
                                                           .cell = mi_cell_int(number)});
}

/* Damaged parents make no long chains: each stands before its parts. */
static int64_t depth_of(const struct mi_planned *planned, uint32_t task)
{
    int64_t depth = 0;
    while (planned->parent[task].v && planned->parent[task].v < task && depth < 32) {
        task = planned->parent[task].v;
        depth++;
    }
    return depth;
}

static void add_row(const struct mi_plan *plan, uint32_t task, struct mi_report_table *table)
{
    const struct mi_model *model = plan->model;
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_planned *planned = &rows->planned;
    struct mi_cell *row = mi_report_add_row(plan->out, table);
    if (!row)
        return;
    mi_node_id node = planned->node[task];
    row[0] = mi_plan_text(mi_model_text(model, rows->graphs.name[planned->graph[task].v]));
    row[1] = mi_cell_int(depth_of(planned, task));
    row[2] = mi_cell_int(planned->position[task]);
    row[3] = mi_plan_number(planned->stream[task]);
    row[4] = mi_cell_text(mi_model_text(model, planned->type[task]));
    row[5] = mi_cell_word(mi_enum_name(MI_E_task_kind, planned->kind[task]));
    row[6] = mi_plan_number(planned->event[task]);
    if (planned->peer[task].v)
        row[7] = mi_cell_int(planned->position[planned->peer[task].v]);
    row[8] = mi_plan_number(planned->label[task]);
    row[10] = mi_plan_text(mi_plan_node_name(plan, task));
    row[12] = mi_plan_text(mi_model_text(model, planned->kernel[task]));
    row[13] = mi_plan_number(planned->block_dim[task]);
    if (node.v) {
        row[9] = mi_cell_int(node.v);
        row[11] = mi_cell_text(mi_describe_op(model, node, &plan->out->arena));
        row[14] = mi_cell_word(mi_enum_name(MI_E_confidence, planned->confidence[task]));
    }
    row[15] = mi_plan_text(mi_model_text(model, planned->rule[task]));
    row[16] = mi_plan_text(mi_model_text(model, planned->evidence[task]));
}

static void list_tasks(const struct mi_plan *plan, int64_t top)
{
    const struct mi_planned *planned = &plan->model->all.rows.planned;
    int64_t matching = 0, shown = 0, linked = 0;
    struct mi_report_table *table = mi_report_add_table(plan->out, "planned", N_("Planned tasks"),
                                                        columns, sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "model kind label kernel block_dim rule evidence");
    for (uint32_t t = 1; t < planned->count; t++) {
        linked += planned->node[t].v != 0;
        if (!mi_plan_passes(plan, t))
            continue;
        if (!top || matching < top) {
            shown++;
            add_row(plan, t, table);
        }
        matching++;
    }
    mi_plan_fact(plan, "planned", N_("Planned tasks"), (int64_t)planned->count - 1);
    mi_plan_fact(plan, "linked", N_("Of them tied to a node"), linked);
    mi_plan_fact(plan, "matching", N_("Tasks that match"), matching);
    mi_plan_fact(plan, "shown", N_("Tasks shown"), shown);
}

static bool has_diag(const struct mi_model *model, const char *code)
{
    const struct mi_diags *diags = &model->all.rows.diags;
    for (uint32_t d = 1; d < diags->count; d++)
        if (mi_bytes_equal(mi_model_text(model, diags->code[d]), mi_cstr(code)))
            return true;
    return false;
}

static void say_none(const struct mi_plan *plan)
{
    bool is_foreign = has_diag(plan->model, "om.tasks_foreign");
    mi_report_add_finding(
        plan->out,
        &(struct mi_finding){.rule = "no_plan",
                             .severity = MI_NOTICE,
                             .sentence = is_foreign
                                             ? N_("The inputs hold planned tasks in a form that is "
                                                  "not known here; only the graph can be shown.")
                                             : N_("The inputs hold no planned tasks."),
                             .cost_ns = -1});
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_plan plan = {.model = model,
                           .out = out,
                           .type = mi_cstr(mi_args_text(args, "type", NULL)),
                           .node = mi_cstr(mi_args_text(args, "node", NULL)),
                           .stream = mi_args_int(args, "stream", -1),
                           .position = mi_args_int(args, "task", -1),
                           .unlinked = mi_args_flag(args, "unlinked")};
    if (model->all.rows.planned.count <= 1)
        say_none(&plan);
    if (mi_args_flag(args, "kernels"))
        return mi_plan_kernels(&plan, err);
    list_tasks(&plan, mi_args_int(args, "top", 0));
    mi_plan_events(&plan);
    return true;
}

const struct mi_pass mi_pass_plan = {
    .name = "plan",
    .title = N_("What the compiler planned to run, and for which node"),
    .params = mi_params_plan,
    .run = run,
};
