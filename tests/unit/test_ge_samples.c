/* GE's text dumps on real files: what other programs counted in them. */
#include "onnx_find.h"

#include <stdio.h>
#include <stdlib.h>

#define FOLDER "samples/cann-static/ge-dump/"

static const struct sample {
    const char *name, *reader, *stage;
    uint32_t index; /* of the stage, from 1 */
    int graphs, nodes, edges, controls, absent;
} samples[] = {
    {"ge_proto_00015_OptimizeQuantGraph_FeGraphFusionAfter.txt", "ge_proto",
     "OptimizeQuantGraph_FeGraphFusionAfter", 16, 1, 465, 587, 0, 1},
    {"ge_proto_00017_OptimizeOriginalGraph_FeGraphFusionAfter.txt", "ge_proto",
     "OptimizeOriginalGraph_FeGraphFusionAfter", 18, 1, 710, 990, 0, 1},
    {"ge_proto_00026_afterUBMatch.txt", "ge_proto", "afterUBMatch", 27, 1, 399, 414, 0, 1},
    {"ge_proto_00000000_Build.txt", "ge_proto", "Build", 1, 1, 6, 2, 3, 1},
    {"ge_proto_00000001_Build.txt", "ge_proto", "Build", 2, 5, 18, -1, -1, -1},
    {"ge_proto_00000062_Build.txt", "ge_proto", "Build", 63, 1, 170, 185, 0, 6},
    {"ge_proto_00056_Build.txt", "ge_proto", "Build", 57, 1, 5, 3, 1, 2},
    {"ge_onnx_00000000_graph_1_Build.pbtxt", "ge_onnx", "Build", 1, 1, 6, 2, 3, 1},
    {"ge_onnx_00000001_graph_11_Build.pbtxt", "ge_onnx", "Build", 2, 5, 18, -1, -1, -1},
};

/* False: the folder of samples is not there. */
static bool open_sample(struct reading *r, const char *name, const char *reader)
{
    char path[256];
    snprintf(path, sizeof path, FOLDER "%s", name);
    return reading_file(r, reader ? mi_reader_find(reader) : NULL, shared_path(path));
}

struct edges {
    int data, controls, absent, dangling;
};

static struct edges edges_of(const struct mi_tables *rows, uint32_t graph)
{
    struct edges edges = {0, 0, 0, 0};
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        for (uint32_t p = 0; rows->nodes.graph[n].v == graph && p < rows->nodes.in_count[n]; p++) {
            uint32_t port = rows->nodes.first_in[n] + p, value = rows->ports.value[port].v;
            if (rows->ports.is_control[port])
                edges.controls++;
            else if (!value)
                edges.absent++;
            else
                edges.data++;
            edges.dangling += value && rows->values.kind[value] == MI_VALUE_DANGLING;
        }
    }
    return edges;
}

static int count_op(const struct reading *r, const char *op)
{
    const struct mi_nodes *nodes = &r->batch.rows.nodes;
    int count = 0;
    for (uint32_t n = 1; n < nodes->count; n++)
        count += text_is(r, nodes->op[n], op);
    return count;
}

static uint32_t nodes_in(const struct reading *r, uint32_t graph)
{
    uint32_t count = 0;
    for (uint32_t n = 1; n < r->batch.rows.nodes.count; n++)
        count += r->batch.rows.nodes.graph[n].v == graph;
    return count;
}

static void claims_and_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        struct reading reading, *r = &reading;
        if (!open_sample(r, s->name, NULL))
            skip();
        const struct mi_tables *rows = &r->batch.rows;
        struct edges edges = edges_of(rows, 1);
        print_message("%s: %d data, %d control, %d absent\n", s->name, edges.data, edges.controls,
                      edges.absent);
        if (!r->ok)
            fail_msg("%s", r->err.text);
        for (uint32_t d = 1; d < rows->diags.count; d++)
            print_message("  %.*s\n", (int)mi_batch_text(&r->batch, rows->diags.text[d]).len,
                          (const char *)mi_batch_text(&r->batch, rows->diags.text[d]).at);
        assert_int_equal(rows->graphs.count - 1, s->graphs);
        assert_int_equal(rows->nodes.count - 1, s->nodes);
        assert_int_equal(r->batch.counts.kept, s->nodes);
        assert_int_equal(r->batch.counts.lost, 0);
        assert_int_equal(edges.dangling, 0);
        if (s->edges >= 0) {
            assert_int_equal(edges.data, s->edges);
            assert_int_equal(edges.controls, s->controls);
            assert_int_equal(edges.absent, s->absent);
        }
        for (uint32_t g = 1; g < rows->graphs.count; g++) {
            assert_text(r, rows->graphs.stage[g], s->stage);
            assert_int_equal(rows->graphs.stage_index[g], s->index);
            assert_int_equal(rows->graphs.layer[g], MI_LAYER_COMPILED);
        }
        reading_fini(r);
    }
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t distinct_ids(const struct mi_nodes *nodes)
{
    uint32_t count = nodes->count - 1, distinct = 0;
    int64_t *ids = malloc(count * sizeof *ids);
    assert_non_null(ids);
    memcpy(ids, nodes->native_id + 1, count * sizeof *ids);
    qsort(ids, count, sizeof *ids, by_number);
    for (uint32_t i = 0; i < count; i++)
        distinct += i == 0 || ids[i] != ids[i - 1];
    free(ids);
    return distinct;
}

/* How many nodes have recorded names, by how many: counts[n]. */
static void origin_counts(const struct reading *r, uint32_t counts[8])
{
    const struct mi_tables *rows = &r->batch.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        uint32_t names = 0;
        for (uint32_t i = 1; i < rows->recorded.count; i++)
            names += rows->recorded.node[i].v == n;
        assert_true(names < 8);
        counts[names]++;
    }
}

static uint32_t with_attr(const struct reading *r, const char *name)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t count = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        for (uint32_t i = 0; i < rows->nodes.attr_count[n]; i++)
            count += text_is(r, rows->attrs.name[rows->nodes.first_attr[n] + i], name);
    return count;
}

/* ResNet-50, quantised. */
static void quantised(void **state)
{
    (void)state;
    struct reading reading, *r = &reading;
    uint32_t counts[8] = {0};
    if (!open_sample(r, samples[0].name, "ge_proto"))
        skip();
    assert_int_equal(distinct_ids(&r->batch.rows.nodes), 465);
    assert_int_equal(count_op(r, "Const"), 162);
    assert_int_equal(count_op(r, "RequantHostCpuOp"), 53);
    assert_int_equal(count_op(r, "Conv2D"), 53);
    assert_int_equal(count_op(r, "AscendQuant"), 49);
    assert_int_equal(count_op(r, "LeakyRelu"), 17);
    assert_int_equal(count_op(r, "Eltwise"), 16);
    origin_counts(r, counts);
    assert_int_equal(counts[1], 42);
    assert_int_equal(counts[3], 1);
    assert_int_equal(with_attr(r, "_datadump_is_multiop"), 42);
    /* Empty lists say that there is no name: they stay. */
    assert_int_equal(with_attr(r, "_datadump_original_op_names"), 164);
    reading_fini(r);
}

/* After graph fusion, where ids say nothing: several ops have the same. */
static void ids_collide(void **state)
{
    (void)state;
    struct reading reading, *r = &reading;
    uint32_t counts[8] = {0};
    if (!open_sample(r, samples[1].name, "ge_proto"))
        skip();
    assert_int_equal(distinct_ids(&r->batch.rows.nodes), 605);
    assert_int_equal(count_op(r, "Const"), 373);
    assert_int_equal(count_op(r, "ConvBnFilterHost"), 53);
    assert_int_equal(count_op(r, "LeakyRelu"), 49);
    origin_counts(r, counts);
    assert_int_equal(counts[3], 53);
    reading_fini(r);
}

static void assert_input(const struct reading *r, uint32_t node, uint32_t k, const char *name)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_text(r, rows->nodes.name[rows->values.producer[in_value(r, node, k)].v], name);
}

/* A partition before fusion: its nodes are marked with the groups that they will become. */
static void marked_for_fusion(void **state)
{
    (void)state;
    struct reading reading, *r = &reading;
    uint32_t counts[8] = {0}, sizes[8] = {0};
    if (!open_sample(r, samples[2].name, "ge_proto"))
        skip();
    const struct mi_tables *rows = &r->batch.rows;
    assert_text(r, rows->graphs.name[1], "partition0_rank1_new_sub_graph1");
    assert_int_equal(distinct_ids(&rows->nodes), 399);
    assert_text(r, rows->nodes.name[1], "PlaceHolder0");
    assert_int_equal(rows->nodes.native_id[1], 0);
    assert_int_equal(rows->nodes.native_id[rows->nodes.count - 1], 400);
    assert_int_equal(count_op(r, "PlaceHolder"), 109);
    assert_int_equal(count_op(r, "Cast"), 109);
    assert_int_equal(count_op(r, "TransData"), 56);
    uint32_t conv = node_named(r, "conv1");
    assert_int_equal(rows->nodes.native_id[conv], 7);
    assert_input(r, conv, 0, "data_0_huawei_aipp");
    assert_input(r, conv, 1, "trans_TransData_1");
    assert_input(r, conv, 2, "trans_Cast_2");
    origin_counts(r, counts);
    assert_int_equal(counts[3], 53);
    assert_int_equal(with_attr(r, "_datadump_original_op_names"), 167);
    assert_int_equal(with_attr(r, "fusion_scope"), 115);
    assert_int_equal(rows->groups.count - 1, 49);
    for (uint32_t g = 1; g < rows->groups.count; g++) {
        uint32_t size = 0;
        for (uint32_t m = 1; m < rows->members.count; m++)
            size += rows->members.group[m].v == g;
        assert_true(size < 8);
        assert_int_equal(rows->groups.kind[g], MI_GROUP_UB);
        sizes[size]++;
    }
    assert_int_equal(sizes[2], 32);
    assert_int_equal(sizes[3], 17);
    assert_fact(r, "target_type", "MINI");
    reading_fini(r);
}

/* A finished model: names of several ops in one node, kernels in the file. */
static void finished(void **state)
{
    (void)state;
    struct reading reading, *r = &reading;
    uint32_t counts[8] = {0};
    if (!open_sample(r, samples[5].name, "ge_proto"))
        skip();
    const struct mi_tables *rows = &r->batch.rows;
    assert_int_equal(count_op(r, "Const"), 108);
    assert_int_equal(count_op(r, "Conv2D"), 50);
    assert_int_equal(count_op(r, "ReadSelect"), 3);
    origin_counts(r, counts);
    assert_int_equal(counts[3], 4);
    assert_int_equal(counts[4], 33);
    assert_int_equal(counts[5], 16);
    assert_int_equal(with_attr(r, "fusion_scope"), 57);
    assert_int_equal(with_attr(r, "_tbe_kernel_buffer"), 0);
    uint32_t conv = node_named(r, "res2a_branch1res2ares2a_relu"), found = 0;
    static const char *const names[] = {"res2a_branch1", "bn2a_branch1", "scale2a_branch1", "res2a",
                                        "res2a_relu"};
    for (uint32_t i = 1; i < rows->recorded.count; i++) {
        if (rows->recorded.node[i].v != conv)
            continue;
        assert_true(found < 5);
        assert_text(r, rows->recorded.via[i], "_datadump_original_op_names");
        for (int k = 0; k < 5; k++)
            found += text_is(r, rows->recorded.name[i], names[k]);
    }
    assert_int_equal(found, 5);
    attr_named(r, node_named(r, "conv1conv1_relu"), "_kernelname");
    reading_fini(r);
}

/* Sub-graphs, in both forms of the same dump. */
static void sub_graphs(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {5, 3, 2, 6, 2};
    for (int form = 0; form < 2; form++) {
        struct reading reading, *r = &reading;
        if (!open_sample(r, samples[form ? 8 : 4].name, samples[form ? 8 : 4].reader))
            skip();
        const struct mi_tables *rows = &r->batch.rows;
        struct edges root = edges_of(rows, 1), body = edges_of(rows, 4);
        assert_int_equal(root.data, 4);
        assert_int_equal(root.controls, 1);
        assert_int_equal(body.data, 5);
        assert_int_equal(body.absent, 3);
        for (uint32_t g = 1; g < 6; g++) {
            assert_int_equal(nodes_in(r, g), sizes[g - 1]);
            assert_int_equal(rows->graphs.kind[g], g == 1 ? MI_GRAPH_MAIN : MI_GRAPH_SUBGRAPH);
            if (g > 1)
                assert_text(r, rows->nodes.op[rows->graphs.parent[g].v], "PartitionedCall");
        }
        for (uint32_t n = 1; n <= 4; n++)
            assert_int_equal(rows->nodes.stream[n], -1);
        reading_fini(r);
    }
}

/* Both forms give the same nodes, edges and types. */
static void same_in_both_forms(void **state)
{
    (void)state;
    struct reading proto, reading, *r = &reading;
    if (!open_sample(&proto, samples[4].name, "ge_proto") ||
        !open_sample(r, samples[8].name, "ge_onnx"))
        skip();
    const struct mi_tables *a = &proto.batch.rows, *b = &r->batch.rows;
    for (uint32_t n = 1; n < a->nodes.count; n++) {
        struct mi_bytes op = mi_batch_text(&proto.batch, a->nodes.op[n]);
        struct mi_bytes name = mi_batch_text(&proto.batch, a->nodes.name[n]);
        assert_true(mi_bytes_equal(name, mi_batch_text(&r->batch, b->nodes.name[n])));
        assert_true(mi_bytes_equal(op, mi_batch_text(&r->batch, b->nodes.op[n])));
        assert_int_equal(a->nodes.native_id[n], b->nodes.native_id[n]);
        assert_int_equal(a->nodes.in_count[n], b->nodes.in_count[n]);
        assert_int_equal(a->nodes.out_count[n], b->nodes.out_count[n]);
        for (uint32_t p = 0; p < a->nodes.out_count[n]; p++) {
            uint32_t x = out_value(&proto, n, p), y = out_value(r, n, p);
            struct mi_bytes dtype = mi_batch_text(&proto.batch, a->values.dtype[x]);
            assert_true(mi_bytes_equal(dtype, mi_batch_text(&r->batch, b->values.dtype[y])));
            assert_int_equal(a->values.dim_count[x], b->values.dim_count[y]);
        }
    }
    reading_fini(&proto);
    reading_fini(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_and_counts),  cmocka_unit_test(quantised),
        cmocka_unit_test(ids_collide),        cmocka_unit_test(marked_for_fusion),
        cmocka_unit_test(finished),           cmocka_unit_test(sub_graphs),
        cmocka_unit_test(same_in_both_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
