/* Collectives as the profilers sum them up: entries, links, places, and the facts of real files. */
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
    snprintf(path, sizeof path, "%s/tests/data/msprof_communication/%s", MI_SOURCE_DIR, name);
    assert_true(reading_file(reading, NULL, path));
    assert_true(reading->ok);
}

static void assert_text(const struct reading *r, mi_str_id id, const char *expected)
{
    struct mi_bytes text = mi_batch_text(&r->batch, id);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

struct seen {
    const char *name;
    struct mi_bytes text;
};

static void see(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct seen *seen = user;
    (void)is_number;
    if (mi_bytes_equal(name, mi_cstr(seen->name)))
        seen->text = text;
}

static struct mi_bytes value_of(const struct reading *r, uint32_t statistic, const char *name)
{
    struct seen seen = {.name = name};
    const struct mi_statistics *s = &r->batch.rows.statistics;
    struct mi_record record = {.file = r->input.bytes,
                               .bytes =
                                   mi_bytes_sub(r->input.bytes, (size_t)s->record_offset[statistic],
                                                s->record_bytes[statistic])};
    mi_reader_find("msprof_communication")->metrics(&record, see, &seen);
    return seen.text;
}

static void entries_become_notes_and_sums(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "communication.json");
    const struct mi_statistics *s = &r.batch.rows.statistics;
    const struct mi_notes *n = &r.batch.rows.notes;
    assert_int_equal(r.batch.counts.kept, 2);
    assert_int_equal(n->count - 1, 1);
    assert_text(&r, n->kind[1], "collective");
    assert_text(&r, n->name[1], "hcom_allReduce__271_0_1");
    assert_int_equal(n->start_raw[1], 1700000000000059800);
    assert_text(&r, s->kind[1], "collective");
    assert_text(&r, s->detail[1], "step 50, group 11022204950826225271");
    assert_int_equal(s->total_ns[1], 86470908);
    assert_text(&r, s->kind[2], "collective_total");
    assert_true(mi_bytes_equal(value_of(&r, 1, "Wait Time(ms)"), MI_LIT("2.5")));
    assert_true(mi_bytes_equal(value_of(&r, 1, "HCCS.Bandwidth(GB/s)"), MI_LIT("16.8589")));
    assert_true(mi_bytes_equal(value_of(&r, 1, "HCCS.Size Distribution.0.5"), MI_LIT("[12, 1.5]")));
    reading_fini(&r);
}

static void links_and_levels(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "communication_matrix.json"); /* without the level of the step */
    const struct mi_statistics *s = &r.batch.rows.statistics;
    assert_int_equal(s->count - 1, 2);
    assert_text(&r, s->kind[2], "link");
    assert_text(&r, s->name[2], "allreduce-top1 0-1");
    assert_text(&r, s->detail[2], "group 11022204950826225271");
    assert_int_equal(s->total_ns[1], 8320);
    assert_true(mi_bytes_equal(value_of(&r, 2, "Transport Type"), MI_LIT("HCCS")));
    reading_fini(&r);
    open_data(&r, "cluster_communication.json");
    s = &r.batch.rows.statistics;
    assert_int_equal(s->count - 1, 2);
    assert_text(&r, s->detail[2], "step 2, group 42, rank 8");
    assert_int_equal(s->total_ns[2], 250000);
    reading_fini(&r);
}

static void what_is_whole_is_kept(void **state)
{
    (void)state;
    struct reading r, cut;
    open_data(&r, "cluster_communication.json");
    struct mi_bytes bytes = mi_bytes_sub(r.input.bytes, 0, r.input.bytes.len - 60);
    reading_bytes(&cut, mi_reader_find("msprof_communication"), bytes, NULL, NULL);
    assert_int_equal(cut.batch.counts.in, 2);
    assert_int_equal(cut.batch.counts.kept, 1);
    assert_int_equal(cut.batch.counts.lost, 1);
    assert_int_equal(reading_diag(&cut, "msprof.entry_broken"), 1);
    reading_fini(&cut);
    reading_fini(&r);
}

static void facts_of_real_files(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int64_t entries;
    } files[] = {
        {"cluster_analysis_output/cluster_communication.json", 8},
        {"cluster_analysis_output/cluster_communication_matrix.json", 10},
        {"pytorch_alexnet_2rank/text/level1/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/"
         "communication.json",
         5},
        {"pytorch_alexnet_2rank/text/level2/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/"
         "communication_matrix.json",
         48},
        {"pytorch_l0cmetrics_2023/rank1/ASCEND_PROFILER_OUTPUT/communication.json", 30},
        {"pytorch_l0cmetrics_2023/rank1/ASCEND_PROFILER_OUTPUT/communication_matrix.json", 125},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct reading r;
        char path[512];
        snprintf(path, sizeof path, "samples/cann-profiling/%s", files[i].path);
        if (!reading_file(&r, mi_reader_find("msprof_communication"), shared_path(path)))
            skip();
        assert_int_equal(r.batch.counts.in, files[i].entries);
        assert_int_equal(r.batch.counts.kept, files[i].entries);
        reading_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_become_notes_and_sums),
        cmocka_unit_test(links_and_levels),
        cmocka_unit_test(what_is_whole_is_kept),
        cmocka_unit_test(facts_of_real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
