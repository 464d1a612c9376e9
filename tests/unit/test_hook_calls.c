/* The matcher of hook files: calls and the tasks they made, records and waits, on rows small enough
 * to check by eye. */
#include "joining.h"
#include "support/hook_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { A = 6, B = 7, HANDLE_A = 0xa0, HANDLE_B = 0xb0, EVENT = 0xe0 };

#define START_NS INT64_C(1796060392000000000) /* of hook_writer.c, in time since 1970 */

static struct hook_writer writer;
static char table[4096];
static size_t table_len;

/* --- a table of tasks --- */

static void table_begin(void)
{
    table_len =
        (size_t)snprintf(table, sizeof table,
                         "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),"
                         "task_start(us),task_stop(us)\n");
}

/* A task that begins so many ns after the hook's first moment and takes 100 ns. */
static void table_task(const char *type, int stream, int id, int64_t at_ns)
{
    int64_t start = START_NS + at_ns;
    table_len += (size_t)snprintf(table + table_len, sizeof table - table_len,
                                  "0,N/A,%s,%d,%d,0.100,%lld.%03d\t,%lld.%03d\t\n", type, stream,
                                  id, (long long)(start / 1000), (int)(start % 1000),
                                  (long long)((start + 100) / 1000), (int)((start + 100) % 1000));
}

static void join(struct joining *j)
{
    joining_init(j);
    joining_bytes(j, "mi_hook", (struct mi_bytes){writer.bytes, writer.len}, "c/hook-1-0.mirec");
    joining_bytes(j, "msprof_csv", (struct mi_bytes){(const uint8_t *)table, table_len},
                  "c/task_time_1.csv");
    for (uint32_t s = 1; s < j->model.all.rows.sources.count; s++)
        j->model.all.rows.sources.capture[s] = 1;
    assert_true(joining_run(j));
}

/* When the task of a call began, in ns after the first moment; -1 = it has none. */
static int64_t task_at(const struct joining *j, uint32_t call)
{
    const struct mi_tables *rows = &j->model.all.rows;
    uint32_t task = rows->submissions.task[call].v;
    return task ? rows->tasks.start_raw[task] - START_NS : -1;
}

static uint32_t count_signals(const struct joining *j, enum mi_confidence confidence)
{
    const struct mi_tables *rows = &j->model.all.rows;
    uint32_t count = 0;
    for (uint32_t s = 1; s < rows->signals.count; s++)
        count +=
            mi_bytes_equal(mi_model_text(&j->model, rows->signals.rule[s]), MI_LIT("hook_calls")) &&
            rows->signals.confidence[s] == confidence;
    return count;
}

/* --- programs --- */

static void begin(void)
{
    hook_begin(&writer, 1, MI_REC_ENDED);
    hook_chunk(&writer, 0, 100, 0);
    hook_call(&writer, MI_REC_aclrtCreateStream, HANDLE_A, 0, A, MI_REC_NO_TASK, NULL);
    hook_call(&writer, MI_REC_aclrtCreateStream, HANDLE_B, 0, B, MI_REC_NO_TASK, NULL);
}

/* One record on B and one wait on A, with the ids given. */
static void pair(uint32_t record, uint32_t wait)
{
    hook_call(&writer, MI_REC_aclrtRecordEvent, HANDLE_B, EVENT, 0, record, NULL);
    hook_call(&writer, MI_REC_aclrtStreamWaitEvent, HANDLE_A, EVENT, 0, wait, NULL);
}

static void test_plain(void **state)
{
    struct joining j;
    (void)state;
    begin();
    pair(0, 0);
    hook_end(&writer, (const uint64_t[]){4}, 1);
    table_begin();
    table_task("EVENT_RECORD", B, 0, 20000);
    table_task("EVENT_WAIT", A, 0, 20300);
    table_task("EVENT_WAIT", A, 9, 30000); /* of nobody here */
    join(&j);
    const struct mi_tables *rows = &j.model.all.rows;
    assert_int_equal(task_at(&j, 1), 20000);
    assert_int_equal(task_at(&j, 2), 20300);
    assert_int_equal(count_signals(&j, MI_CERTAIN), 1);
    uint32_t record = rows->submissions.task[1].v;
    assert_int_equal(rows->tasks.launch[record].v, rows->submissions.slice[1].v);
    assert_int_equal(rows->tasks.by[record], MI_BY_APPLICATION);
    joining_fini(&j);
}

/* Ids wrap: the k-th call of an id has made the k-th task of it. */
static void test_wrap(void **state)
{
    struct joining j;
    (void)state;
    begin();
    pair(5, 5);
    pair(5, 5);
    hook_end(&writer, (const uint64_t[]){6}, 1);
    table_begin();
    for (int k = 0; k < 2; k++) {
        table_task("EVENT_RECORD", B, 5, 20000 + 1000 * k);
        table_task("EVENT_WAIT", A, 5, 20300 + 1000 * k);
    }
    join(&j);
    for (uint32_t call = 1; call <= 4; call++)
        assert_int_equal(task_at(&j, call), (call % 2 ? 20000 : 20300) + (call > 2 ? 1000 : 0));
    assert_int_equal(count_signals(&j, MI_CERTAIN), 2);
    joining_fini(&j);
}

/* The profile begins late: the task is of the last call before it, and the first call has none. */
static void test_part(void **state)
{
    struct joining j;
    (void)state;
    begin();
    pair(5, 5);
    pair(5, 5);
    hook_end(&writer, (const uint64_t[]){6}, 1);
    table_begin();
    table_task("EVENT_RECORD", B, 5, 20000);
    table_task("EVENT_WAIT", A, 5, 20300);
    join(&j);
    assert_int_equal(task_at(&j, 1), -1);
    assert_int_equal(task_at(&j, 2), -1);
    assert_int_equal(task_at(&j, 3), 20000);
    assert_int_equal(task_at(&j, 4), 20300);
    assert_int_equal(count_signals(&j, MI_CERTAIN), 1);
    joining_fini(&j);
}

/* A task from before every call of its id is none of theirs. */
static void test_before(void **state)
{
    struct joining j;
    (void)state;
    begin();
    pair(5, 5);
    pair(5, 6);
    hook_end(&writer, (const uint64_t[]){6}, 1);
    table_begin();
    table_task("EVENT_RECORD", B, 5, 0);
    join(&j);
    assert_int_equal(task_at(&j, 1), -1);
    assert_int_equal(task_at(&j, 3), -1);
    assert_int_equal(count_signals(&j, MI_CERTAIN), 0);
    joining_fini(&j);
}

/* Files that lie in no capture together are not joined. */
static void test_strangers(void **state)
{
    struct joining j;
    (void)state;
    begin();
    pair(0, 0);
    hook_end(&writer, (const uint64_t[]){4}, 1);
    table_begin();
    table_task("EVENT_RECORD", B, 0, 20000);
    joining_init(&j);
    joining_bytes(&j, "mi_hook", (struct mi_bytes){writer.bytes, writer.len}, "a/hook-1-0.mirec");
    joining_bytes(&j, "msprof_csv", (struct mi_bytes){(const uint8_t *)table, table_len},
                  "b/task_time_1.csv");
    j.model.all.rows.sources.capture[1] = 1;
    j.model.all.rows.sources.capture[2] = 2;
    assert_true(joining_run(&j));
    assert_int_equal(task_at(&j, 1), -1);
    joining_fini(&j);
}

/* A program that loads a model and calls nothing that makes a task: which file it was is told all
 * the same. */
static void test_loads_alone(void **state)
{
    struct joining j;
    (void)state;
    hook_begin(&writer, 1, MI_REC_ENDED);
    hook_chunk(&writer, 0, 100, 0);
    hook_call(&writer, MI_REC_aclmdlLoadFromFile, 0, 1, 0, MI_REC_NO_TASK, "/models/net.om");
    hook_end(&writer, (const uint64_t[]){1}, 1);
    joining_init(&j);
    joining_bytes(&j, "mi_hook", (struct mi_bytes){writer.bytes, writer.len}, "c/hook-1-0.mirec");
    struct mi_batch *all = &j.model.all;
    struct mi_source_row row = {.path = mi_batch_cstr(all, "models/net.om"),
                                .reader = mi_batch_cstr(all, "om")};
    mi_source_id source = mi_model_add_source(&j.model, &row, (struct mi_bytes){0}, NULL);
    mi_graph_id graph =
        mi_add_graph(all, &(struct mi_graph_row){.source = source,
                                                 .layer = MI_LAYER_COMPILED,
                                                 .kind = MI_GRAPH_MAIN,
                                                 .name = mi_batch_cstr(all, "net")});
    assert_true(joining_run(&j));
    assert_int_equal(all->rows.submissions.count, 1);
    assert_int_equal(all->rows.loads.count, 2);
    assert_int_equal(all->rows.loads.graph[1].v, graph.v);
    joining_fini(&j);
}

/* Which graph the second model of a bundle of two files is told to be, each with so many main
 * graphs; 0 = none. */
static uint32_t graph_of_second(unsigned first_mains, unsigned second_mains, uint32_t *second)
{
    struct joining j;
    const unsigned mains[] = {first_mains, second_mains};
    hook_begin(&writer, 1, MI_REC_ENDED);
    hook_chunk(&writer, 0, 100, 0);
    hook_call(&writer, MI_REC_aclmdlBundleLoadFromFile, 0, 7, 0, MI_REC_NO_TASK, "/models/two.om");
    hook_call(&writer, MI_REC_aclmdlBundleGetModelId, 0, 9, UINT64_C(1) << 32 | 7, MI_REC_NO_TASK,
              "");
    hook_end(&writer, (const uint64_t[]){2}, 1);
    joining_init(&j);
    joining_bytes(&j, "mi_hook", (struct mi_bytes){writer.bytes, writer.len}, "c/hook-1-0.mirec");
    struct mi_batch *all = &j.model.all;
    struct mi_source_row row = {.path = mi_batch_cstr(all, "models/two.om"),
                                .reader = mi_batch_cstr(all, "om")};
    mi_source_id source = mi_model_add_source(&j.model, &row, (struct mi_bytes){0}, NULL);
    for (unsigned member = 0; member < 2; member++) {
        mi_add_fact(all, &(struct mi_fact_row){
                             .source = source,
                             .name = mi_batch_printf(all, "model[%u]:om_version", member)});
        for (unsigned g = 0; g < mains[member]; g++)
            *second = mi_add_graph(all, &(struct mi_graph_row){.source = source,
                                                               .layer = MI_LAYER_COMPILED,
                                                               .kind = MI_GRAPH_MAIN})
                          .v;
    }
    assert_true(joining_run(&j));
    assert_int_equal(all->rows.loads.count, 2);
    assert_int_equal(all->rows.loads.part[1], 1);
    assert_int_equal(all->rows.loads.model[1], 9);
    uint32_t graph = all->rows.loads.graph[1].v;
    joining_fini(&j);
    return graph;
}

static void test_bundles(void **state)
{
    uint32_t second = 0, graph = graph_of_second(1, 1, &second);
    (void)state;
    assert_int_equal(graph, second);
    assert_int_not_equal(graph, 0);
    /* Places do not tell graphs apart: rather none than a wrong one. */
    assert_int_equal(graph_of_second(2, 1, &second), 0);
    assert_int_equal(graph_of_second(0, 1, &second), 0);
}

/* Two processes of one capture that have put tasks of the same ids onto streams of the same ids.
 * The first has noted that the profile is its own, or nobody has. */
static void join_two(struct joining *j, bool is_noted)
{
    static struct hook_writer other;
    begin();
    pair(0, 0);
    hook_end(&writer, (const uint64_t[]){4}, 1);
    other = writer;
    if (is_noted) {
        begin();
        pair(0, 0);
        hook_call(&writer, MI_REC_profile, 0, 0, 0, MI_REC_NO_TASK, "PROF_1");
        hook_end(&writer, (const uint64_t[]){5}, 1);
    }
    table_begin();
    table_task("EVENT_RECORD", B, 0, 20000);
    table_task("EVENT_WAIT", A, 0, 20300);
    joining_init(j);
    joining_bytes(j, "mi_hook", (struct mi_bytes){writer.bytes, writer.len}, "c/hook-1-0.mirec");
    joining_bytes(j, "mi_hook", (struct mi_bytes){other.bytes, other.len}, "c/hook-2-0.mirec");
    joining_bytes(j, "msprof_csv", (struct mi_bytes){(const uint8_t *)table, table_len},
                  "c/PROF_1/task_time_1.csv");
    for (uint32_t s = 1; s < j->model.all.rows.sources.count; s++)
        j->model.all.rows.sources.capture[s] = 1;
    assert_true(joining_run(j));
}

static void test_two_processes(void **state)
{
    struct joining j;
    (void)state;
    join_two(&j, true);
    assert_int_equal(task_at(&j, 1), 20000);
    assert_int_equal(task_at(&j, 2), 20300);
    assert_int_equal(task_at(&j, 3), -1);
    assert_int_equal(count_signals(&j, MI_CERTAIN), 1);
    joining_fini(&j);
    join_two(&j, false);
    for (uint32_t call = 1; call <= 4; call++)
        assert_int_equal(task_at(&j, call), -1);
    assert_int_equal(count_signals(&j, MI_CERTAIN), 0);
    joining_fini(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),     cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_part),      cmocka_unit_test(test_before),
        cmocka_unit_test(test_strangers), cmocka_unit_test(test_loads_alone),
        cmocka_unit_test(test_bundles),   cmocka_unit_test(test_two_processes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
