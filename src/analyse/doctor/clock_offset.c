/* Clocks of streams that are apart, as the pass `clocks` finds them. Starts are corrected here;
 * what others read of the exported files is not, so it is told before all else. */
#include "analyse/doctor/doctor.h"
#include "analyse/pass.h"

static bool run(struct mi_doctor *d)
{
    struct mi_report clocks;
    mi_report_init(&clocks);
    bool ok = mi_pass_clocks.run(d->model, NULL, &clocks, d->err) && !clocks.failed;
    mi_arena_adopt(d->arena, &clocks.arena);
    for (uint32_t f = 0; ok && f < clocks.finding_count; f++) {
        if (strcmp(clocks.findings[f].rule, "no_anchors") == 0)
            d->not_checked = N_("needs anchors that tie two clocks: see the pass clocks");
        if (strcmp(clocks.findings[f].rule, "clock_offset") == 0)
            mi_doctor_take(d, &clocks.findings[f]);
    }
    mi_report_fini(&clocks);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_clock_offset = {
    .name = "clock_offset",
    .question = N_("clocks of streams or ranks that are apart"),
    .advice = N_("Compare calibrated starts (all reports here do), not exported ones; "
                 "`export chrome` writes a trace on one clock."),
    .needs = MI_DOCTOR_TASKS,
    .is_first = true,
    .run = run,
};
