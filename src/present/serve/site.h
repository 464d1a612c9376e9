/* What the routes answer from: the model, and what is made of it once and then shared. */
#ifndef MI_PRESENT_SERVE_SITE_H
#define MI_PRESENT_SERVE_SITE_H

#include "present/layout/scene.h"
#include "present/lod/busy.h"
#include "present/lod/counters.h"
#include "present/lod/flows.h"
#include "present/lod/lod.h"

struct mi_asset {     /* a file of the page, or a part of a one-file report */
    const char *path; /* "/", "/app-1a2b.js"; of a part "report.html": no request finds that */
    const char *media;
    const char *etag;
    const uint8_t *begin, *end; /* gzip */
    bool is_immutable;
};

extern const struct mi_asset mi_assets[]; /* ends with a NULL path */

/* The file under that address, or the part of a report of that name; NULL if there is none. */
const struct mi_asset *mi_asset_find(struct mi_bytes path);

struct mi_drawn { /* an outline, ready for drawing */
    struct mi_outline outline;
    struct mi_scenery scenery;
};

struct mi_site;

/* NULL: out of memory. */
struct mi_site *mi_site_new(const struct mi_model *model, struct mi_error *err);
void mi_site_free(struct mi_site *site);

const struct mi_model *mi_site_model(const struct mi_site *site);

/* Compares the site with a base, before the first request: the base gets a site of its own, which
 * goes with this one. `names`: what base and model are called. All must outlive the site. */
bool mi_site_set_base(struct mi_site *site, const struct mi_model *base,
                      const struct mi_bytes names[2], struct mi_error *err);

/* The site of the base of a comparison; NULL: there is none. */
struct mi_site *mi_site_base(struct mi_site *site);

/* 0: the site is the base of a comparison; 1: it is not. */
unsigned mi_site_side(const struct mi_site *site);

/* What the base and the new side are called; NULL: nothing is compared. */
const struct mi_bytes *mi_site_names(const struct mi_site *site);

enum mi_fold { MI_FOLD_SCOPE, MI_FOLD_GROUP, MI_FOLD_NONE, MI_FOLDS };

/* Which of the outlines of a model. */
struct mi_folding {
    enum mi_layer layer;
    enum mi_fold fold;
    bool with_constants; /* as boxes; all other items have the same numbers either way */
};

/* As requests name them; what is not known is by scope, and the framework graph. */
enum mi_fold mi_site_fold(struct mi_bytes name);
enum mi_layer mi_site_layer(struct mi_bytes name);

/* The outline of a layer; made by the first who asks, the others wait. Any thread. NULL: `err`. */
const struct mi_drawn *mi_site_drawn(struct mi_site *site, struct mi_folding folding,
                                     struct mi_error *err);

/* Which tasks and calls a timeline shows. All zero: everything. */
struct mi_time_filter {
    uint32_t hidden;      /* bit per enum mi_category: not shown */
    struct mi_bytes text; /* only what has this in its name or operator type; any case */
    bool is_raw;          /* times as exported, not calibrated */
};

/* The lanes of the timeline that the filter leaves; the last few are kept. Give it back with
 * mi_site_lod_done(). Any thread. NULL: `err`. */
const struct mi_lod *mi_site_lod(struct mi_site *site, const struct mi_time_filter *filter,
                                 struct mi_error *err);
void mi_site_lod_done(struct mi_site *site, const struct mi_lod *lod);

/* [tasks.count] when tasks started as exported; the model's own column where nothing was
 * calibrated. */
const int64_t *mi_site_raw_starts(struct mi_site *site, struct mi_error *err);

const struct mi_arrows *mi_site_arrows(struct mi_site *site, struct mi_error *err);
const struct mi_busy *mi_site_busy(struct mi_site *site, bool is_raw, struct mi_error *err);
const struct mi_counter_series *mi_site_counters(struct mi_site *site, struct mi_error *err);

#endif
