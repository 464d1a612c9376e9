/* How much of the transfers and of the communication is hidden behind compute.
 *
 * All times are measures of unions over the counted runs: what happens at once counts once. Hidden
 * is what a kind shares with the compute of its device; the rest is exposed. Idle is what no work
 * fills of the stretches from the first start to the last end of each run. */
#include "analyse/describe.h"
#include "analyse/overlap/overlap_parts.h"
#include "analyse/pass_params.h"
#include "base/mem.h"
#include "base/translate.h"

static const struct mi_report_column lane_columns[] = {
    {"depth", N_("depth"), MI_CELL_DEPTH, "", N_("0 device, 1 stream")},
    {"lane", N_("device or stream"), MI_CELL_TEXT, "", N_("device, then each of its streams")},
    {"device", NULL, MI_CELL_INT, "", N_("number of the device")},
    {"rank", NULL, MI_CELL_INT, "", N_("rank of the process that used it")},
    {"extent_ns", N_("makespans"), MI_CELL_INT, "ns",
     N_("first start to last end, of all counted runs")},
    {"compute_ns", N_("compute"), MI_CELL_INT, "ns", N_("time in which something computed")},
    {"transfer_ns", N_("transfer"), MI_CELL_INT, "ns", N_("time in which data was moved")},
    {"transfer_hidden_ns", N_("hidden"), MI_CELL_INT, "ns", N_("of it while the device computed")},
    {"transfer_exposed_ns", N_("exposed"), MI_CELL_INT, "ns", N_("the rest of it")},
    {"communication_ns", N_("communication"), MI_CELL_INT, "ns",
     N_("time in which devices talked to each other")},
    {"communication_hidden_ns", N_("hidden"), MI_CELL_INT, "ns",
     N_("of it while the device computed")},
    {"communication_exposed_ns", N_("exposed"), MI_CELL_INT, "ns", N_("the rest of it")},
    {"other_ns", N_("other work"), MI_CELL_INT, "ns", N_("time of work of unknown kind")},
    {"wait_ns", N_("waiting"), MI_CELL_INT, "ns", N_("time in which it waited for an event")},
    {"idle_ns", N_("idle"), MI_CELL_INT, "ns", N_("makespans in which nothing worked")},
    {"input", N_("input"), MI_CELL_TEXT, "", N_("file that names one of its streams")},
};
enum { LANE_COLUMNS = sizeof lane_columns / sizeof *lane_columns, LANE_INPUT = LANE_COLUMNS - 1 };

static const struct mi_report_column pair_columns[] = {
    {"lane", N_("device"), MI_CELL_TEXT, "", N_("device")},
    {"first", N_("first"), MI_CELL_WORD, "", N_("kind of work")},
    {"second", N_("second"), MI_CELL_WORD, "", N_("another kind")},
    {"shared_ns", N_("at once"), MI_CELL_INT, "ns", N_("time in which both went on")},
    {"first_share", N_("of the first"), MI_CELL_SHARE, "", N_("the same as share of the first")},
    {"second_share", N_("of the second"), MI_CELL_SHARE, "", N_("the same as share of the second")},
};

static struct mi_bytes name_group(const struct mi_overlap *o, uint32_t group)
{
    const struct mi_account_group *g = &o->account->groups[group];
    struct mi_arena *arena = &o->out->arena;
    if (g->rank >= 0 && g->device >= 0)
        return mi_arena_printf(arena, "rank %lld device %lld", (long long)g->rank,
                               (long long)g->device);
    if (g->rank >= 0)
        return mi_arena_printf(arena, "rank %lld", (long long)g->rank);
    if (g->device >= 0)
        return mi_arena_printf(arena, "device %lld", (long long)g->device);
    return mi_arena_printf(arena, "%s", "host");
}

/* Stretches of the counted runs. */
static void find_extent(struct mi_overlap *o, uint32_t group)
{
    const struct mi_account_group *g = &o->account->groups[group];
    o->extent.count = 0;
    o->extent.is_unsorted = false;
    for (uint32_t r = g->first_run; r < g->first_run + g->run_count; r++)
        if (o->account->runs[r].is_counted && o->account->runs[r].tasks)
            mi_spans_add(&o->extent, o->account->runs[r].first_ns, o->account->runs[r].end_ns);
    mi_spans_join(&o->extent);
}

static void put_hidden(struct mi_cell *row, const struct mi_spans *part,
                       const struct mi_spans *compute)
{
    int64_t all_ns = mi_spans_measure(part), hidden_ns = mi_spans_shared(part, compute);
    row[0] = mi_cell_int(all_ns);
    row[1] = mi_cell_int(hidden_ns);
    row[2] = mi_cell_int(all_ns - hidden_ns);
}

/* A device, or one of its streams: what is hidden is so by the compute of the whole device. */
static void put_lane(const struct mi_overlap *o, const struct mi_lanes *lanes, struct mi_cell *row)
{
    const struct mi_spans *compute = &o->device.kinds[MI_LANE_COMPUTE];
    int64_t extent_ns = mi_spans_measure(&o->extent);
    row[4] = mi_cell_int(extent_ns);
    row[5] = mi_cell_int(mi_spans_measure(&lanes->kinds[MI_LANE_COMPUTE]));
    put_hidden(row + 6, &lanes->kinds[MI_LANE_TRANSFER], compute);
    put_hidden(row + 9, &lanes->kinds[MI_LANE_COMMUNICATION], compute);
    if (lanes->kinds[MI_LANE_OTHER].count)
        row[12] = mi_cell_int(mi_spans_measure(&lanes->kinds[MI_LANE_OTHER]));
    row[13] = mi_cell_int(mi_spans_measure(&lanes->kinds[MI_LANE_WAIT]));
    row[14] = mi_cell_int(extent_ns - mi_spans_shared(&lanes->work, &o->extent));
}

static bool list_streams(struct mi_overlap *o, uint32_t group, struct mi_report_table *table)
{
    const struct mi_tracks *tracks = &o->model->all.rows.tracks;
    const uint32_t *first = o->model->index.track_first_task;
    for (uint32_t track = 0; track < tracks->count; track++) {
        if (first[track] == first[track + 1] || o->account->group_of[track] != group)
            continue;
        mi_lanes_clear(&o->stream);
        mi_lanes_add_track(&o->stream, o->account, track);
        struct mi_cell *row = mi_report_add_row(o->out, table);
        if (!row || !mi_lanes_join(&o->stream))
            return false;
        row[0] = mi_cell_int(1);
        row[1] = mi_cell_text(mi_describe_track(o->model, (mi_track_id){track}, &o->out->arena));
        put_lane(o, &o->stream, row);
    }
    return true;
}

static bool list_group(struct mi_overlap *o, uint32_t group, struct mi_report_table *table)
{
    const struct mi_account_group *g = &o->account->groups[group];
    const struct mi_tables *rows = &o->model->all.rows;
    struct mi_cell *row = mi_report_add_row(o->out, table);
    if (!row)
        return false;
    row[0] = mi_cell_int(0);
    row[1] = mi_cell_text(name_group(o, group));
    if (g->device >= 0)
        row[2] = mi_cell_int(g->device);
    if (g->rank >= 0)
        row[3] = mi_cell_int(g->rank);
    if (g->source.v && o->account->group_count > 1)
        row[LANE_INPUT] = mi_cell_text(mi_model_text(o->model, rows->sources.path[g->source.v]));
    put_lane(o, &o->device, row);
    return list_streams(o, group, table);
}

static void list_pairs(const struct mi_overlap *o, uint32_t group, struct mi_report_table *table)
{
    static const char *const words[] = {N_("compute"), N_("transfer"), N_("communication")};
    static const uint8_t pairs[][2] = {{MI_LANE_TRANSFER, MI_LANE_COMPUTE},
                                       {MI_LANE_COMMUNICATION, MI_LANE_COMPUTE},
                                       {MI_LANE_TRANSFER, MI_LANE_COMMUNICATION}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct mi_spans *first = &o->device.kinds[pairs[i][0]];
        const struct mi_spans *second = &o->device.kinds[pairs[i][1]];
        int64_t shared_ns = mi_spans_shared(first, second);
        struct mi_cell *row =
            first->count && second->count ? mi_report_add_row(o->out, table) : NULL;
        if (!row)
            continue;
        row[0] = mi_cell_text(name_group(o, group));
        row[1] = mi_cell_word(words[pairs[i][0]]);
        row[2] = mi_cell_word(words[pairs[i][1]]);
        row[3] = mi_cell_int(shared_ns);
        row[4] = mi_cell_share(shared_ns, mi_spans_measure(first));
        row[5] = mi_cell_share(shared_ns, mi_spans_measure(second));
    }
}

/* What all devices together moved and said to each other, and how much of it was hidden. */
static void sum_hidden(struct mi_overlap *o)
{
    for (int k = MI_LANE_TRANSFER; k <= MI_LANE_COMMUNICATION; k++) {
        const struct mi_spans *part = &o->device.kinds[k];
        o->all_ns[k] = mi_ns_add(o->all_ns[k], mi_spans_measure(part));
        o->hidden_ns[k] =
            mi_ns_add(o->hidden_ns[k], mi_spans_shared(part, &o->device.kinds[MI_LANE_COMPUTE]));
    }
}

static bool measure_group(struct mi_overlap *o, uint32_t group)
{
    const struct mi_tracks *tracks = &o->model->all.rows.tracks;
    const uint32_t *first = o->model->index.track_first_task;
    mi_lanes_clear(&o->device);
    for (uint32_t track = 0; track < tracks->count; track++)
        if (first[track] < first[track + 1] && o->account->group_of[track] == group)
            mi_lanes_add_track(&o->device, o->account, track);
    find_extent(o, group);
    return mi_lanes_join(&o->device) && !o->extent.failed;
}

static void add_fact(struct mi_report *out, const char *name, const char *title,
                     enum mi_cell_kind kind, struct mi_cell cell)
{
    mi_report_add_fact(out, &(struct mi_report_fact){.name = name,
                                                     .title = title,
                                                     .kind = kind,
                                                     .unit = kind == MI_CELL_INT ? "ns" : "",
                                                     .cell = cell});
}

static void add_facts(const struct mi_overlap *o)
{
    int64_t transfer_ns = o->all_ns[MI_LANE_TRANSFER];
    int64_t talk_ns = o->all_ns[MI_LANE_COMMUNICATION];
    add_fact(o->out, "transfer_ns", N_("Transfers"), MI_CELL_INT, mi_cell_int(transfer_ns));
    if (transfer_ns)
        add_fact(o->out, "transfer_hidden_share", N_("Of it hidden behind compute"), MI_CELL_SHARE,
                 mi_cell_share(o->hidden_ns[MI_LANE_TRANSFER], transfer_ns));
    add_fact(o->out, "communication_ns", N_("Communication"), MI_CELL_INT, mi_cell_int(talk_ns));
    if (talk_ns)
        add_fact(o->out, "communication_hidden_share", N_("Of it hidden behind compute"),
                 MI_CELL_SHARE, mi_cell_share(o->hidden_ns[MI_LANE_COMMUNICATION], talk_ns));
}

static bool measure(struct mi_overlap *o)
{
    uint32_t at = o->out->table_count; /* tables move while others are added */
    bool ok = mi_report_add_table(o->out, "overlap", N_("Compute, transfer, communication"),
                                  lane_columns, LANE_COLUMNS) &&
              mi_report_add_table(o->out, "pairs", N_("What went on at once"), pair_columns,
                                  sizeof pair_columns / sizeof *pair_columns);
    if (ok)
        mi_report_mark_details(
            &o->out->tables[at],
            "extent_ns transfer_hidden_ns communication_hidden_ns wait_ns input");
    for (uint32_t group = 0; ok && group < o->account->group_count; group++) {
        ok = measure_group(o, group) && list_group(o, group, &o->out->tables[at]);
        if (!ok)
            break;
        list_pairs(o, group, &o->out->tables[at + 1]);
        sum_hidden(o);
        ok = mi_overlap_collect_exposed(o, group);
    }
    return ok && mi_overlap_list_exposed(o);
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_account account;
    if (!mi_account_init(&account, model, err))
        return false;
    struct mi_overlap o = {.model = model,
                           .account = &account,
                           .out = out,
                           .top = (uint32_t)mi_args_int(args, "top", 0)};
    bool ok = measure(&o);
    if (ok)
        add_facts(&o);
    mi_lanes_fini(&o.device);
    mi_lanes_fini(&o.stream);
    mi_spans_fini(&o.extent);
    mi_overlap_free_exposed(&o);
    mi_account_fini(&account);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

const struct mi_param mi_params_overlap[] = {
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N exposed transfers, the longest first; 0 = all (default: 10; all with "
                "--json).")},
    MI_PARAM_END};

const struct mi_pass mi_pass_overlap = {
    .name = "overlap",
    .title = N_("How much of transfers and communication is hidden behind compute"),
    .needs = MI_HAS_TASKS,
    .params = mi_params_overlap,
    .run = run,
};
