/* Readers: bytes to rows. One reader = one file in formats/ plus one row in readers.def.
 *
 * A reader knows a format and nothing else: it does not guess meanings, does not link sources, does
 * not print. Broken records are counted as diagnostics and the reader goes on; what was readable is
 * kept. It fails (false, with a place) only where nothing more can be read. */
#ifndef MI_PARSE_READER_H
#define MI_PARSE_READER_H

#include "capture/manifest.h"
#include "model/batch.h"
#include "model/has.h"

/* Limits against hostile input; zero-initialised fields mean "the default". */
struct mi_limits {
    uint32_t max_depth;        /* nesting of messages, graphs, JSON values; default 256 */
    uint32_t max_string_bytes; /* longer names are cut, with a notice; default 16 MiB */
    uint32_t max_rows;         /* rows per table and source; default 2^32 - 2 */
};

struct mi_probe {
    const char *path;      /* as the user gave it */
    struct mi_bytes head;  /* first bytes, at most 4 KiB */
    struct mi_bytes bytes; /* everything, mapped: look at little of it */
};

/* One input as a reader sees it. */
struct mi_source {
    const char *path;                     /* for messages */
    struct mi_bytes bytes;                /* whole content (decompressed), mapped or in memory */
    struct mi_bytes companion;            /* of the file beside it, see mi_reader; may be empty */
    const char *role;                     /* role in capture.json ("optimised", ...), "" if none */
    const struct mi_manifest *manifest;   /* of the capture folder it came from; NULL if none */
    const struct mi_manifest_file *entry; /* its entry in the manifest; NULL if none */
    struct mi_limits limits;
    /* Called now and then with the bytes done so far; false = stop (MI_ECANCELLED). May be NULL. */
    bool (*progress)(void *user, uint64_t done_bytes);
    void *user;
};

/* One record of a source, for listing its values. `key` is what the reader put into a
 * record_offset column: the place in the file, or a key of its own where files have no places
 * (databases); `bytes` are those at that place, empty if there are none. */
struct mi_record {
    struct mi_bytes file, bytes, companion;
    int64_t key;
    void *opened; /* of open_records(); NULL: not opened */
};

/* Receives the named values of one record. `number` is text as written in the file when
 * `is_number`. */
typedef void mi_metric_fn(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number);

struct mi_reader {
    const char *name;  /* "onnx": --input-format, the sources table, docs */
    const char *title; /* message id: "ONNX model" */
    unsigned yields;   /* MI_HAS_... it can yield */
    bool is_untried;   /* by the format's description alone: no real file could be had */
    /* What the name of a file beside its own ends in ("-wal") that holds a part of the content; the
     * source brings its bytes along. NULL: there is no such file. */
    const char *companion;
    /* 0 = not mine ... 100 = magic matched; never by the file name alone. */
    int (*sniff)(const struct mi_probe *probe);
    /* Reads everything into `out`. False with a place when the rest cannot be read; rows added so
     * far stay valid. */
    bool (*read)(const struct mi_source *src, struct mi_batch *out, struct mi_error *err);
    /* Lists the values of one record (the record_offset of a task, planned task, slice, note,
     * statistic) that are no columns of their own; the head of the file may name them. NULL if it
     * has none. */
    void (*metrics)(const struct mi_record *record, mi_metric_fn *fn, void *user);
    /* Where records have to be searched for: opens what finds them, once for all calls of metrics,
     * which then come one at a time. NULL: memory is short, or the file is broken. Both may be
     * NULL. */
    void *(*open_records)(struct mi_bytes file, struct mi_bytes companion);
    void (*close_records)(void *opened);
};

#define MI_READER(name) extern const struct mi_reader mi_reader_##name;
#include "parse/readers.def"
#undef MI_READER

extern const struct mi_reader *const mi_readers[]; /* in the order of readers.def */
extern const size_t mi_reader_count;

const struct mi_reader *mi_reader_find(const char *name); /* NULL if there is none */

/* The reader with the highest score. NULL: none recognised it, or it is a dump of our own; *tied
 * names a second reader with the same score (then the result is NULL too), else NULL. */
const struct mi_reader *mi_reader_detect(const struct mi_probe *probe,
                                         const struct mi_reader *tied[2]);

#endif
