/* Finds the builds and their stages among the graphs of a model.
 *
 * Folder, format and graph number do not tell all builds apart: one process counts the dumps of all
 * its graphs together, and older names have no graph number. So dumps that tell of the same ops, by
 * the names of their nodes and the recorded ones, are one family, and each family is a build. */
#include "analyse/series/series_parts.h"

#include <stdlib.h>

enum {
    MOST_FAMILIES = 256, /* in one folder; further dumps go to the last one */
    SHARE_OF_SAME = 2    /* one in so many nodes is known to the other dump */
};

/* --- dumps: one per source that holds graphs of a stage --- */

struct dump {
    struct mi_bytes folder;
    uint32_t reader;  /* string of sources.reader */
    int64_t graph_no; /* "graph_<n>_" in the name of the file; -1 none */
    uint32_t number;  /* stage_index */
    uint32_t source;
    uint32_t graph; /* first graph; those of one source are neighbours */
    uint32_t graph_count;
    uint32_t family; /* dumps that tell of the same ops */
};

static struct mi_bytes folder_of(struct mi_bytes path)
{
    size_t len = path.len;
    while (len && path.at[len - 1] != '/' && path.at[len - 1] != '!')
        len--;
    return mi_bytes_sub(path, 0, len);
}

/* The number behind "_graph_" in the name of the file; -1 if there is none. */
static int64_t graph_number(struct mi_bytes path)
{
    static const char mark[] = "_graph_";
    size_t from = folder_of(path).len, len = sizeof mark - 1;
    for (size_t i = from; i + len < path.len; i++) {
        if (memcmp(path.at + i, mark, len) != 0)
            continue;
        int64_t number = 0;
        size_t at = i + len, digits = 0;
        for (; at < path.len && path.at[at] >= '0' && path.at[at] <= '9' && digits < 10; digits++)
            number = number * 10 + (path.at[at++] - '0');
        return digits && at < path.len && path.at[at] == '_' ? number : -1;
    }
    return -1;
}

static int compare_builds(const struct dump *a, const struct dump *b)
{
    int order = mi_bytes_compare(a->folder, b->folder);
    if (order)
        return order;
    return (a->graph_no > b->graph_no) - (a->graph_no < b->graph_no);
}

/* By folder and graph number, then by reader. */
static int compare_groups(const void *left, const void *right)
{
    const struct dump *a = left, *b = right;
    int order = compare_builds(a, b);
    if (order)
        return order;
    if (a->reader != b->reader)
        return a->reader < b->reader ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->source > b->source) - (a->source < b->source);
}

static uint32_t collect_dumps(const struct mi_model *model, struct dump *dumps)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t count = 0;
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        uint32_t source = rows->graphs.source[g].v;
        if (!rows->graphs.stage_index[g] || rows->graphs.layer[g] == MI_LAYER_FRAMEWORK)
            continue;
        if (count && dumps[count - 1].source == source) {
            dumps[count - 1].graph_count = g + 1 - dumps[count - 1].graph;
            continue;
        }
        struct mi_bytes path = mi_model_text(model, rows->sources.path[source]);
        dumps[count++] = (struct dump){.folder = folder_of(path),
                                       .reader = rows->sources.reader[source].v,
                                       .graph_no = graph_number(path),
                                       .number = rows->graphs.stage_index[g],
                                       .source = source,
                                       .graph = g,
                                       .graph_count = 1};
    }
    return count;
}

/* A dump of a part of the graph: its borders are PlaceHolder and End nodes. */
static bool is_part(const struct mi_model *model, const struct dump *dump)
{
    const uint32_t *first = model->index.graph_first_node;
    for (uint32_t n = first[dump->graph]; n < first[dump->graph + dump->graph_count]; n++)
        if (mi_series_is_border(model, (mi_node_id){n}))
            return true;
    return false;
}

/* --- families --- */

struct family {
    uint32_t whole;      /* its latest dump of a whole graph, else its first */
    struct mi_map names; /* of all its dumps */
};

static bool tells(const struct mi_model *model, uint32_t node)
{
    struct mi_bytes op = mi_model_text(model, model->all.rows.nodes.op[node]);
    return !mi_series_is_constant(model, (mi_node_id){node}) &&
           !mi_series_is_border(model, (mi_node_id){node}) && !mi_bytes_equal(op, MI_LIT("Data")) &&
           !mi_bytes_equal(op, MI_LIT("NetOutput"));
}

static bool note_names(const struct mi_series *series, const struct mi_model *model,
                       const struct dump *dump, struct mi_map *names)
{
    const struct mi_tables *rows = &model->all.rows;
    const uint32_t *first = model->index.graph_first_node;
    const struct mi_csr *of = &series->recorded;
    bool ok = true;
    for (uint32_t n = first[dump->graph]; n < first[dump->graph + dump->graph_count]; n++) {
        if (!tells(model, n))
            continue;
        ok = ok && mi_map_set(names, rows->nodes.name[n].v, 1);
        for (uint32_t i = of->first[n]; ok && i < of->first[n + 1]; i++)
            ok = mi_map_set(names, rows->recorded.name[of->list[i]].v, 1);
    }
    return ok;
}

/* Whether enough nodes of `dump` have a name in `names`. */
static bool knows(const struct mi_series *series, const struct mi_model *model,
                  const struct dump *dump, const struct mi_map *names)
{
    const struct mi_tables *rows = &model->all.rows;
    const uint32_t *first = model->index.graph_first_node;
    const struct mi_csr *of = &series->recorded;
    uint32_t known = 0, all = 0;
    for (uint32_t n = first[dump->graph]; n < first[dump->graph + dump->graph_count]; n++) {
        if (!tells(model, n))
            continue;
        bool is_known = mi_map_get(names, rows->nodes.name[n].v) != 0;
        for (uint32_t i = of->first[n]; i < of->first[n + 1] && !is_known; i++)
            is_known = mi_map_get(names, rows->recorded.name[of->list[i]].v) != 0;
        known += is_known;
        all++;
    }
    return known && (uint64_t)known * SHARE_OF_SAME >= all;
}

/* The family of dumps[at], new if it tells of other ops than all before it. */
static bool join_family(const struct mi_series *series, const struct mi_model *model,
                        struct dump *dumps, uint32_t at, struct family *families, uint32_t *count)
{
    struct mi_map names = {0};
    bool ok = note_names(series, model, &dumps[at], &names);
    uint32_t f = *count;
    /* The latest first: a later family is more often the one that goes on. */
    while (ok && f > 0 && !knows(series, model, &dumps[at], &families[f - 1].names) &&
           !knows(series, model, &dumps[families[f - 1].whole], &names))
        f--;
    mi_map_fini(&names);
    bool is_new = f == 0 && *count < MOST_FAMILIES;
    f = is_new ? (*count)++ : f ? f - 1 : MOST_FAMILIES - 1;
    if (is_new || !is_part(model, &dumps[at]))
        families[f].whole = at;
    dumps[at].family = f;
    return ok && note_names(series, model, &dumps[at], &families[f].names);
}

static int compare_families(const void *left, const void *right)
{
    const struct dump *a = left, *b = right;
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    return compare_groups(left, right);
}

/* Sorts the dumps of one folder, reader and graph number by family. */
static bool part_families(const struct mi_series *series, const struct mi_model *model,
                          struct dump *dumps, uint32_t count)
{
    struct family *families = mi_mem_zero(MOST_FAMILIES, sizeof *families);
    uint32_t family_count = 0;
    bool ok = families != NULL;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = join_family(series, model, dumps, i, families, &family_count);
    for (uint32_t f = 0; families && f < MOST_FAMILIES; f++)
        mi_map_fini(&families[f].names);
    mi_mem_free(families);
    if (ok)
        qsort(dumps, count, sizeof *dumps, compare_families);
    return ok;
}

/* --- stages --- */

static bool add_stage(struct mi_series *series, const struct mi_model *model,
                      const struct dump *dump, bool is_first)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_str_id name = rows->graphs.stage[dump->graph];
    bool part = is_part(model, dump);
    struct mi_stage *last = series->stage_count ? &series->stages[series->stage_count - 1] : NULL;
    if (!last || is_first || !part || !last->is_part || last->name.v != name.v) {
        if (!mi_vec_room(&series->stages, &series->stage_room, series->stage_count,
                         sizeof *series->stages))
            return false;
        last = &series->stages[series->stage_count++];
        *last = (struct mi_stage){.build = series->build_count,
                                  .name = name,
                                  .number = dump->number,
                                  .source = {dump->source},
                                  .is_part = part,
                                  .is_first = is_first,
                                  .first_graph = series->graph_count};
    }
    for (uint32_t i = 0; i < dump->graph_count; i++)
        if (rows->graphs.source[dump->graph + i].v == dump->source)
            series->graphs[series->graph_count++] = dump->graph + i;
    last->graph_count = series->graph_count - last->first_graph;
    return true;
}

/* Of the readers of one folder and graph number the one with most dumps counts. */
static bool list_stages(struct mi_series *series, const struct mi_model *model, struct dump *dumps,
                        uint32_t count)
{
    if (count)
        qsort(dumps, count, sizeof *dumps, compare_groups);
    for (uint32_t from = 0, to; from < count; from = to) {
        uint32_t best = from, best_count = 0, group = from;
        for (to = from; to < count && compare_builds(&dumps[from], &dumps[to]) == 0; to++) {
            if (dumps[to].reader != dumps[group].reader)
                group = to;
            if (to - group + 1 > best_count) {
                best = group;
                best_count = to - group + 1;
            }
        }
        series->left_out += to - from - best_count;
        if (!part_families(series, model, &dumps[best], best_count))
            return false;
        for (uint32_t i = best; i < best + best_count; i++) {
            bool is_first = i == best || dumps[i].family != dumps[i - 1].family;
            series->build_count += is_first;
            if (!add_stage(series, model, &dumps[i], is_first))
                return false;
        }
    }
    return true;
}

bool mi_series_find_builds(struct mi_series *series, const struct mi_model *model)
{
    const struct mi_graphs *graphs = &model->all.rows.graphs;
    struct dump *dumps = mi_mem_new(graphs->count, sizeof *dumps);
    series->graphs = mi_mem_new(graphs->count, sizeof *series->graphs);
    bool ok =
        dumps && series->graphs && list_stages(series, model, dumps, collect_dumps(model, dumps));
    mi_mem_free(dumps);
    return ok;
}
