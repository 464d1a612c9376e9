/* Running an exporter: into a folder, a file or a sink.
 *
 * Files appear under their names only when all of them are complete; a failed export leaves what
 * stood there before. Inputs are never overwritten: not the files that were read, not the external
 * data of a model, no capture.json (MI_EUSAGE). */
#ifndef MI_PRESENT_EXPORT_RUN_H
#define MI_PRESENT_EXPORT_RUN_H

#include "present/exporter.h"

struct mi_export_options {
    /* Called now and then with the bytes written so far; false = stop (MI_ECANCELLED). May be NULL.
     */
    bool (*progress)(void *user, uint64_t written_bytes);
    void *user;
};

/* Writes the files of `exporter` into the folder `dir`, which is made if it is missing. Formats of
 * one file make "export" + suffix. `options` may be NULL. */
bool mi_export_dir(const struct mi_view *view, const struct mi_exporter *exporter, const char *dir,
                   const struct mi_export_options *options, struct mi_error *err);

/* Writes a format of one file to `path`; a device or a pipe is written directly. */
bool mi_export_file(const struct mi_view *view, const struct mi_exporter *exporter,
                    const char *path, const struct mi_export_options *options,
                    struct mi_error *err);

/* Same, into a sink of the caller's, which is flushed. */
bool mi_export_sink(const struct mi_view *view, const struct mi_exporter *exporter,
                    struct mi_sink *sink, const struct mi_export_options *options,
                    struct mi_error *err);

/* Name of the k-th file (from 0) that mi_export_dir() makes; false: there is none. */
bool mi_export_file_name(const struct mi_exporter *exporter, size_t k, char name[64]);

#endif
