/* What is said about launches beside their times: COMPUTE_TASK_INFO for kernels,
 * COMMUNICATION_TASK_INFO for the parts of collectives. Eager runs have a row per launch, so equal
 * rows are kept once. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "parse/formats/msprof_db/db_read.h"

enum compute_column {
    C_GLOBAL,
    C_NAME,
    C_OP,
    C_CORE,
    C_IN_TYPES,
    C_IN_SHAPES,
    C_OUT_TYPES,
    C_OUT_SHAPES,
};

static const char *const compute_columns[] = {"globalTaskId",    "name",           "opType",
                                              "taskType",        "inputDataTypes", "inputShapes",
                                              "outputDataTypes", "outputShapes",   NULL};

enum part_column { P_GLOBAL, P_NAME, P_STEP, P_GROUP, P_OP };

static const char *const part_columns[] = {"globalTaskId", "name", "taskType",
                                           "groupName",    "opId", NULL};

static bool no_memory(struct mi_db_reading *r)
{
    return mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for launches");
}

static bool info_room(struct mi_db_reading *r)
{
    return mi_vec_room(&r->infos, &r->info_room, r->info_count, sizeof *r->infos) || no_memory(r);
}

uint32_t mi_db_info_number(struct mi_db_reading *r, const struct mi_db_info *info)
{
    struct mi_bytes bytes = {(const uint8_t *)info, sizeof *info};
    if (!r->info_count)
        r->info_count = 1; /* 0 means none */
    for (uint64_t hash = mi_hash64(bytes);; hash++) {
        uint32_t *at = mi_map_at(&r->info_places, hash);
        if (!at || !info_room(r)) {
            no_memory(r);
            return 0;
        }
        if (!*at) {
            r->infos[r->info_count] = *info;
            return *at = r->info_count++;
        }
        if (memcmp(&r->infos[*at], info, sizeof *info) == 0)
            return *at;
    }
}

static void read_computing(struct mi_db_reading *r, const char *table)
{
    struct mi_db_rows rows;
    if (!mi_db_rows_open(&rows, &r->db, table, compute_columns))
        return;
    while (mi_db_rows_next(&rows)) {
        int64_t global;
        struct mi_db_info info;
        if (!mi_db_get_int(&rows, C_GLOBAL, &global)) {
            mi_db_lose(&rows, "a launch without the number of its task");
            continue;
        }
        for (unsigned say = 0; say < MI_DB_SAYS; say++)
            info.says[say] = say <= MI_DB_OUT_SHAPES ? mi_db_int(&rows, C_NAME + say, -1) : -1;
        if (mi_db_ids_get(&r->info_of, global))
            mi_db_note(&rows, "msprof_db.info_twice", "a second description of one task");
        uint32_t number = mi_db_info_number(r, &info);
        if (number && !mi_db_ids_set(&r->info_of, global, number))
            no_memory(r);
        mi_db_kept(&rows);
    }
}

static bool part_room(struct mi_db_reading *r)
{
    if (!mi_vec_room(&r->parts, &r->part_room, r->part_count, sizeof *r->parts))
        return no_memory(r);
    if (!r->part_count)
        r->part_count = 1; /* 0 means none */
    return true;
}

/* A part that runs as a kernel has been described as one, too: both are kept. */
static struct mi_db_info part_info(struct mi_db_reading *r, struct mi_db_rows *rows, int64_t global)
{
    uint32_t computing = mi_db_ids_get(&r->info_of, global);
    struct mi_db_info info;
    for (unsigned say = 0; say < MI_DB_SAYS; say++)
        info.says[say] = computing ? r->infos[computing].says[say] : -1;
    info.says[MI_DB_STEP] = mi_db_int(rows, P_STEP, -1);
    info.says[MI_DB_GROUP] = mi_db_int(rows, P_GROUP, -1);
    return info;
}

static void read_parts(struct mi_db_reading *r)
{
    struct mi_db_rows rows;
    if (!mi_db_rows_open(&rows, &r->db, "COMMUNICATION_TASK_INFO", part_columns))
        return;
    while (mi_db_rows_next(&rows)) {
        int64_t global;
        if (!mi_db_get_int(&rows, P_GLOBAL, &global)) {
            mi_db_lose(&rows, "a part of a collective without the number of its task");
            continue;
        }
        struct mi_db_info info = part_info(r, &rows, global);
        uint32_t number = mi_db_info_number(r, &info);
        if (!number || !part_room(r))
            break;
        r->parts[r->part_count] =
            (struct mi_db_part){.op = mi_db_int(&rows, P_OP, -1), .info = number};
        if (!mi_db_ids_get(&r->part_of, global) &&
            !mi_db_ids_set(&r->part_of, global, r->part_count))
            no_memory(r);
        r->part_count++;
        mi_db_kept(&rows);
    }
    mi_db_rows_close(&rows);
}

bool mi_db_read_infos(struct mi_db_reading *r)
{
    read_computing(r, "COMPUTE_TASK_INFO");
    read_computing(r, "COMMUNICATION_SCHEDULE_TASK_INFO"); /* tasks of the AI CPU for collectives */
    read_parts(r);
    return mi_db_is_fine(&r->db);
}
