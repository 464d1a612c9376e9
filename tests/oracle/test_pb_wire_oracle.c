/* The protobuf wire cursor against protobuf-c: random messages, whole and damaged.
 *
 * Both sides turn a message into the same list of numbers. Where one accepts what the other
 * refuses, the reason must be one of these known differences: we accept, protobuf-c does not   a
 * known field with another wire type (unknown to us, as in protobuf itself); groups; lengths padded
 * beyond 5 bytes protobuf-c accepts, we do not    field number 0; tags of more than 32 bits; both
 * are refused by protobuf itself as well */
#include "base/hash.h"
#include "base/pb_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../unit/rng.h"
#include "wire.pb-c.h"

#define MESSAGE_ROOM 4096
#define LIST_ROOM    20000
#define MAX_DEPTH    3

/* What a message says: numbers in the order of its fields. */
struct list {
    uint64_t at[LIST_ROOM];
    size_t count;
};

static void say(struct list *list, uint64_t value)
{
    assert_true(list->count < LIST_ROOM);
    list->at[list->count++] = value;
}

static void say_bytes(struct list *list, const uint8_t *at, size_t len)
{
    say(list, len);
    say(list, mi_hash64((struct mi_bytes){at, len}));
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void say_oracle(struct list *list, const Wire *wire)
{
    say(list, (uint64_t)(int64_t)wire->i32);
    say(list, (uint64_t)wire->i64);
    say(list, wire->u64);
    say(list, (uint64_t)wire->s64);
    say(list, wire->f32);
    say(list, wire->f64);
    say(list, bits_of_double(wire->real));
    say(list, wire->flag != 0);
    say(list, (uint64_t)(int64_t)wire->s32);
    say_bytes(list, wire->blob.data, wire->blob.len);
    say(list, wire->n_packed);
    for (size_t i = 0; i < wire->n_packed; i++)
        say(list, (uint64_t)wire->packed[i]);
    say(list, wire->n_plain);
    for (size_t i = 0; i < wire->n_plain; i++)
        say(list, (uint64_t)wire->plain[i]);
    say(list, wire->n_floats);
    for (size_t i = 0; i < wire->n_floats; i++)
        say(list, bits_of_float(wire->floats[i]));
    say(list, wire->n_wide);
    for (size_t i = 0; i < wire->n_wide; i++)
        say(list, wire->wide[i]);
    say(list, wire->n_messages);
    for (size_t i = 0; i < wire->n_messages; i++)
        say_oracle(list, wire->messages[i]);
}

/* A repeated field while it is collected. */
struct column {
    uint64_t at[MESSAGE_ROOM];
    size_t count;
};

static void collect(struct column *column, const struct mi_pb *pb, enum mi_pb_type type)
{
    for (struct mi_pb_packed it = mi_pb_packed(pb, type); mi_pb_packed_next(&it);)
        column->at[column->count++] = it.value;
}

static void say_column(struct list *list, const struct column *column)
{
    say(list, column->count);
    for (size_t i = 0; i < column->count; i++)
        say(list, column->at[i]);
}

struct known {
    unsigned types; /* bit per wire type that is right for the field */
    uint32_t field;
};

/* Whether protobuf-c is stricter about this field than we are. */
static bool is_stricter(const struct mi_pb *pb, const uint8_t *from)
{
    static const struct known fields[] = {
        {1 << 0, 1}, {1 << 0, 2},           {1 << 0, 3},  {1 << 0, 4}, {1 << 5, 5},
        {1 << 1, 6}, {1 << 1, 7},           {1 << 0, 8},  {1 << 2, 9}, {5, 10},
        {5, 11},     {1 << 5 | 1 << 2, 12}, {1 << 2, 13}, {1, 1000},   {1 << 1 | 4, 536870911},
    };
    enum mi_pb_type type = mi_pb_type(pb);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].field == mi_pb_field(pb) && !(fields[i].types >> type & 1))
            return true;
    if (type == MI_PB_LEN) {
        while (*from++ >= 0x80)
            ;
        return pb->bytes.at - from > 5;
    }
    return type == MI_PB_GROUP;
}

/* Says what our cursor reads; *is_lenient is set if protobuf-c may refuse it. */
static void say_ours(struct list *list, struct mi_pb pb, bool *is_lenient)
{
    enum { I32, I64, U64, S64, F32, F64, REAL, FLAG, S32, SCALARS };
    uint64_t scalars[SCALARS] = {0};
    struct mi_bytes blob = {NULL, 0};
    struct column *columns = calloc(4, sizeof *columns);
    struct mi_pb *messages = calloc(MESSAGE_ROOM, sizeof *messages);
    size_t message_count = 0;
    assert_true(columns && messages);
    const uint8_t *from = pb.at;
    while (mi_pb_next(&pb)) {
        *is_lenient |= is_stricter(&pb, from);
        from = pb.at;
        switch (pb.key) {
        case MI_PB_KEY(1, MI_PB_VARINT):
            scalars[I32] = (uint64_t)(int64_t)mi_pb_i32(&pb);
            break;
        case MI_PB_KEY(2, MI_PB_VARINT):
            scalars[I64] = pb.value;
            break;
        case MI_PB_KEY(3, MI_PB_VARINT):
            scalars[U64] = pb.value;
            break;
        case MI_PB_KEY(4, MI_PB_VARINT):
            scalars[S64] = (uint64_t)mi_pb_to_sint(pb.value);
            break;
        case MI_PB_KEY(5, MI_PB_FIXED32):
            scalars[F32] = pb.value;
            break;
        case MI_PB_KEY(6, MI_PB_FIXED64):
            scalars[F64] = pb.value;
            break;
        case MI_PB_KEY(7, MI_PB_FIXED64):
            scalars[REAL] = pb.value;
            break;
        case MI_PB_KEY(8, MI_PB_VARINT):
            scalars[FLAG] = pb.value != 0;
            break;
        case MI_PB_KEY(1000, MI_PB_VARINT):
            scalars[S32] = (uint64_t)(int64_t)(int32_t)mi_pb_to_sint((uint32_t)pb.value);
            break;
        case MI_PB_KEY(9, MI_PB_LEN):
            blob = pb.bytes;
            break;
        case MI_PB_KEY(10, MI_PB_LEN):
        case MI_PB_KEY(10, MI_PB_VARINT):
            collect(&columns[0], &pb, MI_PB_VARINT);
            break;
        case MI_PB_KEY(11, MI_PB_LEN):
        case MI_PB_KEY(11, MI_PB_VARINT):
            collect(&columns[1], &pb, MI_PB_VARINT);
            break;
        case MI_PB_KEY(12, MI_PB_LEN):
        case MI_PB_KEY(12, MI_PB_FIXED32):
            collect(&columns[2], &pb, MI_PB_FIXED32);
            break;
        case MI_PB_KEY(536870911, MI_PB_LEN):
        case MI_PB_KEY(536870911, MI_PB_FIXED64):
            collect(&columns[3], &pb, MI_PB_FIXED64);
            break;
        case MI_PB_KEY(13, MI_PB_LEN):
            messages[message_count++] = mi_pb_sub(&pb);
            break;
        default:
            break;
        }
    }
    for (unsigned i = 0; i < SCALARS; i++)
        say(list, scalars[i]);
    say_bytes(list, blob.at, blob.len);
    for (unsigned i = 0; i < 4; i++)
        say_column(list, &columns[i]);
    say(list, message_count);
    for (size_t i = 0; i < message_count; i++)
        say_ours(list, messages[i], is_lenient);
    free(messages);
    free(columns);
}

/* ---- random messages ---- */

static uint64_t random_number(uint64_t *seed)
{
    return rng_next(seed) >> rng_below(seed, 64);
}

static size_t put_varint(uint8_t *to, uint64_t value, size_t padding)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        to[len++] = (uint8_t)(value | 0x80);
    to[len++] = (uint8_t)value;
    for (; padding > 0 && len < 5; padding--) {
        to[len - 1] |= 0x80;
        to[len++] = 0;
    }
    return len;
}

static size_t put_elements(uint8_t *to, uint64_t *seed, uint32_t field)
{
    size_t len = 0;
    for (size_t count = rng_below(seed, 5); count > 0; count--) {
        uint64_t value = random_number(seed);
        size_t width = field == 12 ? 4 : 8;
        if (field == 10 || field == 11) {
            len += put_varint(to + len, value, rng_below(seed, 3));
        } else {
            memcpy(to + len, &value, width);
            len += width;
        }
    }
    return len;
}

/* Messages of fields in any order, with unknown ones, padded varints, packed or not. `inner` is
 * placed as a submessage. */
static size_t random_message(uint8_t *to, uint64_t *seed, const uint8_t *inner, size_t inner_len)
{
    static const uint32_t fields[] = {1, 2, 3,  4,  8,  1000, 5,         6,
                                      7, 9, 10, 11, 12, 13,   536870911, 77};
    uint8_t body[MESSAGE_ROOM];
    size_t len = 0;
    for (size_t count = rng_below(seed, 12); count > 0; count--) {
        uint32_t field = fields[rng_below(seed, sizeof fields / sizeof *fields)];
        uint64_t value = random_number(seed);
        bool is_list = field >= 10 && field != 13 && field != 77 && field != 1000;
        size_t tag_padding = rng_below(seed, 8) == 0;
        if (field == 9 || field == 13 || (is_list && rng_below(seed, 2))) {
            size_t body_len = is_list ? put_elements(body, seed, field) : inner_len;
            len += put_varint(to + len, MI_PB_KEY(field, MI_PB_LEN), tag_padding);
            len += put_varint(to + len, body_len, rng_below(seed, 3));
            memcpy(to + len, is_list ? body : inner, body_len);
            len += body_len;
        } else if (field == 5 || field == 12 || field == 6 || field == 7 || field == 536870911) {
            bool is_wide = field != 5 && field != 12;
            len += put_varint(to + len, MI_PB_KEY(field, is_wide ? MI_PB_FIXED64 : MI_PB_FIXED32),
                              tag_padding);
            memcpy(to + len, &value, is_wide ? 8 : 4);
            len += is_wide ? 8 : 4;
        } else {
            len += put_varint(to + len, MI_PB_KEY(field, MI_PB_VARINT), tag_padding);
            len += put_varint(to + len, value, rng_below(seed, 3));
        }
    }
    return len;
}

static size_t random_tree(uint8_t *to, uint64_t *seed)
{
    uint8_t inner[MESSAGE_ROOM];
    size_t len = 0;
    for (size_t depth = rng_below(seed, MAX_DEPTH); depth > 0; depth--) {
        len = random_message(to, seed, inner, len);
        if (len > MESSAGE_ROOM / 32)
            len = 0;
        memcpy(inner, to, len);
    }
    return random_message(to, seed, inner, len);
}

/* Both readers over the same bytes; returns whether both took them. */
static bool compare(const uint8_t *at, size_t len)
{
    static struct list ours, theirs;
    struct mi_error err = MI_ERROR_INIT;
    bool is_lenient = false;
    Wire *wire = wire__unpack(NULL, len, at);
    ours.count = theirs.count = 0;
    say_ours(&ours, mi_pb_init((struct mi_bytes){at, len}, 0, &err), &is_lenient);
    bool ok = err.code == MI_OK;
    if (ok && !wire)
        assert_true(is_lenient);
    if (!ok && wire)
        assert_true(strstr(err.text, "field number 0") || strstr(err.text, "tag longer"));
    if (wire && ok && !is_lenient) {
        say_oracle(&theirs, wire);
        assert_int_equal(ours.count, theirs.count);
        assert_memory_equal(ours.at, theirs.at, ours.count * sizeof *ours.at);
    }
    bool both = wire && ok;
    if (wire)
        wire__free_unpacked(wire, NULL);
    return both;
}

static void whole_messages_read_the_same(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    uint8_t message[MESSAGE_ROOM];
    for (unsigned round = 0; round < 10000; round++) {
        size_t len = random_tree(message, &seed);
        assert_true(compare(message, len));
    }
}

static void damaged_messages_are_judged_the_same(void **state)
{
    (void)state;
    uint64_t seed = 54321;
    uint8_t message[MESSAGE_ROOM];
    unsigned taken = 0, rounds = 30000;
    for (unsigned round = 0; round < rounds; round++) {
        size_t len = random_tree(message, &seed);
        if (len == 0)
            continue;
        for (size_t flips = 1 + rng_below(&seed, 3); flips > 0; flips--)
            message[rng_below(&seed, len)] ^= (uint8_t)(1U << rng_below(&seed, 8));
        if (round % 5 == 0)
            len = rng_below(&seed, len);
        taken += compare(message, len);
    }
    /* The test is only worth something while both outcomes are common. */
    assert_true(taken > rounds / 10 && taken < rounds * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_messages_read_the_same),
        cmocka_unit_test(damaged_messages_are_judged_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
