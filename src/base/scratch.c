#include "base/scratch.h"
#include "base/mem.h"

uint8_t *mi_scratch_room(struct mi_scratch *scratch, size_t size_bytes)
{
    if (scratch->at && size_bytes <= scratch->room)
        return scratch->at;
    size_t room = size_bytes < 256 ? 256 : size_bytes;
    if (room < SIZE_MAX / 2)
        room += room / 2;
    uint8_t *at = mi_mem_new(room, 1); /* not realloc: the old content is of no use */
    if (!at)
        return NULL;
    mi_mem_free(scratch->at);
    *scratch = (struct mi_scratch){at, room};
    return at;
}

void mi_scratch_fini(struct mi_scratch *scratch)
{
    mi_mem_free(scratch->at);
    *scratch = (struct mi_scratch){NULL, 0};
}
