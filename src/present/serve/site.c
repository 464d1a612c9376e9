#include "present/serve/site_parts.h"

#include "base/mem.h"

enum { LAYERS = MI_LAYER_STAGE + 1, MOST_CHILDREN = 400 };

struct slot {
    struct mi_lock lock;
    bool is_ready;
    struct mi_drawn drawn;
};

struct mi_site {
    const struct mi_model *model;
    struct mi_site_base base;
    struct slot slots[LAYERS][MI_FOLDS];
    struct mi_lod_cache lods;
    struct mi_times times;
};

struct mi_site *mi_site_new(const struct mi_model *model, struct mi_error *err)
{
    struct mi_site *site = mi_mem_zero(1, sizeof *site);
    if (!site) {
        mi_fail(err, MI_ENOMEM, "out of memory");
        return NULL;
    }
    site->model = model;
    mi_lod_cache_init(&site->lods);
    mi_times_init(&site->times);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int fold = 0; fold < MI_FOLDS; fold++)
            mi_lock_init(&site->slots[layer][fold].lock);
    return site;
}

void mi_site_set_base(struct mi_site *site, const struct mi_site_base *base)
{
    site->base = *base;
}

const struct mi_site_base *mi_site_base(const struct mi_site *site)
{
    return &site->base;
}

void mi_site_free(struct mi_site *site)
{
    if (!site)
        return;
    for (int layer = 0; layer < LAYERS; layer++)
        for (int fold = 0; fold < MI_FOLDS; fold++) {
            struct slot *slot = &site->slots[layer][fold];
            if (slot->is_ready) {
                mi_scenery_fini(&slot->drawn.scenery);
                mi_outline_fini(&slot->drawn.outline);
            }
            mi_lock_fini(&slot->lock);
        }
    mi_lod_cache_fini(&site->lods);
    mi_times_fini(&site->times);
    mi_mem_free(site);
}

struct mi_lod_cache *mi_site_lod_cache(struct mi_site *site)
{
    return &site->lods;
}

struct mi_times *mi_site_times(struct mi_site *site)
{
    return &site->times;
}

const struct mi_model *mi_site_model(const struct mi_site *site)
{
    return site->model;
}

enum mi_fold mi_site_fold(struct mi_bytes name)
{
    return mi_bytes_equal(name, MI_LIT("group"))  ? MI_FOLD_GROUP
           : mi_bytes_equal(name, MI_LIT("none")) ? MI_FOLD_NONE
                                                  : MI_FOLD_SCOPE;
}

enum mi_layer mi_site_layer(struct mi_bytes name)
{
    return mi_bytes_equal(name, MI_LIT("compiled")) ? MI_LAYER_COMPILED : MI_LAYER_FRAMEWORK;
}

static bool draw(struct mi_drawn *drawn, const struct mi_model *model, enum mi_layer layer,
                 enum mi_fold fold, struct mi_error *err)
{
    struct mi_outline_options options = {.layer = (int)layer,
                                         .by_group = fold == MI_FOLD_GROUP,
                                         .flat = fold == MI_FOLD_NONE,
                                         .with_ends = true,
                                         .adopt = fold == MI_FOLD_SCOPE,
                                         .most_children = MOST_CHILDREN};
    if (mi_outline_init(&drawn->outline, model, &options, err)) {
        if (mi_scenery_init(&drawn->scenery, &drawn->outline, err))
            return true;
        mi_scenery_fini(&drawn->scenery);
    }
    mi_outline_fini(&drawn->outline);
    return false;
}

const struct mi_drawn *mi_site_drawn(struct mi_site *site, enum mi_layer layer, enum mi_fold fold,
                                     struct mi_error *err)
{
    struct slot *slot = &site->slots[layer][fold];
    mi_lock_take(&slot->lock);
    if (!slot->is_ready)
        slot->is_ready = draw(&slot->drawn, mi_site_model(site), layer, fold, err);
    bool is_ready = slot->is_ready;
    mi_lock_give(&slot->lock);
    return is_ready ? &slot->drawn : NULL;
}
