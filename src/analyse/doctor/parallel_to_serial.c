/* Takes two captures to see: the pass that compares them looks for it. */
#include "analyse/doctor/doctor.h"

const struct mi_doctor_rule mi_doctor_rule_parallel_to_serial = {
    .name = "parallel_to_serial",
    .question = N_("work that ran at once and now runs in turn"),
    .advice = N_("Compare with a capture from before the change."),
    .needs = MI_DOCTOR_BASELINE,
};
