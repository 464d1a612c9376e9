/* capture.json: the contract between collection and analysis.
 *
 * A capture is a folder; capture.json in its root says what was collected, how, and which files
 * hold it:
 *   {"schema": "model-inspector-capture/1", "collector": "ort", "complete": true,
 *    "start_unix_ns": "1736412474723783388",
 *    "files": [{"path": "model.onnx", "role": "source", "reader": "onnx", "size_bytes": 1, "hash":
 * "xxh3:..."}], "settings": {"runs": "3"}, "versions": {"onnxruntime": "1.28.2"}, "notes": [...]}
 * Paths are relative to the folder and never leave it, except those of role "source", which may be
 * absolute (the user's own model is referred to, not copied). Unknown keys are kept out and
 * ignored. */
#ifndef MI_CAPTURE_MANIFEST_H
#define MI_CAPTURE_MANIFEST_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"

#define MI_CAPTURE_FILE   "capture.json"
#define MI_CAPTURE_SCHEMA "model-inspector-capture/1"

/* Roles of files. */
#define MI_ROLE_SOURCE_MODEL    "source"    /* framework graph as the user gave it */
#define MI_ROLE_OPTIMISED_MODEL "optimised" /* compiled graph of the same session */
#define MI_ROLE_PROFILE         "profile"   /* device tasks of the same session */
#define MI_ROLE_PARTITION       "partition" /* node -> logical stream */
#define MI_ROLE_EXPORT          "export"    /* our own dump: never read back */

struct mi_manifest_file {
    const char *path; /* as written; NUL-free */
    const char *role;
    const char *reader;    /* "" = recognise by content */
    const char *hash;      /* "xxh3:<32 hex digits>"; "" = none */
    int64_t size_bytes;    /* -1 = not recorded */
    int64_t clock_unix_ns; /* raw time 0 of this file as ns since 1970; 0 = not recorded */
};

struct mi_manifest_pair {
    const char *name, *text;
};

struct mi_manifest {
    const char *collector;
    bool complete;         /* false: collection was cut short */
    int64_t start_unix_ns; /* capture time 0; 0 = not recorded */
    struct mi_manifest_file *files;
    size_t file_count;
    struct mi_manifest_pair *settings, *versions; /* in file order */
    size_t setting_count, version_count;
    const char **notes; /* sentences about what went wrong or is missing */
    size_t note_count;
    struct mi_arena arena; /* owns everything above */
};

void mi_manifest_init(struct mi_manifest *manifest);
void mi_manifest_fini(struct mi_manifest *manifest);

/* Appending; texts are copied into the arena. false: out of memory. */
bool mi_manifest_add_file(struct mi_manifest *manifest, const struct mi_manifest_file *file);
bool mi_manifest_add_setting(struct mi_manifest *manifest, const char *name, const char *text);
bool mi_manifest_add_version(struct mi_manifest *manifest, const char *name, const char *text);
bool mi_manifest_add_note(struct mi_manifest *manifest, const char *sentence);

/* Parses the bytes of a capture.json; `path` is for messages. */
bool mi_manifest_read(struct mi_manifest *manifest, struct mi_bytes json, const char *path,
                      struct mi_error *err);

/* Writes DIR/capture.json atomically: a reader sees the old one or the new one, never half of it.
 */
bool mi_manifest_write(const struct mi_manifest *manifest, const char *dir, struct mi_error *err);

/* The text of a setting or version, or NULL. */
const char *mi_manifest_setting(const struct mi_manifest *manifest, const char *name);
const char *mi_manifest_version(const struct mi_manifest *manifest, const char *name);

#endif
