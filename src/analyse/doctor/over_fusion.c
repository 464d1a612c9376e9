/* Nodes that were fused over a tensor which others read too: it is written back by the fused node
 * and read again, and the node takes longer than its parts would apart.
 *
 * Parts are timed by nodes that are made of one op of the same type. Where one of them never runs
 * alone nothing can be said. Cost: the run with the fused node as long as its parts together. */
#include "analyse/doctor/doctor.h"
#include "base/decimal.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_PARTS = 32, MOST_ALONE = 256 };

static const struct mi_doctor_limit limits[] = {MI_DOCTOR_LIMITS(3, 1), {.name = NULL}};

struct fused {
    uint32_t node;
    int64_t apart_ns; /* its parts, one by one */
};

static uint32_t op_of(const struct mi_doctor *d, uint32_t node, uint32_t i)
{
    const struct mi_csr *of = &d->model->index.framework_of;
    return d->rows->lowered.framework[of->list[of->first[node] + i]].v;
}

static bool is_part(const struct mi_doctor *d, uint32_t node, uint32_t op)
{
    for (uint32_t i = 0; i < mi_csr_count(&d->model->index.framework_of, node); i++)
        if (op_of(d, node, i) == op)
            return true;
    return false;
}

/* Somebody outside of the node reads what this op gives. */
static bool is_read_outside(const struct mi_doctor *d, uint32_t node, uint32_t op)
{
    const struct mi_tables *rows = d->rows;
    const struct mi_csr *readers = &d->model->index.consumers;
    for (uint32_t o = 0; o < rows->nodes.out_count[op]; o++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[op] + o].v;
        for (uint32_t i = readers->first[value]; value && i < readers->first[value + 1]; i++)
            if (!is_part(d, node, readers->list[i]))
                return true;
    }
    return false;
}

/* Several outputs of it are read, and several of its ops are read from outside. */
static bool writes_back(const struct mi_doctor *d, uint32_t node)
{
    const struct mi_tables *rows = d->rows;
    uint32_t outputs = 0, parts = mi_csr_count(&d->model->index.framework_of, node), outside = 0;
    for (uint32_t o = 0; o < rows->nodes.out_count[node]; o++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[node] + o].v;
        outputs += value && mi_csr_count(&d->model->index.consumers, value) > 0;
    }
    if (outputs < 2 || parts < 2 || parts > MOST_PARTS)
        return false;
    for (uint32_t i = 0; i < parts; i++)
        outside += is_read_outside(d, node, op_of(d, node, i));
    return outside >= 2;
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Lists the nodes that are made of one op and no other by its type. */
static bool list_alone(const struct mi_doctor *d, struct mi_csr *alone)
{
    uint32_t *keys = mi_mem_zero(d->rows->nodes.count, sizeof *keys);
    for (uint32_t n = 1; keys && n < d->rows->nodes.count; n++)
        if (mi_csr_count(&d->model->index.framework_of, n) == 1 && mi_doctor_ran(d, n) &&
            !d->claimed[n] && !mi_doctor_is_on_cpu(d, n))
            keys[n] = d->rows->nodes.op[op_of(d, n, 0)].v;
    bool ok = keys && mi_csr_build(alone, d->model->all.strings.count, keys, d->rows->nodes.count);
    mi_mem_free(keys);
    return ok;
}

/* Their median; -1: there are none. */
static int64_t alone_ns(const struct mi_doctor *d, const struct mi_csr *alone, mi_str_id type)
{
    int64_t list[MOST_ALONE];
    size_t count = 0;
    for (uint32_t i = alone->first[type.v]; i < alone->first[type.v + 1] && count < MOST_ALONE; i++)
        list[count++] = d->node_ns[alone->list[i]];
    if (!count)
        return -1;
    qsort(list, count, sizeof *list, compare_times);
    return list[count / 2];
}

static int64_t apart_ns(const struct mi_doctor *d, const struct mi_csr *alone, uint32_t node)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < mi_csr_count(&d->model->index.framework_of, node); i++) {
        int64_t part_ns = alone_ns(d, alone, d->rows->nodes.op[op_of(d, node, i)]);
        if (part_ns < 0)
            return -1;
        sum_ns = mi_ns_add(sum_ns, part_ns);
    }
    return sum_ns;
}

bool mi_doctor_apart(const struct mi_doctor *d, uint32_t node, int64_t *sum_ns)
{
    struct mi_csr alone = {0};
    bool ok = list_alone(d, &alone);
    *sum_ns = ok ? apart_ns(d, &alone, node) : -1;
    mi_csr_fini(&alone);
    return ok;
}

struct all {
    const struct fused *list;
    uint32_t count;
};

static void part(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct all *all = user;
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = run->places.first[all->list[i].node];
             k < run->places.first[all->list[i].node + 1]; k++)
            mi_whatif_shorten(whatif, run->places.list[k] - 1, all->list[i].apart_ns);
}

static bool run(struct mi_doctor *d)
{
    struct fused *list = mi_mem_new(d->rows->nodes.count, sizeof *list);
    struct all all = {.list = list};
    struct mi_csr alone = {0};
    bool ok = list && list_alone(d, &alone);
    for (uint32_t n = 1; ok && n < d->rows->nodes.count; n++) {
        if (!mi_doctor_ran(d, n) || d->claimed[n] ||
            mi_node_layer(d->model, (mi_node_id){n}) != MI_LAYER_COMPILED || !writes_back(d, n))
            continue;
        int64_t ns = apart_ns(d, &alone, n);
        if (ns >= 0 && ns < d->node_ns[n])
            list[all.count++] = (struct fused){n, ns};
    }
    int64_t cost_ns = all.count ? mi_doctor_gain(d, part, &all) : 0;
    if (ok && mi_doctor_matters(d, cost_ns)) {
        for (uint32_t i = 0; i < all.count; i++) {
            char span[MI_DECIMAL_ROOM];
            mi_decimal_format_span(list[i].apart_ns, span);
            d->claimed[list[i].node] = 1;
            mi_doctor_subject(d, list[i].node, 0,
                              mi_arena_printf(d->arena, N_("its parts alone take %s"), span));
        }
        mi_doctor_add(d,
                      &(struct mi_finding){
                          .severity = MI_WARNING,
                          .sentence = N_("%1 fused nodes write back what is read again elsewhere, "
                                         "and take longer than their parts would"),
                          .args = {mi_doctor_number(d, all.count)},
                          .cost_ns = cost_ns,
                          .cost_from = N_("simulation, the parts timed by their like")});
    }
    mi_csr_fini(&alone);
    mi_mem_free(list);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_over_fusion = {
    .name = "over_fusion",
    .question = N_("fusions that write back what is read again"),
    .advice =
        N_("Keep the op whose result is read twice out of the fusion: switch that fusion rule off "
           "(ATC: --fusion_switch_file) or let the second reader read something else."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS | MI_DOCTOR_COMPILED | MI_DOCTOR_FRAMEWORK,
    .limits = limits,
    .run = run,
};
