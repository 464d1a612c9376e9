/* Allocations of single operators: notes, whose values are listed when asked for. */
#include "parse/formats/msprof_db/db_read.h"

enum { NAME, START, DEVICE };

static const struct {
    const char *table, *columns[4], *kind;
    enum mi_db_table number;
} tables[] = {
    {"OP_MEMORY", {"name", "allocationTime", "deviceId"}, "operator_memory", MI_DB_OP_MEMORY},
    {"NPU_OP_MEM", {"operatorName", "timestampNs", "deviceId"}, "npu_op_mem", MI_DB_NPU_OP_MEM},
};

bool mi_db_read_notes(struct mi_db_reading *r)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct mi_db_rows rows;
        if (!mi_db_rows_open(&rows, &r->db, tables[i].table, tables[i].columns))
            continue;
        while (mi_db_rows_next(&rows)) {
            mi_add_note(r->db.batch, &(struct mi_note_row){
                                         .kind = mi_batch_cstr(r->db.batch, tables[i].kind),
                                         .name = mi_db_string(r, mi_db_int(&rows, NAME, -1)),
                                         .device = mi_db_int(&rows, DEVICE, -1),
                                         .stream = -1,
                                         .native_id = -1,
                                         .start_raw = mi_db_int(&rows, START, -1),
                                         .record_offset = mi_db_key(tables[i].number, rows.rowid)});
            mi_db_kept(&rows);
        }
    }
    return mi_db_is_fine(&r->db);
}
