/* Exporters: a loaded session as files for other tools. One exporter = one file in export/ plus one
 * row in exporters.def.
 *
 * An exporter streams: it opens its output files at a target, one after the other, and writes into
 * the sink it gets. It depends on the model alone, so that the same inputs give the same bytes, and
 * puts nothing of the machine or the moment into them. It knows neither paths nor descriptors; see
 * target.h and docs/exports.md. */
#ifndef MI_PRESENT_EXPORTER_H
#define MI_PRESENT_EXPORTER_H

#include "base/sink.h"
#include "pipeline/session.h"

/* What is exported. */
struct mi_view {
    const struct mi_session *session; /* loaded; NULL leaves out what passes and readers know */
    const struct mi_model *model;     /* frozen */
    const struct mi_args *args;       /* options of the format; NULL = defaults */
    const struct mi_session *base;    /* compared with it by formats that can; NULL = nothing */
    const char *base_name, *name;     /* what both are called then */
};

/* Where it goes. One file at a time: open, write into the sink, close. */
struct mi_target {
    /* Starts the file `name` ("graph.json"; single-file formats pass "export" + suffix, which a
     * target that was given a path ignores). The sink is the target's; NULL: err says why. */
    struct mi_sink *(*open)(struct mi_target *target, const char *name, struct mi_error *err);
    /* Flushes and ends it; reports what the sink has met with. */
    bool (*close)(struct mi_target *target, struct mi_error *err);
};

struct mi_exporter {
    const char *name;         /* "json": --format */
    const char *title;        /* message id: what it is and who reads it */
    const char *suffix;       /* ".dot": a format of one file; NULL: one of several files */
    const char *media_type;   /* of the one file, or of all */
    const char *const *files; /* names of the several files, ends with NULL; NULL: one per table */
    bool (*write)(const struct mi_view *view, struct mi_target *target, struct mi_error *err);
};

#define MI_EXPORTER(name) extern const struct mi_exporter mi_exporter_##name;
#include "present/exporters.def"
#undef MI_EXPORTER

extern const struct mi_exporter *const mi_exporters[]; /* in the order of exporters.def */
extern const size_t mi_exporter_count;

const struct mi_exporter *mi_exporter_find(const char *name); /* NULL if there is none */

#endif
