/* Links by what the compiler wrote down: the names of the ops that went into a node; where it wrote
 * that there are none, the name that the node kept. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/categories.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/ge/ge_names.h"
#include "correlate/matcher.h"

#define MAX_PARTS    32u
#define NAMES_BUDGET (UINT64_C(64) << 20)

struct records {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_ge_names names;
    struct mi_csr by_node; /* node -> rows of recorded */
    uint32_t *claims;      /* [nodes.count] nodes that name this framework node */
    uint32_t first_link;
    uint64_t budget;            /* bytes of names that may still be looked at */
    mi_str_id rule, name_rule;  /* without a list the name is no more than that */
    mi_str_id list, multi_attr; /* list: the attribute that names origins */
};

/* Rows of one node that name the same op twice count once. */
static bool is_repeated(const struct records *r, uint32_t node, uint32_t at)
{
    const struct mi_csr *csr = &r->by_node;
    for (uint32_t i = csr->first[node]; i < at && at - csr->first[node] < 64; i++)
        if (r->rows->recorded.name[csr->list[i]].v == r->rows->recorded.name[csr->list[at]].v)
            return true;
    return false;
}

static void add_link(struct records *r, uint32_t framework, uint32_t compiled,
                     enum mi_confidence confidence, mi_str_id rule, mi_str_id evidence)
{
    struct mi_lowered_row row = {.framework = {framework},
                                 .compiled = {compiled},
                                 .role = MI_ROLE_COMPUTED,
                                 .confidence = (uint8_t)confidence,
                                 .rule = rule,
                                 .evidence = evidence};
    /* The switch of an If is expected to name it, beside the If. */
    if (mi_add_lowered(&r->model->all, &row).v &&
        mi_ge_op_of(r->model, compiled) != MI_GE_OP_CONTROL)
        r->claims[framework]++;
}

static mi_str_id evidence_of(struct records *r, uint32_t record, enum mi_name_fit fit)
{
    struct mi_bytes via = mi_model_text(r->model, r->rows->recorded.via[record]);
    struct mi_batch *all = &r->model->all;
    int len = (int)(via.len < 80 ? via.len : 80);
    const char *text = via.len ? (const char *)via.at : "";
    /* Whole sentences: in other languages the name stands in the middle. */
    if (fit == MI_NAME_UNIQUE)
        return mi_batch_printf(all, "named in %.*s", len, text);
    if (fit == MI_NAME_NEAR)
        return mi_batch_printf(all, "named in %.*s, which names several ops", len, text);
    return mi_batch_printf(all, "named in %.*s inside another name", len, text);
}

/* A node of one origin does what that op does, or the record is about something else. */
static bool contradicts(const struct records *r, uint32_t framework, uint32_t compiled,
                        uint32_t record)
{
    return mi_csr_count(&r->by_node, compiled) == 1 &&
           r->rows->recorded.op[record].v != r->rows->nodes.op[framework].v &&
           mi_ge_op_of(r->model, compiled) != MI_GE_OP_CONTROL &&
           !mi_op_can_become(r->model, (mi_node_id){framework}, (mi_node_id){compiled});
}

static void match_records(struct records *r, uint32_t n)
{
    const struct mi_csr *csr = &r->by_node;
    uint32_t graph = r->rows->nodes.graph[n].v;
    for (uint32_t i = csr->first[n]; i < csr->first[n + 1]; i++) {
        uint32_t record = csr->list[i];
        enum mi_name_fit fit;
        uint32_t q = mi_ge_name_find(&r->names, graph, r->rows->recorded.name[record], &fit);
        if (!q || is_repeated(r, n, i))
            continue;
        bool is_sure = fit == MI_NAME_UNIQUE && !contradicts(r, q, n, record);
        add_link(r, q, n, is_sure ? MI_CERTAIN : MI_LIKELY, r->rule, evidence_of(r, record, fit));
    }
}

/* The first output was an output of that op before compiling, as recorded. */
static bool has_origin(const struct records *r, uint32_t n, mi_str_id name)
{
    if (!r->rows->nodes.out_count[n])
        return false;
    uint32_t value = r->rows->ports.value[r->rows->nodes.first_out[n]].v;
    return name.v && r->rows->values.origin_name[value].v == name.v;
}

/* No names were written down. An empty list says that the node is an op of the model itself, if it
 * is called like one; without a list the name alone says so. */
static bool match_own_name(struct records *r, uint32_t n)
{
    const struct mi_nodes *nodes = &r->rows->nodes;
    enum mi_name_fit fit;
    uint32_t q = mi_ge_name_find(&r->names, nodes->graph[n].v, nodes->name[n], &fit);
    if (!q || fit == MI_NAME_SCOPED)
        return false;
    bool is_related = mi_op_can_become(r->model, (mi_node_id){q}, (mi_node_id){n});
    bool is_listed = mi_node_attr(r->model, n, r->list) != 0;
    bool is_stated = is_listed || has_origin(r, n, nodes->name[n]);
    bool is_sure = fit == MI_NAME_UNIQUE && is_related && is_stated;
    if (!is_related && !is_stated)
        return false;
    add_link(r, q, n, is_sure ? MI_CERTAIN : MI_LIKELY, is_listed ? r->rule : r->name_rule,
             mi_batch_cstr(&r->model->all, is_listed
                                               ? N_("kept its name: no other origin is recorded")
                                               : N_("has its name; no origin is recorded")));
    return true;
}

/* The name of a fused node is made of those of its origins. */
static void match_parts(struct records *r, uint32_t n)
{
    const struct mi_nodes *nodes = &r->rows->nodes;
    uint32_t parts[MAX_PARTS];
    bool is_all;
    uint32_t count = mi_ge_name_split(&r->names, nodes->graph[n].v, nodes->name[n], parts,
                                      MAX_PARTS, &is_all, &r->budget);
    if (is_all && count < 2)
        return; /* its own name, which was not good enough */
    for (uint32_t i = 0; i < count; i++)
        add_link(r, parts[i], n, is_all ? MI_LIKELY : MI_GUESS, r->name_rule,
                 mi_batch_cstr(&r->model->all, is_all ? N_("its name is made of such names")
                                                      : N_("its name begins with it")));
}

/* Frameworks that have nodes for what is fed: they become Data nodes of the same name. */
static void match_input(struct records *r, uint32_t n)
{
    static const char *const inputs[] = {"Placeholder", "PlaceholderV2", "_Arg", "Input"};
    const struct mi_nodes *nodes = &r->rows->nodes;
    enum mi_name_fit fit;
    uint32_t q = mi_ge_name_find(&r->names, nodes->graph[n].v, nodes->name[n], &fit);
    if (!q || fit != MI_NAME_UNIQUE || nodes->in_count[q])
        return;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (mi_bytes_equal(mi_model_text(r->model, nodes->op[q]), mi_cstr(inputs[i])))
            add_link(r, q, n, MI_CERTAIN, r->name_rule,
                     mi_batch_cstr(&r->model->all, N_("an input of both graphs under one name")));
}

static void match_names(struct records *r, uint32_t n)
{
    enum mi_ge_op op = mi_ge_op_of(r->model, n);
    if (op == MI_GE_OP_BOUNDARY)
        match_input(r, n);
    if (op != MI_GE_OP_PLAIN && op != MI_GE_OP_CONVERSION)
        return;
    if (!match_own_name(r, n) && op == MI_GE_OP_PLAIN && !mi_node_attr(r->model, n, r->list))
        match_parts(r, n);
}

/* An op that several nodes name was split, or one of them is wrong. */
static void doubt_shared(struct records *r)
{
    struct mi_lowered *links = &r->model->all.rows.lowered;
    for (uint32_t i = r->first_link; i < links->count; i++) {
        uint32_t framework = links->framework[i].v, compiled = links->compiled[i].v;
        if (r->claims[framework] < 2 || links->confidence[i] != MI_CERTAIN ||
            mi_node_int(r->model, compiled, r->multi_attr, 0))
            continue;
        links->confidence[i] = MI_LIKELY;
        links->conflict[i] = mi_batch_printf(&r->model->all, "%u nodes name this op as an origin",
                                             r->claims[framework]);
    }
}

static bool run_records(struct records *r)
{
    const struct mi_nodes *nodes = &r->rows->nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        if (!r->names.framework_of[nodes->graph[n].v])
            continue;
        if (mi_csr_count(&r->by_node, n))
            match_records(r, n);
        else
            match_names(r, n);
    }
    doubt_shared(r);
    return !mi_batch_failed(&r->model->all);
}

static bool run_recorded(struct mi_model *model, struct mi_error *err)
{
    struct records r = {
        .model = model,
        .rows = &model->all.rows,
        .first_link = model->all.rows.lowered.count,
        .budget = NAMES_BUDGET,
    };
    struct mi_graph_pairs pairs;
    if (!mi_graph_pairs_find(&pairs, model, err))
        return false;
    r.rule = mi_batch_cstr(&model->all, "recorded");
    r.name_rule = mi_batch_cstr(&model->all, "names");
    r.list = mi_batch_cstr(&model->all, "_datadump_original_op_names");
    r.multi_attr = mi_batch_cstr(&model->all, "_datadump_is_multiop");
    r.claims = mi_mem_zero(r.rows->nodes.count, sizeof *r.claims);
    bool ok = r.claims && mi_ge_names_init(&r.names, model, &pairs) &&
              mi_csr_build(&r.by_node, r.rows->nodes.count, (const uint32_t *)r.rows->recorded.node,
                           r.rows->recorded.count) &&
              run_records(&r);
    mi_ge_names_fini(&r.names);
    mi_csr_fini(&r.by_node);
    mi_mem_free(r.claims);
    mi_graph_pairs_fini(&pairs);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for links");
}

const struct mi_matcher mi_matcher_recorded = {
    .name = "recorded",
    .title = N_("origins that the compiler recorded"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .is_whole = true,
    .run = run_recorded,
};
