/* Databases of Ascend profilers: rows of each table, odd rows, versions, logs, damage. */
#include "base/sqlite_file.h"
#include "reading.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static bool open_data(struct reading *r, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/%s", MI_SOURCE_DIR, name);
    return reading_file(r, NULL, path);
}

static void assert_text(const struct reading *r, mi_str_id id, const char *expected)
{
    struct mi_bytes text = mi_batch_text(&r->batch, id);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static void assert_ledger(const struct reading *r, int64_t in, int64_t kept, int64_t skipped,
                          int64_t lost)
{
    assert_int_equal(r->batch.counts.in, in);
    assert_int_equal(r->batch.counts.kept, kept);
    assert_int_equal(r->batch.counts.skipped, skipped);
    assert_int_equal(r->batch.counts.lost, lost);
}

static void tasks_of_a_model(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/tiny.db"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_ledger(&r, 5, 5, 0, 0);
    uint32_t conv = rows->tasks.kernel[1].v, wait = rows->tasks.kernel[2].v;
    assert_text(&r, rows->kernels.name[conv], "conv/Conv2D");
    assert_text(&r, rows->kernels.node_name[conv], "conv/Conv2D");
    assert_text(&r, rows->kernels.op[conv], "Conv2D");
    assert_text(&r, rows->kernels.type[conv], "KERNEL_AICORE");
    assert_text(&r, rows->kernels.engine[conv], "AI_CORE");
    assert_text(&r, rows->kernels.inputs[conv], "float16[1,3,8,8];float16[4,3,3,3]");
    assert_text(&r, rows->kernels.outputs[conv], "float16[1,4,8,8]");
    assert_int_equal(rows->kernels.model[conv], 1);
    assert_int_equal(rows->kernels.kind[conv], MI_TASK_COMPUTE);
    assert_text(&r, rows->kernels.name[wait], "EVENT_WAIT");
    assert_int_equal(rows->kernels.sync[wait], MI_SYNC_WAIT);
    assert_int_equal(rows->kernels.model[rows->tasks.kernel[3].v], UINT32_MAX);
    assert_int_equal(rows->tasks.start_raw[1], 1700000000000010125);
    assert_int_equal(rows->tasks.dur_ns[1], 20500);
    assert_int_equal(mi_some_u32(rows->tasks.connection[1]), 10);
    assert_int_equal(mi_some_u32(rows->tasks.connection[2]), MI_NO_CONNECTION);
    assert_int_equal(mi_some_get(rows->tasks.native_id[3]), 3);
    assert_int_equal(rows->tracks.native_id[rows->tasks.track[1].v], 35);
    reading_fini(&r);
}

static void frames_and_collectives_enclose(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/eager.db"));
    const struct mi_tasks *tasks = &r.batch.rows.tasks;
    const struct mi_kernels *kernels = &r.batch.rows.kernels;
    uint32_t collective = 11;
    assert_int_equal(tasks->count - 1, 11);
    assert_int_equal(tasks->parent[6].v, collective);
    assert_int_equal(tasks->parent[7].v, collective);
    assert_int_equal(tasks->parent[collective].v, 5);
    assert_int_equal(tasks->parent[9].v, 8);
    assert_int_equal(tasks->parent[10].v, 0);
    assert_int_equal(kernels->kind[tasks->kernel[5].v], MI_TASK_CONTROL);
    assert_int_equal(kernels->kind[tasks->kernel[8].v], MI_TASK_CONTROL);
    assert_int_equal(kernels->kind[tasks->kernel[9].v], MI_TASK_COMPUTE);
    assert_int_equal(kernels->kind[tasks->kernel[7].v], MI_TASK_COMMUNICATION);
    assert_int_equal(kernels->sync[tasks->kernel[7].v], MI_SYNC_WAIT);
    assert_text(&r, kernels->name[tasks->kernel[6].v], "Memcpy");
    assert_text(&r, kernels->name[tasks->kernel[collective].v], "hcom_allReduce__210_0_1");
    assert_text(&r, kernels->group[tasks->kernel[collective].v],
                "10.0.0.1%eth0_60000_0_1700000000000000");
    assert_int_equal(r.batch.rows.tracks.kind[tasks->track[collective].v], MI_TRACK_GROUP);
    reading_fini(&r);
}

static void calls_and_ops_are_slices(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/eager.db"));
    const struct mi_slices *slices = &r.batch.rows.slices;
    const struct mi_tracks *tracks = &r.batch.rows.tracks;
    assert_text(&r, slices->category[1], "acl");
    assert_text(&r, slices->category[2], "runtime"); /* in the order of their connections */
    assert_text(&r, slices->name[2], "rtKernelLaunch");
    assert_int_equal(mi_some_u32(slices->connection[1]), 90);
    assert_int_equal(tracks->process[slices->track[1].v], 77);
    assert_int_equal(tracks->native_id[slices->track[1].v], 73);
    assert_text(&r, slices->name[8], "Enqueue");
    assert_text(&r, slices->category[8], "queue");
    assert_int_equal(mi_some_u32(slices->correlation[8]), 9000);
    assert_int_equal(mi_some_u32(slices->correlation[9]), 9000);
    assert_int_equal(slices->start_raw[8], 1700000000000010000);
    assert_text(&r, slices->category[13], "step");
    assert_text(&r, slices->category[14], "python");
    const struct mi_flows *flows = &r.batch.rows.flows;
    uint32_t launches = 0, backward = 0;
    for (uint32_t f = 1; f < flows->count; f++)
        if (flows->to_slice[f].v) {
            assert_text(&r, flows->category[f], "fwdbwd");
            assert_int_equal(flows->from_slice[f].v, 10);
            assert_int_equal(flows->to_slice[f].v, 12);
            backward++;
        } else {
            assert_text(&r, flows->category[f], "torch_to_npu");
            launches++;
        }
    assert_int_equal(backward, 1);
    assert_int_equal(launches, 1 + 1 + 2 + 2 + 4); /* matmul: 2, linear and its twin: 2 each, 4 */
    reading_fini(&r);
}

static void old_schema(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/old.db"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_text(&r, rows->kernels.type[rows->tasks.kernel[1].v], "388");
    assert_text(&r, rows->kernels.engine[rows->tasks.kernel[1].v], "AI_VECTOR_CORE");
    assert_int_equal(rows->kernels.kind[rows->tasks.kernel[1].v], MI_TASK_COMPUTE);
    assert_text(&r, rows->slices.category[2], "communication"); /* written hccl */
    assert_text(&r, rows->slices.name[2], "99");
    assert_int_equal(reading_diag(&r, "msprof_db.text_missing"), 2);
    reading_fini(&r);
}

static void odd_rows_are_counted(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/traps.db"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(r.batch.counts.lost, 3);
    assert_int_equal(reading_diag(&r, "msprof_db.row_broken"), 3);
    assert_int_equal(reading_diag(&r, "msprof_db.info_twice"), 1);
    assert_int_equal(reading_diag(&r, "msprof_db.duration_negative"), 1);
    assert_int_equal(reading_diag(&r, "msprof_db.part_outside"), 1);
    assert_int_equal(rows->slices.count, 1); /* a view is not run */
    assert_int_equal(rows->tasks.dur_ns[2], 500);
    assert_int_equal(rows->tasks.dur_ns[3], 0);
    struct mi_bytes name = mi_batch_text(&r.batch, rows->kernels.name[rows->tasks.kernel[1].v]);
    assert_int_equal(name.len, 8);
    assert_memory_equal(name.at,
                        "a\0b\"\xe2\x80\xae"
                        "c",
                        8);
    assert_int_equal(rows->tasks.parent[5].v, 9); /* both runs of one key find their own frame */
    assert_int_equal(rows->tasks.parent[6].v, 0); /* reaches beyond it */
    assert_int_equal(rows->tasks.parent[8].v, 10);
    assert_int_equal(rows->tasks.parent[9].v, 4);
    assert_int_equal(rows->tasks.parent[10].v, 7);
    reading_fini(&r);
}

/* --- what stands beside tasks and calls --- */

static void assert_fact(const struct reading *r, const char *name, const char *text)
{
    const struct mi_facts *facts = &r->batch.rows.facts;
    for (uint32_t f = 1; f < facts->count; f++)
        if (mi_bytes_equal(mi_batch_text(&r->batch, facts->name[f]), mi_cstr(name))) {
            assert_text(r, facts->text[f], text);
            return;
        }
    fail_msg("no fact %s", name);
}

static void facts_and_windows(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/eager.db"));
    assert_fact(&r, "schema_version", "1.2.0");
    assert_fact(&r, "rank", "3");
    assert_fact(&r, "rank_of_device:0", "3");
    assert_fact(&r, "device_name:0", "Ascend910B");
    assert_fact(&r, "host", "host-a");
    const struct mi_windows *windows = &r.batch.rows.windows;
    assert_int_equal(windows->count - 1, 2);
    assert_text(&r, windows->kind[1], "step");
    assert_int_equal(windows->number[1], 7);
    assert_int_equal(windows->start_raw[1], 1700000000000001000);
    assert_int_equal(windows->dur_ns[1], 299000);
    assert_text(&r, windows->kind[2], "session");
    assert_int_equal(windows->dur_ns[2], 1000000);
    reading_fini(&r);
    assert_true(open_data(&r, "msprof_db/old.db"));
    assert_int_equal(r.batch.rows.windows.dur_ns[1], 1800000000000);
    assert_int_equal(reading_diag(&r, "msprof_db.session_open"), 1);
    reading_fini(&r);
}

static void ranges_are_annotations(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/eager.db"));
    const struct mi_slices *slices = &r.batch.rows.slices;
    assert_text(&r, slices->name[16], "my range");
    assert_text(&r, slices->item[16], "domain");
    assert_text(&r, slices->category[16], "annotation");
    assert_int_equal(mi_some_u32(slices->connection[16]), MI_NO_CONNECTION);
    assert_int_equal(mi_some_u32(slices->connection[17]), 4000000001);
    assert_text(&r, slices->name[18], "garbage collection");
    assert_int_equal(slices->dur_ns[18], 10000);
    reading_fini(&r);
}

static void assert_sample(const struct reading *r, const char *counter, const char *unit,
                          double value)
{
    const struct mi_counters *counters = &r->batch.rows.counters;
    const struct mi_samples *samples = &r->batch.rows.samples;
    for (uint32_t s = 1; s < samples->count; s++) {
        uint32_t c = samples->counter[s].v;
        if (!mi_bytes_equal(mi_batch_text(&r->batch, counters->name[c]), mi_cstr(counter)))
            continue;
        assert_text(r, counters->unit[c], unit);
        assert_int_equal(counters->device[c], 0);
        assert_true(samples->value[s] == value);
        assert_true(samples->at_raw[s] >= 1700000000000000000);
        return;
    }
    fail_msg("no sample of %s", counter);
}

static void measured_values(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/eager.db"));
    assert_sample(&r, "AI Core Freq", "MHz", 1800);
    assert_sample(&r, "app hbm", "B", 2212077568);
    assert_sample(&r, "device hbm", "B", 3212077568);
    assert_sample(&r, "HBM 0 read", "B/s", 21333333);
    assert_sample(&r, "PTA Total Active", "B", 981462016);
    assert_sample(&r, "ACC_PMU writeOstLevel 0", "", 4);
    assert_int_equal(reading_diag(&r, "msprof_db.left_out.OVERLAP_ANALYSIS"), 1);
    assert_ledger(&r, 58, 57, 1, 0);
    assert_text(&r, r.batch.rows.notes.kind[1], "operator_memory");
    assert_text(&r, r.batch.rows.notes.name[1], "aten::linear");
    reading_fini(&r);
}

static void sums_of_the_tools(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/analysis.db"));
    const struct mi_statistics *sums = &r.batch.rows.statistics;
    assert_ledger(&r, 6, 6, 0, 0);
    assert_text(&r, sums->kind[1], "step");
    assert_text(&r, sums->name[1], "Computing");
    assert_text(&r, sums->detail[1], "50");
    assert_int_equal(sums->total_ns[1], 8903431);
    assert_int_equal(sums->device[9], 1);
    assert_int_equal(sums->total_ns[13], 1500);
    assert_text(&r, sums->kind[18], "collective");
    assert_text(&r, sums->detail[18], "step 50, group 17148521525495523210");
    assert_int_equal(sums->total_ns[18], 88750993);
    assert_text(&r, sums->kind[19], "collective_total");
    assert_text(&r, sums->name[20], "hcom_allReduce__210_0_1 HCCS");
    assert_int_equal(sums->times[20], 12);
    assert_text(&r, sums->name[21], "allreduce-top1 0-7");
    assert_int_equal(r.batch.rows.notes.count - 1, 1);
    assert_int_equal(r.batch.rows.notes.start_raw[1], 1736410576431645200);
    reading_fini(&r);
}

/* --- values of records --- */

struct seen {
    char text[4096];
    size_t len;
};

static void take_value(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct seen *seen = user;
    int len = snprintf(seen->text + seen->len, sizeof seen->text - seen->len, "%.*s%s%.*s\n",
                       (int)name.len, (const char *)name.at, is_number ? "=" : ": ", (int)text.len,
                       (const char *)text.at);
    seen->len += (size_t)len;
    assert_true(seen->len < sizeof seen->text);
}

static void assert_record(const struct reading *r, int64_t key, const char *expected)
{
    const struct mi_reader *reader = mi_reader_find("msprof_db");
    struct seen seen = {.len = 0};
    struct mi_record record = {.file = r->input.bytes, .key = key};
    reader->metrics(&record, take_value, &seen);
    assert_string_equal(seen.text, expected);
    seen.len = 0;
    record.opened = reader->open_records(record.file, record.companion);
    assert_non_null(record.opened);
    for (int pass = 0; pass < 2; pass++, seen.len = 0) { /* prepared, then used again */
        reader->metrics(&record, take_value, &seen);
        assert_string_equal(seen.text, expected);
    }
    reader->close_records(record.opened);
}

static void records_have_values(void **state)
{
    (void)state;
    struct reading r;
    assert_true(open_data(&r, "msprof_db/eager.db"));
    const struct mi_tables *rows = &r.batch.rows;
    assert_record(&r, rows->tasks.record_offset[1],
                  "contextId=4294967295\nglobalTaskId=0\nglobalPid=77\nblockNum=24\n"
                  "mixBlockNum=0\ntaskType: AI_CORE\ninputFormats: ND\noutputFormats: ND\n"
                  "opState: dynamic\naic_mac_ratio=0.75\nread=12\n");
    assert_record(&r, rows->tasks.record_offset[2],
                  "contextId=4294967295\nglobalTaskId=1\nglobalPid=77\nsize=4096\n"
                  "memcpyOperation: host to device\n");
    assert_record(&r, rows->tasks.record_offset[6],
                  "contextId=0\nglobalTaskId=5\nglobalPid=77\nopId=1\nplaneId=0\n"
                  "notifyId=9223372036854775807\nrdmaType=65535\nsrcRank=3\ndstRank=4\n"
                  "transportType: SDMA\nsize=16384\ndataType: FP32\nlinkType=1\nisMaster=1\n"
                  "bandwidth=2000000000\n");
    assert_record(&r, rows->tasks.record_offset[11],
                  "opId=1\nrelay=0\nretry=0\ndataType: FP32\nalgType: MESH-RING\ncount=4096\n"
                  "rankSize=2\n");
    assert_record(&r, rows->slices.record_offset[10],
                  "sequenceNumber=11\nfwdThreadId=0\ninputDtypes: c10::Half;c10::Half\n"
                  "inputShapes: [[2, 3], [3, 4]]\n"
                  "Call stack: model.py(20): forward; train.py(10): main\n");
    assert_record(&r, rows->slices.record_offset[1], "");
    assert_record(&r, rows->slices.record_offset[16],
                  "eventType: start/end\nrangeId=1\ncategory=4294967295\n"
                  "endGlobalTid=330712481864\n");
    assert_record(&r, 0, "");
    assert_record(&r, INT64_MAX, "");
    reading_fini(&r);
    assert_true(open_data(&r, "msprof_db/old.db")); /* called block_dim there */
    assert_record(&r, r.batch.rows.tasks.record_offset[1],
                  "contextId=4294967295\nglobalTaskId=0\nglobalPid=0\nblockNum=48\n"
                  "mixBlockNum=0\ntaskType: AI_VECTOR_CORE\n");
    reading_fini(&r);
}

/* --- logs --- */

static void read_with_log(struct reading *r, struct mi_input *log, size_t log_bytes)
{
    char path[1024];
    struct mi_error err = MI_ERROR_INIT;
    snprintf(path, sizeof path, "%s/tests/data/msprof_wal/killed.db", MI_SOURCE_DIR);
    assert_true(mi_input_open(&r->input, path, NULL, &err));
    snprintf(path, sizeof path, "%s/tests/data/msprof_wal/killed.db-wal", MI_SOURCE_DIR);
    assert_true(mi_input_open(log, path, NULL, &err));
    r->err = MI_ERROR_INIT;
    assert_true(mi_batch_init(&r->batch, r->input.bytes, &err));
    struct mi_source src = {.path = path,
                            .bytes = r->input.bytes,
                            .companion = mi_bytes_sub(log->bytes, 0, log_bytes),
                            .role = ""};
    r->ok = mi_reader_find("msprof_db")->read(&src, &r->batch, &r->err);
    assert_true(r->ok);
}

static void log_counts_as_far_as_it_goes(void **state)
{
    (void)state;
    enum { FRAME = 24 + 512, WHOLE = 32 + 3 * FRAME };
    for (size_t bytes = 0; bytes <= WHOLE; bytes++) {
        struct reading r;
        struct mi_input log;
        read_with_log(&r, &log, bytes);
        assert_int_equal(log.bytes.len, WHOLE);
        /* the three pages belong to one transaction, which only the last one ends */
        assert_int_equal(r.batch.rows.tasks.count - 1, bytes < WHOLE ? 3 : 4);
        if (bytes == WHOLE) {
            uint32_t kernel = r.batch.rows.tasks.kernel[4].v;
            assert_text(&r, r.batch.rows.kernels.name[kernel], "late/Add");
        }
        mi_input_close(&log);
        reading_fini(&r);
    }
}

/* A profiler that was killed early: all tables are in the log. */
static void everything_may_be_in_the_log(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_msprof_db.XXXXXX", path[64], log_path[80];
    sqlite3 *db;
    struct mi_input file, log;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    const struct mi_reader *tied[2];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.db", folder);
    snprintf(log_path, sizeof log_path, "%s-wal", path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA journal_mode=WAL;PRAGMA wal_autocheckpoint=0;"
                                  "CREATE TABLE TASK (startNs INTEGER,endNs INTEGER);"
                                  "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);"
                                  "INSERT INTO TASK VALUES (5,7)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_true(mi_input_open(&file, path, NULL, &err));
    assert_true(mi_input_open(&log, log_path, NULL, &err));
    struct mi_probe probe = {
        .path = path, .head = mi_bytes_sub(file.bytes, 0, 4096), .bytes = file.bytes};
    const struct mi_reader *reader = mi_reader_detect(&probe, tied);
    assert_non_null(reader);
    assert_string_equal(reader->name, "msprof_db");
    for (int has_log = 0; has_log < 2; has_log++) {
        struct mi_source src = {.path = path, .bytes = file.bytes, .role = ""};
        if (has_log)
            src.companion = log.bytes;
        assert_true(mi_batch_init(&batch, file.bytes, &err));
        assert_true(reader->read(&src, &batch, &err));
        assert_int_equal(batch.rows.tasks.count - 1, has_log);
        assert_int_equal(batch.rows.diags.count - 1, !has_log);
        mi_batch_fini(&batch);
    }
    mi_input_close(&file);
    mi_input_close(&log);
    sqlite3_close(db);
    unlink(path);
    unlink(log_path);
    rmdir(folder);
}

/* --- limits --- */

static bool stop_at_once(void *user, uint64_t done_bytes)
{
    (void)done_bytes;
    ++*(int *)user;
    return false;
}

static void too_many_rows_and_stopping(void **state)
{
    (void)state;
    struct reading r, whole;
    int asked = 0;
    struct mi_limits limits = {.max_rows = 4};
    assert_true(open_data(&whole, "msprof_db/eager.db"));
    reading_bytes(&r, mi_reader_find("msprof_db"), whole.input.bytes, NULL, &limits);
    assert_int_equal(r.batch.error.code, MI_ELIMIT);
    mi_batch_fini(&r.batch);
    limits = (struct mi_limits){.max_string_bytes = 4};
    reading_bytes(&r, mi_reader_find("msprof_db"), whole.input.bytes, NULL, &limits);
    assert_true(reading_diag(&r, "msprof_db.name_cut") > 0);
    mi_batch_fini(&r.batch);
    reading_fini(&whole);
    /* the user is asked every 65,536 rows */
    sqlite3 *db;
    sqlite3_int64 size;
    struct mi_batch batch;
    struct mi_error err = MI_ERROR_INIT;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TABLE TASK (startNs INTEGER,endNs INTEGER);"
                     "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);"
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<70000)"
                     "INSERT INTO TASK SELECT i,i FROM n",
                     NULL, NULL, NULL),
        SQLITE_OK);
    unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
    struct mi_source src = {.path = "test",
                            .bytes = {image, (size_t)size},
                            .role = "",
                            .progress = stop_at_once,
                            .user = &asked};
    assert_true(mi_batch_init(&batch, src.bytes, &err));
    assert_false(mi_reader_find("msprof_db")->read(&src, &batch, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_int_equal(asked, 1);
    assert_true(batch.rows.tasks.count > 60000 && batch.rows.tasks.count < 70000);
    mi_batch_fini(&batch);
    sqlite3_free(image);
    sqlite3_close(db);
}

/* Tables that are no plain ones are read all the same. */
static void tables_of_any_kind(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,taskType INTEGER)",
        "CREATE TABLE TASK (startNs INTEGER PRIMARY KEY,endNs INTEGER,taskType INTEGER)",
        "CREATE TABLE TASK (startNs INTEGER PRIMARY KEY,endNs INTEGER,taskType INTEGER) WITHOUT "
        "ROWID",
        "CREATE TABLE TASK (startNs INTEGER,double AS (startNs*2) STORED,endNs INTEGER,taskType "
        "INTEGER)",
        "PRAGMA encoding='UTF-16le';CREATE TABLE TASK (startNs TEXT,endNs TEXT,taskType INTEGER)",
        "CREATE TABLE TASK (taskType INTEGER,ENDNS INTEGER,startNs INTEGER)"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sqlite3 *db;
        sqlite3_int64 size;
        struct reading r;
        assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, kinds[i], NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(
            sqlite3_exec(db,
                         "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);"
                         "INSERT INTO STRING_IDS VALUES (3,'SDMA');"
                         "INSERT INTO TASK (startNs,endNs,taskType) VALUES (5,7,3),(8,10,3)",
                         NULL, NULL, NULL),
            SQLITE_OK);
        unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
        reading_bytes(&r, mi_reader_find("msprof_db"), (struct mi_bytes){image, (size_t)size}, NULL,
                      NULL);
        assert_true(r.ok);
        assert_ledger(&r, 2, 2, 0, 0);
        assert_int_equal(r.batch.rows.tasks.start_raw[1], 5);
        assert_int_equal(r.batch.rows.tasks.dur_ns[2], 2);
        assert_text(&r, r.batch.rows.kernels.type[1], "SDMA");
        mi_batch_fini(&r.batch);
        sqlite3_free(image);
        sqlite3_close(db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_of_a_model),
        cmocka_unit_test(frames_and_collectives_enclose),
        cmocka_unit_test(calls_and_ops_are_slices),
        cmocka_unit_test(old_schema),
        cmocka_unit_test(odd_rows_are_counted),
        cmocka_unit_test(facts_and_windows),
        cmocka_unit_test(ranges_are_annotations),
        cmocka_unit_test(measured_values),
        cmocka_unit_test(sums_of_the_tools),
        cmocka_unit_test(records_have_values),
        cmocka_unit_test(log_counts_as_far_as_it_goes),
        cmocka_unit_test(everything_may_be_in_the_log),
        cmocka_unit_test(too_many_rows_and_stopping),
        cmocka_unit_test(tables_of_any_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
