/* CANN_API: calls of the host by level, the innermost last. */
#include "parse/formats/msprof_db/db_read.h"

enum { START, END, TYPE, THREAD, CONNECTION, NAME };

static const char *const columns[] = {"startNs",      "endNs", "type", "globalTid",
                                      "connectionId", "name",  NULL};

/* The levels of section 6.2 of the format; old names beside the new ones. */
static const struct {
    int64_t number;
    const char *written, *category;
} levels[] = {
    {5000, "runtime", "runtime"},      {5500, "communication", "communication"},
    {5500, "hccl", "communication"},   {10000, "node", "node"},
    {15000, "model", "model"},         {20000, "acl", "acl"},
    {20500, "msproftx", "annotation"}, {25000, "pta", "op"},
    {30000, "pytorch", "op"},          {50001, "op", "op"},
    {50002, "queue", "queue"},         {50003, "trace", "python"},
    {50004, "mstx", "annotation"},
};

enum { LEVELS = sizeof levels / sizeof *levels };

static mi_str_id known_level(struct mi_db_reading *r, struct mi_bytes written, int64_t number)
{
    for (size_t i = 0; i < LEVELS; i++)
        if (written.len ? mi_bytes_equal(written, mi_cstr(levels[i].written))
                        : number == levels[i].number)
            return mi_batch_cstr(r->db.batch, levels[i].category);
    return MI_NO_STR;
}

/* The file's own list of levels goes first, then that of the format. */
static mi_str_id find_level(struct mi_db_reading *r, int64_t number)
{
    mi_str_id written = mi_db_enum_name(r, &r->level_names, "ENUM_API_TYPE", number);
    mi_str_id level = known_level(r, mi_batch_text(r->db.batch, written), number);
    if (!level.v)
        level = written;
    return level.v ? level : mi_batch_printf(r->db.batch, "%lld", (long long)number);
}

mi_str_id mi_db_level(struct mi_db_reading *r, int64_t number)
{
    uint32_t *at = mi_map_at(&r->levels, (uint64_t)number);
    if (!at)
        mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for levels");
    else if (!*at)
        *at = find_level(r, number).v;
    return (mi_str_id){at ? *at : 0};
}

static void add_call(struct mi_db_reading *r, struct mi_db_rows *rows)
{
    struct mi_slice_row slice = {.record_offset = mi_db_key(MI_DB_CANN_API, rows->rowid),
                                 .connection = mi_db_connection(mi_db_int(rows, CONNECTION, -1)),
                                 .correlation = MI_NO_CONNECTION};
    int64_t type = mi_db_int(rows, TYPE, -1);
    if (!mi_db_span(rows, START, END, &slice.start_raw, &slice.dur_ns))
        return;
    slice.category = mi_db_level(r, type);
    slice.name = mi_db_string(r, mi_db_int(rows, NAME, -1));
    slice.track = mi_db_thread(r, mi_db_int(rows, THREAD, 0), slice.start_raw);
    mi_add_slice(r->db.batch, &slice);
    mi_db_kept(rows);
}

bool mi_db_read_calls(struct mi_db_reading *r)
{
    struct mi_db_rows rows;
    if (!mi_db_rows_open(&rows, &r->db, "CANN_API", columns))
        return mi_db_is_fine(&r->db);
    mi_db_make_room(&r->db, "CANN_API", MI_T_slices);
    while (mi_db_rows_next(&rows))
        add_call(r, &rows);
    return mi_db_is_fine(&r->db);
}
