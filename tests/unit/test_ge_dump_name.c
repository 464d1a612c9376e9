/* What names of dumps say. */
#include "parse/formats/ge/ge_dump_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const struct {
    const char *path, *stage;
    uint32_t index;
    int graph_id;
    bool is_single_op;
} names[] = {
    {"/tmp/ge_proto_00000012_graph_3_PreRunBegin.txt", "PreRunBegin", 13, 3, false},
    {"ge_proto_00026_afterUBMatch.txt", "afterUBMatch", 27, -1, false},
    {"a/ge_proto_00000000_aclop_graph_1_Build.txt", "Build", 1, 1, true},
    {"pid_1_deviceid_0/ge_onnx_00000001_graph_11_Build.pbtxt", "Build", 2, 11, false},
    {"ge_readable_00000007_graph_0_OptimizeStage1_1.txt", "OptimizeStage1_1", 8, 0, false},
    {"ge_proto_00015_OptimizeQuantGraph_FeGraphFusionAfter.txt",
     "OptimizeQuantGraph_FeGraphFusionAfter", 16, -1, false},
    {"dumps.zip!x/ge_proto_00001_Build.txt", "Build", 2, -1, false},
    {"ge_proto_00003_graph_Build.txt", "graph_Build", 4, -1, false},
    {"ge_proto_00004_graph_12x_Build.txt", "graph_12x_Build", 5, -1, false},
    {"ge_visual_00000000_graph_0.json", "", 0, 0, false},
    {"dynamo_original_graph_1_rank_15_pid_421214_ts_20251010083825327878.py",
     "dynamo_original_graph", 1, 1, false},
    {"dynamo_optimized_graph_0_rank_0_pid_4_ts_2.pbtxt", "dynamo_optimized_graph", 2, 0, false},
    {"dynamo_original_graph_20240101.txt", "dynamo_original_graph", 1, -1, false},
    {"dynamo_original_graphs.txt", "", 0, -1, false},
    {"ge_proto_Build.txt", "", 0, -1, false},
    {"ge_proto_99999999999_Build.txt", "", 0, -1, false},
    {"ge_proto_.txt", "", 0, -1, false},
    {"/ge_proto_00000001_Build.txt/other.txt", "", 0, -1, false},
    {"", "", 0, -1, false},
};

static void taken_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mi_ge_dump_name name = mi_ge_dump_name(names[i].path);
        if (!mi_bytes_equal(name.stage, mi_cstr(names[i].stage)))
            fail_msg("%s: stage %.*s", names[i].path, (int)name.stage.len,
                     (const char *)name.stage.at);
        if (name.stage_index != names[i].index || name.graph_id != names[i].graph_id ||
            name.is_single_op != names[i].is_single_op)
            fail_msg("%s: %u, graph %lld", names[i].path, name.stage_index,
                     (long long)name.graph_id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(taken_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
