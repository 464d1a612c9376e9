/* The small files around a profile: which facts they give. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void open_data(struct reading *reading, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/msprof_info/%s", MI_SOURCE_DIR, name);
    assert_true(reading_file(reading, NULL, path)); /* recognised by its content */
    assert_true(reading->ok);
}

/* The first fact of that name; "" if there is none. */
static const char *fact(const struct reading *r, const char *name)
{
    static char text[1024];
    const struct mi_facts *facts = &r->batch.rows.facts;
    for (uint32_t f = 1; f < facts->count; f++)
        if (mi_bytes_equal(mi_batch_text(&r->batch, facts->name[f]), mi_cstr(name))) {
            struct mi_bytes value = mi_batch_text(&r->batch, facts->text[f]);
            snprintf(text, sizeof text, "%.*s", (int)value.len, (const char *)value.at);
            return text;
        }
    return "";
}

static void settings_of_a_framework(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "profiler_info_1.json");
    assert_string_equal(fact(&r, "rank"), "1");
    assert_string_equal(fact(&r, "profiler_level"), "Level1");
    assert_string_equal(fact(&r, "activities"), "ProfilerActivity.CPU, ProfilerActivity.NPU");
    assert_string_equal(fact(&r, "export_type"), "text, db");
    assert_string_equal(fact(&r, "setting:with_flops"), "false");
    assert_string_equal(fact(&r, "clock:counter_mhz"), "100");
    assert_string_equal(fact(&r, "clock:realtime_end_ns"), "1700000000000000840");
    assert_string_equal(fact(&r, "cann_version"), "8.1.RC1");
    reading_fini(&r);
    open_data(&r, "profiler_metadata.json");
    assert_string_equal(fact(&r, "rank"), "5");
    assert_string_equal(fact(&r, "world_size"), "8");
    assert_string_equal(fact(&r, "parallel:tensor_model_parallel_size"), "2");
    assert_string_equal(fact(&r, "env:HCCL_ALGO"), "ring");
    assert_string_equal(fact(&r, "group_ranks:192.0.2.1%eth0_55000_0_17"), "0, 2");
    assert_string_equal(fact(&r, "group_role:192.0.2.1%eth0_55000_0_17"), "dp");
    assert_string_equal(fact(&r, "setting:note"), "a \"quoted\" word");
    assert_string_equal(fact(&r, "setting:nested.list.1.deep"), "2, 3");
    reading_fini(&r);
}

static void machine_and_clocks(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "info.json.0");
    assert_string_equal(fact(&r, "clock:device_mhz:0"), "49.999001");
    assert_string_equal(fact(&r, "clock:host_mhz:0"), "100.000000");
    assert_string_equal(fact(&r, "platform"), "5");
    assert_string_equal(fact(&r, "rank"), ""); /* -1: none */
    assert_int_equal(r.batch.counts.skipped, 1);
    assert_int_equal(reading_diag(&r, "msprof.value_empty"), 1);
    reading_fini(&r);
    open_data(&r, "sample.json");
    assert_string_equal(fact(&r, "profiler_level"), "l1");
    reading_fini(&r);
    open_data(&r, "start_info"); /* the clock stands in front of what tells start from end */
    assert_string_equal(fact(&r, "clock:monotonic_begin_ns"), "39000000000000");
    assert_string_equal(fact(&r, "clock:realtime_begin_us"), "1700000000000000");
    reading_fini(&r);
    open_data(&r, "end_info.0");
    assert_string_equal(fact(&r, "clock:monotonic_end_ns"), "39000144237000");
    assert_string_equal(fact(&r, "clock:realtime_end_us"), "1700000000144237");
    reading_fini(&r);
    open_data(&r, "host_start.log");
    assert_string_equal(fact(&r, "clock:host_monotonic_ns"), "39000000000000");
    assert_string_equal(fact(&r, "clock:host_counter_difference"), "7");
    reading_fini(&r);
    open_data(&r, "dev_start.log.0");
    assert_string_equal(fact(&r, "clock:device_monotonic_ns"), "38999987654322");
    assert_string_equal(fact(&r, "clock:device_counter"), "1950000000000");
    assert_int_equal(r.batch.counts.lost, 1);
    reading_fini(&r);
}

/* What was read before a limit is kept, and the limit has a place. */
static void a_log_has_an_end(void **state)
{
    (void)state;
    static char text[4096] = "[Host]\ncntvct: 7\n";
    struct reading r;
    memset(text + strlen(text), '\n', 200);
    reading_bytes(&r, mi_reader_find("msprof_info"), mi_cstr(text), NULL, NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ELIMIT);
    assert_int_equal(r.err.line, 65);
    assert_false(mi_batch_failed(&r.batch));
    assert_string_equal(fact(&r, "clock:host_counter"), "7");
    reading_fini(&r);
}

static void groups_and_their_ranks(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "communication_group.json");
    assert_string_equal(fact(&r, "group_ranks:6960437680420871035"), "0, 1");
    assert_string_equal(fact(&r, "group_role:6960437680420871035"), "tp");
    assert_string_equal(fact(&r, "group_id:6960437680420871035"), "192.0.2.1%eth0_55000_0_17");
    assert_string_equal(fact(&r, "group_ranks:42"), "0, 2");
    assert_string_equal(fact(&r, "group_id:42"), "");
    assert_int_equal(r.batch.counts.in, r.batch.counts.kept);
    reading_fini(&r);
}

static void facts_of_real_files(void **state)
{
    (void)state;
    struct reading r;
    const char *path = shared_path("samples/cann-profiling/metadata/profiler_metadata.json");
    if (!reading_file(&r, NULL, path))
        skip();
    assert_string_equal(fact(&r, "world_size"), "8");
    assert_string_equal(fact(&r, "parallel:pipeline_model_parallel_size"), "2");
    assert_string_equal(fact(&r, "parallel:data_parallel_size"), "2");
    reading_fini(&r);
    path = shared_path("samples/cann-profiling/pytorch_alexnet_2rank/db/level1/rank1_ascend_pt/"
                       "profiler_info_1.json");
    assert_true(reading_file(&r, NULL, path));
    assert_string_equal(fact(&r, "rank"), "1");
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_a_framework), cmocka_unit_test(machine_and_clocks),
        cmocka_unit_test(a_log_has_an_end),        cmocka_unit_test(groups_and_their_ranks),
        cmocka_unit_test(facts_of_real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
