/* The reader of ONNX Runtime profiles: every trap of the format, the ledger, nesting, counters. */
#include "make_ort_profile.h"
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD(cat, tid, ts, dur)                                                                    \
    "{\"cat\" : \"" cat "\",\"pid\" :7,\"tid\" :" #tid ",\"dur\" :" #dur ",\"ts\" :" #ts           \
    ",\"ph\" : \"X\",\"name\" :\""
#define NODE(tid, ts, dur, name, args) HEAD("Node", tid, ts, dur) name "\",\"args\" : {" args "}}"
#define KERNEL(tid, ts, dur, name)     NODE(tid, ts, dur, name "_kernel_time", "\"op_name\" : \"Add\"")
#define CONTROL(tid, ts, dur, name)                                                                \
    NODE(tid, ts, dur, name "_kernel_time", "\"op_name\" : \"Loop\"")
#define SESSION(tid, ts, dur, name) HEAD("Session", tid, ts, dur) name "\",\"args\" : {}}"
#define EXECUTE(tid, ts, dur)       SESSION(tid, ts, dur, "SequentialExecutor::Execute")
#define RUN(tid, ts, dur)           SESSION(tid, ts, dur, "model_run")

static void read_text(struct reading *reading, const char *text)
{
    reading_bytes(reading, &mi_reader_ort_profile, mi_cstr(text), "", NULL);
    const struct mi_counts *counts = &reading->batch.counts;
    assert_int_equal(counts->in, counts->kept + counts->skipped + counts->lost);
}

static int sniff_text(const char *path, struct mi_bytes bytes)
{
    struct mi_probe probe = {.path = path, .bytes = bytes, .head = mi_bytes_sub(bytes, 0, 4096)};
    return mi_reader_ort_profile.sniff(&probe);
}

/* Row of the k-th task (from 0) whose node has this name; 0 = none. */
static uint32_t task_named(const struct reading *reading, const char *name, int k)
{
    const struct mi_tables *rows = &reading->batch.rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        mi_str_id id = rows->kernels.node_name[rows->tasks.kernel[t].v];
        if (mi_bytes_equal(mi_batch_text(&reading->batch, id), mi_cstr(name)) && k-- == 0)
            return t;
    }
    return 0;
}

static void assert_text(const struct reading *reading, mi_str_id id, const char *text)
{
    struct mi_bytes bytes = mi_batch_text(&reading->batch, id);
    assert_int_equal(bytes.len, strlen(text));
    assert_memory_equal(bytes.at, text, bytes.len);
}

static void recognised_by_content(void **state)
{
    (void)state;
    static const char plain[] = "[\n" SESSION(7, 1, 2, "model_loading_uri") "\n]\n";
    assert_true(sniff_text("x", MI_LIT(plain)) > 90);
    assert_true(sniff_text("x", MI_LIT("\xef\xbb\xbf [ {\"name\": \"model_loading_array\", "
                                       "\"cat\": \"Session\"")) > 90);
    assert_int_equal(sniff_text("x", MI_LIT("[]")), 0);
    assert_int_equal(sniff_text("x", MI_LIT("[{\"cat\":\"cpu_op\",\"name\":\"Session\"}]")), 0);
    assert_int_equal(sniff_text("x", MI_LIT("{\"cat\" : \"Session\", \"model_loading_uri\"")), 0);
    /* an empty file has nothing but its name */
    struct mi_bytes none = {0};
    assert_true(sniff_text("a/p_2026-01-31_23-59-59.json", none) > 0);
    assert_true(sniff_text("p_2026-01-31_23-59-59_123.json", none) > 0);
    assert_int_equal(sniff_text("p_2026-01-31.json", none), 0);
    assert_int_equal(sniff_text("profile.json", none), 0);
    assert_int_equal(sniff_text("", none), 0);
}

static void kernels_and_their_columns(void **state)
{
    (void)state;
    struct reading r;
    read_text(
        &r,
        "[\n" NODE(
            7, 10, 3, "a/b_kernel_time",
            "\"provider\" : \"CPUExecutionProvider\",\"node_index\" : \"12\","
            "\"input_type_shape\" : [{\"float\":[1,3,224,224]},{\"int64\":[]}],"
            "\"op_name\" : \"Conv\",\"thread_scheduling_stats\" : \"\","
            "\"output_type_shape\" : [{\"double\":[2]}]") ",\n" NODE(7, 20, 0, "a/b_kernel_time",
                                                                     "\"op_name\" : "
                                                                     "\"Conv\",\"node_index\" : "
                                                                     "\"12\","
                                                                     "\"output_type_shape\" : "
                                                                     "[{\"double\":[2]}],"
                                                                     "\"provider\" : "
                                                                     "\"CPUExecutionProvider\","
                                                                     "\"input_type_shape\" : "
                                                                     "[{\"float\":[1,3,224,224]},{"
                                                                     "\"int64\":[]}]") ",\n" NODE(7,
                                                                                                  30,
                                                                                                  1,
                                                                                                  "a/b_kernel_time",
                                                                                                  "\"op_name\" : \"Conv\",\"node_index\" : \"12\","
                                                                                                  "\"output_type_shape\" : [{\"double\":[3]}],"
                                                                                                  "\"provider\" : \"CPUExecutionProvider\"") "\n]\n");
    const struct mi_tables *rows = &r.batch.rows;
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.kept, 3);
    assert_int_equal(rows->tasks.count - 1, 3);
    assert_int_equal(rows->kernels.count - 1, 2); /* args in another order are the same launch */
    assert_int_equal(rows->tasks.kernel[1].v, rows->tasks.kernel[2].v);
    assert_text(&r, rows->kernels.name[1], "a/b");
    assert_text(&r, rows->kernels.node_name[1], "a/b");
    assert_text(&r, rows->kernels.op[1], "Conv");
    assert_text(&r, rows->kernels.engine[1], "CPUExecutionProvider");
    assert_text(&r, rows->kernels.inputs[1], "float32[1,3,224,224];int64[]");
    assert_text(&r, rows->kernels.outputs[1], "float64[2]");
    assert_text(&r, rows->kernels.inputs[2], "");
    assert_int_equal(rows->kernels.node_index[1], 12);
    assert_int_equal(rows->tasks.start_raw[1], 10);
    assert_int_equal(rows->tasks.dur_ns[1], 3000);
    assert_int_equal(rows->tasks.dur_ns[2], 0);
    assert_int_equal(rows->clocks.ns_per_tick[1] == 1000, 1);
    assert_int_equal(rows->clocks.note[1].v, 0);
    uint32_t track = rows->tasks.track[1].v, thread = rows->tasks.thread[1].v;
    assert_int_equal(rows->tracks.kind[track], MI_TRACK_STREAM);
    assert_int_equal(rows->tracks.native_id[track], 0);
    assert_int_equal(rows->tracks.kind[thread], MI_TRACK_THREAD);
    assert_int_equal(rows->tracks.native_id[thread], 7);
    reading_fini(&r);
}

static void names_are_not_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        bool is_repaired;
    } cases[] = {
        {"[\n" KERNEL(7, 1, 2, "a\"b") "\n]\n", "a\"b", true},
        {"[\n" KERNEL(7, 1, 2, "a\\x") "\n]\n", "a\\x", true},
        {"[\n" KERNEL(7, 1, 2, "a\\nb") "\n]\n", "a\\nb", false},
        {"[\n" KERNEL(7, 1, 2, "a\nb") "\n]\n", "a\nb", true},
        {"[\n" KERNEL(7, 1, 2, "\\\"") "\n]\n", "\\\"", false},
        {"[\n" KERNEL(7, 1, 2, "x\",\"dur\" :5,\"y\" :\"z") "\n]\n", "x\",\"dur\" :5,\"y\" :\"z",
         true},
        {"[\n" KERNEL(7, 1, 2, "<script>\x01\xff") "\n]\n", "<script>\x01\xff", true},
        {"[\n" KERNEL(7, 1, 2, "") "\n]\n", "", false},
        /* a JSON library wrote the file anew: now escapes are escapes */
        {"[{\"cat\":\"Node\",\"name\":\"a\\\"\\u0041_kernel_time\",\"ts\":1,\"dur\":2,\"tid\":7,"
         "\"pid\":7,\"ph\":\"X\",\"args\":{\"op_name\":\"Add\"}}]",
         "a\"A", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        read_text(&r, cases[i].text);
        assert_true(r.ok);
        assert_int_equal(r.batch.counts.kept, 1);
        assert_text(&r, r.batch.rows.kernels.node_name[1], cases[i].name);
        assert_text(&r, r.batch.rows.kernels.op[1], "Add");
        assert_int_equal(r.batch.rows.tasks.dur_ns[1], 2000);
        assert_int_equal(reading_diag(&r, "ort.name_recovered"), cases[i].is_repaired);
        reading_fini(&r);
    }
}

static void broken_lines_cost_themselves_alone(void **state)
{
    (void)state;
    struct reading r;
    read_text(
        &r,
        "[\n" KERNEL(7, 1, 2,
                     "a") ",\n"
                          "{\"cat\" : \"Node\",\"pid\" :oops},\n" KERNEL(
                              7, 5, 2,
                              "b") ",\n"
                                   "{\"cat\" : \"Node\",\"pid\" :7,\"name\" :\"torn\n" KERNEL(
                                       7, 9, 2,
                                       "c") ",\n" NODE(7, 12, 1, "n_kernel_time",
                                                       "\"op_name\" : ") ",\n" KERNEL(7, 15, 2,
                                                                                      "d") "\n]\n");
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.in, 7);
    assert_int_equal(r.batch.counts.kept, 4);
    assert_int_equal(r.batch.counts.lost, 3);
    assert_int_equal(reading_diag(&r, "ort.event_broken"), 3);
    assert_int_equal(r.batch.rows.diags.line[1], 3);
    assert_true(task_named(&r, "d", 0) != 0);
    reading_fini(&r);
}

static void ends_that_are_missing(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(&r, &mi_reader_ort_profile, (struct mi_bytes){0}, "", NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ETRUNCATED);
    assert_non_null(strstr(r.err.text, "profiling was not ended"));
    reading_fini(&r);

    read_text(&r, "[\n" KERNEL(7, 1, 2, "a") ",\n" KERNEL(7, 5, 2, "b") "\n"); /* no bracket */
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.kept, 2);
    assert_int_equal(reading_diag(&r, "ort.truncated"), 1);
    reading_fini(&r);

    read_text(&r, "[\n" KERNEL(7, 1, 2, "a") ",\n{\"cat\" : \"Node\",\"pid\" :7,\"ti");
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.kept, 1);
    assert_int_equal(r.batch.counts.lost, 1);
    assert_int_equal(reading_diag(&r, "ort.truncated"), 1);
    reading_fini(&r);

    read_text(&r, "[\n]\n");
    assert_true(r.ok);
    assert_int_equal(reading_diag(&r, "ort.no_events"), 1);
    reading_fini(&r);

    read_text(&r, "[\n" KERNEL(7, 1, 2, "a") "\n]\nrubbish");
    assert_true(r.ok);
    assert_int_equal(reading_diag(&r, "ort.trailing"), 1);
    reading_fini(&r);

    read_text(&r, "no list");
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_EFORMAT);
    assert_int_equal(r.err.line, 1);
    reading_fini(&r);
}

static void stray_commas(void **state)
{
    (void)state;
    struct reading r;
    read_text(
        &r,
        "[\n" NODE(7, 1, 2, "a_kernel_time", "\"op_name\" : \"Add\",\"input_type_shape\" : [{\"float\":[1,2]},]") ",,\n" KERNEL(
            7, 5, 2, "b") "\n" KERNEL(7, 9, 2, "c") ",\n]\n");
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.kept, 3);
    assert_int_equal(r.batch.counts.lost, 0);
    assert_text(&r, r.batch.rows.kernels.inputs[1], "float32[1,2]");
    assert_int_equal(reading_diag(&r, "ort.comma"), 2);
    reading_fini(&r);
}

static void what_is_left_out_is_counted(void **state)
{
    (void)state;
    struct reading r;
    read_text(
        &r,
        "[\n" NODE(7, 1, 0, "a_fence_before", "\"op_name\" : \"Add\"") ",\n" KERNEL(7, 1, 2, "a") ",\n" NODE(
            7, 3, 0, "a_fence_after",
            "") ",\n" NODE(7, 4, 0, "a_strange",
                           "") ",\n" HEAD("Other", 7, 5,
                                          0) "x\",\"args\" : {}},\n"
                                             "{\"cat\" : \"Node\",\"ph\" : \"B\",\"ts\" "
                                             ":1,\"name\" :\"q\",\"args\" : {}},\n"
                                             "{\"cat\" : \"Node\",\"ph\" : \"X\",\"name\" "
                                             ":\"q_kernel_time\",\"args\" : {}},\n" KERNEL(
                                                 7, 99999999999999999999, 2,
                                                 "far") ",\n" KERNEL(7, 20, -4,
                                                                     "back") ",\n" HEAD("Api", 7,
                                                                                        30,
                                                                                        1) "Run\","
                                                                                           "\"args"
                                                                                           "\" : "
                                                                                           "{}}\n]"
                                                                                           "\n");
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.in, 10);
    assert_int_equal(r.batch.counts.kept, 3);
    assert_int_equal(r.batch.counts.skipped, 5);
    assert_int_equal(r.batch.counts.lost, 2);
    assert_int_equal(reading_diag(&r, "ort.fence"), 2);
    assert_int_equal(reading_diag(&r, "ort.event_incomplete"), 2);
    assert_int_equal(reading_diag(&r, "ort.duration_negative"), 1);
    assert_int_equal(r.batch.rows.tasks.dur_ns[task_named(&r, "back", 0)], 0);
    assert_text(&r, r.batch.rows.slices.category[1], "api");
    reading_fini(&r);
}

/* Two runs; the loop has two turns, the second with a loop inside. Rounding: the inner loop ends
 * one us behind what encloses it, and a kernel of no length starts where a frame ended. */
static const char
    nested[] = "[\n" KERNEL(7, 10, 2, "first") ",\n" KERNEL(7, 21, 1, "body") ",\n" EXECUTE(7, 20, 3) ",\n" KERNEL(7, 31, 1, "body") ",\n" KERNEL(7, 35, 1, "inner") ",\n" EXECUTE(7, 34, 3) ",\n" CONTROL(
        7, 33, 6,
        "loop2") ",\n" EXECUTE(7, 30,
                               8) ",\n" CONTROL(7, 19, 21,
                                                "loop") ",\n" KERNEL(7, 40, 0,
                                                                     "after") ",\n" EXECUTE(7, 9,
                                                                                            33) ","
                                                                                                "\n" RUN(7, 8, 35) ",\n" KERNEL(7, 60, 2, "first") ",\n" EXECUTE(
                                                                                                    7,
                                                                                                    59,
                                                                                                    5) ",\n" RUN(7,
                                                                                                                 58,
                                                                                                                 7) ",\n" KERNEL(7,
                                                                                                                                 80,
                                                                                                                                 2,
                                                                                                                                 "first") "\n]\n";

static void check_nested(const struct reading *r)
{
    const struct mi_tasks *tasks = &r->batch.rows.tasks;
    uint32_t loop = task_named(r, "loop", 0), loop2 = task_named(r, "loop2", 0);
    assert_int_equal(tasks->parent[loop].v, 0);
    assert_int_equal(tasks->parent[task_named(r, "after", 0)].v, 0);
    for (int turn = 0; turn < 2; turn++) {
        uint32_t body = task_named(r, "body", turn);
        assert_int_equal(tasks->parent[body].v, loop);
        assert_int_equal(tasks->turn[body], turn);
        assert_int_equal(tasks->run[body], 0);
    }
    assert_int_equal(tasks->parent[loop2].v, loop);
    assert_int_equal(tasks->turn[loop2], 1);
    assert_int_equal(tasks->parent[task_named(r, "inner", 0)].v, loop2);
    assert_int_equal(tasks->turn[task_named(r, "inner", 0)], 0);
    for (int run = 0; run < 3; run++) /* the last one was never closed */
        assert_int_equal(tasks->run[task_named(r, "first", run)], run);
    assert_int_equal(r->batch.rows.kernels.kind[tasks->kernel[loop].v], MI_TASK_CONTROL);
    assert_int_equal(reading_diag(r, "ort.run_unclosed"), 1);
    assert_int_equal(r->batch.rows.slices.run[r->batch.rows.slices.count - 1],
                     r->batch.rows.slices.run[r->batch.rows.slices.count - 2]);
}

static void runs_loops_and_turns(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, nested);
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.kept, 16);
    check_nested(&r);
    assert_int_equal(reading_diag(&r, "ort.order"), 0);
    reading_fini(&r);
}

/* The same events by start, as a tool may have sorted them. */
static void any_order_of_events(void **state)
{
    (void)state;
    struct reading r;
    read_text(
        &r,
        "[\n" RUN(7, 8, 35) ",\n" EXECUTE(7, 9, 33) ",\n" KERNEL(7, 10, 2, "first") ",\n" CONTROL(7, 19, 21, "loop") ",\n" EXECUTE(7, 20, 3) ",\n" KERNEL(7, 21, 1, "body") ",\n" EXECUTE(
            7, 30,
            8) ",\n" KERNEL(7, 31, 1,
                            "body") ",\n" CONTROL(7, 33, 5,
                                                  "loop2") ",\n" EXECUTE(7, 34,
                                                                         3) ",\n" KERNEL(7, 35, 1,
                                                                                         "inner") ",\n" KERNEL(7,
                                                                                                               41,
                                                                                                               0,
                                                                                                               "aft"
                                                                                                               "er") ",\n" RUN(7,
                                                                                                                               58,
                                                                                                                               7) ",\n" EXECUTE(7,
                                                                                                                                                59,
                                                                                                                                                5) ",\n" KERNEL(7,
                                                                                                                                                                60,
                                                                                                                                                                2,
                                                                                                                                                                "first") ",\n" KERNEL(7,
                                                                                                                                                                                      80,
                                                                                                                                                                                      2,
                                                                                                                                                                                      "first") "\n]\n");
    assert_true(r.ok);
    check_nested(&r);
    assert_int_equal(reading_diag(&r, "ort.order"), 1);
    reading_fini(&r);
}

static void threads_become_tracks_only_if_they_overlap(void **state)
{
    (void)state;
    struct reading r;
    /* a pool thread runs the kernels, the caller waits: the run is found by time */
    read_text(
        &r,
        "[\n" KERNEL(9, 10, 5, "a") ",\n" KERNEL(8, 16, 5, "b") ",\n" EXECUTE(7, 9, 14) ",\n" RUN(
            7, 8, 16) ",\n" KERNEL(9, 30, 5, "a") ",\n" EXECUTE(7, 29, 9) ",\n" RUN(7, 28,
                                                                                    12) "\n]\n");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->tracks.kind[rows->tasks.track[1].v], MI_TRACK_STREAM);
    assert_int_equal(rows->tasks.track[1].v, rows->tasks.track[2].v);
    assert_int_not_equal(rows->tasks.thread[1].v, rows->tasks.thread[2].v);
    assert_int_equal(rows->tasks.run[2], 0);
    assert_int_equal(rows->tasks.run[3], 1);
    assert_int_equal(reading_diag(&r, "ort.run_unclosed"), 0);
    reading_fini(&r);

    read_text(&r, "[\n" KERNEL(9, 10, 5, "a") ",\n" KERNEL(8, 12, 5, "b") "\n]\n");
    assert_int_equal(rows->tasks.track[1].v, rows->tasks.thread[1].v);
    assert_int_equal(rows->tasks.track[2].v, rows->tasks.thread[2].v);
    reading_fini(&r);
}

static void gpu_kernels_run_on_streams(void **state)
{
    (void)state;
    struct reading r;
    read_text(
        &r,
        "[\n" NODE(
            7, 10, 9, "mm_kernel_time",
            "\"op_name\" : \"MatMul\",\"provider\" : \"CUDAExecutionProvider\"") ",\n"
                                                                                 "{\"cat\" : "
                                                                                 "\"Kernel\","
                                                                                 "\"pid\" "
                                                                                 ":-1,\"tid\" "
                                                                                 ":-1,\"dur\" "
                                                                                 ":4,\"ts\" "
                                                                                 ":13,\"ph\" : "
                                                                                 "\"X\","
                                                                                 "\"name\" "
                                                                                 ":\"sgemm_128\","
                                                                                 "\"args\" : "
                                                                                 "{\"stream\" : "
                                                                                 "\"7\",\"op_"
                                                                                 "name\" : "
                                                                                 "\"MatMul\","
                                                                                 "\"parent_name\" "
                                                                                 ": "
                                                                                 "\"mm_kernel_"
                                                                                 "time\"}}\n]\n");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(r.batch.counts.kept, 2);
    uint32_t track = rows->tasks.track[2].v;
    assert_int_equal(rows->tracks.kind[track], MI_TRACK_STREAM);
    assert_int_equal(rows->tracks.native_id[track], 7);
    assert_int_equal(rows->tracks.device[track], 0);
    assert_int_equal(rows->tasks.thread[2].v, 0);
    assert_int_equal(rows->tasks.parent[2].v, 1);
    assert_text(&r, rows->kernels.name[rows->tasks.kernel[2].v], "sgemm_128");
    assert_text(&r, rows->kernels.node_name[rows->tasks.kernel[2].v], "mm");
    /* the time on the host is not counted besides */
    assert_int_equal(rows->kernels.kind[rows->tasks.kernel[1].v], MI_TASK_CONTROL);
    reading_fini(&r);
}

static void reads_with_clock_and_limits(void **state)
{
    (void)state;
    static const char text[] = "[\n" KERNEL(7, 10, 2, "abcdefgh") "\n]\n";
    const struct mi_manifest_file entry = {.clock_unix_ns = 1736412474723783388};
    struct mi_source src = {.path = "p", .bytes = MI_LIT(text), .role = "profile", .entry = &entry};
    struct mi_batch batch;
    assert_true(mi_batch_init(&batch, src.bytes, NULL));
    src.limits.max_string_bytes = 4;
    assert_true(mi_reader_ort_profile.read(&src, &batch, NULL));
    assert_int_equal(batch.rows.clocks.ref_ns[1], 1736412474723783388);
    assert_true(batch.rows.clocks.note[1].v != 0);
    struct mi_bytes name = mi_batch_text(&batch, batch.rows.kernels.name[1]);
    assert_int_equal(name.len, 4);
    mi_batch_fini(&batch);
}

/* --- counters --- */

struct seen {
    char text[2048];
};

static void collect(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct seen *seen = user;
    size_t len = strlen(seen->text);
    snprintf(seen->text + len, sizeof seen->text - len, "%.*s%s%.*s ", (int)name.len,
             (const char *)name.at, is_number ? "=" : ":", (int)text.len, (const char *)text.at);
}

static void counters_of_a_record(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r,
              "[\n" NODE(
                  7, 1, 2, "q\"uoted_kernel_time",
                  "\"op_name\" : \"Conv\",\"parameter_size\" : \"9472\","
                  "\"thread_scheduling_stats\" : {\"main_thread\": {\"thread_pool_name\": "
                  "\"intra\", \"block_size\": [1,2], \"core\": 1}, \"sub_threads\": "
                  "{\"13\": {\"num_run\": 4}}},\"output_size\" : \"7\"") ",\n" KERNEL(7, 5, 1,
                                                                                      "b") "\n]\n");
    const struct mi_tasks *tasks = &r.batch.rows.tasks;
    struct mi_bytes record =
        mi_bytes_sub(r.input.bytes, (size_t)tasks->record_offset[1], tasks->record_bytes[1]);
    struct seen seen = {""};
    mi_reader_ort_profile.metrics(&(struct mi_record){.file = record, .bytes = record}, collect,
                                  &seen);
    assert_string_equal(seen.text,
                        "parameter_size=9472 "
                        "thread_scheduling_stats.main_thread.thread_pool_name:intra "
                        "thread_scheduling_stats.main_thread.block_size:[1,2] "
                        "thread_scheduling_stats.main_thread.core=1 "
                        "thread_scheduling_stats.sub_threads.13.num_run=4 output_size=7 ");
    record = mi_bytes_sub(r.input.bytes, (size_t)tasks->record_offset[2], tasks->record_bytes[2]);
    assert_true(mi_bytes_starts(record, MI_LIT("{\"cat\"")));
    assert_true(mi_bytes_ends(record, MI_LIT("}}")));
    reading_fini(&r);
}

/* --- size --- */

static void made_profiles(void **state)
{
    (void)state;
    static const struct mi_make_ort_profile plans[] = {
        {.event_count = 5000, .nodes_per_run = 40},
        {.event_count = 5000, .nodes_per_run = 9, .loop_turns = 4},
        {.event_count = 5000, .nodes_per_run = 30, .threads = 3, .fences = true},
        {.event_count = 777, .nodes_per_run = 50, .unclosed = true},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct mi_sink sink;
        struct reading r;
        mi_sink_init_memory(&sink);
        mi_make_ort_profile(&sink, &plans[i]);
        reading_bytes(&r, &mi_reader_ort_profile, mi_sink_bytes(&sink), "", NULL);
        assert_true(r.ok);
        const struct mi_counts *counts = &r.batch.counts;
        assert_int_equal(counts->in, plans[i].event_count);
        assert_int_equal(counts->lost, 0);
        assert_int_equal(counts->kept + counts->skipped, counts->in);
        assert_int_equal(counts->skipped > 0, plans[i].fences);
        assert_int_equal(reading_diag(&r, "ort.truncated"), plans[i].unclosed);
        assert_int_equal(r.batch.rows.kernels.count - 1,
                         plans[i].nodes_per_run + (plans[i].loop_turns ? 3 : 0));
        reading_fini(&r);
        mi_sink_fini(&sink);
    }
}

static void a_full_profile_was_cut(void **state)
{
    (void)state;
    struct mi_sink sink;
    struct reading r;
    mi_sink_init_memory(&sink);
    mi_sink_text(&sink, "[\n");
    for (int i = 0; i < 1000000; i++)
        mi_sink_text(&sink, i ? ",\n{\"cat\" : \"Other\"}" : "{\"cat\" : \"Other\"}");
    mi_sink_text(&sink, "\n]\n");
    reading_bytes(&r, &mi_reader_ort_profile, mi_sink_bytes(&sink), "", NULL);
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.in, 1000000);
    assert_int_equal(r.batch.counts.skipped, 1000000);
    assert_int_equal(reading_diag(&r, "ort.truncated"), 1);
    reading_fini(&r);
    mi_sink_fini(&sink);
}

/* Lines made to cost more than themselves: nothing may take quadratic time. */
static void hostile_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"cat\" :\"Node\",\"name\" :\"x\n",
        "{\"cat\" :\"Node\",\"name\" :\"x\"},",
        "{\"cat\" :\"Node\",\"name\" :\"x\\\"},\n",
        "{\"cat\" :}\n",
        "{\"cat\" :\"Node\",\"ts\" :1,\"dur\" :1,\"name\" :\"\"y_kernel_time\",\"args\" :{}},\n",
        "{\"cat\" :\"Session\",\"ts\" :1,\"dur\" :1,\"name\" :\"model_run\",\"args\" :{}},\n",
        "{\"cat\" :\"Session\",\"ts\" :1,\"dur\" :1,\"name\" :\"Executor::Execute\",\"args\":{}}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct mi_sink sink;
        struct reading r;
        mi_sink_init_memory(&sink);
        mi_sink_text(&sink, "[");
        for (int k = 0; k < 100000; k++)
            mi_sink_text(&sink, lines[i]);
        reading_bytes(&r, &mi_reader_ort_profile, mi_sink_bytes(&sink), "", NULL);
        const struct mi_counts *counts = &r.batch.counts;
        assert_int_equal(counts->in, counts->kept + counts->skipped + counts->lost);
        assert_true(counts->in > 0);
        reading_fini(&r);
        mi_sink_fini(&sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognised_by_content),
        cmocka_unit_test(kernels_and_their_columns),
        cmocka_unit_test(names_are_not_escaped),
        cmocka_unit_test(broken_lines_cost_themselves_alone),
        cmocka_unit_test(ends_that_are_missing),
        cmocka_unit_test(stray_commas),
        cmocka_unit_test(what_is_left_out_is_counted),
        cmocka_unit_test(runs_loops_and_turns),
        cmocka_unit_test(any_order_of_events),
        cmocka_unit_test(threads_become_tracks_only_if_they_overlap),
        cmocka_unit_test(gpu_kernels_run_on_streams),
        cmocka_unit_test(reads_with_clock_and_limits),
        cmocka_unit_test(counters_of_a_record),
        cmocka_unit_test(made_profiles),
        cmocka_unit_test(a_full_profile_was_cut),
        cmocka_unit_test(hostile_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
