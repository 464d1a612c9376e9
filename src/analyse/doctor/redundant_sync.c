/* An event holds a task back that needs nothing of what it waits for; found and measured by the
 * pass `waits`. */
#include "analyse/doctor/doctor.h"

static bool run(struct mi_doctor *d)
{
    return mi_doctor_take_waits(d, "redundant_sync");
}

const struct mi_doctor_rule mi_doctor_rule_redundant_sync = {
    .name = "redundant_sync",
    .question = N_("events that hold back what does not need them"),
    .advice =
        N_("Remove the event between %2 and %1, or move its wait to the first task that "
           "reads what it protects: look for control edges and for buffers shared by the two."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .run = run,
};
