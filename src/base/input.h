/* Byte sources: files, pipes and memory as one stretch of bytes.
 *
 * A regular file is mapped read-only, so opening costs nothing and untouched parts stay on disk.
 * gzip and zstd are recognised by their magic numbers and decompressed into memory. Inputs are
 * never written to.
 *
 * A mapped file that somebody shortens while it is open makes reads beyond its new end die with
 * SIGBUS; no check can prevent that. For files that may still be changing use `no_mmap`. A file
 * that is only appended to is safe: the length is the one it had when it was opened. */
#ifndef MI_BASE_INPUT_H
#define MI_BASE_INPUT_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/unpack.h"

#define MI_INPUT_MAX_BYTES ((uint64_t)4 << 30)

struct mi_input_options {
    uint64_t max_bytes; /* most bytes held in memory (pipes, decompressed, no_mmap); 0: 4 GiB */
    bool no_mmap;       /* read regular files into memory */
    bool keep_packed;   /* deliver gzip and zstd files as they are */
    const struct mi_going *going; /* asked some ten times a second while a pipe is waited for, and
                                     between pieces of what is unpacked; false: MI_ECANCELLED. May
                                     be NULL */
};

struct mi_input {
    struct mi_bytes bytes;   /* valid until mi_input_close(); bytes.at is never NULL */
    char *path;              /* as given; "-" for standard input; owned */
    uint64_t disk_bytes;     /* size on disk; for pipes what was read */
    int64_t mtime_ns;        /* since 1970; 0 if it is not a file */
    uint64_t device, inode;  /* of a file; 0 otherwise */
    enum mi_packing packing; /* what was undone */
    bool is_mapped;          /* `bytes` is the file itself */
    bool is_file;            /* a regular file: mi_input_changed() means something */
    uint64_t ignored_bytes;  /* packed bytes behind the last gzip member or zstd frame */
    struct mi_error damage;  /* MI_OK, or why `bytes` is only the readable first part; the offset
                                counts  packed bytes, the place in the content is bytes.len */
    void *owned;             /* memory or mapping behind `bytes`; NULL if borrowed */
    size_t mapped_bytes;     /* length of the mapping */
};

/* Opens a file, a pipe, or standard input ("-"). `options` may be NULL. Directories, sockets and
 * devices (but /dev/null) are MI_EUNSUPPORTED, a missing file MI_ENOTFOUND, other system errors
 * MI_EIO, too much MI_ELIMIT. A named pipe is waited for until somebody has written to it and
 * closed it. On failure `input` is closed already and err names the path. */
bool mi_input_open(struct mi_input *input, const char *path, const struct mi_input_options *options,
                   struct mi_error *err);

/* Bytes that the caller keeps alive and unchanged; decompressed as above. `name` is copied. */
bool mi_input_from_bytes(struct mi_input *input, const char *name, struct mi_bytes bytes,
                         const struct mi_input_options *options, struct mi_error *err);

/* Takes over memory from mi_mem_new(); also when it fails. */
bool mi_input_adopt(struct mi_input *input, const char *name, void *memory, size_t len,
                    struct mi_error *err);

/* Also right on a zeroed or closed input. */
void mi_input_close(struct mi_input *input);

/* Whether the file at `path` is no longer the one that was opened: size, mtime, inode. */
bool mi_input_changed(const struct mi_input *input);

/* Reads the first bytes of a regular file, at most `room`, after decompression, without mapping or
 * reading the rest. *got < room at the end of the content or where it is damaged. Pipes cannot be
 * looked into without eating from them: MI_EUNSUPPORTED. */
bool mi_input_head(const char *path, uint8_t *into, size_t room, size_t *got, struct mi_error *err);

#endif
