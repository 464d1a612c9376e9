/* The protobuf wire cursor: every type, every refusal, truncation everywhere, payloads untouched.
 */
#include "base/pb_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "rng.h"

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

static struct mi_bytes bytes_of(const uint8_t *at, size_t len)
{
    return (struct mi_bytes){at, len};
}

static void every_type_is_read(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(
        bytes_of(BYTES(0x08, 0x96, 0x01,                         /* 1: 150 */
                       0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* 2: -1 */
                       0xff, 0xff, 0xff, 0x01,                   /* */
                       0x19, 1, 2, 3, 4, 5, 6, 7, 8,             /* 3: fixed64 */
                       0x22, 3, 'a', 0, 'c',                     /* 4: bytes */
                       0x2d, 0, 0, 0x80, 0x3f,                   /* 5: 1.0f */
                       0x33, 0x08, 7, 0x3b, 0x3c, 0x34, /* 6: group { 1: 7, 7: group {} } */
                       0xf8, 0xff, 0xff, 0xff, 0x0f, 5, /* 536870911: 5 */
                       0x88, 0x00, 0x81, 0x00)),        /* 1 (padded tag): 1 (padded) */
        1000, &err);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(pb.key, MI_PB_KEY(1, MI_PB_VARINT));
    assert_int_equal(pb.value, 150);
    assert_int_equal(mi_pb_offset(&pb), 1003);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(mi_pb_i64(&pb), -1);
    assert_int_equal(mi_pb_i32(&pb), -1);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(pb.key, MI_PB_KEY(3, MI_PB_FIXED64));
    assert_true(pb.value == UINT64_C(0x0807060504030201));
    assert_true(mi_pb_next(&pb));
    assert_int_equal(mi_pb_type(&pb), MI_PB_LEN);
    assert_int_equal(pb.bytes.len, 3);
    assert_memory_equal(pb.bytes.at, "a\0c", 3);
    assert_int_equal(mi_pb_payload_offset(&pb), 1025);
    assert_true(mi_pb_next(&pb));
    assert_true(mi_pb_to_float(pb.value) == 1.0F);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(pb.key, MI_PB_KEY(6, MI_PB_GROUP));
    struct mi_pb group = mi_pb_sub(&pb);
    assert_true(mi_pb_next(&group) && group.value == 7);
    assert_true(mi_pb_next(&group) && group.key == MI_PB_KEY(7, MI_PB_GROUP));
    assert_int_equal(group.bytes.len, 0);
    assert_false(mi_pb_next(&group));
    assert_true(mi_pb_next(&pb));
    assert_int_equal(mi_pb_field(&pb), 536870911);
    assert_int_equal(pb.value, 5);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(mi_pb_field(&pb), 1);
    assert_int_equal(pb.value, 1);
    assert_false(mi_pb_next(&pb));
    assert_int_equal(err.code, MI_OK);
}

static void numbers_are_converted(void **state)
{
    (void)state;
    double half = 0.5;
    uint64_t bits;
    memcpy(&bits, &half, sizeof bits);
    assert_true(mi_pb_to_double(bits) == half);
    assert_int_equal(mi_pb_to_sint(0), 0);
    assert_int_equal(mi_pb_to_sint(1), -1);
    assert_int_equal(mi_pb_to_sint(2), 1);
    assert_true(mi_pb_to_sint(UINT64_MAX) == INT64_MIN);
    assert_true(mi_pb_to_sint(UINT64_MAX - 1) == INT64_MAX);
    assert_int_equal(mi_pb_to_i32(UINT64_C(0x1fffffffe)), -2);
}

/* Reads everything, messages in field 15 too; returns the number of fields. */
static unsigned read_all(struct mi_pb pb)
{
    unsigned count = 0;
    while (mi_pb_next(&pb)) {
        count++;
        if (pb.key == MI_PB_KEY(15, MI_PB_LEN))
            count += read_all(mi_pb_sub(&pb));
    }
    return count;
}

static void refuses(const uint8_t *at, size_t len, enum mi_code code, uint64_t offset,
                    const char *text)
{
    /* Exactly as long as it is, so that a sanitizer sees the first byte too many. */
    uint8_t *copy = malloc(len);
    assert_non_null(copy);
    memcpy(copy, at, len);
    struct mi_error err = MI_ERROR_INIT;
    read_all(mi_pb_init(bytes_of(copy, len), 100, &err));
    free(copy);
    assert_int_equal(err.code, code);
    assert_int_equal(err.offset, 100 + offset);
    assert_non_null(strstr(err.text, text));
}

static void bad_messages_are_refused(void **state)
{
    (void)state;
    refuses(BYTES(0x00, 0x00), MI_EFORMAT, 0, "field number 0");
    refuses(BYTES(0x07, 0x00), MI_EFORMAT, 0, "field number 0");
    refuses(BYTES(0x0e, 0x00), MI_EFORMAT, 0, "wire type");
    refuses(BYTES(0x0f, 0x00), MI_EFORMAT, 0, "wire type");
    refuses(BYTES(0x08, 1, 0x0c), MI_EFORMAT, 2, "not opened");
    refuses(BYTES(0xf8, 0xff, 0xff, 0xff, 0x1f, 1), MI_EFORMAT, 0, "32 bits");
    refuses(BYTES(0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 1), MI_EFORMAT, 0, "32 bits");
    refuses(BYTES(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0), MI_EFORMAT,
            1, "10 bytes");
    refuses(BYTES(0x0b, 0x14), MI_EFORMAT, 1, "another group");
    refuses(BYTES(0x0b, 0x08, 1), MI_ETRUNCATED, 1, "group");
    refuses(BYTES(0x08), MI_ETRUNCATED, 1, "varint");
    refuses(BYTES(0x80), MI_ETRUNCATED, 0, "tag");
    refuses(BYTES(0x0d, 1, 2, 3), MI_ETRUNCATED, 1, "fixed");
    refuses(BYTES(0x12, 3, 1, 2), MI_ETRUNCATED, 1, "length");
    refuses(BYTES(0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2), MI_ETRUNCATED,
            1, "length");
    /* An inner length beyond its message is damage, not the end of the file. */
    refuses(BYTES(0x7a, 2, 0x12, 1, 0x08, 1), MI_EFORMAT, 3, "past its message");
}

static void the_tenth_byte_may_overflow(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(
        bytes_of(BYTES(0x08, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7e)), 0, &err);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(pb.value, 1);
    assert_int_equal(err.code, MI_OK);
}

static void groups_have_a_depth_limit(void **state)
{
    (void)state;
    uint8_t deep[2 * (MI_PB_GROUP_DEPTH + 1)];
    struct mi_error err = MI_ERROR_INIT;
    memset(deep, 0x0b, MI_PB_GROUP_DEPTH);
    memset(deep + MI_PB_GROUP_DEPTH, 0x0c, MI_PB_GROUP_DEPTH);
    struct mi_pb pb = mi_pb_init(bytes_of(deep, (size_t)2 * MI_PB_GROUP_DEPTH), 0, &err);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(pb.bytes.len, 2 * MI_PB_GROUP_DEPTH - 2);
    memset(deep, 0x0b, sizeof deep);
    pb = mi_pb_init(bytes_of(deep, sizeof deep), 0, &err);
    assert_false(mi_pb_next(&pb));
    assert_int_equal(err.code, MI_ELIMIT);
    assert_int_equal(err.offset, MI_PB_GROUP_DEPTH);
}

static void packed_and_plain_elements_are_the_same(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(bytes_of(BYTES(0x08, 1, 0x0a, 4, 2, 0x83, 0x00, 4, 0x08, 5, /* */
                                                0x0a, 0)),
                                 0, &err);
    uint64_t want = 1;
    while (mi_pb_next(&pb))
        for (struct mi_pb_packed it = mi_pb_packed(&pb, MI_PB_VARINT); mi_pb_packed_next(&it);)
            assert_int_equal(it.value, want++);
    assert_int_equal(want, 6);
    pb = mi_pb_init(bytes_of(BYTES(0x0a, 8, 1, 0, 0, 0, 2, 0, 0, 0, 0x0d, 3, 0, 0, 0)), 0, &err);
    want = 1;
    while (mi_pb_next(&pb))
        for (struct mi_pb_packed it = mi_pb_packed(&pb, MI_PB_FIXED32); mi_pb_packed_next(&it);)
            assert_int_equal(it.value, want++);
    assert_int_equal(want, 4);
    assert_int_equal(err.code, MI_OK);
    pb = mi_pb_init(bytes_of(BYTES(0x0a, 3, 1, 2, 0x80)), 50, &err);
    assert_true(mi_pb_next(&pb));
    struct mi_pb_packed it = mi_pb_packed(&pb, MI_PB_VARINT);
    assert_true(mi_pb_packed_next(&it) && mi_pb_packed_next(&it));
    assert_false(mi_pb_packed_next(&it));
    assert_int_equal(err.code, MI_EFORMAT);
    assert_int_equal(err.offset, 54);
}

static void payloads_are_not_touched(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    /* Two pages that nobody may read, as the payload of one field; a number behind them. */
    uint8_t *tag = map + page - 4;
    memcpy(tag,
           ((uint8_t[]){0x4a, (uint8_t)(0x80 | (2 * page & 0x7f)),
                        (uint8_t)(0x80 | (2 * page >> 7 & 0x7f)), (uint8_t)(2 * page >> 14)}),
           4);
    memcpy(map + 3 * page, ((uint8_t[]){0x08, 42}), 2);
    assert_int_equal(mprotect(map + page, 2 * page, PROT_NONE), 0);
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(bytes_of(tag, 4 + 2 * page + 2), 0, &err);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(pb.bytes.len, 2 * page);
    assert_true(mi_pb_next(&pb));
    assert_int_equal(pb.value, 42);
    assert_false(mi_pb_next(&pb));
    munmap(map, 4 * page);
}

/* 1: 1, 15 { 1: "abc", 15 { 2: 9 }, 7: fixed32 }, 3: fixed32 */
static const uint8_t nested[] = {0x08, 1,    0x7a, 14, 0x0a, 3, 'a',  'b', 'c', 0x7a, 2, 0x10,
                                 9,    0x3d, 1,    2,  3,    4, 0x1d, 0,   0,   0,    1};

static void truncation_is_noticed_everywhere(void **state)
{
    (void)state;
    for (size_t len = 0; len <= sizeof nested; len++) {
        uint8_t *copy = malloc(len + !len);
        assert_non_null(copy);
        memcpy(copy, nested, len);
        struct mi_error err = MI_ERROR_INIT;
        read_all(mi_pb_init(bytes_of(copy, len), 0, &err));
        bool is_whole = len == 0 || len == 2 || len == 18 || len == sizeof nested;
        assert_int_equal(err.code, is_whole ? MI_OK : MI_ETRUNCATED);
        if (!is_whole)
            assert_true(err.offset <= len);
        free(copy);
    }
}

static void what_is_there_can_be_kept(void **state)
{
    (void)state;
    unsigned before = 0;
    for (size_t len = 0; len <= sizeof nested; len++) {
        struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
        struct mi_pb pb = mi_pb_init(bytes_of(nested, len), 0, &err);
        mi_pb_keep_truncated(&pb, &cut);
        unsigned count = read_all(pb);
        bool is_whole = len == 0 || len == 2 || len == 18 || len == sizeof nested;
        assert_int_equal(err.code, MI_OK);
        assert_int_equal(cut.code, is_whole ? MI_OK : MI_ETRUNCATED);
        assert_true(count >= before && count <= before + 1);
        before = count;
    }
    assert_int_equal(before, 7);
}

static void clipped_fields_are_marked(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(bytes_of(BYTES(0x0a, 9, 'x', 'y')), 7, &err);
    mi_pb_keep_truncated(&pb, &cut);
    assert_true(mi_pb_next(&pb));
    assert_true(pb.is_clipped);
    assert_int_equal(pb.bytes.len, 2);
    assert_false(mi_pb_next(&pb));
    assert_int_equal(cut.offset, 8);
    /* Damage inside a whole message still fails. */
    pb = mi_pb_init(bytes_of(BYTES(0x7a, 2, 0x12, 1, 0x08, 1)), 0, &err);
    mi_pb_keep_truncated(&pb, &cut);
    read_all(pb);
    assert_int_equal(err.code, MI_EFORMAT);
}

static void errors_stick(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(bytes_of(BYTES(0x7a, 1, 0x00, 0x08, 1, 0x08, 2)), 0, &err);
    assert_true(mi_pb_next(&pb));
    struct mi_pb sub = mi_pb_sub(&pb);
    assert_false(mi_pb_next(&sub));
    assert_int_equal(err.offset, 2);
    assert_false(mi_pb_next(&pb));
    assert_int_equal(err.offset, 2);
}

static void noise_never_hurts(void **state)
{
    (void)state;
    uint64_t seed = 20240607;
    for (unsigned round = 0; round < 100000; round++) {
        size_t len = rng_below(&seed, 64);
        uint8_t *noise = malloc(len + !len);
        assert_non_null(noise);
        for (size_t i = 0; i < len; i++)
            noise[i] = (uint8_t)rng_next(&seed);
        if (round % 2 == 0 && len >= sizeof nested) {
            memcpy(noise, nested, sizeof nested);
            for (unsigned flips = 0; flips < 3; flips++)
                noise[rng_below(&seed, sizeof nested)] ^= (uint8_t)(1U << rng_below(&seed, 8));
        }
        struct mi_error err = MI_ERROR_INIT;
        read_all(mi_pb_init(bytes_of(noise, len), 0, &err));
        if (err.code != MI_OK)
            assert_true(err.offset <= len);
        free(noise);
    }
}

static void nothing_is_an_empty_message(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init((struct mi_bytes){NULL, 0}, 0, &err);
    assert_false(mi_pb_next(&pb));
    assert_int_equal(err.code, MI_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(numbers_are_converted),
        cmocka_unit_test(bad_messages_are_refused),
        cmocka_unit_test(the_tenth_byte_may_overflow),
        cmocka_unit_test(groups_have_a_depth_limit),
        cmocka_unit_test(packed_and_plain_elements_are_the_same),
        cmocka_unit_test(payloads_are_not_touched),
        cmocka_unit_test(truncation_is_noticed_everywhere),
        cmocka_unit_test(what_is_there_can_be_kept),
        cmocka_unit_test(clipped_fields_are_marked),
        cmocka_unit_test(errors_stick),
        cmocka_unit_test(noise_never_hurts),
        cmocka_unit_test(nothing_is_an_empty_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
