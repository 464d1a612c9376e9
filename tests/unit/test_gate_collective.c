/* A collective that takes longer on the new side: it is no slow operator, as how long a rank waits
 * for the others is part of its time. */
#include "analyse/gate/gate.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { US = 1000 };

/* A node of 900 us, then a collective, or a product, that takes so long. */
static void make(struct hand *hand, enum mi_task_kind kind, uint32_t runs, int64_t dur_us)
{
    uint32_t x, y;
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    hand_node(hand, "in", "Data", "float16", (uint32_t[4]){0}, &x);
    uint32_t a = hand_node(hand, "a", "Conv2D", "float16", (uint32_t[4]){x}, &y);
    uint32_t b = hand_node(hand, "b", kind == MI_TASK_COMMUNICATION ? "HcomAllReduce" : "MatMulV2",
                           "float16", (uint32_t[4]){y}, NULL);
    uint32_t stream = hand_track(hand, "stream 0", 0);
    for (uint32_t run = 0; run < runs; run++) {
        int64_t at_us = 10000 * (int64_t)run;
        hand_executed(hand, a,
                      hand_task(hand, stream, "a", MI_TASK_COMPUTE, run, at_us * US, 900 * US, 0));
        hand_executed(hand, b,
                      hand_task(hand, stream, "b", kind, run, (at_us + 900) * US, dur_us * US, 0));
    }
    hand_finish(hand);
}

struct said {
    unsigned op_time, type_time, type_share;
    char cause[32]; /* of the difference; empty: there is none */
};

/* 100 us on the base, so much on the new side. */
static struct said say(enum mi_task_kind kind, uint32_t runs, int64_t dur_us,
                       const char *rules_text)
{
    const struct mi_bytes names[] = {MI_LIT("base"), MI_LIT("new")};
    struct hand hands[2];
    struct mi_error err = MI_ERROR_INIT;
    struct mi_gate_rules rules;
    struct mi_compare compare;
    struct mi_report report;
    struct said said = {0};
    make(&hands[0], kind, runs, 100);
    make(&hands[1], kind, runs, dur_us);
    const struct mi_model *one = &hands[0].model, *two = &hands[1].model;
    const struct mi_model *const *models[] = {&one, &two};
    mi_report_init(&report);
    assert_true(mi_compare_init(&compare, models, (uint32_t[]){1, 1},
                                &(struct mi_cmp_options){-1, -1}, &err));
    assert_true(rules_text ? mi_gate_rules_read(&rules, mi_cstr(rules_text), &err)
                           : mi_gate_rules_default(&rules, &err));
    assert_true(mi_gate_report(&compare, &rules, names, NULL, &report, &err));
    for (uint32_t f = 0; f < report.finding_count; f++) {
        said.op_time += strcmp(report.findings[f].rule, "op_time") == 0;
        said.type_time += strcmp(report.findings[f].rule, "type_time") == 0;
        said.type_share += strcmp(report.findings[f].rule, "type_share") == 0;
    }
    assert_true(compare.cause_count <= 1);
    if (compare.cause_count)
        snprintf(said.cause, sizeof said.cause, "%s", compare.causes[0].rule);
    mi_gate_rules_fini(&rules);
    mi_report_fini(&report);
    mi_compare_fini(&compare);
    hand_fini(&hands[0]);
    hand_fini(&hands[1]);
    return said;
}

static void one_run(void **state)
{
    (void)state;
    struct said said = say(MI_TASK_COMMUNICATION, 1, 300, NULL);
    assert_int_equal(said.op_time + said.type_time + said.type_share, 0);
    assert_string_equal(said.cause, "collective_time");
    said = say(MI_TASK_COMMUNICATION, 1, 300,
               "{\"schema\": \"model-inspector-gate-rules/1\", \"rules\": "
               "[{\"rule\": \"op_time\", \"names\": [\"b\"]}]}");
    assert_int_equal(said.op_time, 1); /* who names it wants to know */
    said = say(MI_TASK_COMPUTE, 1, 300, NULL);
    assert_int_equal(said.op_time, 1);
    assert_int_equal(said.type_time, 1);
    assert_int_equal(said.type_share, 1);
    assert_string_equal(said.cause, "slow_op");
}

/* Where it waits longer in run after run that is no chance. */
static void many_runs(void **state)
{
    (void)state;
    struct said said = say(MI_TASK_COMMUNICATION, 8, 300, NULL);
    assert_int_equal(said.op_time, 1);
    assert_int_equal(said.type_time, 1);
    assert_int_equal(said.type_share, 1);
    assert_string_equal(said.cause, "collective_time");
    said = say(MI_TASK_COMMUNICATION, 8, 50, NULL);
    assert_int_equal(said.op_time, 0);
    assert_string_equal(said.cause, "collective_time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_run), cmocka_unit_test(many_runs)};
    return cmocka_run_group_tests_name("gate_collective", tests, NULL, NULL);
}
