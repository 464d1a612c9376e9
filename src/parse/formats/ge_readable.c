/* FORMAT: graph dumps of GE for people, ge_readable_<index>_..._<stage>.txt. docs/formats/
 * ge-readable.md says the same for users.
 *
 *   graph("net"):
 *     %x : [#users=1] = Node[type=Data] (attrs = {index: 0})
 *     %split : [#users=2] = Node[type=Split] (inputs = (x=%x, dim=%c), attrs = {num_split: 2})
 *     %ret : [#users=1] = get_element[node=%split](0)
 *     return (%ret)            or (output_0=%ret, output_1=%y)
 *
 * One block per graph, the root first. A sub-graph is an attribute "then_branch: %graph", or
 * "_graph_0: %graph". Not in the file: ids, streams, control edges, descriptors, private attributes
 * (so what was fused from what), and NetOutput, which is the return. Written from the sources of
 * GE; no file of a real build could be had. */
#include "base/translate.h"
#include "parse/formats/ge/ge_literal.h"
#include "parse/formats/ge/ge_text.h"
#include "parse/formats/shared/py_text.h"

struct reader {
    struct mi_ge_text g;
    struct mi_map elements; /* name of a get_element -> "node:index", both interned */
    bool is_open;           /* a graph */
};

/* Offset of `mark` in `text` from `from` on, or text.len. */
static size_t find(struct mi_bytes text, size_t from, struct mi_bytes mark)
{
    for (size_t i = from; i + mark.len <= text.len; i++) {
        const uint8_t *at = memchr(text.at + i, mark.at[0], text.len - mark.len + 1 - i);
        if (!at)
            break;
        i = (size_t)(at - text.at);
        if (memcmp(at, mark.at, mark.len) == 0)
            return i;
    }
    return text.len;
}

static void broken(struct reader *o, const char *what)
{
    mi_batch_diag(o->g.ge.out, MI_LOSS, "ge_readable.line_broken", o->g.ge.offset, o->g.ge.line,
                  "a line that is %s", what);
}

/* --- references: %name, of a node or of a get_element --- */

/* "node:index", in the scratch for a node. */
static struct mi_bytes target_of(struct reader *o, struct mi_bytes name)
{
    struct mi_batch *out = o->g.ge.out;
    mi_str_id id = mi_strings_find(&out->strings, name);
    mi_str_id text = {id.v ? mi_map_get(&o->elements, id.v) : 0};
    if (text.v)
        return mi_batch_text(out, text);
    uint8_t *room = mi_scratch_room(&o->g.scratch, name.len + 2);
    if (!room) {
        mi_batch_fail(out, MI_ENOMEM, "out of memory for a name");
        return name;
    }
    if (name.len)
        memcpy(room, name.at, name.len);
    memcpy(room + name.len, ":0", 2);
    return (struct mi_bytes){room, name.len + 2};
}

/* The next of "a=%x, b=%y" or "%x, %y". Names may hold anything but what separates them. */
static bool next_reference(struct mi_bytes *rest, struct mi_bytes *name)
{
    size_t from = find(*rest, 0, MI_LIT("%"));
    if (from == rest->len)
        return false;
    *name = mi_bytes_sub(*rest, from + 1, rest->len);
    size_t end = 0;
    while (end < name->len) {
        end = find(*name, end, MI_LIT(", "));
        struct mi_bytes behind = mi_bytes_sub(*name, end + 2, name->len);
        size_t key = mi_py_name(behind);
        behind = mi_bytes_sub(behind, key, behind.len);
        if (mi_bytes_starts(behind, MI_LIT("=%")) || (!key && mi_bytes_starts(behind, MI_LIT("%"))))
            break;
        end = end < name->len ? end + 2 : end;
    }
    *rest = mi_bytes_sub(*name, end, name->len);
    name->len = end < name->len ? end : name->len;
    return true;
}

/* --- lines --- */

static void put_subgraph(struct reader *o, struct mi_bytes key, struct mi_bytes graph)
{
    struct mi_ge *ge = &o->g.ge;
    mi_ge_op_subgraph(ge, graph);
    if (mi_bytes_starts(key, MI_LIT("_graph_")) || !mi_ge_attr_begin(ge, key))
        return;
    if (mi_ge_attr_func_begin(ge)) {
        mi_ge_attr_func_name(ge, graph);
        mi_ge_attr_func_end(ge);
    }
    mi_ge_attr_end(ge);
}

static void put_attrs(struct reader *o, struct mi_bytes text)
{
    struct mi_bytes part;
    while (mi_py_part(&text, &part)) {
        struct mi_bytes key = mi_py_key(&part, ':');
        if (key.len == 0)
            continue;
        if (part.at[0] == '%')
            put_subgraph(o, key, mi_bytes_sub(part, 1, part.len));
        else if (mi_ge_attr_begin(&o->g.ge, key)) {
            mi_ge_literal(&o->g.ge, part);
            mi_ge_attr_end(&o->g.ge);
        }
    }
}

/* "inputs = (...), attrs = {...}", either may be missing. */
static void put_body(struct reader *o, struct mi_bytes body)
{
    const struct mi_bytes in_mark = MI_LIT("inputs = ("), attr_mark = MI_LIT("attrs = {");
    if (mi_bytes_starts(body, in_mark)) {
        size_t end = find(body, 0, MI_LIT("), attrs = {"));
        struct mi_bytes rest = mi_bytes_sub(body, in_mark.len, end - in_mark.len), name;
        body = end < body.len ? mi_bytes_sub(body, end + 3, body.len)
                              : mi_bytes_sub(body, body.len, 0);
        if (body.len == 0 && mi_bytes_ends(rest, MI_LIT(")")))
            rest.len--;
        while (next_reference(&rest, &name))
            mi_ge_op_input(&o->g.ge, target_of(o, name));
    }
    if (mi_bytes_starts(body, attr_mark)) {
        body = mi_bytes_sub(body, attr_mark.len, body.len);
        if (mi_bytes_ends(body, MI_LIT("}")))
            body.len--;
        put_attrs(o, body);
    }
}

/* "Node[type=Add] (...)" behind the name. */
static void read_node(struct reader *o, struct mi_bytes name, struct mi_bytes text)
{
    struct mi_ge *ge = &o->g.ge;
    size_t end = find(text, 0, MI_LIT("]"));
    mi_ge_op_begin(ge);
    mi_ge_op_name(ge, name);
    mi_ge_op_type(ge, mi_bytes_sub(text, 0, end));
    text = mi_py_trim(mi_bytes_sub(text, end + 1, text.len));
    if (text.len >= 2 && text.at[0] == '(' && text.at[text.len - 1] == ')')
        put_body(o, mi_bytes_sub(text, 1, text.len - 2));
    else
        broken(o, "cut within a node");
    mi_ge_op_end(ge);
}

/* "get_element[node=%split](0)" behind the name. */
static void read_element(struct reader *o, struct mi_bytes name, struct mi_bytes text)
{
    struct mi_batch *out = o->g.ge.out;
    const struct mi_bytes mark = MI_LIT("](");
    size_t end = find(text, 0, mark);
    struct mi_bytes number = mi_bytes_sub(text, end + mark.len, text.len);
    int64_t index;
    if (mi_bytes_ends(number, MI_LIT(")")))
        number.len--;
    if (end == text.len || !mi_py_int(number, &index) || index < 0) {
        broken(o, "no get_element[node=%node](index)");
        return;
    }
    mi_str_id key = mi_batch_str(out, name);
    mi_str_id value =
        mi_batch_printf(out, "%.*s:%lld", (int)end, (const char *)text.at, (long long)index);
    if (key.v && value.v && !mi_map_set(&o->elements, key.v, value.v))
        mi_batch_fail(out, MI_ENOMEM, "out of memory for names");
}

/* "%name : [#users=1] = ..." */
static void read_statement(struct reader *o, struct mi_bytes line)
{
    const struct mi_bytes node = MI_LIT("Node[type="), element = MI_LIT("get_element[node=%");
    const struct mi_bytes users = MI_LIT(" : ["), equals = MI_LIT("] = ");
    size_t name_end = find(line, 1, users), value = find(line, name_end, equals);
    struct mi_bytes name = mi_bytes_sub(line, 1, name_end - 1);
    struct mi_bytes text = mi_bytes_sub(line, value + equals.len, line.len);
    if (mi_bytes_starts(text, node)) {
        read_node(o, name, mi_bytes_sub(text, node.len, text.len));
    } else if (mi_bytes_starts(text, element)) {
        read_element(o, name, mi_bytes_sub(text, element.len, text.len));
    } else {
        o->g.ge.out->counts.in++;
        o->g.ge.out->counts.lost++;
        broken(o, "neither a node nor a get_element");
    }
}

static void end_graph(struct reader *o)
{
    if (o->is_open)
        mi_ge_graph_end(&o->g.ge);
    o->is_open = false;
    mi_map_fini(&o->elements);
    o->elements = (struct mi_map){0};
}

/* `graph("net"):` -> net; empty: it is none. */
static struct mi_bytes graph_line(struct mi_bytes line)
{
    const struct mi_bytes open = MI_LIT("graph(\""), close = MI_LIT("\"):");
    if (mi_bytes_starts(line, open) && mi_bytes_ends(line, close) &&
        line.len >= open.len + close.len)
        return mi_bytes_sub(line, open.len, line.len - open.len - close.len);
    return (struct mi_bytes){NULL, 0};
}

static void read_return(struct reader *o, struct mi_bytes text)
{
    struct mi_bytes name;
    if (mi_bytes_ends(text, MI_LIT(")")))
        text.len--;
    while (next_reference(&text, &name))
        mi_ge_graph_output(&o->g.ge, target_of(o, name));
}

static void read_line(struct reader *o, struct mi_bytes line)
{
    const struct mi_bytes back = MI_LIT("return (");
    line = mi_py_trim(line);
    struct mi_bytes name = graph_line(line);
    if (name.at) {
        end_graph(o);
        mi_ge_graph_begin(&o->g.ge, (mi_graph_id){0});
        mi_ge_graph_name(&o->g.ge, name);
        o->is_open = true;
    } else if (line.len == 0) {
        return;
    } else if (o->is_open && line.at[0] == '%') {
        read_statement(o, line);
    } else if (o->is_open && mi_bytes_starts(line, back)) {
        read_return(o, mi_bytes_sub(line, back.len, line.len));
    } else {
        broken(o, "not part of a graph");
    }
}

static struct mi_bytes without_bom(struct mi_bytes bytes)
{
    return mi_bytes_starts(bytes, MI_LIT("\xef\xbb\xbf")) ? mi_bytes_sub(bytes, 3, bytes.len)
                                                          : bytes;
}

static void read_lines(struct reader *o)
{
    struct mi_bytes rest = without_bom(o->g.src->bytes), line;
    while (mi_py_line(&rest, &line) && !mi_batch_failed(o->g.ge.out)) {
        o->g.ge.line++;
        o->g.ge.offset = (uint64_t)(line.at - o->g.src->bytes.at);
        if (!mi_ge_text_step(&o->g))
            break;
        read_line(o, line);
    }
    end_graph(o);
    mi_ge_model_end(&o->g.ge);
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_bytes rest = without_bom(probe->head), line;
    while (mi_py_line(&rest, &line)) {
        line = mi_py_trim(line);
        if (line.len)
            return graph_line(line).at ? 79 : 0;
    }
    return 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct reader o = {.is_open = false};
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED, .without_ids = true};
    mi_ge_text_stage(src, out, &options);
    if (mi_ge_text_init(&o.g, src, out, &options))
        read_lines(&o);
    if (out->rows.graphs.count <= 1)
        mi_fail_at(&o.g.broken, MI_EFORMAT, 0, 1, "no GE graph: there is no graph in it");
    bool ok = mi_ge_text_finish(&o.g, err);
    mi_ge_text_fini(&o.g);
    return ok;
}

const struct mi_reader mi_reader_ge_readable = {.name = "ge_readable",
                                                .title = N_("GE graph dump (readable text)"),
                                                .yields = MI_HAS_COMPILED_GRAPH,
                                                .is_untried = true,
                                                .sniff = sniff,
                                                .read = read};
