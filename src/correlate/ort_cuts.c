/* The matcher that joins graphs by dataflow cuts between tensors that kept their names (ONNX
 * Runtime). */
#include "base/translate.h"
#include "correlate/cuts/cut.h"
#include "correlate/matcher.h"

static bool run_cuts(struct mi_model *model, struct mi_error *err)
{
    return mi_cut_join(model, "ort_cuts", false, err);
}

const struct mi_matcher mi_matcher_ort_cuts = {
    .name = "ort_cuts",
    .title = N_("dataflow cuts between tensors of equal name"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .is_whole = true,
    .run = run_cuts,
};
