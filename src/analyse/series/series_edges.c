/* Edges that a stage adds or takes away, as pairs of tracks; the place among the inputs may move.
 * Dumps of parts of the graph say nothing about edges: whole stages are compared with each other.
 */
#include "analyse/series/series_parts.h"

#include <stdlib.h>

enum { MOST_BETWEEN = 16 /* nodes put onto one edge */ };

static int compare_edges(const void *left, const void *right)
{
    const struct mi_series_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->port != b->port)
        return a->port < b->port ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (int)a->is_control - (int)b->is_control;
}

static bool list_edges(struct mi_step *step)
{
    const struct mi_tables *rows = &step->model->all.rows;
    const uint32_t *track_of = step->series->track_of;
    step->after_count = 0;
    for (uint32_t i = 0; i < step->node_count; i++) {
        uint32_t node = step->nodes[i];
        for (uint32_t p = 0; p < rows->nodes.in_count[node]; p++) {
            uint32_t port = rows->nodes.first_in[node] + p, value = rows->ports.value[port].v;
            uint32_t from = track_of[rows->values.producer[value].v];
            if (!from)
                continue;
            if (!mi_vec_room(&step->after, &step->after_room, step->after_count,
                             sizeof *step->after))
                return false;
            step->after[step->after_count++] =
                (struct mi_series_edge){.from = from,
                                        .port = step->out_port[value],
                                        .to = track_of[node],
                                        .in_port = p,
                                        .is_control = rows->ports.is_control[port]};
        }
    }
    if (step->after_count)
        qsort(step->after, step->after_count, sizeof *step->after, compare_edges);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < step->after_count; i++)
        if (!kept || compare_edges(&step->after[kept - 1], &step->after[i]) != 0)
            step->after[kept++] = step->after[i];
    step->after_count = kept;
    return true;
}

/* The track of the first data input of a track. */
static uint32_t fed_by(const struct mi_step *step, uint32_t track)
{
    const struct mi_tables *rows = &step->model->all.rows;
    uint32_t node = step->series->tracks[track].last.v;
    for (uint32_t p = 0; p < rows->nodes.in_count[node]; p++) {
        uint32_t port = rows->nodes.first_in[node] + p, value = rows->ports.value[port].v;
        uint32_t from = step->series->track_of[rows->values.producer[value].v];
        if (from && !rows->ports.is_control[port])
            return from;
    }
    return 0;
}

/* The first of the new nodes through which `edge` leads now; 0: it does not. */
static uint32_t put_between(const struct mi_step *step, const struct mi_series_edge *edge)
{
    const struct mi_tables *rows = &step->model->all.rows;
    const struct mi_series *series = step->series;
    uint32_t node = series->tracks[edge->to].last.v;
    for (uint32_t p = 0; p < rows->nodes.in_count[node]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_in[node] + p].v, last = 0;
        uint32_t at = series->track_of[rows->values.producer[value].v];
        for (int i = 0; i < MOST_BETWEEN && at && series->tracks[at].born == step->stage; i++) {
            last = at;
            at = fed_by(step, at);
        }
        if (last && at == edge->from)
            return last;
    }
    return 0;
}

static bool add(struct mi_step *step, const struct mi_series_edge *edge, bool is_gone)
{
    struct mi_series *series = step->series;
    if (!mi_vec_room(&series->edges, &series->edge_room, series->edge_count, sizeof *series->edges))
        return false;
    const struct mi_track *from = &series->tracks[edge->from], *to = &series->tracks[edge->to];
    bool both = from->gone > step->stage && to->gone > step->stage;
    series->edges[series->edge_count++] =
        (struct mi_edge_change){.stage = step->stage,
                                .is_gone = is_gone,
                                .is_control = edge->is_control,
                                .from = {edge->from, edge->port},
                                .to = {edge->to, edge->in_port},
                                .by = is_gone && both ? put_between(step, edge) : 0,
                                .from_node = from->last,
                                .to_node = to->last};
    return true;
}

static bool compare(struct mi_step *step)
{
    uint32_t b = 0, a = 0;
    while (b < step->before_count || a < step->after_count) {
        int order = b == step->before_count  ? 1
                    : a == step->after_count ? -1
                                             : compare_edges(&step->before[b], &step->after[a]);
        if (order < 0 && !add(step, &step->before[b], true))
            return false;
        if (order > 0 && !add(step, &step->after[a], false))
            return false;
        b += order <= 0;
        a += order >= 0;
    }
    return true;
}

bool mi_series_edges(struct mi_step *step)
{
    struct mi_stage *stage = &step->series->stages[step->stage];
    if (stage->is_part)
        return true;
    if (!list_edges(step) || (step->has_edges && !compare(step)))
        return false;
    stage->edges = step->after_count;
    step->has_edges = true;
    struct mi_series_edge *edges = step->before;
    uint32_t room = step->before_room;
    step->before = step->after;
    step->before_count = step->after_count;
    step->before_room = step->after_room;
    step->after = edges;
    step->after_room = room;
    step->after_count = 0;
    return true;
}
