/* Changes of a run, on a model that is checked on paper. Times in us:
 *   s0   a [0,100)  record [100,101)   c [102,202)   d [203,303)
 *   s1   wait [0,103)  b [104,204)
 * b reads a, c reads a, d reads c. Without the wait b begins after its gap of 1 us. */
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { US = 1000 };

struct scene {
    struct hand hand;
    uint32_t s0, s1, x;
};

static uint32_t work(struct scene *s, uint32_t track, const char *name, const char *op, uint32_t in,
                     int64_t start_us, int64_t end_us)
{
    uint32_t out, node = hand_node(&s->hand, name, op, "float16", (uint32_t[4]){in}, &out);
    hand_executed(&s->hand, node,
                  hand_task(&s->hand, track, name, MI_TASK_COMPUTE, 0, start_us * US,
                            (end_us - start_us) * US, 0));
    return out;
}

static uint32_t event(struct scene *s, uint32_t track, const char *name, enum mi_sync sync,
                      int64_t start_us, int64_t end_us)
{
    struct mi_tables *rows = &s->hand.model.all.rows;
    uint32_t node = hand_node(&s->hand, name, sync == MI_SYNC_WAIT ? "Recv" : "Send", "float16",
                              (uint32_t[4]){0}, NULL);
    uint32_t task = hand_task(&s->hand, track, name, MI_TASK_SYNC, 0, start_us * US,
                              (end_us - start_us) * US, 0);
    rows->kernels.sync[rows->tasks.kernel[task].v] = (uint8_t)sync;
    hand_executed(&s->hand, node, task);
    return task;
}

static void begin(struct scene *s, bool b_reads)
{
    hand_init(&s->hand);
    hand_graph(&s->hand, MI_LAYER_COMPILED, 0);
    s->x = hand_value(&s->hand, "x", MI_VALUE_INPUT, "float16", 0);
    s->s0 = hand_track(&s->hand, "s0", 5);
    s->s1 = hand_track(&s->hand, "s1", 6);
    uint32_t a = work(s, s->s0, "a", "MatMul", s->x, 0, 100);
    uint32_t record = event(s, s->s0, "send", MI_SYNC_RECORD, 100, 101);
    uint32_t wait = event(s, s->s1, "recv", MI_SYNC_WAIT, 0, 103);
    mi_add_signal(
        &s->hand.model.all,
        &(struct mi_signal_row){.record = {record}, .wait = {wait}, .confidence = MI_LIKELY});
    uint32_t c = work(s, s->s0, "c", "Relu", a, 102, 202);
    work(s, s->s1, "b", "Relu", b_reads ? a : s->x, 104, 204);
    work(s, s->s0, "d", "Relu", c, 203, 303);
    hand_finish(&s->hand);
}

static bool try_whatif(const struct scene *s, const char *option, const char *text,
                       struct mi_report *report, struct mi_error *err)
{
    struct mi_arg arg = {.text = text};
    struct mi_args args = {.list = &arg, .count = 1};
    for (const struct mi_param *p = mi_params_whatif; p->name; p++)
        if (strcmp(p->name, option) == 0)
            arg.param = p;
    mi_report_init(report);
    return mi_pass_whatif.run(&s->hand.model, &args, report, err);
}

static int64_t fact(const struct mi_report *report, const char *name)
{
    for (uint32_t f = 0; f < report->fact_count; f++)
        if (strcmp(report->facts[f].name, name) == 0)
            return report->facts[f].cell.number;
    fail_msg("no fact %s", name);
    return 0;
}

static bool has_finding(const struct mi_report *report, const char *rule)
{
    for (uint32_t f = 0; f < report->finding_count; f++)
        if (strcmp(report->findings[f].rule, rule) == 0)
            return true;
    return false;
}

/* The makespan after one change, in us; 303 before. */
static int64_t after(const struct scene *s, const char *option, const char *text)
{
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(try_whatif(s, option, text, &report, &err));
    assert_int_equal(fact(&report, "observed_ns"), 303 * US);
    assert_int_equal(fact(&report, "replayed_ns"), 303 * US);
    int64_t after_ns = fact(&report, "after_ns");
    assert_int_equal(fact(&report, "gain_ns"), 303 * US - after_ns);
    mi_report_fini(&report);
    return after_ns / US;
}

static void times_change(void **state)
{
    struct scene s;
    (void)state;
    begin(&s, true);
    assert_int_equal(after(&s, "shorten", "c=50%"), 253);
    assert_int_equal(after(&s, "shorten", "c=100%"), 204); /* b ends then */
    assert_int_equal(after(&s, "shorten", "c=30us"), 233);
    assert_int_equal(after(&s, "shorten", "a=50%"), 253); /* b and c wait for it */
    assert_int_equal(after(&s, "shorten", "b=50%"), 303); /* not on the chain */
    assert_int_equal(after(&s, "remove", "c"), 204);
    assert_int_equal(after(&s, "remove", "d"), 204);
    hand_fini(&s.hand);
}

static void tasks_move(void **state)
{
    struct scene s;
    (void)state;
    begin(&s, true);
    /* behind c in the list stands b, then d: [203,303) on s1 as its data comes from s0 at 202 */
    assert_true(after(&s, "move", "d=6") >= 303);
    assert_int_equal(after(&s, "move", "b=5"), 404); /* between c and d, with its gap of 1 us */
    assert_int_equal(after(&s, "move", "b=new"), 303);
    hand_fini(&s.hand);
}

static void waits_go(void **state)
{
    (void)state;
    for (int reads = 0; reads < 2; reads++) {
        struct scene s;
        struct mi_report report;
        struct mi_error err = MI_ERROR_INIT;
        begin(&s, reads);
        assert_int_equal(after(&s, "remove-wait", "recv"), 303); /* b is not on the chain */
        assert_int_equal(after(&s, "remove-wait", "send"), 303);
        assert_int_equal(after(&s, "remove-wait", "b"), 303);
        assert_true(try_whatif(&s, "remove-wait", "recv", &report, &err));
        assert_false(has_finding(&report, "needed_wait")); /* it gains nothing either way */
        mi_report_fini(&report);
        hand_fini(&s.hand);
    }
}

/* The same with b of 300 us: its end at 404 is that of the run. */
static void needed_waits(void **state)
{
    (void)state;
    for (int reads = 0; reads < 2; reads++) {
        struct scene s;
        struct mi_report report;
        struct mi_error err = MI_ERROR_INIT;
        begin(&s, reads);
        struct mi_tables *rows = &s.hand.model.all.rows;
        for (uint32_t t = 1; t < rows->tasks.count; t++)
            if (rows->tasks.start_ns[t] == 104 * US)
                rows->tasks.dur_ns[t] = 300 * US;
        assert_true(try_whatif(&s, "remove-wait", "recv", &report, &err));
        /* b [1,301), the run ends with d */
        assert_int_equal(fact(&report, "after_ns"), 303 * US);
        assert_int_equal(has_finding(&report, "needed_wait"), reads);
        mi_report_fini(&report);
        hand_fini(&s.hand);
    }
}

static void nodes_fuse(void **state)
{
    struct scene s;
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    (void)state;
    begin(&s, true);
    assert_int_equal(after(&s, "fuse", "c,d"), 302);
    assert_int_equal(after(&s, "fuse", "d,c"), 302); /* in whatever order they are named */
    assert_false(try_whatif(&s, "fuse", "a,b", &report, &err));
    assert_int_equal(err.code, MI_EUSAGE);
    mi_report_fini(&report);
    hand_fini(&s.hand);
}

static void the_largest_gain_is_first(void **state)
{
    struct scene s;
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    (void)state;
    begin(&s, true);
    assert_true(try_whatif(&s, "rank", "", &report, &err));
    const struct mi_report_table *table = &report.tables[0];
    assert_string_equal(table->name, "rank");
    assert_int_equal(table->row_count, 3); /* a, c, d lie on the chain */
    int64_t last = INT64_MAX;
    for (uint32_t r = 0; r < table->row_count; r++) {
        int64_t gain = table->cells[(size_t)r * table->column_count + 1].number;
        assert_true(gain <= last && gain == 50 * US);
        last = gain;
    }
    mi_report_fini(&report);
    hand_fini(&s.hand);
}

static void wrong_changes(void **state)
{
    static const char *const wrong[][2] = {
        {"shorten", "c"},     {"shorten", "c=101%"}, {"shorten", "c=5"},   {"shorten", "=5us"},
        {"shorten", "c="},    {"remove", "nobody"},  {"move", "c"},        {"move", "c=7"},
        {"move", "c=logic:"}, {"fuse", "c"},         {"fuse", "c,nobody"}, {"unfuse", "c"}};
    struct scene s;
    (void)state;
    begin(&s, true);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mi_report report;
        struct mi_error err = MI_ERROR_INIT;
        assert_false(try_whatif(&s, wrong[i][0], wrong[i][1], &report, &err));
        assert_true(err.code == MI_EUSAGE || err.code == MI_ENOTFOUND);
        mi_report_fini(&report);
    }
    hand_fini(&s.hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_change),  cmocka_unit_test(tasks_move),
        cmocka_unit_test(waits_go),      cmocka_unit_test(needed_waits),
        cmocka_unit_test(nodes_fuse),    cmocka_unit_test(the_largest_gain_is_first),
        cmocka_unit_test(wrong_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
