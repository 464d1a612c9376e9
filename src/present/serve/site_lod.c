/* Lanes of the timeline by filter: made once, kept while they are asked for. */
#include "present/serve/site_parts.h"

#include "base/mem.h"
#include "present/serve/find_text.h"

#include <string.h>

static uint64_t key_of(const struct mi_time_filter *filter)
{
    return mi_hash64(filter->text) ^ ((uint64_t)filter->hidden << 32 | filter->hidden) ^
           ((uint64_t)filter->is_raw << 31);
}

static bool has_text(struct mi_bytes name, struct mi_bytes text)
{
    return mi_find_text(name, text) != SIZE_MAX;
}

static void mark(const struct mi_model *model, const struct mi_time_filter *filter,
                 uint8_t *kernels, uint8_t *slices)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t k = 1; k < rows->kernels.count; k++)
        kernels[k] = !(filter->hidden >> rows->kernels.category[k] & 1) &&
                     (has_text(mi_model_text(model, rows->kernels.name[k]), filter->text) ||
                      has_text(mi_model_text(model, rows->kernels.op[k]), filter->text) ||
                      has_text(mi_model_text(model, rows->kernels.node_name[k]), filter->text));
    for (uint32_t s = 1; s < rows->slices.count; s++)
        slices[s] = has_text(mi_model_text(model, rows->slices.name[s]), filter->text);
}

/* `raw_start_ns` as in mi_lod_filter. */
static bool build(struct mi_lod *lod, const struct mi_model *model,
                  const struct mi_time_filter *filter, const int64_t *raw_start_ns,
                  struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_lod_filter wanted = {.task_start_ns = raw_start_ns};
    if (!filter->hidden && !filter->text.len)
        return mi_lod_init(lod, model, &wanted, err);
    uint8_t *kernels = mi_mem_zero(rows->kernels.count, 1);
    uint8_t *slices = mi_mem_zero(rows->slices.count, 1);
    bool ok = kernels && slices;
    if (ok)
        mark(model, filter, kernels, slices);
    else
        mi_fail(err, MI_ENOMEM, "out of memory for the timeline");
    wanted.kernels = kernels;
    wanted.slices = slices;
    ok = ok && mi_lod_init(lod, model, &wanted, err);
    mi_mem_free(kernels);
    mi_mem_free(slices);
    return ok;
}

/* The slot of the filter, or one to use for it: free, or the one that was not asked for longest. */
static struct mi_lod_slot *find_slot(struct mi_lod_cache *cache, uint64_t key)
{
    struct mi_lod_slot *best = NULL;
    for (int i = 0; i < MI_LOD_SLOTS; i++) {
        struct mi_lod_slot *slot = &cache->slots[i];
        if (slot->is_ready && slot->key == key)
            return slot;
        if (!slot->users && (!best || slot->used_at < best->used_at))
            best = slot;
    }
    return best;
}

const struct mi_lod *mi_site_lod(struct mi_site *site, const struct mi_time_filter *filter,
                                 struct mi_error *err)
{
    struct mi_lod_cache *cache = mi_site_lod_cache(site);
    uint64_t key = key_of(filter);
    const int64_t *raw = filter->is_raw ? mi_site_raw_starts(site, err) : NULL;
    if (filter->is_raw && !raw)
        return NULL;
    mi_lock_take(&cache->lock);
    struct mi_lod_slot *slot = find_slot(cache, key);
    if (slot && !(slot->is_ready && slot->key == key)) {
        mi_lod_fini(&slot->lod);
        slot->is_ready = build(&slot->lod, mi_site_model(site), filter, raw, err);
        slot->key = key;
    }
    bool ok = slot && slot->is_ready;
    if (ok) {
        slot->used_at = ++cache->clock;
        slot->users++;
    }
    mi_lock_give(&cache->lock);
    if (!slot)
        mi_fail(err, MI_ELIMIT, "too many filters at once");
    return ok ? &slot->lod : NULL;
}

void mi_site_lod_done(struct mi_site *site, const struct mi_lod *lod)
{
    struct mi_lod_cache *cache = mi_site_lod_cache(site);
    mi_lock_take(&cache->lock);
    for (int i = 0; i < MI_LOD_SLOTS; i++)
        if (&cache->slots[i].lod == lod)
            cache->slots[i].users--;
    mi_lock_give(&cache->lock);
}

void mi_lod_cache_init(struct mi_lod_cache *cache)
{
    mi_lock_init(&cache->lock);
}

void mi_lod_cache_fini(struct mi_lod_cache *cache)
{
    for (int i = 0; i < MI_LOD_SLOTS; i++)
        mi_lod_fini(&cache->slots[i].lod);
    mi_lock_fini(&cache->lock);
}
