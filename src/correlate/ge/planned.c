#include "correlate/ge/planned.h"

#include "base/mem.h"
#include "base/translate.h"
#include "correlate/ge/ge_graphs.h"

#define MAX_DEPTH 64u

/* Instead of a node: several in the graph of the list, or in its sub-graphs; none so far. */
#define SEVERAL        UINT32_MAX
#define SEVERAL_INSIDE (UINT32_MAX - 1)
#define STATED         (UINT32_MAX - 2)

struct plan {
    struct mi_model *model;
    struct mi_planned *tasks;
    const struct mi_nodes *nodes;
    uint32_t *root;        /* [graphs.count] main graph around it, or a graph that owns a list */
    uint8_t *has_list;     /* [graphs.count] */
    struct mi_map by_id;   /* (root, number that a task states) -> node, or SEVERAL..., STATED */
    struct mi_map by_name; /* (root, name that a task states) -> the same */
    struct mi_map numbers; /* event -> a small number, from 1: some are addresses */
    struct mi_map events;  /* (list, that number and kind) -> last record, or a wait before any */
    struct mi_map records; /* the same -> its only record, or SEVERAL */
    mi_str_id index_rule, name_rule, next_rule;
    mi_str_id index_evidence, name_evidence, both_evidence, before_evidence, after_evidence,
        end_evidence, stream_evidence, bare_evidence, inner_evidence;
};

static bool type_is(const struct plan *p, uint32_t task, const char *name)
{
    return mi_bytes_equal(mi_model_text(p->model, p->tasks->type[task]), mi_cstr(name));
}

/* --- nodes by number and by name --- */

static void find_roots(struct plan *p)
{
    const struct mi_graphs *graphs = &p->model->all.rows.graphs;
    for (uint32_t t = 1; t < p->tasks->count; t++)
        p->has_list[p->tasks->graph[t].v] = 1;
    for (uint32_t g = 1; g < graphs->count; g++) {
        uint32_t at = g;
        for (uint32_t depth = 0; depth < MAX_DEPTH && !p->has_list[at]; depth++) {
            uint32_t owner = graphs->parent[at].v;
            if (!owner)
                break;
            at = p->nodes->graph[owner].v;
        }
        p->root[g] = at;
    }
}

/* Only what tasks state is looked up later: models have several times more nodes. With room for one
 * more no key that is there makes a map grow. */
static bool map_stated(struct plan *p)
{
    for (uint32_t t = 1; t < p->tasks->count; t++) {
        int64_t id = p->tasks->op_index[t];
        uint32_t list = p->tasks->graph[t].v, name = p->tasks->op_name[t].v;
        if (id >= 0 && id < UINT32_MAX &&
            !mi_map_set(&p->by_id, mi_pair(list, (uint32_t)id), STATED))
            return false;
        if (name && !mi_map_set(&p->by_name, mi_pair(list, name), STATED))
            return false;
    }
    return mi_map_reserve(&p->by_id, 1) && mi_map_reserve(&p->by_name, 1);
}

/* A number or name that occurs once in the graph of the list itself means that node; else one that
 * occurs once in its sub-graphs. */
static void note(const struct plan *p, struct mi_map *map, uint64_t key, uint32_t node)
{
    uint32_t old = mi_map_get(map, key), root = p->root[p->nodes->graph[node].v];
    bool is_own = p->nodes->graph[node].v == root;
    if (!old || old == SEVERAL || (old == SEVERAL_INSIDE && !is_own))
        return;
    if (old < STATED && (p->nodes->graph[old].v == root) == is_own)
        mi_map_set(map, key, is_own ? SEVERAL : SEVERAL_INSIDE);
    else if (old >= STATED || is_own)
        mi_map_set(map, key, node);
}

static void map_nodes(struct plan *p)
{
    for (uint32_t n = 1; n < p->nodes->count; n++) {
        uint32_t root = p->root[p->nodes->graph[n].v];
        int64_t id = p->nodes->native_id[n];
        if (!p->has_list[root])
            continue;
        if (id >= 0 && id < UINT32_MAX)
            note(p, &p->by_id, mi_pair(root, (uint32_t)id), n);
        if (p->nodes->name[n].v)
            note(p, &p->by_name, mi_pair(root, p->nodes->name[n].v), n);
    }
}

/* --- one task --- */

static uint32_t by_number(const struct plan *p, uint32_t task)
{
    int64_t id = p->tasks->op_index[task];
    if (id < 0 || id >= UINT32_MAX)
        return 0;
    uint32_t node = mi_map_get(&p->by_id, mi_pair(p->tasks->graph[task].v, (uint32_t)id));
    return node == STATED ? 0 : node;
}

static uint32_t by_name(const struct plan *p, uint32_t task)
{
    uint32_t name = p->tasks->op_name[task].v;
    uint32_t node = name ? mi_map_get(&p->by_name, mi_pair(p->tasks->graph[task].v, name)) : 0;
    return node >= STATED ? 0 : node;
}

static void set_link(struct plan *p, uint32_t task, uint32_t node, enum mi_confidence confidence,
                     mi_str_id rule, mi_str_id evidence)
{
    p->tasks->node[task].v = node;
    p->tasks->confidence[task] = (uint8_t)confidence;
    p->tasks->rule[task] = rule;
    p->tasks->evidence[task] = evidence;
}

static bool needs_no_task(const struct plan *p, uint32_t node)
{
    enum mi_ge_op op = mi_ge_op_of(p->model, node);
    return op == MI_GE_OP_BOUNDARY || op == MI_GE_OP_CONST;
}

/* Tasks of fused groups may state the name of the group's leader, so number and name that disagree
 * are no error; but they are less than certain. */
static void link_stated(struct plan *p, uint32_t task)
{
    uint32_t a = by_number(p, task), b = by_name(p, task);
    if (a >= SEVERAL_INSIDE) {
        bool same = b && p->nodes->native_id[b] == p->tasks->op_index[task];
        if (same)
            set_link(p, task, b, MI_CERTAIN, p->index_rule, p->both_evidence);
        a = 0;
    }
    if (p->tasks->node[task].v)
        return;
    if (a && needs_no_task(p, a) && b != a) /* a number that was left out reads as 0 */
        a = 0;
    if (a && b && a != b) {
        set_link(p, task, a, MI_LIKELY, p->index_rule, p->index_evidence);
        struct mi_bytes name = mi_model_text(p->model, p->nodes->name[b]);
        p->tasks->conflict[task] =
            mi_batch_printf(&p->model->all, "task_index_op_name: %.*s",
                            (int)(name.len < 200 ? name.len : 200), (const char *)name.at);
    } else if (a) {
        set_link(p, task, a, MI_CERTAIN, p->index_rule, b ? p->both_evidence : p->index_evidence);
    } else if (b) {
        set_link(p, task, b, MI_CERTAIN, p->name_rule, p->name_evidence);
    }
}

/* --- by neighbours --- */

/* Where the node of a task without number and name is found: what it prepares stands behind it,
 * what it cleans up stands before it. */
static int side_of(const struct plan *p, uint32_t task)
{
    if (type_is(p, task, "BARRIER") || type_is(p, task, "FUSION_START"))
        return 1;
    if (type_is(p, task, "CMO") || type_is(p, task, "CMO_ADDR") || type_is(p, task, "FUSION_END"))
        return -1;
    return 0;
}

static bool are_neighbours(const struct plan *p, uint32_t a, uint32_t b)
{
    return p->tasks->graph[a].v == p->tasks->graph[b].v &&
           p->tasks->stream[a] == p->tasks->stream[b];
}

/* The last compute task of each stream, in list order (`step` 1) or against it, names the node of
 * those that follow without one. */
static bool link_side(struct plan *p, int side)
{
    struct mi_map last = {0}; /* (list, stream) -> task */
    uint32_t count = p->tasks->count;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t task = side < 0 ? i : count - i;
        uint32_t *slot =
            mi_map_at(&last, mi_pair(p->tasks->graph[task].v, (uint32_t)p->tasks->stream[task]));
        if (!slot) {
            mi_map_fini(&last);
            return false;
        }
        bool is_work =
            p->tasks->node[task].v && side_of(p, task) == 0 && p->tasks->kind[task] != MI_TASK_SYNC;
        if (is_work)
            *slot = task;
        else if (!p->tasks->node[task].v && side_of(p, task) == side && *slot && *slot != SEVERAL &&
                 are_neighbours(p, task, *slot))
            set_link(p, task, p->tasks->node[*slot].v, MI_GUESS, p->next_rule,
                     side < 0 ? p->before_evidence : p->after_evidence);
        if (!*slot)
            *slot = SEVERAL; /* the map keeps no zeroes */
    }
    mi_map_fini(&last);
    return true;
}

/* The end of a list is where its graph hands out its results. */
static void link_end(struct plan *p, uint32_t task)
{
    if (p->tasks->node[task].v || !type_is(p, task, "END_GRAPH"))
        return;
    uint32_t g = p->tasks->graph[task].v;
    uint32_t end = p->model->index.graph_first_node[g + 1];
    for (uint32_t n = p->model->index.graph_first_node[g]; n < end; n++)
        if (mi_bytes_equal(mi_model_text(p->model, p->nodes->op[n]), MI_LIT("NetOutput"))) {
            set_link(p, task, n, MI_LIKELY, p->next_rule, p->end_evidence);
            return;
        }
}

/* --- records and waits --- */

static bool ends_with(const struct plan *p, uint32_t task, const char *end)
{
    return mi_bytes_ends(mi_model_text(p->model, p->tasks->type[task]), mi_cstr(end));
}

static bool is_record(const struct plan *p, uint32_t task)
{
    return p->tasks->event[task] >= 0 && ends_with(p, task, "_RECORD");
}

static bool is_wait(const struct plan *p, uint32_t task)
{
    return p->tasks->event[task] >= 0 && ends_with(p, task, "_WAIT");
}

/* Events, notifies and values in memory are numbered apart. False: out of memory. */
static bool event_key(struct plan *p, uint32_t task, uint64_t *key)
{
    uint32_t family =
        type_is(p, task, "NOTIFY_RECORD") || type_is(p, task, "NOTIFY_WAIT")             ? 1
        : mi_bytes_starts(mi_model_text(p->model, p->tasks->type[task]), MI_LIT("MEM_")) ? 2
                                                                                         : 0;
    uint32_t *number = mi_map_at(&p->numbers, (uint64_t)p->tasks->event[task]);
    if (!number)
        return false;
    if (!*number)
        *number = p->numbers.count;
    *key = mi_pair(p->tasks->graph[task].v, *number * 3 + family);
    return true;
}

static void set_peers(struct plan *p, uint32_t wait, uint32_t record)
{
    uint32_t first = p->tasks->peer[record].v;
    p->tasks->peer[wait].v = record;
    if (!first || (first > wait && first < record))
        p->tasks->peer[record].v = wait;
}

/* Numbers are used again, so a wait means the last record before it; one that stands before every
 * record of its number means the next. */
static bool pair_event(struct plan *p, uint32_t task)
{
    uint64_t key;
    uint32_t *last = event_key(p, task, &key) ? mi_map_at(&p->events, key) : NULL;
    uint32_t *only = last && is_record(p, task) ? mi_map_at(&p->records, key) : last;
    if (!last || !only)
        return false;
    if (is_record(p, task)) {
        *only = *only ? SEVERAL : task;
        if (*last && is_wait(p, *last))
            set_peers(p, *last, task);
        *last = task;
    } else if (*last && !is_wait(p, *last)) {
        set_peers(p, task, *last);
    } else {
        *last = task;
    }
    return true;
}

/* Lists that go stream by stream may have several waits in front of the one record of a number. */
static bool pair_events(struct plan *p)
{
    uint64_t key;
    for (uint32_t t = 1; t < p->tasks->count; t++)
        if ((is_record(p, t) || is_wait(p, t)) && !pair_event(p, t))
            return false;
    for (uint32_t t = 1; t < p->tasks->count; t++) {
        if (!is_wait(p, t) || p->tasks->peer[t].v)
            continue;
        if (!event_key(p, t, &key))
            return false;
        uint32_t only = mi_map_get(&p->records, key);
        if (only && only != SEVERAL)
            set_peers(p, t, only);
    }
    return true;
}

/* --- the step --- */

static void prepare_texts(struct plan *p)
{
    struct mi_batch *all = &p->model->all;
    p->index_rule = mi_batch_cstr(all, "op_index");
    p->name_rule = mi_batch_cstr(all, "task_index_op_name");
    p->next_rule = mi_batch_cstr(all, "adjacency");
    p->index_evidence = mi_batch_cstr(all, N_("the task states the number of the node"));
    p->name_evidence = mi_batch_cstr(all, N_("the model states the name of the node for it"));
    p->both_evidence = mi_batch_cstr(all, N_("number and name of the node are stated"));
    p->before_evidence = mi_batch_cstr(all, N_("follows the task of this node on its stream"));
    p->after_evidence = mi_batch_cstr(all, N_("precedes the task of this node on its stream"));
    p->end_evidence = mi_batch_cstr(all, N_("ends the list: the results of the graph are ready"));
    p->stream_evidence = mi_batch_cstr(all, N_("belongs to its stream, not to a node"));
    p->bare_evidence = mi_batch_cstr(all, N_("this list of tasks names no nodes"));
    p->inner_evidence = mi_batch_cstr(all, N_("part of the task of this node"));
}

static bool link_all(struct plan *p)
{
    uint32_t count = p->tasks->count;
    for (uint32_t t = 1; t < count; t++)
        link_stated(p, t);
    if (!link_side(p, -1) || !link_side(p, 1))
        return false;
    for (uint32_t t = 1; t < count; t++) {
        uint32_t parent = p->tasks->parent[t].v;
        link_end(p, t);
        if (!p->tasks->node[t].v && parent && parent < t && p->tasks->node[parent].v)
            set_link(p, t, p->tasks->node[parent].v, p->tasks->confidence[parent],
                     p->tasks->rule[parent], p->inner_evidence);
        uint32_t graph = p->tasks->graph[t].v;
        bool has_nodes =
            p->model->index.graph_first_node[graph + 1] > p->model->index.graph_first_node[graph];
        if (!p->tasks->node[t].v)
            p->tasks->evidence[t] = has_nodes ? p->stream_evidence : p->bare_evidence;
    }
    return pair_events(p);
}

bool mi_planned_apply(struct mi_model *model, struct mi_error *err)
{
    struct plan p = {
        .model = model, .tasks = &model->all.rows.planned, .nodes = &model->all.rows.nodes};
    if (p.tasks->count <= 1)
        return true;
    p.root = mi_mem_zero(model->all.rows.graphs.count, sizeof *p.root);
    p.has_list = mi_mem_zero(model->all.rows.graphs.count, 1);
    bool ok = p.root && p.has_list;
    if (ok) {
        prepare_texts(&p);
        find_roots(&p);
        ok = map_stated(&p);
    }
    if (ok) {
        map_nodes(&p);
        ok = link_all(&p) && !mi_batch_failed(&model->all);
    }
    mi_mem_free(p.root);
    mi_mem_free(p.has_list);
    mi_map_fini(&p.by_id);
    mi_map_fini(&p.by_name);
    mi_map_fini(&p.numbers);
    mi_map_fini(&p.events);
    mi_map_fini(&p.records);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for planned tasks");
}
