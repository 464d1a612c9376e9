/* Which run on which device a question is about, from the options that such passes share. */
#ifndef MI_ANALYSE_TASKGRAPH_CHOOSE_H
#define MI_ANALYSE_TASKGRAPH_CHOOSE_H

#include "analyse/report.h"
#include "analyse/taskgraph/taskgraph.h"
#include "base/param.h"
#include "base/translate.h"

/* Parameters of such passes; those without --rank for a pass that calls something else so. */
#define MI_TG_RUN_PARAMS                                                                           \
    {.name = "run",                                                                                \
     .kind = MI_PARAM_INT,                                                                         \
     .metavar = "N",                                                                               \
     .min = 0,                                                                                     \
     .max = UINT32_MAX,                                                                            \
     .help = N_("The run to look at (default: the one of median length).")},                       \
    {                                                                                              \
        .name = "device", .kind = MI_PARAM_INT, .metavar = "N", .min = 0, .max = INT64_MAX,        \
        .help = N_("The device to look at (default: the one with the longest runs).")              \
    }
#define MI_TG_PARAMS                                                                               \
    MI_TG_RUN_PARAMS,                                                                              \
    {                                                                                              \
        .name = "rank", .kind = MI_PARAM_INT, .metavar = "N", .min = 0, .max = INT64_MAX,          \
        .help = N_("The rank to look at (default: the one with the longest runs).")                \
    }

/* Index into units: of the device that is asked for, else of the slowest, the run that is asked
 * for, else the counted one of median makespan. MI_ENOTFOUND if there is no such run. */
bool mi_tg_choose(const struct mi_tg_units *units, const struct mi_account *account,
                  const struct mi_args *args, uint32_t *chosen, struct mi_error *err);

/* Facts of a report: run, device, makespan, tasks. */
void mi_tg_describe(const struct mi_taskgraph *graph, const struct mi_account *account,
                    struct mi_report *out);

/* The name of a task for people: that of its node, else of its kernel. */
struct mi_bytes mi_tg_name(const struct mi_taskgraph *graph, uint32_t vertex,
                           struct mi_arena *arena);
struct mi_bytes mi_tg_lane_name(const struct mi_taskgraph *graph, uint32_t lane,
                                struct mi_arena *arena);

#endif
