/* Nodes of the same kind: how long such a node usually takes, which one makes what another reads.
 */
#include "analyse/doctor/doctor.h"

#include <stdlib.h>

enum { MOST_LIKE = 512 }; /* nodes that a median is made of */

bool mi_doctor_is_on_cpu(const struct mi_doctor *d, uint32_t node)
{
    if (!mi_doctor_ran(d, node))
        return false;
    uint32_t v = d->runs[0].places.list[d->runs[0].places.first[node]] - 1;
    uint32_t kernel = d->rows->tasks.kernel[d->runs[0].graph.task[v]].v;
    struct mi_bytes engine = mi_model_text(d->model, d->rows->kernels.engine[kernel]);
    return mi_bytes_equal(engine, MI_LIT("AI_CPU")) || mi_bytes_equal(engine, MI_LIT("AICPU"));
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

bool mi_doctor_same_tensor(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_values *values = &rows->values;
    if (!a || !b || !values->has_shape[a] || !values->has_shape[b] ||
        values->dtype[a].v != values->dtype[b].v || values->dim_count[a] != values->dim_count[b])
        return false;
    for (uint32_t i = 0; i < values->dim_count[a]; i++)
        if (rows->dims.size[values->first_dim[a] + i] != rows->dims.size[values->first_dim[b] + i])
            return false;
    return true;
}

uint32_t mi_doctor_output(const struct mi_tables *rows, uint32_t node)
{
    return rows->nodes.out_count[node] ? rows->ports.value[rows->nodes.first_out[node]].v : 0;
}

/* The next input from `*at` on that carries data; 0: there is none. */
static uint32_t next_data(const struct mi_tables *rows, uint32_t node, uint32_t *at)
{
    while (*at < rows->nodes.in_count[node]) {
        uint32_t port = rows->nodes.first_in[node] + (*at)++;
        if (!rows->ports.is_control[port] && rows->ports.value[port].v)
            return rows->ports.value[port].v;
    }
    return 0;
}

bool mi_doctor_is_like(const struct mi_doctor *d, uint32_t a, uint32_t b)
{
    const struct mi_tables *rows = d->rows;
    uint32_t at_a = 0, at_b = 0;
    if (rows->nodes.op[a].v != rows->nodes.op[b].v ||
        !mi_doctor_same_tensor(rows, mi_doctor_output(rows, a), mi_doctor_output(rows, b)))
        return false;
    for (;;) {
        uint32_t left = next_data(rows, a, &at_a), right = next_data(rows, b, &at_b);
        if (!left && !right)
            return true;
        if (!mi_doctor_same_tensor(rows, left, right))
            return false;
    }
}

static int64_t median_of(const struct mi_doctor *d, mi_str_id op, uint32_t but, bool is_equal)
{
    int64_t list[MOST_LIKE];
    size_t count = 0;
    for (uint32_t i = d->of_type.first[op.v]; i < d->of_type.first[op.v + 1]; i++) {
        uint32_t node = d->of_type.list[i];
        if (node == but || d->claimed[node] || count == MOST_LIKE ||
            (is_equal && !mi_doctor_is_like(d, but, node)) || mi_doctor_is_on_cpu(d, node))
            continue;
        list[count++] = d->node_ns[node];
    }
    if (!count)
        return -1;
    qsort(list, count, sizeof *list, compare_times);
    return list[count / 2];
}

int64_t mi_doctor_usual_ns(const struct mi_doctor *d, mi_str_id op, uint32_t but)
{
    if (!d->run_count || op.v >= d->of_type.row_count)
        return -1;
    int64_t equal_ns = but ? median_of(d, op, but, true) : -1;
    return equal_ns >= 0 ? equal_ns : median_of(d, op, but, false);
}

uint32_t mi_doctor_input(const struct mi_tables *rows, uint32_t node)
{
    uint32_t input = 0;
    for (uint32_t i = 0; i < rows->nodes.in_count[node]; i++) {
        uint32_t port = rows->nodes.first_in[node] + i;
        if (rows->ports.is_control[port] || !rows->ports.value[port].v)
            continue;
        if (input)
            return 0;
        input = rows->ports.value[port].v;
    }
    return input;
}
