/* Protobuf wire format: a cursor that walks the fields of one message without copying.
 *
 *   struct mi_pb pb = mi_pb_init(bytes, 0, err);
 *   while (mi_pb_next(&pb)) {
 *       switch (pb.key) {
 *       case MI_PB_KEY(1, MI_PB_VARINT): version = mi_pb_i64(&pb); break;
 *       case MI_PB_KEY(7, MI_PB_LEN): read_graph(mi_pb_sub(&pb), out); break;
 *       }
 *   }
 *   if (err->code) ...
 *
 * mi_pb_next() reads tag and value in one go, so a field nobody looks at is skipped for free; the
 * bytes of a length-delimited field are only pointed to and never touched (tensor data stays on
 * disk). A field with another wire type than expected falls into `default`, as protobuf itself
 * treats it as unknown.
 *
 * Errors are sticky through `err`, which a cursor and all its sub-cursors share: once it is set,
 * every mi_pb_next() returns false. Offsets in errors are absolute. A length that runs past the end
 * of the whole input is MI_ETRUNCATED, past the end of the enclosing message MI_EFORMAT.
 *
 * Accepted and refused as follows (source: the public encoding guide of protobuf):
 *   tags          1..5 bytes, padded ones too; more than 32 bits, field 0 and wire types 6 and 7
 * fail varints       1..10 bytes, padded ones too; bits beyond 64 are dropped; an 11th byte fails
 *   lengths       checked against what remains; no 2 GiB limit
 *   groups        skipped by nesting, at most MI_PB_GROUP_DEPTH deep; end tags must match
 *   strings       any bytes; UTF-8 is not checked */
#ifndef MI_BASE_PB_WIRE_H
#define MI_BASE_PB_WIRE_H

#include "base/bytes.h"
#include "base/error.h"

enum mi_pb_type {
    MI_PB_VARINT = 0,
    MI_PB_FIXED64 = 1,
    MI_PB_LEN = 2,
    MI_PB_GROUP = 3,
    MI_PB_GROUP_END = 4,
    MI_PB_FIXED32 = 5
};

#define MI_PB_KEY(field, type) ((uint32_t)(field) << 3 | (uint32_t)(type))
#define MI_PB_GROUP_DEPTH      100

struct mi_pb {
    const uint8_t *at, *end; /* what has not been read yet */
    const uint8_t *start;    /* first byte of the message */
    uint64_t base;           /* offset of `start` in the input */
    struct mi_error *err;    /* borrowed, never NULL */
    struct mi_error *cut;    /* see mi_pb_keep_truncated(); usually NULL */
    bool is_open;            /* `end` is the end of the whole input */
    bool is_clipped;         /* the current field lost its tail; see mi_pb_keep_truncated() */
    uint32_t key;            /* field number << 3 | wire type of the current field */
    uint64_t value;          /* VARINT, FIXED32, FIXED64: the raw bits */
    struct mi_bytes bytes;   /* LEN: the payload; GROUP: what stands between its tags; borrowed */
};

/* A cursor over one top-level message; `base` is the place of bytes.at within the input. */
struct mi_pb mi_pb_init(struct mi_bytes bytes, uint64_t base, struct mi_error *err);

/* Makes truncation of the whole input no failure: the first cut is recorded in `cut` (MI_ETRUNCATED
 * with its offset), a length-delimited field that lost its tail is still delivered once with what
 * is there and `is_clipped` set, and sub-cursors inherit the rule. Damage elsewhere still fails. */
void mi_pb_keep_truncated(struct mi_pb *pb, struct mi_error *cut);

/* The slow half of mi_pb_next(). */
bool mi_pb_next_any(struct mi_pb *pb);

/* Steps to the next field; false at the end of the message or once `err` is set. */
static inline bool mi_pb_next(struct mi_pb *pb)
{
    const uint8_t *at = pb->at;
    size_t left = (size_t)(pb->end - at);
    /* One-byte tag with a one-byte varint or length: nearly every field of a graph. */
    if (left >= 2 && at[0] >= 8 && at[0] < 0x80 && at[1] < 0x80 && pb->err->code == MI_OK) {
        unsigned type = at[0] & 7;
        if (type == MI_PB_VARINT) {
            pb->key = at[0];
            pb->value = at[1];
            pb->at = at + 2;
            return true;
        }
        if (type == MI_PB_LEN && at[1] <= left - 2) {
            pb->key = at[0];
            pb->bytes = (struct mi_bytes){at + 2, at[1]};
            pb->at = at + 2 + at[1];
            return true;
        }
    }
    return mi_pb_next_any(pb);
}

static inline uint32_t mi_pb_field(const struct mi_pb *pb)
{
    return pb->key >> 3;
}

static inline enum mi_pb_type mi_pb_type(const struct mi_pb *pb)
{
    return (enum mi_pb_type)(pb->key & 7);
}

/* Offset in the input of the first byte after the current field. */
static inline uint64_t mi_pb_offset(const struct mi_pb *pb)
{
    return pb->base + (uint64_t)(pb->at - pb->start);
}

/* Offset in the input of the payload of the current LEN or GROUP field. */
static inline uint64_t mi_pb_payload_offset(const struct mi_pb *pb)
{
    return pb->base + (uint64_t)(pb->bytes.at - pb->start);
}

/* A cursor over the current LEN or GROUP field as a message. */
static inline struct mi_pb mi_pb_sub(const struct mi_pb *pb)
{
    return (struct mi_pb){.at = pb->bytes.at,
                          .end = pb->bytes.at + pb->bytes.len,
                          .start = pb->bytes.at,
                          .base = mi_pb_payload_offset(pb),
                          .err = pb->err,
                          .cut = pb->cut,
                          .is_open = pb->is_clipped};
}

/* The current scalar as what the schema says it is. int32 and enums drop the upper half. */
static inline int64_t mi_pb_to_i64(uint64_t bits)
{
    return (int64_t)bits;
}

static inline int32_t mi_pb_to_i32(uint64_t bits)
{
    return (int32_t)(uint32_t)bits;
}

static inline int64_t mi_pb_to_sint(uint64_t bits) /* zigzag: sint32, sint64 */
{
    return (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
}

static inline float mi_pb_to_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline double mi_pb_to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int64_t mi_pb_i64(const struct mi_pb *pb)
{
    return mi_pb_to_i64(pb->value);
}

static inline int32_t mi_pb_i32(const struct mi_pb *pb)
{
    return mi_pb_to_i32(pb->value);
}

/* The elements of a repeated scalar field, packed or not:
 *
 *   case MI_PB_KEY(8, MI_PB_LEN):
 *   case MI_PB_KEY(8, MI_PB_VARINT):
 *       for (struct mi_pb_packed it = mi_pb_packed(&pb, MI_PB_VARINT); mi_pb_packed_next(&it);)
 *           add(mi_pb_to_i64(it.value));
 *
 * A packed payload that does not end with an element fails. `type` is VARINT, FIXED32 or FIXED64.
 */
struct mi_pb_packed {
    struct mi_pb pb; /* over the payload */
    enum mi_pb_type type;
    bool is_single; /* not packed: `pb.value` holds the one element that is left */
    uint64_t value; /* the current element: raw bits */
};

struct mi_pb_packed mi_pb_packed(const struct mi_pb *pb, enum mi_pb_type type);
bool mi_pb_packed_next(struct mi_pb_packed *it);

#endif
