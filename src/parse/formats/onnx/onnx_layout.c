/* Layouts that operators of ONNX Runtime give their results, by definition of their domain. ONNX
 * itself has none to state.
 *
 *     com.microsoft.nchwc       NCHWc: channels in blocks of 8 or 16, innermost; ReorderOutput ends
 * it com.ms.internal.nhwc      NHWC com.microsoft.Nhwc...     NHWC, of the outputs
 *
 * Operators of other domains that stand between two of com.microsoft.nchwc (Add, Concat, Relu) work
 * on the blocks as they lie: ONNX Runtime reorders before any other one. */
#include "parse/formats/onnx/onnx_read.h"

struct layouts {
    struct mi_tables *rows;
    const struct mi_strings *strings;
    mi_str_id blocked_domain, last_domain, microsoft, reorder_output, blocked, last;
};

static bool is_set(mi_str_id a, mi_str_id b)
{
    return a.v && a.v == b.v;
}

static bool reads_blocks(const struct layouts *l, uint32_t node)
{
    const struct mi_nodes *nodes = &l->rows->nodes;
    for (uint32_t i = 0; i < nodes->in_count[node]; i++)
        if (is_set(l->rows->values.format[l->rows->ports.value[nodes->first_in[node] + i].v],
                   l->blocked))
            return true;
    return false;
}

static mi_str_id layout_of(const struct layouts *l, uint32_t node)
{
    const struct mi_nodes *nodes = &l->rows->nodes;
    if (is_set(nodes->domain[node], l->blocked_domain))
        return is_set(nodes->op[node], l->reorder_output) ? MI_NO_STR : l->blocked;
    if (is_set(nodes->domain[node], l->last_domain))
        return l->last;
    if (is_set(nodes->domain[node], l->microsoft) &&
        mi_bytes_starts(mi_strings_get(l->strings, nodes->op[node]), MI_LIT("Nhwc")))
        return l->last;
    return reads_blocks(l, node) ? l->blocked : MI_NO_STR;
}

void mi_onnx_layouts(struct onnx *o)
{
    struct mi_batch *out = o->out;
    struct layouts l = {.rows = &out->rows, .strings = &out->strings};
    l.blocked_domain = mi_strings_find(&out->strings, MI_LIT("com.microsoft.nchwc"));
    l.last_domain = mi_strings_find(&out->strings, MI_LIT("com.ms.internal.nhwc"));
    l.microsoft = mi_strings_find(&out->strings, MI_LIT("com.microsoft"));
    l.reorder_output = mi_strings_find(&out->strings, MI_LIT("ReorderOutput"));
    l.blocked = mi_batch_cstr(out, "NCHWc");
    l.last = mi_batch_cstr(out, "NHWC");
    if (mi_batch_failed(out))
        return;
    const struct mi_nodes *nodes = &out->rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++) { /* rows stand in the order of execution */
        mi_str_id layout = layout_of(&l, n);
        for (uint32_t i = 0; layout.v && i < nodes->out_count[n]; i++) {
            uint32_t value = out->rows.ports.value[nodes->first_out[n] + i].v;
            if (value)
                out->rows.values.format[value] = layout;
        }
    }
}
