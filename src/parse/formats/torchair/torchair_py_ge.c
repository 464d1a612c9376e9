/* The calls of a TorchAir dump as Python: nodes of GE, one per line.
 *
 *   A_0, A_1 = ge.Type(x_0, [y_0, z_0], None, 1, axis=0, dependencies=[c_0], node_name="A")
 *
 * Variables stand for outputs of nodes. Arguments that are variables, or lists with variables, are
 * inputs in their order; None is an absent one; `dependencies` are control edges. All other
 * arguments are attributes, "arg<position>" or their keyword: constants written in place
 * (ge.Const(1, dtype=0), 1, [1, 0]) become nodes of their own in GE, but their names are not told
 * here. */
#include "parse/formats/ge/ge_literal.h"
#include "parse/formats/torchair/torchair_py.h"

struct calls {
    struct mi_torchair_py *o;
    struct mi_ge ge;
    struct mi_map outputs; /* variable -> "node:index", both interned */
};

/* A call taken apart. */
struct parts {
    struct mi_bytes left, type, args;
};

static const struct mi_bytes mark = {(const uint8_t *)" = ge.", 6};

static bool split_call(struct mi_bytes text, struct parts *out)
{
    size_t equals = mi_py_find(text, 0, '=');
    if (equals < 1 || equals == text.len ||
        !mi_bytes_starts(mi_bytes_sub(text, equals - 1, text.len), mark))
        return false;
    out->left = mi_bytes_sub(text, 0, equals - 1);
    struct mi_bytes right = mi_bytes_sub(text, equals - 1 + mark.len, text.len);
    size_t name = mi_py_name(right);
    if (name == 0 || name == right.len || right.at[name] != '(')
        return false;
    out->type = mi_bytes_sub(right, 0, name);
    size_t close = mi_py_close(right, name);
    out->args = mi_bytes_sub(right, name + 1, close - name - 1);
    return true;
}

bool mi_torchair_is_call(struct mi_bytes line)
{
    struct parts parts;
    return split_call(line, &parts);
}

static struct mi_bytes name_of(struct mi_bytes args)
{
    struct mi_bytes part;
    while (mi_py_part(&args, &part))
        if (mi_bytes_equal(mi_py_key(&part, '='), MI_LIT("node_name")))
            return mi_py_unquoted(part);
    return (struct mi_bytes){NULL, 0};
}

struct mi_bytes mi_torchair_data_name(struct mi_bytes call)
{
    struct parts parts;
    if (split_call(call, &parts) && (mi_bytes_equal(parts.type, MI_LIT("Data")) ||
                                     mi_bytes_equal(parts.type, MI_LIT("RefData"))))
        return name_of(parts.args);
    return (struct mi_bytes){NULL, 0};
}

/* --- inputs --- */

/* "node:index" of a variable; empty: there is none of that name. */
static struct mi_bytes output_of(const struct calls *c, struct mi_bytes variable)
{
    mi_str_id id = mi_strings_find(&c->o->out->strings, variable);
    mi_str_id text = {id.v ? mi_map_get(&c->outputs, id.v) : 0};
    return mi_batch_text(c->o->out, text);
}

static bool has_variable(const struct calls *c, struct mi_bytes list)
{
    struct mi_bytes part;
    while (mi_py_part(&list, &part))
        if (output_of(c, part).len)
            return true;
    return false;
}

/* False: the argument is no input. */
static bool put_inputs(struct calls *c, struct mi_bytes arg, bool is_positional)
{
    struct mi_bytes output = output_of(c, arg), list = mi_py_inside(arg), part;
    if (output.len) {
        mi_ge_op_input(&c->ge, output);
        return true;
    }
    if (mi_bytes_equal(arg, MI_LIT("None"))) {
        if (is_positional)
            mi_ge_op_input(&c->ge, output);
        return true;
    }
    if (!has_variable(c, list))
        return false;
    while (mi_py_part(&list, &part))
        mi_ge_op_input(&c->ge, output_of(c, part));
    return true;
}

/* Control edges: "node:index" becomes "node:-1". */
static void put_dependencies(struct calls *c, struct mi_bytes list)
{
    struct mi_bytes part;
    list = mi_py_inside(list);
    while (mi_py_part(&list, &part)) {
        struct mi_bytes text = output_of(c, part);
        while (text.len && text.at[text.len - 1] != ':')
            text.len--;
        if (text.len == 0)
            continue;
        mi_str_id id = mi_batch_printf(c->o->out, "%.*s-1", (int)text.len, (const char *)text.at);
        mi_ge_op_input(&c->ge, mi_batch_text(c->o->out, id));
    }
}

/* --- attributes --- */

static void put_attr(struct calls *c, struct mi_bytes key, uint32_t position, struct mi_bytes text)
{
    struct mi_batch *out = c->o->out;
    mi_str_id name = key.len ? mi_batch_str(out, key) : mi_batch_printf(out, "arg%u", position);
    if (!mi_ge_attr_begin_id(&c->ge, name))
        return;
    mi_ge_literal(&c->ge, text);
    mi_ge_attr_end(&c->ge);
}

/* --- outputs --- */

/* ge.proto's number of a data type, from that of ge::DataType, which Python uses. */
static int64_t proto_dtype(int64_t number)
{
#define ROW(name, ge, proto, model, bits) {ge, proto},
    static const struct {
        int64_t ge, proto;
    } rows[] = {MI_GE_DTYPES(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].ge == number)
            return rows[i].proto;
    return 0;
}

/* Type and shape of the only output that states them: that of Data. */
static void put_data_desc(struct calls *c, struct mi_bytes args)
{
    struct mi_bytes part, dim;
    int64_t value;
    while (mi_py_part(&args, &part)) {
        struct mi_bytes key = mi_py_key(&part, '=');
        if (mi_bytes_equal(key, MI_LIT("dtype")) && mi_py_int(part, &value))
            mi_ge_desc_dtype(&c->ge, proto_dtype(value));
        if (!mi_bytes_equal(key, MI_LIT("shape")))
            continue;
        for (struct mi_bytes list = mi_py_inside(part); mi_py_part(&list, &dim);)
            mi_ge_desc_dim(&c->ge, mi_py_int(dim, &value) ? value : -1);
    }
}

/* One output per variable on the left. */
static void put_outputs(struct calls *c, const struct parts *parts, mi_str_id name)
{
    struct mi_bytes left = parts->left, variable;
    struct mi_batch *out = c->o->out;
    bool is_data = mi_bytes_equal(parts->type, MI_LIT("Data"));
    for (uint32_t i = 0; mi_py_part(&left, &variable); i++) {
        if (mi_bytes_equal(variable, MI_LIT("_")))
            continue;
        mi_str_id key = mi_batch_str(out, variable);
        struct mi_bytes node = mi_batch_text(out, name);
        mi_str_id text = mi_batch_printf(out, "%.*s:%u", (int)node.len, (const char *)node.at, i);
        if (key.v && text.v && !mi_map_set(&c->outputs, key.v, text.v))
            mi_batch_fail(out, MI_ENOMEM, "out of memory for variables");
        if (!mi_ge_desc_begin(&c->ge, MI_GE_OUT))
            continue;
        if (is_data)
            put_data_desc(c, parts->args);
        mi_ge_desc_end(&c->ge);
    }
}

/* --- calls --- */

static void put_args(struct calls *c, struct mi_bytes args)
{
    struct mi_bytes part;
    for (uint32_t i = 0; mi_py_part(&args, &part); i++) {
        struct mi_bytes key = mi_py_key(&part, '=');
        if (mi_bytes_equal(key, MI_LIT("node_name")))
            continue;
        if (mi_bytes_equal(key, MI_LIT("dependencies")))
            put_dependencies(c, part);
        else if (!put_inputs(c, part, key.len == 0))
            put_attr(c, key, i, part);
    }
}

/* The FX node that the call was made for; the end of the graph was made for none. */
static void put_origin(struct calls *c, const struct mi_torchair_call *call, mi_str_id name,
                       bool is_end)
{
    struct mi_batch *out = c->o->out;
    if (!call->fx_node.v || !c->ge.node.v || is_end)
        return;
    const struct mi_nodes *nodes = &out->rows.nodes;
    mi_str_id via = mi_batch_cstr(out, "fx_code");
    mi_str_id fx_name = nodes->name[call->fx_node.v], fx_op = nodes->op[call->fx_node.v];
    mi_add_recorded(out, &(struct mi_recorded_row){
                             .node = c->ge.node, .name = fx_name, .op = fx_op, .via = via});
    mi_add_lowering_note(out, &(struct mi_lowering_note_row){
                                  .framework = call->fx_node, .compiled_name = name, .via = via});
}

static void put_call(struct calls *c, const struct mi_torchair_call *call)
{
    struct parts parts;
    if (!split_call(call->text, &parts))
        return;
    struct mi_bytes text = name_of(parts.args);
    mi_str_id name = mi_batch_str(c->o->out, text.len ? text : parts.type);
    c->ge.offset = call->offset;
    c->ge.line = call->line;
    mi_ge_op_begin(&c->ge);
    mi_ge_op_name(&c->ge, mi_batch_text(c->o->out, name));
    mi_ge_op_type(&c->ge, parts.type);
    put_args(c, parts.args);
    put_outputs(c, &parts, name);
    mi_ge_op_end(&c->ge);
    put_origin(c, call, name, mi_bytes_equal(parts.type, MI_LIT("NetOutput")));
}

bool mi_torchair_calls(struct mi_torchair_py *o, const struct mi_ge_options *options)
{
    struct calls c = {.o = o};
    if (mi_ge_init(&c.ge, o->out, options)) {
        mi_ge_graph_begin(&c.ge, (mi_graph_id){0});
        mi_ge_graph_name(&c.ge, MI_LIT("ge"));
        for (uint32_t i = 0; i < o->call_count && !mi_batch_failed(o->out); i++)
            put_call(&c, &o->calls[i]);
        mi_ge_graph_end(&c.ge);
        mi_ge_model_end(&c.ge);
    }
    mi_ge_fini(&c.ge);
    mi_map_fini(&c.outputs);
    return !mi_batch_failed(o->out);
}
