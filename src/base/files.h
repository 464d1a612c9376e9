/* Folders and output files: sorted listing, bounded walk, whole-file writes, making folders. */
#ifndef MI_BASE_FILES_H
#define MI_BASE_FILES_H

#include "base/bytes.h"
#include "base/error.h"

enum mi_file_kind {
    MI_FILE_REGULAR,
    MI_FILE_DIR,
    MI_FILE_OTHER,   /* pipe, socket, device */
    MI_FILE_DEAD_END /* symbolic link to nothing, or no permission to look */
};

struct mi_dir_entry {
    char *name;             /* within its folder; owned by the listing */
    enum mi_file_kind kind; /* of what a symbolic link points to */
    bool is_link;
    uint64_t size_bytes;
    int64_t mtime_ns;
};

struct mi_dir {
    struct mi_dir_entry
        *entries; /* [count], sorted by the bytes of their names, without . and .. */
    uint32_t count;
};

#define MI_DIR_MAX_ENTRIES 1000000U

/* Lists one folder. MI_ENOTFOUND, MI_EIO, MI_ENOMEM, or MI_ELIMIT beyond `max_entries`. */
bool mi_dir_read(struct mi_dir *dir, const char *path, uint32_t max_entries, struct mi_error *err);
void mi_dir_free(struct mi_dir *dir);

/* Walks a tree in sorted order, a folder before its content. Symbolic links to folders are
 * delivered but not followed (the root is), so there are no loops. One handle, one thread. */
struct mi_walk {
    uint32_t max_depth;    /* folders below the root that are entered */
    uint32_t entries_left; /* MI_ELIMIT when used up */
    uint32_t too_deep;     /* folders that were not entered because of max_depth */
    uint32_t unreadable;   /* folders that could not be listed */
    char *path;            /* of the current entry, "root/a/b"; owned */
    size_t path_room;
    const struct mi_dir_entry *entry; /* the current one */
    uint32_t depth;                   /* of the current entry: 0 directly below the root */
    struct mi_walk_level *levels;     /* owned */
    uint32_t open_levels, level_room;
};

bool mi_walk_open(struct mi_walk *walk, const char *root, uint32_t max_depth, uint32_t max_entries,
                  struct mi_error *err);

/* Steps to the next entry; false at the end or with err set (MI_ENOMEM, MI_ELIMIT). `path` and
 * `entry` hold until the next call. */
bool mi_walk_next(struct mi_walk *walk, struct mi_error *err);
void mi_walk_close(struct mi_walk *walk);

/* Makes a folder and the missing ones above it (mode 0777 and the umask). Existing is fine. */
bool mi_make_dirs(const char *path, struct mi_error *err);

/* Writes a file as a whole: it appears under its name only at commit, complete. Devices and pipes
 * are written directly; a symbolic link keeps standing and its target is replaced. Errors are
 * sticky. */
struct mi_writer {
    int fd;         /* -1 when closed */
    bool is_direct; /* no temporary file */
    char *path;     /* final name, links resolved; owned */
    char *temporary;
    uint8_t *buffer; /* owned */
    size_t used;
    uint64_t written_bytes;
    struct mi_error error; /* the first failure */
};

bool mi_writer_open(struct mi_writer *writer, const char *path, struct mi_error *err);

/* Appends; returns false once something failed, which commit reports again. */
bool mi_writer_put(struct mi_writer *writer, struct mi_bytes bytes);

/* The same as a mi_sink_fn, with the writer as context. */
bool mi_writer_send(void *writer, struct mi_bytes bytes, struct mi_error *err);

/* Finishes: either the complete file stands under its name, or nothing has changed. Closes. */
bool mi_writer_commit(struct mi_writer *writer, struct mi_error *err);

/* Gives up and removes the temporary file. Also right after commit and on a zeroed writer. */
void mi_writer_abort(struct mi_writer *writer);

/* All in one. */
bool mi_file_write(const char *path, struct mi_bytes bytes, struct mi_error *err);

#endif
