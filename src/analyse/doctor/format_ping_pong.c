/* The layout of a tensor is changed and changed back before anything but a conversion has read it.
 */
#include "analyse/doctor/doctor.h"

static const struct mi_doctor_limit limits[] = {MI_DOCTOR_LIMITS(2, 1), {.name = NULL}};

static bool run(struct mi_doctor *d)
{
    return mi_doctor_find_trips(d, MI_DOCTOR_LAYOUT,
                                N_("%1 inserted nodes change the layout of tensors and change it "
                                   "back, in %2 places, and nothing needs it in between"));
}

const struct mi_doctor_rule mi_doctor_rule_format_ping_pong = {
    .name = "format_ping_pong",
    .question = N_("layouts that are changed and changed back at once"),
    .advice = N_("Let the nodes on both sides agree on one layout: look at the formats that the "
                 "compiler was told to use or keep (ATC: --input_format, --precision_mode, "
                 "keep-format lists), and at ops that ask for a layout without need."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS | MI_DOCTOR_COMPILED,
    .limits = limits,
    .run = run,
};
