/* FORMAT: TorchAir's graph as Python, dynamo_*_graph_*.py: the only file that ties the nodes of the
 * FX graph, and lines of the user's program, to nodes of GE. docs/formats/torchair-py.md says the
 * same for users.
 *
 *   x_0 = ge.Data(index=0, dtype=0, shape=[2, -1], placement="NPU", node_name="x")
 *
 *   # File "/src/app/net.py", line 24, in forward    y = self.linear(x)
 *   ## FX Code: t: torch.float32[2, 3]npu:0 = torch.ops.aten.t.default(w: torch.float32[3, 2]npu:0)
 *   ## FX Code: addmm = torch.ops.aten.addmm.default(b, x, t)
 *   MatMulV2_0 = ge.MatMulV2(x_0, Transpose_0, None, None, node_name="MatMulV2")
 *   A_0, A_1 = ge.Split(...)
 *   _ = ge.NetOutput([Cast_0], dependencies=[])
 *
 * Read as two graphs: from the comments the FX graph (layer framework), whose operators carry
 * source_file, source_line and source_code; from the calls the GE graph (layer compiled, stage as
 * in the name of the file; torchair_py_ge.c). A call belongs to the last "FX Code" line above it:
 * the name of that FX node is recorded for the node of GE (via "fx_code") and the pair stands in
 * lowering_notes, so that it also serves the dumps of GE. Calls above the first such line belong to
 * none. The file does not say what the FX graph returns: values that nothing reads are its outputs.
 * Everything else in the file is passed over. */
#include "parse/formats/torchair/torchair_py.h"

#include "base/mem.h"
#include "base/translate.h"

enum { LOOK_BYTES = 64 << 10 };

/* --- the user's program: File "/src/app/net.py", line 24, in forward    y = self.linear(x) --- */

static void read_place(struct mi_fx_call *place, struct mi_bytes text)
{
    const struct mi_bytes line_mark = MI_LIT(", line "), in_mark = MI_LIT(", in ");
    *place = (struct mi_fx_call){.line = 0};
    if (text.len == 0 || text.at[0] != '"')
        return;
    size_t end = mi_py_string(text, 0);
    if (end < 2 || text.at[end - 1] != '"')
        return;
    place->path = mi_bytes_sub(text, 1, end - 2);
    text = mi_bytes_sub(text, end, text.len);
    if (!mi_bytes_starts(text, line_mark))
        return;
    text = mi_bytes_sub(text, line_mark.len, text.len);
    size_t len = mi_py_find(text, 0, ',');
    if (!mi_py_int(mi_bytes_sub(text, 0, len), &place->line))
        place->line = 0;
    text = mi_bytes_sub(text, len, text.len);
    if (!mi_bytes_starts(text, in_mark))
        return;
    text = mi_bytes_sub(text, in_mark.len, text.len);
    size_t name = 0;
    while (name < text.len && text.at[name] != ' ')
        name++;
    place->code = mi_py_trim(mi_bytes_sub(text, name, text.len));
}

/* --- FX nodes: name[: type] = target(args) --- */

static bool split_code(struct mi_bytes text, struct mi_fx_call *call)
{
    size_t name = mi_py_name(text), equals = mi_py_find(text, 0, '=');
    if (name == 0 || equals == text.len || text.at[equals] != '=')
        return false;
    struct mi_bytes right = mi_py_trim(mi_bytes_sub(text, equals + 1, text.len));
    size_t open = mi_py_find(right, 0, '('),
           close = open < right.len ? mi_py_close(right, open) : 0;
    if (close <= open)
        return false;
    call->name = mi_bytes_sub(text, 0, name);
    call->type = mi_bytes_sub(text, name, equals - name);
    if (call->type.len && call->type.at[0] == ':')
        call->type = mi_py_trim(mi_bytes_sub(call->type, 1, call->type.len));
    call->target = mi_py_trim(mi_bytes_sub(right, 0, open));
    call->args = mi_bytes_sub(right, open + 1, close - open - 1);
    call->style = MI_FX_PLAIN;
    return true;
}

static void read_code(struct mi_torchair_py *o, struct mi_bytes text)
{
    struct mi_fx_call call = o->place;
    o->out->counts.in++;
    if (!split_code(text, &call)) {
        o->out->counts.lost++;
        o->fx_node = (mi_node_id){0};
        mi_batch_diag(o->out, MI_LOSS, "torchair.fx_broken", o->offset, o->line,
                      "this \"FX Code\" is no call: name = target(arguments)");
        return;
    }
    o->out->counts.kept++;
    o->fx_node = mi_fx_node(&o->fx, &call);
}

/* --- calls, kept until the FX graph is complete: the rows of a graph stand together --- */

static void keep_call(struct mi_torchair_py *o, struct mi_bytes text)
{
    if (o->call_count == o->call_room) {
        uint32_t room = o->call_room ? 2 * o->call_room : 256;
        struct mi_torchair_call *more = mi_mem_resize(o->calls, room, sizeof *more);
        if (!more) {
            mi_batch_fail(o->out, MI_ENOMEM, "out of memory for calls");
            return;
        }
        o->calls = more;
        o->call_room = room;
    }
    o->calls[o->call_count++] = (struct mi_torchair_call){
        .text = text, .fx_node = o->fx_node, .offset = o->offset, .line = o->line};
    /* Inputs of the FX graph bear the names of the data nodes. */
    struct mi_bytes name = mi_torchair_data_name(text);
    if (name.len)
        mi_fx_value(&o->fx, name, MI_LIT(""), MI_VALUE_INPUT);
}

static void read_line(struct mi_torchair_py *o, struct mi_bytes line)
{
    const struct mi_bytes file = MI_LIT("# File "), code = MI_LIT("## FX Code: ");
    line = mi_py_trim(line);
    if (mi_bytes_starts(line, file))
        read_place(&o->place, mi_py_trim(mi_bytes_sub(line, file.len, line.len)));
    else if (mi_bytes_starts(line, code))
        read_code(o, mi_py_trim(mi_bytes_sub(line, code.len, line.len)));
    else if (line.len && line.at[0] != '#' && mi_torchair_is_call(line))
        keep_call(o, line);
}

static bool step(struct mi_torchair_py *o, struct mi_error *err)
{
    const struct mi_tables *rows = &o->out->rows;
    uint32_t most = o->src->limits.max_rows ? o->src->limits.max_rows : UINT32_MAX - 1;
    if (mi_batch_failed(o->out))
        return mi_fail(err, o->out->error.code, "%s", o->out->error.text);
    if (rows->nodes.count > most || rows->values.count > most || rows->items.count > most ||
        rows->ports.count > most || rows->dims.count > most)
        return mi_fail_at(err, MI_ELIMIT, o->offset, o->line, "more than %u rows in one table",
                          most);
    if (o->line % 4096 == 0 && o->src->progress && !o->src->progress(o->src->user, o->offset))
        return mi_fail_at(err, MI_ECANCELLED, o->offset, o->line, "stopped");
    return true;
}

static bool read_lines(struct mi_torchair_py *o, struct mi_error *err)
{
    struct mi_bytes rest = o->src->bytes, line;
    if (mi_bytes_starts(rest, MI_LIT("\xef\xbb\xbf")))
        rest = mi_bytes_sub(rest, 3, rest.len);
    while (mi_py_line(&rest, &line)) {
        o->line++;
        o->offset = (uint64_t)(line.at - o->src->bytes.at);
        read_line(o, line);
        if (!step(o, err))
            return false;
    }
    return true;
}

static bool has(struct mi_bytes bytes, struct mi_bytes text)
{
    while (bytes.len >= text.len) {
        const uint8_t *at = memchr(bytes.at, text.at[0], bytes.len - text.len + 1);
        if (!at)
            return false;
        bytes = mi_bytes_sub(bytes, (size_t)(at - bytes.at), bytes.len);
        if (mi_bytes_starts(bytes, text))
            return true;
        bytes = mi_bytes_sub(bytes, 1, bytes.len);
    }
    return false;
}

/* Calls of ge, and a word on where they come from or what they stand for. */
static int sniff(const struct mi_probe *probe)
{
    struct mi_bytes head = mi_bytes_sub(probe->bytes, 0, LOOK_BYTES);
    if (!has(head, MI_LIT(" = ge.")))
        return 0;
    return has(head, MI_LIT("torchair")) || has(head, MI_LIT("## FX Code: ")) ? 77 : 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_torchair_py o = {.src = src, .out = out};
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED, .without_ids = true};
    mi_ge_text_stage(src, out, &options);
    mi_fx_begin(&o.fx, out, mi_batch_cstr(out, "fx"));
    bool ok = read_lines(&o, err);
    mi_fx_return_unread(&o.fx);
    mi_fx_end(&o.fx);
    if (ok && o.call_count == 0 && o.fx.position == 0)
        ok = mi_fail_at(err, MI_EFORMAT, 0, 1, "no graph of TorchAir: there is no call in it");
    if (o.call_count)
        ok = mi_torchair_calls(&o, &options) && ok;
    if (mi_batch_failed(out))
        ok = mi_fail(err, out->error.code, "%s", out->error.text);
    mi_mem_free(o.calls);
    return ok;
}

const struct mi_reader mi_reader_torchair_py = {.name = "torchair_py",
                                                .title = N_("TorchAir graph as Python: FX and GE"),
                                                .yields =
                                                    MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
                                                .is_untried = true,
                                                .sniff = sniff,
                                                .read = read};
