/* The same is computed twice: nodes of one type with equal inputs, attributes and outputs. What
 * differs may not be recorded (weights that a dump leaves out): the same work also takes the same
 * time. */
#include "analyse/doctor/doctor.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

static const struct mi_doctor_limit limits[] = {
    MI_DOCTOR_LIMITS(2, 1),
    {"most-apart-percent", 30, N_("the longer one takes so many hundredths more at most")},
    {.name = NULL}};

enum { MOST_BYTES = 4096 /* of what tells two nodes apart */ };

/* What a node computes, as bytes; 0: too long, or nothing that could be told. */
struct signature {
    uint32_t words[MOST_BYTES / 4];
    uint32_t count;
    bool is_whole;
};

static void put(struct signature *s, uint32_t word)
{
    if (s->count == MOST_BYTES / 4)
        s->is_whole = false;
    else
        s->words[s->count++] = word;
}

static void put_attrs(const struct mi_doctor *d, uint32_t node, struct signature *s)
{
    const struct mi_tables *rows = d->rows;
    uint32_t first = rows->nodes.first_attr[node];
    for (uint32_t a = first; a < first + rows->nodes.attr_count[node]; a++) {
        if (mi_doctor_is_about_compiling(mi_model_text(d->model, rows->attrs.name[a])))
            continue;
        put(s, rows->attrs.name[a].v);
        put(s, rows->attrs.item_count[a]);
        for (uint32_t i = 0; i < rows->attrs.item_count[a]; i++) {
            uint32_t item = rows->attrs.first_item[a] + i;
            uint64_t real;
            memcpy(&real, &rows->items.real_value[item], sizeof real);
            put(s, (uint32_t)rows->items.int_value[item]);
            put(s, (uint32_t)((uint64_t)rows->items.int_value[item] >> 32));
            put(s, (uint32_t)real);
            put(s, (uint32_t)(real >> 32));
            put(s, rows->items.text[item].v);
            put(s, rows->items.value[item].v);
            put(s, rows->items.graph[item].v);
        }
    }
}

/* Ports that carry data: what else a node waits for, or lets go, is not what it computes. */
static uint32_t count_data(const struct mi_tables *rows, uint32_t first, uint32_t count)
{
    uint32_t data = 0;
    for (uint32_t i = 0; i < count; i++)
        data += !rows->ports.is_control[first + i];
    return data;
}

static void sign(const struct mi_doctor *d, uint32_t node, struct signature *s)
{
    const struct mi_tables *rows = d->rows;
    s->count = 0;
    s->is_whole = true;
    put(s, rows->nodes.graph[node].v);
    put(s, rows->nodes.op[node].v);
    put(s, count_data(rows, rows->nodes.first_out[node], rows->nodes.out_count[node]));
    put(s, count_data(rows, rows->nodes.first_in[node], rows->nodes.in_count[node]));
    for (uint32_t i = 0; i < rows->nodes.in_count[node]; i++)
        if (!rows->ports.is_control[rows->nodes.first_in[node] + i])
            put(s, rows->ports.value[rows->nodes.first_in[node] + i].v);
    put_attrs(d, node, s);
}

static bool is_same(const struct mi_doctor *d, uint32_t a, uint32_t b)
{
    struct signature left, right;
    int64_t shorter_ns = d->node_ns[a] < d->node_ns[b] ? d->node_ns[a] : d->node_ns[b];
    int64_t apart_ns = d->node_ns[a] + d->node_ns[b] - 2 * shorter_ns;
    sign(d, a, &left);
    sign(d, b, &right);
    return apart_ns <= shorter_ns / 100 * mi_doctor_limit(d, "most-apart-percent") &&
           left.count == right.count &&
           memcmp(left.words, right.words, left.count * sizeof *left.words) == 0 &&
           mi_doctor_same_tensor(d->rows, mi_doctor_output(d->rows, a),
                                 mi_doctor_output(d->rows, b));
}

static bool is_candidate(const struct mi_doctor *d, uint32_t node)
{
    static const char *const random[] = {"Random", "Dropout", "Multinomial", "Bernoulli",
                                         "Stateless"};
    struct mi_bytes op = mi_model_text(d->model, d->rows->nodes.op[node]);
    for (size_t i = 0; i < sizeof random / sizeof *random; i++)
        if (mi_bytes_starts(op, mi_cstr(random[i])))
            return false;
    return mi_doctor_ran(d, node) && !d->claimed[node] && !mi_doctor_is_inserted(d, node) &&
           d->rows->nodes.in_count[node] && d->rows->nodes.out_count[node];
}

/* Later nodes that compute what an earlier one has. False: out of memory. */
static bool find(struct mi_doctor *d, uint32_t *nodes, uint32_t *count)
{
    struct mi_map first = {0};
    bool ok = true;
    for (uint32_t n = 1; ok && n < d->rows->nodes.count; n++) {
        struct signature s;
        if (!is_candidate(d, n))
            continue;
        sign(d, n, &s);
        if (!s.is_whole)
            continue;
        uint32_t *at = mi_map_at(&first, mi_hash64((struct mi_bytes){(const uint8_t *)s.words,
                                                                     s.count * sizeof *s.words}));
        ok = at != NULL;
        if (ok && *at && is_same(d, *at, n)) {
            nodes[(*count)++] = *at;
            nodes[(*count)++] = n;
        } else if (ok && !*at) {
            *at = n;
        }
    }
    mi_map_fini(&first);
    return ok;
}

struct later {
    const uint32_t *nodes; /* pairs */
    uint32_t count;
};

static void leave_out(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct later *l = user;
    for (uint32_t i = 1; i < l->count; i += 2)
        mi_doctor_leave_out(whatif, run, l->nodes[i]);
}

static bool run(struct mi_doctor *d)
{
    struct later l = {0};
    uint32_t *nodes = mi_mem_new((size_t)d->rows->nodes.count * 2, sizeof *nodes);
    bool ok = nodes && find(d, nodes, &l.count);
    l.nodes = nodes;
    int64_t cost_ns = ok && l.count ? mi_doctor_gain(d, leave_out, &l) : 0;
    if (mi_doctor_matters(d, cost_ns)) {
        for (uint32_t i = 1; i < l.count; i += 2) {
            d->claimed[nodes[i]] = 1;
            mi_doctor_subject(d, nodes[i], 0, mi_cstr(N_("computes it once more")));
            mi_doctor_subject(d, nodes[i - 1], 0, mi_cstr(N_("has computed it")));
        }
        mi_doctor_add(d,
                      &(struct mi_finding){
                          .severity = MI_WARNING,
                          .sentence = N_("%1 nodes compute what another node has computed of the "
                                         "same inputs"),
                          .args = {mi_doctor_number(d, l.count / 2)},
                          .cost_ns = cost_ns,
                          .cost_from = N_("simulation")});
    }
    mi_mem_free(nodes);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_duplicate_compute = {
    .name = "duplicate_compute",
    .question = N_("nodes that compute what another one has"),
    .advice =
        N_("Let both readers use one result: common sub-expressions are merged by the exporter or "
           "a simplifier; look at what made the compiler copy the node (memory, fusion)."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .limits = limits,
    .run = run,
};
