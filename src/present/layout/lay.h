/* The drawing while it is being made, between the files of this folder.
 *
 * Vertices are the boxes, then the dummies that long edges run through. Edges of the box graph that
 * lead from one source share their dummies: a tensor is one wire that branches where it must. */
#ifndef MI_PRESENT_LAYOUT_LAY_H
#define MI_PRESENT_LAYOUT_LAY_H

#include "present/layout/layout.h"

struct lay_lists { /* neighbours: first[v] .. first[v + 1) in list */
    uint32_t *first, *list;
};

struct lay {
    const struct mi_layout_graph *graph;
    struct mi_layout_options options;
    uint32_t boxes, vertices;
    uint8_t *edge_flags;      /* [edges] of the result */
    struct lay_lists out, in; /* of boxes, cycles reversed, no repetitions */
    uint32_t *rank;           /* [vertices] */
    uint32_t rank_count;

    struct lay_lists down, up; /* of vertices: neighbours in the next and the previous rank */
    uint32_t *first_dummy;     /* [boxes + 1] dummies of a source, one for each rank below it */
    uint32_t *first;           /* [rank_count + 1] places of a rank in `order` */
    uint32_t *order;           /* [vertices] by rank, from left to right */
    uint32_t *place;           /* [vertices] place within its rank */
    uint64_t crossings;
    float *half; /* [vertices] half widths */
    float *x;    /* [vertices] centres */
};

/* rank.c: edges without loops, repetitions and cycles; ranks of the boxes. */
bool mi_lay_rank(struct lay *lay);

/* wires.c: dummies, and neighbours between ranks. */
bool mi_lay_wires(struct lay *lay);

/* order.c: from left to right within each rank. */
bool mi_lay_order(struct lay *lay);

/* place.c: x of all vertices. */
bool mi_lay_place(struct lay *lay);

static inline bool lay_is_dummy(const struct lay *lay, uint32_t vertex)
{
    return vertex >= lay->boxes;
}

/* Lists from pairs (from[i], to[i]), i < count, in the order of `to` as given; false: no memory. */
bool mi_lay_lists(struct lay_lists *lists, uint32_t vertices, uint32_t count, const uint32_t *from,
                  const uint32_t *to);
void mi_lay_lists_fini(struct lay_lists *lists);

#endif
