#include "model/model.h"

#include "base/mem.h"

#include <stdlib.h>

bool mi_model_init(struct mi_model *model, struct mi_error *err)
{
    *model = (struct mi_model){0};
    return mi_batch_init(&model->all, (struct mi_bytes){0}, err);
}

void mi_model_fini(struct mi_model *model)
{
    mi_index_fini(&model->index);
    mi_mem_free(model->files);
    mi_kept_values_free(model->kept);
    mi_batch_fini(&model->all);
    *model = (struct mi_model){0};
}

mi_source_id mi_model_add_source(struct mi_model *model, const struct mi_source_row *row,
                                 struct mi_bytes bytes, struct mi_error *err)
{
    mi_source_id none = {0};
    uint32_t count = model->all.rows.sources.count;
    struct mi_bytes *files = mi_mem_resize(model->files, (size_t)count + 1, sizeof *files);
    if (!files) {
        mi_fail(err, MI_ENOMEM, "out of memory");
        return none;
    }
    model->files = files;
    files[0] = (struct mi_bytes){0};
    files[count] = bytes;
    mi_source_id id = mi_add_source(&model->all, row);
    if (!id.v)
        mi_fail(err, MI_ENOMEM, "out of memory");
    return id;
}

struct mi_bytes mi_model_record(const struct mi_model *model, mi_source_id source, int64_t offset,
                                int64_t size_bytes)
{
    if (source.v == 0 || source.v >= model->all.rows.sources.count || offset < 0 || size_bytes <= 0)
        return (struct mi_bytes){0};
    return mi_bytes_sub(model->files[source.v], (size_t)offset, (size_t)size_bytes);
}

bool mi_model_has_layer(const struct mi_model *model, enum mi_layer layer)
{
    const struct mi_graphs *graphs = &model->all.rows.graphs;
    for (uint32_t g = 1; g < graphs->count; g++)
        if (graphs->layer[g] == layer)
            return true;
    return false;
}

/* --- lookups over graphs --- */

static bool index_graph_ranges(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t *first = mi_mem_zero((size_t)rows->graphs.count + 1, sizeof *first);
    model->index.graph_first_node = first;
    if (!first)
        return false;
    uint32_t node = 1;
    for (uint32_t g = 0; g < rows->graphs.count; g++) {
        first[g] = node;
        while (node < rows->nodes.count && rows->nodes.graph[node].v == g)
            node++;
    }
    first[rows->graphs.count] = node;
    return true;
}

static bool index_consumers(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_nodes *nodes = &rows->nodes;
    struct mi_csr *csr = &model->index.consumers;
    csr->row_count = rows->values.count;
    csr->first = mi_mem_zero((size_t)rows->values.count + 2, sizeof *csr->first);
    if (!csr->first)
        return false;
    uint32_t total = 0;
    for (uint32_t n = 1; n < nodes->count; n++)
        for (uint32_t i = 0; i < nodes->in_count[n]; i++)
            if (rows->ports.value[nodes->first_in[n] + i].v) {
                csr->first[rows->ports.value[nodes->first_in[n] + i].v + 1]++;
                total++;
            }
    csr->list = mi_mem_new(total, sizeof *csr->list);
    if (!csr->list)
        return false;
    for (uint32_t v = 1; v < rows->values.count + 2; v++)
        csr->first[v] += csr->first[v - 1];
    for (uint32_t n = nodes->count - 1; n >= 1 && nodes->count > 1; n--)
        for (uint32_t i = nodes->in_count[n]; i-- > 0;) {
            uint32_t v = rows->ports.value[nodes->first_in[n] + i].v;
            if (v)
                csr->list[--csr->first[v + 1]] = n;
        }
    /* Filled from the back, first[v + 1] has become v's start: shift down by one. */
    for (uint32_t v = 0; v < rows->values.count + 1; v++)
        csr->first[v] = csr->first[v + 1];
    csr->first[rows->values.count] = total;
    return true;
}

static bool index_names(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_index *index = &model->index;
    index->next_same_name = mi_mem_zero(rows->nodes.count, sizeof *index->next_same_name);
    if (!index->next_same_name || !mi_map_reserve(&index->node_by_name, rows->nodes.count) ||
        !mi_map_reserve(&index->value_by_name, rows->values.count))
        return false;
    for (uint32_t n = rows->nodes.count - 1; n >= 1 && rows->nodes.count > 1; n--) {
        if (!rows->nodes.name[n].v)
            continue;
        uint64_t key = mi_pair(rows->nodes.graph[n].v, rows->nodes.name[n].v);
        uint32_t *at = mi_map_at(&index->node_by_name, key);
        if (!at)
            return false;
        index->next_same_name[n] = *at; /* from the back, so the map ends at the first */
        *at = n;
    }
    for (uint32_t v = rows->values.count - 1; v >= 1 && rows->values.count > 1; v--)
        if (rows->values.name[v].v &&
            !mi_map_set(&index->value_by_name,
                        mi_pair(rows->values.graph[v].v, rows->values.name[v].v), v))
            return false;
    return true;
}

bool mi_model_index_graphs(struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_index *index = &model->index;
    /* Row 0 can be read in every table from here on, also in those that hold nothing. */
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        if (!mi_table_reserve(&model->all.rows, (enum mi_table_no)t, 0))
            return mi_fail(err, MI_ENOMEM, "out of memory");
    bool ok = index_graph_ranges(model) && index_consumers(model) && index_names(model) &&
              mi_csr_build(&index->inner, rows->nodes.count, (const uint32_t *)rows->graphs.parent,
                           rows->graphs.count) &&
              mi_csr_build(&index->outer_uses, rows->values.count,
                           (const uint32_t *)rows->values.outer, rows->values.count);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for lookups");
}
