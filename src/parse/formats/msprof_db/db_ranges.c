/* MSTX_EVENTS: ranges and marks that the user put into the program, and GC_RECORD: pauses of
 * Python's garbage collector. Where a range also has a part on the device, a task shares its
 * connection. */
#include "parse/formats/msprof_db/db_read.h"

enum { START, END, THREAD, MESSAGE, DOMAIN, CONNECTION };

static const char *const range_columns[] = {"startNs",  "endNs",        "globalTid", "message",
                                            "domainId", "connectionId", NULL};
static const char *const pause_columns[] = {"startNs", "endNs", "globalTid", NULL};

/* This number and nothing else stands for a range without a part on the device. */
#define NO_DEVICE_PART UINT32_C(4000000000)

static void add_range(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_slice_row slice = {.record_offset = mi_db_key(MI_DB_MSTX, rows->rowid),
                                 .connection = mi_db_connection(mi_db_int(rows, CONNECTION, -1)),
                                 .correlation = MI_NO_CONNECTION};
    if (!mi_db_span(rows, START, END, &slice.start_raw, &slice.dur_ns))
        return;
    if (slice.connection == NO_DEVICE_PART)
        slice.connection = MI_NO_CONNECTION;
    slice.name = mi_db_string(r, mi_db_int(rows, MESSAGE, -1));
    slice.item = mi_db_string(r, mi_db_int(rows, DOMAIN, -1));
    slice.category = mi_batch_cstr(r->db.batch, "annotation");
    slice.track = mi_db_thread(r, mi_db_int(rows, THREAD, 0), slice.start_raw);
    mi_add_slice(r->db.batch, &slice);
    mi_db_kept(rows);
}

static void add_pause(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_slice_row slice = {
        .record_offset = -1, .connection = MI_NO_CONNECTION, .correlation = MI_NO_CONNECTION};
    if (!mi_db_span(rows, START, END, &slice.start_raw, &slice.dur_ns))
        return;
    slice.name = mi_batch_cstr(r->db.batch, "garbage collection");
    slice.category = mi_batch_cstr(r->db.batch, "annotation");
    slice.track = mi_db_thread(r, mi_db_int(rows, THREAD, 0), slice.start_raw);
    mi_add_slice(r->db.batch, &slice);
    mi_db_kept(rows);
}

bool mi_db_read_ranges(struct mi_db_reading *r)
{
    struct mi_db_rows rows;
    if (mi_db_rows_open(&rows, &r->db, "MSTX_EVENTS", range_columns))
        while (mi_db_rows_next(&rows))
            add_range(r, &rows);
    if (mi_db_rows_open(&rows, &r->db, "GC_RECORD", pause_columns))
        while (mi_db_rows_next(&rows))
            add_pause(r, &rows);
    return mi_db_is_fine(&r->db);
}
