/* Tables of the Ascend profilers other than those of tasks: which one it is, and its columns, by
 * the header row alone. */
#ifndef MI_PARSE_FORMATS_MSPROF_SHEET_H
#define MI_PARSE_FORMATS_MSPROF_SHEET_H

#include "base/csv_scan.h"

/* What the rows of a table become. */
enum mi_sheet_target {
    MI_SHEET_STATISTIC, /* a sum */
    MI_SHEET_PARTS,     /* a sum per column: the parts of a step */
    MI_SHEET_WINDOW,    /* a stretch of time */
    MI_SHEET_FUSION,    /* node and the ops that went into it */
    MI_SHEET_NOTE,      /* something about a task, a call, a node */
    MI_SHEET_SERIES,    /* measured values, one per numeric column */
    MI_SHEET_SLICE,     /* a span of the host */
};

enum mi_sheet_role {
    MI_SHEET_DEVICE,
    MI_SHEET_STREAM,
    MI_SHEET_TASK,
    MI_SHEET_NAME,
    MI_SHEET_DETAIL,
    MI_SHEET_START,
    MI_SHEET_END,
    MI_SHEET_DUR,
    MI_SHEET_TIMES,
    MI_SHEET_TOTAL,
    MI_SHEET_MIN,
    MI_SHEET_MAX,
    MI_SHEET_MODEL,
    MI_SHEET_NUMBER,
    MI_SHEET_PROCESS,
    MI_SHEET_THREAD,
    MI_SHEET_ROLES
};

struct mi_sheet_kind {
    const char *name; /* kind of its rows in the model */
    const char *file; /* what the exporter calls the file */
    enum mi_sheet_target target;
    const char *needs, *lacks; /* headers without units, separated by '|' */
    bool is_generic;           /* recognised, of no use here; kept for whoever asks */
    /* Headers that have a role, in the order of trying, separated by '|'. */
    const char *roles[MI_SHEET_ROLES];
};

struct mi_sheet {
    const struct mi_sheet_kind *kind;
    uint32_t count; /* columns of the header */
    int32_t place[MI_SHEET_ROLES];
    uint8_t delimiter;
    bool is_out_of_memory;
};

/* A header without its unit: "Total Time(us)" is "Total Time" in "us". Only known units count. */
struct mi_bytes mi_sheet_stem(struct mi_bytes header, struct mi_bytes *unit);

/* Same letters, whatever their case; '_' is a blank. */
bool mi_sheet_same(struct mi_bytes a, struct mi_bytes b);

/* Power of ten from a unit of time to ns; 3 for none. */
int mi_sheet_exponent(struct mi_bytes unit);

/* Bytes in a unit of memory; 0 for all other units. */
double mi_sheet_bytes(struct mi_bytes unit);

/* From the header row at the start of `text`; false if it is none that is known. */
bool mi_sheet_find(struct mi_sheet *sheet, struct mi_bytes text);

/* A cell without blanks around it. A row may be longer than the header, by commas in the name that
 * the exporter did not quote: cells behind the name are found that much later. */
struct mi_bytes mi_sheet_cell(const struct mi_sheet *sheet, const struct mi_csv_row *row,
                              uint32_t column);
struct mi_bytes mi_sheet_field(const struct mi_sheet *sheet, const struct mi_csv_row *row,
                               enum mi_sheet_role role);

#endif
