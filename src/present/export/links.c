/* Export "links": the joined layers as neutral JSON of schema casegen-mapping/1, by names and task
 * keys alone, so that other tools and scorers can compare it without our ids.
 *
 *   framework  op name -> fate, reason, compiled nodes with confidence (none for folded ones)
 *   compiled   node name -> inserted or not, tasks with confidence
 *   planned    place in the list of planned tasks -> node
 *   tasks      key "device/stream/task id/raw start" -> node, who issued it, calibrated start
 *   clocks     per device stream: raw - calibrated at its first task, drift, uncertainty
 *   findings   warnings of the passes that judge a run: rule, subjects (names of compiled nodes, or
 *              "stream DEVICE/NUMBER"), tasks (keys), cost_us (null where not known)
 *
 * An op without a name is called "#POSITION OP". */
#include "model/links.h"
#include "base/translate.h"
#include "present/export/common.h"

#include <stdio.h>

struct writer {
    const struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_jw jw;
};

static void write_node_text(struct writer *w, uint32_t node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    struct mi_bytes name = mi_model_text(w->model, nodes->name[node]);
    if (name.len) {
        mi_jw_string(&w->jw, name);
        return;
    }
    struct mi_sink made;
    mi_sink_init_memory(&made);
    mi_sink_text(&made, "#");
    mi_sink_u64(&made, nodes->position[node]);
    mi_sink_text(&made, " ");
    mi_sink_write(&made, mi_model_text(w->model, nodes->op[node]));
    if (mi_sink_failed(&made))
        mi_sink_fail(w->jw.sink, MI_ENOMEM, "out of memory for a name");
    mi_jw_string(&w->jw, mi_sink_bytes(&made));
    mi_sink_fini(&made);
}

static void write_node_name(struct writer *w, const char *key, uint32_t node)
{
    mi_jw_key(&w->jw, key);
    write_node_text(w, node);
}

static void write_key_text(struct writer *w, uint32_t task)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    const struct mi_tracks *tracks = &w->rows->tracks;
    uint32_t track = tasks->track[task].v;
    char text[112];
    snprintf(text, sizeof text, "%lld/%lld/%lld/%lld",
             (long long)(track ? tracks->device[track] : -1),
             (long long)(track ? tracks->native_id[track] : -1),
             (long long)mi_some_get(tasks->native_id[task]), (long long)tasks->start_raw[task]);
    mi_jw_text(&w->jw, text);
}

static void write_task_key(struct writer *w, const char *key, uint32_t task)
{
    mi_jw_key(&w->jw, key);
    write_key_text(w, task);
}

static void write_framework(struct writer *w, uint32_t node)
{
    const struct mi_lowered *links = &w->rows->lowered;
    const struct mi_csr *csr = &w->model->index.compiled_of;
    uint32_t fate = w->model->index.fate_of[node];
    bool is_gone = mi_relate_is_gone(w->model, (mi_node_id){node});
    uint32_t end = csr->first[is_gone ? node : node + 1];
    mi_export_begin_record(&w->jw);
    write_node_name(w, "node", node);
    mi_jw_member_text(&w->jw, "fate",
                      mi_enum_name(MI_E_fate, fate ? w->rows->fates.fate[fate] : MI_FATE_UNKNOWN));
    mi_jw_member_text(&w->jw, "reason",
                      fate ? mi_enum_name(MI_E_reason, w->rows->fates.reason[fate]) : NULL);
    mi_jw_key(&w->jw, "compiled");
    mi_jw_begin_array(&w->jw);
    for (uint32_t i = csr->first[node]; i < end; i++) {
        uint32_t link = csr->list[i];
        if (links->role[link] == MI_ROLE_FOLDED)
            continue;
        mi_jw_begin_object(&w->jw);
        write_node_name(w, "node", links->compiled[link].v);
        mi_export_enum(&w->jw, "confidence", MI_E_confidence, links->confidence[link]);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
    mi_jw_end(&w->jw);
}

static void write_compiled(struct writer *w, uint32_t node)
{
    const struct mi_executed *links = &w->rows->executed;
    uint32_t birth = w->model->index.birth_of[node];
    mi_export_begin_record(&w->jw);
    write_node_name(w, "node", node);
    mi_jw_member_bool(&w->jw, "inserted",
                      birth && w->rows->births.origin[birth] == MI_ORIGIN_INSERTED);
    mi_jw_key(&w->jw, "tasks");
    mi_jw_begin_array(&w->jw);
    struct mi_node_links at = mi_node_links_begin(w->model, node);
    while (mi_node_links_next(&at)) {
        mi_jw_begin_object(&w->jw);
        write_task_key(w, "task", at.task);
        mi_export_enum(&w->jw, "confidence", MI_E_confidence, links->confidence[at.row]);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
    mi_jw_end(&w->jw);
}

static void write_task(struct writer *w, uint32_t task)
{
    uint32_t link = mi_relate_link(w->model, task);
    uint32_t node = mi_relate_task_node(w->model, task).v;
    mi_export_begin_record(&w->jw);
    write_task_key(w, "task", task);
    if (node) {
        write_node_name(w, "node", node);
    } else {
        mi_jw_key(&w->jw, "node");
        mi_jw_null(&w->jw);
    }
    mi_export_enum(&w->jw, "by", MI_E_task_by, w->rows->tasks.by[task]);
    if (link)
        mi_export_enum(&w->jw, "confidence", MI_E_confidence, w->rows->executed.confidence[link]);
    mi_jw_member_i64(&w->jw, "calibrated_start_ns",
                     mi_export_add(w->model->start_unix_ns, w->rows->tasks.start_ns[task]));
    mi_jw_end(&w->jw);
}

static uint32_t fit_of(const struct writer *w, uint32_t clock)
{
    const struct mi_fits *fits = &w->rows->fits;
    for (uint32_t f = 1; f < fits->count; f++)
        if (fits->clock[f].v == clock)
            return f;
    return 0;
}

/* Only clocks that tick in nanoseconds can be compared with calibrated time directly. */
static void write_clock(struct writer *w, uint32_t track)
{
    const struct mi_tracks *tracks = &w->rows->tracks;
    const struct mi_clocks *clocks = &w->rows->clocks;
    uint32_t clock = tracks->clock[track].v, task = w->model->index.track_first_task[track];
    if (!clock || task == w->model->index.track_first_task[track + 1] || tracks->device[track] < 0)
        return;
    double ns_per_tick = clocks->ns_per_tick[clock];
    if (!(ns_per_tick > 0.99 && ns_per_tick < 1.01))
        return;
    uint32_t fit = fit_of(w, clock);
    int64_t uncertainty = fit ? w->rows->fits.uncertainty_ns[fit] : -1;
    double drift = (1 / ns_per_tick - 1) * 1e6 + (fit ? w->rows->fits.drift_ppm[fit] : 0);
    mi_export_begin_record(&w->jw);
    mi_jw_member_i64(&w->jw, "device", tracks->device[track]);
    mi_jw_member_i64(&w->jw, "stream", tracks->native_id[track]);
    int64_t calibrated = mi_export_add(w->model->start_unix_ns, w->rows->tasks.start_ns[task]);
    mi_jw_member_i64(&w->jw, "offset_ns",
                     mi_export_sub(w->rows->tasks.start_raw[task], calibrated));
    mi_jw_key(&w->jw, "drift_ppm");
    mi_jw_double(&w->jw, drift);
    mi_jw_key(&w->jw, "uncertainty_ns");
    if (uncertainty >= 0)
        mi_jw_i64(&w->jw, uncertainty);
    else if (!fit && clocks->residual_ns[clock] >= 0)
        mi_jw_double(&w->jw, clocks->residual_ns[clock]);
    else
        mi_jw_null(&w->jw);
    mi_jw_end(&w->jw);
}

static void write_layer(struct writer *w, const char *key, enum mi_layer layer,
                        void (*write)(struct writer *w, uint32_t node))
{
    mi_jw_key(&w->jw, key);
    mi_jw_begin_array(&w->jw);
    for (uint32_t n = 1; n < w->rows->nodes.count && !mi_sink_failed(w->jw.sink); n++)
        if (mi_node_layer(w->model, (mi_node_id){n}) == layer)
            write(w, n);
    mi_jw_end(&w->jw);
}

static void write_rows(struct writer *w, const char *key, uint32_t count,
                       void (*write)(struct writer *w, uint32_t row))
{
    mi_jw_key(&w->jw, key);
    mi_jw_begin_array(&w->jw);
    for (uint32_t row = 1; row < count && !mi_sink_failed(w->jw.sink); row++)
        write(w, row);
    mi_jw_end(&w->jw);
}

/* Entries of a list of tasks by place. Those of sub-models, and contexts inside a task, have no
 * place of their own there. */
static void write_planned(struct writer *w)
{
    const struct mi_planned *planned = &w->rows->planned;
    mi_jw_key(&w->jw, "planned");
    mi_jw_begin_array(&w->jw);
    for (uint32_t t = 1; t < planned->count && !mi_sink_failed(w->jw.sink); t++) {
        uint32_t node = planned->node[t].v;
        if (!node || planned->parent[t].v || planned->graph[t].v != planned->graph[1].v)
            continue;
        mi_export_begin_record(&w->jw);
        mi_jw_member_i64(&w->jw, "model_task", planned->position[t]);
        write_node_name(w, "node", node);
        mi_export_enum(&w->jw, "confidence", MI_E_confidence, planned->confidence[t]);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
}

/* --- findings --- */

/* Nanoseconds as microseconds, exactly. */
static void write_us(struct writer *w, const char *key, int64_t ns)
{
    char text[48];
    mi_jw_key(&w->jw, key);
    if (ns < 0) {
        mi_jw_null(&w->jw);
        return;
    }
    int len =
        snprintf(text, sizeof text, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
    mi_jw_raw(&w->jw, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
}

static void write_finding(struct writer *w, const struct mi_finding *finding)
{
    mi_export_begin_record(&w->jw);
    mi_jw_member_text(&w->jw, "rule", finding->rule);
    mi_jw_key(&w->jw, "subjects");
    mi_jw_begin_array(&w->jw);
    if (finding->node.v && !finding->node_count)
        write_node_text(w, finding->node.v);
    for (uint32_t i = 0; i < finding->node_count; i++)
        write_node_text(w, finding->nodes[i].v);
    if (finding->subject.len)
        mi_jw_string(&w->jw, finding->subject);
    mi_jw_end(&w->jw);
    mi_jw_key(&w->jw, "tasks");
    mi_jw_begin_array(&w->jw);
    if (finding->task.v && !finding->task_count)
        write_key_text(w, finding->task.v);
    for (uint32_t i = 0; i < finding->task_count; i++)
        write_key_text(w, finding->tasks[i].v);
    mi_jw_end(&w->jw);
    write_us(w, "cost_us", finding->cost_ns);
    mi_jw_end(&w->jw);
}

/* What passes judge; a pass that lacks its inputs has nothing to say. */
static bool write_findings(struct writer *w, const struct mi_session *session, struct mi_error *err)
{
    bool ok = true;
    mi_jw_key(&w->jw, "findings");
    mi_jw_begin_array(&w->jw);
    for (size_t p = 0; ok && session && p < mi_pass_count; p++) {
        struct mi_report report;
        if (!mi_passes[p]->verdicts)
            continue;
        mi_report_init(&report);
        ok = mi_session_report(session, mi_passes[p]->name, NULL, &report, err);
        for (uint32_t f = 0; ok && f < report.finding_count; f++)
            if (report.findings[f].severity >= MI_WARNING)
                write_finding(w, &report.findings[f]);
        mi_report_fini(&report);
    }
    mi_jw_end(&w->jw);
    return ok;
}

static bool write_links(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    struct writer w = {.model = view->model, .rows = &view->model->all.rows};
    struct mi_sink *sink = target->open(target, "export.links.json", err);
    if (!sink)
        return false;
    /* Without a compiled graph tasks are linked to framework ops, which then stand in for it. */
    enum mi_layer compiled =
        mi_model_has_layer(w.model, MI_LAYER_COMPILED) ? MI_LAYER_COMPILED : MI_LAYER_FRAMEWORK;
    mi_jw_init(&w.jw, sink, NULL);
    mi_jw_begin_object(&w.jw);
    mi_jw_member_text(&w.jw, "schema", "casegen-mapping/1");
    write_layer(&w, "framework", MI_LAYER_FRAMEWORK, write_framework);
    write_layer(&w, "compiled", compiled, write_compiled);
    write_planned(&w);
    write_rows(&w, "tasks", w.rows->tasks.count, write_task);
    write_rows(&w, "clocks", w.rows->tracks.count, write_clock);
    bool ok = write_findings(&w, view->session, err);
    mi_jw_end(&w.jw);
    return ok && mi_jw_finish(&w.jw, err) && target->close(target, err);
}

const struct mi_exporter mi_exporter_links = {
    .name = "links",
    .title = N_("links, fates and calibrated starts as neutral JSON (casegen-mapping/1)"),
    .suffix = ".links.json",
    .media_type = "application/json",
    .write = write_links,
};
