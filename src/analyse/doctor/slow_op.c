/* A node takes several times as long as its like - equal type, equal tensors - and does so in every
 * run. A notice: that something is slower than before takes a second capture to see. */
#include "analyse/doctor/doctor.h"

enum { MOST_FINDINGS = 10, FEW = 3 };

static const struct mi_doctor_limit limits[] = {
    {"least-percent", 200, N_("it takes so many hundredths of the time of its like")},
    MI_DOCTOR_LIMITS(10, 10),
    {.name = NULL}};

struct slow {
    uint32_t node;
    int64_t usual_ns;
};

static void speed_up(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct slow *slow = user;
    for (uint32_t i = run->places.first[slow->node]; i < run->places.first[slow->node + 1]; i++)
        mi_whatif_shorten(whatif, run->places.list[i] - 1, slow->usual_ns);
}

static uint32_t count_like(const struct mi_doctor *d, uint32_t node)
{
    uint32_t op = d->rows->nodes.op[node].v, count = 0;
    for (uint32_t i = d->of_type.first[op]; i < d->of_type.first[op + 1] && count < FEW; i++)
        count += d->of_type.list[i] != node && mi_doctor_is_like(d, node, d->of_type.list[i]);
    return count;
}

/* Its time in the run in which it took least. */
static int64_t least_of(const struct mi_doctor *d, uint32_t node)
{
    int64_t least_ns = INT64_MAX;
    for (uint32_t r = 0; r < d->run_count; r++) {
        const struct mi_doctor_run *run = &d->runs[r];
        int64_t sum_ns = 0;
        for (uint32_t i = run->places.first[node]; i < run->places.first[node + 1]; i++) {
            uint32_t v = run->places.list[i] - 1;
            sum_ns = mi_ns_add(sum_ns, run->graph.end_ns[v] - run->graph.start_ns[v]);
        }
        least_ns = sum_ns < least_ns ? sum_ns : least_ns;
    }
    return least_ns;
}

static bool judge(struct mi_doctor *d, uint32_t node)
{
    struct slow slow = {node, mi_doctor_usual_ns(d, d->rows->nodes.op[node], node)};
    if (slow.usual_ns <= 0 ||
        least_of(d, node) / mi_doctor_limit(d, "least-percent") < slow.usual_ns / 100 ||
        count_like(d, node) < FEW)
        return false;
    int64_t cost_ns = mi_doctor_gain(d, speed_up, &slow);
    if (!mi_doctor_matters(d, cost_ns))
        return false;
    mi_doctor_subject(d, node, 0, (struct mi_bytes){0});
    mi_doctor_add(d,
                  &(struct mi_finding){
                      .severity = MI_NOTICE,
                      .sentence = N_("%1 takes %2; others of type %3 with equal tensors take %4"),
                      .args = {mi_doctor_name(d, node), mi_doctor_span(d, d->node_ns[node]),
                               mi_model_text(d->model, d->rows->nodes.op[node]),
                               mi_doctor_span(d, slow.usual_ns)},
                      .cost_ns = cost_ns,
                      .cost_from = N_("simulation, the time that of its like")});
    return true;
}

static bool run(struct mi_doctor *d)
{
    int64_t least_ns = d->makespan_ns / 1000 * mi_doctor_limit(d, "least-permille");
    uint32_t told = 0;
    for (uint32_t n = 1; n < d->rows->nodes.count && told < MOST_FINDINGS; n++)
        if (mi_doctor_ran(d, n) && !d->claimed[n] && d->node_ns[n] > least_ns &&
            !mi_doctor_is_on_cpu(d, n))
            told += judge(d, n);
    return true;
}

const struct mi_doctor_rule mi_doctor_rule_slow_op = {
    .name = "slow_op",
    .question = N_("nodes that are slower than their like"),
    .advice = N_(
        "See whether inputs, kernel and cores of %1 are those of the others (`show`), and compare "
        "with an earlier capture."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .limits = limits,
    .run = run,
};
