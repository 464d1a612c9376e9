/* Changes: from what the user writes to what happens to the tasks of a run. */
#include "analyse/describe.h"
#include "analyse/find.h"
#include "analyse/whatif/whatif_parts.h"
#include "base/decimal.h"
#include "base/mem.h"

#include <stdlib.h>

const char *const mi_change_words[MI_CHANGE_KINDS] = {[MI_CHANGE_SHORTEN] = N_("shorten"),
                                                      [MI_CHANGE_REMOVE] = N_("remove"),
                                                      [MI_CHANGE_REMOVE_WAIT] = N_("remove wait"),
                                                      [MI_CHANGE_MOVE] = N_("move"),
                                                      [MI_CHANGE_FUSE] = N_("fuse"),
                                                      [MI_CHANGE_UNFUSE] = N_("unfuse")};

/* --- nodes --- */

static bool has_vertices(const struct mi_doctor *d, uint32_t node, bool is_wait)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    if (!is_wait)
        return mi_doctor_ran(d, node);
    for (uint32_t v = 0; v < graph->count; v++)
        if (graph->node[v] == node)
            return true;
    return false;
}

/* The node that ran, of those called so; a framework op stands for its compiled nodes. */
static uint32_t pick(const struct mi_doctor *d, const struct mi_found *found, bool is_wait)
{
    const struct mi_csr *of = &d->model->index.compiled_of;
    for (uint32_t i = 0; i < found->node_count; i++)
        if (has_vertices(d, found->nodes[i].v, is_wait))
            return found->nodes[i].v;
    for (uint32_t i = 0; i < found->node_count; i++)
        for (uint32_t k = 0; k < mi_csr_count(of, found->nodes[i].v); k++) {
            uint32_t node = d->rows->lowered.compiled[of->list[of->first[found->nodes[i].v] + k]].v;
            if (has_vertices(d, node, is_wait))
                return node;
        }
    return 0;
}

static bool find_node(struct mi_doctor *d, struct mi_bytes name, bool is_wait, uint32_t *node)
{
    struct mi_found found;
    if (!mi_find(d->model, name, d->arena, &found, d->err))
        return false;
    *node = pick(d, &found, is_wait);
    return *node || mi_fail(d->err, MI_ENOTFOUND, "no task of \"%.*s\" ran in this run",
                            (int)(name.len < 100 ? name.len : 100), (const char *)name.at);
}

/* --- parsing --- */

/* "NAME=VALUE", cut at the last sign. */
static bool split(struct mi_bytes text, struct mi_bytes *name, struct mi_bytes *value)
{
    size_t at = text.len;
    while (at && text.at[at - 1] != '=')
        at--;
    if (at < 2 || at == text.len)
        return false;
    *name = mi_bytes_sub(text, 0, at - 1);
    *value = mi_bytes_sub(text, at, text.len);
    return true;
}

static bool number_of(struct mi_bytes text, struct mi_bytes unit, int64_t most, int64_t *number)
{
    uint64_t value;
    if (!mi_bytes_ends(text, unit) || text.len == unit.len ||
        mi_decimal_u64(mi_bytes_sub(text, 0, text.len - unit.len), &value) ||
        value > (uint64_t)most)
        return false;
    *number = (int64_t)value;
    return true;
}

static bool read_shorten(struct mi_doctor *d, struct mi_bytes text, struct mi_change *change)
{
    struct mi_bytes name, value;
    int64_t number = 0;
    if (!split(text, &name, &value))
        return mi_fail(d->err, MI_EUSAGE, "--shorten wants NODE=50%% or NODE=30us");
    if (number_of(value, MI_LIT("%"), 100, &number)) {
        change->permille = 1000 - number * 10;
    } else if (number_of(value, MI_LIT("us"), INT32_MAX, &number)) {
        change->permille = -1;
        change->dur_ns = number * 1000;
    } else {
        return mi_fail(d->err, MI_EUSAGE, "--shorten wants NODE=50%% or NODE=30us");
    }
    return find_node(d, name, false, &change->node);
}

/* The logical stream of most nodes of a lane; -1: none. */
static int64_t logic_of(const struct mi_doctor *d, uint32_t lane)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    for (uint32_t i = graph->lane_first[lane]; i < graph->lane_first[lane + 1]; i++) {
        uint32_t node = graph->node[graph->lane_list[i]];
        if (node && d->rows->nodes.stream[node] >= 0)
            return d->rows->nodes.stream[node];
    }
    return -1;
}

static bool read_move(struct mi_doctor *d, struct mi_bytes text, struct mi_change *change)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    struct mi_bytes name, value;
    int64_t number = -1;
    if (!split(text, &name, &value))
        return mi_fail(d->err, MI_EUSAGE, "--move wants NODE=STREAM, NODE=logic:N or NODE=new");
    bool is_new = mi_bytes_equal(value, MI_LIT("new"));
    bool is_logic = mi_bytes_starts(value, MI_LIT("logic:"));
    struct mi_bytes digits = is_logic ? mi_bytes_sub(value, 6, value.len) : value;
    if (!is_new && !number_of(digits, MI_LIT(""), INT64_MAX, &number))
        return mi_fail(d->err, MI_EUSAGE, "--move wants NODE=STREAM, NODE=logic:N or NODE=new");
    for (uint32_t l = 0; l < graph->lane_count && !is_new && !change->track; l++)
        if (number == (is_logic ? logic_of(d, l) : d->rows->tracks.native_id[graph->track[l]]))
            change->track = graph->track[l];
    if (!is_new && !change->track)
        return mi_fail(d->err, MI_ENOTFOUND, "nothing ran on stream \"%.*s\"",
                       (int)(value.len < 40 ? value.len : 40), (const char *)value.at);
    return find_node(d, name, false, &change->node);
}

/* "A,B,C": all run behind each other on one stream, nothing but events between them. */
static bool is_chain(const struct mi_doctor *d, const uint32_t *nodes, uint32_t count)
{
    const struct mi_doctor_run *run = &d->runs[0];
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t v = run->places.list[run->places.first[nodes[i + 1]]] - 1;
        uint32_t before = mi_tg_work_before(&run->graph, v);
        if (before == MI_TG_NONE || run->graph.node[before] != nodes[i])
            return false;
    }
    return true;
}

static int compare_places(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (a[0] > b[0]) - (a[0] < b[0]);
}

static bool read_fuse(struct mi_doctor *d, struct mi_bytes text, struct mi_change *change)
{
    enum { MOST = 32 };
    uint32_t pairs[MOST][2], count = 0; /* first vertex, node */
    for (size_t from = 0, to; from <= text.len; from = to + 1) {
        uint32_t node;
        for (to = from; to < text.len && text.at[to] != ','; to++)
            ;
        if (count == MOST)
            return mi_fail(d->err, MI_EUSAGE, "--fuse takes at most %d nodes", MOST);
        if (!find_node(d, mi_bytes_sub(text, from, to - from), false, &node))
            return false;
        pairs[count][0] = d->runs[0].places.list[d->runs[0].places.first[node]];
        pairs[count++][1] = node;
    }
    qsort(pairs, count, sizeof *pairs, compare_places);
    uint32_t *nodes = mi_arena_alloc(d->arena, count * sizeof *nodes);
    if (!nodes)
        return mi_fail(d->err, MI_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = pairs[i][1];
    change->node = nodes[0];
    change->others = nodes + 1;
    change->other_count = count - 1;
    return (count > 1 && is_chain(d, nodes, count)) ||
           mi_fail(d->err, MI_EUSAGE,
                   "--fuse wants nodes that run right behind each other on one stream");
}

static bool read_unfuse(struct mi_doctor *d, struct mi_bytes text, struct mi_change *change)
{
    if (!find_node(d, text, false, &change->node))
        return false;
    change->part_count = mi_csr_count(&d->model->index.framework_of, change->node);
    if (!mi_doctor_apart(d, change->node, &change->dur_ns))
        return mi_fail(d->err, MI_ENOMEM, "out of memory");
    return (change->part_count > 1 && change->dur_ns >= 0) ||
           mi_fail(d->err, MI_EUSAGE,
                   "how long the parts of \"%.*s\" take is not known: none of them runs alone",
                   (int)(text.len < 100 ? text.len : 100), (const char *)text.at);
}

static bool read_one(struct mi_doctor *d, enum mi_change_kind kind, struct mi_bytes text,
                     struct mi_change *change)
{
    *change = (struct mi_change){.kind = (uint8_t)kind, .permille = 1000};
    switch (kind) {
    case MI_CHANGE_SHORTEN:
        return read_shorten(d, text, change);
    case MI_CHANGE_REMOVE:
    case MI_CHANGE_REMOVE_WAIT:
        return find_node(d, text, kind == MI_CHANGE_REMOVE_WAIT, &change->node);
    case MI_CHANGE_MOVE:
        return read_move(d, text, change);
    case MI_CHANGE_FUSE:
        return read_fuse(d, text, change);
    case MI_CHANGE_UNFUSE:
        return read_unfuse(d, text, change);
    case MI_CHANGE_KINDS:
        break;
    }
    return false;
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static bool find_gap(struct mi_changes *c)
{
    const struct mi_taskgraph *graph = &c->d->runs[0].graph;
    int64_t *gaps = mi_mem_new((size_t)graph->count + 1, sizeof *gaps);
    uint32_t count = 0;
    for (uint32_t v = 0; gaps && v < graph->count; v++)
        if (graph->role[v] == MI_TG_WORK && graph->binding[v] == MI_TG_BY_ORDER)
            gaps[count++] = graph->gap_ns[v];
    if (count)
        qsort(gaps, count, sizeof *gaps, compare_times);
    c->gap_ns = count ? gaps[count / 2] : 0;
    mi_mem_free(gaps);
    return gaps != NULL;
}

bool mi_changes_read(struct mi_changes *c, struct mi_doctor *d)
{
    static const char *const options[MI_CHANGE_KINDS] = {"shorten", "remove", "remove-wait",
                                                         "move",    "fuse",   "unfuse"};
    *c = (struct mi_changes){.d = d};
    c->list = mi_arena_alloc(d->arena, (d->args->count + 1) * sizeof *c->list);
    if (!c->list || !find_gap(c))
        return mi_fail(d->err, MI_ENOMEM, "out of memory");
    for (size_t i = 0; i < d->args->count; i++)
        for (unsigned k = 0; k < MI_CHANGE_KINDS; k++)
            if (strcmp(d->args->list[i].param->name, options[k]) == 0 &&
                !read_one(d, (enum mi_change_kind)k, mi_cstr(d->args->list[i].text),
                          &c->list[c->count++]))
                return false;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->list[i].kind == MI_CHANGE_UNFUSE)
            c->list[i].dur_ns =
                mi_ns_add(c->list[i].dur_ns, c->gap_ns * (int64_t)(c->list[i].part_count - 1));
    return true;
}

/* --- applying --- */

static uint32_t lane_of(const struct mi_taskgraph *graph, uint32_t track)
{
    for (uint32_t l = 0; l < graph->lane_count; l++)
        if (graph->track[l] == track)
            return l;
    return MI_TG_NONE;
}

static void let_go(struct mi_whatif *whatif, uint32_t wait, bool keeps_data)
{
    mi_whatif_remove_wait(whatif, wait);
    if (!keeps_data)
        mi_whatif_forget_data(whatif, wait);
}

/* `v` waits, is the record that is waited for, or is the work that a wait holds back. */
static void remove_wait(struct mi_whatif *whatif, const struct mi_taskgraph *graph, uint32_t v,
                        bool keeps_data)
{
    if (graph->role[v] == MI_TG_WAIT) {
        let_go(whatif, v, keeps_data);
        return;
    }
    if (graph->role[v] == MI_TG_RECORD) {
        for (uint32_t i = graph->out.first[v + 1]; i < graph->out.first[v + 2]; i++) {
            const struct mi_tg_edge *edge = &graph->edges[graph->out.list[i] - 1];
            if (edge->kind == MI_TG_SIGNAL)
                let_go(whatif, edge->to, keeps_data);
        }
        return;
    }
    for (uint32_t w = graph->prev[v]; w != MI_TG_NONE && graph->role[w] == MI_TG_WAIT;
         w = graph->prev[w])
        let_go(whatif, w, keeps_data);
}

static void move(struct mi_whatif *whatif, const struct mi_taskgraph *graph, uint32_t v,
                 uint32_t track)
{
    uint32_t lane = track ? lane_of(graph, track) : MI_TG_NONE;
    if (!track)
        mi_whatif_move_apart(whatif, v);
    else if (lane != MI_TG_NONE && whatif->lane[v] != lane)
        mi_whatif_move(whatif, v, lane);
}

/* The launches of the later ones are saved. */
static void fuse(struct mi_whatif *whatif, const struct mi_doctor_run *run,
                 const struct mi_change *change)
{
    for (uint32_t o = 0; o < change->other_count; o++) {
        uint32_t node = change->others[o];
        for (uint32_t i = run->places.first[node]; i < run->places.first[node + 1]; i++)
            mi_whatif_launch(whatif, run->places.list[i] - 1, 0);
    }
}

void mi_change_apply(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct mi_change *change = user;
    const struct mi_taskgraph *graph = &run->graph;
    uint32_t node = change->node;
    if (change->kind == MI_CHANGE_FUSE) {
        fuse(whatif, run, change);
        return;
    }
    for (uint32_t v = 0; v < graph->count && change->kind == MI_CHANGE_REMOVE_WAIT; v++)
        if (graph->node[v] == node)
            remove_wait(whatif, graph, v, change->keeps_data);
    for (uint32_t i = run->places.first[node]; i < run->places.first[node + 1]; i++) {
        uint32_t v = run->places.list[i] - 1;
        if (change->kind == MI_CHANGE_REMOVE)
            mi_whatif_remove(whatif, v);
        else if (change->kind == MI_CHANGE_MOVE)
            move(whatif, graph, v, change->track);
        else if (change->kind == MI_CHANGE_UNFUSE ||
                 (change->kind == MI_CHANGE_SHORTEN && change->permille < 0))
            mi_whatif_shorten(whatif, v, change->dur_ns);
        else if (change->kind == MI_CHANGE_SHORTEN)
            mi_whatif_shorten(whatif, v,
                              whatif->busy_ns[v] / 1000 * change->permille +
                                  whatif->busy_ns[v] % 1000 * change->permille / 1000);
    }
}

void mi_changes_apply(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct mi_changes *c = user;
    bool has_own = false;
    for (uint32_t i = 0; i < c->count; i++) {
        bool is_own = c->list[i].kind == MI_CHANGE_MOVE && !c->list[i].track;
        has_own = has_own || is_own;
        if (!is_own)
            mi_change_apply(whatif, run, &c->list[i]);
    }
    /* what gets a stream of its own goes there in list order */
    for (uint32_t v = 0; has_own && v < run->graph.count; v++)
        for (uint32_t i = 0; i < c->count; i++)
            if (c->list[i].kind == MI_CHANGE_MOVE && !c->list[i].track &&
                run->graph.node[v] == c->list[i].node && run->graph.role[v] == MI_TG_WORK)
                mi_whatif_move_apart(whatif, v);
}
