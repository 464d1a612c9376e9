/* ge.proto in binary: graphs and ops. See ge_wire.h for the fields. */
#include "parse/formats/ge/ge_wire_read.h"

#include "base/mem.h"

void mi_ge_wire_fini(struct mi_ge_wire *w)
{
    mi_mem_free(w->queue);
    w->queue = NULL;
    w->queue_count = w->queue_room = 0;
}

struct mi_ge_entry mi_ge_wire_entry(struct mi_pb entry)
{
    struct mi_ge_entry found = {.key = {NULL, 0}, .value = entry};
    found.value.at = found.value.end = found.value.start;
    while (mi_pb_next(&entry)) {
        if (entry.key == MI_PB_KEY(1, MI_PB_LEN))
            found.key = entry.bytes;
        else if (entry.key == MI_PB_KEY(2, MI_PB_LEN))
            found.value = mi_pb_sub(&entry);
    }
    return found;
}

struct mi_bytes mi_ge_wire_graph_name(struct mi_pb graph)
{
    struct mi_bytes name = {NULL, 0};
    struct mi_error err = MI_ERROR_INIT;
    graph.err = &err;
    for (unsigned fields = 0; fields < 16 && mi_pb_next(&graph); fields++)
        if (graph.key == MI_PB_KEY(1, MI_PB_LEN))
            return graph.bytes;
    return name;
}

void mi_ge_wire_queue(struct mi_ge_wire *w, const struct mi_pb *field)
{
    mi_graph_id graph = mi_ge_attr_graph(w->ge);
    if (!graph.v || !mi_ge_room(w->ge, &w->queue, &w->queue_room, w->queue_count, sizeof *w->queue))
        return;
    w->queue[w->queue_count++] = (struct wire_graph){.pb = mi_pb_sub(field), .graph = graph};
}

/* --- descriptors --- */

/* A field of a TensorDescriptor but its attributes. */
static void desc_field(struct mi_ge_wire *w, struct mi_ge_desc *desc, const struct mi_pb *pb,
                       bool *reuses)
{
    switch (pb->key) {
    case MI_PB_KEY(2, MI_PB_VARINT):
        mi_ge_desc_dtype(w->ge, mi_pb_i64(pb));
        break;
    case MI_PB_KEY(3, MI_PB_LEN):
        for (struct mi_pb shape = mi_pb_sub(pb); mi_pb_next(&shape);)
            if (shape.key == MI_PB_KEY(1, MI_PB_LEN) || shape.key == MI_PB_KEY(1, MI_PB_VARINT))
                for (struct mi_pb_packed it = mi_pb_packed(&shape, MI_PB_VARINT);
                     mi_pb_packed_next(&it);)
                    mi_ge_desc_dim(w->ge, mi_pb_to_i64(it.value));
        break;
    case MI_PB_KEY(4, MI_PB_LEN):
        mi_ge_desc_layout(w->ge, pb->bytes);
        break;
    case MI_PB_KEY(10, MI_PB_VARINT):
        desc->size_bytes = mi_pb_i64(pb);
        break;
    case MI_PB_KEY(11, MI_PB_VARINT):
        desc->weight_bytes = mi_pb_i64(pb);
        break;
    case MI_PB_KEY(12, MI_PB_VARINT):
        *reuses = pb->value != 0;
        break;
    case MI_PB_KEY(17, MI_PB_VARINT):
        desc->reuse_input = mi_pb_i64(pb);
        break;
    case MI_PB_KEY(18, MI_PB_VARINT):
        desc->weight_offset = mi_pb_i64(pb);
        break;
    default:
        break;
    }
}

static void end_desc(struct mi_ge_wire *w, struct mi_ge_desc *desc, bool reuses)
{
    if (!reuses)
        desc->reuse_input = -1;
    else if (desc->reuse_input < 0)
        desc->reuse_input = 0;
    mi_ge_desc_end(w->ge);
}

void mi_ge_wire_tensor(struct mi_ge_wire *w, struct mi_pb pb, bool is_tensor)
{
    struct mi_ge_desc *desc = mi_ge_desc_begin(w->ge, MI_GE_VALUE);
    bool reuses = false;
    struct mi_pb fields = pb;
    if (!desc)
        return;
    fields.at = fields.end = fields.start;
    while (is_tensor && mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
            fields = mi_pb_sub(&pb);
        } else if (pb.key == MI_PB_KEY(2, MI_PB_LEN) && pb.bytes.len) {
            desc->data_at = (int64_t)mi_pb_payload_offset(&pb);
            desc->data_bytes = (int64_t)pb.bytes.len;
        }
    }
    if (!is_tensor)
        fields = pb;
    while (mi_pb_next(&fields)) {
        if (fields.key != MI_PB_KEY(5, MI_PB_LEN)) {
            desc_field(w, desc, &fields, &reuses);
            continue;
        }
        struct mi_ge_entry entry = mi_ge_wire_entry(mi_pb_sub(&fields));
        if (!mi_ge_attr_begin(w->ge, entry.key))
            continue;
        while (mi_pb_next(&entry.value))
            if (entry.value.key == MI_PB_KEY(3, MI_PB_VARINT))
                mi_ge_attr_int(w->ge, mi_pb_i64(&entry.value));
        mi_ge_attr_end(w->ge);
    }
    end_desc(w, desc, reuses);
}

static void read_desc(struct mi_ge_wire *w, struct mi_pb pb, enum mi_ge_side side)
{
    struct mi_ge_desc *desc = mi_ge_desc_begin(w->ge, side);
    bool wants_attrs = mi_ge_wants_desc_attrs(w->ge, side), reuses = false;
    if (!desc)
        return;
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(5, MI_PB_LEN)) {
            if (wants_attrs)
                mi_ge_wire_attr(w, mi_pb_sub(&pb));
        } else if (side == MI_GE_OUT || pb.key == MI_PB_KEY(10, MI_PB_VARINT)) {
            desc_field(w, desc, &pb, &reuses);
        }
    }
    end_desc(w, desc, reuses);
}

/* --- ops --- */

static void read_numbers(struct mi_ge_wire *w, const struct mi_pb *pb, enum mi_ge_list list)
{
    if (mi_pb_type(pb) != MI_PB_VARINT && mi_pb_type(pb) != MI_PB_LEN)
        return;
    for (struct mi_pb_packed it = mi_pb_packed(pb, MI_PB_VARINT); mi_pb_packed_next(&it);)
        mi_ge_op_number(w->ge, list, mi_pb_to_i64(it.value));
}

/* Damage of an attribute or descriptor stays inside: its length frames it. */
static void read_part(struct mi_ge_wire *w, const struct mi_pb *pb)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb part = mi_pb_sub(pb);
    part.err = &err;
    switch (mi_pb_field(pb)) {
    case 10:
        mi_ge_wire_attr(w, part);
        break;
    case 33:
        read_desc(w, part, MI_GE_IN);
        break;
    default:
        read_desc(w, part, MI_GE_OUT);
        break;
    }
    if (err.code)
        mi_batch_diag(w->ge->out, MI_LOSS, "ge.attr_broken", err.offset, 0,
                      "an attribute or descriptor could be read in part only: %s", err.text);
}

static void op_field(struct mi_ge_wire *w, const struct mi_pb *pb)
{
    switch (pb->key) {
    case MI_PB_KEY(5, MI_PB_LEN):
        mi_ge_op_input(w->ge, pb->bytes);
        return;
    case MI_PB_KEY(10, MI_PB_LEN):
    case MI_PB_KEY(33, MI_PB_LEN):
    case MI_PB_KEY(34, MI_PB_LEN):
        read_part(w, pb);
        return;
    case MI_PB_KEY(21, MI_PB_VARINT):
        mi_ge_op_id(w->ge, mi_pb_i64(pb));
        return;
    case MI_PB_KEY(22, MI_PB_VARINT):
        mi_ge_op_stream(w->ge, mi_pb_i64(pb));
        return;
    case MI_PB_KEY(35, MI_PB_LEN):
        mi_ge_op_subgraph(w->ge, pb->bytes);
        return;
    default:
        break;
    }
    switch (mi_pb_field(pb)) {
    case 28:
        read_numbers(w, pb, MI_GE_INPUT_I);
        return;
    case 29:
        read_numbers(w, pb, MI_GE_OUTPUT_I);
        return;
    case 30:
        read_numbers(w, pb, MI_GE_WORKSPACE);
        return;
    case 31:
        read_numbers(w, pb, MI_GE_WORKSPACE_BYTES);
        return;
    default:
        return;
    }
}

/* Name and type come first, whatever the order in the file: the rest depends on them. */
static bool read_head(struct mi_ge_wire *w, struct mi_pb pb)
{
    struct mi_error err = MI_ERROR_INIT;
    bool has_name = false, has_type = false;
    pb.err = &err;
    while (!(has_name && has_type) && mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
            mi_ge_op_name(w->ge, pb.bytes);
            has_name = true;
        } else if (pb.key == MI_PB_KEY(2, MI_PB_LEN)) {
            mi_ge_op_type(w->ge, pb.bytes);
            has_type = pb.bytes.len > 0;
        }
    }
    return has_type;
}

static void read_op(struct mi_ge_wire *w, const struct mi_pb *field)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_sub(field);
    pb.err = &err;
    w->ge->offset = mi_pb_payload_offset(field);
    mi_ge_op_begin(w->ge);
    bool has_type = read_head(w, pb);
    while (mi_pb_next(&pb))
        op_field(w, &pb);
    if (err.code)
        mi_batch_diag(w->ge->out, MI_LOSS, "ge.op_broken", err.offset, 0,
                      "an op could be read in part only: %s", err.text);
    if (!has_type && (err.code || field->is_clipped)) {
        mi_ge_op_drop(w->ge);
        return;
    }
    if (!has_type)
        mi_batch_diag(w->ge->out, MI_NOTICE, "ge.op_without_type", w->ge->offset, 0,
                      "an op without type");
    mi_ge_op_end(w->ge);
}

/* --- graphs --- */

static uint32_t count_ops(struct mi_pb graph)
{
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    uint32_t count = 0;
    graph.err = &err;
    graph.cut = graph.cut ? &cut : NULL;
    while (count < UINT32_MAX && mi_pb_next(&graph))
        count += graph.key == MI_PB_KEY(6, MI_PB_LEN);
    return count;
}

static bool read_graph(struct mi_ge_wire *w, struct mi_pb pb, mi_graph_id declared,
                       struct mi_error *err)
{
    enum { SAMPLE = 1024 };
    bool goes_on = true;
    uint32_t all = count_ops(pb), done = 0;
    pb.err = err;
    mi_ge_graph_begin(w->ge, declared);
    mi_ge_graph_expect(w->ge, all);
    while (goes_on && mi_pb_next(&pb)) {
        w->ge->offset = mi_pb_offset(&pb);
        switch (pb.key) {
        case MI_PB_KEY(1, MI_PB_LEN):
            mi_ge_graph_name(w->ge, pb.bytes);
            break;
        case MI_PB_KEY(5, MI_PB_LEN):
            mi_ge_graph_output(w->ge, pb.bytes);
            break;
        case MI_PB_KEY(6, MI_PB_LEN):
            read_op(w, &pb);
            if (++done == SAMPLE)
                mi_ge_graph_extrapolate(w->ge, done, all, (uint64_t)(pb.end - pb.at));
            goes_on = !w->step || w->step(w->user, mi_pb_offset(&pb));
            break;
        case MI_PB_KEY(11, MI_PB_LEN):
            mi_ge_wire_fact(w, mi_pb_sub(&pb));
            break;
        default:
            break;
        }
    }
    mi_ge_graph_end(w->ge);
    if (err->code)
        mi_batch_diag(w->ge->out, MI_LOSS, "ge.graph_broken", err->offset, 0,
                      "the rest of a graph cannot be read: %s", err->text);
    return goes_on;
}

mi_graph_id mi_ge_wire_graph(struct mi_ge_wire *w, struct mi_pb pb, struct mi_error *broken)
{
    struct mi_error err = MI_ERROR_INIT;
    mi_graph_id graph = {mi_next_row(w->ge->out, graphs)};
    w->queue_count = 0;
    bool goes_on = read_graph(w, pb, (mi_graph_id){0}, &err);
    if (err.code && broken)
        mi_fail_at(broken, err.code, err.offset, 0, "%s", err.text);
    for (uint32_t i = 0; goes_on && i < w->queue_count; i++) {
        const struct wire_graph inner = w->queue[i]; /* the queue may move */
        struct mi_error inner_err = MI_ERROR_INIT;
        goes_on = read_graph(w, inner.pb, inner.graph, &inner_err);
    }
    return graph.v < mi_next_row(w->ge->out, graphs) ? graph : (mi_graph_id){0};
}
