/* A node computes in a wider element type than the model says, with Casts around it, while the
 * model as a whole keeps its types.
 *
 * What it was before compiling is what the pass `check` compares: the framework's tensor, else what
 * the compiler recorded. Cost: the run without the conversions that only serve it, and with the
 * node as fast as it would be in the narrow type: half the bytes and more elements at once are
 * taken to be worth `slowdown-percent` for every doubling. */
#include "analyse/check/check_parts.h"
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

enum { MOST_CASTS = 16 };

static const struct mi_doctor_limit limits[] = {
    MI_DOCTOR_LIMITS(2, 1),
    {"slowdown-percent", 220, N_("time with elements twice as wide, of that with narrow ones")},
    {.name = NULL}};

struct upcast {
    uint32_t node, casts[MOST_CASTS], cast_count;
    int64_t narrow_time, wide_time; /* in proportion */
};

static bool is_cast(const struct mi_doctor *d, uint32_t node)
{
    return mi_doctor_converts(d, node) &&
           mi_bytes_equal(mi_model_text(d->model, d->rows->nodes.op[node]), MI_LIT("Cast"));
}

static void add_cast(struct upcast *u, uint32_t node)
{
    for (uint32_t i = 0; i < u->cast_count; i++)
        if (u->casts[i] == node)
            return;
    if (u->cast_count < MOST_CASTS)
        u->casts[u->cast_count++] = node;
}

/* Another conversion of `value` into the layout that `node` makes: without the Cast it would do. */
static bool has_twin(const struct mi_doctor *d, uint32_t node, uint32_t value)
{
    const struct mi_tables *rows = d->rows;
    const struct mi_csr *readers = &d->model->index.consumers;
    mi_str_id format = rows->values.format[mi_doctor_output(rows, node)];
    for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++) {
        uint32_t other = readers->list[i];
        if (other != node && mi_doctor_converts(d, other) &&
            rows->nodes.op[other].v == rows->nodes.op[node].v &&
            rows->values.format[mi_doctor_output(rows, other)].v == format.v)
            return true;
    }
    return false;
}

/* A widening Cast that feeds it and nothing else, over conversions of the layout. */
static void find_before(const struct mi_doctor *d, struct upcast *u, uint32_t value)
{
    const struct mi_tables *rows = d->rows;
    uint32_t chain[3];
    for (int length = 0; value && length < 3; length++) {
        uint32_t at = rows->values.producer[value].v;
        if (!at || !mi_doctor_converts(d, at) ||
            mi_csr_count(&d->model->index.consumers, value) != 1)
            return;
        chain[length] = at;
        value = mi_doctor_input(rows, at);
        if (!is_cast(d, at) ||
            mi_doctor_width(d, rows->values.dtype[value]) >=
                mi_doctor_width(d, rows->values.dtype[mi_doctor_output(rows, at)]))
            continue;
        add_cast(u, at);
        for (int i = length - 1; i >= 0 && has_twin(d, chain[i], value); i--)
            add_cast(u, chain[i]);
        return;
    }
}

/* Narrowing Casts that read its results. */
static void find_behind(const struct mi_doctor *d, struct upcast *u)
{
    const struct mi_tables *rows = d->rows;
    const struct mi_csr *readers = &d->model->index.consumers;
    for (uint32_t o = 0; o < rows->nodes.out_count[u->node]; o++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[u->node] + o].v;
        for (uint32_t i = readers->first[value]; value && i < readers->first[value + 1]; i++) {
            uint32_t at = readers->list[i];
            if (is_cast(d, at) &&
                mi_doctor_width(d, rows->values.dtype[mi_doctor_output(rows, at)]) <
                    mi_doctor_width(d, rows->values.dtype[value]))
                add_cast(u, at);
        }
    }
}

static void narrow(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct upcast *u = user;
    for (uint32_t i = 0; i < u->cast_count; i++)
        mi_doctor_leave_out(whatif, run, u->casts[i]);
    mi_doctor_scale(whatif, run, u->node, u->narrow_time, u->wide_time);
}

static void tell(struct mi_doctor *d, const struct mi_check_change *change)
{
    const struct mi_tables *rows = d->rows;
    struct upcast u = {.node = change->compiled.v};
    mi_str_id before = rows->values.dtype[change->before.v].v
                           ? rows->values.dtype[change->before.v]
                           : rows->values.origin_dtype[change->after.v];
    mi_str_id after = rows->values.dtype[change->after.v];
    int64_t narrow_bytes = mi_doctor_width(d, before), wide_bytes = mi_doctor_width(d, after);
    if (!narrow_bytes || narrow_bytes >= wide_bytes || d->claimed[u.node] ||
        !mi_doctor_ran(d, u.node) || mi_doctor_is_on_cpu(d, u.node))
        return;
    u.narrow_time = u.wide_time = 1;
    for (int64_t bytes = narrow_bytes; bytes < wide_bytes; bytes *= 2) {
        u.narrow_time *= 100;
        u.wide_time *= mi_doctor_limit(d, "slowdown-percent");
    }
    for (uint32_t i = 0; i < rows->nodes.in_count[u.node]; i++) {
        uint32_t port = rows->nodes.first_in[u.node] + i;
        if (!rows->ports.is_control[port])
            find_before(d, &u, rows->ports.value[port].v);
    }
    find_behind(d, &u);
    int64_t cost_ns = mi_doctor_gain(d, narrow, &u);
    if (!mi_doctor_matters(d, cost_ns))
        return;
    d->claimed[u.node] = 1;
    mi_doctor_subject(d, u.node, 0, mi_cstr(N_("computes in the wider type")));
    for (uint32_t i = 0; i < u.cast_count; i++)
        mi_doctor_subject(d, u.casts[i], 0, mi_cstr(N_("converts for it")));
    mi_doctor_add(d,
                  &(struct mi_finding){
                      .severity = MI_WARNING,
                      .node = {u.node},
                      .sentence = N_("%1 computes in %3 where the model says %2, with %4 "
                                     "conversions that only serve it"),
                      .args = {mi_doctor_name(d, u.node), mi_model_text(d->model, before),
                               mi_model_text(d->model, after), mi_doctor_number(d, u.cast_count)},
                      .cost_ns = cost_ns,
                      .cost_from = N_("simulation, the time in the narrow type estimated")});
}

static bool run(struct mi_doctor *d)
{
    struct mi_check check = {.model = d->model};
    bool ok = mi_check_carry(&check) && mi_check_tensors(&check);
    for (uint32_t i = 0; ok && i < check.count; i++)
        if (check.changes[i].kind == MI_CHECK_DTYPE && !check.changes[i].is_model_wide)
            tell(d, &check.changes[i]);
    mi_mem_free(check.carrier);
    mi_mem_free(check.part_of);
    mi_mem_free(check.changes);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_dtype_upcast = {
    .name = "dtype_upcast",
    .question = N_("nodes computing in a wider type than the model says"),
    .advice = N_("Let %1 compute in %2: look at the precision mode and the lists of ops that must "
                 "keep theirs, and whether its kernel exists for %2. `path` shows what lies around "
                 "it."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS | MI_DOCTOR_COMPILED | MI_DOCTOR_FRAMEWORK,
    .limits = limits,
    .run = run,
};
