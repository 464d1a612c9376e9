/* The graph of executed tasks and its re-simulation, on models that are checked on paper. */
#include "analyse/taskgraph/choose.h"
#include "analyse/taskgraph/taskgraph_parts.h"
#include "analyse/taskgraph/whatif.h"
#include "base/mem.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { US = 1000 };

struct bench {
    struct mi_account account;
    struct mi_deps deps;
    struct mi_tg_units units;
    struct mi_taskgraph graph;
};

static void build(struct bench *bench, const struct hand *hand, uint32_t unit)
{
    assert_true(mi_account_init(&bench->account, &hand->model, NULL));
    assert_true(mi_deps_init(&bench->deps, &hand->model, NULL));
    assert_true(mi_tg_units_init(&bench->units, &hand->model, &bench->account, NULL));
    assert_true(unit < bench->units.count);
    const struct mi_tg_unit *at = &bench->units.list[unit];
    assert_true(mi_taskgraph_init(&bench->graph, &hand->model, &bench->account, &bench->deps,
                                  at->run, at->rank, at->device, NULL));
}

static void release(struct bench *bench)
{
    mi_taskgraph_fini(&bench->graph);
    mi_tg_units_fini(&bench->units);
    mi_deps_fini(&bench->deps);
    mi_account_fini(&bench->account);
}

static uint32_t hand_event(struct hand *hand, uint32_t track, const char *name, enum mi_sync sync,
                           int64_t start_ns, int64_t dur_ns)
{
    uint32_t task = hand_task(hand, track, name, MI_TASK_SYNC, 0, start_ns, dur_ns, 0);
    struct mi_tables *rows = &hand->model.all.rows;
    rows->kernels.sync[rows->tasks.kernel[task].v] = (uint8_t)sync;
    return task;
}

static void hand_signal(struct hand *hand, uint32_t record, uint32_t wait)
{
    mi_add_signal(
        &hand->model.all,
        &(struct mi_signal_row){.record = {record}, .wait = {wait}, .confidence = MI_CERTAIN});
}

static uint32_t vertex_named(const struct mi_taskgraph *graph, const char *name)
{
    for (uint32_t v = 0; v < graph->count; v++)
        if (mi_tg_is_named(graph, v, mi_cstr(name)))
            return v;
    fail_msg("no vertex %s", name);
    return MI_TG_NONE;
}

static const struct mi_tg_edge *edge_between(const struct mi_taskgraph *graph, const char *from,
                                             const char *to, enum mi_tg_kind kind)
{
    uint32_t a = vertex_named(graph, from), b = vertex_named(graph, to);
    for (uint32_t e = graph->first_in[b]; e < graph->first_in[b + 1]; e++)
        if (graph->edges[e].from == a && graph->edges[e].kind == kind)
            return &graph->edges[e];
    return NULL;
}

/* Two streams, times in us; b1 reads what a1 makes, b2 nothing of the other stream, a3 reads what
 * b1 makes.
 *
 *   0   a1 [0,100) rec1 [110,120) a2 [130,330)            wait2 [340,350) a3 [360,400)
 *   1   b0 [0,20) wait1 [30,140) b1 [150,250) rec2 [260,270) b2 [280,300)
 *
 * wait1 blocks: the record ends at 120, the wait 20 later. wait2 does not: 10 long. */

static void make_pair(struct hand *hand)
{
    uint32_t va1, vb1, x, none[4] = {0};
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    x = hand_value(hand, "x", MI_VALUE_INPUT, "float16", 0);
    uint32_t a1 = hand_node(hand, "a1", "A", "float16", (uint32_t[4]){x}, &va1);
    uint32_t a2 = hand_node(hand, "a2", "A", "float16", (uint32_t[4]){va1}, NULL);
    uint32_t shape; /* needs no task: looked through */
    hand_node(hand, "reshape", "Reshape", "float16", (uint32_t[4]){va1}, &shape);
    uint32_t b0 = hand_node(hand, "b0", "B", "float16", none, NULL);
    uint32_t b1 = hand_node(hand, "b1", "B", "float16", (uint32_t[4]){shape}, &vb1);
    uint32_t b2 = hand_node(hand, "b2", "B", "float16", (uint32_t[4]){vb1}, NULL);
    uint32_t a3 = hand_node(hand, "a3", "A", "float16", (uint32_t[4]){vb1}, NULL);
    uint32_t s0 = hand_track(hand, "s0", 0), s1 = hand_track(hand, "s1", 1);
    hand_executed(hand, a1, hand_task(hand, s0, "a1", MI_TASK_COMPUTE, 0, 1000 * US, 100 * US, 0));
    uint32_t rec1 = hand_event(hand, s0, "rec1", MI_SYNC_RECORD, 1110 * US, 10 * US);
    hand_executed(hand, a2, hand_task(hand, s0, "a2", MI_TASK_COMPUTE, 0, 1130 * US, 200 * US, 0));
    uint32_t wait2 = hand_event(hand, s0, "wait2", MI_SYNC_WAIT, 1340 * US, 10 * US);
    hand_executed(hand, a3, hand_task(hand, s0, "a3", MI_TASK_COMPUTE, 0, 1360 * US, 40 * US, 0));
    hand_executed(hand, b0, hand_task(hand, s1, "b0", MI_TASK_COMPUTE, 0, 1000 * US, 20 * US, 0));
    uint32_t wait1 = hand_event(hand, s1, "wait1", MI_SYNC_WAIT, 1030 * US, 110 * US);
    hand_executed(hand, b1, hand_task(hand, s1, "b1", MI_TASK_COMPUTE, 0, 1150 * US, 100 * US, 0));
    uint32_t rec2 = hand_event(hand, s1, "rec2", MI_SYNC_RECORD, 1260 * US, 10 * US);
    hand_executed(hand, b2, hand_task(hand, s1, "b2", MI_TASK_COMPUTE, 0, 1280 * US, 20 * US, 0));
    hand_signal(hand, rec1, wait1);
    hand_signal(hand, rec2, wait2);
    hand_finish(hand);
}

static void graph_of_two_streams(void **state)
{
    struct hand hand;
    struct bench bench;
    (void)state;
    make_pair(&hand);
    build(&bench, &hand, 0);
    const struct mi_taskgraph *graph = &bench.graph;
    assert_int_equal(bench.units.count, 1);
    assert_int_equal(graph->count, 10);
    assert_int_equal(graph->lane_count, 2);
    assert_int_equal(graph->begin_ns, 1000 * US);
    assert_int_equal(graph->makespan_ns, 400 * US);
    assert_int_equal(graph->signal_count, 2);
    assert_int_equal(graph->data_count, 2);
    assert_int_equal(graph->violated_count, 0);
    assert_int_equal(graph->dropped_count, 0);
    const struct mi_tg_edge *blocked = edge_between(graph, "rec1", "wait1", MI_TG_SIGNAL);
    const struct mi_tg_edge *passed = edge_between(graph, "rec2", "wait2", MI_TG_SIGNAL);
    assert_non_null(blocked);
    assert_int_equal(blocked->lag_ns, 20 * US);
    assert_int_equal(passed->lag_ns, 20 * US);                    /* the median of what was seen */
    assert_int_equal(graph->event_lag_ns, 40 * US);               /* end of a1 to end of wait1 */
    assert_non_null(edge_between(graph, "a1", "b1", MI_TG_DATA)); /* over the node without task */
    assert_non_null(edge_between(graph, "b1", "a3", MI_TG_DATA));
    assert_non_null(edge_between(graph, "a1", "a2", MI_TG_DATA));
    assert_null(edge_between(graph, "a1", "b2", MI_TG_DATA));
    uint32_t b1 = vertex_named(graph, "b1"), wait1 = vertex_named(graph, "wait1");
    assert_int_equal(graph->busy_ns[wait1], 10 * US); /* as the one that did not block */
    assert_int_equal(graph->binding[wait1], MI_TG_BY_EDGE);
    assert_int_equal(graph->binding[b1], MI_TG_BY_ORDER);
    assert_int_equal(graph->gap_ns[b1], 10 * US);
    assert_int_equal(mi_tg_ready(graph, b1), 140 * US);
    assert_int_equal(mi_tg_ready(graph, vertex_named(graph, "b2")), 250 * US);
    release(&bench);
    hand_fini(&hand);
}

static void chain_and_slack(void **state)
{
    static const struct {
        const char *name;
        uint8_t kind;
        int64_t start_ns, end_ns;
    } wanted[] = {{"a1", MI_TG_PIECE_WORK, 0 * US, 100 * US},
                  {"rec1", MI_TG_PIECE_GAP, 100 * US, 110 * US},
                  {"rec1", MI_TG_PIECE_WAIT, 110 * US, 120 * US},
                  {"a2", MI_TG_PIECE_GAP, 120 * US, 130 * US},
                  {"a2", MI_TG_PIECE_WORK, 130 * US, 330 * US},
                  {"wait2", MI_TG_PIECE_GAP, 330 * US, 340 * US},
                  {"wait2", MI_TG_PIECE_WAIT, 340 * US, 350 * US},
                  {"a3", MI_TG_PIECE_GAP, 350 * US, 360 * US},
                  {"a3", MI_TG_PIECE_WORK, 360 * US, 400 * US}};
    struct hand hand;
    struct bench bench;
    struct mi_tg_chain chain;
    (void)state;
    make_pair(&hand);
    build(&bench, &hand, 0);
    const struct mi_taskgraph *graph = &bench.graph;
    assert_true(mi_tg_chain_init(&chain, graph, NULL));
    assert_int_equal(chain.count, sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < chain.count; i++) {
        assert_int_equal(chain.pieces[i].vertex, vertex_named(graph, wanted[i].name));
        assert_int_equal(chain.pieces[i].kind, wanted[i].kind);
        assert_int_equal(chain.pieces[i].start_ns, wanted[i].start_ns);
        assert_int_equal(chain.pieces[i].end_ns, wanted[i].end_ns);
    }
    mi_tg_chain_fini(&chain);
    int64_t *slack_ns = mi_tg_slack(graph);
    assert_non_null(slack_ns);
    assert_int_equal(slack_ns[vertex_named(graph, "a1")], 0);
    assert_int_equal(slack_ns[vertex_named(graph, "a2")], 0);
    /* rec2 may end at 350 - 20; it ended at 270. b1: 10 + 10 before that; data to a3 allows as
     * much: 350 - 40 is the least. */
    assert_int_equal(slack_ns[vertex_named(graph, "rec2")], 60 * US);
    assert_int_equal(slack_ns[vertex_named(graph, "b1")], 60 * US);
    assert_int_equal(slack_ns[vertex_named(graph, "wait1")], 60 * US);
    assert_int_equal(slack_ns[vertex_named(graph, "b2")], 100 * US);
    assert_int_equal(slack_ns[vertex_named(graph, "b0")], 160 * US);
    mi_mem_free(slack_ns);
    release(&bench);
    hand_fini(&hand);
}

static void simulated(void **state)
{
    struct hand hand;
    struct bench bench;
    struct mi_whatif whatif;
    (void)state;
    make_pair(&hand);
    build(&bench, &hand, 0);
    const struct mi_taskgraph *graph = &bench.graph;
    uint32_t a2 = vertex_named(graph, "a2"), b1 = vertex_named(graph, "b1");
    assert_true(mi_whatif_init(&whatif, graph, NULL));
    assert_int_equal(mi_whatif_run(&whatif), 400 * US);
    for (uint32_t v = 0; v < graph->count; v++)
        assert_int_equal(whatif.end_ns[v], graph->end_ns[v]);
    /* a2 80 long: ends at 210. b1 is ready at 250, rec2 ends at 270, the wait at 290, a3 at 340. */
    mi_whatif_shorten(&whatif, a2, 80 * US);
    assert_int_equal(mi_whatif_run(&whatif), 340 * US);
    mi_whatif_reset(&whatif);
    /* Without a2 and its gap rec1 is followed by wait2: the same bound. */
    mi_whatif_remove(&whatif, a2);
    assert_int_equal(mi_whatif_run(&whatif), 340 * US);
    mi_whatif_reset(&whatif);
    assert_int_equal(mi_whatif_run(&whatif), 400 * US);
    /* Without its event b1 still waits for the data of a1: 100 + lag 40 + gap 10. */
    mi_whatif_remove_wait(&whatif, vertex_named(graph, "wait1"));
    mi_whatif_run(&whatif);
    assert_int_equal(whatif.end_ns[b1], 250 * US);
    mi_whatif_reset(&whatif);
    /* b1 behind a2 on the other stream: its place in the order of ends is before a2. */
    mi_whatif_move(&whatif, b1, graph->lane[a2]);
    assert_int_equal(whatif.prev[b1], vertex_named(graph, "rec1"));
    assert_int_equal(whatif.prev[a2], b1);
    /* a1 100, rec1 120, b1 130 - 230, a2 240 - 440, wait2 450 - 460, a3 470 - 510 */
    assert_int_equal(mi_whatif_run(&whatif), 510 * US);
    assert_int_equal(whatif.end_ns[b1], 230 * US);
    mi_whatif_reset(&whatif);
    assert_int_equal(mi_whatif_run(&whatif), 400 * US);
    for (uint32_t v = 0; v < graph->count; v++) {
        assert_int_equal(whatif.end_ns[v], graph->end_ns[v]);
        assert_int_equal(whatif.next[v], graph->next[v]);
    }
    mi_whatif_fini(&whatif);
    release(&bench);
    hand_fini(&hand);
}

/* Launches, and tasks that lie within others or overlap. */
static void launches_and_nesting(void **state)
{
    struct hand hand;
    struct bench bench;
    (void)state;
    hand_init(&hand);
    uint32_t s0 = hand_track(&hand, "s0", 0), host = hand_track(&hand, "host", 9);
    hand.model.all.rows.tracks.kind[host] = MI_TRACK_THREAD;
    uint32_t slice =
        mi_add_slice(&hand.model.all, &(struct mi_slice_row){.track = {host},
                                                             .name = hand_str(&hand, "launch"),
                                                             .start_ns = 500,
                                                             .dur_ns = 10})
            .v;
    hand_task(&hand, s0, "first", MI_TASK_COMPUTE, 0, 0, 100, 0);
    uint32_t outer = hand_task(&hand, s0, "outer", MI_TASK_CONTROL, 0, 110, 200, 0);
    hand_task(&hand, s0, "inner", MI_TASK_COMPUTE, 0, 120, 50, outer);
    uint32_t late = hand_task(&hand, s0, "late", MI_TASK_COMPUTE, 0, 540, 100, 0);
    hand_task(&hand, s0, "over", MI_TASK_COMPUTE, 0, 600, 100, 0);
    hand.model.all.rows.tasks.launch[late].v = slice;
    hand_finish(&hand);
    build(&bench, &hand, 0);
    const struct mi_taskgraph *graph = &bench.graph;
    assert_int_equal(graph->count, 4); /* inner lies within outer */
    uint32_t l = vertex_named(graph, "late"), o = vertex_named(graph, "over");
    assert_int_equal(graph->binding[l], MI_TG_BY_LAUNCH);
    assert_int_equal(graph->gap_ns[l], 40);
    assert_int_equal(graph->overlap_ns[o], 40);
    struct mi_tg_chain chain;
    int64_t sum_ns = 0;
    assert_true(mi_tg_chain_init(&chain, graph, NULL));
    for (uint32_t i = 0; i < chain.count; i++)
        sum_ns += chain.pieces[i].end_ns - chain.pieces[i].start_ns;
    assert_int_equal(sum_ns, 700);
    assert_int_equal(chain.pieces[3].kind, MI_TG_PIECE_LAUNCH);
    assert_int_equal(chain.pieces[3].start_ns, 310);
    assert_int_equal(chain.pieces[3].end_ns, 540);
    mi_tg_chain_fini(&chain);
    struct mi_whatif whatif;
    assert_true(mi_whatif_init(&whatif, graph, NULL));
    assert_int_equal(mi_whatif_run(&whatif), 700);
    mi_whatif_shorten(&whatif, vertex_named(graph, "outer"), 0);
    assert_int_equal(mi_whatif_run(&whatif), 700); /* the host is late all the same */
    mi_whatif_fini(&whatif);
    release(&bench);
    hand_fini(&hand);
}

/* What the application does before and behind a model moves with the model. */
static void model_is_framed(void **state)
{
    struct hand hand;
    struct bench bench;
    struct mi_whatif whatif;
    (void)state;
    hand_init(&hand);
    uint32_t app = hand_track(&hand, "app", 3), s0 = hand_track(&hand, "s0", 0);
    uint32_t marks = hand_track(&hand, "marks", 7);
    hand_task(&hand, marks, "PROFILING_ENABLE", MI_TASK_SYNC, 0, -5000, 20, 0);
    hand_task(&hand, app, "copy_in", MI_TASK_TRANSFER, 0, 0, 50, 0);
    hand_task(&hand, app, "MODEL_EXECUTE", MI_TASK_SYNC, 0, 60, 10, 0);
    hand_task(&hand, s0, "work", MI_TASK_COMPUTE, 0, 100, 400, 0);
    hand_task(&hand, app, "copy_out", MI_TASK_TRANSFER, 0, 520, 30, 0);
    hand_finish(&hand);
    build(&bench, &hand, 0);
    const struct mi_taskgraph *graph = &bench.graph;
    assert_int_equal(graph->count, 4); /* a stream with marks alone is of no run */
    assert_int_equal(graph->makespan_ns, 550);
    assert_non_null(edge_between(graph, "MODEL_EXECUTE", "work", MI_TG_START));
    assert_non_null(edge_between(graph, "work", "copy_out", MI_TG_RETURN));
    assert_true(mi_whatif_init(&whatif, graph, NULL));
    assert_int_equal(mi_whatif_run(&whatif), 550);
    mi_whatif_shorten(&whatif, vertex_named(graph, "work"), 100);
    assert_int_equal(mi_whatif_run(&whatif), 250);
    mi_whatif_fini(&whatif);
    release(&bench);
    hand_fini(&hand);
}

/* A wait that ends a little before its record has waited for it all the same. */
static void clocks_that_tremble(void **state)
{
    struct hand hand;
    struct bench bench;
    struct mi_whatif whatif;
    (void)state;
    hand_init(&hand);
    uint32_t s0 = hand_track(&hand, "s0", 0), s1 = hand_track(&hand, "s1", 1);
    hand_task(&hand, s0, "a", MI_TASK_COMPUTE, 0, 0, 9000, 0);
    uint32_t record = hand_event(&hand, s0, "rec", MI_SYNC_RECORD, 9000, 100);
    uint32_t wait = hand_event(&hand, s1, "wait", MI_SYNC_WAIT, 0, 9050);
    hand_task(&hand, s1, "b", MI_TASK_COMPUTE, 0, 9100, 1000, 0);
    hand_signal(&hand, record, wait);
    hand_finish(&hand);
    build(&bench, &hand, 0);
    assert_int_equal(bench.graph.dropped_count, 0);
    assert_true(mi_whatif_init(&whatif, &bench.graph, NULL));
    assert_int_equal(mi_whatif_run(&whatif), 10100);
    mi_whatif_shorten(&whatif, vertex_named(&bench.graph, "a"), 4000);
    assert_int_equal(mi_whatif_run(&whatif), 5100);
    mi_whatif_fini(&whatif);
    release(&bench);
    hand_fini(&hand);
}

/* Clocks that differ: an effect before its cause is kept as it was seen, and counted. */
static void causes_behind_effects(void **state)
{
    struct hand hand;
    struct bench bench;
    struct mi_whatif whatif;
    uint32_t va;
    (void)state;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_COMPILED, 0);
    uint32_t x = hand_value(&hand, "x", MI_VALUE_INPUT, "float16", 0);
    uint32_t a = hand_node(&hand, "a", "A", "float16", (uint32_t[4]){x}, &va);
    uint32_t b = hand_node(&hand, "b", "B", "float16", (uint32_t[4]){va}, NULL);
    uint32_t s0 = hand_track(&hand, "s0", 0), s1 = hand_track(&hand, "s1", 1);
    hand_executed(&hand, a, hand_task(&hand, s0, "a", MI_TASK_COMPUTE, 0, 0, 9000, 0));
    hand_executed(&hand, b, hand_task(&hand, s1, "b", MI_TASK_COMPUTE, 0, 5000, 9000, 0));
    hand_finish(&hand);
    build(&bench, &hand, 0);
    assert_int_equal(bench.graph.violated_count, 1);
    assert_true(mi_whatif_init(&whatif, &bench.graph, NULL));
    assert_int_equal(mi_whatif_run(&whatif), 14000);
    mi_whatif_fini(&whatif);
    release(&bench);
    hand_fini(&hand);
}

/* The device with the longest runs, and of its counted runs the one of median length. */
static void unit_is_chosen(void **state)
{
    static const int64_t lengths[2][5] = {{90, 30, 10, 20, 30}, {900, 130, 150, 110, 120}};
    struct hand hand;
    struct bench bench;
    struct mi_arg run = {.number = 4};
    struct mi_error err = MI_ERROR_INIT;
    uint32_t chosen = 0;
    (void)state;
    hand_init(&hand);
    for (uint32_t d = 0; d < 2; d++) {
        uint32_t track = hand_track(&hand, d ? "d1" : "d0", d);
        hand.model.all.rows.tracks.device[track] = d;
        for (uint32_t r = 0; r < 5; r++)
            hand_task(&hand, track, "k", MI_TASK_COMPUTE, r, r * 10000, lengths[d][r], 0);
    }
    hand_finish(&hand);
    build(&bench, &hand, 0);
    assert_int_equal(bench.units.count, 10);
    assert_true(mi_tg_choose(&bench.units, &bench.account, NULL, &chosen, &err));
    const struct mi_tg_unit *unit = &bench.units.list[chosen];
    assert_int_equal(unit->device, 1);
    assert_int_equal(bench.account.runs[unit->run].run, 4); /* 110 120 130 150 without the first */
    struct mi_param param = {.name = "run", .kind = MI_PARAM_INT};
    run.param = &param;
    struct mi_args args = {.list = &run, .count = 1};
    assert_true(mi_tg_choose(&bench.units, &bench.account, &args, &chosen, &err));
    assert_int_equal(bench.account.runs[bench.units.list[chosen].run].run, 4);
    run.number = 5;
    assert_false(mi_tg_choose(&bench.units, &bench.account, &args, &chosen, &err));
    assert_int_equal(err.code, MI_ENOTFOUND);
    release(&bench);
    hand_fini(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_of_two_streams),
        cmocka_unit_test(chain_and_slack),
        cmocka_unit_test(simulated),
        cmocka_unit_test(launches_and_nesting),
        cmocka_unit_test(model_is_framed),
        cmocka_unit_test(causes_behind_effects),
        cmocka_unit_test(clocks_that_tremble),
        cmocka_unit_test(unit_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
