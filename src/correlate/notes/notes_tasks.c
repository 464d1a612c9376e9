/* Notes to tasks. Tables with a row per task (l2_cache, aicpu, ...) state device, stream and task
 * id where they know them, and repeat where the tasks do: if there are as many rows of one key as
 * tasks, they stand in the same order. Collectives are told by name, and by a start that is right
 * to some 0.1 us. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/notes/notes.h"

#include <stdlib.h>

enum { NEAR_NS = 2000 };

struct joining {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_map lanes;  /* (collection, stream) -> number; (collection, name) in the other half */
    struct mi_map keys;   /* (that number, task id) -> key */
    struct mi_map groups; /* (source, name) -> number */
    uint32_t lane_count, key_count;
    struct mi_keyed *notes, *tasks;
    uint32_t note_count, note_room, task_count, task_room;
    int64_t *left; /* [sources.count] notes about tasks that are not there */
};

int mi_keyed_compare(const void *left, const void *right)
{
    const struct mi_keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

void mi_notes_notice(struct mi_model *model, uint32_t source, enum mi_severity severity,
                     const char *code, int64_t times, mi_str_id text)
{
    mi_add_diag(&model->all, &(struct mi_diag_row){.source = {source},
                                                   .code = mi_batch_cstr(&model->all, code),
                                                   .severity = (uint8_t)severity,
                                                   .times = times,
                                                   .offset = -1,
                                                   .text = text});
}

/* --- keys --- */

#define NAMED UINT32_C(0x80000000)

/* The number of a lane; `add`: a new one if there is none. 0 = none, or out of memory. */
static uint32_t lane_of(struct joining *j, uint32_t collection, uint32_t what, bool is_name,
                        bool add)
{
    uint64_t pair = mi_pair(is_name ? collection | NAMED : collection, what);
    if (!add)
        return mi_map_get(&j->lanes, pair);
    uint32_t *at = mi_map_at(&j->lanes, pair);
    if (at && !*at)
        *at = ++j->lane_count;
    return at ? *at : 0;
}

static uint32_t key_of(struct joining *j, uint32_t lane, uint32_t id, bool add)
{
    if (!lane)
        return 0;
    if (!add)
        return mi_map_get(&j->keys, mi_pair(lane, id));
    uint32_t *at = mi_map_at(&j->keys, mi_pair(lane, id));
    if (at && !*at)
        *at = ++j->key_count;
    return at ? *at : 0;
}

static bool push(struct mi_keyed **list, uint32_t *count, uint32_t *room, struct mi_keyed entry)
{
    if (!mi_vec_room(list, room, *count, sizeof **list))
        return false;
    (*list)[(*count)++] = entry;
    return true;
}

static bool is_collective(const struct joining *j, uint32_t note)
{
    return mi_bytes_equal(mi_model_text(j->model, j->rows->notes.kind[note]), MI_LIT("collective"));
}

static bool gather_notes(struct joining *j)
{
    const struct mi_notes *notes = &j->rows->notes;
    for (uint32_t n = 1; n < notes->count; n++) {
        uint32_t collection = j->rows->sources.collection[notes->source[n].v];
        bool by_name = is_collective(j, n);
        bool by_id = notes->stream[n] >= 0 && notes->stream[n] < UINT32_MAX &&
                     notes->native_id[n] >= 0 && notes->native_id[n] < UINT32_MAX;
        if (!collection || notes->task[n].v || (!by_name && !by_id))
            continue;
        uint32_t lane = by_name ? lane_of(j, collection, notes->name[n].v, true, true)
                                : lane_of(j, collection, (uint32_t)notes->stream[n], false, true);
        uint32_t key = key_of(j, lane, by_name ? 0 : (uint32_t)notes->native_id[n], true);
        /* rows of one file and name stand together, in their order */
        uint32_t *group = mi_map_at(&j->groups, mi_pair(notes->source[n].v, notes->name[n].v));
        if (!key || !group)
            return false;
        if (!*group)
            *group = j->groups.count;
        struct mi_keyed entry = {.key = key, .group = *group, .row = n, .at = n};
        if (!push(&j->notes, &j->note_count, &j->note_room, entry))
            return false;
    }
    return true;
}

static bool push_task(struct joining *j, uint32_t task, uint32_t key)
{
    struct mi_keyed entry = {.key = key, .row = task, .at = j->rows->tasks.start_raw[task]};
    return !key || push(&j->tasks, &j->task_count, &j->task_room, entry);
}

static bool gather_tasks(struct joining *j)
{
    const struct mi_tasks *tasks = &j->rows->tasks;
    const struct mi_kernels *kernels = &j->rows->kernels;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t k = tasks->kernel[t].v, track = tasks->track[t].v;
        uint32_t collection = j->rows->sources.collection[kernels->source[k].v];
        int64_t stream = j->rows->tracks.native_id[track], id = mi_some_get(tasks->native_id[t]);
        if (!collection)
            continue;
        if (stream >= 0 && stream < UINT32_MAX && id >= 0 && id < UINT32_MAX) {
            uint32_t lane = lane_of(j, collection, (uint32_t)stream, false, false);
            if (!push_task(j, t, key_of(j, lane, (uint32_t)id, false)))
                return false;
        }
        if (kernels->kind[k] == MI_TASK_COMMUNICATION) {
            uint32_t name = kernels->node_name[k].v ? kernels->node_name[k].v : kernels->name[k].v;
            uint32_t lane = lane_of(j, collection, name, true, false);
            if (!push_task(j, t, key_of(j, lane, 0, false)))
                return false;
        }
    }
    return true;
}

/* --- joining --- */

static bool fits(const struct joining *j, uint32_t note, uint32_t task)
{
    const struct mi_kernels *kernels = &j->rows->kernels;
    uint32_t k = j->rows->tasks.kernel[task].v, name = j->rows->notes.name[note].v;
    int64_t want = j->rows->notes.device[note];
    int64_t have = j->rows->tracks.device[j->rows->tasks.track[task].v];
    if (want >= 0 && have >= 0 && want != have)
        return false;
    return !name || !kernels->node_name[k].v || kernels->node_name[k].v == name ||
           kernels->name[k].v == name;
}

/* The k-th task of [from, end) that the note may tell of; `end` if there are fewer. */
static uint32_t find_kth(const struct joining *j, uint32_t note, uint32_t from, uint32_t end,
                         uint32_t k)
{
    for (; from < end; from++)
        if (fits(j, note, j->tasks[from].row) && k-- == 0)
            return from;
    return end;
}

static uint32_t count_fits(const struct joining *j, uint32_t note, uint32_t from, uint32_t end)
{
    uint32_t count = 0;
    for (; from < end; from++)
        count += fits(j, note, j->tasks[from].row);
    return count;
}

static uint32_t find_start(const struct joining *j, uint32_t note, uint32_t from, uint32_t end)
{
    int64_t want = j->rows->notes.start_raw[note];
    uint32_t lo = from, hi = end;
    while (lo < hi) { /* the first that starts later */
        uint32_t middle = lo + (hi - lo) / 2;
        if (j->tasks[middle].at <= want)
            lo = middle + 1;
        else
            hi = middle;
    }
    uint32_t best = end;
    for (uint32_t i = lo > from ? lo - 1 : lo; i < end && i <= lo; i++) {
        int64_t distance = mi_notes_distance(j->tasks[i].at, want);
        if (distance <= NEAR_NS && fits(j, note, j->tasks[i].row) &&
            (best == end || distance < mi_notes_distance(j->tasks[best].at, want)))
            best = i;
    }
    return best;
}

/* Notes [a, b) of one file, name and key with tasks [from, end) of that key. */
static void join_key(struct joining *j, uint32_t a, uint32_t b, uint32_t from, uint32_t end)
{
    struct mi_notes *notes = &j->model->all.rows.notes;
    bool same_count = end > from && count_fits(j, j->notes[a].row, from, end) == b - a;
    for (uint32_t i = a; i < b; i++) {
        uint32_t note = j->notes[i].row, found = end;
        if (notes->start_raw[note] >= 0)
            found = find_start(j, note, from, end);
        if (found == end && same_count)
            found = find_kth(j, note, from, end, i - a);
        if (found < end)
            notes->task[note].v = j->tasks[found].row;
        else
            j->left[notes->source[note].v]++;
    }
}

static void join_all(struct joining *j)
{
    uint32_t task = 0;
    for (uint32_t a = 0, b; a < j->note_count; a = b) {
        for (b = a + 1; b < j->note_count && j->notes[b].key == j->notes[a].key &&
                        j->notes[b].group == j->notes[a].group;
             b++)
            ;
        while (task < j->task_count && j->tasks[task].key < j->notes[a].key)
            task++;
        uint32_t end = task;
        while (end < j->task_count && j->tasks[end].key == j->notes[a].key)
            end++;
        join_key(j, a, b, task, end);
    }
    for (uint32_t s = 1; s < j->rows->sources.count; s++)
        if (j->left[s] && j->rows->tasks.count > 1)
            mi_notes_notice(j->model, s, MI_INFO, "notes.no_task", j->left[s],
                            mi_batch_cstr(&j->model->all,
                                          N_("rows about tasks that cannot be told among those of "
                                             "the inputs")));
}

bool mi_notes_join_tasks(struct mi_model *model, struct mi_error *err)
{
    struct joining j = {.model = model, .rows = &model->all.rows};
    if (model->all.rows.notes.count <= 1)
        return true;
    j.left = mi_mem_zero(j.rows->sources.count, sizeof *j.left);
    bool ok = j.left && gather_notes(&j) && (!j.note_count || gather_tasks(&j));
    if (ok && j.note_count) {
        qsort(j.notes, j.note_count, sizeof *j.notes, mi_keyed_compare);
        if (j.task_count)
            qsort(j.tasks, j.task_count, sizeof *j.tasks, mi_keyed_compare);
        join_all(&j);
    }
    mi_map_fini(&j.lanes);
    mi_map_fini(&j.keys);
    mi_map_fini(&j.groups);
    mi_mem_free(j.notes);
    mi_mem_free(j.tasks);
    mi_mem_free(j.left);
    return (ok && !mi_batch_failed(&model->all)) ||
           mi_fail(err, MI_ENOMEM, "out of memory while joining notes");
}
