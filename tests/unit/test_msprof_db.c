/* Databases of Ascend profilers: rows of each table, odd rows, versions, logs, damage. */
#include "base/sqlite_file.h"
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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
    assert_int_equal(rows->tasks.connection[1], 10);
    assert_int_equal(rows->tasks.connection[2], MI_NO_CONNECTION);
    assert_int_equal(rows->tasks.native_id[3], 3);
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
    assert_int_equal(slices->connection[1], 90);
    assert_int_equal(tracks->process[slices->track[1].v], 77);
    assert_int_equal(tracks->native_id[slices->track[1].v], 73);
    assert_text(&r, slices->name[8], "Enqueue");
    assert_text(&r, slices->category[8], "queue");
    assert_int_equal(slices->correlation[8], 9000);
    assert_int_equal(slices->correlation[9], 9000);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_of_a_model),
        cmocka_unit_test(frames_and_collectives_enclose),
        cmocka_unit_test(calls_and_ops_are_slices),
        cmocka_unit_test(old_schema),
        cmocka_unit_test(odd_rows_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
