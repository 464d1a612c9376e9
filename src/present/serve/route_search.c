/* GET search?q=QUERY&max=N: nodes that fit the query (search_query.h), and tasks of no node whose
 * names do.
 *
 *   {"total", "hits": [{"node", "task", "name", "op", "layer", "tasks"}]}
 * `total` counts nodes and kernels. Hits in names that begin with the text come first; the rest
 * follows the order of the files. Of the tasks of one kernel the first stands for all. */
#include "present/export/common.h"
#include "present/serve/routes.h"
#include "present/serve/search_query.h"
#include "present/serve/site.h"

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
    mi_export_name(jw, "name", model, rows->nodes.name[node]);
    mi_export_name(jw, "op", model, rows->nodes.op[node]);
    mi_export_enum(jw, "layer", MI_E_layer, mi_node_layer(model, (mi_node_id){node}));
    mi_jw_member_i64(jw, "tasks", mi_csr_count(&model->index.node_tasks, node));
    mi_jw_end(jw);
}

static void write_kernel(struct mi_jw *jw, const struct mi_model *model, uint32_t kernel)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_jw_begin_object(jw);
    mi_export_id(jw, "node", 0);
    mi_jw_member_i64(jw, "task", model->index.kernel_first[kernel]);
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
    struct found nodes = {.most = most}, kernels = {.most = most};
    if (query.count) {
        find_nodes(&nodes, &query, model);
        find_kernels(&kernels, &query, model);
    }
    mi_jw_init(&jw, &reply->body, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_i64(&jw, "total", nodes.total + kernels.total);
    mi_jw_key(&jw, "hits");
    mi_jw_begin_array(&jw);
    most = write_hits(&jw, model, &nodes, most, write_node);
    write_hits(&jw, model, &kernels, most, write_kernel);
    mi_jw_end(&jw);
    mi_jw_end(&jw);
    mi_jw_finish(&jw, NULL);
}
