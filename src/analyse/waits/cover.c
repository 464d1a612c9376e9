#include "analyse/waits/cover.h"

#include "base/mem.h"

#include <string.h>

enum { MOST_CELLS = 200000000 };

static bool is_need(const struct mi_tg_edge *edge)
{
    return edge->kind == MI_TG_DATA || edge->kind == MI_TG_CONTROL;
}

uint32_t mi_cover_behind(const struct mi_taskgraph *graph, uint32_t wait)
{
    uint32_t v = graph->next[wait];
    while (v != MI_TG_NONE && graph->role[v] != MI_TG_WORK && graph->role[v] != MI_TG_LABEL)
        v = graph->next[v];
    return v;
}

static void raise_to(uint32_t *at, uint32_t value)
{
    if (value > *at)
        *at = value;
}

static void raise_all(uint32_t *at, const uint32_t *values, uint32_t count)
{
    for (uint32_t l = 0; l < count; l++)
        raise_to(&at[l], values[l]);
}

static const uint32_t *needs_of(const struct mi_cover *cover, uint32_t v)
{
    return &cover->needs[(size_t)v * cover->lanes];
}

static void find_needs(struct mi_cover *cover)
{
    const struct mi_taskgraph *graph = cover->graph;
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t *mine = &cover->needs[(size_t)v * cover->lanes];
        for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++) {
            const struct mi_tg_edge *edge = &graph->edges[e];
            if (!is_need(edge))
                continue;
            raise_all(mine, needs_of(cover, edge->from), cover->lanes);
            raise_to(&mine[graph->lane[edge->from]], edge->from + 1);
        }
    }
}

static void count_along(struct mi_cover *cover)
{
    const struct mi_taskgraph *graph = cover->graph;
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t prev = graph->prev[v];
        bool is_unknown = graph->role[v] == MI_TG_WORK && !graph->knows_data[v];
        cover->unknown_to[v] = (prev == MI_TG_NONE ? 0 : cover->unknown_to[prev]) + is_unknown;
    }
}

/* --- one wait --- */

/* How much `along` grows from one place (vertex + 1) of a lane to another. */
static uint32_t between(const uint32_t *along, uint32_t from, uint32_t to)
{
    return to > from ? along[to - 1] - (from ? along[from - 1] : 0) : 0;
}

static bool is_control_alone(const struct mi_taskgraph *graph, uint32_t behind)
{
    bool found = false;
    for (uint32_t e = graph->first_in[behind]; e < graph->first_in[behind + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        bool is_far = graph->lane[edge->from] != graph->lane[behind];
        if (edge->kind == MI_TG_DATA && is_far)
            return false;
        found = found || (edge->kind == MI_TG_CONTROL && is_far);
    }
    return found;
}

/* The record stands behind control flow: it tells that this has ended. */
static bool ends_control(const struct mi_taskgraph *graph, uint32_t record)
{
    uint32_t v = graph->prev[record];
    while (v != MI_TG_NONE && graph->role[v] == MI_TG_RECORD)
        v = graph->prev[v];
    return v != MI_TG_NONE && graph->role[v] == MI_TG_LABEL;
}

/* Before the wait of this signal `before` was covered; the record adds what `record` covers. */
static enum mi_cover_verdict judge(const struct mi_cover *cover, const struct mi_tg_edge *signal,
                                   const uint32_t *before, const uint32_t *record)
{
    const struct mi_taskgraph *graph = cover->graph;
    uint32_t wait = signal->to, behind = mi_cover_behind(graph, wait);
    bool is_repeated = false, is_unknown = false;
    if (behind == MI_TG_NONE)
        return MI_COVER_UNKNOWN;
    const uint32_t *needs = needs_of(cover, behind);
    for (uint32_t l = 0; l < cover->lanes; l++) {
        if (l == graph->lane[wait])
            continue;
        if (needs[l] > before[l] && needs[l] <= record[l])
            return is_control_alone(graph, behind) ? MI_COVER_CONTROL : MI_COVER_DATA;
        is_repeated = is_repeated || needs[l];
        is_unknown = is_unknown || between(cover->unknown_to, before[l], record[l]);
    }
    if (graph->role[behind] == MI_TG_LABEL || ends_control(graph, signal->from))
        return MI_COVER_CONTROL;
    if (!graph->knows_data[behind] || is_unknown)
        return MI_COVER_UNKNOWN;
    for (uint32_t l = 0; l < cover->lanes; l++)
        if (l != graph->lane[wait] && record[l] > before[l])
            return MI_COVER_NEEDLESS;
    return is_repeated ? MI_COVER_REPEATED : MI_COVER_NEEDLESS;
}

/* --- the sweep --- */

/* What had ended before `from` has ended before the other end too. */
static void take_over(struct mi_cover *cover, const struct mi_tg_edge *edge, uint32_t *covered,
                      bool judges)
{
    uint32_t place = cover->record_of[edge->from];
    if (is_need(edge) || !place)
        return;
    const uint32_t *record = &cover->records[(size_t)(place - 1) * cover->lanes];
    if (judges && edge->kind == MI_TG_SIGNAL)
        cover->verdict[edge->to] = (uint8_t)judge(cover, edge, covered, record);
    raise_all(covered, record, cover->lanes);
}

/* Follows what is covered, without the wait `without` (MI_TG_NONE: all hold). Judges waits where
 * `judges`, else returns the first task that misses something. */
static uint32_t sweep(struct mi_cover *cover, uint32_t without, bool judges)
{
    const struct mi_taskgraph *graph = cover->graph;
    uint32_t lanes = cover->lanes;
    memset(cover->covered, 0, (size_t)lanes * lanes * sizeof *cover->covered);
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t lane = graph->lane[v];
        uint32_t *covered = &cover->covered[(size_t)lane * lanes];
        covered[lane] = v + 1;
        for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++)
            if (v != without || graph->edges[e].kind != MI_TG_SIGNAL)
                take_over(cover, &graph->edges[e], covered, judges);
        if (cover->record_of[v])
            memcpy(&cover->records[(size_t)(cover->record_of[v] - 1) * lanes], covered,
                   lanes * sizeof *covered);
        if (graph->role[v] != MI_TG_WORK)
            continue;
        const uint32_t *needs = needs_of(cover, v);
        bool is_bare = false;
        for (uint32_t l = 0; l < lanes && !is_bare; l++)
            is_bare = needs[l] > covered[l];
        if (judges)
            cover->is_bare[v] = is_bare;
        else if (is_bare && !cover->is_bare[v])
            return v;
    }
    return MI_TG_NONE;
}

uint32_t mi_cover_first_missing(struct mi_cover *cover, uint32_t wait)
{
    return sweep(cover, wait, false);
}

static uint32_t number_records(struct mi_cover *cover)
{
    const struct mi_taskgraph *graph = cover->graph;
    uint32_t records = 0;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (!is_need(&graph->edges[e]) && !cover->record_of[graph->edges[e].from])
            cover->record_of[graph->edges[e].from] = ++records;
    return records;
}

bool mi_cover_init(struct mi_cover *cover, const struct mi_taskgraph *graph, bool *is_judged,
                   struct mi_error *err)
{
    size_t count = (size_t)graph->count + 1, lanes = graph->lane_count;
    *cover = (struct mi_cover){.graph = graph, .lanes = graph->lane_count};
    *is_judged = count * (lanes + 1) <= MOST_CELLS && lanes * lanes <= MOST_CELLS / 10;
    if (!*is_judged)
        lanes = 0;
    cover->verdict = mi_mem_zero(count, sizeof *cover->verdict);
    cover->record_of = mi_mem_zero(count, sizeof *cover->record_of);
    cover->is_bare = mi_mem_zero(count, sizeof *cover->is_bare);
    cover->unknown_to = mi_mem_new(count, sizeof *cover->unknown_to);
    cover->needs = mi_mem_zero(count * lanes + 1, sizeof *cover->needs);
    cover->covered = mi_mem_new(lanes * lanes + 1, sizeof *cover->covered);
    bool ok = cover->verdict && cover->record_of && cover->is_bare && cover->unknown_to &&
              cover->needs && cover->covered;
    if (ok) {
        uint32_t records = number_records(cover);
        cover->records = mi_mem_new(records * lanes + 1, sizeof *cover->records);
        ok = cover->records != NULL;
    }
    if (!ok) {
        mi_cover_fini(cover);
        return mi_fail(err, MI_ENOMEM, "out of memory for the waits");
    }
    if (*is_judged) {
        find_needs(cover);
        count_along(cover);
        sweep(cover, MI_TG_NONE, true);
    }
    return true;
}

void mi_cover_fini(struct mi_cover *cover)
{
    mi_mem_free(cover->needs);
    mi_mem_free(cover->covered);
    mi_mem_free(cover->records);
    mi_mem_free(cover->record_of);
    mi_mem_free(cover->unknown_to);
    mi_mem_free(cover->verdict);
    mi_mem_free(cover->is_bare);
    *cover = (struct mi_cover){0};
}
