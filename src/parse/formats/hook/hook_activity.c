/* What MSPTI delivered: kernels, collectives, calls of the runtime's levels, ranges.
 *
 * A kernel states device, stream, times, its function and a correlation id; no task id, no model.
 * The call of the node that has the same id names the node; one that lies within a load of a model
 * was made for that model, whose executions repeat its ids. Kernels of the program have an id that
 * calls of their launch have too: these lie within a call that the hook saw on the same thread. */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/hook/hook_read.h"
#include "parse/formats/msprof/msprof_types.h"

#include <stdlib.h>

enum { NO_MODEL_STATED = -1, OUTER_CALLS = 8 /* calls around a moment that are looked at */ };

#define OF_NO_MODEL ((int64_t)UINT32_MAX)

/* --- what is learned before --- */

static bool put_map(struct hook *h, struct mi_map *map, uint64_t key, uint32_t value)
{
    return mi_map_set(map, key, value) ||
           mi_batch_fail(h->out, MI_ENOMEM, "out of memory for what MSPTI delivered");
}

/* Times of MSPTI are since 1970; those of calls are of the monotonic clock. */
static uint64_t monotonic(const struct hook *h, uint64_t real_ns)
{
    return real_ns - (h->file.real_ns - h->file.mono_ns);
}

static void learn_node(struct hook *h, const struct mi_rec *rec)
{
    if (!mi_hook_room(&h->nodes, &h->node_room, h->node_count, sizeof *h->nodes)) {
        mi_batch_fail(h->out, MI_ENOMEM, "out of memory for nodes");
        return;
    }
    h->nodes[h->node_count++] =
        (struct hook_node){.name = MI_REC_NAME_FIRST(rec->size),
                           .thread = (uint32_t)rec->stream,
                           .at_ns = monotonic(h, rec->start_ns + rec->dur_ns / 2)};
    put_map(h, &h->node_of, rec->object, h->node_count);
}

static void learn_load(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec)
{
    if (!mi_hook_room(&h->windows, &h->window_room, h->window_count, sizeof *h->windows)) {
        mi_batch_fail(h->out, MI_ENOMEM, "out of memory for loads");
        return;
    }
    h->windows[h->window_count++] = (struct hook_window){.thread = chunk->head.thread,
                                                         .model = (uint32_t)rec->object,
                                                         .start_ns = rec->start_ns,
                                                         .end_ns = rec->start_ns + rec->dur_ns};
}

void mi_hook_learn_activity(struct hook *h, const struct hook_chunk *chunk,
                            const struct mi_rec *rec, struct mi_bytes text)
{
    enum mi_rec_role role;
    if (!mi_hook_call(rec->type, &role))
        return;
    h->has_activity |= role >= MI_REC_ROLE_NAME;
    if (role == MI_REC_ROLE_NAME)
        put_map(h, &h->names, rec->object, mi_batch_str(h->out, text).v);
    else if (rec->type == MI_REC_mspti_node)
        learn_node(h, rec);
    else if (role == MI_REC_ROLE_API)
        put_map(h, &h->launched, rec->object, 1);
    else if (rec->code == 0 &&
             (role == MI_REC_ROLE_LOAD ||
              (role == MI_REC_ROLE_MEMBER && rec->type != MI_REC_aclmdlBundleGetModelId)))
        learn_load(h, chunk, rec);
}

static int by_thread(const void *left, const void *right)
{
    const struct hook_window *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

void mi_hook_sort_windows(struct hook *h)
{
    if (h->window_count)
        qsort(h->windows, h->window_count, sizeof *h->windows, by_thread);
    if (h->call_count)
        qsort(h->calls, h->call_count, sizeof *h->calls, by_thread);
}

/* The innermost stretch of the thread around that moment; NULL = none. */
static const struct hook_window *around(const struct hook_window *list, uint32_t count,
                                        uint32_t thread, uint64_t at_ns)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].thread < thread ||
            (list[middle].thread == thread && list[middle].start_ns <= at_ns))
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = 0; i < OUTER_CALLS && i < low; i++) {
        const struct hook_window *w = &list[low - 1 - i];
        if (w->thread != thread)
            break;
        if (at_ns <= w->end_ns)
            return w;
    }
    return NULL;
}

/* --- rows --- */

static mi_str_id name_of(const struct hook *h, uint32_t number)
{
    return (mi_str_id){number ? mi_map_get(&h->names, number) : 0};
}

static mi_track_id stream_of(struct hook *h, const struct mi_rec *rec)
{
    uint64_t key = mi_pair((uint32_t)rec->device, (uint32_t)rec->stream);
    uint32_t *at = mi_map_at(&h->tracks, key);
    if (!at) {
        mi_batch_fail(h->out, MI_ENOMEM, "out of memory for streams");
        return (mi_track_id){0};
    }
    if (!h->device_clock.v) {
        h->device_clock = mi_add_clock(
            h->out, &(struct mi_clock_row){
                        .name = mi_batch_cstr(h->out, "mspti@realtime"),
                        .ref_raw = (int64_t)h->file.real_ns,
                        .ref_ns = (int64_t)h->file.real_ns,
                        .ns_per_tick = 1,
                        .note = mi_batch_cstr(h->out, N_("MSPTI states times since 1970"))});
        mi_add_fact(h->out, &(struct mi_fact_row){.name = mi_batch_cstr(h->out, "trace_dialect"),
                                                  .text = mi_batch_cstr(h->out, "cann_mspti")});
    }
    if (!*at)
        *at = mi_add_track(h->out, &(struct mi_track_row){.kind = MI_TRACK_STREAM,
                                                          .name = mi_batch_printf(
                                                              h->out, "Stream %lu",
                                                              (unsigned long)(uint32_t)rec->stream),
                                                          .clock = h->device_clock,
                                                          .rank = -1,
                                                          .device = rec->device,
                                                          .process = h->file.process,
                                                          .native_id = (uint32_t)rec->stream})
                  .v;
    return (mi_track_id){*at};
}

static int64_t model_of(const struct hook *h, uint64_t correlation, const struct hook_node *node)
{
    const struct hook_window *load =
        node ? around(h->windows, h->window_count, node->thread, node->at_ns) : NULL;
    if (load)
        return load->model;
    return node || mi_map_get(&h->launched, correlation) ? OF_NO_MODEL : NO_MODEL_STATED;
}

static mi_kernel_id add_kernel(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                               const struct hook_node *node)
{
    mi_str_id name = name_of(h, MI_REC_NAME_FIRST(rec->size));
    mi_str_id second = name_of(h, MI_REC_NAME_SECOND(rec->size));
    bool is_collective = role == MI_REC_ROLE_COLLECTIVE;
    const struct mi_msprof_type *type = mi_msprof_type_find(
        is_collective ? MI_LIT("COMMUNICATION") : mi_batch_text(h->out, second));
    return mi_add_kernel(
        h->out, &(struct mi_kernel_row){
                    .name = name,
                    .node_name = node ? name_of(h, node->name) : MI_NO_STR,
                    .node_index = -1,
                    .kind = (uint8_t)(type->kind == MI_TASK_OTHER ? MI_TASK_COMPUTE : type->kind),
                    .engine = mi_batch_cstr(h->out, type->engine),
                    .type = is_collective ? mi_batch_cstr(h->out, "COMMUNICATION") : second,
                    .group = is_collective ? second : MI_NO_STR,
                    .model = model_of(h, rec->object, node)});
}

/* Kernels of a node are one per id, others one per name. */
static mi_kernel_id kernel_of(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role)
{
    uint32_t place = mi_map_get(&h->node_of, rec->object);
    const struct hook_node *node = place ? &h->nodes[place - 1] : NULL;
    bool is_program = !node && mi_map_get(&h->launched, rec->object);
    struct mi_map *map = node                             ? &h->kernel_of_id
                         : role == MI_REC_ROLE_COLLECTIVE ? &h->kernel_of_group
                         : is_program                     ? &h->kernel_of_name
                                                          : &h->kernel_of_loose;
    uint32_t *at = mi_map_at(map, node ? rec->object : rec->size);
    if (!at) {
        mi_batch_fail(h->out, MI_ENOMEM, "out of memory for kernels");
        return (mi_kernel_id){0};
    }
    if (!*at)
        *at = add_kernel(h, rec, role, node).v;
    return (mi_kernel_id){*at};
}

static uint32_t connection_of(uint64_t correlation)
{
    return correlation && correlation < MI_NO_CONNECTION ? (uint32_t)correlation : MI_NO_CONNECTION;
}

static void add_task(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role, uint64_t at)
{
    mi_add_task(h->out, &(struct mi_task_row){
                            .track = stream_of(h, rec),
                            .kernel = kernel_of(h, rec, role),
                            .native_id = -1,
                            .connection = connection_of(rec->object),
                            .start_raw = (int64_t)(rec->start_ns <= INT64_MAX ? rec->start_ns : 0),
                            .dur_ns = (int64_t)(rec->dur_ns <= INT64_MAX ? rec->dur_ns : 0),
                            .record_offset = (int64_t)at,
                            .record_bytes = rec->bytes});
}

static void add_span(struct hook *h, const struct mi_rec *rec, const char *category,
                     uint64_t dur_ns, uint32_t connection, uint64_t at)
{
    mi_add_slice(h->out,
                 &(struct mi_slice_row){.track = mi_hook_thread_track(h, (uint32_t)rec->stream),
                                        .name = name_of(h, MI_REC_NAME_FIRST(rec->size)),
                                        .category = mi_batch_cstr(h->out, category),
                                        .connection = connection,
                                        .correlation = MI_NO_CONNECTION,
                                        .start_raw = (int64_t)monotonic(h, rec->start_ns),
                                        .dur_ns = (int64_t)(dur_ns <= INT64_MAX ? dur_ns : 0),
                                        .record_offset = (int64_t)at,
                                        .record_bytes = rec->bytes});
}

/* The call that the hook saw around one of the runtime has its id, too; the first one counts. */
static void add_api(struct hook *h, const struct mi_rec *rec, uint64_t at)
{
    static const char *const categories[] = {"acl", "acl", "node", "runtime"};
    uint32_t connection = connection_of(rec->object);
    const struct hook_window *call = around(h->calls, h->call_count, (uint32_t)rec->stream,
                                            monotonic(h, rec->start_ns + rec->dur_ns / 2));
    add_span(h, rec, categories[rec->type - MI_REC_mspti_aclnn], rec->dur_ns, connection, at);
    if (call && mi_some_u32(h->out->rows.slices.connection[call->slice]) == MI_NO_CONNECTION)
        h->out->rows.slices.connection[call->slice] = mi_some_of(connection);
}

/* A range is two records of one id: its start is kept until its end comes. */
static void add_range(struct hook *h, const struct mi_rec *rec, uint64_t at)
{
    enum { MARK = 1, START = 2, END = 4, DEVICE_SHIFT = 3 };
    unsigned flags = (unsigned)rec->code | (unsigned)rec->code >> DEVICE_SHIFT;
    uint32_t *open = mi_map_at(&h->ranges, rec->object);
    if (rec->device >= 0 || !open || at / 8 > UINT32_MAX) {
        h->out->counts.skipped++;
        return;
    }
    h->out->counts.kept++;
    if (flags & MARK)
        add_span(h, rec, "annotation", 0, MI_NO_CONNECTION, at);
    else if (flags & START)
        *open = (uint32_t)(at / 8); /* records begin at multiples of 8 */
    else if (*open) {
        struct mi_rec start;
        memcpy(&start, h->src->bytes.at + (uint64_t)*open * 8, sizeof start);
        uint64_t dur_ns = rec->start_ns > start.start_ns ? rec->start_ns - start.start_ns : 0;
        add_span(h, &start, "annotation", dur_ns, MI_NO_CONNECTION, (uint64_t)*open * 8);
        *open = 0;
    }
}

static void add_lost(struct hook *h, const struct mi_rec *rec, uint64_t at)
{
    struct mi_counts *counts = &h->out->counts;
    int64_t many = rec->size <= UINT32_MAX ? (int64_t)rec->size : UINT32_MAX;
    counts->skipped++; /* the record itself */
    if (rec->code == MI_REC_LOST_UNKNOWN) {
        counts->in += many;
        counts->skipped += many;
        mi_batch_diag(h->out, MI_NOTICE, "hook.mspti_unknown", at, 0,
                      "MSPTI delivered records of a kind that is not known here");
    } else if (rec->code == MI_REC_LOST_CUT) {
        counts->in++;
        counts->lost++;
        mi_batch_diag(h->out, MI_LOSS, "hook.mspti_cut", at, 0,
                      "a buffer of MSPTI ended within a record");
    } else {
        counts->in += many;
        counts->lost += many;
        mi_batch_diag(h->out, MI_LOSS, "hook.mspti_no_buffer", at, 0,
                      "MSPTI had more to tell than could be written: kernels are missing, at least "
                      "one for each time that it found no buffer");
    }
}

void mi_hook_make_activity(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                           uint64_t at)
{
    if (role == MI_REC_ROLE_RANGE)
        add_range(h, rec, at);
    else if (role == MI_REC_ROLE_LOST)
        add_lost(h, rec, at);
    else if (role == MI_REC_ROLE_NAME || role == MI_REC_ROLE_COPY_CALL)
        h->out->counts.skipped++;
    else {
        if (role == MI_REC_ROLE_API)
            add_api(h, rec, at);
        else
            add_task(h, rec, role, at);
        h->out->counts.kept++;
    }
    if (role == MI_REC_ROLE_COPY_CALL)
        mi_batch_diag(h->out, MI_NOTICE, "hook.mspti_copies", at, 0,
                      "what MSPTI tells of copies is the time of their calls, which the hook has "
                      "seen itself: left out");
}

void mi_hook_free_activity(struct hook *h)
{
    struct mi_map *const maps[] = {&h->names,           &h->node_of,         &h->launched,
                                   &h->tracks,          &h->kernel_of_id,    &h->kernel_of_name,
                                   &h->kernel_of_loose, &h->kernel_of_group, &h->ranges};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        mi_map_fini(maps[i]);
    mi_mem_free(h->nodes);
    mi_mem_free(h->windows);
    mi_mem_free(h->calls);
}
