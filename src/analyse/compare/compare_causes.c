/* Why the new side is slower or faster. Each op counts for one cause at most; they are looked for
 * in this order: fusion_changed      stretches that were fused otherwise, by the types before and
 * after dtype_upcast, dtype_changed   element types of outputs, with the casts put in beside them
 *   aicpu_fallback      ops that run on an AI CPU now
 *   parallel_to_serial  ops that moved to the stream of what they overlapped with, and all that
 * went there with them; ops that wait for what they overlapped with stream_changed      ops that
 * moved to another stream and never overlapped with what is there inserted_transfers, op_added,
 * op_removed   what is on one side only slow_op, fast_op    ops that take longer, or less, than
 * their samples scatter, by type; collective_time  the same of collectives. Costs come from a
 * simulation (compare_cost.c). */
#include "analyse/compare/compare_causes.h"

#include "analyse/describe.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_SIMULATED = 200 /* causes; those with the largest difference of times first */ };

uint32_t mi_cmp_cause_of(struct mi_cmp_causer *c, const char *rule, uint64_t key)
{
    struct mi_compare *compare = c->compare;
    uint64_t sign = mi_hash_mix(mi_hash64(mi_cstr(rule)), key);
    uint32_t *at = mi_map_at(&c->by_sign, sign);
    if (at && !*at && compare->cause_count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 16;
        void *list =
            room > c->room ? mi_mem_resize(compare->causes, room, sizeof *compare->causes) : NULL;
        if (!list)
            at = NULL;
        else
            compare->causes = list;
        c->room = list ? room : c->room;
    }
    c->failed = c->failed || !at;
    if (!at)
        return 0;
    if (!*at) {
        compare->causes[compare->cause_count] = (struct mi_cmp_cause){.rule = rule};
        *at = ++compare->cause_count;
    }
    return *at;
}

void mi_cmp_own(struct mi_cmp_causer *c, uint32_t cause, uint32_t op)
{
    if (cause && op && !c->owner[op])
        c->owner[op] = cause;
}

/* --- the lists of ops --- */

static int64_t difference_of(const struct mi_cmp_op *op)
{
    return mi_ns_sub(op->median_ns[MI_CMP_NEW], op->median_ns[MI_CMP_BASE]);
}

static int64_t size_of(int64_t ns)
{
    return ns < 0 ? mi_ns_sub(0, ns) : ns;
}

struct ranked {
    uint32_t cause, op;
    int64_t ns;
};

/* By cause; within it what is on the new side first, then the largest difference. */
static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->cause != b->cause)
        return a->cause < b->cause ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

static bool list_ops(struct mi_cmp_causer *c)
{
    struct mi_compare *compare = c->compare;
    struct ranked *list = mi_mem_new(compare->op_count, sizeof *list);
    compare->cause_ops = mi_mem_new(compare->op_count, sizeof *compare->cause_ops);
    uint32_t count = 0;
    bool ok = list && compare->cause_ops;
    for (uint32_t o = 1; ok && o < compare->op_count; o++)
        if (c->owner[o])
            list[count++] =
                (struct ranked){c->owner[o], o, size_of(difference_of(&compare->ops[o]))};
    if (count)
        qsort(list, count, sizeof *list, compare_ranked);
    for (uint32_t i = 0; ok && i < count; i++) {
        struct mi_cmp_cause *cause = &compare->causes[list[i].cause - 1];
        if (!cause->op_count)
            cause->first_op = i;
        compare->cause_ops[i] = list[i].op;
        cause->op_count++;
        cause->time_ns = mi_ns_add(cause->time_ns, difference_of(&compare->ops[list[i].op]));
    }
    mi_mem_free(list);
    return ok;
}

/* --- order --- */

/* What costs most, then what is not known, then what saves most. */
static int compare_causes(const void *left, const void *right)
{
    const struct mi_cmp_cause *a = left, *b = right;
    int64_t x = a->is_simulated ? a->cost_ns : 0, y = b->is_simulated ? b->cost_ns : 0;
    int rank_a = x > 0 ? 0 : x < 0 ? 2 : 1, rank_b = y > 0 ? 0 : y < 0 ? 2 : 1;
    if (rank_a != rank_b)
        return rank_a - rank_b;
    if (x != y)
        return size_of(x) > size_of(y) ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return (a->first_op > b->first_op) - (a->first_op < b->first_op);
}

static int compare_sizes(const void *left, const void *right)
{
    const struct mi_cmp_cause *a = left, *b = right;
    if (size_of(a->time_ns) != size_of(b->time_ns))
        return size_of(a->time_ns) > size_of(b->time_ns) ? -1 : 1;
    return (a->first_op > b->first_op) - (a->first_op < b->first_op);
}

static bool simulate_all(struct mi_compare *compare, struct mi_error *err)
{
    struct mi_cmp_simulator simulator;
    if (!compare->cause_count)
        return true;
    qsort(compare->causes, compare->cause_count, sizeof *compare->causes, compare_sizes);
    bool ok = mi_cmp_simulator_init(&simulator, compare, err);
    for (uint32_t i = 0; ok && i < compare->cause_count && i < MOST_SIMULATED; i++)
        if (compare->causes[i].op_count)
            mi_cmp_simulate(&simulator, &compare->causes[i]);
    mi_cmp_simulator_fini(&simulator);
    if (ok)
        qsort(compare->causes, compare->cause_count, sizeof *compare->causes, compare_causes);
    return ok;
}

bool mi_cmp_find_causes(struct mi_compare *compare, struct mi_error *err)
{
    struct mi_cmp_causer c = {.compare = compare};
    c.owner = mi_mem_zero(compare->op_count, sizeof *c.owner);
    c.failed = !c.owner;
    if (!c.failed) {
        mi_cmp_blame_fusion(&c);
        mi_cmp_blame_changes(&c);
        mi_cmp_blame_streams(&c);
        mi_cmp_blame_waits(&c);
        mi_cmp_blame_one_sided(&c);
        mi_cmp_blame_times(&c);
        mi_cmp_blame_host(&c);
    }
    bool ok = !c.failed && list_ops(&c);
    mi_map_fini(&c.by_sign);
    mi_mem_free(c.owner);
    if (!ok)
        return mi_fail(err, MI_ENOMEM, "out of memory for the causes of a difference");
    return simulate_all(compare, err);
}
