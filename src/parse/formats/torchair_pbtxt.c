/* FORMAT: TorchAir's graph for TensorBoard, dynamo_*_graph_*.pbtxt: a GraphDef of TensorFlow whose
 * attributes are texts. docs/formats/torchair-pbtxt.md says the same for users.
 *
 *   node { name: "Add" op: "Add" input: "x:0" input: "^before"
 *     attr { key: "dtype" value { s: "i: 3\n" } }                    text of an AttrDef
 *     attr { key: "[i]x1" value { s: "dtype: DT_FLOAT ..." } }        text of an input_desc
 *     attr { key: "[o]y"  value { s: "dtype: DT_FLOAT ..." } } }      text of an output_desc
 *
 * The graph is the one that TorchAir gives to GE: there are no ids and no streams. Descriptors of
 * one name are written once only, so that of a later output may be missing. */
#include "base/pb_text.h"
#include "base/translate.h"
#include "parse/formats/ge/ge_look.h"
#include "parse/formats/ge/ge_text.h"

struct reader {
    struct mi_ge_text g;
    struct mi_pbt t;
    struct mi_scratch value; /* the text of an attribute, while its parts go through g->scratch */
};

/* The text inside `value { s: "..." }`, which is entered. */
static struct mi_bytes read_value(struct reader *o)
{
    struct mi_bytes text = {NULL, 0};
    while (mi_pbt_next(&o->t)) {
        if (!mi_pbt_named(&o->t, "s") || o->t.kind != MI_PBT_STRING)
            continue;
        if (!o->t.has_escape) {
            text = mi_pbt_text(&o->t);
            continue;
        }
        uint8_t *room = mi_scratch_room(&o->value, o->t.raw.len);
        text = (struct mi_bytes){room, 0};
        if (!room)
            mi_batch_fail(o->g.ge.out, MI_ENOMEM, "out of memory for a string");
        else
            mi_pbt_decode(&o->t, room, &text.len);
    }
    return text;
}

static void put_attr(struct reader *o, mi_str_id key, struct mi_bytes text)
{
    struct mi_ge *ge = &o->g.ge;
    struct mi_bytes name = mi_batch_text(ge->out, key);
    bool ok = true;
    if (mi_bytes_starts(name, MI_LIT("[i]"))) {
        ok = mi_ge_text_desc(&o->g, MI_GE_IN, text);
    } else if (mi_bytes_starts(name, MI_LIT("[o]"))) {
        ok = mi_ge_text_desc(&o->g, MI_GE_OUT, text);
    } else if (mi_ge_attr_begin_id(ge, key)) {
        ok = mi_ge_text_value(&o->g, text);
        mi_ge_attr_end(ge);
    }
    if (!ok)
        mi_batch_diag(ge->out, MI_LOSS, "torchair.attr_broken", ge->offset, 0,
                      "the text of attribute \"%.*s\" is broken", (int)(name.len & 0xff),
                      (const char *)name.at);
}

static void read_attr(struct reader *o)
{
    mi_str_id key = MI_NO_STR;
    struct mi_bytes text = {NULL, 0};
    while (mi_pbt_next(&o->t)) {
        if (mi_pbt_named(&o->t, "key"))
            key = mi_batch_str(o->g.ge.out, mi_ge_text_string(&o->g, &o->t));
        else if (mi_pbt_named(&o->t, "value") && o->t.kind == MI_PBT_MESSAGE && mi_pbt_enter(&o->t))
            text = read_value(o);
    }
    if (!o->t.err->code)
        put_attr(o, key, text);
}

static void read_node(struct reader *o)
{
    struct mi_ge *ge = &o->g.ge;
    mi_ge_op_begin(ge);
    while (mi_pbt_next(&o->t)) {
        ge->offset = mi_pbt_offset(&o->t);
        if (mi_pbt_named(&o->t, "attr")) {
            if (o->t.kind == MI_PBT_MESSAGE && mi_pbt_enter(&o->t))
                read_attr(o);
        } else if (mi_pbt_named(&o->t, "input")) {
            mi_ge_op_input(ge, mi_ge_text_string(&o->g, &o->t));
        } else if (mi_pbt_named(&o->t, "name")) {
            mi_ge_op_name(ge, mi_ge_text_string(&o->g, &o->t));
        } else if (mi_pbt_named(&o->t, "op")) {
            mi_ge_op_type(ge, mi_ge_text_string(&o->g, &o->t));
        }
    }
    if (o->t.err->code)
        mi_ge_op_drop(ge);
    else
        mi_ge_op_end(ge);
}

static void read_graph(struct reader *o)
{
    struct mi_ge_text *g = &o->g;
    struct mi_error err = MI_ERROR_INIT;
    mi_pbt_init(&o->t, g->src->bytes, &err);
    mi_ge_graph_begin(&g->ge, (mi_graph_id){0});
    while (mi_pbt_next(&o->t) && !mi_batch_failed(g->ge.out)) {
        g->ge.offset = mi_pbt_offset(&o->t);
        if (!mi_pbt_named(&o->t, "node") || o->t.kind != MI_PBT_MESSAGE)
            continue;
        if (!mi_ge_text_step(g) || !mi_pbt_enter(&o->t))
            break;
        read_node(o);
    }
    mi_ge_graph_end(&g->ge);
    mi_ge_model_end(&g->ge);
    g->broken = err;
}

static int sniff(const struct mi_probe *probe)
{
    /* Above any reader of TensorFlow's graphs, whose form this is. */
    return mi_ge_look_text(probe->bytes) == MI_GE_LOOK_TORCHAIR ? 95 : 0;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct reader o = {.value = {0}};
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED, .without_ids = true};
    mi_ge_text_stage(src, out, &options);
    if (mi_ge_text_init(&o.g, src, out, &options))
        read_graph(&o);
    if (out->rows.nodes.count <= 1 && !o.g.broken.code)
        mi_fail_at(&o.g.broken, MI_EFORMAT, 0, 1, "no graph of TorchAir: there is no node in it");
    bool ok = mi_ge_text_finish(&o.g, err);
    mi_ge_text_fini(&o.g);
    mi_scratch_fini(&o.value);
    return ok;
}

const struct mi_reader mi_reader_torchair_pbtxt = {.name = "torchair_pbtxt",
                                                   .title = N_("TorchAir graph (for TensorBoard)"),
                                                   .yields = MI_HAS_COMPILED_GRAPH,
                                                   .is_untried = true,
                                                   .sniff = sniff,
                                                   .read = read};
