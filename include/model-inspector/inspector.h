/* model-inspector as a library: open what a compiler and a profiler left behind, ask, export.
 *
 *     struct mi_error err = MI_ERROR_INIT;
 *     struct mi_inspector *insp = mi_inspector_new(NULL, &err);
 *     if (insp && mi_inspector_add(insp, "capture/", &err) && mi_inspector_load(insp, &err))
 *         mi_inspector_export(insp, "json", "dumps/", &err);
 *     if (err.code != MI_OK)
 *         fprintf(stderr, "%s: %s\n", err.input, err.text);
 *     mi_inspector_free(insp);
 *
 * Functions that can fail return false (or NULL) and fill `err`, which may be NULL. One handle
 * belongs to one thread until mi_inspector_load() has returned; from then on it is read-only and
 * any number of threads may ask. Texts are bytes from the user's files: not NUL-terminated, perhaps
 * not UTF-8; borrowed until mi_inspector_free(). Words of the library (const char *) live as long
 * as the program. */
#ifndef MODEL_INSPECTOR_INSPECTOR_H
#define MODEL_INSPECTOR_INSPECTOR_H

#include "model-inspector/api.h"
#include "model-inspector/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mi_inspector;

struct mi_text {
    const char *at;
    size_t len;
};

struct mi_inspector_options {
    size_t struct_size;       /* sizeof(struct mi_inspector_options): the struct may grow */
    const char *input_format; /* "onnx", "ort_profile", ...; NULL = recognise by content */
    unsigned jobs;            /* threads that read; 0 = one per processor, at most 8 */
    bool no_mmap;             /* read inputs into memory: for files that others may change */
    /* Called now and then, from any thread, with what is being done and how far (total 0 =
     * unknown). Returning false stops the load with MI_ECANCELLED. NULL: none. */
    bool (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *user;
};

/* "0.1.0" */
MI_API const char *mi_version(void);

/* `options` may be NULL; texts in it must outlive the handle. */
MI_API struct mi_inspector *mi_inspector_new(const struct mi_inspector_options *options,
                                             struct mi_error *err);
MI_API void mi_inspector_free(struct mi_inspector *insp); /* NULL is fine */

/* Adds a file, a folder (a capture, or any folder with files in it), or "-" for standard input. */
MI_API bool mi_inspector_add(struct mi_inspector *insp, const char *path, struct mi_error *err);

/* Reads and joins everything that was added. */
MI_API bool mi_inspector_load(struct mi_inspector *insp, struct mi_error *err);

/* --- rows: nodes 1 .. node_count, tasks 1 .. task_count, links 1 .. link_count --- */

struct mi_inspector_counts {
    uint32_t node_count; /* of both layers */
    uint32_t framework_node_count, compiled_node_count;
    uint32_t task_count;
    uint32_t link_count;   /* framework op <-> compiled node */
    int64_t start_unix_ns; /* capture time 0, since 1970; 0 = not known */
};

MI_API void mi_inspector_count(const struct mi_inspector *insp, struct mi_inspector_counts *counts);

struct mi_node_info {
    struct mi_text name, op_type, domain, graph;
    const char *layer;    /* "framework", "compiled" */
    const char *category; /* "convolution", ... */
    const char *fate;     /* of a framework op: "executed", "fused_into", ...; else "unknown" */
    const char *reason;   /* why: "own_node", "constant", ... */
    const char *origin;   /* of a compiled node: "kept", "fused", "inserted", ...; else "unknown" */
    uint32_t fate_node;   /* the node that took the op in; 0 = none */
};

struct mi_task_info {
    struct mi_text name, op_type, stream;
    uint32_t node;          /* what it executed; 0 = no node */
    const char *confidence; /* of that link: "certain", "likely", "guess", "none" */
    int64_t start_ns;       /* capture time */
    int64_t dur_ns;
    int64_t start_raw; /* as the file says, in ticks of its clock */
    uint32_t run;      /* iteration, from 0; UINT32_MAX = of none */
};

struct mi_link_info {
    uint32_t framework, compiled; /* nodes */
    const char *role;             /* "computed", "absorbed", "folded", "shared" */
    const char *confidence;
    struct mi_text rule, evidence;
};

/* False if there is no such row. */
MI_API bool mi_inspector_node(const struct mi_inspector *insp, uint32_t node,
                              struct mi_node_info *info);
MI_API bool mi_inspector_task(const struct mi_inspector *insp, uint32_t task,
                              struct mi_task_info *info);
MI_API bool mi_inspector_link(const struct mi_inspector *insp, uint32_t link,
                              struct mi_link_info *info);

/* --- answers --- */

/* Receives the bytes of a document in pieces; returning false stops it (MI_EIO). */
typedef bool mi_write_fn(void *user, const void *bytes, size_t len);

/* Runs the analysis `name` ("summary", "map", "path", ...) and writes its report as JSON. `params`
 * [param_count] are "name=value". MI_ENOTFOUND: no such analysis; MI_EUSAGE: a parameter is wrong.
 */
MI_API bool mi_inspector_report(const struct mi_inspector *insp, const char *name,
                                const char *const *params, size_t param_count, mi_write_fn *write,
                                void *user, struct mi_error *err);

/* Compares what was loaded into the handles of two sides and writes a report as JSON: what differs,
 * and what each difference costs (docs/commands/diff.md). Each handle is one capture; the first of
 * a side stands for it, further ones add samples. `params` [param_count] are "name=value": top,
 * min-cost, renamed, pairs, rank, device. MI_EUSAGE: a parameter is wrong, or a side has no capture
 * or more than eight. */
MI_API bool mi_inspector_diff(const struct mi_inspector *const *base, size_t base_count,
                              const struct mi_inspector *const *later, size_t later_count,
                              const char *const *params, size_t param_count, mi_write_fn *write,
                              void *user, struct mi_error *err);

/* Writes an export: formats of several files ("json", "csv") into the folder `path`, which is made
 * if it is missing; formats of one file ("sqlite", "chrome", "dot", "links",
 * "html") as the file `path`. */
MI_API bool mi_inspector_export(const struct mi_inspector *insp, const char *format,
                                const char *path, struct mi_error *err);

#ifdef __cplusplus
}
#endif

#endif
