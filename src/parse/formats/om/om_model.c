/* .om: MODEL_DEF. The top level is looked at first, since the dictionaries of compressed attributes
 * stand behind the graphs that need them. */
#include "base/mem.h"
#include "parse/formats/om/om_read.h"

/* The ListValue of an AttrDef; empty if it is no list. */
static struct mi_pb list_of(struct mi_pb value)
{
    struct mi_pb list = value;
    list.at = list.end = list.start;
    while (mi_pb_next(&value))
        if (value.key == MI_PB_KEY(1, MI_PB_LEN))
            list = mi_pb_sub(&value);
    return list;
}

static int64_t int_of(struct mi_pb value)
{
    int64_t number = 0;
    while (mi_pb_next(&value))
        if (value.key == MI_PB_KEY(3, MI_PB_VARINT) || value.key == MI_PB_KEY(5, MI_PB_VARINT))
            number = mi_pb_i64(&value);
    return number;
}

/* The bytes of s or bt as a cursor. */
static struct mi_pb bytes_of(struct mi_pb value)
{
    struct mi_pb bytes = value;
    bytes.at = bytes.end = bytes.start;
    while (mi_pb_next(&value))
        if (value.key == MI_PB_KEY(2, MI_PB_LEN) || value.key == MI_PB_KEY(7, MI_PB_LEN))
            bytes = mi_pb_sub(&value);
    return bytes;
}

static struct mi_bytes rest_of(const struct mi_pb *pb)
{
    return (struct mi_bytes){pb->at, (size_t)(pb->end - pb->at)};
}

static void scan_attr(struct om_def *def, struct mi_pb entry)
{
    static const char *const lists[] = {"attr_name_enum", "attr_value_enum",
                                        "attrs_use_string_value"};
    struct mi_ge_entry e = mi_ge_wire_entry(entry);
    for (size_t i = 0; i < 3; i++)
        if (mi_bytes_equal(e.key, mi_cstr(lists[i]))) {
            struct mi_pb list = list_of(e.value);
            def->lists[i] = rest_of(&list);
            def->is_compressed = def->is_compressed || i == 0;
        }
    if (mi_bytes_equal(e.key, MI_LIT("om_compress_version")))
        def->is_compressed = def->is_compressed || int_of(e.value) != 0;
    else if (mi_bytes_equal(e.key, MI_LIT("task_index_op_name")))
        def->task_names = list_of(e.value);
    else if (mi_bytes_equal(e.key, MI_LIT("fm")))
        def->merged = list_of(e.value);
    else if (mi_bytes_equal(e.key, MI_LIT("tasks")))
        def->tasks = bytes_of(e.value);
}

void mi_om_def_scan(struct om *o, const struct om_part *part, struct om_def *def)
{
    struct mi_error err = MI_ERROR_INIT;
    *def = (struct om_def){.pb = mi_om_cursor(o, part, NULL)};
    def->task_names = def->tasks = def->merged = def->pb;
    def->task_names.end = def->tasks.end = def->merged.end = def->pb.start;
    struct mi_pb pb = def->pb;
    pb.err = &err;
    while (mi_pb_next(&pb)) {
        struct mi_error inner = MI_ERROR_INIT;
        struct mi_pb sub;
        switch (pb.key) {
        case MI_PB_KEY(1, MI_PB_LEN):
            def->name = pb.bytes;
            break;
        case MI_PB_KEY(3, MI_PB_LEN):
            def->version = pb.bytes;
            break;
        case MI_PB_KEY(7, MI_PB_LEN):
            def->graphs++;
            break;
        case MI_PB_KEY(11, MI_PB_LEN):
            sub = mi_pb_sub(&pb);
            sub.err = &inner;
            scan_attr(def, sub);
            break;
        default:
            break;
        }
    }
    def->is_broken = err.code != MI_OK || o->cut.code != MI_OK;
    if (err.code) {
        mi_fail_at(&o->broken, err.code, err.offset, 0,
                   "the partition MODEL_DEF cannot be read to its end: %s", err.text);
        mi_batch_diag(o->out, MI_LOSS, "om.model_broken", err.offset, 0,
                      "the partition MODEL_DEF cannot be read to its end: %s", err.text);
    }
}

/* A copy of a graph that a sub-model of its own has, too. */
static void skip_graph(struct om *o, struct mi_pb graph)
{
    struct mi_error err = MI_ERROR_INIT;
    int64_t ops = 0;
    uint64_t at = mi_pb_offset(&graph);
    graph.err = &err;
    while (mi_pb_next(&graph))
        ops += graph.key == MI_PB_KEY(6, MI_PB_LEN);
    o->out->counts.in += ops;
    o->out->counts.skipped += ops;
    mi_batch_diag(o->out, MI_INFO, "om.graph_copy", at, 0,
                  "a graph that one of the sub-models has, too, is shown once");
}

static void read_graph(struct om *o, const struct mi_pb *field, const struct mi_map *copies,
                       mi_graph_id *first)
{
    struct mi_pb pb = mi_pb_sub(field);
    struct mi_bytes name = mi_ge_wire_graph_name(pb);
    mi_str_id id = copies->count ? mi_strings_find(&o->out->strings, name) : MI_NO_STR;
    if (id.v && mi_map_get(copies, id.v)) {
        skip_graph(o, pb);
        return;
    }
    mi_graph_id graph = mi_ge_wire_graph(&o->wire, pb, first->v ? NULL : &o->broken);
    if (!first->v)
        *first = graph;
}

/* The scope of a node: the UB group in the lower half, the L1 group in the upper; what is negative
 * is a group of one. */
static void read_scope(struct om *o, int64_t scope, mi_node_id node)
{
    if (scope < 0)
        return;
    if (scope & 0xffff)
        mi_ge_scope(&o->ge, MI_GROUP_UB, scope & 0xffff, node);
    if (scope >> 16)
        mi_ge_scope(&o->ge, MI_GROUP_L1, scope >> 16, node);
}

/* One element of `fm`: an OpDef with nothing but attributes. */
static void read_merged(struct om *o, struct mi_pb op, mi_node_id node, mi_str_id via,
                        bool has_groups)
{
    while (mi_pb_next(&op)) {
        if (op.key != MI_PB_KEY(10, MI_PB_LEN))
            continue;
        struct mi_ge_entry entry = mi_ge_wire_entry(mi_pb_sub(&op));
        if (mi_bytes_equal(entry.key, MI_LIT("fusion_scope")) && !has_groups)
            read_scope(o, int_of(entry.value), node);
        if (!mi_bytes_equal(entry.key, MI_LIT("original_op_names")))
            continue;
        for (struct mi_pb list = list_of(entry.value); mi_pb_next(&list);)
            if (list.key == MI_PB_KEY(2, MI_PB_LEN) && list.bytes.len) {
                mi_str_id name = mi_batch_str(o->out, list.bytes);
                mi_add_recorded(o->out,
                                &(struct mi_recorded_row){.node = node, .name = name, .via = via});
            }
    }
}

/* Groups that the ops themselves state stay as they are. */
static bool has_groups(const struct om *o, mi_graph_id graph)
{
    const struct mi_groups *groups = &o->out->rows.groups;
    for (uint32_t i = 1; i < groups->count; i++)
        if (groups->graph[i].v == graph.v &&
            (groups->kind[i] == MI_GROUP_UB || groups->kind[i] == MI_GROUP_L1))
            return true;
    return false;
}

/* One element per op of the first graph, in the order of its list. */
static void read_all_merged(struct om *o, const struct om_def *def, mi_graph_id graph,
                            uint32_t first_node)
{
    struct mi_error err = MI_ERROR_INIT;
    const struct mi_nodes *nodes = &o->out->rows.nodes;
    struct mi_pb list = def->merged;
    mi_str_id via = mi_batch_cstr(o->out, "fm");
    bool grouped = has_groups(o, graph);
    list.err = &err;
    for (uint32_t node = first_node; node < nodes->count && mi_pb_next(&list);) {
        if (list.key != MI_PB_KEY(7, MI_PB_LEN) && list.key != MI_PB_KEY(2, MI_PB_LEN))
            continue;
        if (nodes->graph[node].v != graph.v)
            break;
        read_merged(o, mi_pb_sub(&list), (mi_node_id){node}, via, grouped);
        node++;
    }
    mi_ge_scopes_end(&o->ge, graph);
}

mi_graph_id mi_om_def_read(struct om *o, struct om_model *model, const struct mi_map *copies,
                           bool is_first)
{
    struct mi_error err = MI_ERROR_INIT;
    const struct om_part *weights = mi_om_find(&model->table, OM_WEIGHTS);
    mi_graph_id first = {0};
    o->ge.weights_at = weights ? (int64_t)om_at(o, weights->at) : -1;
    o->ge.weights_bytes = weights ? (int64_t)weights->bytes.len : 0;
    uint32_t first_node = mi_next_row(o->out, nodes);
    struct mi_pb pb = model->def.pb;
    pb.err = &err;
    while (!o->err->code && mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(7, MI_PB_LEN))
            read_graph(o, &pb, copies, &first);
    if (model->def.merged.at != model->def.merged.end && !mi_batch_failed(o->out))
        read_all_merged(o, &model->def, first, first_node);
    pb = model->def.pb;
    pb.err = &err;
    while (is_first && !o->err->code && mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(11, MI_PB_LEN)) {
            struct mi_error inner = MI_ERROR_INIT;
            struct mi_pb entry = mi_pb_sub(&pb);
            entry.err = &inner;
            mi_ge_wire_fact(&o->wire, entry);
        }
    return first;
}
