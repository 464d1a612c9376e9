/* Parameter lists of passes whose commands take them over: entry 0 is the operand, where there is
 * one. */
#ifndef MI_ANALYSE_PASS_PARAMS_H
#define MI_ANALYSE_PASS_PARAMS_H

#include "base/param.h"
#include "base/translate.h"

/* Words of severities that users name, from the mildest; then NULL. */
extern const char *const mi_severity_choices[];

/* For passes with verdicts: the command decides by it what it ends with. */
#define MI_FAIL_ON_PARAM                                                                           \
    {                                                                                              \
        .name = "fail-on", .kind = MI_PARAM_CHOICE, .choices = mi_severity_choices,                \
        .help = N_("Exit with 1 if there is a finding of this severity or higher.")                \
    }

extern const struct mi_param mi_params_check[];
extern const struct mi_param mi_params_clocks[];
extern const struct mi_param mi_params_critical[];
extern const struct mi_param mi_params_doctor[];
extern const struct mi_param mi_params_graph[];
extern const struct mi_param mi_params_map[];
extern const struct mi_param mi_params_overlap[];
extern const struct mi_param mi_params_path[]; /* [0] name */
extern const struct mi_param mi_params_plan[];
extern const struct mi_param mi_params_show[];   /* [0] name */
extern const struct mi_param mi_params_stages[]; /* [0] name */
extern const struct mi_param mi_params_summary[];
extern const struct mi_param mi_params_tasks[];
extern const struct mi_param mi_params_waits[];
extern const struct mi_param mi_params_whatif[];
extern const struct mi_param mi_params_timeline[];

#endif
