/* The reader of stream partitions. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int sniff_text(const char *text)
{
    struct mi_bytes bytes = mi_cstr(text);
    struct mi_probe probe = {.path = "x", .bytes = bytes, .head = mi_bytes_sub(bytes, 0, 4096)};
    return mi_reader_ort_partition.sniff(&probe);
}

static void recognised_in_any_order_of_keys(void **state)
{
    (void)state;
    assert_true(sniff_text("{\"type\":\"DeviceBasedPartitioner\"") > 90);
    assert_true(sniff_text("{\"devices\":[\"0\"],\"streams\":[[\"a\"") > 80);
    assert_true(sniff_text("{\"streams\":[[\"a\"]],\"devices\":[\"0\"],\"type\":\"\"}") > 80);
    assert_int_equal(sniff_text("{\"type\":\"Other\"}"), 0);
    assert_int_equal(sniff_text("{\"streams\":[]}"), 0);
    assert_int_equal(sniff_text("{\"devices\":[],\"x\":1,\"streams\":[]}"), 0);
    assert_int_equal(sniff_text("[]"), 0);
    assert_int_equal(sniff_text(""), 0);
}

static void names_and_streams(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(
        &r, &mi_reader_ort_partition,
        MI_LIT("{\"devices\":[\"0\"],\"streams\":[[\"a\",\"b\\\"\\u0041\"],[],[\"c\",7,],\"x\"],"
               "\"type\":\"New\"}"),
        "", NULL);
    const struct mi_placements *list = &r.batch.rows.placements;
    assert_true(r.ok);
    assert_int_equal(list->count - 1, 3);
    assert_int_equal(r.batch.counts.in, 4);
    assert_int_equal(r.batch.counts.kept, 3);
    assert_int_equal(r.batch.counts.lost, 1);
    assert_true(mi_bytes_equal(mi_batch_text(&r.batch, list->node_name[2]), MI_LIT("b\"A")));
    assert_int_equal(list->stream[1], 0);
    assert_int_equal(list->stream[2], 0);
    assert_int_equal(list->stream[3], 2);
    assert_int_equal(reading_diag(&r, "partition.type"), 1);
    assert_int_equal(reading_diag(&r, "partition.devices"), 1);
    assert_int_equal(reading_diag(&r, "partition.not_a_name"), 1);
    assert_int_equal(reading_diag(&r, "partition.not_a_list"), 1);
    reading_fini(&r);
}

static void what_was_readable_is_kept(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(&r, &mi_reader_ort_partition, MI_LIT("{\"streams\":[[\"a\"],\n[\"b\",\"c"), "",
                  NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ETRUNCATED);
    assert_int_equal(r.err.line, 2);
    assert_int_equal(r.batch.rows.placements.count - 1, 2);
    assert_int_equal(r.batch.counts.in, 3);
    assert_int_equal(r.batch.counts.lost, 1);
    reading_fini(&r);
    reading_bytes(&r, &mi_reader_ort_partition, MI_LIT("{\"type\":\"DeviceBasedPartitioner\"}"), "",
                  NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_EFORMAT);
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognised_in_any_order_of_keys),
        cmocka_unit_test(names_and_streams),
        cmocka_unit_test(what_was_readable_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
