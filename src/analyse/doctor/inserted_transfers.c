/* Conversions and copies that were inserted and give back what they began with. Conversions that
 * are needed are counted by `more_tasks_than_nodes`. */
#include "analyse/doctor/doctor.h"

static const struct mi_doctor_limit limits[] = {MI_DOCTOR_LIMITS(2, 1), {.name = NULL}};

static bool run(struct mi_doctor *d)
{
    return mi_doctor_find_trips(d, MI_DOCTOR_COPY,
                                N_("%1 inserted copies and conversions give back what they were "
                                   "given, in %2 places"));
}

const struct mi_doctor_rule mi_doctor_rule_inserted_transfers = {
    .name = "inserted_transfers",
    .question = N_("inserted copies and conversions without effect"),
    .advice =
        N_("Find out what asks for them: partitions of the model that end there, outputs that "
           "are kept, ops that run elsewhere. Without it the copies go away."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS | MI_DOCTOR_COMPILED,
    .limits = limits,
    .run = run,
};
