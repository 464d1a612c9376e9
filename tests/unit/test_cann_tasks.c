/* Tasks of Ascend profiles: told once however many tables tell of them, runs numbered, linked to
 * the nodes of an offline model by name and by place in its list of tasks. */
#include "alloc_fail.h"
#include "joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define TIMES_HEADER                                                                               \
    "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)\n"
#define OPS_HEADER                                                                                 \
    "Device_id,Op Name,OP Type,Task Type,Stream ID,Task ID,Task Duration(us),Task Start "          \
    "Time(us)\n"

/* --- a model --- */

enum { CONV = 1, SEND, RECV, RELU, OUTPUT, COPY, COPY_SEND, NODES };

static const struct {
    const char *name, *op;
} nodes[NODES] = {[CONV] = {"conv", "Conv2D"},           [SEND] = {"conv_Send", "Send"},
                  [RECV] = {"relu_Recv", "Recv"},        [RELU] = {"relu", "Relu"},
                  [OUTPUT] = {"out", "NetOutput"},       [COPY] = {"weights", "MemcpyAsync"},
                  [COPY_SEND] = {"weights_Send", "Send"}};

static const struct {
    const char *type;
    enum mi_task_kind kind;
    int64_t stream, node;
} plan[] = {
    {"KERNEL", MI_TASK_COMPUTE, 0, CONV},        {"EVENT_RECORD", MI_TASK_SYNC, 0, SEND},
    {"EVENT_WAIT", MI_TASK_SYNC, 0, RECV},       {"KERNEL", MI_TASK_COMPUTE, 0, RELU},
    {"END_GRAPH", MI_TASK_SYNC, 0, -1},          {"MEMCPY_ASYNC", MI_TASK_TRANSFER, 1, COPY},
    {"EVENT_RECORD", MI_TASK_SYNC, 1, COPY_SEND}};

/* An offline model as its reader leaves it. */
static void add_model(struct joining *j)
{
    struct mi_batch batch;
    struct mi_source_row row = {.path = mi_batch_cstr(&j->model.all, "model.om"),
                                .reader = mi_batch_cstr(&j->model.all, "om")};
    assert_true(mi_batch_init(&batch, (struct mi_bytes){0}, &j->err));
    mi_graph_id graph =
        mi_add_graph(&batch, &(struct mi_graph_row){.layer = MI_LAYER_COMPILED,
                                                    .name = mi_batch_cstr(&batch, "g")});
    for (uint32_t n = 1; n < NODES; n++)
        mi_add_node(&batch, &(struct mi_node_row){.graph = graph,
                                                  .name = mi_batch_cstr(&batch, nodes[n].name),
                                                  .op = mi_batch_cstr(&batch, nodes[n].op),
                                                  .position = n - 1,
                                                  .native_id = n,
                                                  .first_in = 1,
                                                  .first_out = 1,
                                                  .first_attr = 1});
    for (uint32_t p = 0; p < sizeof plan / sizeof *plan; p++)
        mi_add_planned(&batch,
                       &(struct mi_planned_row){.graph = graph,
                                                .position = p,
                                                .type = mi_batch_cstr(&batch, plan[p].type),
                                                .kind = (uint8_t)plan[p].kind,
                                                .stream = plan[p].stream,
                                                .event = strncmp(plan[p].type, "EVENT", 5) ? -1 : 7,
                                                .label = -1,
                                                .op_index = plan[p].node,
                                                .record_offset = -1,
                                                .block_dim = -1});
    mi_source_id source = mi_model_add_source(&j->model, &row, (struct mi_bytes){0}, &j->err);
    assert_true(mi_model_merge(&j->model, source, &batch, &j->err));
}

static void add_table(struct joining *j, const char *text, const char *path)
{
    joining_bytes(j, "msprof_csv", mi_cstr(text), path);
}

static uint32_t find_task(const struct joining *j, int64_t start_raw)
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

static void assert_link(const struct joining *j, int64_t start_raw, const char *node,
                        enum mi_confidence confidence, enum mi_task_by by)
{
    const struct mi_tables *rows = &j->model.all.rows;
    uint32_t task = find_task(j, start_raw), link = j->model.all.rows.tasks.link[task].v;
    assert_int_equal(rows->tasks.by[task], by);
    if (!node) {
        assert_int_equal(link, 0);
        return;
    }
    assert_int_not_equal(link, 0);
    assert_int_equal(rows->executed.confidence[link], confidence);
    struct mi_bytes name = mi_model_text(&j->model, rows->nodes.name[rows->executed.node[link].v]);
    assert_int_equal(name.len, strlen(node));
    assert_memory_equal(name.at, node, name.len);
}

static int64_t diag_times(const struct joining *j, const char *code)
{
    const struct mi_diags *diags = &j->model.all.rows.diags;
    int64_t times = 0;
    for (uint32_t d = 1; d < diags->count; d++)
        if (mi_bytes_equal(mi_model_text(&j->model, diags->code[d]), mi_cstr(code)))
            times += diags->times[d];
    return times;
}

/* --- links --- */

static void names_and_places_find_the_nodes(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_model(&j);
    add_table(&j,
              OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n"
                         "0,relu,Relu,AI_VECTOR_CORE,40,10,5,40\n",
              "p/op_summary.csv");
    add_table(&j,
              TIMES_HEADER "0,N/A,PROFILING_ENABLE,0,1,1,1\n"
                           "0,N/A,MEMCPY_ASYNC,32,0,1,2\n"
                           "0,N/A,MODEL_EXECUTE,32,1,1,5\n"
                           "0,te_conv,AI_CORE,40,7,5,10\n"
                           "0,N/A,EVENT_RECORD,40,8,1,20\n"
                           "0,N/A,EVENT_WAIT,40,9,1,30\n"
                           "0,te_relu,AI_VECTOR_CORE,40,10,5,40\n"
                           "0,N/A,MODEL_END_GRAPH,40,11,1,50\n"
                           "0,N/A,EVENT_RECORD,40,12,1,60\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    assert_int_equal(j.model.all.rows.tasks.count - 1, 9);
    assert_link(&j, 10000, "conv", MI_CERTAIN, MI_BY_NODE);
    assert_link(&j, 20000, "conv_Send", MI_LIKELY, MI_BY_COMPILER);
    assert_link(&j, 30000, "relu_Recv", MI_LIKELY, MI_BY_COMPILER);
    assert_link(&j, 40000, "relu", MI_CERTAIN, MI_BY_NODE);
    assert_link(&j, 50000, "out", MI_GUESS, MI_BY_COMPILER);
    assert_link(&j, 60000, NULL, MI_CONFIDENCE_NONE, MI_BY_COMPILER);
    assert_link(&j, 1000, NULL, MI_CONFIDENCE_NONE, MI_BY_RUNTIME);
    assert_link(&j, 2000, NULL, MI_CONFIDENCE_NONE, MI_BY_APPLICATION);
    assert_link(&j, 5000, NULL, MI_CONFIDENCE_NONE, MI_BY_APPLICATION);
    joining_fini(&j);
}

/* A name that repeats, or a type that contradicts, is no proof. */
static void doubt_is_stated(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_model(&j);
    add_table(&j,
              OPS_HEADER "0,conv,MatMulV2,AI_CORE,40,0,5,10\n"
                         "0,renamed,Relu,AI_VECTOR_CORE,40,3,5,40\n"
                         "0,renamed,Cast,AI_VECTOR_CORE,40,4,5,50\n",
              "p/op_summary.csv");
    assert_true(joining_run(&j));
    const struct mi_tables *rows = &j.model.all.rows;
    assert_link(&j, 10000, "conv", MI_LIKELY, MI_BY_NODE);
    assert_int_not_equal(
        rows->executed.conflict[j.model.all.rows.tasks.link[find_task(&j, 10000)].v].v, 0);
    assert_link(&j, 40000, "relu", MI_GUESS, MI_BY_NODE);
    assert_link(&j, 50000, NULL, MI_CONFIDENCE_NONE, MI_BY_UNKNOWN);
    joining_fini(&j);
}

/* A task that the runtime put between shifts the ids behind it. */
static void runtime_tasks_shift_the_places(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_model(&j);
    add_table(&j,
              OPS_HEADER "0,conv,Conv2D,AI_CORE,40,0,5,10\n"
                         "0,relu,Relu,AI_VECTOR_CORE,40,4,5,50\n",
              "p/op_summary.csv");
    add_table(&j,
              TIMES_HEADER "0,N/A,EVENT_RECORD,40,1,1,20\n"
                           "0,N/A,PROFILER_TRACE,40,2,1,30\n"
                           "0,N/A,EVENT_WAIT,40,3,1,40\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    assert_link(&j, 20000, "conv_Send", MI_LIKELY, MI_BY_COMPILER);
    assert_link(&j, 30000, NULL, MI_CONFIDENCE_NONE, MI_BY_RUNTIME);
    assert_link(&j, 40000, "relu_Recv", MI_LIKELY, MI_BY_COMPILER);
    joining_fini(&j);
}

/* What stands between a known task and the end is held by the end, where the list ends there as
 * well, or another stream goes on with it. */
static void ends_of_lists_hold_places(void **state)
{
    (void)state;
    static const struct {
        const char *times;
        enum mi_confidence record, wait, end;
    } cases[] = {
        /* one stream up to its end; one task too many; the end is missing */
        {"0,N/A,EVENT_RECORD,40,8,1,20\n0,N/A,EVENT_WAIT,40,9,1,30\n"
         "0,te_relu,AI_VECTOR_CORE,40,10,5,40\n0,N/A,MODEL_END_GRAPH,40,11,1,50\n",
         MI_LIKELY, MI_LIKELY, MI_LIKELY},
        {"0,N/A,EVENT_RECORD,40,8,1,20\n0,N/A,EVENT_WAIT,40,9,1,30\n"
         "0,te_relu,AI_VECTOR_CORE,40,10,5,40\n0,N/A,MODEL_END_GRAPH,40,11,1,50\n"
         "0,N/A,EVENT_RECORD,40,12,1,60\n",
         MI_GUESS, MI_GUESS, MI_GUESS},
        {"0,N/A,EVENT_RECORD,40,8,1,20\n0,N/A,EVENT_WAIT,40,9,1,30\n", MI_GUESS, MI_GUESS, 0},
        /* split in front of the wait; the same where the wait was lost */
        {"0,N/A,EVENT_RECORD,40,8,1,20\n0,N/A,EVENT_WAIT,41,0,1,30\n"
         "0,te_relu,AI_VECTOR_CORE,41,1,5,40\n0,N/A,MODEL_END_GRAPH,41,2,1,50\n",
         MI_LIKELY, MI_LIKELY, MI_LIKELY},
        {"0,N/A,EVENT_RECORD,40,8,1,20\n0,te_relu,AI_VECTOR_CORE,41,1,5,40\n"
         "0,N/A,MODEL_END_GRAPH,41,2,1,50\n",
         MI_GUESS, 0, MI_LIKELY},
        /* pieces of two devices do not go on with each other */
        {"0,N/A,EVENT_RECORD,40,8,1,20\n1,N/A,EVENT_WAIT,41,0,1,30\n"
         "1,te_relu,AI_VECTOR_CORE,41,1,5,40\n",
         MI_GUESS, MI_GUESS, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct joining j;
        char times[512], ops[512];
        /* the second piece knows its place by relu */
        const char *relu = strstr(cases[i].times, "te_relu");
        bool is_split = strstr(cases[i].times, ",41,") != NULL;
        snprintf(ops, sizeof ops, OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n%s",
                 !relu || !is_split ? ""
                 : relu[-2] == '1'  ? "1,relu,Relu,AI_VECTOR_CORE,41,1,5,40\n"
                                    : "0,relu,Relu,AI_VECTOR_CORE,41,1,5,40\n");
        snprintf(times, sizeof times, TIMES_HEADER "%s", cases[i].times);
        joining_init(&j);
        add_model(&j);
        add_table(&j, ops, "p/op_summary.csv");
        add_table(&j, times, "p/task_time.csv");
        assert_true(joining_run(&j));
        assert_link(&j, 20000, "conv_Send", cases[i].record, MI_BY_COMPILER);
        if (cases[i].wait)
            assert_link(&j, 30000, "relu_Recv", cases[i].wait, MI_BY_COMPILER);
        if (cases[i].end)
            assert_link(&j, 50000, "out", cases[i].end, MI_BY_COMPILER);
        const struct mi_signals *signals = &j.model.all.rows.signals;
        for (uint32_t s = 1; s < signals->count; s++)
            assert_int_equal(signals->confidence[s], cases[i].record);
        joining_fini(&j);
    }
}

/* A stream of the model without any kernel has no name to go by; the program's own copies look the
 * same, but record no event or start a model. */
static void streams_of_copies_are_found_by_their_types(void **state)
{
    (void)state;
    static const char own[] = "0,N/A,MEMCPY_ASYNC,40,5,1,20\n0,N/A,EVENT_RECORD,40,6,1,30\n";
    static const struct {
        const char *others; /* tasks on other streams */
        bool is_found;
    } cases[] = {{"", true},
                 {"0,N/A,MEMCPY_ASYNC,32,0,1,2\n0,N/A,MEMCPY_ASYNC,32,1,1,3\n", true},
                 {"0,N/A,MEMCPY_ASYNC,32,0,1,2\n0,N/A,EVENT_RECORD,32,1,1,3\n"
                  "0,N/A,MODEL_EXECUTE,32,2,1,5\n",
                  true},
                 {"0,N/A,MEMCPY_ASYNC,32,0,1,2\n0,N/A,EVENT_RECORD,32,1,1,3\n", false},
                 {"1,N/A,MEMCPY_ASYNC,40,0,1,2\n1,N/A,EVENT_RECORD,40,1,1,3\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct joining j;
        char text[512];
        joining_init(&j);
        add_model(&j);
        snprintf(text, sizeof text, TIMES_HEADER "%s%s", own, cases[i].others);
        add_table(&j, text, "p/task_time.csv");
        assert_true(joining_run(&j));
        if (cases[i].is_found) {
            assert_link(&j, 20000, "weights", MI_LIKELY, MI_BY_COMPILER);
            assert_link(&j, 30000, "weights_Send", MI_LIKELY, MI_BY_COMPILER);
        } else {
            assert_link(&j, 20000, NULL, MI_CONFIDENCE_NONE, MI_BY_APPLICATION);
        }
        if (i && cases[i].others[0] == '0')
            assert_link(&j, 2000, NULL, MI_CONFIDENCE_NONE, MI_BY_APPLICATION);
        joining_fini(&j);
    }
}

/* --- signals --- */

/* Of the three runs the second lost its record and the third its wait; nothing shifts. */
static void records_and_waits_pair_by_run(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_model(&j);
    add_table(&j,
              OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n0,relu,Relu,AI_VECTOR_CORE,40,10,5,40\n"
                         "0,conv,Conv2D,AI_CORE,40,7,5,110\n0,relu,Relu,AI_CORE,40,10,5,140\n"
                         "0,conv,Conv2D,AI_CORE,40,7,5,210\n0,relu,Relu,AI_CORE,40,10,5,240\n",
              "p/op_summary.csv");
    add_table(&j,
              TIMES_HEADER "0,N/A,EVENT_RECORD,40,8,1,20\n0,N/A,EVENT_WAIT,40,9,1,30\n"
                           "0,N/A,EVENT_WAIT,40,9,1,130\n"
                           "0,N/A,EVENT_RECORD,40,8,1,220\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    const struct mi_signals *signals = &j.model.all.rows.signals;
    assert_int_equal(signals->count - 1, 1);
    assert_int_equal(signals->record[1].v, find_task(&j, 20000));
    assert_int_equal(signals->wait[1].v, find_task(&j, 30000));
    assert_int_equal(signals->confidence[1], MI_LIKELY);
    joining_fini(&j);
}

/* Two devices that run one model signal within themselves. */
static void records_and_waits_pair_by_device(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_model(&j);
    add_table(&j,
              OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n"
                         "1,conv,Conv2D,AI_CORE,40,7,5,11\n",
              "p/op_summary.csv");
    add_table(&j,
              TIMES_HEADER "0,N/A,EVENT_RECORD,40,8,1,20\n1,N/A,EVENT_RECORD,40,8,1,21\n"
                           "0,N/A,EVENT_WAIT,40,9,1,32\n1,N/A,EVENT_WAIT,40,9,1,31\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    const struct mi_signals *signals = &j.model.all.rows.signals;
    assert_int_equal(signals->count - 1, 2);
    for (uint32_t s = 1; s < signals->count; s++) {
        bool is_first = signals->record[s].v == find_task(&j, 20000);
        assert_int_equal(signals->wait[s].v, find_task(&j, is_first ? 32000 : 31000));
        assert_int_equal(signals->confidence[s], MI_GUESS); /* known on one side only */
    }
    assert_int_not_equal(signals->record[1].v, signals->record[2].v);
    joining_fini(&j);
}

/* Without a plan the time says it, where only one stream comes into question. */
static void waits_that_blocked_guess_their_record(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_table(&j,
              TIMES_HEADER "0,N/A,EVENT_RECORD,2,1,0.02,100\n" /* ends 400 ns before ... */
                           "0,N/A,EVENT_WAIT,3,1,50.42,50\n"   /* ... this wait */
                           "0,N/A,EVENT_RECORD,2,2,0.02,200\n" /* two streams at once: */
                           "0,N/A,EVENT_RECORD,4,1,0.02,200.1\n"
                           "0,N/A,EVENT_WAIT,3,2,50.42,150\n" /* no guess */
                           "0,N/A,EVENT_RECORD,2,3,0.02,300\n"
                           "0,N/A,EVENT_WAIT,3,3,0.02,300.4\n" /* did not block */
                           "1,N/A,EVENT_WAIT,3,1,50.42,50\n",  /* another device */
              "p/task_time.csv");
    assert_true(joining_run(&j));
    const struct mi_signals *signals = &j.model.all.rows.signals;
    assert_int_equal(signals->count - 1, 1);
    assert_int_equal(signals->record[1].v, find_task(&j, 100000));
    assert_int_equal(j.model.all.rows.tasks.dur_ns[signals->wait[1].v], 50420);
    assert_int_equal(signals->confidence[1], MI_GUESS);
    joining_fini(&j);
}

/* --- twins --- */

static void tables_join_to_one_truth(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_table(&j,
              TIMES_HEADER "0,te_conv,KERNEL_AICORE,40,7,5,10\n0,te_conv,KERNEL_AICORE,40,7,5,10\n"
                           "0,N/A,KERNEL_AICORE,40,8,5,20\n0,N/A,EVENT_WAIT,40,9,5,30\n",
              "x/PROF_1/task_time.csv");
    add_table(&j, OPS_HEADER "0,conv,Conv2D,N/A,40,7,5,10\n0,relu,Relu,AI_VECTOR_CORE,40,8,6,20\n",
              "x/PROF_1/deep/op_summary.csv");
    add_table(&j, OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n", "x/PROF_2/op_summary.csv");
    assert_true(joining_run(&j));
    const struct mi_tables *rows = &j.model.all.rows;
    assert_int_equal(rows->tasks.count - 1, 4);
    assert_int_equal(rows->tracks.count - 1, 2); /* stream 40 of each collection */
    assert_int_equal(rows->clocks.count - 1, 2);
    assert_int_equal(diag_times(&j, "msprof.task_twice"), 2);
    assert_int_equal(diag_times(&j, "msprof.row_twice"), 1);
    assert_int_equal(diag_times(&j, "msprof.tables_differ"), 1);
    for (uint32_t s = 1; s < rows->sources.count; s++)
        assert_int_equal(rows->sources.records_in[s], rows->sources.records_kept[s] +
                                                          rows->sources.records_skipped[s] +
                                                          rows->sources.records_lost[s]);
    assert_int_equal(rows->sources.records_kept[1], 1);
    uint32_t relu = rows->tasks.kernel[find_task(&j, 20000)].v;
    assert_true(mi_bytes_equal(mi_model_text(&j.model, rows->kernels.name[relu]), MI_LIT("relu")));
    assert_int_equal(rows->tasks.dur_ns[find_task(&j, 20000)], 6000);
    bool has_symbol = false; /* of the conv whose type op_summary did not know */
    for (uint32_t k = 1; k < rows->kernels.count; k++)
        has_symbol |=
            mi_bytes_equal(mi_model_text(&j.model, rows->kernels.name[k]), MI_LIT("te_conv")) &&
            mi_bytes_equal(mi_model_text(&j.model, rows->kernels.engine[k]), MI_LIT("AI_CORE"));
    assert_true(has_symbol);
    joining_fini(&j);
}

/* --- runs --- */

static uint32_t run_at(const struct joining *j, int64_t start_raw)
{
    return j->model.all.rows.tasks.run[find_task(j, start_raw)];
}

static void repeating_tasks_number_the_runs(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_table(&j,
              TIMES_HEADER "0,N/A,MEMCPY_ASYNC,32,0,1,1\n"
                           "0,N/A,MODEL_EXECUTE,32,1,1,3\n"
                           "0,a,AI_CORE,40,0,1,10\n0,b,AI_CORE,40,1,1,20\n"
                           "0,c,AI_CORE,41,0,1,1012\n" /* another clock */
                           "0,N/A,MEMCPY_ASYNC,32,2,1,30\n"
                           "0,N/A,MEMCPY_ASYNC,32,3,1,95\n"
                           "0,N/A,MODEL_EXECUTE,32,4,1,100\n"
                           "0,a,AI_CORE,40,0,1,110\n0,b,AI_CORE,40,1,1,120\n"
                           "0,N/A,MEMCPY_ASYNC,32,5,1,130\n"
                           "0,N/A,MEMCPY_ASYNC,32,6,1,215\n"
                           "0,N/A,MODEL_EXECUTE,32,7,1,220\n"
                           "0,a,AI_CORE,40,0,1,230\n0,b,AI_CORE,40,1,1,240\n"
                           "0,c,AI_CORE,41,0,1,1232\n", /* that of run 1 was lost */
              "p/task_time.csv");
    assert_true(joining_run(&j));
    assert_int_equal(run_at(&j, 20000), 0);
    assert_int_equal(run_at(&j, 110000), 1);
    assert_int_equal(run_at(&j, 240000), 2);
    assert_int_equal(run_at(&j, 1012000), 0);
    assert_int_equal(run_at(&j, 1232000), 2);
    assert_int_equal(run_at(&j, 1000), 0);
    assert_int_equal(run_at(&j, 30000), 0);
    assert_int_equal(run_at(&j, 95000), 1);
    assert_int_equal(run_at(&j, 100000), 1);
    assert_int_equal(run_at(&j, 130000), 1);
    assert_int_equal(run_at(&j, 215000), 2);
    joining_fini(&j);
}

/* The first start of the model was lost: the others still belong to the runs that they started. */
static void a_lost_start_shifts_no_run(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_table(&j,
              TIMES_HEADER "0,N/A,MEMCPY_ASYNC,32,0,1,1\n"
                           "0,a,AI_CORE,40,0,1,10\n0,b,AI_CORE,40,1,1,20\n"
                           "0,N/A,MEMCPY_ASYNC,32,2,1,30\n"
                           "0,N/A,MEMCPY_ASYNC,32,3,1,95\n"
                           "0,N/A,MODEL_EXECUTE,32,4,1,100\n"
                           "0,a,AI_CORE,40,0,1,110\n0,b,AI_CORE,40,1,1,120\n"
                           "0,N/A,MEMCPY_ASYNC,32,5,1,130\n"
                           "0,N/A,MODEL_EXECUTE,32,7,1,320\n"
                           "0,a,AI_CORE,40,0,1,330\n0,b,AI_CORE,40,1,1,340\n"
                           "0,N/A,MEMCPY_ASYNC,32,8,1,350\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    assert_int_equal(run_at(&j, 1000), 0);
    assert_int_equal(run_at(&j, 30000), 0);
    assert_int_equal(run_at(&j, 95000), 1);
    assert_int_equal(run_at(&j, 100000), 1);
    assert_int_equal(run_at(&j, 110000), 1);
    assert_int_equal(run_at(&j, 130000), 1);
    assert_int_equal(run_at(&j, 320000), 2);
    assert_int_equal(run_at(&j, 350000), 2);
    joining_fini(&j);
}

/* Ids of eager tasks go on and wrap: no run begins there. */
static void a_wrap_is_no_run(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_table(&j,
              TIMES_HEADER "0,a,AI_CORE,2,65534,1,10\n0,b,AI_CORE,2,65535,1,20\n"
                           "0,c,AI_CORE,2,0,1,30\n0,d,AI_CORE,2,1,1,40\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    assert_int_equal(run_at(&j, 40000), 0);
    joining_fini(&j);
}

/* Where ids have 32 bits they do not wrap: a fall from beyond 65536 begins the next run. */
static void wide_ids_do_not_wrap(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_table(&j,
              TIMES_HEADER "0,a,AI_CORE,2,0,1,10\n0,b,AI_CORE,2,65535,1,20\n"
                           "0,c,AI_CORE,2,65536,1,30\n0,d,AI_CORE,2,112502,1,40\n"
                           "0,a,AI_CORE,2,0,1,50\n0,b,AI_CORE,2,65535,1,60\n"
                           "0,c,AI_CORE,2,65536,1,70\n0,d,AI_CORE,2,112502,1,80\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    assert_int_equal(run_at(&j, 40000), 0);
    assert_int_equal(run_at(&j, 50000), 1);
    assert_int_equal(run_at(&j, 80000), 1);
    joining_fini(&j);
}

/* Short tasks that an inexact clock has swapped begin no run; the same ids again do. */
static void a_swap_is_no_run(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    add_table(&j,
              TIMES_HEADER "0,a,AI_CORE,2,0,1,10\n0,b,AI_CORE,2,2,0.02,20\n"
                           "0,c,AI_CORE,2,1,0.02,20.4\n0,d,AI_CORE,2,3,1,30\n"
                           "0,c,AI_CORE,2,1,0.02,90\n0,a,AI_CORE,2,0,1,90.5\n"
                           "0,d,AI_CORE,2,3,1,100\n",
              "p/task_time.csv");
    assert_true(joining_run(&j));
    assert_int_equal(run_at(&j, 20400), 0);
    assert_int_equal(run_at(&j, 30000), 0);
    assert_int_equal(run_at(&j, 90000), 1);
    assert_int_equal(run_at(&j, 90500), 1);
    assert_int_equal(run_at(&j, 100000), 1);
    joining_fini(&j);
}

/* Two tables by one profiler: every kernel once, however they are given. */
static void a_real_capture_has_no_runs(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    if (!joining_file(&j, "msprof_csv",
                      shared_path("samples/cann-profiling/pytorch_alexnet_2rank/text/level1/"
                                  "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv")))
        skip();
    assert_true(joining_run(&j));
    const struct mi_tasks *tasks = &j.model.all.rows.tasks;
    assert_int_equal(tasks->count - 1, 191);
    for (uint32_t t = 1; t < tasks->count; t++)
        assert_int_equal(tasks->run[t], 0);
    assert_int_equal(j.model.start_unix_ns, INT64_C(1736408883704643212));
    joining_fini(&j);
}

/* --- too little memory --- */

/* True if it went well with `left` allocations. */
static bool join_with(long left)
{
    struct joining j;
    joining_init(&j);
    add_model(&j);
    add_table(&j,
              OPS_HEADER "0,conv,Conv2D,AI_CORE,40,7,5,10\n0,no,Relu,AI_VECTOR_CORE,40,10,5,40\n"
                         "0,conv,Conv2D,AI_CORE,40,7,5,90\n",
              "p/op_summary.csv");
    add_table(&j,
              TIMES_HEADER "0,N/A,MODEL_EXECUTE,32,1,1,5\n0,k,AI_CORE,40,7,5,10\n"
                           "0,N/A,EVENT_RECORD,40,8,1,20\n0,N/A,EVENT_WAIT,40,9,1,30\n",
              "p/task_time.csv");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_places_find_the_nodes),
        cmocka_unit_test(doubt_is_stated),
        cmocka_unit_test(runtime_tasks_shift_the_places),
        cmocka_unit_test(ends_of_lists_hold_places),
        cmocka_unit_test(streams_of_copies_are_found_by_their_types),
        cmocka_unit_test(records_and_waits_pair_by_run),
        cmocka_unit_test(records_and_waits_pair_by_device),
        cmocka_unit_test(waits_that_blocked_guess_their_record),
        cmocka_unit_test(tables_join_to_one_truth),
        cmocka_unit_test(repeating_tasks_number_the_runs),
        cmocka_unit_test(a_lost_start_shifts_no_run),
        cmocka_unit_test(a_wrap_is_no_run),
        cmocka_unit_test(wide_ids_do_not_wrap),
        cmocka_unit_test(a_swap_is_no_run),
        cmocka_unit_test(a_real_capture_has_no_runs),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
