/* ZIP archives: made here by hand, so that every field can lie. */
#include "base/zip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "rng.h"

#define ROOM 20000

struct archive {
    uint8_t at[ROOM];
    size_t len;
    uint8_t directory[ROOM];
    size_t directory_len;
    unsigned count;
    bool is_64;
};

static void put_number(uint8_t *to, size_t *len, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[(*len)++] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
}

static void put_bytes(uint8_t *to, size_t *len, const void *from, size_t count)
{
    memcpy(to + *len, from, count);
    *len += count;
}

struct member {
    const char *name;
    const void *bytes;
    size_t len;
    unsigned method, flags;
    int64_t size_lie; /* added to the size the directory claims */
    uint32_t crc_lie;
};

static size_t deflate_raw(const void *from, size_t len, uint8_t *to, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)from;
    z.avail_in = (unsigned)len;
    z.next_out = to;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t made = z.total_out;
    deflateEnd(&z);
    return made;
}

static void add(struct archive *a, struct member m)
{
    uint8_t packed[ROOM];
    size_t header = a->len, packed_len = m.len;
    memcpy(packed, m.bytes, m.len);
    if (m.method == 8)
        packed_len = deflate_raw(m.bytes, m.len, packed, sizeof packed);
    uint32_t crc = (uint32_t)crc32_z(0, m.bytes, m.len) ^ m.crc_lie;
    uint64_t size = m.len + (uint64_t)m.size_lie;
    size_t name_len = strlen(m.name);
    uint64_t hidden = UINT32_MAX;
    put_number(a->at, &a->len, 0x04034b50, 4);
    put_number(a->at, &a->len, 20, 2);
    put_number(a->at, &a->len, m.flags, 2);
    put_number(a->at, &a->len, m.method, 2);
    put_number(a->at, &a->len, 0, 4); /* time */
    put_number(a->at, &a->len, crc, 4);
    put_number(a->at, &a->len, packed_len, 4);
    put_number(a->at, &a->len, size, 4);
    put_number(a->at, &a->len, name_len, 2);
    put_number(a->at, &a->len, 3, 2);
    put_bytes(a->at, &a->len, m.name, name_len);
    put_bytes(a->at, &a->len, "ext", 3);
    put_bytes(a->at, &a->len, packed, packed_len);
    uint8_t *d = a->directory;
    size_t *n = &a->directory_len;
    put_number(d, n, 0x02014b50, 4);
    put_number(d, n, 20, 2);
    put_number(d, n, 20, 2);
    put_number(d, n, m.flags, 2);
    put_number(d, n, m.method, 2);
    put_number(d, n, 0, 4);
    put_number(d, n, crc, 4);
    put_number(d, n, a->is_64 ? hidden : packed_len, 4);
    put_number(d, n, a->is_64 ? hidden : size, 4);
    put_number(d, n, name_len, 2);
    put_number(d, n, a->is_64 ? 6 + 28 : 0, 2);
    put_number(d, n, 4, 2); /* comment */
    put_number(d, n, 0, 2);
    put_number(d, n, 0, 6);
    put_number(d, n, a->is_64 ? hidden : header, 4);
    put_bytes(d, n, m.name, name_len);
    if (a->is_64) {
        put_number(d, n, 0x7777, 2); /* somebody else's field in front */
        put_number(d, n, 2, 2);
        put_number(d, n, 0, 2);
        put_number(d, n, 1, 2);
        put_number(d, n, 24, 2);
        put_number(d, n, size, 8);
        put_number(d, n, packed_len, 8);
        put_number(d, n, header, 8);
    }
    put_bytes(d, n, "note", 4);
    a->count++;
}

static struct mi_bytes finish(struct archive *a, const char *comment)
{
    size_t start = a->len;
    put_bytes(a->at, &a->len, a->directory, a->directory_len);
    if (a->is_64) {
        size_t record = a->len;
        put_number(a->at, &a->len, 0x06064b50, 4);
        put_number(a->at, &a->len, 44, 8);
        put_number(a->at, &a->len, 0, 12);
        put_number(a->at, &a->len, a->count, 8);
        put_number(a->at, &a->len, a->count, 8);
        put_number(a->at, &a->len, a->directory_len, 8);
        put_number(a->at, &a->len, start, 8);
        put_number(a->at, &a->len, 0x07064b50, 4);
        put_number(a->at, &a->len, 0, 4);
        put_number(a->at, &a->len, record, 8);
        put_number(a->at, &a->len, 1, 4);
    }
    put_number(a->at, &a->len, 0x06054b50, 4);
    put_number(a->at, &a->len, 0, 4);
    put_number(a->at, &a->len, a->is_64 ? 0xffff : a->count, 2);
    put_number(a->at, &a->len, a->is_64 ? 0xffff : a->count, 2);
    put_number(a->at, &a->len, a->is_64 ? UINT32_MAX : a->directory_len, 4);
    put_number(a->at, &a->len, a->is_64 ? UINT32_MAX : start, 4);
    put_number(a->at, &a->len, strlen(comment), 2);
    put_bytes(a->at, &a->len, comment, strlen(comment));
    return (struct mi_bytes){a->at, a->len};
}

static const char lines[] = "line line line line line line line line line line line line";

static struct mi_bytes usual(struct archive *a, bool is_64)
{
    *a = (struct archive){.is_64 = is_64};
    add(a, (struct member){.name = "a/stored", .bytes = lines, .len = sizeof lines});
    add(a, (struct member){.name = "a/", .bytes = ""});
    add(a, (struct member){.name = "deflated", .bytes = lines, .len = sizeof lines, .method = 8});
    add(a, (struct member){.name = "empty", .bytes = "", .method = 8});
    return finish(a, "PK\5\6 in a comment, as a trap behind the end record");
}

static void check_usual(struct mi_bytes bytes)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_zip zip;
    struct mi_input input;
    assert_true(mi_zip_open(&zip, bytes, 100, &err));
    assert_int_equal(zip.count, 4);
    assert_true(mi_bytes_equal(zip.members[1].name, MI_LIT("a/")));
    assert_null(mi_zip_find(&zip, MI_LIT("nothing")));
    assert_true(
        mi_zip_read(&zip, mi_zip_find(&zip, MI_LIT("a/stored")), "x.zip", NULL, &input, &err));
    assert_string_equal(input.path, "x.zip!a/stored");
    assert_int_equal(input.bytes.len, sizeof lines);
    assert_memory_equal(input.bytes.at, lines, sizeof lines);
    assert_true(input.bytes.at > bytes.at && input.bytes.at < bytes.at + bytes.len);
    mi_input_close(&input);
    assert_true(
        mi_zip_read(&zip, mi_zip_find(&zip, MI_LIT("deflated")), "x.zip", NULL, &input, &err));
    assert_int_equal(input.bytes.len, sizeof lines);
    assert_memory_equal(input.bytes.at, lines, sizeof lines);
    assert_int_equal(input.damage.code, MI_OK);
    assert_int_equal(input.packing, MI_PACKING_DEFLATE);
    mi_input_close(&input);
    assert_true(mi_zip_read(&zip, mi_zip_find(&zip, MI_LIT("empty")), "x.zip", NULL, &input, &err));
    assert_int_equal(input.bytes.len, 0);
    assert_int_equal(input.damage.code, MI_OK);
    mi_input_close(&input);
    mi_zip_close(&zip);
    mi_zip_close(&zip);
}

static void archives_are_read(void **state)
{
    (void)state;
    struct archive a;
    check_usual(usual(&a, false));
    assert_true(mi_zip_sniff((struct mi_bytes){a.at, a.len}));
    check_usual(usual(&a, true));
}

static void bytes_in_front_are_stepped_over(void **state)
{
    (void)state;
    for (unsigned is_64 = 0; is_64 < 2; is_64++) {
        struct archive a;
        struct mi_bytes plain = usual(&a, is_64);
        uint8_t shifted[ROOM];
        memset(shifted, '#', 100);
        memcpy(shifted + 100, plain.at, plain.len);
        check_usual((struct mi_bytes){shifted, plain.len + 100});
    }
}

static void empty_archives_are_fine(void **state)
{
    (void)state;
    struct archive a = {.len = 0};
    struct mi_zip zip;
    assert_true(mi_zip_open(&zip, finish(&a, ""), 100, NULL));
    assert_int_equal(zip.count, 0);
    mi_zip_close(&zip);
}

static void cannot_open(struct mi_bytes bytes, uint32_t most, enum mi_code code, const char *why)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_zip zip;
    assert_false(mi_zip_open(&zip, bytes, most, &err));
    assert_int_equal(err.code, code);
    assert_non_null(strstr(err.text, why));
    mi_zip_close(&zip);
}

/* The usual archive with `bytes` bytes of a field of its directory overwritten. */
static void with_lie(uint8_t magic, size_t field, uint64_t lie, unsigned bytes, enum mi_code code,
                     const char *why)
{
    struct archive a;
    struct mi_bytes whole = usual(&a, false);
    const uint8_t pattern[] = {'P', 'K', magic, (uint8_t)(magic + 1)};
    for (size_t at = 0; at + 4 <= whole.len; at++) {
        if (memcmp(a.at + at, pattern, 4) == 0) {
            at += field;
            put_number(a.at, &at, lie, bytes);
            break;
        }
    }
    cannot_open(whole, 100, code, why);
}

static void lies_are_refused(void **state)
{
    (void)state;
    cannot_open(MI_LIT(""), 100, MI_ETRUNCATED, "no end record");
    cannot_open(MI_LIT("PK\3\4 and that is all there is of it"), 100, MI_ETRUNCATED, "no end");
    with_lie(5, 4, 1, 2, MI_EUNSUPPORTED, "several disks");
    with_lie(5, 10, 60000, 2, MI_EFORMAT, "do not fit");
    with_lie(1, 0, 0, 4, MI_EFORMAT, "damaged directory entry");
    with_lie(5, 12, UINT32_MAX, 4, MI_EFORMAT, "outside");
    with_lie(5, 16, UINT32_MAX, 4, MI_EFORMAT, "outside");
    with_lie(1, 28, 60000, 2, MI_EFORMAT, "past the directory");
    with_lie(1, 42, 7, 4, MI_EFORMAT, "no local header");
    with_lie(1, 42, UINT32_MAX, 4, MI_EFORMAT, "outside");
    with_lie(1, 20, 61 + 1, 4, MI_EFORMAT, "two sizes");
    struct archive a;
    struct mi_bytes whole = usual(&a, false);
    cannot_open(whole, 3, MI_ELIMIT, "more than 3 members");
}

static void overlaps_are_refused(void **state)
{
    (void)state;
    struct archive a = {.len = 0};
    add(&a, (struct member){.name = "one", .bytes = lines, .len = sizeof lines});
    size_t entry = a.directory_len;
    add(&a, (struct member){.name = "two", .bytes = lines, .len = sizeof lines});
    size_t offset = entry + 42;
    put_number(a.directory, &offset, 0, 4);
    cannot_open(finish(&a, ""), 100, MI_EFORMAT, "overlap");
}

static bool read_one(struct member member, const struct mi_input_options *options,
                     struct mi_input *input, struct mi_error *err)
{
    struct archive a = {.len = 0};
    struct mi_zip zip;
    add(&a, member);
    *err = MI_ERROR_INIT;
    assert_true(mi_zip_open(&zip, finish(&a, ""), 100, NULL));
    bool ok = mi_zip_read(&zip, &zip.members[0], "z", options, input, err);
    mi_zip_close(&zip);
    return ok;
}

static void bad_members_say_so(void **state)
{
    (void)state;
    struct member good = {.name = "m", .bytes = lines, .len = sizeof lines, .method = 8},
                  bad = good;
    struct mi_error err;
    struct mi_input input;
    bad.flags = 1;
    assert_false(read_one(bad, NULL, &input, &err));
    assert_int_equal(err.code, MI_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "encrypted"));
    assert_string_equal(err.input, "z!m");
    bad = good;
    bad.method = 12;
    assert_false(read_one(bad, NULL, &input, &err));
    assert_int_equal(err.code, MI_EUNSUPPORTED);
    bad = good;
    bad.crc_lie = 1;
    assert_true(read_one(bad, NULL, &input, &err));
    assert_int_equal(input.damage.code, MI_EFORMAT);
    assert_int_equal(input.bytes.len, sizeof lines);
    mi_input_close(&input);
    bad = good;
    bad.size_lie = 1;
    assert_true(read_one(bad, NULL, &input, &err));
    assert_int_equal(input.damage.code, MI_EFORMAT);
    assert_int_equal(input.bytes.len, sizeof lines);
    mi_input_close(&input);
    bad.size_lie = -1;
    assert_false(read_one(bad, NULL, &input, &err));
    assert_int_equal(err.code, MI_EFORMAT);
    assert_non_null(strstr(err.text, "larger"));
    struct mi_input_options options = {.max_bytes = sizeof lines};
    assert_true(read_one(good, &options, &input, &err));
    mi_input_close(&input);
    options.max_bytes--;
    assert_false(read_one(good, &options, &input, &err));
    assert_int_equal(err.code, MI_ELIMIT);
}

/* Opens the archive and reads all members. */
static void read_all(struct mi_bytes bytes, struct mi_error *err)
{
    struct mi_zip zip;
    struct mi_input_options options = {.max_bytes = 1 << 20};
    if (!mi_zip_open(&zip, bytes, 100, err)) {
        assert_int_not_equal(err->code, MI_OK);
        return;
    }
    for (uint32_t i = 0; i < zip.count; i++) {
        struct mi_input input;
        struct mi_error why = MI_ERROR_INIT;
        if (mi_zip_read(&zip, &zip.members[i], "z", &options, &input, &why)) {
            uint8_t sum = 0;
            for (size_t at = 0; at < input.bytes.len; at++)
                sum ^= input.bytes.at[at];
            assert_true(sum == 0 || input.bytes.len > 0);
            mi_input_close(&input);
        } else {
            assert_int_not_equal(why.code, MI_OK);
        }
    }
    mi_zip_close(&zip);
}

static void damage_never_hurts(void **state)
{
    (void)state;
    uint64_t seed = 99;
    struct archive both[2];
    usual(&both[0], false);
    usual(&both[1], true);
    for (unsigned round = 0; round < 40000; round++) {
        struct mi_bytes whole = {both[round % 2].at, both[round % 2].len};
        uint8_t *copy = malloc(whole.len);
        assert_non_null(copy);
        memcpy(copy, whole.at, whole.len);
        for (size_t flips = 1 + rng_below(&seed, 4); flips > 0; flips--)
            copy[rng_below(&seed, whole.len)] ^= (uint8_t)(1U << rng_below(&seed, 8));
        struct mi_error err = MI_ERROR_INIT;
        read_all((struct mi_bytes){copy, whole.len}, &err);
        free(copy);
    }
}

static void cut_archives_are_refused(void **state)
{
    (void)state;
    for (unsigned is_64 = 0; is_64 < 2; is_64++) {
        struct archive a;
        struct mi_bytes whole = usual(&a, is_64);
        for (size_t len = 0; len < whole.len; len++) {
            uint8_t *copy = malloc(len + !len);
            assert_non_null(copy);
            memcpy(copy, whole.at, len);
            struct mi_error err = MI_ERROR_INIT;
            read_all((struct mi_bytes){copy, len}, &err);
            assert_true(err.code == MI_ETRUNCATED || err.code == MI_EFORMAT);
            free(copy);
        }
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct archive a;
    struct mi_bytes whole = usual(&a, false);
    bool done = false;
    for (long n = 0; !done; n++) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_zip zip;
        struct mi_input input;
        alloc_left = n;
        bool ok = mi_zip_open(&zip, whole, 100, &err) &&
                  mi_zip_read(&zip, &zip.members[2], "z", NULL, &input, &err);
        done = alloc_left > 0;
        alloc_left = -1;
        if (ok)
            mi_input_close(&input);
        else
            assert_int_equal(err.code, MI_ENOMEM);
        assert_true(n < 100);
        mi_zip_close(&zip);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_are_read),
        cmocka_unit_test(bytes_in_front_are_stepped_over),
        cmocka_unit_test(empty_archives_are_fine),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(overlaps_are_refused),
        cmocka_unit_test(bad_members_say_so),
        cmocka_unit_test(damage_never_hurts),
        cmocka_unit_test(cut_archives_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
