/* Tables of the Ascend profilers beside those of tasks: what each becomes, traps, and the facts of
 * real tables. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define BASE INT64_C(1700000000000000000)

static bool open_data(struct reading *reading, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/msprof_tables/%s", MI_SOURCE_DIR, name);
    bool ok = reading_file(reading, mi_reader_find("msprof_tables"), path);
    return ok && reading->ok;
}

static void assert_text(const struct reading *r, mi_str_id id, const char *expected)
{
    struct mi_bytes text = mi_batch_text(&r->batch, id);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static void assert_ledger(const struct reading *r, int64_t in, int64_t kept, int64_t lost)
{
    assert_int_equal(r->batch.counts.in, in);
    assert_int_equal(r->batch.counts.kept, kept);
    assert_int_equal(r->batch.counts.skipped, in - kept - lost);
    assert_int_equal(r->batch.counts.lost, lost);
}

/* --- sums --- */

static void sums_become_statistics(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "op_statistic.csv"));
    const struct mi_statistics *s = &r.batch.rows.statistics;
    assert_ledger(&r, 2, 2, 0);
    assert_text(&r, s->kind[1], "op");
    assert_text(&r, s->name[1], "Conv2D");
    assert_text(&r, s->detail[1], "AI_CORE");
    assert_int_equal(s->device[2], 1);
    assert_int_equal(s->times[1], 4);
    assert_int_equal(s->total_ns[1], 82000);
    assert_int_equal(s->min_ns[1], 20500);
    assert_int_equal(s->min_ns[2], -1);
    assert_int_equal(s->max_ns[2], 12125);
    reading_fini(&r);
    assert_true(open_data(&r, "api_statistic.csv"));
    s = &r.batch.rows.statistics;
    assert_text(&r, s->kind[2], "api");
    assert_text(&r, s->name[2], "Launch_Ffts");
    assert_text(&r, s->detail[2], "hccl");
    assert_int_equal(s->total_ns[1], 10250);
    assert_int_equal(s->device[1], -1);
    reading_fini(&r);
    assert_true(open_data(&r, "communication_statistic.csv"));
    assert_text(&r, r.batch.rows.statistics.kind[1], "communication");
    reading_fini(&r);
    assert_true(open_data(&r, "task_time_old.csv"));
    assert_text(&r, r.batch.rows.statistics.name[1], "conv1");
    assert_int_equal(r.batch.rows.statistics.total_ns[1], 12500);
    reading_fini(&r);
}

static void a_step_has_a_row_per_part(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "step_trace_time.csv"));
    const struct mi_statistics *s = &r.batch.rows.statistics;
    assert_ledger(&r, 1, 1, 0);
    assert_int_equal(s->count - 1, 9);
    assert_text(&r, s->kind[1], "step");
    assert_text(&r, s->name[1], "Computing");
    assert_text(&r, s->detail[1], "50");
    assert_int_equal(s->total_ns[1], 8827473); /* 8827.472999999998 us */
    assert_text(&r, s->name[2], "Communication(Not Overlapped)");
    assert_int_equal(s->total_ns[9], 19358000);
    reading_fini(&r);
    assert_true(open_data(&r, "cluster_step_trace_time.csv"));
    assert_text(&r, r.batch.rows.statistics.detail[1], "2, rank 0");
    assert_text(&r, r.batch.rows.statistics.detail[9], "2, stage (0, 1)");
    reading_fini(&r);
}

static void spreadsheets_are_read_where_exact(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "spreadsheet.csv"));
    assert_ledger(&r, 2, 1, 1);
    assert_int_equal(r.batch.rows.statistics.total_ns[1], 82125);
    reading_fini(&r);
}

static void every_row_is_counted(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(
        &r, mi_reader_find("msprof_tables"),
        MI_LIT("OP Type,Core Type,Count,Total Time(us)\n"
               "a,AI_CORE,1e300,1\nb,AI_CORE,4.0,1\nc,AI_CORE,1,1e300\n\"d\"x,AI_CORE,1,1\n"),
        NULL, NULL);
    assert_ledger(&r, 4, 1, 3);
    assert_int_equal(r.batch.rows.statistics.times[1], 4);
    reading_fini(&r);
}

/* --- times --- */

static void iterations_become_windows(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "step_trace.csv"));
    const struct mi_windows *w = &r.batch.rows.windows;
    assert_ledger(&r, 3, 2, 1);
    assert_text(&r, w->kind[1], "iteration");
    assert_int_equal(w->number[2], 2);
    assert_int_equal(w->model[1], 3);
    assert_int_equal(w->device[1], 0);
    assert_int_equal(w->start_raw[1], BASE);
    assert_int_equal(w->dur_ns[1], 150125);
    assert_int_equal(w->start_raw[2], BASE + 151125);
    assert_int_equal(w->clock[1].v, 1);
    assert_int_equal(r.batch.rows.clocks.ref_ns[1], BASE);
    reading_fini(&r);
}

static void marks_become_slices(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_tx.csv"));
    const struct mi_slices *s = &r.batch.rows.slices;
    assert_int_equal(s->count - 1, 2);
    assert_int_equal(s->start_raw[1], BASE + 1000);
    assert_int_equal(s->dur_ns[1], 1500);
    assert_int_equal(s->dur_ns[2], 0);
    assert_text(&r, s->category[1], "annotation");
    assert_text(&r, s->name[2], "a \"b\", c");
    assert_int_equal(r.batch.rows.tracks.native_id[s->track[2].v], 102);
    assert_int_equal(r.batch.rows.tracks.process[s->track[2].v], 100);
    reading_fini(&r);
}

static void memory_becomes_series_in_bytes(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "memory_record.csv"));
    const struct mi_counters *c = &r.batch.rows.counters;
    const struct mi_samples *s = &r.batch.rows.samples;
    assert_ledger(&r, 3, 2, 1);
    assert_int_equal(reading_diag(&r, "msprof.digits_lost"), 1);
    assert_int_equal(c->count - 1, 4);
    assert_int_equal(s->count - 1, 4);
    assert_text(&r, c->name[1], "PTA Total Allocated");
    assert_text(&r, c->unit[1], "B");
    assert_int_equal(c->device[1], 1);
    assert_true(s->value[1] == 1572864.0);
    assert_text(&r, c->name[4], "APP Total Reserved");
    assert_int_equal(s->at_raw[4], BASE + 4000);
    assert_int_equal(r.batch.rows.clocks.ref_ns[1], BASE + 4000);
    reading_fini(&r);
    assert_true(open_data(&r, "npu_mem.csv"));
    assert_text(&r, r.batch.rows.counters.name[2], "app hbm");
    assert_true(r.batch.rows.samples.value[2] == 2097664.0);
    reading_fini(&r);
    assert_true(open_data(&r, "nic.csv"));
    assert_int_equal(reading_diag(&r, "msprof.table_kept"), 1);
    assert_text(&r, r.batch.rows.counters.name[1], "Bandwidth");
    assert_text(&r, r.batch.rows.counters.unit[1], "MB/s");
    assert_int_equal(r.batch.rows.samples.count - 1, 5);
    reading_fini(&r);
}

/* --- notes --- */

struct seen {
    struct mi_bytes name, text;
    bool is_number;
    uint32_t count;
};

static void see(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct seen *seen = user;
    seen->count++;
    if (mi_bytes_equal(name, seen->name)) {
        seen->text = text;
        seen->is_number = is_number;
    }
}

static struct seen value_of(const struct reading *r, uint32_t note, const char *name)
{
    struct seen seen = {.name = mi_cstr(name)};
    const struct mi_notes *n = &r->batch.rows.notes;
    struct mi_record record = {.file = r->input.bytes,
                               .bytes = mi_bytes_sub(r->input.bytes, (size_t)n->record_offset[note],
                                                     n->record_bytes[note]),
                               .key = n->record_offset[note]};
    mi_reader_find("msprof_tables")->metrics(&record, see, &seen);
    return seen;
}

static void rows_about_tasks_become_notes(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "l2_cache.csv"));
    const struct mi_notes *n = &r.batch.rows.notes;
    assert_ledger(&r, 3, 2, 1);
    assert_text(&r, n->kind[1], "l2_cache");
    assert_int_equal(n->device[1], -1);
    assert_int_equal(n->stream[1], 35);
    assert_int_equal(n->native_id[2], 2);
    assert_int_equal(n->start_raw[1], -1);
    assert_text(&r, n->name[2], "a,b");
    assert_int_equal(value_of(&r, 1, "Hit Rate").text.len, 0);
    struct seen rate = value_of(&r, 2, "Victim Rate");
    assert_true(rate.is_number && mi_bytes_equal(rate.text, MI_LIT("0.25")));
    assert_int_equal(rate.count, 5);
    reading_fini(&r);
    assert_true(open_data(&r, "aicpu.csv"));
    assert_int_equal(r.batch.rows.notes.start_raw[1], BASE + 10500);
    assert_int_equal(r.batch.rows.notes.native_id[1], 7);
    assert_text(&r, r.batch.rows.notes.name[1], "Unique");
    reading_fini(&r);
    assert_true(open_data(&r, "static_op_mem.csv"));
    assert_true(mi_bytes_equal(value_of(&r, 1, "Node Index End").text, MI_LIT("4294967295")));
    reading_fini(&r);
}

static void cells_with_line_ends_are_one_row(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "operator_details.csv"));
    assert_ledger(&r, 2, 2, 0);
    assert_text(&r, r.batch.rows.notes.kind[1], "operator_details");
    assert_text(&r, r.batch.rows.notes.name[2], "aten::mul");
    struct mi_bytes stack = value_of(&r, 2, "Call Stack").text;
    assert_true(mi_bytes_starts(stack, MI_LIT("model/net/a.py(12): forward;\r\nmodel")));
    reading_fini(&r);
    assert_true(open_data(&r, "operator_memory.csv"));
    assert_int_equal(r.batch.rows.notes.start_raw[2], BASE + 6000);
    assert_int_equal(r.batch.rows.notes.device[1], 1);
    assert_true(mi_bytes_equal(value_of(&r, 2, "Size(KB)").text, MI_LIT("-192")));
    reading_fini(&r);
}

static void fused_nodes_name_their_ops(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "fusion_op.csv"));
    const struct mi_fusion_notes *f = &r.batch.rows.fusion_notes;
    assert_ledger(&r, 3, 2, 1);
    assert_int_equal(f->count - 1, 10);
    assert_int_equal(f->model[1], 3);
    assert_text(&r, f->node_name[1], "conv1relu1");
    assert_text(&r, f->original[2], "relu1");
    assert_text(&r, f->original[10], "h");
    assert_int_equal(reading_diag(&r, "msprof.originals_cut"), 1);
    assert_text(&r, r.batch.rows.notes.kind[1], "fusion_op");
    reading_fini(&r);
}

/* --- facts of real tables --- */

static bool open_shared(struct reading *r, const char *below)
{
    char path[512];
    snprintf(path, sizeof path, "samples/cann-profiling/%s", below);
    return reading_file(r, mi_reader_find("msprof_tables"), shared_path(path));
}

#define LEVEL_2 "pytorch_alexnet_2rank/text/level2/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/"

static void facts_of_real_tables(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int64_t rows, lost;
    } tables[] = {
        {LEVEL_2 "api_statistic.csv", 75, 0},
        {LEVEL_2 "op_statistic.csv", 33, 0},
        {LEVEL_2 "l2_cache.csv", 179, 0},
        {LEVEL_2 "memory_record.csv", 1003, 0},
        {LEVEL_2 "npu_module_mem.csv", 1001, 0},
        {LEVEL_2 "operator_memory.csv", 184, 0},
        {LEVEL_2 "operator_details.csv", 859, 0},
        {LEVEL_2 "step_trace_time.csv", 1, 0},
        {"pytorch_l0cmetrics_2023/rank1/ASCEND_PROFILER_OUTPUT/memory_record.csv", 30, 30},
        {"pytorch_l0cmetrics_2023/rank1/ASCEND_PROFILER_OUTPUT/static_op_mem.csv", 56, 0},
        {"pytorch_l0cmetrics_2023/rank0/ASCEND_PROFILER_OUTPUT/memory_record.csv", 11, 0},
        {"cluster_analysis_output/cluster_step_trace_time.csv", 18, 0},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct reading r;
        if (!open_shared(&r, tables[i].path))
            skip();
        assert_true(r.ok);
        assert_ledger(&r, tables[i].rows, tables[i].rows - tables[i].lost, tables[i].lost);
        reading_fini(&r);
    }
}

/* 187 kernels and no collective; 7 ns less than step_trace_time calls Computing. */
static void sums_of_the_step_with_all_counters(void **state)
{
    (void)state;
    struct reading r;
    if (!open_shared(&r, LEVEL_2 "op_statistic.csv"))
        skip();
    const struct mi_statistics *s = &r.batch.rows.statistics;
    int64_t times = 0, total = 0;
    for (uint32_t i = 1; i < s->count; i++) {
        times += s->times[i];
        total += s->total_ns[i];
    }
    assert_int_equal(times, 187);
    assert_int_equal(total, 8868233);
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_become_statistics),
        cmocka_unit_test(a_step_has_a_row_per_part),
        cmocka_unit_test(spreadsheets_are_read_where_exact),
        cmocka_unit_test(every_row_is_counted),
        cmocka_unit_test(iterations_become_windows),
        cmocka_unit_test(marks_become_slices),
        cmocka_unit_test(memory_becomes_series_in_bytes),
        cmocka_unit_test(rows_about_tasks_become_notes),
        cmocka_unit_test(cells_with_line_ends_are_one_row),
        cmocka_unit_test(fused_nodes_name_their_ops),
        cmocka_unit_test(facts_of_real_tables),
        cmocka_unit_test(sums_of_the_step_with_all_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
