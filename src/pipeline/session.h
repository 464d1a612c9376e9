/* The conductor: opens inputs, reads them, merges, correlates, freezes; then answers with reports.
 *
 * One session = one model. Open it, add inputs, load; afterwards everything reached through it is
 * read-only and may be used by any number of threads. */
#ifndef MI_PIPELINE_SESSION_H
#define MI_PIPELINE_SESSION_H

#include "analyse/pass.h"
#include "capture/manifest.h"
#include "parse/reader.h"

struct mi_session;

struct mi_session_options {
    const char *input_format; /* name of a reader for all inputs; NULL = recognise by content */
    unsigned jobs;            /* threads for reading; 0 = one per processor, at most 8 */
    bool no_mmap;             /* read inputs into memory (for files that others may change) */
    uint64_t max_input_bytes; /* per pipe or decompressed input; 0 = 64 GiB */
    struct mi_limits limits;
    /* Called now and then (from any thread) with what is being done ("open", "read", "correlate")
     * and how far of how much; total 0 = unknown. "read" first comes as soon as one input is known
     * to be of a format that can be read, while others may still be opened. Returning false stops
     * the session (MI_ECANCELLED). NULL: none. */
    bool (*progress)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *user;
};

/* NULL: out of memory. `options` may be NULL; its texts must outlive the session. */
struct mi_session *mi_session_new(const struct mi_session_options *options, struct mi_error *err);
void mi_session_free(struct mi_session *session); /* NULL is fine */

/* Adds one input: a file, a folder (walked in byte order; one with capture.json is a capture and
 * gives the files that it lists), or "-" for standard input. Fails only if `path` itself cannot be
 * opened. */
bool mi_session_add(struct mi_session *session, const char *path, struct mi_error *err);

/* Reads and joins everything. A file that cannot be read in part or as a whole is a row in the
 * ledger, not a failure; it fails when no input yields anything (the error then tells of the first
 * one), or when a file named by the user is recognised by no reader and nothing else was. */
bool mi_session_load(struct mi_session *session, struct mi_error *err);

/* Valid after mi_session_load(); borrowed until mi_session_free(). */
const struct mi_model *mi_session_model(const struct mi_session *session);

/* The manifest of the first capture folder among the inputs, or NULL. */
const struct mi_manifest *mi_session_manifest(const struct mi_session *session);

/* That folder's path as given, or NULL. */
const char *mi_session_capture_dir(const struct mi_session *session);

/* The reader of a source, or NULL. */
const struct mi_reader *mi_session_reader(const struct mi_session *session, mi_source_id source);

/* Lists the values of one record of a source: `offset` and `size_bytes` are those of a task,
 * planned task, slice, note or statistic. False if there is no such record or its format has none.
 * `fn` NULL: only asks.
 */
bool mi_session_metrics(const struct mi_session *session, mi_source_id source, int64_t offset,
                        uint32_t size_bytes, mi_metric_fn *fn, void *user);

/* Runs the pass `name`, see mi_pass_run(). */
bool mi_session_report(const struct mi_session *session, const char *name,
                       const struct mi_args *args, struct mi_report *out, struct mi_error *err);

#endif
