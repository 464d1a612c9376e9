/* FORMAT: graph dumps of GE in the guise of an ONNX model, ge_onnx_<index>_..._<stage>.pbtxt: the
 * text form of a ModelProto with producer_name "GE". docs/formats/ge-onnx.md says it for users.
 *
 *   node.op_type         "ge:" + type; "subgraph": no node, but a graph that is called like it, as
 *                        attribute "graph"
 *   node.input           "src:idx", "src:-1" (control), "" (absent), as in ge.proto
 *   node.output          outputs that somebody reads; says nothing more than the inputs
 *   attribute            sorted by name; an INT without value is 0
 *     id, stream_id, input_i, output_i, workspace, workspace_bytes     fields of the op
 *     input_desc_<field>:<k>, output_desc_<field>:<k>                  fields of descriptor k
 *     input_desc_attr_<name>:<k>, output_desc_attr_<name>:<k>          its attributes
 *     everything else                                                  attributes of the op
 *
 * Texts and lists of texts are there only with DUMP_GE_GRAPH=1; which op owns a sub-graph is told
 * by the name of a PartitionedCall alone. Ignored: src_*, dst_*, input_name (copies of the edges).
 */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/ge/ge_look.h"
#include "parse/formats/ge/ge_text.h"

#include <stdlib.h>

enum { MAX_DESCS = 4096 };

/* What an attribute holds; lists lie in the arrays of the reader. */
struct value {
    char type; /* i, f, s: one; I, F, S: a list; 0: nothing, or what is not kept */
    int64_t i;
    double f;
    mi_str_id s;
    uint32_t first, count;
};

/* A field of a descriptor, until the descriptors are complete. */
struct pending {
    uint8_t side; /* enum mi_ge_side */
    bool is_attr;
    uint32_t k, order;
    mi_str_id field;
    struct value value;
};

/* A growing array of equal things. */
struct list {
    void *at;
    uint32_t count, room;
};

struct reader {
    struct mi_ge_text g;
    struct mi_pbt t;
    struct list ints, reals, texts; /* int64_t, double, mi_str_id: of the node */
    struct list pending;
    struct mi_map callers; /* name of a graph -> the node that calls it */
};

static void *grow(struct reader *o, struct list *list, size_t size)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 64;
        void *more = mi_mem_resize(list->at, room, size);
        if (!more) {
            mi_batch_fail(o->g.ge.out, MI_ENOMEM, "out of memory for attributes");
            return NULL;
        }
        list->at = more;
        list->room = room;
    }
    return (uint8_t *)list->at + size * list->count++;
}

static int64_t *ints_of(const struct reader *o, const struct value *value)
{
    return (int64_t *)o->ints.at + value->first;
}

/* --- one attribute --- */

static void read_int(struct reader *o, int64_t *value)
{
    if (!mi_pbt_i64(&o->t, value))
        mi_batch_diag(o->g.ge.out, MI_LOSS, "ge.value_broken", o->g.ge.offset, 0,
                      "field \"%.*s\" is not a whole number and was skipped", (int)o->t.name.len,
                      (const char *)o->t.name.at);
}

static mi_str_id read_text(struct reader *o)
{
    return mi_batch_str(o->g.ge.out, mi_ge_text_string(&o->g, &o->t));
}

/* The place of one more element of a list; NULL: out of memory. An attribute has one kind of
 * value: another kind starts anew. */
static void *add_element(struct reader *o, struct value *value, char type, struct list *list,
                         size_t size)
{
    if (value->type != type)
        *value = (struct value){.type = type, .first = list->count};
    void *at = grow(o, list, size);
    value->count += at != NULL;
    return at;
}

static void read_element(struct reader *o, struct value *value, char type)
{
    if (type == 'I') {
        int64_t *at = add_element(o, value, type, &o->ints, sizeof *at);
        if (at) {
            *at = 0;
            read_int(o, at);
        }
    } else if (type == 'F') {
        double *at = add_element(o, value, type, &o->reals, sizeof *at);
        if (at && !mi_pbt_double(&o->t, at))
            *at = 0;
    } else {
        mi_str_id *at = add_element(o, value, type, &o->texts, sizeof *at);
        if (at)
            *at = read_text(o);
    }
}

/* A single value. */
static void read_scalar(struct reader *o, struct value *value, char type)
{
    *value = (struct value){.type = type};
    if (type == 'i')
        read_int(o, &value->i);
    else if (type == 's')
        value->s = read_text(o);
    else if (!mi_pbt_double(&o->t, &value->f))
        value->type = 0;
}

/* The declared type, where the value itself is absent: zero, empty. By name or by number. */
static void declare(struct reader *o, struct value *value)
{
    static const struct {
        const char *name, *number;
        char type;
    } types[] = {{"FLOAT", "1", 'f'},  {"INT", "2", 'i'},  {"STRING", "3", 's'},
                 {"FLOATS", "6", 'F'}, {"INTS", "7", 'I'}, {"STRINGS", "8", 'S'}};
    for (size_t i = 0; i < sizeof types / sizeof *types && !value->type; i++)
        if (mi_bytes_equal(o->t.raw, mi_cstr(types[i].name)) ||
            mi_bytes_equal(o->t.raw, mi_cstr(types[i].number)))
            value->type = types[i].type;
}

/* Reads the attribute that is entered; a graph in it is queued for `graph`. */
static mi_str_id read_attribute(struct reader *o, struct value *value, bool is_subgraph)
{
    mi_str_id name = MI_NO_STR;
    struct mi_pbt *t = &o->t;
    while (mi_pbt_next(t)) {
        if (mi_pbt_named(t, "name")) {
            name = read_text(o);
        } else if (mi_pbt_named(t, "i")) {
            read_scalar(o, value, 'i');
        } else if (mi_pbt_named(t, "f")) {
            read_scalar(o, value, 'f');
        } else if (mi_pbt_named(t, "s")) {
            read_scalar(o, value, 's');
        } else if (mi_pbt_named(t, "ints")) {
            read_element(o, value, 'I');
        } else if (mi_pbt_named(t, "floats")) {
            read_element(o, value, 'F');
        } else if (mi_pbt_named(t, "strings")) {
            read_element(o, value, 'S');
        } else if (mi_pbt_named(t, "type")) {
            declare(o, value);
        } else if (mi_pbt_named(t, "g") && t->kind == MI_PBT_MESSAGE && is_subgraph) {
            mi_ge_text_queue(&o->g, t, (mi_graph_id){0});
        }
    }
    return name;
}

/* --- attributes as the builder wants them --- */

static void put_value(struct reader *o, const struct value *value)
{
    struct mi_ge *ge = &o->g.ge;
    if (value->type == 'i')
        mi_ge_attr_int(ge, value->i);
    else if (value->type == 'f')
        mi_ge_attr_float(ge, value->f);
    else if (value->type == 's')
        mi_ge_attr_text_id(ge, value->s);
    else
        mi_ge_attr_list(ge, value->type == 'I' ? 2 : value->type == 'F' ? 3 : 1);
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->type == 'I')
            mi_ge_attr_int(ge, ints_of(o, value)[i]);
        else if (value->type == 'F')
            mi_ge_attr_float(ge, ((const double *)o->reals.at)[value->first + i]);
        else
            mi_ge_attr_text_id(ge, ((const mi_str_id *)o->texts.at)[value->first + i]);
    }
}

static void put_attr(struct reader *o, mi_str_id name, const struct value *value)
{
    if (!value->type || !mi_ge_attr_begin_id(&o->g.ge, name))
        return;
    put_value(o, value);
    mi_ge_attr_end(&o->g.ge);
}

static bool is_copy_of_edges(struct mi_bytes name)
{
    static const char *const names[] = {"src_name",     "src_index",       "dst_name",
                                        "dst_index",    "input_name",      "is_input_const",
                                        "has_out_attr", "input_desc_nums", "output_desc_nums"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(name, mi_cstr(names[i])))
            return true;
    return false;
}

/* Fields of the op that came as attributes. */
static bool put_op_field(struct reader *o, struct mi_bytes name, const struct value *value)
{
    static const char *const lists[MI_GE_LISTS] = {"input_i", "output_i", "workspace",
                                                   "workspace_bytes"};
    if (mi_bytes_equal(name, MI_LIT("id")) && value->type == 'i') {
        mi_ge_op_id(&o->g.ge, value->i);
        return true;
    }
    if (mi_bytes_equal(name, MI_LIT("stream_id")) && value->type == 'i') {
        mi_ge_op_stream(&o->g.ge, value->i);
        return true;
    }
    for (int list = 0; list < MI_GE_LISTS; list++) {
        if (!mi_bytes_equal(name, mi_cstr(lists[list])) || value->type != 'I')
            continue;
        for (uint32_t i = 0; i < value->count; i++)
            mi_ge_op_number(&o->g.ge, (enum mi_ge_list)list, ints_of(o, value)[i]);
        return true;
    }
    return is_copy_of_edges(name);
}

/* "output_desc_attr_origin_format:1" taken apart; false: it is no field of a descriptor. */
static bool split_desc(struct mi_bytes name, struct pending *out, struct mi_bytes *field)
{
    const struct mi_bytes prefixes[] = {MI_LIT("input_desc_"), MI_LIT("output_desc_")};
    int side = mi_bytes_starts(name, prefixes[0])   ? MI_GE_IN
               : mi_bytes_starts(name, prefixes[1]) ? MI_GE_OUT
                                                    : -1;
    size_t colon = name.len;
    if (side < 0)
        return false;
    while (colon && name.at[colon - 1] != ':')
        colon--;
    if (colon == 0 || colon == name.len || name.len - colon > 6)
        return false;
    out->side = (uint8_t)side;
    out->k = 0;
    for (size_t i = colon; i < name.len; i++) {
        if (name.at[i] < '0' || name.at[i] > '9')
            return false;
        out->k = out->k * 10 + (uint32_t)(name.at[i] - '0');
    }
    size_t from = prefixes[side == MI_GE_OUT].len;
    if (colon <= from || out->k >= MAX_DESCS)
        return false;
    *field = mi_bytes_sub(name, from, colon - 1 - from);
    out->is_attr = mi_bytes_starts(*field, MI_LIT("attr_"));
    if (out->is_attr)
        *field = mi_bytes_sub(*field, 5, field->len);
    return true;
}

static void take_attribute(struct reader *o)
{
    struct value value = {0};
    struct pending desc = {0};
    struct mi_batch *out = o->g.ge.out;
    mi_str_id name = read_attribute(o, &value, false);
    struct mi_bytes text = mi_batch_text(out, name), field;
    if (!split_desc(text, &desc, &field)) {
        if (!put_op_field(o, text, &value))
            put_attr(o, name, &value);
        return;
    }
    struct pending *at = grow(o, &o->pending, sizeof *at);
    if (!at)
        return;
    desc.field = mi_batch_str(out, field);
    desc.value = value;
    desc.order = o->pending.count;
    *at = desc;
}

/* --- descriptors --- */

static int by_desc(const void *a, const void *b)
{
    const struct pending *x = a, *y = b;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Fields whose meaning ge.proto keeps in attributes of the descriptor. */
static const char *attr_of_field(struct mi_bytes field)
{
    if (mi_bytes_equal(field, MI_LIT("origin_dtype")))
        return "origin_data_type";
    if (mi_bytes_equal(field, MI_LIT("origin_layout")))
        return "origin_format";
    if (mi_bytes_equal(field, MI_LIT("origin_shape")))
        return "origin_shape";
    return NULL;
}

static void put_desc_field(struct reader *o, struct mi_ge_desc *desc, const struct pending *p)
{
    struct mi_ge *ge = &o->g.ge;
    struct mi_bytes field = mi_batch_text(ge->out, p->field);
    struct mi_bytes text = mi_batch_text(ge->out, p->value.s);
    const char *name = attr_of_field(field);
    if (p->is_attr || name) {
        if (mi_ge_wants_desc_attrs(ge, (enum mi_ge_side)p->side))
            put_attr(o, name ? mi_batch_cstr(ge->out, name) : p->field, &p->value);
    } else if (mi_bytes_equal(field, MI_LIT("dtype"))) {
        mi_ge_desc_dtype_name(ge, text);
    } else if (mi_bytes_equal(field, MI_LIT("layout"))) {
        mi_ge_desc_layout(ge, text);
    } else if (mi_bytes_equal(field, MI_LIT("shape")) && p->value.type == 'I') {
        for (uint32_t i = 0; i < p->value.count; i++)
            mi_ge_desc_dim(ge, ints_of(o, &p->value)[i]);
    } else if (mi_bytes_equal(field, MI_LIT("size")) && p->value.i) {
        desc->size_bytes = p->value.i;
    } else if (mi_bytes_equal(field, MI_LIT("weight_size")) && p->value.i) {
        desc->weight_bytes = p->value.i;
    }
}

/* Descriptors in their order; one that the file leaves out keeps its number. */
static void put_descs(struct reader *o)
{
    struct pending *list = o->pending.at;
    uint32_t at = 0;
    if (o->pending.count)
        qsort(list, o->pending.count, sizeof *list, by_desc);
    while (at < o->pending.count) {
        uint8_t side = list[at].side;
        for (uint32_t k = 0; at < o->pending.count && list[at].side == side; k++) {
            struct mi_ge_desc *desc = mi_ge_desc_begin(&o->g.ge, (enum mi_ge_side)side);
            for (; at < o->pending.count && list[at].side == side && list[at].k == k; at++)
                if (desc)
                    put_desc_field(o, desc, &list[at]);
            if (desc)
                mi_ge_desc_end(&o->g.ge);
        }
    }
}

/* --- nodes and graphs --- */

/* Whether the node that is entered only names a sub-graph. */
static bool is_subgraph(const struct reader *o)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt ahead = o->t;
    ahead.err = &err;
    while (mi_pbt_next(&ahead))
        if (mi_pbt_named(&ahead, "op_type"))
            return ahead.kind == MI_PBT_STRING &&
                   mi_bytes_equal(mi_pbt_text(&ahead), MI_LIT("subgraph"));
    return false;
}

static void read_subgraph(struct reader *o)
{
    while (mi_pbt_next(&o->t))
        if (mi_pbt_named(&o->t, "attribute") && o->t.kind == MI_PBT_MESSAGE &&
            mi_pbt_enter(&o->t)) {
            struct value value = {0};
            read_attribute(o, &value, true);
        }
}

/* A call of a sub-graph is named "<graph>_PartitionedCall_<number>". */
static void note_caller(struct reader *o, mi_str_id name)
{
    const struct mi_bytes mark = MI_LIT("_PartitionedCall_");
    struct mi_bytes text = mi_batch_text(o->g.ge.out, name);
    size_t len = text.len;
    while (len && text.at[len - 1] >= '0' && text.at[len - 1] <= '9')
        len--;
    struct mi_bytes graph = mi_bytes_sub(text, 0, len);
    if (len == text.len || !mi_bytes_ends(graph, mark))
        return;
    graph.len -= mark.len;
    mi_str_id id = mi_batch_str(o->g.ge.out, graph);
    if (id.v && !mi_map_set(&o->callers, id.v, o->g.ge.node.v))
        mi_batch_fail(o->g.ge.out, MI_ENOMEM, "out of memory for graphs");
}

static void node_field(struct reader *o)
{
    struct mi_ge *ge = &o->g.ge;
    struct mi_pbt *t = &o->t;
    if (mi_pbt_named(t, "attribute")) {
        if (t->kind == MI_PBT_MESSAGE && mi_pbt_enter(t))
            take_attribute(o);
    } else if (mi_pbt_named(t, "input")) {
        mi_ge_op_input(ge, mi_ge_text_string(&o->g, t));
    } else if (mi_pbt_named(t, "name")) {
        mi_str_id name = read_text(o);
        mi_ge_op_name(ge, mi_batch_text(ge->out, name));
        note_caller(o, name);
    } else if (mi_pbt_named(t, "op_type")) {
        struct mi_bytes type = mi_ge_text_string(&o->g, t);
        if (mi_bytes_starts(type, MI_LIT("ge:")))
            type = mi_bytes_sub(type, 3, type.len);
        mi_ge_op_type(ge, type);
    }
}

static void read_node(struct reader *o)
{
    struct mi_ge *ge = &o->g.ge;
    if (is_subgraph(o)) {
        read_subgraph(o);
        return;
    }
    o->ints.count = o->reals.count = o->texts.count = o->pending.count = 0;
    mi_ge_op_begin(ge);
    while (mi_pbt_next(&o->t)) {
        ge->offset = mi_pbt_offset(&o->t);
        node_field(o);
    }
    if (o->t.err->code) {
        mi_ge_op_drop(ge);
        return;
    }
    put_descs(o);
    mi_ge_op_end(ge);
}

/* The fields of the graph that is open, up to its end. */
static void read_graph(struct reader *o)
{
    while (mi_pbt_next(&o->t) && !mi_batch_failed(o->g.ge.out)) {
        o->g.ge.offset = mi_pbt_offset(&o->t);
        if (mi_pbt_named(&o->t, "node")) {
            if (o->t.kind != MI_PBT_MESSAGE)
                continue;
            if (!mi_ge_text_step(&o->g) || !mi_pbt_enter(&o->t))
                return;
            read_node(o);
        } else if (mi_pbt_named(&o->t, "name")) {
            mi_ge_graph_name(&o->g.ge, mi_ge_text_string(&o->g, &o->t));
        }
    }
}

/* The graphs of the pseudo nodes, after the graph that lists them. */
static void read_queued(struct reader *o)
{
    struct mi_ge_text *g = &o->g;
    while (g->queue_done < g->queue_count && !g->stopped.code && !mi_batch_failed(g->ge.out)) {
        const struct mi_ge_text_graph job = g->queue[g->queue_done++]; /* the queue may move */
        struct mi_error err = MI_ERROR_INIT;
        mi_pbt_init(&o->t, mi_bytes_sub(g->src->bytes, job.from, job.to - job.from), &err);
        o->t.start = g->src->bytes.at; /* places count from there */
        mi_ge_graph_begin(&g->ge, job.graph);
        read_graph(o);
        mi_ge_graph_end(&g->ge);
        if (err.code && !g->broken.code)
            g->broken = err;
    }
}

static void read_model(struct reader *o)
{
    struct mi_ge_text *g = &o->g;
    struct mi_error err = MI_ERROR_INIT;
    mi_pbt_init(&o->t, g->src->bytes, &err);
    while (mi_pbt_next(&o->t) && !g->stopped.code && !mi_batch_failed(g->ge.out)) {
        if (!mi_pbt_named(&o->t, "graph") || o->t.kind != MI_PBT_MESSAGE || !mi_pbt_enter(&o->t))
            continue;
        mi_ge_graph_begin(&g->ge, (mi_graph_id){0});
        read_graph(o);
        mi_ge_graph_end(&g->ge);
    }
    g->broken = err;
    read_queued(o);
    mi_ge_model_end(&g->ge);
}

/* Sub-graphs and the nodes that call them, by their names. */
static void link_callers(struct reader *o)
{
    struct mi_graphs *graphs = &o->g.ge.out->rows.graphs;
    for (uint32_t i = 2; i < graphs->count; i++) {
        uint32_t node = graphs->parent[i].v || !graphs->name[i].v
                            ? 0
                            : mi_map_get(&o->callers, graphs->name[i].v);
        if (!node)
            continue;
        graphs->parent[i].v = node;
        graphs->kind[i] = MI_GRAPH_SUBGRAPH;
        graphs->role[i] = mi_batch_cstr(o->g.ge.out, "f");
    }
}

static int sniff(const struct mi_probe *probe)
{
    return mi_ge_look_text(probe->bytes) == MI_GE_LOOK_ONNX ? 90 : 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct reader o = {.callers = {0}};
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED};
    mi_ge_text_stage(src, out, &options);
    if (mi_ge_text_init(&o.g, src, out, &options)) {
        read_model(&o);
        link_callers(&o);
    }
    if (out->rows.graphs.count <= 1 && !o.g.broken.code)
        mi_fail_at(&o.g.broken, MI_EFORMAT, 0, 1, "no GE graph: there is no graph in it");
    bool ok = mi_ge_text_finish(&o.g, err);
    mi_ge_text_fini(&o.g);
    mi_map_fini(&o.callers);
    mi_mem_free(o.ints.at);
    mi_mem_free(o.reals.at);
    mi_mem_free(o.texts.at);
    mi_mem_free(o.pending.at);
    return ok;
}

const struct mi_reader mi_reader_ge_onnx = {.name = "ge_onnx",
                                            .title = N_("GE graph dump (in the form of ONNX)"),
                                            .yields = MI_HAS_COMPILED_GRAPH,
                                            .sniff = sniff,
                                            .read = read};
