/* Spans that are written as two events: B and E on one lane, b and e (S and F) anywhere, tied by an
 * id. The order in the file is not that of time, so ends find their beginnings when all are there.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "parse/formats/chrome/chrome.h"

#include <stdlib.h>

static bool add_mark(struct mi_chrome *c, uint64_t key, int64_t ts_ns, uint32_t slice)
{
    if (!mi_vec_room(&c->marks, &c->mark_room, c->mark_count, sizeof *c->marks))
        return mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for spans");
    c->marks[c->mark_count] =
        (struct mi_chrome_mark){.key = key, .ts_ns = ts_ns, .slice = slice, .place = c->mark_count};
    c->mark_count++;
    return true;
}

/* The beginning becomes a span of no length, which its end makes longer. */
static void begin(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane,
                  uint64_t key)
{
    struct mi_chrome_event start = *event;
    start.flags |= MI_CHROME_HAS_DUR;
    start.flags &= ~(unsigned)(MI_CHROME_BAD_DUR | MI_CHROME_ENDLESS);
    start.dur_ns = 0;
    mi_slice_id span = mi_chrome_add_span(c, &start, lane);
    if (span.v && add_mark(c, key, event->ts_ns, span.v))
        c->batch->counts.kept++;
}

static void end(struct mi_chrome *c, const struct mi_chrome_event *event, uint64_t key)
{
    if (!(event->flags & MI_CHROME_HAS_TS) || event->flags & MI_CHROME_BAD_TS)
        mi_chrome_lose(c, "trace.no_time", N_("an event whose ts is missing or no number"));
    else if (add_mark(c, key, event->ts_ns, 0))
        c->batch->counts.kept++;
}

void mi_chrome_begin_or_end(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    uint32_t lane = mi_chrome_lane_of(c, event->pid, event->tid);
    if (!lane)
        return;
    if (event->phase == 'B')
        begin(c, event, lane, lane);
    else
        end(c, event, lane);
}

/* What ties asynchronous events together; above all numbers of lanes. */
static uint64_t async_key(const struct mi_chrome_event *event)
{
    uint64_t key = mi_hash64(event->id);
    key = key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(event->category.raw);
    key = key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(event->scope);
    if (event->id_is_local)
        key = key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(event->pid);
    return key | UINT64_C(1) << 63;
}

void mi_chrome_async(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    uint32_t lane = mi_chrome_lane_of(c, event->pid, event->tid);
    if (!lane)
        return;
    switch (event->phase) {
    case 'b':
    case 'S':
        begin(c, event, lane, async_key(event));
        break;
    case 'e':
    case 'F':
        end(c, event, async_key(event));
        break;
    default: { /* a moment: n, T, p, i, I, R */
        struct mi_chrome_event moment = *event;
        moment.flags |= MI_CHROME_HAS_DUR;
        moment.dur_ns = 0;
        c->batch->counts.kept += mi_chrome_add_span(c, &moment, lane).v != 0;
    }
    }
}

static int by_time(const void *a, const void *b)
{
    const struct mi_chrome_mark *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* The marks of one key, in order: the last opened closes first. `open` lists places of marks. */
static void pair_up(struct mi_chrome *c, uint32_t from, uint32_t to, uint32_t *open)
{
    struct mi_slices *slices = &c->batch->rows.slices;
    uint32_t depth = 0;
    for (uint32_t m = from; m < to; m++) {
        const struct mi_chrome_mark *mark = &c->marks[m];
        if (mark->slice) {
            open[depth++] = mark->slice;
        } else if (depth) {
            uint32_t slice = open[--depth];
            slices->dur_ns[slice] = mark->ts_ns - slices->start_raw[slice];
        } else {
            c->batch->counts.kept--;
            mi_chrome_skip(c, "trace.end_stray", N_("an end without a beginning"));
        }
    }
    while (depth) {
        slices->dur_ns[open[--depth]] = INT64_MAX;
        c->has_endless = true;
        mi_chrome_note(c, MI_NOTICE, "trace.unclosed",
                       N_("a span that is never closed ends with the trace"));
    }
}

void mi_chrome_spans_finish(struct mi_chrome *c)
{
    if (!c->mark_count || mi_batch_failed(c->batch))
        return;
    uint32_t *open = mi_mem_new(c->mark_count, sizeof *open);
    if (!open) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for spans");
        return;
    }
    qsort(c->marks, c->mark_count, sizeof *c->marks, by_time);
    for (uint32_t from = 0, to; from < c->mark_count; from = to) {
        for (to = from + 1; to < c->mark_count; to++)
            if (c->marks[to].key != c->marks[from].key)
                break;
        pair_up(c, from, to, open);
    }
    mi_mem_free(open);
}
