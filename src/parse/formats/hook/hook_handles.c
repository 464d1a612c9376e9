/* What handles stand for. The runtime gives them out again once they are free, so each has a
 * meaning from a time on; and threads write their records apart, so times bring them together. */
#include "parse/formats/hook/hook_read.h"

#include <stdlib.h>

static bool add(struct hook *h, struct hook_meanings *meanings, struct hook_meaning meaning)
{
    if (!mi_hook_room(&meanings->list, &meanings->room, meanings->count, sizeof *meanings->list))
        return mi_batch_fail(h->out, MI_ENOMEM, "out of memory for handles");
    meaning.place = meanings->count;
    meanings->list[meanings->count++] = meaning;
    return true;
}

void mi_hook_learn(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec,
                   struct mi_bytes text, uint64_t at)
{
    enum mi_rec_role role;
    (void)at;
    mi_hook_learn_activity(h, chunk, rec, text);
    if (!mi_hook_call(rec->type, &role) || rec->code != 0)
        return;
    uint64_t end_ns = rec->start_ns + rec->dur_ns;
    int64_t id = rec->size <= INT32_MAX ? (int64_t)rec->size : -1;
    if (role == MI_REC_ROLE_STREAM || role == MI_REC_ROLE_SEEN)
        add(h, &h->streams,
            (struct hook_meaning){.handle = rec->stream, .from_ns = rec->start_ns, .id = id});
    else if (role == MI_REC_ROLE_STREAM_END)
        add(h, &h->streams,
            (struct hook_meaning){.handle = rec->stream, .from_ns = end_ns, .id = -1});
    else if (rec->type == MI_REC_aclmdlRICaptureEnd)
        add(h, &h->graphs,
            (struct hook_meaning){.handle = rec->object,
                                  .from_ns = rec->start_ns,
                                  .id = (int64_t)h->graphs.count + 1});
    else if (role == MI_REC_ROLE_FUNCTION || role == MI_REC_ROLE_BUNDLE ||
             rec->type == MI_REC_bundle_copied)
        add(h,
            role == MI_REC_ROLE_FUNCTION ? &h->functions
            : role == MI_REC_ROLE_BUNDLE ? &h->bundles
                                         : &h->bundle_copies,
            (struct hook_meaning){.handle = rec->object,
                                  .from_ns = rec->start_ns,
                                  .name = mi_batch_str(h->out, text)});
}

static int by_time(const void *left, const void *right)
{
    const struct hook_meaning *a = left, *b = right;
    if (a->handle != b->handle)
        return a->handle < b->handle ? -1 : 1;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

void mi_hook_sort_meanings(struct hook *h)
{
    struct hook_meanings *const all[] = {&h->streams, &h->functions, &h->bundles, &h->bundle_copies,
                                         &h->graphs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->count)
            qsort(all[i]->list, all[i]->count, sizeof *all[i]->list, by_time);
}

/* The last meaning that began at that time or before; a handle that is first told of later (the
 * record of its making was dropped) had that meaning before, too. */
const struct hook_meaning *mi_hook_meaning(const struct hook_meanings *meanings, uint64_t handle,
                                           uint64_t at_ns)
{
    uint32_t low = 0, high = meanings->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct hook_meaning *m = &meanings->list[middle];
        if (m->handle < handle || (m->handle == handle && m->from_ns <= at_ns))
            low = middle + 1;
        else
            high = middle;
    }
    if (low && meanings->list[low - 1].handle == handle)
        return &meanings->list[low - 1];
    if (low < meanings->count && meanings->list[low].handle == handle)
        return &meanings->list[low];
    return NULL;
}

/* --- events --- */

bool mi_hook_add_event(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                       uint32_t launch)
{
    if (!mi_hook_room(&h->events, &h->event_room, h->event_count, sizeof *h->events))
        return mi_batch_fail(h->out, MI_ENOMEM, "out of memory for events");
    h->events[h->event_count] = (struct hook_event_op){.handle = rec->object,
                                                       .start_ns = rec->start_ns,
                                                       .end_ns = rec->start_ns + rec->dur_ns,
                                                       .place = h->event_count,
                                                       .role = (uint8_t)role,
                                                       .launch = launch};
    h->event_count++;
    return true;
}

static int by_event(const void *left, const void *right)
{
    const struct hook_event_op *a = left, *b = right;
    if (a->handle != b->handle)
        return a->handle < b->handle ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* A wait is for the recording that the event had when the wait was asked for. That is certain
 * unless a recording was under way on another thread at that moment, or records are missing before
 * it. */
void mi_hook_pair_events(struct hook *h)
{
    struct mi_submissions *tasks = &h->out->rows.submissions;
    const struct hook_event_op *record = NULL;
    uint64_t busy_until_ns = 0; /* a recording of this event runs until then */
    if (h->event_count)
        qsort(h->events, h->event_count, sizeof *h->events, by_event);
    for (uint32_t e = 0; e < h->event_count; e++) {
        const struct hook_event_op *op = &h->events[e];
        const struct hook_event_op *next = e + 1 < h->event_count ? op + 1 : NULL;
        if (!e || op[-1].handle != op->handle) {
            record = NULL;
            busy_until_ns = 0;
        }
        if (op->role == MI_REC_ROLE_RECORD) {
            record = op;
            busy_until_ns = op->end_ns > busy_until_ns ? op->end_ns : busy_until_ns;
        } else if (op->role != MI_REC_ROLE_WAIT) {
            record = NULL;
        } else if (record) {
            bool is_clear = busy_until_ns <= op->start_ns && op->start_ns < h->sure_until_ns &&
                            !(next && next->handle == op->handle &&
                              next->role != MI_REC_ROLE_WAIT && next->start_ns < op->end_ns);
            tasks->peer[op->launch].v = record->launch;
            tasks->confidence[op->launch] = is_clear ? MI_CERTAIN : MI_LIKELY;
        }
    }
}
