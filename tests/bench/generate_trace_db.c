/* The database of a made-up run, in the schema 1.0 that msprof 8.1 writes. */
#include "generate_trace.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char schema[] =
    "CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER,endTimeNs INTEGER);"
    "CREATE TABLE NPU_INFO (id INTEGER,name TEXT);"
    "CREATE TABLE HOST_INFO (hostUid TEXT,hostName TEXT);"
    "CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER,deviceId INTEGER);"
    "CREATE TABLE META_DATA (name TEXT,value TEXT);"
    "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);"
    "CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY,name TEXT);"
    "CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,"
    "globalTaskId INTEGER,globalPid INTEGER,taskType INTEGER,contextId INTEGER,streamId INTEGER,"
    "taskId INTEGER,modelId INTEGER);"
    "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,blockDim "
    "INTEGER,mixBlockDim INTEGER,taskType INTEGER,opType INTEGER,inputFormats INTEGER,"
    "inputDataTypes INTEGER,inputShapes INTEGER,outputFormats INTEGER,outputDataTypes INTEGER,"
    "outputShapes INTEGER,attrInfo INTEGER);"
    "CREATE TABLE CANN_API (startNs INTEGER,endNs INTEGER,type INTEGER,globalTid INTEGER,"
    "connectionId INTEGER PRIMARY KEY,name INTEGER);"
    "INSERT INTO NPU_INFO VALUES (0,'Ascend910B');"
    "INSERT INTO HOST_INFO VALUES ('1000000000000000001','host-a');"
    "INSERT INTO RANK_DEVICE_MAP VALUES (-1,0);"
    "INSERT INTO META_DATA VALUES ('SCHEMA_VERSION','1.0.0'),('SCHEMA_VERSION_MAJOR','1'),"
    "('SCHEMA_VERSION_MINOR','0'),('SCHEMA_VERSION_MICRO','0');"
    "INSERT INTO ENUM_API_TYPE VALUES (5000,'runtime'),(5500,'hccl'),(10000,'node'),"
    "(15000,'model'),(20000,'acl');";

/* Strings that all items share; those of the items themselves follow. */
enum {
    TEXT_NONE, /* N/A */
    TEXT_RECORD,
    TEXT_WAIT,
    TEXT_COPY,
    TEXT_EXECUTE,
    TEXT_FORMAT,
    TEXT_LAUNCH,
    TEXT_COPY_CALL,
    TEXT_EXECUTE_CALL,
    TEXT_OPS, /* per operator type: type, core, host type, shapes, dtype */
    TEXT_ITEMS = TEXT_OPS + 5 * 8,
};

struct database {
    const struct trace *trace;
    sqlite3 *db;
    sqlite3_stmt *task, *info, *call;
    uint64_t next_task; /* global task id; those of a static model are the numbers of its items */
};

static void check(sqlite3 *db, int code)
{
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
        return;
    fprintf(stderr, "generate_trace: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

static void insert(sqlite3_stmt *statement, const int64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(statement, i + 1, values[i]);
    check(sqlite3_db_handle(statement), sqlite3_step(statement));
    sqlite3_reset(statement);
}

/* --- strings --- */

static void put_string(sqlite3_stmt *statement, int64_t id, const char *text)
{
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
    check(sqlite3_db_handle(statement), sqlite3_step(statement));
    sqlite3_reset(statement);
}

static void put_strings(const struct database *d)
{
    static const char *const common[] = {"N/A",          "EVENT_RECORD",     "EVENT_WAIT",
                                         "MEMCPY_ASYNC", "MODEL_EXECUTE",    "ND",
                                         "launch",       "aclrtMemcpyAsync", "ModelExecute"};
    sqlite3_stmt *statement = prepare(d->db, "INSERT INTO STRING_IDS VALUES (?,?)");
    for (int i = 0; i < TEXT_OPS; i++)
        put_string(statement, i, common[i]);
    for (int i = 0; i < 8; i++) {
        const struct trace_op *op = trace_op(&(struct trace_item){.op = (uint32_t)i});
        char shapes[64];
        snprintf(shapes, sizeof shapes, "\"%s\"", op->shapes);
        const char *const texts[] = {op->type, op->core, op->host_type, shapes, op->dtype};
        for (int k = 0; k < 5; k++)
            put_string(statement, TEXT_OPS + 5 * i + k, texts[k]);
    }
    for (uint32_t i = 0; i < d->trace->item_count; i++)
        put_string(statement, TEXT_ITEMS + (int64_t)i, d->trace->items[i].name);
    sqlite3_finalize(statement);
}

/* --- rows --- */

static void put_info(const struct database *d, const struct trace_item *item, int64_t id)
{
    int64_t op = TEXT_OPS + 5 * (int64_t)item->op;
    int64_t values[] = {TEXT_ITEMS + (item - d->trace->items),
                        id,
                        trace_op(item)->cores,
                        0,
                        op + 1,
                        op,
                        TEXT_FORMAT,
                        op + 4,
                        op + 3,
                        TEXT_FORMAT,
                        op + 4,
                        op + 3,
                        TEXT_NONE};
    insert(d->info, values, sizeof values / sizeof *values);
}

static void put_call(const struct database *d, const struct trace_task *task)
{
    static const struct {
        int64_t level, name, dur_ns;
    } calls[] = {[TRACE_NODE] = {10000, TEXT_LAUNCH, 7300},
                 [TRACE_COPY_IN] = {20000, TEXT_COPY_CALL, 3500},
                 [TRACE_EXECUTE] = {15000, TEXT_EXECUTE_CALL, 7300},
                 [TRACE_COPY_OUT] = {20000, TEXT_COPY_CALL, 3500}};
    int64_t start_ns = task->start_ns - 9000;
    int64_t values[] = {start_ns,
                        start_ns + calls[task->item->kind].dur_ns,
                        calls[task->item->kind].level,
                        (int64_t)TRACE_HOST_PID << 32 | TRACE_HOST_PID,
                        task->connection,
                        calls[task->item->kind].name};
    insert(d->call, values, sizeof values / sizeof *values);
}

static int64_t type_of(const struct trace_item *item)
{
    static const int64_t types[] = {0, TEXT_RECORD, TEXT_WAIT, TEXT_COPY, TEXT_EXECUTE, TEXT_COPY};
    return item->kind == TRACE_NODE ? TEXT_OPS + 5 * (int64_t)item->op + 2 : types[item->kind];
}

static void put_task(void *user, const struct trace_task *task)
{
    struct database *d = user;
    const struct trace_item *item = task->item;
    bool is_eager = d->trace->plan.is_eager;
    bool has_model = !is_eager && item->logic != d->trace->plan.streams;
    int64_t id = has_model ? item - d->trace->items : (int64_t)d->next_task++;
    if (item->kind == TRACE_NODE && is_eager)
        put_info(d, item, id);
    if (task->connection != TRACE_NONE && (item->kind != TRACE_NODE || is_eager))
        put_call(d, task);
    int64_t values[] = {task->start_ns,
                        task->start_ns + task->dur_ns,
                        0,
                        task->connection,
                        id,
                        TRACE_HOST_PID,
                        type_of(item),
                        TRACE_NONE,
                        item->stream,
                        task->task_id,
                        has_model ? 1 : (int64_t)TRACE_NONE};
    insert(d->task, values, sizeof values / sizeof *values);
}

/* A compiled model is launched, and described, once. */
static void put_load(const struct database *d)
{
    struct trace_task task = {.start_ns = TRACE_START - 60000000};
    for (uint32_t i = 0; i < d->trace->item_count; i++) {
        task.item = &d->trace->items[i];
        if (task.item->kind != TRACE_NODE)
            continue;
        put_info(d, task.item, i);
        task.connection = 1 + task.item->node;
        task.start_ns += 15000;
        put_call(d, &task);
    }
}

uint64_t trace_write_db(const struct trace *trace, const char *path)
{
    struct database d = {.trace = trace, .next_task = trace->item_count};
    struct stat file;
    remove(path);
    check(NULL, sqlite3_open(path, &d.db));
    check(d.db, sqlite3_exec(d.db,
                             "PRAGMA page_size=4096;PRAGMA journal_mode=OFF;"
                             "PRAGMA synchronous=OFF;BEGIN",
                             NULL, NULL, NULL));
    check(d.db, sqlite3_exec(d.db, schema, NULL, NULL, NULL));
    d.task = prepare(d.db, "INSERT INTO TASK VALUES (?,?,?,?,?,?,?,?,?,?,?)");
    d.info = prepare(d.db, "INSERT INTO COMPUTE_TASK_INFO VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    d.call = prepare(d.db, "INSERT INTO CANN_API VALUES (?,?,?,?,?,?)");
    put_strings(&d);
    if (!trace->plan.is_eager)
        put_load(&d);
    trace_each(trace, put_task, &d);
    sqlite3_finalize(d.task);
    sqlite3_finalize(d.info);
    sqlite3_finalize(d.call);
    check(d.db, sqlite3_exec(d.db,
                             "INSERT INTO SESSION_TIME_INFO "
                             "SELECT min(startNs)-90000000,max(endNs)+50000000 FROM TASK;COMMIT;"
                             "CREATE INDEX TaskIndex ON TASK (startNs,globalTaskId)",
                             NULL, NULL, NULL));
    sqlite3_close(d.db);
    return stat(path, &file) ? 0 : (uint64_t)file.st_size;
}
