/* MindIR models (.mindir): a protobuf ModelProto of MindSpore, whose functions call each other and
 * see each other's tensors.
 *
 *   ModelProto      ir_version=1 producer_name=2 producer_version=3 domain=4 model_version=5
 *                   doc_string=6 graph=7 functions=8 little_endian=10 primitives=12
 *                   mind_ir_version=13
 *   GraphProto      node=1 name=2 parameter=3 doc_string=4 input=5 output=6 attribute=8
 *                   map_parameter=10
 *   NodeProto       input=1 output=2 name=3 op_type=4 attribute=5 doc_string=6 domain=7 node_attr=8
 *                   primal_attr=9
 *   AttributeProto  name=1 f=2 i=3 d=4 s=5 t=6 g=7 floats=8 doubles=9 ints=10 strings=11 tensors=12
 *                   graphs=13 doc_string=14 ref_attr_name=15 type=16 values=17 seq_info=18
 *                   functor=19
 *   ValueInfoProto  name=1 tensor=2 doc_string=3 denotation=4 attr_info=5
 *   TensorProto     dims=1 data_type=2 float_data=3 int32_data=4 string_data=5 int64_data=6 name=7
 *                   doc_string=8 raw_data=9 double_data=10 uint64_data=11 external_data=12
 *   PrimitiveProto  name=1 op_type=2 attribute=3 instance_name=4
 *
 * `domain` of a node holds the name with its scope ("Default/network/Conv2D-op3"), by which other
 * tools know it; `name` is the name of its output. An input may be the name of a function. An
 * op_type REF::x means the primitive x, or a call of the function x.
 *
 * Source: the public schema and exporter of MindSpore. No real file could be had: written by the
 * specification. Encrypted files are recognised by their magic numbers and refused. Left out on
 * purpose: preprocessors, parallel layouts, derivatives (bprop), quantisation. */
#include "base/map.h"
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/mindir/mindir_read.h"

#define MAGIC_FIRST 0x7F3A5ED8u /* AES-GCM, AES-CBC, SM4-CBC */
#define MAGIC_LAST  0x7F3A5EDAu

static bool is_encrypted(struct mi_bytes bytes)
{
    if (bytes.len < 4)
        return false;
    uint32_t magic = mi_load_u32le(bytes.at);
    return magic >= MAGIC_FIRST && magic <= MAGIC_LAST;
}

/* --- the whole file --- */

/* Names that a graph takes from another one. */
static void resolve(struct mindir *m)
{
    struct mi_values *values = &m->fw.out->rows.values;
    for (uint32_t v = 1; v < values->count && !mi_batch_failed(m->fw.out); v++) {
        if (values->kind[v] != MI_VALUE_DANGLING)
            continue;
        mi_value_id found = {mi_map_get(&m->names, values->name[v].v)};
        struct mi_bytes text = mi_batch_text(m->fw.out, values->name[v]);
        if (!found.v || found.v == v) {
            mi_batch_diag(m->fw.out, MI_NOTICE, "mindir.dangling", MI_NO_OFFSET, 0,
                          "the tensor \"%.*s\" is used but nothing makes it", MI_FW_SHOW(text));
            continue;
        }
        values->kind[v] = MI_VALUE_OUTER;
        values->outer[v] = found;
        values->dtype[v] = values->dtype[found.v];
        values->has_shape[v] = values->has_shape[found.v];
        values->first_dim[v] = values->first_dim[found.v];
        values->dim_count[v] = values->dim_count[found.v];
    }
}

#define SEVERAL UINT32_MAX

/* A function that one node alone names is the body of that node. Functions that stand in front of
 * their user are left alone: no graph may be around itself. */
static void own_bodies(struct mindir *m)
{
    struct mi_tables *rows = &m->fw.out->rows;
    struct mi_map owners = {.slots = NULL}; /* graph -> its only user; SEVERAL */
    for (uint32_t i = 0; i < m->use_count && !mi_batch_failed(m->fw.out); i++) {
        uint32_t owner = mi_map_get(&owners, m->uses[i].graph), user = m->uses[i].node.v;
        mi_mindir_set(m, &owners, m->uses[i].graph, owner && owner != user ? SEVERAL : user);
    }
    for (uint32_t i = 0; i < m->use_count && !mi_batch_failed(m->fw.out); i++) {
        const struct mindir_use *one = &m->uses[i];
        if (mi_map_get(&owners, one->graph) != one->node.v || one->node.v >= rows->nodes.count ||
            rows->graphs.kind[one->graph] != MI_GRAPH_FUNCTION ||
            rows->nodes.graph[one->node.v].v >= one->graph)
            continue;
        rows->graphs.kind[one->graph] = MI_GRAPH_SUBGRAPH;
        rows->graphs.parent[one->graph] = one->node;
        rows->graphs.role[one->graph] = one->role;
    }
    mi_map_fini(&owners);
}

static void add_primitive(struct mindir *m, const struct mi_pb *field)
{
    struct mi_error err;
    struct mi_pb pb = mi_fw_apart(mi_pb_sub(field), &err);
    if (!mi_fw_room(&m->fw, &m->primitives, m->primitive_count, &m->primitive_room,
                    sizeof *m->primitives))
        return;
    m->primitives[m->primitive_count++] = (struct mindir_primitive){mi_pb_sub(field)};
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
            mi_str_id name = mi_fw_name(&m->fw, pb.bytes, mi_pb_payload_offset(&pb));
            mi_mindir_set(m, &m->by_primitive, name.v, m->primitive_count);
        }
}

/* The row of a graph, known by its name from here on. */
static void add_graph(struct mindir *m, const struct mi_pb *field)
{
    struct mi_error err;
    bool is_main = mi_pb_field(field) == 7;
    mi_graph_id graph = mi_fw_graph(&m->fw, is_main ? MI_GRAPH_MAIN : MI_GRAPH_FUNCTION, MI_NO_STR);
    for (struct mi_pb pb = mi_fw_apart(mi_pb_sub(field), &err); graph.v && mi_pb_next(&pb);)
        if (pb.key == MI_PB_KEY(2, MI_PB_LEN)) {
            mi_str_id name = mi_fw_name(&m->fw, pb.bytes, mi_pb_payload_offset(&pb));
            m->fw.out->rows.graphs.name[graph.v] = name;
            if (!is_main && name.v)
                mi_mindir_set(m, &m->graphs, name.v, graph.v);
        }
}

static void read_facts(struct mindir *m, const struct mi_pb *pb)
{
    static const char *const names[] = {
        NULL,           "ir_version",    "producer", "producer_version",
        "model_domain", "model_version", "model_doc"};
    uint32_t field = mi_pb_field(pb);
    if (field >= 1 && field <= 6 && mi_pb_type(pb) == MI_PB_LEN)
        mi_fw_fact(&m->fw, names[field], pb->bytes, mi_pb_payload_offset(pb));
    else if (pb->key == MI_PB_KEY(13, MI_PB_VARINT))
        mi_fw_number_fact(&m->fw, "mind_ir_version", mi_pb_i64(pb));
}

static void read_model(struct mindir *m)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb all = mi_pb_init(m->fw.src->bytes, 0, &err);
    mi_pb_keep_truncated(&all, &m->fw.cut);
    bool has_graph = false;
    for (struct mi_pb pb = all; mi_pb_next(&pb) && mi_fw_step(&m->fw, mi_pb_offset(&pb));) {
        read_facts(m, &pb);
        if (pb.key == MI_PB_KEY(12, MI_PB_LEN))
            add_primitive(m, &pb);
        else if (pb.key == MI_PB_KEY(7, MI_PB_LEN) || pb.key == MI_PB_KEY(8, MI_PB_LEN))
            add_graph(m, &pb);
        has_graph = has_graph || pb.key == MI_PB_KEY(7, MI_PB_LEN);
    }
    if (err.code)
        mi_fail_at(&m->fw.broken, err.code, err.offset, 0, "%s", err.text);
    err = MI_ERROR_INIT;
    mi_graph_id graph = {1};
    for (struct mi_pb pb = all; mi_pb_next(&pb) && !mi_batch_failed(m->fw.out);)
        if (pb.key == MI_PB_KEY(7, MI_PB_LEN) || pb.key == MI_PB_KEY(8, MI_PB_LEN)) {
            if (graph.v >= m->fw.out->rows.graphs.count)
                break;
            mi_mindir_graph(m, mi_pb_sub(&pb), graph);
            graph.v++;
        }
    resolve(m);
    own_bodies(m);
    if (!has_graph && !m->fw.cut.code && !m->fw.broken.code)
        mi_fail_at(&m->fw.broken, MI_EFORMAT, 0, 0, "no MindIR model: there is no graph in it");
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT;
    struct mindir m = {.fw = mi_fw_init(src, out, &own)};
    if (is_encrypted(src->bytes))
        return mi_fail_at(err, MI_EUNSUPPORTED, 0, 0,
                          "an encrypted MindIR model; export it without enc_key, or decrypt it "
                          "first with MindSpore");
    read_model(&m);
    bool ok = mi_fw_finish(&m.fw);
    if (!ok)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    mi_map_fini(&m.graphs);
    mi_map_fini(&m.values);
    mi_map_fini(&m.names);
    mi_map_fini(&m.by_primitive);
    mi_mem_free(m.primitives);
    mi_mem_free(m.uses);
    return ok;
}

/* --- recognition --- */

/* A NodeProto: only strings and messages in its fields 1 to 9, an operator type that is a word. */
static bool is_node(struct mi_pb pb)
{
    bool has_op = false;
    while (mi_pb_next(&pb)) {
        if (mi_pb_field(&pb) <= 9 && mi_pb_type(&pb) != MI_PB_LEN)
            return false;
        if (mi_pb_field(&pb) == 4 && !mi_fw_is_word(pb.bytes))
            return false;
        has_op = has_op || mi_pb_field(&pb) == 4;
    }
    return has_op;
}

/* 2: has a node, 1: could be a graph, 0: is none. */
static int rate_graph(struct mi_pb pb)
{
    for (unsigned left = 256; left && mi_pb_next(&pb); left--) {
        if (mi_pb_field(&pb) > 10 || mi_pb_type(&pb) != MI_PB_LEN)
            return 0;
        if (mi_pb_field(&pb) == 1)
            return is_node(mi_pb_sub(&pb)) || pb.is_clipped ? 2 : 0;
    }
    return pb.err->code ? 0 : 1;
}

static bool is_version(struct mi_bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((text.at[i] < '0' || text.at[i] > '9') && text.at[i] != '.')
            return false;
    return text.len > 0 && text.len < 16;
}

/* ONNX has a number in field 1, GE's ModelDef the name of the model and a number in field 2. */
static int sniff(const struct mi_probe *probe)
{
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(probe->bytes, 0, &err);
    bool has_version = false, is_mindspore = false;
    int graph = 0;
    if (is_encrypted(probe->head))
        return 100;
    mi_pb_keep_truncated(&pb, &cut);
    for (unsigned left = 65536; left && mi_pb_next(&pb); left--) {
        uint32_t field = mi_pb_field(&pb);
        bool is_number = field == 10 || field == 13;
        if (field > 20 || mi_pb_type(&pb) != (is_number ? MI_PB_VARINT : MI_PB_LEN))
            return 0;
        if (field == 1)
            has_version = is_version(pb.bytes);
        else if (field == 2)
            is_mindspore = mi_bytes_equal(pb.bytes, MI_LIT("MindSpore"));
        else if (field == 7 && graph < 2)
            graph = rate_graph(mi_pb_sub(&pb));
    }
    if (!graph || err.code)
        return 0;
    return has_version || is_mindspore ? (graph == 2 ? 92 : is_mindspore ? 72 : 0) : 0;
}

const struct mi_reader mi_reader_mindir = {.name = "mindir",
                                           .title = N_("MindIR model"),
                                           .yields = MI_HAS_FRAMEWORK_GRAPH,
                                           .is_untried = true,
                                           .sniff = sniff,
                                           .read = read_all};
