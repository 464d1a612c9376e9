/* GET capture: what there is to look at, for the first picture of the page.
 *
 *   {"version", "start_unix_ns", "has": [..], "categories": [..],
 *    "used_categories": [..],
 *    "graphs": [{"id", "layer", "kind", "name", "nodes", "stage"}],
 *    "tracks": [{"id", "kind", "name", "device", "rank", "native_id", "tasks", "slices"}],
 *    "counters": [{"id", "name", "unit", "device", "rank"}],
 *    "first_ns", "end_ns", "tasks_first_ns", "tasks_end_ns", "runs", "sources": [..],
 *    "calibrated": whether clocks were moved, "diagnostics": [..],
 *    "passes": [{"name", "verdicts", "can_run"}]} */
#include "present/export/common.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

static void write_has(struct mi_jw *jw, const struct mi_model *model)
{
    static const struct {
        unsigned bit;
        const char *name;
    } words[] = {{MI_HAS_FRAMEWORK_GRAPH, "framework"},
                 {MI_HAS_COMPILED_GRAPH, "compiled"},
                 {MI_HAS_TASKS, "tasks"},
                 {MI_HAS_SLICES, "slices"},
                 {MI_HAS_LINKS, "links"}};
    unsigned has = mi_model_has(model);
    mi_jw_key(jw, "has");
    mi_jw_begin_array(jw);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has & words[i].bit)
            mi_jw_text(jw, words[i].name);
    mi_jw_end(jw);
}

static void write_categories(struct mi_jw *jw)
{
    mi_jw_key(jw, "categories");
    mi_jw_begin_array(jw);
    for (unsigned c = 0; c < mi_enum_size(MI_E_category); c++)
        mi_jw_text(jw, mi_enum_name(MI_E_category, c));
    mi_jw_end(jw);
}

/* Those that some node or task has: what a legend has to explain. */
static void write_used(struct mi_jw *jw, const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    unsigned used = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        used |= 1U << rows->nodes.category[n];
    for (uint32_t k = 1; k < rows->kernels.count; k++)
        used |= 1U << rows->kernels.category[k];
    mi_jw_key(jw, "used_categories");
    mi_jw_begin_array(jw);
    for (unsigned c = 0; c < mi_enum_size(MI_E_category); c++)
        if (used & 1U << c)
            mi_jw_text(jw, mi_enum_name(MI_E_category, c));
    mi_jw_end(jw);
}

static void write_graphs(struct mi_jw *jw, const struct mi_model *model)
{
    const struct mi_graphs *graphs = &model->all.rows.graphs;
    const uint32_t *first = model->index.graph_first_node;
    mi_jw_key(jw, "graphs");
    mi_jw_begin_array(jw);
    for (uint32_t g = 1; g < graphs->count; g++) {
        mi_jw_begin_object(jw);
        mi_jw_member_i64(jw, "id", g);
        mi_export_enum(jw, "layer", MI_E_layer, graphs->layer[g]);
        mi_export_enum(jw, "kind", MI_E_graph_kind, graphs->kind[g]);
        mi_export_name(jw, "name", model, graphs->name[g]);
        mi_export_text(jw, "stage", model, graphs->stage[g]);
        mi_jw_member_i64(jw, "nodes", first[g + 1] - first[g]);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

static void write_tracks(struct mi_jw *jw, const struct mi_model *model)
{
    const struct mi_tracks *tracks = &model->all.rows.tracks;
    const struct mi_index *index = &model->index;
    mi_jw_key(jw, "tracks");
    mi_jw_begin_array(jw);
    for (uint32_t t = 1; t < tracks->count; t++) {
        mi_jw_begin_object(jw);
        mi_jw_member_i64(jw, "id", t);
        mi_export_enum(jw, "kind", MI_E_track_kind, tracks->kind[t]);
        mi_export_name(jw, "name", model, tracks->name[t]);
        mi_export_known(jw, "device", tracks->device[t]);
        mi_export_known(jw, "rank", tracks->rank[t]);
        mi_jw_key(jw, "native_id");
        mi_export_exact(jw, tracks->native_id[t]);
        mi_jw_member_i64(jw, "tasks", index->track_first_task[t + 1] - index->track_first_task[t]);
        mi_jw_member_i64(jw, "slices",
                         index->track_first_slice[t + 1] - index->track_first_slice[t]);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

static void write_counters(struct mi_jw *jw, const struct mi_model *model)
{
    const struct mi_counters *counters = &model->all.rows.counters;
    mi_jw_key(jw, "counters");
    mi_jw_begin_array(jw);
    for (uint32_t c = 1; c < counters->count; c++) {
        mi_jw_begin_object(jw);
        mi_jw_member_i64(jw, "id", c);
        mi_export_name(jw, "name", model, counters->name[c]);
        mi_export_name(jw, "unit", model, counters->unit[c]);
        mi_export_known(jw, "device", counters->device[c]);
        mi_export_known(jw, "rank", counters->rank[c]);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

static bool is_calibrated(const struct mi_fits *fits)
{
    for (uint32_t f = 1; f < fits->count; f++)
        if (fits->offset_ns[f] || fits->drift_ppm[f] != 0)
            return true;
    return false;
}

static void write_span(struct mi_jw *jw, const struct mi_model *model)
{
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    const struct mi_slices *slices = &model->all.rows.slices;
    int64_t first = INT64_MAX, end = INT64_MIN;
    uint32_t runs = 0;
    for (uint32_t t = 1; t < tasks->count; t++) {
        int64_t stop = mi_export_add(tasks->start_ns[t], tasks->dur_ns[t]);
        first = tasks->start_ns[t] < first ? tasks->start_ns[t] : first;
        end = stop > end ? stop : end;
        runs = tasks->run[t] != MI_NO_RUN && tasks->run[t] >= runs ? tasks->run[t] + 1 : runs;
    }
    mi_jw_member_i64(jw, "tasks_first_ns", first <= end ? first : 0);
    mi_jw_member_i64(jw, "tasks_end_ns", first <= end ? end : 0);
    for (uint32_t s = 1; s < slices->count; s++) {
        int64_t stop = mi_export_add(slices->start_ns[s], slices->dur_ns[s]);
        first = slices->start_ns[s] < first ? slices->start_ns[s] : first;
        end = stop > end ? stop : end;
    }
    mi_jw_member_i64(jw, "first_ns", first <= end ? first : 0);
    mi_jw_member_i64(jw, "end_ns", first <= end ? end : 0);
    mi_jw_member_i64(jw, "runs", runs);
    mi_jw_key(jw, "calibrated");
    mi_jw_bool(jw, is_calibrated(&model->all.rows.fits));
}

/* Which reports there are; those with verdicts make up the findings. */
static void write_passes(struct mi_jw *jw, const struct mi_site *site)
{
    unsigned has = mi_model_has(mi_site_model(site));
    mi_jw_key(jw, "passes");
    mi_jw_begin_array(jw);
    for (size_t p = 0; p < mi_pass_count; p++) {
        mi_jw_begin_object(jw);
        mi_jw_member_text(jw, "name", mi_passes[p]->name);
        mi_jw_member_bool(jw, "verdicts", mi_passes[p]->verdicts);
        mi_jw_member_bool(jw, "can_run", (mi_passes[p]->needs & ~has) == 0);
        mi_jw_end(jw);
    }
    if (mi_site_names(site) && mi_site_side(site)) {
        mi_jw_begin_object(jw);
        mi_jw_member_text(jw, "name", "diff");
        mi_jw_member_bool(jw, "verdicts", true);
        mi_jw_member_bool(jw, "can_run", true);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

void mi_route_capture(struct mi_site *site, const struct mi_request *request,
                      struct mi_reply *reply)
{
    const struct mi_model *model = mi_site_model(site);
    struct mi_jw jw;
    (void)request;
    mi_jw_init(&jw, &reply->body, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_text(&jw, "version", MI_VERSION);
    mi_export_start(&jw, model);
    write_has(&jw, model);
    write_categories(&jw);
    write_used(&jw, model);
    write_span(&jw, model);
    write_graphs(&jw, model);
    write_tracks(&jw, model);
    write_counters(&jw, model);
    mi_export_sources(&jw, model);
    mi_export_diagnostics(&jw, model);
    write_passes(&jw, site);
    mi_jw_end(&jw);
    mi_jw_finish(&jw, NULL);
}
