/* Everything about one node or task in all three layers.
 *
 * The subject is what the name finds: a node, or a task with its node. Relatives are the nodes that
 * links join to it, and those of the same name in the other layer. */
#include "analyse/describe.h"
#include "analyse/find.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/show/show_parts.h"
#include "base/mem.h"
#include "base/translate.h"

/* --- who belongs to the subject --- */

static bool knows(const struct mi_show *show, mi_node_id node)
{
    for (uint32_t i = 0; i < show->node_count; i++)
        if (show->nodes[i].node.v == node.v)
            return true;
    return false;
}

static void add_relative(struct mi_show *show, mi_node_id node, const char *relation)
{
    if (node.v && show->node_count < MI_SHOW_MOST_NODES && !knows(show, node))
        show->nodes[show->node_count++] = (struct mi_show_node){node, relation};
}

static void add_linked(struct mi_show *show, mi_node_id node)
{
    const struct mi_model *model = show->model;
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_csr *compiled = &model->index.compiled_of;
    const struct mi_csr *framework = &model->index.framework_of;
    for (uint32_t i = compiled->first[node.v]; i < compiled->first[node.v + 1]; i++)
        add_relative(show, rows->lowered.compiled[compiled->list[i]], N_("compiled into"));
    for (uint32_t i = framework->first[node.v]; i < framework->first[node.v + 1]; i++)
        add_relative(show, rows->lowered.framework[framework->list[i]], N_("comes from"));
    uint32_t fate = model->index.fate_of[node.v];
    if (fate)
        add_relative(show, rows->fates.into[fate], N_("compiled into"));
}

static void collect(struct mi_show *show, const struct mi_found *found)
{
    for (uint32_t i = 0; i < found->node_count; i++)
        add_relative(show, found->nodes[i], N_("subject"));
    show->subject_count = show->node_count;
    for (uint32_t i = 0; i < show->subject_count; i++)
        add_linked(show, show->nodes[i].node);
    for (uint32_t i = 0; i < found->task_count && show->task_count < MI_SHOW_MOST_TASKS; i++)
        show->tasks[show->task_count++] = found->tasks[i];
    show->all_tasks = found->task_count;
    if (show->task_count)
        return;
    const struct mi_csr *of = &show->model->index.node_tasks;
    for (uint32_t i = 0; i < show->node_count; i++) {
        uint32_t n = show->nodes[i].node.v;
        show->all_tasks += mi_csr_count(of, n);
        for (uint32_t k = of->first[n];
             k < of->first[n + 1] && show->task_count < MI_SHOW_MOST_TASKS; k++)
            show->tasks[show->task_count++] = (mi_task_id){of->list[k]};
    }
}

/* --- the pass --- */

static void add_facts(struct mi_show *show, const struct mi_found *found)
{
    struct mi_report *out = show->out;
    if (found->how == MI_FOUND_READERS)
        mi_report_add_finding(
            out, &(struct mi_finding){
                     .rule = "tensor_read",
                     .severity = MI_INFO,
                     .sentence = N_("%1 is a tensor that no node makes; what reads it is shown."),
                     .args = {mi_cstr(show->name)},
                     .cost_ns = -1});
    if (found->how == MI_FOUND_TENSOR)
        mi_report_add_finding(
            out, &(struct mi_finding){.rule = "tensor_name",
                                      .severity = MI_INFO,
                                      .sentence = N_("%1 is a tensor; its producer is shown."),
                                      .args = {mi_cstr(show->name)},
                                      .cost_ns = -1});
    if (found->how != MI_FOUND_TASK && show->subject_count > 1)
        mi_report_add_finding(
            out, &(struct mi_finding){
                     .rule = "several",
                     .severity = MI_INFO,
                     .sentence = N_("%1 names %2 nodes, all of them are shown; node:NUMBER names "
                                    "one of them."),
                     .args = {mi_cstr(show->name),
                              mi_arena_printf(&out->arena, "%u", show->subject_count)},
                     .cost_ns = -1});
    if (show->all_tasks > show->task_count)
        mi_report_add_finding(
            out, &(struct mi_finding){
                     .rule = "cut",
                     .severity = MI_INFO,
                     .sentence = N_("%1 of %2 tasks are shown; the command tasks lists all."),
                     .args = {mi_arena_printf(&out->arena, "%u", show->task_count),
                              mi_arena_printf(&out->arena, "%u", show->all_tasks)},
                     .cost_ns = -1});
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_found found;
    struct mi_show show = {.model = model, .out = out, .name = mi_args_text(args, "name", "")};
    if (!mi_find(model, mi_cstr(show.name), &out->arena, &found, err))
        return false;
    collect(&show, &found);
    add_facts(&show, &found);
    mi_show_nodes(&show);
    mi_show_attributes(&show);
    mi_show_ports(&show);
    mi_show_links(&show);
    mi_show_kernels(&show);
    mi_show_tasks(&show);
    mi_show_calls(&show);
    mi_show_peers(&show);
    mi_show_neighbours(&show);
    mi_show_planned(&show);
    mi_show_memory(&show);
    mi_show_groups(&show);
    return mi_show_history(&show, err);
}

const struct mi_param mi_params_show[] = {
    {.name = "name",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE|TASK"),
     .help = N_("Name of a node, task or tensor, node:NUMBER, task:NUMBER, framework:NAME or "
                "compiled:NAME.")},
    MI_PARAM_END};

const struct mi_pass mi_pass_show = {
    .name = "show",
    .title = N_("Everything about one node or task in all three layers"),
    .params = mi_params_show,
    .run = run,
};
