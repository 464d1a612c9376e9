/* Protobuf wire cursor: everything but the inlined common case. */
#include "base/pb_wire.h"

enum take { TAKEN, CUT, TOO_LONG };

struct mi_pb mi_pb_init(struct mi_bytes bytes, uint64_t base, struct mi_error *err)
{
    static const uint8_t nothing;
    const uint8_t *at = bytes.at ? bytes.at : &nothing;
    return (struct mi_pb){.at = at,
                          .end = at + (bytes.at ? bytes.len : 0),
                          .start = at,
                          .base = base,
                          .err = err,
                          .is_open = true};
}

void mi_pb_keep_truncated(struct mi_pb *pb, struct mi_error *cut)
{
    pb->cut = cut;
}

/* Fails at `at`. A cut at the end of the input is only noted if the caller wants to keep going. */
static bool fail(struct mi_pb *pb, const uint8_t *at, enum mi_code code, const char *what)
{
    uint64_t offset = pb->base + (uint64_t)(at - pb->start);
    bool is_cut = code == MI_ETRUNCATED;
    if (is_cut && !pb->is_open)
        code = MI_EFORMAT;
    const char *where = !is_cut       ? ""
                        : pb->is_open ? " runs past the end"
                                      : " runs past its message";
    pb->at = pb->end;
    return mi_fail_at(is_cut && pb->is_open && pb->cut ? pb->cut : pb->err, code, offset, 0,
                      "protobuf: %s%s", what, where);
}

static enum take take_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    const uint8_t *p = *at;
    uint64_t bits = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (p == end)
            return CUT;
        uint8_t byte = *p++;
        bits |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *at = p;
            *value = bits;
            return TAKEN;
        }
    }
    return TOO_LONG;
}

static bool varint(struct mi_pb *pb, uint64_t *value)
{
    const uint8_t *at = pb->at;
    switch (take_varint(&pb->at, pb->end, value)) {
    case TAKEN:
        return true;
    case CUT:
        return fail(pb, at, MI_ETRUNCATED, "varint");
    case TOO_LONG:
        break;
    }
    return fail(pb, at, MI_EFORMAT, "varint longer than 10 bytes");
}

static bool tag(struct mi_pb *pb, uint32_t *key)
{
    const uint8_t *at = pb->at;
    uint64_t bits = 0;
    enum take took = take_varint(&pb->at, pb->end, &bits);
    if (took == CUT && pb->end - at < 5)
        return fail(pb, at, MI_ETRUNCATED, "tag");
    if (took != TAKEN || pb->at - at > 5 || bits > UINT32_MAX)
        return fail(pb, at, MI_EFORMAT, "tag longer than 32 bits");
    if (bits < 8)
        return fail(pb, at, MI_EFORMAT, "field number 0");
    *key = (uint32_t)bits;
    return true;
}

static bool fixed(struct mi_pb *pb, unsigned size)
{
    if ((size_t)(pb->end - pb->at) < size)
        return fail(pb, pb->at, MI_ETRUNCATED, "fixed-width number");
    pb->value = size == 4 ? mi_load_u32le(pb->at) : mi_load_u64le(pb->at);
    pb->at += size;
    return true;
}

/* Length and payload; `pb->bytes` is the payload, clipped if that is allowed and needed. */
static bool delimited(struct mi_pb *pb)
{
    const uint8_t *at = pb->at;
    uint64_t len = 0;
    if (!varint(pb, &len))
        return false;
    size_t left = (size_t)(pb->end - pb->at);
    pb->bytes = (struct mi_bytes){pb->at, len < left ? (size_t)len : left};
    if (len <= left) {
        pb->at += len;
        return true;
    }
    fail(pb, at, MI_ETRUNCATED, "length-delimited field");
    pb->is_clipped = pb->is_open && pb->cut;
    return pb->is_clipped;
}

/* The value behind a tag other than a group's. */
static bool value(struct mi_pb *pb, const uint8_t *tag_at)
{
    switch (mi_pb_type(pb)) {
    case MI_PB_VARINT:
        return varint(pb, &pb->value);
    case MI_PB_FIXED64:
        return fixed(pb, 8);
    case MI_PB_LEN:
        return delimited(pb);
    case MI_PB_FIXED32:
        return fixed(pb, 4);
    case MI_PB_GROUP:
    case MI_PB_GROUP_END:
        break;
    }
    return fail(pb, tag_at, MI_EFORMAT, "wire type 6 or 7");
}

/* Steps over a group whose start tag has been read; its content becomes `pb->bytes`. */
static bool group(struct mi_pb *pb)
{
    uint32_t key = pb->key, open[MI_PB_GROUP_DEPTH];
    size_t depth = 0;
    const uint8_t *content = pb->at;
    open[depth++] = key;
    for (;;) {
        const uint8_t *at = pb->at;
        if (at == pb->end)
            return fail(pb, content, MI_ETRUNCATED, "group");
        if (!tag(pb, &pb->key))
            return false;
        if (mi_pb_type(pb) == MI_PB_GROUP) {
            if (depth == MI_PB_GROUP_DEPTH)
                return fail(pb, at, MI_ELIMIT, "groups nested too deep");
            open[depth++] = pb->key;
        } else if (mi_pb_type(pb) == MI_PB_GROUP_END) {
            if (open[--depth] + 1 != pb->key)
                return fail(pb, at, MI_EFORMAT, "end of another group");
            if (depth == 0) {
                pb->key = key;
                pb->bytes = (struct mi_bytes){content, (size_t)(at - content)};
                return true;
            }
        } else if (!value(pb, at) || pb->is_clipped) {
            return false;
        }
    }
}

bool mi_pb_next_any(struct mi_pb *pb)
{
    const uint8_t *at = pb->at;
    if (pb->err->code != MI_OK || at == pb->end)
        return false;
    if (!tag(pb, &pb->key))
        return false;
    if (mi_pb_type(pb) == MI_PB_GROUP)
        return group(pb);
    if (mi_pb_type(pb) == MI_PB_GROUP_END)
        return fail(pb, at, MI_EFORMAT, "end of a group that was not opened");
    return value(pb, at);
}

struct mi_pb_packed mi_pb_packed(const struct mi_pb *pb, enum mi_pb_type type)
{
    struct mi_pb_packed it = {.pb = *pb, .type = type, .is_single = mi_pb_type(pb) != MI_PB_LEN};
    if (!it.is_single)
        it.pb = mi_pb_sub(pb);
    return it;
}

bool mi_pb_packed_next(struct mi_pb_packed *it)
{
    struct mi_pb *pb = &it->pb;
    if (pb->err->code != MI_OK)
        return false;
    if (it->is_single) {
        it->is_single = false;
        pb->at = pb->end;
        it->value = pb->value;
        return true;
    }
    if (pb->at == pb->end)
        return false;
    if (it->type == MI_PB_VARINT && *pb->at < 0x80) {
        it->value = *pb->at++;
        return true;
    }
    bool ok = it->type == MI_PB_VARINT ? varint(pb, &pb->value)
                                       : fixed(pb, it->type == MI_PB_FIXED32 ? 4 : 8);
    it->value = pb->value;
    return ok;
}
