/* Joining with too little memory: it fails and says so, and nothing leaks (the sanitizers watch).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "joining.h"
#include "onnx_text.h"

static const char framework[] =
    "in x\nin c\nout y\nconst k 1\na Abs x a\nf loc:F a b\ng Gemm b,k d\nr Relu d e\nr2 Relu d e2\n"
    "if If c h\n{ then_branch\nout t\nn Neg e t\n}\n{ else_branch\nout u\nm Mul e,e2 u\n}\ns Sum "
    "h,e y\n"
    "function loc F p q\no Cos p t\np Sin t q\nend\n";
static const char compiled[] =
    "in x\nin c\nout y\nconst k 1\na Abs x a\nf0 Cos a _0\nf1 Sin _0 b\nG com.microsoft:FusedGemm "
    "b,k e\n"
    "if If c h\n{ then_branch\nout t\nn Neg e t\n}\n{ else_branch\nout u\nm Mul e,e u\n}\n"
    "z Reorder h h2\ns Sum h2,e y\n";

/* True if it went well with `left` allocations. */
static bool join_with(long left, const struct onnx_writer *f, const struct onnx_writer *c)
{
    struct joining joining;
    joining_init(&joining);
    joining_bytes(&joining, "onnx", (struct mi_bytes){f->at, f->len}, "f");
    joining_bytes(&joining, "ort_onnx", (struct mi_bytes){c->at, c->len}, "c");
    assert_true(mi_model_index_graphs(&joining.model, &joining.err));
    alloc_left = left;
    bool ok = mi_correlate(&joining.model, &joining.err);
    alloc_left = -1;
    assert_int_equal(joining.err.code, ok ? MI_OK : MI_ENOMEM);
    joining_fini(&joining);
    return ok;
}

static void test_memory(void **state)
{
    (void)state;
    struct onnx_writer f = {0}, c = {0};
    onnx_from_text(&f, framework);
    onnx_from_text(&c, compiled);
    long left = 0;
    while (!join_with(left, &f, &c))
        assert_in_range(++left, 1, 100000);
    assert_true(left > 50);
    onnx_writer_fini(&f);
    onnx_writer_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
