/* Parts of the timeline that are made once, when somebody asks. */
#include "present/serve/site_parts.h"

#include "analyse/clocks/clocks_effects.h"
#include "base/mem.h"

void mi_times_init(struct mi_times *times)
{
    mi_lock_init(&times->raw_lock);
    mi_lock_init(&times->arrows_lock);
    mi_lock_init(&times->counters_lock);
    mi_lock_init(&times->busy_lock);
}

void mi_times_fini(struct mi_times *times)
{
    mi_mem_free(times->raw_start_ns);
    mi_arrows_fini(&times->arrows);
    mi_counter_series_fini(&times->counters);
    mi_busy_fini(&times->busy[0]);
    mi_busy_fini(&times->busy[1]);
    mi_lock_fini(&times->raw_lock);
    mi_lock_fini(&times->arrows_lock);
    mi_lock_fini(&times->counters_lock);
    mi_lock_fini(&times->busy_lock);
}

static bool make_raw(struct mi_times *times, const struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    if (rows->fits.count <= 1)
        return true;
    times->raw_start_ns = mi_mem_new(rows->tasks.count, sizeof *times->raw_start_ns);
    if (!times->raw_start_ns)
        return mi_fail(err, MI_ENOMEM, "out of memory for times as exported");
    times->raw_start_ns[0] = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        times->raw_start_ns[t] = mi_exported_start(model, t);
    return true;
}

const int64_t *mi_site_raw_starts(struct mi_site *site, struct mi_error *err)
{
    struct mi_times *times = mi_site_times(site);
    const struct mi_model *model = mi_site_model(site);
    mi_lock_take(&times->raw_lock);
    if (!times->has_raw)
        times->has_raw = make_raw(times, model, err);
    bool ok = times->has_raw;
    mi_lock_give(&times->raw_lock);
    if (!ok)
        return NULL;
    return times->raw_start_ns ? times->raw_start_ns : model->all.rows.tasks.start_ns;
}

const struct mi_arrows *mi_site_arrows(struct mi_site *site, struct mi_error *err)
{
    struct mi_times *times = mi_site_times(site);
    mi_lock_take(&times->arrows_lock);
    if (!times->has_arrows)
        times->has_arrows = mi_arrows_init(&times->arrows, mi_site_model(site), err);
    bool ok = times->has_arrows;
    mi_lock_give(&times->arrows_lock);
    return ok ? &times->arrows : NULL;
}

const struct mi_counter_series *mi_site_counters(struct mi_site *site, struct mi_error *err)
{
    struct mi_times *times = mi_site_times(site);
    mi_lock_take(&times->counters_lock);
    if (!times->has_counters)
        times->has_counters = mi_counter_series_init(&times->counters, mi_site_model(site), err);
    bool ok = times->has_counters;
    mi_lock_give(&times->counters_lock);
    return ok ? &times->counters : NULL;
}

static bool make_busy(struct mi_busy *busy, const struct mi_model *model, const int64_t *start_ns,
                      struct mi_error *err)
{
    struct mi_account account;
    if (!mi_account_init(&account, model, err))
        return false;
    bool ok = mi_busy_init(busy, &account, start_ns, err);
    mi_account_fini(&account);
    return ok;
}

const struct mi_busy *mi_site_busy(struct mi_site *site, bool is_raw, struct mi_error *err)
{
    struct mi_times *times = mi_site_times(site);
    const struct mi_model *model = mi_site_model(site);
    const int64_t *start_ns =
        is_raw ? mi_site_raw_starts(site, err) : model->all.rows.tasks.start_ns;
    if (!start_ns)
        return NULL;
    mi_lock_take(&times->busy_lock);
    if (!times->has_busy[is_raw])
        times->has_busy[is_raw] = make_busy(&times->busy[is_raw], model, start_ns, err);
    bool ok = times->has_busy[is_raw];
    mi_lock_give(&times->busy_lock);
    return ok ? &times->busy[is_raw] : NULL;
}
