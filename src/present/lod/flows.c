#include "present/lod/flows.h"

#include "base/mem.h"

#include <stdlib.h>

/* --- look-ups --- */

struct key { /* where a row stands: a task, or a slice behind all tasks */
    uint64_t at;
    uint32_t row;
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static uint64_t key_of(bool is_host, uint32_t id)
{
    return (uint64_t)is_host << 32 | id;
}

static uint64_t flow_end(const struct mi_flows *flows, uint32_t row, bool is_to)
{
    uint32_t task = is_to ? flows->to_task[row].v : flows->from_task[row].v;
    uint32_t slice = is_to ? flows->to_slice[row].v : flows->from_slice[row].v;
    return task ? key_of(false, task) : slice ? key_of(true, slice) : 0;
}

/* An arrow that says the same as tasks.launch, or whose end is not in the file, is no news. */
static bool is_news(const struct mi_tables *rows, uint32_t flow)
{
    const struct mi_flows *flows = &rows->flows;
    uint32_t task = flows->to_task[flow].v, slice = flows->from_slice[flow].v;
    if (!flow_end(flows, flow, false) || !flow_end(flows, flow, true))
        return false;
    return !(task && slice && rows->tasks.launch[task].v == slice);
}

/* The rows that `keys` [count] name, in the order of the keys. */
static uint32_t *sorted_rows(struct key *keys, uint32_t count)
{
    uint32_t *list = mi_mem_new((size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++)
        list[i] = keys[i].row;
    return list;
}

static uint32_t *sort_signals(struct key *keys, const mi_task_id *task, uint32_t count)
{
    for (uint32_t s = 1; s < count; s++)
        keys[s - 1] = (struct key){task[s].v, s};
    return sorted_rows(keys, count ? count - 1 : 0);
}

static uint32_t *sort_flows(struct key *keys, const struct mi_tables *rows, bool is_to,
                            uint32_t *count)
{
    *count = 0;
    for (uint32_t f = 1; f < rows->flows.count; f++)
        if (is_news(rows, f))
            keys[(*count)++] = (struct key){flow_end(&rows->flows, f, is_to), f};
    return sorted_rows(keys, *count);
}

bool mi_arrows_init(struct mi_arrows *arrows, const struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t most =
        rows->signals.count > rows->flows.count ? rows->signals.count : rows->flows.count;
    struct key *keys = mi_mem_new((size_t)most + 1, sizeof *keys);
    *arrows = (struct mi_arrows){.model = model};
    if (keys) {
        arrows->by_record = sort_signals(keys, rows->signals.record, rows->signals.count);
        arrows->by_wait = sort_signals(keys, rows->signals.wait, rows->signals.count);
        arrows->by_from = sort_flows(keys, rows, false, &arrows->flow_count);
        arrows->by_to = sort_flows(keys, rows, true, &arrows->flow_count);
    }
    mi_mem_free(keys);
    if (arrows->by_record && arrows->by_wait && arrows->by_from && arrows->by_to &&
        mi_csr_build(&arrows->launched, rows->slices.count, (const uint32_t *)rows->tasks.launch,
                     rows->tasks.count))
        return true;
    mi_arrows_fini(arrows);
    return mi_fail(err, MI_ENOMEM, "out of memory for the arrows of the timeline");
}

void mi_arrows_fini(struct mi_arrows *arrows)
{
    mi_mem_free(arrows->by_record);
    mi_mem_free(arrows->by_wait);
    mi_mem_free(arrows->by_from);
    mi_mem_free(arrows->by_to);
    mi_csr_fini(&arrows->launched);
    *arrows = (struct mi_arrows){0};
}

/* --- one arrow --- */

struct asking {
    const struct mi_arrows *arrows;
    const struct mi_lod *lod;
    const struct mi_tables *rows;
    struct mi_arrow *out;
    uint32_t room, filled, total;
};

static struct asking ask(const struct mi_arrows *arrows, const struct mi_lod *lod,
                         struct mi_arrow *out, uint32_t room)
{
    return (struct asking){
        .arrows = arrows, .lod = lod, .rows = &arrows->model->all.rows, .out = out, .room = room};
}

static int64_t start_of(const struct asking *a, bool is_host, uint32_t id)
{
    return is_host ? a->rows->slices.start_ns[id] : a->lod->task_start_ns[id];
}

static int64_t end_of(const struct asking *a, bool is_host, uint32_t id)
{
    int64_t dur = is_host ? a->rows->slices.dur_ns[id] : a->rows->tasks.dur_ns[id], end;
    return __builtin_add_overflow(start_of(a, is_host, id), dur, &end) ? INT64_MAX : end;
}

/* Counts the arrow, and writes it down where there is room and both of its ends are shown. */
static void add(struct asking *a, const struct mi_arrow *arrow)
{
    struct mi_arrow *out = a->filled < a->room ? &a->out[a->filled] : NULL;
    a->total++;
    if (!out)
        return;
    *out = *arrow;
    out->from.lane = mi_lod_lane_of(a->lod, arrow->from.is_host, arrow->from.id);
    out->to.lane = mi_lod_lane_of(a->lod, arrow->to.is_host, arrow->to.id);
    a->filled += out->from.lane != UINT32_MAX && out->to.lane != UINT32_MAX;
}

static void add_launch(struct asking *a, uint32_t task)
{
    uint32_t slice = a->rows->tasks.launch[task].v;
    if (slice)
        add(a, &(struct mi_arrow){MI_ARROW_LAUNCH,
                                  MI_CERTAIN,
                                  {true, slice, 0, start_of(a, true, slice)},
                                  {false, task, 0, start_of(a, false, task)}});
}

static void add_signal(struct asking *a, uint32_t signal)
{
    const struct mi_signals *signals = &a->rows->signals;
    uint32_t record = signals->record[signal].v, wait = signals->wait[signal].v;
    int64_t done = end_of(a, false, record), start = start_of(a, false, wait);
    int64_t at = done > start ? end_of(a, false, wait) : start;
    add(a, &(struct mi_arrow){MI_ARROW_SIGNAL,
                              signals->confidence[signal],
                              {false, record, 0, done},
                              {false, wait, 0, at}});
}

static void add_flow(struct asking *a, uint32_t flow)
{
    uint64_t from = flow_end(&a->rows->flows, flow, false);
    uint64_t to = flow_end(&a->rows->flows, flow, true);
    bool from_host = from >> 32, to_host = to >> 32;
    add(a,
        &(struct mi_arrow){MI_ARROW_TRACE,
                           MI_CERTAIN,
                           {from_host, (uint32_t)from, 0, start_of(a, from_host, (uint32_t)from)},
                           {to_host, (uint32_t)to, 0, start_of(a, to_host, (uint32_t)to)}});
}

/* --- asking --- */

static uint64_t signal_key(const struct asking *a, uint32_t row, bool is_wait)
{
    return is_wait ? a->rows->signals.wait[row].v : a->rows->signals.record[row].v;
}

/* First place of a list of signals whose task is `task` or a later one. */
static uint32_t first_signal(const struct asking *a, bool is_wait, uint32_t task)
{
    const uint32_t *list = is_wait ? a->arrows->by_wait : a->arrows->by_record;
    uint32_t low = 0, high = a->rows->signals.count ? a->rows->signals.count - 1 : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (signal_key(a, list[middle], is_wait) < task)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_flows_at(struct asking *a, uint64_t key, bool is_to)
{
    const uint32_t *list = is_to ? a->arrows->by_to : a->arrows->by_from;
    uint32_t low = 0, high = a->arrows->flow_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (flow_end(&a->rows->flows, list[middle], is_to) < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < a->arrows->flow_count; low++) {
        if (flow_end(&a->rows->flows, list[low], is_to) != key)
            break;
        add_flow(a, list[low]);
    }
}

static void add_signals_at(struct asking *a, uint32_t task)
{
    for (int is_wait = 0; is_wait < 2; is_wait++) {
        const uint32_t *list = is_wait ? a->arrows->by_wait : a->arrows->by_record;
        uint32_t end = first_signal(a, is_wait, task + 1);
        for (uint32_t i = first_signal(a, is_wait, task); i < end; i++)
            add_signal(a, list[i]);
    }
}

uint32_t mi_arrows_at(const struct mi_arrows *arrows, const struct mi_lod *lod, bool is_host,
                      uint32_t id, struct mi_arrow *out, uint32_t room, uint32_t *total)
{
    struct asking a = ask(arrows, lod, out, room);
    if (is_host) {
        const struct mi_csr *launched = &arrows->launched;
        for (uint32_t i = launched->first[id]; i < launched->first[id + 1]; i++)
            add_launch(&a, launched->list[i]);
    } else {
        add_launch(&a, id);
        add_signals_at(&a, id);
    }
    add_flows_at(&a, key_of(is_host, id), false);
    add_flows_at(&a, key_of(is_host, id), true);
    *total = a.total;
    return a.filled;
}

/* The first task of [first, end), one track, that starts at `ns` or later. */
static uint32_t first_task_from(const struct mi_lod *lod, uint32_t first, uint32_t end, int64_t ns)
{
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (lod->task_start_ns[middle] < ns)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

struct task_run {
    uint32_t first, end;
};

static struct task_run tasks_in(const struct mi_lod *lod, uint32_t track, int64_t from_ns,
                                int64_t to_ns)
{
    const uint32_t *first = lod->model->index.track_first_task;
    uint32_t from = first_task_from(lod, first[track], first[track + 1], from_ns);
    return (struct task_run){from, first_task_from(lod, from, first[track + 1], to_ns)};
}

static uint32_t count_launches(const struct asking *a, int64_t from_ns, int64_t to_ns)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < a->rows->tracks.count; t++) {
        struct task_run run = tasks_in(a->lod, t, from_ns, to_ns);
        for (uint32_t task = run.first; task < run.end; task++)
            count += a->rows->tasks.launch[task].v != 0;
    }
    return count;
}

static uint32_t count_signals(const struct asking *a, int64_t from_ns, int64_t to_ns)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < a->rows->tracks.count; t++) {
        struct task_run run = tasks_in(a->lod, t, from_ns, to_ns);
        count += first_signal(a, true, run.end) - first_signal(a, true, run.first);
    }
    return count;
}

/* Every n-th of `count`, so that about `room` are chosen. */
static bool is_chosen(uint64_t place, uint32_t count, uint32_t room)
{
    return count <= room || (place * room) / count != ((place + 1) * room) / count;
}

static void add_signals(struct asking *a, uint32_t count, int64_t from_ns, int64_t to_ns)
{
    uint32_t room = a->room, place = 0;
    for (uint32_t t = 0; t < a->rows->tracks.count; t++) {
        struct task_run run = tasks_in(a->lod, t, from_ns, to_ns);
        uint32_t end = first_signal(a, true, run.end);
        for (uint32_t i = first_signal(a, true, run.first); i < end; i++)
            if (is_chosen(place++, count, room))
                add_signal(a, a->arrows->by_wait[i]);
    }
}

static void add_launches(struct asking *a, uint32_t count, int64_t from_ns, int64_t to_ns)
{
    uint32_t room = a->room - a->filled, place = 0;
    for (uint32_t t = 0; t < a->rows->tracks.count; t++) {
        struct task_run run = tasks_in(a->lod, t, from_ns, to_ns);
        for (uint32_t task = run.first; task < run.end; task++)
            if (a->rows->tasks.launch[task].v && is_chosen(place++, count, room))
                add_launch(a, task);
    }
}

uint32_t mi_arrows_in(const struct mi_arrows *arrows, const struct mi_lod *lod, unsigned kinds,
                      int64_t from_ns, int64_t to_ns, struct mi_arrow *out, uint32_t room,
                      uint32_t *total)
{
    struct asking a = ask(arrows, lod, out, room);
    uint32_t signals = kinds & 1U << MI_ARROW_SIGNAL ? count_signals(&a, from_ns, to_ns) : 0;
    uint32_t launches = kinds & 1U << MI_ARROW_LAUNCH ? count_launches(&a, from_ns, to_ns) : 0;
    if (signals)
        add_signals(&a, signals, from_ns, to_ns);
    if (launches && a.filled < room)
        add_launches(&a, launches, from_ns, to_ns);
    *total = signals + launches;
    return a.filled;
}
