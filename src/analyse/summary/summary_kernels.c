/* How the operators ran that took most time: what the record of the first counted task of each says
 * about cores, pipes and shapes. Records lie in the inputs and are read for the rows shown alone.
 */
#include "analyse/pipes.h"
#include "analyse/summary/summary_grouping.h"
#include "base/translate.h"

enum { MOST_KERNELS = 1000 };

static const struct mi_report_column columns[] = {
    {"node", N_("node"), MI_CELL_NODE, "", N_("node that ran; none: a name in the tasks")},
    {"node_name", N_("name"), MI_CELL_TEXT, "", N_("name of the node, else of the task")},
    {"core", N_("core"), MI_CELL_TEXT, "", N_("core type or execution provider")},
    {"cores", N_("cores"), MI_CELL_INT, "", N_("cores that it was spread over (block dim)")},
    {"state", N_("shapes"), MI_CELL_TEXT, "", N_("dynamic or static, as recorded")},
    {"cube_share", N_("cube"), MI_CELL_SHARE, "",
     N_("share of its cycles in which the pipe worked")},
    {"vector_share", N_("vector"), MI_CELL_SHARE, "", N_("the same of the vector unit")},
    {"scalar_share", N_("scalar"), MI_CELL_SHARE, "", N_("the same of the scalar unit")},
    {"mte1_share", N_("mte1"), MI_CELL_SHARE, "", N_("the same of moves from L1 to L0")},
    {"mte2_share", N_("mte2"), MI_CELL_SHARE, "", N_("the same of loads from global memory")},
    {"mte3_share", N_("mte3"), MI_CELL_SHARE, "", N_("the same of stores to global memory")},
    {"busiest", N_("busiest"), MI_CELL_WORD, "", N_("pipe that worked most of the time")},
    {"remark", N_("remark"), MI_CELL_WORD, "", N_("what may have made it slow")},
};

/* --- rows --- */

static const char *busiest_of(const struct mi_pipes *counters)
{
    static const char *const words[MI_PIPES] = {N_("cube"), N_("vector"), N_("scalar"),
                                                N_("mte1"), N_("mte2"),   N_("mte3")};
    int best = 0;
    for (int p = 1; p < MI_PIPES; p++)
        if (counters->share[p] > counters->share[best])
            best = p;
    return counters->share[best] > 0 ? words[best] : NULL;
}

static const char *remark_of(const struct mi_pipes *counters, struct mi_bytes core)
{
    bool is_core =
        mi_bytes_equal(core, MI_LIT("AI_CORE")) || mi_bytes_equal(core, MI_LIT("AI_VECTOR_CORE")) ||
        mi_bytes_equal(core, MI_LIT("MIX_AIC")) || mi_bytes_equal(core, MI_LIT("MIX_AIV"));
    if (mi_bytes_equal(core, MI_LIT("AI_CPU")))
        return N_("on the AI CPU");
    if (is_core && counters->cores == 1)
        return N_("on one core only");
    if (mi_pipes_is_state(counters, "dynamic"))
        return N_("dynamic shapes");
    return NULL;
}

static void put_row(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                    struct mi_cell *row)
{
    const struct mi_model *model = grouping->summary->model;
    const struct mi_tables *rows = &model->all.rows;
    struct mi_pipes counters = mi_pipes_read(model, group->first_task);
    struct mi_bytes core =
        mi_model_text(model, rows->kernels.engine[rows->tasks.kernel[group->first_task].v]);
    const char *busiest = busiest_of(&counters), *remark = remark_of(&counters, core);
    if (group->entity < rows->nodes.count)
        row[0] = mi_cell_int(group->entity);
    row[1] = mi_cell_text(group->name);
    if (core.len)
        row[2] = mi_cell_text(core);
    if (counters.cores >= 0)
        row[3] = mi_cell_int(counters.cores);
    if (counters.state_len)
        row[4] = mi_cell_text(mi_arena_copy(&grouping->summary->out->arena,
                                            (struct mi_bytes){counters.state, counters.state_len}));
    for (int p = 0; p < MI_PIPES; p++)
        if (counters.share[p] >= 0)
            row[5 + p] = (struct mi_cell){.number = counters.share[p]};
    if (busiest)
        row[11] = mi_cell_word(busiest);
    if (remark)
        row[12] = mi_cell_word(remark);
}

bool mi_summary_kernels(const struct mi_grouping *grouping)
{
    struct mi_report *out = grouping->summary->out;
    uint32_t most = grouping->summary->top ? grouping->summary->top : MOST_KERNELS;
    struct mi_report_table *table = mi_report_add_table(out, "kernels", N_("How they ran"), columns,
                                                        sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "node scalar_share mte1_share");
    for (uint32_t g = 0; g < grouping->group_count && g < most; g++) {
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            return false;
        put_row(grouping, &grouping->groups[g], row);
    }
    return true;
}
