/* What the files of the matching share; see compare.h. */
#ifndef MI_ANALYSE_MATCH_PARTS_H
#define MI_ANALYSE_MATCH_PARTS_H

#include "analyse/compare/compare.h"
#include "base/hash.h"
#include "base/map.h"

/* A tensor, or a control edge, from one node to another. */
struct mi_match_link {
    uint32_t from, to;
    uint32_t from_port, to_port; /* MI_MATCH_CONTROL: orders only */
};

enum { MI_MATCH_CONTROL = 0xffff };

struct mi_match_half {
    const struct mi_model *model;
    const struct mi_tables *rows;
    uint32_t node_count;         /* nodes.count */
    uint8_t *layer;              /* [node_count] enum mi_layer; NONE: not to be matched */
    struct mi_match_link *links; /* from 1 */
    uint32_t link_count;
    struct mi_csr out, in; /* node -> links, in the order of ports of the reader */
    uint32_t *order;       /* nodes to be matched, in topological order, then by row */
    uint32_t order_count;
    uint8_t *is_cyclic;       /* [node_count] on a cycle of this graph, or behind one */
    struct mi_csr origins_of; /* node -> places in `origins` */
    uint32_t *origins;        /* common texts, of each node once and ascending */
    uint64_t *type;           /* [node_count] sign of operator type and layer */
    uint64_t *shape;          /* [node_count] sign of its outputs' shapes */
    uint64_t *detail;         /* [node_count] sign of its outputs' dtypes and of attributes */
};

struct mi_matcher {
    struct mi_match *match;
    struct mi_match_half half[MI_CMP_SIDES];
    uint8_t *evidence, *confidence; /* [nodes of the base] of the pair, while it is being made */
    bool failed;                    /* out of memory */
};

static inline uint32_t mi_matcher_other(const struct mi_matcher *m, unsigned side, uint32_t node)
{
    return m->match->other[side][node];
}

/* Makes a pair of two nodes that have none. */
void mi_matcher_pair(struct mi_matcher *m, uint32_t base, uint32_t new, enum mi_cmp_evidence why,
                     enum mi_confidence confidence);
void mi_matcher_part(struct mi_matcher *m, uint32_t base); /* takes the pair back */

/* Keeps the only one under each sign: UINT32_MAX once there are two. */
void mi_matcher_note(struct mi_matcher *m, struct mi_map *signs, uint64_t sign, uint32_t node);

/* The node that is alone under the sign, or 0. */
static inline uint32_t mi_matcher_alone(const struct mi_map *signs, uint64_t sign)
{
    uint32_t node = mi_map_get(signs, sign);
    return node == UINT32_MAX ? 0 : node;
}

/* --- match_half.c --- */
bool mi_match_half_init(struct mi_match_half *half, const struct mi_match *match, unsigned side);
void mi_match_half_fini(struct mi_match_half *half);

/* --- the passes, in the order of trying --- */
void mi_match_by_origins(struct mi_matcher *m);    /* match_names.c */
void mi_match_by_name(struct mi_matcher *m);       /* match_names.c */
void mi_match_by_jaccard(struct mi_matcher *m);    /* match_jaccard.c */
bool mi_match_by_structure(struct mi_matcher *m);  /* match_structure.c; true: found some */
bool mi_match_by_neighbours(struct mi_matcher *m); /* match_spread.c; true: found some */
void mi_match_by_order(struct mi_matcher *m);      /* match_order.c */

/* Takes back the weakest pairs that lie on a cycle of both graphs put on top of each other. */
void mi_match_untangle(struct mi_matcher *m); /* match_untangle.c */

#endif
