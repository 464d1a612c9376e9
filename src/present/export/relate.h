/* What the exports say about nodes beyond single columns: public ids, origins, branches.
 *
 * Public ids: a framework node has its row number. A compiled node that is the same op kept as it
 * was has the id of its framework twin; every other compiled node has its own row number, which no
 * framework node has, since all nodes share one table. So an id is unique within a layer, and equal
 * ids in two layers mean the same node. */
#ifndef MI_PRESENT_EXPORT_RELATE_H
#define MI_PRESENT_EXPORT_RELATE_H

#include "model/model.h"

struct mi_relate {
    const struct mi_model *model;
    uint32_t *public_id; /* [nodes.count] */
    uint32_t *list;      /* scratch behind the lists returned below */
    uint32_t list_room;
};

/* A list of ids, borrowed until the next call that returns one. */
struct mi_id_list {
    const uint32_t *ids;
    uint32_t count;
};

bool mi_relate_init(struct mi_relate *relate, const struct mi_model *model, struct mi_error *err);
void mi_relate_fini(struct mi_relate *relate);

/* Whether nothing of a framework op is left to run: it was removed or folded. Links then only say
 * where it was. */
bool mi_relate_is_gone(const struct mi_model *model, mi_node_id framework);

/* Framework nodes that a compiled node was made of, as public ids in ascending order; empty for a
 * node that is its own twin, an inserted node, and framework nodes. Ops that are gone, and
 * constants that it merely contains, are left out. false: out of memory. */
bool mi_relate_fused_from(struct mi_relate *relate, mi_node_id node, struct mi_id_list *out);

/* Tasks that executed a node, ascending: for a framework node those of the compiled nodes that
 * compute it, else those linked to itself. false: out of memory. */
bool mi_relate_tasks(struct mi_relate *relate, mi_node_id node, struct mi_id_list *out);

/* The compiled node was made of several ops, or the framework op went into such a one. */
bool mi_relate_is_fused(const struct mi_model *model, mi_node_id node);

/* The op of a control-flow node's body that a node belongs to; a compiled node outside of bodies
 * takes the branch of the first framework op it computes. */
struct mi_branch {
    mi_node_id owner; /* 0 = none */
    mi_graph_id graph;
};
struct mi_branch mi_relate_branch(const struct mi_model *model, mi_node_id node);

/* The first framework op that a compiled node computes; none if there is no link. */
mi_node_id mi_relate_origin(const struct mi_model *model, mi_node_id compiled);

/* The value of an enclosing graph behind an OUTER one; `value` itself otherwise. */
mi_value_id mi_relate_real_value(const struct mi_model *model, mi_value_id value);

/* The first node that reads a value, or reads it in a body by an OUTER value of its own; none if
 * nothing does. */
mi_node_id mi_relate_first_reader(const struct mi_model *model, mi_value_id value);

/* Link of a task (the strongest) as row of `executed`, 0 = none; and the node of that link. */
uint32_t mi_relate_link(const struct mi_model *model, uint32_t task);
mi_node_id mi_relate_task_node(const struct mi_model *model, uint32_t task);

#endif
