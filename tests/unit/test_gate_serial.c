/* What the gate says of two nodes that ran at once and do so no longer, by what keeps them apart.
 */
#include "analyse/gate/gate.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 6, US = 1000 };

enum apart { AT_ONCE, LATER, BEHIND, ON_ONE_STREAM };

/* Two nodes of 100 us that read one input. AT_ONCE: each on a stream of its own. LATER: the same,
 * the second begins 20 us after the end of the first, and nothing says why. BEHIND: it reads what
 * the first one makes. ON_ONE_STREAM: it does not, but stands behind it. */
static void make(struct hand *hand, enum apart apart)
{
    uint32_t x, y, nodes[2], streams[2];
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    hand_node(hand, "in", "Data", "float16", (uint32_t[4]){0}, &x);
    nodes[0] = hand_node(hand, "a", "MatMul", "float16", (uint32_t[4]){x}, &y);
    nodes[1] =
        hand_node(hand, "b", "Conv2D", "float16", (uint32_t[4]){apart == BEHIND ? y : x}, NULL);
    for (int i = 0; i < 2; i++)
        streams[i] = hand_track(hand, i ? "stream 1" : "stream 0", i);
    for (uint32_t run = 0; run < RUNS; run++) {
        int64_t at_us = 1000 * (int64_t)run;
        for (int i = 0; i < 2; i++) {
            uint32_t stream = apart == ON_ONE_STREAM ? streams[0] : streams[i];
            int64_t start_us = at_us + (i && apart != AT_ONCE ? 120 : 0);
            hand_executed(hand, nodes[i],
                          hand_task(hand, stream, i ? "b" : "a", MI_TASK_COMPUTE, run,
                                    start_us * US, 100 * US, 0));
        }
    }
    hand_finish(hand);
}

static unsigned alarms_of(enum apart base, enum apart new)
{
    const struct mi_bytes names[] = {MI_LIT("base"), MI_LIT("new")};
    struct hand hands[2];
    struct mi_error err = MI_ERROR_INIT;
    struct mi_gate_rules rules;
    struct mi_compare compare;
    struct mi_report report;
    unsigned count = 0;
    make(&hands[0], base);
    make(&hands[1], new);
    const struct mi_model *one = &hands[0].model, *two = &hands[1].model;
    const struct mi_model *const *models[] = {&one, &two};
    mi_report_init(&report);
    assert_true(mi_compare_init(&compare, models, (uint32_t[]){1, 1},
                                &(struct mi_cmp_options){-1, -1}, &err));
    assert_true(mi_gate_rules_default(&rules, &err));
    assert_true(mi_gate_report(&compare, &rules, names, NULL, &report, &err));
    if (base == AT_ONCE)
        assert_int_equal(compare.serial_count, new != AT_ONCE); /* else nothing is decided here */
    for (uint32_t f = 0; f < report.finding_count; f++)
        count += strcmp(report.findings[f].rule, "parallel_to_serial") == 0;
    mi_gate_rules_fini(&rules);
    mi_report_fini(&report);
    mi_compare_fini(&compare);
    hand_fini(&hands[0]);
    hand_fini(&hands[1]);
    return count;
}

static void what_keeps_them_apart(void **state)
{
    (void)state;
    assert_int_equal(alarms_of(AT_ONCE, AT_ONCE), 0);
    assert_int_equal(alarms_of(AT_ONCE, LATER), 0); /* they just did not meet */
    assert_int_equal(alarms_of(AT_ONCE, BEHIND), 1);
    assert_int_equal(alarms_of(AT_ONCE, ON_ONE_STREAM), 1);
    assert_int_equal(alarms_of(ON_ONE_STREAM, AT_ONCE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_keeps_them_apart)};
    return cmocka_run_group_tests_name("gate_serial", tests, NULL, NULL);
}
