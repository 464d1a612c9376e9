/* What if: a run with changes, simulated.
 *
 * Question: how long would the run be if a node were faster, a transfer or a wait were left out, a
 * task ran on another stream, nodes were fused or not; and which single change gains most? Formula:
 * the makespan of the graph of executed tasks (taskgraph/whatif.h) before and after, mean over the
 * runs of a device. The replay of the unchanged graph is compared with what was observed. Limits:
 * streams share cores and memory, which is not simulated; ranks are looked at one by one. */
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/taskgraph/choose.h"
#include "analyse/whatif/whatif_parts.h"

enum { SHOWN = 20, MOST_OFF_PPM = 20000 /* a replay may be off by so much */ };

const struct mi_param mi_params_whatif[] = {
    {.name = "shorten",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE=50%|30us"),
     .repeats = true,
     .help = N_("The node takes so much less time, or just that time per task.")},
    {.name = "remove",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE"),
     .repeats = true,
     .help = N_("The node's work, compute or transfer, is left out; its events stay.")},
    {.name = "remove-wait",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE"),
     .repeats = true,
     .help =
         N_("Without that wait, even if it protects data: its own node, that of its record, or the "
            "node it holds back.")},
    {.name = "move",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE=STREAM"),
     .repeats = true,
     .help = N_("The node runs on that stream: its number, logic:N, or new.")},
    {.name = "fuse",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("A,B"),
     .repeats = true,
     .help = N_("The nodes become one task: launches between them are saved, nothing else.")},
    {.name = "unfuse",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE"),
     .repeats = true,
     .help = N_("The node becomes its ops again, each as long as such a one alone.")},
    {.name = "rank",
     .kind = MI_PARAM_FLAG,
     .help = N_("List single changes, those that gain most first.")},
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N rows of the ranking; 0 = all (default: 20; all with --json).")},
    MI_TG_RUN_PARAMS,
    MI_PARAM_END};

/* --- facts --- */

static void add_fact(struct mi_report *out, const char *name, const char *title,
                     enum mi_cell_kind kind, struct mi_cell cell)
{
    mi_report_add_fact(out, &(struct mi_report_fact){.name = name,
                                                     .title = title,
                                                     .kind = kind,
                                                     .unit = kind == MI_CELL_INT ? "ns" : "",
                                                     .cell = cell});
}

static int64_t replay_ns(const struct mi_doctor *d)
{
    int64_t sum_ns = 0;
    for (uint32_t r = 0; r < d->run_count; r++)
        sum_ns = mi_ns_add(sum_ns, d->runs[r].base_ns);
    return sum_ns / d->run_count;
}

/* The simulation is worth something only where it gives what was seen. */
static void check_replay(struct mi_doctor *d, int64_t replayed_ns)
{
    int64_t off_ns = mi_ns_sub(replayed_ns, d->makespan_ns);
    struct mi_cell off = mi_cell_share(off_ns < 0 ? -off_ns : off_ns, d->makespan_ns);
    mi_report_add_fact(d->out, &(struct mi_report_fact){.name = "runs",
                                                        .title = N_("Runs that the means are over"),
                                                        .kind = MI_CELL_INT,
                                                        .unit = "",
                                                        .cell = mi_cell_int(d->run_count)});
    add_fact(d->out, "observed_ns", N_("Makespan as observed"), MI_CELL_INT,
             mi_cell_int(d->makespan_ns));
    add_fact(d->out, "replayed_ns", N_("Makespan as simulated, nothing changed"), MI_CELL_INT,
             mi_cell_int(replayed_ns));
    add_fact(d->out, "replay_off", N_("The simulation is off by"), MI_CELL_SHARE, off);
    if (!off.is_none && off.number > MOST_OFF_PPM)
        mi_report_add_finding(
            d->out,
            &(struct mi_finding){
                .rule = "not_checked",
                .severity = MI_WARNING,
                .sentence = N_("the simulation does not give the makespan that was observed: "
                               "what it predicts is worth little"),
                .cost_ns = -1});
}

/* What the simulation does not know of this run. */
static void tell_limits(struct mi_doctor *d)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    uint32_t unknown = 0, wrong = graph->violated_count + graph->dropped_count;
    for (uint32_t v = 0; v < graph->count; v++)
        unknown += graph->role[v] == MI_TG_WORK && !graph->knows_data[v];
    if (unknown)
        mi_report_add_finding(
            d->out, &(struct mi_finding){
                        .rule = "data_unknown",
                        .severity = MI_INFO,
                        .sentence = N_(
                            "of %1 tasks it is not known what they read: only streams, events and "
                            "launches hold them back"),
                        .args = {mi_doctor_number(d, unknown)},
                        .cost_ns = -1});
    if (wrong)
        mi_report_add_finding(
            d->out, &(struct mi_finding){
                        .rule = "contradicted",
                        .severity = MI_NOTICE,
                        .sentence = N_("%1 dependencies were seen the wrong way round and hold "
                                       "nothing back: the clocks of the streams do not fit"),
                        .args = {mi_doctor_number(d, wrong)},
                        .cost_ns = -1});
    if (graph->lane_count > 1)
        mi_report_add_finding(
            d->out,
            &(struct mi_finding){
                .rule = "not_modelled",
                .severity = MI_INFO,
                .sentence = N_("streams share cores and memory, which is not simulated: what "
                               "runs side by side may gain less"),
                .cost_ns = -1});
}

/* --- changes --- */

static const struct mi_report_column columns[] = {
    {"change", N_("change"), MI_CELL_WORD, "", N_("what is done to the node")},
    {"name", N_("node"), MI_CELL_TEXT, "", N_("name of the node")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("its tasks in the run that is looked at")},
    {"node_ns", N_("time"), MI_CELL_INT, "ns", N_("time of the node in a run, mean over runs")},
    {"alone_ns", N_("gain alone"), MI_CELL_INT, "ns",
     N_("what this change gains without the others; negative: it costs")},
    {"node", N_("row"), MI_CELL_NODE, "", N_("row of the node")},
};

static void list_changes(struct mi_doctor *d, const struct mi_changes *changes)
{
    struct mi_report_table *table = mi_report_add_table(d->out, "changes", N_("Changes"), columns,
                                                        sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "node");
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct mi_change *change = &changes->list[i];
        struct mi_cell *row = mi_report_add_row(d->out, table);
        if (!row)
            return;
        row[0] = mi_cell_word(mi_change_words[change->kind]);
        row[1] = mi_cell_text(mi_doctor_name(d, change->node));
        row[2] = mi_cell_int(mi_csr_count(&d->runs[0].places, change->node));
        row[3] = mi_cell_int(d->node_ns[change->node]);
        row[4] = mi_cell_int(mi_doctor_gain(d, mi_change_apply, change));
        row[5] = mi_cell_int(change->node);
    }
}

/* A wait that protects data gains more than it may. */
static void warn_of_data(struct mi_doctor *d, const struct mi_changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        struct mi_change change = changes->list[i];
        if (change.kind != MI_CHANGE_REMOVE_WAIT)
            continue;
        int64_t gain_ns = mi_doctor_gain(d, mi_change_apply, &change);
        change.keeps_data = true;
        int64_t right_ns = mi_doctor_gain(d, mi_change_apply, &change);
        if (gain_ns <= right_ns)
            continue;
        mi_report_add_finding(
            d->out, &(struct mi_finding){
                        .rule = "needed_wait",
                        .severity = MI_WARNING,
                        .node = {change.node},
                        .sentence = N_("%1 protects data: without it results are wrong. As long as "
                                       "data is waited for, its removal gains %2 of %3"),
                        .args = {mi_doctor_name(d, change.node), mi_doctor_span(d, right_ns),
                                 mi_doctor_span(d, gain_ns)},
                        .cost_ns = -1});
    }
}

static bool answer(struct mi_doctor *d, bool wants_rank)
{
    struct mi_changes changes;
    if (!d->run_count)
        return true; /* nothing ran, nothing to change */
    int64_t before_ns = replay_ns(d);
    if (!mi_changes_read(&changes, d))
        return false;
    check_replay(d, before_ns);
    if (changes.count) {
        int64_t gain_ns = mi_doctor_gain(d, mi_changes_apply, &changes);
        add_fact(d->out, "after_ns", N_("Makespan as simulated, with all changes"), MI_CELL_INT,
                 mi_cell_int(mi_ns_sub(before_ns, gain_ns)));
        add_fact(d->out, "gain_ns", N_("Gain"), MI_CELL_INT, mi_cell_int(gain_ns));
        add_fact(d->out, "gain_share", N_("Gain, of the run"), MI_CELL_SHARE,
                 mi_cell_share(gain_ns, before_ns));
        list_changes(d, &changes);
        warn_of_data(d, &changes);
    }
    tell_limits(d);
    return (!wants_rank && changes.count) || mi_whatif_rank(d, mi_args_int(d->args, "top", SHOWN));
}

/* Here --rank asks for the ranking; elsewhere it names a rank, and whoever chooses the run must not
 * take it for that. NULL: out of memory. */
static struct mi_arg *without_rank(const struct mi_args *args, struct mi_args *rest,
                                   struct mi_arena *arena)
{
    struct mi_arg *list = mi_arena_alloc(arena, ((args ? args->count : 0) + 1) * sizeof *list);
    *rest = (struct mi_args){.list = list};
    for (size_t i = 0; list && args && i < args->count; i++)
        if (strcmp(args->list[i].param->name, "rank") != 0)
            list[rest->count++] = args->list[i];
    return list;
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_args rest;
    struct mi_error own = MI_ERROR_INIT;
    struct mi_doctor d = {.model = model,
                          .rows = &model->all.rows,
                          .args = &rest,
                          .out = out,
                          .err = err ? err : &own,
                          .arena = &out->arena};
    if (!without_rank(args, &rest, &out->arena))
        return mi_fail(d.err, MI_ENOMEM, "out of memory");
    bool ok = mi_doctor_open(&d) && answer(&d, mi_args_flag(args, "rank"));
    mi_doctor_close(&d);
    return ok;
}

const struct mi_pass mi_pass_whatif = {
    .name = "whatif",
    .title = N_("How long the run would be after changes"),
    .needs = MI_HAS_TASKS,
    .params = mi_params_whatif,
    .run = run,
};
