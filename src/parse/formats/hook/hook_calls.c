/* Records to rows: a span per call, a launch per task that was put onto a stream, a load per model.
 */
#include "base/translate.h"
#include "parse/formats/hook/hook_read.h"

#include <stdio.h>

mi_track_id mi_hook_thread_track(struct hook *h, uint32_t thread)
{
    uint32_t *at = mi_map_at(&h->threads, thread);
    if (!at) {
        mi_batch_fail(h->out, MI_ENOMEM, "out of memory for threads");
        return (mi_track_id){0};
    }
    if (!*at)
        *at = mi_add_track(h->out,
                           &(struct mi_track_row){
                               .kind = MI_TRACK_THREAD,
                               .name = mi_batch_printf(h->out, "Thread %lu", (unsigned long)thread),
                               .clock = h->clock,
                               .rank = -1,
                               .device = -1,
                               .process = h->file.process,
                               .native_id = thread})
                  .v;
    return (mi_track_id){*at};
}

static mi_str_id number_text(struct hook *h, uint64_t number)
{
    return mi_batch_printf(h->out, "%llu", (unsigned long long)number);
}

/* Graphs are numbered in the order of their records. */
static mi_str_id graph_text(struct hook *h, const struct mi_rec *rec)
{
    const struct hook_meaning *graph =
        rec->object ? mi_hook_meaning(&h->graphs, rec->object, rec->start_ns) : NULL;
    return graph ? mi_batch_printf(h->out, "graph %lld", (long long)graph->id) : (mi_str_id){0};
}

static mi_str_id elements_text(struct hook *h, const struct mi_rec *rec)
{
    static const char *const types[] = {/* HcclDataType */
                                        "int8",    "int16",  "int32",   "float16",
                                        "float32", "int64",  "uint64",  "uint8",
                                        "uint16",  "uint32", "float64", "bfloat16"};
    unsigned type = MI_REC_COPY_KIND(rec->size);
    const char *name = type < sizeof types / sizeof *types ? types[type] : "";
    unsigned long long count = MI_REC_COPY_BYTES(rec->size);
    if (!count)
        return mi_batch_cstr(h->out, name);
    return *name ? mi_batch_printf(h->out, "%llu %s", count, name) : number_text(h, count);
}

/* What the call is about, for people. */
static mi_str_id item_of(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                         mi_str_id name)
{
    if (role == MI_REC_ROLE_LOAD || role == MI_REC_ROLE_UNLOAD || role == MI_REC_ROLE_EXECUTE ||
        role == MI_REC_ROLE_DEVICE || role == MI_REC_ROLE_BUNDLE || role == MI_REC_ROLE_MEMBER)
        return number_text(h, rec->object);
    if (role == MI_REC_ROLE_CAPTURE || role == MI_REC_ROLE_REPLAY)
        return graph_text(h, rec);
    if (role == MI_REC_ROLE_COLLECTIVE_CALL)
        return elements_text(h, rec);
    if (role == MI_REC_ROLE_COPY)
        return mi_batch_printf(h->out, "%llu B", (unsigned long long)MI_REC_COPY_BYTES(rec->size));
    return name;
}

static mi_str_id name_of(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                         struct mi_bytes text)
{
    if (text.len)
        return mi_batch_str(h->out, text);
    if (role == MI_REC_ROLE_LAUNCH && rec->object) {
        const struct hook_meaning *function =
            mi_hook_meaning(&h->functions, rec->object, rec->start_ns);
        return function ? function->name : (mi_str_id){0};
    }
    return (mi_str_id){0};
}

static mi_slice_id add_slice(struct hook *h, const struct hook_chunk *chunk,
                             const struct mi_rec *rec, mi_str_id call, mi_str_id item, uint64_t at)
{
    uint64_t dur_ns = rec->dur_ns <= INT64_MAX ? rec->dur_ns : 0;
    return mi_add_slice(h->out,
                        &(struct mi_slice_row){.track = mi_hook_thread_track(h, chunk->head.thread),
                                               .name = call,
                                               .category = h->acl,
                                               .item = item,
                                               .connection = UINT32_MAX,
                                               .correlation = UINT32_MAX,
                                               .start_raw = (int64_t)rec->start_ns,
                                               .dur_ns = (int64_t)dur_ns,
                                               .record_offset = (int64_t)at,
                                               .record_bytes = rec->bytes});
}

static enum mi_task_kind kind_of(enum mi_rec_role role)
{
    if (role == MI_REC_ROLE_LAUNCH)
        return MI_TASK_COMPUTE;
    if (role == MI_REC_ROLE_COPY)
        return MI_TASK_TRANSFER;
    if (role == MI_REC_ROLE_COLLECTIVE_CALL)
        return MI_TASK_COMMUNICATION;
    return role == MI_REC_ROLE_EXECUTE || role == MI_REC_ROLE_REPLAY ? MI_TASK_CONTROL
                                                                     : MI_TASK_SYNC;
}

/* Calls that put a task onto a stream. A synchronous copy or execution has no task of its own, and
 * what was put into a graph runs when that is replayed. */
static bool is_launch(const struct mi_rec *rec, enum mi_rec_role role)
{
    bool is_sync = rec->type == MI_REC_aclmdlExecute || rec->type == MI_REC_aclrtMemcpy ||
                   rec->type == MI_REC_aclrtMemcpy2d || rec->type == MI_REC_aclrtMemset ||
                   rec->type == MI_REC_aclmdlRIExecute;
    return rec->code == 0 && rec->task != MI_REC_IN_GRAPH && !is_sync &&
           (role == MI_REC_ROLE_LAUNCH || role == MI_REC_ROLE_COPY || role == MI_REC_ROLE_EXECUTE ||
            role == MI_REC_ROLE_REPLAY || role == MI_REC_ROLE_COLLECTIVE_CALL ||
            role == MI_REC_ROLE_RECORD || role == MI_REC_ROLE_WAIT || role == MI_REC_ROLE_RESET);
}

static void add_launch(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                       mi_slice_id slice, mi_str_id name)
{
    const struct hook_meaning *stream = mi_hook_meaning(&h->streams, rec->stream, rec->start_ns);
    mi_submission_id launch = mi_add_submission(
        h->out, &(struct mi_submission_row){
                    .slice = slice,
                    .name = name,
                    .kind = (uint8_t)kind_of(role),
                    .sync = role == MI_REC_ROLE_RECORD ? MI_SYNC_RECORD
                            : role == MI_REC_ROLE_WAIT ? MI_SYNC_WAIT
                                                       : MI_SYNC_NONE,
                    .device = rec->device,
                    .stream = stream ? stream->id : -1,
                    .native_id = rec->task == MI_REC_NO_TASK ? -1 : (int64_t)rec->task,
                    .model = role == MI_REC_ROLE_EXECUTE ? (int64_t)rec->object : -1});
    if (role == MI_REC_ROLE_RECORD || role == MI_REC_ROLE_WAIT || role == MI_REC_ROLE_RESET)
        mi_hook_add_event(h, rec, role, launch.v);
}

/* Where what MSPTI tells of may lie within the call. */
static void note_call(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec,
                      mi_slice_id slice)
{
    if (!h->has_activity)
        return;
    if (!mi_hook_room(&h->calls, &h->call_room, h->call_count, sizeof *h->calls)) {
        mi_batch_fail(h->out, MI_ENOMEM, "out of memory for calls");
        return;
    }
    h->calls[h->call_count++] = (struct hook_window){.thread = chunk->head.thread,
                                                     .slice = slice.v,
                                                     .start_ns = rec->start_ns,
                                                     .end_ns = rec->start_ns + rec->dur_ns};
}

/* `path`: none where it was loaded from memory; `part`: its place in a bundle, -1 = none. */
static void add_load(struct hook *h, const struct mi_rec *rec, mi_slice_id slice, mi_str_id path,
                     mi_str_id copy, int64_t part)
{
    mi_load_id load =
        mi_add_load(h->out, &(struct mi_load_row){.slice = slice,
                                                  .process = h->file.process,
                                                  .device = rec->device,
                                                  .model = (int64_t)(rec->object & UINT32_MAX),
                                                  .path = path,
                                                  .copy = copy,
                                                  .part = part});
    mi_add_fact(h->out,
                &(struct mi_fact_row){
                    .name = mi_batch_printf(h->out, "model %llu", (unsigned long long)rec->object),
                    .text = path.v ? path : mi_batch_cstr(h->out, "loaded from memory")});
    if (load.v && !mi_map_set(&h->loads, rec->object, load.v))
        mi_batch_fail(h->out, MI_ENOMEM, "out of memory for models");
}

/* A model of a bundle is known once, however often a program asks for its id. */
static void add_member(struct hook *h, const struct mi_rec *rec, mi_slice_id slice)
{
    uint32_t bundle = MI_REC_BUNDLE(rec->size);
    const struct hook_meaning *file = mi_hook_meaning(&h->bundles, bundle, rec->start_ns);
    const struct hook_meaning *copy = mi_hook_meaning(&h->bundle_copies, bundle, rec->start_ns);
    mi_str_id path = file ? file->name : (mi_str_id){0};
    uint32_t known = mi_map_get(&h->loads, rec->object);
    if (!known || rec->type != MI_REC_aclmdlBundleGetModelId)
        add_load(h, rec, slice, path, copy ? copy->name : (mi_str_id){0},
                 MI_REC_BUNDLE_PLACE(rec->size));
}

/* The hook's own records: they tell of other rows, or are remarks for the reader of the ledger. */
static void take_own(struct hook *h, const struct mi_rec *rec, struct mi_bytes text, uint64_t at)
{
    uint32_t load = rec->type == MI_REC_model_copied ? mi_map_get(&h->loads, rec->object) : 0;
    if (load)
        h->out->rows.loads.copy[load] = mi_batch_str(h->out, text);
    else if (rec->type == MI_REC_profile)
        mi_add_fact(h->out, &(struct mi_fact_row){.name = mi_batch_cstr(h->out, "profile"),
                                                  .text = mi_batch_str(h->out, text)});
    else if (rec->type == MI_REC_note)
        mi_batch_diag(h->out, MI_NOTICE, "hook.note", at, 0, "%.*s", (int)text.len,
                      (const char *)text.at);
}

void mi_hook_make_rows(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec,
                       struct mi_bytes text, uint64_t at)
{
    enum mi_rec_role role;
    const char *call = mi_hook_call(rec->type, &role);
    if (call && role >= MI_REC_ROLE_NAME)
        return; /* later, when all calls have their rows */
    h->out->counts.in++;
    if (!call || rec->type <= MI_REC_bundle_copied) {
        h->out->counts.skipped++;
        if (call)
            take_own(h, rec, text, at);
        else
            mi_batch_diag(h->out, MI_NOTICE, "hook.call_unknown", at, 0,
                          "a call of a kind that this version does not know (%u)", rec->type);
        return;
    }
    mi_str_id name = name_of(h, rec, role, text);
    mi_slice_id slice = add_slice(
        h, chunk, rec, rec->type == MI_REC_aclnn_operator ? name : mi_batch_cstr(h->out, call),
        item_of(h, rec, role, name), at);
    if (is_launch(rec, role)) {
        add_launch(h, rec, role, slice, name);
        note_call(h, chunk, rec, slice);
    }
    if (role == MI_REC_ROLE_LOAD && rec->code == 0)
        add_load(h, rec, slice, mi_batch_str(h->out, text), (mi_str_id){0}, -1);
    else if (role == MI_REC_ROLE_MEMBER && rec->code == 0)
        add_member(h, rec, slice);
    else if ((role == MI_REC_ROLE_EVENT || role == MI_REC_ROLE_EVENT_END) && rec->code == 0)
        mi_hook_add_event(h, rec, role, 0);
    h->out->counts.kept++;
}

void mi_hook_make_later(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec,
                        struct mi_bytes text, uint64_t at)
{
    enum mi_rec_role role;
    (void)chunk, (void)text;
    if (!mi_hook_call(rec->type, &role) || role < MI_REC_ROLE_NAME)
        return;
    h->out->counts.in++;
    mi_hook_make_activity(h, rec, role, at);
}

/* --- one record, value by value --- */

static void tell(mi_metric_fn *fn, void *user, const char *name, uint64_t number, bool is_hex)
{
    char text[32];
    snprintf(text, sizeof text, is_hex ? "0x%llx" : "%llu", (unsigned long long)number);
    fn(user, mi_cstr(name), mi_cstr(text), !is_hex);
}

void mi_hook_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct mi_rec rec;
    enum mi_rec_role role;
    if (record->bytes.len < sizeof rec)
        return;
    memcpy(&rec, record->bytes.at, sizeof rec);
    if (!mi_hook_call(rec.type, &role))
        return;
    tell(fn, user, "result", (uint32_t)rec.code, false);
    if (rec.device >= 0)
        tell(fn, user, "device", (uint32_t)rec.device, false);
    if (rec.task != MI_REC_NO_TASK)
        tell(fn, user, "task", rec.task, false);
    if (rec.stream)
        tell(fn, user, "stream", rec.stream, true);
    if (role == MI_REC_ROLE_COPY) {
        tell(fn, user, "to", rec.object, true);
        tell(fn, user, "bytes", MI_REC_COPY_BYTES(rec.size), false);
        tell(fn, user, "copy_kind", MI_REC_COPY_KIND(rec.size), false);
    } else if (rec.object) {
        tell(fn, user, "object", rec.object, true);
    }
    if (role == MI_REC_ROLE_LAUNCH && rec.size)
        tell(fn, user, "cores", rec.size, false);
    size_t len = record->bytes.len - sizeof rec;
    struct mi_bytes text = mi_bytes_sub(record->bytes, sizeof rec, len);
    while (text.len && !text.at[text.len - 1])
        text.len--;
    if (text.len)
        fn(user, MI_LIT("text"), text, false);
}
