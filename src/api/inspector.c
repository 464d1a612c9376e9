/* The public API: a thin layer over session, passes and exporters. */
#include "model-inspector/inspector.h"

#include "api/answers.h"
#include "base/mem.h"
#include "present/export_run.h"
#include "present/text/report_json.h"

const char *mi_version(void)
{
    return MI_VERSION;
}

struct mi_inspector *mi_inspector_new(const struct mi_inspector_options *options,
                                      struct mi_error *err)
{
    struct mi_inspector_options known = {0};
    if (options) {
        size_t size = options->struct_size < sizeof known ? options->struct_size : sizeof known;
        memcpy(&known, options, size);
    }
    struct mi_session_options wanted = {.input_format = known.input_format,
                                        .jobs = known.jobs,
                                        .no_mmap = known.no_mmap,
                                        .progress = known.progress,
                                        .user = known.user};
    struct mi_inspector *insp = mi_mem_zero(1, sizeof *insp);
    if (insp)
        insp->session = mi_session_new(&wanted, err);
    else
        mi_fail(err, MI_ENOMEM, "out of memory");
    if (!insp || insp->session)
        return insp;
    mi_mem_free(insp);
    return NULL;
}

void mi_inspector_free(struct mi_inspector *insp)
{
    if (!insp)
        return;
    mi_session_free(insp->session);
    mi_mem_free(insp);
}

bool mi_inspector_add(struct mi_inspector *insp, const char *path, struct mi_error *err)
{
    return mi_session_add(insp->session, path, err);
}

bool mi_inspector_load(struct mi_inspector *insp, struct mi_error *err)
{
    /* The stages below keep the first failure and so must start from a clean error. */
    struct mi_error own = MI_ERROR_INIT;
    bool ok = mi_session_load(insp->session, &own);
    if (!ok && err && err->code == MI_OK)
        *err = own;
    return ok;
}

/* --- rows --- */

void mi_inspector_count(const struct mi_inspector *insp, struct mi_inspector_counts *counts)
{
    const struct mi_model *model = mi_api_model(insp);
    *counts = (struct mi_inspector_counts){0};
    if (!model)
        return;
    const struct mi_tables *rows = &model->all.rows;
    counts->node_count = rows->nodes.count - 1;
    counts->task_count = rows->tasks.count - 1;
    counts->link_count = rows->lowered.count - 1;
    counts->start_unix_ns = model->start_unix_ns;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        enum mi_layer layer = mi_node_layer(model, (mi_node_id){n});
        counts->framework_node_count += layer == MI_LAYER_FRAMEWORK;
        counts->compiled_node_count += layer == MI_LAYER_COMPILED;
    }
}

static struct mi_text text_of(const struct mi_model *model, mi_str_id id)
{
    struct mi_bytes bytes = mi_model_text(model, id);
    return (struct mi_text){(const char *)bytes.at, bytes.len};
}

bool mi_inspector_node(const struct mi_inspector *insp, uint32_t node, struct mi_node_info *info)
{
    const struct mi_model *model = mi_api_model(insp);
    *info = (struct mi_node_info){0};
    if (!model || node == 0 || node >= model->all.rows.nodes.count)
        return false;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t fate = model->index.fate_of[node], birth = model->index.birth_of[node];
    *info = (struct mi_node_info){
        .name = text_of(model, rows->nodes.name[node]),
        .op_type = text_of(model, rows->nodes.op[node]),
        .domain = text_of(model, rows->nodes.domain[node]),
        .graph = text_of(model, rows->graphs.name[rows->nodes.graph[node].v]),
        .layer = mi_enum_name(MI_E_layer, mi_node_layer(model, (mi_node_id){node})),
        .category = mi_enum_name(MI_E_category, rows->nodes.category[node]),
        .fate = mi_enum_name(MI_E_fate, fate ? rows->fates.fate[fate] : MI_FATE_UNKNOWN),
        .reason = mi_enum_name(MI_E_reason, fate ? rows->fates.reason[fate] : MI_REASON_NONE),
        .origin = mi_enum_name(MI_E_origin, birth ? rows->births.origin[birth] : MI_ORIGIN_UNKNOWN),
        .fate_node = fate ? rows->fates.into[fate].v : 0,
    };
    return true;
}

bool mi_inspector_task(const struct mi_inspector *insp, uint32_t task, struct mi_task_info *info)
{
    const struct mi_model *model = mi_api_model(insp);
    *info = (struct mi_task_info){0};
    if (!model || task == 0 || task >= model->all.rows.tasks.count)
        return false;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t kernel = rows->tasks.kernel[task].v, track = rows->tasks.track[task].v;
    uint32_t link = model->all.rows.tasks.link[task].v;
    *info = (struct mi_task_info){
        .name = text_of(model, kernel ? rows->kernels.name[kernel] : MI_NO_STR),
        .op_type = text_of(model, kernel ? rows->kernels.op[kernel] : MI_NO_STR),
        .stream = text_of(model, track ? rows->tracks.name[track] : MI_NO_STR),
        .node = link ? rows->executed.node[link].v : 0,
        .confidence = mi_enum_name(MI_E_confidence,
                                   link ? rows->executed.confidence[link] : MI_CONFIDENCE_NONE),
        .start_ns = rows->tasks.start_ns[task],
        .dur_ns = rows->tasks.dur_ns[task],
        .start_raw = rows->tasks.start_raw[task],
        .run = rows->tasks.run[task],
    };
    return true;
}

bool mi_inspector_link(const struct mi_inspector *insp, uint32_t link, struct mi_link_info *info)
{
    const struct mi_model *model = mi_api_model(insp);
    *info = (struct mi_link_info){0};
    if (!model || link == 0 || link >= model->all.rows.lowered.count)
        return false;
    const struct mi_lowered *lowered = &model->all.rows.lowered;
    *info = (struct mi_link_info){
        .framework = lowered->framework[link].v,
        .compiled = lowered->compiled[link].v,
        .role = mi_enum_name(MI_E_role, lowered->role[link]),
        .confidence = mi_enum_name(MI_E_confidence, lowered->confidence[link]),
        .rule = text_of(model, lowered->rule[link]),
        .evidence = text_of(model, lowered->evidence[link]),
    };
    return true;
}

/* --- answers --- */

static bool write_report(const struct mi_inspector *insp, const char *name,
                         const struct mi_args *args, struct mi_api_writer *writer,
                         struct mi_error *err)
{
    struct mi_report report;
    struct mi_sink sink;
    mi_report_init(&report);
    mi_sink_init_callback(&sink, mi_api_forward, writer);
    bool ok = mi_session_report(insp->session, name, args, &report, err) &&
              mi_report_write_json(&report, &sink, err) && mi_sink_flush(&sink, err);
    mi_sink_fini(&sink);
    mi_report_fini(&report);
    return ok;
}

bool mi_inspector_report(const struct mi_inspector *insp, const char *name,
                         const char *const *params, size_t param_count, mi_write_fn *write,
                         void *user, struct mi_error *err)
{
    const struct mi_pass *pass = mi_pass_find(name);
    if (!pass)
        return mi_fail(err, MI_ENOTFOUND, "there is no analysis \"%.60s\"", name);
    if (!mi_api_model(insp))
        return mi_fail(err, MI_EUSAGE, "nothing has been loaded");
    struct mi_args args = {.list = mi_mem_new(param_count, sizeof *args.list)};
    struct mi_api_writer writer = {write, user};
    bool ok = args.list || mi_fail(err, MI_ENOMEM, "out of memory");
    ok = ok && mi_api_params(pass->params, pass->name, params, param_count, &args, err) &&
         write_report(insp, name, &args, &writer, err);
    mi_mem_free(args.list);
    return ok;
}

bool mi_inspector_export(const struct mi_inspector *insp, const char *format, const char *path,
                         struct mi_error *err)
{
    const struct mi_exporter *exporter = mi_exporter_find(format);
    if (!exporter)
        return mi_fail(err, MI_ENOTFOUND, "there is no format \"%.60s\"", format);
    if (!mi_api_model(insp))
        return mi_fail(err, MI_EUSAGE, "nothing has been loaded");
    struct mi_view view = {.session = insp->session, .model = mi_session_model(insp->session)};
    return exporter->suffix ? mi_export_file(&view, exporter, path, NULL, err)
                            : mi_export_dir(&view, exporter, path, NULL, err);
}
