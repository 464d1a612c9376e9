#include "present/serve/site_parts.h"

#include "base/mem.h"

enum { MOST_CHILDREN = 400 };

struct slot {
    struct mi_lock lock;
    bool is_ready;
    struct mi_drawn drawn;
};

struct mi_site {
    const struct mi_model *model;
    struct mi_site *base;      /* of a comparison, owned */
    bool is_base;              /* of one */
    struct mi_site_diff *diff; /* of both sites; the new side's */
    struct mi_bytes names[MI_CMP_SIDES];
    struct slot slots[MI_FOLDINGS];
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
    for (int s = 0; s < MI_FOLDINGS; s++)
        mi_lock_init(&site->slots[s].lock);
    return site;
}

bool mi_site_set_base(struct mi_site *site, const struct mi_model *base,
                      const struct mi_bytes names[2], struct mi_error *err)
{
    site->base = mi_site_new(base, err);
    site->diff = site->base ? mi_site_diff_new(site->base, site) : NULL;
    if (!site->diff)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    site->base->is_base = true;
    site->base->diff = site->diff;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        site->names[side] = site->base->names[side] = names[side];
    return true;
}

struct mi_site *mi_site_base(struct mi_site *site)
{
    return site->base;
}

unsigned mi_site_side(const struct mi_site *site)
{
    return site->is_base ? MI_CMP_BASE : MI_CMP_NEW;
}

const struct mi_bytes *mi_site_names(const struct mi_site *site)
{
    return site->diff ? site->names : NULL;
}

struct mi_site_diff *mi_site_diff(const struct mi_site *site)
{
    return site->diff;
}

static void free_one(struct mi_site *site)
{
    if (!site->is_base)
        mi_site_diff_free(site->diff);
    for (int s = 0; s < MI_FOLDINGS; s++) {
        struct slot *slot = &site->slots[s];
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

void mi_site_free(struct mi_site *site)
{
    while (site) {
        struct mi_site *base = site->base;
        free_one(site);
        site = base;
    }
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

bool mi_site_draw(struct mi_drawn *drawn, const struct mi_model *model, struct mi_folding folding,
                  struct mi_error *err)
{
    struct mi_outline_options options = {.layer = (int)folding.layer,
                                         .by_group = folding.fold == MI_FOLD_GROUP,
                                         .flat = folding.fold == MI_FOLD_NONE,
                                         .with_ends = true,
                                         .with_constants = folding.with_constants,
                                         .adopt = folding.fold == MI_FOLD_SCOPE,
                                         .most_children = MOST_CHILDREN};
    if (mi_outline_init(&drawn->outline, model, &options, err)) {
        if (mi_scenery_init(&drawn->scenery, &drawn->outline, err))
            return true;
        mi_scenery_fini(&drawn->scenery);
    }
    mi_outline_fini(&drawn->outline);
    return false;
}

unsigned mi_folding_number(struct mi_folding folding)
{
    unsigned kinds = (unsigned)folding.layer * MI_FOLDS + (unsigned)folding.fold;
    return 2 * kinds + folding.with_constants;
}

const struct mi_drawn *mi_site_drawn(struct mi_site *site, struct mi_folding folding,
                                     struct mi_error *err)
{
    struct slot *slot = &site->slots[mi_folding_number(folding)];
    mi_lock_take(&slot->lock);
    if (!slot->is_ready)
        slot->is_ready = mi_site_draw(&slot->drawn, mi_site_model(site), folding, err);
    bool is_ready = slot->is_ready;
    mi_lock_give(&slot->lock);
    return is_ready ? &slot->drawn : NULL;
}
