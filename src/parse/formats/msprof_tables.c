/* Tables of msprof and of the Ascend profilers of PyTorch and MindSpore beside those of tasks, CSV.
 *
 *   op_statistic, api_statistic, communication_statistic   sums        -> statistics
 *   step_trace_time                                        a step      -> a statistic per part
 *   step_trace                                             iterations  -> windows
 *   fusion_op                            node and its original ops     -> fusion_notes
 *   l2_cache, aicpu, soc_pmu             about single tasks            -> notes
 *   operator_details, operator_memory    about calls of ops            -> notes
 *   static_op_mem                        about nodes                   -> notes
 *   memory_record, npu_module_mem, npu_mem                 over time   -> counters, samples
 *   msprof_tx                            marked spans                  -> slices
 *   old task_time                        sums per task                 -> statistics
 *   anything else that names a device    kept as notes or counters, with a notice
 *
 * Which one it is follows from the header row alone (msprof/msprof_sheet.c); columns are found by
 * name, come in any order and with or without Device_id. Times are microseconds, those since 1970
 * with a tab behind them; sizes are KB from msprof and MB from PyTorch, by the unit in the header.
 * Device is a number, "host" or "NPU:1". N/A or nothing is "not collected".
 *
 * Traps: cells with line ends (call stacks); exporters from 8.2 on do not quote, so a name with a
 * comma makes the row longer; moments that a spreadsheet turned into 1.69E+15 have lost their
 * digits and are refused; at most 8 original ops are recorded of a fused node.
 *
 * Every cell of a row stays reachable as a value of its record. */
#include "base/decimal.h"
#include "base/translate.h"
#include "parse/formats/msprof/msprof_columns.h"
#include "parse/formats/msprof/msprof_rows.h"
#include "parse/formats/msprof/msprof_sheet_rows.h"

enum { HEADER_BYTES = 1 << 16, PROGRESS_BYTES = 8 << 20 };

static struct mi_bytes header_of(struct mi_bytes bytes)
{
    return mi_bytes_sub(bytes, 0, HEADER_BYTES);
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_sheet sheet;
    if (!mi_sheet_find(&sheet, header_of(probe->bytes)))
        return 0;
    return sheet.kind->is_generic ? 80 : 90;
}

static bool may_go_on(struct mi_sheet_reading *r, size_t *reported, struct mi_error *err)
{
    uint32_t max = r->src->limits.max_rows ? r->src->limits.max_rows : UINT32_MAX - 2;
    if (r->out->counts.in > max)
        return mi_batch_fail(r->out, MI_ELIMIT, "the table holds more than %u rows", max);
    if (r->row->offset - *reported < PROGRESS_BYTES)
        return true;
    *reported = r->row->offset;
    if (r->src->progress && !r->src->progress(r->src->user, r->row->offset))
        return mi_fail(err, MI_ECANCELLED, "stopped");
    return true;
}

static bool read_rows(struct mi_sheet_reading *r, struct mi_msprof_rows *rows, struct mi_error *err)
{
    struct mi_csv_row row;
    size_t reported = 0;
    r->row = &row;
    for (;;) {
        enum mi_msprof_rows_result result = mi_msprof_rows_next(rows, &row, err);
        if (result == MI_ROWS_END || result == MI_ROWS_FAIL)
            return result == MI_ROWS_END;
        if (result == MI_ROWS_ROW)
            mi_sheet_add_row(r);
        if (mi_batch_failed(r->out) || !may_go_on(r, &reported, err))
            return false;
    }
}

static void finish(const struct mi_sheet_reading *r)
{
    if (r->out->counts.in == 0)
        mi_batch_diag(r->out, MI_NOTICE, "msprof.no_rows", MI_NO_OFFSET, 0,
                      "the table has a header and no rows");
    if (r->sheet.kind->is_generic)
        mi_batch_diag(r->out, MI_INFO, "msprof.table_kept", MI_NO_OFFSET, 0,
                      "no analysis uses this table (%s); its values are kept", r->sheet.kind->file);
}

static bool read_table(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_sheet_reading r = {.src = src, .out = out};
    struct mi_msprof_rows rows;
    if (!mi_sheet_find(&r.sheet, header_of(src->bytes)))
        return r.sheet.is_out_of_memory
                   ? mi_fail(err, MI_ENOMEM, "out of memory")
                   : mi_fail_at(err, MI_EFORMAT, 0, 1, "no table with these columns is known");
    struct mi_csv_options options = {.delimiter = r.sheet.delimiter};
    mi_csv_init(&r.header_csv, header_of(src->bytes), &options);
    mi_msprof_rows_init(&rows, src->bytes, r.sheet.delimiter, r.sheet.count, out);
    bool ok = (mi_csv_next(&r.header_csv, &r.header) && mi_sheet_start(&r)) ||
              mi_fail(err, MI_ENOMEM, "out of memory for the fields of the header");
    ok = ok && read_rows(&r, &rows, err);
    if (ok)
        finish(&r);
    mi_msprof_rows_fini(&rows);
    mi_csv_fini(&r.header_csv);
    mi_sheet_end(&r);
    return ok && !mi_batch_failed(out);
}

static void list_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct mi_sheet sheet;
    struct mi_csv header_csv, record_csv;
    struct mi_csv_row header, cells;
    double ignored;
    if (!mi_sheet_find(&sheet, header_of(record->file)))
        return;
    struct mi_csv_options options = {.delimiter = sheet.delimiter};
    mi_csv_init(&header_csv, header_of(record->file), &options);
    mi_csv_init(&record_csv, record->bytes, &options);
    if (mi_csv_next(&header_csv, &header) && mi_csv_next(&record_csv, &cells) &&
        cells.count >= sheet.count)
        for (uint32_t i = 0; i < sheet.count; i++) {
            struct mi_bytes text = mi_sheet_cell(&sheet, &cells, i);
            if (!mi_msprof_is_absent(text))
                fn(user, mi_msprof_trim(header.fields[i].raw), text,
                   mi_decimal_double(text, &ignored) == 0);
        }
    mi_csv_fini(&header_csv);
    mi_csv_fini(&record_csv);
}

const struct mi_reader mi_reader_msprof_tables = {
    .name = "msprof_tables",
    .title = N_("Ascend profiler table (op_statistic, step_trace, l2_cache, memory, ...)"),
    .sniff = sniff,
    .read = read_table,
    .metrics = list_metrics,
};
