/* Sums of the profiler's own tools against those of the tasks: they come from the same run, so what
 * differs says that tasks are missing or that a file is of another run.
 *
 *   op_statistic      number and time of the tasks of each operator type and core
 *   step_trace_time   time that computes, communicates, and both at once; with one step only, since
 *                     the tasks of a step are not marked
 *   communication     length of each collective
 *
 * The tools round each duration to a nanosecond in ways of their own, so one nanosecond per task is
 * no difference. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/notes/notes.h"
#include "correlate/vec.h"

#include <stdlib.h>

struct sum {
    int64_t times, total_ns;
};

struct span {
    int64_t start, end;
};

struct spans {
    struct span *at;
    uint32_t count, room;
};

struct sums {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_map places, names, keys; /* -> numbers; see key_of() */
    struct sum *list;                  /* by key, from 1 */
    uint32_t count, room;
};

static uint32_t collection_of(const struct sums *s, uint32_t source)
{
    return s->rows->sources.collection[source];
}

static struct mi_bytes text(const struct sums *s, mi_str_id id)
{
    return mi_model_text(s->model, id);
}

static int shown(struct mi_bytes name)
{
    return (int)(name.len < 80 ? name.len : 80);
}

/* --- by operator type --- */

static uint32_t number(struct mi_map *map, uint64_t what, bool add)
{
    if (!add)
        return mi_map_get(map, what);
    uint32_t *at = mi_map_at(map, what);
    if (at && !*at)
        *at = map->count;
    return at ? *at : 0;
}

/* The place of the sum of an operator type on a core, in a collection on a device (-1 = on all). 0
 * = none, or out of memory. */
static uint32_t key_of(struct sums *s, uint32_t collection, int64_t device, uint32_t op,
                       uint32_t core, bool add)
{
    uint32_t place = number(&s->places, mi_pair(collection, (uint32_t)(device + 1)), add);
    uint32_t name = number(&s->names, mi_pair(op, core), add);
    if (!place || !name)
        return 0;
    uint32_t known = s->keys.count, key = number(&s->keys, mi_pair(place, name), add);
    if (!key || s->keys.count == known)
        return key;
    if (!mi_vec_room(&s->list, &s->room, s->count + 1, sizeof *s->list))
        return 0;
    s->count = key;
    s->list[key] = (struct sum){0};
    return key;
}

/* Tables call the core by its type as written or by the name that it has everywhere. */
static bool add_to(struct sums *s, uint32_t collection, int64_t device, uint32_t task)
{
    const struct mi_kernels *kernels = &s->rows->kernels;
    uint32_t kernel = s->rows->tasks.kernel[task].v;
    const uint32_t cores[] = {kernels->engine[kernel].v, kernels->type[kernel].v};
    for (unsigned i = 0; i < 2; i++) {
        if (i && cores[1] == cores[0])
            break;
        uint32_t key = key_of(s, collection, device, kernels->op[kernel].v, cores[i], true);
        if (!key)
            return false;
        s->list[key].times++;
        s->list[key].total_ns += s->rows->tasks.dur_ns[task];
    }
    return true;
}

/* Operators, not their parts and not what the runtime does. */
static bool is_operator(const struct sums *s, uint32_t kernel)
{
    return s->rows->kernels.kind[kernel] == MI_TASK_COMPUTE && s->rows->kernels.node_name[kernel].v;
}

static bool add_up(struct sums *s)
{
    const struct mi_tasks *tasks = &s->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t kernel = tasks->kernel[t].v;
        uint32_t collection = collection_of(s, s->rows->kernels.source[kernel].v);
        if (!collection || !is_operator(s, kernel) || !s->rows->kernels.op[kernel].v)
            continue;
        if (!add_to(s, collection, s->rows->tracks.device[tasks->track[t].v], t) ||
            !add_to(s, collection, -1, t))
            return false;
    }
    return true;
}

static bool differs(int64_t stated, int64_t found, int64_t times)
{
    int64_t difference = stated > found ? stated - found : found - stated;
    return difference > times + 1;
}

/* Statistics of one source, in [from, end). */
static void compare_ops(struct sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    uint32_t source = st->source[from].v, wrong = 0, checked = 0, known = 0, first = 0;
    struct sum first_sum = {0};
    for (uint32_t i = from; i < end; i++) {
        if (!mi_bytes_equal(text(s, st->kind[i]), MI_LIT("op")) || st->total_ns[i] < 0)
            continue;
        uint32_t key = key_of(s, collection_of(s, source), st->device[i], st->name[i].v,
                              st->detail[i].v, false);
        struct sum sum = key ? s->list[key] : (struct sum){0};
        checked++;
        known += key != 0;
        if (st->times[i] == sum.times && !differs(st->total_ns[i], sum.total_ns, sum.times))
            continue;
        if (!wrong++) {
            first = i;
            first_sum = sum;
        }
    }
    if (!wrong || !known) /* no operators at hand, or without their types */
        return;
    struct mi_bytes name = text(s, st->name[first]), core = text(s, st->detail[first]);
    mi_notes_notice(
        s->model, source, MI_NOTICE, "sums.ops_differ", wrong,
        mi_batch_printf(&s->model->all,
                        "%u of %u sums are not those of the tasks; the first: %.*s on %.*s, stated "
                        "%lld in %lld ns, found %lld in %lld ns",
                        wrong, checked, shown(name), (const char *)name.at, shown(core),
                        (const char *)core.at, (long long)st->times[first],
                        (long long)st->total_ns[first], (long long)first_sum.times,
                        (long long)first_sum.total_ns));
}

/* --- of a step --- */

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
        total += spans->at[i].end - spans->at[i].start;
    return total;
}

static int64_t overlap(const struct spans *a, const struct spans *b)
{
    int64_t total = 0;
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        int64_t from = a->at[i].start > b->at[k].start ? a->at[i].start : b->at[k].start;
        int64_t end = a->at[i].end < b->at[k].end ? a->at[i].end : b->at[k].end;
        total += end > from ? end - from : 0;
        if (a->at[i].end < b->at[k].end)
            i++;
        else
            k++;
    }
    return total;
}

static bool gather(struct sums *s, uint32_t collection, struct spans *work, struct spans *talk)
{
    const struct mi_tasks *tasks = &s->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t kernel = tasks->kernel[t].v;
        bool is_talk = s->rows->kernels.kind[kernel] == MI_TASK_COMMUNICATION;
        struct spans *list = is_talk ? talk : work;
        int64_t end;
        if (collection_of(s, s->rows->kernels.source[kernel].v) != collection ||
            (!is_talk && !is_operator(s, kernel)) ||
            __builtin_add_overflow(tasks->start_raw[t], tasks->dur_ns[t], &end))
            continue;
        if (!mi_vec_room(&list->at, &list->room, list->count, sizeof *list->at))
            return false;
        list->at[list->count++] = (struct span){tasks->start_raw[t], end};
    }
    return true;
}

static bool is_only_step(const struct sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    for (uint32_t i = from; i < end; i++)
        if (st->detail[i].v != st->detail[from].v || st->device[i] != st->device[from] ||
            !mi_bytes_equal(text(s, st->kind[i]), MI_LIT("step")))
            return false;
    return true;
}

/* How long the step communicates; NULL: not stated. */
static const int64_t *stated_communication(const struct sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    for (uint32_t i = from; i < end; i++)
        if (mi_bytes_equal(text(s, st->name[i]), MI_LIT("Communication")))
            return &st->total_ns[i];
    return NULL;
}

static bool compare_step(struct sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    uint32_t source = st->source[from].v, collection = collection_of(s, source);
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
                if (parts[p].is_known && mi_bytes_equal(text(s, st->name[i]), parts[p].part) &&
                    differs(st->total_ns[i], parts[p].found, tasks))
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

/* --- of collectives --- */

/* Each collective is a sum and a note of one record, in the same order. */
static void compare_collectives(struct sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    const struct mi_notes *notes = &s->rows->notes;
    uint32_t source = st->source[from].v, note = 1, wrong = 0;
    mi_str_id sentence = MI_NO_STR;
    while (note < notes->count && notes->source[note].v < source)
        note++;
    for (uint32_t i = from; i < end; i++) {
        while (note < notes->count && notes->source[note].v == source &&
               notes->record_offset[note] < st->record_offset[i])
            note++;
        if (note == notes->count || notes->source[note].v != source ||
            notes->record_offset[note] != st->record_offset[i] || !notes->task[note].v ||
            !mi_bytes_equal(text(s, st->kind[i]), MI_LIT("collective")))
            continue;
        int64_t found = s->rows->tasks.dur_ns[notes->task[note].v];
        if (!differs(st->total_ns[i], found, 1000))
            continue;
        struct mi_bytes name = text(s, st->name[i]);
        if (!wrong++)
            sentence = mi_batch_printf(&s->model->all,
                                       "collectives whose length differs from that of their task; "
                                       "the first: %.*s, stated %lld ns, found %lld ns",
                                       shown(name), (const char *)name.at,
                                       (long long)st->total_ns[i], (long long)found);
    }
    if (wrong)
        mi_notes_notice(s->model, source, MI_NOTICE, "sums.collectives_differ", wrong, sentence);
}

/* --- names of steps --- */

/* What a file calls its step: "50" of "step 50, group 1"; none if it has several, or no name. */
static struct mi_bytes step_of(const struct sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    struct mi_bytes step = {0};
    for (uint32_t i = from; i < end; i++) {
        struct mi_bytes detail = text(s, st->detail[i]);
        if (mi_bytes_starts(detail, MI_LIT("step ")))
            detail = mi_bytes_sub(detail, 5, detail.len);
        const uint8_t *comma = detail.len ? memchr(detail.at, ',', detail.len) : NULL;
        if (comma)
            detail.len = (size_t)(comma - detail.at);
        if (i > from && !mi_bytes_equal(detail, step))
            return (struct mi_bytes){0};
        step = detail;
    }
    return step;
}

static bool names_a_step(const struct sums *s, uint32_t from)
{
    const struct mi_statistics *st = &s->rows->statistics;
    struct mi_bytes kind = text(s, st->kind[from]);
    return mi_bytes_equal(kind, MI_LIT("step")) ||
           mi_bytes_starts(text(s, st->detail[from]), MI_LIT("step "));
}

/* Files of one collection with one step each call it differently. */
static void compare_names(struct sums *s, uint32_t from, uint32_t end, uint32_t *first)
{
    const struct mi_statistics *st = &s->rows->statistics;
    uint32_t collection = collection_of(s, st->source[from].v), other = 0, other_end;
    struct mi_bytes step = step_of(s, from, end);
    if (!collection || !step.len || !names_a_step(s, from))
        return;
    other = first[collection];
    if (!other) {
        first[collection] = from;
        return;
    }
    for (other_end = other; other_end < st->count && st->source[other_end].v == st->source[other].v;
         other_end++)
        ;
    struct mi_bytes before = step_of(s, other, other_end);
    if (!mi_bytes_equal(step, before))
        mi_notes_notice(s->model, st->source[from].v, MI_NOTICE, "sums.step_named", 1,
                        mi_batch_printf(&s->model->all,
                                        "the step is called %.*s here and %.*s in another file",
                                        shown(step), (const char *)step.at, shown(before),
                                        (const char *)before.at));
}

/* --- the step --- */

static bool compare_all(struct sums *s)
{
    const struct mi_statistics *st = &s->rows->statistics;
    uint32_t collections = 1;
    for (uint32_t i = 1; i < s->rows->sources.count; i++)
        if (s->rows->sources.collection[i] >= collections)
            collections = s->rows->sources.collection[i] + 1;
    uint32_t *first = mi_mem_zero(collections, sizeof *first);
    bool ok = first != NULL;
    for (uint32_t from = 1, end; ok && from < st->count; from = end) {
        for (end = from + 1; end < st->count && st->source[end].v == st->source[from].v; end++)
            ;
        compare_ops(s, from, end);
        compare_collectives(s, from, end);
        compare_names(s, from, end, first);
        ok = compare_step(s, from, end);
    }
    mi_mem_free(first);
    return ok;
}

bool mi_check_sums(struct mi_model *model, struct mi_error *err)
{
    struct sums s = {.model = model, .rows = &model->all.rows};
    if (model->all.rows.statistics.count <= 1)
        return true;
    bool ok = add_up(&s) && compare_all(&s);
    mi_map_fini(&s.places);
    mi_map_fini(&s.names);
    mi_map_fini(&s.keys);
    mi_mem_free(s.list);
    return (ok && !mi_batch_failed(&model->all)) ||
           mi_fail(err, MI_ENOMEM, "out of memory while comparing sums");
}
