/* Several files of one run: tasks, calls and collectives stand once, differences are told, runs of
 * two ranks stay apart. */
#include "alloc_fail.h"
#include "correlate/host/host.h"
#include "hand_model.h"
#include "joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TIMES_HEADER                                                                               \
    "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)\n"
#define OPS_HEADER                                                                                 \
    "Device_id,Op Name,OP Type,Task Type,Stream ID,Task ID,Task Duration(us),Task Start "          \
    "Time(us)\n"
#define LANES                                                                                      \
    "{\"name\":\"process_name\",\"pid\":3,\"ph\":\"M\",\"args\":{\"name\":\"Ascend Hardware\"}},"  \
    "{\"name\":\"process_labels\",\"pid\":3,\"ph\":\"M\",\"args\":{\"labels\":\"NPU\"}},"          \
    "{\"name\":\"process_name\",\"pid\":4,\"ph\":\"M\",\"args\":{\"name\":\"CANN\"}},"             \
    "{\"name\":\"process_name\",\"pid\":5,\"ph\":\"M\",\"args\":{\"name\":\"Communication\"}},"    \
    "{\"name\":\"process_labels\",\"pid\":5,\"ph\":\"M\",\"args\":{\"labels\":\"NPU\"}},"          \
    "{\"name\":\"thread_name\",\"pid\":5,\"tid\":0,\"ph\":\"M\",\"args\":"                         \
    "{\"name\":\"Group 0 Communication\"}},"
#define TASK(name, type, ts, dur, id, connection)                                                  \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":3,\"tid\":0,\"ts\":\"" ts "\",\"dur\":" dur       \
    ",\"args\":{\"Model Id\":4294967295,\"Task Type\":\"" type                                     \
    "\",\"Physic Stream Id\":40,\"Task Id\":" id ",\"Batch Id\":0,\"Subtask Id\":4294967295,"      \
    "\"connection_id\":" connection "}}"
#define CALL(level, name, ts, dur, connection)                                                     \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":4,\"tid\":7,\"ts\":\"" ts "\",\"dur\":" dur       \
    ",\"args\":{\"level\":\"" level                                                                \
    "\",\"id\":\"0\",\"item_id\":\"op\",\"connection_id\":" connection "}}"
#define COLLECTIVE(name, ts, dur, connection)                                                      \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":5,\"tid\":0,\"ts\":\"" ts "\",\"dur\":" dur       \
    ",\"args\":{\"connection_id\":" connection ",\"model id\":4294967295,\"count\":8}}"

static void add(struct joining *j, const char *reader, const char *text, const char *path)
{
    joining_bytes(j, reader, mi_cstr(text), path);
}

static int64_t times(const struct joining *j, const char *code)
{
    const struct mi_diags *diags = &j->model.all.rows.diags;
    int64_t sum = 0;
    for (uint32_t d = 1; d < diags->count; d++)
        if (mi_bytes_equal(mi_model_text(&j->model, diags->code[d]), mi_cstr(code)))
            sum += diags->times[d];
    return sum;
}

static uint32_t task_at(const struct joining *j, int64_t start_raw)
{
    const struct mi_tasks *tasks = &j->model.all.rows.tasks;
    uint32_t found = 0;
    for (uint32_t t = 1; t < tasks->count; t++)
        if (tasks->start_raw[t] == start_raw) {
            assert_int_equal(found, 0); /* there once */
            found = t;
        }
    assert_int_not_equal(found, 0);
    return found;
}

static void assert_text(const struct joining *j, mi_str_id text, const char *wanted)
{
    struct mi_bytes bytes = mi_model_text(&j->model, text);
    assert_int_equal(bytes.len, strlen(wanted));
    assert_memory_equal(bytes.at, wanted, bytes.len);
}

static void assert_ledgers(const struct joining *j)
{
    const struct mi_sources *sources = &j->model.all.rows.sources;
    for (uint32_t s = 1; s < sources->count; s++)
        assert_int_equal(sources->records_in[s], sources->records_kept[s] +
                                                     sources->records_skipped[s] +
                                                     sources->records_lost[s]);
}

/* --- twins --- */

#define TRACE                                                                                      \
    "[" LANES TASK("conv", "AI_CORE", "10.000", "5", "7", "90") "," TASK(                          \
        "EVENT_RECORD", "EVENT_RECORD_SQE", "20.000", "0.02", "8",                                 \
        "91") "," TASK("only", "AI_CORE", "30.000", "5", "9",                                      \
                       "92") "," COLLECTIVE("hcom_allReduce__210_0_1", "50.001", "20.0005",        \
                                            "93") "," TASK("Notify_Wait", "Notify Wait", "50.001", \
                                                           "10", "10",                             \
                                                           "93") "," CALL("node", "Node@launch",   \
                                                                          "8.000", "1",            \
                                                                          "90") "," CALL("acl",    \
                                                                                         "AscendC" \
                                                                                         "L@"      \
                                                                                         "aclnnCo" \
                                                                                         "nv",     \
                                                                                         "7.000",  \
                                                                                         "3",      \
                                                                                         "89") "]"

/* What each file knows best is known afterwards. */
static void each_task_stands_once_with_all_that_is_known(void **state)
{
    (void)state;
    static const char ops[] =
        OPS_HEADER "0,conv,Conv2D,AI_VECTOR_CORE,40,7,5,10\n"
                   "0,hcom_allReduce__210_0_1,hcom_allReduce_,HCCL,N/A,N/A,20,50\n";
    static const char all[] = TIMES_HEADER "0,te_conv_1,KERNEL_AIVEC,40,7,5.5,10\n"
                                           "0,N/A,EVENT_RECORD,40,8,0.02,20\n";
    static const char *const paths[] = {"PROF_1_2_AB/op_summary_1.csv", "PROF_1_2_AB/msprof_1.json",
                                        "PROF_1_2_AB/task_time_1.csv"};
    const char *texts[] = {ops, TRACE, all};
    for (unsigned first = 0; first < 3; first++) { /* whatever comes first */
        struct joining j;
        joining_init(&j);
        for (unsigned i = 0; i < 3; i++) {
            unsigned which = (first + i) % 3;
            add(&j, which == 1 ? "chrome_trace" : "msprof_csv", texts[which], paths[which]);
        }
        assert_true(joining_run(&j));
        const struct mi_tables *rows = &j.model.all.rows;
        assert_int_equal(rows->tasks.count - 1, 5);
        uint32_t conv = task_at(&j, 10000), kernel = rows->tasks.kernel[conv].v;
        assert_text(&j, rows->kernels.name[kernel], "te_conv_1");
        assert_text(&j, rows->kernels.node_name[kernel], "conv");
        assert_text(&j, rows->kernels.op[kernel], "Conv2D");
        assert_text(&j, rows->kernels.engine[kernel], "AI_VECTOR_CORE");
        assert_int_equal(rows->tasks.dur_ns[conv], 5000);
        assert_int_equal(mi_some_u32(rows->tasks.connection[conv]), 90);
        assert_text(&j, rows->slices.name[rows->tasks.launch[conv].v], "launch");
        uint32_t wait = 0, collective = 0;
        for (uint32_t t = 1; t < rows->tasks.count; t++) {
            unsigned kind = rows->kernels.kind[rows->tasks.kernel[t].v];
            if (kind == MI_TASK_COMMUNICATION)
                collective = t;
            else if (mi_some_get(rows->tasks.native_id[t]) == 10)
                wait = t;
        }
        assert_int_equal(rows->tracks.kind[rows->tasks.track[collective].v], MI_TRACK_GROUP);
        assert_int_equal(rows->tasks.parent[wait].v, collective);
        assert_text(&j, rows->kernels.op[rows->tasks.kernel[collective].v], "hcom_allReduce_");
        assert_int_equal(times(&j, "msprof.task_twice"), 4);    /* conv two times */
        assert_int_equal(times(&j, "msprof.tables_differ"), 1); /* 5.5 us */
        assert_int_equal(times(&j, "msprof.task_alone"), 2);    /* only, Notify_Wait */
        for (uint32_t t = 1; t < rows->tracks.count; t++)
            assert_int_not_equal(rows->tracks.kind[t], MI_TRACK_ENGINE); /* nothing left there */
        assert_ledgers(&j);
        joining_fini(&j);
    }
}

/* Two exports of one run by different names of its calls. */
static void calls_stand_once(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add(&j, "chrome_trace", TRACE, "a_ascend_pt/PROF_1_2_AB/msprof_1.json");
    add(&j, "chrome_trace", TRACE, "a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
    add(&j, "chrome_trace", TRACE, "b_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
    assert_true(joining_run(&j));
    const struct mi_tables *rows = &j.model.all.rows;
    assert_int_equal(rows->tasks.count - 1, 2 * 5);
    assert_int_equal(rows->slices.count - 1, 2 * 2);
    assert_int_equal(times(&j, "msprof.call_twice"), 2);
    assert_int_equal(times(&j, "msprof.task_twice"), 5);
    for (uint32_t t = 1; t < rows->tasks.count; t++) { /* launched by the calls of its own run */
        uint32_t launch = rows->tasks.launch[t].v;
        assert_true(!launch || mi_host_collection_of_slice(rows, launch) ==
                                   mi_host_collection_of_task(rows, t));
    }
    assert_ledgers(&j);
    joining_fini(&j);
}

/* Level 0 names neither; the rows are found by name and start. */
static void tables_without_device_or_stream_find_their_tasks(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add(&j, "msprof_csv",
        "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
        "conv,N/A,N/A,10,5\nonly,N/A,N/A,30,5\nhcom_allReduce__210_0_1,N/A,HCCL,50,20\n",
        "r_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    add(&j, "chrome_trace", TRACE, "r_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
    assert_true(joining_run(&j));
    assert_int_equal(j.model.all.rows.tasks.count - 1, 5);
    assert_int_equal(times(&j, "msprof.task_twice"), 3);
    assert_int_equal(times(&j, "msprof.task_alone"), 0);
    joining_fini(&j);
}

/* Exporting again leaves deliverables of both times side by side: still one truth. */
static void a_second_export_changes_nothing(void **state)
{
    (void)state;
    static const char ops[] =
        "Device_id,Op Name,OP Type,Task Type,Stream ID,Task ID,Task Duration(us),Task Start "
        "Time(us)\n0,a,Conv2D,AI_CORE,3,1,5,10\n0,b,Relu,AI_VECTOR_CORE,3,2,5,20\n";
    static const char times_of[] =
        "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)\n"
        "0,te_a,AI_CORE,3,1,5,10\n0,te_b,AI_VECTOR_CORE,3,2,5,20\n"
        "0,N/A,EVENT_RECORD,3,3,1,30\n";
    struct joining j;
    joining_init(&j);
    add(&j, "msprof_csv", ops, "p/op_summary_20250101000000.csv");
    add(&j, "msprof_csv", times_of, "p/task_time_20250101000000.csv");
    add(&j, "msprof_csv", ops, "p/op_summary_20250102000000.csv");
    add(&j, "msprof_csv", times_of, "p/task_time_20250102000000.csv");
    assert_true(joining_run(&j));
    const struct mi_tasks *tasks = &j.model.all.rows.tasks;
    assert_int_equal(tasks->count - 1, 3);
    for (uint32_t t = 1; t < tasks->count; t++)
        assert_int_equal(tasks->run[t], 0); /* nothing ran again */
    assert_int_equal(times(&j, "msprof.task_twice"), 2 + 2 + 3);
    assert_int_equal(times(&j, "msprof.tables_differ"), 0);
    assert_ledgers(&j);
    joining_fini(&j);
}

/* What talks to other devices is communication, whatever it is typed as. */
static void collectives_on_cores_are_communication(void **state)
{
    (void)state;
    static const struct {
        const char *name, *type;
        enum mi_task_kind kind;
    } cases[] = {{"allgatherAicpuKernel", "AI_CPU", MI_TASK_COMMUNICATION},
                 {"aivAllReduceAivKernel", "AI_VECTOR_CORE", MI_TASK_COMMUNICATION},
                 {"AicpuKernelLike", "AI_CPU", MI_TASK_COMPUTE},
                 {"TopK", "AI_CPU", MI_TASK_COMPUTE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct joining j;
        char text[256];
        snprintf(text, sizeof text,
                 "Device_id,Op Name,OP Type,Task Type,Stream ID,Task ID,Task Duration(us),Task "
                 "Start Time(us)\n0,%s,X,%s,3,1,5,10\n",
                 cases[i].name, cases[i].type);
        joining_init(&j);
        add(&j, "msprof_csv", text, "p/op_summary.csv");
        assert_true(joining_run(&j));
        const struct mi_tables *rows = &j.model.all.rows;
        assert_int_equal(rows->tasks.count - 1, 1);
        assert_int_equal(rows->kernels.kind[rows->tasks.kernel[1].v], cases[i].kind);
        joining_fini(&j);
    }
}

/* Tables alone: the parts of a collective have the id of the task that it begins with. */
static void parts_of_collectives_are_found(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add(&j, "msprof_csv", OPS_HEADER "0,hcom_allReduce__1_0_1,N/A,HCCL,N/A,N/A,20,50\n",
        "PROF_1/op_summary.csv");
    add(&j, "msprof_csv",
        TIMES_HEADER "0,N/A,SDMA,4,80,5,50\n0,N/A,Notify Wait,4,80,5,60\n"
                     "0,N/A,SDMA,4,81,5,61\n"  /* another id */
                     "0,N/A,SDMA,4,80,5,71\n", /* too late */
        "PROF_1/task_time.csv");
    assert_true(joining_run(&j));
    const struct mi_tables *rows = &j.model.all.rows;
    unsigned parts = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        parts += rows->tasks.parent[t].v != 0;
        if (rows->tasks.start_raw[t] >= 61000)
            assert_int_equal(rows->tasks.parent[t].v, 0);
    }
    assert_int_equal(parts, 2);
    joining_fini(&j);
}

/* --- counters --- */

#define COUNTER(name, ts, value)                                                                   \
    "{\"ph\":\"C\",\"name\":\"" name "\",\"pid\":6,\"tid\":0,\"ts\":\"" ts                         \
    "\",\"args\":{\"MHz\":" value "}}"
#define FREQ_LANE                                                                                  \
    "{\"name\":\"process_name\",\"pid\":6,\"ph\":\"M\",\"args\":{\"name\":\"AI Core Freq\"}},"     \
    "{\"name\":\"process_labels\",\"pid\":6,\"ph\":\"M\",\"args\":{\"labels\":\"NPU\"}},"

/* Equal values at equal times are one counter; another course of values is another. */
static void counters_stand_once(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct joining j;
        joining_init(&j);
        add(&j, "chrome_trace",
            "[" LANES FREQ_LANE TASK("conv", "AI_CORE", "10.000", "5", "7", "90") "," COUNTER(
                "AI Core Freq", "5.000", "1800") "," COUNTER("AI Core Freq", "6.000", "900") "]",
            "a_ascend_pt/PROF_1_2_AB/msprof_1.json");
        add(&j, "chrome_trace",
            other ? "[" LANES FREQ_LANE TASK("conv", "AI_CORE", "10.000", "5", "7",
                                             "90") "," COUNTER("AI Core Freq", "5.000", "800") "]"
                  : "[" LANES FREQ_LANE TASK("conv", "AI_CORE", "10.000", "5", "7",
                                             "90") "," COUNTER("AI Core Freq", "5.000", "1800") "]",
            "a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
        assert_true(joining_run(&j));
        assert_int_equal(j.model.all.rows.counters.count - 1, other ? 2 : 1);
        assert_int_equal(j.model.all.rows.samples.count - 1, other ? 3 : 2);
        assert_int_equal(times(&j, "msprof.sample_twice"), other ? 0 : 1);
        joining_fini(&j);
    }
}

/* --- ranks --- */

static int64_t rank_of_only_track(const struct joining *j)
{
    assert_true(j->model.all.rows.tracks.count > 1);
    return j->model.all.rows.tracks.rank[1];
}

static void ranks_are_stated_by_files_and_names(void **state)
{
    (void)state;
    static const char table[] = OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n";
    struct joining j;
    joining_init(&j);
    add(&j, "msprof_csv", table, "x_ascend_pt/ASCEND_PROFILER_OUTPUT/op_summary.csv");
    add(&j, "msprof_info", "{\"config\": {}, \"start_info\": {\"freq\": 100}}",
        "x_ascend_pt/profiler_info_3.json");
    assert_true(joining_run(&j));
    assert_int_equal(rank_of_only_track(&j), 3);
    assert_int_equal(times(&j, "cann.rank_differs"), 0);
    joining_fini(&j);

    joining_init(&j);
    add(&j, "msprof_csv", table, "x_ascend_pt/ASCEND_PROFILER_OUTPUT/op_summary.csv");
    add(&j, "msprof_info", "{\"config\": {}, \"rank_id\": 5}", "x_ascend_pt/profiler_info_3.json");
    assert_true(joining_run(&j));
    assert_int_equal(rank_of_only_track(&j), 5);
    assert_int_equal(times(&j, "cann.rank_differs"), 1);
    joining_fini(&j);
}

/* --- collectives on several ranks --- */

static uint32_t add_rank(struct hand *hand, int64_t rank)
{
    struct mi_source_row row = {.path = hand_str(hand, "r"), .reader = hand_str(hand, "x")};
    uint32_t source = mi_model_add_source(&hand->model, &row, (struct mi_bytes){0}, NULL).v;
    hand->model.all.rows.sources.collection[source] = (uint32_t)rank + 1;
    hand->source.v = source;
    uint32_t track = hand_track(hand, "group", -1);
    hand->model.all.rows.tracks.kind[track] = MI_TRACK_GROUP;
    hand->model.all.rows.tracks.rank[track] = rank;
    return track;
}

static void pair(struct hand *hand)
{
    struct mi_error err = MI_ERROR_INIT;
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        assert_true(mi_table_reserve(&hand->model.all.rows, (enum mi_table_no)t, 0));
    assert_true(mi_host_pair_collectives(&hand->model, &err));
}

/* Warm-up called two more on the second rank. */
static void shifted_numbers_are_paired_by_type_and_end(void **state)
{
    (void)state;
    for (int shifted = 0; shifted < 2; shifted++) {
        struct hand hand;
        hand_init(&hand);
        uint32_t a = add_rank(&hand, 0), first[3], second[3];
        first[0] =
            hand_task(&hand, a, "hcom_allReduce__210_0_1", MI_TASK_COMMUNICATION, 0, 100, 50, 0);
        first[1] = hand_task(&hand, a, "hcom_send__210_1_1", MI_TASK_COMMUNICATION, 0, 200, 50, 0);
        first[2] =
            hand_task(&hand, a, "hcom_allReduce__210_2_1", MI_TASK_COMMUNICATION, 0, 300, 50, 0);
        uint32_t b = add_rank(&hand, 1);
        second[0] =
            hand_task(&hand, b, shifted ? "hcom_allReduce__210_2_1" : "hcom_allReduce__210_0_1",
                      MI_TASK_COMMUNICATION, 0, 120, 31, 0);
        second[1] = hand_task(&hand, b, shifted ? "hcom_send__210_3_1" : "hcom_send__210_1_1",
                              MI_TASK_COMMUNICATION, 0, 190, 61, 0);
        second[2] =
            hand_task(&hand, b, shifted ? "hcom_allReduce__210_4_1" : "hcom_allReduce__210_2_1",
                      MI_TASK_COMMUNICATION, 0, 340, 12, 0);
        hand_task(&hand, b, "hcom_allReduce__7_0_1", MI_TASK_COMMUNICATION, 0, 100, 50, 0);
        pair(&hand);
        const struct mi_peers *peers = &hand.model.all.rows.peers;
        assert_int_equal(peers->count - 1, 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(peers->first[i + 1].v, first[i]);
            assert_int_equal(peers->task[i + 1].v, second[i]);
            assert_int_equal(peers->confidence[i + 1], shifted ? MI_LIKELY : MI_CERTAIN);
        }
        assert_int_equal(hand.model.all.rows.diags.count - 1, shifted);
        hand_fini(&hand);
    }
}

/* Types that never agree, or ends a minute apart: two jobs. */
static void strangers_are_not_paired(void **state)
{
    (void)state;
    for (int is_far = 0; is_far < 2; is_far++) {
        struct hand hand;
        hand_init(&hand);
        hand_task(&hand, add_rank(&hand, 0), "hcom_allReduce__210_0_1", MI_TASK_COMMUNICATION, 0,
                  100, 50, 0);
        hand_task(&hand, add_rank(&hand, 1),
                  is_far ? "hcom_allReduce__210_0_1" : "hcom_send__210_0_1", MI_TASK_COMMUNICATION,
                  0, is_far ? INT64_C(60000000000) : 100, 50, 0);
        pair(&hand);
        assert_int_equal(hand.model.all.rows.peers.count - 1, 0);
        hand_fini(&hand);
    }
}

/* --- memory --- */

static const char eager[] = "[" LANES TASK("conv", "AI_CORE", "10.000", "5", "7", "90") "," CALL(
    "node", "Node@launch", "8.000", "1",
    "90") ",{\"name\":\"process_name\",\"pid\":9,\"ph\":\"M\","
          "\"args\":{\"name\":\"Python\"}},"
          "{\"ph\":\"X\",\"name\":\"aten::conv2d\",\"pid\":9,"
          "\"tid\":7,\"ts\":\"6.000\",\"dur\":5,\"cat\":\"cpu_op\","
          "\"args\":{}}]";

static bool join_with(long left)
{
    struct joining j;
    joining_init(&j);
    add(&j, "chrome_trace", eager, "a_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
    add(&j, "msprof_csv", OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n",
        "a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    assert_true(mi_model_index_graphs(&j.model, &j.err));
    alloc_left = left;
    bool ok = mi_correlate(&j.model, &j.err);
    alloc_left = -1;
    assert_int_equal(j.err.code, ok ? MI_OK : MI_ENOMEM);
    if (ok) {
        assert_int_equal(j.model.all.rows.graphs.count - 1, 2);
        assert_int_equal(j.model.all.rows.executed.count - 1, 1);
    }
    joining_fini(&j);
    return ok;
}

static void memory_runs_out(void **state)
{
    (void)state;
    long left = 0;
    while (left < 5000 && !join_with(left))
        left++;
    assert_true(left > 30 && left < 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_stands_once_with_all_that_is_known),
        cmocka_unit_test(calls_stand_once),
        cmocka_unit_test(tables_without_device_or_stream_find_their_tasks),
        cmocka_unit_test(a_second_export_changes_nothing),
        cmocka_unit_test(collectives_on_cores_are_communication),
        cmocka_unit_test(parts_of_collectives_are_found),
        cmocka_unit_test(counters_stand_once),
        cmocka_unit_test(ranks_are_stated_by_files_and_names),
        cmocka_unit_test(shifted_numbers_are_paired_by_type_and_end),
        cmocka_unit_test(strangers_are_not_paired),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
