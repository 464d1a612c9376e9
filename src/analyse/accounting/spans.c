#include "analyse/accounting/spans.h"

#include "base/mem.h"

void mi_spans_fini(struct mi_spans *spans)
{
    mi_mem_free(spans->list);
    *spans = (struct mi_spans){0};
}

static bool make_room(struct mi_spans *spans)
{
    uint32_t room = spans->room ? spans->room * 2 : 64;
    struct mi_span *list =
        room > spans->room ? mi_mem_resize(spans->list, room, sizeof *list) : NULL;
    if (!list) {
        spans->failed = true;
        return false;
    }
    spans->list = list;
    spans->room = room;
    return true;
}

void mi_spans_add(struct mi_spans *spans, int64_t start_ns, int64_t end_ns)
{
    struct mi_span *last = spans->count ? &spans->list[spans->count - 1] : NULL;
    if (end_ns <= start_ns)
        return;
    if (last && start_ns >= last->start_ns && start_ns <= last->end_ns) {
        last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
        return;
    }
    spans->is_unsorted = spans->is_unsorted || (last && start_ns < last->start_ns);
    if (spans->count < spans->room || make_room(spans))
        spans->list[spans->count++] = (struct mi_span){start_ns, end_ns};
}

void mi_spans_add_all(struct mi_spans *spans, const struct mi_spans *others)
{
    for (uint32_t i = 0; i < others->count; i++)
        mi_spans_add(spans, others->list[i].start_ns, others->list[i].end_ns);
    spans->failed = spans->failed || others->failed;
}

static bool is_behind(const struct mi_span *a, const struct mi_span *b)
{
    return a->start_ns > b->start_ns;
}

/* End of the stretch from `from` on that is in order. */
static uint32_t run_end(const struct mi_spans *spans, uint32_t from)
{
    uint32_t end = from + 1;
    while (end < spans->count && !is_behind(&spans->list[end - 1], &spans->list[end]))
        end++;
    return end < spans->count ? end : spans->count;
}

/* Merges neighbouring stretches in pairs into `other`: the lists come lane by lane, so there are
 * few. True once there was only one. */
static bool merge_all(struct mi_spans *spans, struct mi_span *other)
{
    uint32_t from = 0;
    while (from < spans->count) {
        uint32_t middle = run_end(spans, from);
        uint32_t end = middle < spans->count ? run_end(spans, middle) : middle;
        if (from == 0 && middle == spans->count)
            return true;
        for (uint32_t a = from, b = middle, out = from; out < end; out++) {
            bool takes_b = a == middle || (b < end && is_behind(&spans->list[a], &spans->list[b]));
            other[out] = spans->list[takes_b ? b++ : a++];
        }
        from = end;
    }
    return false;
}

void mi_spans_join(struct mi_spans *spans)
{
    uint32_t count = spans->count;
    if (!spans->is_unsorted)
        return;
    struct mi_span *other = mi_mem_new(spans->room, sizeof *other);
    if (!other) {
        spans->failed = true;
        return;
    }
    while (!merge_all(spans, other)) {
        struct mi_span *merged = other;
        other = spans->list;
        spans->list = merged;
    }
    mi_mem_free(other);
    spans->count = 0;
    spans->is_unsorted = false;
    for (uint32_t i = 0; i < count; i++) { /* never writes ahead of what it reads */
        struct mi_span span = spans->list[i];
        mi_spans_add(spans, span.start_ns, span.end_ns);
    }
}

int64_t mi_spans_measure(const struct mi_spans *spans)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < spans->count; i++)
        sum_ns = mi_ns_add(sum_ns, mi_ns_sub(spans->list[i].end_ns, spans->list[i].start_ns));
    return sum_ns;
}

static int64_t shared(struct mi_span a, struct mi_span b)
{
    int64_t start_ns = a.start_ns > b.start_ns ? a.start_ns : b.start_ns;
    int64_t end_ns = a.end_ns < b.end_ns ? a.end_ns : b.end_ns;
    return end_ns > start_ns ? mi_ns_sub(end_ns, start_ns) : 0;
}

int64_t mi_spans_shared(const struct mi_spans *a, const struct mi_spans *b)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        sum_ns = mi_ns_add(sum_ns, shared(a->list[i], b->list[k]));
        if (a->list[i].end_ns < b->list[k].end_ns)
            i++;
        else
            k++;
    }
    return sum_ns;
}

int64_t mi_spans_within(const struct mi_spans *spans, int64_t start_ns, int64_t end_ns)
{
    const struct mi_span window = {start_ns, end_ns};
    uint32_t low = 0, high = spans->count;
    int64_t sum_ns = 0;
    while (low < high) { /* the first that ends behind the start */
        uint32_t middle = low + (high - low) / 2;
        if (spans->list[middle].end_ns <= start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < spans->count && spans->list[low].start_ns < end_ns; low++)
        sum_ns = mi_ns_add(sum_ns, shared(spans->list[low], window));
    return sum_ns;
}
