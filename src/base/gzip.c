#include "base/gzip.h"

#include "base/mem.h"
#include "base/unpack.h"

#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, MEMORY = 8, PIECE = 16 << 10 };

bool mi_gzip_pack(struct mi_sink *out, struct mi_bytes in, enum mi_gzip_effort effort,
                  struct mi_error *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in.at};
    uint8_t piece[PIECE];
    size_t left = in.len;
    int state = Z_OK;
    if (deflateInit2(&z, (int)effort, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return mi_fail(err, MI_ENOMEM, "out of memory for packing");
    while (state != Z_STREAM_END) {
        if (!z.avail_in && left) {
            z.avail_in = left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)left;
            left -= z.avail_in;
        }
        z.next_out = piece;
        z.avail_out = sizeof piece;
        state = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
        mi_sink_write(out, (struct mi_bytes){piece, sizeof piece - z.avail_out});
    }
    deflateEnd(&z);
    return true;
}

bool mi_gzip_unpack(struct mi_sink *out, struct mi_bytes in, struct mi_error *err)
{
    struct mi_unpacked plain;
    if (!mi_unpack_all(MI_PACKING_GZIP, in, UINT32_MAX, NULL, &plain, err))
        return false;
    bool ok = plain.damage.code == MI_OK;
    if (ok)
        mi_sink_write(out, (struct mi_bytes){plain.at, plain.len});
    else
        mi_fail(err, plain.damage.code, "%s", plain.damage.text);
    mi_mem_free(plain.at);
    return ok;
}
