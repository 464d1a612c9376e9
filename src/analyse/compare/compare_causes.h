/* How causes are found; see compare_causes.c. */
#ifndef MI_ANALYSE_COMPARE_CAUSES_H
#define MI_ANALYSE_COMPARE_CAUSES_H

#include "analyse/compare/compare_parts.h"

struct mi_cmp_causer {
    struct mi_compare *compare;
    struct mi_map by_sign; /* rule and key -> cause, from 1 */
    uint32_t *owner;       /* [op_count] cause of an op, from 1; 0 = none so far */
    uint32_t room;
    uint32_t fusion; /* cause "fusion_changed", from 1; 0 = fusing has not changed */
    bool failed;
};

/* The cause of that rule and key, made if there is none; from 1, 0: out of memory. Ops without a
 * cause are put under it. */
uint32_t mi_cmp_cause_of(struct mi_cmp_causer *c, const char *rule, uint64_t key);
void mi_cmp_own(struct mi_cmp_causer *c, uint32_t cause, uint32_t op);

/* --- cause_graph.c --- */
void mi_cmp_blame_fusion(struct mi_cmp_causer *c);
void mi_cmp_blame_changes(struct mi_cmp_causer *c);
void mi_cmp_blame_one_sided(struct mi_cmp_causer *c);

/* --- cause_run.c --- */
void mi_cmp_blame_streams(struct mi_cmp_causer *c);
void mi_cmp_blame_waits(struct mi_cmp_causer *c);
void mi_cmp_blame_times(struct mi_cmp_causer *c);
void mi_cmp_blame_host(struct mi_cmp_causer *c);

#endif
