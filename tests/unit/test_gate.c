/* What the gate says of runs of a chain of nodes that differ in one thing. */
#include "analyse/gate/gate.h"
#include "hand_model.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 12, RUNS = 13, US = 1000, WATCHED = 3 };

static const uint32_t nothing[4] = {0};

/* A chain n0 .. n11, of which n3 is what differs. Times scatter by a pattern, so that equal chains
 * of other seeds are other samples of the same. */
struct chain {
    unsigned runs; /* 0: no tasks at all */
    unsigned scatter_permille;
    unsigned run_permille;    /* what all tasks of a run scatter by alike */
    unsigned slower_permille; /* of all; of n3 alone if `is_one` */
    bool is_one;
    const char *dtype;           /* of n3's output; NULL: float16 */
    bool has_cast;               /* a node that converts the element type behind n3 */
    bool has_trans;              /* one that changes the layout behind n8 */
    bool has_gather;             /* one that picks from it by what the graph is given */
    enum mi_origin trans_origin; /* of has_trans; 0: the compiler does not say */
    uint64_t seed;
};

static void make_chain(struct hand *hand, const struct chain *chain)
{
    uint64_t random = chain->seed;
    uint32_t nodes[NODES + 3], value, given, count = 0;
    char name[16];
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    hand_node(hand, "in", "Data", "float16", nothing, &value);
    given = value;
    for (uint32_t n = 0; n < NODES; n++) {
        const char *dtype = n == WATCHED && chain->dtype ? chain->dtype : "float16";
        snprintf(name, sizeof name, "n%u", n);
        nodes[count++] = hand_node(hand, name, n == WATCHED ? "Conv2D" : "MatMul", dtype,
                                   (uint32_t[4]){value}, &value);
        if (n == WATCHED && chain->has_cast)
            nodes[count++] =
                hand_node(hand, "cast", "Cast", "float16", (uint32_t[4]){value}, &value);
        if (n == 8 && chain->has_trans) {
            nodes[count] =
                hand_node(hand, "trans", "TransData", "float16", (uint32_t[4]){value}, &value);
            hand->model.all.rows.nodes.category[nodes[count]] = MI_CATEGORY_DATA_MOVEMENT;
            if (chain->trans_origin)
                mi_add_birth(&hand->model.all,
                             &(struct mi_birth_row){.node = {nodes[count]},
                                                    .origin = (uint8_t)chain->trans_origin});
            count++;
        }
        if (n == 8 && chain->has_gather) {
            nodes[count] = hand_node(hand, "gather", "GatherV2", "float16",
                                     (uint32_t[4]){value, given}, &value);
            hand->model.all.rows.nodes.category[nodes[count++]] = MI_CATEGORY_DATA_MOVEMENT;
        }
    }
    uint32_t stream = hand_track(hand, "stream 0", 0);
    for (unsigned run = 0; run < chain->runs; run++) {
        int64_t at_ns = (int64_t)run * 10000 * US;
        int64_t common =
            (int64_t)rng_below(&random, 2 * chain->run_permille + 1) - (int64_t)chain->run_permille;
        for (uint32_t n = 0; n < count; n++) {
            int64_t ns = (100 + 10 * (int64_t)n) * US;
            if (!chain->is_one || n == WATCHED)
                ns += ns * chain->slower_permille / 1000;
            ns += ns *
                  ((int64_t)rng_below(&random, 2 * chain->scatter_permille + 1) -
                   chain->scatter_permille) /
                  1000;
            ns += ns * common / 1000;
            snprintf(name, sizeof name, "k%u", n);
            hand_executed(hand, nodes[n],
                          hand_task(hand, stream, name, MI_TASK_COMPUTE, run, at_ns, ns, 0));
            at_ns += ns;
        }
    }
    hand_finish(hand);
}

/* Both sides of the last comparison: names in its report lie there. */
static struct hand hands[2];
static bool has_hands;

static int let_go(void **state)
{
    (void)state;
    if (has_hands) {
        hand_fini(&hands[0]);
        hand_fini(&hands[1]);
    }
    has_hands = false;
    return 0;
}

static void gate(const struct chain *base, const struct chain *new, const char *rules_text,
                 struct mi_report *report)
{
    const struct mi_bytes names[] = {MI_LIT("base"), MI_LIT("new")};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_gate_rules rules;
    struct mi_compare compare;
    let_go(NULL);
    make_chain(&hands[0], base);
    make_chain(&hands[1], new);
    has_hands = true;
    const struct mi_model *one = &hands[0].model, *two = &hands[1].model;
    const struct mi_model *const *models[] = {&one, &two};
    mi_report_init(report);
    assert_true(mi_compare_init(&compare, models, (uint32_t[]){1, 1},
                                &(struct mi_cmp_options){-1, -1}, &err));
    assert_true(rules_text ? mi_gate_rules_read(&rules, mi_cstr(rules_text), &err)
                           : mi_gate_rules_default(&rules, &err));
    assert_true(mi_gate_report(&compare, &rules, names, NULL, report, &err));
    mi_gate_rules_fini(&rules);
    mi_compare_fini(&compare);
}

static unsigned alarms(const struct mi_report *report, const char *rule)
{
    unsigned count = 0;
    for (uint32_t f = 0; f < report->finding_count; f++)
        count += strcmp(report->findings[f].rule, rule) == 0;
    return count;
}

static const struct chain calm = {.runs = RUNS, .scatter_permille = 5, .seed = 3};

static void test_equals(void **state)
{
    (void)state;
    struct chain again = calm;
    struct mi_report report;
    again.seed = 4;
    gate(&calm, &again, NULL, &report);
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
}

static void test_one_node_is_slower(void **state)
{
    (void)state;
    struct chain slow = calm;
    struct mi_report report;
    slow.seed = 4;
    slow.is_one = true;
    slow.slower_permille = 50;
    gate(&calm, &slow, NULL, &report);
    assert_int_equal(alarms(&report, "op_time"), 1);
    assert_int_equal(alarms(&report, "type_time"), 1);
    assert_int_equal(report.finding_count, 2);
    assert_true(mi_bytes_equal(report.findings[0].subject, MI_LIT("n3")));
    mi_report_fini(&report);
}

/* What all nodes do alike is no fault of one of them, but not nothing either. */
static void test_all_are_slower(void **state)
{
    (void)state;
    struct chain slow = calm;
    struct mi_report report;
    slow.seed = 4;
    slow.slower_permille = 60;
    gate(&calm, &slow, NULL, &report);
    assert_int_equal(alarms(&report, "makespan"), 1);
    assert_int_equal(alarms(&report, "op_time"), NODES);
    mi_report_fini(&report);
}

/* Runs that are longer for certain, while what is common to all nodes is not quite: it is told all
 * the same which nodes they are. */
static void test_who_is_slower(void **state)
{
    (void)state;
    struct chain restless = calm, slow;
    struct mi_report report;
    restless.scatter_permille = 30;
    restless.run_permille = 20;
    restless.seed = 11000;
    slow = restless;
    slow.seed++;
    slow.slower_permille = 45;
    gate(&restless, &slow, NULL, &report);
    assert_int_equal(alarms(&report, "makespan"), 1);
    assert_int_equal(alarms(&report, "type_time"), 1);
    mi_report_fini(&report);
}

/* Times that scatter by 300 per mille: a node that differs by more than the limit may be chance. */
static void test_noise_is_no_alarm(void **state)
{
    (void)state;
    unsigned beyond = 0;
    for (uint64_t seed = 10; seed < 20; seed++) {
        struct chain one = {.runs = RUNS, .scatter_permille = 300, .seed = seed}, other = one;
        struct mi_report report;
        other.seed = seed + 100;
        gate(&one, &other, NULL, &report);
        assert_int_equal(alarms(&report, "op_time"), 0);
        const struct mi_report_table *table = &report.tables[1];
        assert_string_equal(table->name, "measured");
        for (uint32_t r = 0; r < table->row_count; r++)
            beyond += table->cells[r * table->column_count + 4].number > 30000;
        mi_report_fini(&report);
    }
    assert_true(beyond > 0); /* the limit alone would have raised some */
}

/* Three runs say nothing of noise: 5 % are within the wider limit, 30 % are not. */
static void test_few_runs(void **state)
{
    (void)state;
    struct chain few = calm, slow = calm;
    struct mi_report report;
    few.runs = slow.runs = 4;
    slow.slower_permille = 50;
    gate(&few, &slow, NULL, &report);
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
    slow.slower_permille = 300;
    gate(&few, &slow, NULL, &report);
    assert_int_equal(alarms(&report, "makespan"), 1);
    mi_report_fini(&report);
}

static void test_another_dtype(void **state)
{
    (void)state;
    struct chain wide = calm;
    struct mi_report report;
    wide.dtype = "float32";
    gate(&calm, &wide, NULL, &report);
    assert_int_equal(alarms(&report, "dtype_changes"), 1);
    assert_int_equal(report.finding_count, 1);
    mi_report_fini(&report);
}

static void test_a_conversion(void **state)
{
    (void)state;
    struct chain more = calm;
    struct mi_report report;
    more.has_cast = true;
    more.runs = 0;
    struct chain still = calm;
    still.runs = 0;
    gate(&still, &more, NULL, &report);
    assert_int_equal(alarms(&report, "inserted_transfers"), 1);
    assert_int_equal(alarms(&report, "node_count"), 1); /* 14 of 13 nodes */
    mi_report_fini(&report);
    gate(&more, &still, NULL, &report); /* one that is gone is no alarm */
    assert_int_equal(alarms(&report, "inserted_transfers"), 0);
    mi_report_fini(&report);
    gate(&still, &more,
         "{\"schema\": \"model-inspector-gate-rules/1\", \"rules\": "
         "[{\"rule\": \"inserted_transfers\", \"limit_count\": 1}]}",
         &report);
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
}

/* A rule of a file that cannot be checked does not let pass; without a file it is only listed. */
static void test_not_checked(void **state)
{
    (void)state;
    struct chain still = calm;
    struct mi_report report;
    still.runs = 0;
    gate(&still, &still, NULL, &report);
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
    gate(&still, &still,
         "{\"schema\": \"model-inspector-gate-rules/1\", \"rules\": [{\"rule\": \"makespan\"}]}",
         &report);
    assert_int_equal(alarms(&report, "not_checked"), 1);
    assert_int_equal(report.findings[0].severity, MI_ERROR);
    mi_report_fini(&report);
}

/* Runs that scatter by 200 per mille as a whole hide no single node: it is measured beside what is
 * common to all of a run. */
static void test_one_beside_the_level(void **state)
{
    (void)state;
    struct chain restless = calm, slow;
    struct mi_report report;
    restless.run_permille = 200;
    slow = restless;
    slow.seed = 4;
    slow.is_one = true;
    slow.slower_permille = 50;
    gate(&restless, &slow, NULL, &report);
    assert_int_equal(alarms(&report, "op_time"), 1);
    assert_int_equal(alarms(&report, "makespan"), 0);
    mi_report_fini(&report);
}

/* One conversion in place of another: none was put in. */
static void test_a_conversion_instead(void **state)
{
    (void)state;
    struct chain before = calm, after = calm;
    struct mi_report report;
    before.runs = after.runs = 0;
    before.has_cast = after.has_trans = true;
    gate(&before, &after, NULL, &report);
    assert_int_equal(alarms(&report, "inserted_transfers"), 0);
    mi_report_fini(&report);
    before.has_cast = false;
    gate(&before, &after, NULL, &report);
    assert_int_equal(alarms(&report, "inserted_transfers"), 1);
    mi_report_fini(&report);
}

/* What the model asks for, and what picks from a tensor, is no conversion. */
static void test_no_conversions(void **state)
{
    (void)state;
    struct chain before = calm, after = calm;
    struct mi_report report;
    before.runs = after.runs = 0;
    after.has_gather = true;
    gate(&before, &after, NULL, &report);
    assert_int_equal(alarms(&report, "inserted_transfers"), 0);
    mi_report_fini(&report);
    after.has_gather = false;
    after.has_trans = true;
    for (unsigned by_model = 0; by_model < 2; by_model++) {
        after.trans_origin = by_model ? MI_ORIGIN_KEPT : MI_ORIGIN_INSERTED;
        gate(&before, &after, NULL, &report);
        assert_int_equal(alarms(&report, "inserted_transfers"), !by_model);
        mi_report_fini(&report);
    }
}

/* n3 takes 7 % of the work. */
static void test_least_share(void **state)
{
    (void)state;
    struct chain slow = calm;
    struct mi_report report;
    slow.is_one = true;
    slow.slower_permille = 200;
    for (unsigned least = 6; least < 10; least += 3) {
        char rules[240];
        snprintf(rules, sizeof rules,
                 "{\"schema\": \"model-inspector-gate-rules/1\", \"rules\": "
                 "[{\"rule\": \"op_time\", \"least_percent\": 0, \"names\": [\"n0\"]}, "
                 "{\"rule\": \"op_time\", \"least_percent\": %u}]}",
                 least);
        gate(&calm, &slow, rules, &report);
        assert_int_equal(report.finding_count, least == 6 ? 1 : 0);
        mi_report_fini(&report);
    }
}

/* Names of rules choose whom they look at. */
static void test_names(void **state)
{
    (void)state;
    struct chain slow = calm;
    struct mi_report report;
    slow.is_one = true;
    slow.slower_permille = 200;
    gate(&calm, &slow,
         "{\"schema\": \"model-inspector-gate-rules/1\", \"rules\": "
         "[{\"rule\": \"op_time\", \"names\": [\"n4\", \"n1*\"]}]}",
         &report);
    assert_int_equal(report.finding_count, 0);
    mi_report_fini(&report);
    gate(&calm, &slow,
         "{\"schema\": \"model-inspector-gate-rules/1\", \"rules\": "
         "[{\"rule\": \"op_time\", \"names\": [\"n3\"], \"severity\": \"notice\"}]}",
         &report);
    assert_int_equal(report.finding_count, 1);
    assert_int_equal(report.findings[0].severity, MI_NOTICE);
    mi_report_fini(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals),
                                       cmocka_unit_test(test_one_node_is_slower),
                                       cmocka_unit_test(test_all_are_slower),
                                       cmocka_unit_test(test_who_is_slower),
                                       cmocka_unit_test(test_noise_is_no_alarm),
                                       cmocka_unit_test(test_few_runs),
                                       cmocka_unit_test(test_another_dtype),
                                       cmocka_unit_test(test_a_conversion),
                                       cmocka_unit_test(test_not_checked),
                                       cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_one_beside_the_level),
                                       cmocka_unit_test(test_a_conversion_instead),
                                       cmocka_unit_test(test_no_conversions),
                                       cmocka_unit_test(test_least_share)};
    return cmocka_run_group_tests(tests, NULL, let_go);
}
