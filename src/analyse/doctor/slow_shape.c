/* A node whose sizes got it a slow implementation: it takes several times what nodes suggest that
 * compute the same on other sizes, and the profile shows why.
 *
 * Measure: nodes of equal type, attributes, element types and layouts, whose tensors are a quarter
 * to four times as large; how their times grow with what they have to do says how long this one
 * should take. Three reasons
 * are told apart, each with its own nodes to compare with and its own proof:
 *  - its sizes are no whole number of blocks, those of the others are; it computes a far smaller
 *    part of its cycles than they do, and moves data or runs scalar code for the most part of them;
 *  - it ran a kernel for sizes that are only known at run time, the others ran kernels of their
 * own;
 *  - others of different sizes share one kernel (a tiling), it has another.
 * Cost: the run with it as fast as they suggest. */
#include "analyse/doctor/doctor.h"
#include "analyse/pipes.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LIKE = 64, MOST_SLOPES = MOST_LIKE * (MOST_LIKE - 1) / 2, PPM = 1000000 };

static const struct mi_doctor_limit limits[] = {
    {"least-like", 2, N_("so many nodes it can be compared with ...")},
    {"least-slower-percent", 250,
     N_("... suggest a time of which it takes so many hundredths ...")},
    {"most-compute-percent", 60,
     N_("... and it computes so many hundredths of the part of its cycles that they do, at most")},
    MI_DOCTOR_LIMITS(10, 10),
    {.name = NULL}};

enum reason { UNEVEN, AT_RUN_TIME, OTHER_KERNEL, REASONS };

struct like {
    uint32_t node;
    double work;        /* of it, that of the node that is judged being 1 */
    int64_t suggest_ns; /* for the node that is judged */
};

struct shape {
    uint32_t node;
    struct mi_doctor_uneven uneven;
    struct mi_pipes pipes;
    struct like list[MOST_LIKE];
    double slopes[MOST_SLOPES];
    uint32_t count;
    int64_t expected_ns;
    int64_t compute_ppm, usual_compute_ppm; /* -1 not stated */
};

static uint32_t task_of(const struct mi_doctor *d, uint32_t node)
{
    const struct mi_doctor_run *run = &d->runs[0];
    return run->graph.task[run->places.list[run->places.first[node]] - 1];
}

/* Function that the device names for it; empty: it names the node. */
static struct mi_bytes function_of(const struct mi_doctor *d, uint32_t node)
{
    const struct mi_kernels *kernels = &d->rows->kernels;
    uint32_t kernel = d->rows->tasks.kernel[task_of(d, node)].v;
    struct mi_bytes name = mi_model_text(d->model, kernels->name[kernel]);
    bool is_node = kernels->name[kernel].v == kernels->node_name[kernel].v ||
                   mi_bytes_equal(name, mi_model_text(d->model, d->rows->nodes.name[node]));
    return is_node ? (struct mi_bytes){0} : name;
}

/* --- what it is compared with --- */

static bool is_measure(const struct mi_doctor *d, const struct shape *s, enum reason reason,
                       uint32_t other)
{
    if (reason == UNEVEN)
        return !mi_doctor_find_uneven(d, other).size;
    if (reason == AT_RUN_TIME) {
        struct mi_pipes pipes = mi_pipes_read(d->model, task_of(d, other));
        return mi_pipes_is_state(&pipes, "static");
    }
    return function_of(d, other).len && !mi_doctor_is_like(d, s->node, other) &&
           !mi_bytes_equal(function_of(d, other), function_of(d, s->node));
}

static void collect(const struct mi_doctor *d, struct shape *s, enum reason reason)
{
    uint32_t op = d->rows->nodes.op[s->node].v;
    s->count = 0;
    for (uint32_t i = d->of_type.first[op]; i < d->of_type.first[op + 1] && s->count < MOST_LIKE;
         i++) {
        uint32_t other = d->of_type.list[i];
        double times;
        if (other == s->node || d->claimed[other] || mi_doctor_is_on_cpu(d, other) ||
            !mi_doctor_is_comparable(d, s->node, other, &times) || !is_measure(d, s, reason, other))
            continue;
        s->list[s->count++] = (struct like){.node = other, .work = 1 / times};
    }
}

/* Keeps those that run one kernel, if it serves most of them and results of different sizes. */
static void keep_one_kernel(const struct mi_doctor *d, struct shape *s)
{
    const struct mi_tables *rows = d->rows;
    struct mi_bytes shared = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count && !shared.len; i++)
        for (uint32_t k = 0; k < i && !shared.len; k++)
            if (mi_bytes_equal(function_of(d, s->list[i].node), function_of(d, s->list[k].node)) &&
                !mi_doctor_same_tensor(rows, mi_doctor_output(rows, s->list[i].node),
                                       mi_doctor_output(rows, s->list[k].node)))
                shared = function_of(d, s->list[i].node);
    for (uint32_t i = 0; i < s->count; i++)
        if (shared.len && mi_bytes_equal(function_of(d, s->list[i].node), shared))
            s->list[kept++] = s->list[i];
    s->count = kept * 2 > s->count ? kept : 0;
}

/* --- how long it should take --- */

static int compare_suggested(const void *left, const void *right)
{
    const struct like *a = left, *b = right;
    if (a->suggest_ns != b->suggest_ns)
        return a->suggest_ns < b->suggest_ns ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int compare_slopes(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Time per work beyond what any of them takes: median over all pairs; 0: no two differ enough. */
static double slope_of(const struct mi_doctor *d, struct shape *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < i; k++) {
            double apart = s->list[i].work - s->list[k].work;
            if (fabs(apart) * 10 >= s->list[i].work)
                s->slopes[count++] =
                    (double)(d->node_ns[s->list[i].node] - d->node_ns[s->list[k].node]) / apart;
        }
    if (!count)
        return 0;
    qsort(s->slopes, count, sizeof *s->slopes, compare_slopes);
    return s->slopes[count / 2] > 0 ? s->slopes[count / 2] : 0;
}

/* Each suggests its own time and what lies between the works, but no more and no less than if all
 * of its time followed its work. The median counts. */
static void suggest(const struct mi_doctor *d, struct shape *s)
{
    double slope = slope_of(d, s);
    for (uint32_t i = 0; i < s->count; i++) {
        double took = (double)d->node_ns[s->list[i].node], full = took / s->list[i].work;
        double time = took + slope * (1 - s->list[i].work);
        if (slope > 0)
            time = fmin(fmax(time, fmin(took, full)), fmax(took, full));
        else /* all as large: a larger one takes more, a smaller one as long */
            time = fmax(took, full);
        s->list[i].suggest_ns = (int64_t)time;
    }
    qsort(s->list, s->count, sizeof *s->list, compare_suggested);
    s->expected_ns = s->list[s->count / 2].suggest_ns;
}

/* --- why --- */

/* Share of its cycles that the unit worked most which computes. */
static int64_t compute_of(const struct mi_pipes *pipes)
{
    int64_t cube = pipes->share[MI_PIPE_CUBE], vector = pipes->share[MI_PIPE_VECTOR];
    return cube > vector ? cube : vector;
}

static int64_t other_of(const struct mi_pipes *pipes)
{
    int64_t most = -1;
    for (int p = MI_PIPE_SCALAR; p < MI_PIPES; p++)
        most = pipes->share[p] > most ? pipes->share[p] : most;
    return most;
}

static int compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Its pipes show that it is held up by what the others are not. */
static bool computes_little(const struct mi_doctor *d, struct shape *s)
{
    int64_t list[MOST_LIKE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct mi_pipes pipes = mi_pipes_read(d->model, task_of(d, s->list[i].node));
        if (compute_of(&pipes) >= 0)
            list[count++] = compute_of(&pipes);
    }
    s->compute_ppm = compute_of(&s->pipes);
    if (!count || s->compute_ppm < 0)
        return false;
    qsort(list, count, sizeof *list, compare_numbers);
    s->usual_compute_ppm = list[count / 2];
    return other_of(&s->pipes) > s->compute_ppm &&
           s->compute_ppm * 100 <=
               s->usual_compute_ppm * mi_doctor_limit(d, "most-compute-percent");
}

static bool is_due_to(const struct mi_doctor *d, struct shape *s, enum reason reason)
{
    if ((reason == UNEVEN && !s->uneven.size) ||
        (reason == AT_RUN_TIME && !mi_pipes_is_state(&s->pipes, "dynamic")) ||
        (reason == OTHER_KERNEL && !function_of(d, s->node).len))
        return false;
    collect(d, s, reason);
    if (reason == OTHER_KERNEL)
        keep_one_kernel(d, s);
    if (s->count < mi_doctor_limit(d, "least-like"))
        return false;
    suggest(d, s);
    return d->node_ns[s->node] / mi_doctor_limit(d, "least-slower-percent") >=
               s->expected_ns / 100 &&
           (reason != UNEVEN || computes_little(d, s));
}

/* --- telling --- */

static void speed_up(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct shape *s = user;
    for (uint32_t i = run->places.first[s->node]; i < run->places.first[s->node + 1]; i++)
        mi_whatif_shorten(whatif, run->places.list[i] - 1, s->expected_ns);
}

static struct mi_bytes percent(const struct mi_doctor *d, int64_t ppm)
{
    int64_t tenths = (ppm + PPM / 2000) / (PPM / 1000);
    return mi_arena_printf(d->arena, "%lld.%d", (long long)(tenths / 10), (int)(tenths % 10));
}

static struct mi_bytes note_of(const struct mi_doctor *d, const struct shape *s, enum reason reason)
{
    struct mi_bytes mine = function_of(d, s->node);
    struct mi_bytes theirs = function_of(d, s->list[0].node);
    struct mi_bytes part = percent(d, s->compute_ppm), usual = percent(d, s->usual_compute_ppm);
    if (reason == AT_RUN_TIME)
        return mi_cstr(N_("its record says dynamic where those of others say static"));
    if (reason == UNEVEN)
        return mi_arena_printf(
            d->arena, N_("computes %.*s %% of its cycles where others compute %.*s %%"),
            (int)part.len, (const char *)part.at, (int)usual.len, (const char *)usual.at);
    return mi_arena_printf(d->arena, N_("runs %.*s where others run %.*s"), (int)mine.len,
                           (const char *)mine.at, (int)theirs.len, (const char *)theirs.at);
}

static void tell(struct mi_doctor *d, const struct shape *s, enum reason reason)
{
    static const char *const sentences[REASONS] = {
        N_("%1 takes %2 where others of other sizes suggest %3: its sizes are no multiples "
           "of %4"),
        N_("%1 takes %2 where others of other sizes suggest %3: its kernel is one for sizes "
           "known at run time"),
        N_("%1 takes %2 where others of other sizes suggest %3: it runs another kernel than "
           "they do"),
    };
    int64_t cost_ns = mi_doctor_gain(d, speed_up, s);
    if (!mi_doctor_matters(d, cost_ns))
        return;
    d->claimed[s->node] = 1;
    mi_doctor_subject(d, s->node, 0, note_of(d, s, reason));
    mi_doctor_add(d,
                  &(struct mi_finding){
                      .severity = MI_WARNING,
                      .sentence = sentences[reason],
                      .args = {mi_doctor_name(d, s->node), mi_doctor_span(d, d->node_ns[s->node]),
                               mi_doctor_span(d, s->expected_ns),
                               reason == UNEVEN ? mi_doctor_number(d, s->uneven.block)
                                                : (struct mi_bytes){0}},
                      .cost_ns = cost_ns,
                      .cost_from = N_("simulation, the time that others suggest for its "
                                      "sizes")});
}

static void judge(struct mi_doctor *d, struct shape *s)
{
    s->uneven = mi_doctor_find_uneven(d, s->node);
    s->pipes = mi_pipes_read(d->model, task_of(d, s->node));
    s->compute_ppm = s->usual_compute_ppm = -1;
    for (enum reason reason = 0; reason < REASONS; reason++)
        if (is_due_to(d, s, reason)) {
            tell(d, s, reason);
            return;
        }
}

static bool run(struct mi_doctor *d)
{
    int64_t least_ns = d->makespan_ns / 1000 * mi_doctor_limit(d, "least-permille");
    struct shape *s = mi_mem_zero(1, sizeof *s);
    for (uint32_t n = 1; s && n < d->rows->nodes.count; n++) {
        s->node = n;
        if (mi_doctor_ran(d, n) && !d->claimed[n] && d->node_ns[n] > least_ns &&
            !mi_doctor_is_on_cpu(d, n))
            judge(d, s);
    }
    mi_mem_free(s);
    return s != NULL;
}

const struct mi_doctor_rule mi_doctor_rule_slow_shape = {
    .name = "slow_shape",
    .question = N_("nodes that their sizes got a slow implementation"),
    .advice = N_(
        "Give %1 sizes that suit the hardware: pad or choose them so that the last axes are "
        "multiples of 16 elements and of 32 bytes, state sizes that are known when compiling, "
        "and tune the kernel (AOE) where they must stay. `show` lists its pipes and its kernel."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .limits = limits,
    .run = run,
};
