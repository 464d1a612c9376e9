/* Streams, communication groups and threads, each with its track; streams have clocks of their own,
 * so that each can be calibrated; all threads share one. */
#include "base/translate.h"
#include "parse/formats/msprof_db/db_read.h"

static uint32_t *place_in(struct mi_db_reading *r, struct mi_map *map, uint64_t key)
{
    uint32_t *at = mi_map_at(map, key);
    if (!at)
        mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for streams");
    return at;
}

static mi_clock_id add_clock(struct mi_db_reading *r, mi_str_id name, int64_t start_raw)
{
    struct mi_batch *batch = r->db.batch;
    return mi_add_clock(batch,
                        &(struct mi_clock_row){.name = name,
                                               .ref_raw = start_raw,
                                               .ref_ns = start_raw,
                                               .ns_per_tick = 1,
                                               .residual_ns = -1,
                                               .note = mi_batch_cstr(batch, N_("as exported"))});
}

static mi_track_id add_track(struct mi_db_reading *r, const struct mi_track_row *row)
{
    return mi_add_track(r->db.batch, row);
}

mi_track_id mi_db_stream(struct mi_db_reading *r, int64_t device, int64_t stream, int64_t start_raw)
{
    struct mi_batch *batch = r->db.batch;
    if (r->last_stream && device == r->last_device && stream == r->last_stream_id)
        return (mi_track_id){r->last_stream};
    uint32_t *at = place_in(r, &r->streams, mi_pair((uint32_t)device, (uint32_t)stream));
    if (at && !*at) {
        mi_str_id name = stream < 0
                             ? mi_batch_printf(batch, "device %lld all streams", (long long)device)
                         : device > 0 ? mi_batch_printf(batch, "device %lld stream %lld",
                                                        (long long)device, (long long)stream)
                                      : mi_batch_printf(batch, "stream %lld", (long long)stream);
        *at = add_track(
                  r, &(struct mi_track_row){.kind = stream >= 0 ? MI_TRACK_STREAM : MI_TRACK_ENGINE,
                                            .name = name,
                                            .clock = add_clock(r, name, start_raw),
                                            .rank = -1,
                                            .device = device,
                                            .process = -1,
                                            .native_id = stream})
                  .v;
    }
    r->last_stream = at ? *at : 0;
    r->last_device = device;
    r->last_stream_id = stream;
    return (mi_track_id){r->last_stream};
}

mi_track_id mi_db_group(struct mi_db_reading *r, int64_t device, mi_str_id group, int64_t start_raw)
{
    struct mi_batch *batch = r->db.batch;
    uint32_t *at = place_in(r, &r->groups, mi_pair((uint32_t)device, group.v));
    if (at && !*at) {
        struct mi_bytes text = mi_batch_text(batch, group);
        size_t len = text.len < 200 ? text.len : 200;
        mi_str_id name =
            device > 0 ? mi_batch_printf(batch, "device %lld group %.*s", (long long)device,
                                         (int)len, (const char *)text.at)
                       : mi_batch_printf(batch, "group %.*s", (int)len, (const char *)text.at);
        *at = add_track(r, &(struct mi_track_row){.kind = MI_TRACK_GROUP,
                                                  .name = name,
                                                  .clock = add_clock(r, name, start_raw),
                                                  .rank = -1,
                                                  .device = device,
                                                  .process = -1,
                                                  .native_id = -1})
                  .v;
    }
    return (mi_track_id){at ? *at : 0};
}

mi_clock_id mi_db_host_clock(struct mi_db_reading *r, int64_t start_raw)
{
    if (!r->host.v) {
        r->host = add_clock(r, mi_batch_cstr(r->db.batch, "host"), start_raw);
        r->host_first = start_raw;
    }
    if (start_raw < r->host_first)
        r->host_first = start_raw;
    return r->host;
}

mi_track_id mi_db_thread(struct mi_db_reading *r, int64_t thread, int64_t start_raw)
{
    struct mi_batch *batch = r->db.batch;
    mi_clock_id clock = mi_db_host_clock(r, start_raw);
    uint32_t *at = place_in(r, &r->threads, (uint64_t)thread);
    if (at && !*at) {
        long long number = (long long)(thread & UINT32_MAX);
        *at = add_track(
                  r, &(struct mi_track_row){.kind = MI_TRACK_THREAD,
                                            .name = mi_batch_printf(batch, "thread %lld", number),
                                            .clock = clock,
                                            .rank = -1,
                                            .device = -1,
                                            .process = thread >> 32,
                                            .native_id = number})
                  .v;
    }
    return (mi_track_id){at ? *at : 0};
}

void mi_db_find_references(struct mi_db_reading *r)
{
    struct mi_tables *rows = &r->db.batch->rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t clock = rows->tracks.clock[rows->tasks.track[t].v].v;
        if (rows->tasks.start_raw[t] < rows->clocks.ref_raw[clock])
            rows->clocks.ref_raw[clock] = rows->clocks.ref_ns[clock] = rows->tasks.start_raw[t];
    }
    if (r->host.v)
        rows->clocks.ref_raw[r->host.v] = rows->clocks.ref_ns[r->host.v] = r->host_first;
}
