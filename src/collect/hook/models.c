/* Copies of offline models into the capture folder, taken when they are loaded: the file may be a
 * temporary one, the bytes in memory are freed soon. Weights are left out unless they were asked
 * for: a hole of their size stays, so that all other offsets hold.
 *
 * A copy is named by the sum of what it holds, so that a model loaded a thousand times is there
 * once. Files are read and not mapped: one that is cut off meanwhile, or whose disk fails, would be
 * the end of the program. */
#include "collect/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* om.c of the reader tells more of the layout. */
enum {
    OM_HEAD = 256,
    OM_TYPE_AT = 82, /* of the kind of model in the header */
    OM_BUNDLE = 5,
    OM_WEIGHTS = 1,
    OM_MEMBER = 24,
    OM_PARTS_MAX = 4096,
    HOLES_MAX = 64,
    PIECE = 8 << 10,         /* bytes read at a time, on the stack of the program's thread */
    STRANGER_MAX = 256 << 20 /* a file whose layout is not understood is copied up to here */
};

struct model {
    const uint8_t *at; /* NULL: it is in `file` */
    int file;
    size_t len;
    struct {
        size_t from, to;
    } holes[HOLES_MAX]; /* weights, in order */
    size_t hole_count;
    bool is_understood, has_more; /* has_more: weights without a place in `holes` */
};

/* False: the file has changed, or cannot be read. */
static bool take(const struct model *m, size_t from, void *to, size_t bytes)
{
    uint8_t *out = to;
    if (m->at) {
        memcpy(to, m->at + from, bytes);
        return true;
    }
    while (bytes) {
        ssize_t got = pread(m->file, out, bytes, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        out += got;
        from += (size_t)got;
        bytes -= (size_t)got;
    }
    return true;
}

static uint64_t load(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

static void add_hole(struct model *m, size_t from, size_t len)
{
    m->has_more |= len && m->hole_count == HOLES_MAX;
    if (!len || m->hole_count == HOLES_MAX)
        return;
    m->holes[m->hole_count].from = from;
    m->holes[m->hole_count++].to = from + len;
}

/* The partitions of the table at `at`, if they stand back to back behind it and before `limit`; the
 * place behind the last one, or 0. Weights become holes. */
static size_t read_table(struct model *m, size_t at, size_t limit, bool is_wide)
{
    size_t entry_bytes = is_wide ? 24 : 12, head_bytes = is_wide ? 8 : 4, before = m->hole_count;
    uint8_t entry[24];
    if (at >= limit || limit - at < head_bytes || !take(m, at, entry, 4))
        return 0;
    size_t count = (size_t)load(entry, 4), running = 0;
    if (!count || count > OM_PARTS_MAX || limit - at - head_bytes < count * entry_bytes)
        return 0;
    size_t data = at + head_bytes + count * entry_bytes;
    for (size_t i = 0; i < count; i++) {
        bool is_read = take(m, at + head_bytes + i * entry_bytes, entry, entry_bytes);
        uint64_t type = load(entry, 4), offset = load(entry + entry_bytes / 3, is_wide ? 8 : 4);
        uint64_t size = load(entry + 2 * (entry_bytes / 3), is_wide ? 8 : 4);
        if (!is_read || offset != running || size > limit - data - running) {
            m->hole_count = before;
            return 0;
        }
        if (type == OM_WEIGHTS)
            add_hole(m, data + running, (size_t)size);
        running += (size_t)size;
    }
    return data + running;
}

/* Whether a file begins at `at`; *kind: of the model. */
static bool is_file(const struct model *m, size_t at, size_t limit, uint8_t *kind)
{
    char magic[4];
    return limit - at >= OM_HEAD + 4 && take(m, at, magic, sizeof magic) &&
           memcmp(magic, "IMOD", 4) == 0 && take(m, at + OM_TYPE_AT, kind, 1);
}

/* The file from `at` up to `limit`. */
static bool find_in_file(struct model *m, size_t at, size_t limit)
{
    for (at += OM_HEAD; at < limit;) {
        size_t end = read_table(m, at, limit, true);
        if (!end)
            end = read_table(m, at, limit, false);
        if (!end)
            return false;
        m->is_understood = true;
        at = end;
    }
    return true;
}

/* A bundle is one wide table of files, whose places are counted from the table; in order, as holes
 * have to be. */
static bool find_in_bundle(struct model *m)
{
    size_t table = OM_HEAD, behind = 0;
    uint8_t entry[24], kind;
    if (!take(m, table, entry, 4))
        return false;
    size_t count = (size_t)load(entry, 4);
    if (!count || count > OM_PARTS_MAX || m->len - table - 8 < count * sizeof entry)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!take(m, table + 8 + i * sizeof entry, entry, sizeof entry))
            return false;
        uint64_t offset = load(entry + 8, 8), size = load(entry + 16, 8);
        if (offset < behind || offset > m->len - table || size > m->len - table - offset)
            return false;
        behind = (size_t)(offset + size);
        if (load(entry, 4) == OM_MEMBER &&
            (!is_file(m, table + (size_t)offset, table + behind, &kind) || kind == OM_BUNDLE ||
             !find_in_file(m, table + (size_t)offset, table + behind)))
            return false;
    }
    return true;
}

static void find_weights(struct model *m)
{
    uint8_t kind;
    if (!is_file(m, 0, m->len, &kind))
        return;
    if (kind == OM_BUNDLE)
        m->is_understood = find_in_bundle(m);
    else
        find_in_file(m, 0, m->len);
}

/* What is done with each piece of a model but its weights. */
typedef bool piece_fn(void *user, size_t at, const void *bytes, size_t len);

static bool each_piece(const struct model *m, piece_fn *fn, void *user)
{
    uint8_t piece[PIECE];
    size_t at = 0;
    for (size_t h = 0; h <= m->hole_count; h++) {
        size_t to = h < m->hole_count ? m->holes[h].from : m->len;
        while (at < to) {
            size_t len = to - at < PIECE ? to - at : PIECE;
            if (!take(m, at, piece, len) || !fn(user, at, piece, len))
                return false;
            at += len;
        }
        at = h < m->hole_count ? m->holes[h].to : at;
    }
    return true;
}

static bool sum_piece(void *user, size_t at, const void *bytes, size_t len)
{
    uint64_t *sum = user;
    (void)at;
    *sum = mi_rec_sum(*sum, bytes, len);
    return true;
}

static bool write_piece(void *user, size_t at, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;
    while (len) {
        ssize_t done = pwrite(*(int *)user, from, len, (off_t)at);
        if (done <= 0 && errno != EINTR)
            return false;
        from += done > 0 ? done : 0;
        at += done > 0 ? (size_t)done : 0;
        len -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* Under another name first, so that nobody reads half a model. */
static void copy(const struct model *m, char *name, size_t size)
{
    char path[sizeof mi_hook.dir + 96], made[sizeof path + 32];
    struct stat info;
    uint64_t sum = m->len;
    bool ok = each_piece(m, sum_piece, &sum);
    snprintf(path, sizeof path, "%s/models", mi_hook.dir);
    mkdir(path, 0700);
    snprintf(name, size, "models/%016llx.om", (unsigned long long)sum);
    snprintf(path, sizeof path, "%s/%s", mi_hook.dir, name);
    if (ok && stat(path, &info) == 0)
        return;
    snprintf(made, sizeof made, "%s.%ld.part", path, (long)getpid());
    int file = open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    ok =
        ok && file >= 0 && each_piece(m, write_piece, &file) && ftruncate(file, (off_t)m->len) == 0;
    if (file >= 0)
        close(file);
    if (ok && rename(made, path) == 0)
        return;
    unlink(made);
    *name = '\0';
    mi_hook_remark(MI_REC_note, "a loaded model could not be copied into the capture");
}

static void copy_model(struct model *m, char *name, size_t size)
{
    if (!mi_hook.wants_weights)
        find_weights(m);
    if (m->has_more || (!mi_hook.wants_weights && !m->is_understood && m->len > STRANGER_MAX)) {
        mi_hook_remark(MI_REC_note,
                       m->has_more ? "a loaded model was not copied: it has too many parts with "
                                     "weights to leave them out"
                                   : "a loaded model was not copied: its layout is not known, and "
                                     "it is large");
        return;
    }
    struct mi_hook_shield shield;
    mi_hook_shield(&shield);
    copy(m, name, size);
    mi_hook_unshield(&shield);
    if (*name)
        atomic_fetch_add(&mi_hook.model_count, 1);
}

void mi_hook_copy_memory(const void *model, size_t bytes, char *name, size_t size)
{
    *name = '\0';
    if (mi_hook.wants_graph && model && bytes && mi_hook_notes())
        copy_model(&(struct model){.at = model, .file = -1, .len = bytes}, name, size);
}

void mi_hook_copy_file(const char *path, char *name, size_t size)
{
    struct stat info;
    *name = '\0';
    if (!mi_hook.wants_graph || !path || !mi_hook_notes())
        return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return; /* the call itself will say so */
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        copy_model(&(struct model){.file = file, .len = (size_t)info.st_size}, name, size);
    close(file);
}
