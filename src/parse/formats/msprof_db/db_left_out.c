/* Tables that are not read: their rows are counted, each table in a notice of its own. Those of the
 * viewer, of SQLite itself and lists of names hold no records. */
#include "parse/formats/msprof_db/db_read.h"

#include <stdio.h>

enum { MAX_NAME_BYTES = 64 };

/* What the other parts of the reader read, or read beside a row when asked. */
static const char *const read_elsewhere[] = {
    "TASK",
    "COMPUTE_TASK_INFO",
    "COMMUNICATION_TASK_INFO",
    "COMMUNICATION_OP",
    "CANN_API",
    "PYTORCH_API",
    "CONNECTION_IDS",
    "MSTX_EVENTS",
    "GC_RECORD",
    "META_DATA",
    "RANK_DEVICE_MAP",
    "NPU_INFO",
    "HOST_INFO",
    "STEP_TIME",
    "SESSION_TIME_INFO",
    "OP_MEMORY",
    "NPU_OP_MEM",
    "AICORE_FREQ",
    "NPU_MEM",
    "NPU_MODULE_MEM",
    "MEMORY_RECORD",
    "HBM",
    "DDR",
    "LLC",
    "QOS",
    "NIC",
    "ROCE",
    "PCIE",
    "HCCS",
    "NETDEV_STATS",
    "ACC_PMU",
    "SOC_BANDWIDTH_LEVEL",
    "SIO",
    "UB",
    "SAMPLE_PMU_TIMELINE",
    "CPU_USAGE",
    "HOST_MEM_USAGE",
    "HOST_DISK_USAGE",
    "HOST_NETWORK_USAGE",
    "STRING_IDS",
    "MEMCPY_INFO",
    "TASK_PMU_INFO",
    "PYTORCH_CALLCHAINS",
    "COMMUNICATION_SCHEDULE_TASK_INFO",
    "StepTraceTime",
    "CommAnalyzerTime",
    "CommAnalyzerBandwidth",
    "CommAnalyzerMatrix",
    "status_info",
    "connectionCats",
};

/* Tables known to tell nothing that others do not. */
static const char *const derived[] = {"OVERLAP_ANALYSIS"};

static bool is_among(struct mi_bytes name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mi_bytes_equal(name, mi_cstr(list[i])))
            return true;
    return false;
}

static bool is_plain(struct mi_bytes name)
{
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.at[i], low = c | 0x20;
        if (!(low >= 'a' && low <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return name.len > 0 && name.len <= MAX_NAME_BYTES;
}

static void leave_out(struct mi_db_reading *r, struct mi_bytes name)
{
    static const char *const no_columns[] = {NULL};
    struct mi_db_rows rows;
    char table[MAX_NAME_BYTES + 1], code[MAX_NAME_BYTES + 32];
    int64_t count = 0;
    snprintf(table, sizeof table, "%.*s", (int)name.len, (const char *)name.at);
    snprintf(code, sizeof code, "msprof_db.left_out.%s", table);
    if (!mi_db_rows_open(&rows, &r->db, table, no_columns))
        return;
    for (; mi_db_rows_next(&rows); count++)
        r->db.batch->counts.skipped++;
    if (count)
        mi_batch_diag(
            r->db.batch,
            is_among(name, derived, sizeof derived / sizeof *derived) ? MI_INFO : MI_NOTICE, code,
            MI_NO_OFFSET, 0, "table %s with %lld rows is not read", table, (long long)count);
}

bool mi_db_count_others(struct mi_db_reading *r)
{
    enum { READ = sizeof read_elsewhere / sizeof *read_elsewhere };
    for (uint32_t i = 1; mi_db_is_fine(&r->db) && i < r->db.tables.count; i++) {
        struct mi_bytes name = mi_strings_get(&r->db.tables, (mi_str_id){i});
        if (!is_plain(name)) {
            mi_batch_diag(r->db.batch, MI_NOTICE, "msprof_db.table_unknown", MI_NO_OFFSET, 0,
                          "a table with an odd name is not read");
            continue;
        }
        if (!is_among(name, read_elsewhere, READ) && !mi_bytes_starts(name, MI_LIT("ENUM_")) &&
            !mi_bytes_starts(name, MI_LIT("sqlite_")))
            leave_out(r, name);
    }
    return mi_db_is_fine(&r->db);
}
