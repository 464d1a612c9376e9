/* What is made of a comparison once and then shared by all requests: the comparison itself, and the
 * joint graph folded in each way, with what each side has of it and what differs. */
#ifndef MI_PRESENT_SERVE_SITE_DIFF_H
#define MI_PRESENT_SERVE_SITE_DIFF_H

#include "analyse/compare/compare.h"
#include "analyse/compare/joint.h"
#include "present/serve/site.h"

/* What differs, a bit each: 1 << enum mi_cmp_change_kind, and behind these ... */
enum { MI_DIFFERS_SLOWER = MI_CMP_CHANGES, MI_DIFFERS_FASTER, MI_DIFFERS_KINDS };

/* Names of the kinds in replies, by bit. */
extern const char *const mi_differs_names[MI_DIFFERS_KINDS];

/* A joint outline as one side sees it. By item of the joint outline: */
struct mi_joint_view {
    const struct mi_drawn *own; /* the side's own outline */
    uint32_t *item;             /* what stands for the node or the end there; 0 = nothing */
    uint32_t *nodes;            /* nodes of the side in it */
    int64_t *total_ns;          /* of their counted tasks */
    uint8_t *is_there;          /* it, or something in it, is drawn */
};

struct mi_joint_drawn {
    struct mi_drawn drawn; /* scenery.tags: bit per side that has the edge */
    struct mi_joint_view view[MI_CMP_SIDES];
    uint16_t *differs; /* [items] kinds of changes in it, but names alone */
    uint32_t *changed; /* [items] nodes in it that changed, partners counted once */
    int64_t *delta_ns; /* [items] what the medians of their times differ by, new - base */
};

struct mi_site_diff;

/* NULL: nothing to compare with, or `err`. Made by the first who asks, the others wait. Any thread.
 */
const struct mi_compare *mi_site_compare(struct mi_site *site, struct mi_error *err);
const struct mi_joint *mi_site_joint(struct mi_site *site, struct mi_error *err);
const struct mi_joint_drawn *mi_site_joint_drawn(struct mi_site *site, struct mi_folding folding,
                                                 struct mi_error *err);

/* [op_count] cause + 1 of an op; 0 = none. Once the comparison is there. */
const uint32_t *mi_site_cause_of(const struct mi_site *site);

/* [nodes.count of the joint model] what differs of a node. Once the joint graph is there. */
const uint16_t *mi_site_differs(const struct mi_site *site);

/* `base` and `own` are the sites of the two sides. For site.c; NULL is out of memory. */
struct mi_site_diff *mi_site_diff_new(struct mi_site *base, struct mi_site *own);
void mi_site_diff_free(struct mi_site_diff *diff);

#endif
