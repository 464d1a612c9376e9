/* Rules files: what they say, and clear refusals of what they must not say. */
#include "analyse/gate/rules.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "{\"schema\": \"model-inspector-gate-rules/1\",\n"

static void test_defaults(void **state)
{
    (void)state;
    struct mi_gate_rules rules;
    assert_true(mi_gate_rules_default(&rules, NULL));
    assert_int_equal(rules.count, MI_GATE_KINDS);
    assert_false(rules.are_given);
    for (uint32_t i = 0; i < rules.count; i++)
        assert_true(rules.list[i].kind == i && rules.list[i].unknown_limit >= rules.list[i].limit);
    mi_gate_rules_fini(&rules);
}

static void test_a_file(void **state)
{
    (void)state;
    struct mi_gate_rules rules;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_gate_rules_read(
        &rules,
        MI_LIT(HEAD "\"false_alarms\": 0.01, \"rules\": [\n"
                    "{\"rule\": \"makespan\", \"limit_percent\": 2.5},\n"
                    "{\"rule\": \"op_time\", \"names\": [\"*attn*\", \"/head\"], "
                    "\"limit_percent\": 1, \"least_percent\": 0, \"severity\": \"warning\"},\n"
                    "{\"rule\": \"transfer_share\", \"limit_points\": 0.5},\n"
                    "{\"rule\": \"inserted_transfers\", \"limit_count\": 3},\n"
                    "{\"rule\": \"makespan\", \"limit_percent\": 30}]}"),
        &err));
    assert_int_equal(rules.count, 5);
    assert_true(rules.are_given);
    assert_int_equal(rules.false_alarms_ppm, 10000);
    assert_int_equal(rules.list[0].limit, 25000);
    assert_int_equal(rules.list[1].kind, MI_GATE_op_time);
    assert_int_equal(rules.list[1].severity, MI_WARNING);
    assert_int_equal(rules.list[1].least_share, 0);
    assert_true(mi_gate_rule_names(&rules.list[1], MI_LIT("layer/attn/MatMul")));
    assert_true(mi_gate_rule_names(&rules.list[1], MI_LIT("/head")));
    assert_false(mi_gate_rule_names(&rules.list[1], MI_LIT("/head/Conv")));
    assert_true(mi_gate_rule_names(&rules.list[0], MI_LIT("anything")));
    assert_int_equal(rules.list[2].limit, 5000);
    assert_int_equal(rules.list[3].limit, 3);
    /* who does not know the noise is not stricter than who does */
    assert_int_equal(rules.list[4].unknown_limit, 300000);
    mi_gate_rules_fini(&rules);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        uint32_t line;
    } cases[] = {
        {HEAD "\"rules\": [{\"rule\": \"makspan\"}]}", "no rule \"makspan\"", 2},
        {HEAD "\"rules\": [{\"rule\": \"makespan\",\n\"limit_percnt\": 3}]}", "limit_percnt", 3},
        {HEAD "\"rules\": [{\"rule\": \"makespan\", \"limit_count\": 3}]}", "limit_count", 2},
        {HEAD "\"rules\": [{\"rule\": \"makespan\", \"limit_percent\": -1}]}", "0 or more", 2},
        {HEAD "\"rules\": [{\"rule\": \"makespan\", \"limit_percent\": \"x\"}]}", "number", 2},
        {HEAD "\"rules\": [{\"rule\": \"makespan\", \"names\": []}]}", "names", 2},
        {HEAD "\"rules\": [{\"rule\": \"makespan\", \"severity\": \"loud\"}]}", "loud", 2},
        {HEAD "\"rules\": [{\"limit_percent\": 3, \"rule\": \"makespan\"}]}", "comes first", 2},
        {HEAD "\"rules\": [{}]}", "without", 2},
        {HEAD "\"rules\": []}", "at least one rule", 2},
        {HEAD "\"false_alarms\": 1.5, \"rules\": [{\"rule\": \"makespan\"}]}", "0.5", 2},
        {HEAD "\"other\": 1}", "other", 2},
        {"{\"schema\": \"model-inspector-gate-rules/2\"}", "wanted", 1},
        {"{\"rules\": [{\"rule\": \"makespan\"}]}", "schema", 1},
        {HEAD "\"rules\": [{\"rule\": \"makespan\"}]} x", "", 2},
        {HEAD "\"rules\": [{\"rule\": \"makespan\"", "", 2},
        {"[]", "", 1},
        {"", "", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mi_gate_rules rules;
        struct mi_error err = MI_ERROR_INIT;
        if (mi_gate_rules_read(&rules, mi_cstr(cases[i].text), &err))
            fail_msg("accepted: %s", cases[i].text);
        if (!strstr(err.text, cases[i].says) || err.line != cases[i].line)
            fail_msg("%s: line %u: %s", cases[i].text, err.line, err.text);
    }
}

/* Every front part of a file is refused, and none is read beyond its end. */
static void test_cut_files(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "\"rules\": [{\"rule\": \"op_time\", \"names\": [\"a\\u0041\"], \"limit_percent\": 1}]}";
    for (size_t len = 0; len < sizeof text - 1; len++) {
        struct mi_gate_rules rules;
        struct mi_error err = MI_ERROR_INIT;
        uint8_t *copy = mi_mem_new(len + 1, 1);
        memcpy(copy, text, len);
        assert_false(mi_gate_rules_read(&rules, (struct mi_bytes){copy, len}, &err));
        assert_true(err.code != MI_OK);
        mi_mem_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_a_file),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_cut_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
