/* Notes joined with tasks and calls, sums compared with tasks, fused nodes that the profile names:
 * small files and models that can be checked on paper, and the real captures. */
#include "alloc_fail.h"
#include "correlate/notes/notes.h"
#include "hand_model.h"
#include "joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FOLDER "PROF_000001_20231114221320000_ABCDEFGH/mindstudio_profiler_output/"

#define OPERATORS                                                                                  \
    "Device_id,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task "              \
    "Duration(us)\n"                                                                               \
    "0,1,35,conv,Conv2D,AI_CORE,1700000000000010.125,20.500\n"                                     \
    "0,2,35,mul,Mul,AI_VECTOR_CORE,1700000000000040.000,10.000\n"                                  \
    "0,1,35,conv,Conv2D,AI_CORE,1700000000000110.125,21.500\n"                                     \
    "0,2,35,mul,Mul,AI_VECTOR_CORE,1700000000000140.000,10.000\n"                                  \
    "0,N/A,N/A,hcom_allReduce__1_0_1,hcom_allReduce_,COMMUNICATION,1700000000000145.000,20.000\n"

static uint32_t task_of_note(const struct joining *j, uint32_t note)
{
    return j->model.all.rows.notes.task[note].v;
}

static int64_t start_of(const struct joining *j, uint32_t task)
{
    return task ? j->model.all.rows.tasks.start_raw[task] - INT64_C(1700000000000000000) : -1;
}

/* The sentence of a diagnostic; "" if there is none. */
static const char *sentence(const struct mi_model *model, const char *code)
{
    static char text[512];
    const struct mi_diags *diags = &model->all.rows.diags;
    for (uint32_t d = 1; d < diags->count; d++)
        if (mi_bytes_equal(mi_model_text(model, diags->code[d]), mi_cstr(code))) {
            struct mi_bytes value = mi_model_text(model, diags->text[d]);
            snprintf(text, sizeof text, "%.*s", (int)value.len, (const char *)value.at);
            return text;
        }
    return "";
}

static void rows_of_repeated_tasks_follow_their_order(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    joining_bytes(&j, "msprof_csv", MI_LIT(OPERATORS), FOLDER "op_summary.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n"
                         "35,1,0.5,0.1,conv\n35,2,0.5,0.2,mul\n35,1,0.5,0.3,conv\n"
                         "35,2,0.5,0.4,other\n36,1,0.5,0.5,conv\n"),
                  FOLDER "l2_cache.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n35,1,0.5,0.1,conv\n"),
                  "PROF_000002_20231114221320000_ABCDEFGH/l2_cache.csv");
    assert_true(joining_run(&j));
    assert_int_equal(start_of(&j, task_of_note(&j, 1)), 10125);
    assert_int_equal(start_of(&j, task_of_note(&j, 3)), 110125);
    /* one row for two tasks that are called so: which one is not known */
    assert_int_equal(task_of_note(&j, 2), 0);
    assert_int_equal(task_of_note(&j, 4), 0);
    assert_int_equal(task_of_note(&j, 5), 0);
    assert_int_equal(task_of_note(&j, 6), 0); /* of another collection */
    joining_fini(&j);
}

static void collectives_by_name_and_start(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    joining_bytes(&j, "msprof_csv", MI_LIT(OPERATORS), FOLDER "op_summary.csv");
    joining_bytes(
        &j, "msprof_communication",
        MI_LIT("{\"step7\": {\"collective\": {\"hcom_allReduce__1_0_1@42\": {\"Communication Time "
               "Info\": {\"Start Timestamp(us)\": 1700000000000145.1, \"Elapse Time(ms)\": 0.02}},"
               "\"hcom_other__1_0_1@42\": {\"Communication Time Info\": {\"Start Timestamp(us)\": "
               "1700000000000145.1, \"Elapse Time(ms)\": 0.02}}}}}"),
        FOLDER "communication.json");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Step,Computing,Communication,Overlapped,Free\n8,62.000,20.000,5.000,1\n"),
                  FOLDER "step_trace_time.csv");
    assert_true(joining_run(&j));
    assert_int_equal(start_of(&j, task_of_note(&j, 1)), 145000);
    assert_int_equal(task_of_note(&j, 2), 0);
    assert_string_equal(sentence(&j.model, "sums.collectives_differ"), "");
    assert_string_equal(sentence(&j.model, "sums.step_differs"), "");
    assert_string_equal(sentence(&j.model, "sums.step_named"),
                        "the step is called 8 here and 7 in another file");
    joining_fini(&j);
}

static void sums_that_differ_are_told(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    joining_bytes(&j, "msprof_csv", MI_LIT(OPERATORS), FOLDER "op_summary.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Device_id,OP Type,Core Type,Count,Total Time(us)\n"
                         "0,Conv2D,AI_CORE,2,42.002\n0,Mul,AI_VECTOR_CORE,3,30.000\n"),
                  FOLDER "op_statistic.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Step,Computing,Communication,Overlapped,Free\n8,62.000,20.000,5.100,1\n"),
                  FOLDER "step_trace_time.csv");
    joining_bytes(
        &j, "msprof_communication",
        MI_LIT("{\"step8\": {\"collective\": {\"hcom_allReduce__1_0_1@42\": {\"Communication Time "
               "Info\": {\"Start Timestamp(us)\": 1700000000000145.1, \"Elapse Time(ms)\": "
               "0.05}}}}}"),
        FOLDER "communication.json");
    assert_true(joining_run(&j));
    assert_string_equal(sentence(&j.model, "sums.ops_differ"),
                        "1 of 2 sums are not those of the tasks; the first: Mul on AI_VECTOR_CORE, "
                        "stated 3 in 30000 ns, found 2 in 20000 ns");
    assert_string_equal(sentence(&j.model, "sums.step_differs"),
                        "Overlapped of the step: stated 5100 ns, the tasks give 5000 ns");
    assert_string_equal(sentence(&j.model, "sums.collectives_differ"),
                        "collectives whose length differs from that of their task; the first: "
                        "hcom_allReduce__1_0_1, stated 50000 ns, found 20000 ns");
    assert_string_equal(sentence(&j.model, "sums.step_named"), "");
    joining_fini(&j);
}

/* Some exporters leave the rows of collectives out. */
static void absent_communication_is_not_0(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    joining_bytes(&j, "msprof_csv",
                  MI_LIT("Device_id,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start "
                         "Time(us),Task Duration(us)\n"
                         "0,1,35,conv,Conv2D,AI_CORE,1700000000000010.125,20.500\n"),
                  FOLDER "op_summary.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Step,Computing,Communication,Overlapped,Free\n8,20.500,20.000,5.100,1\n"),
                  FOLDER "step_trace_time.csv");
    assert_true(joining_run(&j));
    assert_string_equal(sentence(&j.model, "sums.step_differs"), "");
    assert_string_equal(sentence(&j.model, "sums.no_communication"),
                        "the step communicates for 20000 ns, and none of the tasks at hand does: "
                        "communication is absent, not 0");
    joining_fini(&j);
}

/* --- calls --- */

static uint32_t add_op(struct hand *hand, uint32_t track, const char *name, int64_t start,
                       int64_t dur)
{
    return mi_add_slice(&hand->model.all, &(struct mi_slice_row){.track = {track},
                                                                 .name = hand_str(hand, name),
                                                                 .category = hand_str(hand, "op"),
                                                                 .connection = MI_NO_CONNECTION,
                                                                 .correlation = MI_NO_CONNECTION,
                                                                 .start_raw = start,
                                                                 .start_ns = start,
                                                                 .dur_ns = dur})
        .v;
}

static uint32_t add_note(struct hand *hand, const char *kind, const char *name, int64_t start)
{
    return mi_add_note(&hand->model.all, &(struct mi_note_row){.source = hand->source,
                                                               .kind = hand_str(hand, kind),
                                                               .name = hand_str(hand, name),
                                                               .device = -1,
                                                               .stream = -1,
                                                               .native_id = -1,
                                                               .start_raw = start})
        .v;
}

static void ops_by_order_and_by_time(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    struct mi_tables *rows = &hand.model.all.rows;
    rows->sources.collection[hand.source.v] = 1;
    uint32_t track = hand_track(&hand, "thread", 1), other = hand_track(&hand, "thread", 2);
    add_op(&hand, track, "ProfilerStep#1", 0, 1000);
    uint32_t inner = add_op(&hand, track, "aten::empty", 10, 5);
    uint32_t outer = add_op(&hand, track, "aten::linear", 10, 50); /* the longer one comes first */
    uint32_t third = add_op(&hand, other, "aten::empty", 20, 5);
    uint32_t a = add_note(&hand, "operator_details", "aten::linear", -1);
    uint32_t b = add_note(&hand, "operator_details", "aten::empty", -1);
    uint32_t m = add_note(&hand, "operator_memory", "aten::empty", 24);
    uint32_t n = add_note(&hand, "operator_memory", "aten::empty", 26);
    uint32_t c = add_note(&hand, "operator_details", "aten::mul", -1);
    uint32_t d = add_note(&hand, "operator_details", "aten::empty", -1);
    assert_true(mi_notes_join_slices(&hand.model, NULL));
    assert_int_equal(rows->notes.slice[a].v, outer);
    assert_int_equal(rows->notes.slice[b].v, inner);
    assert_int_equal(rows->notes.slice[c].v, 0); /* not what stands in its place: no more */
    assert_int_equal(rows->notes.slice[d].v, 0);
    assert_int_equal(rows->notes.slice[m].v, third);
    assert_int_equal(rows->notes.slice[n].v, 0);
    hand_finish(&hand);
    hand_fini(&hand);
}

/* --- fused nodes --- */

static uint32_t links_to(const struct joining *j, const char *compiled, const char *rule)
{
    const struct mi_tables *rows = &j->model.all.rows;
    uint32_t count = 0;
    for (uint32_t l = 1; l < rows->lowered.count; l++)
        count +=
            mi_bytes_equal(mi_model_text(&j->model, rows->nodes.name[rows->lowered.compiled[l].v]),
                           mi_cstr(compiled)) &&
            mi_bytes_equal(mi_model_text(&j->model, rows->lowered.rule[l]), mi_cstr(rule));
    return count;
}

#define FRAMEWORK                                                                                  \
    "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"  \
    "node { name: \"y\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"  \
    "node { name: \"conv1\" op: \"Conv2D\" input: \"x\" input: \"y\" }\n"                          \
    "node { name: \"relu1\" op: \"Relu\" input: \"conv1\" }\n"                                     \
    "node { name: \"sig\" op: \"Sigmoid\" input: \"relu1\" }\n"

#define COMPILED                                                                                   \
    "graph { name: \"net\" op { name: \"x\" type: \"Data\" }\n"                                    \
    "op { name: \"y\" type: \"Data\" id: 7 }\n"                                                    \
    "op { name: \"fused_3\" type: \"Conv2D\" id: 1 input: \"x:0\" input: \"y:0\" }\n"              \
    "op { name: \"sig\" type: \"Sigmoid\" id: 2 input: \"fused_3:0\" }\n"                          \
    "op { name: \"Node_Output\" type: \"NetOutput\" id: 3 input: \"sig:0\" } }\n"

static void join_fused(struct joining *j, struct mi_bytes table)
{
    joining_init(j);
    joining_bytes(j, "tf_graph_text", MI_LIT(FRAMEWORK), "net.pbtxt");
    joining_bytes(j, "ge_proto", MI_LIT(COMPILED), "ge_proto_00000009_graph_0_Build.txt");
    joining_bytes(j, "msprof_tables", table, FOLDER "fusion_op.csv");
    assert_true(joining_run(j));
}

static void fused_nodes_of_the_profile(void **state)
{
    (void)state;
    struct joining j;
    /* a whole list is a record: no other rule knows better */
    join_fused(&j, MI_LIT("Device_id,Model Name,Model ID,Fusion Op,Original Ops\n"
                          "host,net,1,fused_3,conv1;relu1\nhost,net,1,nobody,sig\n"));
    assert_int_equal(links_to(&j, "fused_3", "recorded"), 2);
    const struct mi_lowered *lowered = &j.model.all.rows.lowered;
    for (uint32_t l = 1; l < lowered->count; l++)
        if (mi_bytes_equal(mi_model_text(&j.model, lowered->rule[l]), MI_LIT("recorded")))
            assert_int_equal(lowered->confidence[l], MI_CERTAIN);
    joining_fini(&j);
    /* a list of 8 may be cut */
    join_fused(&j, MI_LIT("Device_id,Model Name,Model ID,Fusion Op,Original Ops\n"
                          "host,net,1,fused_3,conv1;relu1;c;d;e;f;g;h\n"));
    assert_int_equal(links_to(&j, "fused_3", "recorded"), 0);
    assert_int_equal(links_to(&j, "fused_3", "fusion_notes"), 2);
    joining_fini(&j);
    join_fused(&j, MI_LIT("Device_id,Model Name,Model ID,Fusion Op,Original Ops\n"
                          "host,net,1,nobody,conv1;relu1\n"));
    assert_int_equal(links_to(&j, "fused_3", "recorded"), 0);
    joining_fini(&j);
}

static enum mi_fate fate_of(const struct joining *j, const char *op, uint32_t *tasks)
{
    const struct mi_tables *rows = &j->model.all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        if (mi_bytes_equal(mi_model_text(&j->model, rows->nodes.name[n]), mi_cstr(op))) {
            *tasks = mi_csr_count(&j->model.index.node_tasks, n);
            return (enum mi_fate)rows->fates.fate[j->model.index.fate_of[n]];
        }
    fail_msg("no op %s", op);
    return MI_FATE_UNKNOWN;
}

/* Without any compiled graph the profile still says what was fused. */
static void fused_nodes_without_a_compiled_graph(void **state)
{
    (void)state;
    struct joining j;
    uint32_t tasks;
    joining_init(&j);
    joining_bytes(&j, "tf_graph_text", MI_LIT(FRAMEWORK), "net.pbtxt");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Device_id,Model Name,Model ID,Fusion Op,Original Ops\n"
                         "host,net,1,fused_3,conv1;relu1\nhost,net,1,did_not_run,x;sig\n"),
                  FOLDER "fusion_op.csv");
    joining_bytes(&j, "msprof_csv",
                  MI_LIT("Device_id,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start "
                         "Time(us),Task Duration(us)\n"
                         "0,1,35,fused_3,Conv2D,AI_CORE,1700000000000010.125,20.500\n"),
                  FOLDER "op_summary.csv");
    assert_true(joining_run(&j));
    assert_int_equal(fate_of(&j, "conv1", &tasks), MI_FATE_FUSED_INTO);
    assert_int_equal(tasks, 1);
    assert_int_equal(fate_of(&j, "relu1", &tasks), MI_FATE_FUSED_INTO);
    assert_int_equal(tasks, 0);
    assert_int_equal(fate_of(&j, "sig", &tasks), MI_FATE_NOT_EXECUTED);
    const struct mi_executed *executed = &j.model.all.rows.executed;
    assert_int_equal(executed->count - 1, 1);
    assert_int_equal(executed->confidence[1], MI_LIKELY);
    joining_fini(&j);
}

/* --- too little memory --- */

/* True if it went well with `left` allocations. */
static bool join_with(long left)
{
    struct joining j;
    joining_init(&j);
    joining_bytes(&j, "tf_graph_text", MI_LIT(FRAMEWORK), "net.pbtxt");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Device_id,Model Name,Model ID,Fusion Op,Original Ops\n"
                         "host,net,1,conv,conv1;relu1\n"),
                  FOLDER "fusion_op.csv");
    joining_bytes(&j, "msprof_csv", MI_LIT(OPERATORS), FOLDER "op_summary.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n35,1,0.5,0.1,conv\n"),
                  FOLDER "l2_cache.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("Step,Computing,Communication,Overlapped,Free\n8,60.000,21.000,5.100,1\n"),
                  FOLDER "step_trace_time.csv");
    joining_bytes(&j, "msprof_tables",
                  MI_LIT("OP Type,Core Type,Count,Total Time(us)\nMul,AI_VECTOR_CORE,3,30.000\n"),
                  FOLDER "op_statistic.csv");
    assert_true(mi_model_index_graphs(&j.model, &j.err));
    alloc_left = left;
    bool ok = mi_correlate(&j.model, &j.err);
    alloc_left = -1;
    assert_int_equal(j.err.code, ok ? MI_OK : MI_ENOMEM);
    joining_fini(&j);
    return ok;
}

static void memory_runs_out(void **state)
{
    (void)state;
    long left = 0;
    while (!join_with(left))
        assert_in_range(++left, 1, 100000);
    assert_true(left > 50);
}

/* --- real captures --- */

static void facts_of_real_captures(void **state)
{
    (void)state;
    static const char *const levels[] = {"level0/rank0", "level1/rank0", "level1/rank1",
                                         "level2/rank0"};
    static const struct {
        const char *file, *reader;
    } files[] = {{"kernel_details.csv", "msprof_csv"},
                 {"trace_view.json", "chrome_trace"},
                 {"l2_cache.csv", "msprof_tables"},
                 {"operator_details.csv", "msprof_tables"},
                 {"step_trace_time.csv", "msprof_tables"},
                 {"op_statistic.csv", "msprof_tables"},
                 {"communication.json", "msprof_communication"}};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        struct joining j;
        uint32_t caches = 0, details = 0, collectives = 0;
        joining_init(&j);
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            char path[512];
            snprintf(path, sizeof path,
                     "samples/cann-profiling/pytorch_alexnet_2rank/text/%s_ascend_pt/"
                     "ASCEND_PROFILER_OUTPUT/%s",
                     levels[l], files[f].file);
            if (!joining_file(&j, files[f].reader, shared_path(path)) && f == 0) {
                joining_fini(&j);
                skip();
            }
        }
        assert_true(joining_run(&j));
        const struct mi_notes *notes = &j.model.all.rows.notes;
        for (uint32_t n = 1; n < notes->count; n++) {
            struct mi_bytes kind = mi_model_text(&j.model, notes->kind[n]);
            caches += notes->task[n].v && mi_bytes_equal(kind, MI_LIT("l2_cache"));
            details += notes->slice[n].v && mi_bytes_equal(kind, MI_LIT("operator_details"));
            collectives += notes->task[n].v && mi_bytes_equal(kind, MI_LIT("collective"));
        }
        assert_int_equal(caches, 179);
        assert_int_equal(details, 859);
        assert_int_equal(collectives, l ? 4 : 0); /* level 0 has no such file */
        assert_string_equal(sentence(&j.model, "sums.ops_differ"), "");
        assert_string_equal(sentence(&j.model, "sums.step_differs"), "");
        assert_string_equal(sentence(&j.model, "sums.collectives_differ"), "");
        assert_string_equal(sentence(&j.model, "sums.step_named"), "");
        joining_fini(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_repeated_tasks_follow_their_order),
        cmocka_unit_test(collectives_by_name_and_start),
        cmocka_unit_test(sums_that_differ_are_told),
        cmocka_unit_test(absent_communication_is_not_0),
        cmocka_unit_test(ops_by_order_and_by_time),
        cmocka_unit_test(fused_nodes_of_the_profile),
        cmocka_unit_test(fused_nodes_without_a_compiled_graph),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(facts_of_real_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
