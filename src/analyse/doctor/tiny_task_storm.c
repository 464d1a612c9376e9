/* One op of the model became a multitude of tiny tasks, each of which costs its launch.
 *
 * Nodes are grouped by the op that they come from, and by operator type. Cost: the run with one
 * node of that type, as long as such nodes usually take, in place of all of them and of what puts
 * their results together. */
#include "analyse/doctor/doctor.h"
#include "base/map.h"
#include "base/mem.h"

static const struct mi_doctor_limit limits[] = {
    {"least-nodes", 24, N_("so many nodes of one op ...")},
    {"most-us", 50, N_("... that take no longer than this each, by mean")},
    MI_DOCTOR_LIMITS(5, 5),
    {.name = NULL}};

struct storm {
    uint32_t *group_of; /* [nodes.count] group + 1 */
    struct group {
        uint32_t first, count;
        uint32_t origin; /* framework op; 0 = by recorded name */
        int64_t sum_ns;
    } * groups;
    uint32_t group_count;
    uint32_t *recorded; /* [nodes.count] first name that the compiler recorded */
    int64_t usual_ns;   /* of the group at hand */
    uint32_t at;
    uint32_t joiner; /* node that puts the results together; 0 = none */
};

static uint32_t origin_of(const struct mi_doctor *d, uint32_t node)
{
    const struct mi_csr *of = &d->model->index.framework_of;
    return mi_csr_count(of, node) ? d->rows->lowered.framework[of->list[of->first[node]]].v : 0;
}

/* Groups nodes; false: out of memory. */
static bool group_nodes(struct mi_doctor *d, struct storm *s)
{
    struct mi_map places = {0};
    bool ok = true;
    for (uint32_t r = 1; r < d->rows->recorded.count; r++)
        if (!s->recorded[d->rows->recorded.node[r].v])
            s->recorded[d->rows->recorded.node[r].v] = d->rows->recorded.name[r].v;
    for (uint32_t n = 1; ok && n < d->rows->nodes.count; n++) {
        uint32_t origin = origin_of(d, n), name = origin ? 0 : s->recorded[n];
        if (!mi_doctor_ran(d, n) || mi_doctor_is_inserted(d, n) || (!origin && !name))
            continue;
        /* ops and names have numbers of their own: the high bit tells them apart */
        uint64_t key = mi_pair(origin ? origin : name | UINT32_C(1) << 31, d->rows->nodes.op[n].v);
        uint32_t *place = mi_map_at(&places, key);
        ok = place != NULL;
        if (ok && !*place) {
            *place = ++s->group_count;
            s->groups[*place - 1] = (struct group){.first = n, .origin = origin};
        }
        if (ok) {
            struct group *group = &s->groups[*place - 1];
            s->group_of[n] = *place;
            group->count++;
            group->sum_ns = mi_ns_add(group->sum_ns, d->node_ns[n]);
        }
    }
    mi_map_fini(&places);
    return ok;
}

/* The node that reads the result of the first piece, if it reads at least half of them. */
static uint32_t joiner_of(const struct mi_doctor *d, const struct storm *s, uint32_t group)
{
    const struct mi_tables *rows = d->rows;
    const struct mi_csr *readers = &d->model->index.consumers;
    uint32_t value = mi_doctor_output(rows, s->groups[group].first), pieces = 0;
    uint32_t node =
        value && mi_csr_count(readers, value) ? readers->list[readers->first[value]] : 0;
    for (uint32_t i = 0; node && i < rows->nodes.in_count[node]; i++) {
        uint32_t producer =
            rows->values.producer[rows->ports.value[rows->nodes.first_in[node] + i].v].v;
        pieces += producer && s->group_of[producer] == group + 1;
    }
    return pieces * 2 >= s->groups[group].count ? node : 0;
}

static void calm(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct storm *s = user;
    const struct mi_taskgraph *graph = &run->graph;
    bool is_first = true;
    for (uint32_t v = 0; v < graph->count; v++) {
        bool is_piece = graph->node[v] && graph->role[v] == MI_TG_WORK &&
                        s->group_of[graph->node[v]] == s->at + 1;
        if (is_piece && is_first)
            mi_whatif_shorten(whatif, v, s->usual_ns);
        else if (is_piece ||
                 (s->joiner && graph->node[v] == s->joiner && graph->role[v] == MI_TG_WORK))
            mi_whatif_remove(whatif, v);
        is_first = is_first && !is_piece;
    }
}

static void tell(struct mi_doctor *d, struct storm *s, uint32_t g)
{
    const struct group *group = &s->groups[g];
    for (uint32_t n = 1; n < d->rows->nodes.count; n++)
        if (s->group_of[n] == g + 1)
            d->claimed[n] = 1;
    s->at = g;
    s->joiner = joiner_of(d, s, g);
    s->usual_ns = mi_doctor_usual_ns(d, d->rows->nodes.op[group->first], group->first);
    bool is_known = s->usual_ns >= 0;
    if (!is_known) /* no like of it: then it does its work once, without the launches between */
        s->usual_ns = group->sum_ns / group->count;
    int64_t cost_ns = mi_doctor_gain(d, calm, s);
    if (!mi_doctor_matters(d, cost_ns))
        return;
    for (uint32_t n = 1; n < d->rows->nodes.count; n++)
        if (s->group_of[n] == g + 1)
            mi_doctor_subject(d, n, 0, (struct mi_bytes){0});
    if (s->joiner)
        mi_doctor_subject(d, s->joiner, 0, mi_cstr(N_("puts the results together")));
    mi_doctor_add(d, &(struct mi_finding){
                         .severity = MI_WARNING,
                         .sentence = N_("%1 became %2 tiny nodes of type %3, of %4 each by mean"),
                         .args = {group->origin ? mi_doctor_name(d, group->origin)
                                                : mi_doctor_name(d, group->first),
                                  mi_doctor_number(d, group->count),
                                  mi_model_text(d->model, d->rows->nodes.op[group->first]),
                                  mi_doctor_span(d, group->sum_ns / group->count)},
                         .cost_ns = cost_ns,
                         .cost_from = is_known ? N_("simulation with one node like its like")
                                               : N_("up to, by simulation with one such node")});
}

static bool run(struct mi_doctor *d)
{
    size_t count = d->rows->nodes.count;
    struct storm s = {.group_of = mi_mem_zero(count, sizeof *s.group_of),
                      .groups = mi_mem_new(count, sizeof *s.groups),
                      .recorded = mi_mem_zero(count, sizeof *s.recorded)};
    bool ok = s.group_of && s.groups && s.recorded && group_nodes(d, &s);
    int64_t most_ns = mi_doctor_limit(d, "most-us") * 1000;
    for (uint32_t g = 0; ok && g < s.group_count; g++)
        if (s.groups[g].count >= mi_doctor_limit(d, "least-nodes") &&
            s.groups[g].sum_ns / s.groups[g].count <= most_ns)
            tell(d, &s, g);
    mi_mem_free(s.group_of);
    mi_mem_free(s.groups);
    mi_mem_free(s.recorded);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_tiny_task_storm = {
    .name = "tiny_task_storm",
    .question = N_("ops that became a multitude of tiny tasks"),
    .advice =
        N_("Keep %1 in one piece: look at the splitting rules of the compiler, at loops that the "
           "exporter unrolled, and at shapes too large or too odd for one task."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS | MI_DOCTOR_COMPILED,
    .limits = limits,
    .run = run,
};
