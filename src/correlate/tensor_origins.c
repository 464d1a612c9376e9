/* Links by the origins of tensors: the compiler wrote down which op's output a tensor was. */
#include "base/translate.h"
#include "correlate/categories.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/ge/ge_names.h"
#include "correlate/matcher.h"

/* Conversions that were put in may carry the origin of the tensor that they hand on. */
static bool may_compute(const struct mi_model *model, uint32_t framework, uint32_t compiled)
{
    enum mi_ge_op op = mi_ge_op_of(model, compiled);
    if (op == MI_GE_OP_CONVERSION)
        return mi_op_can_become(model, (mi_node_id){framework}, (mi_node_id){compiled});
    return op == MI_GE_OP_PLAIN;
}

static void match_outputs(struct mi_model *model, const struct mi_ge_names *names, uint32_t n,
                          mi_str_id rule, mi_str_id evidence)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t last = 0;
    for (uint32_t i = 0; i < rows->nodes.out_count[n]; i++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[n] + i].v;
        enum mi_name_fit fit;
        uint32_t q =
            mi_ge_name_find(names, rows->nodes.graph[n].v, rows->values.origin_name[value], &fit);
        if (!q || q == last || !may_compute(model, q, n))
            continue;
        last = q;
        mi_add_lowered(&model->all, &(struct mi_lowered_row){.framework = {q},
                                                             .compiled = {n},
                                                             .role = MI_ROLE_COMPUTED,
                                                             .confidence = MI_LIKELY,
                                                             .rule = rule,
                                                             .evidence = evidence});
    }
}

static bool run_origins(struct mi_model *model, struct mi_error *err)
{
    struct mi_graph_pairs pairs;
    struct mi_ge_names names = {0};
    if (!mi_graph_pairs_find(&pairs, model, err))
        return false;
    mi_str_id rule = mi_batch_cstr(&model->all, "tensor_origins");
    mi_str_id evidence = mi_batch_cstr(
        &model->all, N_("its output is recorded as the output of this op before compiling"));
    bool ok = mi_ge_names_init(&names, model, &pairs);
    for (uint32_t n = 1; ok && n < model->all.rows.nodes.count; n++)
        if (names.framework_of[model->all.rows.nodes.graph[n].v])
            match_outputs(model, &names, n, rule, evidence);
    mi_ge_names_fini(&names);
    mi_graph_pairs_fini(&pairs);
    return (ok && !mi_batch_failed(&model->all)) ||
           mi_fail(err, MI_ENOMEM, "out of memory for links");
}

const struct mi_matcher mi_matcher_tensor_origins = {
    .name = "tensor_origins",
    .title = N_("origins of tensors that the compiler recorded"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .run = run_origins,
};
