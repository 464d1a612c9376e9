/* Distinct launches: tasks that agree in name, type and model share one kernel. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "parse/formats/chrome/chrome.h"

/* The type as a string and as a kind; types are few, so the last ones are at hand. */
static const struct mi_chrome_type *type_of(struct mi_chrome *c, struct mi_bytes text)
{
    for (uint32_t t = 0; t < c->type_count; t++)
        if (mi_bytes_equal(c->types[t].text, text))
            return &c->types[t];
    uint32_t place = c->type_count < MI_CHROME_TYPES ? c->type_count++ : MI_CHROME_TYPES - 1;
    c->types[place] = (struct mi_chrome_type){
        .text = text, .id = mi_batch_str(c->batch, text), .type = mi_msprof_type_find(text)};
    return &c->types[place];
}

/* Whether the name is that of an operator, not the type once more. */
static bool is_operator(struct mi_bytes name, struct mi_bytes type)
{
    if (!name.len || mi_bytes_equal(name, type))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (name.at[i] >= 'a' && name.at[i] <= 'z')
            return true;
    return mi_msprof_type_find(name)->kind == MI_TASK_OTHER;
}

static uint64_t hash_of(const struct mi_chrome_kernel *key)
{
    uint64_t hash = mi_pair(key->name.v, key->type.v) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    hash = (hash ^ (uint64_t)key->model ^ (uint64_t)key->lane << 40) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static bool same(const struct mi_chrome_kernel *a, const struct mi_chrome_kernel *b)
{
    return a->name.v == b->name.v && a->type.v == b->type.v && a->model == b->model &&
           a->lane == b->lane;
}

/* The place of a kernel in c->kernels; its `kernel` is none if it is new. 0: out of memory. */
static uint32_t place_of(struct mi_chrome *c, const struct mi_chrome_kernel *key)
{
    uint64_t hash = hash_of(key);
    uint32_t *place = mi_map_at(&c->kernel_of, hash);
    while (place && *place && !same(&c->kernels[*place], key))
        place = mi_map_at(&c->kernel_of, ++hash);
    if (place && *place)
        return *place;
    uint32_t count = c->kernel_count ? c->kernel_count : 1;
    if (!place || !mi_vec_room(&c->kernels, &c->kernel_room, count, sizeof *c->kernels)) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for kernels");
        return 0;
    }
    c->kernels[count] = *key;
    c->kernel_count = count + 1;
    return *place = count;
}

/* Models run again and again: what followed the last kernel then, mostly follows it now, and its
 * name need not be looked up. 0: something else follows. */
static uint32_t guess(const struct mi_chrome *c, struct mi_bytes name, struct mi_bytes type,
                      int64_t model)
{
    uint32_t place = c->last_kernel ? c->kernels[c->last_kernel].next : 0;
    if (!place)
        return 0;
    const struct mi_chrome_kernel *k = &c->kernels[place];
    if (k->model != model || k->lane)
        return 0;
    struct mi_bytes its_name = mi_batch_text(c->batch, k->name);
    struct mi_bytes its_type = mi_batch_text(c->batch, k->type);
    return its_name.len == name.len && its_type.len == type.len &&
                   mi_bytes_same(its_name.at, name.at, name.len) &&
                   mi_bytes_same(its_type.at, type.at, type.len)
               ? place
               : 0;
}

mi_kernel_id mi_chrome_task_kernel(struct mi_chrome *c, const struct mi_chrome_event *event,
                                   int64_t model)
{
    struct mi_bytes type = event->arg[MI_CHROME_ARG_TASK_TYPE].raw;
    uint32_t before = c->last_kernel;
    uint32_t place = event->name.has_escape ? 0 : guess(c, event->name.raw, type, model);
    if (place) {
        c->last_kernel = place;
        return c->kernels[place].kernel;
    }
    mi_kernel_id kernel = mi_chrome_cann_kernel(c, mi_chrome_name(c, event->name), type, model, 0);
    if (before)
        c->kernels[before].next = c->last_kernel;
    return kernel;
}

mi_kernel_id mi_chrome_cann_kernel(struct mi_chrome *c, mi_str_id name, struct mi_bytes type_text,
                                   int64_t model, uint32_t group)
{
    const struct mi_chrome_type *type = type_of(c, type_text);
    uint32_t place = place_of(
        c,
        &(struct mi_chrome_kernel){.name = name, .type = type->id, .model = model, .lane = group});
    c->last_kernel = place;
    if (!place || c->kernels[place].kernel.v)
        return place ? c->kernels[place].kernel : (mi_kernel_id){0};
    struct mi_bytes text = mi_batch_text(c->batch, name);
    struct mi_kernel_row row = {.name = name.v ? name : type->id,
                                .node_index = -1,
                                .kind = (uint8_t)type->type->kind,
                                .sync = (uint8_t)type->type->sync,
                                .engine = mi_batch_cstr(c->batch, type->type->engine),
                                .type = type->id,
                                .model = model};
    const struct mi_msprof_type *by_name = mi_msprof_type_find(text);
    if (is_operator(text, type_text))
        row.node_name = name;
    else if (by_name->kind != MI_TASK_OTHER) {
        /* what was submitted says more than the engine that did it */
        row.kind = (uint8_t)by_name->kind;
        row.sync = (uint8_t)by_name->sync;
    }
    if (type->type->kind == MI_TASK_OTHER && type_text.len &&
        !mi_bytes_equal(type_text, MI_LIT("Other")))
        row.engine = type->id;
    if (group || mi_msprof_is_collective(text))
        row.kind = MI_TASK_COMMUNICATION;
    else if (row.node_name.v && row.kind == MI_TASK_OTHER)
        row.kind = MI_TASK_COMPUTE;
    return c->kernels[place].kernel = mi_add_kernel(c->batch, &row);
}

mi_kernel_id mi_chrome_kineto_kernel(struct mi_chrome *c, mi_str_id name, struct mi_bytes category)
{
    struct mi_chrome_kernel key = {
        .name = name, .type = mi_batch_str(c->batch, category), .model = -1};
    uint32_t place = place_of(c, &key);
    if (!place || c->kernels[place].kernel.v)
        return place ? c->kernels[place].kernel : (mi_kernel_id){0};
    struct mi_bytes text = mi_batch_text(c->batch, name);
    bool is_kernel = mi_bytes_equal(category, MI_LIT("kernel")) ||
                     mi_bytes_equal(category, MI_LIT("Kernel")) ||
                     mi_bytes_equal(category, MI_LIT("privateuse1_kernel"));
    enum mi_task_kind kind = !is_kernel                              ? MI_TASK_TRANSFER
                             : mi_bytes_starts(text, MI_LIT("nccl")) ? MI_TASK_COMMUNICATION
                                                                     : MI_TASK_COMPUTE;
    return c->kernels[place].kernel =
               mi_add_kernel(c->batch, &(struct mi_kernel_row){.name = name,
                                                               .node_index = -1,
                                                               .kind = (uint8_t)kind,
                                                               .type = key.type,
                                                               .model = -1});
}

static bool ends_with_sqe(struct mi_bytes type)
{
    return mi_bytes_ends(type, MI_LIT("_SQE")) && !mi_bytes_starts(type, MI_LIT("DSA"));
}

/* Exporters up to 8.1 write what the scheduler logged, and there a vector kernel is AI_CORE too: of
 * such files the core is not known. */
void mi_chrome_kernels_finish(struct mi_chrome *c)
{
    struct mi_kernels *rows = &c->batch->rows.kernels;
    bool is_logged = false, has_core = false, has_vector = false;
    for (uint32_t k = 1; k < rows->count; k++) {
        struct mi_bytes type = mi_batch_text(c->batch, rows->type[k]);
        is_logged |= ends_with_sqe(type);
        has_core |= mi_bytes_equal(type, MI_LIT("AI_CORE"));
        has_vector |= mi_bytes_equal(type, MI_LIT("AI_VECTOR_CORE"));
    }
    is_logged &= !has_vector;
    for (uint32_t k = 1; k < c->kernel_count; k++) {
        uint32_t row = c->kernels[k].kernel.v;
        if (!row)
            continue;
        if (c->kernels[k].lane)
            rows->group[row] = mi_batch_str(c->batch, mi_chrome_group_name(c, c->kernels[k].lane));
        if (is_logged &&
            mi_bytes_equal(mi_batch_text(c->batch, rows->type[row]), MI_LIT("AI_CORE")))
            rows->engine[row] = MI_NO_STR;
    }
    if (is_logged && has_core)
        mi_chrome_note(c, MI_INFO, "trace.core_unknown",
                       N_("the trace calls vector kernels AI_CORE too: which core ran them is not "
                          "known from it"));
}
