/* Where each compiled node comes from. */
#include "base/mem.h"
#include "correlate/verdict.h"

struct births {
    struct mi_model *model;
    uint32_t *given;    /* [nodes.count] row that a matcher has added, or 0 */
    uint32_t *origins;  /* [nodes.count] framework ops that it computes; calls do not count */
    uint32_t *only;     /* [nodes.count] the first of those */
    uint32_t *evidence; /* [nodes.count] */
};

uint8_t *mi_find_calls(const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    uint8_t *is_call = mi_mem_zero(rows->nodes.count, 1);
    struct mi_map functions = {0}; /* (domain, name) -> source + 1 */
    bool ok = is_call != NULL;
    for (uint32_t g = 1; ok && g < rows->graphs.count; g++)
        if (rows->graphs.kind[g] == MI_GRAPH_FUNCTION)
            ok = mi_map_set(&functions, mi_pair(rows->graphs.domain[g].v, rows->graphs.name[g].v),
                            g);
    for (uint32_t n = 1; ok && functions.count && n < rows->nodes.count; n++)
        is_call[n] =
            mi_map_get(&functions, mi_pair(rows->nodes.domain[n].v, rows->nodes.op[n].v)) != 0;
    mi_map_fini(&functions);
    if (!ok) {
        mi_mem_free(is_call);
        return NULL;
    }
    return is_call;
}

static void count_origins(struct births *b, const uint8_t *is_call)
{
    const struct mi_lowered *links = &b->model->all.rows.lowered;
    for (uint32_t r = 1; r < links->count; r++) {
        uint32_t compiled = links->compiled[r].v, framework = links->framework[r].v;
        bool is_origin = links->role[r] == MI_ROLE_COMPUTED || links->role[r] == MI_ROLE_SHARED;
        if (is_call[framework] || (!is_origin && b->only[compiled]))
            continue;
        if (is_origin && b->origins[compiled]++ == 0) {
            b->only[compiled] = framework;
            b->evidence[compiled] = links->evidence[r].v;
        }
        if (!b->evidence[compiled])
            b->evidence[compiled] = links->evidence[r].v;
    }
}

static struct mi_birth_row judge_birth(const struct births *b, uint32_t n)
{
    const struct mi_tables *rows = &b->model->all.rows;
    struct mi_birth_row row = {.node = {n}, .evidence = {b->evidence[n]}};
    uint32_t only = b->only[n], given = b->given[n];
    if (b->origins[n] > 1)
        row.origin = MI_ORIGIN_FUSED;
    else if (b->origins[n] == 1)
        row.origin = rows->nodes.op[n].v == rows->nodes.op[only].v &&
                             rows->nodes.domain[n].v == rows->nodes.domain[only].v
                         ? MI_ORIGIN_KEPT
                         : MI_ORIGIN_LOWERED;
    else if (given)
        return (struct mi_birth_row){.node = {n},
                                     .origin = rows->births.origin[given],
                                     .serves = rows->births.serves[given],
                                     .evidence = rows->births.evidence[given]};
    else if (b->evidence[n])
        row.origin = MI_ORIGIN_LOWERED; /* what is left of constants or of an Identity */
    return row;
}

static bool judge_nodes(struct births *b, const uint8_t *is_call)
{
    const struct mi_tables *rows = &b->model->all.rows;
    for (uint32_t r = rows->births.count; r-- > 1;)
        b->given[rows->births.node[r].v] = r;
    count_origins(b, is_call);
    struct mi_batch all = {0}; /* verdicts, in the order of the nodes */
    mi_tables_init(&all.rows);
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        if (mi_node_layer(b->model, (mi_node_id){n}) == MI_LAYER_COMPILED) {
            struct mi_birth_row row = judge_birth(b, n);
            mi_add_birth(&all, &row);
        }
    struct mi_births old = rows->births;
    b->model->all.rows.births = all.rows.births;
    all.rows.births = old;
    bool ok = !mi_batch_failed(&all);
    mi_tables_fini(&all.rows);
    return ok;
}

bool mi_judge_births(struct mi_model *model, struct mi_error *err)
{
    struct births b = {.model = model};
    uint32_t count = model->all.rows.nodes.count;
    uint8_t *is_call = mi_find_calls(model);
    b.given = mi_mem_zero(count, sizeof *b.given);
    b.origins = mi_mem_zero(count, sizeof *b.origins);
    b.only = mi_mem_zero(count, sizeof *b.only);
    b.evidence = mi_mem_zero(count, sizeof *b.evidence);
    bool ok = is_call && b.given && b.origins && b.only && b.evidence && judge_nodes(&b, is_call);
    mi_mem_free(is_call);
    mi_mem_free(b.given);
    mi_mem_free(b.origins);
    mi_mem_free(b.only);
    mi_mem_free(b.evidence);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while judging compiled nodes");
}
