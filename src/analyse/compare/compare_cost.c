/* What a cause costs: the makespan with it and without, re-simulated on the task graph of one
 * iteration. As a rule the new side is simulated without the change: its ops take as long as they
 * did, what was put in is gone, and where several nodes stand for fewer ones the first takes the
 * time of these. Ops that moved to another stream are simulated at the base, where the stream that
 * they left still exists; so are ops that are gone. */
#include "analyse/compare/compare_parts.h"
#include "base/mem.h"

enum { MOST_LAUNCH_NS = 5000 };

bool mi_cmp_simulator_init(struct mi_cmp_simulator *simulator, const struct mi_compare *compare,
                           struct mi_error *err)
{
    *simulator = (struct mi_cmp_simulator){.compare = compare};
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        const struct mi_taskgraph *graph = &compare->side[side].run.graph;
        if (!graph->count)
            continue;
        if (!mi_whatif_init(&simulator->whatif[side], graph, err))
            return false;
        simulator->makespan_ns[side] = mi_whatif_run(&simulator->whatif[side]);
    }
    return true;
}

void mi_cmp_simulator_fini(struct mi_cmp_simulator *simulator)
{
    mi_whatif_fini(&simulator->whatif[MI_CMP_BASE]);
    mi_whatif_fini(&simulator->whatif[MI_CMP_NEW]);
}

/* time * part / whole; large numbers lose their last bits first. */
static int64_t scale(int64_t time, int64_t part, int64_t whole)
{
    while (part > INT32_MAX || whole > INT32_MAX) {
        part >>= 1;
        whole >>= 1;
    }
    if (whole <= 0 || part < 0 || time < 0)
        return time;
    return mi_ns_add(time / whole * part, time % whole * part / whole);
}

/* The op takes on `side` as long as on the other. */
static void borrow_time(struct mi_cmp_simulator *s, unsigned side, uint32_t o)
{
    const struct mi_cmp_op *op = &s->compare->ops[o];
    const struct mi_cmp_run *run = &s->compare->side[side].run;
    for (uint32_t i = run->vertices.first[o]; i < run->vertices.first[o + 1]; i++) {
        uint32_t v = run->vertices.list[i] - 1;
        mi_whatif_shorten(&s->whatif[side], v,
                          scale(run->graph.busy_ns[v], op->median_ns[!side], op->median_ns[side]));
    }
}

/* With a task goes what its launch takes; a longer gap before it waits for something that stays. */
static void remove_op(struct mi_cmp_simulator *s, unsigned side, uint32_t o)
{
    const struct mi_cmp_run *run = &s->compare->side[side].run;
    for (uint32_t i = run->vertices.first[o]; i < run->vertices.first[o + 1]; i++) {
        uint32_t v = run->vertices.list[i] - 1;
        mi_whatif_remove(&s->whatif[side], v);
        if (run->graph.gap_ns[v] > MOST_LAUNCH_NS)
            s->whatif[side].gap_ns[v] = run->graph.gap_ns[v] - MOST_LAUNCH_NS;
    }
}

static void move_op(struct mi_cmp_simulator *s, unsigned side, uint32_t o, uint32_t lane)
{
    const struct mi_cmp_run *run = &s->compare->side[side].run;
    for (uint32_t i = run->vertices.first[o]; i < run->vertices.first[o + 1]; i++)
        mi_whatif_move(&s->whatif[side], run->vertices.list[i] - 1, lane);
}

/* --- ops that moved --- */

/* At the base: what if they had been on the stream of today? */
static bool simulate_moves(struct mi_cmp_simulator *s, struct mi_cmp_cause *cause)
{
    const struct mi_compare *compare = s->compare;
    const struct mi_cmp_run *base = &compare->side[MI_CMP_BASE].run;
    const struct mi_cmp_run *new = &compare->side[MI_CMP_NEW].run;
    bool backwards = false; /* on the new side instead: back to where they were */
    for (uint32_t i = 0; i < cause->op_count; i++)
        backwards =
            backwards || !new->like[new->lane_of_op[compare->cause_ops[cause->first_op + i]] - 1];
    unsigned side = backwards ? MI_CMP_NEW : MI_CMP_BASE;
    for (uint32_t i = 0; i < cause->op_count; i++) {
        uint32_t op = compare->cause_ops[cause->first_op + i];
        uint32_t lane =
            backwards ? base->like[base->lane_of_op[op] - 1] : new->like[new->lane_of_op[op] - 1];
        if (!lane)
            return false;
        borrow_time(s, side, op);
        move_op(s, side, op, lane - 1);
    }
    int64_t then_ns = mi_whatif_run(&s->whatif[side]);
    cause->cost_ns = backwards ? s->makespan_ns[side] - then_ns : then_ns - s->makespan_ns[side];
    return true;
}

/* --- all others --- */

static bool runs_on(const struct mi_compare *compare, unsigned side, uint32_t o)
{
    return mi_csr_count(&compare->side[side].run.vertices, o) != 0;
}

/* What an op took at the base, the launches of its tasks included. */
static int64_t time_before(const struct mi_compare *compare, uint32_t o)
{
    const struct mi_cmp_run *run = &compare->side[MI_CMP_BASE].run;
    int64_t ns = compare->ops[o].median_ns[MI_CMP_BASE];
    for (uint32_t i = run->vertices.first[o]; i < run->vertices.first[o + 1]; i++) {
        int64_t gap_ns = run->graph.gap_ns[run->vertices.list[i] - 1];
        if (gap_ns > 0)
            ns = mi_ns_add(ns, gap_ns < MOST_LAUNCH_NS ? gap_ns : MOST_LAUNCH_NS);
    }
    return ns;
}

/* The first vertex of the new side in each stretch that was fused otherwise takes the time of what
 * is gone there. False: out of memory, or there is nothing to take it. */
static bool restore_gone(struct mi_cmp_simulator *s, const struct mi_cmp_cause *cause)
{
    const struct mi_compare *compare = s->compare;
    const struct mi_csr *vertices = &compare->side[MI_CMP_NEW].run.vertices;
    struct mi_whatif *whatif = &s->whatif[MI_CMP_NEW];
    struct mi_map first = {0}; /* region -> vertex + 1 */
    bool ok = true;
    for (uint32_t i = 0; ok && i < cause->op_count; i++) {
        uint32_t o = compare->cause_ops[cause->first_op + i];
        uint32_t *at =
            compare->region_of_op[o] ? mi_map_at(&first, compare->region_of_op[o]) : NULL;
        for (uint32_t k = vertices->first[o]; at && k < vertices->first[o + 1]; k++)
            if (!*at || vertices->list[k] < *at)
                *at = vertices->list[k];
        ok = at || !compare->region_of_op[o];
    }
    for (uint32_t i = 0; ok && i < cause->op_count; i++) {
        uint32_t o = compare->cause_ops[cause->first_op + i];
        if (runs_on(compare, MI_CMP_NEW, o) || !compare->ops[o].median_ns[MI_CMP_BASE])
            continue;
        uint32_t v = mi_map_get(&first, compare->region_of_op[o]);
        ok = v != 0;
        if (ok)
            mi_whatif_shorten(whatif, v - 1,
                              mi_ns_add(whatif->busy_ns[v - 1], time_before(compare, o)));
    }
    mi_map_fini(&first);
    return ok;
}

static bool simulate_without(struct mi_cmp_simulator *s, struct mi_cmp_cause *cause)
{
    const struct mi_compare *compare = s->compare;
    struct mi_whatif *whatif = &s->whatif[MI_CMP_NEW];
    for (uint32_t i = 0; i < cause->op_count; i++) {
        uint32_t o = compare->cause_ops[cause->first_op + i];
        if (!runs_on(compare, MI_CMP_NEW, o))
            continue;
        if (compare->ops[o].tasks[MI_CMP_BASE])
            borrow_time(s, MI_CMP_NEW, o);
        else
            remove_op(s, MI_CMP_NEW, o);
    }
    for (uint32_t v = 0; cause->wait && v < whatif->graph->count; v++)
        if (whatif->graph->task[v] == cause->wait)
            mi_whatif_remove_wait(whatif, v);
    if (!restore_gone(s, cause))
        return false;
    cause->cost_ns = s->makespan_ns[MI_CMP_NEW] - mi_whatif_run(whatif);
    return true;
}

static bool simulate_gone(struct mi_cmp_simulator *s, struct mi_cmp_cause *cause)
{
    for (uint32_t i = 0; i < cause->op_count; i++)
        remove_op(s, MI_CMP_BASE, s->compare->cause_ops[cause->first_op + i]);
    cause->cost_ns = mi_whatif_run(&s->whatif[MI_CMP_BASE]) - s->makespan_ns[MI_CMP_BASE];
    return true;
}

void mi_cmp_simulate(struct mi_cmp_simulator *simulator, struct mi_cmp_cause *cause)
{
    const struct mi_compare *compare = simulator->compare;
    bool moved = cause->op_count != 0, gone = cause->op_count != 0;
    if (!simulator->whatif[MI_CMP_BASE].graph || !simulator->whatif[MI_CMP_NEW].graph)
        return;
    for (uint32_t i = 0; i < cause->op_count; i++) {
        uint32_t o = compare->cause_ops[cause->first_op + i];
        moved = moved && mi_cmp_is_moved(compare, o);
        gone = gone && !compare->ops[o].tasks[MI_CMP_NEW];
    }
    cause->is_simulated = moved  ? simulate_moves(simulator, cause)
                          : gone ? simulate_gone(simulator, cause)
                                 : simulate_without(simulator, cause);
    mi_whatif_reset(&simulator->whatif[MI_CMP_BASE]);
    mi_whatif_reset(&simulator->whatif[MI_CMP_NEW]);
}
