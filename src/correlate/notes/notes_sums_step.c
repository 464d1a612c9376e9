/* Sums of a step against those of the tasks: time that computes, communicates, and both at once.
 * Only for files with one step, since the tasks of a step are not marked. */
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/notes/notes_sums.h"

#include <stdlib.h>

struct span {
    int64_t start, end;
};

struct spans {
    struct span *at;
    uint32_t count, room;
};

static int by_start(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Makes the spans disjoint and returns their sum. */
static int64_t unite(struct spans *spans)
{
    uint32_t kept = 0;
    int64_t total = 0;
    if (spans->count)
        qsort(spans->at, spans->count, sizeof *spans->at, by_start);
    for (uint32_t i = 0; i < spans->count; i++) {
        struct span span = spans->at[i];
        if (kept && span.start <= spans->at[kept - 1].end) {
            if (span.end > spans->at[kept - 1].end)
                spans->at[kept - 1].end = span.end;
        } else {
            spans->at[kept++] = span;
        }
    }
    spans->count = kept;
    for (uint32_t i = 0; i < kept; i++)
        total = mi_sums_add(total, mi_notes_distance(spans->at[i].start, spans->at[i].end));
    return total;
}

static int64_t overlap(const struct spans *a, const struct spans *b)
{
    int64_t total = 0;
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        int64_t from = a->at[i].start > b->at[k].start ? a->at[i].start : b->at[k].start;
        int64_t end = a->at[i].end < b->at[k].end ? a->at[i].end : b->at[k].end;
        total = mi_sums_add(total, end > from ? mi_notes_distance(from, end) : 0);
        if (a->at[i].end < b->at[k].end)
            i++;
        else
            k++;
    }
    return total;
}

static bool gather(struct mi_sums *s, uint32_t collection, struct spans *work, struct spans *talk)
{
    const struct mi_tasks *tasks = &s->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t kernel = tasks->kernel[t].v;
        bool is_talk = s->rows->kernels.kind[kernel] == MI_TASK_COMMUNICATION;
        struct spans *list = is_talk ? talk : work;
        int64_t end;
        if (mi_sums_collection(s, s->rows->kernels.source[kernel].v) != collection ||
            (!is_talk && !mi_sums_is_operator(s, kernel)) ||
            __builtin_add_overflow(tasks->start_raw[t], tasks->dur_ns[t], &end))
            continue;
        if (!mi_vec_room(&list->at, &list->room, list->count, sizeof *list->at))
            return false;
        list->at[list->count++] = (struct span){tasks->start_raw[t], end};
    }
    return true;
}

static bool is_only_step(const struct mi_sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    for (uint32_t i = from; i < end; i++)
        if (st->detail[i].v != st->detail[from].v || st->device[i] != st->device[from] ||
            !mi_bytes_equal(mi_sums_text(s, st->kind[i]), MI_LIT("step")))
            return false;
    return true;
}

/* How long the step communicates; NULL: not stated. */
static const int64_t *stated_communication(const struct mi_sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    for (uint32_t i = from; i < end; i++)
        if (mi_bytes_equal(mi_sums_text(s, st->name[i]), MI_LIT("Communication")))
            return &st->total_ns[i];
    return NULL;
}

bool mi_sums_compare_step(struct mi_sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    uint32_t source = st->source[from].v, collection = mi_sums_collection(s, source);
    struct spans work = {0}, talk = {0};
    if (!collection || !is_only_step(s, from, end))
        return true;
    bool ok = gather(s, collection, &work, &talk);
    int64_t tasks = (int64_t)work.count + talk.count;
    const int64_t *stated = stated_communication(s, from, end);
    bool has_work = work.count > 0, has_talk = talk.count > 0;
    if (ok) {
        int64_t working = unite(&work), talking = unite(&talk);
        const struct {
            struct mi_bytes part;
            int64_t found;
            bool is_known;
        } parts[] = {{MI_LIT("Computing"), working, has_work},
                     {MI_LIT("Communication"), talking, has_talk},
                     {MI_LIT("Overlapped"), overlap(&work, &talk), has_work && has_talk}};
        for (uint32_t i = from; i < end; i++)
            for (unsigned p = 0; p < sizeof parts / sizeof *parts; p++)
                if (parts[p].is_known &&
                    mi_bytes_equal(mi_sums_text(s, st->name[i]), parts[p].part) &&
                    mi_sums_differ(st->total_ns[i], parts[p].found, tasks))
                    mi_notes_notice(
                        s->model, source, MI_NOTICE, "sums.step_differs", 1,
                        mi_batch_printf(&s->model->all,
                                        "%.*s of the step: stated %lld ns, the tasks "
                                        "give %lld ns",
                                        (int)parts[p].part.len, (const char *)parts[p].part.at,
                                        (long long)st->total_ns[i], (long long)parts[p].found));
    }
    if (ok && has_work && !has_talk && stated && *stated > 0)
        mi_notes_notice(s->model, source, MI_NOTICE, "sums.no_communication", 1,
                        mi_batch_printf(&s->model->all,
                                        "the step communicates for %lld ns, and none of the tasks "
                                        "at hand does: communication is absent, not 0",
                                        (long long)*stated));
    mi_mem_free(work.at);
    mi_mem_free(talk.at);
    return ok;
}
