#include "correlate/ge/stages.h"

#include "base/mem.h"
#include "correlate/ge/ge_graphs.h"

#define SAMPLES  64u /* nodes looked up to tell whether two files hold the same graph */
#define COMPARED 64u /* builds that a file is compared with: the latest */

enum rank { RANK_STAGE, RANK_DUMP, RANK_BUILD, RANK_MODEL }; /* the greatest is the finished one */

struct dump {              /* a file that holds GE graphs of the compiled layer */
    uint32_t source, root; /* its first main graph */
    uint32_t first_node, node_count;
    uint32_t build; /* place of the first dump of its build */
    enum rank rank;
};

struct stages {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct dump *dumps;
    uint32_t count;
    struct mi_map names; /* (source, name of a node or of an op that it stands for) -> 1 */
};

/* --- what there is --- */

static enum rank rank_of(const struct mi_model *model, uint32_t source, uint32_t graph)
{
    struct mi_bytes stage = mi_model_text(model, model->all.rows.graphs.stage[graph]);
    struct mi_bytes reader = mi_model_text(model, model->all.rows.sources.reader[source]);
    if (mi_bytes_equal(reader, MI_LIT("om")))
        return RANK_MODEL;
    if (mi_bytes_starts(reader, MI_LIT("torchair")) || mi_bytes_equal(reader, MI_LIT("air")))
        return RANK_STAGE; /* what GE starts from */
    return !stage.len || mi_bytes_ends(stage, MI_LIT("Build")) ? RANK_BUILD : RANK_DUMP;
}

/* Graphs of one source are contiguous, and so are their nodes. */
static bool find_dumps(struct stages *s)
{
    const struct mi_graphs *graphs = &s->rows->graphs;
    s->dumps = mi_mem_zero(s->rows->sources.count, sizeof *s->dumps);
    for (uint32_t g = 1; s->dumps && g < graphs->count; g++) {
        uint32_t source = graphs->source[g].v, first = s->model->index.graph_first_node[g];
        if (graphs->layer[g] != MI_LAYER_COMPILED || !mi_ge_form(s->model, source))
            continue;
        struct dump *dump = s->count ? &s->dumps[s->count - 1] : NULL;
        if (!dump || dump->source != source) {
            dump = &s->dumps[s->count];
            *dump = (struct dump){.source = source,
                                  .root = g,
                                  .first_node = first,
                                  .build = s->count++,
                                  .rank = rank_of(s->model, source, g)};
        }
        dump->node_count = s->model->index.graph_first_node[g + 1] - dump->first_node;
    }
    return s->dumps != NULL;
}

static bool map_names(struct stages *s)
{
    const struct mi_nodes *nodes = &s->rows->nodes;
    const struct mi_recorded *recorded = &s->rows->recorded;
    for (uint32_t d = 0; d < s->count; d++)
        for (uint32_t i = 0; i < s->dumps[d].node_count; i++) {
            uint32_t name = nodes->name[s->dumps[d].first_node + i].v;
            if (name && !mi_map_set(&s->names, mi_pair(s->dumps[d].source, name), 1))
                return false;
        }
    for (uint32_t r = 1; r < recorded->count; r++) {
        uint32_t source = s->rows->graphs.source[nodes->graph[recorded->node[r].v].v].v;
        if (recorded->name[r].v && !mi_map_set(&s->names, mi_pair(source, recorded->name[r].v), 1))
            return false;
    }
    return true;
}

/* --- which belong together --- */

static struct mi_bytes folder_of(const struct stages *s, uint32_t source)
{
    struct mi_bytes path = mi_model_text(s->model, s->rows->sources.path[source]);
    while (path.len && path.at[path.len - 1] != '/')
        path.len--;
    return path;
}

static bool are_near(const struct stages *s, const struct dump *a, const struct dump *b)
{
    struct mi_bytes x = folder_of(s, a->source), y = folder_of(s, b->source);
    return mi_bytes_starts(x, y) || mi_bytes_starts(y, x);
}

/* Half of the nodes of the smaller one, constants and boundaries aside, are known in the other; one
 * of them is enough where the graphs have a name in common. */
static bool share_nodes(const struct stages *s, const struct dump *a, const struct dump *b,
                        bool same_name)
{
    const struct dump *few = a->node_count <= b->node_count ? a : b, *many = few == a ? b : a;
    uint32_t step = few->node_count / SAMPLES + 1, tried = 0, shared = 0;
    for (uint32_t i = 0; i < few->node_count; i += step) {
        enum mi_ge_op op = mi_ge_op_of(s->model, few->first_node + i);
        if (op == MI_GE_OP_CONST || op == MI_GE_OP_BOUNDARY)
            continue;
        uint32_t name = s->rows->nodes.name[few->first_node + i].v;
        tried++;
        shared += name && mi_map_get(&s->names, mi_pair(many->source, name)) != 0;
    }
    return same_name ? shared || !tried : shared && shared * 2 >= tried;
}

static bool are_of_one_build(const struct stages *s, const struct dump *a, const struct dump *b)
{
    if (!are_near(s, a, b) || (a->rank == RANK_MODEL && b->rank == RANK_MODEL))
        return false;
    mi_str_id x = s->rows->graphs.name[a->root], y = s->rows->graphs.name[b->root];
    return share_nodes(s, a, b, x.v && x.v == y.v);
}

static void join_builds(struct stages *s)
{
    for (uint32_t d = 1; d < s->count; d++) {
        uint32_t compared = 0;
        for (uint32_t e = d; e-- > 0 && compared < COMPARED;) {
            uint32_t mine = s->dumps[d].build, other = s->dumps[e].build;
            if (mine == other)
                continue;
            compared++;
            if (!are_of_one_build(s, &s->dumps[d], &s->dumps[e]))
                continue;
            uint32_t low = mine < other ? mine : other, high = mine < other ? other : mine;
            for (uint32_t i = high; i <= d; i++)
                if (s->dumps[i].build == high)
                    s->dumps[i].build = low;
        }
    }
}

/* --- which is the finished one --- */

static uint32_t stage_index(const struct stages *s, const struct dump *dump)
{
    return s->rows->graphs.stage_index[dump->root];
}

/* True if `b` takes the place of `a` as the compiled graph. */
static bool beats(const struct stages *s, const struct dump *b, const struct dump *a)
{
    bool same_graph = s->rows->graphs.name[a->root].v == s->rows->graphs.name[b->root].v;
    if (a->rank != b->rank)
        return b->rank > a->rank;
    if (a->rank == RANK_MODEL)
        return false;
    if (stage_index(s, a) != stage_index(s, b) && (a->rank != RANK_BUILD || same_graph))
        return stage_index(s, b) > stage_index(s, a);
    unsigned x = mi_ge_form(s->model, a->source), y = mi_ge_form(s->model, b->source);
    return same_graph && (y > x || (x == y && b > a));
}

static void demote(struct stages *s, const struct dump *dump)
{
    const struct mi_graphs *graphs = &s->rows->graphs;
    for (uint32_t g = dump->root; g < graphs->count && graphs->source[g].v == dump->source; g++)
        if (graphs->layer[g] == MI_LAYER_COMPILED)
            graphs->layer[g] = MI_LAYER_STAGE;
}

static void choose(struct stages *s)
{
    for (uint32_t d = 0; d < s->count; d++)
        for (uint32_t e = 0; e < s->count; e++)
            if (s->dumps[e].build == s->dumps[d].build && beats(s, &s->dumps[e], &s->dumps[d])) {
                demote(s, &s->dumps[d]);
                break;
            }
}

bool mi_stages_apply(struct mi_model *model, struct mi_error *err)
{
    struct stages s = {.model = model, .rows = &model->all.rows};
    bool ok = find_dumps(&s);
    if (ok && s.count > 1) {
        ok = map_names(&s);
        if (ok) {
            join_builds(&s);
            choose(&s);
        }
    }
    mi_map_fini(&s.names);
    mi_mem_free(s.dumps);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the stages of a build");
}
