/* A task is ready and queues behind work on which it does not depend, while another stream is idle;
 * found and measured by the pass `waits`. */
#include "analyse/doctor/doctor.h"

static bool run(struct mi_doctor *d)
{
    return mi_doctor_take_waits(d, "pseudo_dependency");
}

const struct mi_doctor_rule mi_doctor_rule_pseudo_dependency = {
    .name = "pseudo_dependency",
    .question = N_("tasks queueing behind work they do not depend on"),
    .advice = N_("Give %1 to %4, or start it before %3: stream labels of the graph, the order of "
                 "launches, or another split of the model decide it."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .run = run,
};
