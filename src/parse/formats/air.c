/* FORMAT: .air, a ge.proto.ModelDef in binary without a header (see ge_wire.h): the graph before it
 * is compiled, as MindSpore, TorchAir's dynamo_export and GE's own save write it for atc.
 * docs/formats/air.md says the same for users.
 *
 *   ModelDef   name=1 version=2 custom_version=3 graph=7 attr=11
 *
 * Weights stand in the attribute "value" of a Const, or in files beside: attributes "location" or
 * "file_path" (a path), "length" and "offset" (bytes) of a FileConstant or Const. Neither is read.
 * There are no ids, streams or tasks. Written from the sources of GE and TorchAir; no file of a
 * real export could be had. */
#include "base/translate.h"
#include "parse/formats/ge/ge_wire.h"
#include "parse/reader.h"

enum { LOOK_FIELDS = 256 };

struct reader {
    const struct mi_source *src;
    struct mi_batch *out;
    struct mi_error stopped;
    uint32_t max_rows, steps;
};

static bool step(void *user, uint64_t offset)
{
    struct reader *o = user;
    const struct mi_tables *rows = &o->out->rows;
    if (mi_batch_failed(o->out))
        return false;
    if (rows->nodes.count > o->max_rows || rows->values.count > o->max_rows ||
        rows->ports.count > o->max_rows || rows->items.count > o->max_rows ||
        rows->dims.count > o->max_rows)
        return mi_fail_at(&o->stopped, MI_ELIMIT, offset, 0, "more than %u rows in one table",
                          o->max_rows);
    if (++o->steps % 1024 == 0 && o->src->progress && !o->src->progress(o->src->user, offset))
        return mi_fail_at(&o->stopped, MI_ECANCELLED, offset, 0, "stopped");
    return true;
}

/* --- weights in files of their own --- */

static mi_str_id text_attr(const struct mi_batch *out, uint32_t attr)
{
    const struct mi_tables *rows = &out->rows;
    bool is_text = rows->attrs.kind[attr] == MI_ATTR_STRING && rows->attrs.item_count[attr] == 1;
    return is_text ? rows->items.text[rows->attrs.first_item[attr]] : MI_NO_STR;
}

static int64_t int_attr(const struct mi_batch *out, uint32_t attr)
{
    const struct mi_tables *rows = &out->rows;
    bool is_int = rows->attrs.kind[attr] == MI_ATTR_INT && rows->attrs.item_count[attr] == 1;
    return is_int ? rows->items.int_value[rows->attrs.first_item[attr]] : -1;
}

static void place_weights(struct mi_batch *out, uint32_t node)
{
    struct mi_tables *rows = &out->rows;
    mi_str_id path = MI_NO_STR;
    int64_t length = -1, offset = 0;
    for (uint32_t i = 0; i < rows->nodes.attr_count[node]; i++) {
        uint32_t attr = rows->nodes.first_attr[node] + i;
        struct mi_bytes name = mi_batch_text(out, rows->attrs.name[attr]);
        if (mi_bytes_equal(name, MI_LIT("location")) || mi_bytes_equal(name, MI_LIT("file_path")))
            path = text_attr(out, attr).v ? text_attr(out, attr) : path;
        else if (mi_bytes_equal(name, MI_LIT("length")))
            length = int_attr(out, attr);
        else if (mi_bytes_equal(name, MI_LIT("offset")))
            offset = int_attr(out, attr);
    }
    if (!path.v || !rows->nodes.out_count[node])
        return;
    uint32_t value = rows->ports.value[rows->nodes.first_out[node]].v;
    rows->values.kind[value] = MI_VALUE_CONSTANT;
    rows->values.data_path[value] = path;
    rows->values.data_offset[value] = offset;
    rows->values.data_bytes[value] = length;
}

static bool is_constant(struct mi_bytes op)
{
    return mi_bytes_equal(op, MI_LIT("FileConstant")) || mi_bytes_equal(op, MI_LIT("Const")) ||
           mi_bytes_equal(op, MI_LIT("Constant"));
}

/* --- the model --- */

static void add_fact(struct mi_batch *out, const char *name, struct mi_bytes text)
{
    mi_str_id id = mi_batch_str(out, text);
    if (id.v)
        mi_add_fact(out, &(struct mi_fact_row){.name = mi_batch_cstr(out, name), .text = id});
}

static void read_fields(struct reader *o, struct mi_ge_wire *wire, struct mi_error *broken)
{
    struct mi_pb pb = mi_pb_init(o->src->bytes, 0, broken);
    struct mi_error cut = MI_ERROR_INIT;
    mi_pb_keep_truncated(&pb, &cut);
    while (mi_pb_next(&pb) && !o->stopped.code && !mi_batch_failed(o->out)) {
        struct mi_error inner = MI_ERROR_INIT;
        struct mi_pb sub = pb.key == MI_PB_KEY(7, MI_PB_LEN) || pb.key == MI_PB_KEY(11, MI_PB_LEN)
                               ? mi_pb_sub(&pb)
                               : pb;
        sub.err = &inner;
        if (pb.key == MI_PB_KEY(7, MI_PB_LEN))
            mi_ge_wire_graph(wire, sub, broken);
        else if (pb.key == MI_PB_KEY(11, MI_PB_LEN))
            mi_ge_wire_fact(wire, sub);
        else if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            add_fact(o->out, "model_name", pb.bytes);
        else if (pb.key == MI_PB_KEY(3, MI_PB_LEN))
            add_fact(o->out, "platform_version", pb.bytes);
    }
    if (cut.code && !broken->code)
        mi_fail_at(broken, cut.code, cut.offset, 0, "the file ends too early (%s)", cut.text);
}

/* --- recognising it: a graph with an op that has a type --- */

/* Operator types are words, whatever else a file may hold. */
static bool is_word(struct mi_bytes text)
{
    size_t len = text.len < 256 ? text.len : 256;
    for (size_t i = 0; i < len; i++)
        if (text.at[i] <= ' ' || text.at[i] == 0x7f)
            return false;
    return len > 0;
}

static bool is_op(struct mi_pb pb)
{
    unsigned left = LOOK_FIELDS;
    while (left-- && mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        if ((field == 1 || field == 5 || field == 10) && mi_pb_type(&pb) != MI_PB_LEN)
            return false;
        if (field == 2)
            return mi_pb_type(&pb) == MI_PB_LEN && is_word(pb.bytes);
        if (field != 1)
            return false; /* a type stands right behind the name */
    }
    return false;
}

static bool is_graph(struct mi_pb pb)
{
    unsigned left = LOOK_FIELDS;
    while (left-- && mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        if (mi_pb_type(&pb) != MI_PB_LEN)
            return false;
        if (field == 6)
            return is_op(mi_pb_sub(&pb));
        if (field != 1 && field != 4 && field != 5)
            return false;
    }
    return false;
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(probe->bytes, 0, &err);
    unsigned left = LOOK_FIELDS;
    mi_pb_keep_truncated(&pb, &cut);
    while (left-- && mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        enum mi_pb_type wanted = field == 2 ? MI_PB_VARINT : MI_PB_LEN;
        if (mi_pb_type(&pb) != wanted || (field > 3 && field != 7 && field != 11 && field != 12))
            return 0;
        if (field == 7)
            return is_graph(mi_pb_sub(&pb)) ? 88 : 0;
    }
    return 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct reader o = {.src = src,
                       .out = out,
                       .stopped = MI_ERROR_INIT,
                       .max_rows = src->limits.max_rows ? src->limits.max_rows : UINT32_MAX - 1};
    const struct mi_ge_options options = {.layer = MI_LAYER_FRAMEWORK, .without_ids = true};
    struct mi_error broken = MI_ERROR_INIT;
    struct mi_ge ge;
    struct mi_ge_wire wire = {.ge = &ge, .step = step, .user = &o};
    if (mi_ge_init(&ge, out, &options)) {
        read_fields(&o, &wire, &broken);
        mi_ge_model_end(&ge);
    }
    mi_ge_wire_fini(&wire);
    mi_ge_fini(&ge);
    for (uint32_t n = 1; n < out->rows.nodes.count && !mi_batch_failed(out); n++)
        if (is_constant(mi_batch_text(out, out->rows.nodes.op[n])))
            place_weights(out, n);
    if (mi_batch_failed(out))
        return mi_fail(err, out->error.code, "%s", out->error.text);
    if (o.stopped.code)
        return mi_fail_at(err, o.stopped.code, o.stopped.offset, 0, "%s", o.stopped.text);
    if (out->rows.graphs.count <= 1)
        mi_fail_at(&broken, MI_EFORMAT, 0, 0, "no GE graph: there is no graph in it");
    if (broken.code)
        return mi_fail_at(err, broken.code, broken.offset, 0, "%s", broken.text);
    return true;
}

const struct mi_reader mi_reader_air = {.name = "air",
                                        .title = N_("AIR model"),
                                        .yields = MI_HAS_FRAMEWORK_GRAPH,
                                        .is_untried = true,
                                        .sniff = sniff,
                                        .read = read};
