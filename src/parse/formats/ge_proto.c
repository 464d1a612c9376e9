/* FORMAT: graph dumps of GE as protobuf text, ge_proto_<index>_<stage>.txt, of every stage of a
 * build, and the same messages as TorchAir writes them, dynamo_*_graph_*.txt. The grammar stands in
 * ge_text.c; docs/formats/ge-proto.md says the same for users.
 *
 * A dump of GE is a ModelDef: `graph { ... }` once or several times, the root first, then the
 * attributes of the model. TorchAir writes a GraphDef: `name: "..."  op { ... }` at the top,
 * without ids. Versions seen: dumps of 2020 to 2023 and what the sources of 2026 write. */
#include "base/pb_text.h"
#include "base/translate.h"
#include "parse/formats/ge/ge_look.h"
#include "parse/formats/ge/ge_text.h"

static int sniff(const struct mi_probe *probe)
{
    return mi_ge_look_text(probe->bytes) == MI_GE_LOOK_PROTO ? 90 : 0;
}

/* Whether ops stand at the top: what comes first, a graph or an op. */
static bool is_bare(struct mi_bytes bytes)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    mi_pbt_init(&t, bytes, &err);
    while (mi_pbt_next(&t)) {
        if (mi_pbt_named(&t, "graph"))
            return false;
        if (mi_pbt_named(&t, "op"))
            return true;
    }
    return false;
}

static bool read(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_ge_text g;
    bool bare = is_bare(src->bytes);
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED, .without_ids = bare};
    mi_ge_text_stage(src, out, &options);
    if (mi_ge_text_init(&g, src, out, &options))
        mi_ge_text_model(&g, bare);
    if (out->rows.graphs.count <= 1 && !g.broken.code)
        mi_fail_at(&g.broken, MI_EFORMAT, 0, 1, "no GE graph: there is no graph in it");
    bool ok = mi_ge_text_finish(&g, err);
    mi_ge_text_fini(&g);
    return ok;
}

const struct mi_reader mi_reader_ge_proto = {.name = "ge_proto",
                                             .title = N_("GE graph dump (protobuf text)"),
                                             .yields = MI_HAS_COMPILED_GRAPH,
                                             .sniff = sniff,
                                             .read = read};
