/* Single changes by what they gain. Only what lies on a critical chain can make a run shorter at
 * once, so the chains of all runs give the candidates: work at half its time, inserted nodes and
 * transfers left out, waits that held the chain up left out. */
#include "analyse/describe.h"
#include "analyse/taskgraph/choose.h"
#include "analyse/whatif/whatif_parts.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_TRIED = 1000, MOST_VERTICES = 200000000 /* simulated in all */ };

static const struct mi_report_column columns[] = {
    {"change", N_("change"), MI_CELL_WORD, "", N_("what is done to the node")},
    {"gain_ns", N_("gain"), MI_CELL_INT, "ns",
     N_("the run would be so much shorter, mean over runs")},
    {"gain_share", N_("of the run"), MI_CELL_SHARE, "", N_("that gain as a share of the run")},
    {"node_ns", N_("time"), MI_CELL_INT, "ns", N_("time of the node in a run, mean over runs")},
    {"name", N_("node"), MI_CELL_TEXT, "", N_("name of the node")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("its operator type")},
    {"node", N_("row"), MI_CELL_NODE, "", N_("row of the node")},
};

struct fix {
    struct mi_change change;
    int64_t spent_ns; /* on the chains */
    int64_t gain_ns;
};

struct ranking {
    struct mi_doctor *d;
    int64_t *spent_ns; /* [nodes.count] on the chains */
    struct fix *list;
    uint32_t count;
};

static bool spend(struct ranking *r, const struct mi_taskgraph *graph)
{
    struct mi_tg_chain chain;
    if (!mi_tg_chain_init(&chain, graph, r->d->err))
        return false;
    for (uint32_t i = 0; i < chain.count; i++) {
        const struct mi_tg_piece *piece = &chain.pieces[i];
        if (piece->kind == MI_TG_PIECE_WORK || piece->kind == MI_TG_PIECE_WAIT)
            r->spent_ns[graph->node[piece->vertex]] =
                mi_ns_add(r->spent_ns[graph->node[piece->vertex]], piece->end_ns - piece->start_ns);
    }
    mi_tg_chain_fini(&chain);
    return true;
}

static void add(struct ranking *r, uint32_t node, enum mi_change_kind kind)
{
    r->list[r->count++] =
        (struct fix){.change = {.kind = (uint8_t)kind, .node = node, .permille = 500},
                     .spent_ns = r->spent_ns[node]};
}

static bool is_transfer(const struct mi_doctor *d, uint32_t node)
{
    uint32_t v = d->runs[0].places.list[d->runs[0].places.first[node]] - 1;
    uint32_t kernel = d->rows->tasks.kernel[d->runs[0].graph.task[v]].v;
    return d->rows->kernels.kind[kernel] == MI_TASK_TRANSFER;
}

static void list_fixes(struct ranking *r)
{
    for (uint32_t n = 1; n < r->d->rows->nodes.count; n++) {
        if (!r->spent_ns[n])
            continue;
        if (!mi_doctor_ran(r->d, n)) {
            add(r, n, MI_CHANGE_REMOVE_WAIT);
            continue;
        }
        add(r, n, MI_CHANGE_SHORTEN);
        if (mi_doctor_converts(r->d, n) || is_transfer(r->d, n))
            add(r, n, MI_CHANGE_REMOVE);
    }
}

static int compare_spent(const void *left, const void *right)
{
    const struct fix *a = left, *b = right;
    if (a->spent_ns != b->spent_ns)
        return a->spent_ns > b->spent_ns ? -1 : 1;
    if (a->change.node != b->change.node)
        return a->change.node < b->change.node ? -1 : 1;
    return (a->change.kind > b->change.kind) - (a->change.kind < b->change.kind);
}

static int compare_gains(const void *left, const void *right)
{
    const struct fix *a = left, *b = right;
    if (a->gain_ns != b->gain_ns)
        return a->gain_ns > b->gain_ns ? -1 : 1;
    return compare_spent(left, right);
}

static void write(struct ranking *r, int64_t top)
{
    struct mi_doctor *d = r->d;
    struct mi_report_table *table =
        mi_report_add_table(d->out, "rank", N_("Changes, those that gain most first"), columns,
                            sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "node");
    for (uint32_t i = 0; i < r->count && (!top || i < top); i++) {
        const struct fix *fix = &r->list[i];
        struct mi_cell *row = fix->gain_ns > 0 ? mi_report_add_row(d->out, table) : NULL;
        if (!row)
            break;
        row[0] =
            mi_cell_word(fix->change.kind == MI_CHANGE_SHORTEN ? N_("half the time")
                                                               : mi_change_words[fix->change.kind]);
        row[1] = mi_cell_int(fix->gain_ns);
        row[2] = mi_cell_share(fix->gain_ns, d->makespan_ns);
        row[3] = mi_cell_int(d->node_ns[fix->change.node]);
        row[4] = mi_cell_text(mi_doctor_name(d, fix->change.node));
        row[5] = mi_cell_text(mi_describe_op(d->model, (mi_node_id){fix->change.node}, d->arena));
        row[6] = mi_cell_int(fix->change.node);
    }
}

static bool rank(struct ranking *r, int64_t top)
{
    int64_t budget = MOST_VERTICES;
    for (uint32_t i = 0; i < r->d->run_count; i++)
        if (!spend(r, &r->d->runs[i].graph))
            return false;
    r->spent_ns[0] = 0; /* work of no node */
    list_fixes(r);
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, compare_spent);
    if (r->count > MOST_TRIED)
        r->count = MOST_TRIED;
    for (uint32_t i = 0; i < r->count && budget > 0; i++) {
        r->list[i].gain_ns = mi_doctor_gain(r->d, mi_change_apply, &r->list[i].change);
        for (uint32_t k = 0; k < r->d->run_count; k++)
            budget -= r->d->runs[k].graph.count;
    }
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, compare_gains);
    write(r, top);
    return true;
}

bool mi_whatif_rank(struct mi_doctor *d, int64_t top)
{
    struct ranking r = {.d = d};
    r.spent_ns = mi_mem_zero(d->rows->nodes.count, sizeof *r.spent_ns);
    r.list = mi_mem_new((size_t)d->rows->nodes.count * 2, sizeof *r.list);
    bool ok = r.spent_ns && r.list && rank(&r, top);
    mi_mem_free(r.spent_ns);
    mi_mem_free(r.list);
    return ok || mi_fail(d->err, MI_ENOMEM, "out of memory for the ranking");
}
