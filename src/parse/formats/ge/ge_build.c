/* The builder of GE graphs: graphs, ops and their descriptors become rows. */
#include "parse/formats/ge/ge_build.h"

#include "base/mem.h"
#include "parse/formats/ge/ge_state.h"

bool mi_ge_room(struct mi_ge *ge, void *list, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room)
        return true;
    void *old;
    memcpy(&old, list, sizeof old);
    uint32_t more = *room ? *room : 32;
    void *block =
        *room <= UINT32_MAX - more ? mi_mem_resize(old, (size_t)*room + more, size) : NULL;
    if (!block)
        return mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for a graph");
    memcpy(list, &block, sizeof block);
    *room += more;
    return true;
}

bool mi_ge_init(struct mi_ge *ge, struct mi_batch *out, const struct mi_ge_options *options)
{
    *ge = (struct mi_ge){
        .out = out, .offset = MI_NO_OFFSET, .weights_at = -1, .s = mi_mem_zero(1, sizeof *ge->s)};
    if (!ge->s)
        return mi_batch_fail(out, MI_ENOMEM, "out of memory for a graph");
    ge->s->options = *options;
    if (!ge->s->options.max_depth)
        ge->s->options.max_depth = 32;
    if (!ge->s->options.max_string_bytes)
        ge->s->options.max_string_bytes = 16u << 20;
    ge->s->first_graph = mi_next_row(out, graphs);
    ge->s->kernelname = mi_batch_cstr(out, "_kernelname");
    ge->s->control = mi_batch_cstr(out, "control");
    ge->s->c0 = mi_batch_cstr(out, "C0");
    ge->s->sub_format = mi_batch_cstr(out, "sub_format");
    ge->s->reuse_input = mi_batch_cstr(out, "reuse_input");
    struct mi_ge_state *s = ge->s; /* the stacks are there from the start: no pointer is NULL */
    return mi_ge_room(ge, &s->stack, &s->stack_room, 0, sizeof *s->stack) &&
           mi_ge_room(ge, &s->attrs, &s->attrs_room, 0, sizeof *s->attrs) &&
           mi_ge_room(ge, &s->dims, &s->dims_room, 0, sizeof *s->dims) &&
           mi_ge_room(ge, &s->text, &s->text_room, 0, sizeof *s->text) && !mi_batch_failed(out);
}

void mi_ge_fini(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    if (!s)
        return;
    void *const lists[] = {s->stack,     s->attrs,     s->dims,     s->text,     s->outs,
                           s->inputs,    s->subgraphs, s->recorded, s->in_sizes, s->out_sizes,
                           s->net_order, s->nodes,     s->uses,     s->scopes,   s->graph_order,
                           s->owned,     s->units};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        mi_mem_free(lists[i]);
    for (size_t i = 0; i < MI_GE_LISTS; i++)
        mi_mem_free(s->lists[i].at);
    mi_map_fini(&s->known);
    mi_map_fini(&s->dtypes);
    mi_map_fini(&s->runs);
    mi_map_fini(&s->names);
    mi_mem_free(s);
    ge->s = NULL;
}

/* --- graphs --- */

void mi_ge_unit(struct mi_ge *ge)
{
    mi_ge_graph_end(ge);
    uint32_t first = mi_next_row(ge->out, graphs);
    if (first > ge->s->first_graph)
        GE_PUSH(ge, units, first);
}

mi_graph_id mi_ge_graph_begin(struct mi_ge *ge, mi_graph_id declared)
{
    struct mi_ge_state *s = ge->s;
    if (s->in_graph)
        mi_ge_graph_end(ge);
    mi_ge_close(ge, 0);
    if (!declared.v)
        declared =
            mi_add_graph(ge->out, &(struct mi_graph_row){.layer = (uint8_t)s->options.layer,
                                                         .kind = MI_GRAPH_MAIN,
                                                         .stage = s->options.stage,
                                                         .stage_index = s->options.stage_index});
    ge->graph = declared;
    s->in_graph = true;
    s->first_node = mi_next_row(ge->out, nodes);
    s->first_buffer = mi_next_row(ge->out, buffers);
    s->first_attr = mi_next_row(ge->out, attrs);
    s->nodes_count = s->uses_count = s->scopes_count = s->graph_order_count = 0;
    s->net_output = (mi_node_id){0};
    return declared;
}

/* Big tables need not grow step by step then. That room could not be had shows when rows are added.
 */
void mi_ge_graph_expect(struct mi_ge *ge, uint32_t ops)
{
    enum { LEAST_EXPECTED = 1000, MOST_EXPECTED = 4000000 };
    struct mi_ge_state *s = ge->s;
    if (ops < LEAST_EXPECTED || mi_batch_failed(ge->out))
        return;
    if (ops > MOST_EXPECTED)
        ops = MOST_EXPECTED;
    mi_table_reserve(&ge->out->rows, MI_T_nodes, ops);
    mi_table_reserve(&ge->out->rows, MI_T_values, ops + ops / 16);
    mi_map_reserve(&s->names, ops);
    struct ge_node *more = s->nodes_room < ops ? mi_mem_resize(s->nodes, ops, sizeof *more) : NULL;
    if (more) {
        s->nodes = more;
        s->nodes_room = ops;
    }
}

void mi_ge_graph_extrapolate(struct mi_ge *ge, uint32_t ops, uint32_t all, uint64_t bytes_left)
{
    static const enum mi_table_no tables[] = {MI_T_attrs, MI_T_buffers};
    const uint32_t first[] = {ge->s->first_attr, ge->s->first_buffer};
    for (size_t i = 0; i < 2 && ops && ops < all && !mi_batch_failed(ge->out); i++) {
        uint64_t done = mi_any_table(&ge->out->rows, tables[i])->count - first[i];
        uint64_t more = done * (all - ops) / ops;
        more += more / 32;
        if (more > bytes_left / 4) /* none of them is shorter */
            more = bytes_left / 4;
        if (more < UINT32_MAX / 4)
            mi_table_reserve(&ge->out->rows, tables[i], (uint32_t)more);
    }
}

void mi_ge_graph_name(struct mi_ge *ge, struct mi_bytes name)
{
    mi_str_id id = mi_ge_str(ge, name);
    if (ge->graph.v)
        ge->out->rows.graphs.name[ge->graph.v] = id;
}

void mi_ge_graph_output(struct mi_ge *ge, struct mi_bytes output)
{
    struct ge_use use = {.text = mi_ge_str(ge, output)};
    if (use.text.v)
        GE_PUSH(ge, uses, use);
}

void mi_ge_graph_end(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    if (!s->in_graph)
        return;
    if (s->in_op)
        mi_ge_op_end(ge);
    mi_ge_close(ge, 0);
    if (ge->graph.v && !mi_batch_failed(ge->out)) {
        mi_ge_resolve(ge);
        mi_ge_groups(ge);
    }
    mi_map_fini(&s->names);
    s->in_graph = false;
    ge->graph = (mi_graph_id){0};
}

/* --- ops --- */

void mi_ge_op_begin(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    if (s->in_op)
        mi_ge_op_end(ge);
    mi_ge_close(ge, 0);
    ge->node = (mi_node_id){mi_next_row(ge->out, nodes)};
    ge->out->counts.in++;
    s->in_op = true;
    s->node = (struct mi_node_row){.graph = ge->graph, .position = s->nodes_count};
    if (s->options.without_ids)
        s->node.native_id = s->node.stream = -1;
    s->info = (struct ge_node){.order = -1};
    s->stack_count = s->attrs_count = s->dims_count = s->outs_count = s->inputs_count = 0;
    s->subgraphs_count = s->recorded_count = s->in_sizes_count = s->out_sizes_count = 0;
    s->net_order_count = s->type_count = 0;
    for (size_t i = 0; i < MI_GE_LISTS; i++)
        s->lists[i].at_count = 0;
    s->only_type = s->pass_ub = MI_NO_STR;
    s->op_scopes = s->scopes_count;
    s->constant = (struct mi_value_row){.data_offset = -1, .data_bytes = -1};
}

void mi_ge_op_name(struct mi_ge *ge, struct mi_bytes name)
{
    ge->s->node.name = mi_ge_str(ge, name);
}

void mi_ge_op_type(struct mi_ge *ge, struct mi_bytes type)
{
    ge->s->node.op = mi_ge_word(ge, type);
    ge->s->info.role = (uint8_t)mi_ge_op_role(type);
}

void mi_ge_op_id(struct mi_ge *ge, int64_t id)
{
    if (!ge->s->options.without_ids)
        ge->s->node.native_id = id;
}

void mi_ge_op_stream(struct mi_ge *ge, int64_t stream)
{
    if (!ge->s->options.without_ids)
        ge->s->node.stream = stream;
}

void mi_ge_op_input(struct mi_ge *ge, struct mi_bytes input)
{
    mi_str_id id = mi_ge_str(ge, input);
    GE_PUSH(ge, inputs, id);
}

void mi_ge_op_number(struct mi_ge *ge, enum mi_ge_list list, int64_t number)
{
    if (mi_ge_room(ge, &ge->s->lists[list].at, &ge->s->lists[list].at_room,
                   ge->s->lists[list].at_count, sizeof number))
        ge->s->lists[list].at[ge->s->lists[list].at_count++] = number;
}

void mi_ge_op_subgraph(struct mi_ge *ge, struct mi_bytes name)
{
    mi_str_id id = mi_ge_str(ge, name);
    if (id.v)
        GE_PUSH(ge, subgraphs, id);
}

/* ":-1" at the end of an input: an edge that only orders. */
static bool is_control(struct mi_bytes text)
{
    return mi_bytes_ends(text, MI_LIT(":-1")) || mi_bytes_starts(text, MI_LIT("^"));
}

static void add_inputs(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    s->node.first_in = mi_next_row(ge->out, ports);
    s->node.in_count = s->inputs_count;
    for (uint32_t i = 0; i < s->inputs_count; i++) {
        mi_str_id text = s->inputs[i];
        bool control = is_control(mi_batch_text(ge->out, text));
        uint32_t port = mi_add_port(ge->out, &(struct mi_port_row){.is_control = control}).v;
        struct ge_use use = {.text = text, .port = port};
        if (port && text.v)
            GE_PUSH(ge, uses, use);
    }
}

/* A Const is its data: what its attribute says goes to its output. */
static void fill_constant(struct mi_ge *ge, struct mi_value_row *value)
{
    const struct mi_value_row *from = &ge->s->constant;
    if (from->data_offset >= 0 || from->data_bytes >= 0) {
        value->data_offset = from->data_offset;
        value->data_bytes = from->data_bytes;
    }
    if (!value->dtype.v) {
        value->dtype = from->dtype;
        value->format = from->format;
        value->has_shape = from->has_shape;
        value->first_dim = from->first_dim;
        value->dim_count = from->dim_count;
    }
}

static void add_outputs(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    if (s->info.role == MI_GE_ROLE_CONST && !s->outs_count) {
        struct mi_value_row value = {.data_offset = -1, .data_bytes = -1};
        GE_PUSH(ge, outs, value);
    }
    if (s->info.role == MI_GE_ROLE_CONST && s->outs_count)
        fill_constant(ge, &s->outs[0]);
    s->info.first_value = mi_next_row(ge->out, values);
    s->info.descs = s->outs_count;
    for (uint32_t i = 0; i < s->outs_count; i++) {
        struct mi_value_row *value = &s->outs[i];
        value->graph = ge->graph;
        value->producer = ge->node;
        value->kind = s->info.role == MI_GE_ROLE_INPUT   ? MI_VALUE_INPUT
                      : s->info.role == MI_GE_ROLE_CONST ? MI_VALUE_CONSTANT
                                                         : MI_VALUE_ACTIVATION;
        mi_add_value(ge->out, value);
    }
}

static int64_t number_at(const struct mi_ge *ge, enum mi_ge_list list, uint32_t at)
{
    return at < ge->s->lists[list].at_count ? ge->s->lists[list].at[at] : -1;
}

static void add_buffer(struct mi_ge *ge, enum mi_buffer_kind kind, uint32_t port, int64_t offset,
                       int64_t size)
{
    mi_add_buffer(ge->out, &(struct mi_buffer_row){.node = ge->node,
                                                   .kind = (uint8_t)kind,
                                                   .port = port,
                                                   .offset_bytes = offset,
                                                   .size_bytes = size});
}

/* Offsets stand for the inputs that are connected; older files have one for every input.
 * Descriptors of absent inputs are left out or kept: their number tells. */
static void add_input_buffers(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    uint32_t data = 0, connected = 0, nth = 0;
    for (uint32_t i = 0; i < s->inputs_count; i++)
        if (!is_control(mi_batch_text(ge->out, s->inputs[i]))) {
            data++;
            connected += s->inputs[i].v != 0;
        }
    if (!s->lists[MI_GE_INPUT_I].at_count)
        return;
    bool by_port = s->lists[MI_GE_INPUT_I].at_count == data && data != connected;
    bool desc_by_port = s->in_sizes_count == data;
    for (uint32_t i = 0; i < data; i++) {
        if (!s->inputs[i].v)
            continue;
        uint32_t desc = desc_by_port ? i : nth;
        add_buffer(ge, MI_BUFFER_INPUT, i, number_at(ge, MI_GE_INPUT_I, by_port ? i : nth),
                   desc < s->in_sizes_count ? s->in_sizes[desc] : -1);
        nth++;
    }
}

static void add_buffers(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    add_input_buffers(ge);
    for (uint32_t i = 0; i < s->lists[MI_GE_OUTPUT_I].at_count; i++)
        add_buffer(ge, MI_BUFFER_OUTPUT, i, number_at(ge, MI_GE_OUTPUT_I, i),
                   i < s->out_sizes_count ? s->out_sizes[i] : -1);
    uint32_t spaces = s->lists[MI_GE_WORKSPACE].at_count;
    if (spaces < s->lists[MI_GE_WORKSPACE_BYTES].at_count)
        spaces = s->lists[MI_GE_WORKSPACE_BYTES].at_count;
    for (uint32_t i = 0; i < spaces; i++)
        add_buffer(ge, MI_BUFFER_WORKSPACE, i, number_at(ge, MI_GE_WORKSPACE, i),
                   number_at(ge, MI_GE_WORKSPACE_BYTES, i));
}

/* Types are no match for names by position unless there is one of each. */
static void add_recorded(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    for (uint32_t i = 0; i < s->recorded_count; i++) {
        if (s->recorded_count == 1 && s->type_count == 1)
            s->recorded[i].op = s->only_type;
        s->recorded[i].node = ge->node;
        mi_add_recorded(ge->out, &s->recorded[i]);
    }
}

static void note_name(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    if (!s->node.name.v)
        return;
    struct mi_bytes text = mi_batch_text(ge->out, s->node.name);
    uint32_t *slot = mi_map_at(&s->names, s->node.name.v);
    if (!slot)
        mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for the names of nodes");
    else if (*slot)
        mi_batch_diag(ge->out, MI_NOTICE, "ge.node_name_twice", ge->offset, ge->line,
                      "more than one node of a graph is called \"%.*s\"; edges mean the first",
                      GE_SHOW(text));
    else
        *slot = s->nodes_count + 1;
}

static void add_node(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    s->node.first_attr = mi_next_row(ge->out, attrs);
    s->node.attr_count = s->attrs_count;
    for (uint32_t i = 0; i < s->attrs_count; i++)
        mi_add_attr(ge->out, &s->attrs[i]);
    s->attrs_count = 0;
    note_name(ge);
    if (!mi_add_node(ge->out, &s->node).v || !GE_PUSH(ge, nodes, s->info))
        return;
    ge->out->counts.kept++;
    for (uint32_t i = 0; i < s->subgraphs_count; i++) {
        struct ge_owned owned = {.node = ge->node,
                                 .name = s->subgraphs[i],
                                 .nth = i,
                                 .count = s->subgraphs_count,
                                 .unit = s->units_count};
        GE_PUSH(ge, owned, owned);
    }
    if (s->info.role == MI_GE_ROLE_OUTPUT && !s->net_output.v) {
        s->net_output = ge->node;
        for (uint32_t i = 0; i < s->net_order_count; i++)
            GE_PUSH(ge, graph_order, s->net_order[i]);
    }
}

void mi_ge_op_end(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    if (!s->in_op)
        return;
    mi_ge_close(ge, 0);
    s->in_op = false;
    if (mi_batch_failed(ge->out))
        return;
    add_inputs(ge);
    add_outputs(ge);
    add_buffers(ge);
    add_recorded(ge);
    for (uint32_t i = s->op_scopes; i < s->scopes_count; i++)
        if (s->scopes[i].kind == MI_GROUP_UB)
            s->scopes[i].pass = s->pass_ub;
    add_node(ge);
}

void mi_ge_op_drop(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    if (!s->in_op)
        return;
    mi_ge_close(ge, 0);
    s->in_op = false;
    s->scopes_count = s->op_scopes;
    ge->out->counts.lost++;
    struct mi_graphs *graphs = &ge->out->rows.graphs;
    for (uint32_t g = s->first_graph; g < graphs->count; g++)
        if (graphs->parent[g].v == ge->node.v)
            graphs->parent[g] = (mi_node_id){0};
}
