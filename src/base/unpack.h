/* Streaming decompression: gzip (several members), zstd (several frames), raw deflate. */
#ifndef MI_BASE_UNPACK_H
#define MI_BASE_UNPACK_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/pool.h"

enum mi_packing { MI_PACKING_NONE, MI_PACKING_GZIP, MI_PACKING_ZSTD, MI_PACKING_DEFLATE };

/* By magic number: GZIP, ZSTD or NONE. Needs the first 4 bytes. */
enum mi_packing mi_packing_sniff(struct mi_bytes head);

const char *mi_packing_name(enum mi_packing packing); /* "none", "gzip", "zstd", "deflate" */

enum mi_unpack_state {
    MI_UNPACK_ON,    /* wants more input or more room */
    MI_UNPACK_DONE,  /* all members were read; what is left in the input belongs to nothing */
    MI_UNPACK_FAILED /* see `error` */
};

/* A decoder. One handle, one thread. */
struct mi_unpack {
    enum mi_packing packing;
    enum mi_unpack_state state;
    void *codec;             /* owned */
    uint64_t consumed_bytes; /* packed bytes eaten so far */
    bool is_between;         /* at the end of a member: input may end here */
    struct mi_error error;   /* why it failed; the offset counts packed bytes */
};

/* False with MI_ENOMEM. After true, mi_unpack_fini() must be called. */
bool mi_unpack_init(struct mi_unpack *unpack, enum mi_packing packing, struct mi_error *err);
void mi_unpack_fini(struct mi_unpack *unpack);

/* Decodes from the front of `in` (which is shortened) into out[room]; returns the bytes made.
 * Returns less than `room` only if the input is used up or `state` has changed. */
size_t mi_unpack_step(struct mi_unpack *unpack, struct mi_bytes *in, uint8_t *out, size_t room);

/* A decompressed whole. */
struct mi_unpacked {
    uint8_t *at; /* owned by the caller: mi_mem_free() */
    size_t len;
    uint64_t ignored_bytes; /* packed bytes behind the last member; zero padding is not counted */
    struct mi_error damage; /* MI_ETRUNCATED or MI_EFORMAT if only a part could be read */
};

/* Decodes all of `in`. Memory grows with what really comes out, never by a size a header claims;
 * more than `max_bytes` is MI_ELIMIT. Damage after the first byte is no failure: what came out is
 * kept and `damage` says where (offset in the packed bytes). `going` (may be
 * NULL) is asked between pieces of 16 MB; false ends it: MI_ECANCELLED. */
bool mi_unpack_all(enum mi_packing packing, struct mi_bytes in, uint64_t max_bytes,
                   const struct mi_going *going, struct mi_unpacked *out, struct mi_error *err);

#endif
