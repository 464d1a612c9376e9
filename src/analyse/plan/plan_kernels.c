/* The code that a model brings along, piece by piece, and which planned tasks run it. A kernel is
 * found by the function that the task states, code of an AI CPU by the node that it is for; where
 * nothing is planned, by the attribute `_kernelname` of the nodes. */
#include "analyse/describe.h"
#include "analyse/plan/plan_parts.h"
#include "base/mem.h"
#include "base/translate.h"

enum { MOST_LISTED = 16 };

static const struct mi_report_column columns[] = {
    {"model", N_("model"), MI_CELL_TEXT, "", N_("graph of the model that holds it")},
    {"kind", N_("kind"), MI_CELL_TEXT, "", N_("kernel, aicpu_kernel, custom_op or host_library")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("kernel function, node or library")},
    {"offset_bytes", N_("offset"), MI_CELL_INT, "", N_("of the code from the start of the file")},
    {"size_bytes", N_("size"), MI_CELL_INT, "B", N_("size of the code")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("planned tasks that run it")},
    {"positions", N_("no."), MI_CELL_TEXT, "", N_("their places in the list of their model")},
    {"nodes", N_("nodes"), MI_CELL_TEXT, "", N_("nodes that they belong to")},
};

struct binaries {
    const struct mi_plan *plan;
    struct mi_map by_graph, by_source; /* (graph or source, name) -> binary */
    uint32_t *of_task;                 /* [planned.count] binary, 0 = none */
    uint32_t *of_node;                 /* [nodes.count] the same, where nothing is planned */
    struct mi_csr tasks, nodes;        /* binary -> tasks, nodes */
};

static bool map_names(struct binaries *b)
{
    const struct mi_binaries *rows = &b->plan->model->all.rows.binaries;
    for (uint32_t i = 1; i < rows->count; i++) {
        uint64_t keys[2] = {mi_pair(rows->graph[i].v, rows->name[i].v),
                            mi_pair(rows->source[i].v, rows->name[i].v)};
        uint32_t *near = mi_map_at(&b->by_graph, keys[0]);
        if (near && !*near)
            *near = i; /* the loader takes the first, too */
        uint32_t *far = near ? mi_map_at(&b->by_source, keys[1]) : NULL;
        if (!far)
            return false;
        if (!*far)
            *far = i;
    }
    return true;
}

/* The binary of that name: of the model itself, else of its file. */
static uint32_t named(const struct binaries *b, uint32_t graph, mi_str_id name)
{
    uint32_t found = name.v ? mi_map_get(&b->by_graph, mi_pair(graph, name.v)) : 0;
    if (found || !name.v)
        return found;
    uint32_t source = b->plan->model->all.rows.graphs.source[graph].v;
    return mi_map_get(&b->by_source, mi_pair(source, name.v));
}

static bool is_kind(const struct binaries *b, uint32_t binary, const char *kind)
{
    mi_str_id stated = b->plan->model->all.rows.binaries.kind[binary];
    return mi_bytes_equal(mi_model_text(b->plan->model, stated), mi_cstr(kind));
}

static void find_tasks(struct binaries *b)
{
    const struct mi_tables *rows = &b->plan->model->all.rows;
    const struct mi_planned *planned = &rows->planned;
    for (uint32_t t = 1; t < planned->count; t++) {
        uint32_t graph = planned->graph[t].v, node = planned->node[t].v;
        uint32_t found = named(b, graph, planned->kernel[t]);
        if (!found && planned->kind[t] == MI_TASK_COMPUTE) {
            found = named(b, graph, node ? rows->nodes.name[node] : planned->op_name[t]);
            found = found && is_kind(b, found, "aicpu_kernel") ? found : 0;
        }
        b->of_task[t] = found;
    }
}

/* What the attribute says of nodes in graphs without a list of tasks. */
static void find_nodes(struct binaries *b)
{
    const struct mi_model *model = b->plan->model;
    const struct mi_tables *rows = &model->all.rows;
    mi_str_id wanted = mi_strings_find(&model->all.strings, MI_LIT("_kernelname"));
    if (!wanted.v || rows->planned.count > 1)
        return;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        uint32_t first = rows->nodes.first_attr[n];
        for (uint32_t a = first; a < first + rows->nodes.attr_count[n]; a++)
            if (rows->attrs.name[a].v == wanted.v && rows->attrs.item_count[a] == 1)
                b->of_node[n] =
                    named(b, rows->nodes.graph[n].v, rows->items.text[rows->attrs.first_item[a]]);
    }
}

static void put_name(struct mi_words *words, struct mi_bytes name)
{
    mi_words_put(words, words->len ? MI_LIT(", ") : MI_LIT(""));
    mi_words_put(words, name);
}

/* The users that the filters let through; false: filters are set, and there is none. */
static bool fill_users(const struct binaries *b, uint32_t binary, struct mi_cell *row)
{
    const struct mi_plan *plan = b->plan;
    const struct mi_planned *planned = &plan->model->all.rows.planned;
    struct mi_words places = {.arena = &plan->out->arena}, names = {.arena = &plan->out->arena};
    uint32_t count = 0, named_count = 0, last = 0;
    for (uint32_t i = b->tasks.first[binary]; i < b->tasks.first[binary + 1]; i++) {
        uint32_t t = b->tasks.list[i];
        if (!mi_plan_passes(plan, t))
            continue;
        if (count++ < MOST_LISTED)
            mi_words_printf(&places, "%s%u", places.len ? ", " : "", planned->position[t]);
        bool is_new = planned->node[t].v != last || !last;
        last = planned->node[t].v;
        if (is_new && mi_plan_node_name(plan, t).len && named_count++ < MOST_LISTED)
            put_name(&names, mi_plan_node_name(plan, t));
    }
    for (uint32_t i = b->nodes.first[binary]; i < b->nodes.first[binary + 1]; i++)
        if (named_count++ < MOST_LISTED)
            put_name(&names, mi_describe_node(plan->model, (mi_node_id){b->nodes.list[i]},
                                              &plan->out->arena));
    if (count > MOST_LISTED)
        mi_words_put(&places, MI_LIT(", ..."));
    if (named_count > MOST_LISTED)
        mi_words_put(&names, MI_LIT(", ..."));
    row[5] = mi_cell_int(count);
    row[6] = mi_plan_text(mi_words_get(&places));
    row[7] = mi_plan_text(mi_words_get(&names));
    return count || !mi_plan_is_filtered(plan);
}

static void list(const struct binaries *b)
{
    const struct mi_model *model = b->plan->model;
    const struct mi_tables *rows = &model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(b->plan->out, "binaries", N_("Kernels and libraries in the model"),
                            columns, sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "model positions");
    for (uint32_t i = 1; i < rows->binaries.count; i++) {
        struct mi_cell users[sizeof columns / sizeof *columns];
        if (!fill_users(b, i, users))
            continue;
        struct mi_cell *row = mi_report_add_row(b->plan->out, table);
        if (!row)
            return;
        row[0] = mi_plan_text(mi_model_text(model, rows->graphs.name[rows->binaries.graph[i].v]));
        row[1] = mi_cell_text(mi_model_text(model, rows->binaries.kind[i]));
        row[2] = mi_cell_text(mi_model_text(model, rows->binaries.name[i]));
        row[3] = mi_plan_number(rows->binaries.offset_bytes[i]);
        row[4] = mi_plan_number(rows->binaries.size_bytes[i]);
        memcpy(row + 5, users + 5, 3 * sizeof *row);
    }
}

static void add_facts(const struct binaries *b)
{
    const struct mi_tables *rows = &b->plan->model->all.rows;
    int64_t size_bytes = 0, with = 0, without = 0, unused = 0;
    for (uint32_t i = 1; i < rows->binaries.count; i++) {
        size_bytes += rows->binaries.size_bytes[i];
        bool is_kernel = is_kind(b, i, "kernel") || is_kind(b, i, "aicpu_kernel");
        unused += is_kernel && !mi_csr_count(&b->tasks, i) && !mi_csr_count(&b->nodes, i);
    }
    for (uint32_t t = 1; t < rows->planned.count; t++) {
        with += b->of_task[t] != 0;
        without += !b->of_task[t] && rows->planned.kernel[t].v;
    }
    mi_plan_fact(b->plan, "binaries", N_("Kernels and libraries"),
                 (int64_t)rows->binaries.count - 1);
    mi_report_add_fact(b->plan->out, &(struct mi_report_fact){.name = "binaries_bytes",
                                                              .title = N_("Their size"),
                                                              .kind = MI_CELL_INT,
                                                              .unit = "B",
                                                              .cell = mi_cell_int(size_bytes)});
    mi_plan_fact(b->plan, "kernels_unused", N_("Kernels that no task runs"), unused);
    mi_plan_fact(b->plan, "tasks_with_binary", N_("Tasks whose kernel is in the model"), with);
    mi_plan_fact(b->plan, "tasks_without_binary", N_("Tasks whose kernel is not"), without);
}

bool mi_plan_kernels(const struct mi_plan *plan, struct mi_error *err)
{
    const struct mi_tables *rows = &plan->model->all.rows;
    struct binaries b = {.plan = plan,
                         .of_task = mi_mem_zero(rows->planned.count, sizeof *b.of_task),
                         .of_node = mi_mem_zero(rows->nodes.count, sizeof *b.of_node)};
    bool ok = b.of_task && b.of_node && map_names(&b);
    if (ok) {
        find_tasks(&b);
        find_nodes(&b);
        ok = mi_csr_build(&b.tasks, rows->binaries.count, b.of_task, rows->planned.count) &&
             mi_csr_build(&b.nodes, rows->binaries.count, b.of_node, rows->nodes.count);
    }
    if (ok) {
        add_facts(&b);
        list(&b);
    }
    mi_map_fini(&b.by_graph);
    mi_map_fini(&b.by_source);
    mi_csr_fini(&b.tasks);
    mi_csr_fini(&b.nodes);
    mi_mem_free(b.of_task);
    mi_mem_free(b.of_node);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for kernels");
}
