/* Categories of operators, from one data table (categories.def). */
#ifndef MI_CORRELATE_CATEGORIES_H
#define MI_CORRELATE_CATEGORIES_H

#include "model/model.h"

/* The category of an operator type as some stack writes it. A domain that no stack ships, or a type
 * that is in no table, is MI_CATEGORY_CUSTOM; an empty type MI_CATEGORY_OTHER. */
enum mi_category mi_category_find(struct mi_bytes domain, struct mi_bytes op);

/* True if a compiler may well replace one type by the other: one name is part of the other
 * (Conv, QLinearConv), or both belong to a category that says something. */
bool mi_op_can_become(const struct mi_model *model, mi_node_id from, mi_node_id to);

/* Moves or converts a tensor without computing with it: compilers insert such nodes. */
bool mi_op_converts(struct mi_bytes op);

#endif
