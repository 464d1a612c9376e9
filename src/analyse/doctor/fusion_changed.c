/* Takes two captures to see: the pass that compares them looks for it. */
#include "analyse/doctor/doctor.h"

const struct mi_doctor_rule mi_doctor_rule_fusion_changed = {
    .name = "fusion_changed",
    .question = N_("ops that are fused otherwise than before"),
    .advice = N_("Compare with a capture from before the change."),
    .needs = MI_DOCTOR_BASELINE,
};
