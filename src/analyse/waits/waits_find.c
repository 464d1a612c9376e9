/* Finds what held streams up: events, and gaps that no event explains. */
#include "analyse/waits/waits_parts.h"

#include "base/mem.h"

enum { MOST_BACK = 64 }; /* tasks before a record whose memory is looked at */

void mi_waits_add(struct mi_waits *waits, const struct mi_wait *wait)
{
    if (waits->count == waits->room) {
        uint32_t room = waits->room ? 2 * waits->room : 64;
        void *list =
            room > waits->room ? mi_mem_resize(waits->list, room, sizeof *waits->list) : NULL;
        if (!list) {
            waits->failed = true;
            return;
        }
        waits->list = list;
        waits->room = room;
    }
    waits->list[waits->count] = *wait;
    waits->list[waits->count++].gain_ns = -1;
}

/* --- memory --- */

static bool overlap(const struct mi_buffers *buffers, uint32_t a, uint32_t b)
{
    return buffers->memory[a].v == buffers->memory[b].v && buffers->offset_bytes[a] >= 0 &&
           buffers->offset_bytes[b] >= 0 && buffers->size_bytes[a] > 0 &&
           buffers->size_bytes[b] > 0 &&
           buffers->offset_bytes[a] < mi_ns_add(buffers->offset_bytes[b], buffers->size_bytes[b]) &&
           buffers->offset_bytes[b] < mi_ns_add(buffers->offset_bytes[a], buffers->size_bytes[a]);
}

static bool shares_memory(const struct mi_buffers *buffers, const struct mi_csr *of_node,
                          uint32_t writer, uint32_t other)
{
    for (uint32_t i = of_node->first[writer]; i < of_node->first[writer + 1]; i++) {
        if (buffers->kind[of_node->list[i]] == MI_BUFFER_INPUT)
            continue;
        for (uint32_t k = of_node->first[other]; k < of_node->first[other + 1]; k++)
            if (overlap(buffers, of_node->list[i], of_node->list[k]))
                return true;
    }
    return false;
}

/* The task behind the wait writes where one before the record reads or writes. */
static bool reuses_memory(const struct mi_taskgraph *graph, const struct mi_csr *of_node,
                          uint32_t behind, uint32_t record)
{
    const struct mi_buffers *buffers = &graph->model->all.rows.buffers;
    uint32_t steps = 0;
    for (uint32_t v = mi_tg_work_before(graph, record); v != MI_TG_NONE && steps < MOST_BACK;
         v = mi_tg_work_before(graph, v), steps++)
        if (graph->node[v] && shares_memory(buffers, of_node, graph->node[behind], graph->node[v]))
            return true;
    return false;
}

/* --- events --- */

static const struct mi_tg_edge *signal_of(const struct mi_taskgraph *graph, uint32_t wait)
{
    const struct mi_tg_edge *last = NULL;
    for (uint32_t e = graph->first_in[wait]; e < graph->first_in[wait + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        if (edge->kind == MI_TG_SIGNAL &&
            (!last || graph->end_ns[edge->from] > graph->end_ns[last->from]))
            last = edge;
    }
    return last;
}

static enum mi_wait_verdict verdict_of(const struct mi_waits *waits, const struct mi_cover *cover,
                                       const struct mi_csr *of_node, uint32_t wait, uint32_t record)
{
    uint32_t behind = mi_cover_behind(waits->graph, wait);
    if (!waits->is_judged || behind == MI_TG_NONE)
        return MI_WAIT_UNKNOWN;
    switch ((enum mi_cover_verdict)cover->verdict[wait]) {
    case MI_COVER_DATA:
        return MI_WAIT_DATA;
    case MI_COVER_CONTROL:
        return MI_WAIT_ORDER;
    case MI_COVER_REPEATED:
        return MI_WAIT_REDUNDANT;
    case MI_COVER_NEEDLESS:
        return reuses_memory(waits->graph, of_node, behind, record) ? MI_WAIT_ORDER
                                                                    : MI_WAIT_NEEDLESS;
    case MI_COVER_NO_SIGNAL:
    case MI_COVER_UNKNOWN:
        break;
    }
    return MI_WAIT_UNKNOWN;
}

void mi_waits_find_events(struct mi_waits *waits, struct mi_cover *cover)
{
    const struct mi_taskgraph *graph = waits->graph;
    const struct mi_tables *rows = &graph->model->all.rows;
    struct mi_csr of_node = {0};
    if (!mi_csr_build(&of_node, rows->nodes.count, (const uint32_t *)rows->buffers.node,
                      rows->buffers.count)) {
        mi_csr_fini(&of_node);
        waits->failed = true;
        return;
    }
    for (uint32_t w = 0; w < graph->count; w++) {
        int64_t wait_ns = mi_ns_sub(graph->end_ns[w], graph->start_ns[w]);
        if (graph->role[w] != MI_TG_WAIT || wait_ns < waits->least_wait_ns)
            continue;
        const struct mi_tg_edge *signal = signal_of(graph, w);
        uint32_t behind = mi_cover_behind(graph, w);
        struct mi_wait wait = {.verdict = MI_WAIT_UNKNOWN,
                               .vertex = behind == MI_TG_NONE ? w : behind,
                               .wait = w,
                               .cause = MI_TG_NONE,
                               .later = MI_TG_NONE,
                               .lane = MI_TG_NONE,
                               .wait_ns = wait_ns};
        if (signal && !signal->is_violated) {
            wait.confidence = signal->confidence;
            wait.cause = mi_tg_work_before(graph, signal->from);
            wait.verdict = (uint8_t)verdict_of(waits, cover, &of_node, w, signal->from);
        }
        mi_waits_add(waits, &wait);
    }
    mi_csr_fini(&of_node);
}

/* --- gaps --- */

static enum mi_wait_verdict gap_verdict(const struct mi_taskgraph *graph, uint32_t v)
{
    switch ((enum mi_tg_binding)graph->binding[v]) {
    case MI_TG_BY_LAUNCH:
        return MI_WAIT_LAUNCH;
    case MI_TG_BY_EDGE:
        switch ((enum mi_tg_kind)graph->edges[graph->binding_edge[v]].kind) {
        case MI_TG_DATA:
            return MI_WAIT_DATA;
        case MI_TG_CONTROL:
            return MI_WAIT_ORDER;
        case MI_TG_START:
        case MI_TG_RETURN:
        case MI_TG_SIGNAL:
            return MI_WAIT_START;
        }
    case MI_TG_BY_NOTHING:
    case MI_TG_BY_ORDER:
        break;
    }
    return MI_WAIT_GAP;
}

void mi_waits_find_gaps(struct mi_waits *waits)
{
    const struct mi_taskgraph *graph = waits->graph;
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t prev = graph->prev[v];
        if (graph->role[v] != MI_TG_WORK || graph->binding[v] == MI_TG_BY_NOTHING)
            continue;
        bool by_edge = graph->binding[v] == MI_TG_BY_EDGE;
        uint32_t from = by_edge ? graph->edges[graph->binding_edge[v]].from : MI_TG_NONE;
        int64_t since_ns = prev != MI_TG_NONE   ? graph->end_ns[prev]
                           : from != MI_TG_NONE ? graph->end_ns[from]
                                                : 0;
        int64_t wait_ns = mi_ns_sub(graph->start_ns[v], since_ns);
        if (wait_ns < waits->least_wait_ns)
            continue;
        mi_waits_add(waits, &(struct mi_wait){.verdict = (uint8_t)gap_verdict(graph, v),
                                              .confidence = MI_CERTAIN,
                                              .vertex = v,
                                              .wait = MI_TG_NONE,
                                              .cause = from,
                                              .later = MI_TG_NONE,
                                              .lane = MI_TG_NONE,
                                              .wait_ns = wait_ns});
    }
}
