/* Small tables: what was recorded where (META_DATA, RANK_DEVICE_MAP, NPU_INFO, HOST_INFO), and
 * stretches of time (STEP_TIME, SESSION_TIME_INFO). Facts have the names that the files beside the
 * database give them, so both can be compared. */
#include "parse/formats/msprof/msprof_facts.h"
#include "parse/formats/msprof_db/db_read.h"

enum { MAX_META_BYTES = 1 << 20 };

#define HALF_AN_HOUR_NS INT64_C(1800000000000)

static void add_fact(struct mi_db_reading *r, mi_str_id name, mi_str_id text)
{
    mi_add_fact(r->db.batch, &(struct mi_fact_row){.name = name, .text = text});
}

static void fact(struct mi_db_reading *r, const char *name, mi_str_id text)
{
    add_fact(r, mi_batch_cstr(r->db.batch, name), text);
}

/* --- META_DATA --- */

/* Values that are JSON are read like the file profiler_metadata.json, of which they are members. */
static bool add_members(struct mi_db_reading *r, struct mi_bytes name, struct mi_bytes value)
{
    if (!value.len || (value.at[0] != '{' && value.at[0] != '[') || name.len > 256 ||
        value.len > MAX_META_BYTES)
        return false;
    uint8_t *text = mi_scratch_room(&r->scratch, name.len + value.len + 5), *at = text;
    if (!text)
        return mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for settings");
    memcpy(at, "{\"", 2);
    memcpy(at + 2, name.at, name.len);
    memcpy(at + 2 + name.len, "\":", 2);
    memcpy(at + 4 + name.len, value.at, value.len);
    at[4 + name.len + value.len] = '}';
    struct mi_source src = {.bytes = {text, name.len + value.len + 5}};
    r->db.batch->counts.in--; /* its members are counted instead */
    mi_msprof_read_facts(&src, r->db.batch, r->db.err);
    return true;
}

static void add_meta(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_batch *batch = r->db.batch;
    mi_str_id name = mi_db_text(rows, 0), value = mi_db_text(rows, 1);
    struct mi_bytes text = mi_batch_text(batch, name);
    if (add_members(r, text, mi_batch_text(batch, value)))
        return;
    if (mi_bytes_equal(text, MI_LIT("SCHEMA_VERSION")))
        name = mi_batch_cstr(batch, "schema_version");
    else if (!mi_bytes_starts(text, MI_LIT("SCHEMA_VERSION_")))
        name = mi_batch_printf(batch, "setting:%.*s", (int)(text.len < 256 ? text.len : 256),
                               (const char *)text.at);
    if (!mi_bytes_starts(text, MI_LIT("SCHEMA_VERSION_"))) /* the parts of SCHEMA_VERSION */
        add_fact(r, name, value);
    mi_db_kept(rows);
}

/* --- devices and ranks --- */

static void add_rank(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_batch *batch = r->db.batch;
    int64_t rank = mi_db_int(rows, 0, -1), device = mi_db_int(rows, 1, -1);
    if (rank >= 0) { /* msprof itself knows none and writes -1 */
        mi_str_id text = mi_batch_printf(batch, "%lld", (long long)rank);
        fact(r, "rank", text);
        add_fact(r, mi_batch_printf(batch, "rank_of_device:%lld", (long long)device), text);
    }
    mi_db_kept(rows);
}

static void add_device(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    int64_t device = mi_db_int(rows, 0, -1);
    if (device >= 0)
        add_fact(r, mi_batch_printf(r->db.batch, "device_name:%lld", (long long)device),
                 mi_db_text(rows, 1));
    mi_db_kept(rows);
}

static void add_host(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    fact(r, "host_uid", mi_db_text(rows, 0));
    fact(r, "host", mi_db_text(rows, 1));
    mi_db_kept(rows);
}

/* --- stretches of time --- */

static void add_window(struct mi_db_reading *r, struct mi_db_rows *rows, const char *kind,
                       unsigned start_column)
{
    struct mi_window_row window = {
        .number = start_column ? mi_db_int(rows, 0, -1) : -1, .model = -1, .device = -1};
    int64_t ignored;
    if (!start_column && mi_db_get_int(rows, 0, &window.start_raw) &&
        !mi_db_get_int(rows, 1, &ignored)) {
        mi_db_note(rows, "msprof_db.session_open",
                   "the session has no end: half an hour is taken, as the profiler's tools do");
        window.dur_ns = HALF_AN_HOUR_NS;
    } else if (!mi_db_span(rows, start_column, start_column + 1, &window.start_raw,
                           &window.dur_ns)) {
        return;
    }
    window.kind = mi_batch_cstr(r->db.batch, kind);
    window.clock = mi_db_host_clock(r, window.start_raw);
    mi_add_window(r->db.batch, &window);
    mi_db_kept(rows);
}

static void add_step(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    add_window(r, rows, "step", 1);
}

static void add_session(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    add_window(r, rows, "session", 0);
}

/* --- all of them --- */

static const struct {
    const char *table, *columns[4];
    void (*add)(struct mi_db_reading *r, struct mi_db_rows *rows);
} tables[] = {
    {"META_DATA", {"name", "value"}, add_meta},
    {"RANK_DEVICE_MAP", {"rankId", "deviceId"}, add_rank},
    {"NPU_INFO", {"id", "name"}, add_device},
    {"HOST_INFO", {"hostUid", "hostName"}, add_host},
    {"STEP_TIME", {"id", "startNs", "endNs"}, add_step},
    {"SESSION_TIME_INFO", {"startTimeNs", "endTimeNs"}, add_session},
};

bool mi_db_read_facts(struct mi_db_reading *r)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct mi_db_rows rows;
        if (mi_db_rows_open(&rows, &r->db, tables[i].table, tables[i].columns))
            while (mi_db_rows_next(&rows))
                tables[i].add(r, &rows);
    }
    return mi_db_is_fine(&r->db);
}
