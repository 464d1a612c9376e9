/* Finds the builds and their stages, and walks from stage to stage. */
#include "analyse/series.h"

#include "analyse/deps.h"
#include "analyse/series_parts.h"
#include "base/translate.h"

#include <stdlib.h>

const char *const mi_change_names[] = {
    N_("inserted"),   N_("fused"),   N_("split"),  N_("renamed"), N_("retyped"),
    N_("absorbed"),   N_("dtype"),   N_("format"), N_("shape"),   N_("fused_into"),
    N_("split_into"), N_("removed"), NULL};

bool mi_series_room(void *block, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room)
        return true;
    uint32_t wanted = *room < UINT32_MAX / 2 ? (*room ? *room * 2 : 64) : 0;
    void *at;
    memcpy(&at, block, sizeof at);
    at = wanted ? mi_mem_resize(at, wanted, size) : NULL;
    if (!at)
        return false;
    memcpy(block, &at, sizeof at);
    *room = wanted;
    return true;
}

bool mi_series_is_constant(const struct mi_model *model, mi_node_id node)
{
    return mi_is_constant_node(model, node);
}

/* --- dumps: one per source that holds graphs of a stage --- */

struct dump {
    struct mi_bytes folder;
    uint32_t reader;  /* string of sources.reader */
    int64_t graph_no; /* "graph_<n>_" in the name of the file; -1 none */
    uint32_t number;  /* stage_index */
    uint32_t source;
    uint32_t graph; /* first graph; those of one source are neighbours */
    uint32_t graph_count;
    uint32_t stages; /* dumps of the same folder, reader and graph number */
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
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    const uint32_t *first = model->index.graph_first_node;
    for (uint32_t n = first[dump->graph]; n < first[dump->graph + dump->graph_count]; n++) {
        struct mi_bytes op = mi_model_text(model, nodes->op[n]);
        if (mi_bytes_equal(op, MI_LIT("PlaceHolder")) || mi_bytes_equal(op, MI_LIT("End")))
            return true;
    }
    return false;
}

static bool add_stage(struct mi_series *series, const struct mi_model *model,
                      const struct dump *dump, bool is_first)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_str_id name = rows->graphs.stage[dump->graph];
    bool part = is_part(model, dump);
    struct mi_stage *last = series->stage_count ? &series->stages[series->stage_count - 1] : NULL;
    if (!last || is_first || !part || !last->is_part || last->name.v != name.v) {
        if (!mi_series_room(&series->stages, &series->stage_room, series->stage_count,
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

/* Of the readers of one folder and graph number the one with most dumps makes the build. */
static bool list_stages(struct mi_series *series, const struct mi_model *model, struct dump *dumps,
                        uint32_t count)
{
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
        series->build_count++;
        series->left_out += to - from - best_count;
        for (uint32_t i = 0; i < best_count; i++)
            if (!add_stage(series, model, &dumps[best + i], i == 0))
                return false;
    }
    return true;
}

/* --- tracks --- */

uint32_t mi_series_begin(struct mi_step *step, mi_node_id node)
{
    struct mi_series *series = step->series;
    if (!mi_series_room(&series->tracks, &series->track_room, series->track_count,
                        sizeof *series->tracks))
        return 0;
    uint32_t track = series->track_count;
    while (step->seen_room <= track)
        if (!mi_series_room(&step->seen, &step->seen_room, step->seen_room, sizeof *step->seen))
            return 0;
    series->tracks[track] = (struct mi_track){.first = node,
                                              .last = node,
                                              .born = step->stage,
                                              .gone = series->stage_count,
                                              .build = series->stages[step->stage].build};
    step->seen[track] = step->stage + 1;
    series->track_of[node.v] = track;
    series->track_count++;
    return track;
}

void mi_series_go_on(struct mi_step *step, uint32_t track, mi_node_id node)
{
    step->series->track_of[node.v] = track;
    step->seen[track] = step->stage + 1;
}

bool mi_series_add(struct mi_step *step, const struct mi_change *change)
{
    struct mi_series *series = step->series;
    if (!mi_series_room(&series->changes, &series->change_room, series->change_count,
                        sizeof *series->changes))
        return false;
    series->changes[series->change_count] = *change;
    series->changes[series->change_count++].stage = step->stage;
    return true;
}

/* --- from stage to stage --- */

static bool is_border(const struct mi_model *model, uint32_t node)
{
    struct mi_bytes op = mi_model_text(model, model->all.rows.nodes.op[node]);
    return mi_bytes_equal(op, MI_LIT("PlaceHolder")) || mi_bytes_equal(op, MI_LIT("End"));
}

static bool list_nodes(struct mi_step *step)
{
    struct mi_stage *stage = &step->series->stages[step->stage];
    const uint32_t *first = step->model->index.graph_first_node;
    step->node_count = 0;
    for (uint32_t i = 0; i < stage->graph_count; i++) {
        uint32_t graph = step->series->graphs[stage->first_graph + i];
        for (uint32_t n = first[graph]; n < first[graph + 1]; n++) {
            if (stage->is_part && is_border(step->model, n))
                continue;
            if (!mi_series_room(&step->nodes, &step->node_room, step->node_count,
                                sizeof *step->nodes))
                return false;
            step->nodes[step->node_count++] = n;
        }
    }
    stage->nodes = step->node_count;
    return true;
}

/* The nodes of this stage are those that live; of a part, the others live on unseen. */
static bool settle_live(struct mi_step *step)
{
    struct mi_series *series = step->series;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < step->live_count; i++) {
        uint32_t track = step->live[i];
        if (!mi_series_is_seen(step, track) && series->tracks[track].gone == series->stage_count)
            step->live[kept++] = track;
    }
    step->live_count = kept;
    for (uint32_t i = 0; i < step->node_count; i++) {
        uint32_t track = series->track_of[step->nodes[i]];
        series->tracks[track].last = (mi_node_id){step->nodes[i]};
        if (!mi_series_room(&step->live, &step->live_room, step->live_count, sizeof *step->live))
            return false;
        step->live[step->live_count++] = track;
    }
    return true;
}

static bool begin_build(struct mi_step *step)
{
    step->live_count = step->before_count = 0;
    step->has_edges = false;
    for (uint32_t i = 0; i < step->node_count; i++)
        if (!mi_series_begin(step, (mi_node_id){step->nodes[i]}))
            return false;
    return true;
}

static bool walk(struct mi_step *step)
{
    struct mi_series *series = step->series;
    for (step->stage = 0; step->stage < series->stage_count; step->stage++) {
        if (!list_nodes(step))
            return false;
        bool ok = series->stages[step->stage].is_first
                      ? begin_build(step)
                      : mi_series_match(step) && mi_series_compare(step);
        if (!ok || !settle_live(step) || !mi_series_edges(step))
            return false;
    }
    return true;
}

static void list_ports(const struct mi_model *model, uint32_t *out_port)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        for (uint32_t p = 0; p < rows->nodes.out_count[n]; p++)
            out_port[rows->ports.value[rows->nodes.first_out[n] + p].v] = p;
}

static void step_fini(struct mi_step *step)
{
    mi_mem_free(step->live);
    mi_mem_free(step->nodes);
    mi_mem_free(step->seen);
    mi_mem_free(step->out_port);
    mi_mem_free(step->before);
    mi_mem_free(step->after);
}

static bool follow(struct mi_series *series, const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_step step = {.model = model, .series = series};
    series->track_of = mi_mem_zero(rows->nodes.count, sizeof *series->track_of);
    step.out_port = mi_mem_zero(rows->values.count, sizeof *step.out_port);
    bool ok = series->track_of && step.out_port &&
              mi_csr_build(&series->recorded, rows->nodes.count,
                           (const uint32_t *)rows->recorded.node, rows->recorded.count) &&
              mi_series_room(&series->tracks, &series->track_room, 0, sizeof *series->tracks);
    if (ok) {
        series->tracks[0] = (struct mi_track){0};
        series->track_count = 1; /* 0 means none */
        list_ports(model, step.out_port);
        ok = walk(&step);
    }
    step_fini(&step);
    return ok;
}

bool mi_series_init(struct mi_series *series, const struct mi_model *model, struct mi_error *err)
{
    const struct mi_graphs *graphs = &model->all.rows.graphs;
    *series = (struct mi_series){0};
    struct dump *dumps = mi_mem_new(graphs->count, sizeof *dumps);
    series->graphs = mi_mem_new(graphs->count, sizeof *series->graphs);
    bool ok =
        dumps && series->graphs && list_stages(series, model, dumps, collect_dumps(model, dumps));
    if (ok && series->stage_count)
        ok = follow(series, model);
    mi_mem_free(dumps);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

void mi_series_fini(struct mi_series *series)
{
    mi_mem_free(series->stages);
    mi_mem_free(series->graphs);
    mi_mem_free(series->tracks);
    mi_mem_free(series->changes);
    mi_mem_free(series->edges);
    mi_mem_free(series->track_of);
    mi_csr_fini(&series->recorded);
    *series = (struct mi_series){0};
}
