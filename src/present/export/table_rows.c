#include "present/export/table_rows.h"

struct mi_table_rows mi_table_rows_begin(const struct mi_model *model, enum mi_table_no which)
{
    return (struct mi_table_rows){
        .model = model, .which = which, .links = mi_links_begin(&model->all.rows)};
}

bool mi_table_rows_next(struct mi_table_rows *at)
{
    bool is_links = at->which == MI_T_executed;
    if (is_links ? !mi_links_next(&at->links)
                 : at->row + 1 >= mi_any_table_of(&at->model->all.rows, at->which)->count)
        return false;
    at->row = is_links ? at->links.row : at->row + 1;
    at->id++;
    return true;
}

int64_t mi_table_rows_int(const struct mi_table_rows *at, const struct mi_column_info *column)
{
    if (at->which == MI_T_executed && column->kind == MI_KIND_ID && column->extra == MI_T_tasks)
        return at->links.task;
    return mi_column_int(mi_any_table_of(&at->model->all.rows, at->which), column, at->row);
}

bool mi_table_rows_has(const struct mi_column_info *column)
{
    return column->kind != MI_KIND_ID || column->extra != MI_T_executed; /* tasks.link */
}
