/* Links by the names of tensors: the compiled node that makes a tensor of that name computes, last
 * of all, what the framework node does that makes it. */
#include "base/translate.h"
#include "correlate/categories.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/matcher.h"
#include "correlate/pairs.h"

static void match_outputs(struct mi_model *model, struct mi_graph_pair pair, uint32_t n,
                          mi_str_id rule)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t last = 0;
    for (uint32_t i = 0; i < rows->nodes.out_count[n]; i++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[n] + i].v;
        uint32_t name = rows->values.name[value].v;
        uint32_t twin =
            name ? mi_map_get(&model->index.value_by_name, mi_pair(pair.framework, name)) : 0;
        uint32_t q = twin ? rows->values.producer[twin].v : 0;
        if (!q || q == last)
            continue;
        last = q;
        bool same_op = rows->nodes.op[q].v == rows->nodes.op[n].v &&
                       rows->nodes.domain[q].v == rows->nodes.domain[n].v;
        /* Conversions are put before a tensor that keeps its name. */
        bool is_conversion = mi_op_converts(mi_model_text(model, rows->nodes.op[n]));
        if (!same_op && is_conversion)
            continue;
        mi_add_lowered(&model->all, &(struct mi_lowered_row){
                                        .framework = {q},
                                        .compiled = {n},
                                        .role = MI_ROLE_COMPUTED,
                                        .confidence = same_op ? MI_LIKELY : MI_GUESS,
                                        .rule = rule,
                                        .evidence = mi_batch_cstr(
                                            &model->all, same_op ? N_("same output tensor and type")
                                                                 : N_("same output tensor"))});
    }
}

static bool run_tensor_names(struct mi_model *model, struct mi_error *err)
{
    struct mi_graph_pairs pairs;
    if (!mi_graph_pairs_find(&pairs, model, err))
        return false;
    mi_str_id rule = mi_batch_cstr(&model->all, "tensor_names");
    for (uint32_t p = 0; p < pairs.count; p++) {
        if (mi_is_ge_graph(model, pairs.at[p].compiled))
            continue; /* GE records what a name would only hint at */
        uint32_t end = model->index.graph_first_node[pairs.at[p].compiled + 1];
        for (uint32_t n = model->index.graph_first_node[pairs.at[p].compiled]; n < end; n++)
            match_outputs(model, pairs.at[p], n, rule);
    }
    mi_graph_pairs_fini(&pairs);
    return !mi_batch_failed(&model->all) || mi_fail(err, MI_ENOMEM, "out of memory for links");
}

const struct mi_matcher mi_matcher_tensor_names = {
    .name = "tensor_names",
    .title = N_("equal tensor names"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .run = run_tensor_names,
};
