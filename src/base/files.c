/* Folders and output files. */
#include "base/files.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)64 << 10)

static bool fail_errno(struct mi_error *err, const char *doing)
{
    enum mi_code code = errno == ENOENT || errno == ENOTDIR ? MI_ENOTFOUND : MI_EIO;
    return mi_fail(err, code, "cannot %s: %s", doing, strerror(errno));
}

static char *copy_text(const char *text)
{
    size_t len = strlen(text) + 1;
    char *copy = mi_mem_new(len, 1);
    if (copy)
        memcpy(copy, text, len);
    return copy;
}

/* ---- one folder ---- */

static int compare_names(const void *a, const void *b)
{
    /* strcmp compares as unsigned bytes: the order does not depend on a locale. */
    return strcmp(((const struct mi_dir_entry *)a)->name, ((const struct mi_dir_entry *)b)->name);
}

/* What an entry is; a file that vanished in between counts as a dead end. */
static void look_at(int dir_fd, struct mi_dir_entry *entry)
{
    struct stat st;
    entry->kind = MI_FILE_DEAD_END;
    if (fstatat(dir_fd, entry->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    entry->is_link = S_ISLNK(st.st_mode);
    if (entry->is_link && fstatat(dir_fd, entry->name, &st, 0) != 0)
        return;
    entry->kind = S_ISREG(st.st_mode)   ? MI_FILE_REGULAR
                  : S_ISDIR(st.st_mode) ? MI_FILE_DIR
                                        : MI_FILE_OTHER;
    entry->size_bytes = st.st_size > 0 ? (uint64_t)st.st_size : 0;
    entry->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static bool add_entry(struct mi_dir *dir, uint32_t *room, DIR *handle, const char *name,
                      struct mi_error *err)
{
    if (dir->count == *room) {
        uint32_t want = *room ? *room * 2 : 32;
        struct mi_dir_entry *more = mi_mem_resize(dir->entries, want, sizeof *more);
        if (!more)
            return mi_fail(err, MI_ENOMEM, "no memory for %u file names", want);
        dir->entries = more;
        *room = want;
    }
    struct mi_dir_entry *entry = &dir->entries[dir->count];
    *entry = (struct mi_dir_entry){.name = copy_text(name)};
    if (!entry->name)
        return mi_fail(err, MI_ENOMEM, "no memory for a file name");
    dir->count++;
    look_at(dirfd(handle), entry);
    return true;
}

static bool read_entries(struct mi_dir *dir, DIR *handle, uint32_t max_entries,
                         struct mi_error *err)
{
    uint32_t room = 0;
    for (;;) {
        errno = 0;
        const struct dirent *next = readdir(handle);
        if (!next)
            return errno == 0 || fail_errno(err, "list");
        if (strcmp(next->d_name, ".") == 0 || strcmp(next->d_name, "..") == 0)
            continue;
        if (dir->count >= max_entries || dir->count >= UINT32_MAX / 2)
            return mi_fail(err, MI_ELIMIT, "more than %u entries in a folder", max_entries);
        if (!add_entry(dir, &room, handle, next->d_name, err))
            return false;
    }
}

bool mi_dir_read(struct mi_dir *dir, const char *path, uint32_t max_entries, struct mi_error *err)
{
    *dir = (struct mi_dir){.entries = NULL};
    DIR *handle = opendir(path);
    if (!handle) {
        fail_errno(err, "list");
        return mi_error_in(err, path);
    }
    bool ok = read_entries(dir, handle, max_entries, err);
    closedir(handle);
    if (!ok) {
        mi_dir_free(dir);
        return mi_error_in(err, path);
    }
    if (dir->count > 1)
        qsort(dir->entries, dir->count, sizeof *dir->entries, compare_names);
    return true;
}

void mi_dir_free(struct mi_dir *dir)
{
    for (uint32_t i = 0; i < dir->count; i++)
        mi_mem_free(dir->entries[i].name);
    mi_mem_free(dir->entries);
    *dir = (struct mi_dir){.entries = NULL};
}

/* ---- a tree ---- */

struct mi_walk_level {
    struct mi_dir dir;
    uint32_t next;
    size_t path_len; /* of the folder, without a slash behind it */
};

/* Makes walk->path the folder's path + "/" + name. */
static bool set_path(struct mi_walk *walk, size_t folder_len, const char *name,
                     struct mi_error *err)
{
    size_t len = strlen(name), want = folder_len + len + 2;
    if (want > walk->path_room) {
        char *more = mi_mem_resize(walk->path, want * 2, 1);
        if (!more)
            return mi_fail(err, MI_ENOMEM, "no memory for a path");
        walk->path = more;
        walk->path_room = want * 2;
    }
    bool has_slash = folder_len == 0 || walk->path[folder_len - 1] == '/';
    if (!has_slash)
        walk->path[folder_len++] = '/';
    memcpy(walk->path + folder_len, name, len + 1);
    return true;
}

/* Opens the folder at walk->path as the innermost level. */
static bool push_level(struct mi_walk *walk, struct mi_error *err)
{
    if (walk->open_levels == walk->level_room) {
        uint32_t want = walk->level_room ? walk->level_room * 2 : 8;
        struct mi_walk_level *more = mi_mem_resize(walk->levels, want, sizeof *more);
        if (!more)
            return mi_fail(err, MI_ENOMEM, "no memory for a folder");
        walk->levels = more;
        walk->level_room = want;
    }
    struct mi_walk_level *level = &walk->levels[walk->open_levels];
    *level = (struct mi_walk_level){.path_len = strlen(walk->path)};
    if (!mi_dir_read(&level->dir, walk->path, walk->entries_left, err))
        return false;
    walk->entries_left -= level->dir.count;
    walk->open_levels++;
    return true;
}

bool mi_walk_open(struct mi_walk *walk, const char *root, uint32_t max_depth, uint32_t max_entries,
                  struct mi_error *err)
{
    *walk = (struct mi_walk){.max_depth = max_depth, .entries_left = max_entries};
    if (set_path(walk, 0, root, err) && push_level(walk, err))
        return true;
    mi_walk_close(walk);
    return false;
}

/* Enters the folder just delivered, if it may be. */
static bool descend(struct mi_walk *walk, struct mi_error *err)
{
    const struct mi_dir_entry *entry = walk->entry;
    if (!entry || entry->kind != MI_FILE_DIR || entry->is_link)
        return true;
    if (walk->depth >= walk->max_depth) {
        walk->too_deep++;
        return true;
    }
    struct mi_error why = MI_ERROR_INIT;
    if (push_level(walk, &why))
        return true;
    if (why.code == MI_ENOMEM || why.code == MI_ELIMIT) {
        mi_fail(err, why.code, "%s", why.text);
        return mi_error_in(err, walk->path);
    }
    walk->unreadable++;
    return true;
}

bool mi_walk_next(struct mi_walk *walk, struct mi_error *err)
{
    if (!descend(walk, err))
        return false;
    walk->entry = NULL;
    while (walk->open_levels > 0) {
        struct mi_walk_level *level = &walk->levels[walk->open_levels - 1];
        if (level->next < level->dir.count) {
            const struct mi_dir_entry *entry = &level->dir.entries[level->next++];
            if (!set_path(walk, level->path_len, entry->name, err))
                return false;
            walk->entry = entry;
            walk->depth = walk->open_levels - 1;
            return true;
        }
        mi_dir_free(&level->dir);
        walk->open_levels--;
    }
    return false;
}

void mi_walk_close(struct mi_walk *walk)
{
    while (walk->open_levels > 0)
        mi_dir_free(&walk->levels[--walk->open_levels].dir);
    mi_mem_free(walk->levels);
    mi_mem_free(walk->path);
    *walk = (struct mi_walk){.path = NULL};
}

/* ---- output ---- */

static bool make_dir(const char *path, struct mi_error *err)
{
    struct stat st;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return true;
    mi_fail(err, MI_EIO, "cannot make the folder: %s", strerror(errno));
    return mi_error_in(err, path);
}

bool mi_make_dirs(const char *path, struct mi_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    char *part = copy_text(path);
    if (!part)
        return mi_fail(err, MI_ENOMEM, "no memory for a path");
    bool ok = true;
    for (char *slash = part; ok && *slash && (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        ok = stat(part, &st) == 0 && S_ISDIR(st.st_mode) ? true : make_dir(part, err);
        *slash = '/';
    }
    ok = ok && make_dir(path, err);
    mi_mem_free(part);
    return ok;
}

/* A new file beside the final one, so that renaming stays within one file system. */
static bool open_temporary(struct mi_writer *writer)
{
    size_t room = strlen(writer->path) + 48;
    writer->temporary = mi_mem_new(room, 1);
    if (!writer->temporary)
        return mi_fail(&writer->error, MI_ENOMEM, "no memory for a path");
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(writer->temporary, room, "%s.%ld-%u.tmp", writer->path, (long)getpid(), i);
        writer->fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (writer->fd >= 0 || errno != EEXIST)
            break;
    }
    if (writer->fd >= 0)
        return true;
    fail_errno(&writer->error, "create");
    mi_mem_free(writer->temporary); /* nothing to remove */
    writer->temporary = NULL;
    return false;
}

static bool open_output(struct mi_writer *writer, const char *path)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return mi_fail(&writer->error, MI_EIO, "cannot write: is a directory");
    writer->is_direct = exists && !S_ISREG(st.st_mode);
    writer->path = exists && !writer->is_direct ? realpath(path, NULL) : copy_text(path);
    writer->buffer = mi_mem_new(BUFFER_BYTES, 1);
    if (!writer->path || !writer->buffer)
        return mi_fail(&writer->error, MI_ENOMEM, "no memory to write a file");
    if (!writer->is_direct)
        return open_temporary(writer);
    writer->fd = open(path, O_WRONLY | O_CLOEXEC);
    return writer->fd >= 0 || fail_errno(&writer->error, "write");
}

bool mi_writer_open(struct mi_writer *writer, const char *path, struct mi_error *err)
{
    *writer = (struct mi_writer){.fd = -1, .error = MI_ERROR_INIT};
    if (open_output(writer, path))
        return true;
    mi_fail(err, writer->error.code, "%s", writer->error.text);
    mi_writer_abort(writer);
    return mi_error_in(err, path);
}

static bool put_now(struct mi_writer *writer, const uint8_t *at, size_t len)
{
    while (len > 0) {
        ssize_t put = write(writer->fd, at, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return mi_fail(&writer->error, MI_EIO, "cannot write: %s", strerror(errno));
        at += put;
        len -= (size_t)put;
    }
    return true;
}

static bool flush(struct mi_writer *writer)
{
    size_t used = writer->used;
    writer->used = 0;
    return put_now(writer, writer->buffer, used);
}

bool mi_writer_put(struct mi_writer *writer, struct mi_bytes bytes)
{
    if (writer->error.code != MI_OK || writer->fd < 0)
        return false;
    writer->written_bytes += bytes.len;
    if (bytes.len > BUFFER_BYTES - writer->used && !flush(writer))
        return false;
    if (bytes.len >= BUFFER_BYTES)
        return put_now(writer, bytes.at, bytes.len);
    if (bytes.len)
        memcpy(writer->buffer + writer->used, bytes.at, bytes.len);
    writer->used += bytes.len;
    return true;
}

bool mi_writer_commit(struct mi_writer *writer, struct mi_error *err)
{
    bool ok = writer->fd >= 0 && writer->error.code == MI_OK && flush(writer);
    /* Some file systems report a full disk only here. */
    if (writer->fd >= 0 && close(writer->fd) != 0 && ok)
        ok = fail_errno(&writer->error, "write");
    writer->fd = -1;
    if (ok && writer->temporary && rename(writer->temporary, writer->path) != 0)
        ok = fail_errno(&writer->error, "rename");
    if (ok) {
        mi_mem_free(writer->temporary);
        writer->temporary = NULL;
    } else {
        mi_fail(&writer->error, MI_EINTERNAL, "the file is not open");
        mi_fail(err, writer->error.code, "%s", writer->error.text);
        mi_error_in(err, writer->path);
    }
    mi_writer_abort(writer);
    return ok;
}

void mi_writer_abort(struct mi_writer *writer)
{
    /* A zeroed writer has no buffer; its fd 0 is not ours. */
    if (writer->buffer && writer->fd >= 0)
        close(writer->fd);
    if (writer->temporary)
        unlink(writer->temporary);
    mi_mem_free(writer->temporary);
    mi_mem_free(writer->path);
    mi_mem_free(writer->buffer);
    *writer = (struct mi_writer){.fd = -1, .error = MI_ERROR_INIT};
}

bool mi_writer_send(void *writer, struct mi_bytes bytes, struct mi_error *err)
{
    struct mi_writer *to = writer;
    if (mi_writer_put(to, bytes))
        return true;
    mi_fail(err, to->error.code == MI_OK ? MI_EINTERNAL : to->error.code, "%s", to->error.text);
    return mi_error_in(err, to->path);
}

bool mi_file_write(const char *path, struct mi_bytes bytes, struct mi_error *err)
{
    struct mi_writer writer;
    if (!mi_writer_open(&writer, path, err))
        return false;
    mi_writer_put(&writer, bytes);
    return mi_writer_commit(&writer, err);
}
