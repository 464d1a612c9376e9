/* The conductor of the stage, and the table of matchers. */
#include "correlate/cann/cann_tables.h"
#include "correlate/clocks/calibrate.h"
#include "correlate/clocks/clocks.h"
#include "correlate/ge/planned.h"
#include "correlate/ge/stages.h"
#include "correlate/host/host.h"
#include "correlate/matcher.h"
#include "correlate/notes/notes.h"
#include "correlate/ort/ort_streams.h"
#include "correlate/types/types.h"
#include "correlate/verdict.h"
#include "model/links.h"

const struct mi_matcher *const mi_matchers[] = {
#define MI_MATCHER(name) &mi_matcher_##name,
#include "correlate/matchers.def"
#undef MI_MATCHER
    NULL};

const size_t mi_matcher_count = sizeof mi_matchers / sizeof *mi_matchers - 1;

bool mi_correlate(struct mi_model *model, struct mi_error *err)
{
    if (!mi_collections_apply(model, err) || !mi_cann_settle_kinds(model, err) ||
        !mi_cann_merge_twins(model, err) || !mi_cann_apply_ranks(model, err))
        return false;
    mi_clocks_apply(model);
    if (!mi_host_nest(model, err) || !mi_host_launches(model, err) ||
        !mi_cann_number_runs(model, err) || !mi_host_launches_of_models(model, err) ||
        !mi_host_number_steps(model, err) || !mi_host_make_graphs(model, err) ||
        !mi_host_pair_collectives(model, err))
        return false;
    if (!mi_stages_apply(model, err) || !mi_ort_streams_apply(model, err) ||
        !mi_fill_categories(model, err) || !mi_planned_apply(model, err))
        return false;
    for (size_t m = 0; m < mi_matcher_count; m++)
        if (!(mi_matchers[m]->needs & ~mi_model_has(model)) && !mi_matchers[m]->run(model, err))
            return false;
    if (!mi_links_order(&model->all.rows))
        return mi_fail(err, MI_ENOMEM, "out of memory for links");
    if (!mi_settle_links(model, err))
        return false;
    mi_kernel_categories_from_nodes(model);
    return mi_fill_types(model, err) && mi_check_links(model, err) && mi_judge_births(model, err) &&
           mi_judge_fates(model, err) && mi_judge_issuers(model, err) &&
           mi_notes_join_tasks(model, err) && mi_notes_join_slices(model, err) &&
           mi_check_sums(model, err) && mi_cann_guess_signals(model, err) &&
           mi_calibrate(model, err);
}
