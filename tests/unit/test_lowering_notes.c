/* An FX graph with TorchAir's notes, joined with what GE made of it in another file. */
#include "joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define PY                                                                                         \
    "from torchair import x\n"                                                                     \
    "x_0 = ge.Data(index=0, dtype=0, shape=[2], node_name=\"x\")\n"                                \
    "## FX Code: addmm = torch.ops.aten.addmm.default(x: torch.float32[2]npu:0)\n"                 \
    "MatMulV2_0 = ge.MatMulV2(x_0, node_name=\"MatMulV2\")\n"                                      \
    "Add_0 = ge.Add(MatMulV2_0, node_name=\"Add\")\n"                                              \
    "## FX Code: relu = torch.ops.aten.relu.default(addmm)\n"                                      \
    "Relu_0 = ge.Relu(Add_0, node_name=\"Relu\")\n"                                                \
    "_ = ge.NetOutput([Relu_0])\n"

#define BUILD                                                                                      \
    "graph { name: \"net\" op { name: \"x\" type: \"Data\" }\n"                                    \
    "op { name: \"MatMulV2_Add\" type: \"MatMulV2\" id: 1 input: \"x:0\"\n"                        \
    " attr { key: \"_datadump_original_op_names\" value { list { s: \"MatMulV2\" s: \"Add\" } } "  \
    "} }\n"                                                                                        \
    "op { name: \"Relu\" type: \"Relu\" id: 2 input: \"MatMulV2_Add:0\" }\n"                       \
    "op { name: \"Node_Output\" type: \"NetOutput\" id: 3 input: \"Relu:0\" } }\n"

static uint32_t named(const struct joining *j, enum mi_layer layer, const char *name)
{
    const struct mi_tables *rows = &j->model.all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        if (rows->graphs.layer[rows->nodes.graph[n].v] == layer &&
            mi_bytes_equal(mi_model_text(&j->model, rows->nodes.name[n]), mi_cstr(name)))
            return n;
    fail_msg("no node %s", name);
    return 0;
}

/* How many links of this matcher there are between two nodes. */
static int links(const struct joining *j, const char *framework, const char *compiled)
{
    const struct mi_lowered *lowered = &j->model.all.rows.lowered;
    uint32_t f = named(j, MI_LAYER_FRAMEWORK, framework);
    uint32_t c = named(j, MI_LAYER_COMPILED, compiled);
    int count = 0;
    for (uint32_t i = 1; i < lowered->count; i++)
        if (lowered->framework[i].v == f && lowered->compiled[i].v == c &&
            mi_bytes_equal(mi_model_text(&j->model, lowered->rule[i]), MI_LIT("lowering_notes"))) {
            assert_int_equal(lowered->confidence[i], MI_LIKELY);
            count++;
        }
    return count;
}

/* The dump of TorchAir is a stage of the build; its notes reach the finished graph. */
static void across_files(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    joining_bytes(&j, "torchair_py", MI_LIT(PY), "dynamo_original_graph_1.py");
    joining_bytes(&j, "ge_proto", MI_LIT(BUILD), "ge_proto_00000009_graph_0_Build.txt");
    assert_true(joining_run(&j));
    assert_int_equal(links(&j, "addmm", "MatMulV2_Add"), 1);
    assert_int_equal(links(&j, "relu", "Relu"), 1);
    assert_int_equal(links(&j, "relu", "MatMulV2_Add"), 0);
    joining_fini(&j);
}

/* Alone, what is recorded for its own nodes says the same. */
static void within_one_file(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    joining_bytes(&j, "torchair_py", MI_LIT(PY), "dynamo_original_graph_1.py");
    assert_true(joining_run(&j));
    const struct mi_lowered *lowered = &j.model.all.rows.lowered;
    for (uint32_t i = 1; i < lowered->count; i++)
        assert_true(mi_bytes_equal(mi_model_text(&j.model, lowered->rule[i]), MI_LIT("recorded")));
    assert_int_equal(lowered->count - 1, 3);
    joining_fini(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(across_files),
                                       cmocka_unit_test(within_one_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
