/* The same tasks told by several tables: op_summary has the operators with their counters,
 * task_time everything on the streams, kernel_details is op_summary once more. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cann/cann_tables.h"
#include "model/drop.h"
#include "model/sort.h"

#include <stdlib.h>

/* --- collections --- */

static bool is_collection(struct mi_bytes part)
{
    return mi_bytes_starts(part, MI_LIT("PROF_")) || mi_bytes_ends(part, MI_LIT("_ascend_pt")) ||
           mi_bytes_ends(part, MI_LIT("_ascend_ms"));
}

/* The path up to the outermost folder of a collection, else up to the folder of the file. */
static struct mi_bytes home_of(struct mi_bytes path)
{
    size_t from = 0, last = 0;
    for (size_t i = 0; i < path.len; i++) {
        if (path.at[i] != '/')
            continue;
        if (is_collection(mi_bytes_sub(path, from, i - from)))
            return mi_bytes_sub(path, 0, i);
        last = i;
        from = i + 1;
    }
    return mi_bytes_sub(path, 0, last);
}

uint32_t *mi_cann_collections(const struct mi_model *model)
{
    const struct mi_sources *sources = &model->all.rows.sources;
    uint32_t *collections = mi_mem_zero(sources->count, sizeof *collections);
    struct mi_strings homes;
    bool failed = !collections || !mi_strings_init(&homes);
    if (failed) {
        mi_mem_free(collections);
        return NULL;
    }
    for (uint32_t s = 1; s < sources->count; s++) {
        if (!mi_bytes_starts(mi_model_text(model, sources->reader[s]), MI_LIT("msprof_")))
            continue;
        struct mi_bytes home = home_of(mi_model_text(model, sources->path[s]));
        collections[s] = mi_strings_add(&homes, home, false, &failed).v + 1;
    }
    mi_strings_fini(&homes);
    if (failed) {
        mi_mem_free(collections);
        return NULL;
    }
    return collections;
}

bool mi_cann_has_any(const struct mi_model *model, const uint32_t *collections)
{
    for (uint32_t s = 1; s < model->all.rows.sources.count; s++)
        if (collections[s])
            return true;
    return false;
}

/* --- order --- */

/* All that makes up the key of a task; then what tells copies of one row from others. */
static bool key_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tasks *tasks = &rows->tasks;
    if (tasks->start_raw[a] != tasks->start_raw[b])
        return tasks->start_raw[a] > tasks->start_raw[b];
    if (tasks->track[a].v != tasks->track[b].v)
        return tasks->track[a].v > tasks->track[b].v;
    if (tasks->native_id[a] != tasks->native_id[b])
        return tasks->native_id[a] > tasks->native_id[b];
    if (tasks->kernel[a].v != tasks->kernel[b].v) /* those of one source are neighbours */
        return tasks->kernel[a].v > tasks->kernel[b].v;
    return tasks->dur_ns[a] > tasks->dur_ns[b];
}

uint32_t *mi_cann_order(const struct mi_model *model, const uint32_t *collections, uint32_t *count)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t *order = mi_mem_new(rows->tasks.count, sizeof *order);
    *count = 1;
    if (!order)
        return NULL;
    order[0] = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        if (collections[rows->kernels.source[rows->tasks.kernel[t].v].v])
            order[(*count)++] = t;
    if (!mi_rows_sort(rows, order, *count, key_behind)) {
        mi_mem_free(order);
        return NULL;
    }
    return order;
}

/* --- streams --- */

static bool same_stream(const struct mi_tracks *tracks, uint32_t a, uint32_t b)
{
    return tracks->kind[a] == tracks->kind[b] && tracks->device[a] == tracks->device[b] &&
           tracks->native_id[a] == tracks->native_id[b];
}

/* One track for each stream of a collection: the first that names it. */
static bool unite_tracks(struct mi_model *model, const uint32_t *collections)
{
    struct mi_tables *rows = &model->all.rows;
    uint32_t count = rows->tracks.count, *instead = mi_mem_new(count, sizeof *instead);
    struct mi_map first = {0}; /* (collection and device, stream) -> track */
    bool ok = instead != NULL;
    for (uint32_t t = 0; ok && t < count; t++) {
        uint32_t collection = collections[rows->tracks.source[t].v];
        instead[t] = t;
        if (!t || !collection)
            continue;
        uint64_t key = mi_pair(collection * 8191 + (uint32_t)rows->tracks.device[t],
                               (uint32_t)rows->tracks.native_id[t]);
        uint32_t *at = mi_map_at(&first, key);
        ok = at != NULL;
        if (!ok)
            break;
        if (!*at)
            *at = t;
        else if (same_stream(&rows->tracks, *at, t) &&
                 collections[rows->tracks.source[*at].v] == collection)
            instead[t] = *at;
    }
    ok = ok && mi_table_drop(rows, MI_T_tracks, instead);
    mi_map_fini(&first);
    mi_mem_free(instead);
    return ok;
}

/* Clocks and kernels that nothing refers to any more. */
static bool drop_unused(struct mi_model *model, enum mi_table_no which, const uint32_t *collections,
                        const uint32_t *users, uint32_t user_count)
{
    struct mi_tables *rows = &model->all.rows;
    uint32_t count = mi_any_table(rows, which)->count;
    uint32_t *instead = mi_mem_zero(count, sizeof *instead);
    if (!instead)
        return false;
    for (uint32_t u = 1; u < user_count; u++)
        instead[users[u]] = users[u];
    for (uint32_t r = 1; which == MI_T_kernels && r < count; r++)
        if (!collections[rows->kernels.source[r].v])
            instead[r] = r;
    bool ok = mi_table_drop(rows, which, instead);
    mi_mem_free(instead);
    return ok;
}

/* --- twins --- */

struct tally { /* of one source */
    int64_t twice, differs, repeated;
};

struct twins {
    struct mi_model *model;
    struct mi_tables *rows;
    uint32_t *order, order_count;
    uint32_t *instead; /* [tasks.count] */
    struct tally *tallies;
};

static uint32_t source_of(const struct twins *tw, uint32_t task)
{
    return tw->rows->kernels.source[tw->rows->tasks.kernel[task].v].v;
}

static bool same_key(const struct mi_tasks *tasks, uint32_t a, uint32_t b)
{
    return tasks->start_raw[a] == tasks->start_raw[b] && tasks->track[a].v == tasks->track[b].v &&
           tasks->native_id[a] == tasks->native_id[b];
}

/* Rows that are alike in all columns of the model are one task written twice. */
static void drop_copies(struct twins *tw, uint32_t from, uint32_t end)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    for (uint32_t i = from + 1; i < end; i++) {
        uint32_t a = tw->order[i - 1], b = tw->order[i];
        if (tasks->kernel[a].v != tasks->kernel[b].v || tasks->dur_ns[a] != tasks->dur_ns[b])
            continue;
        tw->instead[b] = tw->instead[a];
        tw->tallies[source_of(tw, b)].repeated++;
    }
}

/* The source whose rows stay: one that names operators, else the first. */
static uint32_t choose_source(const struct twins *tw, uint32_t from, uint32_t end)
{
    const struct mi_kernels *kernels = &tw->rows->kernels;
    for (uint32_t i = from; i < end; i++)
        if (kernels->node_name[tw->rows->tasks.kernel[tw->order[i]].v].v)
            return source_of(tw, tw->order[i]);
    return source_of(tw, tw->order[from]);
}

/* Types are written in capitals, so a name with a small letter is a symbol. */
static bool is_symbol(struct mi_bytes name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.at[i] >= 'a' && name.at[i] <= 'z')
            return true;
    return false;
}

/* What the table of streams knows and the table of operators does not: the symbol. */
static void hand_over(struct twins *tw, uint32_t kept, uint32_t dropped)
{
    struct mi_kernels *kernels = &tw->rows->kernels;
    uint32_t to = tw->rows->tasks.kernel[kept].v, from = tw->rows->tasks.kernel[dropped].v;
    if (kernels->name[to].v == kernels->node_name[to].v && !kernels->node_name[from].v &&
        is_symbol(mi_model_text(tw->model, kernels->name[from])))
        kernels->name[to] = kernels->name[from];
    if (!kernels->engine[to].v) {
        kernels->engine[to] = kernels->engine[from];
        if (kernels->kind[to] == MI_TASK_COMPUTE && kernels->kind[from] != MI_TASK_OTHER)
            kernels->kind[to] = kernels->kind[from];
    }
}

static uint32_t next_kept(const struct twins *tw, uint32_t at, uint32_t end, uint32_t source)
{
    while (at < end &&
           (tw->instead[tw->order[at]] != tw->order[at] || source_of(tw, tw->order[at]) != source))
        at++;
    return at;
}

/* The rows of one key, in [from, end) of the order: the k-th of each source is the same task. */
static void join_key(struct twins *tw, uint32_t from, uint32_t end)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    drop_copies(tw, from, end);
    uint32_t stays = choose_source(tw, from, end), source = 0, at = end;
    for (uint32_t i = from; i < end; i++) {
        uint32_t task = tw->order[i];
        if (tw->instead[task] != task || source_of(tw, task) == stays)
            continue;
        at = source_of(tw, task) != source ? next_kept(tw, from, end, stays)
                                           : next_kept(tw, at + (at < end), end, stays);
        source = source_of(tw, task);
        if (at == end)
            continue;
        uint32_t kept = tw->order[at];
        hand_over(tw, kept, task);
        tw->instead[task] = kept;
        tw->tallies[source].twice++;
        tw->tallies[source].differs += tasks->dur_ns[kept] != tasks->dur_ns[task];
    }
}

/* Copies of a row that turned out to be a twin itself point past it. */
static void straighten(struct twins *tw)
{
    for (uint32_t i = 1; i < tw->order_count; i++) {
        uint32_t task = tw->order[i];
        tw->instead[task] = tw->instead[tw->instead[task]];
    }
}

static void add_notice(struct mi_model *model, uint32_t source, enum mi_severity severity,
                       const char *code, const char *text, int64_t times)
{
    if (times)
        mi_add_diag(&model->all, &(struct mi_diag_row){.source = {source},
                                                       .code = mi_batch_cstr(&model->all, code),
                                                       .severity = (uint8_t)severity,
                                                       .times = times,
                                                       .offset = -1,
                                                       .text = mi_batch_cstr(&model->all, text)});
}

static void report(struct twins *tw)
{
    struct mi_sources *sources = &tw->rows->sources;
    for (uint32_t s = 1; s < sources->count; s++) {
        const struct tally *tally = &tw->tallies[s];
        sources->records_kept[s] -= tally->twice + tally->repeated;
        sources->records_skipped[s] += tally->twice + tally->repeated;
        add_notice(tw->model, s, MI_INFO, "msprof.task_twice",
                   N_("tasks that another table tells of too are counted once"), tally->twice);
        add_notice(tw->model, s, MI_NOTICE, "msprof.tables_differ",
                   N_("tasks whose duration differs between two tables"), tally->differs);
        add_notice(tw->model, s, MI_NOTICE, "msprof.row_twice",
                   N_("rows that stand in the table twice are counted once"), tally->repeated);
    }
}

static bool join_all(struct twins *tw)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    for (uint32_t t = 0; t < tasks->count; t++)
        tw->instead[t] = t;
    for (uint32_t from = 1, end; from < tw->order_count; from = end) {
        for (end = from + 1; end < tw->order_count; end++)
            if (!same_key(tasks, tw->order[from], tw->order[end]))
                break;
        if (end - from > 1)
            join_key(tw, from, end);
    }
    straighten(tw);
    report(tw);
    return mi_table_drop(tw->rows, MI_T_tasks, tw->instead);
}

bool mi_cann_merge_twins(struct mi_model *model, struct mi_error *err)
{
    struct mi_tables *rows = &model->all.rows;
    uint32_t *collections = mi_cann_collections(model);
    struct twins tw = {.model = model, .rows = rows};
    if (collections && !mi_cann_has_any(model, collections)) {
        mi_mem_free(collections);
        return true;
    }
    bool ok = collections && unite_tracks(model, collections);
    tw.order = ok ? mi_cann_order(model, collections, &tw.order_count) : NULL;
    tw.instead = mi_mem_new(rows->tasks.count, sizeof *tw.instead);
    tw.tallies = mi_mem_zero(rows->sources.count, sizeof *tw.tallies);
    ok = ok && tw.order && tw.instead && tw.tallies && join_all(&tw) &&
         drop_unused(model, MI_T_kernels, collections, (const uint32_t *)rows->tasks.kernel,
                     rows->tasks.count) &&
         drop_unused(model, MI_T_clocks, collections, (const uint32_t *)rows->tracks.clock,
                     rows->tracks.count);
    mi_mem_free(tw.order);
    mi_mem_free(tw.instead);
    mi_mem_free(tw.tallies);
    mi_mem_free(collections);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while joining tables of tasks");
}
