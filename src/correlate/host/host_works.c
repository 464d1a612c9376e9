/* What ops launched as nodes of a compiled graph, and the links between ops, nodes and tasks.
 *
 * A node is the k-th work of a name within a call: kernels, collectives, copies. Parts of a
 * collective and the frame around a kernel belong to the node of what they are parts of. A launch
 * without a task is a node too: its record is missing. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/host/host_graphs.h"
#include "model/links.h"

#include <stdlib.h>

struct work {
    int64_t at_ns;
    uint32_t launch, task; /* task 0: no record of it */
};

enum statement { STATED_AND_FOUND, STATED, FOUND, CONTRADICTED, STATEMENTS };

struct made {      /* a node */
    uint32_t link; /* row of `lowered`; 0 = of no op */
    bool has_task;
};

struct works {
    struct mi_host_graphs *g;
    struct mi_tables *rows;
    mi_graph_id graph;
    struct work *list;
    uint32_t count, room;
    uint32_t *main_of; /* [tasks.count] the task that it is a part of, or itself; 0 = of none */
    uint32_t *node_of; /* [tasks.count] */
    uint8_t *has_task; /* [slices.count] launches with a task */
    struct mi_map turns, families, nodes; /* see place_work() */
    struct made *made;
    uint32_t made_count, made_room, first_node, position;
    mi_str_id rule, op_texts[STATEMENTS], conflict, id_text, arrow_text, alone_text;
    int64_t times[STATEMENTS];
};

/* --- which tasks are works --- */

static bool is_main(const struct works *w, uint32_t t)
{
    const struct mi_tables *rows = w->rows;
    unsigned kind = rows->kernels.kind[rows->tasks.kernel[t].v];
    uint32_t parent = rows->tasks.parent[t].v;
    bool is_framed = parent && rows->kernels.kind[rows->tasks.kernel[parent].v] == MI_TASK_CONTROL;
    if (kind == MI_TASK_COMMUNICATION &&
        rows->tracks.kind[rows->tasks.track[t].v] != MI_TRACK_STREAM)
        return true;
    return (kind == MI_TASK_COMPUTE && (!parent || is_framed)) ||
           ((kind == MI_TASK_TRANSFER || kind == MI_TASK_COMMUNICATION) && !parent);
}

static void find_mains(struct works *w)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++)
        if (mi_host_collection_of_task(w->rows, t) == w->g->collection && is_main(w, t))
            w->main_of[t] = t;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t parent = tasks->parent[t].v;
        if (w->main_of[t] == t && parent && !w->main_of[parent])
            w->main_of[parent] = t; /* a frame */
    }
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t at = tasks->parent[t].v;
        for (unsigned depth = 0; !w->main_of[t] && at && depth < 4; depth++) {
            w->main_of[t] = w->main_of[at];
            at = tasks->parent[at].v;
        }
    }
}

static bool add_work(struct works *w, int64_t at_ns, uint32_t launch, uint32_t task)
{
    if (!mi_vec_room(&w->list, &w->room, w->count, sizeof *w->list))
        return false;
    w->list[w->count++] = (struct work){at_ns, launch, task};
    return true;
}

static bool list_works(struct works *w)
{
    const struct mi_tables *rows = w->rows;
    bool ok = true;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        w->has_task[rows->tasks.launch[t].v] = 1;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++) {
        uint32_t launch = rows->tasks.launch[t].v;
        if (w->main_of[t] == t && mi_host_collection_of_task(rows, t) == w->g->collection)
            ok = add_work(w, launch ? rows->slices.start_ns[launch] : rows->tasks.start_ns[t],
                          launch, t);
    }
    for (uint32_t s = 1; ok && s < rows->slices.count; s++)
        if (!w->has_task[s] && mi_some_u32(rows->slices.connection[s]) != MI_NO_CONNECTION &&
            rows->slices.item[s].v && mi_host_slice_level(&w->g->ops, s) == MI_HOST_NODE &&
            mi_host_collection_of_slice(rows, s) == w->g->collection &&
            mi_host_op_of(&w->g->ops, s))
            ok = add_work(w, rows->slices.start_ns[s], s, 0);
    return ok;
}

static int compare_works(const void *left, const void *right)
{
    const struct work *a = left, *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->launch != b->launch)
        return a->launch < b->launch ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* --- names --- */

/* hcom_allReduce__210_0_1: what stands behind the type counts the calls. */
static struct mi_bytes without_counts(struct mi_bytes name)
{
    for (size_t i = 1; i + 1 < name.len; i++)
        if (name.at[i] == '_' && name.at[i + 1] == '_')
            return mi_bytes_sub(name, 0, i);
    return name;
}

static mi_str_id name_of(const struct works *w, const struct work *work)
{
    const struct mi_kernels *kernels = &w->rows->kernels;
    if (!work->task)
        return w->rows->slices.item[work->launch];
    uint32_t kernel = w->rows->tasks.kernel[work->task].v;
    mi_str_id name =
        kernels->node_name[kernel].v ? kernels->node_name[kernel] : kernels->name[kernel];
    if (kernels->kind[kernel] != MI_TASK_COMMUNICATION)
        return name;
    return mi_batch_str(&w->g->model->all, without_counts(mi_model_text(w->g->model, name)));
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* aclnnAdd_AddAiCore_Add, trans_TransData_3, ReduceSum7, MatMulV21: the last word, without the
 * number of the call behind it; a V has one digit of its own. */
static mi_str_id type_in(const struct works *w, mi_str_id name)
{
    struct mi_bytes text = mi_model_text(w->g->model, name), type = text;
    bool is_old = !mi_bytes_starts(text, MI_LIT("aclnn"));
    size_t from, end = type.len;
    while (is_old && end && is_digit(type.at[end - 1]))
        end--;
    if (end && type.at[end - 1] == 'V' && end < type.len)
        end++;
    if (end && type.at[end - 1] == '_')
        end--;
    type.len = end;
    for (from = end; from && type.at[from - 1] != '_'; from--)
        ;
    type = mi_bytes_sub(type, from, type.len);
    bool is_type = type.len && type.at[0] >= 'A' && type.at[0] <= 'Z';
    return is_type ? mi_batch_str(&w->g->model->all, type) : name;
}

/* --- nodes --- */

static bool add_node(struct works *w, const struct work *work, mi_str_id name)
{
    struct mi_batch *all = &w->g->model->all;
    uint32_t kernel = w->rows->tasks.kernel[work->task].v;
    bool is_kernel = !work->task || w->rows->kernels.node_name[kernel].v;
    mi_str_id op = work->task ? w->rows->kernels.op[kernel] : MI_NO_STR;
    if (!mi_vec_room(&w->made, &w->made_room, w->made_count, sizeof *w->made))
        return false;
    uint32_t node = mi_add_node(all, &(struct mi_node_row){.graph = w->graph,
                                                           .name = mi_host_unique_name(w->g, name),
                                                           .op = op.v        ? op
                                                                 : is_kernel ? type_in(w, name)
                                                                             : name,
                                                           .position = w->position++,
                                                           .native_id = -1,
                                                           .stream = -1,
                                                           .first_in = mi_next_row(all, ports),
                                                           .first_out = mi_next_row(all, ports),
                                                           .first_attr = mi_next_row(all, attrs)})
                        .v;
    if (!w->first_node)
        w->first_node = node;
    w->made[w->made_count++] = (struct made){0};
    return node != 0;
}

/* The node of a work: that of its op, name and turn within the call. 0: out of memory. */
static uint32_t place_work(struct works *w, const struct work *work, uint32_t call)
{
    mi_str_id name = name_of(w, work);
    uint32_t op = w->g->node_of[call], step = 0;
    if (!call && mi_host_step_count(&w->g->steps, w->g->collection) > 1)
        step = mi_host_steps_begun(&w->g->steps, w->g->collection, work->at_ns);
    /* without a call the step stands for it; calls are rows of slices, so steps count from above */
    uint32_t *turn = mi_map_at(&w->turns, mi_pair(call ? call : UINT32_MAX - step, name.v));
    if (!turn)
        return 0;
    ++*turn;
    uint32_t *family = mi_map_at(&w->families, mi_pair(op, name.v));
    if (!family)
        return 0;
    if (!*family)
        *family = w->families.count;
    uint32_t *node = mi_map_at(&w->nodes, mi_pair(*family, *turn));
    if (node && !*node && add_node(w, work, name))
        *node = w->first_node + w->made_count - 1;
    return node ? *node : 0;
}

/* --- links --- */

static const enum mi_confidence confidences[STATEMENTS] = {MI_CERTAIN, MI_CERTAIN, MI_LIKELY,
                                                           MI_LIKELY};

static enum statement compare_with_statement(const struct works *w, const struct work *work,
                                             uint32_t found)
{
    uint32_t stated = work->task ? w->g->ops.statements[work->task] : 0;
    if (!found)
        return STATED;
    if (!stated)
        return FOUND;
    return stated == found ? STATED_AND_FOUND : CONTRADICTED;
}

static void link_op(struct works *w, const struct work *work, uint32_t call, uint32_t node)
{
    bool is_called = work->launch && mi_host_slice_level(&w->g->ops, work->launch) != MI_HOST_OP;
    uint32_t found = is_called ? mi_host_op_of(&w->g->ops, work->launch) : 0; /* by no arrow */
    enum statement statement = compare_with_statement(w, work, found);
    struct made *made = &w->made[node - w->first_node];
    struct mi_lowered *links = &w->rows->lowered;
    made->has_task |= work->task != 0;
    if (!call)
        return;
    w->times[statement]++;
    if (!made->link) {
        made->link =
            mi_add_lowered(&w->g->model->all,
                           &(struct mi_lowered_row){
                               .framework = {w->g->node_of[call]},
                               .compiled = {node},
                               .role = MI_ROLE_COMPUTED,
                               .confidence = (uint8_t)confidences[statement],
                               .rule = w->rule,
                               .evidence = w->op_texts[statement],
                               .conflict = statement == CONTRADICTED ? w->conflict : MI_NO_STR})
                .v;
    } else if (links->confidence[made->link] > confidences[statement]) {
        links->confidence[made->link] = (uint8_t)confidences[statement];
        links->evidence[made->link] = w->op_texts[statement];
        links->conflict[made->link] = statement == CONTRADICTED ? w->conflict : MI_NO_STR;
    }
}

static bool place_all(struct works *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const struct work *work = &w->list[i];
        uint32_t call =
            work->task ? w->g->asker[work->task] : mi_host_op_of(&w->g->ops, work->launch);
        uint32_t node = place_work(w, work, call);
        if (!node)
            return false;
        link_op(w, work, call, node);
        if (work->task)
            w->node_of[work->task] = node;
    }
    return true;
}

static void link_tasks(struct works *w)
{
    const struct mi_tasks *tasks = &w->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t node = w->node_of[w->main_of[t]];
        bool has_id = tasks->launch[t].v && mi_some_u32(tasks->connection[t]) != MI_NO_CONNECTION;
        if (!node)
            continue;
        mi_link_add(&w->g->model->all,
                    &(struct mi_executed_row){
                        .node = {node},
                        .task = {t},
                        .confidence = tasks->launch[t].v ? MI_CERTAIN : MI_LIKELY,
                        .rule = w->rule,
                        .evidence = has_id ? w->id_text
                                           : (tasks->launch[t].v ? w->arrow_text : w->alone_text)});
    }
}

/* Ops whose launches left no record, and ops that launched nothing. */
static void judge_ops(struct works *w)
{
    struct mi_batch *all = &w->g->model->all;
    uint32_t count = w->rows->nodes.count;
    uint8_t *seen = mi_mem_zero(count, 1); /* 1: launched something, 2: of which there is a task */
    if (!seen) {
        mi_batch_fail(all, MI_ENOMEM, "out of memory for ops");
        return;
    }
    for (uint32_t i = 0; i < w->made_count; i++)
        if (w->made[i].link)
            seen[w->rows->lowered.framework[w->made[i].link].v] |= w->made[i].has_task ? 2 : 1;
    for (uint32_t n = 1; n < count; n++) {
        uint32_t graph = w->rows->nodes.graph[n].v;
        if (graph + 1 != w->graph.v || seen[n] & 2)
            continue;
        bool is_lost = seen[n] == 1;
        mi_add_fate(all, &(struct mi_fate_row){
                             .node = {n},
                             .fate = MI_FATE_NOT_EXECUTED,
                             .reason = is_lost ? MI_REASON_NOT_CAPTURED : MI_REASON_NO_TASK,
                             .confidence = MI_LIKELY,
                             .evidence = mi_batch_cstr(
                                 all, is_lost ? N_("its launches were recorded, its tasks were not")
                                              : N_("it ran on the host and launched nothing"))});
    }
    mi_mem_free(seen);
}

/* --- the graph --- */

static void prepare_texts(struct works *w)
{
    struct mi_batch *all = &w->g->model->all;
    w->rule = mi_batch_cstr(all, "host_calls");
    w->op_texts[STATED_AND_FOUND] = mi_batch_cstr(
        all, N_("the profiler states the op; ids and nesting of the calls say the same"));
    w->op_texts[STATED] = mi_batch_cstr(all, N_("the profiler states the op"));
    w->op_texts[FOUND] =
        mi_batch_cstr(all, N_("the call that launched it has its connection id and lies in the op, "
                              "or was put into the queue by it"));
    w->op_texts[CONTRADICTED] = mi_batch_cstr(all, N_("the profiler states the op"));
    w->conflict = mi_batch_cstr(all, N_("ids and nesting of the calls lead to another op"));
    w->id_text = mi_batch_cstr(all, N_("the call that launched it has its connection id"));
    w->arrow_text = mi_batch_cstr(all, N_("an arrow of the trace leads from its op to it"));
    w->alone_text = mi_batch_cstr(all, N_("the profile names it, but no call that launched it"));
}

static void report(const struct works *w)
{
    static const struct {
        enum statement which;
        enum mi_severity severity;
        const char *code, *text;
    } notices[] = {
        {STATED_AND_FOUND, MI_INFO, "host.op_confirmed",
         N_("works whose op the profiler states; the calls say the same")},
        {STATED, MI_INFO, "host.op_stated",
         N_("works whose op the profiler states; calls were not recorded")},
        {FOUND, MI_INFO, "host.op_found", N_("works whose op follows from the calls alone")},
        {CONTRADICTED, MI_NOTICE, "host.op_differs",
         N_("works for which the calls lead to another op than the profiler states")}};
    struct mi_batch *all = &w->g->model->all;
    for (size_t i = 0; i < sizeof notices / sizeof *notices; i++)
        if (w->times[notices[i].which])
            mi_add_diag(all, &(struct mi_diag_row){.source = w->rows->graphs.source[w->graph.v],
                                                   .code = mi_batch_cstr(all, notices[i].code),
                                                   .severity = (uint8_t)notices[i].severity,
                                                   .times = w->times[notices[i].which],
                                                   .offset = -1,
                                                   .text = mi_batch_cstr(all, notices[i].text)});
}

static bool make(struct works *w, mi_str_id name)
{
    struct mi_batch *all = &w->g->model->all;
    find_mains(w);
    if (!list_works(w))
        return false;
    if (!w->count)
        return true;
    qsort(w->list, w->count, sizeof *w->list, compare_works);
    uint32_t first = w->list[0].task;
    mi_source_id source = first
                              ? w->rows->kernels.source[w->rows->tasks.kernel[first].v]
                              : w->rows->tracks.source[w->rows->slices.track[w->list[0].launch].v];
    w->graph = mi_add_graph(all, &(struct mi_graph_row){.source = source,
                                                        .layer = MI_LAYER_COMPILED,
                                                        .kind = MI_GRAPH_MAIN,
                                                        .name = name,
                                                        .first_in = mi_next_row(all, ports),
                                                        .first_out = mi_next_row(all, ports)});
    prepare_texts(w);
    if (!place_all(w))
        return false;
    link_tasks(w);
    judge_ops(w);
    report(w);
    return true;
}

bool mi_host_add_works(struct mi_host_graphs *g, mi_str_id name)
{
    struct works w = {.g = g, .rows = g->rows};
    w.main_of = mi_mem_zero(g->rows->tasks.count, sizeof *w.main_of);
    w.node_of = mi_mem_zero(g->rows->tasks.count, sizeof *w.node_of);
    w.has_task = mi_mem_zero(g->rows->slices.count, 1);
    bool ok = w.main_of && w.node_of && w.has_task && make(&w, name);
    mi_mem_free(w.list);
    mi_mem_free(w.main_of);
    mi_mem_free(w.node_of);
    mi_mem_free(w.has_task);
    mi_mem_free(w.made);
    mi_map_fini(&w.turns);
    mi_map_fini(&w.families);
    mi_map_fini(&w.nodes);
    return ok;
}
