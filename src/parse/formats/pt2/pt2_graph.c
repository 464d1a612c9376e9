/* Graphs and nodes of PyTorch's exported programs. A tensor is known by its name within its graph;
 * bodies get what they need as arguments. */
#include "parse/formats/pt2/pt2_read.h"

mi_value_id mi_pt2_value(struct pt2 *p, mi_graph_id graph, mi_str_id name, enum mi_value_kind kind,
                         mi_node_id producer)
{
    struct mi_values *values = &p->fw.out->rows.values;
    if (!name.v || mi_batch_failed(p->fw.out))
        return (mi_value_id){0};
    uint32_t *slot = mi_map_at(&p->values, mi_pair(graph.v, name.v));
    if (!slot) {
        mi_batch_fail(p->fw.out, MI_ENOMEM, "out of memory for the names of tensors");
        return (mi_value_id){0};
    }
    if (*slot && kind == MI_VALUE_DANGLING)
        return (mi_value_id){*slot};
    if (*slot && values->kind[*slot] == MI_VALUE_DANGLING) {
        values->kind[*slot] = (uint8_t)kind;
        values->producer[*slot] = producer;
        return (mi_value_id){*slot};
    }
    if (*slot) {
        struct mi_bytes text = mi_batch_text(p->fw.out, name);
        mi_batch_diag(p->fw.out, MI_NOTICE, "pt2.value_twice", MI_NO_OFFSET, 0,
                      "the tensor \"%.*s\" is defined more than once in its graph",
                      MI_FW_SHOW(text));
    }
    *slot = mi_fw_value(&p->fw, graph, name, kind, producer).v;
    return (mi_value_id){*slot};
}

mi_graph_id mi_pt2_queue(struct pt2 *p, struct mi_bytes text, enum mi_graph_kind kind,
                         mi_node_id parent, mi_str_id role, mi_str_id name, uint32_t depth)
{
    if (depth >= p->fw.max_depth) {
        mi_batch_diag(p->fw.out, MI_LOSS, "pt2.too_deep", mi_pt2_offset(p, text), 0,
                      "graphs nested more than %u deep; the inner ones are left out",
                      p->fw.max_depth);
        return (mi_graph_id){0};
    }
    mi_graph_id graph = mi_fw_graph(&p->fw, kind, name);
    if (!graph.v || !mi_fw_room(&p->fw, &p->jobs, p->job_count, &p->job_room, sizeof *p->jobs))
        return graph;
    p->fw.out->rows.graphs.parent[graph.v] = parent;
    p->fw.out->rows.graphs.role[graph.v] = role;
    p->jobs[p->job_count++] = (struct pt2_job){text, graph, depth};
    return graph;
}

/* --- nodes --- */

/* [{"name": "self", "arg": {...}}, ...]. */
static void add_inputs(struct pt2 *p, struct mi_bytes text, struct pt2_target *target)
{
    struct mi_json js;
    struct mi_bytes item;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js) && mi_json_skip(&js, &item)) {
        struct pt2_member parts[] = {{.name = "name"}, {.name = "arg"}};
        mi_pt2_members(p, item, parts, 2);
        target->name = mi_pt2_string(p, parts[0].text);
        if (parts[1].text.len)
            mi_pt2_arg(p, parts[1].text, target);
    }
    mi_pt2_damage(p, &js);
}

/* A list of Arguments without names. */
static void add_args(struct pt2 *p, struct mi_bytes text, struct pt2_target *target)
{
    struct mi_json js;
    struct mi_bytes item;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js) && mi_json_skip(&js, &item))
        mi_pt2_arg(p, item, target);
    mi_pt2_damage(p, &js);
}

/* {"stack_trace": "...", "nn_module_stack": "...", "source_fn_stack": "..."}. */
static void add_metadata(struct pt2 *p, struct mi_bytes text)
{
    struct mi_json js;
    struct mi_json_string key;
    struct mi_bytes part, word;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key) && mi_json_skip(&js, &part)) {
        uint32_t first = mi_next_row(p->fw.out, items);
        mi_str_id name = MI_NO_STR;
        if (mi_json_text(key, &p->scratch, &word))
            name = mi_fw_name(&p->fw, word, mi_pt2_offset(p, part));
        mi_add_item(p->fw.out, &(struct mi_item_row){.text = mi_pt2_string(p, part)});
        mi_fw_attr(&p->fw, name, MI_ATTR_OPAQUE, first);
    }
    mi_pt2_damage(p, &js);
}

static bool is_text(struct mi_bytes text)
{
    return text.len && text.at[0] == '"';
}

/* Whether the text of a node ends before its closing bracket. */
static bool is_cut(struct mi_bytes text)
{
    return !text.len || text.at[text.len - 1] != '}';
}

/* "torch.ops.aten.add.Tensor" is the operator aten.add.Tensor. */
static mi_str_id op_name(struct pt2 *p, struct mi_bytes target)
{
    mi_str_id whole = mi_pt2_string(p, target);
    struct mi_bytes text = mi_batch_text(p->fw.out, whole), prefix = MI_LIT("torch.ops.");
    if (!mi_bytes_starts(text, prefix))
        return whole;
    return mi_batch_str(p->fw.out, mi_bytes_sub(text, prefix.len, text.len));
}

static void read_node(struct pt2 *p, struct mi_bytes text, const struct pt2_job *job,
                      uint32_t position)
{
    struct pt2_member parts[] = {{.name = "target"},
                                 {.name = "inputs"},
                                 {.name = "outputs"},
                                 {.name = "metadata"},
                                 {.name = "name"}};
    struct mi_batch *out = p->fw.out;
    uint64_t at = mi_pt2_offset(p, text);
    out->counts.in++;
    if (is_cut(text)) {
        out->counts.lost++;
        mi_batch_diag(out, MI_LOSS, "pt2.node_broken", at, 0, "the last node is cut off");
        return;
    }
    mi_pt2_members(p, text, parts, 5);
    if (!is_text(parts[0].text))
        mi_batch_diag(out, MI_NOTICE, "pt2.node_without_target", at, 0, "a node without target");
    struct pt2_target target = {.graph = job->graph,
                                .node = {mi_next_row(out, nodes)},
                                .depth = job->depth,
                                .use = PT2_USE};
    struct mi_node_row row = {.graph = job->graph,
                              .op = op_name(p, parts[0].text),
                              .position = position,
                              .native_id = -1,
                              .stream = -1,
                              .first_in = mi_next_row(out, ports),
                              .first_attr = mi_next_row(out, attrs)};
    if (parts[1].text.len)
        add_inputs(p, parts[1].text, &target);
    row.in_count = mi_next_row(out, ports) - row.first_in;
    row.first_out = mi_next_row(out, ports);
    target.use = PT2_DEFINE;
    target.first = MI_NO_STR;
    target.name = mi_batch_cstr(out, "output");
    if (parts[2].text.len)
        add_args(p, parts[2].text, &target);
    row.out_count = mi_next_row(out, ports) - row.first_out;
    if (parts[3].text.len)
        add_metadata(p, parts[3].text);
    row.attr_count = mi_next_row(out, attrs) - row.first_attr;
    row.name = is_text(parts[4].text) ? mi_pt2_string(p, parts[4].text) : target.first;
    if (mi_add_node(out, &row).v)
        out->counts.kept++;
    else
        out->counts.lost++;
}

/* --- graphs --- */

static void read_nodes(struct pt2 *p, struct mi_bytes text, const struct pt2_job *job)
{
    struct mi_json js;
    uint32_t position = 0;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js)) {
        struct mi_bytes node = mi_bytes_sub(text, mi_json_offset(&js), text.len);
        uint64_t at = mi_pt2_offset(p, node);
        if (!mi_fw_step(&p->fw, at))
            return;
        mi_json_skip(&js, &node);
        if (mi_json_failed(&js))
            node = mi_bytes_sub(text, (size_t)(at - mi_pt2_offset(p, text)), 1);
        read_node(p, node, job, position++);
    }
    mi_pt2_damage(p, &js);
}

/* {"x": {"dtype": 7, ...}, ...}: types of tensors. */
static void read_metas(struct pt2 *p, struct mi_bytes text, mi_graph_id graph)
{
    struct mi_json js;
    struct mi_json_string key;
    struct mi_bytes part, word;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key) && mi_json_skip(&js, &part) &&
           mi_fw_step(&p->fw, mi_pt2_offset(p, part))) {
        if (!mi_json_text(key, &p->scratch, &word))
            break;
        mi_str_id name = mi_strings_find(&p->fw.out->strings, word);
        mi_value_id value = {name.v ? mi_map_get(&p->values, mi_pair(graph.v, name.v)) : 0};
        if (value.v)
            mi_pt2_meta(p, part, value);
    }
    mi_pt2_damage(p, &js);
}

/* Symbolic numbers are values of a type of their own. */
static void read_symbols(struct pt2 *p, struct mi_bytes text, mi_graph_id graph, const char *type)
{
    struct mi_json js;
    struct mi_json_string key;
    struct mi_bytes word;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key) && mi_json_text(key, &p->scratch, &word)) {
        mi_str_id name = mi_strings_find(&p->fw.out->strings, word);
        uint32_t value = name.v ? mi_map_get(&p->values, mi_pair(graph.v, name.v)) : 0;
        if (value && !mi_batch_failed(p->fw.out))
            p->fw.out->rows.values.type[value] = mi_batch_cstr(p->fw.out, type);
    }
    mi_pt2_damage(p, &js);
}

static void find_dangling(struct pt2 *p, mi_graph_id graph, uint32_t first, uint64_t at)
{
    const struct mi_values *values = &p->fw.out->rows.values;
    for (uint32_t v = first; v < values->count && !mi_batch_failed(p->fw.out); v++) {
        struct mi_bytes text = mi_batch_text(p->fw.out, values->name[v]);
        if (values->graph[v].v == graph.v && values->kind[v] == MI_VALUE_DANGLING)
            mi_batch_diag(p->fw.out, MI_NOTICE, "pt2.dangling", at, 0,
                          "the tensor \"%.*s\" is used but nothing makes it", MI_FW_SHOW(text));
    }
}

void mi_pt2_graph(struct pt2 *p, const struct pt2_job *job)
{
    struct pt2_member parts[] = {{.name = "inputs"},          {.name = "nodes"},
                                 {.name = "outputs"},         {.name = "tensor_values"},
                                 {.name = "sym_int_values"},  {.name = "sym_bool_values"},
                                 {.name = "sym_float_values"}};
    static const char *const types[] = {"sym_int", "sym_bool", "sym_float"};
    struct mi_batch *out = p->fw.out;
    struct mi_graphs *graphs = &out->rows.graphs;
    struct pt2_target target = {.graph = job->graph, .depth = job->depth, .use = PT2_INPUT};
    uint32_t first_value = mi_next_row(out, values), first = mi_next_row(out, ports);
    mi_pt2_members(p, job->text, parts, 7);
    if (parts[0].text.len)
        add_args(p, parts[0].text, &target);
    graphs->first_in[job->graph.v] = first;
    graphs->in_count[job->graph.v] = mi_next_row(out, ports) - first;
    if (parts[1].text.len)
        read_nodes(p, parts[1].text, job);
    first = mi_next_row(out, ports);
    target.use = PT2_USE;
    if (parts[2].text.len)
        add_args(p, parts[2].text, &target);
    graphs->first_out[job->graph.v] = first;
    graphs->out_count[job->graph.v] = mi_next_row(out, ports) - first;
    for (size_t i = 4; i < 7; i++)
        if (parts[i].text.len)
            read_symbols(p, parts[i].text, job->graph, types[i - 4]);
    if (parts[3].text.len)
        read_metas(p, parts[3].text, job->graph);
    find_dangling(p, job->graph, first_value, mi_pt2_offset(p, job->text));
}

/* --- signature --- */

/* The name of the tensor in {"name": "p_w"} or {"as_tensor": {"name": "p_w"}}. */
static mi_str_id arg_name(struct pt2 *p, struct mi_bytes text)
{
    struct pt2_member parts[] = {{.name = "name"}, {.name = "as_tensor"}};
    mi_pt2_members(p, text, parts, 2);
    if (parts[1].text.len) {
        struct pt2_member inner[] = {{.name = "name"}};
        mi_pt2_members(p, parts[1].text, inner, 1);
        parts[0].text = inner[0].text;
    }
    return mi_pt2_string(p, parts[0].text);
}

/* {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}}: the tensor is a constant. */
static void read_spec(struct pt2 *p, struct mi_bytes text, mi_graph_id graph)
{
    static const char *const names[] = {"parameter_name", "buffer_name", "tensor_constant_name"};
    struct pt2_member kinds[] = {
        {.name = "parameter"}, {.name = "buffer"}, {.name = "tensor_constant"}};
    struct mi_values *values = &p->fw.out->rows.values;
    mi_pt2_members(p, text, kinds, 3);
    for (size_t i = 0; i < 3; i++) {
        struct pt2_member parts[] = {{.name = "arg"}, {.name = names[i]}};
        if (!kinds[i].text.len)
            continue;
        mi_pt2_members(p, kinds[i].text, parts, 2);
        mi_str_id name = arg_name(p, parts[0].text), full = mi_pt2_string(p, parts[1].text);
        uint32_t value = name.v ? mi_map_get(&p->values, mi_pair(graph.v, name.v)) : 0;
        if (!value)
            value = mi_pt2_value(p, graph, name, MI_VALUE_CONSTANT, (mi_node_id){0}).v;
        uint32_t first = mi_next_row(p->fw.out, items), attr = mi_next_row(p->fw.out, attrs);
        mi_add_item(p->fw.out, &(struct mi_item_row){.text = full});
        mi_fw_attr(&p->fw, mi_batch_cstr(p->fw.out, names[i]), MI_ATTR_STRING, first);
        if (!value || mi_batch_failed(p->fw.out))
            continue;
        values->kind[value] = MI_VALUE_CONSTANT;
        values->first_attr[value] = attr;
        values->attr_count[value] = 1;
    }
}

void mi_pt2_signature(struct pt2 *p, struct mi_bytes text, mi_graph_id graph)
{
    struct pt2_member parts[] = {{.name = "input_specs"}};
    struct mi_json js;
    struct mi_bytes item;
    mi_pt2_members(p, text, parts, 1);
    if (!parts[0].text.len)
        return;
    mi_pt2_scan(p, parts[0].text, &js);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js) && mi_json_skip(&js, &item))
        read_spec(p, item, graph);
    mi_pt2_damage(p, &js);
}
