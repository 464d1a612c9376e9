/* ONNX models: a protobuf ModelProto, and one optimised by ONNX Runtime has the same form.
 *
 *   ModelProto      ir_version=1 producer_name=2 producer_version=3 domain=4 model_version=5
 *                   doc_string=6 graph=7 opset_import=8 metadata_props=14 training_info=20
 *                   functions=25 configuration=26
 *   OperatorSetId   domain=1 version=2       StringStringEntry  key=1 value=2
 *   GraphProto      node=1 name=2 initializer=5 doc_string=10 input=11 output=12 value_info=13
 *                   quantization_annotation=14 sparse_initializer=15 metadata_props=16
 *   NodeProto       input=1 output=2 name=3 op_type=4 attribute=5 doc_string=6 domain=7 overload=8
 *                   metadata_props=9 device_configurations=10
 *   AttributeProto  name=1 f=2 i=3 s=4 t=5 g=6 floats=7 ints=8 strings=9 tensors=10 graphs=11
 *                   doc_string=13 tp=14 type_protos=15 type=20 ref_attr_name=21 sparse_tensor=22
 *                   sparse_tensors=23
 *   ValueInfoProto  name=1 type=2 doc_string=3 metadata_props=4
 *   TypeProto       tensor=1 sequence=4 map=5 denotation=6 opaque=7 sparse_tensor=8 optional=9
 *   TensorShape     dim=1 {dim_value=1 dim_param=2 denotation=3}
 *   TensorProto     dims=1 data_type=2 segment=3 float_data=4 int32_data=5 string_data=6
 *                   int64_data=7 name=8 raw_data=9 double_data=10 uint64_data=11 doc_string=12
 *                   external_data=13 data_location=14 metadata_props=16
 *   SparseTensor    values=1 indices=2 dims=3
 *   FunctionProto   name=1 input=4 output=5 attribute=6 node=7 doc_string=8 opset_import=9
 *                   domain=10 attribute_proto=11 value_info=12 overload=13 metadata_props=14
 *
 * Source: the public onnx.proto. Seen: versions 3 to 8 of the IR. Fields come in any order,
 * numbers packed or not; fields that are not in the list are counted and skipped.
 *
 * Left out on purpose: the numbers of tensors (where they lie is kept), quantization_annotation,
 * training_info, multi-device configuration, default values of a function's attributes. */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/onnx/onnx_read.h"

mi_str_id mi_onnx_name(struct onnx *o, struct mi_bytes text, uint64_t offset)
{
    if (text.len > o->max_string_bytes) {
        mi_batch_diag(o->out, MI_NOTICE, "onnx.string_cut", offset, 0,
                      "a text of %zu bytes was cut to %u", text.len, o->max_string_bytes);
        text.len = o->max_string_bytes;
    }
    return mi_batch_str(o->out, text);
}

mi_str_id mi_onnx_domain(struct onnx *o, struct mi_bytes text, uint64_t offset)
{
    if (mi_bytes_equal(text, MI_LIT("ai.onnx")))
        return MI_NO_STR;
    return mi_onnx_name(o, text, offset);
}

void mi_onnx_unknown(struct onnx *o, const struct mi_pb *pb, const char *message)
{
    mi_batch_diag(o->out, MI_INFO, "onnx.unknown_field", mi_pb_offset(pb), 0,
                  "field %u (wire type %u) of a %s is not known here and was skipped",
                  mi_pb_field(pb), (unsigned)mi_pb_type(pb), message);
}

bool mi_onnx_step(struct onnx *o, uint64_t offset)
{
    const struct mi_tables *rows = &o->out->rows;
    if (o->err->code)
        return false;
    if (mi_batch_failed(o->out))
        return mi_fail_at(o->err, o->out->error.code, offset, 0, "%s", o->out->error.text);
    if (rows->nodes.count > o->max_rows || rows->values.count > o->max_rows ||
        rows->ports.count > o->max_rows || rows->items.count > o->max_rows ||
        rows->dims.count > o->max_rows)
        return mi_fail_at(o->err, MI_ELIMIT, offset, 0, "more than %u rows in one table",
                          o->max_rows);
    if (++o->steps % 4096 == 0 && o->src->progress && !o->src->progress(o->src->user, offset))
        return mi_fail_at(o->err, MI_ECANCELLED, offset, 0, "stopped");
    return true;
}

mi_graph_id mi_onnx_queue(struct onnx *o, const struct mi_pb *pb, enum mi_graph_kind kind,
                          mi_node_id parent, mi_str_id role, uint32_t depth)
{
    mi_graph_id graph = mi_add_graph(o->out, &(struct mi_graph_row){.layer = (uint8_t)o->layer,
                                                                    .kind = (uint8_t)kind,
                                                                    .parent = parent,
                                                                    .role = role});
    if (!graph.v)
        return graph;
    if (depth >= o->max_depth) {
        mi_batch_diag(o->out, MI_LOSS, "onnx.too_deep", mi_pb_payload_offset(pb), 0,
                      "graphs nested more than %u deep; the inner ones are left out", o->max_depth);
        return graph;
    }
    if (o->job_count == o->job_room) {
        size_t room = o->job_room ? 2 * o->job_room : 16;
        struct onnx_job *more = mi_mem_resize(o->jobs, room, sizeof *more);
        if (!more) {
            mi_batch_fail(o->out, MI_ENOMEM, "out of memory for graphs");
            return graph;
        }
        o->jobs = more;
        o->job_room = room;
    }
    o->jobs[o->job_count++] =
        (struct onnx_job){.pb = mi_pb_sub(pb), .graph = graph, .depth = depth};
    return graph;
}

/* --- what the file says about itself --- */

void mi_onnx_fact(struct onnx *o, const char *name, struct mi_bytes text, uint64_t offset)
{
    mi_str_id name_id = mi_batch_cstr(o->out, name);
    mi_str_id text_id = mi_onnx_name(o, text, offset);
    mi_add_fact(o->out, &(struct mi_fact_row){.name = name_id, .text = text_id});
}

static void number_fact(struct onnx *o, const char *name, int64_t number)
{
    mi_str_id name_id = mi_batch_cstr(o->out, name);
    mi_str_id text_id = mi_batch_printf(o->out, "%lld", (long long)number);
    mi_add_fact(o->out, &(struct mi_fact_row){.name = name_id, .text = text_id});
}

static void read_metadata(struct onnx *o, const struct mi_pb *field)
{
    struct mi_error err;
    struct mi_bytes key = {NULL, 0}, text = {NULL, 0};
    mi_onnx_pair(mi_onnx_apart(mi_pb_sub(field), &err), &key, &text);
    mi_str_id name = mi_batch_printf(o->out, "metadata:%.*s", MI_ONNX_SHOW(key));
    mi_str_id text_id = mi_onnx_name(o, text, mi_pb_payload_offset(field));
    mi_add_fact(o->out, &(struct mi_fact_row){.name = name, .text = text_id});
}

static void read_opset(struct onnx *o, const struct mi_pb *field)
{
    struct mi_error err;
    struct mi_bytes domain = {NULL, 0};
    int64_t version = 0;
    for (struct mi_pb pb = mi_onnx_apart(mi_pb_sub(field), &err); mi_pb_next(&pb);) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            domain = pb.bytes;
        else if (pb.key == MI_PB_KEY(2, MI_PB_VARINT))
            version = mi_pb_i64(&pb);
    }
    if (domain.len == 0)
        domain = MI_LIT("ai.onnx");
    mi_str_id name = mi_batch_printf(o->out, "opset:%.*s", MI_ONNX_SHOW(domain));
    mi_str_id text = mi_batch_printf(o->out, "%lld", (long long)version);
    mi_add_fact(o->out, &(struct mi_fact_row){.name = name, .text = text});
    if (version < 1 || version > 1000)
        mi_batch_diag(o->out, MI_NOTICE, "onnx.opset_absurd", mi_pb_payload_offset(field), 0,
                      "version %lld of the operator set \"%.*s\" does not exist",
                      (long long)version, MI_ONNX_SHOW(domain));
}

/* --- top level --- */

struct counts {
    uint32_t graphs, opsets;
};

static void read_field(struct onnx *o, const struct mi_pb *pb, struct counts *counts)
{
    const mi_node_id none = {0};
    uint64_t at = mi_pb_type(pb) == MI_PB_LEN ? mi_pb_payload_offset(pb) : mi_pb_offset(pb);
    switch (pb->key) {
    case MI_PB_KEY(1, MI_PB_VARINT):
        o->ir_version = mi_pb_i64(pb);
        number_fact(o, "ir_version", o->ir_version);
        break;
    case MI_PB_KEY(2, MI_PB_LEN):
        mi_onnx_fact(o, "producer", pb->bytes, at);
        break;
    case MI_PB_KEY(3, MI_PB_LEN):
        mi_onnx_fact(o, "producer_version", pb->bytes, at);
        break;
    case MI_PB_KEY(4, MI_PB_LEN):
        mi_onnx_fact(o, "model_domain", pb->bytes, at);
        break;
    case MI_PB_KEY(5, MI_PB_VARINT):
        number_fact(o, "model_version", mi_pb_i64(pb));
        break;
    case MI_PB_KEY(6, MI_PB_LEN):
        if (pb->bytes.len)
            mi_onnx_fact(o, "model_doc", pb->bytes, at);
        break;
    case MI_PB_KEY(7, MI_PB_LEN):
        if (counts->graphs++)
            mi_batch_diag(o->out, MI_NOTICE, "onnx.graph_twice", at, 0,
                          "the file holds more than one main graph");
        mi_onnx_queue(o, pb, MI_GRAPH_MAIN, none, MI_NO_STR, 0);
        break;
    case MI_PB_KEY(8, MI_PB_LEN):
        counts->opsets++;
        read_opset(o, pb);
        break;
    case MI_PB_KEY(14, MI_PB_LEN):
        read_metadata(o, pb);
        break;
    case MI_PB_KEY(20, MI_PB_LEN):
        mi_batch_diag(o->out, MI_INFO, "onnx.training_info", at, 0,
                      "training graphs are in the file and were skipped");
        break;
    case MI_PB_KEY(25, MI_PB_LEN):
        mi_onnx_queue(o, pb, MI_GRAPH_FUNCTION, none, MI_NO_STR, 0);
        break;
    case MI_PB_KEY(26, MI_PB_LEN): /* configuration */
        break;
    default:
        mi_onnx_unknown(o, pb, "ModelProto");
    }
}

static void read_model(struct onnx *o)
{
    struct mi_error err = MI_ERROR_INIT;
    struct counts counts = {0, 0};
    struct mi_pb pb = mi_pb_init(o->src->bytes, 0, &err);
    mi_pb_keep_truncated(&pb, &o->cut);
    while (mi_pb_next(&pb) && mi_onnx_step(o, mi_pb_offset(&pb)))
        read_field(o, &pb, &counts);
    if (err.code)
        mi_fail_at(&o->broken, err.code, err.offset, 0, "%s", err.text);
    if (!counts.opsets && !o->cut.code && !err.code && counts.graphs)
        mi_batch_diag(o->out, MI_NOTICE, "onnx.opset_missing", MI_NO_OFFSET, 0,
                      "the model names no operator set");
    for (size_t i = 0; i < o->job_count && !o->err->code; i++) {
        const struct onnx_job job = o->jobs[i]; /* the queue may move */
        if (o->out->rows.graphs.kind[job.graph.v] == MI_GRAPH_FUNCTION)
            mi_onnx_function(o, &job);
        else
            mi_onnx_graph(o, &job);
    }
    if (!counts.graphs && !o->cut.code && !o->broken.code)
        mi_fail_at(&o->broken, MI_EFORMAT, 0, 0, "no ONNX model: there is no graph in it");
}

/* Failures of our own come first, then damage, then a missing end. */
static bool finish(struct onnx *o)
{
    if (mi_batch_failed(o->out))
        mi_fail(o->err, o->out->error.code, "%s", o->out->error.text);
    if (o->broken.code)
        mi_fail_at(o->err, o->broken.code, o->broken.offset, 0, "%s", o->broken.text);
    if (o->cut.code)
        mi_fail_at(o->err, o->cut.code, o->cut.offset, 0, "the file ends too early (%s)",
                   o->cut.text);
    return o->err->code == MI_OK;
}

static uint32_t limit(uint32_t wanted, uint32_t usual)
{
    return wanted ? wanted : usual;
}

bool mi_onnx_read(const struct mi_source *src, enum mi_layer layer, struct mi_batch *out,
                  struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT;
    struct onnx o = {.src = src,
                     .out = out,
                     .err = &own,
                     .broken = MI_ERROR_INIT,
                     .cut = MI_ERROR_INIT,
                     .layer = layer,
                     .max_depth = limit(src->limits.max_depth, 256),
                     .max_string_bytes = limit(src->limits.max_string_bytes, 16u << 20),
                     .max_rows = limit(src->limits.max_rows, UINT32_MAX - 1)};
    struct mi_bytes role = mi_cstr(src->role);
    if (mi_bytes_equal(role, MI_LIT(MI_ROLE_SOURCE_MODEL)))
        o.layer = MI_LAYER_FRAMEWORK;
    else if (mi_bytes_equal(role, MI_LIT(MI_ROLE_OPTIMISED_MODEL)))
        o.layer = MI_LAYER_COMPILED;
    read_model(&o);
    if (o.layer == MI_LAYER_COMPILED)
        mi_onnx_layouts(&o);
    bool ok = finish(&o);
    if (!ok)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    mi_map_fini(&o.values);
    mi_map_fini(&o.nodes);
    mi_mem_free(o.jobs);
    return ok;
}

static int sniff(const struct mi_probe *probe)
{
    struct onnx_look look = mi_onnx_look(probe->bytes);
    return look.is_from_ort ? 0 : look.score;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    return mi_onnx_read(src, MI_LAYER_FRAMEWORK, out, err);
}

const struct mi_reader mi_reader_onnx = {.name = "onnx",
                                         .title = N_("ONNX model"),
                                         .yields = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
                                         .sniff = sniff,
                                         .read = read};
