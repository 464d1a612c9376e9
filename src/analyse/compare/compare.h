/* Two models side by side: which node of one is which of the other, and what differs.
 *
 * Side 0 is the base, side 1 what is new. A match is a list of pairs of nodes, each with the
 * evidence it rests on; no node is in two pairs, and following the data in both graphs never leads
 * back to a pair that was passed already. A comparison adds what was measured: samples are the
 * counted runs of one device per side. Both models are frozen and outlive the comparison. */
#ifndef MI_ANALYSE_COMPARE_H
#define MI_ANALYSE_COMPARE_H

#include "analyse/taskgraph/taskgraph.h"

enum mi_cmp_side_no { MI_CMP_BASE, MI_CMP_NEW, MI_CMP_SIDES };

/* --- which node is which --- */

/* What a pair rests on; the order is that of trying. */
enum mi_cmp_evidence {
    MI_CMP_BY_NOTHING,
    MI_CMP_BY_ORIGINS,    /* same recorded ops went into both, same type */
    MI_CMP_BY_NAME,       /* same name and type, and the neighbours do not contradict */
    MI_CMP_BY_JACCARD,    /* most of the recorded ops are the same */
    MI_CMP_BY_STRUCTURE,  /* alone on both sides with its type and surroundings */
    MI_CMP_BY_NEIGHBOURS, /* at the same port of a pair, nothing else could be meant */
    MI_CMP_BY_ORDER,      /* same type and shape in the same stretch of the graph, by order */
    MI_CMP_EVIDENCES
};

extern const char *const mi_cmp_evidence_words[]; /* message ids by evidence, then NULL */

struct mi_cmp_pair {
    uint32_t node[MI_CMP_SIDES]; /* rows of nodes */
    uint8_t evidence;            /* enum mi_cmp_evidence */
    uint8_t confidence;          /* enum mi_confidence */
};

struct mi_match {
    const struct mi_model *model[MI_CMP_SIDES];
    struct mi_cmp_pair *pairs; /* by node of the base; from 0 */
    uint32_t pair_count;
    uint32_t *other[MI_CMP_SIDES];   /* [nodes.count] its partner; 0 = none */
    uint32_t *pair_of[MI_CMP_SIDES]; /* [nodes.count] its pair + 1; 0 = none */
    uint32_t *common; /* [strings of the new side] the same text at the base, else a number of
                         its own beyond those of the base */
    uint32_t refused; /* pairs taken back because they contradicted the order of others */
};

/* Framework nodes are matched with framework nodes, compiled ones with compiled ones; dumps of
 * stages not at all. */
bool mi_match_init(struct mi_match *match, const struct mi_model *base, const struct mi_model *new,
                   struct mi_error *err);
void mi_match_fini(struct mi_match *match);

/* A number that equal texts of both sides share. */
static inline uint32_t mi_match_text(const struct mi_match *match, unsigned side, mi_str_id text)
{
    return side == MI_CMP_BASE ? text.v : match->common[text.v];
}

#endif
