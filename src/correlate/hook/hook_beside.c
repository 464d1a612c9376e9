/* Runs of what a program puts onto streams beside the models that it executes: operators, kernels,
 * copies, events. Such a task repeats nothing, so that no id tells its run; the order of the calls
 * of its host does.
 *
 * What was launched between two executions either ends the run of the first or prepares that of the
 * second. A program does the same around each: where all stretches between two executions launch
 * the same, those behind the last execution are what ends a run, and those before the first end
 * with what prepares one. Where it is not the same each time, the stretch is cut where the device
 * stood still for most of it; else all of it belongs to the execution before. What comes before the
 * first run without preparing it is of none. */
#include "base/mem.h"
#include "base/vec.h"
#include "correlate/hook/hook_parts.h"

#include <stdlib.h>

enum { MAX_DEPTH = 4 };

struct event {                /* an execution, or a task that was launched beside them */
    uint64_t key;             /* (home, device) */
    int64_t at_ns;            /* of the call */
    int64_t start_ns, end_ns; /* of its tasks on the device */
    uint32_t row;             /* task; of an execution its slice */
    uint32_t run;             /* of an execution */
    bool is_execution;
};

struct beside {
    struct mi_model *model;
    struct mi_tables *rows;
    const uint32_t *owners;
    uint32_t *calls;   /* [tasks.count] slice of the call that launched it; 0 = not known */
    uint8_t *executes; /* [slices.count] the call executes a model */
    struct mi_map at;  /* (slice, device) -> execution + 1 in the list; the slice is of one home */
    struct event *list;
    uint32_t count, room;
};

/* --- events --- */

/* A file of the hook that lies alone is of a process as well. */
static uint32_t home_of(const struct beside *b, uint32_t source)
{
    uint32_t home = mi_hook_home(b->model, b->owners, source);
    return !home && b->owners[source] ? MI_HOOK_OF_PROCESS | b->owners[source] : home;
}

/* A wait does no work, however long it takes. */
static int64_t end_of(const struct beside *b, uint32_t task)
{
    const struct mi_tasks *tasks = &b->rows->tasks;
    int64_t start_ns = tasks->start_ns[task], end_ns;
    if (b->rows->kernels.kind[tasks->kernel[task].v] == MI_TASK_SYNC)
        return start_ns;
    return __builtin_add_overflow(start_ns, tasks->dur_ns[task], &end_ns) ? INT64_MAX : end_ns;
}

static bool find_calls(struct beside *b)
{
    const struct mi_submissions *submissions = &b->rows->submissions;
    const struct mi_slices *slices = &b->rows->slices;
    b->calls = mi_mem_new(b->rows->tasks.count, sizeof *b->calls);
    b->executes = mi_mem_zero(slices->count, 1);
    if (!b->calls || !b->executes)
        return false;
    for (uint32_t t = 0; t < b->rows->tasks.count; t++)
        b->calls[t] = b->rows->tasks.launch[t].v;
    for (uint32_t s = 1; s < submissions->count; s++)
        if (submissions->task[s].v)
            b->calls[submissions->task[s].v] = submissions->slice[s].v;
    for (uint32_t s = 1; s < slices->count; s++)
        b->executes[s] =
            mi_bytes_starts(mi_model_text(b->model, slices->name[s]), MI_LIT("aclmdlExecute")) ||
            mi_bytes_starts(mi_model_text(b->model, slices->name[s]), MI_LIT("aclmdlRIExecute"));
    return true;
}

static bool add_event(struct beside *b, struct event event)
{
    if (!mi_vec_room(&b->list, &b->room, b->count, sizeof *b->list))
        return false;
    b->list[b->count++] = event;
    return true;
}

static bool add_execution(struct beside *b, struct event event, uint32_t call)
{
    uint32_t *at = mi_map_at(&b->at, mi_pair(call, (uint32_t)event.key));
    if (!at)
        return false;
    if (!*at) {
        event.row = call;
        *at = b->count + 1;
        return add_event(b, event);
    }
    struct event *known = &b->list[*at - 1];
    known->start_ns = event.start_ns < known->start_ns ? event.start_ns : known->start_ns;
    known->end_ns = event.end_ns > known->end_ns ? event.end_ns : known->end_ns;
    known->run = event.run < known->run ? event.run : known->run;
    return true;
}

static bool list_events(struct beside *b)
{
    const struct mi_tasks *tasks = &b->rows->tasks;
    bool ok = true;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        uint32_t track = tasks->track[t].v, call = b->calls[t];
        uint32_t home = home_of(b, b->rows->tracks.source[track].v);
        int64_t device = b->rows->tracks.device[track];
        if (!home || !call || tasks->parent[t].v || device < 0 || device >= UINT32_MAX)
            continue;
        struct event event = {.key = mi_pair(home, (uint32_t)device),
                              .at_ns = b->rows->slices.start_ns[call],
                              .start_ns = tasks->start_ns[t],
                              .end_ns = end_of(b, t),
                              .row = t,
                              .run = tasks->run[t],
                              .is_execution = b->executes[call]};
        ok = event.is_execution ? add_execution(b, event, call) : add_event(b, event);
    }
    return ok;
}

static int in_order(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* --- what is the same around each execution --- */

struct stretch { /* tasks between two executions */
    const struct event *first;
    uint32_t count;
};

static bool is_same(const struct beside *b, const struct event *left, const struct event *right,
                    uint32_t count)
{
    const struct mi_tables *rows = b->rows;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t one = rows->tasks.kernel[left[i].row].v,
                 other = rows->tasks.kernel[right[i].row].v;
        if (!mi_bytes_equal(mi_model_text(b->model, rows->kernels.name[one]),
                            mi_model_text(b->model, rows->kernels.name[other])))
            return false;
    }
    return true;
}

/* The tasks from `at` up to the next execution, or the end. */
static struct stretch stretch_at(const struct event *at, const struct event *end)
{
    struct stretch s = {.first = at};
    while (at + s.count < end && !at[s.count].is_execution)
        s.count++;
    return s;
}

/* Whether a stretch lies between executions of two runs, the first of which is the one before it.
 */
static bool is_between(const struct stretch *s, const struct event *end)
{
    const struct event *next = s->first + s->count;
    return next < end && s->first[-1].run < next->run;
}

/* How many tasks of each stretch end a run; UINT32_MAX: the program does not tell. */
static uint32_t find_habit(const struct beside *b, const struct event *from,
                           const struct event *end)
{
    struct stretch head = stretch_at(from, end), usual = {0}, s = head;
    for (const struct event *at = from + head.count; at < end; at = s.first + s.count) {
        s = stretch_at(at + 1, end);
        if (!is_between(&s, end))
            continue;
        if (usual.first && (s.count != usual.count || !is_same(b, s.first, usual.first, s.count)))
            return UINT32_MAX;
        usual = s;
    }
    if (!usual.first || s.count > usual.count || usual.count - s.count > head.count)
        return UINT32_MAX;
    uint32_t before = usual.count - s.count; /* prepare a run */
    return is_same(b, s.first, usual.first, s.count) &&
                   is_same(b, head.first + (head.count - before), usual.first + s.count, before)
               ? s.count
               : UINT32_MAX;
}

/* --- cuts --- */

/* Where the device stood still for more than half of the time from end_ns to start_ns: so many
 * tasks of the stretch are before it. `otherwise` if it did not. */
static uint32_t cut_at_pause(const struct stretch *s, int64_t end_ns, int64_t start_ns,
                             uint32_t otherwise)
{
    int64_t most = start_ns > end_ns ? (int64_t)(((uint64_t)start_ns - (uint64_t)end_ns) / 2) : 0;
    for (uint32_t i = 0; i <= s->count && end_ns < start_ns; i++) {
        int64_t next = i < s->count ? s->first[i].start_ns : start_ns;
        if (next > end_ns && (uint64_t)next - (uint64_t)end_ns > (uint64_t)most)
            return i;
        if (i < s->count && s->first[i].end_ns > end_ns)
            end_ns = s->first[i].end_ns;
    }
    return otherwise;
}

static void set_runs(struct beside *b, const struct stretch *s, uint32_t cut, uint32_t before,
                     uint32_t behind)
{
    for (uint32_t i = 0; i < s->count; i++)
        b->rows->tasks.run[s->first[i].row] = i < cut ? before : behind;
}

/* What comes before the first execution `next`. */
static void number_head(struct beside *b, const struct stretch *s, uint32_t prepares)
{
    const struct event *next = s->first + s->count;
    uint32_t cut = s->count - prepares;
    if (prepares == UINT32_MAX)
        cut = s->count ? cut_at_pause(s, s->first->start_ns, next->start_ns, s->count) : 0;
    set_runs(b, s, cut, MI_NO_RUN, next->run);
}

static void number_device(struct beside *b, const struct event *from, const struct event *end)
{
    struct stretch s = stretch_at(from, end);
    const struct event *first = from + s.count;
    uint32_t habit = find_habit(b, from, end), prepares = UINT32_MAX;
    for (const struct event *at = first; at < end; at = s.first + s.count) {
        s = stretch_at(at + 1, end);
        uint32_t cut = s.count;
        if (is_between(&s, end) && habit != UINT32_MAX) {
            cut = habit;
            prepares = s.count - habit;
        } else if (is_between(&s, end))
            cut = cut_at_pause(&s, at->end_ns, s.first[s.count].start_ns, s.count);
        set_runs(b, &s, cut, at->run, cut < s.count ? s.first[s.count].run : at->run);
    }
    s = stretch_at(from, end);
    number_head(b, &s, prepares);
}

static void number_all(struct beside *b)
{
    struct mi_tasks *tasks = &b->rows->tasks;
    for (uint32_t from = 0, to; from < b->count; from = to) {
        uint32_t most = 0;
        bool has_any = false;
        for (to = from; to < b->count && b->list[to].key == b->list[from].key; to++) {
            has_any |= b->list[to].is_execution;
            if (b->list[to].is_execution && b->list[to].run > most)
                most = b->list[to].run;
        }
        if (has_any && most > 0)
            number_device(b, &b->list[from], &b->list[to]);
    }
    for (uint32_t t = 1; t < tasks->count; t++) { /* parts run with the whole */
        uint32_t parent = tasks->parent[t].v;
        for (unsigned depth = 0; parent && depth < MAX_DEPTH; depth++) {
            tasks->run[t] = tasks->run[parent];
            parent = tasks->parent[parent].v;
        }
    }
}

bool mi_hook_number_beside(struct mi_model *model, const uint32_t *owners)
{
    struct beside b = {.model = model, .rows = &model->all.rows, .owners = owners};
    bool ok = b.rows->tasks.count <= 1 || (find_calls(&b) && list_events(&b));
    if (ok && b.count) {
        qsort(b.list, b.count, sizeof *b.list, in_order);
        number_all(&b);
    }
    mi_mem_free(b.calls);
    mi_mem_free(b.executes);
    mi_map_fini(&b.at);
    mi_mem_free(b.list);
    return ok;
}
