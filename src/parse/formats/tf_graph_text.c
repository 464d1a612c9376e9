/* TensorFlow graphs as protobuf text (.pbtxt): node { } and library { } at the top level. Same
 * messages as the binary form, see tf_graph.c; read by the same code.
 *
 * The numbers of tensors have no place in such a file: data_offset stays unknown. */
#include "base/translate.h"
#include "parse/formats/tf/tf_read.h"

struct opening {
    struct mi_pbt text;
    struct mi_bytes bytes;
    struct mi_scratch *scratch;
    struct mi_error *err;
};

/* Both walks meet the same damage; the first one tells. */
static struct mi_msg open_text(void *user)
{
    struct opening *opening = user;
    *opening->err = MI_ERROR_INIT;
    mi_pbt_init(&opening->text, opening->bytes, opening->err);
    return mi_msg_text(&opening->text, opening->scratch, &mi_tf_graph_def);
}

static bool is_one_of(const struct mi_pbt *t, const char *const *names)
{
    for (; *names; names++)
        if (mi_pbt_named(t, *names))
            return true;
    return false;
}

/* A node { } of ours: strings name and op. Dumps of other tools put keys of their own into the
 * attributes, "[i]x" for descriptors; those are not ours. */
static bool is_node(struct mi_pbt *t)
{
    static const char *const fields[] = {
        "name", "op", "input", "device", "attr", "experimental_debug_info", "experimental_type",
        NULL};
    bool has_op = false, is_other = false;
    while (mi_pbt_next(t)) {
        is_other = is_other || !is_one_of(t, fields);
        has_op = has_op || (mi_pbt_named(t, "op") && t->kind == MI_PBT_STRING);
        if (!mi_pbt_named(t, "attr") || t->kind != MI_PBT_MESSAGE || !mi_pbt_enter(t))
            continue;
        while (mi_pbt_next(t))
            if (mi_pbt_named(t, "key") && t->kind == MI_PBT_STRING && t->raw.len > 2 &&
                t->raw.at[1] == '[')
                is_other = true;
    }
    return has_op && !is_other;
}

static int sniff(const struct mi_probe *probe)
{
    static const char *const tops[] = {"node",    "library",    "versions",
                                       "version", "debug_info", NULL};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    int score = 0;
    mi_pbt_init(&t, mi_bytes_sub(probe->bytes, 0, 64u << 10), &err);
    for (unsigned left = 64; left && score < 82 && mi_pbt_next(&t); left--) {
        if (!is_one_of(&t, tops))
            return 0;
        if (mi_pbt_named(&t, "library") && t.kind == MI_PBT_MESSAGE)
            score = 62;
        if (mi_pbt_named(&t, "node")) {
            if (t.kind != MI_PBT_MESSAGE || !mi_pbt_enter(&t) || !is_node(&t))
                return 0;
            score = 82;
        }
    }
    return err.code && err.code != MI_ETRUNCATED && score < 82 ? 0 : score;
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT, damage = MI_ERROR_INIT;
    struct tf t = {.fw = mi_fw_init(src, out, &own)};
    struct opening opening = {.bytes = src->bytes, .scratch = &t.scratch, .err = &damage};
    mi_tf_graph_read(&t, open_text, &opening, MI_NO_STR, 0);
    if (damage.code)
        mi_fail_at(&t.fw.broken, damage.code, damage.offset, damage.line, "%s", damage.text);
    bool ok = mi_fw_finish(&t.fw);
    if (!ok)
        mi_fail_at(err, own.code, own.offset, own.line, "%s", own.text);
    mi_tf_fini(&t);
    return ok;
}

const struct mi_reader mi_reader_tf_graph_text = {.name = "tf_graph_text",
                                                  .title = N_("TensorFlow graph as text"),
                                                  .yields = MI_HAS_FRAMEWORK_GRAPH,
                                                  .sniff = sniff,
                                                  .read = read_all};
