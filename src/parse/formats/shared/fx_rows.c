/* FX graphs as text: calls, values and types to rows. */
#include "parse/formats/shared/fx_rows.h"

#include "base/mem.h"
#include "parse/formats/shared/py_text.h"

void mi_fx_begin(struct mi_fx *fx, struct mi_batch *out, mi_str_id name)
{
    *fx = (struct mi_fx){.out = out, .first_value = mi_next_row(out, values)};
    fx->graph = mi_add_graph(
        out,
        &(struct mi_graph_row){.layer = MI_LAYER_FRAMEWORK, .kind = MI_GRAPH_MAIN, .name = name});
}

static void no_memory(struct mi_fx *fx)
{
    mi_batch_fail(fx->out, MI_ENOMEM, "out of memory for an FX graph");
}

/* --- types: torch.float32[2, s0]npu:0 --- */

static void put_dims(struct mi_fx *fx, struct mi_bytes sizes)
{
    struct mi_bytes part;
    while (mi_py_part(&sizes, &part)) {
        struct mi_dim_row dim = {.size = -1};
        if (!mi_py_int(part, &dim.size)) {
            dim.size = -1;
            dim.symbol = mi_batch_str(fx->out, part);
        }
        mi_add_dim(fx->out, &dim);
    }
}

static void put_type(struct mi_fx *fx, struct mi_bytes type, struct mi_value_row *value)
{
    value->first_dim = mi_next_row(fx->out, dims);
    type = mi_py_trim(type);
    if (mi_bytes_starts(type, MI_LIT("\"Sym(")) || mi_bytes_starts(type, MI_LIT("Sym("))) {
        value->type = mi_batch_cstr(fx->out, "symbol");
        return;
    }
    if (!mi_bytes_starts(type, MI_LIT("torch.")))
        return;
    type = mi_bytes_sub(type, 6, type.len);
    size_t len = mi_py_name(type);
    value->dtype = mi_batch_str(fx->out, mi_bytes_sub(type, 0, len));
    if (len == type.len || type.at[len] != '[')
        return;
    size_t close = mi_py_close(type, len);
    value->has_shape = close < type.len;
    if (value->has_shape)
        put_dims(fx, mi_bytes_sub(type, len + 1, close - len - 1));
    value->dim_count = mi_next_row(fx->out, dims) - value->first_dim;
}

/* --- values --- */

static mi_value_id add_value(struct mi_fx *fx, struct mi_bytes name, struct mi_bytes type,
                             enum mi_value_kind kind, mi_node_id producer)
{
    struct mi_value_row row = {.graph = fx->graph,
                               .name = mi_batch_str(fx->out, name),
                               .kind = (uint8_t)kind,
                               .producer = producer,
                               .data_offset = -1,
                               .data_bytes = -1};
    put_type(fx, type, &row);
    mi_value_id id = mi_add_value(fx->out, &row);
    if (id.v && row.name.v && !mi_map_set(&fx->values, row.name.v, id.v))
        no_memory(fx);
    return id;
}

static mi_value_id known(struct mi_fx *fx, struct mi_bytes name)
{
    mi_str_id id = mi_strings_find(&fx->out->strings, name);
    return (mi_value_id){id.v ? mi_map_get(&fx->values, id.v) : 0};
}

static void add_input(struct mi_fx *fx, mi_value_id value)
{
    if (fx->input_count == fx->input_room) {
        uint32_t room = fx->input_room ? 2 * fx->input_room : 16;
        mi_value_id *more = mi_mem_resize(fx->inputs, room, sizeof *more);
        if (!more) {
            no_memory(fx);
            return;
        }
        fx->inputs = more;
        fx->input_room = room;
    }
    fx->inputs[fx->input_count++] = value;
}

/* The type of a value that was met without one. */
static void set_type(struct mi_fx *fx, mi_value_id id, struct mi_bytes type)
{
    struct mi_values *values = &fx->out->rows.values;
    struct mi_value_row row = {0};
    if (type.len == 0 || values->dtype[id.v].v || values->type[id.v].v)
        return;
    put_type(fx, type, &row);
    values->type[id.v] = row.type;
    values->dtype[id.v] = row.dtype;
    values->has_shape[id.v] = row.has_shape;
    values->first_dim[id.v] = row.first_dim;
    values->dim_count[id.v] = row.dim_count;
}

mi_value_id mi_fx_value(struct mi_fx *fx, struct mi_bytes name, struct mi_bytes type,
                        enum mi_value_kind kind)
{
    mi_value_id id = known(fx, name);
    if (id.v) {
        set_type(fx, id, type);
        return id;
    }
    id = add_value(fx, name, type, kind, (mi_node_id){0});
    if (id.v && kind == MI_VALUE_INPUT)
        add_input(fx, id);
    return id;
}

/* --- arguments --- */

static void add_port(struct mi_fx *fx, mi_value_id value)
{
    mi_add_port(fx->out, &(struct mi_port_row){.value = value});
}

static bool is_word_byte(uint8_t byte)
{
    struct mi_bytes one = {&byte, 1};
    return mi_py_name(one) || (byte >= '0' && byte <= '9') || byte == '.';
}

/* A name at text.at[at]: adds a port if it is a value. Returns the offset behind it. */
static size_t plain_name(struct mi_fx *fx, struct mi_bytes text, size_t at, uint32_t *found)
{
    size_t end = at;
    while (end < text.len && is_word_byte(text.at[end]))
        end++;
    struct mi_bytes name = mi_bytes_sub(text, at, end - at);
    mi_value_id value = {0};
    if (end + 1 < text.len && text.at[end] == ':' && text.at[end + 1] == ' ' &&
        mi_py_name(name) == name.len) {
        size_t stop = mi_py_find(text, end + 1, ',');
        struct mi_bytes type = mi_bytes_sub(text, end + 1, stop - end - 1);
        value = mi_fx_value(fx, name, type, MI_VALUE_INPUT);
        end = stop;
    } else if (end == text.len || text.at[end] != '=') {
        value = known(fx, name);
    }
    if (value.v) {
        add_port(fx, value);
        ++*found;
    }
    return end;
}

/* Adds ports for the values that one argument names; returns how many. */
static uint32_t add_refs(struct mi_fx *fx, struct mi_bytes text, enum mi_fx_style style)
{
    uint32_t found = 0;
    for (size_t i = 0; i < text.len;) {
        uint8_t c = text.at[i];
        if (c == '"' || c == '\'') {
            i = mi_py_string(text, i);
        } else if (style == MI_FX_PERCENT && c == '%') {
            struct mi_bytes name = mi_bytes_sub(text, i + 1, text.len);
            name.len = mi_py_name(name);
            if (name.len) {
                add_port(fx, mi_fx_value(fx, name, MI_LIT(""), MI_VALUE_DANGLING));
                found++;
            }
            i += name.len + 1;
        } else if (style == MI_FX_PLAIN && is_word_byte(c)) {
            i = plain_name(fx, text, i, &found);
        } else {
            i++;
        }
    }
    return found;
}

static void add_args(struct mi_fx *fx, struct mi_bytes args, enum mi_fx_style style, uint8_t mark)
{
    struct mi_bytes part;
    for (uint32_t i = 0; mi_py_part(&args, &part); i++) {
        struct mi_bytes key = mi_py_key(&part, mark);
        if (add_refs(fx, part, style) || mi_bytes_equal(part, MI_LIT("None")) || part.len == 0)
            continue;
        mi_str_id name =
            key.len ? mi_batch_str(fx->out, key) : mi_batch_printf(fx->out, "arg%u", i);
        mi_py_attr(fx->out, name, part);
    }
}

static void add_text_attr(struct mi_fx *fx, const char *name, struct mi_bytes text)
{
    if (text.len == 0)
        return;
    uint32_t item = mi_next_row(fx->out, items);
    mi_add_item(fx->out, &(struct mi_item_row){.text = mi_batch_str(fx->out, text)});
    mi_add_attr(fx->out, &(struct mi_attr_row){.name = mi_batch_cstr(fx->out, name),
                                               .kind = MI_ATTR_STRING,
                                               .first_item = item,
                                               .item_count = 1});
}

static void add_place(struct mi_fx *fx, const struct mi_fx_call *call)
{
    add_text_attr(fx, "source_file", call->path);
    if (call->path.len && call->line > 0) {
        uint32_t item = mi_next_row(fx->out, items);
        mi_add_item(fx->out, &(struct mi_item_row){.int_value = call->line});
        mi_add_attr(fx->out, &(struct mi_attr_row){.name = mi_batch_cstr(fx->out, "source_line"),
                                                   .kind = MI_ATTR_INT,
                                                   .first_item = item,
                                                   .item_count = 1});
    }
    add_text_attr(fx, "source_code", call->code);
}

/* --- nodes --- */

mi_node_id mi_fx_node(struct mi_fx *fx, const struct mi_fx_call *call)
{
    struct mi_batch *out = fx->out;
    struct mi_bytes op = call->target;
    if (mi_bytes_starts(op, MI_LIT("torch.ops.")))
        op = mi_bytes_sub(op, 10, op.len);
    struct mi_node_row node = {.graph = fx->graph,
                               .name = mi_batch_str(out, call->name),
                               .op = mi_batch_str(out, op),
                               .position = fx->position++,
                               .native_id = -1,
                               .stream = -1,
                               .first_in = mi_next_row(out, ports),
                               .first_attr = mi_next_row(out, attrs)};
    add_args(fx, call->args, call->style, '=');
    add_args(fx, call->kwargs, call->style, ':');
    add_place(fx, call);
    node.in_count = mi_next_row(out, ports) - node.first_in;
    node.attr_count = mi_next_row(out, attrs) - node.first_attr;
    node.first_out = mi_next_row(out, ports);
    mi_node_id next = {mi_next_row(out, nodes)};
    add_port(fx, add_value(fx, call->name, call->type, MI_VALUE_ACTIVATION, next));
    node.out_count = mi_next_row(out, ports) - node.first_out;
    return mi_add_node(out, &node);
}

void mi_fx_return(struct mi_fx *fx, struct mi_bytes text, enum mi_fx_style style)
{
    struct mi_graphs *graphs = &fx->out->rows.graphs;
    uint32_t first = mi_next_row(fx->out, ports);
    add_refs(fx, text, style);
    if (!fx->graph.v)
        return;
    graphs->first_out[fx->graph.v] = first;
    graphs->out_count[fx->graph.v] = mi_next_row(fx->out, ports) - first;
}

void mi_fx_return_unread(struct mi_fx *fx)
{
    const struct mi_tables *rows = &fx->out->rows;
    uint32_t first = mi_next_row(fx->out, ports), end = mi_next_row(fx->out, values);
    bool *is_read = mi_mem_zero((size_t)end + 1, sizeof *is_read);
    if (!is_read) {
        no_memory(fx);
        return;
    }
    for (uint32_t n = mi_next_row(fx->out, nodes);
         n-- > 1 && rows->nodes.graph[n].v == fx->graph.v;)
        for (uint32_t i = 0; i < rows->nodes.in_count[n]; i++)
            is_read[rows->ports.value[rows->nodes.first_in[n] + i].v] = true;
    for (uint32_t v = fx->first_value; v < end; v++)
        if (!is_read[v] && rows->values.kind[v] == MI_VALUE_ACTIVATION)
            add_port(fx, (mi_value_id){v});
    mi_mem_free(is_read);
    if (!fx->graph.v)
        return;
    fx->out->rows.graphs.first_out[fx->graph.v] = first;
    fx->out->rows.graphs.out_count[fx->graph.v] = mi_next_row(fx->out, ports) - first;
}

void mi_fx_end(struct mi_fx *fx)
{
    struct mi_graphs *graphs = &fx->out->rows.graphs;
    uint32_t first = mi_next_row(fx->out, ports);
    for (uint32_t i = 0; i < fx->input_count; i++)
        add_port(fx, fx->inputs[i]);
    if (fx->graph.v) {
        graphs->first_in[fx->graph.v] = first;
        graphs->in_count[fx->graph.v] = mi_next_row(fx->out, ports) - first;
    }
    mi_map_fini(&fx->values);
    mi_mem_free(fx->inputs);
}
