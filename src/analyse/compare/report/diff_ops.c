/* Tables of a comparison that are about time: operator types, single ops, ops that no longer
 * overlap.
 */
#include "analyse/compare/report/diff_report.h"
#include "analyse/describe.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

/* --- rows by size --- */

struct sized {
    int64_t ns;
    uint32_t row;
};

static int compare_sizes(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? mi_ns_sub(a, b) : mi_ns_sub(b, a);
}

/* --- types --- */

static const struct mi_report_column type_columns[] = {
    {"type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"base_nodes", N_("nodes"), MI_CELL_INT, "", N_("nodes of the base")},
    {"new_nodes", N_("new nodes"), MI_CELL_INT, "", N_("nodes of the new side")},
    {"base_ns", N_("base"), MI_CELL_INT, "ns", N_("median of the runs of the base")},
    {"new_ns", N_("new"), MI_CELL_INT, "ns", N_("the same on the new side")},
    {"difference_ns", N_("difference"), MI_CELL_INT, "ns", N_("new - base")},
    {"change", N_("change"), MI_CELL_SHARE, "", N_("the difference as a share of the base")},
    {"base_share", N_("share"), MI_CELL_SHARE, "", N_("of the work of the base")},
    {"new_share", N_("new share"), MI_CELL_SHARE, "", N_("of the work of the new side")},
};

static void add_type(const struct mi_diff *diff, struct mi_report_table *table, uint32_t t,
                     const int64_t sum_ns[])
{
    const struct mi_compare *compare = diff->compare;
    const struct mi_cmp_type *type = &compare->types[t];
    struct mi_cell *row = mi_diff_row(diff, table);
    if (!row)
        return;
    struct mi_bytes name = mi_cmp_type_name(compare, t);
    if (name.len)
        row[0] = mi_cell_text(name);
    if (compare->side[0].layer) {
        row[1] = mi_cell_int(type->nodes[MI_CMP_BASE]);
        row[2] = mi_cell_int(type->nodes[MI_CMP_NEW]);
    }
    if (!compare->side[0].sample_count || !compare->side[1].sample_count)
        return;
    int64_t base_ns = type->median_ns[MI_CMP_BASE];
    int64_t new_ns = type->median_ns[MI_CMP_NEW];
    row[3] = mi_cell_int(base_ns);
    row[4] = mi_cell_int(new_ns);
    row[5] = mi_cell_int(mi_ns_sub(new_ns, base_ns));
    row[6] = mi_diff_change(base_ns, new_ns);
    row[7] = mi_cell_share(base_ns, sum_ns[MI_CMP_BASE]);
    row[8] = mi_cell_share(new_ns, sum_ns[MI_CMP_NEW]);
}

/* The largest differences of time first, then those of counts. Types that run nothing and are as
 * many as before are left out. */
void mi_diff_list_types(const struct mi_diff *diff)
{
    const struct mi_compare *compare = diff->compare;
    bool timed = compare->side[0].sample_count && compare->side[1].sample_count;
    struct sized *list = mi_mem_new(compare->type_count, sizeof *list);
    int64_t sum_ns[MI_CMP_SIDES] = {0, 0};
    uint32_t count = 0;
    diff->out->failed = diff->out->failed || !list;
    for (uint32_t t = 1; list && t < compare->type_count; t++) {
        const struct mi_cmp_type *type = &compare->types[t];
        int64_t base_ns = type->median_ns[MI_CMP_BASE];
        int64_t new_ns = type->median_ns[MI_CMP_NEW];
        for (unsigned side = 0; side < MI_CMP_SIDES; side++)
            sum_ns[side] = mi_ns_add(sum_ns[side], type->median_ns[side]);
        bool runs = timed && (type->tasks[MI_CMP_BASE] || type->tasks[MI_CMP_NEW]);
        if (runs || type->nodes[MI_CMP_BASE] != type->nodes[MI_CMP_NEW])
            list[count++] = (struct sized){
                timed ? distance(base_ns, new_ns) : distance(type->nodes[0], type->nodes[1]), t};
    }
    if (count)
        qsort(list, count, sizeof *list, compare_sizes);
    struct mi_report_table *table =
        count ? mi_report_add_table(diff->out, "by_type", N_("By operator type"), type_columns,
                                    sizeof type_columns / sizeof *type_columns)
              : NULL;
    mi_report_mark_details(table, "base_nodes new_nodes base_share new_share");
    for (uint32_t i = 0; i < count; i++)
        add_type(diff, table, list[i].row, sum_ns);
    mi_mem_free(list);
}

/* --- ops --- */

static const struct mi_report_column op_columns[] = {
    {"name", N_("op"), MI_CELL_TEXT, "",
     N_("node, or kernel without one, as the new side calls it")},
    {"type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"base_ns", N_("base"), MI_CELL_INT, "ns", N_("median of the runs of the base")},
    {"new_ns", N_("new"), MI_CELL_INT, "ns", N_("the same on the new side")},
    {"difference_ns", N_("difference"), MI_CELL_INT, "ns", N_("new - base")},
    {"change", N_("change"), MI_CELL_SHARE, "", N_("the difference as a share of the base")},
    {"cause", N_("cause"), MI_CELL_TEXT, "", N_("the cause that it counts for")},
    {"base_name", N_("called before"), MI_CELL_TEXT, "", N_("its name at the base, if another")},
};

static void add_op(const struct mi_diff *diff, struct mi_report_table *table, uint32_t o)
{
    const struct mi_compare *compare = diff->compare;
    const struct mi_cmp_op *op = &compare->ops[o];
    struct mi_cell *row = mi_diff_row(diff, table);
    if (!row)
        return;
    struct mi_bytes name = mi_cmp_op_name(compare, o, &diff->out->arena);
    row[0] = mi_cell_text(name);
    row[1] = mi_cell_text(mi_cmp_type_name(compare, op->type));
    if (op->tasks[MI_CMP_BASE])
        row[2] = mi_cell_int(op->median_ns[MI_CMP_BASE]);
    if (op->tasks[MI_CMP_NEW])
        row[3] = mi_cell_int(op->median_ns[MI_CMP_NEW]);
    row[4] = mi_cell_int(mi_ns_sub(op->median_ns[MI_CMP_NEW], op->median_ns[MI_CMP_BASE]));
    if (op->tasks[MI_CMP_BASE] && op->tasks[MI_CMP_NEW])
        row[5] = mi_diff_change(op->median_ns[MI_CMP_BASE], op->median_ns[MI_CMP_NEW]);
    if (diff->cause_of[o])
        row[6] = mi_cell_text(mi_cstr(compare->causes[diff->cause_of[o] - 1].rule));
    if (op->node[MI_CMP_BASE] && op->node[MI_CMP_NEW]) {
        struct mi_bytes before =
            mi_describe_node(mi_cmp_model(compare, MI_CMP_BASE),
                             (mi_node_id){op->node[MI_CMP_BASE]}, &diff->out->arena);
        if (!mi_bytes_equal(before, name))
            row[7] = mi_cell_text(before);
    }
}

void mi_diff_list_ops(const struct mi_diff *diff)
{
    const struct mi_compare *compare = diff->compare;
    if (!compare->side[0].sample_count || !compare->side[1].sample_count)
        return;
    struct sized *list = mi_mem_new(compare->op_count, sizeof *list);
    uint32_t count = 0;
    diff->out->failed = diff->out->failed || !list;
    for (uint32_t o = 1; list && o < compare->op_count; o++) {
        const struct mi_cmp_op *op = &compare->ops[o];
        int64_t ns = distance(op->median_ns[MI_CMP_BASE], op->median_ns[MI_CMP_NEW]);
        if (ns || diff->cause_of[o])
            list[count++] = (struct sized){ns, o};
    }
    if (count)
        qsort(list, count, sizeof *list, compare_sizes);
    struct mi_report_table *table =
        count ? mi_report_add_table(diff->out, "ops", N_("Ops, the largest differences first"),
                                    op_columns, sizeof op_columns / sizeof *op_columns)
              : NULL;
    mi_report_mark_details(table, "base_name");
    for (uint32_t i = 0; i < count; i++)
        add_op(diff, table, list[i].row);
    mi_mem_free(list);
}

/* --- ops that no longer overlap --- */

static const struct mi_report_column serial_columns[] = {
    {"first", N_("runs first now"), MI_CELL_TEXT, "", N_("one of two ops that ran at once before")},
    {"then", N_("runs behind it"), MI_CELL_TEXT, "", N_("the other")},
    {"overlap_ns", N_("ran at once"), MI_CELL_INT, "ns",
     N_("at the base, mean of the runs in which they did")},
    {"runs", N_("in runs"), MI_CELL_INT, "", N_("runs of the base in which they did")},
    {"order", N_("why no longer"), MI_CELL_WORD, "", N_("what keeps them apart now")},
    {"moved", N_("moved"), MI_CELL_TEXT, "", N_("the op that changed its stream")},
    {"wait", N_("wait"), MI_CELL_INT, "", N_("task of the new side that waits")},
};

/* Those that something keeps apart; that two ops just did not meet says nothing. */
void mi_diff_list_serials(const struct mi_diff *diff)
{
    const struct mi_compare *compare = diff->compare;
    struct mi_arena *arena = &diff->out->arena;
    struct mi_report_table *table = NULL;
    for (uint32_t i = 0; i < compare->serial_count; i++) {
        const struct mi_cmp_serial *serial = &compare->serials[i];
        if (serial->order == MI_CMP_TIMING)
            continue;
        if (!table)
            table =
                mi_report_add_table(diff->out, "serial", N_("Parallel before, serial now"),
                                    serial_columns, sizeof serial_columns / sizeof *serial_columns);
        struct mi_cell *row = mi_diff_row(diff, table);
        if (!row)
            return;
        row[0] = mi_cell_text(mi_cmp_op_name(compare, serial->op[0], arena));
        row[1] = mi_cell_text(mi_cmp_op_name(compare, serial->op[1], arena));
        row[2] = mi_cell_int(serial->overlap_ns);
        row[3] = mi_cell_int(serial->samples);
        row[4] = mi_cell_word(mi_cmp_order_words[serial->order]);
        if (serial->mover)
            row[5] = mi_cell_text(mi_cmp_op_name(compare, serial->mover, arena));
        if (serial->wait)
            row[6] = mi_cell_int(serial->wait);
    }
}
