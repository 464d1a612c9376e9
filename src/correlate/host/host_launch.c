/* The call that launched a task.
 *
 * A launch and its tasks share a connection id within a collection: kernels with the call of the
 * node, copies and events with the call of the program. One launch can own many tasks. Where calls
 * were not recorded (the lowest profiler level) the arrows of the trace tell which op asked. */
#include "base/mem.h"
#include "correlate/host/host.h"

/* --- by connection id --- */

/* Ids are handed out in order, so for most collections a plain array will do. */
struct span_of_ids { /* of one collection */
    uint32_t least, most, count;
    uint32_t first; /* its place in `direct`; only where is_dense */
    bool is_dense;
};

struct launches {
    struct mi_model *model;
    struct mi_tables *rows;
    struct span_of_ids *spans; /* [collections + 1] */
    uint32_t *direct;          /* launch of each id of dense collections */
    struct mi_map sparse;      /* (collection, id) -> launch */
};

static bool measure(struct launches *l)
{
    const struct mi_slices *slices = &l->rows->slices;
    uint32_t collections = l->rows->sources.count + 1, total = 0;
    l->spans = mi_mem_zero((size_t)collections + 1, sizeof *l->spans);
    for (uint32_t s = 1; l->spans && s < slices->count; s++) {
        struct span_of_ids *span = &l->spans[mi_host_collection_of_slice(l->rows, s)];
        uint32_t id = mi_some_u32(slices->connection[s]);
        if (id == MI_NO_CONNECTION)
            continue;
        span->least = span->count && span->least < id ? span->least : id;
        span->most = span->count && span->most > id ? span->most : id;
        span->count++;
    }
    for (uint32_t c = 1; l->spans && c <= collections; c++) {
        struct span_of_ids *span = &l->spans[c];
        uint64_t width = (uint64_t)span->most - span->least + 1;
        /* no wider than what there is to look up is fine as well */
        bool is_narrow =
            width <= (uint64_t)span->count * 8 + 1024 || width + total <= l->rows->tasks.count;
        span->is_dense = span->count && is_narrow && width + total < UINT32_MAX;
        span->first = total;
        total += span->is_dense ? (uint32_t)width : 0;
    }
    l->direct = l->spans ? mi_mem_zero((size_t)total + 1, sizeof *l->direct) : NULL;
    return l->direct != NULL;
}

/* The place of an id's launch; NULL: none, or (when adding) no memory. */
static uint32_t *place_of(struct launches *l, uint32_t collection, uint32_t id, bool add)
{
    const struct span_of_ids *span = &l->spans[collection];
    if (!span->count || id < span->least || id > span->most)
        return NULL;
    if (span->is_dense)
        return &l->direct[span->first + (id - span->least)];
    if (add || mi_map_get(&l->sparse, mi_pair(collection, id)))
        return mi_map_at(&l->sparse, mi_pair(collection, id));
    return NULL;
}

/* Of two calls with one id the one of the node is what tasks are launched by, else the outer one.
 */
static bool is_better(const struct launches *l, uint32_t s, uint32_t than)
{
    const struct mi_slices *slices = &l->rows->slices;
    enum mi_host_level a = mi_host_level(mi_model_text(l->model, slices->category[s]));
    enum mi_host_level b = mi_host_level(mi_model_text(l->model, slices->category[than]));
    if ((a == MI_HOST_NODE) != (b == MI_HOST_NODE))
        return a == MI_HOST_NODE;
    return a < b;
}

static bool note_calls(struct launches *l)
{
    const struct mi_slices *slices = &l->rows->slices;
    for (uint32_t s = 1; s < slices->count; s++) {
        uint32_t collection = mi_host_collection_of_slice(l->rows, s);
        if (mi_some_u32(slices->connection[s]) == MI_NO_CONNECTION || !collection)
            continue;
        uint32_t *at = place_of(l, collection, mi_some_u32(slices->connection[s]), true);
        if (!at)
            return false;
        if (!*at || is_better(l, s, *at))
            *at = s;
    }
    return true;
}

static void set_launches(struct launches *l)
{
    struct mi_tasks *tasks = &l->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t collection = mi_host_collection_of_task(l->rows, t);
        if (mi_some_u32(tasks->connection[t]) == MI_NO_CONNECTION || !collection)
            continue;
        const uint32_t *at = place_of(l, collection, mi_some_u32(tasks->connection[t]), false);
        if (at && *at) /* a column of nothing takes no memory */
            tasks->launch[t].v = *at;
    }
}

/* --- by arrows --- */

static bool is_launch_arrow(struct mi_bytes category)
{
    return mi_bytes_equal(category, MI_LIT("HostToDevice")) ||
           mi_bytes_equal(category, MI_LIT("async_npu")) ||
           mi_bytes_equal(category, MI_LIT("torch_to_npu")) ||
           mi_bytes_equal(category, MI_LIT("ac2g")) ||
           mi_bytes_equal(category, MI_LIT("async_cpu_to_gpu"));
}

static void follow_arrows(struct launches *l)
{
    const struct mi_flows *flows = &l->rows->flows;
    struct mi_tasks *tasks = &l->rows->tasks;
    for (uint32_t f = 1; f < flows->count; f++) {
        uint32_t task = flows->to_task[f].v, slice = flows->from_slice[f].v;
        if (task && slice && !tasks->launch[task].v &&
            is_launch_arrow(mi_model_text(l->model, flows->category[f])))
            tasks->launch[task].v = slice;
    }
}

/* Parts of a task were launched with it. */
static void inherit(struct launches *l)
{
    struct mi_tasks *tasks = &l->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t parent = tasks->parent[t].v;
        for (unsigned depth = 0; parent && !tasks->launch[t].v && depth < 4; depth++) {
            tasks->launch[t] = tasks->launch[parent];
            parent = tasks->parent[parent].v;
        }
    }
}

/* --- the step --- */

bool mi_host_launches(struct mi_model *model, struct mi_error *err)
{
    struct launches l = {.model = model, .rows = &model->all.rows};
    if (l.rows->tasks.count <= 1 || l.rows->slices.count <= 1)
        return true;
    bool ok = measure(&l) && note_calls(&l);
    if (ok) {
        set_launches(&l);
        follow_arrows(&l);
        inherit(&l);
    }
    mi_mem_free(l.spans);
    mi_mem_free(l.direct);
    mi_map_fini(&l.sparse);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for launches");
}
