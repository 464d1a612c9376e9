/* The templates that CONTRIBUTING.md hands out work as they are. */
#include "analyse/pass.h"
#include "parse/reader.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

extern const struct mi_reader mi_reader_template;
extern const struct mi_pass mi_pass_template;

static void the_reader_keeps_and_counts(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    struct mi_source source = {.path = "a.example",
                               .bytes = MI_LIT("EXAMPLE\nfirst Conv\nbroken\nsecond Relu\n")};
    struct mi_probe probe = {.bytes = source.bytes, .head = source.bytes};
    assert_int_equal(mi_reader_template.sniff(&probe), 100);
    assert_true(mi_batch_init(&batch, source.bytes, &err));
    assert_true(mi_reader_template.read(&source, &batch, &err));
    assert_int_equal(batch.rows.nodes.count, 3);
    assert_true(mi_bytes_equal(mi_batch_text(&batch, batch.rows.nodes.op[2]), MI_LIT("Relu")));
    assert_int_equal(batch.counts.in, 3);
    assert_int_equal(batch.counts.kept, 2);
    assert_int_equal(batch.counts.lost, 1);
    assert_int_equal(batch.rows.diags.line[1], 3);
    assert_int_equal(batch.rows.diags.offset[1], 19);
    mi_batch_fini(&batch);
}

static void the_pass_counts_nodes(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_model model;
    struct mi_report report;
    struct mi_batch batch;
    struct mi_source source = {.path = "a.example", .bytes = MI_LIT("EXAMPLE\nx Conv\ny Relu")};
    assert_true(mi_model_init(&model, &err) && mi_batch_init(&batch, source.bytes, &err));
    assert_true(mi_reader_template.read(&source, &batch, &err));
    assert_true(mi_model_merge(&model, (mi_source_id){0}, &batch, &err));
    assert_true(mi_model_index_graphs(&model, &err) && mi_model_freeze(&model, &err));
    mi_report_init(&report);
    assert_true(mi_pass_template.run(&model, NULL, &report, &err));
    assert_int_equal(report.tables[0].row_count, 1);
    assert_int_equal(report.tables[0].cells[1].number, 2);
    mi_report_fini(&report);
    mi_model_fini(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reader_keeps_and_counts),
        cmocka_unit_test(the_pass_counts_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
