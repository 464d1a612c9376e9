/* Rules of the doctor, each on a model that is checked on paper, with a healthy twin. Times in us;
 * tasks of a stream stand 1 us apart. */
#include "alloc_fail.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { US = 1000, GAP = 1 };

/* --- reports --- */

static bool try_doctor(const struct hand *hand, const char *option, const char *text,
                       struct mi_report *report, struct mi_error *err)
{
    struct mi_arg arg = {.text = text};
    struct mi_args args = {.list = &arg, .count = option ? 1 : 0};
    for (const struct mi_param *p = mi_params_doctor; option && p->name; p++)
        if (strcmp(p->name, option) == 0)
            arg.param = p;
    mi_report_init(report);
    return mi_pass_doctor.run(&hand->model, &args, report, err);
}

static struct mi_report run_doctor(const struct hand *hand)
{
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(try_doctor(hand, NULL, NULL, &report, &err));
    assert_false(report.failed);
    return report;
}

static const struct mi_finding *finding_of(const struct mi_report *report, const char *rule)
{
    for (uint32_t f = 0; f < report->finding_count; f++)
        if (strcmp(report->findings[f].rule, rule) == 0)
            return &report->findings[f];
    return NULL;
}

/* --- models --- */

struct scene {
    struct hand hand;
    uint32_t s0;
    int64_t at_us; /* end of the last task on s0 */
    uint32_t x;
};

static void begin(struct scene *s, bool has_framework)
{
    *s = (struct scene){.at_us = -GAP};
    hand_init(&s->hand);
    if (has_framework) {
        hand_graph(&s->hand, MI_LAYER_FRAMEWORK, 0);
        s->x = hand_value(&s->hand, "fx", MI_VALUE_INPUT, "float16", 0);
    }
}

static void compiled(struct scene *s)
{
    hand_graph(&s->hand, MI_LAYER_COMPILED, 0);
    s->x = hand_value(&s->hand, "x", MI_VALUE_INPUT, "float16", 0);
    s->s0 = hand_track(&s->hand, "s0", 0);
}

static void shape(struct scene *s, uint32_t value, int64_t size, const char *format)
{
    struct mi_batch *all = &s->hand.model.all;
    struct mi_values *values = &all->rows.values;
    values->has_shape[value] = 1;
    values->dim_count[value] = 1;
    values->first_dim[value] = mi_next_row(all, dims);
    values->format[value] = hand_str(&s->hand, format);
    mi_add_dim(all, &(struct mi_dim_row){.size = size});
}

/* A node without a task. */
static uint32_t node_of(struct scene *s, const char *name, const char *op, const uint32_t in[4],
                        const char *format, uint32_t *out)
{
    uint32_t value, node = hand_node(&s->hand, name, op, "float16", in, &value);
    shape(s, value, 64, format);
    if (out)
        *out = value;
    return node;
}

static uint32_t task_on(struct scene *s, uint32_t node, const char *name, enum mi_task_kind kind,
                        int64_t dur_us)
{
    uint32_t task =
        hand_task(&s->hand, s->s0, name, kind, 0, (s->at_us + GAP) * US, dur_us * US, 0);
    s->at_us += GAP + dur_us;
    if (node)
        hand_executed(&s->hand, node, task);
    return task;
}

/* A node and its task, behind the last one on s0. */
static uint32_t op(struct scene *s, const char *name, const char *type, uint32_t in, int64_t dur_us,
                   uint32_t *out)
{
    uint32_t node = node_of(s, name, type, (uint32_t[4]){in}, "ND", out);
    task_on(s, node, name, MI_TASK_COMPUTE, dur_us);
    return node;
}

/* The same, put there by the compiler. */
static uint32_t inserted(struct scene *s, const char *name, const char *type, uint32_t in,
                         const char *format, int64_t dur_us, uint32_t *out)
{
    struct mi_batch *all = &s->hand.model.all;
    uint32_t node = node_of(s, name, type, (uint32_t[4]){in}, format, out);
    all->rows.nodes.category[node] = MI_CATEGORY_DATA_MOVEMENT;
    mi_add_birth(all, &(struct mi_birth_row){.node = {node}, .origin = MI_ORIGIN_INSERTED});
    task_on(s, node, name, MI_TASK_COMPUTE, dur_us);
    return node;
}

static void lowered(struct scene *s, uint32_t framework, uint32_t node)
{
    mi_add_lowered(&s->hand.model.all, &(struct mi_lowered_row){.framework = {framework},
                                                                .compiled = {node},
                                                                .role = MI_ROLE_COMPUTED,
                                                                .confidence = MI_CERTAIN});
}

/* Finishes the model; the cost of the finding of this rule in us, -1 if there is none. */
static int64_t cost_in(struct scene *s, const char *rule, enum mi_severity severity)
{
    hand_finish(&s->hand);
    struct mi_report report = run_doctor(&s->hand);
    const struct mi_finding *finding = finding_of(&report, rule);
    int64_t cost_ns = finding ? finding->cost_ns : -1;
    if (finding) {
        assert_int_equal(finding->severity, severity);
        assert_non_null(finding->advice);
        assert_true(finding->node_count > 0 || finding->task_count > 0 ||
                    finding->subject.len > 0 || severity < MI_WARNING);
    }
    mi_report_fini(&report);
    hand_fini(&s->hand);
    return cost_ns < 0 ? -1 : cost_ns / US;
}

/* --- conversions --- */

/* a, TransData to NZ, (a copy,) TransData to `last`, b */
static void make_trip(struct scene *s, bool has_copy, const char *last, bool is_shared)
{
    uint32_t a, t;
    begin(s, false);
    compiled(s);
    op(s, "a", "Relu", s->x, 10, &a);
    inserted(s, "t1", "TransData", a, "NZ", 20, &t);
    if (is_shared)
        op(s, "c", "Sigmoid", t, 10, NULL);
    if (has_copy)
        inserted(s, "m", "MemcpyAsync", t, "NZ", 5, &t);
    inserted(s, "t2", "TransData", t, last, 30, &t);
    op(s, "b", "Tanh", t, 10, NULL);
}

static void layouts_go_there_and_back(void **state)
{
    struct scene s;
    (void)state;
    make_trip(&s, false, "ND", false);
    assert_int_equal(cost_in(&s, "format_ping_pong", MI_WARNING), 52);
    make_trip(&s, false, "ND", true); /* t1 is needed by c */
    assert_int_equal(cost_in(&s, "format_ping_pong", MI_WARNING), 31);
    make_trip(&s, false, "NCHW", false);
    assert_int_equal(cost_in(&s, "format_ping_pong", MI_WARNING), -1);
    make_trip(&s, true, "ND", false);
    assert_int_equal(cost_in(&s, "format_ping_pong", MI_WARNING), -1);
}

static void copies_without_effect(void **state)
{
    struct scene s;
    (void)state;
    make_trip(&s, true, "ND", false);
    assert_int_equal(cost_in(&s, "inserted_transfers", MI_WARNING), 20 + 5 + 30 + 3 * GAP);
    make_trip(&s, true, "NCHW", false);
    assert_int_equal(cost_in(&s, "inserted_transfers", MI_WARNING), -1);
}

static void tasks_that_are_no_ops(void **state)
{
    struct scene s;
    (void)state;
    make_trip(&s, true, "NCHW", false); /* two of five tasks are ops */
    assert_int_equal(cost_in(&s, "more_tasks_than_nodes", MI_NOTICE), 20 + 5 + 30 + 3 * GAP);
}

/* --- types --- */

/* One float16 op compiled as float32, a Cast on either side. */
static void make_upcast(struct scene *s, bool is_wide)
{
    uint32_t f, g, a, w, v;
    begin(s, true);
    uint32_t first = hand_node(&s->hand, "f", "Relu", "float16", (uint32_t[4]){s->x}, &f);
    uint32_t second = hand_node(&s->hand, "g", "MatMul", "float16", (uint32_t[4]){f}, &g);
    compiled(s);
    uint32_t node = op(s, "a", "Relu", s->x, 10, &a);
    lowered(s, first, node);
    inserted(s, "c1", "Cast", a, "ND", 5, &w);
    node = op(s, "w", "MatMulV2", w, 220, &v);
    lowered(s, second, node);
    if (is_wide) {
        struct mi_values *values = &s->hand.model.all.rows.values;
        values->dtype[w] = values->dtype[v] = hand_str(&s->hand, "float32");
    }
    inserted(s, "c2", "Cast", v, "ND", 5, &v);
    op(s, "b", "Tanh", v, 10, NULL);
}

static void wider_types(void **state)
{
    struct scene s;
    (void)state;
    make_upcast(&s, true); /* 220 of 220 % are 100 */
    assert_int_equal(cost_in(&s, "dtype_upcast", MI_WARNING), 120 + 2 * (5 + GAP));
    make_upcast(&s, false);
    assert_int_equal(cost_in(&s, "dtype_upcast", MI_WARNING), -1);
}

/* --- what need not be computed --- */

static void make_constant(struct scene *s, bool is_constant)
{
    uint32_t c, k, v;
    begin(s, false);
    compiled(s);
    node_of(s, "c", "Const", (uint32_t[4]){0}, "ND", &c);
    inserted(s, "t", "TransData", is_constant ? c : s->x, "NZ", 7, &v);
    op(s, "k", "Add", v, 40, &k);
    uint32_t b = node_of(s, "b", "Mul", (uint32_t[4]){k, s->x}, "ND", NULL);
    task_on(s, b, "b", MI_TASK_COMPUTE, 10);
}

static void constants(void **state)
{
    struct scene s;
    (void)state;
    make_constant(&s, true); /* the run begins with b, whose gap stays */
    assert_int_equal(cost_in(&s, "constant_not_folded", MI_WARNING), 7 + 40 + GAP);
    make_constant(&s, false);
    assert_int_equal(cost_in(&s, "constant_not_folded", MI_WARNING), -1);
}

static void shapes(void **state)
{
    (void)state;
    for (int is_known = 0; is_known < 2; is_known++) {
        struct scene s;
        uint32_t a, k;
        begin(&s, false);
        compiled(&s);
        op(&s, "a", "Relu", s.x, 10, &a);
        op(&s, "k", "Shape", a, 40, &k);
        op(&s, "b", "Reshape", a, 10, NULL);
        if (!is_known)
            s.hand.model.all.rows.dims.size[s.hand.model.all.rows.values.first_dim[a]] = -1;
        assert_int_equal(cost_in(&s, "constant_not_folded", MI_WARNING), is_known ? 41 : -1);
    }
}

static void duplicates(void **state)
{
    (void)state;
    for (int same = 0; same < 3; same++) { /* 2: but it takes longer */
        struct scene s;
        uint32_t a, r1, r2;
        begin(&s, false);
        compiled(&s);
        op(&s, "a", "MatMulV2", s.x, 50, &a);
        op(&s, "r1", "Relu", a, 10, &r1);
        op(&s, "r2", "Relu", same ? a : r1, same == 2 ? 14 : 10, &r2);
        uint32_t b = node_of(&s, "b", "Add", (uint32_t[4]){r1, r2}, "ND", NULL);
        task_on(&s, b, "b", MI_TASK_COMPUTE, 10);
        assert_int_equal(cost_in(&s, "duplicate_compute", MI_WARNING), same == 1 ? 11 : -1);
    }
}

static void storms(void **state)
{
    (void)state;
    for (int count = 23; count <= 24; count++) {
        struct scene s;
        uint32_t f, v;
        begin(&s, true);
        uint32_t origin = hand_node(&s.hand, "f", "Softmax", "float16", (uint32_t[4]){s.x}, &f);
        compiled(&s);
        op(&s, "like", "SoftmaxV2", s.x, 12, &v);
        for (int i = 0; i < count; i++) {
            char name[16];
            snprintf(name, sizeof name, "piece%d", i);
            lowered(&s, origin, op(&s, name, "SoftmaxV2", v, 2, NULL));
        }
        /* one of 12 us instead of 24 of 2 us: 36 us and 23 gaps */
        assert_int_equal(cost_in(&s, "tiny_task_storm", MI_WARNING), count == 24 ? 36 + 23 : -1);
    }
}

/* r and g alone; rg computes both and gives both results: 14 us apart, 40 together. */
static void fused_too_much(void **state)
{
    (void)state;
    for (int writes_back = 0; writes_back < 2; writes_back++) {
        struct scene s;
        uint32_t fr, fg, out;
        begin(&s, true);
        struct mi_batch *all = &s.hand.model.all;
        uint32_t r = hand_node(&s.hand, "r", "Relu", "float16", (uint32_t[4]){s.x}, &fr);
        uint32_t g = hand_node(&s.hand, "g", "Sigmoid", "float16", (uint32_t[4]){fr}, &fg);
        uint32_t r1 = hand_node(&s.hand, "r1", "Relu", "float16", (uint32_t[4]){fg, fr}, NULL);
        uint32_t g1 = hand_node(&s.hand, "g1", "Sigmoid", "float16", (uint32_t[4]){fg}, NULL);
        compiled(&s);
        lowered(&s, r1, op(&s, "r1", "Relu", s.x, 6, NULL));
        lowered(&s, g1, op(&s, "g1", "Sigmoid", s.x, 8, NULL));
        uint32_t node = op(&s, "rg", "Fused", s.x, 40, &out);
        uint32_t other = hand_value(&s.hand, "rg:1", MI_VALUE_ACTIVATION, "float16", 0);
        lowered(&s, r, node);
        lowered(&s, g, node);
        if (writes_back) {
            all->rows.values.producer[other].v = node;
            all->rows.nodes.out_count[node] = 2;
            all->rows.nodes.first_out[node] = mi_next_row(all, ports);
            mi_add_port(all, &(struct mi_port_row){.value = {out}});
            mi_add_port(all, &(struct mi_port_row){.value = {other}});
        }
        uint32_t b = node_of(&s, "b", "Add", (uint32_t[4]){out, other}, "ND", NULL);
        task_on(&s, b, "b", MI_TASK_COMPUTE, 10);
        assert_int_equal(cost_in(&s, "over_fusion", MI_WARNING), writes_back ? 40 - 14 : -1);
    }
}

/* --- where and how nodes run --- */

static void slow_processors(void **state)
{
    (void)state;
    for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
        struct scene s;
        uint32_t a;
        begin(&s, false);
        compiled(&s);
        op(&s, "a", "Cast", s.x, 10, &a);
        op(&s, "c", "Cast", a, 300, NULL);
        struct mi_kernels *kernels = &s.hand.model.all.rows.kernels;
        kernels->engine[kernels->count - 1] =
            hand_str(&s.hand, on_cpu ? "AI_CPU" : "AI_VECTOR_CORE");
        assert_int_equal(cost_in(&s, "aicpu_fallback", MI_WARNING), on_cpu ? 290 : -1);
    }
}

static void planned(struct scene *s, uint32_t node, int64_t blocks)
{
    mi_add_planned(&s->hand.model.all, &(struct mi_planned_row){.graph = s->hand.graph,
                                                                .kind = MI_TASK_COMPUTE,
                                                                .block_dim = blocks,
                                                                .event = -1,
                                                                .label = -1,
                                                                .op_index = -1,
                                                                .native_id = -1,
                                                                .record_offset = -1,
                                                                .node = {node}});
}

/* Products: one of 600 us on `blocks` cores; one like it of 100 us on `like_blocks`; one of other
 * tensors of 50 us on `other_blocks`. No cores: there is none. */
static int64_t cost_of_cores(int64_t blocks, int64_t like_blocks, int64_t other_blocks)
{
    struct scene s;
    begin(&s, false);
    compiled(&s);
    shape(&s, s.x, 64, "ND");
    if (like_blocks)
        planned(&s, op(&s, "fast", "MatMulV2", s.x, 100, NULL), like_blocks);
    planned(&s, op(&s, "slow", "MatMulV2", s.x, 600, NULL), blocks);
    if (other_blocks) {
        uint32_t y = hand_value(&s.hand, "y", MI_VALUE_INPUT, "float16", 0);
        shape(&s, y, 32, "ND");
        planned(&s, op(&s, "other", "MatMulV2", y, 50, NULL), other_blocks);
    }
    return cost_in(&s, "low_core_use", MI_WARNING);
}

static void few_cores(void **state)
{
    (void)state;
    assert_int_equal(cost_of_cores(1, 24, 0), 500);
    assert_int_equal(cost_of_cores(12, 24, 0), 500);
    assert_int_equal(cost_of_cores(13, 24, 0), -1);
    assert_int_equal(cost_of_cores(1, 1, 24), -1); /* its like is fast on as few */
    assert_int_equal(cost_of_cores(1, 1, 0), -1);
    assert_int_equal(cost_of_cores(1, 0, 8), 550);
    assert_int_equal(cost_of_cores(1, 0, 7), -1);
}

static void slower_than_its_like(void **state)
{
    (void)state;
    for (int64_t us = 19; us <= 20; us++) {
        struct scene s;
        uint32_t v;
        begin(&s, false);
        compiled(&s);
        v = s.x;
        for (int i = 0; i < 4; i++) {
            static const char *const names[] = {"a", "b", "c", "d"};
            op(&s, names[i], "Relu", v, i == 2 ? us : 10, &v);
        }
        shape(&s, s.x, 64, "ND");
        assert_int_equal(cost_in(&s, "slow_op", MI_NOTICE), us == 20 ? 10 : -1);
    }
}

static void transfers_in_the_way(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct scene s;
        uint32_t a, m;
        begin(&s, false);
        compiled(&s);
        op(&s, "a", "MatMulV2", s.x, 100, &a);
        /* what it moves is there from the beginning, or is what a has made */
        uint32_t t = node_of(&s, "m", "MemcpyAsync", (uint32_t[4]){late ? a : s.x}, "ND", &m);
        task_on(&s, t, "m", MI_TASK_TRANSFER, 30);
        uint32_t b = node_of(&s, "b", "MatMulV2", (uint32_t[4]){a, m}, "ND", NULL);
        task_on(&s, b, "b", MI_TASK_COMPUTE, 100);
        assert_int_equal(cost_in(&s, "missed_overlap", MI_WARNING), late ? -1 : 31);
    }
}

/* --- host and ranks --- */

static void much_is_moved(void **state)
{
    (void)state;
    for (int64_t move_us = 24; move_us <= 25; move_us++) {
        struct scene s;
        uint32_t a;
        begin(&s, false);
        compiled(&s);
        op(&s, "a", "MatMulV2", s.x, 100, &a);
        inserted(&s, "t", "TransData", a, "NZ", move_us, NULL); /* of 124 or 125 us */
        assert_int_equal(cost_in(&s, "transfer_share", MI_NOTICE), move_us == 25 ? 25 : -1);
    }
}

/* `count` pairs of nodes of 50 us each; the second one of a pair is launched so late. */
static int64_t cost_of_late_hosts(int count, int64_t late_us, int64_t work_us)
{
    struct scene s;
    uint32_t v;
    begin(&s, false);
    compiled(&s);
    v = s.x;
    op(&s, "a", "Relu", v, work_us, &v);
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        s.at_us += late_us - GAP;
        task_on(&s, 0, "MODEL_EXECUTE", MI_TASK_SYNC, 1);
        op(&s, name, "Relu", v, work_us, &v);
    }
    return cost_in(&s, "host_bound", MI_WARNING);
}

/* Idle times of 5 us count, findings of 20 us and 50 thousandths of the run. */
static void late_hosts(void **state)
{
    (void)state;
    assert_int_equal(cost_of_late_hosts(1, 400, 50), 400);
    assert_int_equal(cost_of_late_hosts(5, 5, 10), 25);
    assert_int_equal(cost_of_late_hosts(5, 4, 10), -1); /* 20 us in all, but none of them counts */
    assert_int_equal(cost_of_late_hosts(4, 5, 10), 20);
    assert_int_equal(cost_of_late_hosts(3, 5, 10), -1);
    /* 30 us of 600 and of 602 us: the run is two nodes, the idle time, and 2 us of a task */
    assert_int_equal(cost_of_late_hosts(1, 30, 284), 30);
    assert_int_equal(cost_of_late_hosts(1, 30, 285), -1);
}

static void make_ranks(struct scene *s, int64_t second_us)
{
    begin(s, false);
    compiled(s);
    for (int rank = 0; rank < 2; rank++) {
        uint32_t track =
            mi_add_track(&s->hand.model.all, &(struct mi_track_row){.source = s->hand.source,
                                                                    .kind = MI_TRACK_STREAM,
                                                                    .name = hand_str(&s->hand, "r"),
                                                                    .rank = rank,
                                                                    .device = rank,
                                                                    .process = -1,
                                                                    .native_id = 7})
                .v;
        hand_task(&s->hand, track, "Relu", MI_TASK_COMPUTE, 0, 0, (rank ? second_us : 1000) * US,
                  0);
    }
}

static void ranks_that_differ(void **state)
{
    struct scene s;
    (void)state;
    make_ranks(&s, 1250);
    assert_int_equal(cost_in(&s, "unbalanced_ranks", MI_WARNING), 250);
    make_ranks(&s, 1049);
    assert_int_equal(cost_in(&s, "unbalanced_ranks", MI_WARNING), -1);
}

static void late_parts(void **state)
{
    (void)state;
    for (int64_t late_us = 0; late_us <= 200; late_us += 200) {
        struct scene s;
        uint32_t tasks[2];
        make_ranks(&s, 1000);
        for (uint32_t rank = 0; rank < 2; rank++)
            tasks[rank] =
                hand_task(&s.hand, s.s0 + 1 + rank, "allReduce", MI_TASK_COMMUNICATION, 0,
                          (1100 + (rank ? late_us : 0)) * US, (300 - (rank ? late_us : 0)) * US, 0);
        mi_add_peer(&s.hand.model.all, &(struct mi_peer_row){.task = {tasks[1]},
                                                             .first = {tasks[0]},
                                                             .confidence = MI_CERTAIN});
        assert_int_equal(cost_in(&s, "late_collective", MI_WARNING), late_us ? late_us : -1);
    }
}

static void nothing_runs(void **state)
{
    (void)state;
    for (int64_t pause_us = 60; pause_us <= 70; pause_us += 10) {
        struct scene s;
        begin(&s, false);
        compiled(&s);
        op(&s, "a", "Relu", s.x, 50, NULL);
        s.at_us += pause_us - GAP;
        op(&s, "b", "Relu", s.x, 50, NULL);
        assert_int_equal(cost_in(&s, "idle_device", MI_NOTICE), pause_us == 70 ? 70 : -1);
    }
}

/* Nothing runs from 50 to 130 us but for 5 us, which are the end of a collective of 70 us. */
static void collectives_wait(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, false);
    compiled(&s);
    op(&s, "a", "Relu", s.x, 50, NULL);
    s.at_us += 80 - GAP;
    op(&s, "b", "Relu", s.x, 50, NULL);
    uint32_t group = hand_track(&s.hand, "group", 7), stream = hand_track(&s.hand, "s1", 1);
    s.hand.model.all.rows.tracks.kind[group] = MI_TRACK_GROUP;
    uint32_t whole =
        hand_task(&s.hand, group, "hcom", MI_TASK_COMMUNICATION, 0, 55 * US, 70 * US, 0);
    hand_task(&s.hand, stream, "part", MI_TASK_TRANSFER, 0, 120 * US, 5 * US, whole);
    hand_finish(&s.hand);
    struct mi_report report = run_doctor(&s.hand);
    const struct mi_finding *finding = finding_of(&report, "idle_device");
    assert_true(finding && finding->cost_ns == 75 * US &&
                mi_bytes_equal(finding->args[1], MI_LIT("65.000 us")));
    mi_report_fini(&report);
    hand_fini(&s.hand);
}

static void ops_without_tasks(void **state)
{
    struct scene s;
    (void)state;
    begin(&s, true);
    uint32_t f = hand_node(&s.hand, "f", "Relu", "float16", (uint32_t[4]){s.x}, NULL);
    compiled(&s);
    op(&s, "a", "Relu", s.x, 50, NULL);
    mi_add_fate(&s.hand.model.all, &(struct mi_fate_row){.node = {f},
                                                         .fate = MI_FATE_NOT_EXECUTED,
                                                         .reason = MI_REASON_BRANCH_NOT_TAKEN});
    hand_finish(&s.hand);
    struct mi_report report = run_doctor(&s.hand);
    const struct mi_finding *finding = finding_of(&report, "not_executed");
    assert_true(finding && finding->severity == MI_NOTICE && finding->node.v == f);
    mi_report_fini(&report);
    hand_fini(&s.hand);
}

/* --- order, options, memory --- */

static void costlier_first(void **state)
{
    struct scene s;
    uint32_t a, v;
    (void)state;
    make_trip(&s, false, "ND", false); /* 52 us */
    op(&s, "p", "MatMulV2", s.x, 50, &a);
    op(&s, "r1", "Relu", a, 100, &v); /* a second time: 101 us */
    op(&s, "r2", "Relu", a, 100, &v);
    hand_finish(&s.hand);
    struct mi_report report = run_doctor(&s.hand);
    assert_string_equal(report.findings[0].rule, "duplicate_compute");
    assert_string_equal(report.findings[1].rule, "format_ping_pong");
    assert_int_equal(report.findings[0].cost_ns, 101 * US);
    assert_true(report.findings[0].whole_ns > report.findings[0].cost_ns);
    mi_report_fini(&report);
    hand_fini(&s.hand);
}

static void options(void **state)
{
    struct scene s;
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    (void)state;
    make_trip(&s, false, "ND", false);
    hand_finish(&s.hand);
    assert_true(try_doctor(&s.hand, "set", "format_ping_pong.least-us=53", &report, &err));
    assert_null(finding_of(&report, "format_ping_pong"));
    mi_report_fini(&report);
    assert_true(try_doctor(&s.hand, "set", "format_ping_pong.least-us=52", &report, &err));
    assert_non_null(finding_of(&report, "format_ping_pong"));
    mi_report_fini(&report);
    assert_true(try_doctor(&s.hand, "rule", "not_executed", &report, &err));
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
    static const char *const wrong[] = {"format_ping_pong",
                                        "x.least-us=5",
                                        "dtype_upcast.least=5",
                                        "dtype_upcast.least-us=",
                                        "dtype_upcast.least-us=-1",
                                        "dtype_upcast.least-us=99999999999",
                                        "=",
                                        ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mi_error wrong_err = MI_ERROR_INIT;
        assert_false(try_doctor(&s.hand, "set", wrong[i], &report, &wrong_err));
        assert_int_equal(wrong_err.code, MI_EUSAGE);
        mi_report_fini(&report);
    }
    hand_fini(&s.hand);
}

/* Whichever allocation fails: an error, or the whole report; nothing leaks, nothing is half. */
static void memory_runs_out(void **state)
{
    bool done = false;
    struct scene s;
    (void)state;
    make_upcast(&s, true);
    hand_finish(&s.hand);
    for (long n = 0; !done; n++) {
        done = true;
        for (int which = 0; which < 2; which++) {
            const struct mi_pass *pass = which ? &mi_pass_doctor : &mi_pass_whatif;
            struct mi_report report;
            struct mi_error err = MI_ERROR_INIT;
            mi_report_init(&report);
            alloc_left = n;
            bool ok = pass->run(&s.hand.model, NULL, &report, &err);
            done = done && alloc_left > 0;
            alloc_left = -1;
            assert_int_equal(err.code, ok ? MI_OK : MI_ENOMEM);
            assert_true(!ok || report.failed || report.table_count > 0);
            mi_report_fini(&report);
        }
        assert_true(n < 100000);
    }
    hand_fini(&s.hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_go_there_and_back),
        cmocka_unit_test(copies_without_effect),
        cmocka_unit_test(tasks_that_are_no_ops),
        cmocka_unit_test(wider_types),
        cmocka_unit_test(constants),
        cmocka_unit_test(shapes),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(storms),
        cmocka_unit_test(fused_too_much),
        cmocka_unit_test(slow_processors),
        cmocka_unit_test(few_cores),
        cmocka_unit_test(slower_than_its_like),
        cmocka_unit_test(transfers_in_the_way),
        cmocka_unit_test(much_is_moved),
        cmocka_unit_test(late_hosts),
        cmocka_unit_test(ranks_that_differ),
        cmocka_unit_test(late_parts),
        cmocka_unit_test(nothing_runs),
        cmocka_unit_test(collectives_wait),
        cmocka_unit_test(ops_without_tasks),
        cmocka_unit_test(costlier_first),
        cmocka_unit_test(options),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
