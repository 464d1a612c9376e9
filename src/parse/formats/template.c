/* TEMPLATE of a reader: copy this file to <name>.c, replace what stands in capitals, and add
 * MI_READER(<name>) to ../readers.def. Then the first lines tell of the format itself:
 *
 *   FORMAT: where it comes from, versions seen, where the knowledge comes from.
 *
 *   OFFSET  SIZE  MEANING
 *        0     8  magic "EXAMPLE\n"
 *        8     -  lines "NAME OP", one node each
 *
 * Ignored on purpose: nothing.
 * Read: docs/formats/<name>.md says the same for users. */
#include "base/translate.h"
#include "parse/reader.h"

static const struct mi_bytes magic = {(const uint8_t *)"EXAMPLE\n", 8};

static int sniff(const struct mi_probe *probe)
{
    return mi_bytes_starts(probe->head, magic) ? 100 : 0;
}

/* One line: a node, or a counted diagnostic. `offset` is the line's place in the file. */
static void read_line(struct mi_batch *out, mi_graph_id graph, struct mi_bytes line,
                      uint64_t offset, uint32_t number)
{
    const uint8_t *blank = memchr(line.at, ' ', line.len);
    out->counts.in++;
    if (!blank) {
        out->counts.lost++;
        mi_batch_diag(out, MI_LOSS, "template.line_broken", offset, number,
                      "a line without a blank is no node");
        return;
    }
    size_t len = (size_t)(blank - line.at);
    mi_add_node(
        out, &(struct mi_node_row){.graph = graph,
                                   .name = mi_batch_str(out, mi_bytes_sub(line, 0, len)),
                                   .op = mi_batch_str(out, mi_bytes_sub(line, len + 1, line.len)),
                                   .position = (uint32_t)out->counts.kept,
                                   .native_id = -1,
                                   .stream = -1});
    out->counts.kept++;
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_bytes rest = mi_bytes_sub(src->bytes, magic.len, src->bytes.len);
    mi_graph_id graph = mi_add_graph(out, &(struct mi_graph_row){.layer = MI_LAYER_FRAMEWORK});
    for (uint32_t number = 2; rest.len && !mi_batch_failed(out); number++) {
        const uint8_t *end = memchr(rest.at, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.at) : rest.len;
        uint64_t offset = (uint64_t)(rest.at - src->bytes.at);
        read_line(out, graph, mi_bytes_sub(rest, 0, len), offset, number);
        rest = mi_bytes_sub(rest, len + 1, rest.len);
        if (src->progress && !src->progress(src->user, offset))
            return mi_fail(err, MI_ECANCELLED, "stopped");
    }
    return true;
}

const struct mi_reader mi_reader_template = {.name = "template",
                                             .title = N_("Template"),
                                             .yields = MI_HAS_FRAMEWORK_GRAPH,
                                             .sniff = sniff,
                                             .read = read_all};
