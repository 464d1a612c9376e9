/* The runtime numbers the tasks of a stream in the order of the compiler's list, so that on one
 * stream the difference between task id and place in the list is constant from one known task to
 * the next, unless the runtime has put a task of its own between them. */
#include "base/mem.h"
#include "base/vec.h"
#include "correlate/cann/cann_tasks.h"

#include <stdlib.h>

#define SEVERAL UINT32_MAX

/* Tasks between two known ones that are compared one by one. */
enum { MAX_GAP = 256 };

static bool is_reported(const struct mi_cann_plan *plan, struct mi_bytes type)
{
    const struct mi_kernels *kernels = &plan->model->all.rows.kernels;
    for (uint32_t k = 1; k < kernels->count; k++)
        if (mi_bytes_equal(mi_model_text(plan->model, kernels->name[k]), type))
            return true;
    return false;
}

/* Hints to the caches are no tasks of their own on some chips, and then have no number. */
static bool is_hint(const struct mi_cann_plan *plan, uint32_t planned)
{
    struct mi_bytes type = mi_model_text(plan->model, plan->model->all.rows.planned.type[planned]);
    return (!plan->has_cmo && mi_bytes_equal(type, MI_LIT("CMO"))) ||
           (!plan->has_barrier && mi_bytes_equal(type, MI_LIT("BARRIER")));
}

static bool number_lists(struct mi_cann_plan *plan)
{
    const struct mi_planned *planned = &plan->model->all.rows.planned;
    plan->has_cmo = is_reported(plan, MI_LIT("CMO"));
    plan->has_barrier = is_reported(plan, MI_LIT("BARRIER"));
    uint32_t lists = 0;
    for (uint32_t p = 1; p < planned->count; p++) {
        if (planned->parent[p].v || is_hint(plan, p))
            continue;
        uint32_t *list =
            mi_map_at(&plan->lists, mi_pair(planned->graph[p].v, (uint32_t)planned->stream[p]));
        if (!list)
            return false;
        if (!*list)
            *list = ++lists;
        plan->list_of[p] = *list;
    }
    if (!mi_csr_build(&plan->items, lists + 1, plan->list_of, planned->count))
        return false;
    for (uint32_t list = 1; list <= lists; list++)
        for (uint32_t i = plan->items.first[list]; i < plan->items.first[list + 1]; i++)
            plan->place[plan->items.list[i]] = i - plan->items.first[list];
    return true;
}

/* The runtime writes MODEL_END_GRAPH and STREAM_LABEL_GOTO where the compiler writes END_GRAPH,
 * LABEL_GOTO. */
static bool same_type(struct mi_bytes seen, struct mi_bytes want)
{
    return want.len && (mi_bytes_ends(seen, want) || mi_bytes_ends(want, seen));
}

/* Looks at one planned task of each type. */
static bool find_foreign(struct mi_cann_plan *plan)
{
    const struct mi_tables *rows = &plan->model->all.rows;
    const struct mi_planned *planned = &rows->planned;
    struct mi_map types = {0};
    bool ok = true;
    for (uint32_t k = 1; k < rows->kernels.count; k++)
        plan->is_foreign[k] = rows->kernels.kind[k] != MI_TASK_COMPUTE;
    for (uint32_t p = 1; ok && p < planned->count; p++) {
        uint32_t *at = mi_map_at(&types, planned->type[p].v);
        ok = at != NULL;
        if (!ok || *at)
            continue;
        *at = p;
        struct mi_bytes want = mi_model_text(plan->model, planned->type[p]);
        for (uint32_t k = 1; k < rows->kernels.count; k++)
            if (plan->is_foreign[k] &&
                same_type(mi_model_text(plan->model, rows->kernels.name[k]), want))
                plan->is_foreign[k] = 0;
    }
    mi_map_fini(&types);
    return ok;
}

static void find_tasks_of_nodes(struct mi_cann_plan *plan)
{
    const struct mi_planned *planned = &plan->model->all.rows.planned;
    for (uint32_t p = 1; p < planned->count; p++) {
        uint32_t node = planned->node[p].v;
        if (!node || !plan->list_of[p] || planned->kind[p] == MI_TASK_SYNC)
            continue;
        plan->task_of_node[node] = plan->task_of_node[node] ? SEVERAL : p;
    }
}

bool mi_cann_plan_init(struct mi_cann_plan *plan, struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    *plan = (struct mi_cann_plan){.model = model, .anchor_count = 1};
    plan->list_of = mi_mem_zero(rows->planned.count, sizeof *plan->list_of);
    plan->place = mi_mem_zero(rows->planned.count, sizeof *plan->place);
    plan->task_of_node = mi_mem_zero(rows->nodes.count, sizeof *plan->task_of_node);
    plan->is_foreign = mi_mem_zero(rows->kernels.count, sizeof *plan->is_foreign);
    plan->anchor_of = mi_mem_zero(rows->kernels.count, sizeof *plan->anchor_of);
    if (!plan->list_of || !plan->place || !plan->task_of_node || !plan->is_foreign ||
        !plan->anchor_of || !number_lists(plan) || !find_foreign(plan))
        return false;
    find_tasks_of_nodes(plan);
    return true;
}

void mi_cann_plan_fini(struct mi_cann_plan *plan)
{
    mi_map_fini(&plan->lists);
    mi_map_fini(&plan->seen);
    mi_map_fini(&plan->known);
    mi_csr_fini(&plan->items);
    mi_mem_free(plan->is_foreign);
    mi_mem_free(plan->anchor_of);
    mi_mem_free(plan->list_of);
    mi_mem_free(plan->place);
    mi_mem_free(plan->task_of_node);
    mi_mem_free(plan->anchors);
    mi_mem_free(plan->track_first);
    mi_mem_free(plan->first_id);
    mi_mem_free(plan->last_id);
    mi_mem_free(plan->ends);
}

/* Models run again and again, with the same ids: mostly the kernel's last task said the same. */
bool mi_cann_plan_note(struct mi_cann_plan *plan, uint32_t task, uint32_t node)
{
    const struct mi_tasks *tasks = &plan->model->all.rows.tasks;
    uint32_t planned = plan->task_of_node[node], track = tasks->track[task].v;
    uint32_t *last = &plan->anchor_of[tasks->kernel[task].v];
    int64_t id = mi_some_get(tasks->native_id[task]);
    if (!planned || planned == SEVERAL || id < 0 || id >= UINT32_MAX)
        return true;
    const struct mi_cann_anchor *same = *last ? &plan->anchors[*last] : NULL;
    if (same && same->track == track && same->id == id && same->planned == planned)
        return true;
    uint32_t *known = mi_map_at(&plan->known, mi_pair(track, (uint32_t)id));
    if (!known ||
        !mi_vec_room(&plan->anchors, &plan->anchor_room, plan->anchor_count, sizeof *plan->anchors))
        return false;
    if (*known) {
        if (plan->anchors[*known].planned != planned)
            plan->anchors[*known].planned = 0;
        *last = *known;
        return true;
    }
    *last = *known = plan->anchor_count;
    plan->anchors[plan->anchor_count++] =
        (struct mi_cann_anchor){.track = track, .id = (uint32_t)id, .planned = planned};
    return true;
}

bool mi_cann_plan_note_unknown(struct mi_cann_plan *plan, uint32_t task)
{
    const struct mi_tasks *tasks = &plan->model->all.rows.tasks;
    int64_t id = mi_some_get(tasks->native_id[task]);
    if (plan->items.row_count <= 1 || id < 0 || id >= UINT32_MAX)
        return true;
    return mi_map_set(&plan->seen, mi_pair(tasks->track[task].v, (uint32_t)id), task);
}

static int compare_anchors(const void *left, const void *right)
{
    const struct mi_cann_anchor *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

bool mi_cann_plan_anchor(struct mi_cann_plan *plan, const struct mi_cann_anchor *anchor)
{
    if (!mi_vec_room(&plan->anchors, &plan->anchor_room, plan->anchor_count, sizeof *plan->anchors))
        return false;
    plan->anchors[plan->anchor_count++] = *anchor;
    return true;
}

bool mi_cann_plan_sort(struct mi_cann_plan *plan)
{
    uint32_t tracks = plan->model->all.rows.tracks.count, kept = 1;
    mi_mem_free(plan->track_first);
    plan->track_first = mi_mem_zero((size_t)tracks + 1, sizeof *plan->track_first);
    if (!plan->track_first)
        return false;
    for (uint32_t a = 1; a < plan->anchor_count; a++)
        if (plan->anchors[a].planned)
            plan->anchors[kept++] = plan->anchors[a];
    plan->anchor_count = kept;
    if (kept > 2)
        qsort(plan->anchors + 1, kept - 1, sizeof *plan->anchors, compare_anchors);
    for (uint32_t track = 0, a = 1; track <= tracks; track++) {
        while (a < kept && plan->anchors[a].track < track)
            a++;
        plan->track_first[track] = a;
    }
    return true;
}

/* How many of the tasks between two ids of a track are in no list. */
static int64_t count_foreign(const struct mi_cann_plan *plan, uint32_t track, int64_t from,
                             int64_t to)
{
    const struct mi_tasks *tasks = &plan->model->all.rows.tasks;
    int64_t count = 0;
    for (int64_t id = from + 1; id < to && to - from <= MAX_GAP; id++) {
        uint32_t task = mi_map_get(&plan->seen, mi_pair(track, (uint32_t)id));
        count += task && plan->is_foreign[tasks->kernel[task].v];
    }
    return count;
}

uint32_t mi_cann_plan_step(const struct mi_cann_plan *plan, const struct mi_cann_anchor *anchor,
                           int64_t id)
{
    uint32_t list = plan->list_of[anchor->planned];
    int64_t steps = id - (int64_t)anchor->id;
    if (steps > 0)
        steps -= count_foreign(plan, anchor->track, anchor->id, id);
    else
        steps += count_foreign(plan, anchor->track, id, anchor->id);
    int64_t place = (int64_t)plan->place[anchor->planned] + steps;
    if (place < 0 || place >= (int64_t)mi_csr_count(&plan->items, list))
        return 0;
    return plan->items.list[plan->items.first[list] + (uint32_t)place];
}

bool mi_cann_plan_agrees(const struct mi_cann_plan *plan, uint32_t task, uint32_t planned)
{
    const struct mi_tables *rows = &plan->model->all.rows;
    uint32_t kernel = rows->tasks.kernel[task].v, node = rows->planned.node[planned].v;
    if (!planned)
        return false;
    if (rows->kernels.kind[kernel] == MI_TASK_COMPUTE)
        return rows->planned.kind[planned] == MI_TASK_COMPUTE &&
               (!rows->kernels.op[kernel].v || !node ||
                rows->kernels.op[kernel].v == rows->nodes.op[node].v);
    struct mi_bytes seen = mi_model_text(plan->model, rows->kernels.name[kernel]);
    struct mi_bytes want = mi_model_text(plan->model, rows->planned.type[planned]);
    return same_type(seen, want);
}

bool mi_cann_plan_all_agree(const struct mi_cann_plan *plan, const struct mi_cann_anchor *anchor,
                            int64_t first, int64_t last)
{
    if (last - first > MAX_GAP)
        return false;
    for (int64_t id = first; id <= last; id++) {
        uint32_t task = mi_map_get(&plan->seen, mi_pair(anchor->track, (uint32_t)id));
        if (task && !plan->is_foreign[plan->model->all.rows.tasks.kernel[task].v] &&
            !mi_cann_plan_agrees(plan, task, mi_cann_plan_step(plan, anchor, id)))
            return false;
    }
    return true;
}

uint32_t mi_cann_plan_find(const struct mi_cann_plan *plan, uint32_t task, enum mi_cann_hold *hold)
{
    const struct mi_tasks *tasks = &plan->model->all.rows.tasks;
    uint32_t track = tasks->track[task].v;
    int64_t id = mi_some_get(tasks->native_id[task]);
    uint32_t first = plan->track_first[track], end = plan->track_first[track + 1];
    uint32_t lo = first, hi = end;
    *hold = MI_CANN_ONE_SIDE;
    if (id < 0 || first == end || plan->is_foreign[plan->model->all.rows.tasks.kernel[task].v])
        return 0;
    while (lo < hi) { /* the first anchor that is not in front of the task */
        uint32_t middle = lo + (hi - lo) / 2;
        if ((int64_t)plan->anchors[middle].id < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    uint32_t before = lo > first ? mi_cann_plan_step(plan, &plan->anchors[lo - 1], id) : 0;
    uint32_t behind = lo < end ? mi_cann_plan_step(plan, &plan->anchors[lo], id) : 0;
    bool before_agrees = mi_cann_plan_agrees(plan, task, before),
         behind_agrees = mi_cann_plan_agrees(plan, task, behind);
    if (before == behind && before_agrees)
        *hold = MI_CANN_BOTH_SIDES;
    else if ((before_agrees && lo == end && plan->ends[track] & MI_CANN_BACK) ||
             (behind_agrees && lo == first && plan->ends[track] & MI_CANN_FRONT))
        *hold = MI_CANN_TO_END;
    if (before_agrees && behind_agrees && before != behind) {
        /* the runtime put something between: in front of it the one side holds, behind it the other
         */
        before_agrees =
            mi_cann_plan_all_agree(plan, &plan->anchors[lo - 1], plan->anchors[lo - 1].id + 1, id);
        behind_agrees =
            mi_cann_plan_all_agree(plan, &plan->anchors[lo], id, (int64_t)plan->anchors[lo].id - 1);
        if (before_agrees == behind_agrees)
            return 0;
    }
    return before_agrees ? before : behind_agrees ? behind : 0;
}
