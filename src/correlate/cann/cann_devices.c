/* Devices of collections, by number. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"

uint32_t *mi_cann_devices(const struct mi_model *model, const uint32_t *collections)
{
    const struct mi_tracks *tracks = &model->all.rows.tracks;
    uint32_t *devices = mi_mem_zero(tracks->count, sizeof *devices), count = 0;
    struct mi_map seen = {0};
    bool ok = devices != NULL;
    for (uint32_t t = 1; ok && t < tracks->count; t++) {
        uint32_t collection = collections[tracks->source[t].v];
        if (!collection)
            continue;
        uint32_t *at = mi_map_at(&seen, mi_pair(collection, (uint32_t)tracks->device[t]));
        ok = at != NULL;
        if (!ok)
            break;
        if (!*at)
            *at = ++count;
        devices[t] = *at;
    }
    mi_map_fini(&seen);
    if (ok)
        return devices;
    mi_mem_free(devices);
    return NULL;
}
