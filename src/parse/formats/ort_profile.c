/* ONNX Runtime profile: what SessionEndProfiling leaves behind.
 *
 * One JSON array, one object per line, first line `[`, last line `]`:
 *   cat   "Session", "Node", "Kernel" (on a GPU), "Api"
 *   pid, tid   process and kernel thread id of the thread that ran it; -1 for GPU kernels
 *   ts, dur    whole microseconds; ts counts from the session's profiling start
 *   ph    always "X"
 *   name  Session: model_loading_uri, model_loading_array, session_initialization, model_run,
 *         SequentialExecutor::Execute (once per execution of any graph; ParallelExecutor::Execute
 *         up to 1.13). Node: <node name>_kernel_time, up to 1.20 also _fence_before, _fence_after;
 *         an unnamed node is called <OpType>_<node_index>, before about 1.3 it has no name at all.
 *   args  of kernels: op_name (type without domain), provider, node_index, input_type_shape,
 *         output_type_shape, sizes, thread_scheduling_stats, mem_*; numbers are strings. Up to 1.13
 *         node_index is called graph_index or absent. GPU kernels: stream, parent_name.
 * Versions seen: 1.13.1, 1.14.0, 1.20.1, 1.23.2, 1.28.2, 1.29.0, 1.30.0.
 *
 * Traps: names are not escaped, so a quote or backslash in one breaks the line; events beyond the
 * 1,000,000th are dropped silently; the file stays empty until profiling is ended; a stray comma
 * follows the shapes of sequence inputs; events stand in the order of their ends. Files that a JSON
 * library has written anew (other blanks, escaped names, other order) are read too.
 *
 * Becomes: a task per kernel event, a kernel per distinct launch, a slice per session event, a
 * thread per tid, and one logical stream, unless tasks of two threads ran at the same time: then
 * the threads are the tracks until a partition file tells the streams. Deliberately left out:
 * fences, which are bookkeeping without work. */
#include "base/translate.h"
#include "parse/formats/ort/ort_profile_event.h"
#include "parse/formats/ort/ort_profile_kernel.h"
#include "parse/formats/ort/ort_profile_metrics.h"
#include "parse/formats/ort/ort_profile_nest.h"
#include "parse/reader.h"

#include <ctype.h>

enum {
    MAX_EVENTS_OF_ORT = 1000000,
    DEFAULT_NAME_BYTES = 16 << 20,
    PROGRESS_BYTES = 8 << 20,
    HEAD_BYTES = 4096,
    MAX_CODES = 24 /* of diagnostics */
};

/* Times beyond this are nonsense (285 years), and would overflow as nanoseconds. */
#define MAX_US (INT64_C(1) << 53)

struct profile {
    const struct mi_source *src;
    struct mi_batch *batch;
    struct mi_ort_scan scan;
    struct mi_ort_kernels kernels;
    struct mi_ort_nest nest;
    struct mi_map threads; /* (pid, tid) -> track */
    struct mi_map streams; /* GPU stream -> track */
    mi_clock_id clock;
    int64_t last_pid, last_tid; /* of last_thread */
    mi_track_id last_thread;
    struct mi_map task_of_name; /* node name -> its last task: parents of GPU kernels */
    uint64_t event_at;          /* offset of the current event; MI_NO_OFFSET: of the whole file */
    uint32_t max_rows;
    const char *noted[MAX_CODES]; /* diagnostics that have their place */
    bool has_gpu_kernels;
};

/* --- recognising --- */

static struct mi_bytes after_blanks(struct mi_bytes text)
{
    while (text.len && (*text.at == ' ' || (*text.at >= '\t' && *text.at <= '\r')))
        text = mi_bytes_sub(text, 1, text.len);
    return text;
}

/* From the first event on; empty if the file does not start like one. */
static struct mi_bytes first_event(struct mi_bytes bytes)
{
    struct mi_bytes text = mi_bytes_sub(bytes, 0, HEAD_BYTES);
    if (mi_bytes_starts(text, MI_LIT("\xef\xbb\xbf")))
        text = mi_bytes_sub(text, 3, text.len);
    text = after_blanks(text);
    if (!text.len || *text.at != '[')
        return (struct mi_bytes){0};
    text = after_blanks(mi_bytes_sub(text, 1, text.len));
    return text.len && *text.at == '{' ? text : (struct mi_bytes){0};
}

static bool contains(struct mi_bytes text, struct mi_bytes word)
{
    for (; text.len >= word.len; text = mi_bytes_sub(text, 1, text.len))
        if (mi_bytes_starts(text, word))
            return true;
    return false;
}

/* PREFIX_YYYY-MM-DD_HH-MM-SS[_mmm].json: ORT's own naming, the only trace that an empty file has.
 */
static bool has_profile_name(const char *path)
{
    static const char pattern[] = "_9999-99-99_99-99-99";
    size_t len = strlen(path), tail = sizeof ".json" - 1, size = sizeof pattern - 1;
    if (len < tail || strcmp(path + len - tail, ".json") != 0)
        return false;
    len -= tail;
    if (len >= 4 && path[len - 4] == '_' && isdigit((unsigned char)path[len - 1]))
        len -= 4;
    if (len < size)
        return false;
    const char *at = path + len - size;
    for (size_t i = 0; i < size; i++)
        if (pattern[i] == '9' ? !isdigit((unsigned char)at[i]) : at[i] != pattern[i])
            return false;
    return true;
}

static int sniff(const struct mi_probe *probe)
{
    static const char *const words[] = {"model_loading_", "session_initialization", "_kernel_time",
                                        "Executor::Execute", "_fence_before"};
    if (probe->bytes.len == 0)
        return has_profile_name(probe->path) ? 60 : 0;
    struct mi_bytes event = first_event(probe->head);
    if (!contains(event, MI_LIT("\"cat\"")))
        return 0;
    if (!contains(event, MI_LIT("\"Session\"")) && !contains(event, MI_LIT("\"Node\"")))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains(event, mi_cstr(words[i])))
            return 95;
    return 0;
}

/* --- tracks --- */

static uint32_t fold(int64_t number)
{
    return (uint32_t)number ^ (uint32_t)(number >> 32);
}

static mi_track_id thread_track(struct profile *p, int64_t pid, int64_t tid)
{
    if (p->last_thread.v && pid == p->last_pid && tid == p->last_tid)
        return p->last_thread;
    uint32_t *row = mi_map_at(&p->threads, mi_pair(fold(pid), fold(tid)));
    if (!row) {
        mi_batch_fail(p->batch, MI_ENOMEM, "out of memory for threads");
        return (mi_track_id){0};
    }
    if (!*row) {
        mi_str_id name = pid == tid
                             ? mi_batch_printf(p->batch, "thread %lld (main)", (long long)tid)
                             : mi_batch_printf(p->batch, "thread %lld", (long long)tid);
        *row = mi_add_track(p->batch, &(struct mi_track_row){.kind = MI_TRACK_THREAD,
                                                             .name = name,
                                                             .clock = p->clock,
                                                             .rank = -1,
                                                             .device = -1,
                                                             .process = pid,
                                                             .native_id = tid})
                   .v;
    }
    p->last_pid = pid;
    p->last_tid = tid;
    return p->last_thread = (mi_track_id){*row};
}

static mi_track_id stream_track(struct profile *p, int64_t process, int64_t device, int64_t stream)
{
    uint32_t *row = mi_map_at(&p->streams, mi_pair(fold(process), fold(stream)));
    if (!row) {
        mi_batch_fail(p->batch, MI_ENOMEM, "out of memory for streams");
        return (mi_track_id){0};
    }
    if (!*row)
        *row = mi_add_track(p->batch,
                            &(struct mi_track_row){
                                .kind = MI_TRACK_STREAM,
                                .name = mi_batch_printf(p->batch, "stream %lld", (long long)stream),
                                .clock = p->clock,
                                .rank = -1,
                                .device = device,
                                .process = process,
                                .native_id = stream})
                   .v;
    return (mi_track_id){*row};
}

/* --- events to rows --- */

/* Counts a diagnostic at the current event, or of the whole file. Only the first of each code keeps
 * its place, so only then the line is looked up, which may mean counting from the start. */
static void note(struct profile *p, enum mi_severity severity, const char *code, const char *text)
{
    unsigned known = 0;
    while (known < MAX_CODES && p->noted[known] && p->noted[known] != code)
        known++;
    bool is_first = known < MAX_CODES && !p->noted[known];
    if (is_first)
        p->noted[known] = code;
    uint32_t line = is_first && p->event_at != MI_NO_OFFSET
                        ? mi_json_line(&p->scan.js, (size_t)p->event_at)
                        : 0;
    mi_batch_diag(p->batch, severity, code, p->event_at, line, "%s", text);
}

static void skip(struct profile *p, const char *code, const char *text)
{
    p->batch->counts.skipped++;
    note(p, MI_NOTICE, code, text);
}

static void lose(struct profile *p, const char *code, const char *text)
{
    p->batch->counts.lost++;
    note(p, MI_LOSS, code, text);
}

static void set_record(struct profile *p, struct mi_task_row *task)
{
    uint64_t size = mi_json_offset(&p->scan.js) - p->event_at;
    task->record_offset = size <= UINT32_MAX ? (int64_t)p->event_at : -1;
    task->record_bytes = size <= UINT32_MAX ? (uint32_t)size : 0;
}

static void add_node_task(struct profile *p, const struct mi_ort_event *event,
                          struct mi_bytes node_name)
{
    struct mi_task_row task = {
        .thread = thread_track(p, event->pid, event->tid),
        .kernel = mi_ort_kernel_of(&p->kernels, event, node_name, node_name),
        .native_id = -1,
        .connection = MI_NO_CONNECTION,
        .start_raw = event->start_us,
        .dur_ns = event->dur_ns,
    };
    set_record(p, &task);
    mi_add_task(p->batch, &task);
    p->batch->counts.kept++;
}

static struct mi_bytes without(struct mi_bytes text, struct mi_bytes suffix)
{
    if (mi_bytes_ends(text, suffix))
        text.len -= suffix.len;
    return text;
}

/* A kernel on a GPU: runs on a stream, belongs to the node event that it names. */
static void add_gpu_task(struct profile *p, const struct mi_ort_event *event)
{
    struct mi_bytes node_name = without(event->parent_name, MI_LIT("_kernel_time"));
    struct mi_task_row task = {
        .track = stream_track(p, -1, 0, mi_ort_integer(event->stream, 0)),
        .kernel = mi_ort_kernel_of(&p->kernels, event, event->name, node_name),
        .native_id = -1,
        .connection = MI_NO_CONNECTION,
        .start_raw = event->start_us,
        .dur_ns = event->dur_ns,
    };
    set_record(p, &task);
    p->has_gpu_kernels = true;
    mi_add_task(p->batch, &task);
    p->batch->counts.kept++;
}

static void add_slice(struct profile *p, const struct mi_ort_event *event)
{
    bool is_run = mi_bytes_equal(event->name, MI_LIT("model_run"));
    bool is_execute = mi_bytes_ends(event->name, MI_LIT("Executor::Execute"));
    const char *category = event->category == MI_ORT_API ? "api"
                           : is_run                      ? "run"
                           : is_execute                  ? "execute"
                                                         : "session";
    mi_slice_id id = mi_add_slice(
        p->batch, &(struct mi_slice_row){.track = thread_track(p, event->pid, event->tid),
                                         .name = mi_batch_str(p->batch, event->name),
                                         .category = mi_batch_cstr(p->batch, category),
                                         .connection = MI_NO_CONNECTION,
                                         .correlation = MI_NO_CONNECTION,
                                         .record_offset = -1,
                                         .start_raw = event->start_us,
                                         .dur_ns = event->dur_ns});
    if (event->category == MI_ORT_SESSION && (is_run || is_execute))
        mi_ort_nest_add(&p->nest, id, is_run);
    p->batch->counts.kept++;
}

static void add_node_event(struct profile *p, const struct mi_ort_event *event)
{
    const struct mi_bytes kernel_time = MI_LIT("_kernel_time");
    if (mi_bytes_ends(event->name, kernel_time))
        add_node_task(p, event, without(event->name, kernel_time));
    else if (mi_bytes_ends(event->name, MI_LIT("_fence_before")) ||
             mi_bytes_ends(event->name, MI_LIT("_fence_after")))
        skip(p, "ort.fence", "fence events do no work and are left out");
    else
        skip(p, "ort.node_event_unknown", "a node event that is neither a kernel nor a fence");
}

static bool is_complete(struct profile *p, struct mi_ort_event *event)
{
    if (!event->has_name || !event->has_start || !event->has_dur || event->bad_number ||
        event->start_us > MAX_US || event->start_us < -MAX_US || event->dur_ns / 1000 > MAX_US) {
        lose(p, "ort.event_incomplete",
             "an event without name, ts or dur, or with a number that is none");
        return false;
    }
    if (event->dur_ns < 0) {
        note(p, MI_NOTICE, "ort.duration_negative", "a negative duration was taken as 0");
        event->dur_ns = 0;
    }
    return true;
}

static void add_event(struct profile *p, struct mi_ort_event *event)
{
    if (event->other_phase) {
        skip(p, "ort.phase", "an event that is not a complete one (ph is not X)");
        return;
    }
    if (event->category == MI_ORT_OTHER) {
        skip(p, "ort.category", "an event of a category that ONNX Runtime does not write");
        return;
    }
    if (!is_complete(p, event))
        return;
    if (event->name_repaired)
        note(p, MI_NOTICE, "ort.name_recovered",
             "a name was not escaped; it was taken from what surrounds it");
    if (event->category == MI_ORT_NODE)
        add_node_event(p, event);
    else if (event->category == MI_ORT_KERNEL)
        add_gpu_task(p, event);
    else
        add_slice(p, event);
}

/* --- the file --- */

/* Goes on at the next line that starts with an object; false if there is none. */
static bool resync(struct profile *p)
{
    struct mi_json *js = &p->scan.js;
    size_t size = (size_t)(js->limit - js->begin);
    size_t line = mi_json_next_line(js, mi_json_offset(js));
    for (; line < size; line = mi_json_next_line(js, line)) {
        size_t at = line;
        while (at < size && (js->begin[at] == ' ' || js->begin[at] == '\t'))
            at++;
        if (at < size && js->begin[at] == '{')
            return mi_json_seek(js, at, 1);
    }
    return false;
}

static void note_end(struct profile *p, const char *text)
{
    note(p, MI_LOSS, "ort.truncated", text);
}

/* The scanner stopped between two events. True: it goes on. */
static bool mend_gap(struct profile *p)
{
    struct mi_json *js = &p->scan.js;
    p->event_at = mi_json_offset(js);
    if (js->error.code == MI_ETRUNCATED) {
        note_end(p, "the list of events is not closed: later events may be missing");
        return false;
    }
    if (p->event_at < p->src->bytes.len && *js->at == '{') {
        note(p, MI_NOTICE, "ort.comma", "a comma between two events is missing or one too many");
        return mi_json_seek(js, p->event_at, 1);
    }
    p->batch->counts.in++;
    lose(p, "ort.event_broken", js->error.text);
    return resync(p);
}

/* The current event is no JSON. True: reading goes on behind it. */
static bool mend_event(struct profile *p)
{
    struct mi_json *js = &p->scan.js;
    bool is_torn = js->error.code == MI_ETRUNCATED;
    p->batch->counts.lost++;
    if (is_torn && mi_json_offset(js) >= p->src->bytes.len) {
        note_end(p, "the file ends within an event: later events are missing");
        return false;
    }
    mi_batch_diag(p->batch, MI_LOSS, "ort.event_broken", mi_json_offset(js),
                  mi_json_line(js, mi_json_offset(js)), "%s", js->error.text);
    if (resync(p))
        return true;
    if (is_torn)
        note_end(p, "the file ends within a broken event: later events are missing");
    return false;
}

/* A comma where an event should stand. */
static bool skip_stray_comma(struct profile *p)
{
    struct mi_json *js = &p->scan.js;
    p->event_at = mi_json_offset(js);
    if (p->event_at >= p->src->bytes.len || js->begin[p->event_at] != ',')
        return false;
    note(p, MI_NOTICE, "ort.comma", "a comma between two events is missing or one too many");
    return mi_json_seek(js, p->event_at + 1, 1);
}

static bool may_go_on(struct profile *p, size_t *reported, struct mi_error *err)
{
    const struct mi_tables *rows = &p->batch->rows;
    size_t at = mi_json_offset(&p->scan.js);
    if (rows->tasks.count > p->max_rows || rows->slices.count > p->max_rows)
        return mi_batch_fail(p->batch, MI_ELIMIT, "the profile holds more than %u events",
                             p->max_rows);
    if (at - *reported < PROGRESS_BYTES)
        return true;
    *reported = at;
    if (p->src->progress && !p->src->progress(p->src->user, at))
        return mi_fail(err, MI_ECANCELLED, "stopped");
    return true;
}

/* False only if the reader was stopped. */
static bool read_events(struct profile *p, struct mi_error *err)
{
    struct mi_json *js = &p->scan.js;
    struct mi_ort_event event;
    size_t reported = 0;
    for (;;) {
        if (!mi_json_next_item(js)) {
            if (!mi_json_failed(js) || !mend_gap(p))
                return true;
            continue;
        }
        if (skip_stray_comma(p))
            continue;
        p->batch->counts.in++;
        if (mi_ort_event_read(&p->scan, &event))
            add_event(p, &event);
        else if (!mend_event(p))
            return true;
        if (mi_batch_failed(p->batch) || !may_go_on(p, &reported, err))
            return false;
    }
}

/* --- what holds for the whole file --- */

static void add_clock(struct profile *p)
{
    int64_t origin = p->src->entry ? p->src->entry->clock_unix_ns : 0;
    p->clock = mi_add_clock(
        p->batch,
        &(struct mi_clock_row){
            .name = mi_batch_cstr(p->batch, "ort-profile@realtime"),
            .ref_ns = origin,
            .ns_per_tick = 1000,
            .residual_ns = -1,
            .note = mi_batch_cstr(
                p->batch,
                origin ? "start of profiling as the session reported it, real time" : "")});
}

/* Tasks of nodes run on one logical stream per process, or on their threads if these overlap. */
static void place_tasks(struct profile *p)
{
    struct mi_tasks *tasks = &p->batch->rows.tasks;
    mi_track_id thread = {0}, stream = {0};
    for (uint32_t t = 1; t < tasks->count && !mi_batch_failed(p->batch); t++) {
        if (!tasks->thread[t].v)
            continue;
        if (p->nest.tasks_of_threads_meet) {
            tasks->track[t] = tasks->thread[t];
            continue;
        }
        if (tasks->thread[t].v != thread.v) {
            thread = tasks->thread[t];
            stream = stream_track(p, p->batch->rows.tracks.process[thread.v], -1, 0);
        }
        tasks->track[t] = stream;
    }
}

/* GPU kernels stand behind the event of their node, which then only encloses them: its time on the
 * host is not device work. */
static void adopt_gpu_tasks(struct profile *p)
{
    struct mi_tables *rows = &p->batch->rows;
    for (uint32_t t = 1; p->has_gpu_kernels && t < rows->tasks.count; t++) {
        uint32_t name = rows->kernels.node_name[rows->tasks.kernel[t].v].v;
        if (rows->tasks.thread[t].v) {
            if (name && !mi_map_set(&p->task_of_name, name, t))
                mi_batch_fail(p->batch, MI_ENOMEM, "out of memory for GPU kernels");
            continue;
        }
        uint32_t parent = name ? mi_map_get(&p->task_of_name, name) : 0;
        rows->tasks.parent[t].v = parent;
        if (parent)
            rows->kernels.kind[rows->tasks.kernel[parent].v] = MI_TASK_CONTROL;
    }
}

static void add_fact(struct profile *p, const char *name, long long number)
{
    mi_add_fact(p->batch, &(struct mi_fact_row){.name = mi_batch_cstr(p->batch, name),
                                                .text = mi_batch_printf(p->batch, "%lld", number)});
}

static void finish(struct profile *p)
{
    p->event_at = MI_NO_OFFSET;
    if (p->batch->counts.in >= MAX_EVENTS_OF_ORT)
        note_end(p, "ONNX Runtime keeps 1,000,000 events: later ones are missing");
    if (p->batch->counts.in == 0)
        note(p, MI_NOTICE, "ort.no_events", "the profile holds no events");
    adopt_gpu_tasks(p);
    mi_ort_nest_resolve(&p->nest);
    place_tasks(p);
    if (p->nest.has_unclosed_run)
        note(p, MI_NOTICE, "ort.run_unclosed",
             "kernels stand behind the last model_run: a run that was never closed");
    if (p->nest.was_sorted)
        note(p, MI_INFO, "ort.order", "events do not stand in the order of their ends");
    add_fact(p, "runs", p->nest.run_count);
    add_fact(p, "threads", (long long)p->threads.count);
}

static bool read_profile(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct profile p = {.src = src, .batch = out, .nest = {.batch = out}};
    p.max_rows = src->limits.max_rows ? src->limits.max_rows : UINT32_MAX - 2;
    if (src->bytes.len == 0)
        return mi_fail_at(err, MI_ETRUNCATED, 0, 1,
                          "the profile is empty: profiling was not ended (the process was killed, "
                          "or left without releasing its session)");
    mi_ort_kernels_init(&p.kernels, out,
                        src->limits.max_string_bytes ? src->limits.max_string_bytes
                                                     : DEFAULT_NAME_BYTES);
    mi_ort_scan_init(&p.scan, src->bytes, first_event(src->bytes));
    add_clock(&p);
    bool ok = mi_json_begin_array(&p.scan.js);
    if (!ok)
        mi_fail_at(err, p.scan.js.error.code, p.scan.js.error.offset, p.scan.js.error.line, "%s",
                   p.scan.js.error.text);
    else
        ok = read_events(&p, err);
    if (ok && !mi_json_failed(&p.scan.js) && !mi_json_done(&p.scan.js)) {
        p.event_at = mi_json_offset(&p.scan.js);
        note(&p, MI_LOSS, "ort.trailing", "something follows the end of the list; it was not read");
    }
    if (out->counts.in || ok)
        finish(&p);
    mi_ort_nest_fini(&p.nest);
    mi_ort_kernels_fini(&p.kernels);
    mi_ort_scan_fini(&p.scan);
    mi_map_fini(&p.threads);
    mi_map_fini(&p.streams);
    mi_map_fini(&p.task_of_name);
    return ok && !mi_batch_failed(out);
}

const struct mi_reader mi_reader_ort_profile = {
    .name = "ort_profile",
    .title = N_("ONNX Runtime profile"),
    .yields = MI_HAS_TASKS | MI_HAS_SLICES,
    .sniff = sniff,
    .read = read_profile,
    .metrics = mi_ort_metrics,
};
