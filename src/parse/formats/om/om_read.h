/* What the files of the .om reader share. Private to om*.c.
 *
 *   om.c        the file: header, sub-models, nested files, what it says about itself
 *   om_table.c  header and partition tables
 *   om_model.c  MODEL_DEF: graphs, dictionaries, facts
 *   om_task.c   TASK_INFO
 *   om_record.c what one task says beside the columns of `planned`
 *   om_store.c  kernels, host libraries, inputs and outputs
 *
 * Offsets are absolute, from the start of the outermost file. */
#ifndef MI_PARSE_FORMATS_OM_READ_H
#define MI_PARSE_FORMATS_OM_READ_H

#include "parse/formats/ge/ge_state.h"
#include "parse/formats/ge/ge_wire.h"
#include "parse/reader.h"

#define OM_HEADER_BYTES   256u
#define OM_OLD_VERSION    0x10000000u
#define OM_NEW_VERSION    0x20000000u
#define OM_MAX_PARTITIONS 4096u
#define OM_MAX_MODELS     4096u /* partition tables of one file */
#define OM_MAX_FILES      4096u /* nested files altogether */
#define OM_MAX_DEPTH      8u    /* of files inside each other */

enum om_partition {
    OM_MODEL_DEF = 0,
    OM_WEIGHTS = 1,
    OM_TASK_INFO = 2,
    OM_KERNELS = 3,
    OM_CUST_KERNELS = 4,
    OM_SO_BINS = 5,
    OM_FLOW_MODEL = 6,
    OM_FLOW_SUBMODEL = 7,
    OM_INOUT = 8,
    OM_TILING = 12,
    OM_BUNDLE_MODEL = 24,
    OM_CUSTOM_OPS = 26
};

enum om_model_type { OM_TYPE_FLOW = 3, OM_TYPE_HCS = 4, OM_TYPE_BUNDLE = 5 };

struct om_header {
    uint32_t head_bytes, version, length, ir_version, model_num;
    uint8_t is_encrypted, model_type, platform_type, is_dynamic;
    uint64_t model_length;
    struct mi_bytes name, platform; /* without the padding */
    bool is_old;                    /* layout of version 0x10000000 */
};

struct om_part {
    uint32_t type;
    bool is_clipped; /* the file ends before it does */
    uint64_t at;     /* within its file */
    struct mi_bytes bytes;
};

/* One partition table and what it lists. */
struct om_table {
    struct om_part *parts; /* owned */
    uint32_t count;
    bool is_wide; /* 64-bit */
    uint64_t end; /* behind the last partition, within the file */
};

/* What the top level of a ModelDef says. */
struct om_def {
    struct mi_pb pb; /* over the ModelDef; its `err` is to be set */
    struct mi_bytes name, version;
    struct mi_bytes
        lists[3]; /* ListValue of attr_name_enum, attr_value_enum, attrs_use_string_value */
    bool is_compressed;
    struct mi_pb task_names; /* ListValue of task_index_op_name */
    struct mi_pb merged;     /* ListValue of fm: origins of nodes in older models */
    struct mi_pb tasks;      /* copy of TASK_INFO; empty if there is none */
    uint32_t graphs;
    bool is_broken;
};

/* One (sub-)model while its file is read. */
struct om_model {
    struct om_table table;
    struct om_def def;
    struct mi_ge_dict dict;
    bool has_dict;
};

/* A file that waits to be read. */
struct om_file {
    struct mi_bytes bytes;
    uint64_t base; /* offset of its first byte */
    uint32_t depth;
    mi_str_id label;  /* what the file around calls it */
    bool is_separate; /* a model of its own */
};

struct om {
    const struct mi_source *src;
    struct mi_batch *out;
    struct mi_error *err;
    struct mi_error broken; /* first damage that hides the rest of a main graph or of the file */
    struct mi_error cut;    /* where the file ends too early; MI_OK if it does not */
    uint32_t max_rows;
    uint32_t steps; /* since the last report of progress */
    struct mi_ge ge;
    struct mi_ge_wire wire;
    struct om_file *files;
    uint32_t file_count, file_room;
    struct om_file file; /* the one that is being read */
    struct om_header header;
    uint32_t nth;         /* sub-model that facts are about, from 0 */
    mi_graph_id store_of; /* main graph of the (sub-)model whose binaries are read */
};

/* --- om.c --- */

/* One more record; false: stop (memory, limits, cancelled), and o->err says why. */
bool mi_om_step(struct om *o, uint64_t offset);

/* Queues a file inside the present one. */
void mi_om_queue(struct om *o, struct mi_bytes bytes, uint64_t base, struct mi_bytes label,
                 bool is_separate);

/* Something the file says about itself; nested files put their label before the name. */
void mi_om_fact(struct om *o, const char *name, struct mi_bytes text);
void mi_om_fact_number(struct om *o, const char *name, uint64_t number);

/* A cursor over a partition. */
struct mi_pb mi_om_cursor(struct om *o, const struct om_part *part, struct mi_error *err);

/* Offset in the outermost file of a place in the present one. */
static inline uint64_t om_at(const struct om *o, uint64_t at)
{
    return o->file.base + at;
}

/* --- om_table.c --- */

bool mi_om_header(struct om *o, struct om_header *header);

/* The table at `at` of the present file. False: there is none that makes sense, with a diagnostic
 * if `is_first`. */
bool mi_om_table(struct om *o, uint64_t at, bool is_first, struct om_table *table);

/* The first partition of that type, or NULL. */
const struct om_part *mi_om_find(const struct om_table *table, uint32_t type);

const char *mi_om_partition_name(uint32_t type); /* NULL if not known */

/* --- om_model.c --- */

/* Looks at the top level. */
void mi_om_def_scan(struct om *o, const struct om_part *part, struct om_def *def);

/* Reads graphs and, for the first model, facts. `copies` are names of graphs (string ids of the
 * batch) that another sub-model has, too, and that are left out here. Returns the main graph. */
mi_graph_id mi_om_def_read(struct om *o, struct om_model *model, const struct mi_map *copies,
                           bool is_first);

/* --- om_task.c --- */

/* A ModelTaskDef; `graph` owns the tasks, `names` is the ListValue of task_index_op_name. */
void mi_om_tasks(struct om *o, struct mi_pb pb, mi_graph_id graph, struct mi_pb names);

/* Whether bytes look like a ModelTaskDef at all. */
bool mi_om_is_tasks(struct mi_pb pb);

/* --- om_record.c --- */

/* Lists the fields of a TaskDef; see mi_reader.metrics. */
void mi_om_record(const struct mi_record *record, mi_metric_fn *fn, void *user);

/* --- om_store.c --- */

/* Facts about every partition that is neither graph nor tasks nor weights, and the binaries in
 * them; `graph` is the main graph of their (sub-)model. */
void mi_om_stores(struct om *o, const struct om_table *table, mi_graph_id graph);

#endif
