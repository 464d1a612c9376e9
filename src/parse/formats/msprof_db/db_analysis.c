/* analysis.db and communication_analyzer.db: sums of the profiler's own tools, with texts in place
 * and times as real numbers.
 *
 *   StepTraceTime           parts of a step, us
 *   CommAnalyzerTime        times of a collective, ms; its start, us, right to some 0.1 us only
 *   CommAnalyzerBandwidth   its packets by way and size
 *   CommAnalyzerMatrix      what went from rank to rank
 *
 * They become the rows that the same sums become when they come as CSV and JSON. */
#include "parse/formats/msprof_db/db_read.h"

/* --- StepTraceTime --- */

enum { STEP, DEVICE, FIRST_PART };

static const char *const step_columns[] = {
    "step",       "deviceId",
    "computing",  "communication_not_overlapped",
    "overlapped", "communication",
    "free",       "stage",
    "bubble",     "communication_not_overlapped_and_exclude_receive",
    "preparing",  NULL};

/* What the CSV calls them. */
static const char *const part_names[] = {
    "Computing",  "Communication(Not Overlapped)",
    "Overlapped", "Communication",
    "Free",       "Stage",
    "Bubble",     "Communication(Not Overlapped and Exclude Receive)",
    "Preparing"};

static void add_step(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_batch *batch = r->db.batch;
    struct mi_statistic_row part = {.kind = mi_batch_cstr(batch, "step"),
                                    .detail = mi_db_text(rows, STEP),
                                    .device = mi_db_int(rows, DEVICE, -1),
                                    .times = -1,
                                    .min_ns = -1,
                                    .max_ns = -1,
                                    .record_offset = -1};
    for (unsigned i = 0; i < sizeof part_names / sizeof *part_names; i++) {
        if (!mi_db_scaled(rows, FIRST_PART + i, 3, &part.total_ns))
            continue;
        part.name = mi_batch_cstr(batch, part_names[i]);
        mi_add_statistic(batch, &part);
    }
    mi_db_kept(rows);
}

/* --- collectives --- */

enum { OP, GROUP, OF_STEP, TIME, MORE, FURTHER, COUNT };

static const char *const time_columns[] = {"hccl_op_name", "group_name",      "step",
                                           "elapse_time",  "start_timestamp", NULL};
static const char *const way_columns[] = {
    "hccl_op_name",   "group_name",   "step",  "total_duration",
    "transport_type", "package_size", "count", NULL};
static const char *const link_columns[] = {"hccl_op_name", "group_name", "step", "transit_time",
                                           "src_rank",     "dst_rank",   NULL};

static int shown(struct mi_bytes text)
{
    return text.len < 512 ? (int)text.len : 512;
}

static mi_str_id detail_of(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_bytes group = mi_batch_text(r->db.batch, mi_db_text(rows, GROUP));
    struct mi_bytes step = mi_batch_text(r->db.batch, mi_db_text(rows, OF_STEP));
    if (mi_bytes_starts(step, MI_LIT("step")))
        step = mi_bytes_sub(step, 4, step.len);
    if (!step.len)
        return mi_batch_printf(r->db.batch, "group %.*s", shown(group), (const char *)group.at);
    return mi_batch_printf(r->db.batch, "step %.*s, group %.*s", shown(step), (const char *)step.at,
                           shown(group), (const char *)group.at);
}

static void add_sum(struct mi_db_reading *r, struct mi_db_rows *rows, const char *kind,
                    mi_str_id name, int64_t times, enum mi_db_table table)
{
    struct mi_batch *batch = r->db.batch;
    int64_t total_ns;
    if (!mi_db_scaled(rows, TIME, 6, &total_ns))
        total_ns = -1;
    mi_add_statistic(batch,
                     &(struct mi_statistic_row){.kind = mi_batch_cstr(batch, kind),
                                                .name = name,
                                                .detail = detail_of(r, rows),
                                                .device = -1,
                                                .times = times,
                                                .total_ns = total_ns,
                                                .min_ns = -1,
                                                .max_ns = -1,
                                                .record_offset = mi_db_key(table, rows->rowid)});
    mi_db_kept(rows);
}

static void add_collective(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_batch *batch = r->db.batch;
    mi_str_id name = mi_db_text(rows, OP);
    int64_t start_ns;
    if (!mi_db_scaled(rows, MORE, 3, &start_ns) || start_ns <= 0)
        start_ns = -1;
    bool is_total = mi_bytes_equal(mi_batch_text(batch, name), MI_LIT("Total Op Info"));
    add_sum(r, rows, is_total ? "collective_total" : "collective", name, 1, MI_DB_COMM_TIME);
    if (!is_total)
        mi_add_note(
            batch, &(struct mi_note_row){.kind = mi_batch_cstr(batch, "collective"),
                                         .name = name,
                                         .device = -1,
                                         .stream = -1,
                                         .native_id = -1,
                                         .start_raw = start_ns,
                                         .record_offset = mi_db_key(MI_DB_COMM_TIME, rows->rowid)});
}

static void add_way(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_batch *batch = r->db.batch;
    struct mi_bytes op = mi_batch_text(batch, mi_db_text(rows, OP));
    struct mi_bytes way = mi_batch_text(batch, mi_db_text(rows, MORE));
    mi_str_id name = mi_batch_printf(batch, "%.*s %.*s", shown(op), (const char *)op.at, shown(way),
                                     (const char *)way.at);
    add_sum(r, rows, "bandwidth", name, mi_db_int(rows, COUNT, -1), MI_DB_COMM_WAY);
}

static void add_link(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_batch *batch = r->db.batch;
    struct mi_bytes op = mi_batch_text(batch, mi_db_text(rows, OP));
    mi_str_id name = mi_batch_printf(batch, "%.*s %lld-%lld", shown(op), (const char *)op.at,
                                     (long long)mi_db_int(rows, MORE, -1),
                                     (long long)mi_db_int(rows, FURTHER, -1));
    add_sum(r, rows, "link", name, 1, MI_DB_COMM_LINK);
}

static const struct {
    const char *table;
    const char *const *columns;
    void (*add)(struct mi_db_reading *r, struct mi_db_rows *rows);
} tables[] = {
    {"StepTraceTime", step_columns, add_step},
    {"CommAnalyzerTime", time_columns, add_collective},
    {"CommAnalyzerBandwidth", way_columns, add_way},
    {"CommAnalyzerMatrix", link_columns, add_link},
};

bool mi_db_read_analysis(struct mi_db_reading *r)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct mi_db_rows rows;
        if (mi_db_rows_open(&rows, &r->db, tables[i].table, tables[i].columns))
            while (mi_db_rows_next(&rows))
                tables[i].add(r, &rows);
    }
    return mi_db_is_fine(&r->db);
}
