/* Comparisons over the public API. */
#include "analyse/compare/report/diff_report.h"
#include "api/answers.h"
#include "base/mem.h"
#include "present/text/report_json.h"

struct captures {
    const struct mi_model *models[MI_CMP_SIDES][MI_CMP_CAPTURES];
    uint32_t counts[MI_CMP_SIDES];
};

static bool add_side(struct captures *captures, unsigned side,
                     const struct mi_inspector *const *handles, size_t count, struct mi_error *err)
{
    if (!count || count > MI_CMP_CAPTURES)
        return mi_fail(err, MI_EUSAGE, "a side has 1 to %d captures", MI_CMP_CAPTURES);
    for (size_t i = 0; i < count; i++) {
        const struct mi_model *model = mi_api_model(handles[i]);
        if (!model)
            return mi_fail(err, MI_EUSAGE, "nothing has been loaded");
        captures->models[side][captures->counts[side]++] = model;
    }
    return true;
}

/* A side is called by its first file. */
static struct mi_bytes name_of(const struct captures *captures, unsigned side)
{
    const struct mi_model *model = captures->models[side][0];
    const struct mi_sources *sources = &model->all.rows.sources;
    return sources->count > 1 ? mi_model_text(model, sources->path[1]) : (struct mi_bytes){0};
}

static bool write_diff(const struct captures *captures, const struct mi_args *args,
                       struct mi_api_writer *writer, struct mi_error *err)
{
    const struct mi_model *const *lists[] = {captures->models[MI_CMP_BASE],
                                             captures->models[MI_CMP_NEW]};
    struct mi_cmp_options options = {.rank = mi_args_int(args, "rank", -1),
                                     .device = mi_args_int(args, "device", -1)};
    struct mi_bytes names[] = {name_of(captures, MI_CMP_BASE), name_of(captures, MI_CMP_NEW)};
    struct mi_compare compare;
    struct mi_report report;
    struct mi_sink sink;
    if (!mi_compare_init(&compare, lists, captures->counts, &options, err))
        return false;
    mi_report_init(&report);
    mi_sink_init_callback(&sink, mi_api_forward, writer);
    mi_diff_report(&compare, names, args, &report);
    bool ok = !report.failed || mi_fail(err, MI_ENOMEM, "out of memory");
    ok = ok && mi_report_write_json(&report, &sink, err) && mi_sink_flush(&sink, err);
    mi_sink_fini(&sink);
    mi_report_fini(&report);
    mi_compare_fini(&compare);
    return ok;
}

bool mi_inspector_diff(const struct mi_inspector *const *base, size_t base_count,
                       const struct mi_inspector *const *later, size_t later_count,
                       const char *const *params, size_t param_count, mi_write_fn *write,
                       void *user, struct mi_error *err)
{
    struct captures captures = {.counts = {0, 0}};
    struct mi_args args = {.list = mi_mem_new(param_count + 1, sizeof *args.list)};
    struct mi_api_writer writer = {write, user};
    bool ok = args.list || mi_fail(err, MI_ENOMEM, "out of memory");
    ok = ok && add_side(&captures, MI_CMP_BASE, base, base_count, err) &&
         add_side(&captures, MI_CMP_NEW, later, later_count, err) &&
         mi_api_params(mi_params_diff, "diff", params, param_count, &args, err) &&
         write_diff(&captures, &args, &writer, err);
    mi_mem_free(args.list);
    return ok;
}
