/* Parameter lists of passes whose commands take them over: entry 0 is the operand, where there is
 * one. */
#ifndef MI_ANALYSE_PASS_PARAMS_H
#define MI_ANALYSE_PASS_PARAMS_H

#include "base/param.h"

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
