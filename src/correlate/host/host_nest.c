/* Which span encloses which, thread by thread: sorted by start, the longer one first, a span lies
 * in the last one that reaches as far as it does. Spans that touch are neighbours; spans that
 * overlap without enclosing each other (clocks that were read apart) do not hide the ones around
 * them. */
#include "correlate/host/host.h"

#include "base/mem.h"
#include "base/vec.h"
#include "model/sort.h"

enum { MAX_SEARCH = 256 }; /* open spans that are looked at for one that encloses */

static const struct {
    const char *category;
    enum mi_host_level level;
} levels[] = {{"step", MI_HOST_STEP},
              {"python", MI_HOST_PYTHON},
              {"op", MI_HOST_OP},
              {"queue", MI_HOST_QUEUE},
              {"acl", MI_HOST_ACL},
              {"model", MI_HOST_MODEL},
              {"node", MI_HOST_NODE},
              {"runtime", MI_HOST_RUNTIME},
              {"communication", MI_HOST_COMMUNICATION}};

enum mi_host_level mi_host_level(struct mi_bytes category)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (mi_bytes_equal(category, mi_cstr(levels[i].category)))
            return levels[i].level;
    return MI_HOST_OTHER;
}

static uint32_t collection_of(const struct mi_tables *rows, uint32_t track)
{
    return rows->sources.collection[rows->tracks.source[track].v];
}

/* < 0, 0, > 0: order of the threads that two tracks tell of. */
static int compare_threads(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tracks *tracks = &rows->tracks;
    if (a == b)
        return 0;
    uint32_t x = collection_of(rows, a), y = collection_of(rows, b);
    if (x != y)
        return x > y ? 1 : -1;
    if (tracks->kind[a] != tracks->kind[b])
        return tracks->kind[a] > tracks->kind[b] ? 1 : -1;
    return (tracks->native_id[a] > tracks->native_id[b]) -
           (tracks->native_id[a] < tracks->native_id[b]);
}

static bool slice_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_slices *slices = &rows->slices;
    int order = compare_threads(rows, slices->track[a].v, slices->track[b].v);
    if (order)
        return order > 0;
    if (slices->start_ns[a] != slices->start_ns[b])
        return slices->start_ns[a] > slices->start_ns[b];
    return slices->dur_ns[a] < slices->dur_ns[b];
}

static int64_t end_of(const struct mi_slices *slices, uint32_t s)
{
    int64_t end;
    return __builtin_add_overflow(slices->start_ns[s], slices->dur_ns[s], &end) ? INT64_MAX : end;
}

/* Of two spans of one extent the one of the outer level encloses the other. */
static bool is_outer(const struct mi_model *model, uint32_t a, uint32_t b)
{
    const struct mi_slices *slices = &model->all.rows.slices;
    return slices->start_ns[a] == slices->start_ns[b] && slices->dur_ns[a] == slices->dur_ns[b] &&
           mi_host_level(mi_model_text(model, slices->category[a])) <
               mi_host_level(mi_model_text(model, slices->category[b]));
}

/* Spans of one extent in the order of their levels. */
static void order_levels(const struct mi_model *model, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 2; i < count; i++)
        for (uint32_t k = i;
             k > 1 && i - k < MAX_SEARCH &&
             !compare_threads(&model->all.rows, model->all.rows.slices.track[order[k]].v,
                              model->all.rows.slices.track[order[k - 1]].v) &&
             is_outer(model, order[k], order[k - 1]);
             k--) {
            uint32_t swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
}

/* The last open span that encloses `s`; 0 = none. */
static uint32_t find_parent(const struct mi_slices *slices, const struct mi_u32s *open, uint32_t s)
{
    for (uint32_t i = open->count, tries = 0; i-- > 0 && tries < MAX_SEARCH; tries++)
        if (end_of(slices, open->at[i]) >= end_of(slices, s))
            return open->at[i];
    return 0;
}

static bool nest(struct mi_model *model, const uint32_t *order, uint32_t count)
{
    struct mi_slices *slices = &model->all.rows.slices;
    struct mi_u32s open = {0};
    bool ok = true;
    for (uint32_t i = 1; ok && i < count; i++) {
        uint32_t s = order[i];
        if (i > 1 &&
            compare_threads(&model->all.rows, slices->track[order[i - 1]].v, slices->track[s].v))
            open.count = 0;
        while (open.count && end_of(slices, open.at[open.count - 1]) <= slices->start_ns[s])
            open.count--;
        slices->parent[s].v = find_parent(slices, &open, s);
        ok = mi_u32s_push(&open, s);
    }
    mi_u32s_fini(&open);
    return ok;
}

bool mi_host_nest(struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t count = 1, *order = mi_mem_new(rows->slices.count, sizeof *order);
    if (order)
        order[0] = 0;
    for (uint32_t s = 1; order && s < rows->slices.count; s++)
        if (mi_host_collection_of_slice(rows, s))
            order[count++] = s;
    bool ok = order && mi_rows_sort(rows, order, count, slice_behind);
    if (ok)
        order_levels(model, order, count);
    ok = ok && nest(model, order, count);
    mi_mem_free(order);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while nesting host calls");
}
