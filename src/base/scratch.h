/* One growing buffer for text that has to be unescaped before use: its content lives until the next
 * use. */
#ifndef MI_BASE_SCRATCH_H
#define MI_BASE_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty scratch. */
struct mi_scratch {
    uint8_t *at;
    size_t room;
};

/* At least `size_bytes` writable bytes, content undefined, owned by `scratch` until the next call.
 * NULL if memory is short (the scratch stays usable). Never returns NULL for size 0. */
uint8_t *mi_scratch_room(struct mi_scratch *scratch, size_t size_bytes);

void mi_scratch_fini(struct mi_scratch *scratch);

#endif
