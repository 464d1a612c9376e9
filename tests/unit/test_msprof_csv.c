/* Task tables of Ascend profilers: rows, traps, counters, and the facts of real tables. */
#include "parse/formats/msprof/msprof_types.h"
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static bool open_data(struct reading *reading, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/msprof_csv/%s", MI_SOURCE_DIR, name);
    return reading_file(reading, NULL, path);
}

static struct mi_bytes text_of(const struct reading *reading, mi_str_id id)
{
    return mi_batch_text(&reading->batch, id);
}

static void assert_text(struct mi_bytes text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static void assert_ledger(const struct reading *reading, int64_t in, int64_t kept, int64_t skipped,
                          int64_t lost)
{
    const struct mi_counts *counts = &reading->batch.counts;
    assert_int_equal(counts->in, in);
    assert_int_equal(counts->kept, kept);
    assert_int_equal(counts->skipped, skipped);
    assert_int_equal(counts->lost, lost);
}

static void operators_become_tasks(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "op_summary.csv"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 6, 6, 0, 0);
    assert_int_equal(rows->kernels.count - 1, 3);
    assert_int_equal(rows->tracks.count - 1, 2);
    assert_int_equal(rows->tasks.start_raw[1], 1700000000000010125);
    assert_int_equal(rows->tasks.start_raw[5], 1700000000001040007);
    assert_int_equal(rows->tasks.dur_ns[1], 20500);
    assert_int_equal(mi_some_get(rows->tasks.native_id[2]), 2);
    assert_int_equal(mi_some_get(rows->tasks.native_id[3]), -1);
    uint32_t conv = rows->tasks.kernel[1].v, reduce = rows->tasks.kernel[3].v;
    assert_int_equal(rows->tasks.kernel[4].v, conv);
    assert_text(text_of(&r, rows->kernels.node_name[conv]), "conv/Conv2D");
    assert_text(text_of(&r, rows->kernels.op[conv]), "Conv2D");
    assert_text(text_of(&r, rows->kernels.engine[conv]), "AI_CORE");
    assert_text(text_of(&r, rows->kernels.inputs[conv]), "float16[1,3,8,8];float16[4,3,3,3]");
    assert_text(text_of(&r, rows->kernels.outputs[conv]), "float16[1,4,8,8]");
    assert_int_equal(rows->kernels.kind[conv], MI_TASK_COMPUTE);
    assert_int_equal(rows->kernels.kind[reduce], MI_TASK_COMMUNICATION);
    assert_int_equal(rows->tracks.native_id[rows->tasks.track[1].v], 35);
    assert_int_equal(rows->tracks.device[rows->tasks.track[1].v], 0);
    assert_int_equal(rows->tracks.kind[rows->tasks.track[3].v], MI_TRACK_ENGINE);
    reading_fini(&r);
}

static void streams_hold_events_and_copies(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "task_time.csv"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 10, 10, 0, 0);
    uint32_t record = rows->tasks.kernel[3].v, copy = rows->tasks.kernel[5].v;
    assert_text(text_of(&r, rows->kernels.name[record]), "EVENT_RECORD");
    assert_int_equal(rows->kernels.kind[record], MI_TASK_SYNC);
    assert_int_equal(rows->kernels.sync[record], MI_SYNC_RECORD);
    assert_int_equal(rows->kernels.kind[copy], MI_TASK_TRANSFER);
    assert_text(text_of(&r, rows->kernels.name[rows->tasks.kernel[2].v]), "te_conv2d_1__kernel0");
    assert_int_equal(rows->clocks.ref_ns[1], 1700000000000000000);
    reading_fini(&r);
}

static void traps_are_counted(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "traps.csv"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 8, 3, 1, 4);
    assert_text(text_of(&r, rows->kernels.name[1]), "a,b");
    assert_int_equal(rows->tasks.start_raw[1], 1700000000000010125);
    assert_int_equal(rows->tasks.dur_ns[2], 0);
    assert_int_equal(rows->kernels.kind[rows->tasks.kernel[3].v], MI_TASK_OTHER);
    assert_text(text_of(&r, rows->kernels.engine[rows->tasks.kernel[3].v]), "NEW_TYPE");
    assert_int_equal(reading_diag(&r, "msprof.name_unquoted"), 1);
    assert_int_equal(reading_diag(&r, "msprof.digits_lost"), 1);
    assert_int_equal(reading_diag(&r, "msprof.row_broken"), 2);
    assert_int_equal(reading_diag(&r, "msprof.duration_negative"), 1);
    assert_int_equal(reading_diag(&r, "msprof.stop_differs"), 2);
    assert_int_equal(reading_diag(&r, "msprof.header_again"), 1);
    assert_int_equal(reading_diag(&r, "msprof.truncated"), 1);
    reading_fini(&r);
}

/* An exponent is one wherever it stands. */
static void exponents_are_found(void **state)
{
    (void)state;
    static const char *const starts[] = {
        "1.7E+15",           "17e14", "17364124E8", "1736412474736412E0", "1736412474736412.0e0",
        "1736412474736412.0"};
    for (size_t i = 0; i < 6; i++) {
        char text[256];
        int len = snprintf(text, sizeof text,
                           "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),"
                           "task_start(us),task_stop(us)\n0,a,AI_CORE,1,2,3,%s\t,N/A\n",
                           starts[i]);
        struct reading r;
        reading_bytes(&r, &mi_reader_msprof_csv, (struct mi_bytes){(uint8_t *)text, (size_t)len},
                      NULL, NULL);
        assert_int_equal(r.batch.rows.tasks.count - 1, i == 5);
        assert_int_equal(reading_diag(&r, "msprof.digits_lost"), i != 5);
        reading_fini(&r);
    }
}

/* More streams than are remembered take turns, each with kernels of its own. */
static void streams_take_turns(void **state)
{
    (void)state;
    enum { STREAMS = 40, ROWS = 1200 };
    static char text[ROWS * 64];
    size_t len = (size_t)snprintf(text, sizeof text,
                                  "Device_id,kernel_name,kernel_type,stream_id,task_id,"
                                  "task_time(us),task_start(us),task_stop(us)\n");
    for (int i = 0; i < ROWS; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%d,k%d_%d,AI_CORE,%d,%d,1,%d,%d\n",
                                i % 3, i * 7 % STREAMS, i / STREAMS % 3, i * 7 % STREAMS, i, 10 * i,
                                10 * i + 1);
    struct reading r;
    reading_bytes(&r, &mi_reader_msprof_csv, (struct mi_bytes){(uint8_t *)text, len}, NULL, NULL);
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->tasks.count - 1, ROWS);
    assert_int_equal(rows->kernels.count - 1, 3 * STREAMS);
    assert_int_equal(rows->tracks.count - 1, 3 * STREAMS);
    for (int i = 0; i < ROWS; i++) {
        char name[16];
        uint32_t t = (uint32_t)i + 1, track = rows->tasks.track[t].v;
        snprintf(name, sizeof name, "k%d_%d", i * 7 % STREAMS, i / STREAMS % 3);
        assert_text(text_of(&r, rows->kernels.name[rows->tasks.kernel[t].v]), name);
        assert_int_equal(rows->tracks.device[track], i % 3);
        assert_int_equal(rows->tracks.native_id[track], i * 7 % STREAMS);
    }
    reading_fini(&r);
}

static void level_0_has_no_streams(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "kernel_details_level0.csv"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 2, 2, 0, 0);
    assert_int_equal(rows->tasks.dur_ns[1], 932050); /* 932.0498 us, to the nearest ns */
    assert_text(text_of(&r, rows->kernels.name[2]), "aclnn\"Mul");
    assert_int_equal(rows->kernels.kind[1], MI_TASK_COMPUTE);
    assert_int_equal(reading_diag(&r, "msprof.no_stream"), 1);
    assert_int_equal(reading_diag(&r, "msprof.no_device"), 1);
    reading_fini(&r);
}

/* --- whatever a file may be --- */

static void read_text(struct reading *r, const char *text)
{
    reading_bytes(r, mi_reader_find("msprof_csv"), mi_cstr(text), NULL, NULL);
}

#define HEADER "Name,Type,Accelerator Core,Start Time(us),Duration(us),Task ID,Stream ID\n"

static void quotes_that_never_close(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, HEADER "a,A,AI_CORE,1,1,0,1\n\"b,B,AI_CORE,2,1,0,1\nc,C,AI_CORE,3,1,1,1\n");
    assert_true(r.ok);
    assert_ledger(&r, 3, 2, 0, 1);
    assert_int_equal(r.batch.rows.tasks.start_raw[2], 3000);
    reading_fini(&r);
    read_text(&r, HEADER "a,A,AI_CORE,1,1,0,1\n\"b,B,AI");
    assert_ledger(&r, 2, 1, 0, 1);
    assert_int_equal(reading_diag(&r, "msprof.truncated"), 1);
    reading_fini(&r);
}

static void other_delimiters_and_order(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "Stream ID;Duration(us);Name;Type;Start Time(us);Accelerator Core\n"
                  "7;2.5;n;T;1736408883704643.212;MIX_AIV\n7;2,5;n;T;10;MIX_AIV\n");
    assert_ledger(&r, 2, 1, 0, 1);
    assert_int_equal(r.batch.rows.tasks.start_raw[1], 1736408883704643212);
    assert_int_equal(r.batch.rows.tracks.native_id[1], 7);
    reading_fini(&r);
}

static void other_tables_are_refused(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "Device_id,OP Type,Core Type,Count,Total Time(us)\n0,a,b,1,2\n");
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_EFORMAT);
    assert_int_equal(r.batch.rows.tasks.count, 1);
    reading_fini(&r);
    read_text(&r, HEADER);
    assert_true(r.ok);
    assert_int_equal(reading_diag(&r, "msprof.no_rows"), 1);
    reading_fini(&r);
}

/* --- counters --- */

struct seen {
    unsigned count, numbers;
    bool has_ratio, has_type;
};

static void collect(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct seen *seen = user;
    seen->count++;
    seen->numbers += is_number;
    seen->has_ratio |=
        mi_bytes_equal(name, MI_LIT("aic_mac_ratio")) && mi_bytes_equal(text, MI_LIT("0.5"));
    seen->has_type |=
        mi_bytes_equal(name, MI_LIT("Task Type")) && mi_bytes_equal(text, MI_LIT("AI_CORE"));
}

static void every_counter_is_listed(void **state)
{
    (void)state;
    struct reading r;
    struct seen seen = {0};
    assert_true(open_data(&r, "op_summary.csv"));
    const struct mi_tasks *tasks = &r.batch.rows.tasks;
    struct mi_bytes record =
        mi_bytes_sub(r.input.bytes, (size_t)tasks->record_offset[1], tasks->record_bytes[1]);
    mi_reader_find("msprof_csv")
        ->metrics(&(struct mi_record){.file = r.input.bytes, .bytes = record}, collect, &seen);
    assert_int_equal(seen.count, 9); /* Model ID, OP State, Task Type, wait, Block Dim, formats, */
    assert_int_equal(seen.numbers,
                     5); /* aicore_time, aic_mac_ratio; not N/A, not what has columns */
    assert_true(seen.has_ratio && seen.has_type);
    reading_fini(&r);
}

/* --- vocabularies --- */

static void types_of_all_vocabularies(void **state)
{
    (void)state;
    static const struct {
        const char *name, *engine;
        enum mi_task_kind kind;
        enum mi_sync sync;
    } cases[] = {
        {"KERNEL_AIVEC", "AI_VECTOR_CORE", MI_TASK_COMPUTE, MI_SYNC_NONE},
        {"AIV_SQE", "AI_VECTOR_CORE", MI_TASK_COMPUTE, MI_SYNC_NONE},
        {"MIX_AIC", "MIX_AIC", MI_TASK_COMPUTE, MI_SYNC_NONE},
        {"PCIE_DMA_SQE", "PCIE_DMA", MI_TASK_TRANSFER, MI_SYNC_NONE},
        {"HCCL", "", MI_TASK_COMMUNICATION, MI_SYNC_NONE},
        {"EVENT_WAIT_SQE", "", MI_TASK_SYNC, MI_SYNC_WAIT},
        {"DAVID_EVENT_RECORD", "", MI_TASK_SYNC, MI_SYNC_RECORD},
        {"Notify Wait", "", MI_TASK_SYNC, MI_SYNC_WAIT},
        {"STREAM_LABEL_GOTO", "", MI_TASK_SYNC, MI_SYNC_NONE},
        {"FFTS_PLUS", "", MI_TASK_CONTROL, MI_SYNC_NONE},
        {"SOMETHING_NEW", "", MI_TASK_OTHER, MI_SYNC_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mi_msprof_type *type = mi_msprof_type_find(mi_cstr(cases[i].name));
        assert_string_equal(type->engine, cases[i].engine);
        assert_int_equal(type->kind, cases[i].kind);
        assert_int_equal(type->sync, cases[i].sync);
    }
}

/* --- real tables --- */

static void check_sample(const char *path, int64_t rows, int64_t sum_ns, int64_t communication)
{
    struct reading r;
    int64_t sum = 0, collectives = 0;
    if (!reading_file(&r, NULL, shared_path(path)))
        skip();
    const struct mi_tables *tables = &r.batch.rows;
    for (uint32_t t = 1; t < tables->tasks.count; t++) {
        sum += tables->tasks.dur_ns[t];
        collectives += tables->kernels.kind[tables->tasks.kernel[t].v] == MI_TASK_COMMUNICATION;
    }
    assert_ledger(&r, rows, rows, 0, 0);
    assert_int_equal(sum, sum_ns);
    assert_int_equal(collectives, communication);
    reading_fini(&r);
}

#define ALEXNET(level, rank)                                                                       \
    "samples/cann-profiling/pytorch_alexnet_2rank/text/level" level "/rank" rank                   \
    "_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"

static void sums_of_pytorch_tables(void **state)
{
    (void)state;
    check_sample(ALEXNET("0", "0"), 191, 94344340, 4);
    check_sample(ALEXNET("0", "1"), 191, 77418862, 4);
    check_sample(ALEXNET("1", "0"), 191, 114865613, 4);
    check_sample(ALEXNET("1", "1"), 191, 109253559, 4);
    check_sample(ALEXNET("2", "0"), 191, 108841491, 4);
}

static int64_t count_engine(const struct reading *r, const char *engine)
{
    const struct mi_tables *rows = &r->batch.rows;
    int64_t count = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        count += mi_bytes_equal(text_of(r, rows->kernels.engine[rows->tasks.kernel[t].v]),
                                mi_cstr(engine));
    return count;
}

static void engines_of_a_training_step(void **state)
{
    (void)state;
    struct reading r;
    if (!reading_file(&r, NULL, shared_path(ALEXNET("1", "0"))))
        skip();
    assert_int_equal(count_engine(&r, "AI_VECTOR_CORE"), 149);
    assert_int_equal(count_engine(&r, "AI_CORE"), 23);
    assert_int_equal(count_engine(&r, "MIX_AIV"), 13);
    assert_int_equal(count_engine(&r, "DSA"), 2);
    assert_int_equal(r.batch.rows.tasks.start_raw[1], INT64_C(1736408883704643212));
    reading_fini(&r);
}

static void sums_of_other_tables(void **state)
{
    (void)state;
    check_sample("samples/cann-profiling/mstt_2024/kernel_details_arith.csv", 591, 396807040, 19);
    check_sample("samples/cann-profiling/mstt_2024/kernel_details_level0.csv", 8, 1000850, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_become_tasks),
        cmocka_unit_test(streams_hold_events_and_copies),
        cmocka_unit_test(traps_are_counted),
        cmocka_unit_test(exponents_are_found),
        cmocka_unit_test(streams_take_turns),
        cmocka_unit_test(level_0_has_no_streams),
        cmocka_unit_test(quotes_that_never_close),
        cmocka_unit_test(other_delimiters_and_order),
        cmocka_unit_test(other_tables_are_refused),
        cmocka_unit_test(every_counter_is_listed),
        cmocka_unit_test(types_of_all_vocabularies),
        cmocka_unit_test(sums_of_pytorch_tables),
        cmocka_unit_test(engines_of_a_training_step),
        cmocka_unit_test(sums_of_other_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
