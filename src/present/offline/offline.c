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

/* The model, and what it is compared with if it is. */
enum side { OWN, BASE, SIDES };

struct offline_side {
    const struct mi_model *model; /* NULL: nothing is compared */
    struct mi_cut cut;
    uint8_t *values;       /* [tasks.count] 1: its counters are inside */
    struct mi_sink packed; /* snapshot, gzip */
};

struct mi_offline {
    struct offline_side sides[SIDES];
    const char *names[SIDES];
    struct mi_disguise disguise; /* one for both sides: equal names stay equal */
    bool is_anonymised;
    uint64_t most_bytes;  /* of the packed data of all sides */
    struct mi_sink frame; /* web/src/report.html */
    struct mi_sink about; /* JSON */
};

/* --- the data --- */

static bool pack(struct mi_offline *m, struct offline_side *side, struct mi_error *err)
{
    struct mi_snapshot_options options = {.rename = m->is_anonymised ? mi_disguise_name : NULL,
                                          .user = &m->disguise,
                                          .values = side->values};
    struct mi_sink plain;
    memcpy(options.keep, side->cut.keep, sizeof options.keep);
    mi_sink_init_memory(&plain);
    mi_sink_clear(&side->packed);
    bool ok = mi_snapshot_write(side->model, &options, &plain, err) && mi_sink_flush(&plain, err) &&
              mi_gzip_pack(&side->packed, mi_sink_bytes(&plain), MI_GZIP_SMALL, err) &&
              mi_sink_flush(&side->packed, err);
    if (ok && m->disguise.failed)
        ok = mi_fail(err, MI_ENOMEM, "out of memory for the report");
    mi_sink_fini(&plain);
    return ok;
}

/* Leaves out step by step until the rest fits; what has gone already tells how much has to follow.
 */
static bool pack_within(struct mi_offline *m, struct offline_side *side, uint64_t most_bytes,
                        struct mi_error *err)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (!pack(m, side, err))
            return false;
        uint64_t size = mi_sink_size(&side->packed);
        if (size <= most_bytes)
            return true;
        uint64_t share = most_bytes * PER_1000 / size;
        enum mi_cut_result result =
            mi_cut_more(&side->cut, (uint32_t)(share > MARGIN ? share - MARGIN : share / 2));
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
static bool choose_values(struct offline_side *side, struct mi_error *err)
{
    const struct mi_tables *rows = &side->model->all.rows;
    struct mi_map seen = {0};
    side->values = mi_mem_zero(rows->tasks.count, 1);
    bool ok = side->values;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++) {
        uint32_t node = rows->executed.node[rows->tasks.link[t].v].v;
        uint32_t *first = mi_map_at(&seen, mi_pair(rows->tasks.kernel[t].v, node));
        ok = first;
        if (ok && !*first)
            *first = side->values[t] = 1;
    }
    mi_map_fini(&seen);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the report");
}

/* Tasks whose counters stay in the inputs. */
static uint32_t count_left_behind(const struct offline_side *side)
{
    const struct mi_model *model = side->model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t count = 0;
    for (uint32_t t = 1; model->list_values && t < rows->tasks.count; t++)
        count += !side->values[t] && rows->tasks.record_offset[t] >= 0 &&
                 model->list_values(model->values_of, rows->kernels.source[rows->tasks.kernel[t].v],
                                    rows->tasks.record_offset[t], rows->tasks.record_bytes[t], NULL,
                                    NULL);
    return count;
}

/* The base may take half of the room, its model the rest. */
static bool pack_sides(struct mi_offline *m, struct mi_error *err)
{
    struct offline_side *own = &m->sides[OWN], *base = &m->sides[BASE];
    if (base->model && !(choose_values(base, err) && pack_within(m, base, m->most_bytes / 2, err)))
        return false;
    return choose_values(own, err) &&
           pack_within(m, own, m->most_bytes - mi_sink_size(&base->packed), err);
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
    mi_jw_member_i64(&jw, "metrics", count_left_behind(&m->sides[OWN]));
    mi_jw_key(&jw, "left_out");
    mi_cut_describe(&m->sides[OWN].cut, &jw);
    if (m->sides[BASE].model) {
        mi_jw_key(&jw, "base_left_out");
        mi_cut_describe(&m->sides[BASE].cut, &jw);
        mi_jw_key(&jw, "names");
        mi_jw_begin_array(&jw);
        mi_jw_string(&jw, mi_cstr(m->names[BASE]));
        mi_jw_string(&jw, mi_cstr(m->names[OWN]));
        mi_jw_end(&jw);
    }
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
        mi_base64_write(sink, mi_sink_bytes(&m->sides[OWN].packed));
    else if (mi_bytes_equal(name, MI_LIT("base")))
        mi_base64_write(sink, mi_sink_bytes(&m->sides[BASE].packed));
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
    const struct mi_model *models[SIDES] = {[OWN] = model, [BASE] = options->base};
    m->is_anonymised = options->is_anonymised;
    /* Names of folders are names. */
    m->names[OWN] = m->is_anonymised || !options->name ? "new" : options->name;
    m->names[BASE] = m->is_anonymised || !options->base_name ? "base" : options->base_name;
    mi_sink_init_memory(&m->frame);
    mi_sink_init_memory(&m->about);
    for (unsigned side = 0; side < SIDES; side++) {
        m->sides[side].model = models[side];
        mi_sink_init_memory(&m->sides[side].packed);
        if (models[side])
            mi_cut_init(&m->sides[side].cut, models[side]);
    }
    bool ok = mi_disguise_init(&m->disguise, options->key) ||
              mi_fail(err, MI_ENOMEM, "out of memory for the report");
    ok = ok && mi_gzip_unpack(&m->frame, bytes_of(frame), err) && mi_sink_flush(&m->frame, err) &&
         measure(m, most_mib << 20, err) && pack_sides(m, err) && describe(m, err);
    if (!ok)
        mi_offline_free(m);
    return ok ? m : NULL;
}

void mi_offline_free(struct mi_offline *m)
{
    if (!m)
        return;
    for (unsigned side = 0; side < SIDES; side++) {
        if (m->sides[side].model)
            mi_cut_fini(&m->sides[side].cut);
        mi_mem_free(m->sides[side].values);
        mi_sink_fini(&m->sides[side].packed);
    }
    mi_disguise_fini(&m->disguise);
    mi_sink_fini(&m->about);
    mi_sink_fini(&m->frame);
    mi_mem_free(m);
}

bool mi_offline_write(const struct mi_offline *m, struct mi_sink *sink, struct mi_error *err)
{
    return put_page(m, sink, err);
}
