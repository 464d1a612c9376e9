/* GET search?q=TEXT&max=N: nodes whose name or operator type has the text, in any case.
 *
 *   op:TEXT looks at types alone; layer:framework or layer:compiled leaves one layer.
 *   {"total", "hits": [{"node", "name", "op", "layer", "tasks"}]}
 * Hits in names that begin with the text come first; the rest follows the order of the files. */
#include "present/export/common.h"
#include "present/serve/find_text.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

#include <string.h>

enum { MOST_HITS = 1000, DEFAULT_HITS = 100 };

struct query {
    struct mi_bytes text, op;
    enum mi_layer layer; /* NONE = both */
};

/* Words of the query; the last plain one counts. */
static struct query read_query(struct mi_bytes text)
{
    struct query query = {.layer = MI_LAYER_NONE};
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.at[end] != ' ')
            end++;
        struct mi_bytes word = mi_bytes_sub(text, at, end - at);
        if (mi_bytes_starts(word, MI_LIT("op:")))
            query.op = mi_bytes_sub(word, 3, word.len);
        else if (mi_bytes_equal(word, MI_LIT("layer:framework")))
            query.layer = MI_LAYER_FRAMEWORK;
        else if (mi_bytes_equal(word, MI_LIT("layer:compiled")))
            query.layer = MI_LAYER_COMPILED;
        else if (word.len)
            query.text = word;
        at = end + 1;
    }
    return query;
}

/* 0 = no hit, 1 = within, 2 = at the beginning of a name or of its last part. */
static int rank_of(const struct mi_model *model, const struct query *query, uint32_t node)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    enum mi_layer layer = mi_node_layer(model, (mi_node_id){node});
    struct mi_bytes name = mi_model_text(model, nodes->name[node]);
    struct mi_bytes op = mi_model_text(model, nodes->op[node]);
    if (layer == MI_LAYER_STAGE || (query->layer && layer != query->layer))
        return 0;
    if (query->op.len && mi_find_text(op, query->op) == SIZE_MAX)
        return 0;
    size_t at = mi_find_text(name, query->text);
    if (at != SIZE_MAX)
        return at == 0 || name.at[at - 1] == '/' ? 2 : 1;
    return mi_find_text(op, query->text) == SIZE_MAX ? 0 : 1;
}

static void write_hit(struct mi_jw *jw, const struct mi_model *model, uint32_t node)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_jw_begin_object(jw);
    mi_jw_member_i64(jw, "node", node);
    mi_export_name(jw, "name", model, rows->nodes.name[node]);
    mi_export_name(jw, "op", model, rows->nodes.op[node]);
    mi_export_enum(jw, "layer", MI_E_layer, mi_node_layer(model, (mi_node_id){node}));
    mi_jw_member_i64(jw, "tasks", mi_csr_count(&model->index.node_tasks, node));
    mi_jw_end(jw);
}

void mi_route_search(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    const struct mi_model *model = mi_site_model(site);
    const char *text = request->query(request, "q");
    struct query query = read_query(mi_cstr(text ? text : ""));
    uint32_t hits[2][MOST_HITS], count[2] = {0};
    int64_t most = DEFAULT_HITS, total = 0;
    struct mi_jw jw;
    mi_http_number(request->query(request, "max"), &most);
    if (most < 0 || most > MOST_HITS)
        most = MOST_HITS;
    bool is_empty = !query.text.len && !query.op.len;
    for (uint32_t n = 1; !is_empty && n < model->all.rows.nodes.count; n++) {
        int rank = rank_of(model, &query, n);
        total += rank > 0;
        if (rank && count[rank - 1] < most)
            hits[rank - 1][count[rank - 1]++] = n;
    }
    mi_jw_init(&jw, &reply->body, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_i64(&jw, "total", total);
    mi_jw_key(&jw, "hits");
    mi_jw_begin_array(&jw);
    for (int rank = 1; rank >= 0; rank--)
        for (uint32_t i = 0; i < count[rank] && most > 0; i++, most--)
            write_hit(&jw, model, hits[rank][i]);
    mi_jw_end(&jw);
    mi_jw_end(&jw);
    mi_jw_finish(&jw, NULL);
}
