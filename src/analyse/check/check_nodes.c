/* What compiling did to ops: gone, replaced, added, moved to a slow processor. */
#include "analyse/check/check_parts.h"
#include "analyse/deps.h"

/* --- framework ops --- */

static bool check_fate(struct mi_check *check, uint32_t fate)
{
    const struct mi_tables *rows = &check->model->all.rows;
    const struct mi_fates *fates = &rows->fates;
    bool unknown = fates->fate[fate] == MI_FATE_UNKNOWN;
    /* Removed because nothing else could be found is no reason. */
    bool unlinked = fates->reason[fate] == MI_REASON_UNLINKED;
    if ((!unknown && !unlinked && fates->fate[fate] != MI_FATE_REMOVED) ||
        fates->reason[fate] == MI_REASON_NO_COMPILED_GRAPH)
        return true;
    /* An op that reads nothing is an input of the graph or a constant. */
    if (!rows->nodes.in_count[fates->node[fate].v])
        return true;
    return mi_check_add(check,
                        &(struct mi_check_change){
                            .kind = unknown || unlinked ? MI_CHECK_VANISHED : MI_CHECK_REMOVED,
                            .severity = unknown || unlinked ? MI_WARNING : MI_INFO,
                            .framework = fates->node[fate],
                            .compiled = fates->into[fate]});
}

/* What is fed is a node in both graphs: nothing was replaced. */
static bool is_input(const struct mi_check *check, mi_node_id op, mi_node_id node)
{
    const struct mi_nodes *nodes = &check->model->all.rows.nodes;
    return nodes->in_count[op.v] == 0 &&
           mi_bytes_equal(mi_model_text(check->model, nodes->op[node.v]), MI_LIT("Data"));
}

/* Type names differ between stacks by their very spelling (MatMul, MatMulV2), so one op that became
 * one node is replaced where it became another kind of operator. */
static bool check_link(struct mi_check *check, uint32_t link)
{
    const struct mi_tables *rows = &check->model->all.rows;
    const struct mi_index *index = &check->model->index;
    mi_node_id op = rows->lowered.framework[link], node = rows->lowered.compiled[link];
    if (mi_csr_count(&index->compiled_of, op.v) != 1 ||
        mi_csr_count(&index->framework_of, node.v) != 1 ||
        rows->lowered.role[link] != MI_ROLE_COMPUTED ||
        rows->lowered.confidence[link] < MI_LIKELY ||
        rows->nodes.op[op.v].v == rows->nodes.op[node.v].v || is_input(check, op, node))
        return true;
    bool other = rows->nodes.category[op.v] != rows->nodes.category[node.v];
    return mi_check_add(check, &(struct mi_check_change){.kind = MI_CHECK_REPLACED,
                                                         .severity = other ? MI_NOTICE : MI_INFO,
                                                         .framework = op,
                                                         .compiled = node});
}

/* --- compiled nodes --- */

enum { MOST_BETWEEN = 8 /* inserted nodes behind each other */ };

/* The op in the first compiled node behind `node` that has one. */
static mi_node_id read_by(struct mi_check *check, mi_node_id node)
{
    const struct mi_tables *rows = &check->model->all.rows;
    const struct mi_csr *readers = &check->model->index.consumers;
    mi_node_id op = {0};
    for (int i = 0; i < MOST_BETWEEN && !op.v && rows->nodes.out_count[node.v]; i++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[node.v]].v;
        if (!mi_csr_count(readers, value))
            break;
        node.v = readers->list[readers->first[value]];
        op = mi_check_op_of(check, node);
    }
    return op;
}

/* The op whose result an inserted node converts or moves, else the one that reads it. */
static mi_node_id served(struct mi_check *check, uint32_t birth)
{
    const struct mi_tables *rows = &check->model->all.rows;
    mi_value_id value = rows->births.serves[birth];
    mi_node_id producer = rows->values.producer[value.v], op = {0};
    if (producer.v)
        op = mi_check_layer(check, producer) == MI_LAYER_FRAMEWORK
                 ? producer
                 : mi_check_op_of(check, producer);
    return op.v ? op : read_by(check, rows->births.node[birth]);
}

static bool check_birth(struct mi_check *check, uint32_t birth)
{
    const struct mi_tables *rows = &check->model->all.rows;
    mi_node_id node = rows->births.node[birth];
    enum mi_category category = (enum mi_category)rows->nodes.category[node.v];
    if (rows->births.origin[birth] != MI_ORIGIN_INSERTED || mi_is_constant_node(check->model, node))
        return true;
    bool moves = category != MI_CATEGORY_SYNCHRONISATION && category != MI_CATEGORY_CONTROL &&
                 rows->nodes.out_count[node.v] > 0 && rows->nodes.in_count[node.v] > 0;
    return mi_check_add(check, &(struct mi_check_change){.kind = MI_CHECK_ADDED,
                                                         .severity = moves ? MI_NOTICE : MI_INFO,
                                                         .framework = served(check, birth),
                                                         .compiled = node});
}

static bool runs_on_cpu(const struct mi_check *check, uint32_t node, mi_str_id engine)
{
    const struct mi_tables *rows = &check->model->all.rows;
    uint32_t first = rows->nodes.first_attr[node];
    for (uint32_t a = first; engine.v && a < first + rows->nodes.attr_count[node]; a++)
        if (rows->attrs.name[a].v == engine.v && rows->attrs.item_count[a])
            return mi_bytes_starts(
                mi_model_text(check->model, rows->items.text[rows->attrs.first_item[a]]),
                MI_LIT("aicpu"));
    return false;
}

static bool check_engines(struct mi_check *check)
{
    const struct mi_nodes *nodes = &check->model->all.rows.nodes;
    mi_str_id engine =
        mi_strings_find(&check->model->all.strings, MI_LIT("_ge_attr_op_kernel_lib_name"));
    for (uint32_t n = 1; engine.v && n < nodes->count; n++) {
        mi_node_id node = {n};
        if (mi_check_layer(check, node) == MI_LAYER_COMPILED && runs_on_cpu(check, n, engine) &&
            !mi_check_add(check, &(struct mi_check_change){.kind = MI_CHECK_AI_CPU,
                                                           .severity = MI_WARNING,
                                                           .framework = mi_check_op_of(check, node),
                                                           .compiled = node}))
            return false;
    }
    return true;
}

bool mi_check_nodes(struct mi_check *check)
{
    const struct mi_tables *rows = &check->model->all.rows;
    bool ok = true;
    for (uint32_t f = 1; ok && f < rows->fates.count; f++)
        ok = check_fate(check, f);
    for (uint32_t l = 1; ok && l < rows->lowered.count; l++)
        ok = check_link(check, l);
    for (uint32_t b = 1; ok && b < rows->births.count; b++)
        ok = check_birth(check, b);
    return ok && check_engines(check);
}
