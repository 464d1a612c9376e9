#include "analyse/report.h"

#include "base/mem.h"

void mi_report_init(struct mi_report *report)
{
    *report = (struct mi_report){0};
    mi_arena_init(&report->arena);
}

void mi_report_fini(struct mi_report *report)
{
    for (uint32_t t = 0; t < report->table_count; t++)
        mi_mem_free(report->tables[t].cells);
    mi_arena_fini(&report->arena);
    mi_report_init(report);
}

/* A list in the arena grows by doubling at powers of two; the old copy stays behind until fini. */
static void *grow(struct mi_report *report, void *list, uint32_t count, size_t size)
{
    if (count & (count - 1) && count)
        return list;
    void *bigger = mi_arena_alloc(&report->arena, (count ? (size_t)count * 2 : 1) * size);
    if (!bigger) {
        report->failed = true;
        return NULL;
    }
    if (count)
        memcpy(bigger, list, count * size);
    return bigger;
}

struct mi_report_table *mi_report_add_table(struct mi_report *report, const char *name,
                                            const char *title,
                                            const struct mi_report_column *columns,
                                            unsigned column_count)
{
    void *list = grow(report, report->tables, report->table_count, sizeof *report->tables);
    if (!list)
        return NULL;
    report->tables = list;
    struct mi_report_table *table = &report->tables[report->table_count++];
    *table = (struct mi_report_table){
        .name = name, .title = title, .columns = columns, .column_count = column_count};
    return table;
}

void mi_report_mark_details(struct mi_report_table *table, const char *names)
{
    while (table && *names) {
        size_t len = strcspn(names, " ");
        for (unsigned c = 0; c < table->column_count && c < 64; c++)
            if (strlen(table->columns[c].name) == len &&
                memcmp(table->columns[c].name, names, len) == 0)
                table->details |= UINT64_C(1) << c;
        names += len;
        names += strspn(names, " ");
    }
}

struct mi_cell *mi_report_add_row(struct mi_report *report, struct mi_report_table *table)
{
    if (!table)
        return NULL;
    if (table->row_count == table->row_room) {
        uint32_t room = table->row_room ? table->row_room * 2 : 8;
        void *cells =
            room > table->row_room
                ? mi_mem_resize(table->cells, room, table->column_count * sizeof *table->cells)
                : NULL;
        if (!cells) {
            report->failed = true;
            return NULL;
        }
        table->cells = cells;
        table->row_room = room;
    }
    struct mi_cell *row = &table->cells[(size_t)table->row_count++ * table->column_count];
    for (unsigned c = 0; c < table->column_count; c++)
        row[c] = mi_cell_none();
    return row;
}

void mi_report_add_finding(struct mi_report *report, const struct mi_finding *finding)
{
    void *list = grow(report, report->findings, report->finding_count, sizeof *report->findings);
    if (!list)
        return;
    report->findings = list;
    report->findings[report->finding_count++] = *finding;
}

void mi_report_add_fact(struct mi_report *report, const struct mi_report_fact *fact)
{
    void *list = grow(report, report->facts, report->fact_count, sizeof *report->facts);
    if (!list)
        return;
    report->facts = list;
    report->facts[report->fact_count++] = *fact;
}

struct mi_cell mi_cell_share(int64_t part, int64_t whole)
{
    if (whole <= 0)
        return mi_cell_none();
    /* Halving both keeps the product below within 64 bits and changes nothing that is shown. */
    while (part > INT64_MAX / 2000000 || part < INT64_MIN / 2000000) {
        part /= 2;
        whole /= 2;
    }
    return mi_cell_int((part * 1000000 + whole / 2) / whole);
}
