/* TASK: a row per execution of a task on a stream. */
#include "parse/formats/msprof_db/db_read.h"

enum { START, END, DEVICE, STREAM, TASK, CONTEXT, CONNECTION, GLOBAL, TYPE, MODEL };

static const char *const columns[] = {
    "startNs",      "endNs",        "deviceId", "streamId", "taskId", "contextId",
    "connectionId", "globalTaskId", "taskType", "modelId",  NULL};

uint32_t mi_db_connection(int64_t id)
{
    return id < 0 || id >= UINT32_MAX ? MI_NO_CONNECTION : (uint32_t)id;
}

/* Ids are written as they are, -1 for the largest number of 64 bits. */
static int64_t id_of(const struct mi_db_rows *rows, unsigned column)
{
    int64_t id = mi_db_int(rows, column, -1);
    return id < 0 || id >= UINT32_MAX ? -1 : id;
}

static int64_t model_of(const struct mi_db_rows *rows)
{
    int64_t model;
    if (!mi_db_get_int(rows, MODEL, &model))
        return -1;
    return model < 0 || model > UINT32_MAX ? UINT32_MAX : model;
}

static void remember(struct mi_db_reading *r, uint32_t task, uint32_t part, bool is_child)
{
    bool ok = !is_child || mi_db_list_add(&r->children, task);
    if (part)
        ok = ok && mi_db_list_add(&r->part_tasks, task) && mi_db_list_add(&r->part_ids, part);
    if (!ok)
        mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for tasks");
}

static void add_task(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_task_row task = {.record_offset = mi_db_key(MI_DB_TASK, rows->rowid),
                               .native_id = id_of(rows, TASK),
                               .connection = mi_db_connection(mi_db_int(rows, CONNECTION, -1))};
    int64_t global = mi_db_int(rows, GLOBAL, -1), device = id_of(rows, DEVICE);
    if (!mi_db_span(rows, START, END, &task.start_raw, &task.dur_ns))
        return;
    uint32_t part = mi_db_ids_get(&r->part_of, global);
    uint32_t info = part ? r->parts[part].info : mi_db_ids_get(&r->info_of, global);
    task.track = mi_db_stream(r, device < 0 ? 0 : device, id_of(rows, STREAM), task.start_raw);
    task.kernel = mi_db_kernel_of(r, info, mi_db_int(rows, TYPE, -1), model_of(rows));
    mi_task_id id = mi_add_task(r->db.batch, &task);
    remember(r, id.v, part, id_of(rows, CONTEXT) >= 0);
    mi_db_kept(rows);
}

bool mi_db_read_tasks(struct mi_db_reading *r)
{
    struct mi_db_rows rows;
    if (!mi_db_rows_open(&rows, &r->db, "TASK", columns))
        return mi_db_is_fine(&r->db);
    mi_db_make_room(&r->db, "TASK", MI_T_tasks);
    while (mi_db_rows_next(&rows))
        add_task(r, &rows);
    return mi_db_is_fine(&r->db);
}
