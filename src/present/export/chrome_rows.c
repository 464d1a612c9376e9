#include "present/export/chrome_rows.h"

#include "base/map.h"
#include "base/mem.h"
#include "present/export/common.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LANES = 64, MAX_NESTING = 64 };

/* Ends of the open slices of one lane, innermost last. */
struct lane {
    int64_t ends[MAX_NESTING];
    int depth;
};

static bool fits(struct lane *lane, int64_t start, int64_t end)
{
    while (lane->depth && lane->ends[lane->depth - 1] <= start)
        lane->depth--;
    if (lane->depth == MAX_NESTING || (lane->depth && lane->ends[lane->depth - 1] < end))
        return false;
    lane->ends[lane->depth++] = end;
    return true;
}

static int compare_spans(const void *left, const void *right)
{
    const struct mi_chrome_span *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->dur_ns != b->dur_ns) /* the one that encloses the other comes first */
        return a->dur_ns > b->dur_ns ? -1 : 1;
    if (a->is_slice != b->is_slice)
        return a->is_slice ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* All that has a track, in the order in which viewers want it. */
static bool gather_spans(struct mi_chrome_rows *rows)
{
    const struct mi_tasks *tasks = &rows->tables->tasks;
    const struct mi_slices *slices = &rows->tables->slices;
    rows->spans = mi_mem_new((size_t)tasks->count + slices->count, sizeof *rows->spans);
    if (!rows->spans)
        return false;
    for (uint32_t t = 1; t < tasks->count; t++)
        if (tasks->track[t].v)
            rows->spans[rows->span_count++] = (struct mi_chrome_span){
                tasks->start_ns[t], tasks->dur_ns[t], tasks->track[t].v, t, false};
    for (uint32_t s = 1; s < slices->count; s++)
        if (slices->track[s].v)
            rows->spans[rows->span_count++] = (struct mi_chrome_span){
                slices->start_ns[s], slices->dur_ns[s], slices->track[s].v, s, true};
    if (rows->span_count > 1)
        qsort(rows->spans, rows->span_count, sizeof *rows->spans, compare_spans);
    return true;
}

/* Puts each span of a track on the first lane where it nests. What fits nowhere shares the last. */
static bool spread_spans(struct mi_chrome_rows *rows)
{
    struct lane *lanes = mi_mem_zero(MAX_LANES, sizeof *lanes);
    if (!lanes)
        return false;
    for (uint32_t i = 0; i < rows->span_count; i++) {
        const struct mi_chrome_span *span = &rows->spans[i];
        uint8_t lane = 0;
        if (i && span->track != span[-1].track)
            memset(lanes, 0, MAX_LANES * sizeof *lanes);
        int64_t end = mi_export_add(span->start_ns, span->dur_ns);
        while (lane < MAX_LANES - 1 && !fits(&lanes[lane], span->start_ns, end))
            lane++;
        (span->is_slice ? rows->slice_lane : rows->lane)[span->row] = lane;
        if (rows->lanes[span->track] <= lane)
            rows->lanes[span->track] = (uint8_t)(lane + 1);
    }
    mi_mem_free(lanes);
    return true;
}

/* One process for the host, one per device: tracks of equal (rank, device) share it. */
static bool number_processes(struct mi_chrome_rows *rows, struct mi_error *err)
{
    const struct mi_tracks *tracks = &rows->tables->tracks;
    uint32_t next = MI_CHROME_FIRST_DEVICE;
    struct mi_map pids = {0};
    bool ok = true;
    for (uint32_t t = 1; ok && t < tracks->count; t++) {
        rows->pid[t] = MI_CHROME_HOST;
        if (tracks->kind[t] == MI_TRACK_THREAD)
            continue;
        uint64_t key = mi_pair((uint32_t)tracks->rank[t], (uint32_t)tracks->device[t]);
        uint32_t *pid = mi_map_at(&pids, key);
        ok = pid || mi_fail(err, MI_ENOMEM, "out of memory");
        if (pid && !*pid)
            *pid = next++;
        rows->pid[t] = pid ? *pid : 0;
    }
    mi_map_fini(&pids);
    return ok;
}

struct mi_chrome_place mi_chrome_row(const struct mi_chrome_rows *rows, uint32_t track,
                                     unsigned lane)
{
    return (struct mi_chrome_place){rows->pid[track], (uint64_t)track * MAX_LANES + lane};
}

/* The mirror of a stream's row. Its number is one of its own: some viewers take rows of equal
 * number for one thread even where their processes differ. */
struct mi_chrome_place mi_chrome_framework_row(const struct mi_chrome_rows *rows, uint32_t track,
                                               unsigned lane)
{
    uint64_t row = (uint64_t)rows->tables->tracks.count + track;
    return (struct mi_chrome_place){MI_CHROME_FRAMEWORK, row * MAX_LANES + lane};
}

struct mi_chrome_place mi_chrome_framework_place(const struct mi_chrome_rows *rows, uint32_t task)
{
    return mi_chrome_framework_row(rows, rows->tables->tasks.track[task].v, rows->lane[task]);
}

struct mi_chrome_place mi_chrome_task_place(const struct mi_chrome_rows *rows, uint32_t task)
{
    return mi_chrome_row(rows, rows->tables->tasks.track[task].v, rows->lane[task]);
}

struct mi_chrome_place mi_chrome_slice_place(const struct mi_chrome_rows *rows, uint32_t slice)
{
    return mi_chrome_row(rows, rows->tables->slices.track[slice].v, rows->slice_lane[slice]);
}

bool mi_chrome_rows_init(struct mi_chrome_rows *rows, const struct mi_tables *tables,
                         struct mi_error *err)
{
    *rows = (struct mi_chrome_rows){.tables = tables};
    rows->lane = mi_mem_zero(tables->tasks.count, sizeof *rows->lane);
    rows->slice_lane = mi_mem_zero(tables->slices.count, sizeof *rows->slice_lane);
    rows->lanes = mi_mem_zero(tables->tracks.count, sizeof *rows->lanes);
    rows->pid = mi_mem_zero(tables->tracks.count, sizeof *rows->pid);
    if (!rows->lane || !rows->slice_lane || !rows->lanes || !rows->pid || !gather_spans(rows) ||
        !spread_spans(rows))
        return mi_fail(err, MI_ENOMEM, "out of memory for the rows of the trace");
    int64_t first_ns = 0;
    for (uint32_t i = 0; i < rows->span_count; i++)
        first_ns = rows->spans[i].start_ns < first_ns ? rows->spans[i].start_ns : first_ns;
    rows->shift_ns = mi_export_sub(0, first_ns);
    for (uint32_t t = 1; t < tables->tracks.count; t++)
        rows->lanes[t] = rows->lanes[t] ? rows->lanes[t] : 1;
    return number_processes(rows, err);
}

void mi_chrome_rows_fini(struct mi_chrome_rows *rows)
{
    mi_mem_free(rows->spans);
    mi_mem_free(rows->lane);
    mi_mem_free(rows->slice_lane);
    mi_mem_free(rows->lanes);
    mi_mem_free(rows->pid);
    *rows = (struct mi_chrome_rows){0};
}
