/* Chunks of a hook file, and from when on records may be missing.
 *
 * A broken chunk ends nothing: the next one is found by its magic, which stands on a multiple of 8.
 * What the slots of the head counted and no chunk holds was lost with the process. */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/hook/hook_read.h"

enum { PROGRESS_CHUNKS = 64 };

bool mi_hook_room(void *block, uint32_t *room, uint32_t count, size_t size)
{
    void *at;
    if (count < *room)
        return true;
    if (*room >= UINT32_MAX / 2)
        return false;
    memcpy(&at, block, sizeof at);
    at = mi_mem_resize(at, *room ? (size_t)*room * 2 : 64, size);
    if (!at)
        return false;
    memcpy(block, &at, sizeof at);
    *room = *room ? *room * 2 : 64;
    return true;
}

static bool is_whole(const struct mi_rec_chunk *head, struct mi_bytes rest)
{
    if (memcmp(head->magic, MI_REC_CHUNK_MAGIC, sizeof head->magic) != 0 ||
        head->head_bytes < sizeof *head || head->head_bytes % 8 || head->bytes % 8 ||
        head->ring >= MI_REC_SLOTS || head->head_bytes > rest.len ||
        head->bytes > rest.len - head->head_bytes)
        return false;
    uint64_t sum = mi_rec_sum(0, rest.at, offsetof(struct mi_rec_chunk, checksum));
    return mi_rec_sum(sum, rest.at + head->head_bytes, head->bytes) == head->checksum;
}

static bool add_chunk(struct hook *h, const struct mi_rec_chunk *head, uint64_t at)
{
    if (!mi_hook_room(&h->chunks, &h->chunk_room, h->chunk_count, sizeof *h->chunks))
        return mi_batch_fail(h->out, MI_ENOMEM, "out of memory for chunks");
    h->chunks[h->chunk_count++] = (struct hook_chunk){.head = *head, .at = at};
    return true;
}

/* Tells of a place without a chunk; returns the next place where one may begin. */
static uint64_t skip_broken(struct hook *h, uint64_t at)
{
    struct mi_bytes all = h->src->bytes;
    uint64_t next = at + 8;
    while (next + MI_REC_CHUNK_BYTES <= all.len &&
           memcmp(all.at + next, MI_REC_CHUNK_MAGIC, 8) != 0)
        next += 8;
    bool is_end = next + MI_REC_CHUNK_BYTES > all.len;
    mi_batch_diag(h->out, is_end ? MI_NOTICE : MI_LOSS,
                  is_end ? "hook.chunk_cut" : "hook.chunk_broken", at, 0,
                  is_end ? N_("the file ends within a chunk")
                         : N_("a chunk whose sum is not that of its records"));
    return is_end ? all.len : next;
}

bool mi_hook_find_chunks(struct hook *h)
{
    struct mi_bytes all = h->src->bytes;
    for (uint64_t at = MI_REC_HEAD_BYTES; at < all.len;) {
        struct mi_rec_chunk head = {0};
        struct mi_bytes rest = mi_bytes_sub(all, (size_t)at, all.len);
        if (rest.len >= sizeof head)
            memcpy(&head, rest.at, sizeof head);
        if (!is_whole(&head, rest)) {
            at = skip_broken(h, at);
            continue;
        }
        if (!add_chunk(h, &head, at + head.head_bytes))
            return false;
        at += head.head_bytes + (uint64_t)head.bytes;
    }
    return true;
}

/* --- records --- */

bool mi_hook_each(struct hook *h, hook_record_fn *fn)
{
    for (uint32_t c = 0; c < h->chunk_count && !mi_batch_failed(h->out); c++) {
        const struct hook_chunk *chunk = &h->chunks[c];
        uint64_t at = chunk->at, end = at + chunk->head.bytes;
        while (at < end) {
            struct mi_rec rec;
            if (end - at < sizeof rec)
                break;
            memcpy(&rec, h->src->bytes.at + at, sizeof rec);
            if (rec.bytes < sizeof rec || rec.bytes % 8 || rec.bytes > end - at)
                break;
            struct mi_bytes text =
                mi_bytes_sub(h->src->bytes, (size_t)at + sizeof rec, rec.bytes - sizeof rec);
            while (text.len && !text.at[text.len - 1])
                text.len--;
            fn(h, chunk, &rec, text, at);
            at += rec.bytes;
        }
        if (c % PROGRESS_CHUNKS == 0 && h->src->progress && !h->src->progress(h->src->user, at))
            return false;
    }
    return true;
}

const char *mi_hook_call(uint16_t type, enum mi_rec_role *role)
{
    switch (type) {
#define MI_HOOK_CALL(number, name, what)                                                           \
    case number:                                                                                   \
        *role = MI_REC_ROLE_##what;                                                                \
        return #name;
#include "capture/calls.def"
#undef MI_HOOK_CALL
    default:
        *role = MI_REC_ROLE_OTHER;
        return NULL;
    }
}
