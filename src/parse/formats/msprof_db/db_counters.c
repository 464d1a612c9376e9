/* Tables of measured values: a moment, a device, what is measured, and values. Those whose columns
 * are known get names and units; the others are told by a column timestampNs, and their series are
 * called after table and column. */
#include "base/hash.h"
#include "parse/formats/msprof_db/db_read.h"

#include <sqlite3.h>
#include <stdio.h>

enum { VALUES = 14, NAME_BYTES = 64 };

/* Columns: moment, device, a text by number or a module, a number, then the values. */
enum { MOMENT, DEVICE, TEXT, MODULE, NUMBER, FIRST_VALUE };

struct kind {
    const char *table, *columns[FIRST_VALUE + VALUES + 1];
    const char *names[VALUES];
    const char *unit[VALUES];
    bool text_goes_first;
};

static const struct kind kinds[] = {
    {.table = "AICORE_FREQ",
     .columns = {"timestampNs", "deviceId", "", "", "dieId", "freq"},
     .names = {"AI Core Freq"},
     .unit = {"MHz"}},
    {.table = "NPU_MEM",
     .columns = {"timestampNs", "deviceId", "type", "", "", "ddr", "hbm"},
     .names = {"ddr", "hbm"},
     .unit = {"B", "B"},
     .text_goes_first = true},
    {.table = "NPU_MODULE_MEM",
     .columns = {"timestampNs", "deviceId", "", "moduleId", "", "totalReserved"},
     .names = {"Total Reserved"},
     .unit = {"B"},
     .text_goes_first = true},
    {.table = "MEMORY_RECORD",
     .columns = {"timestamp", "deviceId", "component", "", "", "totalAllocated", "totalReserved",
                 "totalActive"},
     .names = {"Total Allocated", "Total Reserved", "Total Active"},
     .unit = {"B", "B", "B"},
     .text_goes_first = true},
    {.table = "HBM",
     .columns = {"timestampNs", "deviceId", "type", "", "hbmId", "bandwidth"},
     .names = {"HBM"},
     .unit = {"B/s"}},
    {.table = "DDR",
     .columns = {"timestampNs", "deviceId", "", "", "", "read", "write"},
     .names = {"DDR read", "DDR write"},
     .unit = {"B/s", "B/s"}},
    {.table = "LLC",
     .columns = {"timestampNs", "deviceId", "mode", "", "llcId", "hitRate", "throughput"},
     .names = {"LLC hit rate", "LLC throughput"},
     .unit = {"%", "B/s"}},
};

/* Known by name alone. */
static const char *const others[] = {
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
};

struct series {
    struct mi_db_reading *r;
    const struct kind *kind;
    struct mi_map counters; /* hash of what makes a series -> counter */
};

struct series_key {
    int64_t device, text, module, number, value;
};

static mi_str_id series_name(struct series *s, const struct series_key *key)
{
    struct mi_batch *batch = s->r->db.batch;
    const char *name = s->kind->names[key->value];
    mi_str_id text = mi_db_string(s->r, key->text);
    if (key->module >= 0)
        text = mi_db_module(s->r, key->module);
    struct mi_bytes shown = mi_bytes_sub(mi_batch_text(batch, text), 0, 200);
    char number[24] = "";
    if (key->number >= 0)
        snprintf(number, sizeof number, " %lld", (long long)key->number);
    if (!shown.len)
        return mi_batch_printf(batch, "%s%s", name, number);
    if (s->kind->text_goes_first)
        return mi_batch_printf(batch, "%.*s %s%s", (int)shown.len, (const char *)shown.at, name,
                               number);
    return mi_batch_printf(batch, "%s%s %.*s", name, number, (int)shown.len,
                           (const char *)shown.at);
}

static mi_counter_id counter_of(struct series *s, const struct series_key *key, int64_t at_raw)
{
    struct mi_batch *batch = s->r->db.batch;
    struct mi_bytes bytes = {(const uint8_t *)key, sizeof *key};
    mi_clock_id clock = mi_db_host_clock(s->r, at_raw);
    uint32_t *at = mi_map_at(&s->counters, mi_hash64(bytes));
    if (!at)
        mi_batch_fail(batch, MI_ENOMEM, "out of memory for series");
    else if (!*at)
        *at = mi_add_counter(batch, &(struct mi_counter_row){.name = series_name(s, key),
                                                             .unit = mi_batch_cstr(
                                                                 batch, s->kind->unit[key->value]),
                                                             .clock = clock,
                                                             .rank = -1,
                                                             .device = key->device})
                  .v;
    return (mi_counter_id){at ? *at : 0};
}

static void add_sample(struct series *s, struct mi_db_rows *rows)
{
    struct series_key key = {.device = mi_db_int(rows, DEVICE, -1),
                             .text = mi_db_int(rows, TEXT, -1),
                             .module = mi_db_int(rows, MODULE, -1),
                             .number = mi_db_int(rows, NUMBER, -1)};
    int64_t at_raw;
    double value;
    if (!mi_db_moment(rows, MOMENT, &at_raw))
        return;
    for (unsigned i = 0; i < VALUES && s->kind->names[i]; i++) {
        if (!mi_db_get_real(rows, FIRST_VALUE + i, &value))
            continue;
        key.value = i;
        mi_counter_id counter = counter_of(s, &key, at_raw);
        mi_add_sample(s->r->db.batch, &(struct mi_sample_row){
                                          .counter = counter, .at_raw = at_raw, .value = value});
    }
    mi_db_kept(rows);
}

static void read_series(struct mi_db_reading *r, const struct kind *kind)
{
    struct series s = {.r = r, .kind = kind};
    struct mi_db_rows rows;
    if (mi_db_rows_open(&rows, &r->db, kind->table, kind->columns))
        while (mi_db_rows_next(&rows))
            add_sample(&s, &rows);
    mi_map_fini(&s.counters);
}

/* --- tables known by name alone --- */

struct columns {
    char names[VALUES][NAME_BYTES], labels[VALUES][NAME_BYTES * 2];
    char number[NAME_BYTES], text[NAME_BYTES];
    unsigned count;
};

static bool is_text(const char *name)
{
    return strcmp(name, "type") == 0 || strcmp(name, "mode") == 0 || strcmp(name, "name") == 0;
}

/* Sorts the columns of a table into what is measured and what tells series apart. */
static void take_column(struct columns *found, const char *table, const char *name)
{
    if (strlen(name) >= NAME_BYTES || strchr(name, '"') || strcmp(name, "timestampNs") == 0 ||
        strcmp(name, "deviceId") == 0)
        return;
    if (is_text(name)) {
        snprintf(found->text, sizeof found->text, "%s", name);
    } else if (!found->number[0] && mi_bytes_ends(mi_cstr(name), MI_LIT("Id"))) {
        snprintf(found->number, sizeof found->number, "%s", name);
    } else if (found->count < VALUES) {
        unsigned at = found->count++;
        snprintf(found->names[at], NAME_BYTES, "%s", name);
        snprintf(found->labels[at], sizeof found->labels[at], "%s %s", table, name);
    }
}

static void read_other(struct mi_db_reading *r, const char *table)
{
    struct columns found = {0};
    sqlite3_stmt *stmt = NULL;
    char sql[128];
    snprintf(sql, sizeof sql, "PRAGMA table_info(%s)", table);
    if (sqlite3_prepare_v2(r->db.sqlite.db, sql, -1, &stmt, NULL) == SQLITE_OK)
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(stmt, 1);
            take_column(&found, table, name ? name : "\"");
        }
    sqlite3_finalize(stmt);
    struct kind kind = {.table = table,
                        .columns = {"timestampNs", "deviceId", found.text, "", found.number}};
    for (unsigned i = 0; i < found.count; i++) {
        kind.columns[FIRST_VALUE + i] = found.names[i];
        kind.names[i] = found.labels[i];
        kind.unit[i] = "";
    }
    read_series(r, &kind);
}

bool mi_db_read_counters(struct mi_db_reading *r)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        read_series(r, &kinds[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (mi_db_has_table(&r->db, others[i]))
            read_other(r, others[i]);
    return mi_db_is_fine(&r->db);
}
