/* Tasks of ONNX Runtime to nodes, their streams and their place in time: on real captures and on
 * models small enough to check by eye. */
#include "alloc_fail.h"
#include "base/sink.h"
#include "correlate/clocks/clocks.h"
#include "correlate/matcher.h"
#include "correlate/ort/ort_streams.h"
#include "model/links.h"
#include "onnx_writer.h"
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_SOURCES = 8 };

/* A model made of a few inputs without a session. */
struct joined {
    struct mi_model model;
    struct mi_input inputs[MAX_SOURCES];
    uint32_t count;
};

static void join_init(struct joined *joined)
{
    *joined = (struct joined){0};
    assert_true(mi_model_init(&joined->model, NULL));
}

static void join_reading(struct joined *joined, struct reading *reading,
                         const struct mi_reader *reader, uint32_t capture)
{
    struct mi_batch *all = &joined->model.all;
    struct mi_source_row row = {
        .path = mi_batch_cstr(all, reading->input.path ? reading->input.path : "memory"),
        .reader = mi_batch_cstr(all, reader->name),
        .capture = capture};
    mi_source_id source = mi_model_add_source(&joined->model, &row, reading->input.bytes, NULL);
    assert_true(mi_model_merge(&joined->model, source, &reading->batch, NULL));
    joined->inputs[joined->count++] = reading->input;
}

static bool join_file(struct joined *joined, const struct mi_reader *reader, const char *below,
                      uint32_t capture)
{
    struct reading reading;
    if (!reading_file(&reading, reader, shared_path(below)))
        return false;
    assert_true(reading.ok);
    join_reading(joined, &reading, reader, capture);
    return true;
}

static void join_text(struct joined *joined, const struct mi_reader *reader, struct mi_bytes bytes,
                      uint32_t capture)
{
    struct reading reading;
    reading_bytes(&reading, reader, bytes, "", NULL);
    assert_true(reading.ok);
    join_reading(joined, &reading, reader, capture);
}

static void join_finish(struct joined *joined)
{
    assert_true(mi_model_index_graphs(&joined->model, NULL));
    assert_true(mi_ort_streams_apply(&joined->model, NULL));
    mi_clocks_apply(&joined->model);
    assert_true(mi_matcher_ort_task_names.run(&joined->model, NULL));
    assert_true(mi_model_freeze(&joined->model, NULL));
}

static void join_fini(struct joined *joined)
{
    mi_model_fini(&joined->model);
    for (uint32_t i = 0; i < joined->count; i++)
        mi_input_close(&joined->inputs[i]);
}

static bool text_is(const struct joined *joined, mi_str_id id, const char *text)
{
    return mi_bytes_equal(mi_model_text(&joined->model, id), mi_cstr(text));
}

/* Row of `executed` of the task of node `name`, run and turn; 0 = none. */
static uint32_t link_of(const struct joined *joined, const char *name, uint32_t run, uint32_t turn)
{
    const struct mi_tables *rows = &joined->model.all.rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        if (rows->tasks.run[t] == run && rows->tasks.turn[t] == turn &&
            text_is(joined, rows->kernels.node_name[rows->tasks.kernel[t].v], name))
            return joined->model.all.rows.tasks.link[t].v;
    return 0;
}

/* --- the sample folder --- */

static const struct sample {
    const char *stem;
    uint32_t tasks, unnamed, streams, runs;
} samples[] = {
    {"bert_attention.seq1", 105, 0, 1, 3},
    {"bert_tiny.ort1201seq1", 126, 0, 1, 2},
    {"bert_tiny.seq1", 207, 0, 1, 3},
    {"control_flow.seq1", 144, 0, 1, 3},
    {"custom_domain.seq1", 27, 0, 1, 3},
    {"functions.seq1", 18, 0, 1, 3},
    {"inception_branches.ort1131par", 44, 0, 0, 2},
    {"inception_branches.par2", 66, 0, 1, 3},
    {"inception_branches.seq1", 66, 0, 1, 3},
    {"inception_branches.seq2", 66, 0, 1, 3},
    {"inception_branches.streams4", 66, 0, 4, 3},
    {"mobilenetv3_w25.seq1", 336, 6, 1, 3},
    {"qdq_net.seq1", 33, 0, 1, 3},
    {"resnet18_q.seq1", 75, 0, 1, 3},
    {"resnet18_q.seq2", 75, 0, 1, 3},
};

static bool join_sample(struct joined *joined, const char *stem, uint32_t capture)
{
    char path[256];
    join_init(joined);
    snprintf(path, sizeof path, "samples/onnxruntime/%s.opt.onnx", stem);
    if (!join_file(joined, &mi_reader_ort_onnx, path, capture))
        return false;
    snprintf(path, sizeof path, "samples/onnxruntime/%s.profile.json", stem);
    if (!join_file(joined, &mi_reader_ort_profile, path, capture))
        return false;
    snprintf(path, sizeof path, "samples/onnxruntime/%s.partition.json", stem);
    join_file(joined, &mi_reader_ort_partition, path, capture);
    join_finish(joined);
    return true;
}

static uint32_t count_streams(const struct joined *joined)
{
    const struct mi_tables *rows = &joined->model.all.rows;
    uint32_t count = 0;
    for (uint32_t t = 1; t < rows->tracks.count; t++)
        count += rows->tracks.kind[t] == MI_TRACK_STREAM;
    return count;
}

static void every_kernel_event_finds_its_node(void **state)
{
    (void)state;
    uint32_t tasks = 0, by_name = 0, by_index = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];
        struct joined joined;
        if (!join_sample(&joined, sample->stem, 1)) {
            join_fini(&joined);
            skip();
        }
        const struct mi_tables *rows = &joined.model.all.rows;
        uint32_t unnamed = 0, last_run = 0;
        assert_int_equal(rows->tasks.count - 1, sample->tasks);
        assert_int_equal(mi_links_count(rows), sample->tasks);
        for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);) {
            uint32_t e = at.row, task = at.task, node = rows->executed.node[e].v;
            uint32_t kernel = rows->tasks.kernel[task].v;
            assert_int_equal(rows->nodes.op[node].v, rows->kernels.op[kernel].v);
            assert_int_equal(rows->executed.conflict[e].v, 0);
            assert_true(rows->executed.evidence[e].v != 0);
            bool is_named = rows->nodes.name[node].v != 0;
            assert_int_equal(rows->executed.confidence[e], is_named ? MI_CERTAIN : MI_LIKELY);
            if (is_named)
                assert_int_equal(rows->nodes.name[node].v, rows->kernels.node_name[kernel].v);
            unnamed += !is_named;
            if (rows->tasks.run[task] > last_run)
                last_run = rows->tasks.run[task];
        }
        assert_int_equal(unnamed, sample->unnamed);
        assert_int_equal(last_run + 1, sample->runs);
        assert_int_equal(count_streams(&joined), sample->streams);
        for (uint32_t n = 1; n < rows->nodes.count; n++) /* every optimised node ran */
            assert_true(mi_csr_count(&joined.model.index.node_tasks, n) >= 2);
        tasks += sample->tasks;
        by_index += unnamed;
        by_name += sample->tasks - unnamed;
        join_fini(&joined);
    }
    assert_int_equal(tasks, 1454);
    assert_int_equal(by_name, 1448);
    assert_int_equal(by_index, 6);
}

static void loops_and_branches(void **state)
{
    (void)state;
    struct joined joined;
    if (!join_sample(&joined, "control_flow.seq1", 1)) {
        join_fini(&joined);
        skip();
    }
    const struct mi_tables *rows = &joined.model.all.rows;
    uint32_t per_depth[4] = {0}, turns = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        if (rows->tasks.run[t] != 1)
            continue;
        uint32_t depth = 0, top = t;
        while (rows->tasks.parent[top].v) {
            uint32_t parent = rows->tasks.parent[top].v;
            uint32_t kind = rows->kernels.kind[rows->tasks.kernel[parent].v];
            assert_int_equal(kind, MI_TASK_CONTROL);
            assert_true(rows->tasks.start_ns[parent] <= rows->tasks.start_ns[top]);
            top = parent;
            depth++;
        }
        per_depth[depth]++;
        if (depth == 1 && rows->tasks.turn[t] > turns)
            turns = rows->tasks.turn[t];
        /* the node stands as deep as the task */
        uint32_t node = rows->executed.node[rows->tasks.link[t].v].v, up = 0;
        while (rows->graphs.parent[rows->nodes.graph[node].v].v) {
            node = rows->graphs.parent[rows->nodes.graph[node].v].v;
            up++;
        }
        assert_int_equal(up, depth);
    }
    assert_int_equal(per_depth[0], 3);
    assert_int_equal(per_depth[1], 5 * 7);
    assert_int_equal(per_depth[2], 5 * 2);
    assert_int_equal(turns, 4);
    join_fini(&joined);
}

static void partition_gives_the_streams(void **state)
{
    (void)state;
    struct joined joined;
    if (!join_sample(&joined, "inception_branches.streams4", 1)) {
        join_fini(&joined);
        skip();
    }
    const struct mi_tables *rows = &joined.model.all.rows;
    static const uint32_t expected[4] = {10, 4, 4, 4};
    uint32_t nodes[4] = {0}, tasks[4] = {0}, overlaps = 0;
    uint64_t threads[4] = {0};
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        nodes[rows->nodes.stream[n]]++;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t track = rows->tasks.track[t].v;
        assert_int_equal(rows->tracks.kind[track], MI_TRACK_STREAM);
        int64_t stream = rows->tracks.native_id[track];
        assert_int_equal(stream, rows->nodes.stream[rows->executed.node[rows->tasks.link[t].v].v]);
        tasks[stream]++;
        threads[stream] |= UINT64_C(1) << rows->tasks.thread[t].v;
        for (uint32_t u = t + 1; u < rows->tasks.count; u++)
            overlaps += rows->tasks.start_ns[t] < rows->tasks.start_ns[u] + rows->tasks.dur_ns[u] &&
                        rows->tasks.start_ns[u] < rows->tasks.start_ns[t] + rows->tasks.dur_ns[t];
    }
    for (int s = 0; s < 4; s++) {
        assert_int_equal(nodes[s], expected[s]);
        assert_int_equal(tasks[s], 3 * expected[s]);
        assert_int_equal(threads[s], threads[0]); /* each stream ran on both threads */
    }
    assert_int_equal(overlaps, 14);
    join_fini(&joined);
}

static void captures_never_mix(void **state)
{
    (void)state;
    struct joined joined;
    join_init(&joined);
    if (!join_file(&joined, &mi_reader_ort_onnx, "samples/onnxruntime/qdq_net.seq1.opt.onnx", 1) ||
        !join_file(&joined, &mi_reader_ort_profile, "samples/onnxruntime/qdq_net.seq1.profile.json",
                   2)) {
        join_fini(&joined);
        skip();
    }
    join_finish(&joined);
    assert_int_equal(joined.model.all.rows.executed.count, 1);
    assert_int_equal(joined.model.all.rows.diags.count, 2);
    assert_true(text_is(&joined, joined.model.all.rows.diags.code[1], "ort.model_mismatch"));
    join_fini(&joined);
}

static void loose_files_do_not_promise_generated_names(void **state)
{
    (void)state;
    struct joined joined;
    if (!join_sample(&joined, "inception_branches.seq1", 0)) {
        join_fini(&joined);
        skip();
    }
    const struct mi_tables *rows = &joined.model.all.rows;
    uint32_t likely = 0, certain = 0;
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);) {
        likely += rows->executed.confidence[at.row] == MI_LIKELY;
        certain += rows->executed.confidence[at.row] == MI_CERTAIN;
        assert_int_equal(rows->executed.conflict[at.row].v, 0);
    }
    assert_int_equal(likely, 9); /* three ReorderOutput in three runs */
    assert_int_equal(certain, 57);
    join_fini(&joined);
}

static void framework_graph_serves_without_an_optimised_one(void **state)
{
    (void)state;
    struct joined joined;
    join_init(&joined);
    if (!join_file(&joined, &mi_reader_onnx, "samples/onnxruntime/control_flow.onnx", 1) ||
        !join_file(&joined, &mi_reader_ort_profile,
                   "samples/onnxruntime/control_flow.seq1.profile.json", 1)) {
        join_fini(&joined);
        skip();
    }
    join_finish(&joined);
    const struct mi_tables *rows = &joined.model.all.rows;
    assert_true(mi_links_count(rows) >= 100);
    assert_true(mi_links_count(rows) < rows->tasks.count - 1); /* fused ones have new names */
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);) {
        assert_true(rows->executed.confidence[at.row] <= MI_LIKELY);
        assert_int_equal(rows->nodes.op[rows->executed.node[at.row].v].v,
                         rows->kernels.op[rows->tasks.kernel[at.task].v].v);
    }
    join_fini(&joined);
}

/* --- models made here --- */

static size_t begin_graph_attr(struct onnx_writer *w, const char *name)
{
    (void)name;
    return onnx_begin(w, 6); /* AttributeProto.g */
}

/* If `c` with the node `same` in both branches, an unnamed Relu and two unnamed Neg. */
static void write_model(struct onnx_writer *w)
{
    onnx_int(w, 1, 8);
    size_t graph = onnx_begin(w, 7);
    onnx_node(w, "", "Relu", "", "x", "r");
    onnx_node(w, "", "Neg", "", "r", "n1");
    onnx_node(w, "", "Neg", "", "n1", "n2");
    onnx_node(w, "same", "Add", "", "n2,n2", "a");
    size_t node = onnx_node_begin(w, "c", "If", "", "p", "y");
    static const char *const branches[] = {"then_branch", "else_branch"};
    static const char *const ops[] = {"Mul", "Sub"};
    for (int b = 0; b < 2; b++) {
        size_t attr = onnx_attr_begin(w, branches[b], 5);
        size_t body = begin_graph_attr(w, branches[b]);
        onnx_node(w, "same", ops[b], "", "a,a", "o");
        onnx_value(w, 12, "o", 1, "1");
        onnx_end(w, body);
        onnx_end(w, attr);
    }
    onnx_end(w, node);
    onnx_value(w, 11, "x", 1, "1");
    onnx_value(w, 11, "p", 9, "");
    onnx_value(w, 12, "y", 1, "1");
    onnx_end(w, graph);
    onnx_opset(w, "", 17);
}

#define EVENT(tid, ts, dur, name, op, index)                                                       \
    "{\"cat\" : \"Node\",\"pid\" :7,\"tid\" :" #tid ",\"dur\" :" #dur ",\"ts\" :" #ts              \
    ",\"ph\" : \"X\",\"name\" :\"" name "_kernel_time\",\"args\" : {\"op_name\" : \"" op           \
    "\",\"node_index\" : \"" #index "\"}},\n"
#define FRAME(ts, dur, name)                                                                       \
    "{\"cat\" : \"Session\",\"pid\" :7,\"tid\" :7,\"dur\" :" #dur ",\"ts\" :" #ts                  \
    ",\"ph\" : \"X\",\"name\" :\"" name "\",\"args\" : {}},\n"

static const char profile[] =
    "[\n" EVENT(7, 10, 2, "Relu_3", "Relu", 3) EVENT(7, 14, 2, "Neg_9", "Neg", 9)
        EVENT(7, 18, 2, "Neg_5", "Neg", 5) EVENT(7, 22, 2, "same", "Add", 6)
            EVENT(7, 31, 2, "same", "Sub", 0) FRAME(30, 5, "SequentialExecutor::Execute")
                EVENT(7, 28, 9, "c", "If", 7) EVENT(7, 40, 1, "lost", "Exp", 1)
                    FRAME(9, 35, "SequentialExecutor::Execute") FRAME(8, 38, "model_run") "]\n";

static void names_that_repeat_and_names_that_lack(void **state)
{
    (void)state;
    struct joined joined;
    struct onnx_writer w = {0};
    write_model(&w);
    join_init(&joined);
    join_text(&joined, &mi_reader_ort_onnx, (struct mi_bytes){w.at, w.len}, 1);
    join_text(&joined, &mi_reader_ort_profile, mi_cstr(profile), 1);
    join_finish(&joined);
    const struct mi_tables *rows = &joined.model.all.rows;

    uint32_t relu = link_of(&joined, "Relu_3", 0, 0);
    assert_int_equal(rows->nodes.position[rows->executed.node[relu].v], 0);
    assert_int_equal(rows->executed.confidence[relu], MI_LIKELY);
    /* by order of execution, not by number */
    assert_int_equal(rows->nodes.position[rows->executed.node[link_of(&joined, "Neg_9", 0, 0)].v],
                     1);
    assert_int_equal(rows->nodes.position[rows->executed.node[link_of(&joined, "Neg_5", 0, 0)].v],
                     2);

    uint32_t found = 0;
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);) {
        uint32_t e = at.row, task = at.task, node = rows->executed.node[e].v;
        if (!text_is(&joined, rows->nodes.name[node], "same"))
            continue;
        found++;
        assert_int_equal(rows->executed.confidence[e], MI_LIKELY);
        assert_int_equal(rows->nodes.op[node].v, rows->kernels.op[rows->tasks.kernel[task].v].v);
        bool is_inside = rows->tasks.parent[task].v != 0;
        assert_int_equal(is_inside, rows->graphs.parent[rows->nodes.graph[node].v].v != 0);
    }
    assert_int_equal(found, 2);
    assert_int_equal(link_of(&joined, "lost", 0, 0), 0);
    assert_true(text_is(&joined, rows->diags.code[1], "ort.kernels_unmatched"));
    join_fini(&joined);
    onnx_writer_fini(&w);
}

static void contradictions_demote(void **state)
{
    (void)state;
    struct joined joined;
    struct onnx_writer w = {0};
    static const char text[] = "[\n" EVENT(7, 10, 2, "c", "Loop", 3) EVENT(7, 20, 2, "c", "Loop", 3)
        FRAME(8, 30, "model_run") "]\n";
    write_model(&w);
    join_init(&joined);
    join_text(&joined, &mi_reader_ort_onnx, (struct mi_bytes){w.at, w.len}, 1);
    join_text(&joined, &mi_reader_ort_profile, mi_cstr(text), 1);
    join_finish(&joined);
    const struct mi_tables *rows = &joined.model.all.rows;
    /* another type, and twice in one run */
    assert_int_equal(mi_links_count(rows), 2);
    assert_int_equal(rows->executed.confidence[1], MI_GUESS);
    assert_true(rows->executed.conflict[1].v != 0);
    join_fini(&joined);
    onnx_writer_fini(&w);
}

/* A loop in a loop in a loop ...: linear in time, and nothing recurses. */
static void nested_without_end(void **state)
{
    (void)state;
    enum { LEVELS = 50000 };
    struct joined joined;
    struct mi_sink sink;
    struct onnx_writer w = {0};
    char line[256];
    mi_sink_init_memory(&sink);
    mi_sink_text(&sink, "[\n");
    for (int i = LEVELS; i > 0; i--) {
        snprintf(line, sizeof line,
                 "{\"cat\" : \"Node\",\"tid\" :7,\"dur\" :%d,\"ts\" :%d,\"name\" "
                 ":\"c_kernel_time\",\"args\" : {\"op_name\" : \"If\"}},\n",
                 4 * (LEVELS - i) + 1, 2 * i + 1);
        mi_sink_text(&sink, line);
        snprintf(line, sizeof line,
                 "{\"cat\" : \"Session\",\"tid\" :7,\"dur\" :%d,\"ts\" :%d,\"name\" "
                 ":\"SequentialExecutor::Execute\",\"args\" : {}},\n",
                 4 * (LEVELS - i) + 3, 2 * i);
        mi_sink_text(&sink, line);
    }
    mi_sink_text(&sink, "]\n");
    write_model(&w);
    join_init(&joined);
    join_text(&joined, &mi_reader_ort_onnx, (struct mi_bytes){w.at, w.len}, 1);
    join_text(&joined, &mi_reader_ort_profile, mi_sink_bytes(&sink), 1);
    join_finish(&joined);
    const struct mi_tasks *tasks = &joined.model.all.rows.tasks;
    uint32_t depth = 0, innermost = tasks->count - 1; /* sorted by start */
    for (uint32_t t = innermost; tasks->parent[t].v; t = tasks->parent[t].v)
        depth++;
    assert_int_equal(depth, LEVELS - 1);
    join_fini(&joined);
    mi_sink_fini(&sink);
    onnx_writer_fini(&w);
}

/* Whichever allocation fails: an error at the latest when freezing, or the same links as ever. */
static void memory_runs_out(void **state)
{
    (void)state;
    static const char partition[] = "{\"streams\":[[\"c\"],[\"same\"]],\"devices\":[\"0\",\"0\"]}";
    struct onnx_writer w = {0};
    bool has_failed = true;
    write_model(&w);
    for (long n = 0; has_failed && n < 1000; n++) {
        struct joined joined;
        struct mi_error err = MI_ERROR_INIT;
        join_init(&joined);
        join_text(&joined, &mi_reader_ort_onnx, (struct mi_bytes){w.at, w.len}, 1);
        join_text(&joined, &mi_reader_ort_profile, mi_cstr(profile), 1);
        join_text(&joined, &mi_reader_ort_partition, MI_LIT(partition), 1);
        assert_true(mi_model_index_graphs(&joined.model, NULL));
        alloc_left = n;
        bool ok = mi_ort_streams_apply(&joined.model, &err) &&
                  mi_matcher_ort_task_names.run(&joined.model, &err) &&
                  mi_model_freeze(&joined.model, &err);
        has_failed = alloc_left < 0;
        alloc_left = -1;
        assert_true(ok || err.code == MI_ENOMEM);
        if (ok)
            assert_int_equal(mi_links_count(&joined.model.all.rows), 6);
        if (!has_failed)
            assert_true(ok);
        join_fini(&joined);
    }
    assert_false(has_failed);
    onnx_writer_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_event_finds_its_node),
        cmocka_unit_test(loops_and_branches),
        cmocka_unit_test(partition_gives_the_streams),
        cmocka_unit_test(captures_never_mix),
        cmocka_unit_test(loose_files_do_not_promise_generated_names),
        cmocka_unit_test(framework_graph_serves_without_an_optimised_one),
        cmocka_unit_test(names_that_repeat_and_names_that_lack),
        cmocka_unit_test(contradictions_demote),
        cmocka_unit_test(nested_without_end),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
