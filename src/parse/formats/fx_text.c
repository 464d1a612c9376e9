/* FORMAT: FX graphs as PyTorch prints them, in a file of their own or among the lines of a log (of
 * TorchAir with its Python logging at DEBUG, for one). docs/formats/fx-text.md says the same for
 * users.
 *
 *   [INFO] ... graph: graph():
 *       %x : [num_users=1] = placeholder[target=x]
 *       %w : [num_users=1] = get_attr[target=w]
 *       %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, 10),
 *                                                                              kwargs = {})
 *       return (mul,)
 *
 * (each on one line). "#users" and "num_users" both occur. One framework graph per block; the
 * operator is the target without "torch.ops.". Ignored: all lines outside of blocks. */
#include "base/translate.h"
#include "parse/formats/shared/fx_rows.h"
#include "parse/formats/shared/py_text.h"
#include "parse/reader.h"

enum { LOOK_BYTES = 1 << 20 };

/* "%name : [num_users=1] = kind[target=...](...)" taken apart. */
struct statement {
    struct mi_bytes name, kind, target, args, kwargs;
};

/* The value of "key = (...)" or "key = {...}" without its brackets. */
static struct mi_bytes bracketed(struct mi_bytes text, struct mi_bytes key)
{
    struct mi_bytes part;
    while (mi_py_part(&text, &part)) {
        if (!mi_bytes_starts(part, key))
            continue;
        size_t open = key.len;
        while (open < part.len && (part.at[open] == ' ' || part.at[open] == '='))
            open++;
        if (open < part.len && (part.at[open] == '(' || part.at[open] == '{'))
            return mi_bytes_sub(part, open + 1, mi_py_close(part, open) - open - 1);
    }
    return (struct mi_bytes){NULL, 0};
}

static bool split_statement(struct mi_bytes line, struct statement *out)
{
    const struct mi_bytes target = MI_LIT("[target=");
    *out = (struct statement){{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    out->name = mi_bytes_sub(line, 1, line.len);
    out->name.len = mi_py_name(out->name);
    size_t equals = mi_py_find(line, 1, '=');
    if (out->name.len == 0 || equals == line.len || line.at[equals] != '=')
        return false;
    struct mi_bytes right = mi_py_trim(mi_bytes_sub(line, equals + 1, line.len));
    out->kind = mi_bytes_sub(right, 0, mi_py_name(right));
    right = mi_bytes_sub(right, out->kind.len, right.len);
    if (out->kind.len == 0 || !mi_bytes_starts(right, target))
        return false;
    size_t close = mi_py_close(right, 0);
    out->target = mi_bytes_sub(right, target.len, close - target.len);
    right = mi_bytes_sub(right, close + 1, right.len);
    if (right.len && right.at[0] == '(') {
        right = mi_bytes_sub(right, 1, mi_py_close(right, 0) - 1);
        out->args = bracketed(right, MI_LIT("args"));
        out->kwargs = bracketed(right, MI_LIT("kwargs"));
    }
    return close < line.len;
}

struct reader {
    const struct mi_source *src;
    struct mi_batch *out;
    struct mi_fx fx;
    bool is_open; /* a block */
    uint32_t graphs, line;
    uint64_t offset;
};

static void end_graph(struct reader *o)
{
    if (o->is_open)
        mi_fx_end(&o->fx);
    o->is_open = false;
}

static void begin_graph(struct reader *o)
{
    end_graph(o);
    mi_fx_begin(&o->fx, o->out, mi_batch_cstr(o->out, "fx"));
    o->is_open = true;
    o->graphs++;
}

static void read_statement(struct reader *o, struct mi_bytes line)
{
    struct statement s;
    o->out->counts.in++;
    if (!split_statement(line, &s)) {
        o->out->counts.lost++;
        mi_batch_diag(o->out, MI_LOSS, "fx.line_broken", o->offset, o->line,
                      "no line of an FX graph: %%name : ... = kind[target=...](...)");
        return;
    }
    o->out->counts.kept++;
    if (mi_bytes_equal(s.kind, MI_LIT("placeholder")))
        mi_fx_value(&o->fx, s.name, MI_LIT(""), MI_VALUE_INPUT);
    else if (mi_bytes_equal(s.kind, MI_LIT("get_attr")))
        mi_fx_value(&o->fx, s.name, MI_LIT(""), MI_VALUE_CONSTANT);
    else
        mi_fx_node(&o->fx, &(struct mi_fx_call){.name = s.name,
                                                .target = s.target,
                                                .args = s.args,
                                                .kwargs = s.kwargs,
                                                .style = MI_FX_PERCENT});
}

static void read_line(struct reader *o, struct mi_bytes line)
{
    const struct mi_bytes word = MI_LIT("return ");
    line = mi_py_trim(line);
    if (mi_bytes_ends(line, MI_LIT("graph():"))) {
        begin_graph(o);
    } else if (!o->is_open || line.len == 0) {
        return;
    } else if (line.at[0] == '%') {
        read_statement(o, line);
    } else {
        if (mi_bytes_starts(line, word))
            mi_fx_return(&o->fx, mi_bytes_sub(line, word.len, line.len), MI_FX_PLAIN);
        end_graph(o);
    }
}

static bool step(const struct reader *o, struct mi_error *err)
{
    const struct mi_tables *rows = &o->out->rows;
    uint32_t most = o->src->limits.max_rows ? o->src->limits.max_rows : UINT32_MAX - 1;
    if (mi_batch_failed(o->out))
        return mi_fail(err, o->out->error.code, "%s", o->out->error.text);
    if (rows->nodes.count > most || rows->values.count > most || rows->items.count > most ||
        rows->ports.count > most)
        return mi_fail_at(err, MI_ELIMIT, o->offset, o->line, "more than %u rows in one table",
                          most);
    if (o->line % 4096 == 0 && o->src->progress && !o->src->progress(o->src->user, o->offset))
        return mi_fail_at(err, MI_ECANCELLED, o->offset, o->line, "stopped");
    return true;
}

/* A block's first line, and a statement right behind it. */
static int sniff(const struct mi_probe *probe)
{
    struct mi_bytes rest = mi_bytes_sub(probe->bytes, 0, LOOK_BYTES), line;
    struct statement s;
    bool is_open = false;
    while (mi_py_line(&rest, &line)) {
        line = mi_py_trim(line);
        if (is_open && line.len && line.at[0] == '%' && split_statement(line, &s))
            return 73;
        is_open = mi_bytes_ends(line, MI_LIT("graph():"));
    }
    return 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct reader o = {.src = src, .out = out};
    struct mi_bytes rest = src->bytes, line;
    bool ok = true;
    while (ok && mi_py_line(&rest, &line)) {
        o.line++;
        o.offset = (uint64_t)(line.at - src->bytes.at);
        read_line(&o, line);
        ok = step(&o, err);
    }
    end_graph(&o);
    if (ok && mi_batch_failed(out))
        ok = mi_fail(err, out->error.code, "%s", out->error.text);
    if (ok && o.graphs == 0)
        ok = mi_fail_at(err, MI_EFORMAT, 0, 1, "no FX graph: there is no \"graph():\" in it");
    return ok;
}

const struct mi_reader mi_reader_fx_text = {.name = "fx_text",
                                            .title = N_("FX graph as text, also within a log"),
                                            .yields = MI_HAS_FRAMEWORK_GRAPH,
                                            .is_untried = true,
                                            .sniff = sniff,
                                            .read = read};
