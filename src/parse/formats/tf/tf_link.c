/* TensorFlow inputs become tensors and ports, once all nodes of a graph are known.
 *
 *   node       output 0 of a node          node:2    its output 2
 *   ^node      runs after it, no data      arg       argument of the function around
 *   node:z:1   in functions: second tensor of the output that the op's definition calls z
 *
 * How many outputs an operator has does not stand in the file: a node gets those that are used, and
 * always the first one unless the operator is known to have none. */
#include "base/mem.h"
#include "parse/formats/tf/tf_read.h"

#include <stdio.h>

/* Unused outputs in front of used ones that become ports: more would let a small file fill the
 * memory. */
#define MAX_HOLES 1000000u

#define CONTROL UINT32_MAX /* place of the value that stands for "has run" */

struct link {
    struct tf *t;
    mi_graph_id graph;
    uint32_t first_node, node_count, first_value;
    uint64_t offset;
    bool is_function;
    uint32_t *slots; /* per value from first_value on: place among its node's outputs */
    uint32_t slot_count, slot_room;
    uint32_t *outs;  /* per node: number of data outputs */
    uint32_t *ctrl;  /* per node: the control value or 0 */
    uint32_t *ends;  /* per input: its value */
    uint32_t *base;  /* per node: place in `table` */
    uint32_t *table; /* the outputs of all nodes */
};

static mi_value_id add_value(struct link *l, mi_str_id name, enum mi_value_kind kind,
                             mi_node_id producer, uint32_t slot)
{
    struct tf *t = l->t;
    if (!mi_fw_room(&t->fw, &l->slots, l->slot_count, &l->slot_room, sizeof *l->slots))
        return (mi_value_id){0};
    mi_value_id value = mi_fw_value(&t->fw, l->graph, name, kind, producer);
    if (value.v)
        l->slots[l->slot_count++] = slot;
    return value;
}

static uint32_t *end_at(struct tf *t, uint32_t node, mi_str_id text)
{
    uint32_t *slot = mi_map_at(&t->ends, mi_pair(node, text.v));
    if (!slot)
        mi_batch_fail(t->fw.out, MI_ENOMEM, "out of memory for the names of tensors");
    return slot;
}

/* --- what an input means --- */

/* An input text taken apart. */
struct end {
    struct mi_bytes node, output; /* output: empty = the first */
    bool is_control;
};

static bool all_digits(struct mi_bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    return text.len > 0;
}

static struct end take_apart(const struct link *l, struct mi_bytes text)
{
    struct end end = {.node = text};
    if (mi_bytes_starts(text, MI_LIT("^"))) {
        end.node = mi_bytes_sub(text, 1, text.len);
        end.is_control = true;
        return end;
    }
    if (l->is_function) {
        const uint8_t *colon = text.len ? memchr(text.at, ':', text.len) : NULL;
        if (colon) {
            end.node.len = (size_t)(colon - text.at);
            end.output = mi_bytes_sub(text, end.node.len + 1, text.len);
        }
        return end;
    }
    for (size_t i = text.len; i-- > 1;)
        if (text.at[i] == ':') {
            if (all_digits(mi_bytes_sub(text, i + 1, text.len))) {
                end.node.len = i;
                end.output = mi_bytes_sub(text, i + 1, text.len);
            }
            break;
        }
    return end;
}

static mi_node_id find_node(const struct link *l, struct mi_bytes name)
{
    mi_str_id id = mi_strings_find(&l->t->fw.out->strings, name);
    return (mi_node_id){id.v ? mi_map_get(&l->t->nodes, mi_pair(l->graph.v, id.v)) : 0};
}

/* The number of an output of a node of the main graph; a huge one is capped. */
static uint32_t number_of(struct mi_bytes digits)
{
    uint32_t number = 0;
    for (size_t i = 0; i < digits.len && number < 100000000u; i++)
        number = number * 10 + (uint32_t)(digits.at[i] - '0');
    return number;
}

/* The next free place, or place `wanted` with unused ones in front of it. */
static uint32_t place(struct link *l, uint32_t node, uint32_t wanted)
{
    uint32_t *outs = &l->outs[node];
    if (l->is_function || wanted > MAX_HOLES ||
        (wanted > *outs && l->t->holes + (wanted - *outs) > MAX_HOLES))
        wanted = *outs;
    if (wanted > *outs)
        l->t->holes += wanted - *outs;
    if (wanted >= *outs)
        *outs = wanted + 1;
    return wanted;
}

/* `left` and `right` with `between`; the names may hold anything. */
static mi_str_id joined(struct link *l, struct mi_bytes left, const char *between,
                        struct mi_bytes right)
{
    size_t len = strlen(between);
    uint8_t *text = mi_scratch_room(&l->t->scratch, left.len + len + right.len);
    if (!text) {
        mi_batch_fail(l->t->fw.out, MI_ENOMEM, "out of memory for the names of tensors");
        return MI_NO_STR;
    }
    if (left.len)
        memcpy(text, left.at, left.len);
    memcpy(text + left.len, between, len);
    if (right.len)
        memcpy(text + left.len + len, right.at, right.len);
    return mi_batch_str(l->t->fw.out, (struct mi_bytes){text, left.len + len + right.len});
}

/* The first node of a name makes "name:0"; a second one, fifth of its graph, "name#5:0". */
static mi_str_id value_name(struct link *l, mi_node_id node, struct mi_bytes output)
{
    struct mi_batch *out = l->t->fw.out;
    char between[32];
    mi_str_id name = out->rows.nodes.name[node.v];
    uint32_t first = mi_map_get(&l->t->nodes, mi_pair(l->graph.v, name.v));
    if (first == node.v)
        snprintf(between, sizeof between, ":");
    else
        snprintf(between, sizeof between, "#%u:", out->rows.nodes.position[node.v] + 1);
    return joined(l, mi_batch_text(out, name), between, output);
}

static mi_value_id data_value(struct link *l, mi_node_id node, struct mi_bytes output)
{
    struct tf *t = l->t;
    char digits[16];
    uint32_t number = number_of(output);
    if (!output.len)
        output = MI_LIT("0");
    else if (!l->is_function) { /* "007" is 7 */
        size_t len = 0;
        uint32_t rest = number;
        do
            digits[sizeof digits - ++len] = (char)('0' + rest % 10);
        while (rest /= 10);
        output = (struct mi_bytes){(const uint8_t *)digits + sizeof digits - len, len};
    }
    mi_str_id text = mi_batch_str(t->fw.out, output);
    uint32_t *slot = end_at(t, node.v, text);
    if (!slot || *slot || mi_batch_failed(t->fw.out))
        return (mi_value_id){slot ? *slot : 0};
    mi_str_id name = value_name(l, node, output);
    uint32_t at = place(l, node.v - l->first_node, l->is_function ? 0 : number);
    mi_value_id value = add_value(l, name, MI_VALUE_ACTIVATION, node, at);
    *slot = value.v;
    mi_tf_output_type(t, node, at, value);
    return value;
}

static mi_value_id control_value(struct link *l, mi_node_id node)
{
    uint32_t *value = &l->ctrl[node.v - l->first_node];
    if (!*value && !mi_batch_failed(l->t->fw.out)) {
        mi_str_id node_name = l->t->fw.out->rows.nodes.name[node.v];
        mi_str_id name =
            joined(l, (struct mi_bytes){NULL, 0}, "^", mi_batch_text(l->t->fw.out, node_name));
        *value = add_value(l, name, MI_VALUE_ACTIVATION, node, CONTROL).v;
        mi_str_id type = mi_batch_cstr(l->t->fw.out, "control");
        if (!mi_batch_failed(l->t->fw.out))
            l->t->fw.out->rows.values.type[*value] = type;
    }
    return (mi_value_id){*value};
}

static mi_value_id dangling_value(struct link *l, mi_str_id name)
{
    uint32_t *slot = end_at(l->t, 0, name);
    if (!slot || *slot)
        return (mi_value_id){slot ? *slot : 0};
    *slot = add_value(l, name, MI_VALUE_DANGLING, (mi_node_id){0}, 0).v;
    struct mi_bytes text = mi_batch_text(l->t->fw.out, name);
    mi_batch_diag(l->t->fw.out, MI_NOTICE, "tf.dangling", l->offset, 0,
                  "\"%.*s\" is used but no node of its graph has that name", MI_FW_SHOW(text));
    return (mi_value_id){*slot};
}

static mi_value_id resolve(struct link *l, mi_str_id name)
{
    if (mi_batch_failed(l->t->fw.out))
        return (mi_value_id){0};
    uint32_t arg = mi_map_get(&l->t->args, mi_pair(l->graph.v, name.v));
    if (arg)
        return (mi_value_id){arg};
    struct end end = take_apart(l, mi_batch_text(l->t->fw.out, name));
    mi_node_id node = find_node(l, end.node);
    if (!node.v)
        return name.v ? dangling_value(l, name) : (mi_value_id){0};
    return end.is_control ? control_value(l, node) : data_value(l, node, end.output);
}

/* --- ports --- */

static bool is_one_of(const struct link *l, uint32_t node, const char *a, const char *b)
{
    struct mi_bytes op = mi_batch_text(l->t->fw.out, l->t->fw.out->rows.nodes.op[node]);
    return mi_bytes_equal(op, mi_cstr(a)) || mi_bytes_equal(op, mi_cstr(b));
}

/* What NextIteration hands to Merge is of the round before. */
static bool is_back(const struct link *l, uint32_t node, mi_value_id value)
{
    mi_node_id from = {0};
    if (value.v) /* without any value the table has no row 0 either */
        from = l->t->fw.out->rows.values.producer[value.v];
    return from.v && is_one_of(l, node, "Merge", "RefMerge") &&
           is_one_of(l, from.v, "NextIteration", "RefNextIteration");
}

static bool is_control(const struct link *l, mi_str_id text)
{
    return mi_bytes_starts(mi_batch_text(l->t->fw.out, text), MI_LIT("^"));
}

static void resolve_all(struct link *l)
{
    struct tf *t = l->t;
    const struct mi_nodes *nodes = &t->fw.out->rows.nodes;
    for (uint32_t i = 0; i < t->input_count; i++)
        l->ends[i] = resolve(l, t->inputs[i].text).v;
    for (uint32_t i = 0; i < l->node_count && !mi_batch_failed(t->fw.out); i++) {
        mi_node_id node = {l->first_node + i};
        if (!l->outs[i] && !mi_tf_is_sink(mi_batch_text(t->fw.out, nodes->op[node.v])))
            data_value(l, node, (struct mi_bytes){NULL, 0});
    }
}

/* Sorts the values under the places of their nodes. */
static bool make_table(struct link *l)
{
    const struct mi_values *values = &l->t->fw.out->rows.values;
    uint64_t sum = 0;
    if (mi_batch_failed(l->t->fw.out))
        return false;
    for (uint32_t i = 0; i < l->node_count; i++) {
        l->base[i] = (uint32_t)sum;
        sum += l->outs[i];
    }
    l->table = sum < UINT32_MAX ? mi_mem_zero((size_t)sum + 1, sizeof *l->table) : NULL;
    if (!l->table)
        return mi_batch_fail(l->t->fw.out, MI_ENOMEM, "out of memory for the outputs of nodes");
    for (uint32_t i = 0; i < l->slot_count; i++) {
        uint32_t value = l->first_value + i;
        if (values->producer[value].v && l->slots[i] != CONTROL)
            l->table[l->base[values->producer[value].v - l->first_node] + l->slots[i]] = value;
    }
    return true;
}

static void add_ports(struct link *l)
{
    struct mi_batch *out = l->t->fw.out;
    struct mi_nodes *nodes = &out->rows.nodes;
    uint32_t input = 0;
    for (uint32_t i = 0; i < l->node_count && !mi_batch_failed(out); i++) {
        uint32_t node = l->first_node + i;
        nodes->first_in[node] = mi_next_row(out, ports);
        for (; input < l->t->input_count && l->t->inputs[input].node == i; input++) {
            mi_value_id value = {l->ends[input]};
            mi_add_port(out,
                        &(struct mi_port_row){.value = value,
                                              .is_control = is_control(l, l->t->inputs[input].text),
                                              .is_back = is_back(l, node, value)});
        }
        nodes->in_count[node] = mi_next_row(out, ports) - nodes->first_in[node];
        nodes->first_out[node] = mi_next_row(out, ports);
        for (uint32_t k = 0; k < l->outs[i]; k++)
            mi_add_port(out, &(struct mi_port_row){.value = {l->table[l->base[i] + k]}});
        if (l->ctrl[i])
            mi_add_port(out, &(struct mi_port_row){.value = {l->ctrl[i]}, .is_control = true});
        nodes->out_count[node] = mi_next_row(out, ports) - nodes->first_out[node];
    }
}

/* A main graph declares nothing: placeholders are what is fed, and what nobody uses comes out. */
static void main_ends(struct link *l)
{
    struct mi_batch *out = l->t->fw.out;
    struct mi_graphs *graphs = &out->rows.graphs;
    uint32_t first = mi_next_row(out, ports), graph = l->graph.v;
    for (uint32_t i = 0; i < l->node_count; i++)
        if (l->outs[i] && mi_bytes_starts(mi_batch_text(out, out->rows.nodes.op[l->first_node + i]),
                                          MI_LIT("Placeholder")))
            mi_add_port(out, &(struct mi_port_row){.value = {l->table[l->base[i]]}});
    graphs->first_in[graph] = first;
    graphs->in_count[graph] = mi_next_row(out, ports) - first;
    for (uint32_t i = 0; i < l->t->input_count; i++) /* `slots` tells now who is used */
        if (l->ends[i] >= l->first_value)
            l->slots[l->ends[i] - l->first_value] = CONTROL;
    first = mi_next_row(out, ports);
    for (uint32_t i = 0; i < l->slot_count; i++)
        if (l->slots[i] != CONTROL)
            mi_add_port(out, &(struct mi_port_row){.value = {l->first_value + i}});
    graphs->first_out[graph] = first;
    graphs->out_count[graph] = mi_next_row(out, ports) - first;
}

static void add_results(struct link *l, const uint32_t *ends)
{
    struct tf *t = l->t;
    struct mi_graphs *graphs = &t->fw.out->rows.graphs;
    struct mi_values *values = &t->fw.out->rows.values;
    uint32_t first = mi_next_row(t->fw.out, ports);
    for (uint32_t i = 0; i < t->result_count; i++) {
        if (ends[i] && !values->dtype[ends[i]].v)
            values->dtype[ends[i]] = t->results[i].dtype;
        mi_add_port(t->fw.out, &(struct mi_port_row){.value = {ends[i]}});
    }
    graphs->first_out[l->graph.v] = first;
    graphs->out_count[l->graph.v] = mi_next_row(t->fw.out, ports) - first;
}

static void make_all(struct link *l)
{
    struct tf *t = l->t;
    uint32_t *results = mi_mem_zero((size_t)t->result_count + 1, sizeof *results);
    l->outs = mi_mem_zero((size_t)l->node_count + 1, sizeof *l->outs);
    l->ctrl = mi_mem_zero((size_t)l->node_count + 1, sizeof *l->ctrl);
    l->base = mi_mem_zero((size_t)l->node_count + 1, sizeof *l->base);
    l->ends = mi_mem_zero((size_t)t->input_count + 1, sizeof *l->ends);
    if (!results || !l->outs || !l->ctrl || !l->base || !l->ends) {
        mi_batch_fail(t->fw.out, MI_ENOMEM, "out of memory for the inputs of nodes");
    } else {
        for (uint32_t i = 0; i < t->result_count; i++)
            results[i] = resolve(l, t->results[i].text).v;
        resolve_all(l);
        if (make_table(l)) {
            add_ports(l);
            if (l->is_function)
                add_results(l, results);
            else
                main_ends(l);
        }
    }
    mi_mem_free(results);
}

void mi_tf_link(struct tf *t, mi_graph_id graph, uint32_t first_node, uint64_t offset)
{
    struct link l = {.t = t,
                     .graph = graph,
                     .first_node = first_node,
                     .node_count = mi_next_row(t->fw.out, nodes) - first_node,
                     .first_value = mi_next_row(t->fw.out, values),
                     .offset = offset};
    if (!mi_batch_failed(t->fw.out)) {
        l.is_function = t->fw.out->rows.graphs.kind[graph.v] == MI_GRAPH_FUNCTION;
        make_all(&l);
    }
    t->input_count = t->result_count = 0;
    mi_map_fini(&t->ends); /* dangling names are known by graph */
    mi_map_fini(&t->result_of);
    t->ends = t->result_of = (struct mi_map){.slots = NULL};
    mi_mem_free(l.slots);
    mi_mem_free(l.outs);
    mi_mem_free(l.ctrl);
    mi_mem_free(l.base);
    mi_mem_free(l.ends);
    mi_mem_free(l.table);
}
