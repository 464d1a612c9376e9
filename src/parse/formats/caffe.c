/* Caffe networks as text (.prototxt): a NetParameter.
 *
 *   name input input_dim input_shape { dim } layer { name type bottom top ..._param { } }
 *   layers { name type: CONVOLUTION bottom top ... }      (before 2014)
 *
 * Source: the public caffe.proto. Left out on purpose: parameters nested deeper than 8 messages,
 * layers of the oldest kind (`layers { layer { } }`). caffe_model.c reads the binary form. */
#include "base/translate.h"
#include "parse/formats/caffe/caffe_read.h"

struct opening {
    struct mi_pbt text;
    struct mi_bytes bytes;
    struct mi_scratch *scratch;
    struct mi_error *err;
};

static struct mi_msg open_text(void *user)
{
    struct opening *opening = user;
    *opening->err = MI_ERROR_INIT;
    mi_pbt_init(&opening->text, opening->bytes, opening->err);
    return mi_msg_text(&opening->text, opening->scratch, &mi_caffe_net);
}

/* A layer: a type, and a name or a blob. */
static bool is_layer(struct mi_pbt *t)
{
    bool has_type = false, has_more = false;
    while (mi_pbt_next(t)) {
        has_type = has_type || mi_pbt_named(t, "type");
        has_more =
            has_more ||
            (t->kind == MI_PBT_STRING &&
             (mi_pbt_named(t, "name") || mi_pbt_named(t, "top") || mi_pbt_named(t, "bottom")));
    }
    return has_type && has_more;
}

static int sniff(const struct mi_probe *probe)
{
    static const char *const tops[] = {"name",        "input",          "input_dim",
                                       "input_shape", "force_backward", "state",
                                       "debug_info",  "layer",          "layers"};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    mi_pbt_init(&t, mi_bytes_sub(probe->bytes, 0, 64u << 10), &err);
    for (unsigned left = 256; left && mi_pbt_next(&t); left--) {
        bool is_known = false;
        for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
            is_known = is_known || mi_pbt_named(&t, tops[i]);
        if (!is_known)
            return 0;
        if (mi_pbt_named(&t, "layer") || mi_pbt_named(&t, "layers"))
            return t.kind == MI_PBT_MESSAGE && mi_pbt_enter(&t) && is_layer(&t) ? 84 : 0;
    }
    return 0;
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT, damage = MI_ERROR_INIT;
    struct caffe c = {.fw = mi_fw_init(src, out, &own)};
    struct opening opening = {.bytes = src->bytes, .scratch = &c.scratch, .err = &damage};
    mi_caffe_read(&c, open_text, &opening);
    if (damage.code)
        mi_fail_at(&c.fw.broken, damage.code, damage.offset, damage.line, "%s", damage.text);
    bool ok = mi_fw_finish(&c.fw);
    if (!ok)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    mi_caffe_fini(&c);
    return ok;
}

const struct mi_reader mi_reader_caffe = {.name = "caffe",
                                          .title = N_("Caffe network"),
                                          .yields = MI_HAS_FRAMEWORK_GRAPH,
                                          .sniff = sniff,
                                          .read = read_all};
