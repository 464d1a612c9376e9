/* What the parts of the reader msprof_db share: texts by number, streams and threads, kernels, and
 * what one table says about the rows of another. */
#ifndef MI_PARSE_FORMATS_MSPROF_DB_READ_H
#define MI_PARSE_FORMATS_MSPROF_DB_READ_H

#include "base/map.h"
#include "parse/formats/msprof_db/db_rows.h"

/* Numbers of tables in record keys; they are seen outside, so they stay. */
enum mi_db_table {
    MI_DB_TASK = 1,
    MI_DB_COLLECTIVE = 2, /* COMMUNICATION_OP */
    MI_DB_CANN_API = 3,
    MI_DB_TORCH_API = 4,
    MI_DB_MSTX = 5,
    MI_DB_OP_MEMORY = 6,
    MI_DB_NPU_OP_MEM = 7,
    MI_DB_COMM_TIME = 8,  /* CommAnalyzerTime */
    MI_DB_COMM_WAY = 9,   /* CommAnalyzerBandwidth */
    MI_DB_COMM_LINK = 10, /* CommAnalyzerMatrix */
};

/* A map from ids of the database, which are mostly dense, to numbers; 0 = absent. */
struct mi_db_ids {
    uint32_t *dense;
    uint32_t room;
    uint32_t count;
    struct mi_map sparse;
};

/* Makes room for `count` ids up to `most`, if they are dense. False: out of memory. */
bool mi_db_ids_expect(struct mi_db_ids *ids, uint32_t most, uint32_t count);
bool mi_db_ids_set(struct mi_db_ids *ids, int64_t id, uint32_t value);
uint32_t mi_db_ids_get(const struct mi_db_ids *ids, int64_t id);
void mi_db_ids_fini(struct mi_db_ids *ids);

/* A growing list of numbers. */
struct mi_db_list {
    uint32_t *at;
    uint32_t count, room;
};

bool mi_db_list_add(struct mi_db_list *list, uint32_t value);
void mi_db_list_fini(struct mi_db_list *list);

/* What COMPUTE_TASK_INFO and COMMUNICATION_TASK_INFO say of launches: each distinct one once. Texts
 * by their numbers in the database; -1 = none. */
enum mi_db_say {
    MI_DB_NAME,
    MI_DB_OP,
    MI_DB_CORE, /* task type as the graph engine calls it */
    MI_DB_IN_TYPES,
    MI_DB_IN_SHAPES,
    MI_DB_OUT_TYPES,
    MI_DB_OUT_SHAPES,
    MI_DB_STEP,  /* what a part of a collective does: Memcpy, Notify_Record */
    MI_DB_GROUP, /* communication group */
    MI_DB_SAYS
};

struct mi_db_info {
    int64_t says[MI_DB_SAYS];
};

/* A distinct kernel: a launch as the device ran it. */
struct mi_db_kernel {
    int64_t type, model;
    uint32_t info, kernel;
    uint32_t next; /* place of the one that followed it last; 0 = none yet */
};

/* A part of a collective. */
struct mi_db_part {
    int64_t op; /* COMMUNICATION_OP.opId */
    uint32_t info;
};

/* A table of names by number, read when it is first asked. */
struct mi_db_enum {
    struct mi_map strings; /* number -> string of the batch + 1 */
    bool is_read;
};

struct mi_db_reading {
    struct mi_db db;
    struct mi_scratch scratch;
    /* texts */
    struct mi_map texts;         /* number -> string of the batch + 1 */
    struct mi_db_rows text_rows; /* finds one text by its number ... */
    bool has_text_rows;
    struct sqlite3_stmt *find; /* ... or, where that cannot, asks SQLite */
    struct mi_map levels;      /* of calls: number -> string of the batch */
    struct mi_db_enum level_names, modules;
    /* places */
    struct mi_map streams, groups, threads;
    mi_clock_id host;
    int64_t host_first;
    uint32_t last_stream;
    int64_t last_device, last_stream_id;
    /* launches */
    struct mi_db_info *infos; /* from 1 */
    uint32_t info_count, info_room;
    struct mi_map info_places;
    struct mi_db_ids info_of; /* globalTaskId -> info */
    struct mi_db_part *parts; /* from 1 */
    uint32_t part_count, part_room;
    struct mi_db_ids part_of;     /* globalTaskId -> part */
    struct mi_db_kernel *kernels; /* from 1 */
    uint32_t kernel_count, kernel_room, last_kernel;
    struct mi_map kernel_places;
    /* tasks */
    struct mi_db_list children;             /* tasks with a context of their own, rising */
    struct mi_db_list part_tasks, part_ids; /* tasks that are parts of collectives, and which */
    uint32_t first_collective;              /* rows of COMMUNICATION_OP are tasks from here on */
    uint32_t collective_count;
    int64_t *collective_ids; /* [collective_count] opId */
};

/* --- texts (db_texts.c) --- */

bool mi_db_texts_open(struct mi_db_reading *r);
void mi_db_texts_close(struct mi_db_reading *r);

/* The text of a number; one that is not in the table gives the number itself, with a notice. -1
 * gives none. */
mi_str_id mi_db_string(struct mi_db_reading *r, int64_t id);

/* The same, none for "N/A". */
mi_str_id mi_db_name(struct mi_db_reading *r, int64_t id);

/* The name that a table ENUM_... gives to a number; none if it has none. */
mi_str_id mi_db_enum_name(struct mi_db_reading *r, struct mi_db_enum *names, const char *table,
                          int64_t number);
mi_str_id mi_db_module(struct mi_db_reading *r, int64_t number);

/* --- places (db_places.c) --- */

mi_track_id mi_db_stream(struct mi_db_reading *r, int64_t device, int64_t stream,
                         int64_t start_raw);
mi_track_id mi_db_group(struct mi_db_reading *r, int64_t device, mi_str_id group,
                        int64_t start_raw);
/* `thread` is process << 32 | thread. */
mi_track_id mi_db_thread(struct mi_db_reading *r, int64_t thread, int64_t start_raw);
mi_clock_id mi_db_host_clock(struct mi_db_reading *r, int64_t start_raw);

/* References of clocks: the first moment that each tells of. */
void mi_db_find_references(struct mi_db_reading *r);

/* --- launches (db_infos.c, db_kernels.c) --- */

bool mi_db_read_infos(struct mi_db_reading *r);

/* The number of this info, added if it is new; 0: out of memory. */
uint32_t mi_db_info_number(struct mi_db_reading *r, const struct mi_db_info *info);

/* The kernel of a task of host type `type`, described by `info` (0 = not), in a loaded model. */
mi_kernel_id mi_db_kernel_of(struct mi_db_reading *r, uint32_t info, int64_t type, int64_t model);

/* --- tasks --- */

bool mi_db_read_tasks(struct mi_db_reading *r);       /* db_tasks.c */
bool mi_db_read_collectives(struct mi_db_reading *r); /* db_collectives.c */
bool mi_db_set_parents(struct mi_db_reading *r);      /* db_parents.c */

/* --- the host --- */

bool mi_db_read_calls(struct mi_db_reading *r);     /* db_calls.c: CANN_API */
bool mi_db_read_torch_ops(struct mi_db_reading *r); /* db_torch.c: PYTORCH_API, CONNECTION_IDS */

bool mi_db_read_ranges(struct mi_db_reading *r); /* db_ranges.c: MSTX_EVENTS, GC_RECORD */

/* --- what was measured, and the rest --- */

bool mi_db_read_facts(struct mi_db_reading *r);    /* db_facts.c */
bool mi_db_read_counters(struct mi_db_reading *r); /* db_counters.c */
bool mi_db_read_notes(struct mi_db_reading *r);    /* db_notes.c */
bool mi_db_read_analysis(struct mi_db_reading *r); /* db_analysis.c */

/* db_left_out.c: counts the rows of all other tables as left out. */
bool mi_db_count_others(struct mi_db_reading *r);

/* The category of slices of this level (ENUM_API_TYPE). */
mi_str_id mi_db_level(struct mi_db_reading *r, int64_t number);

/* 4294967295, -1 and nothing are no connection. */
uint32_t mi_db_connection(int64_t id);

#endif
