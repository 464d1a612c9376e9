/* COMMUNICATION_OP: a row per collective, from the first of its parts to the last. It becomes a
 * task on the track of its group; its parts are tasks of streams. */
#include "base/mem.h"
#include "base/vec.h"
#include "parse/formats/msprof_db/db_read.h"

enum { START, END, NAME, TYPE, GROUP, CONNECTION, OP, DEVICE };

static const char *const columns[] = {"startNs",      "endNs", "opName",   "opType", "groupName",
                                      "connectionId", "opId",  "deviceId", NULL};

struct collectives {
    struct mi_db_reading *r;
    struct mi_db_ids device_of; /* opId -> device of its first part + 1 */
    int64_t only_device;        /* of all tasks; -1 = there are several */
    uint32_t room;
};

/* Older tables do not say which device a collective ran on; its parts do. */
static bool find_devices(struct collectives *c)
{
    const struct mi_db_reading *r = c->r;
    const struct mi_tables *rows = &r->db.batch->rows;
    c->only_device = rows->tracks.count > 1 ? rows->tracks.device[1] : 0;
    for (uint32_t t = 2; t < rows->tracks.count; t++)
        if (rows->tracks.device[t] != c->only_device)
            c->only_device = -1;
    for (uint32_t i = 0; i < r->part_tasks.count; i++) {
        int64_t op = r->parts[r->part_ids.at[i]].op;
        int64_t device = rows->tracks.device[rows->tasks.track[r->part_tasks.at[i]].v];
        if (!mi_db_ids_get(&c->device_of, op) &&
            !mi_db_ids_set(&c->device_of, op, (uint32_t)device + 1))
            return false;
    }
    return true;
}

static int64_t device_of(const struct collectives *c, const struct mi_db_rows *rows, int64_t op)
{
    int64_t device;
    if (mi_db_get_int(rows, DEVICE, &device) && device >= 0 && device < UINT32_MAX)
        return device;
    uint32_t known = mi_db_ids_get(&c->device_of, op);
    return known ? (int64_t)known - 1 : c->only_device;
}

static bool keep_id(struct collectives *c, int64_t op)
{
    struct mi_db_reading *r = c->r;
    if (!mi_vec_room(&r->collective_ids, &c->room, r->collective_count, sizeof *r->collective_ids))
        return mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for collectives");
    r->collective_ids[r->collective_count++] = op;
    return true;
}

static void add_collective(struct collectives *c, struct mi_db_rows *rows)
{
    struct mi_db_reading *r = c->r;
    struct mi_db_info info = {{-1, -1, -1, -1, -1, -1, -1, -1, -1}};
    struct mi_task_row task = {.record_offset = mi_db_key(MI_DB_COLLECTIVE, rows->rowid),
                               .native_id = -1,
                               .connection = mi_db_connection(mi_db_int(rows, CONNECTION, -1))};
    int64_t op = mi_db_int(rows, OP, -1);
    if (!mi_db_span(rows, START, END, &task.start_raw, &task.dur_ns) || !keep_id(c, op))
        return;
    info.says[MI_DB_NAME] = mi_db_int(rows, NAME, -1);
    info.says[MI_DB_OP] = mi_db_int(rows, TYPE, -1);
    info.says[MI_DB_GROUP] = mi_db_int(rows, GROUP, -1);
    uint32_t number = mi_db_info_number(r, &info);
    task.kernel = mi_db_kernel_of(r, number, -1, -1);
    task.track = mi_db_group(r, device_of(c, rows, op), mi_db_name(r, info.says[MI_DB_GROUP]),
                             task.start_raw);
    mi_add_task(r->db.batch, &task);
    mi_db_kept(rows);
}

bool mi_db_read_collectives(struct mi_db_reading *r)
{
    struct collectives c = {.r = r};
    struct mi_db_rows rows;
    r->first_collective = r->db.batch->rows.tasks.count;
    if (!find_devices(&c))
        mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for collectives");
    if (mi_db_rows_open(&rows, &r->db, "COMMUNICATION_OP", columns))
        while (mi_db_rows_next(&rows))
            add_collective(&c, &rows);
    mi_db_ids_fini(&c.device_of);
    return mi_db_is_fine(&r->db);
}
