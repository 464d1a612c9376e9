/* Reports: findings plus described tables. A pass fills one and never prints; text, CSV, JSON and
 * HTTP each know how to write *a table*, so no output format knows any pass. */
#ifndef MI_ANALYSE_REPORT_H
#define MI_ANALYSE_REPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "model/tables.h"

enum mi_cell_kind {
    MI_CELL_TEXT,     /* bytes from the user's files: hostile, escaped on output */
    MI_CELL_SENTENCE, /* a message of ours with names in it, in English: translated for people by
                         finding the format it was made from */
    MI_CELL_WORD,     /* message id: a word of ours, translated for people, as it is for scripts */
    MI_CELL_INT,      /* with the column's unit: "", "ns", "B" */
    MI_CELL_SHARE,    /* parts per million of a whole; shown as 12.3 % */
    MI_CELL_REAL,
    MI_CELL_NODE, /* row of nodes */
    MI_CELL_TASK, /* row of tasks */
    MI_CELL_BOOL,
    MI_CELL_DEPTH /* nesting: people see it as the indentation of the column that follows */
};

struct mi_cell {
    bool is_none; /* shown as "-", null in JSON */
    union {
        struct mi_bytes text;
        const char *word;
        int64_t number; /* INT, SHARE, NODE, TASK, BOOL, DEPTH */
        double real;
    };
};

struct mi_report_column {
    const char *name;  /* "total_ns": JSON key, CSV header */
    const char *title; /* message id: heading for people; NULL: for programs only */
    enum mi_cell_kind kind;
    const char *unit;    /* "ns", "B", "" */
    const char *meaning; /* message id: one sentence */
};

struct mi_report_table {
    const char *name;  /* "by_type" */
    const char *title; /* message id */
    const struct mi_report_column *columns;
    unsigned column_count;
    uint64_t details;      /* bit per column: may be left out where a terminal is too narrow */
    struct mi_cell *cells; /* [row_count][column_count]; freed with the report */
    uint32_t row_count, row_room;
};

/* One verdict. `sentence` and `advice` are message ids with %1 .. %9 standing for `args`. */
struct mi_finding {
    const char *rule; /* "fp32_upcast" */
    enum mi_severity severity;
    mi_node_id node;         /* subject, 0 = none */
    mi_task_id task;         /* subject, 0 = none */
    struct mi_bytes subject; /* one that is neither: "stream 0/37"; empty = none */
    const char *sentence;
    struct mi_bytes args[4];
    int64_t cost_ns; /* -1 = not known */

    /* Findings that give advice; all zero in others. */
    const char *advice;      /* message id: what to try; NULL = none */
    const char *cost_from;   /* message id: how the cost was found; NULL = there is none */
    int64_t whole_ns;        /* the cost is a part of this: the makespan; 0 = of nothing */
    const mi_node_id *nodes; /* [node_count] all subjects, `node` among them */
    const mi_task_id *tasks; /* [task_count] */
    uint32_t node_count, task_count;
    bool is_experimental; /* its rule is wrong more often than it should be */
};

/* Scalars of a report: "explained share", "makespan". */
struct mi_report_fact {
    const char *name, *title; /* title: message id */
    enum mi_cell_kind kind;
    const char *unit;
    struct mi_cell cell;
};

struct mi_report {
    struct mi_report_table *tables;
    struct mi_finding *findings;
    struct mi_report_fact *facts;
    uint32_t table_count, finding_count, fact_count;
    struct mi_arena arena; /* owns texts and lists */
    bool failed;           /* sticky: out of memory */
};

void mi_report_init(struct mi_report *report);
void mi_report_fini(struct mi_report *report);

/* Adds an empty table; `columns` [column_count] is borrowed (a constant list). The pointer is valid
 * until the next table is added. NULL: out of memory. */
struct mi_report_table *mi_report_add_table(struct mi_report *report, const char *name,
                                            const char *title,
                                            const struct mi_report_column *columns,
                                            unsigned column_count);

/* Marks the columns in `names` (separated by blanks) as details. `table` may be NULL. */
void mi_report_mark_details(struct mi_report_table *table, const char *names);

/* Adds a row and returns its cells [column_count], all none; NULL: out of memory. */
struct mi_cell *mi_report_add_row(struct mi_report *report, struct mi_report_table *table);

void mi_report_add_finding(struct mi_report *report, const struct mi_finding *finding);
void mi_report_add_fact(struct mi_report *report, const struct mi_report_fact *fact);

static inline struct mi_cell mi_cell_none(void)
{
    return (struct mi_cell){.is_none = true};
}
static inline struct mi_cell mi_cell_int(int64_t number)
{
    return (struct mi_cell){.number = number};
}
static inline struct mi_cell mi_cell_text(struct mi_bytes text)
{
    return (struct mi_cell){.text = text};
}
static inline struct mi_cell mi_cell_word(const char *word)
{
    return (struct mi_cell){.word = word};
}
static inline struct mi_cell mi_cell_real(double real)
{
    return (struct mi_cell){.real = real};
}

/* part / whole as a SHARE cell; none when whole is 0. Exact, no rounding through double. */
struct mi_cell mi_cell_share(int64_t part, int64_t whole);

#endif
