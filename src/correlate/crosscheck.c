/* Links against the shapes of both graphs: a tensor of one name with another number of elements is
 * another tensor, or comes from a run on other inputs; either way the link is less than it claims.
 */
#include "correlate/verdict.h"

/* Elements of a value; -1 = not known. Huge products stay at the end of the range. */
static int64_t count_elements(const struct mi_tables *rows, uint32_t value)
{
    const struct mi_values *values = &rows->values;
    if (!value || !values->has_shape[value])
        return -1;
    int64_t count = 1;
    for (uint32_t d = 0; d < values->dim_count[value]; d++) {
        int64_t size = rows->dims.size[values->first_dim[value] + d];
        if (size < 0)
            return -1;
        count = size && count > INT64_MAX / size ? INT64_MAX : count * size;
    }
    return count;
}

static void check_link(struct mi_model *model, uint32_t link)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_nodes *nodes = &rows->nodes;
    uint32_t a = rows->lowered.framework[link].v, b = rows->lowered.compiled[link].v;
    for (uint32_t i = 0; i < nodes->out_count[a] && i < nodes->out_count[b]; i++) {
        uint32_t x = rows->ports.value[nodes->first_out[a] + i].v;
        uint32_t y = rows->ports.value[nodes->first_out[b] + i].v;
        if (!rows->values.name[x].v || rows->values.name[x].v != rows->values.name[y].v)
            continue;
        int64_t before = count_elements(rows, x), after = count_elements(rows, y);
        if (before < 0 || after < 0 || before == after)
            continue;
        mi_demote_link(model, link,
                       mi_batch_printf(&model->all,
                                       "output %u has %lld elements, in the compiled graph %lld", i,
                                       (long long)before, (long long)after));
        return;
    }
}

bool mi_check_links(struct mi_model *model, struct mi_error *err)
{
    const struct mi_lowered *links = &model->all.rows.lowered;
    for (uint32_t r = 1; r < links->count; r++)
        if (links->role[r] == MI_ROLE_COMPUTED || links->role[r] == MI_ROLE_SHARED)
            check_link(model, r);
    return !mi_batch_failed(&model->all) || mi_fail(err, MI_ENOMEM, "out of memory for links");
}
