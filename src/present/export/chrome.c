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
#include "present/export/chrome_rows.h"
#include "present/export/common.h"

#include <stdlib.h>

struct writer {
    const struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_relate relate;
    struct mi_chrome_rows at;
    uint64_t next_flow;
    struct mi_sink text; /* a name being put together */
    struct mi_jw jw;
};

/* --- events --- */

static void begin_event(struct writer *w, const char *phase, struct mi_chrome_place place)
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

static void begin_slice(struct writer *w, struct mi_chrome_place place, struct mi_bytes name,
                        const char *category, int64_t start_ns, int64_t dur_ns)
{
    begin_event(w, "X", place);
    write_time(w, "ts", mi_export_add(start_ns, w->at.shift_ns));
    write_time(w, "dur", dur_ns);
    mi_jw_member_string(&w->jw, "name", name);
    mi_jw_member_text(&w->jw, "cat", category);
}

static void write_flow(struct writer *w, const char *name, struct mi_chrome_place from,
                       int64_t from_ns, struct mi_chrome_place to, int64_t to_ns)
{
    uint64_t id = w->next_flow++;
    for (int end = 0; end < 2; end++) {
        begin_event(w, end ? "f" : "s", end ? to : from);
        write_time(w, "ts", mi_export_add(end ? to_ns : from_ns, w->at.shift_ns));
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
static void write_label(struct writer *w, const char *what, struct mi_chrome_place place)
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

static void write_sort_index(struct writer *w, const char *what, struct mi_chrome_place place,
                             int64_t index)
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
    struct mi_chrome_place place = {pid, 0};
    write_label(w, "process_name", place);
    write_sort_index(w, "process_sort_index", place, pid);
}

static void label_processes(struct writer *w)
{
    const struct mi_tracks *tracks = &w->rows->tracks;
    uint32_t named = MI_CHROME_FIRST_DEVICE;
    mi_sink_text(&w->text, "host");
    label_process(w, MI_CHROME_HOST);
    mi_sink_text(&w->text, "framework ops");
    label_process(w, MI_CHROME_FRAMEWORK);
    for (uint32_t t = 1; t < tracks->count; t++) {
        if (w->at.pid[t] != named)
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

static void label_track(struct writer *w, uint32_t track, unsigned lane,
                        struct mi_chrome_place place)
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
        for (unsigned lane = 0; lane < w->at.lanes[t]; lane++) {
            label_track(w, t, lane, mi_chrome_row(&w->at, t, lane));
            if (first[t] != first[t + 1])
                label_track(w, t, lane, mi_chrome_framework_row(&w->at, t, lane));
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
    if (w->rows->tasks.run[task] != MI_NO_RUN)
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
    begin_slice(w, mi_chrome_task_place(&w->at, task), name,
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
    begin_slice(w, mi_chrome_framework_place(&w->at, task), mi_sink_bytes(&w->text), "framework",
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
    write_flow(w, "origin", mi_chrome_framework_place(&w->at, task), start,
               mi_chrome_task_place(&w->at, task), start);
    return true;
}

static void write_slice(struct writer *w, uint32_t slice)
{
    const struct mi_slices *slices = &w->rows->slices;
    begin_slice(w, mi_chrome_slice_place(&w->at, slice),
                mi_model_text(w->model, slices->name[slice]), "host", slices->start_ns[slice],
                slices->dur_ns[slice]);
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
            write_flow(w, "host", mi_chrome_slice_place(&w->at, s), slices->start_ns[s],
                       mi_chrome_task_place(&w->at, t), tasks->start_ns[t]);
    }
    mi_map_fini(&slice_of_run);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for flows");
}

struct timed_task {
    int64_t start_ns;
    uint32_t task;
};

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
    uint32_t pid = w->at.pid[tasks->track[task].v];
    for (uint32_t i = 0; i < nodes->in_count[node]; i++) {
        mi_value_id value = w->rows->ports.value[nodes->first_in[node] + i];
        value = mi_relate_real_value(w->model, value);
        uint32_t producer = value.v ? w->rows->values.producer[value.v].v : 0;
        uint32_t from = producer ? mi_map_get(newest, mi_pair(producer, pid)) : 0;
        if (from && tasks->run[from] == tasks->run[task])
            write_flow(w, "data", mi_chrome_task_place(&w->at, from), tasks->start_ns[from],
                       mi_chrome_task_place(&w->at, task), tasks->start_ns[task]);
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
        ok = mi_map_set(&newest, mi_pair(node, w->at.pid[tasks->track[task].v]), task);
    }
    mi_mem_free(order);
    mi_map_fini(&newest);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for flows");
}

/* --- the whole --- */

static bool write_events(struct writer *w, struct mi_error *err)
{
    const struct mi_tables *rows = w->rows;
    bool ok = true;
    label_processes(w);
    label_tracks(w);
    for (uint32_t i = 0; i < w->at.span_count && !mi_sink_failed(w->jw.sink); i++)
        (w->at.spans[i].is_slice ? write_slice : write_task)(w, w->at.spans[i].row);
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
    mi_jw_i64_string(&w->jw, w->at.shift_ns);
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
    if (mi_relate_init(&w.relate, view->model, err) && mi_chrome_rows_init(&w.at, w.rows, err))
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
    mi_chrome_rows_fini(&w.at);
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
