/* XXH3 hashes. The library is compiled in here, so that short keys hash at full speed. */
#include "base/hash.h"
#include "base/mem.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)1 << 20)

uint64_t mi_hash64(struct mi_bytes bytes)
{
    return XXH3_64bits(bytes.at, bytes.len);
}

struct mi_hash128 mi_hash128(struct mi_bytes bytes)
{
    XXH128_hash_t hash = XXH3_128bits(bytes.at, bytes.len);
    return (struct mi_hash128){hash.low64, hash.high64};
}

void mi_hash64_hex(uint64_t hash, char text[MI_HASH64_HEX])
{
    snprintf(text, MI_HASH64_HEX, "%016" PRIx64, hash);
}

void mi_hash128_hex(struct mi_hash128 hash, char text[MI_HASH128_HEX])
{
    snprintf(text, MI_HASH128_HEX, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
}

struct stream {
    int fd;
    uint64_t done_bytes, total_bytes;
    uint8_t *piece; /* [PIECE_BYTES] */
    XXH3_state_t *state;
};

static bool hash_stream(struct stream *s, mi_progress_fn *progress, void *context,
                        struct mi_cancel *cancel, struct mi_error *err)
{
    for (;;) {
        if (mi_cancelled(cancel))
            return mi_fail(err, MI_ECANCELLED, "cancelled");
        ssize_t got = read(s->fd, s->piece, PIECE_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mi_fail_at(err, MI_EIO, s->done_bytes, 0, "cannot read: %s", strerror(errno));
        if (got == 0)
            return true;
        XXH3_128bits_update(s->state, s->piece, (size_t)got);
        s->done_bytes += (uint64_t)got;
        if (progress)
            progress(context, s->done_bytes, s->total_bytes);
    }
}

bool mi_hash_file(const char *path, mi_progress_fn *progress, void *context,
                  struct mi_cancel *cancel, struct mi_hash128 *hash, uint64_t *size_bytes,
                  struct mi_error *err)
{
    struct stream s = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    struct stat st;
    bool ok = false;
    if (s.fd < 0 || fstat(s.fd, &st) != 0) {
        mi_fail(err, MI_EIO, "cannot open: %s", strerror(errno));
    } else {
        s.total_bytes = st.st_size > 0 ? (uint64_t)st.st_size : 0;
        s.piece = mi_mem_new(PIECE_BYTES, 1);
        s.state = XXH3_createState();
        if (!s.piece || !s.state) {
            mi_fail(err, MI_ENOMEM, "no memory to hash a file");
        } else {
            XXH3_128bits_reset(s.state);
            ok = hash_stream(&s, progress, context, cancel, err);
        }
    }
    if (ok) {
        XXH128_hash_t digest = XXH3_128bits_digest(s.state);
        *hash = (struct mi_hash128){digest.low64, digest.high64};
        *size_bytes = s.done_bytes;
    }
    XXH3_freeState(s.state);
    mi_mem_free(s.piece);
    if (s.fd >= 0)
        close(s.fd);
    return ok || mi_error_in(err, path);
}
