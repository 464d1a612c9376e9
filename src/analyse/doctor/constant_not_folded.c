/* Nodes that compute the same in every run: all they read is constant, or is a shape that was known
 * when the model was compiled. Copies of constants are transfers, not computation. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

enum { MOST_ROUNDS = 64 /* nodes stand in order mostly: one round settles nearly all */ };

static const struct mi_doctor_limit limits[] = {MI_DOCTOR_LIMITS(2, 1), {.name = NULL}};

struct known {
    struct mi_doctor *d;
    uint8_t *is_known; /* [nodes.count] gives the same in every run */
};

static bool is_named(const struct mi_doctor *d, uint32_t node, const char *const *names,
                     size_t count)
{
    struct mi_bytes op = mi_model_text(d->model, d->rows->nodes.op[node]);
    for (size_t i = 0; i < count; i++)
        if (mi_bytes_starts(op, mi_cstr(names[i])))
            return true;
    return false;
}

static bool has_known_shape(const struct mi_tables *rows, uint32_t value)
{
    if (!value || !rows->values.has_shape[value])
        return false;
    for (uint32_t i = 0; i < rows->values.dim_count[value]; i++)
        if (rows->dims.size[rows->values.first_dim[value] + i] < 0)
            return false;
    return true;
}

/* Asks for nothing but sizes of its input. */
static bool reads_shape(const struct mi_doctor *d, uint32_t node)
{
    static const char *const names[] = {"Shape", "Size", "Rank"};
    struct mi_bytes op = mi_model_text(d->model, d->rows->nodes.op[node]);
    return op.len <= sizeof "ShapeN" - 1 &&
           is_named(d, node, names, sizeof names / sizeof *names) &&
           has_known_shape(d->rows, mi_doctor_input(d->rows, node));
}

static bool is_known_value(const struct known *k, uint32_t value)
{
    const struct mi_tables *rows = k->d->rows;
    mi_node_id producer = rows->values.producer[value];
    return rows->values.kind[value] == MI_VALUE_CONSTANT ||
           (producer.v && (k->is_known[producer.v] || mi_is_constant_node(k->d->model, producer)));
}

static bool judge(const struct known *k, uint32_t node)
{
    static const char *const random[] = {"Random",    "Dropout",  "Multinomial", "Bernoulli",
                                         "Stateless", "Variable", "RefData",     "Data"};
    const struct mi_tables *rows = k->d->rows;
    bool has_input = false;
    if (is_named(k->d, node, random, sizeof random / sizeof *random) ||
        rows->nodes.category[node] == MI_CATEGORY_CONTROL ||
        rows->nodes.category[node] == MI_CATEGORY_SYNCHRONISATION)
        return false;
    if (reads_shape(k->d, node))
        return true;
    for (uint32_t i = 0; i < rows->nodes.in_count[node]; i++) {
        uint32_t port = rows->nodes.first_in[node] + i, value = rows->ports.value[port].v;
        if (rows->ports.is_control[port] || !value)
            continue;
        if (!is_known_value(k, value))
            return false;
        has_input = true;
    }
    return has_input;
}

static void spread(const struct known *k)
{
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t n = 1; n < k->d->rows->nodes.count; n++)
            if (!k->is_known[n] && mi_node_layer(k->d->model, (mi_node_id){n}) == k->d->layer &&
                judge(k, n)) {
                k->is_known[n] = 1;
                changed = true;
            }
    }
}

static bool computes(const struct mi_doctor *d, uint32_t node)
{
    if (!mi_doctor_ran(d, node) || d->claimed[node])
        return false;
    uint32_t v = d->runs[0].places.list[d->runs[0].places.first[node]] - 1;
    uint32_t kernel = d->rows->tasks.kernel[d->runs[0].graph.task[v]].v;
    return d->rows->kernels.kind[kernel] == MI_TASK_COMPUTE;
}

/* An inserted conversion that nothing but these nodes read: `is_taken` [nodes.count] marks them. */
static bool serves_only(const struct mi_doctor *d, uint32_t node, const uint8_t *is_taken)
{
    const struct mi_csr *readers = &d->model->index.consumers;
    uint32_t value = mi_doctor_output(d->rows, node);
    if (is_taken[node] || !mi_doctor_ran(d, node) || !mi_doctor_converts(d, node) ||
        !mi_csr_count(readers, value))
        return false;
    for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++)
        if (!is_taken[readers->list[i]])
            return false;
    return true;
}

/* Lists the nodes, then what converts for them, from the end backwards. */
static uint32_t list_nodes(const struct known *k, uint32_t *nodes, uint8_t *is_taken)
{
    struct mi_doctor *d = k->d;
    uint32_t count = 0;
    for (uint32_t n = 1; n < d->rows->nodes.count; n++)
        if (k->is_known[n] && computes(d, n)) {
            is_taken[n] = 1;
            nodes[count++] = n;
            mi_doctor_subject(d, n, 0,
                              reads_shape(d, n) ? mi_cstr(N_("the shape is known"))
                                                : mi_cstr(N_("reads nothing but constants")));
        }
    for (uint32_t n = d->rows->nodes.count; count && n-- > 1;)
        if (serves_only(d, n, is_taken)) {
            is_taken[n] = 1;
            nodes[count++] = n;
            mi_doctor_subject(d, n, 0, mi_cstr(N_("converts for it")));
        }
    return count;
}

static bool run(struct mi_doctor *d)
{
    struct known k = {.d = d, .is_known = mi_mem_zero(d->rows->nodes.count, 1)};
    uint32_t count = 0, *nodes = mi_mem_new(d->rows->nodes.count, sizeof *nodes);
    uint8_t *is_taken = mi_mem_zero(d->rows->nodes.count, 1);
    bool ok = k.is_known && nodes && is_taken;
    if (ok) {
        spread(&k);
        count = list_nodes(&k, nodes, is_taken);
    }
    int64_t cost_ns = count ? mi_doctor_gain_without(d, (struct mi_doctor_nodes){nodes, count}) : 0;
    for (uint32_t i = 0; i < count; i++)
        d->claimed[nodes[i]] = 1;
    if (count && mi_doctor_matters(d, cost_ns))
        mi_doctor_add(d,
                      &(struct mi_finding){
                          .severity = MI_WARNING,
                          .sentence = N_("%1 nodes compute the same in every run: what they read "
                                         "is constant, or a shape that is known"),
                          .args = {mi_doctor_number(d, count)},
                          .cost_ns = cost_ns,
                          .cost_from = N_("simulation")});
    mi_mem_free(nodes);
    mi_mem_free(is_taken);
    mi_mem_free(k.is_known);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_constant_not_folded = {
    .name = "constant_not_folded",
    .question = N_("nodes that compute the same in every run"),
    .advice =
        N_("Fold them before compiling (constant folding of the exporter, a simplifier), or fix "
           "the input shapes so that the compiler can."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .limits = limits,
    .run = run,
};
