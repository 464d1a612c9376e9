/* Layered drawing of one flat graph: boxes of given sizes, edges between them, from top to bottom.
 *
 * Knows nothing of models. A scene (scene.h) cuts a model's graph into groups, has each drawn by
 * this and puts the results into each other. The method is that of Sugiyama: reverse the edges that
 * close cycles, give each box a rank, cut long edges into pieces that run through dummies, order
 * each rank to avoid crossings, then find x by aligning medians (Brandes and Koepf).
 *
 * Deterministic: ties go by number. Linear memory; no recursion. */
#ifndef MI_PRESENT_LAYOUT_LAYOUT_H
#define MI_PRESENT_LAYOUT_LAYOUT_H

#include "base/error.h"

#include <stdint.h>

struct mi_layout_graph {
    uint32_t box_count, edge_count;
    const float *width, *height; /* [box_count] */
    const uint32_t *from, *to;   /* [edge_count] boxes; loops and repetitions are fine */
    const uint8_t *pin;          /* [box_count] enum mi_layout_pin; NULL = none */
};

enum mi_layout_pin { MI_PIN_NONE, MI_PIN_TOP, MI_PIN_BOTTOM };

struct mi_layout_options {
    float rank_gap;  /* between ranks; 0 = 36 */
    float box_gap;   /* between boxes of a rank; 0 = 24 */
    float wire_gap;  /* between wires that run side by side; 0 = 10 */
    uint32_t sweeps; /* over all ranks while ordering, at most; 0 = 24 */
    uint32_t span;   /* an edge over more ranks is not routed; 0 = 64 */
};

enum mi_layout_edge_flag {
    MI_EDGE_BACK = 1,     /* closes a cycle: drawn from bottom to top */
    MI_EDGE_STUB = 2,     /* too long to route: its ends are marked instead */
    MI_EDGE_LOOP = 4,     /* from a box to itself */
    MI_EDGE_REPEATED = 8, /* an edge between the same boxes stands before it */
    MI_EDGE_ABSENT = 16   /* of a comparison: this side does not have it */
};

struct mi_layout_point {
    float x, y;
};

struct mi_layout {
    uint32_t box_count, edge_count;
    float width, height; /* of the whole; it begins at 0, 0 */
    float *x, *y;        /* [box_count] left upper corners */
    uint32_t *rank;      /* [box_count] from 0 */
    uint32_t rank_count;
    uint8_t *edge_flags;            /* [edge_count] */
    uint32_t *first_point;          /* [edge_count + 1] points of edge e: first .. first of e + 1 */
    struct mi_layout_point *points; /* from the lower side of `from` to the upper side of `to` */
    uint64_t crossings;             /* of the pieces between neighbouring ranks */
};

/* Draws the graph; `options` NULL = defaults. Fails when memory is out. The result is freed with
 * mi_layout_fini(). Any number of threads may draw graphs of their own. */
bool mi_layout_draw(const struct mi_layout_graph *graph, const struct mi_layout_options *options,
                    struct mi_layout *out, struct mi_error *err);
void mi_layout_fini(struct mi_layout *layout);

#endif
