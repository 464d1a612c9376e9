/* Making a report: data within its size, what is said of them, and the frame of the page filled in.
 */
#include "present/offline/offline.h"

#include "base/base64.h"
#include "base/gzip.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/snapshot.h"
#include "present/offline/cut.h"
#include "present/offline/disguise.h"
#include "present/serve/site.h"

enum { DEFAULT_MIB = 32, ROUNDS = 24, PER_1000 = 1000, MARGIN = 50 };

struct mi_offline {
    const struct mi_model *model;
    bool is_anonymised, is_keyed;
    struct mi_hash_key key;
    uint64_t most_bytes; /* of the packed data */
    struct mi_cut cut;
    struct mi_sink frame;  /* web/src/report.html */
    uint8_t *values;       /* [tasks.count] 1: its counters are inside */
    struct mi_sink packed; /* snapshot, gzip */
    struct mi_sink about;  /* JSON */
};

/* --- the data --- */

static bool pack(struct mi_offline *m, struct mi_error *err)
{
    struct mi_disguise disguise;
    struct mi_snapshot_options options = {.rename = m->is_anonymised ? mi_disguise_name : NULL,
                                          .user = &disguise,
                                          .values = m->values};
    struct mi_sink plain;
    if (!mi_disguise_init(&disguise, m->is_keyed ? &m->key : NULL))
        return mi_fail(err, MI_ENOMEM, "out of memory for the report");
    memcpy(options.keep, m->cut.keep, sizeof options.keep);
    mi_sink_init_memory(&plain);
    mi_sink_clear(&m->packed);
    bool ok = mi_snapshot_write(m->model, &options, &plain, err) && mi_sink_flush(&plain, err) &&
              mi_gzip_pack(&m->packed, mi_sink_bytes(&plain), MI_GZIP_SMALL, err) &&
              mi_sink_flush(&m->packed, err);
    if (ok && disguise.failed)
        ok = mi_fail(err, MI_ENOMEM, "out of memory for the report");
    mi_sink_fini(&plain);
    mi_disguise_fini(&disguise);
    return ok;
}

/* Leaves out step by step until the rest fits; what has gone already tells how much has to follow.
 */
static bool pack_within(struct mi_offline *m, struct mi_error *err)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (!pack(m, err))
            return false;
        uint64_t size = mi_sink_size(&m->packed);
        if (size <= m->most_bytes)
            return true;
        uint64_t share = m->most_bytes * PER_1000 / size;
        enum mi_cut_result result =
            mi_cut_more(&m->cut, (uint32_t)(share > MARGIN ? share - MARGIN : share / 2));
        if (result == MI_CUT_NO_MEMORY)
            return mi_fail(err, MI_ENOMEM, "out of memory for the report");
        if (result == MI_CUT_NOTHING_LEFT)
            break;
    }
    return mi_fail(err, MI_ELIMIT,
                   "the report does not fit into that size, whatever is left out; "
                   "a larger --max-size is needed");
}

/* --- counters --- */

/* Of the first task of each node and kernel, which is the one that summaries quote. */
static bool choose_values(struct mi_offline *m, struct mi_error *err)
{
    const struct mi_tables *rows = &m->model->all.rows;
    struct mi_map seen = {0};
    m->values = mi_mem_zero(rows->tasks.count, 1);
    bool ok = m->values;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++) {
        uint32_t node = rows->executed.node[m->model->index.task_link[t]].v;
        uint32_t *first = mi_map_at(&seen, mi_pair(rows->tasks.kernel[t].v, node));
        ok = first;
        if (ok && !*first)
            *first = m->values[t] = 1;
    }
    mi_map_fini(&seen);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the report");
}

/* Tasks whose counters stay in the inputs. */
static uint32_t count_left_behind(const struct mi_offline *m)
{
    const struct mi_model *model = m->model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t count = 0;
    for (uint32_t t = 1; model->list_values && t < rows->tasks.count; t++)
        count += !m->values[t] && rows->tasks.record_offset[t] >= 0 &&
                 model->list_values(model->values_of, rows->kernels.source[rows->tasks.kernel[t].v],
                                    rows->tasks.record_offset[t], rows->tasks.record_bytes[t], NULL,
                                    NULL);
    return count;
}

/* --- what the page says of it --- */

static bool describe(struct mi_offline *m, struct mi_error *err)
{
    struct mi_jw jw;
    mi_jw_init(&jw, &m->about, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_text(&jw, "version", MI_VERSION);
    mi_jw_key(&jw, "anonymised");
    mi_jw_bool(&jw, m->is_anonymised);
    mi_jw_member_i64(&jw, "metrics", count_left_behind(m));
    mi_jw_key(&jw, "left_out");
    mi_cut_describe(&m->cut, &jw);
    mi_jw_end(&jw);
    mi_jw_finish(&jw, NULL);
    return mi_sink_flush(&m->about, err);
}

/* --- the page --- */

static struct mi_bytes bytes_of(const struct mi_asset *asset)
{
    return (struct mi_bytes){asset->begin, (size_t)(asset->end - asset->begin)};
}

/* What stands for a {{name}} of the frame: the data, or a file of the page; of a module its gzip as
 * base64. */
static bool put_part(const struct mi_offline *m, struct mi_bytes name, struct mi_sink *sink,
                     struct mi_error *err)
{
    const struct mi_asset *asset = mi_asset_find(name);
    if (mi_bytes_equal(name, MI_LIT("snapshot")))
        mi_base64_write(sink, mi_sink_bytes(&m->packed));
    else if (mi_bytes_equal(name, MI_LIT("about")))
        mi_sink_write(sink, mi_sink_bytes(&m->about));
    else if (!asset)
        return mi_fail(err, MI_EINTERNAL, "the page lacks a part");
    else if (mi_bytes_ends(name, MI_LIT(".wasm")))
        mi_base64_write(sink, bytes_of(asset));
    else
        return mi_gzip_unpack(sink, bytes_of(asset), err);
    return true;
}

static const uint8_t *find(struct mi_bytes text, struct mi_bytes mark)
{
    for (size_t i = 0; i + mark.len <= text.len; i++)
        if (memcmp(text.at + i, mark.at, mark.len) == 0)
            return text.at + i;
    return NULL;
}

static bool put_page(const struct mi_offline *m, struct mi_sink *sink, struct mi_error *err)
{
    struct mi_bytes frame = mi_sink_bytes(&m->frame);
    const uint8_t *open;
    while ((open = find(frame, MI_LIT("{{"))) != NULL) {
        size_t before = (size_t)(open - frame.at);
        struct mi_bytes rest = mi_bytes_sub(frame, before + 2, SIZE_MAX);
        const uint8_t *close = find(rest, MI_LIT("}}"));
        if (!close)
            break;
        struct mi_bytes name = mi_bytes_sub(rest, 0, (size_t)(close - rest.at));
        mi_sink_write(sink, mi_bytes_sub(frame, 0, before));
        if (!put_part(m, name, sink, err))
            return false;
        frame = mi_bytes_sub(rest, name.len + 2, SIZE_MAX);
    }
    mi_sink_write(sink, frame);
    return true;
}

bool mi_offline_can(void)
{
    return mi_asset_find(MI_LIT("report.html")) && mi_asset_find(MI_LIT("core.wasm"));
}

/* The page with nothing in it, to know what is left for the data. */
static bool measure(struct mi_offline *m, uint64_t most_bytes, struct mi_error *err)
{
    struct mi_sink empty;
    mi_sink_init_memory(&empty);
    bool ok = put_page(m, &empty, err) && mi_sink_flush(&empty, err);
    uint64_t used = mi_sink_size(&empty) + 2048; /* what is said of the data */
    mi_sink_fini(&empty);
    m->most_bytes = most_bytes > used ? (most_bytes - used) / 4 * 3 : 0;
    return ok;
}

struct mi_offline *mi_offline_new(const struct mi_model *model,
                                  const struct mi_offline_options *options, struct mi_error *err)
{
    uint64_t most_mib = options->most_mib > 0 ? (uint64_t)options->most_mib : DEFAULT_MIB;
    const struct mi_asset *frame = mi_asset_find(MI_LIT("report.html"));
    if (!mi_offline_can()) {
        mi_fail(err, MI_EUNSUPPORTED,
                "this program was built without what reports need: ./dev deps installs it");
        return NULL;
    }
    struct mi_offline *m = mi_mem_zero(1, sizeof *m);
    if (!m) {
        mi_fail(err, MI_ENOMEM, "out of memory for the report");
        return NULL;
    }
    m->model = model;
    m->is_anonymised = options->is_anonymised;
    m->is_keyed = options->key != NULL;
    if (options->key)
        m->key = *options->key;
    mi_sink_init_memory(&m->frame);
    mi_sink_init_memory(&m->packed);
    mi_sink_init_memory(&m->about);
    mi_cut_init(&m->cut, model);
    bool ok = mi_gzip_unpack(&m->frame, bytes_of(frame), err) && mi_sink_flush(&m->frame, err) &&
              measure(m, most_mib << 20, err) && choose_values(m, err) && pack_within(m, err) &&
              describe(m, err);
    if (!ok)
        mi_offline_free(m);
    return ok ? m : NULL;
}

void mi_offline_free(struct mi_offline *m)
{
    if (!m)
        return;
    mi_cut_fini(&m->cut);
    mi_mem_free(m->values);
    mi_sink_fini(&m->about);
    mi_sink_fini(&m->packed);
    mi_sink_fini(&m->frame);
    mi_mem_free(m);
}

bool mi_offline_write(const struct mi_offline *m, struct mi_sink *sink, struct mi_error *err)
{
    return put_page(m, sink, err);
}
