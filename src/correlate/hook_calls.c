/* What libmi_hook.so saw inside the program, joined with the profile and the models of the same
 * capture: the file behind a model id, the call behind a task, the record that a wait waits for. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/hook/hook_parts.h"
#include "correlate/matcher.h"

static bool run(struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    if (rows->loads.count <= 1 && rows->submissions.count <= 1)
        return true;
    uint32_t *owners = mi_hook_owners(model);
    bool ok = owners && mi_hook_join_tasks(model, owners) && mi_hook_find_files(model) &&
              mi_hook_join_plan(model, owners) && mi_hook_join_runs(model, owners) &&
              mi_hook_number_beside(model, owners);
    mi_mem_free(owners);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while joining calls with tasks");
}

const struct mi_matcher mi_matcher_hook_calls = {
    .name = "hook_calls",
    .title = N_("calls that a hook saw in the program"),
    .needs = MI_HAS_SLICES,
    .run = run,
};
