/* The samples of a side: counted runs of one device, over all its captures. */
#include "analyse/accounting/lanes.h"
#include "analyse/compare/compare_parts.h"
#include "base/mem.h"

/* Marked steps first; odds and ends outside of them only where there is nothing else. */
static bool is_sample(const struct mi_cmp_capture *capture, const struct mi_tg_unit *unit,
                      bool with_outside)
{
    return unit->is_counted && unit->end_ns > unit->begin_ns &&
           (with_outside || !capture->account.runs[unit->run].is_outside);
}

static bool has_device(const struct mi_cmp_side *side, int64_t rank, int64_t device)
{
    const struct mi_tg_units *units = &side->captures[0].units;
    for (uint32_t u = 0; u < units->count; u++)
        if (units->list[u].rank == rank && units->list[u].device == device &&
            units->list[u].is_counted)
            return true;
    return false;
}

/* What is asked for; else the like of the other side; else the slowest. */
static bool choose_device(struct mi_cmp_side *side, const struct mi_cmp_options *options,
                          const struct mi_cmp_side *like)
{
    const struct mi_tg_units *units = &side->captures[0].units;
    if (like && options->rank < 0 && options->device < 0 &&
        has_device(side, like->rank, like->device)) {
        side->rank = like->rank;
        side->device = like->device;
        return true;
    }
    for (int with_outside = 0; with_outside < 2; with_outside++)
        for (uint32_t u = 0; u < units->count; u++) {
            const struct mi_tg_unit *unit = &units->list[u];
            if (!is_sample(&side->captures[0], unit, with_outside) ||
                (options->rank >= 0 && options->rank != unit->rank) ||
                (options->device >= 0 && options->device != unit->device))
                continue;
            side->rank = unit->rank;
            side->device = unit->device;
            return true;
        }
    return false;
}

static uint32_t add_samples(struct mi_cmp_side *side, uint32_t c, bool with_outside)
{
    struct mi_cmp_capture *capture = &side->captures[c];
    uint32_t added = 0;
    for (uint32_t u = 0; u < capture->units.count; u++) {
        const struct mi_tg_unit *unit = &capture->units.list[u];
        if (unit->rank != side->rank || unit->device != side->device ||
            !is_sample(capture, unit, with_outside))
            continue;
        side->samples[side->sample_count++] = (struct mi_cmp_sample){
            .capture = c, .unit = u, .makespan_ns = mi_ns_sub(unit->end_ns, unit->begin_ns)};
        capture->sample_of[unit->run] = side->sample_count;
        added++;
    }
    return added;
}

static void add_work(struct mi_cmp_side *side, const struct mi_cmp_capture *capture)
{
    const struct mi_tables *rows = &capture->model->all.rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t sample = capture->sample_of[capture->account.run_of[t]];
        uint32_t track = rows->tasks.track[t].v;
        if (!sample || rows->tracks.rank[track] != side->rank ||
            rows->tracks.device[track] != side->device ||
            mi_account_part(&capture->account, t) != MI_PART_WORK)
            continue;
        struct mi_cmp_sample *at = &side->samples[sample - 1];
        int64_t own_ns = capture->account.own_ns[t];
        at->work_ns = mi_ns_add(at->work_ns, own_ns);
        if (mi_lane_kind(&capture->account, t) == MI_LANE_TRANSFER)
            at->transfer_ns = mi_ns_add(at->transfer_ns, own_ns);
    }
}

static int64_t median_of(const struct mi_cmp_side *side, size_t offset, int64_t *list)
{
    for (uint32_t i = 0; i < side->sample_count; i++)
        memcpy(&list[i], (const char *)&side->samples[i] + offset, sizeof *list);
    return mi_cmp_median(list, side->sample_count);
}

bool mi_cmp_find_samples(struct mi_cmp_side *side, const struct mi_cmp_options *options,
                         const struct mi_cmp_side *like, struct mi_error *err)
{
    size_t room = 1;
    for (uint32_t c = 0; c < side->capture_count; c++)
        room += side->captures[c].units.count;
    side->samples = mi_mem_zero(room, sizeof *side->samples);
    int64_t *list = mi_mem_new(room, sizeof *list);
    bool ok = (side->samples && list) || mi_fail(err, MI_ENOMEM, "out of memory");
    if (ok && !choose_device(side, options, like) && side->captures[0].units.count &&
        (options->rank >= 0 || options->device >= 0))
        ok = mi_fail(err, MI_ENOTFOUND, "there are no tasks of that rank and device");
    for (uint32_t c = 0; ok && c < side->capture_count; c++) {
        if (!add_samples(side, c, false))
            add_samples(side, c, true);
        add_work(side, &side->captures[c]);
    }
    if (ok) {
        side->makespan_ns = median_of(side, offsetof(struct mi_cmp_sample, makespan_ns), list);
        side->work_ns = median_of(side, offsetof(struct mi_cmp_sample, work_ns), list);
        side->transfer_ns = median_of(side, offsetof(struct mi_cmp_sample, transfer_ns), list);
    }
    mi_mem_free(list);
    return ok;
}
