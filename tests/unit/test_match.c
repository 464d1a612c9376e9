/* Which node of one graph is which of another: by recorded ops, names, structure, neighbours,
 * order; names that a compiler counted up, nodes put in between, pairs that would turn the data
 * around. */
#include "alloc_fail.h"
#include "analyse/compare/compare.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const uint32_t nothing[4] = {0};

struct two {
    struct hand hand[2];
    struct mi_match match;
};

static void two_init(struct two *two)
{
    for (int i = 0; i < 2; i++) {
        hand_init(&two->hand[i]);
        hand_graph(&two->hand[i], MI_LAYER_COMPILED, 0);
    }
}

static void two_match(struct two *two)
{
    struct mi_error err = MI_ERROR_INIT;
    hand_finish(&two->hand[0]);
    hand_finish(&two->hand[1]);
    assert_true(mi_match_init(&two->match, &two->hand[0].model, &two->hand[1].model, &err));
}

static void two_fini(struct two *two)
{
    mi_match_fini(&two->match);
    hand_fini(&two->hand[0]);
    hand_fini(&two->hand[1]);
}

static void record(struct hand *hand, uint32_t node, const char *name)
{
    mi_add_recorded(&hand->model.all,
                    &(struct mi_recorded_row){.node = {node}, .name = hand_str(hand, name)});
}

static uint32_t named(const struct hand *hand, const char *name)
{
    const struct mi_tables *rows = &hand->model.all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        if (mi_bytes_equal(mi_model_text(&hand->model, rows->nodes.name[n]), mi_cstr(name)))
            return n;
    fail_msg("no node %s", name);
    return 0;
}

static enum mi_cmp_evidence pair_of(const struct two *two, const char *base, const char *new)
{
    uint32_t a = named(&two->hand[0], base), b = named(&two->hand[1], new);
    if (two->match.other[MI_CMP_BASE][a] != b || two->match.other[MI_CMP_NEW][b] != a)
        return MI_CMP_BY_NOTHING;
    const struct mi_cmp_pair *pair = &two->match.pairs[two->match.pair_of[MI_CMP_BASE][a] - 1];
    assert_int_equal(pair->node[MI_CMP_NEW], b);
    assert_true(two->match.pair_of[MI_CMP_NEW][b] == two->match.pair_of[MI_CMP_BASE][a]);
    return (enum mi_cmp_evidence)pair->evidence;
}

/* A chain of nodes "PREFIX0", "PREFIX1", ... of the given types. */
static uint32_t chain(struct hand *hand, const char *prefix, const char *const types[],
                      uint32_t value)
{
    for (int i = 0; types[i]; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%d", prefix, i);
        hand_node(hand, name, types[i], "float16", (uint32_t[4]){value}, &value);
    }
    return value;
}

static void a_graph_is_itself(void **state)
{
    (void)state;
    static const char *const types[] = {"Data", "Cast", "MatMul", "Cast", "Relu", NULL};
    struct two two;
    two_init(&two);
    for (int i = 0; i < 2; i++)
        chain(&two.hand[i], "n", types, 0);
    two_match(&two);
    assert_int_equal(two.match.pair_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(two.match.pairs[i].node[MI_CMP_NEW], two.match.pairs[i].node[MI_CMP_BASE]);
        assert_int_equal(two.match.pairs[i].confidence, MI_CERTAIN);
    }
    two_fini(&two);
}

/* Everything has another name, and two types occur twice: only their surroundings tell them apart.
 */
static void all_renamed(void **state)
{
    (void)state;
    static const char *const types[] = {"Data", "Cast", "MatMul", "Cast", "Relu", "MatMul", NULL};
    struct two two;
    two_init(&two);
    for (int i = 0; i < 2; i++)
        chain(&two.hand[i], i ? "x" : "n", types, 0);
    two_match(&two);
    for (int i = 0; i < 6; i++) {
        char base[8], new[8];
        snprintf(base, sizeof base, "n%d", i);
        snprintf(new, sizeof new, "x%d", i);
        assert_int_equal(pair_of(&two, base, new), MI_CMP_BY_STRUCTURE);
    }
    two_fini(&two);
}

/* A cast is put in at the front, and the compiler counts: cast_1 is now what cast_0 was. */
static void counted_names_move(void **state)
{
    (void)state;
    struct two two;
    two_init(&two);
    for (int i = 0; i < 2; i++) {
        struct hand *hand = &two.hand[i];
        uint32_t a, value;
        hand_node(hand, "a", "Data", "float32", nothing, &a);
        value = a;
        if (i) {
            hand_node(hand, "b0", "MatMul", "float32", (uint32_t[4]){a}, &value);
            hand_node(hand, "cast_0", "Cast", "float16", (uint32_t[4]){value}, &value);
        }
        hand_node(hand, "b", "MatMul", "float16", (uint32_t[4]){value}, &value);
        hand_node(hand, i ? "cast_1" : "cast_0", "Cast", "float32", (uint32_t[4]){value}, &value);
        hand_node(hand, "c", "Softmax", "float32", (uint32_t[4]){value}, &value);
        hand_node(hand, i ? "cast_2" : "cast_1", "Cast", "float16", (uint32_t[4]){value}, &value);
        hand_node(hand, "d", "MatMul", "float16", (uint32_t[4]){value}, &value);
    }
    two_match(&two);
    assert_int_equal(pair_of(&two, "b", "b"), MI_CMP_BY_NAME);
    assert_int_equal(pair_of(&two, "d", "d"), MI_CMP_BY_NAME);
    assert_int_not_equal(pair_of(&two, "cast_0", "cast_1"), MI_CMP_BY_NOTHING);
    assert_int_not_equal(pair_of(&two, "cast_1", "cast_2"), MI_CMP_BY_NOTHING);
    assert_int_equal(two.match.other[MI_CMP_NEW][named(&two.hand[1], "cast_0")], 0);
    assert_int_equal(two.match.other[MI_CMP_NEW][named(&two.hand[1], "b0")], 0);
    two_fini(&two);
}

/* Recorded ops outweigh names: the names were swapped. Most of them in common is a pair too,
 * another node with the rest is none. */
static void recorded_ops(void **state)
{
    (void)state;
    struct two two;
    two_init(&two);
    for (int i = 0; i < 2; i++) {
        struct hand *hand = &two.hand[i];
        uint32_t value, node;
        node = hand_node(hand, i ? "q" : "p", "MatMul", "float16", nothing, &value);
        record(hand, node, "/p");
        node = hand_node(hand, i ? "p" : "q", "MatMul", "float16", (uint32_t[4]){value}, &value);
        record(hand, node, "/q");
        node = hand_node(hand, i ? "u" : "fused", "Norm", "float16", (uint32_t[4]){value}, &value);
        record(hand, node, "/mean");
        record(hand, node, "/sub");
        record(hand, node, "/div");
        if (i)
            node = hand_node(hand, "v", "Mul", "float16", (uint32_t[4]){value}, &value);
        record(hand, node, "/mul");
    }
    two_match(&two);
    assert_int_equal(pair_of(&two, "p", "q"), MI_CMP_BY_ORIGINS);
    assert_int_equal(pair_of(&two, "q", "p"), MI_CMP_BY_ORIGINS);
    assert_int_equal(pair_of(&two, "fused", "u"), MI_CMP_BY_JACCARD);
    assert_int_equal(two.match.other[MI_CMP_NEW][named(&two.hand[1], "v")], 0);
    assert_int_equal(two.match.pair_count, 3);
    two_fini(&two);
}

/* a -> b became b -> a: both cannot be what they were. */
static void order_is_kept(void **state)
{
    (void)state;
    struct two two;
    two_init(&two);
    for (int i = 0; i < 2; i++) {
        struct hand *hand = &two.hand[i];
        uint32_t value;
        hand_node(hand, "in", "Data", "float16", nothing, &value);
        hand_node(hand, i ? "b" : "a", i ? "Relu" : "Exp", "float16", (uint32_t[4]){value}, &value);
        hand_node(hand, i ? "a" : "b", i ? "Exp" : "Relu", "float16", (uint32_t[4]){value}, &value);
        hand_node(hand, "out", "Neg", "float16", (uint32_t[4]){value}, NULL);
    }
    two_match(&two);
    assert_int_equal(pair_of(&two, "in", "in"), MI_CMP_BY_NAME);
    assert_int_equal(pair_of(&two, "out", "out"), MI_CMP_BY_NAME);
    assert_int_equal(two.match.pair_count, 3);
    assert_int_equal(two.match.refused, 1);
    two_fini(&two);
}

/* A cycle that each graph has by itself is no pair's fault. */
static void cycles_of_one_graph(void **state)
{
    (void)state;
    struct two two;
    two_init(&two);
    for (int i = 0; i < 2; i++) {
        struct hand *hand = &two.hand[i];
        uint32_t in, a, b;
        hand_node(hand, "in", "Data", "float16", nothing, &in);
        uint32_t first = hand_node(hand, "a", "Exp", "float16", (uint32_t[4]){in}, &a);
        hand_node(hand, "b", "Relu", "float16", (uint32_t[4]){a}, &b);
        struct mi_tables *rows = &hand->model.all.rows;
        rows->ports.value[rows->nodes.first_in[first]].v = b;
    }
    two_match(&two);
    assert_int_equal(two.match.pair_count, 3);
    assert_int_equal(two.match.refused, 0);
    two_fini(&two);
}

/* Four alike readers of one tensor: which is which cannot be known, so by order, as a guess. */
static void alike_by_order(void **state)
{
    (void)state;
    struct two two;
    two_init(&two);
    for (int i = 0; i < 2; i++) {
        uint32_t value;
        hand_node(&two.hand[i], "in", "Data", "float16", nothing, &value);
        for (int k = 0; k < 4; k++) {
            char name[8];
            snprintf(name, sizeof name, i ? "y%d" : "x%d", k);
            hand_node(&two.hand[i], name, "Exp", "float16", (uint32_t[4]){value}, NULL);
        }
    }
    two_match(&two);
    assert_int_equal(two.match.pair_count, 5);
    assert_int_equal(pair_of(&two, "x2", "y2"), MI_CMP_BY_ORDER);
    assert_int_equal(two.match.pairs[3].confidence, MI_GUESS);
    two_fini(&two);
}

/* A framework graph and a compiled one have nothing to be matched. */
static void layers_apart(void **state)
{
    (void)state;
    struct two two;
    for (int i = 0; i < 2; i++) {
        hand_init(&two.hand[i]);
        hand_graph(&two.hand[i], i ? MI_LAYER_COMPILED : MI_LAYER_FRAMEWORK, 0);
        hand_node(&two.hand[i], "a", "Relu", "float16", nothing, NULL);
    }
    two_match(&two);
    assert_int_equal(two.match.pair_count, 0);
    two_fini(&two);
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char *const types[] = {"Data", "Cast", "MatMul", "Cast", "Relu", NULL};
    struct two two;
    bool ok = false;
    two_init(&two);
    for (int i = 0; i < 2; i++) {
        uint32_t value = chain(&two.hand[i], i ? "x" : "n", types, 0);
        chain(&two.hand[i], "same", types, value);
        record(&two.hand[i], 3, "op");
        hand_finish(&two.hand[i]);
    }
    for (long n = 0; !ok; n++) {
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        ok = mi_match_init(&two.match, &two.hand[0].model, &two.hand[1].model, &err);
        alloc_left = -1;
        if (!ok) {
            assert_int_equal(err.code, MI_ENOMEM);
            assert_null(two.match.pairs);
        }
    }
    assert_int_equal(two.match.pair_count, 10);
    two_fini(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_is_itself),  cmocka_unit_test(all_renamed),
        cmocka_unit_test(counted_names_move), cmocka_unit_test(recorded_ops),
        cmocka_unit_test(order_is_kept),      cmocka_unit_test(cycles_of_one_graph),
        cmocka_unit_test(alike_by_order),     cmocka_unit_test(layers_apart),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
