/* The conductor of the calibration. */
#include "correlate/clocks/calibrate.h"

#include "base/mem.h"
#include "correlate/clocks/parts.h"

static bool fit_groups(struct mi_calibration *c)
{
    c->place_of = mi_mem_zero(c->unit_count, sizeof *c->place_of);
    c->group_is_right = mi_mem_zero(c->group_count, 1);
    bool ok = c->place_of && c->group_is_right;
    for (uint32_t g = 1; ok && g < c->group_count; g++) {
        ok = mi_joint_refine(c, g);
        if (ok && mi_fits_unneeded(c, g)) {
            c->group_is_right[g] = 1;
            mi_lines_clear(c, g);
        }
        ok = ok && mi_bands_find(c, g);
    }
    return ok;
}

static void fini(struct mi_calibration *c)
{
    mi_mem_free(c->unit_of);
    mi_mem_free(c->units);
    mi_mem_free(c->place_of);
    mi_mem_free(c->group_is_right);
    mi_mem_free(c->ties);
    mi_mem_free(c->points);
    mi_mem_free(c->places);
    mi_mem_free(c->sample);
    mi_csr_fini(&c->group_units);
    mi_csr_fini(&c->group_ties);
    mi_csr_fini(&c->unit_ties);
}

bool mi_calibrate(struct mi_model *model, struct mi_error *err)
{
    struct mi_calibration c = {.model = model, .rows = &model->all.rows};
    bool ok = true;
    if (c.rows->tasks.count > 1 && (c.rows->signals.count > 1 || c.rows->slices.count > 1)) {
        ok = mi_ties_collect(&c) && mi_groups_build(&c) && fit_groups(&c);
        ok = ok && mi_bodies_place(&c) && mi_ranks_place(&c) && mi_fits_add(&c);
        if (ok)
            mi_fits_apply(&c);
    }
    fini(&c);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while calibrating clocks");
}
