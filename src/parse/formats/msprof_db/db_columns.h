/* Which columns of a row are listed as values of its record, and what they hold. */
#ifndef MI_PARSE_FORMATS_MSPROF_DB_COLUMNS_H
#define MI_PARSE_FORMATS_MSPROF_DB_COLUMNS_H

#include <stdint.h>

enum mi_db_holds { MI_DB_NUMBER, MI_DB_TEXT, MI_DB_ENUM };

struct mi_db_column {
    const char *name; /* NULL ends a list */
    enum mi_db_holds holds;
    const char *names; /* ENUM: the table of names */
};

extern const struct mi_db_column mi_db_task_columns[], mi_db_compute_columns[],
    mi_db_part_columns[], mi_db_copy_columns[], mi_db_collective_columns[], mi_db_torch_columns[],
    mi_db_range_columns[], mi_db_op_memory_columns[], mi_db_npu_op_mem_columns[],
    mi_db_comm_time_columns[], mi_db_comm_way_columns[], mi_db_comm_link_columns[];

/* The name to show for column `i` of a list of which the table has the columns in `found`; NULL: it
 * is hidden by another. What one thing is called in different versions gives one name. */
const char *mi_db_shown_name(const struct mi_db_column *columns, uint32_t found, unsigned i);

#endif
