/* Derived types, spread through the graphs of ONNX files: along edges, into bodies and branches,
 * and into model-local functions as far as all their callers agree.
 *
 * A worklist over a lattice: what is said of a tensor goes from nothing to known to "varies" and
 * never back, so cycles end and each node is looked at a bounded number of times. A budget on top
 * keeps graphs made to be slow from being so; beyond it nothing is derived at all. */
#include "correlate/types/types_parts.h"

#define AMBIGUOUS UINT32_MAX /* in function_of: several functions of that name */

#define WORK_PER_PORT 64u
#define WORK_SLACK    (1u << 20)

struct flow {
    struct mi_types *types;
    struct mi_model *model;
    const struct mi_tables *rows;
    uint8_t *is_waiting;  /* [nodes.count] will be looked at anyway */
    uint8_t *is_onnx;     /* [graphs.count] */
    uint8_t *is_result;   /* [values.count] an output of a body or function */
    struct mi_u32s queue; /* nodes to be looked at again */
    struct mi_u32s open;  /* values whose captures are still to be followed */
    /* NULL and empty where there are no functions: */
    uint32_t *function_of;            /* [nodes.count] graph that the node calls; 0 = none */
    struct mi_csr callers;            /* function -> nodes */
    uint32_t *pending;                /* [values.count] callers whose argument is not known yet */
    uint8_t *is_told;                 /* [ports.count] this argument was known */
    struct mi_tensor_type *arguments; /* [values.count] what the callers give to this input */
    mi_str_id if_op, loop_op, scan_op;
    uint64_t work, budget;
    bool failed;
};

/* --- news about a value --- */

static void wake(struct flow *f, uint32_t node)
{
    if (!node || f->is_waiting[node])
        return;
    f->is_waiting[node] = 1;
    if (!mi_u32s_push(&f->queue, node))
        f->failed = true;
}

/* Those whose outputs are the outputs of this graph: its owner, or its callers. */
static void wake_owners(struct flow *f, uint32_t graph)
{
    wake(f, f->rows->graphs.parent[graph].v);
    if (!f->function_of || f->rows->graphs.kind[graph] != MI_GRAPH_FUNCTION)
        return;
    f->work += mi_csr_count(&f->callers, graph);
    for (uint32_t i = f->callers.first[graph]; i < f->callers.first[graph + 1]; i++)
        wake(f, f->callers.list[i]);
}

/* Readers of the value, here and in bodies that capture it. */
static void tell(struct flow *f, uint32_t value)
{
    const struct mi_index *index = &f->model->index;
    f->open.count = 0;
    f->failed = !mi_u32s_push(&f->open, value) || f->failed;
    for (uint32_t i = 0; i < f->open.count; i++) {
        uint32_t v = f->open.at[i];
        f->work += mi_csr_count(&index->consumers, v) + 1;
        for (uint32_t k = index->consumers.first[v]; k < index->consumers.first[v + 1]; k++)
            wake(f, index->consumers.list[k]);
        for (uint32_t k = index->outer_uses.first[v]; k < index->outer_uses.first[v + 1]; k++)
            if (f->open.count < f->rows->values.count)
                f->failed = !mi_u32s_push(&f->open, index->outer_uses.list[k]) || f->failed;
        if (f->is_result[v])
            wake_owners(f, f->rows->values.graph[v].v);
    }
}

static bool same_shape(const struct flow *f, const struct mi_tensor_type *a,
                       const struct mi_tensor_type *b)
{
    const struct mi_dims *dims = &f->rows->dims;
    if (a->dim_count != b->dim_count)
        return false;
    for (uint32_t i = 0; i < a->dim_count && a->first_dim != b->first_dim; i++)
        if (dims->size[a->first_dim + i] != dims->size[b->first_dim + i] ||
            dims->symbol[a->first_dim + i].v != dims->symbol[b->first_dim + i].v)
            return false;
    return true;
}

/* Adds `news` to what is said; true if that changes it. */
static bool join_dtype(struct mi_tensor_type *said, const struct mi_tensor_type *news)
{
    bool is_same = said->type == news->type && said->dtype == news->dtype;
    if (news->dtype_state == MI_TYPE_NOTHING || said->dtype_state == MI_TYPE_VARIES ||
        (said->dtype_state == news->dtype_state && is_same))
        return false;
    if (said->dtype_state == MI_TYPE_KNOWN) {
        said->dtype_state = MI_TYPE_VARIES;
        return true;
    }
    said->type = news->type;
    said->dtype = news->dtype;
    said->dtype_state = news->dtype_state;
    return true;
}

static bool join_shape(const struct flow *f, struct mi_tensor_type *said,
                       const struct mi_tensor_type *news)
{
    if (news->shape_state == MI_TYPE_NOTHING || said->shape_state == MI_TYPE_VARIES ||
        (said->shape_state == news->shape_state && same_shape(f, said, news)))
        return false;
    if (said->shape_state == MI_TYPE_KNOWN) {
        said->shape_state = MI_TYPE_VARIES;
        return true;
    }
    said->first_dim = news->first_dim;
    said->dim_count = news->dim_count;
    said->shape_state = news->shape_state;
    return true;
}

/* Something is derived about a value. Readers only hear of it where nothing stronger is known. */
static void derive(struct flow *f, uint32_t value, const struct mi_tensor_type *news)
{
    const struct mi_values *values = &f->rows->values;
    if (!value || values->kind[value] == MI_VALUE_OUTER)
        return;
    bool is_news =
        join_dtype(&f->types->derived[value], news) && values->dtype_from[value] == MI_KNOWN_NOT;
    is_news = (join_shape(f, &f->types->derived[value], news) &&
               values->shape_from[value] == MI_KNOWN_NOT) ||
              is_news;
    if (is_news)
        tell(f, value);
}

static uint32_t graph_in(const struct flow *f, uint32_t graph, uint32_t i)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    return i < graphs->in_count[graph] ? f->rows->ports.value[graphs->first_in[graph] + i].v : 0;
}

static uint32_t graph_out(const struct flow *f, uint32_t graph, uint32_t i)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    return i < graphs->out_count[graph] ? f->rows->ports.value[graphs->first_out[graph] + i].v : 0;
}

static uint32_t node_in(const struct flow *f, uint32_t node, uint32_t i)
{
    const struct mi_nodes *nodes = &f->rows->nodes;
    return i < nodes->in_count[node] ? f->rows->ports.value[nodes->first_in[node] + i].v : 0;
}

static uint32_t node_out(const struct flow *f, uint32_t node, uint32_t i)
{
    return f->rows->ports.value[f->rows->nodes.first_out[node] + i].v;
}

/* The element type alone of one value goes to another: sizes change from turn to turn. */
static void derive_dtype(struct flow *f, uint32_t to, uint32_t from)
{
    if (!to || !from)
        return;
    struct mi_tensor_type type = mi_types_of(f->types, from);
    type.shape_state = MI_TYPE_NOTHING;
    derive(f, to, &type);
}

/* --- nodes that own bodies --- */

/* Inputs of a body from those of its node: Loop gives the turn and the condition first; Scan before
 * version 9 has the lengths in front. */
static void enter_body(struct flow *f, uint32_t node, uint32_t body, bool is_loop)
{
    uint32_t count = f->rows->graphs.in_count[body], skip = 0;
    if (is_loop) {
        struct mi_tensor_type turn = {.dtype = f->types->dtypes[7].v, .dtype_state = MI_TYPE_KNOWN};
        struct mi_tensor_type condition = {.dtype = f->types->dtypes[9].v,
                                           .dtype_state = MI_TYPE_KNOWN};
        derive(f, graph_in(f, body, 0), &turn);
        derive(f, graph_in(f, body, 1), &condition);
        skip = 2;
    }
    uint32_t shift = !is_loop && f->rows->nodes.in_count[node] == count + 1 ? 1 : 0;
    for (uint32_t i = skip; i < count; i++)
        derive_dtype(f, graph_in(f, body, i), node_in(f, node, i + shift));
}

static void visit_owner(struct flow *f, uint32_t node)
{
    const struct mi_csr *inner = &f->model->index.inner;
    bool is_loop = f->rows->nodes.op[node].v == f->loop_op.v;
    bool is_if = f->rows->nodes.op[node].v == f->if_op.v;
    for (uint32_t k = inner->first[node]; k < inner->first[node + 1]; k++) {
        uint32_t body = inner->list[k];
        if (!is_if)
            enter_body(f, node, body, is_loop);
        f->work += f->rows->graphs.in_count[body] + f->rows->nodes.out_count[node];
        for (uint32_t i = 0; i < f->rows->nodes.out_count[node]; i++)
            derive_dtype(f, node_out(f, node, i), graph_out(f, body, i + (is_loop ? 1 : 0)));
    }
}

/* --- calls of functions --- */

/* Without all callers nothing is known inside: what some pass is not what all pass. */
static void enter_function(struct flow *f, uint32_t node, uint32_t graph, uint32_t i)
{
    uint32_t to = graph_in(f, graph, i), from = node_in(f, node, i);
    if (!to || !from)
        return;
    struct mi_tensor_type type = mi_types_of(f->types, from);
    uint8_t *is_told = &f->is_told[f->rows->nodes.first_in[node] + i];
    type.shape_state = MI_TYPE_NOTHING;
    if (type.dtype_state != MI_TYPE_NOTHING && !*is_told) {
        *is_told = 1;
        f->pending[to]--;
    }
    join_dtype(&f->arguments[to], &type);
    if (!f->pending[to])
        derive(f, to, &f->arguments[to]);
}

static void visit_call(struct flow *f, uint32_t node, uint32_t graph)
{
    for (uint32_t i = 0; i < f->rows->nodes.in_count[node]; i++)
        enter_function(f, node, graph, i);
    for (uint32_t i = 0; i < f->rows->nodes.out_count[node]; i++)
        derive_dtype(f, node_out(f, node, i), graph_out(f, graph, i));
}

/* Functions of the graphs [first, end), which are those of one source, and the nodes that call
 * them. */
static bool find_calls(struct flow *f, uint32_t first, uint32_t end)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    const uint32_t *first_node = f->model->index.graph_first_node;
    struct mi_map functions = {0};
    bool ok = true;
    for (uint32_t g = first; ok && g < end; g++) {
        if (graphs->kind[g] != MI_GRAPH_FUNCTION)
            continue;
        uint32_t *slot = mi_map_at(&functions, mi_pair(graphs->domain[g].v, graphs->name[g].v));
        ok = slot != NULL;
        if (ok)
            *slot = *slot ? AMBIGUOUS : g;
    }
    for (uint32_t n = first_node[first]; ok && functions.count && n < first_node[end]; n++) {
        f->function_of[n] =
            mi_map_get(&functions, mi_pair(f->rows->nodes.domain[n].v, f->rows->nodes.op[n].v));
        uint32_t graph = f->function_of[n] == AMBIGUOUS ? 0 : f->function_of[n];
        for (uint32_t i = 0; graph && i < f->rows->nodes.in_count[n]; i++)
            f->pending[graph_in(f, graph, i)] += node_in(f, n, i) != 0;
    }
    mi_map_fini(&functions);
    return ok;
}

static bool list_callers(struct flow *f)
{
    uint32_t *keys = mi_mem_zero(f->rows->nodes.count, sizeof *keys);
    for (uint32_t n = 1; keys && n < f->rows->nodes.count; n++)
        keys[n] = f->function_of[n] == AMBIGUOUS ? 0 : f->function_of[n];
    bool ok = keys && mi_csr_build(&f->callers, f->rows->graphs.count, keys, f->rows->nodes.count);
    mi_mem_free(keys);
    return ok;
}

static bool find_functions(struct flow *f)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    bool has_some = false;
    for (uint32_t g = 1; g < graphs->count; g++)
        has_some = has_some || graphs->kind[g] == MI_GRAPH_FUNCTION;
    if (!has_some)
        return true;
    f->function_of = mi_mem_zero(f->rows->nodes.count, sizeof *f->function_of);
    f->pending = mi_mem_zero(f->rows->values.count, sizeof *f->pending);
    f->arguments = mi_mem_zero(f->rows->values.count, sizeof *f->arguments);
    f->is_told = mi_mem_zero(f->rows->ports.count, 1);
    if (!f->function_of || !f->pending || !f->arguments || !f->is_told)
        return false;
    for (uint32_t g = 1, end; g < graphs->count; g = end) {
        for (end = g + 1; end < graphs->count && graphs->source[end].v == graphs->source[g].v;)
            end++;
        if (!find_calls(f, g, end))
            return false;
    }
    return list_callers(f);
}

/* --- the worklist --- */

static bool owns_known_bodies(const struct flow *f, uint32_t node)
{
    uint32_t op = f->rows->nodes.op[node].v;
    return !f->rows->nodes.domain[node].v && op &&
           (op == f->if_op.v || op == f->loop_op.v || op == f->scan_op.v);
}

static void visit(struct flow *f, uint32_t node)
{
    const struct mi_nodes *nodes = &f->rows->nodes;
    f->is_waiting[node] = 0;
    f->work += 1 + nodes->out_count[node] + nodes->in_count[node] / 16;
    if (!f->is_onnx[nodes->graph[node].v])
        return;
    uint32_t function = f->function_of ? f->function_of[node] : 0;
    if (function == AMBIGUOUS)
        return;
    if (function) {
        f->work += nodes->in_count[node];
        visit_call(f, node, function);
    } else if (owns_known_bodies(f, node)) {
        visit_owner(f, node);
    } else {
        for (uint32_t i = 0; i < nodes->out_count[node]; i++) {
            struct mi_tensor_type type = mi_rules_apply(f->types, node, i);
            derive(f, node_out(f, node, i), &type);
        }
    }
}

/* Operators mean what types.def says only in files that follow ONNX. */
static void find_onnx(struct flow *f)
{
    const struct mi_graphs *graphs = &f->rows->graphs;
    for (uint32_t g = 1; g < graphs->count; g++) {
        mi_str_id reader = f->rows->sources.reader[graphs->source[g].v];
        f->is_onnx[g] = mi_bytes_ends(mi_model_text(f->model, reader), MI_LIT("onnx"));
        for (uint32_t i = 0; graphs->kind[g] != MI_GRAPH_MAIN && i < graphs->out_count[g]; i++)
            f->is_result[graph_out(f, g, i)] = 1;
    }
}

static void spread(struct flow *f)
{
    for (uint32_t n = 1; n < f->rows->nodes.count && f->work <= f->budget; n++)
        visit(f, n);
    for (uint32_t i = 0; i < f->queue.count && f->work <= f->budget && !f->failed; i++)
        visit(f, f->queue.at[i]);
}

static void give_up(struct flow *f)
{
    struct mi_batch *all = &f->model->all;
    mi_str_id text = mi_batch_printf(all, "the graphs are too entangled to derive the types of "
                                          "their tensors; only declared and observed ones are "
                                          "known");
    memset(f->types->derived, 0, f->rows->values.count * sizeof *f->types->derived);
    mi_add_diag(all, &(struct mi_diag_row){.source = {1},
                                           .code = mi_batch_cstr(all, "types.cut_off"),
                                           .severity = MI_NOTICE,
                                           .times = 1,
                                           .offset = -1,
                                           .text = text});
}

bool mi_types_derive(struct mi_types *types, struct mi_error *err)
{
    struct mi_model *model = types->model;
    const struct mi_strings *strings = &model->all.strings;
    struct flow f = {.types = types, .model = model, .rows = &model->all.rows};
    f.if_op = mi_strings_find(strings, MI_LIT("If"));
    f.loop_op = mi_strings_find(strings, MI_LIT("Loop"));
    f.scan_op = mi_strings_find(strings, MI_LIT("Scan"));
    f.budget = (uint64_t)f.rows->ports.count * WORK_PER_PORT + WORK_SLACK;
    f.is_waiting = mi_mem_new(f.rows->nodes.count, 1);
    f.is_onnx = mi_mem_zero(f.rows->graphs.count, 1);
    f.is_result = mi_mem_zero(f.rows->values.count, 1);
    bool ok = f.is_waiting && f.is_onnx && f.is_result && find_functions(&f);
    if (ok) {
        memset(f.is_waiting, 1, f.rows->nodes.count);
        find_onnx(&f);
        spread(&f);
        ok = !f.failed;
        if (ok && f.work > f.budget)
            give_up(&f);
    }
    mi_mem_free(f.is_waiting);
    mi_mem_free(f.is_onnx);
    mi_mem_free(f.is_result);
    mi_mem_free(f.function_of);
    mi_mem_free(f.pending);
    mi_mem_free(f.is_told);
    mi_mem_free(f.arguments);
    mi_csr_fini(&f.callers);
    mi_u32s_fini(&f.queue);
    mi_u32s_fini(&f.open);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for types of tensors");
}
