/* Byte sources: files, pipes and memory. */
#include "base/input.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_ROOM ((size_t)64 << 10)
#define HEAD_PIECE ((size_t)16 << 10)
#define LOOK_MS    100 /* between two looks whether to go on */

static const uint8_t nothing[1];

static uint64_t limit_of(const struct mi_input_options *options)
{
    return options && options->max_bytes ? options->max_bytes : MI_INPUT_MAX_BYTES;
}

static bool start(struct mi_input *input, const char *name, struct mi_error *err)
{
    size_t len = strlen(name) + 1;
    *input = (struct mi_input){.bytes = {nothing, 0}, .damage = MI_ERROR_INIT};
    input->path = mi_mem_new(len, 1);
    if (!input->path)
        return mi_fail(err, MI_ENOMEM, "no memory for a path");
    memcpy(input->path, name, len);
    return true;
}

/* Lets go of the bytes, keeps the description. */
static void drop_bytes(struct mi_input *input)
{
    if (input->mapped_bytes)
        munmap(input->owned, input->mapped_bytes);
    else
        mi_mem_free(input->owned);
    input->owned = NULL;
    input->mapped_bytes = 0;
    input->is_mapped = false;
    input->bytes = (struct mi_bytes){nothing, 0};
}

void mi_input_close(struct mi_input *input)
{
    drop_bytes(input);
    mi_mem_free(input->path);
    *input = (struct mi_input){.bytes = {nothing, 0}, .damage = MI_ERROR_INIT};
}

static int64_t mtime_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static bool is_null_device(const struct stat *st)
{
    struct stat null;
    return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == st->st_rdev;
}

static bool fail_errno(struct mi_error *err, const char *doing)
{
    enum mi_code code = errno == ENOENT || errno == ENOTDIR ? MI_ENOTFOUND : MI_EIO;
    return mi_fail(err, code, "cannot %s: %s", doing, strerror(errno));
}

/* Refuses what cannot be read as a stretch of bytes. */
static bool check_kind(const struct stat *st, bool is_stdin, struct mi_error *err)
{
    const char *kind = NULL;
    if (S_ISDIR(st->st_mode))
        kind = "a directory";
    else if (S_ISSOCK(st->st_mode) && !is_stdin)
        kind = "a socket";
    else if (S_ISBLK(st->st_mode))
        kind = "a block device";
    else if (S_ISCHR(st->st_mode) && !is_stdin && !is_null_device(st))
        kind = "a character device";
    return !kind || mi_fail(err, MI_EUNSUPPORTED, "is %s, not a file", kind);
}

/* Opens without getting stuck: a named pipe that nobody writes to yet is waited for by reading. */
static int open_path(const char *path, struct stat *st, struct mi_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && stat(path, st) != 0) {
        fail_errno(err, "open");
        return -1;
    }
    if (!is_stdin && !check_kind(st, false, err))
        return -1;
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                      : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, st) != 0)
        fail_errno(err, "open");
    else if (check_kind(st, is_stdin, err))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static ssize_t read_some(int fd, uint8_t *into, size_t room)
{
    ssize_t got;
    do
        got = read(fd, into, room);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Whoever writes into a pipe may take long: false if it was cancelled meanwhile. */
static bool wait_for_some(int fd, const struct mi_going *going)
{
    struct pollfd pipe = {.fd = fd, .events = POLLIN};
    bool goes_on;
    do
        goes_on = mi_goes_on(going);
    while (goes_on && poll(&pipe, 1, LOOK_MS) <= 0);
    return goes_on;
}

/* Reads to the end of `fd`. The size a file claims is only a hint and never more than one step. */
static bool read_all(struct mi_input *input, int fd, uint64_t max_bytes,
                     const struct mi_going *going, struct mi_error *err)
{
    uint8_t *memory = NULL;
    size_t len = 0, room = 0;
    for (;;) {
        if (len == room) {
            size_t want = room ? room * 2 : FIRST_ROOM;
            /* One byte more than allowed shows that there is too much. */
            if (want > max_bytes)
                want = (size_t)max_bytes + 1;
            uint8_t *more = want > room ? mi_mem_resize(memory, want, 1) : NULL;
            if (!more) {
                mi_mem_free(memory);
                return mi_fail_at(err, MI_ENOMEM, len, 0, "no memory for %zu bytes", want);
            }
            memory = more;
            room = want;
        }
        if (!wait_for_some(fd, going)) {
            mi_mem_free(memory);
            return mi_fail_at(err, MI_ECANCELLED, len, 0, "cancelled");
        }
        ssize_t got = read_some(fd, memory + len, room - len);
        if (got < 0 && errno == EAGAIN)
            continue;
        if (got < 0) {
            mi_mem_free(memory);
            return mi_fail_at(err, MI_EIO, len, 0, "cannot read: %s", strerror(errno));
        }
        if (got == 0)
            break;
        len += (size_t)got;
        if (len > max_bytes) {
            mi_mem_free(memory);
            return mi_fail_at(err, MI_ELIMIT, max_bytes, 0, "more than %llu bytes",
                              (unsigned long long)max_bytes);
        }
    }
    uint8_t *fit = mi_mem_resize(memory, len, 1);
    input->owned = fit ? fit : memory;
    input->bytes = (struct mi_bytes){input->owned, len};
    return true;
}

/* False if it cannot be mapped (some file systems, empty files); the caller then reads. */
static bool map(struct mi_input *input, int fd, const struct stat *st)
{
    if (st->st_size <= 0 || (uint64_t)st->st_size > SIZE_MAX)
        return false;
    size_t len = (size_t)st->st_size;
    void *at = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return false;
    input->owned = at;
    input->mapped_bytes = len;
    input->is_mapped = true;
    input->bytes = (struct mi_bytes){at, len};
    return true;
}

/* Replaces packed bytes by their content. */
static bool unpack(struct mi_input *input, const struct mi_input_options *options,
                   struct mi_error *err)
{
    enum mi_packing packing = mi_packing_sniff(input->bytes);
    struct mi_unpacked out;
    if (packing == MI_PACKING_NONE || (options && options->keep_packed))
        return true;
    if (!mi_unpack_all(packing, input->bytes, limit_of(options), options ? options->going : NULL,
                       &out, err))
        return false;
    drop_bytes(input);
    input->owned = out.at;
    input->bytes = (struct mi_bytes){out.at, out.len};
    input->packing = packing;
    input->ignored_bytes = out.ignored_bytes;
    input->damage = out.damage;
    if (input->damage.code != MI_OK)
        mi_error_in(&input->damage, input->path);
    return true;
}

static bool load(struct mi_input *input, int fd, const struct stat *st,
                 const struct mi_input_options *options, struct mi_error *err)
{
    if (S_ISREG(st->st_mode)) {
        input->is_file = true;
        input->mtime_ns = mtime_ns(st);
        input->device = (uint64_t)st->st_dev;
        input->inode = (uint64_t)st->st_ino;
    }
    /* Standard input may be a file that was read in part already. */
    bool may_map =
        S_ISREG(st->st_mode) && !(options && options->no_mmap) && lseek(fd, 0, SEEK_CUR) == 0;
    if (!(may_map && map(input, fd, st)) &&
        !read_all(input, fd, limit_of(options), options ? options->going : NULL, err))
        return false;
    input->disk_bytes = input->bytes.len;
    return unpack(input, options, err);
}

bool mi_input_open(struct mi_input *input, const char *path, const struct mi_input_options *options,
                   struct mi_error *err)
{
    struct stat st;
    int fd = -1;
    bool ok = start(input, path, err) && (fd = open_path(path, &st, err)) >= 0 &&
              load(input, fd, &st, options, err);
    if (fd >= 0)
        close(fd);
    if (ok)
        return true;
    mi_input_close(input);
    return mi_error_in(err, path);
}

bool mi_input_from_bytes(struct mi_input *input, const char *name, struct mi_bytes bytes,
                         const struct mi_input_options *options, struct mi_error *err)
{
    bool ok = start(input, name, err);
    if (ok) {
        if (bytes.at)
            input->bytes = bytes;
        input->disk_bytes = bytes.len;
        ok = unpack(input, options, err);
    }
    if (ok)
        return true;
    mi_input_close(input);
    return mi_error_in(err, name);
}

bool mi_input_adopt(struct mi_input *input, const char *name, void *memory, size_t len,
                    struct mi_error *err)
{
    if (!start(input, name, err)) {
        mi_mem_free(memory);
        return mi_error_in(err, name);
    }
    input->owned = memory;
    if (memory)
        input->bytes = (struct mi_bytes){memory, len};
    input->disk_bytes = input->bytes.len;
    return true;
}

bool mi_input_changed(const struct mi_input *input)
{
    struct stat st;
    if (!input->is_file)
        return false;
    return strcmp(input->path, "-") == 0 || stat(input->path, &st) != 0 ||
           (uint64_t)st.st_size != input->disk_bytes || mtime_ns(&st) != input->mtime_ns ||
           (uint64_t)st.st_ino != input->inode || (uint64_t)st.st_dev != input->device;
}

/* Fills into[room] unless the file ends before. */
static bool read_full(int fd, uint8_t *into, size_t room, size_t *got, struct mi_error *err)
{
    *got = 0;
    while (*got < room) {
        ssize_t more = read_some(fd, into + *got, room - *got);
        if (more < 0)
            return mi_fail(err, MI_EIO, "cannot read: %s", strerror(errno));
        if (more == 0)
            break;
        *got += (size_t)more;
    }
    return true;
}

static bool unpack_head(int fd, enum mi_packing packing, uint8_t *into, size_t room, size_t *got,
                        struct mi_error *err)
{
    uint8_t piece[HEAD_PIECE];
    struct mi_unpack decoder;
    size_t len = 0;
    bool ok = mi_unpack_init(&decoder, packing, err);
    if (!ok)
        return false;
    *got = 0;
    while (ok && *got < room && decoder.state == MI_UNPACK_ON) {
        ok = read_full(fd, piece, sizeof piece, &len, err);
        struct mi_bytes in = {piece, len};
        if (!ok || len == 0)
            break;
        *got += mi_unpack_step(&decoder, &in, into + *got, room - *got);
    }
    mi_unpack_fini(&decoder);
    return ok;
}

static bool head_of(int fd, uint8_t *into, size_t room, size_t *got, struct mi_error *err)
{
    uint8_t magic[4];
    size_t len = 0;
    if (!read_full(fd, magic, sizeof magic, &len, err))
        return false;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return fail_errno(err, "read");
    enum mi_packing packing = mi_packing_sniff((struct mi_bytes){magic, len});
    return packing == MI_PACKING_NONE ? read_full(fd, into, room, got, err)
                                      : unpack_head(fd, packing, into, room, got, err);
}

bool mi_input_head(const char *path, uint8_t *into, size_t room, size_t *got, struct mi_error *err)
{
    struct stat st;
    int fd = -1;
    *got = 0;
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)))
        mi_fail(err, MI_EUNSUPPORTED, "is a pipe and cannot be looked into beforehand");
    else
        fd = open_path(path, &st, err);
    bool ok = fd >= 0 && head_of(fd, into, room, got, err);
    if (fd >= 0)
        close(fd);
    return ok || mi_error_in(err, path);
}
