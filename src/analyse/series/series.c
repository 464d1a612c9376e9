/* Walks from stage to stage; the builds and their stages are found in series_builds.c. */
#include "analyse/series/series.h"

#include "analyse/deps.h"
#include "analyse/series/series_parts.h"
#include "base/translate.h"

#include <stdlib.h>

const char *const mi_change_names[] = {
    N_("inserted"),   N_("fused"),   N_("split"),  N_("renamed"), N_("retyped"),
    N_("absorbed"),   N_("dtype"),   N_("format"), N_("shape"),   N_("fused_into"),
    N_("split_into"), N_("removed"), NULL};

bool mi_series_is_constant(const struct mi_model *model, mi_node_id node)
{
    return mi_is_constant_node(model, node);
}

bool mi_series_is_border(const struct mi_model *model, mi_node_id node)
{
    struct mi_bytes op = mi_model_text(model, model->all.rows.nodes.op[node.v]);
    return mi_bytes_equal(op, MI_LIT("PlaceHolder")) || mi_bytes_equal(op, MI_LIT("End"));
}

/* --- tracks --- */

uint32_t mi_series_begin(struct mi_step *step, mi_node_id node)
{
    struct mi_series *series = step->series;
    if (!mi_vec_room(&series->tracks, &series->track_room, series->track_count,
                     sizeof *series->tracks))
        return 0;
    uint32_t track = series->track_count;
    while (step->seen_room <= track)
        if (!mi_vec_room(&step->seen, &step->seen_room, step->seen_room, sizeof *step->seen))
            return 0;
    series->tracks[track] = (struct mi_track){.first = node,
                                              .last = node,
                                              .born = step->stage,
                                              .gone = series->stage_count,
                                              .build = series->stages[step->stage].build};
    step->seen[track] = step->stage + 1;
    series->track_of[node.v] = track;
    series->track_count++;
    return track;
}

void mi_series_go_on(struct mi_step *step, uint32_t track, mi_node_id node)
{
    step->series->track_of[node.v] = track;
    step->seen[track] = step->stage + 1;
}

bool mi_series_add(struct mi_step *step, const struct mi_change *change)
{
    struct mi_series *series = step->series;
    if (!mi_vec_room(&series->changes, &series->change_room, series->change_count,
                     sizeof *series->changes))
        return false;
    series->changes[series->change_count] = *change;
    series->changes[series->change_count++].stage = step->stage;
    return true;
}

/* --- from stage to stage --- */

static bool list_nodes(struct mi_step *step)
{
    struct mi_stage *stage = &step->series->stages[step->stage];
    const uint32_t *first = step->model->index.graph_first_node;
    step->node_count = 0;
    for (uint32_t i = 0; i < stage->graph_count; i++) {
        uint32_t graph = step->series->graphs[stage->first_graph + i];
        for (uint32_t n = first[graph]; n < first[graph + 1]; n++) {
            if (stage->is_part && mi_series_is_border(step->model, (mi_node_id){n}))
                continue;
            if (!mi_vec_room(&step->nodes, &step->node_room, step->node_count, sizeof *step->nodes))
                return false;
            step->nodes[step->node_count++] = n;
        }
    }
    stage->nodes = step->node_count;
    return true;
}

/* The nodes of this stage are those that live; of a part, the others live on unseen. */
static bool settle_live(struct mi_step *step)
{
    struct mi_series *series = step->series;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < step->live_count; i++) {
        uint32_t track = step->live[i];
        if (!mi_series_is_seen(step, track) && series->tracks[track].gone == series->stage_count)
            step->live[kept++] = track;
    }
    step->live_count = kept;
    for (uint32_t i = 0; i < step->node_count; i++) {
        uint32_t track = series->track_of[step->nodes[i]];
        series->tracks[track].last = (mi_node_id){step->nodes[i]};
        if (!mi_vec_room(&step->live, &step->live_room, step->live_count, sizeof *step->live))
            return false;
        step->live[step->live_count++] = track;
    }
    return true;
}

static bool begin_build(struct mi_step *step)
{
    step->live_count = step->before_count = 0;
    step->has_edges = false;
    for (uint32_t i = 0; i < step->node_count; i++)
        if (!mi_series_begin(step, (mi_node_id){step->nodes[i]}))
            return false;
    return true;
}

static bool walk(struct mi_step *step)
{
    struct mi_series *series = step->series;
    for (step->stage = 0; step->stage < series->stage_count; step->stage++) {
        if (!list_nodes(step))
            return false;
        bool ok = series->stages[step->stage].is_first
                      ? begin_build(step)
                      : mi_series_match(step) && mi_series_compare(step);
        if (!ok || !settle_live(step) || !mi_series_edges(step))
            return false;
    }
    return true;
}

static void list_ports(const struct mi_model *model, uint32_t *out_port)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        for (uint32_t p = 0; p < rows->nodes.out_count[n]; p++)
            out_port[rows->ports.value[rows->nodes.first_out[n] + p].v] = p;
}

static void step_fini(struct mi_step *step)
{
    mi_mem_free(step->live);
    mi_mem_free(step->nodes);
    mi_mem_free(step->seen);
    mi_mem_free(step->out_port);
    mi_mem_free(step->before);
    mi_mem_free(step->after);
}

static bool follow(struct mi_series *series, const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_step step = {.model = model, .series = series};
    series->track_of = mi_mem_zero(rows->nodes.count, sizeof *series->track_of);
    step.out_port = mi_mem_zero(rows->values.count, sizeof *step.out_port);
    bool ok = series->track_of && step.out_port &&
              mi_vec_room(&series->tracks, &series->track_room, 0, sizeof *series->tracks);
    if (ok) {
        series->tracks[0] = (struct mi_track){0};
        series->track_count = 1; /* 0 means none */
        list_ports(model, step.out_port);
        ok = walk(&step);
    }
    step_fini(&step);
    return ok;
}

bool mi_series_init(struct mi_series *series, const struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    *series = (struct mi_series){0};
    bool ok = mi_csr_build(&series->recorded, rows->nodes.count,
                           (const uint32_t *)rows->recorded.node, rows->recorded.count) &&
              mi_series_find_builds(series, model);
    if (ok && series->stage_count)
        ok = follow(series, model);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

void mi_series_fini(struct mi_series *series)
{
    mi_mem_free(series->stages);
    mi_mem_free(series->graphs);
    mi_mem_free(series->tracks);
    mi_mem_free(series->changes);
    mi_mem_free(series->edges);
    mi_mem_free(series->track_of);
    mi_csr_fini(&series->recorded);
    *series = (struct mi_series){0};
}
