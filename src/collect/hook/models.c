/* Copies of offline models into the capture folder, taken when they are loaded: the file may be a
 * temporary one, the bytes in memory are freed soon. Weights are left out unless they were asked
 * for: a hole of their size stays, so that all other offsets hold.
 *
 * A copy is named by the sum of what it holds, so that a model loaded a thousand times is there
 * once. */
#include "collect/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* om.c of the reader tells more of the layout. */
enum {
    OM_HEAD = 256,
    OM_WEIGHTS = 1,
    OM_PARTS_MAX = 4096,
    HOLES_MAX = 64,
    STRANGER_MAX = 256 << 20 /* a file whose layout is not understood is copied up to here */
};

struct model {
    const uint8_t *at;
    size_t len;
    struct {
        size_t from, to;
    } holes[HOLES_MAX]; /* weights, in order */
    size_t hole_count;
    bool is_understood, has_more; /* has_more: weights without a place in `holes` */
};

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

/* The partitions of the table at `at`, if they stand back to back behind it; the place behind the
 * last one, or 0. Weights become holes. */
static size_t read_table(struct model *m, size_t at, bool is_wide)
{
    size_t entry_bytes = is_wide ? 24 : 12, head_bytes = is_wide ? 8 : 4, before = m->hole_count;
    if (at >= m->len || m->len - at < head_bytes)
        return 0;
    size_t count = (size_t)load(m->at + at, 4), running = 0;
    if (!count || count > OM_PARTS_MAX || m->len - at - head_bytes < count * entry_bytes)
        return 0;
    size_t data = at + head_bytes + count * entry_bytes;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *entry = m->at + at + head_bytes + i * entry_bytes;
        uint64_t type = load(entry, 4), offset = load(entry + entry_bytes / 3, is_wide ? 8 : 4);
        uint64_t size = load(entry + 2 * (entry_bytes / 3), is_wide ? 8 : 4);
        if (offset != running || size > m->len - data - running) {
            m->hole_count = before;
            return 0;
        }
        if (type == OM_WEIGHTS)
            add_hole(m, data + running, (size_t)size);
        running += (size_t)size;
    }
    return data + running;
}

static void find_weights(struct model *m)
{
    if (m->len < OM_HEAD + 4 || memcmp(m->at, "IMOD", 4) != 0)
        return;
    for (size_t at = OM_HEAD; at < m->len;) {
        size_t end = read_table(m, at, true);
        if (!end)
            end = read_table(m, at, false);
        if (!end)
            return;
        m->is_understood = true;
        at = end;
    }
}

static uint64_t sum_of(const struct model *m)
{
    size_t at = 0;
    uint64_t sum = m->len;
    for (size_t h = 0; h < m->hole_count; h++) {
        sum = mi_rec_sum(sum, m->at + at, m->holes[h].from - at);
        at = m->holes[h].to;
    }
    return mi_rec_sum(sum, m->at + at, m->len - at);
}

static bool write_range(int file, const struct model *m, size_t from, size_t to)
{
    while (from < to) {
        ssize_t done = pwrite(file, m->at + from, to - from, (off_t)from);
        if (done <= 0 && errno != EINTR)
            return false;
        from += done > 0 ? (size_t)done : 0;
    }
    return true;
}

static bool write_model(int file, const struct model *m)
{
    size_t at = 0;
    bool ok = true;
    for (size_t h = 0; ok && h < m->hole_count; h++) {
        ok = write_range(file, m, at, m->holes[h].from);
        at = m->holes[h].to;
    }
    return ok && write_range(file, m, at, m->len) && ftruncate(file, (off_t)m->len) == 0;
}

/* Under another name first, so that nobody reads half a model. */
static void copy(const struct model *m, char *name, size_t size)
{
    char path[sizeof mi_hook.dir + 96], made[sizeof path + 32];
    struct stat info;
    snprintf(path, sizeof path, "%s/models", mi_hook.dir);
    mkdir(path, 0700);
    snprintf(name, size, "models/%016llx.om", (unsigned long long)sum_of(m));
    snprintf(path, sizeof path, "%s/%s", mi_hook.dir, name);
    if (stat(path, &info) == 0)
        return;
    snprintf(made, sizeof made, "%s.%ld.part", path, (long)getpid());
    int file = open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = file >= 0 && write_model(file, m);
    if (file >= 0)
        close(file);
    if (ok && rename(made, path) == 0)
        return;
    unlink(made);
    *name = '\0';
    mi_hook_remark(MI_REC_note, "a loaded model could not be copied into the capture");
}

void mi_hook_copy_memory(const void *model, size_t bytes, char *name, size_t size)
{
    struct model m = {.at = model, .len = bytes};
    *name = '\0';
    if (!mi_hook.wants_graph || !model || !bytes || !mi_hook_notes())
        return;
    if (!mi_hook.wants_weights)
        find_weights(&m);
    if (m.has_more || (!mi_hook.wants_weights && !m.is_understood && bytes > STRANGER_MAX)) {
        mi_hook_remark(MI_REC_note,
                       m.has_more ? "a loaded model was not copied: it has too many parts with "
                                    "weights to leave them out"
                                  : "a loaded model was not copied: its layout is not known, and "
                                    "it is large");
        return;
    }
    struct mi_hook_shield shield;
    mi_hook_shield(&shield);
    copy(&m, name, size);
    mi_hook_unshield(&shield);
    if (*name)
        atomic_fetch_add(&mi_hook.model_count, 1);
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
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        void *at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (at != MAP_FAILED) {
            mi_hook_copy_memory(at, (size_t)info.st_size, name, size);
            munmap(at, (size_t)info.st_size);
        }
    }
    close(file);
}
