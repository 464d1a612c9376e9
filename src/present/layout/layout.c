#include "present/layout/layout.h"

#include "base/mem.h"
#include "present/layout/lay.h"

static const struct mi_layout_options defaults = {
    .rank_gap = 36, .box_gap = 24, .wire_gap = 10, .sweeps = 24, .span = 64};

static struct mi_layout_options filled(const struct mi_layout_options *given)
{
    struct mi_layout_options options = given ? *given : defaults;
    options.rank_gap = options.rank_gap > 0 ? options.rank_gap : defaults.rank_gap;
    options.box_gap = options.box_gap > 0 ? options.box_gap : defaults.box_gap;
    options.wire_gap = options.wire_gap > 0 ? options.wire_gap : defaults.wire_gap;
    options.sweeps = options.sweeps ? options.sweeps : defaults.sweeps;
    options.span = options.span ? options.span : defaults.span;
    return options;
}

static bool measure(struct lay *lay)
{
    lay->half = mi_mem_new((size_t)lay->vertices + 1, sizeof *lay->half);
    for (uint32_t v = 0; lay->half && v < lay->vertices; v++)
        lay->half[v] = v < lay->boxes ? lay->graph->width[v] / 2 : 0;
    return lay->half != NULL;
}

/* --- the result --- */

struct rows { /* [rank_count] upper and lower side of each rank */
    float *top, *bottom;
};

static bool find_rows(const struct lay *lay, struct rows *rows)
{
    float y = 0;
    rows->top = mi_mem_zero((size_t)lay->rank_count + 1, sizeof *rows->top);
    rows->bottom = mi_mem_zero((size_t)lay->rank_count + 1, sizeof *rows->bottom);
    if (!rows->top || !rows->bottom)
        return false;
    for (uint32_t v = 0; v < lay->boxes; v++)
        if (lay->graph->height[v] > rows->bottom[lay->rank[v]])
            rows->bottom[lay->rank[v]] = lay->graph->height[v];
    for (uint32_t r = 0; r < lay->rank_count; r++) {
        rows->top[r] = y;
        rows->bottom[r] += y;
        y = rows->bottom[r] + lay->options.rank_gap;
    }
    return true;
}

static void place_boxes(const struct lay *lay, const struct rows *rows, struct mi_layout *out)
{
    float left = 0, right = 0;
    for (uint32_t v = 0; v < lay->vertices; v++) {
        float low = lay->x[v] - lay->half[v], high = lay->x[v] + lay->half[v];
        left = !v || low < left ? low : left;
        right = !v || high > right ? high : right;
    }
    for (uint32_t v = 0; v < lay->vertices; v++)
        lay->x[v] -= left;
    for (uint32_t v = 0; v < lay->boxes; v++) {
        uint32_t r = lay->rank[v];
        float room = rows->bottom[r] - rows->top[r] - lay->graph->height[v];
        out->x[v] = lay->x[v] - lay->half[v];
        out->y[v] = rows->top[r] + room / 2;
        out->rank[v] = r;
    }
    out->width = right - left;
    out->height = lay->rank_count ? rows->bottom[lay->rank_count - 1] : 0;
}

/* From where to where an edge is drawn: downwards, whatever its direction. */
static void ends_of(const struct lay *lay, uint32_t edge, uint32_t *upper, uint32_t *lower)
{
    bool is_back = lay->edge_flags[edge] & MI_EDGE_BACK;
    *upper = is_back ? lay->graph->to[edge] : lay->graph->from[edge];
    *lower = is_back ? lay->graph->from[edge] : lay->graph->to[edge];
}

static uint32_t count_points(struct lay *lay, uint32_t edge)
{
    uint32_t upper, lower;
    if (lay->edge_flags[edge] & (MI_EDGE_LOOP | MI_EDGE_REPEATED))
        return 0;
    ends_of(lay, edge, &upper, &lower);
    uint32_t span = lay->rank[lower] - lay->rank[upper];
    if (span > lay->options.span) {
        lay->edge_flags[edge] |= MI_EDGE_STUB;
        return 0;
    }
    return 2 + 2 * (span - 1);
}

static void route(const struct lay *lay, const struct rows *rows, const struct mi_layout *out,
                  uint32_t edge)
{
    uint32_t first = out->first_point[edge], count = out->first_point[edge + 1] - first;
    struct mi_layout_point *points = &out->points[first];
    uint32_t upper, lower, at = 0;
    if (!count)
        return;
    ends_of(lay, edge, &upper, &lower);
    points[at++] =
        (struct mi_layout_point){lay->x[upper], out->y[upper] + lay->graph->height[upper]};
    for (uint32_t d = lay->first_dummy[upper]; at + 1 < count; d++) {
        points[at++] = (struct mi_layout_point){lay->x[d], rows->top[lay->rank[d]]};
        points[at++] = (struct mi_layout_point){lay->x[d], rows->bottom[lay->rank[d]]};
    }
    points[at] = (struct mi_layout_point){lay->x[lower], out->y[lower]};
    for (uint32_t i = 0; lay->edge_flags[edge] & MI_EDGE_BACK && i < count / 2; i++) {
        struct mi_layout_point point = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = point;
    }
}

static bool write_out(struct lay *lay, struct mi_layout *out)
{
    struct rows rows = {0};
    uint32_t edges = lay->graph->edge_count;
    bool ok = find_rows(lay, &rows);
    if (ok) {
        place_boxes(lay, &rows, out);
        out->rank_count = lay->rank_count;
        out->crossings = lay->crossings;
        for (uint32_t e = 0; e < edges; e++)
            out->first_point[e + 1] = out->first_point[e] + count_points(lay, e);
        out->points = mi_mem_new((size_t)out->first_point[edges] + 1, sizeof *out->points);
        ok = out->points != NULL;
        for (uint32_t e = 0; ok && e < edges; e++)
            route(lay, &rows, out, e);
    }
    mi_mem_free(rows.top);
    mi_mem_free(rows.bottom);
    return ok;
}

static bool make_room(const struct mi_layout_graph *graph, struct mi_layout *out)
{
    size_t boxes = (size_t)graph->box_count + 1, edges = (size_t)graph->edge_count + 2;
    *out = (struct mi_layout){.box_count = graph->box_count,
                              .edge_count = graph->edge_count,
                              .x = mi_mem_zero(boxes, sizeof *out->x),
                              .y = mi_mem_zero(boxes, sizeof *out->y),
                              .rank = mi_mem_zero(boxes, sizeof *out->rank),
                              .edge_flags = mi_mem_zero(edges, sizeof *out->edge_flags),
                              .first_point = mi_mem_zero(edges, sizeof *out->first_point)};
    return out->x && out->y && out->rank && out->edge_flags && out->first_point;
}

static void lay_fini(struct lay *lay)
{
    mi_lay_lists_fini(&lay->out);
    mi_lay_lists_fini(&lay->in);
    mi_lay_lists_fini(&lay->down);
    mi_lay_lists_fini(&lay->up);
    mi_mem_free(lay->rank);
    mi_mem_free(lay->first_dummy);
    mi_mem_free(lay->first);
    mi_mem_free(lay->order);
    mi_mem_free(lay->place);
    mi_mem_free(lay->half);
    mi_mem_free(lay->x);
}

bool mi_layout_draw(const struct mi_layout_graph *graph, const struct mi_layout_options *options,
                    struct mi_layout *out, struct mi_error *err)
{
    struct lay lay = {.graph = graph, .options = filled(options), .boxes = graph->box_count};
    bool ok = make_room(graph, out);
    if (ok) {
        lay.edge_flags = out->edge_flags;
        lay.rank = mi_mem_new((size_t)lay.boxes + 1, sizeof *lay.rank);
        ok = lay.rank && mi_lay_rank(&lay) && mi_lay_wires(&lay) && mi_lay_order(&lay) &&
             measure(&lay) && mi_lay_place(&lay) && write_out(&lay, out);
    }
    lay_fini(&lay);
    if (!ok)
        mi_layout_fini(out);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while drawing a graph");
}

void mi_layout_fini(struct mi_layout *layout)
{
    mi_mem_free(layout->x);
    mi_mem_free(layout->y);
    mi_mem_free(layout->rank);
    mi_mem_free(layout->edge_flags);
    mi_mem_free(layout->first_point);
    mi_mem_free(layout->points);
    *layout = (struct mi_layout){0};
}
