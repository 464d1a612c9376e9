/* Passes: one question each over a frozen model. A pass is one file plus one row in passes.def. */
#ifndef MI_ANALYSE_PASS_H
#define MI_ANALYSE_PASS_H

#include "analyse/report.h"
#include "base/param.h"
#include "model/has.h"
#include "model/model.h"

struct mi_pass {
    const char *name;              /* "summary" */
    const char *title;             /* message id: the question it answers */
    unsigned needs;                /* MI_HAS_... bits; unmet: not run, and the report says why */
    const struct mi_param *params; /* ends with MI_PARAM_END */
    bool verdicts; /* its findings are judgements of the run, and no other pass takes them over:
                      exports collect them */
    bool (*run)(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err);
};

#define MI_PASS(name) extern const struct mi_pass mi_pass_##name;
#include "analyse/passes.def"
#undef MI_PASS

extern const struct mi_pass *const mi_passes[];
extern const size_t mi_pass_count;

const struct mi_pass *mi_pass_find(const char *name); /* NULL if there is none */

/* Asks the pass. One whose needs are unmet yields a report with one finding of rule "not_checked"
 * that says what is missing. */
bool mi_pass_run(const struct mi_pass *pass, const struct mi_model *model,
                 const struct mi_args *args, struct mi_report *out, struct mi_error *err);

#endif
