/* Steps of the stage after the matchers: one conflict policy, then one verdict per node. */
#ifndef MI_CORRELATE_VERDICT_H
#define MI_CORRELATE_VERDICT_H

#include "model/model.h"

/* Sets nodes.category and kernels.category from categories.def. */
bool mi_fill_categories(struct mi_model *model, struct mi_error *err);

/* Kernels that ran for a node take the node's category: it knows the operator's domain. */
void mi_kernel_categories_from_nodes(struct mi_model *model);

/* One row of `lowered` for each pair of nodes: the strongest link. Two rules that disagree about a
 * compiled node: the stronger stays, one level lower, and says what contradicted it. */
bool mi_settle_links(struct mi_model *model, struct mi_error *err);

/* One level less confidence for a row of `lowered`, at least a guess; `why` becomes its conflict.
 */
void mi_demote_link(struct mi_model *model, uint32_t link, mi_str_id why);

/* Demotes links whose output is of another size in the other graph. Call once types are filled in.
 */
bool mi_check_links(struct mi_model *model, struct mi_error *err);

/* Exactly one row of `births` for each compiled node, in their order. Rows that matchers have added
 * count where there is no link. */
bool mi_judge_births(struct mi_model *model, struct mi_error *err);

/* Exactly one row of `fates` for each framework node, in their order, likewise. */
bool mi_judge_fates(struct mi_model *model, struct mi_error *err);

/* [nodes.count] 1 for framework nodes that call a model-local function; NULL: out of memory. The
 * caller frees it with mi_mem_free(). */
uint8_t *mi_find_calls(const struct mi_model *model);

#endif
