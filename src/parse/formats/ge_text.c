/* FORMAT: text form of ge.proto (ModelDef, GraphDef, OpDef, TensorDescriptor, AttrDef), the message
 * type that .om files hold in binary. Written by GE with DUMP_GE_GRAPH and by TorchAir.
 *
 *   graph { name: "..." input: "x:0" output: "y:0"
 *     op { name: "..." type: "Conv2D" input: "src:idx"
 *       attr { key: "..." value { s: "..." } }
 *       id: 1 stream_id: 0 input_i: ... output_i: ...
 *       input_desc { dtype: DT_FLOAT16 shape { dim: 1 } layout: "NC1HWC0" attr { ... } size: ... }
 *     } }
 *   attr { ... }
 *
 * Ignored on purpose: src_name, src_index, dst_name, dst_index, input_name (copies of the edges
 * that go stale), is_input_const, attr_groups, data of tensors and binary values but their size. */
#include "parse/formats/ge_text.h"

#include "base/mem.h"
#include "base/pb_text.h"
#include "parse/formats/ge_dump_name.h"

#include <float.h>
#include <math.h>

enum frame_kind {
    TOP_MODEL,
    TOP_GRAPH, /* begun and ended by the caller */
    TOP_VALUE, /* same */
    TOP_DESC,  /* same */
    GRAPH,
    OP,
    ENTRY, /* of a map of attributes */
    VALUE, /* AttrDef */
    LIST,  /* ListValue */
    FUNC,  /* NamedAttrs */
    LISTS, /* list_list_int, list_list_float */
    INNER, /* one list of those */
    DESC,
    SHAPE,
    TENSOR,     /* TensorDef; its descriptor is the one of the builder */
    TENSOR_DESC /* desc of a TensorDef */
};

struct frame {
    uint8_t kind;
    uint8_t side;  /* DESC: enum mi_ge_side */
    bool has_key;  /* ENTRY */
    bool is_begun; /* ENTRY: the builder's attribute is open */
    struct mi_ge_desc *desc;
};

struct walk {
    struct mi_ge_text *g;
    struct mi_ge *ge;
    struct mi_pbt t;
    bool is_part;   /* the text is not of the file: its places mean nothing */
    uint32_t depth; /* frames in use */
    struct frame frames[MI_PBT_MAX_DEPTH + 2];
};

#define IS(w, name) mi_pbt_named(&(w)->t, name)

/* --- scalars --- */

static void broken_value(struct walk *w, const char *wanted)
{
    mi_batch_diag(w->ge->out, MI_LOSS, "ge.value_broken", w->ge->offset, 0,
                  "field \"%.*s\" is not %s and was skipped", (int)w->t.name.len,
                  (const char *)w->t.name.at, wanted);
}

static void unknown_field(struct walk *w, const char *message)
{
    int len = w->t.name.len < 64 ? (int)w->t.name.len : 64;
    mi_batch_diag(w->ge->out, MI_INFO, "ge.unknown_field", w->ge->offset, 0,
                  "field \"%.*s\" of a %s is not known here and was skipped", len,
                  (const char *)w->t.name.at, message);
}

static bool is_message(struct walk *w)
{
    if (w->t.kind == MI_PBT_MESSAGE)
        return true;
    broken_value(w, "a message");
    return false;
}

struct mi_bytes mi_ge_text_string(struct mi_ge_text *g, const struct mi_pbt *t)
{
    struct mi_bytes text = {t->raw.at, 0};
    if (t->kind != MI_PBT_STRING) {
        mi_batch_diag(g->ge.out, MI_LOSS, "ge.value_broken", g->ge.offset, 0,
                      "field \"%.*s\" is not a string and was skipped", (int)t->name.len,
                      (const char *)t->name.at);
        return text;
    }
    if (!t->has_escape) {
        text = mi_pbt_text(t);
    } else {
        uint8_t *room = mi_scratch_room(&g->scratch, t->raw.len);
        if (!room)
            mi_batch_fail(g->ge.out, MI_ENOMEM, "out of memory for a string");
        else if (mi_pbt_decode(t, room, &text.len))
            text.at = room;
    }
    if (text.len > g->max_string_bytes) {
        mi_batch_diag(g->ge.out, MI_NOTICE, "ge.string_cut", g->ge.offset, 0,
                      "a text of %zu bytes was cut to %u", text.len, g->max_string_bytes);
        text.len = g->max_string_bytes;
    }
    return text;
}

static struct mi_bytes text_of(struct walk *w)
{
    return mi_ge_text_string(w->g, &w->t);
}

/* How many bytes the string stands for, without decoding it. */
static uint64_t size_of(const struct walk *w)
{
    const uint8_t *at = w->t.raw.at, *end = at + w->t.raw.len;
    uint64_t size = 0;
    if (w->t.kind != MI_PBT_STRING)
        return 0;
    if (!w->t.has_escape)
        return w->t.raw.len - 2;
    while (at < end) {
        if (*at != '\\') {
            size += *at != '"';
            at++;
            continue;
        }
        const uint8_t *digits = ++at;
        while (at < end && at - digits < 3 && *at >= '0' && *at <= '7')
            at++;
        at += at == digits;
        size++;
    }
    return size;
}

static bool number(struct walk *w, int64_t *value)
{
    if (mi_pbt_i64(&w->t, value))
        return true;
    broken_value(w, "a whole number");
    return false;
}

static void put_float(struct walk *w)
{
    double value;
    if (!mi_pbt_double(&w->t, &value)) {
        broken_value(w, "a number");
        return;
    }
    /* The field is of single precision: the same number as in the binary form. */
    if (isfinite(value) && fabs(value) <= (double)FLT_MAX)
        value = (double)(float)value;
    mi_ge_attr_float(w->ge, value);
}

static void put_bool(struct walk *w)
{
    bool value;
    if (mi_pbt_bool(&w->t, &value))
        mi_ge_attr_bool(w->ge, value);
    else
        broken_value(w, "true or false");
}

static void put_int(struct walk *w)
{
    int64_t value;
    if (number(w, &value))
        mi_ge_attr_int(w->ge, value);
}

static void put_dtype(struct walk *w)
{
    int64_t value;
    if (number(w, &value))
        mi_ge_attr_dtype(w->ge, value);
}

/* --- frames --- */

static struct frame *push(struct walk *w, enum frame_kind kind)
{
    struct frame *frame = &w->frames[w->depth++];
    *frame = (struct frame){.kind = (uint8_t)kind};
    mi_pbt_enter(&w->t); /* when it fails, the frame is unwound like all others */
    return frame;
}

/* Opens a descriptor; nothing when the builder does not want it. */
static void push_desc(struct walk *w, enum frame_kind kind, enum mi_ge_side side)
{
    if (!is_message(w))
        return;
    struct mi_ge_desc *desc = mi_ge_desc_begin(w->ge, side);
    if (!desc)
        return;
    struct frame *frame = push(w, kind);
    frame->desc = desc;
    frame->side = (uint8_t)side;
}

static void push_entry(struct walk *w)
{
    if (is_message(w))
        push(w, ENTRY);
}

static void pop(struct walk *w, bool is_broken)
{
    const struct frame *frame = &w->frames[--w->depth];
    switch ((enum frame_kind)frame->kind) {
    case GRAPH:
        mi_ge_graph_end(w->ge);
        break;
    case OP:
        if (is_broken)
            mi_ge_op_drop(w->ge);
        else
            mi_ge_op_end(w->ge);
        break;
    case ENTRY:
        if (frame->is_begun)
            mi_ge_attr_end(w->ge);
        break;
    case FUNC:
        mi_ge_attr_func_end(w->ge);
        break;
    case INNER:
        mi_ge_attr_inner_end(w->ge);
        break;
    case DESC:
    case TENSOR:
        mi_ge_desc_end(w->ge);
        break;
    case TOP_MODEL:
    case TOP_GRAPH:
    case TOP_VALUE:
    case TOP_DESC:
    case VALUE:
    case LIST:
    case LISTS:
    case SHAPE:
    case TENSOR_DESC:
        break;
    }
}

/* --- fields, by the message that they stand in --- */

void mi_ge_text_queue(struct mi_ge_text *g, struct mi_pbt *t, mi_graph_id graph)
{
    if (g->queue_count == g->queue_room) {
        size_t room = g->queue_room ? 2 * g->queue_room : 16;
        struct mi_ge_text_graph *more = mi_mem_resize(g->queue, room, sizeof *more);
        if (!more) {
            mi_batch_fail(g->ge.out, MI_ENOMEM, "out of memory for graphs");
            return;
        }
        g->queue = more;
        g->queue_room = room;
    }
    if (!mi_pbt_enter(t))
        return;
    size_t from = (size_t)(t->at - t->start);
    if (mi_pbt_leave(t))
        g->queue[g->queue_count++] = (struct mi_ge_text_graph){
            .from = from, .to = (size_t)(t->at - t->start) - 1, .graph = graph};
}

/* A graph inside an attribute: read when the graph around it has ended. */
static void queue_graph(struct walk *w)
{
    struct mi_ge_text *g = w->g;
    if (!is_message(w) || w->is_part)
        return;
    mi_graph_id graph = mi_ge_attr_graph(w->ge);
    if (!graph.v)
        return;
    mi_ge_text_queue(g, &w->t, graph);
}

static void open_entry(struct walk *w, struct frame *frame)
{
    frame->has_key = true;
    frame->is_begun = mi_ge_attr_begin(w->ge, text_of(w));
}

/* The value stands in front of its key. */
static void look_for_key(struct walk *w, struct frame *frame)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt here = w->t;
    w->t.err = &err;
    while (!frame->has_key && mi_pbt_next(&w->t))
        if (IS(w, "key"))
            open_entry(w, frame);
    w->t = here;
}

static void entry_field(struct walk *w, struct frame *frame)
{
    if (IS(w, "key")) {
        if (!frame->has_key)
            open_entry(w, frame);
    } else if (IS(w, "value")) {
        if (!is_message(w))
            return;
        if (!frame->has_key)
            look_for_key(w, frame);
        if (frame->is_begun)
            push(w, VALUE);
    } else {
        unknown_field(w, "map of attributes");
    }
}

static void push_func(struct walk *w)
{
    if (is_message(w) && mi_ge_attr_func_begin(w->ge))
        push(w, FUNC);
}

/* What an AttrDef and its ListValue have in common. */
static bool value_or_element(struct walk *w)
{
    struct mi_bytes name = w->t.name;
    if (name.len == 1) {
        switch (name.at[0]) {
        case 's':
            mi_ge_attr_text(w->ge, text_of(w));
            return true;
        case 'i':
            put_int(w);
            return true;
        case 'f':
            put_float(w);
            return true;
        case 'b':
            put_bool(w);
            return true;
        case 't':
            push_desc(w, TENSOR, MI_GE_VALUE);
            return true;
        case 'g':
            queue_graph(w);
            return true;
        default:
            return false;
        }
    }
    if (IS(w, "bt"))
        mi_ge_attr_blob(w->ge, size_of(w));
    else if (IS(w, "td"))
        push_desc(w, DESC, MI_GE_VALUE);
    else if (IS(w, "dt"))
        put_dtype(w);
    else
        return false;
    return true;
}

static void value_field(struct walk *w)
{
    if (value_or_element(w))
        return;
    if (IS(w, "list")) {
        if (is_message(w)) {
            mi_ge_attr_list(w->ge, 0);
            push(w, LIST);
        }
    } else if (IS(w, "func")) {
        push_func(w);
    } else if (IS(w, "list_list_int") || IS(w, "list_list_float")) {
        if (is_message(w))
            push(w, LISTS);
    } else if (IS(w, "expression")) {
        mi_ge_attr_blob(w->ge, size_of(w));
    } else {
        unknown_field(w, "value of an attribute");
    }
}

static void list_field(struct walk *w)
{
    if (value_or_element(w))
        return;
    if (IS(w, "val_type"))
        mi_ge_attr_list(w->ge, mi_ge_val_type_of_name(w->t.raw));
    else if (IS(w, "na"))
        push_func(w);
    else
        unknown_field(w, "list of an attribute");
}

static void func_field(struct walk *w)
{
    if (IS(w, "name"))
        mi_ge_attr_func_name(w->ge, text_of(w));
    else if (IS(w, "attr"))
        push_entry(w);
    else
        unknown_field(w, "function");
}

static void lists_field(struct walk *w)
{
    if (!IS(w, "list_list_i") && !IS(w, "list_list_f")) {
        unknown_field(w, "list of lists");
    } else if (is_message(w)) {
        mi_ge_attr_inner_begin(w->ge);
        push(w, INNER);
    }
}

static void inner_field(struct walk *w)
{
    if (IS(w, "list_i"))
        put_int(w);
    else if (IS(w, "list_f"))
        put_float(w);
    else
        unknown_field(w, "list of lists");
}

static void desc_name_or_type(struct walk *w)
{
    if (w->t.kind == MI_PBT_WORD || w->t.kind == MI_PBT_NUMBER)
        mi_ge_desc_dtype_name(w->ge, w->t.raw);
    else
        broken_value(w, "a data type");
}

/* Fields that say nothing a model keeps. */
static bool is_known_desc_field(const struct walk *w)
{
    static const char *const names[] = {"name",          "has_out_attr", "device_type",
                                        "real_dim_cnt",  "reuse_input",  "cmps_size",
                                        "output_tensor", "input_tensor", "reuse_input_index",
                                        "cmps_tab",      "attr_groups",  "cmps_tab_offset"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (IS(w, names[i]))
            return true;
    return false;
}

static void desc_field(struct walk *w, struct mi_ge_desc *desc, enum mi_ge_side side)
{
    int64_t value;
    if (IS(w, "attr")) {
        if (mi_ge_wants_desc_attrs(w->ge, side))
            push_entry(w);
    } else if (IS(w, "dtype")) {
        desc_name_or_type(w);
    } else if (IS(w, "shape")) {
        if (is_message(w))
            push(w, SHAPE);
    } else if (IS(w, "layout")) {
        mi_ge_desc_layout(w->ge, text_of(w));
    } else if (IS(w, "size")) {
        if (number(w, &value))
            desc->size_bytes = value;
    } else if (IS(w, "weight_size")) {
        if (number(w, &value))
            desc->weight_bytes = value;
    } else if (IS(w, "data_offset")) {
        if (number(w, &value))
            desc->weight_offset = value;
    } else if (!is_known_desc_field(w)) {
        unknown_field(w, "tensor descriptor");
    }
}

static void tensor_field(struct walk *w, struct mi_ge_desc *desc)
{
    if (IS(w, "desc")) {
        if (is_message(w))
            push(w, TENSOR_DESC)->desc = desc;
    } else if (IS(w, "data")) {
        uint64_t size = size_of(w);
        if (size > 0 && size <= INT64_MAX)
            desc->data_bytes = (int64_t)size;
    } else {
        unknown_field(w, "tensor");
    }
}

static void shape_field(struct walk *w)
{
    int64_t value;
    if (!IS(w, "dim"))
        unknown_field(w, "shape");
    else if (number(w, &value))
        mi_ge_desc_dim(w->ge, value);
}

static void op_number(struct walk *w, enum mi_ge_list list)
{
    int64_t value;
    if (number(w, &value))
        mi_ge_op_number(w->ge, list, value);
}

static bool is_known_op_field(const struct walk *w)
{
    static const char *const names[] = {"src_name",  "src_index",  "is_input_const", "dst_name",
                                        "dst_index", "input_name", "has_out_attr",   "attr_groups"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (IS(w, names[i]))
            return true;
    return false;
}

static bool op_scalar(struct walk *w)
{
    int64_t value;
    if (IS(w, "input"))
        mi_ge_op_input(w->ge, text_of(w));
    else if (IS(w, "input_i"))
        op_number(w, MI_GE_INPUT_I);
    else if (IS(w, "output_i"))
        op_number(w, MI_GE_OUTPUT_I);
    else if (IS(w, "name"))
        mi_ge_op_name(w->ge, text_of(w));
    else if (IS(w, "type"))
        mi_ge_op_type(w->ge, text_of(w));
    else if (IS(w, "workspace"))
        op_number(w, MI_GE_WORKSPACE);
    else if (IS(w, "workspace_bytes"))
        op_number(w, MI_GE_WORKSPACE_BYTES);
    else if (IS(w, "subgraph_name"))
        mi_ge_op_subgraph(w->ge, text_of(w));
    else if (IS(w, "id")) {
        if (number(w, &value))
            mi_ge_op_id(w->ge, value);
    } else if (IS(w, "stream_id")) {
        if (number(w, &value))
            mi_ge_op_stream(w->ge, value);
    } else {
        return false;
    }
    return true;
}

static void op_field(struct walk *w)
{
    if (IS(w, "attr"))
        push_entry(w);
    else if (IS(w, "input_desc"))
        push_desc(w, DESC, MI_GE_IN);
    else if (IS(w, "output_desc"))
        push_desc(w, DESC, MI_GE_OUT);
    else if (!op_scalar(w) && !is_known_op_field(w))
        unknown_field(w, "node");
}

static void graph_field(struct walk *w)
{
    if (IS(w, "op")) {
        if (is_message(w) && mi_ge_text_step(w->g)) {
            mi_ge_op_begin(w->ge);
            push(w, OP);
        }
    } else if (IS(w, "name")) {
        mi_ge_graph_name(w->ge, text_of(w));
    } else if (IS(w, "output")) {
        mi_ge_graph_output(w->ge, text_of(w));
    } else if (IS(w, "attr")) {
        push_entry(w);
    } else if (!IS(w, "input") && !IS(w, "attr_groups")) {
        unknown_field(w, "graph");
    }
}

static void add_fact(struct walk *w, const char *name, struct mi_bytes text)
{
    if (text.len == 0)
        return;
    mi_str_id text_id = mi_batch_str(w->ge->out, text);
    mi_add_fact(w->ge->out,
                &(struct mi_fact_row){.name = mi_batch_cstr(w->ge->out, name), .text = text_id});
}

static void model_field(struct walk *w)
{
    if (IS(w, "graph")) {
        if (is_message(w)) {
            mi_ge_graph_begin(w->ge, (mi_graph_id){0});
            push(w, GRAPH);
        }
    } else if (IS(w, "attr")) {
        push_entry(w);
    } else if (IS(w, "name")) {
        add_fact(w, "model_name", text_of(w));
    } else if (IS(w, "custom_version")) {
        add_fact(w, "platform_version", text_of(w));
    } else if (IS(w, "version")) {
        add_fact(w, "model_version", w->t.raw);
    } else if (!IS(w, "attr_groups")) {
        unknown_field(w, "model");
    }
}

static void field(struct walk *w)
{
    struct frame *frame = &w->frames[w->depth - 1];
    switch ((enum frame_kind)frame->kind) {
    case TOP_MODEL:
        model_field(w);
        break;
    case TOP_GRAPH:
    case GRAPH:
        graph_field(w);
        break;
    case OP:
        op_field(w);
        break;
    case ENTRY:
        entry_field(w, frame);
        break;
    case TOP_VALUE:
    case VALUE:
        value_field(w);
        break;
    case LIST:
        list_field(w);
        break;
    case FUNC:
        func_field(w);
        break;
    case LISTS:
        lists_field(w);
        break;
    case INNER:
        inner_field(w);
        break;
    case TOP_DESC:
    case DESC:
    case TENSOR_DESC:
        desc_field(w, frame->desc, (enum mi_ge_side)frame->side);
        break;
    case SHAPE:
        shape_field(w);
        break;
    case TENSOR:
        tensor_field(w, frame->desc);
        break;
    }
}

/* --- the walk --- */

static void read_queue(struct mi_ge_text *g);

/* Walks `text`, which lies in bytes that start at `start`, in a message of kind `top`. */
static bool walk(struct mi_ge_text *g, const uint8_t *start, struct mi_bytes text, struct frame top,
                 struct mi_error *err)
{
    struct walk w;
    w.g = g;
    w.ge = &g->ge;
    w.depth = 1;
    w.frames[0] = top;
    w.is_part = !start;
    mi_pbt_init(&w.t, text, err);
    if (start)
        w.t.start = start; /* places count from there */
    for (;;) {
        if (mi_pbt_next(&w.t)) {
            if (start)
                g->ge.offset = mi_pbt_offset(&w.t);
            field(&w);
            if (g->stopped.code || mi_batch_failed(g->ge.out))
                break;
        } else if (err->code || w.depth == 1) {
            break;
        } else {
            bool is_graph = w.frames[w.depth - 1].kind == GRAPH;
            pop(&w, false);
            if (is_graph)
                read_queue(g);
        }
    }
    while (w.depth > 1)
        pop(&w, true);
    return err->code == MI_OK;
}

/* Graphs inside attributes of the graph that has just ended; they may hold further ones. */
static void read_queue(struct mi_ge_text *g)
{
    const struct frame top = {.kind = TOP_GRAPH};
    while (g->queue_done < g->queue_count && !g->stopped.code && !mi_batch_failed(g->ge.out)) {
        const struct mi_ge_text_graph job = g->queue[g->queue_done++]; /* the queue may move */
        struct mi_error err = MI_ERROR_INIT;
        mi_ge_graph_begin(&g->ge, job.graph);
        walk(g, g->src->bytes.at, mi_bytes_sub(g->src->bytes, job.from, job.to - job.from), top,
             &err);
        mi_ge_graph_end(&g->ge);
        if (err.code && !g->broken.code)
            g->broken = err;
    }
}

static uint32_t limit(uint32_t wanted, uint32_t usual)
{
    return wanted ? wanted : usual;
}

bool mi_ge_text_init(struct mi_ge_text *g, const struct mi_source *src, struct mi_batch *out,
                     const struct mi_ge_options *options)
{
    *g = (struct mi_ge_text){.src = src,
                             .broken = MI_ERROR_INIT,
                             .stopped = MI_ERROR_INIT,
                             .max_string_bytes = limit(src->limits.max_string_bytes, 16u << 20),
                             .max_rows = limit(src->limits.max_rows, UINT32_MAX - 1)};
    return mi_ge_init(&g->ge, out, options);
}

void mi_ge_text_fini(struct mi_ge_text *g)
{
    mi_ge_fini(&g->ge);
    mi_scratch_fini(&g->scratch);
    mi_mem_free(g->queue);
}

void mi_ge_text_model(struct mi_ge_text *g, bool is_bare)
{
    struct frame top = {.kind = is_bare ? TOP_GRAPH : TOP_MODEL};
    struct mi_error err = MI_ERROR_INIT;
    if (is_bare)
        mi_ge_graph_begin(&g->ge, (mi_graph_id){0});
    walk(g, g->src->bytes.at, g->src->bytes, top, &err);
    if (is_bare) {
        mi_ge_graph_end(&g->ge);
        read_queue(g);
    }
    if (err.code && !g->broken.code)
        g->broken = err;
    mi_ge_model_end(&g->ge);
}

bool mi_ge_text_value(struct mi_ge_text *g, struct mi_bytes text)
{
    struct mi_error err = MI_ERROR_INIT;
    return walk(g, NULL, text, (struct frame){.kind = TOP_VALUE}, &err);
}

bool mi_ge_text_desc(struct mi_ge_text *g, enum mi_ge_side side, struct mi_bytes text)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_ge_desc *desc = mi_ge_desc_begin(&g->ge, side);
    if (!desc)
        return true;
    bool ok = walk(g, NULL, text,
                   (struct frame){.kind = TOP_DESC, .side = (uint8_t)side, .desc = desc}, &err);
    mi_ge_desc_end(&g->ge);
    return ok;
}

bool mi_ge_text_step(struct mi_ge_text *g)
{
    const struct mi_tables *rows = &g->ge.out->rows;
    uint64_t offset = g->ge.offset;
    if (rows->nodes.count > g->max_rows || rows->values.count > g->max_rows ||
        rows->ports.count > g->max_rows || rows->items.count > g->max_rows ||
        rows->dims.count > g->max_rows)
        return mi_fail_at(&g->stopped, MI_ELIMIT, offset, 0, "more than %u rows in one table",
                          g->max_rows);
    if (++g->steps % 1024 == 0 && g->src->progress && !g->src->progress(g->src->user, offset))
        return mi_fail_at(&g->stopped, MI_ECANCELLED, offset, 0, "stopped");
    return true;
}

/* --- the end --- */

static uint32_t line_at(struct mi_bytes bytes, uint64_t offset)
{
    uint32_t line = 1;
    for (uint64_t i = 0; i < offset && i < bytes.len; i++)
        line += bytes.at[i] == '\n';
    return line;
}

bool mi_ge_text_finish(struct mi_ge_text *g, struct mi_error *err)
{
    struct mi_batch *out = g->ge.out;
    struct mi_diags *diags = &out->rows.diags;
    for (uint32_t i = 1; i < diags->count; i++)
        if (diags->line[i] == 0 && diags->offset[i] >= 0)
            diags->line[i] = line_at(g->src->bytes, (uint64_t)diags->offset[i]);
    if (mi_batch_failed(out))
        return mi_fail(err, out->error.code, "%s", out->error.text);
    if (g->stopped.code)
        return mi_fail_at(err, g->stopped.code, g->stopped.offset,
                          line_at(g->src->bytes, g->stopped.offset), "%s", g->stopped.text);
    if (g->broken.code)
        return mi_fail_at(err, g->broken.code, g->broken.offset, g->broken.line, "%s",
                          g->broken.text);
    return true;
}

void mi_ge_text_stage(const struct mi_source *src, struct mi_batch *out,
                      struct mi_ge_options *options)
{
    struct mi_ge_dump_name name = mi_ge_dump_name(src->path);
    options->stage = mi_batch_str(out, name.stage);
    options->stage_index = name.stage_index;
    if (name.graph_id >= 0)
        mi_add_fact(out, &(struct mi_fact_row){
                             .name = mi_batch_cstr(out, "graph_id"),
                             .text = mi_batch_printf(out, "%lld", (long long)name.graph_id)});
    if (name.is_single_op)
        mi_add_fact(out, &(struct mi_fact_row){.name = mi_batch_cstr(out, "single_op"),
                                               .text = mi_batch_cstr(out, "aclop")});
}
