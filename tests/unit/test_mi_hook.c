/* The reader of hook files: rows, pairs of events, what is missing. */
#include "parse/reader.h"
#include "support/hook_writer.h"
#include "support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct hook_writer writer;

static struct mi_bytes bytes_of(const struct hook_writer *w)
{
    return (struct mi_bytes){w->bytes, w->len};
}

static void read_it(struct reading *reading)
{
    reading_bytes(reading, &mi_reader_mi_hook, bytes_of(&writer), NULL, NULL);
}

static void assert_text(const struct reading *reading, mi_str_id id, const char *wanted)
{
    struct mi_bytes text = mi_batch_text(&reading->batch, id);
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.at, wanted, text.len);
}

static void test_rows(void **state)
{
    struct reading reading;
    (void)state;
    hook_example(&writer, MI_REC_ENDED);
    read_it(&reading);
    const struct mi_tables *rows = &reading.batch.rows;
    assert_int_equal(reading.batch.counts.in, 21);   /* with the head of the file */
    assert_int_equal(reading.batch.counts.kept, 20); /* the note of the copy is no call */
    assert_int_equal(reading.batch.counts.skipped, 1);
    assert_int_equal(reading.batch.counts.lost, 0);
    assert_int_equal(rows->tracks.count, 3);
    assert_int_equal(rows->tracks.process[1], 4242);
    assert_int_equal(rows->loads.count, 2);
    assert_int_equal(rows->loads.model[1], 1);
    assert_text(&reading, rows->loads.path[1], "/models/net.om");
    assert_text(&reading, rows->loads.copy[1], "models/0123456789abcdef.om");
    assert_int_equal(rows->submissions.count, 11);
    assert_int_equal(rows->submissions.stream[1], 7);
    assert_int_equal(rows->submissions.kind[1], MI_TASK_TRANSFER);
    assert_text(&reading, rows->submissions.name[5], "te_adam_1__kernel0");
    assert_int_equal(rows->submissions.model[4], 1);
    assert_int_equal(reading_diag(&reading, "hook.not_ended"), 0);
    reading_fini(&reading);
}

/* A damaged head: its two clocks are further from those of the chunks than an int64_t can say. */
static void test_clocks_far_apart(void **state)
{
    struct reading reading;
    struct mi_rec_file file;
    (void)state;
    hook_example(&writer, MI_REC_ENDED);
    memcpy(&file, writer.bytes, sizeof file);
    file.real_ns = file.mono_ns + ((uint64_t)1 << 63);
    memcpy(writer.bytes, &file, sizeof file);
    read_it(&reading);
    assert_int_equal(reading.batch.rows.clocks.count, 2);
    assert_true(reading.batch.rows.clocks.residual_ns[1] > 1e19);
    reading_fini(&reading);
}

/* Records 2 and 7, waits 3 and 8. */
static void test_pairs(void **state)
{
    struct reading reading;
    (void)state;
    hook_example(&writer, MI_REC_ENDED);
    read_it(&reading);
    const struct mi_submissions *tasks = &reading.batch.rows.submissions;
    for (uint32_t s = 1; s < tasks->count; s++) {
        bool is_wait = s == 3 || s == 8;
        assert_int_equal(tasks->sync[s] == MI_SYNC_WAIT, is_wait);
        assert_int_equal(tasks->peer[s].v, is_wait ? s - 1 : 0);
        assert_int_equal(tasks->confidence[s], is_wait ? MI_CERTAIN : MI_CONFIDENCE_NONE);
    }
    reading_fini(&reading);
}

/* A recording that another thread makes at the same moment: which one is waited for is not certain.
 */
static void test_races(void **state)
{
    struct reading reading;
    (void)state;
    hook_begin(&writer, 1, MI_REC_ENDED);
    hook_chunk(&writer, 0, 100, 0);
    hook_call(&writer, MI_REC_aclrtRecordEvent, 1, 9, 0, 0, NULL);
    uint64_t moment = writer.now_ns;
    hook_call(&writer, MI_REC_aclrtStreamWaitEvent, 2, 9, 0, 0, NULL);
    writer.now_ns = moment + 100;
    hook_chunk(&writer, 1, 101, 0);
    hook_call(&writer, MI_REC_aclrtRecordEvent, 3, 9, 0, 0, NULL);
    hook_call(&writer, MI_REC_aclrtResetEvent, 3, 9, 0, 1, NULL);
    hook_call(&writer, MI_REC_aclrtStreamWaitEvent, 2, 9, 0, 0, NULL);
    hook_end(&writer, (const uint64_t[]){2, 3}, 2);
    read_it(&reading);
    const struct mi_submissions *tasks = &reading.batch.rows.submissions;
    assert_int_equal(tasks->peer[2].v, 1);
    assert_int_equal(tasks->confidence[2], MI_LIKELY);
    assert_int_equal(tasks->peer[5].v, 0); /* it was reset */
    reading_fini(&reading);
}

/* Killed with records of one thread unwritten: what waited later may have waited for one of them.
 */
static void test_missing(void **state)
{
    struct reading reading;
    (void)state;
    hook_example(&writer, MI_REC_RUNNING);
    hook_chunk(&writer, 0, 100, 0);
    hook_call(&writer, MI_REC_aclrtStreamWaitEvent, 0xa0, 0xe0, 0, 9, NULL);
    hook_end(&writer, (const uint64_t[]){17, 7}, 2);
    read_it(&reading);
    const struct mi_submissions *tasks = &reading.batch.rows.submissions;
    assert_int_equal(reading.batch.counts.in, 25);
    assert_int_equal(reading.batch.counts.lost, 3);
    assert_int_equal(reading_diag(&reading, "hook.records_missing"), 1);
    assert_int_equal(reading_diag(&reading, "hook.not_ended"), 1);
    assert_int_equal(tasks->confidence[3], MI_CERTAIN);
    assert_int_equal(tasks->peer[11].v, 7);
    assert_int_equal(tasks->confidence[11], MI_LIKELY);
    reading_fini(&reading);
}

/* Every end of the file, every chunk broken: what is whole is read, and in = kept + skipped + lost.
 */
static void test_torn(void **state)
{
    static struct hook_writer whole;
    (void)state;
    hook_example(&whole, MI_REC_RUNNING);
    for (size_t len = MI_REC_HEAD_BYTES; len < whole.len; len += 8) {
        struct reading reading;
        writer = whole;
        writer.len = len;
        read_it(&reading);
        const struct mi_counts *counts = &reading.batch.counts;
        assert_int_equal(counts->in, 21);
        assert_int_equal(counts->kept + counts->skipped + counts->lost, 21);
        reading_fini(&reading);
    }
    for (size_t at = MI_REC_HEAD_BYTES; at < whole.len; at += 8) {
        struct reading reading;
        writer = whole;
        writer.bytes[at] ^= 0x40;
        read_it(&reading);
        assert_true(reading.batch.counts.lost > 0);
        assert_true(reading.batch.counts.kept > 0);
        reading_fini(&reading);
    }
}

/* A handle that is given out again stands for another stream from then on. */
static void test_handles(void **state)
{
    struct reading reading;
    (void)state;
    hook_begin(&writer, 1, MI_REC_ENDED);
    hook_chunk(&writer, 0, 100, 0);
    for (uint32_t id = 3; id < 6; id++) {
        hook_call(&writer, MI_REC_aclrtCreateStream, 0xa0, 0, id, MI_REC_NO_TASK, NULL);
        hook_call(&writer, MI_REC_aclnnAdd, 0xa0, 0, 0, 0, NULL);
        hook_call(&writer, MI_REC_aclrtDestroyStream, 0xa0, 0, 0, MI_REC_NO_TASK, NULL);
    }
    hook_end(&writer, (const uint64_t[]){9}, 1);
    read_it(&reading);
    const struct mi_submissions *tasks = &reading.batch.rows.submissions;
    assert_int_equal(tasks->count, 4);
    for (uint32_t s = 1; s < 4; s++)
        assert_int_equal(tasks->stream[s], s + 2);
    reading_fini(&reading);
}

/* What MSPTI delivers, in a ring of its own: hook_call() gives each record a start 500 ns behind
 * the end of the one before, on the monotonic clock; MSPTI's are since 1970. */
static void activity(enum mi_rec_type type, uint64_t stream, uint64_t id, uint64_t size,
                     uint64_t mono_ns)
{
    const struct mi_rec_file *file = (const void *)writer.bytes;
    writer.now_ns = mono_ns + (file->real_ns - file->mono_ns);
    hook_call(&writer, type, stream, id, size, 0, NULL);
}

static uint64_t names(uint32_t first, uint32_t second)
{
    return first | (uint64_t)second << 32;
}

/* A node launched within a load, its kernel twice; a launch of the program, whose ids come from the
 * calls around it; a kernel of which nothing is known. Four requests found no buffer; three records
 * are in no chunk. `told`: of the four, how many the head and the chunk count. */
static void read_activity(uint32_t told, struct reading *reading)
{
    hook_begin(&writer, 1, MI_REC_ENDED);
    hook_chunk(&writer, 0, 100, 0);
    uint64_t load_ns = writer.now_ns;
    hook_call(&writer, MI_REC_aclmdlLoadFromFile, 0, 5, 0, MI_REC_NO_TASK, "net.om");
    uint64_t launch_ns = writer.now_ns;
    hook_call(&writer, MI_REC_aclrtLaunchKernel, 0xa0, 0, 8, 3, NULL);
    uint64_t end_ns = writer.now_ns;
    hook_chunk(&writer, 1, 200, told);
    hook_call(&writer, MI_REC_mspti_name, 0, 1, 0, 0, "te_add__kernel0");
    hook_call(&writer, MI_REC_mspti_name, 0, 2, 0, 0, "KERNEL_AICORE");
    hook_call(&writer, MI_REC_mspti_name, 0, 3, 0, 0, "/block/Add");
    activity(MI_REC_mspti_node, 100, 11, names(3, 0), load_ns); /* its middle lies within */
    activity(MI_REC_mspti_runtime, 100, 12, names(1, 0), launch_ns - 300);
    activity(MI_REC_mspti_kernel, 7, 11, names(1, 2), end_ns);
    activity(MI_REC_mspti_kernel, 7, 11, names(1, 2), end_ns + 5000);
    activity(MI_REC_mspti_kernel, 6, 12, names(1, 2), end_ns + 9000);
    activity(MI_REC_mspti_kernel, 6, 99, names(1, 2), end_ns + 12000);
    activity(MI_REC_mspti_lost, 0, 0, 4, end_ns);
    hook_end(&writer, (const uint64_t[]){2}, 1);
    struct mi_rec_slot slot = {.thread = 200, .kind = MI_REC_SLOT_MSPTI, .issued = 13 + told};
    memcpy(writer.bytes + sizeof(struct mi_rec_file) + sizeof slot, &slot, sizeof slot);
    read_it(reading);
    const struct mi_tables *rows = &reading->batch.rows;
    assert_int_equal(rows->slices.start_raw[4], launch_ns - 300);
}

static void test_activity(void **state)
{
    struct reading reading;
    (void)state;
    read_activity(4, &reading);
    const struct mi_tables *rows = &reading.batch.rows;
    assert_int_equal(rows->tasks.count, 5);
    assert_int_equal(rows->tasks.kernel[1].v, rows->tasks.kernel[2].v);
    assert_text(&reading, rows->kernels.node_name[rows->tasks.kernel[1].v], "/block/Add");
    assert_int_equal(rows->kernels.model[rows->tasks.kernel[1].v], 5);
    assert_int_equal(rows->kernels.model[rows->tasks.kernel[3].v], UINT32_MAX); /* of none */
    assert_int_equal(rows->kernels.model[rows->tasks.kernel[4].v], -1);         /* not stated */
    assert_int_equal(mi_some_u32(rows->tasks.connection[3]), 12);
    assert_int_equal(mi_some_get(rows->tasks.native_id[3]), -1);
    assert_int_equal(rows->tracks.native_id[rows->tasks.track[1].v], 7);
    assert_int_equal(mi_some_u32(rows->slices.connection[2]),
                     12); /* the launch that the hook saw */
    reading_fini(&reading);
}

/* What is lost counts once, whether the head counts it (as it does now) or its record alone. */
static void test_activity_lost(void **state)
{
    (void)state;
    for (uint32_t told = 0; told <= 4; told += 4) {
        struct reading reading;
        read_activity(told, &reading);
        const struct mi_counts *counts = &reading.batch.counts;
        assert_int_equal(reading_diag(&reading, "hook.mspti_no_buffer"), 1);
        assert_int_equal(reading_diag(&reading, "hook.mspti_late"), 1);
        assert_int_equal(reading_diag(&reading, "hook.records_missing"), 0);
        assert_int_equal(reading_diag(&reading, "hook.records_dropped"), 0);
        assert_int_equal(counts->lost, 4 + 3);
        assert_int_equal(counts->in, 1 + 2 + 13 + 4); /* the head, two calls, and those of MSPTI */
        assert_int_equal(counts->in, counts->kept + counts->skipped + counts->lost);
        reading_fini(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_races),
                                       cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_torn),
                                       cmocka_unit_test(test_handles),
                                       cmocka_unit_test(test_activity),
                                       cmocka_unit_test(test_activity_lost),
                                       cmocka_unit_test(test_clocks_far_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
