/* Chrome traces: rows of each dialect, traps, and the facts of real traces. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void open_data(struct reading *reading, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/chrome_trace/%s", MI_SOURCE_DIR, name);
    assert_true(reading_file(reading, NULL, path));
    assert_true(reading->ok);
}

static void read_text(struct reading *r, const char *text)
{
    reading_bytes(r, mi_reader_find("chrome_trace"), mi_cstr(text), NULL, NULL);
}

static void assert_text(const struct reading *r, mi_str_id id, const char *expected)
{
    struct mi_bytes text = mi_batch_text(&r->batch, id);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static void assert_ledger(const struct reading *r, int64_t in, int64_t kept, int64_t skipped,
                          int64_t lost)
{
    const struct mi_counts *counts = &r->batch.counts;
    assert_int_equal(counts->in, in);
    assert_int_equal(counts->kept, kept);
    assert_int_equal(counts->skipped, skipped);
    assert_int_equal(counts->lost, lost);
}

static bool is(const struct reading *r, mi_str_id id, const char *text)
{
    return mi_bytes_equal(mi_batch_text(&r->batch, id), mi_cstr(text));
}

/* The task of that start; 0 = none. */
static uint32_t task_at(const struct reading *r, int64_t start_raw)
{
    for (uint32_t t = 1; t < r->batch.rows.tasks.count; t++)
        if (r->batch.rows.tasks.start_raw[t] == start_raw)
            return t;
    return 0;
}

static uint32_t slice_at(const struct reading *r, int64_t start_raw)
{
    for (uint32_t s = 1; s < r->batch.rows.slices.count; s++)
        if (r->batch.rows.slices.start_raw[s] == start_raw)
            return s;
    return 0;
}

#define T0 INT64_C(1700000000000000000)

/* --- Ascend --- */

static void hardware_rows_become_tasks(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "cann.json");
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 41, 40, 1, 0);
    assert_int_equal(rows->tasks.count - 1, 8);
    uint32_t task = task_at(&r, T0 + 20001), again = task_at(&r, T0 + 120001);
    uint32_t kernel = rows->tasks.kernel[task].v, track = rows->tasks.track[task].v;
    assert_int_equal(rows->tasks.kernel[again].v, kernel);
    assert_int_equal(rows->tasks.dur_ns[task], 50500);
    assert_int_equal(mi_some_get(rows->tasks.native_id[task]), 1);
    assert_int_equal(mi_some_u32(rows->tasks.connection[task]), 11);
    assert_text(&r, rows->kernels.name[kernel], "conv1");
    assert_text(&r, rows->kernels.node_name[kernel], "conv1");
    assert_text(&r, rows->kernels.type[kernel], "AI_CORE");
    assert_int_equal(rows->kernels.engine[kernel].v, 0);
    assert_int_equal(reading_diag(&r, "trace.core_unknown"), 1);
    assert_int_equal(rows->kernels.model[kernel], 7);
    assert_int_equal(rows->kernels.kind[kernel], MI_TASK_COMPUTE);
    assert_int_equal(rows->tracks.kind[track], MI_TRACK_STREAM);
    assert_int_equal(rows->tracks.native_id[track], 35);
    assert_int_equal(rows->tracks.device[track], 0);
    assert_text(&r, rows->tracks.name[track], "stream 35 (logic 1)");
    assert_int_equal(rows->clocks.ref_raw[rows->tracks.clock[track].v], T0 + 20001);
    assert_int_equal(rows->clocks.ref_ns[rows->tracks.clock[track].v], T0 + 20001);
    assert_text(&r, rows->clocks.note[rows->tracks.clock[track].v], "as exported");
    uint32_t copy = rows->tasks.kernel[task_at(&r, T0 + 80000)].v;
    assert_int_equal(rows->kernels.kind[copy], MI_TASK_TRANSFER);
    assert_int_equal(rows->kernels.node_name[copy].v, 0);
    uint32_t record = task_at(&r, T0 + 90000);
    assert_int_equal(rows->kernels.sync[rows->tasks.kernel[record].v], MI_SYNC_RECORD);
    assert_int_equal(mi_some_u32(rows->tasks.connection[record]), MI_NO_CONNECTION);
    reading_fini(&r);
}

static void planes_join_their_tasks(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "cann.json");
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t all = task_at(&r, T0 + 200000), send = task_at(&r, T0 + 210000);
    uint32_t track = rows->tasks.track[all].v;
    assert_int_equal(rows->tracks.kind[track], MI_TRACK_GROUP);
    assert_text(&r, rows->tracks.name[track], "group g1");
    assert_text(&r, rows->kernels.group[rows->tasks.kernel[all].v], "g1");
    assert_int_equal(rows->kernels.kind[rows->tasks.kernel[all].v], MI_TASK_COMMUNICATION);
    assert_int_equal(rows->notes.count - 1, 2);
    for (uint32_t n = 1; n <= 2; n++) { /* equal stream, task and start: the context decides */
        uint32_t task = rows->notes.task[n].v;
        assert_text(&r, rows->notes.name[n], n == 1 ? "Memcpy" : "Notify_Wait");
        assert_text(&r, rows->kernels.name[rows->tasks.kernel[task].v],
                    n == 1 ? "SDMA" : "Notify Wait");
        assert_int_equal(rows->tasks.parent[task].v, all);
    }
    assert_int_equal(rows->tasks.parent[send].v, all);
    assert_int_equal(rows->tracks.native_id[rows->tasks.track[send].v], 5);
    assert_int_equal(rows->kernels.kind[rows->tasks.kernel[send].v], MI_TASK_COMMUNICATION);
    reading_fini(&r);
}

static void calls_become_slices(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "cann.json");
    const struct mi_slices *slices = &r.batch.rows.slices;
    assert_int_equal(slices->count - 1, 4);
    uint32_t run = slice_at(&r, T0 + 125), launch = slice_at(&r, T0 + 1000);
    assert_text(&r, slices->name[run], "ModelExecute");
    assert_text(&r, slices->category[run], "model");
    assert_text(&r, slices->item[run], "7");
    assert_int_equal(slices->dur_ns[run], 900500);
    assert_text(&r, slices->name[launch], "launch");
    assert_text(&r, slices->item[launch], "conv1");
    assert_int_equal(mi_some_u32(slices->connection[launch]), 11);
    uint32_t copy = slice_at(&r, T0 + 7000), hccl = slice_at(&r, T0 + 10000);
    assert_text(&r, slices->category[copy], "acl");
    assert_int_equal(slices->item[copy].v, 0);
    assert_text(&r, slices->category[hccl], "communication");
    const struct mi_tracks *tracks = &r.batch.rows.tracks;
    assert_int_equal(tracks->native_id[slices->track[run].v], 5002);
    assert_int_equal(tracks->process[slices->track[run].v], 5001);
    assert_int_equal(tracks->device[slices->track[run].v], -1);
    reading_fini(&r);
}

static void steps_counters_and_arrows(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "cann.json");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->windows.count - 1, 2);
    assert_text(&r, rows->windows.kind[1], "iteration");
    assert_int_equal(rows->windows.number[1], 1);
    assert_int_equal(rows->windows.model[1], 7);
    assert_int_equal(rows->windows.start_raw[1], T0 + 15000);
    assert_int_equal(rows->windows.dur_ns[1], 80000);
    assert_int_equal(rows->windows.dur_ns[2], 3000);
    assert_int_equal(rows->counters.count - 1, 2);
    assert_text(&r, rows->counters.name[1], "AI Core Freq");
    assert_text(&r, rows->counters.unit[1], "MHz");
    assert_text(&r, rows->counters.name[2], "read_bandwidth 3");
    assert_int_equal(rows->counters.device[1], 0);
    assert_true(rows->samples.value[2] == 0.5);
    assert_int_equal(rows->flows.count - 1, 3);
    uint32_t from = slice_at(&r, T0 + 1000), launches = 0;
    for (uint32_t f = 1; f < rows->flows.count; f++) {
        assert_text(&r, rows->flows.category[f], "HostToDevice");
        assert_true(rows->flows.to_task[f].v != 0);
        launches += rows->flows.from_slice[f].v == from;
    }
    assert_int_equal(launches, 2); /* one start, two ends; an id of more than 64 bits */
    reading_fini(&r);
}

static void framework_rows(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "torch.json");
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 14, 14, 0, 0);
    uint32_t step = slice_at(&r, T0), enqueue = slice_at(&r, T0 + 20000),
             dequeue = slice_at(&r, T0 + 40000);
    assert_text(&r, rows->slices.category[step], "step");
    assert_text(&r, rows->slices.category[slice_at(&r, T0 + 10500)], "op");
    assert_text(&r, rows->slices.category[slice_at(&r, T0 + 5000)], "python");
    assert_text(&r, rows->slices.category[enqueue], "queue");
    assert_int_equal(mi_some_u32(rows->slices.correlation[enqueue]), 900);
    assert_int_equal(mi_some_u32(rows->slices.correlation[dequeue]), 900);
    assert_int_equal(rows->slices.track[enqueue].v, rows->slices.track[step].v); /* 77, "77" */
    assert_int_equal(rows->windows.number[1], 3);
    assert_text(&r, rows->windows.kind[1], "step");
    assert_int_equal(rows->flows.from_slice[1].v, enqueue);
    assert_int_equal(rows->flows.to_slice[1].v, dequeue);
    uint32_t call = slice_at(&r, T0 + 45000);
    assert_int_equal(mi_some_u32(rows->slices.connection[call]), 0); /* a valid id */
    assert_int_equal(mi_some_u32(rows->tasks.connection[1]), 0);
    assert_int_equal(rows->tracks.process[rows->slices.track[call].v], 77);
    assert_int_equal(rows->kernels.kind[1], MI_TASK_COMPUTE); /* "Other" with a name */
    assert_int_equal(rows->kernels.engine[1].v, 0);
    reading_fini(&r);
}

/* --- others --- */

static void kineto_rows(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "kineto.json");
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 11, 11, 0, 0);
    assert_int_equal(rows->tasks.count - 1, 2);
    uint32_t gemm = task_at(&r, 120001), launch = slice_at(&r, 110000);
    assert_int_equal(mi_some_u32(rows->tasks.connection[gemm]), 55);
    assert_int_equal(rows->kernels.kind[rows->tasks.kernel[gemm].v], MI_TASK_COMPUTE);
    assert_int_equal(rows->kernels.kind[rows->tasks.kernel[task_at(&r, 160000)].v],
                     MI_TASK_TRANSFER);
    assert_int_equal(rows->tracks.native_id[rows->tasks.track[gemm].v], 7);
    assert_int_equal(mi_some_u32(rows->slices.connection[launch]), 55);
    assert_int_equal(mi_some_u32(rows->slices.correlation[launch]), 7);
    assert_text(&r, rows->slices.category[launch], "runtime");
    assert_int_equal(rows->flows.from_slice[1].v, launch);
    assert_int_equal(rows->flows.to_task[1].v, gemm);
    uint32_t clock = rows->tracks.clock[rows->tasks.track[gemm].v].v;
    assert_int_equal(rows->clocks.ref_ns[clock] - rows->clocks.ref_raw[clock], T0);
    assert_int_equal(rows->windows.number[1], 12);
    assert_int_equal(rows->tracks.rank[rows->tasks.track[gemm].v], 1);
    assert_text(&r, rows->facts.text[1], "kineto");
    reading_fini(&r);
}

static void spans_of_two_events(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "phases.json");
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 27, 23, 4, 0);
    assert_int_equal(rows->slices.dur_ns[slice_at(&r, 10000)], 10000);
    assert_int_equal(rows->slices.dur_ns[slice_at(&r, 12000)], 3000);
    assert_int_equal(rows->slices.dur_ns[slice_at(&r, 30000)], 55000); /* to the end: 85 */
    assert_int_equal(rows->slices.dur_ns[slice_at(&r, 31000)], 9000);  /* over threads */
    assert_int_equal(rows->slices.dur_ns[slice_at(&r, 50000)], 5000);  /* ids of processes */
    assert_int_equal(rows->slices.dur_ns[slice_at(&r, 51000)], 7000);
    assert_int_equal(rows->slices.dur_ns[slice_at(&r, 75000)], 10000); /* overlaps, both stay */
    assert_int_equal(reading_diag(&r, "trace.end_stray"), 1);
    assert_int_equal(reading_diag(&r, "trace.unclosed"), 1);
    assert_int_equal(reading_diag(&r, "trace.objects"), 2);
    assert_int_equal(reading_diag(&r, "trace.renamed"), 1);
    assert_int_equal(reading_diag(&r, "trace.arrow_to_nowhere"), 1);
    assert_int_equal(rows->flows.count - 1, 3);
    assert_int_equal(rows->counters.count - 1, 2);
    assert_int_equal(rows->samples.count - 1, 3);
    assert_text(&r, rows->facts.text[1], "{\"sync_id\": \"s\"}");
    assert_text(&r, rows->facts.text[2], "chrome");
    reading_fini(&r);
}

static void traps_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        int64_t times;
    } codes[] = {
        {"trace.no_time", 1},           {"trace.no_duration", 2},   {"trace.comma", 2},
        {"trace.duration_negative", 1}, {"trace.event_broken", 1},  {"trace.unfinished", 1},
        {"trace.key_twice", 1},         {"trace.no_phase", 2},      {"trace.truncated", 1},
        {"trace.second_list", 1},       {"trace.phase_unknown", 1}, {"trace.counter_empty", 1}};
    struct reading r;
    open_data(&r, "traps.json");
    assert_ledger(&r, 14, 7, 1, 6);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(reading_diag(&r, codes[i].code), codes[i].times);
    assert_int_equal(r.batch.rows.slices.dur_ns[slice_at(&r, 40000)], 31000);
    assert_text(&r, r.batch.rows.slices.name[slice_at(&r, 10500)], "tab\there");
    reading_fini(&r);
}

struct listed {
    char text[512];
};

static void list(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct listed *l = user;
    size_t used = strlen(l->text);
    snprintf(l->text + used, sizeof l->text - used, "%.*s%s%.*s;", (int)name.len,
             (const char *)name.at, is_number ? "#" : "=", (int)text.len, (const char *)text.at);
}

static void arguments_are_listed(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "phases.json");
    uint32_t outer = slice_at(&r, 10000);
    const struct mi_slices *slices = &r.batch.rows.slices;
    struct listed l = {""};
    struct mi_record record = {.file = r.input.bytes,
                               .bytes =
                                   mi_bytes_sub(r.input.bytes, (size_t)slices->record_offset[outer],
                                                slices->record_bytes[outer]),
                               .key = slices->record_offset[outer]};
    mi_reader_find("chrome_trace")->metrics(&record, list, &l);
    assert_string_equal(l.text, "a.b#2;a.c=[1, 2];d=x\ty;");
    reading_fini(&r);
}

/* --- whatever a file may be --- */

static void nothing_and_little(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t in, lost;
    } cases[] = {{"", false, 0, 0},
                 {"[", true, 0, 0},
                 {"[]", true, 0, 0},
                 {"{}", true, 0, 0},
                 {"[{}]", true, 1, 1},
                 {"[null, 1, \"x\", [], {\"ph\":\"X\"}]", true, 5, 5},
                 {"[{\"ph\":\"X\",\"ts\":1,\"dur\":1}", true, 1, 0},
                 {"[{\"ph\":\"X\",\"ts\":1,\"dur\":1},", true, 1, 0},
                 {"{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":1}", true, 1, 0},
                 {"{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"du", true, 1, 1},
                 {"{\"traceEvents\":7}", true, 0, 0},
                 {"17", false, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        read_text(&r, cases[i].text);
        assert_int_equal(r.ok, cases[i].ok);
        if (r.ok)
            assert_ledger(&r, cases[i].in, cases[i].in - cases[i].lost, 0, cases[i].lost);
        reading_fini(&r);
    }
}

static void arrows_whose_ids_come_again(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":100},"
                  "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5},"
                  "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":30,\"dur\":5},"
                  "{\"ph\":\"f\",\"id\":1,\"bp\":\"e\",\"pid\":1,\"tid\":2,\"ts\":30},"
                  "{\"ph\":\"s\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":20},"
                  "{\"ph\":\"f\",\"id\":1,\"bp\":\"e\",\"pid\":1,\"tid\":2,\"ts\":9.5},"
                  "{\"ph\":\"s\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":5},"
                  "{\"ph\":\"f\",\"id\":2,\"pid\":1,\"tid\":2,\"ts\":11},"
                  "{\"ph\":\"s\",\"id\":2,\"pid\":1,\"tid\":7,\"ts\":11}]");
    const struct mi_flows *flows = &r.batch.rows.flows;
    uint32_t b = slice_at(&r, 10000), c = slice_at(&r, 30000);
    assert_int_equal(flows->count - 1, 3);
    uint32_t to_b = 0, to_c = 0, from_nothing = 0;
    for (uint32_t f = 1; f < flows->count; f++) {
        to_b += flows->to_slice[f].v == b; /* 500 ns off, but meant */
        to_c += flows->to_slice[f].v == c; /* the second also without "bp": the next span */
        from_nothing += !flows->from_slice[f].v;
    }
    assert_int_equal(to_b, 1);
    assert_int_equal(to_c, 2);
    assert_int_equal(from_nothing, 1); /* a lane without spans */
    assert_int_equal(reading_diag(&r, "trace.arrow_off"), 1);
    reading_fini(&r);
}

/* Lanes whose spans come last first: sorting one must leave what is known of the others. */
static void arrows_in_lanes_without_order(void **state)
{
    (void)state;
    enum { LANES = 5, SPANS = 12 };
    static char text[1 << 14];
    size_t used = (size_t)snprintf(text, sizeof text, "[");
    for (int lane = 1; lane <= LANES; lane++) {
        for (int i = SPANS; i > 0;
             i--) /* the arrow ends between the spans, in the one around all */
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":5},"
                                     "{\"ph\":\"f\",\"id\":\"%d_%d\",\"bp\":\"e\",\"pid\":1,"
                                     "\"tid\":%d,\"ts\":%d},",
                                     lane, lane * 1000 + i * 10, lane, i, lane,
                                     lane * 1000 + i * 10 + 7);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":900},", lane,
                                 lane * 1000);
    }
    text[used - 1] = ']';
    struct reading r;
    read_text(&r, text);
    const struct mi_flows *flows = &r.batch.rows.flows;
    assert_int_equal(flows->count - 1, LANES * SPANS);
    uint32_t ends[LANES + 1] = {0};
    for (uint32_t f = 1; f < flows->count; f++)
        for (int lane = 1; lane <= LANES; lane++)
            ends[lane] += flows->to_slice[f].v == slice_at(&r, lane * 1000 * INT64_C(1000));
    for (int lane = 1; lane <= LANES; lane++)
        assert_int_equal(ends[lane], SPANS);
    assert_int_equal(reading_diag(&r, "trace.arrow_off"), 0);
    reading_fini(&r);
}

/* What a batch holds of spans and samples, as a number. */
static uint64_t digest(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint64_t sum = (uint64_t)r->batch.counts.kept;
    for (uint32_t s = 1; s < rows->slices.count; s++) {
        struct mi_bytes name = mi_batch_text(&r->batch, rows->slices.name[s]);
        for (size_t i = 0; i < name.len; i++)
            sum = sum * 31 + name.at[i];
        sum = sum * 31 + (uint64_t)rows->slices.start_raw[s];
        sum = sum * 31 + (uint64_t)rows->slices.dur_ns[s];
        sum = sum * 31 + mi_some_u32(rows->slices.connection[s]);
        sum = sum * 31 + rows->slices.track[s].v;
    }
    for (uint32_t s = 1; s < rows->samples.count; s++)
        sum = sum * 31 + (uint64_t)rows->samples.at_raw[s] + rows->samples.counter[s].v;
    return sum;
}

/* Three kinds of events with values that shapes take and that they leave to the slow way; `indent`
 * sets other blanks into every event, so that no shape fits. */
static void write_shapes(char *out, size_t room, bool indent)
{
    static const char *const names[] = {
        "a", "b\\n", "\\u00e9", "", "\xff", "sixteen bytes or more", "\\\"q", "\t", "z"};
    static const char *const numbers[] = {"1",           "2.5", "\"7.25\"", "0",
                                          "123456.0005", "1e2", "0.0004"};
    size_t used = (size_t)snprintf(out, room, "[");
    for (int i = 0; i < 252; i++) {
        const char *name = names[i % 9], *number = numbers[i % 7], *next = numbers[(i + 3) % 7];
        int blanks = indent ? i : 0;
        if (i % 3 == 0)
            used += (size_t)snprintf(
                out + used, room - used,
                "{\"ph\":\"X\",%*s\"name\":\"%s\",\"pid\":%d,\"tid\":\"%s\","
                "\"ts\":%s,\"dur\":%s,\"args\":{\"x\":{\"y\":1},\"correlation\":%d}},",
                blanks, "", name, i % 4, name, number, next, i);
        else if (i % 3 == 1)
            used +=
                (size_t)snprintf(out + used, room - used,
                                 "{\"name\":\"%s\",%*s\"cat\":\"f\",\"pid\":%d,\"tid\":0,\"ts\":%s,"
                                 "\"dur\":%s,\"args\":{\"correlation\":%d},\"ph\":\"X\"},",
                                 name, blanks, "", i % 4, next, number, i);
        else
            used += (size_t)snprintf(out + used, room - used,
                                     "{\"name\":\"%s\",%*s\"pid\":%d,\"ts\":%s,\"args\":{\"v\":%s},"
                                     "\"ph\":\"C\"},",
                                     name, blanks, "", i % 4, number, next);
    }
    out[used - 1] = ']';
}

static void shapes_change_nothing(void **state)
{
    (void)state;
    static char shaped[1 << 16], plain[1 << 17];
    struct reading a, b;
    write_shapes(shaped, sizeof shaped, false);
    write_shapes(plain, sizeof plain, true);
    read_text(&a, shaped);
    read_text(&b, plain);
    assert_ledger(&a, 252, 252, 0, 0);
    assert_int_equal(digest(&a), digest(&b));
    reading_fini(&a);
    reading_fini(&b);
}

/* A shape must not let through what is no JSON. */
static void shapes_are_no_leave(void **state)
{
    (void)state;
    static const char *const bad[] = {"01", "1.", "-", "1.5.2", "1 2", "\"3", "", "+1", ".5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        struct reading r;
        snprintf(text, sizeof text,
                 "[{\"ph\":\"X\",\"ts\":1,\"dur\":1},\n{\"ph\":\"X\",\"ts\":2,\"dur\":1},\n"
                 "{\"ph\":\"X\",\"ts\":%s,\"dur\":1},\n{\"ph\":\"X\",\"ts\":4,\"dur\":1}]",
                 bad[i]);
        read_text(&r, text);
        assert_ledger(&r, 4, 3, 0, 1);
        reading_fini(&r);
    }
}

/* Names and lanes that come again are taken from the event before; those that only look alike, or
 * alternate, are not. */
static void names_and_lanes_that_alternate(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "["
                  "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"a@\\\\n\","
                  "\"args\":{\"level\":\"node\",\"connection_id\":1}},"
                  "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2,\"dur\":1,\"name\":\"a@\\n\","
                  "\"args\":{\"level\":\"hccl\",\"connection_id\":2}},"
                  "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1,\"name\":\"a@y\","
                  "\"args\":{\"level\":\"nod\",\"connection_id\":3}},"
                  "{\"ph\":\"X\",\"pid\":11,\"tid\":2,\"ts\":4,\"dur\":1,\"name\":\"a@y\","
                  "\"args\":{\"level\":\"node\",\"connection_id\":4}},"
                  "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1,\"name\":\"a@y\","
                  "\"args\":{\"level\":\"node\",\"connection_id\":5}}]");
    static const char *const names[] = {"\\n", "\n", "y", "y", "y"};
    static const char *const levels[] = {"node", "communication", "nod", "node", "node"};
    const struct mi_slices *slices = &r.batch.rows.slices;
    assert_int_equal(slices->count - 1, 5);
    for (uint32_t s = 1; s < slices->count; s++) {
        assert_text(&r, slices->name[s], names[s - 1]);
        assert_text(&r, slices->category[s], levels[s - 1]);
    }
    assert_int_equal(slices->track[3].v, slices->track[1].v);
    assert_int_equal(slices->track[5].v, slices->track[2].v);
    assert_int_not_equal(slices->track[2].v, slices->track[1].v);
    assert_int_not_equal(slices->track[4].v, slices->track[2].v);
    reading_fini(&r);
}

static void backslashes_of_paths(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "[{\"ph\":\"X\",\"name\":\"C:\\work\\u12\",\"ts\":1,\"dur\":1}]");
    assert_ledger(&r, 1, 1, 0, 0);
    assert_int_equal(reading_diag(&r, "trace.escape_unknown"), 1);
    assert_text(&r, r.batch.rows.slices.name[1], "C:\\work\\u12");
    reading_fini(&r);
}

static void times_of_zero_are_set_apart(void **state)
{
    (void)state;
    struct reading r;
    read_text(
        &r,
        "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1700000000000000,\"dur\":5},"
        "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":5},"
        "{\"ph\":\"X\",\"name\":\"c\",\"cat\":\"kernel\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":5}]");
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 3, 3, 0, 0);
    assert_int_equal(reading_diag(&r, "trace.undated"), 2);
    uint32_t track = rows->slices.track[slice_at(&r, 0)].v;
    assert_int_equal(rows->tracks.native_id[track], -2);
    assert_int_equal(rows->clocks.note[rows->tracks.clock[track].v].v, 0);
    assert_int_equal(rows->clocks.ref_raw[rows->tracks.clock[rows->slices.track[1].v].v], T0);
    assert_int_equal(rows->tracks.kind[rows->tasks.track[1].v], MI_TRACK_ENGINE);
    reading_fini(&r);
}

/* --- real traces --- */

struct fact {
    const char *path;
    int64_t events, tasks, calls, first_ns;
};

static int64_t count_tasks(const struct reading *r, enum mi_track_kind kind)
{
    const struct mi_tables *rows = &r->batch.rows;
    int64_t count = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        count += rows->tracks.kind[rows->tasks.track[t].v] == kind;
    return count;
}

static int64_t count_category(const struct reading *r, const char *category)
{
    int64_t count = 0;
    for (uint32_t s = 1; s < r->batch.rows.slices.count; s++)
        count += is(r, r->batch.rows.slices.category[s], category);
    return count;
}

static int64_t count_type(const struct reading *r, const char *type)
{
    const struct mi_tables *rows = &r->batch.rows;
    int64_t count = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        count += is(r, rows->kernels.type[rows->tasks.kernel[t].v], type);
    return count;
}

static int64_t first_hardware(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    int64_t first = INT64_MAX;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        if (rows->tasks.start_raw[t] < first)
            first = rows->tasks.start_raw[t];
    return first;
}

static int64_t count_flows(const struct reading *r, const char *category)
{
    const struct mi_flows *flows = &r->batch.rows.flows;
    int64_t count = 0;
    for (uint32_t f = 1; f < flows->count; f++)
        count += is(r, flows->category[f], category);
    return count;
}

/* Each arrow has both ends, but for the starts of level 0, which has no rows of CANN. */
static void check_ends(const struct reading *r, bool has_calls)
{
    const struct mi_flows *flows = &r->batch.rows.flows;
    int64_t without_end = 0, without_start = 0;
    for (uint32_t f = 1; f < flows->count; f++) {
        without_end += !flows->to_slice[f].v && !flows->to_task[f].v;
        without_start += !flows->from_slice[f].v && !flows->from_task[f].v;
    }
    assert_int_equal(without_end, 0);
    assert_int_equal(without_start, has_calls ? 0 : 215);
}

static void facts_of_alexnet(void **state)
{
    (void)state;
    static const struct fact facts[] = {
        {"level0/rank0_ascend_pt", 8375, 533, 0, 1736405443876953510},
        {"level0/rank1_ascend_pt", 8394, 533, 0, 1736405443892505958},
        {"level1/rank0_ascend_pt", 10112, 535, 707, 1736408883674584732},
        {"level1/rank1_ascend_pt", 9969, 535, 708, 1736408883676317851},
        {"level2/rank0_ascend_pt", 10476, 535, 1134, 1736412474701224784}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char path[512];
        struct reading r;
        bool has_calls = facts[i].calls > 0;
        snprintf(path, sizeof path,
                 "samples/cann-profiling/pytorch_alexnet_2rank/text/%s/ASCEND_PROFILER_OUTPUT/"
                 "trace_view.json",
                 facts[i].path);
        if (!reading_file(&r, NULL, shared_path(path)))
            skip();
        assert_true(r.ok);
        assert_int_equal(r.batch.counts.in, facts[i].events);
        assert_int_equal(r.batch.counts.lost, 0);
        assert_int_equal(count_tasks(&r, MI_TRACK_STREAM), facts[i].tasks);
        assert_int_equal(count_tasks(&r, MI_TRACK_GROUP), 4);
        assert_int_equal(count_category(&r, "acl") + count_category(&r, "node") +
                             count_category(&r, "communication") + count_category(&r, "runtime"),
                         facts[i].calls);
        assert_int_equal(count_category(&r, "op") + count_category(&r, "step"), 860);
        assert_int_equal(count_category(&r, "queue"), 318);
        assert_int_equal(count_category(&r, "python"), 1282);
        assert_int_equal(first_hardware(&r), facts[i].first_ns);
        assert_int_equal(count_flows(&r, "HostToDevice"), 215);
        assert_int_equal(count_flows(&r, "async_npu"), 210);
        assert_int_equal(count_flows(&r, "async_task_queue"), 159);
        assert_int_equal(count_flows(&r, "fwdbwd"), 27);
        check_ends(&r, has_calls);
        assert_int_equal(count_type(&r, "AI_CORE"), 172);
        assert_int_equal(count_type(&r, "Write Value"), 112);
        assert_int_equal(count_type(&r, "Notify Wait"), 112);
        assert_int_equal(count_type(&r, "SDMA"), 72);
        assert_int_equal(count_type(&r, "PCIE_DMA_SQE"), 14);
        assert_int_equal(count_type(&r, "EVENT_RECORD_SQE"), 14);
        assert_int_equal(count_type(&r, "MIX_AIV"), 13);
        assert_int_equal(count_type(&r, "EVENT_WAIT_SQE"), 10);
        assert_int_equal(count_type(&r, "SDMA_SQE"), 10);
        assert_int_equal(count_type(&r, "PLACE_HOLDER_SQE"), has_calls ? 4 : 2);
        assert_int_equal(count_type(&r, "DSA_SQE"), 2);
        int64_t children = 0;
        for (uint32_t t = 1; t < r.batch.rows.tasks.count; t++)
            children += r.batch.rows.tasks.parent[t].v != 0;
        assert_int_equal(children, 4 * 74);
        assert_int_equal(r.batch.rows.notes.count - 1, has_calls ? 4 * 74 : 0);
        assert_int_equal(r.batch.rows.windows.number[1], 50);
        reading_fini(&r);
    }
}

static void facts_of_2024(void **state)
{
    (void)state;
    struct reading r;
    if (!reading_file(&r, NULL, shared_path("samples/cann-profiling/mstt_2024/trace_view.json")))
        skip();
    const struct mi_tables *rows = &r.batch.rows;
    int64_t sum = 0, last = 0;
    assert_int_equal(r.batch.counts.in, 3670);
    assert_int_equal(r.batch.counts.lost, 0);
    assert_int_equal(rows->tasks.count - 1, 276);
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        sum += rows->tasks.dur_ns[t];
        if (rows->tasks.start_raw[t] > last)
            last = rows->tasks.start_raw[t];
        assert_int_equal(rows->tracks.native_id[rows->tasks.track[t].v], 3);
        assert_int_equal(rows->tracks.device[rows->tasks.track[t].v], 0);
    }
    assert_in_range(sum, 1790441 - 276 / 2, 1790441 + 276 / 2); /* each is rounded to a ns */
    assert_int_equal(first_hardware(&r), 1704161511422904204);
    assert_int_equal(last, 1704161511434172701);
    assert_int_equal(count_type(&r, "Other"), 274);
    assert_int_equal(count_type(&r, "AI_CPU"), 2);
    assert_int_equal(count_flows(&r, "HostToDevice"), 274);
    assert_int_equal(count_flows(&r, "async_npu"), 274);
    assert_int_equal(count_flows(&r, "async_task_queue"), 148);
    assert_int_equal(count_flows(&r, "fwdbwd"), 17);
    reading_fini(&r);
}

static void facts_of_names_only(void **state)
{
    (void)state;
    struct reading r;
    if (!reading_file(&r, NULL,
                      shared_path("samples/cann-profiling/trace_view_tiny/trace_view_tiny.json")))
        skip();
    assert_ledger(&r, 23, 23, 0, 0);
    assert_int_equal(r.batch.rows.tasks.count, 1);
    reading_fini(&r);
}

/* --- damage --- */

static bool adds_up(const struct reading *r)
{
    const struct mi_counts *counts = &r->batch.counts;
    return counts->in == counts->kept + counts->skipped + counts->lost;
}

/* A real trace that ends in the middle, one with bytes overwritten in 40 places, and two in a row.
 */
static void damaged_real_traces(void **state)
{
    (void)state;
    struct reading whole, r;
    if (!reading_file(&whole, NULL,
                      shared_path("samples/cann-profiling/mstt_2024/trace_view.json")))
        skip();
    size_t size = whole.input.bytes.len;
    uint8_t *bytes = malloc(size * 2);
    const struct mi_reader *reader = mi_reader_find("chrome_trace");
    assert_non_null(bytes);

    memcpy(bytes, whole.input.bytes.at, size);
    reading_bytes(&r, reader, (struct mi_bytes){bytes, size / 2}, NULL, NULL);
    assert_true(r.ok && adds_up(&r));
    assert_int_equal(r.batch.counts.lost, 1);
    assert_in_range(r.batch.counts.kept + r.batch.counts.skipped, 1000, 3000);
    assert_int_equal(reading_diag(&r, "trace.truncated"), 1);
    reading_fini(&r);

    for (size_t i = 0; i < 40; i++)
        memset(bytes + size / 41 * (i + 1), '"', 3);
    reading_bytes(&r, reader, (struct mi_bytes){bytes, size}, NULL, NULL);
    assert_true(r.ok && adds_up(&r));
    assert_in_range(r.batch.counts.lost, 20, 80);
    assert_in_range(r.batch.counts.in, 3670 - 80, 3670);
    reading_fini(&r);

    memcpy(bytes, whole.input.bytes.at, size);
    memcpy(bytes + size, whole.input.bytes.at, size);
    reading_bytes(&r, reader, (struct mi_bytes){bytes, size * 2}, NULL, NULL);
    assert_true(r.ok && adds_up(&r));
    assert_int_equal(r.batch.counts.in, 2 * 3670);
    assert_int_equal(r.batch.counts.lost, 0);
    assert_int_equal(reading_diag(&r, "trace.second_list"), 1);
    reading_fini(&r);
    reading_fini(&whole);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hardware_rows_become_tasks),
        cmocka_unit_test(planes_join_their_tasks),
        cmocka_unit_test(calls_become_slices),
        cmocka_unit_test(steps_counters_and_arrows),
        cmocka_unit_test(framework_rows),
        cmocka_unit_test(kineto_rows),
        cmocka_unit_test(spans_of_two_events),
        cmocka_unit_test(traps_are_counted),
        cmocka_unit_test(arguments_are_listed),
        cmocka_unit_test(nothing_and_little),
        cmocka_unit_test(arrows_whose_ids_come_again),
        cmocka_unit_test(arrows_in_lanes_without_order),
        cmocka_unit_test(shapes_change_nothing),
        cmocka_unit_test(shapes_are_no_leave),
        cmocka_unit_test(names_and_lanes_that_alternate),
        cmocka_unit_test(backslashes_of_paths),
        cmocka_unit_test(times_of_zero_are_set_apart),
        cmocka_unit_test(damaged_real_traces),
        cmocka_unit_test(facts_of_alexnet),
        cmocka_unit_test(facts_of_2024),
        cmocka_unit_test(facts_of_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
