/* FORMAT: a ge.proto.ModelDef as JSON, from `atc --mode=1 --om=x.om --json=y.json` (an offline
 * model) or `--mode=5` (a dump), and ge_visual_*.json of newer packages. docs/formats/atc-json.md
 * says the same for users.
 *
 *   {"name": "...", "graph": [{"name": "...", "op": [{"name": "...", "type": "Conv2D",
 *      "input": ["x:0"], "id": 1,
 *      "attr": [{"key": "pass_name", "value": {"s": "..."}}, ...],
 *      "output_desc": [{"dtype": "DT_FLOAT16", "shape": {"dim": [1, 2]}, "layout": "NC1HWC0",
 *                       "attr": [...]}]}]}],
 *    "attr": [...]}
 *
 * Members are the fields of the messages in any order, arrays where they repeat (one value in place
 * of an array is taken, too), enumerators by name or number. Numbers may be texts ("f": "0.5").
 * Texts of a single `s` are escaped like C, those of lists are not. The newer form puts all into
 * {"format": "ge_visual_json", "model": {...}} and writes attributes as {"name": value, ...}, lists
 * as {"type": "list_int", "value": [...]}.
 *
 * atc leaves out: weights, workspaces, sizes and offsets of data, tasks, all sub-models but the
 * first, and what is nested more than 20 deep. Ignored: copies of the edges (src_name, ...). */
#include "parse/formats/atc/atc_json.h"
#include "base/decimal.h"
#include "base/translate.h"
#include "parse/formats/ge/ge_look.h"

/* --- the walk --- */

static bool walk(struct atc_json *w)
{
    while (!w->g->stopped.code && !mi_batch_failed(w->g->ge.out) && !mi_json_failed(&w->js)) {
        const struct atc_frame *frame = &w->frames[w->depth - 1];
        struct mi_json_string key;
        if (frame->is_array ? mi_json_next_item(&w->js) : mi_json_next_key(&w->js, &key)) {
            w->g->ge.offset = w->js.options.first_offset + mi_json_offset(&w->js);
            if (frame->is_array)
                mi_atc_element(w);
            else
                mi_atc_member(w, key);
        } else if (!mi_json_failed(&w->js)) {
            bool is_graph = frame->in == ATC_GRAPH && !frame->is_array;
            mi_atc_pop(w, false);
            if (is_graph)
                return true;
            if (w->depth == 0)
                return false;
        }
    }
    while (w->depth)
        mi_atc_pop(w, true);
    return false;
}

static void begin(struct atc_json *w, struct mi_ge_text *g, struct mi_bytes bytes, size_t offset,
                  enum atc_in in)
{
    w->g = g;
    w->depth = 1;
    w->frames[0] = (struct atc_frame){.in = (uint8_t)in};
    mi_json_init(&w->js, bytes,
                 &(struct mi_json_options){
                     .allow_control = true, .allow_non_finite = true, .first_offset = offset});
    if (!mi_json_begin_object(&w->js))
        w->depth = 0;
}

static void keep_error(struct mi_ge_text *g, const struct atc_json *w)
{
    const struct mi_error *err = &w->js.error;
    if (err->code && !g->broken.code)
        mi_fail_at(&g->broken, err->code, err->offset, err->line, "%s", err->text);
}

/* Graphs inside attributes; they may hold further ones. */
static void read_queue(struct mi_ge_text *g)
{
    struct atc_json w;
    while (g->queue_done < g->queue_count && !g->stopped.code && !mi_batch_failed(g->ge.out)) {
        const struct mi_ge_text_graph job = g->queue[g->queue_done++]; /* the queue may move */
        mi_ge_graph_begin(&g->ge, job.graph);
        begin(&w, g, mi_bytes_sub(g->src->bytes, job.from, job.to - job.from), job.from,
              ATC_INNER_GRAPH);
        while (w.depth && walk(&w))
            continue;
        mi_ge_graph_end(&g->ge);
        keep_error(g, &w);
    }
}

static void read_model(struct mi_ge_text *g)
{
    struct atc_json w;
    begin(&w, g, g->src->bytes, 0, ATC_MODEL);
    while (w.depth && walk(&w))
        read_queue(g);
    keep_error(g, &w);
    mi_ge_model_end(&g->ge);
}

static int sniff(const struct mi_probe *probe)
{
    return mi_ge_look_json(probe->bytes) ? 90 : 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_ge_text g;
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED};
    mi_ge_text_stage(src, out, &options);
    if (mi_ge_text_init(&g, src, out, &options))
        read_model(&g);
    if (out->rows.graphs.count <= 1 && !g.broken.code)
        mi_fail_at(&g.broken, MI_EFORMAT, 0, 1, "no GE graph: there is no graph in it");
    bool ok = mi_ge_text_finish(&g, err);
    mi_ge_text_fini(&g);
    return ok;
}

const struct mi_reader mi_reader_atc_json = {.name = "atc_json",
                                             .title = N_("GE graph as JSON, from atc"),
                                             .yields = MI_HAS_COMPILED_GRAPH,
                                             .is_untried = true,
                                             .sniff = sniff,
                                             .read = read};
