/* Round trips: chains of inserted conversions and copies whose result is like what they began with.
 *
 * From each conversion that something else reads, the chain is followed back over the conversions
 * that feed it. The shortest stretch at whose ends element type, layout and sizes are equal is a
 * round trip: without it the reader gets the same. Of that the nodes stay that others read too. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

enum { MOST_LENGTH = 16, NAME_BYTES = 200 };

struct trips {
    struct mi_doctor *d;
    uint32_t *nodes, count; /* to be left out */
    uint32_t trips;
    uint8_t *is_taken; /* [nodes.count] */
};

bool mi_doctor_converts(const struct mi_doctor *d, uint32_t node)
{
    const struct mi_nodes *nodes = &d->rows->nodes;
    return mi_doctor_is_inserted(d, node) && nodes->out_count[node] == 1 &&
           mi_doctor_input(d->rows, node) &&
           (nodes->category[node] == MI_CATEGORY_DATA_MOVEMENT ||
            mi_bytes_equal(mi_model_text(d->model, nodes->op[node]), MI_LIT("Cast")));
}

static bool is_alike(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    return mi_doctor_same_tensor(rows, a, b) &&
           rows->values.format[a].v == rows->values.format[b].v;
}

/* A reader of its result that is no conversion; 0: none. */
static uint32_t reader_of(const struct mi_doctor *d, uint32_t node)
{
    const struct mi_csr *readers = &d->model->index.consumers;
    uint32_t value = mi_doctor_output(d->rows, node);
    for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++)
        if (!mi_doctor_converts(d, readers->list[i]))
            return readers->list[i];
    return 0;
}

/* The trip that ends at chain[0]: its length; 0: none. */
static uint32_t follow(const struct mi_doctor *d, uint32_t end, uint32_t chain[MOST_LENGTH])
{
    uint32_t out = mi_doctor_output(d->rows, end);
    chain[0] = end;
    for (uint32_t length = 1; length < MOST_LENGTH; length++) {
        uint32_t producer = d->rows->values.producer[mi_doctor_input(d->rows, chain[length - 1])].v;
        if (!producer || !mi_doctor_converts(d, producer))
            return 0;
        chain[length] = producer;
        if (is_alike(d->rows, mi_doctor_input(d->rows, producer), out))
            return length + 1;
    }
    return 0;
}

static enum mi_doctor_trip kind_of(const struct mi_doctor *d, const uint32_t *chain,
                                   uint32_t length)
{
    const struct mi_values *values = &d->rows->values;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t in = mi_doctor_input(d->rows, chain[i]), out = mi_doctor_output(d->rows, chain[i]);
        if (values->format[in].v == values->format[out].v ||
            values->dtype[in].v != values->dtype[out].v)
            return MI_DOCTOR_COPY;
    }
    return MI_DOCTOR_LAYOUT;
}

/* Those from the end on that nobody else reads. */
static uint32_t removable(const struct mi_doctor *d, const uint32_t *chain, uint32_t length)
{
    const struct mi_csr *readers = &d->model->index.consumers;
    for (uint32_t i = 1; i < length; i++)
        if (mi_csr_count(readers, mi_doctor_output(d->rows, chain[i])) > 1)
            return i;
    return length;
}

static int shown(struct mi_bytes name)
{
    return (int)(name.len < NAME_BYTES ? name.len : NAME_BYTES);
}

static void take(struct trips *t, const uint32_t *chain, uint32_t length, uint32_t reader)
{
    struct mi_doctor *d = t->d;
    uint32_t from = d->rows->values.producer[mi_doctor_input(d->rows, chain[length - 1])].v;
    struct mi_bytes name = mi_doctor_name(d, from), to = mi_doctor_name(d, reader);
    struct mi_bytes note = mi_arena_printf(d->arena, N_("between %.*s and %.*s"), shown(name),
                                           (const char *)name.at, shown(to), (const char *)to.at);
    uint32_t count = removable(d, chain, length);
    for (uint32_t i = count; i-- > 0;) {
        t->is_taken[chain[i]] = 1;
        d->claimed[chain[i]] = 1;
        t->nodes[t->count++] = chain[i];
        mi_doctor_subject(d, chain[i], 0, note);
    }
    t->trips++;
}

static void find(struct trips *t, enum mi_doctor_trip kind)
{
    struct mi_doctor *d = t->d;
    uint32_t chain[MOST_LENGTH];
    for (uint32_t n = 1; n < d->rows->nodes.count; n++) {
        if (t->is_taken[n] || d->claimed[n] || !mi_doctor_ran(d, n) || !mi_doctor_converts(d, n))
            continue;
        uint32_t reader = reader_of(d, n), length = reader ? follow(d, n, chain) : 0;
        bool is_free = length && kind_of(d, chain, length) == kind;
        for (uint32_t i = 0; i < length; i++)
            is_free = is_free && !t->is_taken[chain[i]] && !d->claimed[chain[i]];
        if (is_free)
            take(t, chain, length, reader);
    }
}

bool mi_doctor_find_trips(struct mi_doctor *d, enum mi_doctor_trip kind, const char *sentence)
{
    struct trips t = {.d = d};
    t.nodes = mi_mem_new(d->rows->nodes.count, sizeof *t.nodes);
    t.is_taken = mi_mem_zero(d->rows->nodes.count, 1);
    bool ok = t.nodes && t.is_taken;
    if (ok)
        find(&t, kind);
    int64_t cost_ns =
        t.count ? mi_doctor_gain_without(d, (struct mi_doctor_nodes){t.nodes, t.count}) : 0;
    if (mi_doctor_matters(d, cost_ns))
        mi_doctor_add(d, &(struct mi_finding){
                             .severity = MI_WARNING,
                             .sentence = sentence,
                             .args = {mi_doctor_number(d, t.count), mi_doctor_number(d, t.trips)},
                             .cost_ns = cost_ns,
                             .cost_from = N_("simulation")});
    mi_mem_free(t.nodes);
    mi_mem_free(t.is_taken);
    return ok;
}
