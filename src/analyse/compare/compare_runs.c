/* One iteration of each side as a task graph: which tasks belong to which op, and which stream of
 * one side does the work of which stream of the other - numbers of streams mean nothing across
 * builds. */
#include "analyse/compare/compare_parts.h"
#include "base/mem.h"

#include <stdlib.h>

/* The sample of median makespan of the first capture; UINT32_MAX: none. False: out of memory. */
static bool choose_sample(const struct mi_cmp_side *side, uint32_t *sample)
{
    int64_t *list = mi_mem_new((size_t)side->sample_count + 1, sizeof *list);
    uint32_t count = 0;
    *sample = UINT32_MAX;
    if (!list)
        return false;
    for (uint32_t i = 0; i < side->sample_count; i++)
        if (side->samples[i].capture == 0)
            list[count++] = side->samples[i].makespan_ns;
    int64_t median_ns = mi_cmp_median(list, count);
    for (uint32_t i = side->sample_count; i-- > 0;)
        if (side->samples[i].capture == 0 && side->samples[i].makespan_ns == median_ns)
            *sample = i;
    mi_mem_free(list);
    return true;
}

static bool index_vertices(struct mi_cmp_side *side, uint32_t op_count)
{
    struct mi_cmp_run *run = &side->run;
    const struct mi_taskgraph *graph = &run->graph;
    uint32_t *ops = mi_mem_zero((size_t)graph->count + 1, sizeof *ops);
    int64_t *most_ns = mi_mem_zero(op_count, sizeof *most_ns);
    run->lane_of_op = mi_mem_zero(op_count, sizeof *run->lane_of_op);
    bool ok = ops && most_ns && run->lane_of_op;
    for (uint32_t v = 0; ok && v < graph->count; v++) {
        uint32_t op = side->captures[0].op_of[graph->task[v]];
        ops[v + 1] = op;
        if (op && (!run->lane_of_op[op] || graph->busy_ns[v] > most_ns[op])) {
            most_ns[op] = graph->busy_ns[v];
            run->lane_of_op[op] = graph->lane[v] + 1;
        }
    }
    ok = ok && mi_csr_build(&run->vertices, op_count, ops, graph->count + 1);
    mi_mem_free(ops);
    mi_mem_free(most_ns);
    return ok;
}

/* What the run is made of, and which task the host held back longest. */
static bool add_up_chain(struct mi_cmp_run *run, struct mi_error *err)
{
    struct mi_tg_chain chain;
    int64_t longest_ns = 0;
    if (!mi_tg_chain_init(&chain, &run->graph, err))
        return false;
    for (uint32_t i = 0; i < chain.count; i++) {
        const struct mi_tg_piece *piece = &chain.pieces[i];
        int64_t ns = mi_ns_sub(piece->end_ns, piece->start_ns);
        run->chain_ns[piece->kind] = mi_ns_add(run->chain_ns[piece->kind], ns);
        if (piece->kind != MI_TG_PIECE_LAUNCH || ns <= longest_ns)
            continue;
        longest_ns = ns;
        run->latest = run->graph.task[piece->vertex];
    }
    mi_tg_chain_fini(&chain);
    return true;
}

static bool open_run(struct mi_compare *compare, unsigned side, struct mi_error *err)
{
    struct mi_cmp_side *at = &compare->side[side];
    const struct mi_cmp_capture *first = &at->captures[0];
    uint32_t sample;
    if (!choose_sample(at, &sample))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    if (sample == UINT32_MAX)
        return true;
    const struct mi_tg_unit *unit = &first->units.list[at->samples[sample].unit];
    at->run.sample = sample;
    if (!mi_deps_init(&at->run.deps, first->model, err) ||
        !mi_taskgraph_init(&at->run.graph, first->model, &first->account, &at->run.deps, unit->run,
                           unit->rank, unit->device, err))
        return false;
    if (!index_vertices(at, compare->op_count))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    return add_up_chain(&at->run, err);
}

void mi_cmp_run_fini(struct mi_cmp_run *run)
{
    mi_taskgraph_fini(&run->graph);
    mi_deps_fini(&run->deps);
    mi_csr_fini(&run->vertices);
    mi_mem_free(run->lane_of_op);
    mi_mem_free(run->like);
}

/* --- which lane is which --- */

struct common {
    uint32_t lane[MI_CMP_SIDES];
    int64_t ns; /* time at the base of the ops that run on both; twice where numbers agree */
};

static int compare_common(const void *left, const void *right)
{
    const struct common *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    if (a->lane[0] != b->lane[0])
        return a->lane[0] < b->lane[0] ? -1 : 1;
    return (a->lane[1] > b->lane[1]) - (a->lane[1] < b->lane[1]);
}

/* Both sides gave the op to one logical stream: that speaks for the lanes being the same. */
static bool has_one_number(const struct mi_compare *compare, const struct mi_cmp_op *op)
{
    int64_t stream[MI_CMP_SIDES];
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        if (!op->node[side])
            return false;
        stream[side] = mi_cmp_model(compare, side)->all.rows.nodes.stream[op->node[side]];
    }
    return stream[MI_CMP_BASE] >= 0 && stream[MI_CMP_BASE] == stream[MI_CMP_NEW];
}

/* Pairs of lanes with work in common, most of it first. NULL: out of memory. */
static struct common *list_common(const struct mi_compare *compare, uint32_t *count)
{
    struct mi_map places = {0};
    struct common *list = mi_mem_new(compare->op_count, sizeof *list);
    bool ok = list != NULL;
    *count = 0;
    for (uint32_t o = 1; ok && o < compare->op_count; o++) {
        uint32_t base = compare->side[MI_CMP_BASE].run.lane_of_op[o];
        uint32_t new = compare->side[MI_CMP_NEW].run.lane_of_op[o];
        if (!base || !new)
            continue;
        uint32_t *at = mi_map_at(&places, mi_pair(base, new));
        ok = at != NULL;
        if (!ok)
            break;
        if (!*at) {
            *at = ++*count;
            list[*at - 1] = (struct common){{base - 1, new - 1}, 0};
        }
        int64_t ns = compare->ops[o].median_ns[MI_CMP_BASE];
        list[*at - 1].ns = mi_ns_add(list[*at - 1].ns, ns);
        if (has_one_number(compare, &compare->ops[o]))
            list[*at - 1].ns = mi_ns_add(list[*at - 1].ns, ns);
    }
    mi_map_fini(&places);
    if (!ok) {
        mi_mem_free(list);
        return NULL;
    }
    if (*count)
        qsort(list, *count, sizeof *list, compare_common);
    return list;
}

/* Each lane has at most one partner; those with most work in common come first. */
static bool find_like(struct mi_compare *compare)
{
    struct mi_cmp_run *base = &compare->side[MI_CMP_BASE].run;
    struct mi_cmp_run *new = &compare->side[MI_CMP_NEW].run;
    uint32_t count = 0;
    struct common *list = list_common(compare, &count);
    base->like = mi_mem_zero((size_t)base->graph.lane_count + 1, sizeof *base->like);
    new->like = mi_mem_zero((size_t) new->graph.lane_count + 1, sizeof *new->like);
    bool ok = list && base->like && new->like;
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t a = list[i].lane[MI_CMP_BASE], b = list[i].lane[MI_CMP_NEW];
        if (base->like[a] || new->like[b])
            continue;
        base->like[a] = b + 1;
        new->like[b] = a + 1;
    }
    mi_mem_free(list);
    return ok;
}

bool mi_cmp_find_runs(struct mi_compare *compare, struct mi_error *err)
{
    if (!open_run(compare, MI_CMP_BASE, err) || !open_run(compare, MI_CMP_NEW, err))
        return false;
    if (!compare->side[MI_CMP_BASE].run.graph.count || !compare->side[MI_CMP_NEW].run.graph.count)
        return true;
    return find_like(compare) || mi_fail(err, MI_ENOMEM, "out of memory");
}

uint32_t mi_cmp_lane_before(const struct mi_compare *compare, uint32_t op)
{
    const struct mi_cmp_run *base = &compare->side[MI_CMP_BASE].run;
    uint32_t lane = base->like ? base->lane_of_op[op] : 0;
    return lane && base->like[lane - 1] ? base->like[lane - 1] - 1 : UINT32_MAX;
}

bool mi_cmp_is_moved(const struct mi_compare *compare, uint32_t op)
{
    const struct mi_cmp_run *base = &compare->side[MI_CMP_BASE].run;
    const struct mi_cmp_run *new = &compare->side[MI_CMP_NEW].run;
    if (!base->like || !base->lane_of_op[op] || !new->lane_of_op[op])
        return false;
    return base->like[base->lane_of_op[op] - 1] != new->lane_of_op[op];
}
