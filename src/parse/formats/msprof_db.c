/* Databases of the Ascend profilers: msprof_*.db, ascend_pytorch_profiler_*.db,
 * ascend_mindspore_profiler_*.db. SQLite, all times nanoseconds since 1970, nearly all texts by
 * number into STRING_IDS.
 *
 *   TASK                      a row per execution on a stream; loops repeat its globalTaskId
 *   COMPUTE_TASK_INFO         what a globalTaskId computes: name, type, shapes
 *   COMMUNICATION_TASK_INFO   ... or which part of which collective it is
 *   COMMUNICATION_OP          collectives, each with its group
 *   CANN_API                  calls of the host; connectionId ties them to tasks
 *   PYTORCH_API               framework ops, queue, Python; CONNECTION_IDS gives their connections
 *   AICORE_FREQ, HBM, ...     measured values
 *
 * analysis.db and communication_analyzer.db hold sums of steps and collectives.
 *
 * Versions: the schema grew from 2023 (no META_DATA) over 1.0 to 1.2, with columns and tables
 * coming and going, so columns are found by name, and what is absent was not collected. The viewer
 * writes columns and tables of its own into these files and leaves some in WAL mode.
 *
 * Traps: times may be TEXT; the largest unsigned number is stored as -1; 4294967295 means none;
 * FFTS+ and MIX tasks stand there as a whole and in parts (contextId). */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/msprof_db/db_read.h"
#include "parse/formats/msprof_db/db_records.h"

static bool has_any(const struct mi_db *db, const char *const *tables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mi_db_has_table(db, tables[i]))
            return true;
    return false;
}

/* A database in WAL mode may have all of its tables in the log still, which is not seen here. */
static int look(const struct mi_probe *probe)
{
    static const char *const records[] = {"TASK", "CANN_API", "PYTORCH_API", "COMMUNICATION_OP"};
    static const char *const sums[] = {"StepTraceTime", "CommAnalyzerTime"};
    struct mi_source src = {.bytes = probe->bytes};
    struct mi_db db;
    if (!mi_db_open(&db, &src, NULL, NULL))
        return 0;
    bool is_ours = (mi_db_has_table(&db, "STRING_IDS") &&
                    has_any(&db, records, sizeof records / sizeof *records)) ||
                   has_any(&db, sums, sizeof sums / sizeof *sums);
    bool may_be_ours = db.tables.count == 1 && mi_sqlite_has_log(probe->bytes);
    mi_db_close(&db);
    return is_ours ? 95 : may_be_ours ? 20 : 0;
}

static int sniff(const struct mi_probe *probe)
{
    return mi_sqlite_is(probe->head) ? look(probe) : 0;
}

static void close_reading(struct mi_db_reading *r)
{
    mi_db_texts_close(r);
    mi_db_close(&r->db);
    mi_scratch_fini(&r->scratch);
    mi_map_fini(&r->levels);
    mi_map_fini(&r->level_names.strings);
    mi_map_fini(&r->modules.strings);
    mi_map_fini(&r->streams);
    mi_map_fini(&r->groups);
    mi_map_fini(&r->threads);
    mi_mem_free(r->infos);
    mi_map_fini(&r->info_places);
    mi_db_ids_fini(&r->info_of);
    mi_mem_free(r->parts);
    mi_db_ids_fini(&r->part_of);
    mi_mem_free(r->kernels);
    mi_map_fini(&r->kernel_places);
    mi_db_list_fini(&r->children);
    mi_db_list_fini(&r->part_tasks);
    mi_db_list_fini(&r->part_ids);
    mi_mem_free(r->collective_ids);
}

static bool read_database(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_db_reading r = {0};
    if (!mi_db_open(&r.db, src, out, err))
        return false;
    if (r.db.tables.count == 1)
        mi_batch_diag(
            out, MI_WARNING, "msprof_db.empty", 0, 0,
            "the database has no tables; they may be in a log (-wal) that is not beside it");
    bool ok = mi_db_texts_open(&r) && mi_db_read_facts(&r) && mi_db_read_infos(&r) &&
              mi_db_read_tasks(&r) && mi_db_read_collectives(&r) && mi_db_set_parents(&r) &&
              mi_db_read_calls(&r) && mi_db_read_torch_ops(&r) && mi_db_read_ranges(&r) &&
              mi_db_read_counters(&r) && mi_db_read_notes(&r) && mi_db_read_analysis(&r) &&
              mi_db_count_others(&r);
    if (!mi_batch_failed(out))
        mi_db_find_references(&r);
    close_reading(&r);
    return ok;
}

const struct mi_reader mi_reader_msprof_db = {
    .name = "msprof_db",
    .title = N_("Ascend profiler database (msprof, PyTorch, MindSpore)"),
    .yields = MI_HAS_TASKS | MI_HAS_SLICES,
    .sniff = sniff,
    .read = read_database,
    .companion = "-wal",
    .metrics = mi_db_records_list,
    .open_records = mi_db_records_open,
    .close_records = mi_db_records_close,
};
