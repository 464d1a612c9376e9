/* Tasks of captured models: rows, pairs of events, damage, and the facts of a real file. */
#include "joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *data_path(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/acl_graph/%s", MI_SOURCE_DIR, name);
    return path;
}

static void assert_text(struct mi_bytes text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static void tasks_become_planned(void **state)
{
    (void)state;
    struct reading r;
    assert_true(reading_file(&r, NULL, data_path("captured.json")));
    const struct mi_planned *p = &r.batch.rows.planned;
    const struct mi_graphs *g = &r.batch.rows.graphs;
    assert_int_equal(p->count - 1, 8);
    assert_int_equal(g->count - 1, 1);
    assert_int_equal(g->layer[1], MI_LAYER_COMPILED);
    assert_text(mi_batch_text(&r.batch, g->name[1]), "model 1");
    assert_text(mi_batch_text(&r.batch, p->type[1]), "EVENT_WAIT");
    assert_int_equal(p->kind[1], MI_TASK_SYNC);
    assert_int_equal(p->event[1], 20627656278240);
    assert_text(mi_batch_text(&r.batch, p->type[2]), "KERNEL");
    assert_text(mi_batch_text(&r.batch, p->kernel[2]), "MatMulV2_ND_1");
    assert_int_equal(p->event[2], -1);
    assert_text(mi_batch_text(&r.batch, p->type[4]), "MEMCPY_ASYNC");
    assert_int_equal(p->kind[4], MI_TASK_TRANSFER);
    assert_int_equal(p->native_id[4], 7);
    assert_int_equal(p->stream[4], 4);
    assert_int_equal(p->position[4], 3);
    assert_int_equal(p->event[5], 610);
    assert_text(mi_batch_text(&r.batch, p->type[8]), "EVENT_RESET");
    reading_fini(&r);
}

static void verbose_form_and_damage(void **state)
{
    (void)state;
    struct reading r;
    assert_true(reading_file(&r, NULL, data_path("verbose.json")));
    const struct mi_planned *p = &r.batch.rows.planned;
    const struct mi_counts *counts = &r.batch.counts;
    assert_int_equal(p->count - 1, 3);
    assert_int_equal(counts->in, 6);
    assert_int_equal(counts->kept, 3);
    assert_int_equal(counts->skipped, 1);
    assert_int_equal(counts->lost, 2);
    assert_int_equal(reading_diag(&r, "acl_graph.event_broken"), 1);
    assert_int_equal(reading_diag(&r, "acl_graph.truncated"), 1);
    assert_int_equal(p->event[1], 0x12c2ec000d20);
    assert_text(mi_batch_text(&r.batch, p->type[2]), "KERNEL_AIVEC");
    assert_int_equal(p->kind[2], MI_TASK_COMPUTE);
    assert_int_equal(p->block_dim[2], 24);
    assert_int_equal(p->label[3], 9);
    assert_text(mi_batch_text(&r.batch, r.batch.rows.graphs.name[p->graph[3].v]), "model 5");
    assert_int_equal(p->position[3], 0);
    reading_fini(&r);
}

static void waits_in_front_of_their_record(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    assert_true(joining_file(&j, "acl_graph", data_path("captured.json")));
    assert_true(joining_run(&j));
    const struct mi_planned *p = &j.model.all.rows.planned;
    assert_int_equal(p->peer[1].v, 7);
    assert_int_equal(p->peer[3].v, 7);
    assert_true(p->peer[7].v == 1 || p->peer[7].v == 3);
    assert_int_equal(p->peer[5].v, 0);
    joining_fini(&j);
}

static void tasks_of_a_profile_are_found(void **state)
{
    (void)state;
    static const char table[] =
        "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_"
        "stop(us)\n"
        "0,EVENT_WAIT,EVENT_WAIT,3,0,9.000,1700000000000001.000,1700000000000010.000\n"
        "0,EVENT_WAIT,EVENT_WAIT,4,7,9.000,1700000000000001.000,1700000000000010.000\n"
        "0,EVENT_RECORD,EVENT_RECORD,5,1,0.020,1700000000000009.900,1700000000000009.920\n"
        "0,EVENT_RECORD,EVENT_RECORD,5,9,0.020,1700000000000019.900,1700000000000019.920\n";
    struct joining j;
    joining_init(&j);
    assert_true(joining_file(&j, "acl_graph", data_path("captured.json")));
    joining_bytes(&j, "msprof_csv", mi_cstr(table), "task_time.csv");
    assert_true(joining_run(&j));
    const struct mi_tables *rows = &j.model.all.rows;
    uint32_t planned = 0; /* 4/7 is a copy, 5/9 is not in the list */
    for (uint32_t i = 1; i < rows->signals.count; i++) {
        if (!mi_bytes_equal(mi_model_text(&j.model, rows->signals.rule[i]), MI_LIT("planned")))
            continue;
        planned++;
        assert_int_equal(mi_some_get(rows->tasks.native_id[rows->signals.wait[i].v]), 0);
        assert_int_equal(mi_some_get(rows->tasks.native_id[rows->signals.record[i].v]), 1);
        assert_int_equal(rows->signals.confidence[i], MI_GUESS); /* the table names no model */
    }
    assert_int_equal(planned, 1);
    joining_fini(&j);
}

static void facts_of_a_real_file(void **state)
{
    (void)state;
    struct joining j;
    joining_init(&j);
    if (!joining_file(&j, "acl_graph",
                      shared_path("samples/cann-profiling/aclgraph_debug/graph_debug.json"))) {
        joining_fini(&j);
        skip();
    }
    assert_true(joining_run(&j));
    const struct mi_planned *p = &j.model.all.rows.planned;
    uint32_t streams[5] = {0}, records = 0, waits = 0, resets = 0, nops = 0, copies = 0, pairs = 0;
    for (uint32_t t = 1; t < p->count; t++) {
        struct mi_bytes type = mi_model_text(&j.model, p->type[t]);
        bool is_record = mi_bytes_equal(type, MI_LIT("EVENT_RECORD"));
        assert_in_range(p->stream[t], 161, 165);
        streams[p->stream[t] - 161]++;
        records += is_record;
        waits += mi_bytes_equal(type, MI_LIT("EVENT_WAIT"));
        resets += mi_bytes_equal(type, MI_LIT("EVENT_RESET"));
        nops += mi_bytes_equal(type, MI_LIT("NOP"));
        copies += mi_bytes_equal(type, MI_LIT("MEMCPY_ASYNC"));
        pairs += is_record && p->peer[t].v;
    }
    assert_int_equal(p->count - 1, 82);
    assert_int_equal(streams[0], 22);
    assert_int_equal(streams[1], 19);
    assert_int_equal(streams[2], 11);
    assert_int_equal(streams[3], 19);
    assert_int_equal(streams[4], 11);
    assert_int_equal(records, 25);
    assert_int_equal(waits, 15);
    assert_int_equal(resets, 1);
    assert_int_equal(nops, 8);
    assert_int_equal(copies, 3);
    assert_int_equal(pairs, 6);
    joining_fini(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_become_planned),
        cmocka_unit_test(verbose_form_and_damage),
        cmocka_unit_test(waits_in_front_of_their_record),
        cmocka_unit_test(tasks_of_a_profile_are_found),
        cmocka_unit_test(facts_of_a_real_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
