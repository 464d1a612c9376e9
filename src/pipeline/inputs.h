/* The inputs of a session: which files there are, from which capture folder, read by whom. Opening
 * and recognising only; reading is the session's. */
#ifndef MI_PIPELINE_INPUTS_H
#define MI_PIPELINE_INPUTS_H

#include "base/input.h"
#include "capture/manifest.h"
#include "parse/reader.h"

/* One capture folder among the inputs. */
struct mi_capture {
    struct mi_manifest manifest;
    const char *dir; /* as given or as walked to */
};

struct mi_item {
    const char *path;           /* shown to the user */
    struct mi_input input;      /* zero until opened */
    void *records;              /* of its reader's open_records(); NULL until needed */
    struct mi_input companion;  /* the file beside it that its reader wants; may be zero */
    struct mi_capture *capture; /* NULL: not from a capture folder */
    const struct mi_manifest_file *entry; /* its row in the manifest; NULL likewise */
    bool is_named;                        /* the user named it, so not recognising it is an error */
    const struct mi_reader *reader;       /* NULL: nobody recognised it */
    const char *newer;                    /* export that replaces it, so it is left out; or NULL */
    const char *word;                     /* what its place says it is, where nobody reads it */
    struct mi_error error;                /* why it could not be opened or recognised */
};

struct mi_inputs {
    struct mi_item *items; /* in the order of the operands; folders in byte order */
    size_t count;
    struct mi_capture **captures;
    size_t capture_count;
    struct mi_arena arena; /* owns the paths and the captures */
    bool failed;           /* out of memory */
};

void mi_inputs_init(struct mi_inputs *inputs);
void mi_inputs_fini(struct mi_inputs *inputs);

/* Adds a file, a folder or "-"; false only if `path` itself cannot be looked at, or a capture.json
 * in it cannot be understood. */
bool mi_inputs_add(struct mi_inputs *inputs, const char *path, struct mi_error *err);

/* To be called once all are added: marks what the folders tell. False: out of memory. */
bool mi_inputs_complete(struct mi_inputs *inputs);

/* Opens one item and finds its reader: that of the manifest, else `forced` (may be NULL), else by
 * content. What goes wrong is kept in item->error. Safe from several threads, one item each. */
void mi_item_open(struct mi_item *item, const struct mi_reader *forced,
                  const struct mi_input_options *options);

#endif
