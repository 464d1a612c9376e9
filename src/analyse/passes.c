/* The table of passes. */
#include "analyse/pass.h"
#include "analyse/pass_params.h"

const struct mi_pass *const mi_passes[] = {
#define MI_PASS(name) &mi_pass_##name,
#include "analyse/passes.def"
#undef MI_PASS
    NULL};

const char *const mi_severity_choices[] = {"info", "notice", "warning", "error", NULL};

const size_t mi_pass_count = sizeof mi_passes / sizeof *mi_passes - 1;

const struct mi_pass *mi_pass_find(const char *name)
{
    for (size_t i = 0; i < mi_pass_count; i++)
        if (strcmp(mi_passes[i]->name, name) == 0)
            return mi_passes[i];
    return NULL;
}

bool mi_pass_run(const struct mi_pass *pass, const struct mi_model *model,
                 const struct mi_args *args, struct mi_report *out, struct mi_error *err)
{
    unsigned has = mi_model_has(model);
    if (pass->needs & ~has) {
        mi_report_add_finding(out,
                              &(struct mi_finding){.rule = "not_checked",
                                                   .severity = MI_INFO,
                                                   .sentence = mi_has_missing(pass->needs, has),
                                                   .cost_ns = -1});
        return true;
    }
    if (!pass->run(model, args, out, err))
        return false;
    return !out->failed || mi_fail(err, MI_ENOMEM, "out of memory for the report");
}
