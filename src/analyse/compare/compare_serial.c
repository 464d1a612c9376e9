/* Ops that ran at once before and one after the other now. Two ops overlap in a sample if they
 * share a tenth of the shorter one; at the base in half of the samples or more, on the new side in
 * none (not even for a moment). Why they are kept apart is read from the new side's task graph: one
 * stream, or a path from one to the other. A path cannot have been there before: they overlapped.
 */
#include "analyse/compare/compare_parts.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

enum {
    MOST_PATHS = 256,        /* searches for paths: beyond them the order is not looked for */
    MOST_AT_ONCE = 64,       /* tasks that run beside one are looked at, those that began first */
    MOST_MEETINGS = 1 << 22, /* pairs of ops that are kept */
    FRACTION = 10
};

const char *const mi_cmp_order_words[MI_CMP_ORDERS + 1] = {
    [MI_CMP_ONE_STREAM] = N_("one stream now"), [MI_CMP_EVENT] = N_("waits for it"),
    [MI_CMP_DATA] = N_("reads what it makes"),  [MI_CMP_QUEUE] = N_("queues behind it"),
    [MI_CMP_TIMING] = N_("timing alone"),
};

/* --- which ops overlap --- */

struct meeting {
    uint32_t op[2]; /* the lower number first */
    uint32_t samples[MI_CMP_SIDES];
    uint32_t last_sample; /* + 1; of the side at hand */
    int64_t overlap_ns;   /* of the base */
};

struct meetings {
    struct mi_map places; /* pair of ops -> place + 1 */
    struct meeting *list;
    uint32_t count, room;
    bool failed;
};

/* The tasks of a track that are still to come, and the last one that began. */
struct cursor {
    uint32_t next, end;
    uint32_t task; /* 0 = none yet */
    int64_t end_ns;
};

struct sweep {
    const struct mi_cmp_capture *capture;
    const struct mi_tables *rows;
    struct cursor *cursors;
    uint32_t count;
    uint32_t *heap; /* cursors by the start of their next task */
    uint32_t heap_count;
    uint32_t *active; /* cursors whose task may still run */
    uint32_t active_count;
};

static bool skips(const struct sweep *s, uint32_t task)
{
    return !s->capture->op_of[task];
}

static void go_to_next(const struct sweep *s, struct cursor *cursor)
{
    while (cursor->next < cursor->end && skips(s, cursor->next))
        cursor->next++;
}

static bool is_before(const struct sweep *s, uint32_t a, uint32_t b)
{
    int64_t x = s->rows->tasks.start_ns[s->cursors[a].next];
    int64_t y = s->rows->tasks.start_ns[s->cursors[b].next];
    return x != y ? x < y : a < b;
}

static void sift_down(struct sweep *s, uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->heap_count; child++)
            if (is_before(s, s->heap[child], s->heap[least]))
                least = child;
        if (least == at)
            return;
        uint32_t cursor = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = cursor;
        at = least;
    }
}

static bool sweep_init(struct sweep *s, const struct mi_cmp_capture *capture)
{
    const struct mi_model *model = capture->model;
    uint32_t tracks = model->all.rows.tracks.count;
    *s = (struct sweep){.capture = capture, .rows = &model->all.rows};
    s->cursors = mi_mem_zero(tracks, sizeof *s->cursors);
    s->heap = mi_mem_new(tracks, sizeof *s->heap);
    s->active = mi_mem_new(tracks, sizeof *s->active);
    if (!s->cursors || !s->heap || !s->active)
        return false;
    for (uint32_t t = 1; t < tracks; t++) {
        struct cursor *cursor = &s->cursors[s->count];
        *cursor = (struct cursor){.next = model->index.track_first_task[t],
                                  .end = model->index.track_first_task[t + 1]};
        go_to_next(s, cursor);
        if (cursor->next < cursor->end)
            s->heap[s->heap_count++] = s->count++;
    }
    for (uint32_t i = s->heap_count / 2; i-- > 0;)
        sift_down(s, i);
    return true;
}

static void sweep_fini(struct sweep *s)
{
    mi_mem_free(s->cursors);
    mi_mem_free(s->heap);
    mi_mem_free(s->active);
}

static struct meeting *meeting_of(struct meetings *m, uint32_t a, uint32_t b, bool is_new)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (is_new) {
        uint32_t place = mi_map_get(&m->places, mi_pair(low, high));
        return place ? &m->list[place - 1] : NULL;
    }
    if (m->count == MOST_MEETINGS && !mi_map_get(&m->places, mi_pair(low, high)))
        return NULL;
    uint32_t *at = mi_map_at(&m->places, mi_pair(low, high));
    if (at && !*at && m->count == m->room) {
        uint32_t room = m->room ? 2 * m->room : 256;
        void *list = room > m->room ? mi_mem_resize(m->list, room, sizeof *m->list) : NULL;
        m->failed = m->failed || !list;
        if (!list)
            return NULL;
        m->list = list;
        m->room = room;
    }
    m->failed = m->failed || !at;
    if (!at)
        return NULL;
    if (!*at) {
        m->list[m->count] = (struct meeting){.op = {low, high}};
        *at = ++m->count;
    }
    return &m->list[*at - 1];
}

static void meet(const struct sweep *s, struct meetings *m, unsigned side, uint32_t task,
                 uint32_t other)
{
    const struct mi_tasks *tasks = &s->rows->tasks;
    const struct mi_cmp_capture *capture = s->capture;
    uint32_t sample = capture->sample_of[capture->account.run_of[task]];
    int64_t start_ns = tasks->start_ns[task];
    int64_t end_ns = mi_ns_add(start_ns, tasks->dur_ns[task]);
    int64_t other_ns = mi_ns_add(tasks->start_ns[other], tasks->dur_ns[other]);
    int64_t shared_ns = mi_ns_sub(end_ns < other_ns ? end_ns : other_ns, start_ns);
    int64_t shorter_ns =
        tasks->dur_ns[task] < tasks->dur_ns[other] ? tasks->dur_ns[task] : tasks->dur_ns[other];
    if (shared_ns <= 0 || sample != capture->sample_of[capture->account.run_of[other]] ||
        capture->op_of[task] == capture->op_of[other] ||
        (side == MI_CMP_BASE && shared_ns < shorter_ns / FRACTION))
        return;
    struct meeting *at =
        meeting_of(m, capture->op_of[task], capture->op_of[other], side == MI_CMP_NEW);
    if (!at)
        return;
    if (at->last_sample != sample)
        at->samples[side]++;
    at->last_sample = sample;
    if (side == MI_CMP_BASE)
        at->overlap_ns = mi_ns_add(at->overlap_ns, shared_ns);
}

/* All tasks of a capture in the order of their starts, each beside those that still run. */
static bool sweep_capture(const struct mi_cmp_capture *capture, struct meetings *m, unsigned side)
{
    struct sweep s;
    bool ok = sweep_init(&s, capture);
    while (ok && s.heap_count && !m->failed) {
        uint32_t number = s.heap[0], kept = 0;
        struct cursor *cursor = &s.cursors[number];
        uint32_t task = cursor->next++;
        int64_t start_ns = s.rows->tasks.start_ns[task];
        for (uint32_t i = 0; i < s.active_count; i++) {
            const struct cursor *other = &s.cursors[s.active[i]];
            if (s.active[i] == number || other->end_ns <= start_ns)
                continue;
            if (kept < MOST_AT_ONCE)
                meet(&s, m, side, task, other->task);
            s.active[kept++] = s.active[i];
        }
        s.active_count = kept;
        s.active[s.active_count++] = number;
        cursor->task = task;
        cursor->end_ns = mi_ns_add(start_ns, s.rows->tasks.dur_ns[task]);
        go_to_next(&s, cursor);
        if (cursor->next == cursor->end)
            s.heap[0] = s.heap[--s.heap_count];
        sift_down(&s, 0);
    }
    sweep_fini(&s);
    return ok && !m->failed;
}

static bool find_meetings(const struct mi_compare *compare, struct meetings *m)
{
    bool ok = true;
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++) {
        const struct mi_cmp_side *at = &compare->side[side];
        for (uint32_t i = 0; i < m->count; i++)
            m->list[i].last_sample = 0;
        for (uint32_t c = 0; ok && c < at->capture_count; c++)
            ok = sweep_capture(&at->captures[c], m, side);
    }
    return ok;
}

/* --- why they are kept apart --- */

struct searcher {
    struct mi_compare *compare;
    const struct mi_taskgraph *graph;
    uint32_t *came_by; /* [count] edge + 1, or UINT32_MAX: by the order of its lane; 0 = not seen */
    uint32_t *queue;
    uint32_t searches;
};

static uint32_t vertex_of(const struct mi_compare *compare, uint32_t op)
{
    const struct mi_csr *vertices = &compare->side[MI_CMP_NEW].run.vertices;
    return mi_csr_count(vertices, op) ? vertices->list[vertices->first[op]] - 1 : MI_TG_NONE;
}

static bool is_reached(struct searcher *s, uint32_t from, uint32_t to)
{
    const struct mi_taskgraph *graph = s->graph;
    uint32_t open = 0, done = 0;
    memset(s->came_by, 0, (size_t)graph->count * sizeof *s->came_by);
    s->queue[open++] = from;
    while (done < open && !s->came_by[to]) {
        uint32_t v = s->queue[done++], next = graph->next[v];
        for (uint32_t i = graph->out.first[v + 1]; i < graph->out.first[v + 2]; i++) {
            uint32_t edge = graph->out.list[i] - 1, end = graph->edges[edge].to;
            if (end > to || s->came_by[end] || graph->edges[edge].is_violated)
                continue;
            s->came_by[end] = edge + 1;
            s->queue[open++] = end;
        }
        if (next != MI_TG_NONE && next <= to && !s->came_by[next]) {
            s->came_by[next] = UINT32_MAX;
            s->queue[open++] = next;
        }
    }
    return s->came_by[to] != 0;
}

/* The last edge of the path that leads onto the lane of `to`. */
static void explain_path(struct searcher *s, uint32_t to, struct mi_cmp_serial *serial)
{
    uint32_t at = to, steps = 0;
    serial->order = MI_CMP_QUEUE;
    while (s->came_by[at] == UINT32_MAX) {
        at = s->graph->prev[at];
        steps += s->graph->role[at] == MI_TG_WORK;
    }
    if (!s->came_by[at])
        return; /* the order of one lane alone */
    const struct mi_tg_edge *edge = &s->graph->edges[s->came_by[at] - 1];
    if (edge->kind == MI_TG_SIGNAL) {
        serial->wait = s->graph->task[at];
        serial->order = steps ? MI_CMP_QUEUE : MI_CMP_EVENT;
    } else if (edge->kind == MI_TG_DATA) {
        serial->order = steps ? MI_CMP_QUEUE : MI_CMP_DATA;
    }
}

static uint32_t mover_of(const struct mi_compare *compare, const struct mi_cmp_serial *serial)
{
    for (int i = 1; i >= 0; i--)
        if (mi_cmp_is_moved(compare, serial->op[i]))
            return serial->op[i];
    return 0;
}

static void explain(struct searcher *s, struct mi_cmp_serial *serial)
{
    const struct mi_cmp_run *new = &s->compare->side[MI_CMP_NEW].run;
    uint32_t a = vertex_of(s->compare, serial->op[0]), b = vertex_of(s->compare, serial->op[1]);
    serial->order = MI_CMP_TIMING;
    if (a == MI_TG_NONE || b == MI_TG_NONE)
        return;
    if (a > b) {
        uint32_t op = serial->op[0], v = a;
        serial->op[0] = serial->op[1];
        serial->op[1] = op;
        a = b;
        b = v;
    }
    if (new->lane_of_op[serial->op[0]] == new->lane_of_op[serial->op[1]]) {
        serial->order = MI_CMP_ONE_STREAM;
        serial->mover = mover_of(s->compare, serial);
    } else if (s->searches++ < MOST_PATHS && is_reached(s, a, b)) {
        explain_path(s, b, serial);
    }
}

/* --- the list --- */

static int compare_serials(const void *left, const void *right)
{
    const struct mi_cmp_serial *a = left, *b = right;
    if (a->overlap_ns != b->overlap_ns)
        return a->overlap_ns > b->overlap_ns ? -1 : 1;
    if (a->op[0] != b->op[0])
        return a->op[0] < b->op[0] ? -1 : 1;
    return (a->op[1] > b->op[1]) - (a->op[1] < b->op[1]);
}

static bool list_serials(struct mi_compare *compare, const struct meetings *m)
{
    uint32_t samples = compare->side[MI_CMP_BASE].sample_count;
    compare->serials = mi_mem_new((size_t)m->count + 1, sizeof *compare->serials);
    for (uint32_t i = 0; compare->serials && i < m->count; i++) {
        const struct meeting *at = &m->list[i];
        if (2 * at->samples[MI_CMP_BASE] < samples || at->samples[MI_CMP_NEW] ||
            !compare->ops[at->op[0]].tasks[MI_CMP_NEW] ||
            !compare->ops[at->op[1]].tasks[MI_CMP_NEW])
            continue;
        compare->serials[compare->serial_count++] =
            (struct mi_cmp_serial){.op = {at->op[0], at->op[1]},
                                   .samples = at->samples[MI_CMP_BASE],
                                   .overlap_ns = at->overlap_ns / at->samples[MI_CMP_BASE]};
    }
    if (compare->serial_count)
        qsort(compare->serials, compare->serial_count, sizeof *compare->serials, compare_serials);
    return compare->serials != NULL;
}

bool mi_cmp_find_serials(struct mi_compare *compare, struct mi_error *err)
{
    const struct mi_taskgraph *graph = &compare->side[MI_CMP_NEW].run.graph;
    struct meetings m = {0};
    if (!compare->side[MI_CMP_BASE].run.graph.count || !graph->count)
        return true;
    struct searcher s = {.compare = compare, .graph = graph};
    s.came_by = mi_mem_new((size_t)graph->count + 1, sizeof *s.came_by);
    s.queue = mi_mem_new((size_t)graph->count + 1, sizeof *s.queue);
    bool ok = s.came_by && s.queue && find_meetings(compare, &m) && list_serials(compare, &m);
    for (uint32_t i = 0; ok && i < compare->serial_count; i++)
        explain(&s, &compare->serials[i]);
    mi_map_fini(&m.places);
    mi_mem_free(m.list);
    mi_mem_free(s.came_by);
    mi_mem_free(s.queue);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for tasks that overlap");
}
