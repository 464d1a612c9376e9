/* Streaming decompression over zlib and libzstd. */
#include "base/unpack.h"
#include "base/mem.h"

#include <zlib.h>
#include <zstd.h>

#define FIRST_ROOM  ((size_t)64 << 10)
#define PIECE_BYTES ((size_t)16 << 20) /* between two looks whether to go on */

enum mi_packing mi_packing_sniff(struct mi_bytes head)
{
    if (head.len < 4)
        return MI_PACKING_NONE;
    if (head.at[0] == 0x1f && head.at[1] == 0x8b && head.at[2] == 8)
        return MI_PACKING_GZIP;
    uint32_t magic = mi_load_u32le(head.at);
    /* Parallel writers put skippable frames in front. */
    if (magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == 0x184d2a50U)
        return MI_PACKING_ZSTD;
    return MI_PACKING_NONE;
}

const char *mi_packing_name(enum mi_packing packing)
{
    static const char *const names[] = {[MI_PACKING_NONE] = "none",
                                        [MI_PACKING_GZIP] = "gzip",
                                        [MI_PACKING_ZSTD] = "zstd",
                                        [MI_PACKING_DEFLATE] = "deflate"};
    return names[packing];
}

bool mi_unpack_init(struct mi_unpack *unpack, enum mi_packing packing, struct mi_error *err)
{
    *unpack = (struct mi_unpack){.packing = packing, .error = MI_ERROR_INIT};
    if (packing == MI_PACKING_ZSTD) {
        unpack->codec = ZSTD_createDStream();
        if (unpack->codec)
            return true;
    } else {
        z_stream *z = mi_mem_zero(1, sizeof *z);
        int window = packing == MI_PACKING_GZIP ? 16 + MAX_WBITS : -MAX_WBITS;
        if (z && inflateInit2(z, window) == Z_OK) {
            unpack->codec = z;
            return true;
        }
        mi_mem_free(z);
    }
    return mi_fail(err, MI_ENOMEM, "no memory to decompress");
}

void mi_unpack_fini(struct mi_unpack *unpack)
{
    if (unpack->packing == MI_PACKING_ZSTD) {
        ZSTD_freeDStream(unpack->codec);
    } else if (unpack->codec) {
        inflateEnd(unpack->codec);
        mi_mem_free(unpack->codec);
    }
    unpack->codec = NULL;
}

static void fail(struct mi_unpack *unpack, enum mi_code code, const char *why)
{
    unpack->state = MI_UNPACK_FAILED;
    mi_fail_at(&unpack->error, code, unpack->consumed_bytes, 0, "%s: %s",
               mi_packing_name(unpack->packing), why ? why : "damaged data");
}

/* Whether another member follows the one that just ended; anything else is not ours. */
static bool has_next_member(const struct mi_unpack *unpack, struct mi_bytes in)
{
    if (unpack->packing == MI_PACKING_ZSTD)
        return in.len < 4 ? in.at[0] == 0x28 || in.at[0] >> 4 == 5
                          : mi_packing_sniff(in) == MI_PACKING_ZSTD;
    return in.at[0] == 0x1f && (in.len < 2 || in.at[1] == 0x8b);
}

static size_t inflate_step(struct mi_unpack *unpack, struct mi_bytes *in, uint8_t *out, size_t room)
{
    z_stream *z = unpack->codec;
    const size_t most = (size_t)1 << 30; /* zlib counts in unsigned int */
    unsigned give = (unsigned)(in->len < most ? in->len : most);
    unsigned take = (unsigned)(room < most ? room : most);
    z->next_in = (z_const Bytef *)(uintptr_t)in->at; /* zlib does not write to it */
    z->avail_in = give;
    z->next_out = out;
    z->avail_out = take;
    int got = inflate(z, Z_NO_FLUSH);
    size_t used = give - z->avail_in;
    *in = mi_bytes_sub(*in, used, in->len);
    unpack->consumed_bytes += used;
    if (got == Z_STREAM_END) {
        unpack->is_between = true;
        if (unpack->packing == MI_PACKING_DEFLATE)
            unpack->state = MI_UNPACK_DONE;
    } else if (got == Z_NEED_DICT) {
        fail(unpack, MI_EUNSUPPORTED, "preset dictionary");
    } else if (got == Z_MEM_ERROR) {
        fail(unpack, MI_ENOMEM, "no memory");
    } else if (got != Z_OK && got != Z_BUF_ERROR) {
        fail(unpack, MI_EFORMAT, z->msg);
    }
    return take - z->avail_out;
}

static size_t zstd_step(struct mi_unpack *unpack, struct mi_bytes *in, uint8_t *out, size_t room)
{
    ZSTD_inBuffer from = {in->at, in->len, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t got = ZSTD_decompressStream(unpack->codec, &to, &from);
    *in = mi_bytes_sub(*in, from.pos, in->len);
    unpack->consumed_bytes += from.pos;
    if (ZSTD_isError(got))
        fail(unpack, MI_EFORMAT, ZSTD_getErrorName(got));
    else if (got == 0)
        unpack->is_between = true;
    return to.pos;
}

size_t mi_unpack_step(struct mi_unpack *unpack, struct mi_bytes *in, uint8_t *out, size_t room)
{
    size_t made = 0;
    while (unpack->state == MI_UNPACK_ON && made < room) {
        bool is_fresh = unpack->is_between;
        if (is_fresh) {
            if (in->len == 0)
                break;
            if (!has_next_member(unpack, *in)) {
                unpack->state = MI_UNPACK_DONE;
                break;
            }
            unpack->is_between = false;
            if (unpack->packing == MI_PACKING_GZIP)
                inflateReset(unpack->codec);
        }
        size_t left = in->len;
        size_t more = unpack->packing == MI_PACKING_ZSTD
                          ? zstd_step(unpack, in, out + made, room - made)
                          : inflate_step(unpack, in, out + made, room - made);
        made += more;
        /* Nothing moved: more input is needed. Only the end of a member may come without a move. */
        if (more == 0 && in->len == left && (is_fresh || !unpack->is_between))
            break;
    }
    return made;
}

/* Doubles the room; the C library moves big blocks by remapping pages, not by copying. */
static bool grow(struct mi_unpacked *out, size_t *room, uint64_t max_bytes, struct mi_error *err)
{
    if (*room >= max_bytes)
        return mi_fail(err, MI_ELIMIT, "more than %llu bytes after decompression",
                       (unsigned long long)max_bytes);
    size_t want = *room ? *room * 2 : FIRST_ROOM;
    if (want > max_bytes)
        want = (size_t)max_bytes;
    uint8_t *at = mi_mem_resize(out->at, want, 1);
    if (!at)
        return mi_fail(err, MI_ENOMEM, "no memory for %zu decompressed bytes", want);
    out->at = at;
    *room = want;
    return true;
}

static bool unpack_into(struct mi_unpack *unpack, struct mi_bytes in, uint64_t max_bytes,
                        const struct mi_going *going, struct mi_unpacked *out, struct mi_error *err)
{
    size_t room = 0;
    for (;;) {
        if (!mi_goes_on(going))
            return mi_fail(err, MI_ECANCELLED, "cancelled");
        if (out->len == room) {
            uint8_t extra;
            /* A full buffer at the limit is fine if nothing follows. */
            if (room >= max_bytes && mi_unpack_step(unpack, &in, &extra, 1) == 0)
                break;
            if (!grow(out, &room, max_bytes, err))
                return false;
        }
        size_t piece = room - out->len < PIECE_BYTES ? room - out->len : PIECE_BYTES;
        size_t made = mi_unpack_step(unpack, &in, out->at + out->len, piece);
        out->len += made;
        if (made < piece)
            break;
    }
    while (in.len > 0 && in.at[in.len - 1] == 0)
        in.len--;
    if (unpack->state == MI_UNPACK_DONE)
        out->ignored_bytes = in.len;
    else if (unpack->state == MI_UNPACK_ON && !unpack->is_between)
        mi_fail_at(&out->damage, MI_ETRUNCATED, unpack->consumed_bytes, 0, "%s: data end too early",
                   mi_packing_name(unpack->packing));
    else if (unpack->state == MI_UNPACK_FAILED)
        out->damage = unpack->error;
    return true;
}

bool mi_unpack_all(enum mi_packing packing, struct mi_bytes in, uint64_t max_bytes,
                   const struct mi_going *going, struct mi_unpacked *out, struct mi_error *err)
{
    struct mi_unpack unpack;
    *out = (struct mi_unpacked){.damage = MI_ERROR_INIT};
    if (!mi_unpack_init(&unpack, packing, err))
        return false;
    bool ok = unpack_into(&unpack, in, max_bytes, going, out, err);
    mi_unpack_fini(&unpack);
    if (ok && out->damage.code != MI_OK &&
        (out->len == 0 || out->damage.code == MI_ENOMEM || out->damage.code == MI_EUNSUPPORTED))
        ok = mi_fail_at(err, out->damage.code, out->damage.offset, 0, "%s", out->damage.text);
    if (!ok) {
        mi_mem_free(out->at);
        *out = (struct mi_unpacked){.damage = MI_ERROR_INIT};
        return false;
    }
    uint8_t *fit = mi_mem_resize(out->at, out->len, 1);
    if (fit)
        out->at = fit;
    return true;
}
