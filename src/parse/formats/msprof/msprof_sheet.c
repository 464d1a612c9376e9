#include "parse/formats/msprof/msprof_sheet.h"

#include "parse/formats/msprof/msprof_columns.h"

#define DEVICES "device id|device|device type"

enum { MAX_COLUMNS = 1024 };

#define STATISTIC(stem, what)                                                                      \
    [MI_SHEET_TIMES] = "count", [MI_SHEET_TOTAL] = "total " stem "|" what,                         \
    [MI_SHEET_MIN] = "min " stem "|min", [MI_SHEET_MAX] = "max " stem "|max"

/* The first that fits is it. */
static const struct mi_sheet_kind kinds[] = {
    {.name = "op",
     .file = "op_statistic",
     .target = MI_SHEET_STATISTIC,
     .needs = "op type|core type|count|total time",
     .roles =
         {[MI_SHEET_NAME] = "op type", [MI_SHEET_DETAIL] = "core type", STATISTIC("time", "time")}},
    {.name = "communication",
     .file = "communication_statistic",
     .target = MI_SHEET_STATISTIC,
     .needs = "op type|count|total time|avg time",
     .roles = {[MI_SHEET_NAME] = "op type", STATISTIC("time", "time")}},
    {.name = "api",
     .file = "api_statistic",
     .target = MI_SHEET_STATISTIC,
     .needs = "level|api name|time|count",
     .roles =
         {[MI_SHEET_NAME] = "api name", [MI_SHEET_DETAIL] = "level", STATISTIC("time", "time")}},
    {.name = "task",
     .file = "task_time",
     .target = MI_SHEET_STATISTIC,
     .needs = "time|count|waiting|running|pending|type|op name",
     .roles = {[MI_SHEET_NAME] = "op name", [MI_SHEET_DETAIL] = "type", STATISTIC("time", "time")}},
    {.name = "os",
     .file = "os_runtime_statistic",
     .target = MI_SHEET_STATISTIC,
     .needs = "process id|thread id|name|time|count",
     .roles =
         {[MI_SHEET_NAME] = "name", [MI_SHEET_DETAIL] = "thread id", STATISTIC("time", "time")}},
    {.name = "step",
     .file = "step_trace_time",
     .target = MI_SHEET_PARTS,
     .needs = "step|computing|overlapped|free",
     .roles = {[MI_SHEET_NUMBER] = "step", [MI_SHEET_DETAIL] = "type", [MI_SHEET_NAME] = "index"}},
    {.name = "iteration",
     .file = "step_trace",
     .target = MI_SHEET_WINDOW,
     .needs = "iteration id|iteration end|iteration time",
     .roles = {[MI_SHEET_NUMBER] = "iteration id",
               [MI_SHEET_END] = "iteration end",
               [MI_SHEET_DUR] = "iteration time",
               [MI_SHEET_MODEL] = "model id"}},
    {.name = "fusion_op",
     .file = "fusion_op",
     .target = MI_SHEET_FUSION,
     .needs = "fusion op|original ops",
     .roles = {[MI_SHEET_NAME] = "fusion op",
               [MI_SHEET_DETAIL] = "original ops",
               [MI_SHEET_MODEL] = "model id"}},
    {.name = "l2_cache",
     .file = "l2_cache",
     .target = MI_SHEET_NOTE,
     .needs = "stream id|task id|hit rate|victim rate",
     .roles = {[MI_SHEET_NAME] = "op name"}},
    {.name = "aicpu",
     .file = "aicpu",
     .target = MI_SHEET_NOTE,
     .needs = "node|compute time|task time|stream id|task id",
     .roles = {[MI_SHEET_NAME] = "node", [MI_SHEET_START] = "timestamp"}},
    {.name = "operator_details",
     .file = "operator_details",
     .target = MI_SHEET_NOTE,
     .needs = "name|host self duration|device self duration",
     .roles = {[MI_SHEET_NAME] = "name", [MI_SHEET_DUR] = "host total duration"}},
    {.name = "operator_memory",
     .file = "operator_memory",
     .target = MI_SHEET_NOTE,
     .needs = "name|size|allocation time",
     .roles = {[MI_SHEET_NAME] = "name", [MI_SHEET_START] = "allocation time"}},
    {.name = "static_op_mem",
     .file = "static_op_mem",
     .target = MI_SHEET_NOTE,
     .needs = "op name|node index start|node index end|size",
     .roles = {[MI_SHEET_NAME] = "op name"}},
    {.name = "soc_pmu",
     .file = "soc_pmu",
     .target = MI_SHEET_NOTE,
     .needs = "stream id|task id|tlb hit rate",
     .roles = {[MI_SHEET_NAME] = "op name"}},
    {.name = "per_task",
     .file = "table of tasks",
     .target = MI_SHEET_NOTE,
     .needs = "stream id|task id",
     .lacks = "kernel name",
     .is_generic = true,
     .roles = {[MI_SHEET_NAME] = "op name|node|name", [MI_SHEET_START] = "timestamp|start time"}},
    {.name = "memory",
     .file = "memory_record, npu_module_mem",
     .target = MI_SHEET_SERIES,
     .needs = "component|timestamp|total reserved",
     .roles = {[MI_SHEET_NAME] = "component", [MI_SHEET_START] = "timestamp"}},
    {.name = "memory",
     .file = "npu_mem",
     .target = MI_SHEET_SERIES,
     .needs = "event|ddr|hbm|timestamp",
     .roles = {[MI_SHEET_NAME] = "event", [MI_SHEET_START] = "timestamp"}},
    {.name = "annotation",
     .file = "msprof_tx",
     .target = MI_SHEET_SLICE,
     .needs = "pid|tid|category|event type|start time|end time|message",
     .roles = {[MI_SHEET_NAME] = "message",
               [MI_SHEET_DETAIL] = "domain",
               [MI_SHEET_START] = "start time",
               [MI_SHEET_END] = "end time",
               [MI_SHEET_PROCESS] = "pid",
               [MI_SHEET_THREAD] = "tid"}},
    {.name = "dataset",
     .file = "dataset",
     .target = MI_SHEET_NOTE,
     .needs = "operation|stage|occurrences",
     .is_generic = true,
     .roles = {[MI_SHEET_NAME] = "operation"}},
    {.name = "minddata",
     .file = "minddata_pipeline",
     .target = MI_SHEET_NOTE,
     .needs = "op id|op type|num workers",
     .is_generic = true,
     .roles = {[MI_SHEET_NAME] = "op type"}},
    {.name = "link",
     .file = "pcie, hccs",
     .target = MI_SHEET_NOTE,
     .needs = "mode|max|average",
     .is_generic = true,
     .roles = {[MI_SHEET_NAME] = "mode"}},
    {.name = "link",
     .file = "pcie",
     .target = MI_SHEET_NOTE,
     .needs = "mode|max|avg",
     .is_generic = true,
     .roles = {[MI_SHEET_NAME] = "mode"}},
    {.name = "network",
     .file = "nic, roce",
     .target = MI_SHEET_SERIES,
     .needs = "timestamp|bandwidth",
     .is_generic = true,
     .roles = {[MI_SHEET_START] = "timestamp"}},
    {.name = "device_table",
     .file = "table of a device",
     .target = MI_SHEET_SERIES,
     .needs = "device id|timestamp",
     .is_generic = true,
     .roles = {[MI_SHEET_START] = "timestamp"}},
    {.name = "device_table",
     .file = "table of a device",
     .target = MI_SHEET_NOTE,
     .needs = "device id",
     .is_generic = true,
     .roles = {[MI_SHEET_NAME] = "metric|mode|name|op name"}},
};

/* --- headers --- */

static const struct {
    const char *name;
    int exponent; /* of time to ns */
    double bytes; /* of memory */
} units[] = {
    {"us", 3, 0},
    {"ms", 6, 0},
    {"ns", 0, 0},
    {"s", 9, 0},
    {"B", 3, 1},
    {"KB", 3, 1024},
    {"MB", 3, 1024.0 * 1024},
    {"GB", 3, 1024.0 * 1024 * 1024},
    {"MB/s", 3, 0},
    {"GB/s", 3, 0},
    {"KB/s", 3, 0},
    {"B/s", 3, 0},
    {"MHz", 3, 0},
    {"Mb/s", 3, 0},
};

enum { KINDS = sizeof kinds / sizeof *kinds, UNITS = sizeof units / sizeof *units };

static int unit_of(struct mi_bytes unit)
{
    for (int i = 0; i < UNITS; i++)
        if (mi_bytes_equal(unit, mi_cstr(units[i].name)))
            return i;
    return -1;
}

int mi_sheet_exponent(struct mi_bytes unit)
{
    int i = unit_of(unit);
    return i < 0 ? 3 : units[i].exponent;
}

double mi_sheet_bytes(struct mi_bytes unit)
{
    int i = unit_of(unit);
    return i < 0 ? 0 : units[i].bytes;
}

struct mi_bytes mi_sheet_stem(struct mi_bytes header, struct mi_bytes *unit)
{
    *unit = (struct mi_bytes){0};
    header = mi_msprof_trim(header);
    if (!header.len || header.at[header.len - 1] != ')')
        return header;
    size_t at = header.len - 1;
    while (at && header.at[at] != '(')
        at--;
    struct mi_bytes inner = mi_bytes_sub(header, at + 1, header.len - at - 2);
    if (header.at[at] != '(' || unit_of(inner) < 0)
        return header;
    *unit = inner;
    return mi_msprof_trim(mi_bytes_sub(header, 0, at));
}

static uint8_t plain(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c == '_' ? ' ' : c;
}

bool mi_sheet_same(struct mi_bytes a, struct mi_bytes b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (plain(a.at[i]) != plain(b.at[i]))
            return false;
    return true;
}

static struct mi_bytes next_of(struct mi_bytes *list)
{
    const uint8_t *bar = list->len ? memchr(list->at, '|', list->len) : NULL;
    size_t len = bar ? (size_t)(bar - list->at) : list->len;
    struct mi_bytes first = mi_bytes_sub(*list, 0, len);
    *list = mi_bytes_sub(*list, len + (bar != NULL), list->len);
    return first;
}

static int32_t column_of(const struct mi_csv_row *header, struct mi_bytes name)
{
    struct mi_bytes unit;
    for (uint32_t i = 0; i < header->count; i++)
        if (mi_sheet_same(mi_sheet_stem(header->fields[i].raw, &unit), name))
            return (int32_t)i;
    return -1;
}

static bool fits(const struct mi_sheet_kind *kind, const struct mi_csv_row *header)
{
    struct mi_bytes needs = mi_cstr(kind->needs), lacks = mi_cstr(kind->lacks);
    while (needs.len)
        if (column_of(header, next_of(&needs)) < 0)
            return false;
    while (lacks.len)
        if (column_of(header, next_of(&lacks)) >= 0)
            return false;
    return true;
}

static const char *names_of_role(const struct mi_sheet_kind *kind, enum mi_sheet_role role)
{
    if (kind->roles[role])
        return kind->roles[role];
    return role == MI_SHEET_DEVICE   ? DEVICES
           : role == MI_SHEET_STREAM ? "stream id"
           : role == MI_SHEET_TASK   ? "task id"
                                     : "";
}

static void place_roles(struct mi_sheet *sheet, const struct mi_csv_row *header)
{
    for (unsigned role = 0; role < MI_SHEET_ROLES; role++) {
        struct mi_bytes names = mi_cstr(names_of_role(sheet->kind, role));
        sheet->place[role] = -1;
        while (names.len && sheet->place[role] < 0)
            sheet->place[role] = column_of(header, next_of(&names));
    }
}

static bool find_with(struct mi_sheet *sheet, struct mi_bytes text, uint8_t delimiter)
{
    struct mi_csv csv;
    struct mi_csv_row row;
    *sheet = (struct mi_sheet){.delimiter = delimiter};
    mi_csv_init(&csv, text, &(struct mi_csv_options){.delimiter = delimiter});
    bool ok = mi_csv_next(&csv, &row) && row.count > 1 && row.count <= MAX_COLUMNS;
    for (unsigned k = 0; ok && k < KINDS && !sheet->kind; k++)
        if (fits(&kinds[k], &row))
            sheet->kind = &kinds[k];
    if (sheet->kind) {
        sheet->count = row.count;
        place_roles(sheet, &row);
    }
    sheet->is_out_of_memory = csv.error.code == MI_ENOMEM;
    mi_csv_fini(&csv);
    return sheet->kind != NULL;
}

bool mi_sheet_find(struct mi_sheet *sheet, struct mi_bytes text)
{
    return find_with(sheet, text, ',') || (!sheet->is_out_of_memory && find_with(sheet, text, ';'));
}

/* --- cells --- */

struct mi_bytes mi_sheet_cell(const struct mi_sheet *sheet, const struct mi_csv_row *row,
                              uint32_t column)
{
    int32_t name = sheet->place[MI_SHEET_NAME];
    uint32_t surplus = row->count > sheet->count && name >= 0 ? row->count - sheet->count : 0;
    if (surplus && column > (uint32_t)name)
        column += surplus;
    struct mi_bytes first = mi_csv_raw(row, column);
    if (surplus && column == (uint32_t)name) {
        struct mi_bytes last = mi_csv_raw(row, column + surplus);
        first.len = (size_t)(last.at - first.at) + last.len;
    }
    return mi_msprof_trim(first);
}

struct mi_bytes mi_sheet_field(const struct mi_sheet *sheet, const struct mi_csv_row *row,
                               enum mi_sheet_role role)
{
    int32_t place = sheet->place[role];
    return place < 0 ? (struct mi_bytes){0} : mi_sheet_cell(sheet, row, (uint32_t)place);
}
