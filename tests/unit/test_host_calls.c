/* The host side of profiles: nesting of calls, launches of tasks, ops that asked for them, and the
 * graphs that are made of an eager run. Times are small enough to check on paper. */
#include "correlate/cann/cann_tables.h"
#include "correlate/host/host.h"
#include "correlate/verdict.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct host {
    struct hand hand;
    struct mi_tables *rows;
    uint32_t stream;
};

static void host_init(struct host *h)
{
    hand_init(&h->hand);
    h->rows = &h->hand.model.all.rows;
    h->rows->sources.collection[1] = 1;
    h->stream = hand_track(&h->hand, "stream 2", 2);
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        assert_true(mi_table_reserve(h->rows, (enum mi_table_no)t, 0));
}

static uint32_t add_thread(struct host *h, int64_t number)
{
    uint32_t track = hand_track(&h->hand, "thread", number);
    h->rows->tracks.kind[track] = MI_TRACK_THREAD;
    return track;
}

static uint32_t add_call(struct host *h, uint32_t track, const char *category, const char *name,
                         int64_t start_ns, int64_t end_ns, uint32_t connection)
{
    return mi_add_slice(&h->hand.model.all,
                        &(struct mi_slice_row){.track = {track},
                                               .name = hand_str(&h->hand, name),
                                               .category = hand_str(&h->hand, category),
                                               .connection = connection,
                                               .correlation = MI_NO_CONNECTION,
                                               .start_raw = start_ns,
                                               .start_ns = start_ns,
                                               .dur_ns = end_ns - start_ns,
                                               .record_offset = -1})
        .v;
}

static uint32_t add_queue(struct host *h, uint32_t track, const char *name, int64_t start_ns,
                          int64_t end_ns, uint32_t correlation)
{
    uint32_t s = add_call(h, track, "queue", name, start_ns, end_ns, MI_NO_CONNECTION);
    h->rows->slices.correlation[s] = mi_some_of(correlation);
    return s;
}

static uint32_t add_task(struct host *h, const char *name, enum mi_task_kind kind, int64_t start_ns,
                         uint32_t connection)
{
    uint32_t task = hand_task(&h->hand, h->stream, name, kind, 0, start_ns, 5, 0);
    h->rows->tasks.connection[task] = mi_some_of(connection);
    h->rows->kernels.model[h->rows->tasks.kernel[task].v] = UINT32_MAX;
    return task;
}

static void add_flow(struct host *h, const char *category, uint32_t from, uint32_t task)
{
    mi_add_flow(&h->hand.model.all, &(struct mi_flow_row){.category = hand_str(&h->hand, category),
                                                          .from_slice = {from},
                                                          .to_task = {task}});
}

static void add_step(struct host *h, int64_t number, int64_t start_ns, int64_t dur_ns)
{
    mi_add_window(&h->hand.model.all, &(struct mi_window_row){.source = h->hand.source,
                                                              .kind = hand_str(&h->hand, "step"),
                                                              .number = number,
                                                              .model = -1,
                                                              .device = -1,
                                                              .start_raw = start_ns,
                                                              .start_ns = start_ns,
                                                              .dur_ns = dur_ns});
}

static void join_all(struct host *h)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_model *model = &h->hand.model;
    assert_true(mi_model_index_graphs(model, &err));
    assert_true(mi_host_nest(model, &err) && mi_host_launches(model, &err) &&
                mi_host_launches_of_models(model, &err) && mi_host_number_steps(model, &err) &&
                mi_host_make_graphs(model, &err));
}

/* --- nesting --- */

static void calls_lie_in_the_innermost_that_encloses_them(void **state)
{
    (void)state;
    struct host h;
    host_init(&h);
    uint32_t python = add_thread(&h, 7), cann = add_thread(&h, 7), other = add_thread(&h, 8);
    uint32_t op = add_call(&h, python, "op", "aten::add", 10, 90, MI_NO_CONNECTION);
    uint32_t touching = add_call(&h, python, "op", "aten::mul", 90, 95, MI_NO_CONNECTION);
    uint32_t node = add_call(&h, cann, "node", "launch", 20, 40, 5);
    uint32_t acl = add_call(&h, cann, "acl", "aclnnAdd", 20, 40, 4);   /* of one extent: outside */
    uint32_t late = add_call(&h, cann, "acl", "aclnnLate", 30, 60, 6); /* overlaps acl */
    uint32_t inner = add_call(&h, cann, "runtime", "launch", 50, 55, 9);
    uint32_t beside = add_call(&h, other, "acl", "aclnnOther", 20, 40, 7);
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_host_nest(&h.hand.model, &err));
    const struct mi_slices *slices = &h.rows->slices;
    assert_int_equal(slices->parent[op].v, 0);
    assert_int_equal(slices->parent[touching].v, 0);
    assert_int_equal(slices->parent[acl].v, op);
    assert_int_equal(slices->parent[node].v, acl);
    assert_int_equal(slices->parent[late].v, op);
    assert_int_equal(slices->parent[inner].v, late);
    assert_int_equal(slices->parent[beside].v, 0);
    hand_fini(&h.hand);
}

/* --- launches --- */

static void ids_and_arrows_tell_the_launch(void **state)
{
    (void)state;
    struct host h;
    host_init(&h);
    uint32_t thread = add_thread(&h, 7);
    uint32_t runtime = add_call(&h, thread, "runtime", "KernelLaunch", 11, 12, 5);
    uint32_t node = add_call(&h, thread, "node", "launch", 10, 20, 5);
    uint32_t zero = add_call(&h, thread, "acl", "aclrtMemcpyAsync", 30, 40, 0);
    uint32_t op = add_call(&h, thread, "op", "aten::relu", 50, 60, MI_NO_CONNECTION);
    uint32_t kernel = add_task(&h, "k", MI_TASK_COMPUTE, 100, 5);
    uint32_t second = add_task(&h, "k2", MI_TASK_COMPUTE, 110, 5);
    uint32_t copy = add_task(&h, "copy", MI_TASK_TRANSFER, 120, 0); /* 0 is an id like any other */
    uint32_t none = add_task(&h, "none", MI_TASK_COMPUTE, 130, MI_NO_CONNECTION);
    uint32_t drawn = add_task(&h, "drawn", MI_TASK_COMPUTE, 140, 99);
    uint32_t part = add_task(&h, "part", MI_TASK_TRANSFER, 141, MI_NO_CONNECTION);
    h.rows->tasks.parent[part].v = drawn;
    add_flow(&h, "fwdbwd", node, none);
    add_flow(&h, "async_npu", op, drawn);
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_host_launches(&h.hand.model, &err));
    const mi_slice_id *launch = h.rows->tasks.launch;
    assert_int_not_equal(launch[kernel].v, runtime);
    assert_int_equal(launch[kernel].v, node);
    assert_int_equal(launch[second].v, node);
    assert_int_equal(launch[copy].v, zero);
    assert_int_equal(launch[none].v, 0);
    assert_int_equal(launch[drawn].v, op);
    assert_int_equal(launch[part].v, op);
    hand_fini(&h.hand);
}

/* The same ids in another rank mean other calls; ids far apart are found as well. */
static void ids_count_within_a_collection(void **state)
{
    (void)state;
    struct host h;
    host_init(&h);
    struct mi_source_row row = {.path = hand_str(&h.hand, "b"), .reader = hand_str(&h.hand, "r")};
    uint32_t source = mi_model_add_source(&h.hand.model, &row, (struct mi_bytes){0}, NULL).v;
    h.rows->sources.collection[source] = 2;
    uint32_t here = add_thread(&h, 7), there = add_thread(&h, 7);
    h.rows->tracks.source[there].v = source;
    uint32_t a = add_call(&h, here, "node", "launch", 10, 20, 5);
    uint32_t b = add_call(&h, there, "node", "launch", 10, 20, 5);
    uint32_t far = add_call(&h, there, "node", "launch", 30, 40, 4000000000U);
    uint32_t t1 = add_task(&h, "k", MI_TASK_COMPUTE, 100, 5);
    uint32_t t2 = add_task(&h, "k", MI_TASK_COMPUTE, 100, 5);
    uint32_t t3 = add_task(&h, "k", MI_TASK_COMPUTE, 100, 4000000000U);
    uint32_t t4 = add_task(&h, "k", MI_TASK_COMPUTE, 100, 4000000000U);
    h.rows->kernels.source[h.rows->tasks.kernel[t2].v].v = source;
    h.rows->kernels.source[h.rows->tasks.kernel[t3].v].v = source;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_host_launches(&h.hand.model, &err));
    assert_int_equal(h.rows->tasks.launch[t1].v, a);
    assert_int_equal(h.rows->tasks.launch[t2].v, b);
    assert_int_equal(h.rows->tasks.launch[t3].v, far);
    assert_int_equal(h.rows->tasks.launch[t4].v, 0);
    assert_true(mi_host_nest(&h.hand.model, &err));
    assert_int_equal(h.rows->slices.parent[b].v, 0); /* not in the call of the other rank */
    hand_fini(&h.hand);
}

/* Launched when the model was loaded; executed three times. */
static void executions_launch_the_runs_of_a_model(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        struct host h;
        host_init(&h);
        uint32_t thread = add_thread(&h, 7), executes[3], tasks[3];
        uint32_t load = add_call(&h, thread, "node", "launch", 10, 20, 5);
        for (uint32_t i = 0; i < 3; i++) {
            executes[i] = add_call(&h, thread, "model", "ModelExecute", 100 + 100 * i,
                                   150 + 100 * i, MI_NO_CONNECTION);
            h.rows->slices.item[executes[i]] = hand_str(&h.hand, "1");
        }
        for (uint32_t i = 0; i < 3 - (uint32_t)lost; i++) {
            tasks[i] = add_task(&h, "k", MI_TASK_COMPUTE, 110 + 100 * i, 5);
            h.rows->kernels.model[h.rows->tasks.kernel[tasks[i]].v] = 1;
            h.rows->tasks.run[tasks[i]] = i;
        }
        uint32_t eager = add_task(&h, "e", MI_TASK_COMPUTE, 400, 5);
        join_all(&h);
        for (uint32_t i = 0; i < 3 - (uint32_t)lost; i++)
            assert_int_equal(h.rows->tasks.launch[tasks[i]].v, lost ? load : executes[i]);
        assert_int_equal(h.rows->tasks.launch[eager].v, load);
        hand_fini(&h.hand);
    }
}

/* --- ops --- */

static const struct mi_node_row *node_called(const struct host *h, const char *name)
{
    static struct mi_node_row row;
    const struct mi_nodes *nodes = &h->rows->nodes;
    for (uint32_t n = 1; n < nodes->count; n++)
        if (mi_bytes_equal(mi_model_text(&h->hand.model, nodes->name[n]), mi_cstr(name))) {
            row = (struct mi_node_row){.graph = nodes->graph[n], .op = nodes->op[n]};
            row.native_id = n; /* its row */
            return &row;
        }
    fail_msg("there is no node %s", name);
    return NULL;
}

static uint32_t linked_op(const struct host *h, uint32_t compiled, enum mi_confidence *confidence)
{
    const struct mi_lowered *links = &h->rows->lowered;
    uint32_t op = 0;
    for (uint32_t r = 1; r < links->count; r++)
        if (links->compiled[r].v == compiled) {
            assert_int_equal(op, 0);
            op = links->framework[r].v;
            *confidence = (enum mi_confidence)links->confidence[r];
        }
    return op;
}

static uint32_t node_of_task(const struct host *h, uint32_t task)
{
    const struct mi_executed *links = &h->rows->executed;
    for (uint32_t r = 1; r < links->count; r++)
        assert_int_not_equal(links->task[r].v, task); /* no second link */
    return links->node[h->rows->tasks.link[task].v].v;
}

/* A step with an op whose kernel goes through the queue and one whose kernel does not. */
static void add_eager_step(struct host *h, const uint32_t *threads, int64_t at, uint32_t id,
                           uint32_t *tasks)
{
    uint32_t main_thread = threads[0], worker = threads[1];
    add_call(h, main_thread, "python", "nn.Module: Net_0", at, at + 90, MI_NO_CONNECTION);
    add_call(h, main_thread, "op", "aten::linear", at + 1, at + 30, MI_NO_CONNECTION);
    add_call(h, main_thread, "op", "aten::addmm", at + 2, at + 20, MI_NO_CONNECTION);
    add_queue(h, main_thread, "Enqueue", at + 3, at + 4, id);
    add_queue(h, worker, "Dequeue@aclnnAddmm", at + 40, at + 60, id);
    add_call(h, worker, "acl", "aclnnAddmm", at + 41, at + 59, id + 1);
    uint32_t launch = add_call(h, worker, "node", "launch", at + 42, at + 50, id + 2);
    h->rows->slices.item[launch] = hand_str(&h->hand, "aclnnAddmm_MatMulAiCore_MatMulV2");
    add_call(h, main_thread, "op", "aten::view", at + 31, at + 33, MI_NO_CONNECTION);
    add_call(h, main_thread, "op", "aten::copy_", at + 34, at + 60, MI_NO_CONNECTION);
    add_call(h, main_thread, "acl", "aclrtMemcpyAsync", at + 35, at + 50, id + 3);
    tasks[0] = add_task(h, "aclnnAddmm_MatMulAiCore_MatMulV2", MI_TASK_COMPUTE, at + 60, id + 2);
    tasks[1] = add_task(h, "MEMCPY_ASYNC", MI_TASK_TRANSFER, at + 70, id + 3);
    tasks[2] = add_task(h, "EVENT_RECORD", MI_TASK_SYNC, at + 75, MI_NO_CONNECTION);
    h->rows->kernels.op[h->rows->tasks.kernel[tasks[0]].v] = MI_NO_STR;
}

static void an_eager_run_has_three_layers(void **state)
{
    (void)state;
    struct host h;
    host_init(&h);
    uint32_t threads[2] = {add_thread(&h, 7), add_thread(&h, 8)}, first[3], second[3], third[3];
    add_step(&h, 1, 0, 100);
    add_step(&h, 2, 100, 100);
    add_step(&h, 3, 200, 100);
    add_eager_step(&h, threads, 0, 1000, first);
    add_eager_step(&h, threads, 100, 2000, second);
    add_eager_step(&h, threads, 200, 3000, third);
    add_call(&h, threads[0], "op", "aten::more", 293, 296, MI_NO_CONNECTION);
    uint32_t missing = add_call(&h, threads[0], "node", "launch", 294, 295, 3009);
    h.rows->slices.item[missing] = hand_str(&h.hand, "aclnnMore_More_More");
    join_all(&h);
    enum mi_confidence sure = MI_CONFIDENCE_NONE;
    uint32_t addmm = (uint32_t)node_called(&h, "Net_0/aten::linear/aten::addmm")->native_id;
    uint32_t copy = (uint32_t)node_called(&h, "Net_0/aten::copy_")->native_id;
    uint32_t matmul = node_of_task(&h, first[0]);
    assert_int_equal(matmul, node_called(&h, "aclnnAddmm_MatMulAiCore_MatMulV2")->native_id);
    assert_int_equal(node_of_task(&h, second[0]), matmul); /* the same call of the next step */
    assert_int_equal(node_of_task(&h, third[0]), matmul);
    assert_int_equal(linked_op(&h, matmul, &sure), addmm);
    assert_int_equal(sure, MI_LIKELY); /* nobody but the nesting says so */
    assert_int_equal(linked_op(&h, node_of_task(&h, second[1]), &sure), copy);
    assert_int_equal(node_of_task(&h, first[2]), 0); /* an event is no work */
    struct mi_bytes op = mi_model_text(&h.hand.model, h.rows->nodes.op[matmul]);
    assert_true(mi_bytes_equal(op, MI_LIT("MatMulV2")));
    assert_int_equal(h.rows->graphs.count - 1, 2);
    assert_int_equal(h.rows->nodes.count - 1, 4 + 3); /* addmm, view, copy_, more */
    assert_int_equal(h.rows->tasks.run[first[0]], 0);
    assert_int_equal(h.rows->tasks.run[third[1]], 2);
    uint32_t view = (uint32_t)node_called(&h, "Net_0/aten::view")->native_id;
    uint32_t more = (uint32_t)node_called(&h, "aten::more")->native_id;
    unsigned reasons[2] = {0};
    for (uint32_t f = 1; f < h.rows->fates.count; f++)
        if (h.rows->fates.node[f].v == view || h.rows->fates.node[f].v == more)
            reasons[h.rows->fates.node[f].v == more] = h.rows->fates.reason[f];
    assert_int_equal(reasons[0], MI_REASON_NO_TASK);
    assert_int_equal(reasons[1], MI_REASON_NOT_CAPTURED);
    hand_fini(&h.hand);
}

/* What the profiler states makes a link certain; if the calls say otherwise it is less. */
static void statements_are_compared(void **state)
{
    (void)state;
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        struct host h;
        host_init(&h);
        uint32_t threads[2] = {add_thread(&h, 7), add_thread(&h, 8)}, tasks[3];
        add_eager_step(&h, threads, 0, 1000, tasks);
        uint32_t op = 0;
        for (uint32_t s = 1; s < h.rows->slices.count; s++) {
            struct mi_bytes name = mi_model_text(&h.hand.model, h.rows->slices.name[s]);
            if (mi_bytes_equal(name, mi_cstr(is_wrong ? "aten::linear" : "aten::addmm")))
                op = s;
        }
        add_flow(&h, "torch_to_npu", op, tasks[0]);
        join_all(&h);
        enum mi_confidence sure = MI_CONFIDENCE_NONE;
        uint32_t node = node_of_task(&h, tasks[0]);
        uint32_t linked = linked_op(&h, node, &sure);
        assert_int_equal(linked, node_called(&h, "Net_0/aten::linear/aten::addmm")->native_id);
        assert_int_equal(sure, is_wrong ? MI_LIKELY : MI_CERTAIN);
        uint32_t link = 1;
        while (h.rows->lowered.compiled[link].v != node)
            link++;
        assert_int_equal(h.rows->lowered.conflict[link].v != 0, is_wrong);
        hand_fini(&h.hand);
    }
}

/* A node without a task was not run, unless its launch is there: then the record is missing. */
static void a_launch_without_task_is_not_captured(void **state)
{
    (void)state;
    static const uint32_t none[4] = {0};
    for (int launched = 0; launched < 3; launched++) { /* no, while loading, for a run */
        struct host h;
        struct mi_error err = MI_ERROR_INIT;
        host_init(&h);
        hand_graph(&h.hand, MI_LAYER_FRAMEWORK, 0);
        uint32_t op = hand_node(&h.hand, "a", "Relu", "", none, NULL);
        uint32_t lost_op = hand_node(&h.hand, "b", "Relu", "", none, NULL);
        hand_graph(&h.hand, MI_LAYER_COMPILED, 0);
        uint32_t node = hand_node(&h.hand, "a", "Relu", "", none, NULL);
        uint32_t lost = hand_node(&h.hand, "b", "Relu", "", none, NULL);
        const uint32_t pairs[2][2] = {{op, node}, {lost_op, lost}};
        for (int i = 0; i < 2; i++)
            mi_add_lowered(&h.hand.model.all, &(struct mi_lowered_row){.framework = {pairs[i][0]},
                                                                       .compiled = {pairs[i][1]},
                                                                       .confidence = MI_CERTAIN});
        hand_executed(&h.hand, node, add_task(&h, "a", MI_TASK_COMPUTE, 100, 5));
        uint32_t thread = add_thread(&h, 7);
        if (launched == 1)
            add_call(&h, thread, "model", "ModelLoad", 5, 60, 1);
        if (launched)
            h.rows->slices.item[add_call(&h, thread, "node", "launch", 10, 20, 9)] =
                hand_str(&h.hand, "b");
        assert_true(mi_model_index_graphs(&h.hand.model, &err));
        assert_true(mi_host_nest(&h.hand.model, &err) && mi_judge_fates(&h.hand.model, &err));
        for (uint32_t f = 1; f < h.rows->fates.count; f++)
            assert_int_equal(h.rows->fates.reason[f], h.rows->fates.node[f].v == op
                                                          ? MI_REASON_OWN_NODE
                                                      : launched == 2 ? MI_REASON_NOT_CAPTURED
                                                                      : MI_REASON_NO_TASK);
        assert_int_equal(h.rows->fates.count - 1, 2);
        hand_fini(&h.hand);
    }
}

/* Loops of parents and wild ids must not hang or crash. */
static void hostile_rows_are_survived(void **state)
{
    (void)state;
    struct host h;
    host_init(&h);
    uint32_t thread = add_thread(&h, 7);
    for (uint32_t i = 0; i < 2000; i++) /* each overlaps all that come after it */
        add_call(&h, thread, i % 2 ? "op" : "queue", "x", i, INT64_C(100000) + i, i * 3000000U);
    uint32_t task = add_task(&h, "k", MI_TASK_COMPUTE, INT64_MAX - 2, 3000000U);
    h.rows->tasks.parent[task].v = task;
    h.rows->slices.dur_ns[1] = INT64_MAX;
    join_all(&h);
    assert_int_not_equal(h.rows->tasks.launch[task].v, 0);
    hand_fini(&h.hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_lie_in_the_innermost_that_encloses_them),
        cmocka_unit_test(ids_and_arrows_tell_the_launch),
        cmocka_unit_test(ids_count_within_a_collection),
        cmocka_unit_test(executions_launch_the_runs_of_a_model),
        cmocka_unit_test(an_eager_run_has_three_layers),
        cmocka_unit_test(statements_are_compared),
        cmocka_unit_test(a_launch_without_task_is_not_captured),
        cmocka_unit_test(hostile_rows_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
