/* Which node of a stage is which of the stage before: by name first, then by series_origins.c and
 * series_alike.c; and what that says about the nodes that appear and those that go. */
#include "analyse/series/series_parts.h"

/* --- by name --- */

struct names {
    struct mi_map first; /* (name of the graph or 0, name of the node) -> place in live + 1 */
    uint32_t *next;      /* [live_count] place of the next of that name + 1; 0 = none */
};

static uint64_t name_key(const struct mi_model *model, uint32_t node, bool with_graph)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t graph = with_graph ? rows->graphs.name[rows->nodes.graph[node].v].v : 0;
    return mi_pair(graph, rows->nodes.name[node].v);
}

/* Back to front, so that each chain has the order of the stage. */
static bool list_names(const struct mi_step *step, struct names *names, bool with_graph)
{
    const struct mi_nodes *nodes = &step->model->all.rows.nodes;
    for (uint32_t i = step->live_count; i-- > 0;) {
        uint32_t track = step->live[i], node = step->series->tracks[track].last.v;
        if (mi_series_is_seen(step, track) || !nodes->name[node].v)
            continue;
        uint32_t *at = mi_map_at(&names->first, name_key(step->model, node, with_graph));
        if (!at)
            return false;
        names->next[i] = *at;
        *at = i + 1;
    }
    return true;
}

static bool match_names(struct mi_step *step, uint32_t *next, bool with_graph)
{
    const struct mi_nodes *nodes = &step->model->all.rows.nodes;
    struct names names = {.next = next};
    bool ok = list_names(step, &names, with_graph);
    for (uint32_t i = 0; ok && i < step->node_count; i++) {
        uint32_t node = step->nodes[i];
        if (step->series->track_of[node] || !nodes->name[node].v)
            continue;
        uint64_t key = name_key(step->model, node, with_graph);
        uint32_t at = mi_map_get(&names.first, key);
        while (at && mi_series_is_seen(step, step->live[at - 1]))
            at = next[at - 1];
        if (at)
            mi_series_go_on(step, step->live[at - 1], (mi_node_id){node});
    }
    mi_map_fini(&names.first);
    return ok;
}

/* --- those that appear and those that go --- */

bool mi_series_rename(struct mi_step *step, uint32_t track, mi_node_id node)
{
    mi_series_go_on(step, track, node);
    return mi_series_add(step, &(struct mi_change){.kind = MI_CHANGE_RENAMED,
                                                   .track = track,
                                                   .before = step->series->tracks[track].last,
                                                   .after = node});
}

static bool begin_rest(struct mi_step *step, const struct mi_series_birth *births)
{
    for (uint32_t i = 0; i < step->node_count; i++) {
        mi_node_id node = {step->nodes[i]};
        if (step->series->track_of[node.v])
            continue;
        enum mi_change_kind kind = !births[i].from      ? MI_CHANGE_INSERTED
                                   : births[i].is_split ? MI_CHANGE_SPLIT
                                                        : MI_CHANGE_FUSED;
        uint32_t track = mi_series_begin(step, node);
        if (!track || !mi_series_add(step, &(struct mi_change){.kind = kind,
                                                               .track = track,
                                                               .other = births[i].from,
                                                               .after = node}))
            return false;
    }
    return true;
}

static bool end_track(struct mi_step *step, uint32_t track, const struct mi_series_fate *fate)
{
    struct mi_track *at = &step->series->tracks[track];
    uint32_t into = step->series->track_of[fate->into];
    at->gone = step->stage;
    at->into = into;
    return mi_series_add(step, &(struct mi_change){.kind = !into             ? MI_CHANGE_REMOVED
                                                           : fate->is_shared ? MI_CHANGE_SPLIT_INTO
                                                                             : MI_CHANGE_FUSED_INTO,
                                                   .track = track,
                                                   .other = into,
                                                   .before = at->last,
                                                   .after = {fate->into}});
}

/* What a part of the graph lacks may stand in another part: only what went into a node is gone. */
static bool end_rest(struct mi_step *step, const struct mi_series_fate *fates)
{
    bool part = step->series->stages[step->stage].is_part;
    for (uint32_t i = 0; i < step->live_count; i++) {
        uint32_t track = step->live[i];
        if (mi_series_is_seen(step, track) || (part && !fates[i].into))
            continue;
        if (!end_track(step, track, &fates[i]))
            return false;
    }
    return true;
}

bool mi_series_match(struct mi_step *step)
{
    uint32_t *next = mi_mem_zero((size_t)step->live_count + 1, sizeof *next);
    struct mi_series_verdicts verdicts = {
        .fates = mi_mem_zero((size_t)step->live_count + 1, sizeof *verdicts.fates),
        .births = mi_mem_zero((size_t)step->node_count + 1, sizeof *verdicts.births)};
    bool ok = next && verdicts.fates && verdicts.births && match_names(step, next, true);
    if (ok)
        memset(next, 0, ((size_t)step->live_count + 1) * sizeof *next);
    ok = ok && match_names(step, next, false) && mi_series_match_origins(step, &verdicts) &&
         mi_series_match_alike(step, &verdicts) && begin_rest(step, verdicts.births) &&
         end_rest(step, verdicts.fates);
    mi_mem_free(next);
    mi_mem_free(verdicts.fates);
    mi_mem_free(verdicts.births);
    return ok;
}
