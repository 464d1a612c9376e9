/* GET search?q=QUERY&max=N: nodes that fit the query (search_query.h), constants that no node makes
 * and that some node reads, and tasks of no node whose names do.
 *
 *   {"total", "hits": [{"node", "task", "value", "name", "op", "layer", "tasks"}]}
 * `total` counts nodes, constants and kernels, which come in this order. Hits in names that begin
 * with the text come first; the rest follows the order of the files. Of a constant "node" is the
 * first that reads it. Of the tasks of one kernel the first stands for all. */
#include "analyse/describe.h"
#include "present/export/common.h"
#include "present/serve/routes.h"
#include "present/serve/search_query.h"
#include "present/serve/site.h"

#include <string.h>

enum { MOST_HITS = 2000, DEFAULT_HITS = 100 };

struct found {
    uint32_t list[2][MOST_HITS]; /* by rank */
    uint32_t count[2];
    int64_t most, total;
};

static void add_hit(struct found *found, int rank, uint32_t id)
{
    found->total += rank > 0;
    if (rank && found->count[rank - 1] < found->most)
        found->list[rank - 1][found->count[rank - 1]++] = id;
}

static void find_nodes(struct found *found, struct mi_query *query, const struct mi_model *model)
{
    for (uint32_t n = 1; n < model->all.rows.nodes.count; n++)
        add_hit(found, mi_query_node(query, model, n), n);
}

/* Constants are few among many values, or many among few. */
static void find_constants(struct found *found, const struct mi_query *query,
                           const struct mi_model *model)
{
    const struct mi_values *values = &model->all.rows.values;
    for (uint32_t v = 1; v < values->count; v++) {
        const uint8_t *next = memchr(values->kind + v, MI_VALUE_CONSTANT, values->count - v);
        if (!next)
            return;
        v = (uint32_t)(next - values->kind);
        if (!values->producer[v].v && mi_relate_first_reader(model, (mi_value_id){v}).v)
            add_hit(found, mi_query_constant(query, model, v), v);
    }
}

/* Tasks that belong to a node are found by that. */
static void find_kernels(struct found *found, const struct mi_query *query,
                         const struct mi_model *model)
{
    for (uint32_t k = 1; query->has_text_only && k < model->all.rows.kernels.count; k++) {
        uint32_t task = model->index.kernel_first[k];
        if (task && !model->all.rows.tasks.link[task].v)
            add_hit(found, mi_query_kernel(query, model, k), k);
    }
}

static void write_node(struct mi_jw *jw, const struct mi_model *model, uint32_t node)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_jw_begin_object(jw);
    mi_jw_member_i64(jw, "node", node);
    mi_export_id(jw, "task", 0);
    mi_export_id(jw, "value", 0);
    mi_jw_member_string(jw, "name", mi_node_known_as(model, (mi_node_id){node}));
    mi_export_name(jw, "op", model, rows->nodes.op[node]);
    mi_export_enum(jw, "layer", MI_E_layer, mi_node_layer(model, (mi_node_id){node}));
    mi_jw_member_i64(jw, "tasks", mi_csr_count(&model->index.node_tasks, node));
    mi_jw_end(jw);
}

static void write_constant(struct mi_jw *jw, const struct mi_model *model, uint32_t value)
{
    const struct mi_tables *rows = &model->all.rows;
    enum mi_layer layer = rows->graphs.layer[rows->values.graph[value].v];
    mi_jw_begin_object(jw);
    mi_jw_member_i64(jw, "node", mi_relate_first_reader(model, (mi_value_id){value}).v);
    mi_export_id(jw, "task", 0);
    mi_jw_member_i64(jw, "value", value);
    mi_export_name(jw, "name", model, rows->values.name[value]);
    mi_jw_member_text(jw, "op", "Constant");
    mi_export_enum(jw, "layer", MI_E_layer, layer);
    mi_jw_member_i64(jw, "tasks", 0);
    mi_jw_end(jw);
}

static void write_kernel(struct mi_jw *jw, const struct mi_model *model, uint32_t kernel)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_jw_begin_object(jw);
    mi_export_id(jw, "node", 0);
    mi_jw_member_i64(jw, "task", model->index.kernel_first[kernel]);
    mi_export_id(jw, "value", 0);
    mi_export_name(jw, "name", model, rows->kernels.name[kernel]);
    mi_export_name(jw, "op", model, rows->kernels.op[kernel]);
    mi_jw_member_text(jw, "layer", "tasks");
    mi_jw_member_i64(jw, "tasks", model->index.kernel_count[kernel]);
    mi_jw_end(jw);
}

static int64_t write_hits(struct mi_jw *jw, const struct mi_model *model, const struct found *found,
                          int64_t room,
                          void (*write)(struct mi_jw *, const struct mi_model *, uint32_t))
{
    for (int rank = 1; rank >= 0; rank--)
        for (uint32_t i = 0; i < found->count[rank] && room > 0; i++, room--)
            write(jw, model, found->list[rank][i]);
    return room;
}

void mi_route_search(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    const struct mi_model *model = mi_site_model(site);
    const char *text = request->query(request, "q");
    struct mi_query query = mi_query_read(mi_cstr(text ? text : ""));
    int64_t most = DEFAULT_HITS;
    struct mi_jw jw;
    if (mi_http_number(request->query(request, "max"), &most) && (most < 0 || most > MOST_HITS))
        most = MOST_HITS;
    struct found nodes = {.most = most}, constants = {.most = most}, kernels = {.most = most};
    if (query.count) {
        find_nodes(&nodes, &query, model);
        find_constants(&constants, &query, model);
        find_kernels(&kernels, &query, model);
    }
    mi_jw_init(&jw, &reply->body, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_i64(&jw, "total", nodes.total + constants.total + kernels.total);
    mi_jw_key(&jw, "hits");
    mi_jw_begin_array(&jw);
    most = write_hits(&jw, model, &nodes, most, write_node);
    most = write_hits(&jw, model, &constants, most, write_constant);
    write_hits(&jw, model, &kernels, most, write_kernel);
    mi_jw_end(&jw);
    mi_jw_end(&jw);
    mi_jw_finish(&jw, NULL);
}
