/* What a stage did to the nodes that go on: operator type, recorded ops, and of each output the
 * element type, layout and shape. What was not known before has not changed. */
#include "analyse/series/series_parts.h"

static bool same_shape(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_values *values = &rows->values;
    if (values->dim_count[a] != values->dim_count[b])
        return false;
    for (uint32_t i = 0; i < values->dim_count[a]; i++)
        if (rows->dims.size[values->first_dim[a] + i] != rows->dims.size[values->first_dim[b] + i])
            return false;
    return true;
}

static bool differs(const struct mi_tables *rows, enum mi_change_kind kind, uint32_t was,
                    uint32_t is)
{
    const struct mi_values *values = &rows->values;
    switch (kind) {
    case MI_CHANGE_DTYPE:
        return values->dtype[was].v && values->dtype[is].v &&
               values->dtype[was].v != values->dtype[is].v;
    case MI_CHANGE_FORMAT:
        return values->format[was].v && values->format[is].v &&
               values->format[was].v != values->format[is].v;
    case MI_CHANGE_SHAPE:
        return values->has_shape[was] && values->has_shape[is] && !same_shape(rows, was, is);
    case MI_CHANGE_INSERTED:
    case MI_CHANGE_FUSED:
    case MI_CHANGE_SPLIT:
    case MI_CHANGE_RENAMED:
    case MI_CHANGE_RETYPED:
    case MI_CHANGE_ABSORBED:
    case MI_CHANGE_FUSED_INTO:
    case MI_CHANGE_SPLIT_INTO:
    case MI_CHANGE_REMOVED:
    case MI_CHANGE_KINDS:
        break;
    }
    return false;
}

/* One change of the kind for the first output that has it. */
static bool compare_outputs(struct mi_step *step, enum mi_change_kind kind, uint32_t track,
                            mi_node_id before, mi_node_id after)
{
    const struct mi_tables *rows = &step->model->all.rows;
    uint32_t count = rows->nodes.out_count[before.v];
    if (count > rows->nodes.out_count[after.v])
        count = rows->nodes.out_count[after.v];
    for (uint32_t p = 0; p < count; p++) {
        mi_value_id was = rows->ports.value[rows->nodes.first_out[before.v] + p];
        mi_value_id is = rows->ports.value[rows->nodes.first_out[after.v] + p];
        if (was.v && is.v && differs(rows, kind, was.v, is.v))
            return mi_series_add(step, &(struct mi_change){.kind = kind,
                                                           .track = track,
                                                           .before = before,
                                                           .after = after,
                                                           .was = was,
                                                           .is = is,
                                                           .output = p});
    }
    return true;
}

/* True if `after` has a recorded name that `before` had not. */
static bool has_absorbed(const struct mi_step *step, mi_node_id before, mi_node_id after)
{
    const struct mi_tables *rows = &step->model->all.rows;
    const struct mi_csr *of = &step->series->recorded;
    mi_str_id own = rows->nodes.name[before.v];
    for (uint32_t i = of->first[after.v]; i < of->first[after.v + 1]; i++) {
        uint32_t name = rows->recorded.name[of->list[i]].v;
        bool known = name == own.v || name == 0;
        for (uint32_t k = of->first[before.v]; k < of->first[before.v + 1] && !known; k++)
            known = rows->recorded.name[of->list[k]].v == name;
        if (!known)
            return true;
    }
    return false;
}

static bool compare_node(struct mi_step *step, uint32_t track, mi_node_id before, mi_node_id after)
{
    const struct mi_nodes *nodes = &step->model->all.rows.nodes;
    struct mi_change change = {.track = track, .before = before, .after = after};
    change.kind = MI_CHANGE_RETYPED;
    if (nodes->op[before.v].v != nodes->op[after.v].v && !mi_series_add(step, &change))
        return false;
    change.kind = MI_CHANGE_ABSORBED;
    if (has_absorbed(step, before, after) && !mi_series_add(step, &change))
        return false;
    return compare_outputs(step, MI_CHANGE_DTYPE, track, before, after) &&
           compare_outputs(step, MI_CHANGE_FORMAT, track, before, after) &&
           compare_outputs(step, MI_CHANGE_SHAPE, track, before, after);
}

bool mi_series_compare(struct mi_step *step)
{
    const struct mi_series *series = step->series;
    for (uint32_t i = 0; i < step->node_count; i++) {
        mi_node_id node = {step->nodes[i]};
        uint32_t track = series->track_of[node.v];
        if (series->tracks[track].born < step->stage &&
            !compare_node(step, track, series->tracks[track].last, node))
            return false;
    }
    return true;
}
