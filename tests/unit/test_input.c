/* Byte sources: kinds of files, compression, damage, limits, memory that runs out. */
#include "base/input.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "rng.h"

#define TEXT_BYTES 300000

static char folder[] = "/tmp/mi-test-input-XXXXXX";
static uint8_t text[TEXT_BYTES];

struct packed {
    uint8_t *at;
    size_t len;
};

static struct packed gzip(const void *from, size_t len)
{
    z_stream z = {0};
    struct packed out = {malloc(len + 1000), 0};
    assert_non_null(out.at);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)from;
    z.avail_in = (unsigned)len;
    z.next_out = out.at;
    z.avail_out = (unsigned)len + 1000;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.len = z.total_out;
    deflateEnd(&z);
    return out;
}

static struct packed zstd(const void *from, size_t len)
{
    size_t room = ZSTD_compressBound(len);
    struct packed out = {malloc(room), 0};
    assert_non_null(out.at);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    out.len = ZSTD_compress2(context, out.at, room, from, len);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(out.len));
    return out;
}

/* `a` and `b` behind each other; both are freed. */
static struct packed join(struct packed a, struct packed b)
{
    struct packed out = {malloc(a.len + b.len), a.len + b.len};
    assert_non_null(out.at);
    memcpy(out.at, a.at, a.len);
    memcpy(out.at + a.len, b.at, b.len);
    free(a.at);
    free(b.at);
    return out;
}

static struct packed copy(const void *from, size_t len)
{
    struct packed out = {malloc(len + !len), len};
    assert_non_null(out.at);
    memcpy(out.at, from, len);
    return out;
}

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *put(const char *name, const void *bytes, size_t len)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void is_text(const struct mi_input *input, size_t len)
{
    assert_int_equal(input->bytes.len, len);
    assert_memory_equal(input->bytes.at, text, len);
}

static int make_folder(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)("abcdefgh\n "[rng_below(&seed, 10)]);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "gz", "zst", "pipe", "socket", "sub", "link"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of(names[i]));
    return rmdir(folder);
}

static void files_are_mapped(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_input input;
    const char *path = put("a", text, sizeof text);
    assert_true(mi_input_open(&input, path, NULL, &err));
    is_text(&input, sizeof text);
    assert_true(input.is_mapped && input.is_file);
    assert_string_equal(input.path, path);
    assert_int_equal(input.disk_bytes, sizeof text);
    assert_true(input.mtime_ns > INT64_C(1500000000000000000));
    assert_int_equal(input.packing, MI_PACKING_NONE);
    assert_false(mi_input_changed(&input));
    put("a", text, sizeof text - 1);
    /* The mapping now ends early within its last page: reading it stays defined. */
    assert_true(mi_input_changed(&input));
    mi_input_close(&input);
    mi_input_close(&input);
    /* Same size, another time. */
    assert_true(mi_input_open(&input, path, NULL, &err));
    const struct timespec times[] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_true(mi_input_changed(&input));
    mi_input_close(&input);
    struct mi_input_options options = {.no_mmap = true};
    assert_true(mi_input_open(&input, path, &options, &err));
    is_text(&input, sizeof text - 1);
    assert_false(input.is_mapped);
    unlink(path);
    assert_true(mi_input_changed(&input));
    mi_input_close(&input);
}

static void empty_files_are_fine(void **state)
{
    (void)state;
    struct mi_input input;
    assert_true(mi_input_open(&input, put("a", "", 0), NULL, NULL));
    assert_int_equal(input.bytes.len, 0);
    assert_non_null(input.bytes.at);
    mi_input_close(&input);
    assert_true(mi_input_open(&input, "/dev/null", NULL, NULL));
    assert_int_equal(input.bytes.len, 0);
    mi_input_close(&input);
}

static void cannot_open(const char *path, enum mi_code code, const char *why)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_input input;
    assert_false(mi_input_open(&input, path, NULL, &err));
    assert_int_equal(err.code, code);
    assert_string_equal(err.input, path);
    assert_non_null(strstr(err.text, why));
    mi_input_close(&input);
}

static void other_things_are_refused(void **state)
{
    (void)state;
    cannot_open(folder, MI_EUNSUPPORTED, "a directory");
    cannot_open(path_of("missing"), MI_ENOTFOUND, "No such file");
    cannot_open("/dev/zero", MI_EUNSUPPORTED, "a character device");
    cannot_open("", MI_ENOTFOUND, "No such file");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path_of("socket"));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    cannot_open(path_of("socket"), MI_EUNSUPPORTED, "a socket");
    close(fd);
}

static void *feed(void *arg)
{
    int fd = open(arg, O_WRONLY);
    size_t at = 0;
    while (at < sizeof text) {
        ssize_t put_now = write(fd, text + at, sizeof text - at);
        if (put_now < 0)
            break;
        at += (size_t)put_now;
    }
    close(fd);
    return NULL;
}

static void pipes_are_read(void **state)
{
    (void)state;
    char path[200];
    pthread_t thread;
    struct mi_input input;
    struct mi_error err = MI_ERROR_INIT;
    snprintf(path, sizeof path, "%s", path_of("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, feed, path), 0);
    assert_true(mi_input_open(&input, path, NULL, &err));
    pthread_join(thread, NULL);
    is_text(&input, sizeof text);
    assert_false(input.is_mapped || input.is_file || mi_input_changed(&input));
    mi_input_close(&input);
    size_t got;
    uint8_t head[4];
    assert_false(mi_input_head(path, head, sizeof head, &got, &err));
    assert_int_equal(err.code, MI_EUNSUPPORTED);
}

static void standard_input_is_read(void **state)
{
    (void)state;
    int ends[2], saved = dup(STDIN_FILENO);
    struct mi_input input;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, 1000), 1000);
    close(ends[1]);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    assert_true(mi_input_open(&input, "-", NULL, NULL));
    is_text(&input, 1000);
    assert_string_equal(input.path, "-");
    mi_input_close(&input);
    /* A file of which somebody has read the beginning. */
    int fd = open(put("a", text, 1000), O_RDONLY);
    assert_true(dup2(fd, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 990, SEEK_SET) == 990);
    assert_true(mi_input_open(&input, "-", NULL, NULL));
    assert_int_equal(input.bytes.len, 10);
    assert_memory_equal(input.bytes.at, text + 990, 10);
    mi_input_close(&input);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(ends[0]);
    close(fd);
}

struct silent_pipe {
    char path[200];
    struct mi_cancel cancel;
    int fd, asked;
};

static bool is_wanted(void *context)
{
    struct silent_pipe *silent = context;
    silent->asked++;
    return !mi_cancelled(&silent->cancel);
}

/* Waits until somebody reads from the pipe, writes nothing, and cancels. */
static void *cancel_reader(void *context)
{
    struct silent_pipe *silent = context;
    silent->fd = open(silent->path, O_WRONLY);
    mi_cancel_set(&silent->cancel);
    return NULL;
}

static void waiting_can_be_cancelled(void **state)
{
    (void)state;
    struct silent_pipe silent = {.fd = -1};
    const struct mi_going going = {is_wanted, &silent};
    const struct mi_input_options options = {.going = &going};
    struct mi_input input;
    struct mi_error err = MI_ERROR_INIT;
    pthread_t thread;
    snprintf(silent.path, sizeof silent.path, "%s", path_of("silent"));
    assert_int_equal(mkfifo(silent.path, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, cancel_reader, &silent), 0);
    assert_false(mi_input_open(&input, silent.path, &options, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_true(silent.asked > 0);
    pthread_join(thread, NULL);
    close(silent.fd);
    unlink(silent.path);
    silent.asked = 0;
    struct packed packed = gzip(text, sizeof text);
    err = MI_ERROR_INIT;
    assert_false(mi_input_from_bytes(&input, "packed", (struct mi_bytes){packed.at, packed.len},
                                     &options, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_int_equal(silent.asked, 1);
    free(packed.at);
}

static void memory_has_a_limit(void **state)
{
    (void)state;
    struct mi_input_options options = {.no_mmap = true, .max_bytes = sizeof text};
    struct mi_input input;
    struct mi_error err = MI_ERROR_INIT;
    const char *path = put("a", text, sizeof text);
    assert_true(mi_input_open(&input, path, &options, &err));
    is_text(&input, sizeof text);
    mi_input_close(&input);
    options.max_bytes--;
    assert_false(mi_input_open(&input, path, &options, &err));
    assert_int_equal(err.code, MI_ELIMIT);
    /* A mapping takes no memory. */
    options.no_mmap = false;
    assert_true(mi_input_open(&input, path, &options, NULL));
    mi_input_close(&input);
}

/* Opens packed bytes as memory and checks the content; frees them. */
static void unpacks(struct packed packed, enum mi_packing packing, size_t want, uint64_t ignored)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_input input;
    assert_true(
        mi_input_from_bytes(&input, "x", (struct mi_bytes){packed.at, packed.len}, NULL, &err));
    assert_int_equal(input.damage.code, MI_OK);
    assert_int_equal(input.packing, packing);
    assert_int_equal(input.ignored_bytes, ignored);
    assert_int_equal(input.disk_bytes, packed.len);
    is_text(&input, want);
    mi_input_close(&input);
    free(packed.at);
}

static void compressed_bytes_are_unpacked(void **state)
{
    (void)state;
    size_t half = sizeof text / 2;
    unpacks(gzip(text, sizeof text), MI_PACKING_GZIP, sizeof text, 0);
    unpacks(zstd(text, sizeof text), MI_PACKING_ZSTD, sizeof text, 0);
    unpacks(join(gzip(text, half), gzip(text + half, half)), MI_PACKING_GZIP, 2 * half, 0);
    unpacks(join(zstd(text, half), zstd(text + half, half)), MI_PACKING_ZSTD, 2 * half, 0);
    unpacks(gzip("", 0), MI_PACKING_GZIP, 0, 0);
    unpacks(zstd("", 0), MI_PACKING_ZSTD, 0, 0);
    unpacks(join(gzip(text, 10), copy("\0\0\0\0\0", 5)), MI_PACKING_GZIP, 10, 0);
    unpacks(join(zstd(text, 10), copy("\0\0\0", 3)), MI_PACKING_ZSTD, 10, 0);
    unpacks(join(gzip(text, 10), copy("garbage", 7)), MI_PACKING_GZIP, 10, 7);
    unpacks(join(zstd(text, 10), copy("garbage", 7)), MI_PACKING_ZSTD, 10, 7);
    /* A skippable frame in front, as parallel compressors write it. */
    unpacks(join(copy("\x50\x2a\x4d\x18\4\0\0\0abcd", 12), zstd(text, 99)), MI_PACKING_ZSTD, 99, 0);
}

static void compressed_files_are_unpacked(void **state)
{
    (void)state;
    struct packed packed = gzip(text, sizeof text);
    const char *path = put("gz", packed.at, packed.len);
    struct mi_input input;
    for (unsigned no_mmap = 0; no_mmap < 2; no_mmap++) {
        struct mi_input_options options = {.no_mmap = no_mmap};
        assert_true(mi_input_open(&input, path, &options, NULL));
        is_text(&input, sizeof text);
        assert_false(input.is_mapped || mi_input_changed(&input));
        assert_int_equal(input.disk_bytes, packed.len);
        mi_input_close(&input);
    }
    struct mi_input_options options = {.keep_packed = true};
    assert_true(mi_input_open(&input, path, &options, NULL));
    assert_int_equal(input.bytes.len, packed.len);
    assert_int_equal(input.packing, MI_PACKING_NONE);
    mi_input_close(&input);
    free(packed.at);
}

static void bombs_stop_at_the_limit(void **state)
{
    (void)state;
    size_t big = (size_t)64 << 20;
    uint8_t *zeros = calloc(1, big);
    assert_non_null(zeros);
    struct packed bombs[] = {gzip(zeros, big), zstd(zeros, big)};
    free(zeros);
    for (size_t i = 0; i < 2; i++) {
        struct mi_input_options options = {.max_bytes = (uint64_t)1 << 20};
        struct mi_error err = MI_ERROR_INIT;
        struct mi_input input;
        struct mi_bytes bytes = {bombs[i].at, bombs[i].len};
        assert_false(mi_input_from_bytes(&input, "bomb", bytes, &options, &err));
        assert_int_equal(err.code, MI_ELIMIT);
        assert_string_equal(err.input, "bomb");
        options.max_bytes = big;
        assert_true(mi_input_from_bytes(&input, "bomb", bytes, &options, NULL));
        assert_int_equal(input.bytes.len, big);
        assert_int_equal(input.ignored_bytes, 0);
        mi_input_close(&input);
        free(bombs[i].at);
    }
}

/* What is left of `packed` when it is cut at `len`: always a beginning of the text. */
static void check_cut(struct packed packed, size_t len, size_t whole, size_t *kept)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_input input;
    struct packed cut = copy(packed.at, len);
    bool ok = mi_input_from_bytes(&input, "cut", (struct mi_bytes){cut.at, len}, NULL, &err);
    if (!ok) {
        assert_int_equal(err.code, MI_ETRUNCATED);
    } else if (len >= 4) {
        assert_int_equal(input.damage.code, len == packed.len ? MI_OK : MI_ETRUNCATED);
        assert_true(len == packed.len || input.damage.offset <= len);
        assert_true(input.bytes.len >= *kept && input.bytes.len <= whole);
        assert_memory_equal(input.bytes.at, text, input.bytes.len);
        *kept = input.bytes.len;
    }
    mi_input_close(&input);
    free(cut.at);
}

static void cut_streams_keep_their_beginning(void **state)
{
    (void)state;
    const size_t whole = 400;
    struct packed streams[] = {gzip(text, whole), zstd(text, whole)};
    for (size_t i = 0; i < 2; i++) {
        size_t kept = 0;
        for (size_t len = 0; len <= streams[i].len; len++)
            check_cut(streams[i], len, whole, &kept);
        assert_int_equal(kept, whole);
        free(streams[i].at);
    }
    struct packed big = gzip(text, sizeof text);
    size_t kept = 0;
    check_cut(big, big.len / 2, sizeof text, &kept);
    assert_true(kept > sizeof text / 3);
    free(big.at);
}

static void damaged_streams_never_hurt(void **state)
{
    (void)state;
    struct packed streams[] = {gzip(text, 700), zstd(text, 700)};
    uint64_t seed = 31;
    struct mi_input_options options = {.max_bytes = 100000};
    for (unsigned round = 0; round < 20000; round++) {
        struct packed *from = &streams[round % 2];
        struct packed bad = copy(from->at, from->len);
        struct mi_error err = MI_ERROR_INIT;
        struct mi_input input;
        for (size_t flips = 1 + rng_below(&seed, 3); flips > 0; flips--)
            bad.at[rng_below(&seed, bad.len)] ^= (uint8_t)(1U << rng_below(&seed, 8));
        if (mi_input_from_bytes(&input, "bad", (struct mi_bytes){bad.at, bad.len}, &options, &err))
            assert_true(input.damage.code == MI_OK || input.damage.offset <= bad.len);
        else
            assert_int_not_equal(err.code, MI_OK);
        mi_input_close(&input);
        free(bad.at);
    }
    free(streams[0].at);
    free(streams[1].at);
}

static void the_head_is_read_alone(void **state)
{
    (void)state;
    uint8_t head[4096];
    size_t got = 0;
    struct packed packed[] = {copy(text, sizeof text), gzip(text, sizeof text),
                              zstd(text, sizeof text)};
    for (size_t i = 0; i < 3; i++) {
        const char *path = put("gz", packed[i].at, packed[i].len);
        assert_true(mi_input_head(path, head, sizeof head, &got, NULL));
        assert_int_equal(got, sizeof head);
        assert_memory_equal(head, text, sizeof head);
        uint8_t *all = malloc(sizeof text + 10);
        assert_non_null(all);
        assert_true(mi_input_head(path, all, sizeof text + 10, &got, NULL));
        assert_int_equal(got, sizeof text);
        assert_memory_equal(all, text, sizeof text);
        free(all);
        free(packed[i].at);
    }
    assert_true(mi_input_head(put("a", "ab", 2), head, sizeof head, &got, NULL));
    assert_int_equal(got, 2);
    struct mi_error err = MI_ERROR_INIT;
    assert_false(mi_input_head(path_of("missing"), head, sizeof head, &got, &err));
    assert_int_equal(err.code, MI_ENOTFOUND);
    err = (struct mi_error){.code = MI_OK};
    assert_false(mi_input_head(folder, head, sizeof head, &got, &err));
    assert_int_equal(err.code, MI_EUNSUPPORTED);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct packed packed = gzip(text, sizeof text);
    char path[200];
    snprintf(path, sizeof path, "%s", put("gz", packed.at, packed.len));
    free(packed.at);
    struct mi_input_options options = {.no_mmap = true};
    bool done = false;
    for (long n = 0; !done; n++) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_input input;
        alloc_left = n;
        bool ok = mi_input_open(&input, path, &options, &err);
        done = alloc_left > 0;
        alloc_left = -1;
        /* A failed shrinking of the buffer at the end is no failure. */
        if (ok)
            is_text(&input, sizeof text);
        else
            assert_int_equal(err.code, MI_ENOMEM);
        assert_true(n < 1000);
        mi_input_close(&input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_mapped),
        cmocka_unit_test(empty_files_are_fine),
        cmocka_unit_test(other_things_are_refused),
        cmocka_unit_test(pipes_are_read),
        cmocka_unit_test(standard_input_is_read),
        cmocka_unit_test(waiting_can_be_cancelled),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(compressed_bytes_are_unpacked),
        cmocka_unit_test(compressed_files_are_unpacked),
        cmocka_unit_test(bombs_stop_at_the_limit),
        cmocka_unit_test(cut_streams_keep_their_beginning),
        cmocka_unit_test(damaged_streams_never_hurt),
        cmocka_unit_test(the_head_is_read_alone),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
