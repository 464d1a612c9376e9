/* Task tables of msprof and of the Ascend profilers of PyTorch and MindSpore, as CSV.
 *
 *   op_summary_*.csv     a row per execution of a compute or communication operator
 *   kernel_details.csv   the same rows under other headers
 *   task_time_*.csv      a row per task of every stream, also events, copies, labels
 *
 * Which one it is follows from the header row alone; columns are found by their headers and come in
 * any order. Times are microseconds since 1970 with three decimals, behind them a tab that keeps
 * spreadsheets from rounding them; N/A is "not collected". Exporters up to 8.1 quote as RFC 4180
 * says and end lines with CRLF or LF, later ones write strings as they are. Versions seen: 2023
 * (7.x) to 8.2, and tables that a spreadsheet has saved again.
 *
 * Traps: a name with a comma that is not quoted makes the row longer; task ids wrap at 65536; rows
 * of collectives have no stream and no task id; a start in scientific notation has lost its digits
 * and is refused; tables of older PyTorch profilers name no device, those of level 0 no stream.
 *
 * Becomes: a task per row on the track of its stream, each with a clock of its own, a kernel per
 * distinct launch. Everything else of a row stays in the file and is read when asked for. That
 * op_summary and task_time tell of the same tasks is settled when correlating. */
#include "base/decimal.h"
#include "base/translate.h"
#include "parse/formats/msprof/msprof_columns.h"
#include "parse/formats/msprof/msprof_kernel.h"
#include "parse/formats/msprof/msprof_rows.h"
#include "parse/reader.h"

enum {
    HEADER_BYTES = 1 << 16,
    DEFAULT_NAME_BYTES = 16 << 20,
    PROGRESS_BYTES = 8 << 20,
};

/* Times beyond this are nonsense (the year 2262 and a negative century) and overflow in sums. */
#define MAX_NS INT64_C(9000000000000000000)

/* Tracks that were looked for last: rows of several streams take turns. */
enum { KNOWN_TRACKS = 16 };

struct known_track {
    int64_t device, stream;
    mi_track_id track;
};

struct table {
    const struct mi_source *src;
    struct mi_batch *batch;
    struct mi_msprof_columns columns;
    struct mi_msprof_kernels kernels;
    struct mi_map tracks;                   /* (device, stream) -> track */
    struct known_track known[KNOWN_TRACKS]; /* by the stream's last digits */
    const struct mi_csv_row *row;
    struct mi_task_row task; /* of this row; what tables do not tell was set once */
};

/* --- recognising --- */

static struct mi_bytes header_of(struct mi_bytes bytes)
{
    return mi_bytes_sub(bytes, 0, HEADER_BYTES);
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_msprof_columns columns;
    return mi_msprof_columns_find(&columns, header_of(probe->bytes)) ? 95 : 0;
}

/* --- tracks --- */

static mi_clock_id add_clock(struct table *t, mi_str_id name, int64_t start_raw)
{
    return mi_add_clock(t->batch,
                        &(struct mi_clock_row){.name = name,
                                               .ref_raw = start_raw,
                                               .ref_ns = start_raw,
                                               .ns_per_tick = 1,
                                               .residual_ns = -1,
                                               .note = mi_batch_cstr(t->batch, N_("as exported"))});
}

static mi_str_id track_name(struct table *t, int64_t device, int64_t stream)
{
    if (stream >= 0 && device > 0)
        return mi_batch_printf(t->batch, "device %lld stream %lld", (long long)device,
                               (long long)stream);
    if (stream >= 0)
        return mi_batch_printf(t->batch, "stream %lld", (long long)stream);
    const char *what = t->columns.place[MI_MSPROF_STREAM] >= 0 ? "communication" : "all streams";
    return mi_batch_printf(t->batch, "device %lld %s", (long long)(device < 0 ? 0 : device), what);
}

/* Rows without a stream share a track per device; -1: the table does not name it. */
static mi_track_id track_of(struct table *t, int64_t device, int64_t stream, int64_t start_raw)
{
    struct known_track *known = &t->known[(uint64_t)stream % KNOWN_TRACKS];
    if (known->track.v && device == known->device && stream == known->stream)
        return known->track;
    uint32_t *row = mi_map_at(&t->tracks, mi_pair((uint32_t)device, (uint32_t)stream));
    if (!row) {
        mi_batch_fail(t->batch, MI_ENOMEM, "out of memory for streams");
        return (mi_track_id){0};
    }
    if (!*row) {
        mi_str_id name = track_name(t, device, stream);
        *row = mi_add_track(t->batch, &(struct mi_track_row){.kind = stream >= 0 ? MI_TRACK_STREAM
                                                                                 : MI_TRACK_ENGINE,
                                                             .name = name,
                                                             .clock = add_clock(t, name, start_raw),
                                                             .rank = -1,
                                                             .device = device,
                                                             .process = -1,
                                                             .native_id = stream})
                   .v;
    }
    *known = (struct known_track){device, stream, {*row}};
    return known->track;
}

/* --- rows --- */

static void note(struct table *t, enum mi_severity severity, const char *code, const char *text)
{
    mi_batch_diag(t->batch, severity, code, t->row->offset, t->row->line, "%s", text);
}

static bool lose(struct table *t, const char *code, const char *text)
{
    t->batch->counts.lost++;
    note(t, MI_LOSS, code, text);
    return false;
}

/* What ids mostly are: a few digits. */
static bool short_number(struct mi_bytes text, int64_t *id)
{
    uint32_t value = 0;
    if (!text.len || text.len > 9)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        uint32_t digit = (uint32_t)text.at[i] - '0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *id = value;
    return true;
}

/* An id, or `otherwise` where the field says N/A or the table has no such column. */
static bool read_id(struct table *t, const struct mi_msprof_row *row, enum mi_msprof_role role,
                    int64_t otherwise, int64_t *id)
{
    struct mi_bytes text = mi_msprof_field(row, role);
    if (short_number(text, id))
        return true;
    *id = otherwise;
    if (mi_msprof_is_absent(text))
        return true;
    if (mi_decimal_i64(text, id) != 0 || *id < 0 || *id >= UINT32_MAX)
        return lose(t, "msprof.row_broken", "a device, stream or task id that is no number");
    return true;
}

/* Digits that a spreadsheet has rounded away cannot be had back. */
static bool is_scientific(struct mi_bytes text)
{
    if (!text.len)
        return false;
    const uint8_t *at = text.at, *end = at + text.len;
    while (end - at >= 8 && mi_decimal_is_eight(mi_load_u64le(at)))
        at += 8;
    for (; at < end; at++)
        if ((*at | 0x20) == 'e')
            return true;
    return false;
}

static bool read_times(struct table *t, const struct mi_msprof_row *row, struct mi_task_row *task)
{
    struct mi_bytes start = mi_msprof_field(row, MI_MSPROF_START);
    struct mi_bytes dur = mi_msprof_field(row, MI_MSPROF_DUR);
    unsigned start_flags = mi_decimal_scaled(start, 3, &task->start_raw);
    unsigned dur_flags = mi_decimal_scaled(dur, 3, &task->dur_ns);
    if (is_scientific(start))
        return lose(t, "msprof.digits_lost",
                    "a start in scientific notation: its digits are lost; export the table anew");
    if ((start_flags | dur_flags) & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW))
        return lose(t, "msprof.row_broken", "a start or duration that is no number");
    if (task->start_raw > MAX_NS || task->start_raw < -MAX_NS || task->dur_ns > MAX_NS)
        return lose(t, "msprof.row_broken", "a start or duration beyond all time");
    if ((start_flags | dur_flags) & MI_DECIMAL_LOSS)
        note(t, MI_NOTICE, "msprof.time_rounded", "a time with parts of a nanosecond was rounded");
    if (task->dur_ns < 0) {
        note(t, MI_NOTICE, "msprof.duration_negative", "a negative duration was taken as 0");
        task->dur_ns = 0;
    }
    return true;
}

static void check_stop(struct table *t, const struct mi_msprof_row *row,
                       const struct mi_task_row *task)
{
    struct mi_bytes text = mi_msprof_field(row, MI_MSPROF_STOP);
    int64_t stop;
    if (mi_msprof_is_absent(text) || mi_decimal_scaled(text, 3, &stop) & ~(unsigned)MI_DECIMAL_LOSS)
        return;
    if (stop - task->start_raw - task->dur_ns > 1 || stop - task->start_raw - task->dur_ns < -1)
        note(t, MI_NOTICE, "msprof.stop_differs", "a stop that is not start and duration added");
}

/* Tables that were joined by hand repeat their header. */
static bool is_header(const struct mi_msprof_row *row)
{
    struct mi_bytes start = mi_msprof_field(row, MI_MSPROF_START);
    return start.len && *start.at > '9' && mi_msprof_role_of(start) == MI_MSPROF_START;
}

static void add_row(struct table *t)
{
    struct mi_msprof_row row = {
        .columns = &t->columns, .row = t->row, .surplus = t->row->count - t->columns.count};
    struct mi_task_row *task = &t->task;
    int64_t device, stream;
    t->batch->counts.in++;
    if (is_header(&row)) {
        t->batch->counts.skipped++;
        note(t, MI_NOTICE, "msprof.header_again", "a header row among the rows was left out");
        return;
    }
    if (!read_times(t, &row, task) || !read_id(t, &row, MI_MSPROF_DEVICE, -1, &device) ||
        !read_id(t, &row, MI_MSPROF_STREAM, -1, &stream) ||
        !read_id(t, &row, MI_MSPROF_TASK, -1, &task->native_id))
        return;
    check_stop(t, &row, task);
    size_t size = t->row->end - t->row->offset;
    task->record_offset = (int64_t)t->row->offset;
    task->record_bytes = size <= UINT32_MAX ? (uint32_t)size : 0;
    task->kernel = mi_msprof_kernel_of(&t->kernels, &row, (uint32_t)stream);
    task->track = track_of(t, device, stream, task->start_raw);
    mi_add_task(t->batch, task);
    t->batch->counts.kept++;
}

/* --- the file --- */

static bool may_go_on(struct table *t, size_t *reported, uint32_t max_rows, struct mi_error *err)
{
    if (t->batch->rows.tasks.count > max_rows)
        return mi_batch_fail(t->batch, MI_ELIMIT, "the table holds more than %u rows", max_rows);
    if (t->row->offset - *reported < PROGRESS_BYTES)
        return true;
    *reported = t->row->offset;
    if (t->src->progress && !t->src->progress(t->src->user, t->row->offset))
        return mi_fail(err, MI_ECANCELLED, "stopped");
    return true;
}

static bool read_rows(struct table *t, struct mi_msprof_rows *rows, struct mi_error *err)
{
    struct mi_csv_row row;
    size_t reported = 0;
    uint32_t max_rows = t->src->limits.max_rows ? t->src->limits.max_rows : UINT32_MAX - 2;
    t->row = &row;
    for (;;) {
        enum mi_msprof_rows_result result = mi_msprof_rows_next(rows, &row, err);
        if (result == MI_ROWS_END || result == MI_ROWS_FAIL)
            return result == MI_ROWS_END;
        if (result == MI_ROWS_ROW)
            add_row(t);
        if (mi_batch_failed(t->batch) || !may_go_on(t, &reported, max_rows, err))
            return false;
    }
}

/* A clock's reference is the first moment that it tells of, wherever that row stands. */
static void find_references(struct table *t)
{
    struct mi_tables *rows = &t->batch->rows;
    for (uint32_t row = 1; row < rows->tasks.count; row++) {
        uint32_t clock = rows->tracks.clock[rows->tasks.track[row].v].v;
        if (rows->tasks.start_raw[row] < rows->clocks.ref_raw[clock]) {
            rows->clocks.ref_raw[clock] = rows->tasks.start_raw[row];
            rows->clocks.ref_ns[clock] = rows->tasks.start_raw[row];
        }
    }
}

static void finish(struct table *t)
{
    if (!mi_batch_failed(t->batch))
        find_references(t);
    if (t->batch->counts.in == 0)
        mi_batch_diag(t->batch, MI_NOTICE, "msprof.no_rows", MI_NO_OFFSET, 0,
                      "the table has a header and no rows");
    if (t->columns.place[MI_MSPROF_DEVICE] < 0)
        mi_batch_diag(t->batch, MI_INFO, "msprof.no_device", MI_NO_OFFSET, 0,
                      "the table names no device; that of the other files counts, else device 0");
    if (t->columns.place[MI_MSPROF_STREAM] < 0)
        mi_batch_diag(t->batch, MI_NOTICE, "msprof.no_stream", MI_NO_OFFSET, 0,
                      "the table names no streams: it was collected at level 0");
}

static bool read_table(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct table t = {.src = src, .batch = out, .task = {.connection = MI_NO_CONNECTION}};
    struct mi_msprof_rows rows;
    if (!mi_msprof_columns_find(&t.columns, header_of(src->bytes)))
        return t.columns.is_out_of_memory
                   ? mi_fail(err, MI_ENOMEM, "out of memory")
                   : mi_fail_at(
                         err, MI_EFORMAT, 0, 1,
                         "this is no table of tasks: a column for name, type, start or duration "
                         "is missing");
    mi_msprof_kernels_init(&t.kernels, out, &t.columns,
                           src->limits.max_string_bytes ? src->limits.max_string_bytes
                                                        : DEFAULT_NAME_BYTES);
    mi_msprof_rows_init(&rows, src->bytes, t.columns.delimiter, t.columns.count, out);
    bool ok = read_rows(&t, &rows, err);
    finish(&t);
    mi_msprof_rows_fini(&rows);
    mi_msprof_kernels_fini(&t.kernels);
    mi_map_fini(&t.tracks);
    return ok && !mi_batch_failed(out);
}

/* --- counters --- */

static void give_cell(struct mi_bytes name, struct mi_bytes text, mi_metric_fn *fn, void *user)
{
    double ignored;
    enum mi_msprof_role role = mi_msprof_role_of(name);
    if (mi_msprof_is_absent(text) ||
        (role != MI_MSPROF_ROLES && role != MI_MSPROF_TYPE && role != MI_MSPROF_MODEL))
        return;
    fn(user, name, text, mi_decimal_double(text, &ignored) == 0);
}

static void list_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct mi_msprof_columns columns;
    struct mi_csv header_csv, record_csv;
    struct mi_csv_row header, cells;
    if (!mi_msprof_columns_find(&columns, header_of(record->file)))
        return;
    struct mi_csv_options options = {.delimiter = columns.delimiter};
    mi_csv_init(&header_csv, header_of(record->file), &options);
    mi_csv_init(&record_csv, record->bytes, &options);
    if (mi_csv_next(&header_csv, &header) && mi_csv_next(&record_csv, &cells) &&
        cells.count >= columns.count) {
        struct mi_msprof_row row = {
            .columns = &columns, .row = &cells, .surplus = cells.count - columns.count};
        for (uint32_t i = 0; i < columns.count; i++)
            give_cell(mi_msprof_trim(header.fields[i].raw), mi_msprof_cell(&row, i), fn, user);
    }
    mi_csv_fini(&header_csv);
    mi_csv_fini(&record_csv);
}

const struct mi_reader mi_reader_msprof_csv = {
    .name = "msprof_csv",
    .title = N_("Ascend task table (op_summary, task_time, kernel_details)"),
    .yields = MI_HAS_TASKS,
    .sniff = sniff,
    .read = read_table,
    .metrics = list_metrics,
};
