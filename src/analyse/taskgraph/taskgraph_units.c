/* Which runs on which devices there are to make graphs of. */
#include "analyse/taskgraph/taskgraph.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

/* Devices by (rank, device), numbered from 1 in the order of tracks; [tracks.count]. */
static uint32_t *number_devices(const struct mi_tables *rows)
{
    const struct mi_tracks *tracks = &rows->tracks;
    uint32_t *device_of = mi_mem_zero(tracks->count, sizeof *device_of);
    uint32_t *first = mi_mem_zero((size_t)tracks->count + 1, sizeof *first); /* track of each */
    uint32_t count = 0;
    for (uint32_t t = 1; device_of && first && t < tracks->count; t++) {
        uint32_t d = 1;
        while (d <= count && (tracks->rank[first[d]] != tracks->rank[t] ||
                              tracks->device[first[d]] != tracks->device[t]))
            d++;
        if (d > count)
            first[++count] = t;
        device_of[t] = d;
    }
    if (!first) {
        mi_mem_free(device_of);
        device_of = NULL;
    }
    mi_mem_free(first);
    return device_of;
}

static void widen(struct mi_tg_unit *unit, const struct mi_tasks *tasks, uint32_t t)
{
    int64_t start_ns = tasks->start_ns[t], end_ns = mi_ns_add(start_ns, tasks->dur_ns[t]);
    unit->begin_ns = unit->tasks && unit->begin_ns < start_ns ? unit->begin_ns : start_ns;
    unit->end_ns = unit->tasks && unit->end_ns > end_ns ? unit->end_ns : end_ns;
    unit->tasks++;
}

static bool list_units(struct mi_tg_units *units, const struct mi_tables *rows,
                       const struct mi_account *account, const uint32_t *device_of)
{
    const struct mi_tasks *tasks = &rows->tasks;
    struct mi_map place = {0};
    uint32_t room = 0;
    bool ok = true;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        uint32_t track = tasks->track[t].v, run = account->run_of[t];
        uint32_t *at = mi_map_at(&place, mi_pair(run, device_of[track]));
        ok = at != NULL;
        if (ok && !*at) {
            if (units->count == room) {
                room = room ? 2 * room : 16;
                void *list = mi_mem_resize(units->list, room, sizeof *units->list);
                if (!list) {
                    ok = false;
                    break;
                }
                units->list = list;
            }
            *at = ++units->count;
            units->list[*at - 1] = (struct mi_tg_unit){.run = run,
                                                       .rank = rows->tracks.rank[track],
                                                       .device = rows->tracks.device[track],
                                                       .is_counted = account->runs[run].is_counted};
        }
        uint32_t kernel = tasks->kernel[t].v; /* marks of the runtime may stand far outside */
        if (ok && (rows->kernels.kind[kernel] != MI_TASK_SYNC ||
                   rows->kernels.sync[kernel] != MI_SYNC_NONE))
            widen(&units->list[*at - 1], tasks, t);
    }
    mi_map_fini(&place);
    return ok;
}

static int compare_places(const void *left, const void *right)
{
    const struct mi_tg_unit *a = left, *b = right;
    if (a->mean_makespan_ns != b->mean_makespan_ns)
        return a->mean_makespan_ns > b->mean_makespan_ns ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

static int compare_devices(const void *left, const void *right)
{
    const struct mi_tg_unit *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

/* The mean of a device over its counted runs within one capture. */
static void set_means(struct mi_tg_units *units, const struct mi_account *account)
{
    for (uint32_t i = 0, end; i < units->count; i = end) {
        int64_t sum = 0, runs = 0;
        uint32_t group = account->runs[units->list[i].run].group;
        for (end = i; end < units->count; end++) {
            const struct mi_tg_unit *unit = &units->list[end];
            if (unit->rank != units->list[i].rank || unit->device != units->list[i].device ||
                account->runs[unit->run].group != group)
                break;
            if (unit->is_counted) {
                sum = mi_ns_add(sum, mi_ns_sub(unit->end_ns, unit->begin_ns));
                runs++;
            }
        }
        for (uint32_t k = i; k < end; k++)
            units->list[k].mean_makespan_ns = runs ? sum / runs : 0;
    }
}

bool mi_tg_units_init(struct mi_tg_units *units, const struct mi_model *model,
                      const struct mi_account *account, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    *units = (struct mi_tg_units){0};
    uint32_t *device_of = number_devices(rows);
    bool ok = device_of && list_units(units, rows, account, device_of);
    mi_mem_free(device_of);
    if (!ok) {
        mi_tg_units_fini(units);
        return mi_fail(err, MI_ENOMEM, "out of memory");
    }
    if (units->count) {
        qsort(units->list, units->count, sizeof *units->list, compare_devices);
        set_means(units, account);
        qsort(units->list, units->count, sizeof *units->list, compare_places);
    }
    return true;
}

void mi_tg_units_fini(struct mi_tg_units *units)
{
    mi_mem_free(units->list);
    *units = (struct mi_tg_units){0};
}
