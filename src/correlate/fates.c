/* What became of each framework node. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cann/cann_tables.h"
#include "correlate/categories.h"
#include "correlate/cuts/cut.h"
#include "correlate/host/host.h"
#include "correlate/verdict.h"
#include "model/links.h"

struct fates {
    struct mi_model *model;
    const struct mi_tables *rows;
    uint8_t *is_call;        /* [nodes.count] */
    uint8_t *is_fused;       /* [nodes.count] the profile lists it among the ops of a fused node */
    uint32_t *given;         /* [nodes.count] verdict that a matcher has added, or 0 */
    uint32_t *task_count;    /* [nodes.count] tasks linked to the node */
    uint8_t *task_trust;     /* [nodes.count] the strongest of those links */
    uint8_t *plan_trust;     /* [nodes.count] likewise of its planned tasks; 0 = it has none */
    uint32_t *main_origins;  /* [nodes.count] compiled: ops outside functions that it computes */
    uint32_t *inner_origins; /* [nodes.count] likewise inside functions; calls count outside */
    uint32_t *root;          /* [graphs.count] main graph (or function) around it */
    uint8_t *has_tasks;      /* [graphs.count] a node of the graph itself has a task */
    uint8_t *was_run;        /* [graphs.count] roots: some node below has a task */
    uint8_t *has_plan;       /* [graphs.count] roots: some node below has a planned task */
    uint8_t *is_compiled;    /* [sources.count] its graphs are linked to compiled ones */
    uint32_t *final;         /* [nodes.count] row of `all` */
    struct mi_batch all;     /* the verdicts, in the order of the nodes */
    struct mi_csr links;     /* framework node -> rows of lowered */
    bool is_truncated;       /* records of tasks are known to be missing */
    struct mi_map lost;      /* names of nodes with a launch that has no task */
};

static bool is_function_node(const struct fates *f, uint32_t n)
{
    return f->rows->graphs.kind[f->root[f->rows->nodes.graph[n].v]] == MI_GRAPH_FUNCTION;
}

static uint32_t source_of(const struct fates *f, uint32_t n)
{
    return f->rows->graphs.source[f->rows->nodes.graph[n].v].v;
}

static bool computes(const struct fates *f, uint32_t link)
{
    unsigned role = f->rows->lowered.role[link];
    return role == MI_ROLE_COMPUTED || role == MI_ROLE_SHARED;
}

/* --- what is known before --- */

/* Parents stand before their bodies, so one pass finds the roots; a file that breaks this order
 * gets the graph that it stands in. */
static void find_roots(struct fates *f)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    for (uint32_t g = 1; g < graphs->count; g++) {
        uint32_t parent = graphs->parent[g].v;
        uint32_t around = parent ? f->rows->nodes.graph[parent].v : 0;
        f->root[g] = around && around < g ? f->root[around] : g;
    }
}

static void count_tasks(struct fates *f)
{
    const struct mi_executed *executed = &f->rows->executed;
    for (struct mi_links at = mi_links_begin(f->rows); mi_links_next(&at);) {
        uint32_t n = executed->node[at.row].v, g = f->rows->nodes.graph[n].v;
        if (!n)
            continue;
        f->task_count[n]++;
        if (executed->confidence[at.row] > f->task_trust[n])
            f->task_trust[n] = executed->confidence[at.row];
        f->has_tasks[g] = 1;
        f->was_run[f->root[g]] = 1;
    }
}

static void count_planned(struct fates *f)
{
    const struct mi_planned *planned = &f->rows->planned;
    for (uint32_t t = 1; t < planned->count; t++) {
        uint32_t n = planned->node[t].v;
        if (!n)
            continue;
        if (planned->confidence[t] > f->plan_trust[n])
            f->plan_trust[n] = planned->confidence[t];
        f->has_plan[f->root[f->rows->nodes.graph[n].v]] = 1;
    }
}

/* No run of the graph around the node is at hand, but the list of its tasks is. */
static bool is_only_planned(const struct fates *f, uint32_t n)
{
    uint32_t root = f->root[f->rows->nodes.graph[n].v];
    return !f->was_run[root] && f->has_plan[root];
}

/* True if the node decides whether its bodies run. */
static bool is_decision(const struct fates *f, uint32_t n)
{
    struct mi_bytes op = mi_model_text(f->model, f->rows->nodes.op[n]);
    return mi_category_find((struct mi_bytes){0}, op) == MI_CATEGORY_CONTROL &&
           !mi_bytes_ends(op, MI_LIT("PartitionedCall"));
}

/* A node around it, at any distance, decides whether it runs. */
static bool is_in_branch(const struct fates *f, uint32_t n)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    for (uint32_t depth = 0; n && depth < 256; depth++) {
        n = graphs->parent[f->rows->nodes.graph[n].v].v;
        if (n && is_decision(f, n))
            return true;
    }
    return false;
}

/* A graph that is the body of one task, like those of partitioned calls and super kernels: its
 * nodes run when their owner does. */
static bool owner_is_planned(const struct fates *f, uint32_t n)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    for (uint32_t depth = 0; depth < 256; depth++) {
        n = graphs->parent[f->rows->nodes.graph[n].v].v;
        if (!n || is_decision(f, n))
            return false;
        if (f->plan_trust[n])
            return true;
    }
    return false;
}

/* The node has a task: one that ran, or a planned one where nothing is known of a run. */
static bool has_task(const struct fates *f, uint32_t n)
{
    if (!is_only_planned(f, n))
        return f->task_count[n] != 0;
    return f->plan_trust[n] || owner_is_planned(f, n);
}

/* Notices that tell of missing ends count where they are about files that hold tasks. */
static bool find_truncated(struct fates *f)
{
    const struct mi_diags *diags = &f->rows->diags;
    const struct mi_kernels *kernels = &f->rows->kernels;
    uint8_t *has_kernels = mi_mem_zero(f->rows->sources.count, 1);
    if (!has_kernels)
        return false;
    for (uint32_t k = 1; k < kernels->count; k++)
        has_kernels[kernels->source[k].v] = 1;
    for (uint32_t d = 1; d < diags->count; d++) {
        struct mi_bytes code = mi_model_text(f->model, diags->code[d]);
        if (has_kernels[diags->source[d].v] && mi_bytes_ends(code, MI_LIT(".truncated")))
            f->is_truncated = true;
    }
    mi_mem_free(has_kernels);
    return true;
}

static void count_origins(struct fates *f)
{
    const struct mi_lowered *links = &f->rows->lowered;
    for (uint32_t r = 1; r < links->count; r++) {
        uint32_t framework = links->framework[r].v, compiled = links->compiled[r].v;
        f->is_compiled[source_of(f, framework)] = 1;
        if (!computes(f, r))
            continue;
        if (!is_function_node(f, framework))
            f->main_origins[compiled]++;
        else if (!f->is_call[framework])
            f->inner_origins[compiled]++;
    }
    const struct mi_fates *given = &f->rows->fates;
    for (uint32_t r = given->count; r-- > 1;) {
        f->given[given->node[r].v] = r;
        f->is_compiled[source_of(f, given->node[r].v)] = 1;
    }
}

/* --- a compiled node without tasks --- */

/* The node around this graph ran, or another of its bodies did: where compilers turn the node into
 * labels and jumps, it has no task of its own. */
static bool owner_ran(const struct fates *f, uint32_t owner, uint32_t graph)
{
    const struct mi_csr *inner = &f->model->index.inner;
    for (uint32_t i = inner->first[owner]; i < inner->first[owner + 1]; i++)
        if (inner->list[i] != graph && f->has_tasks[inner->list[i]])
            return true;
    return f->task_count[owner] != 0;
}

static enum mi_reason why_no_task(const struct fates *f, uint32_t compiled, const char **evidence)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    uint32_t g = f->rows->nodes.graph[compiled].v;
    *evidence = N_("the compiled graph has it, but plans no task for it");
    if (is_only_planned(f, compiled))
        return MI_REASON_NO_TASK;
    *evidence = N_("no task of this graph was captured");
    if (!f->was_run[f->root[g]])
        return MI_REASON_NOT_CAPTURED;
    for (uint32_t depth = 0; graphs->parent[g].v && depth < 256; depth++) {
        uint32_t owner = graphs->parent[g].v;
        if (f->has_tasks[g])
            break;
        if (owner_ran(f, owner, g)) {
            *evidence = N_("the node around it ran, its body or branch did not");
            return f->is_truncated ? MI_REASON_NOT_CAPTURED : MI_REASON_BRANCH_NOT_TAKEN;
        }
        g = f->rows->nodes.graph[owner].v;
    }
    *evidence = N_("records of tasks are missing at the end of the capture");
    if (f->is_truncated)
        return MI_REASON_NOT_CAPTURED;
    *evidence = N_("its launches were recorded, its tasks were not");
    if (mi_map_get(&f->lost, f->rows->nodes.name[compiled].v))
        return MI_REASON_NOT_CAPTURED;
    *evidence = N_("the compiled graph has it, but no task belongs to it");
    return MI_REASON_NO_TASK;
}

/* --- verdicts --- */

/* True if others share the compiled node: seen from outside functions a call is one op, whatever
 * its function consists of. */
static bool is_fused(const struct fates *f, uint32_t framework, uint32_t compiled)
{
    const struct mi_nodes *nodes = &f->rows->nodes;
    bool has_bodies = mi_csr_count(&f->model->index.inner, framework) != 0;
    if (has_bodies && nodes->op[framework].v == nodes->op[compiled].v)
        return false; /* a Loop stays the Loop, whatever it took in */
    if (f->main_origins[compiled] > 1)
        return true;
    return is_function_node(f, framework) && f->inner_origins[compiled] > 1;
}

struct best {      /* the links of one framework node at a glance */
    uint32_t link; /* the one to quote: the strongest, of a node that ran if there is one */
    uint32_t with_task, fused;
};

static struct best look(const struct fates *f, uint32_t n)
{
    const struct mi_lowered *links = &f->rows->lowered;
    struct best best = {0};
    bool best_ran = false;
    for (uint32_t i = f->links.first[n]; i < f->links.first[n + 1]; i++) {
        uint32_t r = f->links.list[i], compiled = links->compiled[r].v;
        if (!computes(f, r))
            continue;
        bool ran = has_task(f, compiled);
        best.with_task += ran;
        best.fused += is_fused(f, n, compiled);
        if (!best.link || ran > best_ran ||
            (ran == best_ran && links->confidence[r] > links->confidence[best.link])) {
            best.link = r;
            best_ran = ran;
        }
    }
    return best;
}

static uint8_t weaker(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* A node that some compiled node computes. */
static struct mi_fate_row judge_linked(struct fates *f, uint32_t n, const struct best *best)
{
    const struct mi_lowered *links = &f->rows->lowered;
    uint32_t compiled = links->compiled[best->link].v;
    struct mi_fate_row row = {.node = {n},
                              .into = {compiled},
                              .confidence = links->confidence[best->link],
                              .evidence = links->evidence[best->link]};
    if (!best->with_task) {
        const char *evidence = NULL;
        enum mi_reason reason = why_no_task(f, compiled, &evidence);
        bool is_static = reason == MI_REASON_NOT_CAPTURED && best->fused &&
                         !f->was_run[f->root[f->rows->nodes.graph[compiled].v]];
        if (!is_static) {
            row.fate = MI_FATE_NOT_EXECUTED;
            row.reason = (uint8_t)reason;
            row.evidence = mi_batch_cstr(&f->model->all, evidence);
            return row;
        }
    }
    row.fate = best->fused ? MI_FATE_FUSED_INTO : MI_FATE_EXECUTED;
    row.reason = best->fused ? MI_REASON_FUSED : MI_REASON_OWN_NODE;
    if (row.fate == MI_FATE_EXECUTED && is_only_planned(f, compiled)) {
        uint8_t trust = f->plan_trust[compiled] ? f->plan_trust[compiled] : (uint8_t)MI_LIKELY;
        bool is_open = is_in_branch(f, compiled);
        row.confidence = weaker(row.confidence, is_open ? (uint8_t)MI_GUESS : trust);
        row.evidence =
            mi_batch_cstr(&f->model->all,
                          is_open ? N_("planned in a branch: only a run tells whether it is taken")
                                  : N_("planned: its node has a task; no run is at hand"));
    } else if (row.fate == MI_FATE_EXECUTED)
        row.confidence = weaker(row.confidence, f->task_trust[compiled]);
    return row;
}

/* A node of a graph that was never compiled, or whose compiled graph is not at hand. */
static struct mi_fate_row judge_alone(struct fates *f, uint32_t n)
{
    struct mi_fate_row row = {.node = {n}, .confidence = MI_LIKELY};
    if (f->is_fused[n]) {
        row.fate = MI_FATE_FUSED_INTO;
        row.reason = MI_REASON_FUSED;
        row.evidence = mi_batch_cstr(
            &f->model->all, N_("the profile lists it among the ops of a fused node that ran"));
        return row;
    }
    if (f->task_count[n]) {
        row.fate = MI_FATE_EXECUTED;
        row.reason = MI_REASON_OWN_NODE;
        row.confidence = f->task_trust[n];
        row.evidence = mi_batch_cstr(&f->model->all, N_("a task names it"));
        return row;
    }
    row.fate = MI_FATE_NOT_EXECUTED;
    row.reason = MI_REASON_NO_COMPILED_GRAPH;
    row.confidence = MI_CERTAIN;
    row.evidence = mi_batch_cstr(&f->model->all, N_("no compiled graph of this model is at hand"));
    return row;
}

/* A node in a body: what became of the node around it became of it. */
static bool judge_by_owner(struct fates *f, uint32_t n, struct mi_fate_row *row)
{
    uint32_t owner = f->rows->graphs.parent[f->rows->nodes.graph[n].v].v;
    uint32_t verdict = owner && owner < n ? f->final[owner] : 0;
    if (!verdict)
        return false;
    const struct mi_fates *fates = &f->all.rows.fates;
    if (fates->fate[verdict] == MI_FATE_EXECUTED || fates->fate[verdict] == MI_FATE_FUSED_INTO)
        return false;
    *row = (struct mi_fate_row){.node = {n},
                                .fate = fates->fate[verdict],
                                .reason = fates->reason[verdict],
                                .into = fates->into[verdict],
                                .confidence = fates->confidence[verdict],
                                .evidence = fates->evidence[verdict]};
    return true;
}

static struct mi_fate_row judge_fate(struct fates *f, uint32_t n)
{
    struct best best = look(f, n);
    bool is_lost = f->given[n] && !best.with_task &&
                   f->rows->fates.reason[f->given[n]] == MI_REASON_NOT_CAPTURED;
    if (best.link && !is_lost)
        return judge_linked(f, n, &best);
    if (f->given[n]) {
        const struct mi_fates *given = &f->rows->fates;
        uint32_t r = f->given[n];
        return (struct mi_fate_row){.node = {n},
                                    .fate = given->fate[r],
                                    .reason = given->reason[r],
                                    .into = given->into[r],
                                    .confidence = given->confidence[r],
                                    .evidence = given->evidence[r]};
    }
    struct mi_fate_row row;
    if (judge_by_owner(f, n, &row))
        return row;
    if (f->is_compiled[source_of(f, n)])
        return (struct mi_fate_row){
            .node = {n},
            .fate = MI_FATE_REMOVED,
            .reason = MI_REASON_UNLINKED,
            .confidence = MI_GUESS,
            .evidence =
                mi_batch_cstr(&f->model->all, N_("no compiled node could be linked to it"))};
    return judge_alone(f, n);
}

/* --- the step --- */

static bool prepare(struct fates *f)
{
    uint32_t nodes = f->rows->nodes.count, graphs = f->rows->graphs.count;
    f->is_call = mi_find_calls(f->model);
    f->is_fused = mi_mem_zero(nodes, 1);
    f->given = mi_mem_zero(nodes, sizeof *f->given);
    f->final = mi_mem_zero(nodes, sizeof *f->final);
    f->task_count = mi_mem_zero(nodes, sizeof *f->task_count);
    f->task_trust = mi_mem_zero(nodes, 1);
    f->main_origins = mi_mem_zero(nodes, sizeof *f->main_origins);
    f->inner_origins = mi_mem_zero(nodes, sizeof *f->inner_origins);
    f->root = mi_mem_zero(graphs, sizeof *f->root);
    f->has_tasks = mi_mem_zero(graphs, 1);
    f->was_run = mi_mem_zero(graphs, 1);
    f->has_plan = mi_mem_zero(graphs, 1);
    f->plan_trust = mi_mem_zero(nodes, 1);
    f->is_compiled = mi_mem_zero(f->rows->sources.count, 1);
    return f->is_call && f->is_fused && mi_cann_mark_fused(f->model, f->is_fused) && f->given &&
           f->final && f->task_count && f->task_trust && f->main_origins && f->inner_origins &&
           f->root && f->has_tasks && f->was_run && f->has_plan && f->plan_trust &&
           f->is_compiled &&
           mi_csr_build(&f->links, nodes, (const uint32_t *)f->rows->lowered.framework,
                        f->rows->lowered.count);
}

static void clean_up(struct fates *f)
{
    mi_mem_free(f->is_call);
    mi_mem_free(f->is_fused);
    mi_mem_free(f->given);
    mi_mem_free(f->final);
    mi_mem_free(f->task_count);
    mi_mem_free(f->task_trust);
    mi_mem_free(f->main_origins);
    mi_mem_free(f->inner_origins);
    mi_mem_free(f->root);
    mi_mem_free(f->has_tasks);
    mi_mem_free(f->was_run);
    mi_mem_free(f->has_plan);
    mi_mem_free(f->plan_trust);
    mi_mem_free(f->is_compiled);
    mi_csr_fini(&f->links);
    mi_map_fini(&f->lost);
    mi_tables_fini(&f->all.rows);
}

static bool judge_all(struct fates *f)
{
    struct mi_tables *rows = &f->model->all.rows;
    if (!find_truncated(f) || !mi_host_find_lost(f->model, &f->lost))
        return false;
    find_roots(f);
    count_tasks(f);
    count_planned(f);
    count_origins(f);
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        if (mi_node_layer(f->model, (mi_node_id){n}) != MI_LAYER_FRAMEWORK)
            continue;
        struct mi_fate_row row = judge_fate(f, n);
        f->final[n] = mi_add_fate(&f->all, &row).v;
    }
    struct mi_fates old = rows->fates;
    rows->fates = f->all.rows.fates;
    f->all.rows.fates = old;
    return !mi_batch_failed(&f->all) && !mi_batch_failed(&f->model->all);
}

bool mi_judge_fates(struct mi_model *model, struct mi_error *err)
{
    struct fates f = {.model = model, .rows = &model->all.rows};
    mi_tables_init(&f.all.rows);
    bool ok = prepare(&f) && judge_all(&f);
    clean_up(&f);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while judging framework nodes");
}
