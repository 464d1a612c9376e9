/* Collectors: they make something run and leave a capture folder behind. One file each plus one row
 * in collectors.def.
 *
 * Collection knows nothing of the model: it may include base/ and capture/ only. What comes out is
 * files and a manifest (capture/manifest.h); whatever goes wrong half-way, the folder stays
 * readable. */
#ifndef MI_COLLECT_COLLECTOR_H
#define MI_COLLECT_COLLECTOR_H

#include "base/param.h"
#include "base/pool.h"
#include "capture/manifest.h"

struct mi_collect {
    const char *model_path;     /* what to run, as the user gave it */
    const char *dir;            /* capture folder: exists and is empty, or holds an older capture */
    const struct mi_args *args; /* values of the collector's params */
    const char *program;        /* "inspector-cli 1.0.0": noted in the manifest */
    struct mi_manifest manifest; /* filled by the collector, also when it fails */
    struct mi_cancel *cancel;    /* set by a signal handler: finish early, keep what there is */
    /* Called now and then from the calling thread; total 0 = unknown. May be NULL. */
    void (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *user;
};

struct mi_collector {
    const char *name;              /* "ort": manifest.collector, --backend */
    const char *title;             /* message id */
    const struct mi_param *params; /* ends with MI_PARAM_END */
    /* Can it work here? False: `why` says what is missing and where it was looked for. */
    bool (*available)(const struct mi_args *args, struct mi_error *why);
    /* Runs to the end (or to cancel) and writes capture.json. False only if there is no capture
     * that could be read; what went wrong otherwise stands in the manifest's notes. */
    bool (*run)(struct mi_collect *job, struct mi_error *err);
};

#define MI_COLLECTOR(name)                                                                         \
    extern const struct mi_collector mi_collector_##name;                                          \
    extern const struct mi_param mi_collector_params_##name[]; /* == its params */
#include "collect/collectors.def"
#undef MI_COLLECTOR

extern const struct mi_collector *const mi_collectors[];
extern const size_t mi_collector_count;

const struct mi_collector *mi_collector_find(const char *name); /* NULL if there is none */

#endif
