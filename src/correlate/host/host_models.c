/* Launches of loaded models. The ids of their tasks lead to calls from when the model was loaded,
 * the same for every execution; what starts an execution is the call ModelExecute, whose item is
 * the model. Executions are matched with runs in order, and only where there are as many. */
#include "base/decimal.h"
#include "base/mem.h"
#include "base/vec.h"
#include "correlate/host/host.h"

#include <stdlib.h>

struct execute {
    uint32_t collection, slice;
    int64_t model, start_ns;
};

struct range { /* executions of one model */
    uint32_t first, count, runs;
};

struct models {
    struct mi_model *model;
    struct mi_tables *rows;
    struct execute *list;
    uint32_t count, room;
    struct range *ranges; /* [count + 1], from 1 */
    uint32_t range_count;
    struct mi_map range_of; /* (collection, model) -> range */
    uint32_t *only;         /* [collections + 1] range of its only model; UINT32_MAX = several */
    uint8_t *is_start;      /* [kernels.count] the task that starts a model */
};

static int compare_executes(const void *left, const void *right)
{
    const struct execute *a = left, *b = right;
    if (a->collection != b->collection)
        return a->collection < b->collection ? -1 : 1;
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

static bool list_executes(struct models *m)
{
    const struct mi_slices *slices = &m->rows->slices;
    for (uint32_t s = 1; s < slices->count; s++) {
        int64_t number;
        uint32_t collection = mi_host_collection_of_slice(m->rows, s);
        if (!collection ||
            !mi_bytes_equal(mi_model_text(m->model, slices->name[s]), MI_LIT("ModelExecute")) ||
            mi_decimal_i64(mi_model_text(m->model, slices->item[s]), &number) != 0)
            continue;
        if (!mi_vec_room(&m->list, &m->room, m->count, sizeof *m->list))
            return false;
        m->list[m->count++] = (struct execute){collection, s, number, slices->start_ns[s]};
    }
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, compare_executes);
    return true;
}

static bool list_ranges(struct models *m)
{
    m->ranges = mi_mem_zero((size_t)m->count + 1, sizeof *m->ranges);
    m->only = mi_mem_zero((size_t)m->rows->sources.count + 1, sizeof *m->only);
    if (!m->ranges || !m->only)
        return false;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct execute *e = &m->list[i];
        if (!i || e[-1].collection != e->collection || e[-1].model != e->model) {
            uint32_t r = ++m->range_count;
            m->ranges[r].first = i;
            m->only[e->collection] = m->only[e->collection] ? UINT32_MAX : r;
            if (!mi_map_set(&m->range_of, mi_pair(e->collection, (uint32_t)e->model), r))
                return false;
        }
        m->ranges[m->range_count].count++;
    }
    return true;
}

/* The executions that the task may belong to; 0 = none. */
static uint32_t range_of(const struct models *m, uint32_t t)
{
    uint32_t kernel = m->rows->tasks.kernel[t].v;
    uint32_t collection = mi_host_collection_of_task(m->rows, t);
    int64_t model = m->rows->kernels.model[kernel];
    if (m->is_start[kernel] && m->only[collection] != UINT32_MAX)
        return m->only[collection];
    if (!collection || model < 0 || model >= UINT32_MAX)
        return 0;
    return mi_map_get(&m->range_of, mi_pair(collection, (uint32_t)model));
}

static void set_launches(struct models *m)
{
    struct mi_tasks *tasks = &m->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        struct range *range = &m->ranges[range_of(m, t)];
        if (range->runs <= tasks->run[t])
            range->runs = tasks->run[t] + 1;
    }
    for (uint32_t t = 1; t < tasks->count; t++) {
        const struct range *range = &m->ranges[range_of(m, t)];
        uint32_t launch = tasks->launch[t].v;
        if (!range->count || range->runs != range->count)
            continue;
        const struct execute *executes = &m->list[range->first];
        if (!launch || m->rows->slices.start_ns[launch] < executes[0].start_ns)
            tasks->launch[t].v = executes[tasks->run[t]].slice;
    }
}

bool mi_host_launches_of_models(struct mi_model *model, struct mi_error *err)
{
    struct models m = {.model = model, .rows = &model->all.rows};
    if (m.rows->tasks.count <= 1 || m.rows->slices.count <= 1)
        return true;
    bool ok = list_executes(&m);
    if (ok && m.count) {
        m.is_start = mi_mem_zero(m.rows->kernels.count, 1);
        ok = m.is_start && list_ranges(&m);
        for (uint32_t k = 1; ok && k < m.rows->kernels.count; k++)
            m.is_start[k] = mi_bytes_equal(mi_model_text(model, m.rows->kernels.name[k]),
                                           MI_LIT("MODEL_EXECUTE"));
        if (ok)
            set_launches(&m);
    }
    mi_mem_free(m.list);
    mi_mem_free(m.ranges);
    mi_mem_free(m.only);
    mi_mem_free(m.is_start);
    mi_map_fini(&m.range_of);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for launches of models");
}
