/* Export "chrome": Chrome trace event JSON (the object form) for ui.perfetto.dev and
 * chrome://tracing.
 *
 * Rows: process "host" with its threads; one process per device with its streams; process
 * "framework ops" mirrors every stream and names, for each task, the framework ops that it
 * computes. Events: X per span with ts and dur in microseconds, three decimals, from the capture's
 * start. Flows (s/f, bound to the enclosing slice): "host" from a run of the model to the first
 * task of that run on each stream, "origin" from the framework row to the task, "data" along the
 * edges of the compiled graph between tasks of one run. Viewers want slices of one row to nest;
 * tasks that overlap otherwise go to extra rows of their stream, "stream 7 (2)". */
#include "base/mem.h"
#include "base/translate.h"
#include "present/export/common.h"

#include <stdlib.h>

enum { MAX_LANES = 64, MAX_NESTING = 64, PID_HOST = 1, PID_FRAMEWORK = 2, PID_FIRST_DEVICE = 3 };

struct place {
    uint32_t pid;
    uint64_t tid; /* unique over all processes; 0 = the process as a whole */
};

struct span {
    int64_t start_ns, dur_ns;
    uint32_t track, row;
    bool is_slice;
};

struct writer {
    const struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_relate relate;
    int64_t shift_ns;   /* added to all times, so that none is negative */
    struct span *spans; /* [span_count] all tasks and host spans, by track and time */
    uint32_t span_count;
    uint8_t *lane;       /* [tasks.count] extra row of its track, 0 = the track's own */
    uint8_t *slice_lane; /* [slices.count] same */
    uint8_t *lanes;      /* [tracks.count] how many the track has */
    uint32_t *pid;       /* [tracks.count] */
    uint64_t next_flow;
    struct mi_sink text; /* a name being put together */
    struct mi_jw jw;
};

/* --- rows --- */

struct timed_task {
    int64_t start_ns;
    uint32_t task;
};

/* Ends of the open slices of one lane, innermost last. */
struct lane {
    int64_t ends[MAX_NESTING];
    int depth;
};

static bool fits(struct lane *lane, int64_t start, int64_t end)
{
    while (lane->depth && lane->ends[lane->depth - 1] <= start)
        lane->depth--;
    if (lane->depth == MAX_NESTING || (lane->depth && lane->ends[lane->depth - 1] < end))
        return false;
    lane->ends[lane->depth++] = end;
    return true;
}

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->dur_ns != b->dur_ns) /* the one that encloses the other comes first */
        return a->dur_ns > b->dur_ns ? -1 : 1;
    if (a->is_slice != b->is_slice)
        return a->is_slice ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* All that has a track, in the order in which viewers want it. */
static bool gather_spans(struct writer *w)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    const struct mi_slices *slices = &w->rows->slices;
    w->spans = mi_mem_new((size_t)tasks->count + slices->count, sizeof *w->spans);
    if (!w->spans)
        return false;
    for (uint32_t t = 1; t < tasks->count; t++)
        if (tasks->track[t].v)
            w->spans[w->span_count++] =
                (struct span){tasks->start_ns[t], tasks->dur_ns[t], tasks->track[t].v, t, false};
    for (uint32_t s = 1; s < slices->count; s++)
        if (slices->track[s].v)
            w->spans[w->span_count++] =
                (struct span){slices->start_ns[s], slices->dur_ns[s], slices->track[s].v, s, true};
    if (w->span_count > 1)
        qsort(w->spans, w->span_count, sizeof *w->spans, compare_spans);
    return true;
}

/* Puts each span of a track on the first lane where it nests. What fits nowhere shares the last. */
static bool spread_spans(struct writer *w)
{
    struct lane *lanes = mi_mem_zero(MAX_LANES, sizeof *lanes);
    if (!lanes)
        return false;
    for (uint32_t i = 0; i < w->span_count; i++) {
        const struct span *span = &w->spans[i];
        uint8_t lane = 0;
        if (i && span->track != span[-1].track)
            memset(lanes, 0, MAX_LANES * sizeof *lanes);
        int64_t end = mi_export_add(span->start_ns, span->dur_ns);
        while (lane < MAX_LANES - 1 && !fits(&lanes[lane], span->start_ns, end))
            lane++;
        (span->is_slice ? w->slice_lane : w->lane)[span->row] = lane;
        if (w->lanes[span->track] <= lane)
            w->lanes[span->track] = (uint8_t)(lane + 1);
    }
    mi_mem_free(lanes);
    return true;
}

/* One process for the host, one per device: tracks of equal (rank, device) share it. */
static bool number_processes(struct writer *w, struct mi_error *err)
{
    const struct mi_tracks *tracks = &w->rows->tracks;
    uint32_t next = PID_FIRST_DEVICE;
    struct mi_map pids = {0};
    bool ok = true;
    for (uint32_t t = 1; ok && t < tracks->count; t++) {
        w->pid[t] = PID_HOST;
        if (tracks->kind[t] == MI_TRACK_THREAD)
            continue;
        uint64_t key = mi_pair((uint32_t)tracks->rank[t], (uint32_t)tracks->device[t]);
        uint32_t *pid = mi_map_at(&pids, key);
        ok = pid || mi_fail(err, MI_ENOMEM, "out of memory");
        if (pid && !*pid)
            *pid = next++;
        w->pid[t] = pid ? *pid : 0;
    }
    mi_map_fini(&pids);
    return ok;
}

static struct place place_of(const struct writer *w, uint32_t track, unsigned lane)
{
    return (struct place){w->pid[track], (uint64_t)track * MAX_LANES + lane};
}

/* The mirror of a stream's row. Its number is one of its own: some viewers take rows of equal
 * number for one thread even where their processes differ. */
static struct place framework_row(const struct writer *w, uint32_t track, unsigned lane)
{
    uint64_t row = (uint64_t)w->rows->tracks.count + track;
    return (struct place){PID_FRAMEWORK, row * MAX_LANES + lane};
}

static struct place framework_place(const struct writer *w, uint32_t task)
{
    return framework_row(w, w->rows->tasks.track[task].v, w->lane[task]);
}

static struct place task_place(const struct writer *w, uint32_t task)
{
    return place_of(w, w->rows->tasks.track[task].v, w->lane[task]);
}

static struct place slice_place(const struct writer *w, uint32_t slice)
{
    return place_of(w, w->rows->slices.track[slice].v, w->slice_lane[slice]);
}

/* --- events --- */

static void begin_event(struct writer *w, const char *phase, struct place place)
{
    mi_export_begin_record(&w->jw);
    mi_jw_member_text(&w->jw, "ph", phase);
    mi_jw_member_i64(&w->jw, "pid", place.pid);
    if (place.tid) {
        mi_jw_key(&w->jw, "tid");
        mi_jw_u64(&w->jw, place.tid);
    }
}

static void write_time(struct writer *w, const char *key, int64_t ns)
{
    mi_jw_key(&w->jw, key);
    mi_jw_us(&w->jw, ns);
}

static void begin_slice(struct writer *w, struct place place, struct mi_bytes name,
                        const char *category, int64_t start_ns, int64_t dur_ns)
{
    begin_event(w, "X", place);
    write_time(w, "ts", mi_export_add(start_ns, w->shift_ns));
    write_time(w, "dur", dur_ns);
    mi_jw_member_string(&w->jw, "name", name);
    mi_jw_member_text(&w->jw, "cat", category);
}

static void write_flow(struct writer *w, const char *name, struct place from, int64_t from_ns,
                       struct place to, int64_t to_ns)
{
    uint64_t id = w->next_flow++;
    for (int end = 0; end < 2; end++) {
        begin_event(w, end ? "f" : "s", end ? to : from);
        write_time(w, "ts", mi_export_add(end ? to_ns : from_ns, w->shift_ns));
        mi_jw_member_text(&w->jw, "name", name);
        mi_jw_member_text(&w->jw, "cat", "flow");
        mi_jw_key(&w->jw, "id");
        mi_jw_u64(&w->jw, id);
        if (end)
            mi_jw_member_text(&w->jw, "bp", "e");
        mi_jw_end(&w->jw);
    }
}

/* Names a row by what stands in w->text, which is emptied. */
static void write_label(struct writer *w, const char *what, struct place place)
{
    begin_event(w, "M", place);
    mi_jw_member_text(&w->jw, "name", what);
    mi_jw_key(&w->jw, "args");
    mi_jw_begin_object(&w->jw);
    mi_jw_member_string(&w->jw, "name", mi_sink_bytes(&w->text));
    mi_jw_end(&w->jw);
    mi_jw_end(&w->jw);
    mi_sink_clear(&w->text);
}

static void write_sort_index(struct writer *w, const char *what, struct place place, int64_t index)
{
    begin_event(w, "M", place);
    mi_jw_member_text(&w->jw, "name", what);
    mi_jw_key(&w->jw, "args");
    mi_jw_begin_object(&w->jw);
    mi_jw_member_i64(&w->jw, "sort_index", index);
    mi_jw_end(&w->jw);
    mi_jw_end(&w->jw);
}

/* --- names of rows --- */

static void label_process(struct writer *w, uint32_t pid)
{
    struct place place = {pid, 0};
    write_label(w, "process_name", place);
    write_sort_index(w, "process_sort_index", place, pid);
}

static void label_processes(struct writer *w)
{
    const struct mi_tracks *tracks = &w->rows->tracks;
    uint32_t named = PID_FIRST_DEVICE;
    mi_sink_text(&w->text, "host");
    label_process(w, PID_HOST);
    mi_sink_text(&w->text, "framework ops");
    label_process(w, PID_FRAMEWORK);
    for (uint32_t t = 1; t < tracks->count; t++) {
        if (w->pid[t] != named)
            continue;
        mi_sink_text(&w->text, tracks->device[t] >= 0 ? "device " : "device");
        if (tracks->device[t] >= 0)
            mi_sink_i64(&w->text, tracks->device[t]);
        if (tracks->rank[t] >= 0) {
            mi_sink_text(&w->text, ", rank ");
            mi_sink_i64(&w->text, tracks->rank[t]);
        }
        label_process(w, named++);
    }
}

static void label_track(struct writer *w, uint32_t track, unsigned lane, struct place place)
{
    mi_sink_write(&w->text, mi_model_text(w->model, w->rows->tracks.name[track]));
    if (lane) {
        mi_sink_text(&w->text, " (");
        mi_sink_u64(&w->text, lane + 1);
        mi_sink_text(&w->text, ")");
    }
    write_label(w, "thread_name", place);
    write_sort_index(w, "thread_sort_index", place, (int64_t)place.tid);
}

static void label_tracks(struct writer *w)
{
    const uint32_t *first = w->model->index.track_first_task;
    for (uint32_t t = 1; t < w->rows->tracks.count; t++) {
        for (unsigned lane = 0; lane < w->lanes[t]; lane++) {
            label_track(w, t, lane, place_of(w, t, lane));
            if (first[t] != first[t + 1])
                label_track(w, t, lane, framework_row(w, t, lane));
        }
    }
}

/* --- slices --- */

static void write_value_types(struct writer *w, const char *key, uint32_t first, uint32_t count)
{
    mi_jw_key(&w->jw, key);
    mi_jw_begin_array(&w->jw);
    for (uint32_t p = first; p < first + count; p++) {
        mi_value_id value = w->rows->ports.value[p];
        if (!value.v)
            continue;
        mi_jw_begin_object(&w->jw);
        mi_export_name(&w->jw, "name", w->model, w->rows->values.name[value.v]);
        mi_export_text(&w->jw, "dtype", w->model, w->rows->values.dtype[value.v]);
        mi_export_shape(&w->jw, w->model, value);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
}

static void write_task_args(struct writer *w, uint32_t task, uint32_t kernel, mi_node_id node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    mi_jw_key(&w->jw, "args");
    mi_jw_begin_object(&w->jw);
    mi_jw_member_i64(&w->jw, "task_id", task);
    mi_jw_member_i64(&w->jw, "run", w->rows->tasks.run[task]);
    if (kernel) {
        mi_export_text(&w->jw, "engine", w->model, w->rows->kernels.engine[kernel]);
        mi_export_text(&w->jw, "input_types", w->model, w->rows->kernels.inputs[kernel]);
        mi_export_text(&w->jw, "output_types", w->model, w->rows->kernels.outputs[kernel]);
    }
    mi_export_node_id(&w->jw, "op_node_id", &w->relate, node);
    if (node.v) {
        uint32_t link = mi_relate_link(w->model, task);
        mi_export_name(&w->jw, "node", w->model, nodes->name[node.v]);
        mi_export_name(&w->jw, "op", w->model, nodes->op[node.v]);
        mi_export_enum(&w->jw, "confidence", MI_E_confidence, w->rows->executed.confidence[link]);
        write_value_types(w, "inputs", nodes->first_in[node.v], nodes->in_count[node.v]);
        write_value_types(w, "outputs", nodes->first_out[node.v], nodes->out_count[node.v]);
    }
    mi_jw_end(&w->jw);
}

static void write_task(struct writer *w, uint32_t task)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    const struct mi_kernels *kernels = &w->rows->kernels;
    uint32_t kernel = tasks->kernel[task].v;
    struct mi_bytes name = kernel ? mi_model_text(w->model, kernels->name[kernel]) : MI_LIT("");
    begin_slice(w, task_place(w, task), name,
                kernel ? mi_enum_name(MI_E_category, kernels->category[kernel]) : "other",
                tasks->start_ns[task], tasks->dur_ns[task]);
    write_task_args(w, task, kernel, mi_relate_task_node(w->model, task));
    mi_jw_end(&w->jw);
}

/* The framework ops behind a task as "Conv + Relu", and their names in args; none: no slice. */
static bool write_framework_slice(struct writer *w, uint32_t task, struct mi_error *err)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    mi_node_id node = mi_relate_task_node(w->model, task);
    struct mi_id_list ops = {0};
    uint32_t own;
    if (!node.v)
        return true;
    if (!mi_relate_fused_from(&w->relate, node, &ops))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    own = w->relate.public_id[node.v];
    if (!ops.count && (own != node.v || mi_node_layer(w->model, node) == MI_LAYER_FRAMEWORK))
        ops = (struct mi_id_list){&own, 1};
    if (!ops.count)
        return true;
    for (uint32_t i = 0; i < ops.count; i++) {
        mi_sink_text(&w->text, i ? " + " : "");
        mi_sink_write(&w->text, mi_model_text(w->model, nodes->op[ops.ids[i]]));
    }
    begin_slice(w, framework_place(w, task), mi_sink_bytes(&w->text), "framework",
                w->rows->tasks.start_ns[task], w->rows->tasks.dur_ns[task]);
    mi_sink_clear(&w->text);
    mi_jw_key(&w->jw, "args");
    mi_jw_begin_object(&w->jw);
    mi_jw_key(&w->jw, "nodes");
    mi_jw_begin_array(&w->jw);
    for (uint32_t i = 0; i < ops.count; i++)
        mi_jw_string(&w->jw, mi_model_text(w->model, nodes->name[ops.ids[i]]));
    mi_jw_end(&w->jw);
    mi_export_ids(&w->jw, "node_ids", ops);
    mi_jw_end(&w->jw);
    mi_jw_end(&w->jw);
    int64_t start = w->rows->tasks.start_ns[task];
    write_flow(w, "origin", framework_place(w, task), start, task_place(w, task), start);
    return true;
}

static void write_slice(struct writer *w, uint32_t slice)
{
    const struct mi_slices *slices = &w->rows->slices;
    begin_slice(w, slice_place(w, slice), mi_model_text(w->model, slices->name[slice]), "host",
                slices->start_ns[slice], slices->dur_ns[slice]);
    mi_jw_key(&w->jw, "args");
    mi_jw_begin_object(&w->jw);
    mi_export_name(&w->jw, "category", w->model, slices->category[slice]);
    mi_jw_member_i64(&w->jw, "run", slices->run[slice]);
    mi_jw_end(&w->jw);
    mi_jw_end(&w->jw);
}

/* --- flows --- */

/* From each run on the host to its first task on every stream. */
static bool write_run_flows(struct writer *w, struct mi_error *err)
{
    const struct mi_slices *slices = &w->rows->slices;
    const struct mi_tasks *tasks = &w->rows->tasks;
    struct mi_map slice_of_run = {0};
    bool ok = true;
    for (uint32_t s = slices->count; ok && s-- > 1;) /* backwards: the first of a run stays */
        if (slices->track[s].v &&
            mi_bytes_equal(mi_model_text(w->model, slices->category[s]), MI_LIT("run")))
            ok = mi_map_set(&slice_of_run, slices->run[s], s);
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        bool is_first = t == 1 || tasks->track[t].v != tasks->track[t - 1].v ||
                        tasks->run[t] != tasks->run[t - 1];
        uint32_t s = is_first ? mi_map_get(&slice_of_run, tasks->run[t]) : 0;
        if (s)
            write_flow(w, "host", slice_place(w, s), slices->start_ns[s], task_place(w, t),
                       tasks->start_ns[t]);
    }
    mi_map_fini(&slice_of_run);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for flows");
}

static int compare_by_time(const void *left, const void *right)
{
    const struct timed_task *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* Flows into one task from the newest tasks of the nodes that make its inputs, on the same device
 * and of the same run. `newest`: (node, process) -> task. */
static void write_data_flows_into(struct writer *w, const struct mi_map *newest, uint32_t task,
                                  uint32_t node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    const struct mi_tasks *tasks = &w->rows->tasks;
    uint32_t pid = w->pid[tasks->track[task].v];
    for (uint32_t i = 0; i < nodes->in_count[node]; i++) {
        mi_value_id value = w->rows->ports.value[nodes->first_in[node] + i];
        value = mi_relate_real_value(w->model, value);
        uint32_t producer = value.v ? w->rows->values.producer[value.v].v : 0;
        uint32_t from = producer ? mi_map_get(newest, mi_pair(producer, pid)) : 0;
        if (from && tasks->run[from] == tasks->run[task])
            write_flow(w, "data", task_place(w, from), tasks->start_ns[from], task_place(w, task),
                       tasks->start_ns[task]);
    }
}

/* One sweep over all tasks in the order of time. */
static bool write_data_flows(struct writer *w, struct mi_error *err)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    struct timed_task *order = mi_mem_new(tasks->count, sizeof *order);
    struct mi_map newest = {0};
    uint32_t count = 0;
    bool ok = order != NULL;
    for (uint32_t t = 1; ok && t < tasks->count; t++)
        if (tasks->track[t].v && mi_relate_task_node(w->model, t).v)
            order[count++] = (struct timed_task){tasks->start_ns[t], t};
    if (count > 1)
        qsort(order, count, sizeof *order, compare_by_time);
    for (uint32_t i = 0; ok && i < count && !mi_sink_failed(w->jw.sink); i++) {
        uint32_t task = order[i].task, node = mi_relate_task_node(w->model, task).v;
        write_data_flows_into(w, &newest, task, node);
        ok = mi_map_set(&newest, mi_pair(node, w->pid[tasks->track[task].v]), task);
    }
    mi_mem_free(order);
    mi_map_fini(&newest);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for flows");
}

/* --- the whole --- */

static bool prepare(struct writer *w, struct mi_error *err)
{
    const struct mi_tables *rows = w->rows;
    w->lane = mi_mem_zero(rows->tasks.count, sizeof *w->lane);
    w->slice_lane = mi_mem_zero(rows->slices.count, sizeof *w->slice_lane);
    w->lanes = mi_mem_zero(rows->tracks.count, sizeof *w->lanes);
    w->pid = mi_mem_zero(rows->tracks.count, sizeof *w->pid);
    if (!w->lane || !w->slice_lane || !w->lanes || !w->pid || !gather_spans(w) || !spread_spans(w))
        return mi_fail(err, MI_ENOMEM, "out of memory for the rows of the trace");
    int64_t first_ns = 0;
    for (uint32_t i = 0; i < w->span_count; i++)
        first_ns = w->spans[i].start_ns < first_ns ? w->spans[i].start_ns : first_ns;
    w->shift_ns = mi_export_sub(0, first_ns);
    for (uint32_t t = 1; t < rows->tracks.count; t++)
        w->lanes[t] = w->lanes[t] ? w->lanes[t] : 1;
    return number_processes(w, err);
}

static bool write_events(struct writer *w, struct mi_error *err)
{
    const struct mi_tables *rows = w->rows;
    bool ok = true;
    label_processes(w);
    label_tracks(w);
    for (uint32_t i = 0; i < w->span_count && !mi_sink_failed(w->jw.sink); i++)
        (w->spans[i].is_slice ? write_slice : write_task)(w, w->spans[i].row);
    for (uint32_t t = 1; ok && t < rows->tasks.count && !mi_sink_failed(w->jw.sink); t++)
        ok = !rows->tasks.track[t].v || write_framework_slice(w, t, err);
    return ok && write_run_flows(w, err) && write_data_flows(w, err);
}

static void write_head(struct writer *w)
{
    mi_jw_begin_object(&w->jw);
    mi_jw_key(&w->jw, "otherData");
    mi_jw_begin_object(&w->jw);
    mi_jw_member_text(&w->jw, "schema", "model-inspector-chrome/1");
    mi_export_start(&w->jw, w->model);
    mi_jw_key(&w->jw, "shift_ns");
    mi_jw_i64_string(&w->jw, w->shift_ns);
    mi_jw_end(&w->jw);
    mi_jw_member_text(&w->jw, "displayTimeUnit", "ns");
    mi_jw_key(&w->jw, "traceEvents");
    mi_jw_begin_array(&w->jw);
}

static bool write_chrome(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    struct writer w = {.model = view->model, .rows = &view->model->all.rows, .next_flow = 1};
    mi_sink_init_memory(&w.text);
    struct mi_sink *sink = NULL;
    if (mi_relate_init(&w.relate, view->model, err) && prepare(&w, err))
        sink = target->open(target, "export.trace.json", err);
    bool ok = sink != NULL;
    if (ok) {
        mi_jw_init(&w.jw, sink, NULL);
        write_head(&w);
        ok = write_events(&w, err);
        if (mi_sink_failed(&w.text))
            mi_sink_fail(sink, MI_ENOMEM, "out of memory for a name");
        mi_jw_end(&w.jw);
        mi_jw_end(&w.jw);
        ok = mi_jw_finish(&w.jw, err) && ok && target->close(target, err);
    }
    mi_sink_fini(&w.text);
    mi_mem_free(w.spans);
    mi_mem_free(w.lane);
    mi_mem_free(w.slice_lane);
    mi_mem_free(w.lanes);
    mi_mem_free(w.pid);
    mi_relate_fini(&w.relate);
    return ok;
}

const struct mi_exporter mi_exporter_chrome = {
    .name = "chrome",
    .title = N_("Chrome trace JSON with flows, opens in ui.perfetto.dev"),
    .suffix = ".trace.json",
    .media_type = "application/json",
    .write = write_chrome,
};
