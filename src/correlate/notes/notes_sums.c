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
#include "correlate/notes/notes_sums.h"
#include "base/translate.h"
#include "base/vec.h"

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
static uint32_t key_of(struct mi_sums *s, uint32_t collection, int64_t device, uint32_t op,
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
    s->list[key] = (struct mi_sum){0};
    return key;
}

/* The tasks of one kernel on one device. */
struct part {
    uint32_t kernel;
    int64_t device;
    struct mi_sum sum;
};

struct parts {
    struct part *at;
    uint32_t count, room;
    struct mi_map places; /* (kernel, device) -> place, from 1 */
};

/* Tables call the core by its type as written or by the name that it has everywhere. */
static bool add_part(struct mi_sums *s, const struct part *part, int64_t device)
{
    const struct mi_kernels *kernels = &s->rows->kernels;
    uint32_t collection = mi_sums_collection(s, kernels->source[part->kernel].v);
    const uint32_t cores[] = {kernels->engine[part->kernel].v, kernels->type[part->kernel].v};
    for (unsigned i = 0; i < 2; i++) {
        if (i && cores[1] == cores[0])
            break;
        uint32_t key = key_of(s, collection, device, kernels->op[part->kernel].v, cores[i], true);
        if (!key)
            return false;
        s->list[key].times += part->sum.times;
        s->list[key].total_ns = mi_sums_add(s->list[key].total_ns, part->sum.total_ns);
    }
    return true;
}

static bool gather(const struct mi_sums *s, struct parts *parts)
{
    const struct mi_tasks *tasks = &s->rows->tasks;
    const struct mi_kernels *kernels = &s->rows->kernels;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t kernel = tasks->kernel[t].v;
        if (!mi_sums_is_operator(s, kernel) || !kernels->op[kernel].v ||
            !mi_sums_collection(s, kernels->source[kernel].v))
            continue;
        int64_t device = s->rows->tracks.device[tasks->track[t].v];
        uint32_t *place = mi_map_at(&parts->places, mi_pair(kernel, (uint32_t)device));
        if (!place || !mi_vec_room(&parts->at, &parts->room, parts->count, sizeof *parts->at))
            return false;
        if (!*place) {
            parts->at[parts->count++] = (struct part){.kernel = kernel, .device = device};
            *place = parts->count;
        }
        struct mi_sum *sum = &parts->at[*place - 1].sum;
        sum->times++;
        sum->total_ns = mi_sums_add(sum->total_ns, tasks->dur_ns[t]);
    }
    return true;
}

static bool states_ops(const struct mi_sums *s)
{
    const struct mi_statistics *st = &s->rows->statistics;
    mi_str_id op = mi_strings_find(&s->model->all.strings, MI_LIT("op"));
    for (uint32_t i = 1; op.v && i < st->count; i++)
        if (st->kind[i].v == op.v)
            return true;
    return false;
}

static bool add_up(struct mi_sums *s)
{
    struct parts parts = {0};
    if (!states_ops(s))
        return true;
    bool ok = gather(s, &parts);
    for (uint32_t p = 0; ok && p < parts.count; p++)
        ok = add_part(s, &parts.at[p], parts.at[p].device) &&
             (parts.at[p].device == -1 || add_part(s, &parts.at[p], -1));
    mi_mem_free(parts.at);
    mi_map_fini(&parts.places);
    return ok;
}

/* Statistics of one source, in [from, end). */
static void compare_ops(struct mi_sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    uint32_t source = st->source[from].v, wrong = 0, checked = 0, known = 0, first = 0;
    struct mi_sum first_sum = {0};
    for (uint32_t i = from; i < end; i++) {
        if (!mi_bytes_equal(mi_sums_text(s, st->kind[i]), MI_LIT("op")) || st->total_ns[i] < 0)
            continue;
        uint32_t key = key_of(s, mi_sums_collection(s, source), st->device[i], st->name[i].v,
                              st->detail[i].v, false);
        struct mi_sum sum = key ? s->list[key] : (struct mi_sum){0};
        checked++;
        known += key != 0;
        if (st->times[i] == sum.times && !mi_sums_differ(st->total_ns[i], sum.total_ns, sum.times))
            continue;
        if (!wrong++) {
            first = i;
            first_sum = sum;
        }
    }
    if (!wrong || !known) /* no operators at hand, or without their types */
        return;
    struct mi_bytes name = mi_sums_text(s, st->name[first]),
                    core = mi_sums_text(s, st->detail[first]);
    mi_notes_notice(
        s->model, source, MI_NOTICE, "sums.ops_differ", wrong,
        mi_batch_printf(&s->model->all,
                        "%u of %u sums are not those of the tasks; the first: %.*s on %.*s, stated "
                        "%lld in %lld ns, found %lld in %lld ns",
                        wrong, checked, mi_sums_shown(name), (const char *)name.at,
                        mi_sums_shown(core), (const char *)core.at, (long long)st->times[first],
                        (long long)st->total_ns[first], (long long)first_sum.times,
                        (long long)first_sum.total_ns));
}

/* --- of collectives --- */

/* Each collective is a sum and a note of one record, in the same order. */
static void compare_collectives(struct mi_sums *s, uint32_t from, uint32_t end)
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
            !mi_bytes_equal(mi_sums_text(s, st->kind[i]), MI_LIT("collective")))
            continue;
        int64_t found = s->rows->tasks.dur_ns[notes->task[note].v];
        if (!mi_sums_differ(st->total_ns[i], found, 1000))
            continue;
        struct mi_bytes name = mi_sums_text(s, st->name[i]);
        if (!wrong++)
            sentence = mi_batch_printf(&s->model->all,
                                       "collectives whose length differs from that of their task; "
                                       "the first: %.*s, stated %lld ns, found %lld ns",
                                       mi_sums_shown(name), (const char *)name.at,
                                       (long long)st->total_ns[i], (long long)found);
    }
    if (wrong)
        mi_notes_notice(s->model, source, MI_NOTICE, "sums.collectives_differ", wrong, sentence);
}

/* --- names of steps --- */

/* What a file calls its step: "50" of "step 50, group 1"; none if it has several, or no name. */
static struct mi_bytes step_of(const struct mi_sums *s, uint32_t from, uint32_t end)
{
    const struct mi_statistics *st = &s->rows->statistics;
    struct mi_bytes step = {0};
    for (uint32_t i = from; i < end; i++) {
        struct mi_bytes detail = mi_sums_text(s, st->detail[i]);
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

static bool names_a_step(const struct mi_sums *s, uint32_t from)
{
    const struct mi_statistics *st = &s->rows->statistics;
    struct mi_bytes kind = mi_sums_text(s, st->kind[from]);
    return mi_bytes_equal(kind, MI_LIT("step")) ||
           mi_bytes_starts(mi_sums_text(s, st->detail[from]), MI_LIT("step "));
}

/* Files of one collection with one step each call it differently. */
static void compare_names(struct mi_sums *s, uint32_t from, uint32_t end, uint32_t *first)
{
    const struct mi_statistics *st = &s->rows->statistics;
    uint32_t collection = mi_sums_collection(s, st->source[from].v), other = 0, other_end;
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
                                        mi_sums_shown(step), (const char *)step.at,
                                        mi_sums_shown(before), (const char *)before.at));
}

/* --- the step --- */

static bool compare_all(struct mi_sums *s)
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
        ok = mi_sums_compare_step(s, from, end);
    }
    mi_mem_free(first);
    return ok;
}

bool mi_check_sums(struct mi_model *model, struct mi_error *err)
{
    struct mi_sums s = {.model = model, .rows = &model->all.rows};
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
