/* Joining graphs that were made to hurt: cycles, endless functions, bodies in bodies, names that
 * repeat, nothing in common; and random pairs of graphs. It ends soon, nothing is read that is not
 * there (the sanitizers watch), and what holds for every model holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "joining.h"
#include "onnx_text.h"
#include "rng.h"

struct text {
    char *at;
    size_t len, room;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list args;
    if (text->room - text->len < 1024) {
        text->room = text->room ? text->room * 2 : 65536;
        text->at = realloc(text->at, text->room);
        if (!text->at)
            abort();
    }
    va_start(args, format);
    text->len += (size_t)vsnprintf(text->at + text->len, text->room - text->len, format, args);
    va_end(args);
}

/* What holds for every model, however broken. */
static void check(const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        bool is_framework = mi_node_layer(model, (mi_node_id){n}) == MI_LAYER_FRAMEWORK;
        assert_int_equal(model->index.fate_of[n] != 0, is_framework);
        assert_int_equal(model->index.birth_of[n] != 0, !is_framework);
        if (is_framework)
            assert_int_not_equal(rows->fates.fate[model->index.fate_of[n]], MI_FATE_UNKNOWN);
    }
    for (uint32_t r = 1; r < rows->lowered.count; r++) {
        assert_int_equal(mi_node_layer(model, rows->lowered.framework[r]), MI_LAYER_FRAMEWORK);
        assert_int_equal(mi_node_layer(model, rows->lowered.compiled[r]), MI_LAYER_COMPILED);
        assert_in_range(rows->lowered.confidence[r], MI_GUESS, MI_CERTAIN);
    }
}

/* Joins two texts and frees them; returns how many links there are. */
static uint32_t join(struct text *framework, struct text *compiled)
{
    struct onnx_writer f = {0}, c = {0};
    struct joining joining;
    joining_init(&joining);
    onnx_from_text(&f, framework->at);
    onnx_from_text(&c, compiled->at);
    joining_bytes(&joining, "onnx", (struct mi_bytes){f.at, f.len}, "f");
    joining_bytes(&joining, "ort_onnx", (struct mi_bytes){c.at, c.len}, "c");
    assert_true(joining_run(&joining));
    check(&joining.model);
    uint32_t links = joining.model.all.rows.lowered.count - 1;
    joining_fini(&joining);
    onnx_writer_fini(&f);
    onnx_writer_fini(&c);
    free(framework->at);
    free(compiled->at);
    return links;
}

static void join_same(struct text *text)
{
    struct text copy = {0};
    for (size_t at = 0; at < text->len; at += 512)
        add(&copy, "%.512s", text->at + at);
    join(text, &copy);
}

static void test_cycles(void **state)
{
    (void)state;
    struct text t = {0};
    add(&t, "in x\nout y\na Add x,c a\nb Neg a b\nc Identity b c\nd Identity d d\ne Cast e2 e\n"
            "f Transpose e e2\ng Identity h h2\nh Identity h2 h\ni Abs c y\n");
    join_same(&t);
}

static void test_nothing(void **state)
{
    (void)state;
    struct text f = {0}, c = {0};
    add(&f, "in x\n");
    add(&c, "a Abs b c\n");
    join(&f, &c);
    struct text g = {0}, d = {0};
    add(&g, "a Abs - -\nb Abs , ,\nc Abs x x\nout q\nin q\n");
    add(&d, "a Abs - -\nb Abs , ,\nc Abs x x\nout q\n");
    join(&g, &d);
}

static void test_equal_names(void **state)
{
    (void)state;
    struct text t = {0};
    add(&t, "in x\nout y\n");
    for (int i = 0; i < 20000; i++)
        add(&t, "same Abs x y\n");
    join_same(&t);
}

/* f1 calls f0 twice, f2 calls f1 twice, ...: 2^60 nodes if all were inlined; and one calls itself.
 */
static void test_functions(void **state)
{
    (void)state;
    struct text t = {0};
    add(&t, "in x\nout y\na l:f60 x b\nz l:self b y\nfunction l f0 p q\nn Abs p q\nend\n"
            "function l self p q\nn l:self p q\nend\nfunction l through p q\nend\n");
    for (int i = 1; i <= 60; i++)
        add(&t, "function l f%d p q\na l:f%d p t\nb l:f%d t q\nend\n", i, i - 1, i - 1);
    struct text c = {0};
    add(&c, "in x\nout y\nn Abs x y\n");
    join(&t, &c);
}

static void test_bodies_in_bodies(void **state)
{
    (void)state;
    struct text t = {0};
    add(&t, "in x\nin c\nout y\n");
    for (int i = 0; i < 200; i++)
        add(&t, "if If c y\n{ then_branch\nout y\n");
    add(&t, "n Neg x y\n");
    for (int i = 0; i < 200; i++)
        add(&t, "}\n{ else_branch\nout y\nm Abs x y\n}\n");
    join_same(&t);
}

/* Each of many compiled nodes could walk back through the same long part that no name is kept of.
 */
static void test_long_walks(void **state)
{
    (void)state;
    struct text f = {0}, c = {0};
    add(&f, "in x\nout y\nn0 Abs x t0\n");
    for (int i = 1; i < 20000; i++)
        add(&f, "n%d Neg t%d t%d\n", i, i - 1, i);
    add(&c, "in x\nout y\n");
    for (int i = 0; i < 20000; i++) {
        add(&f, "m%d Abs t19999 u%d\n", i, i);
        add(&c, "k%d Fused x u%d\n", i, i);
    }
    assert_in_range(join(&f, &c), 1, 4000000); /* not 20000 times 20000 */
}

/* One unit of many nodes over many nodes: the links stay few. */
static void test_wide_unit(void **state)
{
    (void)state;
    struct text f = {0}, c = {0};
    add(&f, "in x\nout y\nn0 Abs x t0\n");
    add(&c, "in x\nout y\nk0 Cos x _0\n");
    for (int i = 1; i < 20000; i++) {
        add(&f, "n%d Neg t%d %s%d\n", i, i - 1, i == 19999 ? "y" : "t", i);
        add(&c, "k%d Cos _%d %s%d\n", i, i - 1, i == 19999 ? "y" : "_", i);
    }
    assert_in_range(join(&f, &c), 1, 40000);
}

/* --- random pairs --- */

static const char *const ops[] = {"Abs",          "Neg",
                                  "Add",          "Identity",
                                  "Cast",         "Transpose",
                                  "Reshape",      "Shape",
                                  "Constant",     "Dropout",
                                  "Relu",         "loc:F",
                                  "loc:G",        "If",
                                  "Loop",         "FusedGemm",
                                  "QGemm",        "QuantizeLinear",
                                  "RandomNormal", "com.microsoft.nchwc:Conv"};
static const char *const endings[] = {
    "", "", "", "_nchwc", "_token_3", "/duplicated", "_nchwc_token_1"};

static void random_graph(struct text *t, uint64_t *rng, int depth)
{
    size_t count = 1 + rng_below(rng, depth ? 5 : 30);
    for (size_t i = 0; i < rng_below(rng, 3); i++)
        add(t, "in t%zu\n", rng_below(rng, 20));
    for (size_t i = 0; i < rng_below(rng, 3); i++)
        add(t, "out t%zu\n", rng_below(rng, 20));
    for (size_t i = 0; i < rng_below(rng, 3); i++)
        add(t, "const t%zu %zu\n", rng_below(rng, 20), rng_below(rng, 2));
    for (size_t i = 0; i < count; i++) {
        const char *op = ops[rng_below(rng, sizeof ops / sizeof *ops)];
        add(t, "%s%zu%s %s t%zu,t%zu t%zu%s\n", rng_below(rng, 5) ? "t" : "_inlfunc_F_t",
            rng_below(rng, 20), endings[rng_below(rng, sizeof endings / sizeof *endings)], op,
            rng_below(rng, 20), rng_below(rng, 20), rng_below(rng, 20),
            rng_below(rng, 4) ? "" : ",t3");
        if ((strcmp(op, "If") != 0 && strcmp(op, "Loop") != 0) || depth > 3)
            continue;
        add(t, "{ %s\n", op[0] == 'I' ? "then_branch" : "body");
        random_graph(t, rng, depth + 1);
        add(t, "}\n");
    }
}

static void random_model(struct text *t, uint64_t *rng)
{
    random_graph(t, rng, 0);
    for (int i = 0; i < 2; i++) {
        add(t, "function loc %c t0,t1 t2\n", "FG"[i]);
        for (size_t k = 0; k < rng_below(rng, 4); k++)
            add(t, "t%zu %s t%zu,t%zu t%zu\n", rng_below(rng, 20),
                rng_below(rng, 60) ? "Abs" : "loc:G", rng_below(rng, 5), rng_below(rng, 5),
                rng_below(rng, 5));
        add(t, "end\n");
    }
}

static void test_random(void **state)
{
    (void)state;
    uint64_t rng = 7;
    const char *rounds = getenv("MI_ROUNDS");
    for (long i = 0; i < (rounds ? atol(rounds) : 1000); i++) {
        struct text f = {0}, c = {0};
        random_model(&f, &rng);
        random_model(&c, &rng);
        join(&f, &c);
    }
}

/* --- models with bits turned --- */

static void turn_bits(struct onnx_writer *w, uint64_t *rng)
{
    for (size_t i = 0; i <= rng_below(rng, 4); i++)
        w->at[rng_below(rng, w->len)] ^= (uint8_t)(1u << rng_below(rng, 8));
}

static void test_flips(void **state)
{
    (void)state;
    static const char text[] =
        "in x\nin c\nout y\nconst k 1\na Abs x a\none loc:G a b\nf Reshape b,k d\nr Relu d e\n"
        "r2 Relu d e2\nif If c h\n{ then_branch\nout t\nn Neg e t\n}\n{ else_branch\nout u\n"
        "m Mul e,e2 u\n}\nloop Loop k,c,h l\n{ body\nin i\nin ci\nin v\nout co\nout vo\n"
        "bi Identity ci co\nbv Add v,e vo\n}\ns Sum l,e y\n"
        "function loc F p q\no Cos p t\np Sin t q\nend\n"
        "function loc G p q\nf1 loc:F p u\nf2 loc:F u q\nend\n";
    const char *rounds = getenv("MI_ROUNDS");
    uint64_t rng = 11;
    for (long i = 0; i < (rounds ? atol(rounds) : 3000); i++) {
        struct onnx_writer f = {0}, c = {0};
        onnx_from_text(&f, text);
        onnx_from_text(&c, text);
        turn_bits(rng_below(&rng, 2) ? &f : &c, &rng);
        turn_bits(rng_below(&rng, 2) ? &f : &c, &rng);
        struct joining joining;
        joining_init(&joining);
        joining_bytes(&joining, "onnx", (struct mi_bytes){f.at, f.len}, "f");
        joining_bytes(&joining, "ort_onnx", (struct mi_bytes){c.at, c.len}, "c");
        assert_true(joining_run(&joining));
        check(&joining.model);
        joining_fini(&joining);
        onnx_writer_fini(&f);
        onnx_writer_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_equal_names),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_bodies_in_bodies),
        cmocka_unit_test(test_long_walks),
        cmocka_unit_test(test_wide_unit),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_flips),
    };
    cmocka_set_test_filter(getenv("MI_TEST"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
