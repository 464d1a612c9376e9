/* Host side of real profiles: every kernel and collective reaches its op, from traces and databases
 * alike; two ranks in one session; csv and trace of one run tell of each task once. */
#include "joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES "samples/cann-profiling/pytorch_alexnet_2rank/"

enum { KERNELS = 187, COLLECTIVES = 4, COPIES = 24 };

static bool add(struct joining *j, const char *reader, const char *folder, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, SAMPLES "%s/%s", folder, file);
    return joining_file(j, reader, shared_path(path));
}

static int64_t times(const struct joining *j, const char *code)
{
    const struct mi_diags *diags = &j->model.all.rows.diags;
    int64_t sum = 0;
    for (uint32_t d = 1; d < diags->count; d++)
        if (mi_bytes_equal(mi_model_text(&j->model, diags->code[d]), mi_cstr(code)))
            sum += diags->times[d];
    return sum;
}

/* Tasks of one kind that are no parts, and how many of these have an op by certain links. */
static void count_works(const struct joining *j, enum mi_task_kind kind, uint32_t *works,
                        uint32_t *certain)
{
    const struct mi_tables *rows = &j->model.all.rows;
    const struct mi_index *index = &j->model.index;
    *works = *certain = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t kernel = rows->tasks.kernel[t].v, parent = rows->tasks.parent[t].v;
        bool is_framed =
            parent && rows->kernels.kind[rows->tasks.kernel[parent].v] == MI_TASK_CONTROL;
        if (rows->kernels.kind[kernel] != kind || (parent && !is_framed))
            continue;
        ++*works;
        uint32_t link = rows->tasks.link[t].v;
        assert_int_not_equal(link, 0);
        uint32_t node = rows->executed.node[link].v;
        assert_int_equal(mi_csr_count(&index->framework_of, node), 1);
        uint32_t lowered = index->framework_of.list[index->framework_of.first[node]];
        *certain += rows->lowered.confidence[lowered] == MI_CERTAIN;
    }
}

static void assert_ledgers(const struct joining *j)
{
    const struct mi_sources *sources = &j->model.all.rows.sources;
    for (uint32_t s = 1; s < sources->count; s++)
        assert_int_equal(sources->records_in[s], sources->records_kept[s] +
                                                     sources->records_skipped[s] +
                                                     sources->records_lost[s]);
}

static void assert_reaches_ops(const struct joining *j, uint32_t stated_copies)
{
    uint32_t works, certain;
    count_works(j, MI_TASK_COMPUTE, &works, &certain);
    assert_int_equal(works, KERNELS);
    assert_int_equal(certain, KERNELS);
    count_works(j, MI_TASK_COMMUNICATION, &works, &certain);
    assert_int_equal(works, COLLECTIVES);
    assert_int_equal(certain, COLLECTIVES);
    count_works(j, MI_TASK_TRANSFER, &works, &certain);
    assert_int_equal(works, COPIES);
    assert_int_equal(certain, stated_copies);
    assert_int_equal(times(j, "host.op_differs"), 0);
    assert_int_equal(times(j, "host.op_confirmed"), KERNELS + COLLECTIVES + stated_copies);
    assert_int_equal(times(j, "host.op_found"), COPIES - stated_copies);
    assert_ledgers(j);
}

static void databases_reach_their_ops(void **state)
{
    (void)state;
    static const char *const levels[] = {"db/level0/rank0_ascend_pt", "db/level0/rank1_ascend_pt",
                                         "db/level1/rank0_ascend_pt", "db/level1/rank1_ascend_pt",
                                         "db/level2/rank0_ascend_pt"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct joining j;
        char file[64];
        snprintf(file, sizeof file, "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_%c.db",
                 strstr(levels[i], "rank1") ? '1' : '0');
        joining_init(&j);
        if (!add(&j, "msprof_db", levels[i], file))
            skip();
        assert_true(joining_run(&j));
        assert_reaches_ops(&j, 0); /* the exporter states no op of a copy */
        joining_fini(&j);
    }
}

static void traces_reach_their_ops(void **state)
{
    (void)state;
    static const char *const levels[] = {"text/level1/rank0_ascend_pt",
                                         "text/level1/rank1_ascend_pt",
                                         "text/level2/rank0_ascend_pt"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        for (int with_table = 0; with_table < 2; with_table++) {
            struct joining j;
            joining_init(&j);
            if (!add(&j, "chrome_trace", levels[i], "ASCEND_PROFILER_OUTPUT/trace_view.json"))
                skip();
            if (with_table)
                add(&j, "msprof_csv", levels[i], "ASCEND_PROFILER_OUTPUT/kernel_details.csv");
            assert_true(joining_run(&j));
            assert_reaches_ops(&j, 19);
            assert_int_equal(times(&j, "msprof.task_twice"),
                             with_table ? KERNELS + COLLECTIVES : 0);
            assert_int_equal(times(&j, "msprof.task_alone"), 0);
            assert_int_equal(times(&j, "msprof.tables_differ"), 0);
            joining_fini(&j);
        }
    }
}

/* Level 0: no calls, no streams in the table; arrows from ops remain. */
static void arrows_do_where_calls_are_missing(void **state)
{
    (void)state;
    struct joining j;
    uint32_t works, certain;
    joining_init(&j);
    if (!add(&j, "chrome_trace", "text/level0/rank0_ascend_pt",
             "ASCEND_PROFILER_OUTPUT/trace_view.json"))
        skip();
    add(&j, "msprof_csv", "text/level0/rank0_ascend_pt",
        "ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    assert_true(joining_run(&j));
    count_works(&j, MI_TASK_COMPUTE, &works, &certain);
    assert_int_equal(works, KERNELS);
    assert_int_equal(certain, KERNELS);
    assert_int_equal(times(&j, "host.op_stated"), KERNELS + COLLECTIVES + 19);
    assert_int_equal(times(&j, "msprof.task_twice"), KERNELS + COLLECTIVES);
    assert_int_equal(times(&j, "msprof.task_alone"), 0);
    assert_ledgers(&j);
    joining_fini(&j);
}

/* Ends differ by 15476, 14275, 9615, 14756 ns; starts by up to 3.5 ms. */
static void two_ranks_share_their_collectives(void **state)
{
    (void)state;
    static const int64_t apart[COLLECTIVES] = {15476, 14275, 9615, 14756};
    struct joining j;
    joining_init(&j);
    if (!add(&j, "msprof_db", "db/level1/rank0_ascend_pt",
             "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db"))
        skip();
    add(&j, "msprof_db", "db/level1/rank1_ascend_pt",
        "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db");
    assert_true(joining_run(&j));
    const struct mi_tables *rows = &j.model.all.rows;
    uint32_t ranks[2] = {0};
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        ranks[rows->tracks.rank[rows->tasks.track[t].v] == 1]++;
    assert_int_equal(ranks[0], 552 + COLLECTIVES);
    assert_int_equal(ranks[1], 552 + COLLECTIVES);
    assert_int_equal(rows->peers.count - 1, COLLECTIVES);
    for (uint32_t p = 1; p < rows->peers.count; p++) {
        uint32_t a = rows->peers.first[p].v, b = rows->peers.task[p].v;
        int64_t ends = rows->tasks.start_ns[b] + rows->tasks.dur_ns[b] - rows->tasks.start_ns[a] -
                       rows->tasks.dur_ns[a];
        assert_int_equal(ends, apart[p - 1]);
        assert_int_equal(rows->peers.confidence[p], MI_CERTAIN);
    }
    assert_int_equal(rows->graphs.count - 1, 4); /* two layers of each rank */
    joining_fini(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(databases_reach_their_ops),
        cmocka_unit_test(traces_reach_their_ops),
        cmocka_unit_test(arrows_do_where_calls_are_missing),
        cmocka_unit_test(two_ranks_share_their_collectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
