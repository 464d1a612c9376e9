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
#include "parse/formats/ge/ge_text.h"

#include "base/mem.h"
#include "parse/formats/ge/ge_dump_name.h"
#include "parse/formats/ge/ge_text_walk.h"

/* --- strings and graphs of the field at hand --- */

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

void mi_ge_text_queue_at(struct mi_ge_text *g, size_t from, size_t to, mi_graph_id graph)
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
    g->queue[g->queue_count++] = (struct mi_ge_text_graph){.from = from, .to = to, .graph = graph};
}

void mi_ge_text_queue(struct mi_ge_text *g, struct mi_pbt *t, mi_graph_id graph)
{
    if (!mi_pbt_enter(t))
        return;
    size_t from = (size_t)(t->at - t->start);
    if (mi_pbt_leave(t))
        mi_ge_text_queue_at(g, from, (size_t)(t->at - t->start) - 1, graph);
}

/* --- the walk --- */

/* Starts at the beginning of `text`, which lies in bytes that start at `start`; NULL: its places
 * mean nothing. */
static void begin_walk(struct ge_text_walk *w, struct mi_ge_text *g, const uint8_t *start,
                       struct mi_bytes text, struct ge_text_frame top, struct mi_error *err)
{
    w->g = g;
    w->ge = &g->ge;
    w->is_part = !start;
    w->depth = 1;
    w->frames[0] = top;
    mi_pbt_init(&w->t, text, err);
    if (start)
        w->t.start = start;
}

/* Goes on to the end of a graph of a model, or to the end of all; false: there it is. */
static bool walk(struct ge_text_walk *w)
{
    while (!w->g->stopped.code && !mi_batch_failed(w->ge->out)) {
        if (mi_pbt_next(&w->t)) {
            if (!w->is_part)
                w->ge->offset = mi_pbt_offset(&w->t);
            mi_ge_text_field(w);
        } else if (w->t.err->code || w->depth == 1) {
            break;
        } else {
            bool is_graph = w->frames[w->depth - 1].kind == IN_GRAPH;
            mi_ge_text_pop(w, false);
            if (is_graph)
                return true;
        }
    }
    while (w->depth > 1)
        mi_ge_text_pop(w, true);
    return false;
}

/* Graphs inside attributes of the graph that has just ended; they may hold further ones. */
static void read_queue(struct mi_ge_text *g)
{
    const struct ge_text_frame top = {.kind = IN_TOP_GRAPH};
    struct ge_text_walk w;
    while (g->queue_done < g->queue_count && !g->stopped.code && !mi_batch_failed(g->ge.out)) {
        const struct mi_ge_text_graph job = g->queue[g->queue_done++]; /* the queue may move */
        struct mi_error err = MI_ERROR_INIT;
        mi_ge_graph_begin(&g->ge, job.graph);
        begin_walk(&w, g, g->src->bytes.at,
                   mi_bytes_sub(g->src->bytes, job.from, job.to - job.from), top, &err);
        walk(&w);
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
    mi_ge_text_dict_fini(&g->dict);
    mi_mem_free(g->queue);
}

void mi_ge_text_model(struct mi_ge_text *g, bool is_bare)
{
    const struct ge_text_frame top = {.kind = is_bare ? IN_TOP_GRAPH : IN_TOP_MODEL};
    struct mi_error err = MI_ERROR_INIT;
    struct ge_text_walk w;
    if (is_bare)
        mi_ge_graph_begin(&g->ge, (mi_graph_id){0});
    begin_walk(&w, g, g->src->bytes.at, g->src->bytes, top, &err);
    while (walk(&w))
        read_queue(g);
    if (is_bare)
        mi_ge_graph_end(&g->ge);
    read_queue(g);
    if (err.code && !g->broken.code)
        g->broken = err;
    mi_ge_model_end(&g->ge);
}

/* A message that stands in the text of another format. */
static bool read_part(struct mi_ge_text *g, struct mi_bytes text, struct ge_text_frame top)
{
    struct mi_error err = MI_ERROR_INIT;
    struct ge_text_walk w;
    begin_walk(&w, g, NULL, text, top, &err);
    walk(&w);
    return err.code == MI_OK;
}

bool mi_ge_text_value(struct mi_ge_text *g, struct mi_bytes text)
{
    return read_part(g, text, (struct ge_text_frame){.kind = IN_TOP_VALUE});
}

bool mi_ge_text_desc(struct mi_ge_text *g, enum mi_ge_side side, struct mi_bytes text)
{
    struct mi_ge_desc *desc = mi_ge_desc_begin(&g->ge, side);
    if (!desc)
        return true;
    bool ok = read_part(
        g, text, (struct ge_text_frame){.kind = IN_TOP_DESC, .side = (uint8_t)side, .desc = desc});
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
