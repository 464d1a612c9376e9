/* How well the layers are joined: explained time, links by confidence, fates, origins. */
#include "analyse/fate_table.h"
#include "analyse/summary/summary_parts.h"
#include "base/mem.h"
#include "base/translate.h"
#include "model/links.h"

#include <stdlib.h>

/* --- explained time --- */

struct explained {
    int64_t work_ns;      /* of all counted work tasks that may belong to a node */
    int64_t compiled_ns;  /* of those linked to a compiled node */
    int64_t framework_ns; /* of those whose node has an origin */
    int64_t no_origin_ns; /* of those whose node has none by nature: inserted, constant */
    int64_t certain_ns;   /* of those linked to a node for certain */
    int64_t other_ns;     /* of tasks that the application or the runtime issued */
};

static bool belongs_to_no_node(const struct mi_tables *rows, uint32_t task)
{
    return rows->tasks.by[task] == MI_BY_APPLICATION || rows->tasks.by[task] == MI_BY_RUNTIME;
}

static void add_task(const struct mi_summary *summary, uint32_t task, struct explained *explained)
{
    const struct mi_model *model = summary->model;
    const struct mi_tables *rows = &model->all.rows;
    int64_t own_ns = summary->account->own_ns[task];
    uint32_t link = model->all.rows.tasks.link[task].v;
    if (!link && belongs_to_no_node(rows, task)) {
        explained->other_ns = mi_ns_add(explained->other_ns, own_ns);
        return;
    }
    explained->work_ns = mi_ns_add(explained->work_ns, own_ns);
    if (!link)
        return;
    if (rows->executed.confidence[link] == MI_CERTAIN)
        explained->certain_ns = mi_ns_add(explained->certain_ns, own_ns);
    mi_node_id node = rows->executed.node[link];
    if (mi_node_layer(model, node) == MI_LAYER_FRAMEWORK) {
        explained->framework_ns += own_ns;
        return;
    }
    explained->compiled_ns += own_ns;
    uint32_t birth = model->index.birth_of[node.v];
    if (mi_csr_count(&model->index.framework_of, node.v))
        explained->framework_ns += own_ns;
    else if (birth && (rows->births.origin[birth] == MI_ORIGIN_INSERTED ||
                       rows->births.origin[birth] == MI_ORIGIN_CONSTANT))
        explained->no_origin_ns += own_ns;
}

void mi_summary_explained(const struct mi_summary *summary)
{
    const struct mi_model *model = summary->model;
    struct explained explained = {0};
    if (!summary->has_tasks || model->all.rows.graphs.count <= 1)
        return;
    for (uint32_t t = 1; t < model->all.rows.tasks.count; t++)
        if (mi_account_counts(summary->account, (mi_task_id){t}))
            add_task(summary, t, &explained);
    if (mi_model_has_layer(model, MI_LAYER_COMPILED))
        mi_summary_fact(summary, "explained_compiled_share",
                        N_("Device time explained by compiled nodes"), MI_CELL_SHARE, "",
                        mi_cell_share(explained.compiled_ns, explained.work_ns));
    if (mi_model_has_layer(model, MI_LAYER_FRAMEWORK))
        mi_summary_fact(
            summary, "explained_framework_share", N_("Device time explained by framework ops"),
            MI_CELL_SHARE, "",
            mi_cell_share(explained.framework_ns, explained.work_ns - explained.no_origin_ns));
    mi_summary_fact(summary, "explained_certain_share",
                    N_("Device time explained by certain links"), MI_CELL_SHARE, "",
                    mi_cell_share(explained.certain_ns, explained.work_ns));
    if (explained.other_ns)
        mi_summary_fact(summary, "no_node_ns",
                        N_("Time of tasks that the application or the runtime issued"), MI_CELL_INT,
                        "ns", mi_cell_int(explained.other_ns));
}

/* --- links --- */

static const struct mi_report_column link_columns[] = {
    {"relation", N_("links"), MI_CELL_WORD, "", N_("what is joined to what")},
    {"certain", N_("certain"), MI_CELL_INT, "", N_("written down by a producer, not contradicted")},
    {"likely", N_("likely"), MI_CELL_INT, "", N_("inferred, one solution, confirmed")},
    {"guess", N_("guess"), MI_CELL_INT, "", N_("inferred otherwise")},
    {"certain_share", N_("certain of all"), MI_CELL_SHARE, "", N_("share of certain links")},
    {"conflicts", N_("contradicted"), MI_CELL_INT, "", N_("links that something contradicts")},
};

struct link_counts {
    int64_t of[4], all, conflicts; /* by confidence */
};

static void count_link(struct link_counts *counts, uint8_t confidence, mi_str_id conflict)
{
    counts->of[confidence & 3]++;
    counts->all++;
    counts->conflicts += conflict.v != 0;
}

static void list_counts(const struct mi_summary *summary, struct mi_report_table *table,
                        const char *relation, const struct link_counts *counts)
{
    struct mi_cell *row = counts->all ? mi_report_add_row(summary->out, table) : NULL;
    if (!row)
        return;
    row[0] = mi_cell_word(relation);
    row[1] = mi_cell_int(counts->of[MI_CERTAIN]);
    row[2] = mi_cell_int(counts->of[MI_LIKELY]);
    row[3] = mi_cell_int(counts->of[MI_GUESS]);
    row[4] = mi_cell_share(counts->of[MI_CERTAIN], counts->all);
    row[5] = mi_cell_int(counts->conflicts);
}

static void list_links(const struct mi_summary *summary)
{
    const struct mi_tables *rows = &summary->model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "links", N_("Links between the layers"), link_columns,
                            sizeof link_columns / sizeof *link_columns);
    struct link_counts tasks = {{0}, 0, 0}, nodes = {{0}, 0, 0};
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);)
        count_link(&tasks, rows->executed.confidence[at.row], rows->executed.conflict[at.row]);
    for (uint32_t l = 1; l < rows->lowered.count; l++)
        count_link(&nodes, rows->lowered.confidence[l], rows->lowered.conflict[l]);
    list_counts(summary, table, N_("task to node"), &tasks);
    list_counts(summary, table, N_("compiled node to framework op"), &nodes);
}

/* --- origins --- */

static const struct mi_report_column origin_columns[] = {
    {"origin", N_("origin"), MI_CELL_WORD, "", N_("where the compiled node comes from")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("compiled nodes of that origin")},
    {"share", N_("share"), MI_CELL_SHARE, "", N_("of all compiled nodes")},
};

enum { MAX_WORDS = 32 };

static void list_origins(const struct mi_summary *summary)
{
    const struct mi_births *births = &summary->model->all.rows.births;
    int64_t counts[MAX_WORDS] = {0};
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "origins", N_("Where the compiled nodes come from"),
                            origin_columns, sizeof origin_columns / sizeof *origin_columns);
    for (uint32_t b = 1; b < births->count; b++)
        counts[births->origin[b] % MAX_WORDS]++;
    for (unsigned origin = 0; origin < MAX_WORDS; origin++) {
        struct mi_cell *row = counts[origin] ? mi_report_add_row(summary->out, table) : NULL;
        if (!row)
            continue;
        row[0] = mi_cell_word(mi_enum_name(MI_E_origin, origin));
        row[1] = mi_cell_int(counts[origin]);
        row[2] = mi_cell_share(counts[origin], (int64_t)births->count - 1);
    }
}

/* --- what is not explained --- */

static const struct mi_report_column unexplained_columns[] = {
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name that the tasks carry")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type that they name")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks in the counted runs")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times")},
};

enum { MOST_UNEXPLAINED = 10 };

struct unexplained {
    uint32_t kernel; /* first kernel of that name */
    int64_t tasks, total_ns;
};

static int compare_unexplained(const void *left, const void *right)
{
    const struct unexplained *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* Sums by name; `list` has room for one entry per kernel. Returns how many there are. */
static uint32_t sum_unexplained(const struct mi_summary *summary, struct unexplained *list,
                                bool *failed)
{
    const struct mi_tables *rows = &summary->model->all.rows;
    struct mi_map place = {0};
    uint32_t count = 0;
    for (uint32_t t = 1; t < rows->tasks.count && !*failed; t++) {
        uint32_t kernel = rows->tasks.kernel[t].v;
        if (summary->model->all.rows.tasks.link[t].v || belongs_to_no_node(rows, t) ||
            !mi_account_counts(summary->account, (mi_task_id){t}))
            continue;
        uint32_t *at =
            mi_map_at(&place, mi_pair(rows->kernels.name[kernel].v, rows->kernels.op[kernel].v));
        *failed = at == NULL;
        if (at && !*at) {
            list[count] = (struct unexplained){.kernel = kernel};
            *at = ++count;
        }
        if (at) {
            list[*at - 1].tasks++;
            list[*at - 1].total_ns = mi_ns_add(list[*at - 1].total_ns, summary->account->own_ns[t]);
        }
    }
    mi_map_fini(&place);
    return count;
}

static bool list_unexplained(const struct mi_summary *summary)
{
    const struct mi_tables *rows = &summary->model->all.rows;
    struct unexplained *list = mi_mem_new(rows->kernels.count, sizeof *list);
    bool failed = !list;
    uint32_t count = list ? sum_unexplained(summary, list, &failed) : 0;
    struct mi_report_table *table = mi_report_add_table(
        summary->out, "unexplained", N_("Most time without a node"), unexplained_columns,
        sizeof unexplained_columns / sizeof *unexplained_columns);
    if (count)
        qsort(list, count, sizeof *list, compare_unexplained);
    for (uint32_t i = 0; i < count && i < MOST_UNEXPLAINED; i++) {
        struct mi_cell *row = mi_report_add_row(summary->out, table);
        if (!row)
            break;
        row[0] = mi_cell_text(mi_model_text(summary->model, rows->kernels.name[list[i].kernel]));
        row[1] = mi_cell_text(mi_model_text(summary->model, rows->kernels.op[list[i].kernel]));
        row[2] = mi_cell_int(list[i].tasks);
        row[3] = mi_cell_int(list[i].total_ns);
    }
    mi_mem_free(list);
    return !failed;
}

bool mi_summary_links(const struct mi_summary *summary, struct mi_error *err)
{
    const struct mi_tables *rows = &summary->model->all.rows;
    bool ok = true;
    list_links(summary);
    mi_fate_table(summary->model, summary->out);
    list_origins(summary);
    if (summary->has_tasks && rows->graphs.count > 1)
        ok = list_unexplained(summary);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}
