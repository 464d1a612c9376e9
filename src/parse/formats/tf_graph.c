/* TensorFlow graphs in binary form: a protobuf GraphDef (frozen graph, .pb), or the SavedModel that
 * wraps some (saved_model.pb). tf_graph_text.c reads the text spelling with the same code.
 *
 *   SavedModel   schema_version=1 meta_graphs=2
 *   MetaGraph    meta_info=1 {tags=4 tensorflow_version=5} graph_def=2
 *   GraphDef     node=1 library=2 version=3 versions=4 {producer=1 min_consumer=2} debug_info=5
 *   NodeDef      name=1 op=2 input=3 device=4 attr=5 {key=1 value=2} experimental_debug_info=6
 *   AttrValue    list=1 s=2 i=3 f=4 b=5 type=6 shape=7 tensor=8 placeholder=9 func=10
 *   Library      function=1 gradient=2
 *   FunctionDef  signature=1 {name=1 input_arg=2 output_arg=3} node_def=3 ret=4 {key=1 value=2}
 *
 * Source: the public .proto files of TensorFlow. Left out on purpose: the numbers of tensors,
 * debug_info, gradients, signatures and object graphs of SavedModels, arguments' attributes. */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/tf/tf_read.h"

/* clang-format off */
static const struct mi_msg_field graph_def[] = {
    {1, MI_MSG_SUB, "node"}, {2, MI_MSG_SUB, "library"}, {3, MI_MSG_INT, "version"},
    {4, MI_MSG_SUB, "versions"}, {5, MI_MSG_SUB, "debug_info"}};
MI_MSG_SCHEMA(versions, {1, MI_MSG_INT, "producer"}, {2, MI_MSG_INT, "min_consumer"});
MI_MSG_SCHEMA(library, {1, MI_MSG_SUB, "function"}, {2, MI_MSG_SUB, "gradient"});
MI_MSG_SCHEMA(function_def,
    {1, MI_MSG_SUB, "signature"}, {3, MI_MSG_SUB, "node_def"}, {4, MI_MSG_SUB, "ret"},
    {5, MI_MSG_SUB, "attr"}, {6, MI_MSG_SUB, "control_ret"});
MI_MSG_SCHEMA(op_def, {1, MI_MSG_BYTES, "name"}, {2, MI_MSG_SUB, "input_arg"},
    {3, MI_MSG_SUB, "output_arg"});
MI_MSG_SCHEMA(arg_def, {1, MI_MSG_BYTES, "name"}, {3, MI_MSG_INT, "type"});
MI_MSG_SCHEMA(ret_entry, {1, MI_MSG_BYTES, "key"}, {2, MI_MSG_BYTES, "value"});
/* clang-format on */

const struct mi_msg_schema mi_tf_graph_def = MI_MSG_TABLE(graph_def);

/* --- functions --- */

static struct tf_result *result_named(struct tf *t, mi_str_id name)
{
    uint32_t place = name.v ? mi_map_get(&t->result_of, name.v) : 0;
    if (place)
        return &t->results[place - 1];
    if (!mi_fw_room(&t->fw, &t->results, t->result_count, &t->result_room, sizeof *t->results))
        return NULL;
    if (!mi_map_set(&t->result_of, name.v, t->result_count + 1)) {
        mi_batch_fail(t->fw.out, MI_ENOMEM, "out of memory for the results of functions");
        return NULL;
    }
    t->results[t->result_count] = (struct tf_result){.name = name};
    return &t->results[t->result_count++];
}

static void read_arg(struct tf *t, const struct mi_msg *field, mi_graph_id graph)
{
    mi_str_id name = MI_NO_STR, dtype = MI_NO_STR;
    uint64_t at = mi_msg_offset(field);
    bool is_output = field->number == 3;
    for (struct mi_msg msg = mi_msg_enter(field, &arg_def, NULL); mi_msg_next(&msg);) {
        if (msg.number == 1)
            name = mi_fw_name(&t->fw, mi_msg_bytes(&msg), at);
        else if (msg.number == 3)
            dtype = mi_tf_dtype(t, &msg);
    }
    if (is_output) {
        struct tf_result *result = result_named(t, name);
        if (result)
            result->dtype = dtype;
        return;
    }
    mi_value_id value = mi_fw_value(&t->fw, graph, name, MI_VALUE_INPUT, (mi_node_id){0});
    if (!value.v)
        return;
    t->fw.out->rows.values.dtype[value.v] = dtype;
    mi_add_port(t->fw.out, &(struct mi_port_row){.value = value});
    if (name.v && !mi_map_set(&t->args, mi_pair(graph.v, name.v), value.v))
        mi_batch_fail(t->fw.out, MI_ENOMEM, "out of memory for the arguments of functions");
}

static void read_signature(struct tf *t, const struct mi_msg *field, mi_graph_id graph)
{
    struct mi_msg msg = mi_msg_enter(field, &op_def, NULL);
    uint32_t first = mi_next_row(t->fw.out, ports);
    while (mi_msg_next(&msg)) {
        if (msg.number == 1) {
            mi_str_id name = mi_fw_name(&t->fw, mi_msg_bytes(&msg), mi_msg_offset(&msg));
            t->fw.out->rows.graphs.name[graph.v] = name;
            if (name.v && !mi_map_set(&t->functions, name.v, graph.v))
                mi_batch_fail(t->fw.out, MI_ENOMEM, "out of memory for the names of functions");
        } else if (msg.number) {
            read_arg(t, &msg, graph);
        }
    }
    t->fw.out->rows.graphs.first_in[graph.v] = first;
    t->fw.out->rows.graphs.in_count[graph.v] = mi_next_row(t->fw.out, ports) - first;
}

static void read_ret(struct tf *t, const struct mi_msg *field)
{
    mi_str_id name = MI_NO_STR, text = MI_NO_STR;
    for (struct mi_msg msg = mi_msg_enter(field, &ret_entry, NULL); mi_msg_next(&msg);) {
        mi_str_id id =
            msg.number ? mi_fw_name(&t->fw, mi_msg_bytes(&msg), mi_msg_offset(&msg)) : MI_NO_STR;
        if (msg.number == 1)
            name = id;
        else if (msg.number == 2)
            text = id;
    }
    struct tf_result *result = result_named(t, name);
    if (result)
        result->text = text;
}

static void read_function(struct tf *t, const struct mi_msg *field)
{
    struct mi_error err;
    uint64_t at = mi_msg_offset(field);
    mi_graph_id graph = mi_fw_graph(&t->fw, MI_GRAPH_FUNCTION, MI_NO_STR);
    uint32_t first_node = mi_next_row(t->fw.out, nodes);
    struct mi_msg msg = mi_msg_enter(field, &function_def, &err);
    while (graph.v && mi_msg_next(&msg) && mi_fw_step(&t->fw, mi_msg_offset(&msg))) {
        if (msg.number == 1)
            read_signature(t, &msg, graph);
        else if (msg.number == 3)
            mi_tf_node(t, &msg, graph, first_node);
        else if (msg.number == 4)
            read_ret(t, &msg);
    }
    if (err.code)
        mi_batch_diag(t->fw.out, MI_LOSS, "tf.function_broken", err.offset, 0,
                      "what stands behind this place in a function cannot be read: %s", err.text);
    mi_tf_link(t, graph, first_node, at);
}

static void read_library(struct tf *t, const struct mi_msg *field)
{
    struct mi_error err;
    struct mi_msg msg = mi_msg_enter(field, &library, &err);
    while (mi_msg_next(&msg) && mi_fw_step(&t->fw, mi_msg_offset(&msg)))
        if (msg.number == 1)
            read_function(t, &msg);
    if (err.code)
        mi_batch_diag(t->fw.out, MI_LOSS, "tf.function_broken", err.offset, 0,
                      "what stands behind this place in a function cannot be read: %s", err.text);
}

/* --- graphs --- */

static void read_versions(struct tf *t, const struct mi_msg *field)
{
    struct mi_error err;
    for (struct mi_msg msg = mi_msg_enter(field, &versions, &err); mi_msg_next(&msg);)
        if (msg.number)
            mi_fw_number_fact(&t->fw, msg.number == 1 ? "producer_version" : "min_consumer",
                              mi_msg_int(&msg, NULL, 0));
}

/* Attributes that name a function of the library point to its graph. */
static void link_calls(struct tf *t)
{
    struct mi_attrs *attrs = &t->fw.out->rows.attrs;
    struct mi_items *items = &t->fw.out->rows.items;
    for (uint32_t i = 0; i < t->call_count && !mi_batch_failed(t->fw.out); i++) {
        uint32_t graph = mi_map_get(&t->functions, t->calls[i].name.v);
        uint32_t attr = t->calls[i].attr;
        if (!graph || attr >= attrs->count || !attrs->item_count[attr])
            continue;
        attrs->kind[attr] = MI_ATTR_GRAPH;
        items->graph[attrs->first_item[attr]] = (mi_graph_id){graph};
    }
    t->call_count = 0;
    mi_map_fini(&t->functions);
    t->functions = (struct mi_map){.slots = NULL};
}

void mi_tf_graph_read(struct tf *t, mi_tf_open_fn *open, void *user, mi_str_id name,
                      uint64_t offset)
{
    mi_graph_id graph = mi_fw_graph(&t->fw, MI_GRAPH_MAIN, name);
    uint32_t first_node = mi_next_row(t->fw.out, nodes);
    if (!graph.v)
        return;
    for (struct mi_msg msg = open(user); mi_msg_next(&msg);) {
        if (!mi_fw_step(&t->fw, mi_msg_offset(&msg)))
            break;
        if (msg.number == 1)
            mi_tf_node(t, &msg, graph, first_node);
        else if (msg.number == 4)
            read_versions(t, &msg);
        else if (!msg.number)
            mi_batch_diag(t->fw.out, MI_INFO, "tf.unknown_field", mi_msg_offset(&msg), 0,
                          "a field of a GraphDef that is not known here was skipped");
    }
    if (mi_next_row(t->fw.out, nodes) == first_node)
        mi_batch_diag(t->fw.out, MI_NOTICE, "tf.graph_empty", offset, 0, "a graph without nodes");
    mi_tf_link(t, graph, first_node, offset);
    for (struct mi_msg msg = open(user); mi_msg_next(&msg);) {
        if (!mi_fw_step(&t->fw, mi_msg_offset(&msg)))
            break;
        if (msg.number == 2)
            read_library(t, &msg);
    }
    link_calls(t);
}

void mi_tf_fini(struct tf *t)
{
    mi_map_fini(&t->nodes);
    mi_map_fini(&t->args);
    mi_map_fini(&t->functions);
    mi_map_fini(&t->ends);
    mi_map_fini(&t->result_of);
    mi_scratch_fini(&t->scratch);
    mi_mem_free(t->inputs);
    mi_mem_free(t->results);
    mi_mem_free(t->calls);
}

/* --- the binary file --- */

/* Opens the GraphDef `pb` again for each walk; damage of its own level is kept once. */
struct opening {
    struct mi_pb pb;
    struct mi_error *err;
};

static struct mi_msg open_wire(void *user)
{
    struct opening *opening = user;
    return mi_msg_wire(mi_fw_apart(opening->pb, opening->err), &mi_tf_graph_def);
}

static void read_graph(struct tf *t, struct mi_pb pb, mi_str_id name)
{
    struct mi_error err = MI_ERROR_INIT;
    struct opening opening = {pb, &err};
    mi_tf_graph_read(t, open_wire, &opening, name, pb.base);
    if (err.code)
        mi_fail_at(&t->fw.broken, err.code, err.offset, 0, "%s", err.text);
}

/* MetaInfoDef: the tags are what a graph of a SavedModel is asked for by. */
static mi_str_id read_info(struct tf *t, struct mi_pb pb)
{
    mi_str_id tags = MI_NO_STR;
    while (mi_pb_next(&pb)) {
        struct mi_bytes old = mi_batch_text(t->fw.out, tags);
        if (pb.key == MI_PB_KEY(4, MI_PB_LEN) && pb.bytes.len < 256 && old.len < 4096)
            tags = old.len ? mi_batch_printf(t->fw.out, "%.*s,%.*s", (int)old.len,
                                             (const char *)old.at, MI_FW_SHOW(pb.bytes))
                           : mi_fw_name(&t->fw, pb.bytes, mi_pb_payload_offset(&pb));
        else if (pb.key == MI_PB_KEY(5, MI_PB_LEN))
            mi_fw_fact(&t->fw, "tensorflow_version", pb.bytes, mi_pb_payload_offset(&pb));
    }
    return tags;
}

static void read_meta_graph(struct tf *t, struct mi_pb pb)
{
    struct mi_error err;
    mi_str_id tags = MI_NO_STR;
    for (struct mi_pb walk = mi_fw_apart(pb, &err); mi_pb_next(&walk);)
        if (walk.key == MI_PB_KEY(1, MI_PB_LEN))
            tags = read_info(t, mi_pb_sub(&walk));
    for (struct mi_pb walk = mi_fw_apart(pb, &err); mi_pb_next(&walk);)
        if (walk.key == MI_PB_KEY(2, MI_PB_LEN))
            read_graph(t, mi_pb_sub(&walk), tags);
    if (err.code)
        mi_fail_at(&t->fw.broken, err.code, err.offset, 0, "%s", err.text);
}

/* 2: a node, 1: nothing that speaks against one, 0: none. */
static int rate_node(struct mi_pb pb)
{
    bool has_name = false, has_op = false;
    while (mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        if (field <= 7 && mi_pb_type(&pb) != MI_PB_LEN)
            return 0;
        if (field == 2 && !mi_fw_is_word(pb.bytes))
            return 0;
        if (field == 5 && pb.bytes.len && pb.bytes.at[0] != 0x0a && pb.bytes.at[0] != 0x12)
            return 0;
        has_name = has_name || (field == 1 && mi_fw_is_word(pb.bytes));
        has_op = has_op || field == 2;
    }
    if (pb.err->code)
        return 0;
    return has_name && has_op ? 2 : 0;
}

/* FunctionDefLibrary { function { signature { name } } } */
static bool is_library(struct mi_pb pb)
{
    while (mi_pb_next(&pb)) {
        if (mi_pb_field(&pb) > 3 || mi_pb_type(&pb) != MI_PB_LEN)
            return false;
        struct mi_pb function = mi_pb_sub(&pb);
        if (mi_pb_field(&pb) != 1 || !mi_pb_next(&function))
            continue;
        if (function.key != MI_PB_KEY(1, MI_PB_LEN))
            return false;
        struct mi_pb signature = mi_pb_sub(&function);
        return mi_pb_next(&signature) && signature.key == MI_PB_KEY(1, MI_PB_LEN) &&
               mi_fw_is_word(signature.bytes);
    }
    return false;
}

/* How much `pb` looks like a GraphDef: only the top level and the first node are looked at. */
static int rate_graph(struct mi_pb pb)
{
    static const enum mi_pb_type types[] = {MI_PB_VARINT, MI_PB_LEN, MI_PB_LEN,
                                            MI_PB_VARINT, MI_PB_LEN, MI_PB_LEN};
    int score = 0;
    for (unsigned left = 256; left && mi_pb_next(&pb); left--) {
        uint32_t field = mi_pb_field(&pb);
        if (field >= sizeof types / sizeof *types || mi_pb_type(&pb) != types[field])
            return 0;
        if (field == 1 && score < 91) {
            bool is_node = rate_node(mi_pb_sub(&pb)) == 2;
            if (!is_node && !pb.is_clipped)
                return 0;
            score = is_node ? 91 : 51;
        } else if (field == 2 && score < 61 && is_library(mi_pb_sub(&pb))) {
            score = 61;
        }
    }
    return pb.err->code ? 0 : score;
}

/* 1: SavedModel (its GraphDef is rated), 0: not. */
static int rate_saved(struct mi_pb pb)
{
    int score = 0;
    for (unsigned left = 64; left && mi_pb_next(&pb); left--) {
        if (pb.key == MI_PB_KEY(1, MI_PB_VARINT) && pb.value < 16)
            continue;
        if (pb.key != MI_PB_KEY(2, MI_PB_LEN))
            return 0;
        for (struct mi_pb meta = mi_pb_sub(&pb); !score && mi_pb_next(&meta);) {
            if (mi_pb_type(&meta) != MI_PB_LEN)
                return 0;
            if (mi_pb_field(&meta) == 2)
                score = rate_graph(mi_pb_sub(&meta));
        }
    }
    return pb.err->code ? 0 : score;
}

static struct mi_pb look(struct mi_bytes bytes, struct mi_error *err, struct mi_error *cut)
{
    *err = *cut = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(bytes, 0, err);
    mi_pb_keep_truncated(&pb, cut);
    return pb;
}

static bool is_saved_model(struct mi_bytes bytes)
{
    return bytes.len && (bytes.at[0] == 0x08 || bytes.at[0] == 0x12);
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_error err, cut;
    int score = rate_graph(look(probe->bytes, &err, &cut));
    return score || !is_saved_model(probe->bytes) ? score
                                                  : rate_saved(look(probe->bytes, &err, &cut));
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT, damage = MI_ERROR_INIT, ignored, cut;
    struct tf t = {.fw = mi_fw_init(src, out, &own)};
    struct mi_pb pb = mi_pb_init(src->bytes, 0, &damage);
    mi_pb_keep_truncated(&pb, &t.fw.cut);
    if (!is_saved_model(src->bytes) || rate_graph(look(src->bytes, &ignored, &cut))) {
        read_graph(&t, pb, MI_NO_STR);
    } else {
        while (mi_pb_next(&pb) && mi_fw_step(&t.fw, mi_pb_offset(&pb)))
            if (pb.key == MI_PB_KEY(2, MI_PB_LEN))
                read_meta_graph(&t, mi_pb_sub(&pb));
        if (damage.code)
            mi_fail_at(&t.fw.broken, damage.code, damage.offset, 0, "%s", damage.text);
    }
    bool ok = mi_fw_finish(&t.fw);
    if (!ok)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    mi_tf_fini(&t);
    return ok;
}

const struct mi_reader mi_reader_tf_graph = {.name = "tf_graph",
                                             .title = N_("TensorFlow graph"),
                                             .yields = MI_HAS_FRAMEWORK_GRAPH,
                                             .sniff = sniff,
                                             .read = read_all};
