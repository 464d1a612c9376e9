/* How the operators ran that took most time: what the record of the first counted task of each says
 * about cores, pipes and shapes. Records lie in the inputs and are read for the rows shown alone.
 */
#include "analyse/summary/summary_grouping.h"
#include "base/decimal.h"
#include "base/translate.h"

enum { MOST_KERNELS = 1000 };

enum pipe { PIPE_CUBE, PIPE_VECTOR, PIPE_SCALAR, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPES };

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

struct counters {
    int64_t cores;        /* -1 not stated */
    int64_t share[PIPES]; /* ppm; -1 not stated */
    uint8_t state[32];    /* as written */
    size_t state_len;
};

/* --- values of a record --- */

static bool is_cores(struct mi_bytes name)
{
    static const char *const names[] = {"Block Dim", "Block Num", "blockDim", "blockNum",
                                        "block_dim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(name, mi_cstr(names[i])))
            return true;
    return false;
}

/* aic_mac_ratio, aiv_vec_ratio, mac_ratio: the pipe, whichever core it is of. */
static enum pipe pipe_of(struct mi_bytes name)
{
    static const char *const names[PIPES] = {"mac_ratio",  "vec_ratio",  "scalar_ratio",
                                             "mte1_ratio", "mte2_ratio", "mte3_ratio"};
    if (mi_bytes_starts(name, MI_LIT("aic_")) || mi_bytes_starts(name, MI_LIT("aiv_")))
        name = mi_bytes_sub(name, 4, name.len);
    for (int p = 0; p < PIPES; p++)
        if (mi_bytes_equal(name, mi_cstr(names[p])))
            return (enum pipe)p;
    return PIPES;
}

static void take_value(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct counters *counters = user;
    enum pipe pipe = pipe_of(name);
    int64_t number;
    if (is_number && is_cores(name) && mi_decimal_i64(text, &number) == 0)
        counters->cores = number;
    else if (is_number && pipe != PIPES && mi_decimal_scaled(text, 6, &number) == 0 &&
             number > counters->share[pipe])
        counters->share[pipe] = number;
    else if ((mi_bytes_equal(name, MI_LIT("OP State")) ||
              mi_bytes_equal(name, MI_LIT("opState"))) &&
             text.len <= sizeof counters->state) {
        memcpy(counters->state, text.at, text.len);
        counters->state_len = text.len;
    }
}

static struct counters read_counters(const struct mi_model *model, uint32_t task)
{
    const struct mi_tables *rows = &model->all.rows;
    struct counters counters = {.cores = -1, .share = {-1, -1, -1, -1, -1, -1}};
    mi_source_id source = rows->kernels.source[rows->tasks.kernel[task].v];
    if (model->list_values && rows->tasks.record_offset[task] >= 0)
        model->list_values(model->values_of, source, rows->tasks.record_offset[task],
                           rows->tasks.record_bytes[task], take_value, &counters);
    return counters;
}

/* --- rows --- */

static const char *busiest_of(const struct counters *counters)
{
    static const char *const words[PIPES] = {N_("cube"), N_("vector"), N_("scalar"),
                                             N_("mte1"), N_("mte2"),   N_("mte3")};
    int best = 0;
    for (int p = 1; p < PIPES; p++)
        if (counters->share[p] > counters->share[best])
            best = p;
    return counters->share[best] > 0 ? words[best] : NULL;
}

static const char *remark_of(const struct counters *counters, struct mi_bytes core)
{
    struct mi_bytes state = {counters->state, counters->state_len};
    bool is_core =
        mi_bytes_equal(core, MI_LIT("AI_CORE")) || mi_bytes_equal(core, MI_LIT("AI_VECTOR_CORE")) ||
        mi_bytes_equal(core, MI_LIT("MIX_AIC")) || mi_bytes_equal(core, MI_LIT("MIX_AIV"));
    if (mi_bytes_equal(core, MI_LIT("AI_CPU")))
        return N_("on the AI CPU");
    if (is_core && counters->cores == 1)
        return N_("on one core only");
    if (mi_bytes_equal(state, MI_LIT("dynamic")))
        return N_("dynamic shapes");
    return NULL;
}

static void put_row(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                    struct mi_cell *row)
{
    const struct mi_model *model = grouping->summary->model;
    const struct mi_tables *rows = &model->all.rows;
    struct counters counters = read_counters(model, group->first_task);
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
    for (int p = 0; p < PIPES; p++)
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
