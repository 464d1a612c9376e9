/* Parts of the site that have files of their own. */
#ifndef MI_PRESENT_SERVE_SITE_PARTS_H
#define MI_PRESENT_SERVE_SITE_PARTS_H

#include "base/hash.h"
#include "base/lock.h"
#include "present/serve/site.h"
#include "present/serve/site_diff.h"

enum { MI_LOD_SLOTS = 8 };

struct mi_lod_slot {
    struct mi_lod lod;
    uint64_t key, used_at;
    uint32_t users;
    bool is_ready;
};

struct mi_lod_cache {
    struct mi_lock lock;
    struct mi_lod_slot slots[MI_LOD_SLOTS];
    uint64_t clock;
};

void mi_lod_cache_init(struct mi_lod_cache *cache);
void mi_lod_cache_fini(struct mi_lod_cache *cache);
struct mi_lod_cache *mi_site_lod_cache(struct mi_site *site);

/* What the timeline needs besides lanes, each made by the first who asks. */
struct mi_times {
    struct mi_lock raw_lock, arrows_lock, counters_lock, busy_lock;
    bool has_raw, has_arrows, has_counters;
    bool has_busy[2];      /* calibrated, as exported */
    int64_t *raw_start_ns; /* NULL with has_raw: nothing was calibrated */
    struct mi_arrows arrows;
    struct mi_counter_series counters;
    struct mi_busy busy[2];
};

void mi_times_init(struct mi_times *times);
void mi_times_fini(struct mi_times *times);
struct mi_times *mi_site_times(struct mi_site *site);

/* How many foldings there are, and the number of one of them, from 0. */
enum { MI_FOLDINGS = 2 * (MI_LAYER_STAGE + 1) * MI_FOLDS };
unsigned mi_folding_number(struct mi_folding folding);

/* Makes the outline and the scenery of a layer; nothing is left of a failure. */
bool mi_site_draw(struct mi_drawn *drawn, const struct mi_model *model, struct mi_folding folding,
                  struct mi_error *err);

/* The comparison that the site is a side of; NULL: none. */
struct mi_site_diff *mi_site_diff(const struct mi_site *site);

/* What a joint outline is filled from. */
struct mi_joint_making {
    const struct mi_compare *compare;
    const struct mi_joint *joint;
    const uint16_t *differs; /* [nodes of the joint model] */
    const struct mi_drawn *own[MI_CMP_SIDES];
};

/* joint_drawn.c: fills all but `drawn`, which is there. Nothing is left of a failure. */
bool mi_joint_drawn_fill(struct mi_joint_drawn *drawn, const struct mi_joint_making *making,
                         struct mi_error *err);
void mi_joint_drawn_fini(struct mi_joint_drawn *drawn);

#endif
