/* Tables of a comparison that are about graphs: how many changes of each kind, which, and which
 * node is which. */
#include "analyse/compare/report/diff_report.h"
#include "analyse/describe.h"
#include "base/translate.h"

static const struct mi_report_column count_columns[] = {
    {"change", N_("change"), MI_CELL_WORD, "", N_("what differs")},
    {"layer", N_("layer"), MI_CELL_WORD, "", N_("framework or compiled")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("nodes, partners counted once")},
};

static void count_changes(const struct mi_diff *diff)
{
    const struct mi_compare *compare = diff->compare;
    struct mi_report_table *table =
        mi_report_add_table(diff->out, "change_counts", N_("Changes of the graphs"), count_columns,
                            sizeof count_columns / sizeof *count_columns);
    for (uint32_t i = 0, end; i < compare->change_count; i = end) {
        const struct mi_cmp_change *first = &compare->changes[i];
        for (end = i; end < compare->change_count && compare->changes[end].kind == first->kind &&
                      compare->changes[end].layer == first->layer;)
            end++;
        struct mi_cell *row = mi_report_add_row(diff->out, table);
        if (!row)
            return;
        row[0] = mi_cell_word(mi_cmp_change_words[first->kind]);
        row[1] = mi_cell_word(mi_enum_name(MI_E_layer, first->layer));
        row[2] = mi_cell_int(end - i);
    }
}

static const struct mi_report_column change_columns[] = {
    {"change", N_("change"), MI_CELL_WORD, "", N_("what differs")},
    {"group", N_("group"), MI_CELL_INT, "", N_("nodes of one stretch that was fused otherwise")},
    {"base", N_("node of the base"), MI_CELL_TEXT, "", N_("none: it appeared")},
    {"new", N_("node of the new side"), MI_CELL_TEXT, "", N_("none: it is gone")},
    {"was", N_("before"), MI_CELL_TEXT, "", N_("what it was at the base")},
    {"is", N_("now"), MI_CELL_TEXT, "", N_("what it is on the new side")},
    {"layer", N_("layer"), MI_CELL_WORD, "", N_("framework or compiled")},
    {"base_node", NULL, MI_CELL_INT, "", N_("row of nodes of the base")},
    {"new_node", NULL, MI_CELL_INT, "", N_("row of nodes of the new side")},
};

static void put_node(const struct mi_diff *diff, struct mi_cell *row, unsigned side, uint32_t node)
{
    if (!node)
        return;
    row[2 + side] = mi_cell_text(
        mi_describe_node(mi_cmp_model(diff->compare, side), (mi_node_id){node}, &diff->out->arena));
    row[7 + side] = mi_cell_int(node);
}

void mi_diff_list_changes(const struct mi_diff *diff)
{
    const struct mi_compare *compare = diff->compare;
    bool renamed = mi_args_flag(diff->args, "renamed");
    struct mi_report_table *table = NULL;
    if (!compare->change_count)
        return;
    count_changes(diff);
    for (uint32_t i = 0; i < compare->change_count; i++) {
        const struct mi_cmp_change *change = &compare->changes[i];
        if (change->kind == MI_CMP_RENAMED && !renamed)
            continue;
        if (!table) {
            table = mi_report_add_table(diff->out, "changes", N_("Changed nodes"), change_columns,
                                        sizeof change_columns / sizeof *change_columns);
            mi_report_mark_details(table, "group layer");
        }
        struct mi_cell *row = mi_diff_row(diff, table);
        if (!row)
            return;
        row[0] = mi_cell_word(mi_cmp_change_words[change->kind]);
        if (change->region)
            row[1] = mi_cell_int(change->region);
        for (unsigned side = 0; side < MI_CMP_SIDES; side++)
            put_node(diff, row, side, change->node[side]);
        if (change->was.len)
            row[4] = mi_cell_text(mi_arena_copy(&diff->out->arena, change->was));
        if (change->is.len)
            row[5] = mi_cell_text(mi_arena_copy(&diff->out->arena, change->is));
        row[6] = mi_cell_word(mi_enum_name(MI_E_layer, change->layer));
    }
}

static const struct mi_report_column pair_columns[] = {
    {"base", N_("node of the base"), MI_CELL_TEXT, "", N_("node of the base")},
    {"new", N_("node of the new side"), MI_CELL_TEXT, "", N_("the same on the new side")},
    {"type", N_("type"), MI_CELL_TEXT, "", N_("operator type on the new side")},
    {"evidence", N_("known by"), MI_CELL_WORD, "", N_("what the pair rests on")},
    {"confidence", N_("sure"), MI_CELL_WORD, "", N_("certain, likely or guess")},
    {"layer", N_("layer"), MI_CELL_WORD, "", N_("framework or compiled")},
    {"base_node", NULL, MI_CELL_INT, "", N_("row of nodes of the base")},
    {"new_node", NULL, MI_CELL_INT, "", N_("row of nodes of the new side")},
};

void mi_diff_list_pairs(const struct mi_diff *diff)
{
    const struct mi_match *match = &diff->compare->match;
    struct mi_report_table *table =
        mi_report_add_table(diff->out, "pairs", N_("Which node is which"), pair_columns,
                            sizeof pair_columns / sizeof *pair_columns);
    for (uint32_t i = 0; i < match->pair_count; i++) {
        const struct mi_cmp_pair *pair = &match->pairs[i];
        struct mi_cell *row = mi_diff_row(diff, table);
        if (!row)
            return;
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            mi_node_id node = {pair->node[side]};
            row[side] = mi_cell_text(mi_describe_node(match->model[side], node, &diff->out->arena));
            row[6 + side] = mi_cell_int(node.v);
        }
        mi_node_id node = {pair->node[MI_CMP_NEW]};
        row[2] = mi_cell_text(mi_describe_op(match->model[MI_CMP_NEW], node, &diff->out->arena));
        row[3] = mi_cell_word(mi_cmp_evidence_words[pair->evidence]);
        row[4] = mi_cell_word(mi_enum_name(MI_E_confidence, pair->confidence));
        row[5] =
            mi_cell_word(mi_enum_name(MI_E_layer, mi_node_layer(match->model[MI_CMP_NEW], node)));
    }
}
