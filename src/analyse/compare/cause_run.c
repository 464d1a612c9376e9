/* Causes that the run tells of: streams, order, times. */
#include "analyse/compare/compare_causes.h"
#include "analyse/describe.h"
#include "base/mem.h"

enum {
    MOST_WAYS = 4, /* named of those from stream to stream */
    LEAST_LAUNCH_NS = 5000,
    LEAST_LAUNCH_SHARE = 33 /* three per cent of the run */
};

/* --- streams --- */

static struct mi_bytes lane_name(struct mi_compare *compare, unsigned side, uint32_t lane)
{
    return mi_describe_track(mi_cmp_model(compare, side),
                             (mi_track_id){compare->side[side].run.graph.track[lane]},
                             &compare->arena);
}

/* Streams between which ops were exchanged: what left one made room for what came. */
struct exchange {
    uint32_t *parent;   /* [lane_count] of lanes of the new side */
    uint32_t *cause_of; /* [lane_count] of the root */
};

static uint32_t root_of(const struct exchange *x, uint32_t lane)
{
    while (x->parent[lane] != lane) {
        x->parent[lane] = x->parent[x->parent[lane]];
        lane = x->parent[lane];
    }
    return lane;
}

static uint32_t lane_of(const struct mi_compare *compare, uint32_t op)
{
    return compare->side[MI_CMP_NEW].run.lane_of_op[op] - 1;
}

static void join_lanes(const struct mi_compare *compare, struct exchange *x)
{
    for (uint32_t lane = 0; lane < compare->side[MI_CMP_NEW].run.graph.lane_count; lane++)
        x->parent[lane] = lane;
    for (uint32_t o = 1; o < compare->op_count; o++) {
        uint32_t before = mi_cmp_lane_before(compare, o);
        if (before == UINT32_MAX || !mi_cmp_is_moved(compare, o))
            continue;
        uint32_t a = root_of(x, before), b = root_of(x, lane_of(compare, o));
        x->parent[a > b ? a : b] = a < b ? a : b;
    }
}

/* The cause of all that moved to the streams that the op's stream exchanged ops with. */
static void own_move(struct mi_cmp_causer *c, struct exchange *x, uint32_t op, const char *rule)
{
    uint32_t root = root_of(x, lane_of(c->compare, op));
    if (!x->cause_of[root])
        x->cause_of[root] = mi_cmp_cause_of(c, rule, root);
    mi_cmp_own(c, x->cause_of[root], op);
}

/* One way that ops of a cause went. */
struct way {
    uint32_t from, to; /* lanes + 1 */
};

/* The ops of one cause. */
struct moved {
    const uint32_t *ops;
    uint32_t count;
};

static uint32_t list_ways(const struct mi_compare *compare, struct moved moved, struct way *ways)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < moved.count && count <= MOST_WAYS; k++) {
        struct way way = {compare->side[MI_CMP_BASE].run.lane_of_op[moved.ops[k]],
                          compare->side[MI_CMP_NEW].run.lane_of_op[moved.ops[k]]};
        uint32_t i = 0;
        while (i < count && (ways[i].from != way.from || ways[i].to != way.to))
            i++;
        if (i == count)
            ways[count++] = way;
    }
    return count;
}

/* The type of all of them; 0: several. */
static uint32_t only_type(const struct mi_compare *compare, struct moved moved)
{
    for (uint32_t k = 1; k < moved.count; k++)
        if (compare->ops[moved.ops[k]].type != compare->ops[moved.ops[0]].type)
            return 0;
    return moved.count ? compare->ops[moved.ops[0]].type : 0;
}

/* "FastFilter: stream 1 -> stream 0; stream 2 -> stream 0", the type where it is one. */
static struct mi_bytes describe_move(struct mi_compare *compare, struct moved moved)
{
    struct mi_words words = {.arena = &compare->arena};
    struct way ways[MOST_WAYS + 1];
    uint32_t count = list_ways(compare, moved, ways), type = only_type(compare, moved);
    if (type) {
        mi_words_put(&words, mi_cmp_type_name(compare, type));
        mi_words_put(&words, MI_LIT(": "));
    }
    for (uint32_t i = 0; i < count && i < MOST_WAYS; i++) {
        mi_words_put(&words, i ? MI_LIT("; ") : MI_LIT(""));
        mi_words_put(&words, lane_name(compare, MI_CMP_BASE, ways[i].from - 1));
        mi_words_put(&words, MI_LIT(" -> "));
        mi_words_put(&words, lane_name(compare, MI_CMP_NEW, ways[i].to - 1));
    }
    mi_words_put(&words, count > MOST_WAYS ? MI_LIT("; ...") : MI_LIT(""));
    return mi_words_get(&words);
}

/* Nothing but transfers moved. */
static bool moves_data(const struct mi_compare *compare, struct moved moved)
{
    for (uint32_t k = 0; k < moved.count; k++)
        if (!compare->ops[moved.ops[k]].is_transfer)
            return false;
    return true;
}

static bool describe_moves(struct mi_cmp_causer *c, const struct exchange *x)
{
    struct mi_compare *compare = c->compare;
    struct mi_csr ops_of = {0};
    bool ok = mi_csr_build(&ops_of, compare->cause_count + 1, c->owner, compare->op_count);
    for (uint32_t lane = 0; ok && lane < compare->side[MI_CMP_NEW].run.graph.lane_count; lane++) {
        uint32_t number = x->cause_of[lane];
        if (!number)
            continue;
        struct mi_cmp_cause *cause = &compare->causes[number - 1];
        struct moved moved = {&ops_of.list[ops_of.first[number]], mi_csr_count(&ops_of, number)};
        cause->what = describe_move(compare, moved);
        if (strcmp(cause->rule, "parallel_to_serial") == 0 && moves_data(compare, moved))
            cause->rule = "missed_overlap";
    }
    mi_csr_fini(&ops_of);
    return ok;
}

/* All that went to one stream belongs together: it is one queue. So does what left that stream at
 * the same time. What became serial by it gives the cause its name. */
void mi_cmp_blame_streams(struct mi_cmp_causer *c)
{
    struct mi_compare *compare = c->compare;
    size_t lanes = (size_t)compare->side[MI_CMP_NEW].run.graph.lane_count + 1;
    struct exchange x = {mi_mem_new(lanes, sizeof *x.parent),
                         mi_mem_zero(lanes, sizeof *x.cause_of)};
    c->failed = c->failed || !x.parent || !x.cause_of;
    if (!c->failed)
        join_lanes(compare, &x);
    for (uint32_t i = 0; !c->failed && i < compare->serial_count; i++) {
        const struct mi_cmp_serial *serial = &compare->serials[i];
        if (serial->order == MI_CMP_ONE_STREAM && serial->mover && !c->owner[serial->mover])
            own_move(c, &x, serial->mover, "parallel_to_serial");
    }
    for (uint32_t o = 1; !c->failed && o < compare->op_count; o++)
        if (!c->owner[o] && mi_cmp_is_moved(compare, o))
            own_move(c, &x, o, "stream_changed");
    c->failed = c->failed || !describe_moves(c, &x);
    mi_mem_free(x.parent);
    mi_mem_free(x.cause_of);
}

/* Ops that wait for what they ran beside before: one cause for each task that waits. */
void mi_cmp_blame_waits(struct mi_cmp_causer *c)
{
    struct mi_compare *compare = c->compare;
    for (uint32_t i = 0; !c->failed && i < compare->serial_count; i++) {
        const struct mi_cmp_serial *serial = &compare->serials[i];
        uint32_t op = serial->op[1];
        if (serial->order != MI_CMP_EVENT || c->owner[op])
            continue;
        uint32_t cause = mi_cmp_cause_of(c, "parallel_to_serial", UINT64_C(1) << 63 | serial->wait);
        if (c->failed)
            return;
        compare->causes[cause - 1].wait = serial->wait;
        compare->causes[cause - 1].what = mi_cmp_type_name(compare, compare->ops[op].type);
        mi_cmp_own(c, cause, op);
    }
}

/* --- times --- */

struct timer {
    struct mi_cmp_causer *c;
    struct mi_cmp_noise noise;
    int64_t *list[MI_CMP_SIDES]; /* [sample_count] */
    int64_t *sums[MI_CMP_SIDES]; /* [sample_count] of a type */
    struct mi_csr ops_of;        /* type -> ops that run on both sides and have no cause */
};

static bool differs(struct timer *t, uint32_t op)
{
    const struct mi_compare *compare = t->c->compare;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        mi_cmp_op_samples(compare, side, op, t->list[side]);
    return mi_cmp_differs(t->list[0], compare->side[0].sample_count, t->list[1],
                          compare->side[1].sample_count, t->noise.op_ppm);
}

/* Whether all ops of a type together take longer or less. */
static bool type_differs(struct timer *t, uint32_t type)
{
    const struct mi_compare *compare = t->c->compare;
    int64_t half_ppm = t->noise.op_ppm / 2; /* several ops together scatter less than one */
    int64_t least_ppm = half_ppm > t->noise.work_ppm ? half_ppm : t->noise.work_ppm;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        uint32_t count = compare->side[side].sample_count;
        memset(t->sums[side], 0, count * sizeof *t->sums[side]);
        for (uint32_t i = t->ops_of.first[type]; i < t->ops_of.first[type + 1]; i++) {
            const struct mi_cmp_op *op = &compare->ops[t->ops_of.list[i]];
            for (uint32_t k = 0; k < op->time_count[side]; k++) {
                const struct mi_cmp_time *time = &compare->times[side][op->first_time[side] + k];
                t->sums[side][time->sample] = mi_ns_add(t->sums[side][time->sample], time->ns);
            }
        }
    }
    return mi_cmp_differs(t->sums[0], compare->side[0].sample_count, t->sums[1],
                          compare->side[1].sample_count, least_ppm);
}

/* A fused node of another name: another application of a fusion pass made it. */
static bool is_fused_anew(const struct timer *t, const struct mi_cmp_op *op)
{
    const struct mi_compare *compare = t->c->compare;
    const uint32_t *node = op->node;
    if (!t->c->fusion || !node[MI_CMP_BASE] || !node[MI_CMP_NEW])
        return false;
    const struct mi_model *base = mi_cmp_model(compare, MI_CMP_BASE);
    const struct mi_model *new = mi_cmp_model(compare, MI_CMP_NEW);
    uint32_t birth = new->index.birth_of[node[MI_CMP_NEW]];
    return birth && new->all.rows.births.origin[birth] == MI_ORIGIN_FUSED &&
           !mi_bytes_equal(mi_model_text(base, base->all.rows.nodes.name[node[MI_CMP_BASE]]),
                           mi_model_text(new, new->all.rows.nodes.name[node[MI_CMP_NEW]]));
}

static void blame(struct timer *t, uint32_t op)
{
    struct mi_compare *compare = t->c->compare;
    const struct mi_cmp_op *at = &compare->ops[op];
    if (is_fused_anew(t, at)) {
        mi_cmp_own(t->c, t->c->fusion, op);
        return;
    }
    bool slower = at->median_ns[MI_CMP_NEW] > at->median_ns[MI_CMP_BASE];
    const char *rule = at->is_collective ? "collective_time" : slower ? "slow_op" : "fast_op";
    uint32_t cause = mi_cmp_cause_of(t->c, rule, 2 * (uint64_t)at->type + slower);
    if (!cause)
        return;
    compare->causes[cause - 1].what = mi_cmp_type_name(compare, at->type);
    mi_cmp_own(t->c, cause, op);
}

/* Those that differ by themselves; where the type as a whole does, all that go its way. */
static void blame_type(struct timer *t, uint32_t type)
{
    const struct mi_compare *compare = t->c->compare;
    bool as_a_whole = type_differs(t, type);
    int64_t was = as_a_whole ? t->sums[0][(compare->side[0].sample_count - 1) / 2] : 0;
    int64_t is = as_a_whole ? t->sums[1][(compare->side[1].sample_count - 1) / 2] : 0;
    for (uint32_t i = t->ops_of.first[type]; i < t->ops_of.first[type + 1]; i++) {
        uint32_t op = t->ops_of.list[i];
        const struct mi_cmp_op *at = &compare->ops[op];
        bool goes_along = as_a_whole && (at->median_ns[1] > at->median_ns[0]) == (is > was) &&
                          at->median_ns[1] != at->median_ns[0];
        if (goes_along || differs(t, op))
            blame(t, op);
    }
}

static bool timer_init(struct timer *t)
{
    const struct mi_compare *compare = t->c->compare;
    uint32_t *types = mi_mem_zero(compare->op_count, sizeof *types);
    bool ok = types != NULL;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        size_t count = (size_t)compare->side[side].sample_count + 1;
        t->list[side] = mi_mem_new(count, sizeof **t->list);
        t->sums[side] = mi_mem_new(count, sizeof **t->sums);
        ok = ok && t->list[side] && t->sums[side];
    }
    for (uint32_t o = 1; ok && o < compare->op_count; o++)
        if (!t->c->owner[o] && compare->ops[o].tasks[0] && compare->ops[o].tasks[1])
            types[o] = compare->ops[o].type;
    ok = ok && mi_csr_build(&t->ops_of, compare->type_count, types, compare->op_count) &&
         mi_cmp_find_noise(compare, &t->noise);
    mi_mem_free(types);
    return ok;
}

void mi_cmp_blame_times(struct mi_cmp_causer *c)
{
    struct timer t = {.c = c};
    const struct mi_cmp_side *side = c->compare->side;
    if (c->failed || !side[MI_CMP_BASE].sample_count || !side[MI_CMP_NEW].sample_count)
        return;
    c->failed = !timer_init(&t);
    for (uint32_t type = 1; !c->failed && type < c->compare->type_count; type++)
        if (mi_csr_count(&t.ops_of, type))
            blame_type(&t, type);
    mi_csr_fini(&t.ops_of);
    for (unsigned s = 0; s < MI_CMP_SIDES; s++) {
        mi_mem_free(t.list[s]);
        mi_mem_free(t.sums[s]);
    }
}

/* --- the host --- */

/* The critical chain waits longer for the host. Of one iteration each: small differences are
 * chance.
 */
void mi_cmp_blame_host(struct mi_cmp_causer *c)
{
    struct mi_compare *compare = c->compare;
    const struct mi_cmp_run *base = &compare->side[MI_CMP_BASE].run;
    const struct mi_cmp_run *new = &compare->side[MI_CMP_NEW].run;
    int64_t more_ns =
        mi_ns_sub(new->chain_ns[MI_TG_PIECE_LAUNCH], base->chain_ns[MI_TG_PIECE_LAUNCH]);
    if (c->failed || !base->graph.count || more_ns < LEAST_LAUNCH_NS ||
        more_ns < base->graph.makespan_ns / LEAST_LAUNCH_SHARE ||
        mi_ns_sub(new->graph.makespan_ns, base->graph.makespan_ns) < more_ns / 2)
        return;
    uint32_t number = mi_cmp_cause_of(c, "host_bound", 0);
    if (!number)
        return;
    struct mi_cmp_cause *cause = &compare->causes[number - 1];
    cause->task = new->latest;
    cause->time_ns = cause->cost_ns = more_ns;
    cause->is_simulated = true; /* the chain adds up to the makespan */
}
