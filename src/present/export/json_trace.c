/* trace.json: the tasks of every stream with node, kernel, times and counters; host spans, tracks
 * and clocks. One record per line. Times count from the capture's start; what exceeds 2^53 (times
 * since 1970, raw ticks) is text. */
#include "base/mem.h"
#include "present/export/common.h"

struct writer {
    const struct mi_view *view;
    const struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_relate relate;
    uint32_t *wait_before, *record_after; /* [tasks.count] task rows, 0 = none */
    struct mi_jw jw;
};

/* --- events around tasks --- */

static enum mi_sync sync_of(const struct mi_tables *rows, uint32_t task)
{
    uint32_t kernel = rows->tasks.kernel[task].v;
    return kernel ? (enum mi_sync)rows->kernels.sync[kernel] : MI_SYNC_NONE;
}

/* The last wait before and the first record after each task on its track: one sweep each way, since
 * the tasks of a track are contiguous and in order of time. */
static bool find_events(struct writer *w, struct mi_error *err)
{
    const struct mi_tables *rows = w->rows;
    uint32_t count = rows->tasks.count, event = 0;
    w->wait_before = mi_mem_zero(count, sizeof *w->wait_before);
    w->record_after = mi_mem_zero(count, sizeof *w->record_after);
    if (!w->wait_before || !w->record_after)
        return mi_fail(err, MI_ENOMEM, "out of memory for the events of %u tasks", count);
    for (uint32_t t = 1; t < count; t++) {
        if (t > 1 && rows->tasks.track[t].v != rows->tasks.track[t - 1].v)
            event = 0;
        w->wait_before[t] = event;
        if (sync_of(rows, t) == MI_SYNC_WAIT)
            event = t;
    }
    event = 0;
    for (uint32_t t = count - 1; t >= 1; t--) {
        if (t + 1 < count && rows->tasks.track[t].v != rows->tasks.track[t + 1].v)
            event = 0;
        w->record_after[t] = event;
        if (sync_of(rows, t) == MI_SYNC_RECORD)
            event = t;
    }
    return true;
}

/* --- counters --- */

static bool is_digit(const struct mi_bytes text, size_t at)
{
    return at < text.len && text.at[at] >= '0' && text.at[at] <= '9';
}

static size_t digits(const struct mi_bytes text, size_t at)
{
    while (is_digit(text, at))
        at++;
    return at;
}

/* Whether `text` is a number by the grammar of JSON; files also hold "+3", ".5", "nan", "0x1". */
static bool is_json_number(struct mi_bytes text)
{
    size_t at = text.len && text.at[0] == '-';
    if (!is_digit(text, at) || (text.at[at] == '0' && is_digit(text, at + 1)))
        return false;
    at = digits(text, at);
    if (at < text.len && text.at[at] == '.') {
        if (!is_digit(text, at + 1))
            return false;
        at = digits(text, at + 1);
    }
    if (at < text.len && (text.at[at] == 'e' || text.at[at] == 'E')) {
        at++;
        at += at < text.len && (text.at[at] == '+' || text.at[at] == '-');
        if (!is_digit(text, at))
            return false;
        at = digits(text, at);
    }
    return at == text.len;
}

static void write_metric(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct mi_jw *jw = user;
    mi_jw_key_bytes(jw, name);
    if (is_number && is_json_number(text))
        mi_jw_raw(jw, text);
    else
        mi_jw_string(jw, text);
}

static void write_metrics(struct writer *w, uint32_t task, mi_source_id source)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    mi_jw_key(&w->jw, "attributes");
    mi_jw_begin_object(&w->jw);
    if (w->view->session)
        mi_session_metrics(w->view->session, source, tasks->record_offset[task],
                           tasks->record_bytes[task], write_metric, &w->jw);
    mi_jw_end(&w->jw);
}

/* --- times --- */

static int64_t floor_us(int64_t ns)
{
    return ns / 1000 - (ns % 1000 < 0);
}

static void write_unix_ns(struct writer *w, const char *key, int64_t start_ns)
{
    int64_t origin = w->model->start_unix_ns;
    mi_jw_key(&w->jw, key);
    if (!origin || (start_ns > 0 ? origin > INT64_MAX - start_ns : origin < INT64_MIN - start_ns))
        mi_jw_null(&w->jw);
    else
        mi_jw_i64_string(&w->jw, origin + start_ns);
}

/* A clock whose origin was fixed has a note on how; without one its times keep their own zero. */
static bool is_calibrated(const struct writer *w, mi_track_id track)
{
    mi_clock_id clock = track.v ? w->rows->tracks.clock[track.v] : (mi_clock_id){0};
    return clock.v && w->rows->clocks.note[clock.v].v;
}

static void write_span(struct writer *w, mi_track_id track, int64_t start_raw, int64_t start_ns,
                       int64_t dur_ns)
{
    mi_jw_member_i64(&w->jw, "start_us", floor_us(start_ns));
    mi_jw_key(&w->jw, "duration_us");
    mi_jw_us(&w->jw, dur_ns);
    mi_jw_key(&w->jw, "start_ns");
    mi_export_exact(&w->jw, start_ns);
    mi_jw_key(&w->jw, "dur_ns");
    mi_export_exact(&w->jw, dur_ns);
    mi_jw_key(&w->jw, "start_raw");
    mi_jw_i64_string(&w->jw, start_raw);
    write_unix_ns(w, "start_unix_ns", start_ns);
    mi_jw_member_bool(&w->jw, "calibrated", is_calibrated(w, track));
}

/* --- tasks --- */

/* "float32" of "float32[1,3,224,224];int64[]". */
static struct mi_bytes first_dtype(struct mi_bytes types)
{
    size_t len = 0;
    while (len < types.len && !strchr("[;( ", types.at[len]))
        len++;
    return mi_bytes_sub(types, 0, len);
}

/* Element type and layout of what the task made: as the record says, else as the node says. */
static void write_dtype(struct writer *w, uint32_t kernel, mi_node_id node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    const struct mi_values *values = &w->rows->values;
    struct mi_bytes dtype = {0}, format = {0};
    if (kernel)
        dtype = first_dtype(mi_model_text(w->model, w->rows->kernels.outputs[kernel]));
    for (uint32_t i = 0; node.v && i < nodes->out_count[node.v]; i++) {
        uint32_t value = w->rows->ports.value[nodes->first_out[node.v] + i].v;
        if (!value)
            continue;
        if (!dtype.len)
            dtype = mi_model_text(w->model, values->dtype[value]);
        format = mi_model_text(w->model, values->format[value]);
        break;
    }
    mi_jw_key(&w->jw, "dtype");
    dtype.len ? mi_jw_string(&w->jw, dtype) : mi_jw_null(&w->jw);
    mi_jw_key(&w->jw, "format");
    format.len ? mi_jw_string(&w->jw, format) : mi_jw_null(&w->jw);
}

static void write_kernel(struct writer *w, uint32_t kernel)
{
    static const char *const keys[] = {"node_name", "node_index",  "op_type",
                                       "kind",      "sync",        "category",
                                       "engine",    "input_types", "output_types"};
    const struct mi_kernels *kernels = &w->rows->kernels;
    for (size_t i = 0; !kernel && i < sizeof keys / sizeof *keys; i++)
        mi_jw_member_text(&w->jw, keys[i], NULL);
    if (!kernel)
        return;
    mi_jw_hex_note(&w->jw, "kernel_name_hex", mi_model_text(w->model, kernels->name[kernel]));
    mi_export_text(&w->jw, "node_name", w->model, kernels->node_name[kernel]);
    mi_export_known(&w->jw, "node_index", kernels->node_index[kernel]);
    mi_export_text(&w->jw, "op_type", w->model, kernels->op[kernel]);
    mi_export_enum(&w->jw, "kind", MI_E_task_kind, kernels->kind[kernel]);
    mi_export_enum(&w->jw, "sync", MI_E_sync, kernels->sync[kernel]);
    mi_export_enum(&w->jw, "category", MI_E_category, kernels->category[kernel]);
    mi_export_text(&w->jw, "engine", w->model, kernels->engine[kernel]);
    mi_export_text(&w->jw, "input_types", w->model, kernels->inputs[kernel]);
    mi_export_text(&w->jw, "output_types", w->model, kernels->outputs[kernel]);
}

/* Fate of the framework op that the task stands for: its node's own, or that of its first origin.
 */
static const char *fate_name(const struct writer *w, mi_node_id node)
{
    const uint32_t *fate_of = w->model->index.fate_of;
    uint32_t fate = node.v ? fate_of[node.v] : 0;
    if (node.v && !fate) {
        mi_node_id origin = mi_relate_origin(w->model, node);
        fate = origin.v ? fate_of[origin.v] : 0;
    }
    return fate ? mi_enum_name(MI_E_fate, w->rows->fates.fate[fate]) : NULL;
}

static void write_relations(struct writer *w, uint32_t link, mi_node_id node)
{
    const struct mi_executed *links = &w->rows->executed;
    struct mi_branch branch = {{0}, {0}};
    if (node.v)
        branch = mi_relate_branch(w->model, node);
    mi_jw_member_text(&w->jw, "op_layer",
                      node.v ? mi_enum_name(MI_E_layer, mi_node_layer(w->model, node)) : NULL);
    mi_jw_member_text(&w->jw, "fate", fate_name(w, node));
    mi_jw_member_bool(&w->jw, "is_fused", node.v && mi_relate_is_fused(w->model, node));
    mi_export_text(&w->jw, "branch", w->model,
                   branch.graph.v ? w->rows->graphs.role[branch.graph.v] : MI_NO_STR);
    mi_jw_member_text(&w->jw, "confidence",
                      link ? mi_enum_name(MI_E_confidence, links->confidence[link]) : NULL);
    mi_export_text(&w->jw, "rule", w->model, link ? links->rule[link] : MI_NO_STR);
    mi_export_text(&w->jw, "evidence", w->model, link ? links->evidence[link] : MI_NO_STR);
    mi_export_text(&w->jw, "conflict", w->model, link ? links->conflict[link] : MI_NO_STR);
}

static void write_task(struct writer *w, uint32_t task)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    const struct mi_tracks *tracks = &w->rows->tracks;
    uint32_t link = mi_relate_link(w->model, task), kernel = tasks->kernel[task].v;
    mi_node_id node = mi_relate_task_node(w->model, task);
    mi_track_id track = tasks->track[task];
    mi_export_begin_record(&w->jw);
    mi_export_id(&w->jw, "task_id", task);
    mi_export_node_id(&w->jw, "op_node_id", &w->relate, node);
    mi_jw_key(&w->jw, "stream_id");
    if (track.v)
        mi_export_exact(&w->jw, tracks->native_id[track.v]);
    else
        mi_jw_null(&w->jw);
    mi_export_id(&w->jw, "event_before", w->wait_before[task]);
    mi_export_id(&w->jw, "event_after", w->record_after[task]);
    mi_export_name(&w->jw, "kernel_name", w->model,
                   kernel ? w->rows->kernels.name[kernel] : MI_NO_STR);
    write_span(w, track, tasks->start_raw[task], tasks->start_ns[task], tasks->dur_ns[task]);
    mi_export_id(&w->jw, "track_id", track.v);
    mi_export_id(&w->jw, "thread_track_id", tasks->thread[task].v);
    mi_export_id(&w->jw, "parent_task_id", tasks->parent[task].v);
    mi_export_known(&w->jw, "native_task_id", mi_some_get(tasks->native_id[task]));
    if (tasks->run[task] != MI_NO_RUN) {
        mi_jw_member_i64(&w->jw, "run", tasks->run[task]);
    } else {
        mi_jw_key(&w->jw, "run");
        mi_jw_null(&w->jw);
    }
    mi_jw_member_i64(&w->jw, "turn", tasks->turn[task]);
    write_kernel(w, kernel);
    write_dtype(w, kernel, node);
    write_relations(w, link, node);
    write_metrics(w, task, kernel ? w->rows->kernels.source[kernel] : (mi_source_id){0});
    mi_jw_end(&w->jw);
}

/* --- the rest --- */

static void write_slice(struct writer *w, uint32_t slice)
{
    const struct mi_slices *slices = &w->rows->slices;
    mi_export_begin_record(&w->jw);
    mi_export_id(&w->jw, "slice_id", slice);
    mi_export_id(&w->jw, "track_id", slices->track[slice].v);
    mi_export_name(&w->jw, "name", w->model, slices->name[slice]);
    mi_export_name(&w->jw, "category", w->model, slices->category[slice]);
    mi_jw_member_i64(&w->jw, "run", slices->run[slice]);
    write_span(w, slices->track[slice], slices->start_raw[slice], slices->start_ns[slice],
               slices->dur_ns[slice]);
    mi_jw_end(&w->jw);
}

static void write_track(struct writer *w, uint32_t track)
{
    const struct mi_tracks *tracks = &w->rows->tracks;
    const uint32_t *first = w->model->index.track_first_task;
    mi_export_begin_record(&w->jw);
    mi_export_id(&w->jw, "track_id", track);
    mi_export_enum(&w->jw, "kind", MI_E_track_kind, tracks->kind[track]);
    mi_export_name(&w->jw, "name", w->model, tracks->name[track]);
    mi_jw_key(&w->jw, "stream_id");
    mi_export_exact(&w->jw, tracks->native_id[track]);
    mi_export_known(&w->jw, "device", tracks->device[track]);
    mi_export_known(&w->jw, "rank", tracks->rank[track]);
    mi_export_known(&w->jw, "process", tracks->process[track]);
    mi_export_id(&w->jw, "clock_id", tracks->clock[track].v);
    mi_export_id(&w->jw, "source_id", tracks->source[track].v);
    mi_jw_member_i64(&w->jw, "task_count", first[track + 1] - first[track]);
    mi_jw_end(&w->jw);
}

static void write_clock(struct writer *w, uint32_t clock)
{
    const struct mi_clocks *clocks = &w->rows->clocks;
    mi_export_begin_record(&w->jw);
    mi_export_id(&w->jw, "clock_id", clock);
    mi_export_name(&w->jw, "name", w->model, clocks->name[clock]);
    mi_jw_key(&w->jw, "ref_raw");
    mi_jw_i64_string(&w->jw, clocks->ref_raw[clock]);
    mi_jw_key(&w->jw, "ref_ns");
    mi_jw_i64_string(&w->jw, clocks->ref_ns[clock]);
    mi_jw_key(&w->jw, "ns_per_tick");
    mi_jw_double(&w->jw, clocks->ns_per_tick[clock]);
    mi_jw_key(&w->jw, "residual_ns");
    if (clocks->residual_ns[clock] >= 0)
        mi_jw_double(&w->jw, clocks->residual_ns[clock]);
    else
        mi_jw_null(&w->jw);
    mi_export_text(&w->jw, "note", w->model, clocks->note[clock]);
    mi_jw_end(&w->jw);
}

static void write_list(struct writer *w, const char *key, uint32_t count,
                       void (*write)(struct writer *w, uint32_t row))
{
    mi_jw_key(&w->jw, key);
    mi_jw_begin_array(&w->jw);
    for (uint32_t row = 1; row < count && !mi_sink_failed(w->jw.sink); row++)
        write(w, row);
    mi_jw_end(&w->jw);
}

bool mi_export_trace_json(const struct mi_view *view, struct mi_sink *sink, struct mi_error *err)
{
    struct writer w = {.view = view, .model = view->model, .rows = &view->model->all.rows};
    bool ok = mi_relate_init(&w.relate, view->model, err) && find_events(&w, err);
    if (ok) {
        mi_jw_init(&w.jw, sink, NULL);
        mi_jw_begin_object(&w.jw);
        mi_jw_member_text(&w.jw, "schema", "model-inspector-trace/1");
        mi_export_start(&w.jw, w.model);
        write_list(&w, "clocks", w.rows->clocks.count, write_clock);
        write_list(&w, "tracks", w.rows->tracks.count, write_track);
        write_list(&w, "tasks", w.rows->tasks.count, write_task);
        write_list(&w, "slices", w.rows->slices.count, write_slice);
        mi_jw_end(&w.jw);
        ok = mi_jw_finish(&w.jw, err);
    }
    mi_relate_fini(&w.relate);
    mi_mem_free(w.wait_before);
    mi_mem_free(w.record_after);
    return ok;
}
