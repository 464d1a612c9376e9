/* PYTORCH_API: ops, enqueues and dequeues, Python calls and ranges of the framework. Its
 * connectionId is a number of CONNECTION_IDS, which gives one or several ids for it: those of tasks
 * that the op launched, one shared with its backward op, or for enqueue and dequeue the one that
 * both share. */
#include "base/mem.h"
#include "base/vec.h"
#include "parse/formats/msprof_db/db_read.h"

#include <stdlib.h>

enum { START, END, THREAD, CONNECTION, NAME, TYPE };

static const char *const columns[] = {"startNs", "endNs", "globalTid", "connectionId",
                                      "name",    "type",  NULL};
static const char *const pair_columns[] = {"id", "connectionId", NULL};

enum { TYPE_OP = 50001, TYPE_QUEUE = 50002 };

struct pair {
    int64_t id;
    uint32_t connection;
};

struct torch {
    struct mi_db_reading *r;
    struct pair *pairs; /* sorted by id, then connection */
    uint32_t pair_count, pair_room;
    struct mi_db_ids first_task; /* connection -> task with it */
    uint32_t *next_task;         /* [tasks.count] another task with the same connection */
    struct mi_map forward;       /* connection -> op that named it first and reaches no task */
    mi_str_id launch, backward, step;
};

/* --- CONNECTION_IDS --- */

static bool add_pair(struct torch *t, int64_t id, uint32_t connection)
{
    if (!mi_vec_room(&t->pairs, &t->pair_room, t->pair_count, sizeof *t->pairs))
        return mi_batch_fail(t->r->db.batch, MI_ENOMEM, "out of memory for connections");
    t->pairs[t->pair_count++] = (struct pair){id, connection};
    return true;
}

static int by_id(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->connection > b->connection) - (a->connection < b->connection);
}

static void read_pairs(struct torch *t)
{
    struct mi_db_rows rows;
    if (!mi_db_rows_open(&rows, &t->r->db, "CONNECTION_IDS", pair_columns))
        return;
    while (mi_db_rows_next(&rows)) {
        int64_t id;
        uint32_t connection = mi_db_connection(mi_db_int(&rows, 1, -1));
        if (!mi_db_get_int(&rows, 0, &id) || connection == MI_NO_CONNECTION)
            mi_db_lose(&rows, "a connection without numbers");
        else if (add_pair(t, id, connection))
            mi_db_kept(&rows);
    }
    for (uint32_t i = 1; i < t->pair_count; i++)
        if (by_id(&t->pairs[i - 1], &t->pairs[i]) > 0) { /* mostly they are in order */
            qsort(t->pairs, t->pair_count, sizeof *t->pairs, by_id);
            break;
        }
}

/* The first pair of this id; the others follow it. */
static uint32_t find_pair(const struct torch *t, int64_t id)
{
    uint32_t low = 0, high = t->pair_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->pairs[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool index_tasks(struct torch *t)
{
    const struct mi_tasks *tasks = &t->r->db.batch->rows.tasks;
    t->next_task = mi_mem_zero(tasks->count, sizeof *t->next_task);
    uint32_t most = 0;
    for (uint32_t task = 1; task < tasks->count; task++)
        if (mi_some_u32(tasks->connection[task]) != MI_NO_CONNECTION &&
            mi_some_u32(tasks->connection[task]) > most)
            most = mi_some_u32(tasks->connection[task]);
    bool ok = t->next_task && mi_db_ids_expect(&t->first_task, most, tasks->count);
    for (uint32_t task = tasks->count; ok && task-- > 1;) { /* so that lists rise */
        if (mi_some_u32(tasks->connection[task]) == MI_NO_CONNECTION)
            continue;
        t->next_task[task] = mi_db_ids_get(&t->first_task, mi_some_u32(tasks->connection[task]));
        ok = mi_db_ids_set(&t->first_task, mi_some_u32(tasks->connection[task]), task);
    }
    return ok || mi_batch_fail(t->r->db.batch, MI_ENOMEM, "out of memory for connections");
}

/* --- PYTORCH_API --- */

/* The exporter's own statement of which tasks an op launched, or which op is its backward half. */
static void add_flows(struct torch *t, mi_slice_id op, uint32_t connection)
{
    struct mi_batch *batch = t->r->db.batch;
    uint32_t task = mi_db_ids_get(&t->first_task, connection);
    for (uint32_t each = task; each; each = t->next_task[each])
        mi_add_flow(batch, &(struct mi_flow_row){
                               .category = t->launch, .from_slice = op, .to_task = {each}});
    if (task)
        return;
    uint32_t *forward = mi_map_at(&t->forward, connection);
    if (!forward) {
        mi_batch_fail(batch, MI_ENOMEM, "out of memory for connections");
    } else if (!*forward) {
        *forward = op.v;
    } else {
        const int64_t *start = batch->rows.slices.start_raw;
        bool is_later = start[op.v] >= start[*forward];
        mi_slice_id other = {*forward};
        mi_add_flow(batch, &(struct mi_flow_row){.category = t->backward,
                                                 .from_slice = is_later ? other : op,
                                                 .to_slice = is_later ? op : other});
    }
}

static void add_api(struct torch *t, struct mi_db_rows *rows)
{
    struct mi_db_reading *r = t->r;
    struct mi_slice_row slice = {.record_offset = mi_db_key(MI_DB_TORCH_API, rows->rowid),
                                 .connection = MI_NO_CONNECTION,
                                 .correlation = MI_NO_CONNECTION};
    int64_t id, type = mi_db_int(rows, TYPE, -1);
    uint32_t pair = t->pair_count, from = pair;
    if (!mi_db_span(rows, START, END, &slice.start_raw, &slice.dur_ns))
        return;
    if (mi_db_get_int(rows, CONNECTION, &id))
        from = pair = find_pair(t, id);
    slice.name = mi_db_string(r, mi_db_int(rows, NAME, -1));
    slice.category = mi_db_level(r, type);
    if (type == TYPE_OP &&
        mi_bytes_starts(mi_batch_text(r->db.batch, slice.name), MI_LIT("ProfilerStep#")))
        slice.category = t->step;
    slice.track = mi_db_thread(r, mi_db_int(rows, THREAD, 0), slice.start_raw);
    if (type == TYPE_QUEUE && pair < t->pair_count && t->pairs[pair].id == id)
        slice.correlation = t->pairs[pair].connection;
    mi_slice_id row = mi_add_slice(r->db.batch, &slice);
    for (; type != TYPE_QUEUE && pair < t->pair_count && t->pairs[pair].id == id; pair++)
        if (pair == from || t->pairs[pair].connection != t->pairs[pair - 1].connection)
            add_flows(t, row, t->pairs[pair].connection);
    mi_db_kept(rows);
}

bool mi_db_read_torch_ops(struct mi_db_reading *r)
{
    struct torch t = {.r = r};
    struct mi_db_rows rows;
    t.launch = mi_batch_cstr(r->db.batch, "torch_to_npu");
    t.backward = mi_batch_cstr(r->db.batch, "fwdbwd");
    t.step = mi_batch_cstr(r->db.batch, "step");
    read_pairs(&t);
    mi_db_make_room(&r->db, "PYTORCH_API", MI_T_slices);
    if ((!t.pair_count || index_tasks(&t)) &&
        mi_db_rows_open(&rows, &r->db, "PYTORCH_API", columns))
        while (mi_db_rows_next(&rows))
            add_api(&t, &rows);
    mi_mem_free(t.pairs);
    mi_mem_free(t.next_task);
    mi_db_ids_fini(&t.first_task);
    mi_map_fini(&t.forward);
    return mi_db_is_fine(&r->db);
}
