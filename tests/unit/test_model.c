/* Tables, batches, merging and freezing: ids, strings and lists survive; order does not depend on
 * how the rows were split into batches. */
#include "base/mem.h"
#include "model/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

/* One graph "g<k>" of a chain of `count` nodes with a task per node, times running backwards. */
static void fill(struct mi_batch *batch, int k, uint32_t count)
{
    mi_graph_id graph =
        mi_add_graph(batch, &(struct mi_graph_row){.layer = MI_LAYER_COMPILED,
                                                   .name = mi_batch_printf(batch, "g%d", k)});
    mi_track_id track =
        mi_add_track(batch, &(struct mi_track_row){.name = mi_batch_printf(batch, "stream %d", k)});
    mi_value_id last = mi_add_value(batch, &(struct mi_value_row){.graph = graph,
                                                                  .name = mi_batch_cstr(batch, "x"),
                                                                  .kind = MI_VALUE_INPUT});
    for (uint32_t i = 0; i < count; i++) {
        mi_value_id next =
            mi_add_value(batch, &(struct mi_value_row){.graph = graph,
                                                       .name = mi_batch_printf(batch, "v%u", i),
                                                       .producer = {mi_next_row(batch, nodes)}});
        struct mi_node_row row = {.graph = graph,
                                  .name = mi_batch_printf(batch, "n%u", i % 10),
                                  .op = mi_batch_cstr(batch, i % 2 ? "Relu" : "Conv"),
                                  .position = i,
                                  .first_in = mi_next_row(batch, ports),
                                  .in_count = 1,
                                  .first_out = mi_next_row(batch, ports) + 1,
                                  .out_count = 1};
        mi_add_port(batch, &(struct mi_port_row){.value = last});
        mi_add_port(batch, &(struct mi_port_row){.value = next});
        mi_node_id node = mi_add_node(batch, &row);
        mi_kernel_id kernel =
            mi_add_kernel(batch, &(struct mi_kernel_row){.name = row.name, .op = row.op});
        mi_task_id task = mi_add_task(batch, &(struct mi_task_row){.track = track,
                                                                   .kernel = kernel,
                                                                   .native_id = i,
                                                                   .start_ns = (int64_t)(count - i),
                                                                   .dur_ns = 1});
        mi_link_add(
            batch, &(struct mi_executed_row){.node = node, .task = task, .confidence = MI_CERTAIN});
        last = next;
    }
    batch->counts = (struct mi_counts){.in = count, .kept = count};
}

static void check_chain(const struct mi_model *model, uint32_t graph, int k, uint32_t count)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_index *index = &model->index;
    char name[32];
    snprintf(name, sizeof name, "g%d", k);
    assert_true(mi_bytes_equal(mi_model_text(model, rows->graphs.name[graph]), mi_cstr(name)));
    uint32_t first = index->graph_first_node[graph], end = index->graph_first_node[graph + 1];
    assert_int_equal(end - first, count);
    for (uint32_t n = first; n < end; n++) {
        assert_int_equal(rows->nodes.graph[n].v, graph);
        assert_int_equal(rows->nodes.position[n], n - first);
        uint32_t out = rows->ports.value[rows->nodes.first_out[n]].v;
        assert_int_equal(rows->values.producer[out].v, n);
        assert_int_equal(mi_csr_count(&index->consumers, out), n + 1 < end);
        if (n + 1 < end)
            assert_int_equal(index->consumers.list[index->consumers.first[out]], n + 1);
        snprintf(name, sizeof name, "n%u", (n - first) % 10);
        assert_true(mi_bytes_equal(mi_model_text(model, rows->nodes.name[n]), mi_cstr(name)));
        /* Its task, though sorted the other way round by now. */
        assert_int_equal(mi_csr_count(&index->node_tasks, n), 1);
        uint32_t task = index->node_tasks.list[index->node_tasks.first[n]];
        assert_int_equal(mi_some_get(rows->tasks.native_id[task]), n - first);
        assert_int_equal(rows->kernels.name[rows->tasks.kernel[task].v].v, rows->nodes.name[n].v);
        assert_int_equal(rows->executed.node[rows->tasks.link[task].v].v, n);
    }
    uint32_t same = mi_map_get(&index->node_by_name, mi_pair(graph, rows->nodes.name[first].v));
    for (uint32_t expect = first; expect < end; expect += 10, same = index->next_same_name[same])
        assert_int_equal(same, expect);
    assert_int_equal(same, 0);
}

static void merge_and_check(const uint32_t counts[4])
{
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    char path[32];
    assert_true(mi_model_init(&model, &err));
    for (int k = 0; k < 4; k++) {
        struct mi_batch batch;
        assert_true(mi_batch_init(&batch, (struct mi_bytes){0}, &err));
        fill(&batch, k, counts[k]);
        struct mi_source_row row = {.path = mi_batch_printf(&model.all, "path %d", k)};
        mi_source_id source = mi_model_add_source(&model, &row, MI_LIT("bytes"), &err);
        assert_true(mi_model_merge(&model, source, &batch, &err));
        assert_int_equal(model.all.rows.graphs.source[k + 1].v, source.v);
        assert_int_equal(model.all.rows.sources.records_kept[source.v], counts[k]);
    }
    assert_true(mi_model_index_graphs(&model, &err));
    assert_true(mi_model_freeze(&model, &err));
    for (int k = 0; k < 4; k++) {
        check_chain(&model, (uint32_t)k + 1, k, counts[k]);
        snprintf(path, sizeof path, "path %d", k);
        assert_true(mi_bytes_equal(mi_model_text(&model, model.all.rows.sources.path[k + 1]),
                                   mi_cstr(path)));
    }
    const struct mi_tasks *tasks = &model.all.rows.tasks;
    for (uint32_t t = 2; t < tasks->count; t++)
        assert_true(tasks->track[t - 1].v < tasks->track[t].v ||
                    tasks->start_ns[t - 1] <= tasks->start_ns[t]);
    mi_model_fini(&model);
}

/* Of the second sort one batch is so large that its strings become the model's. */
static void merged_batches_keep_their_relations(void **state)
{
    (void)state;
    merge_and_check((const uint32_t[]){50, 1, 0, 333});
    merge_and_check((const uint32_t[]){5, 3000, 2000, 7});
    merge_and_check((const uint32_t[]){3000, 5, 0, 4000});
}

static void tasks_are_sorted_and_parents_follow(void **state)
{
    (void)state;
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    assert_true(mi_model_init(&model, &err) && mi_batch_init(&batch, (struct mi_bytes){0}, &err));
    mi_track_id track = mi_add_track(&batch, &(struct mi_track_row){0});
    /* Children are written before the parent that encloses them and starts together with the first.
     */
    mi_add_task(&batch,
                &(struct mi_task_row){.track = track, .start_ns = 10, .dur_ns = 5, .parent = {3}});
    mi_add_task(&batch,
                &(struct mi_task_row){.track = track, .start_ns = 15, .dur_ns = 5, .parent = {3}});
    mi_add_task(&batch, &(struct mi_task_row){.track = track, .start_ns = 10, .dur_ns = 10});
    assert_true(mi_model_merge(&model, (mi_source_id){0}, &batch, &err));
    assert_true(mi_model_index_graphs(&model, &err) && mi_model_freeze(&model, &err));
    const struct mi_tasks *tasks = &model.all.rows.tasks;
    assert_int_equal(tasks->dur_ns[1], 10);
    assert_int_equal(tasks->parent[1].v, 0);
    assert_int_equal(tasks->parent[2].v, 1);
    assert_int_equal(tasks->parent[3].v, 1);
    assert_int_equal(tasks->start_ns[3], 15);
    mi_model_fini(&model);
}

/* Tasks of three tracks in every order; native_id remembers where each one stood, `parent` is the
 * one written before it. */
static void check_order(uint32_t count, uint64_t seed, unsigned spread)
{
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    assert_true(mi_model_init(&model, &err) && mi_batch_init(&batch, (struct mi_bytes){0}, &err));
    for (uint32_t i = 0; i < 3; i++)
        mi_add_track(&batch, &(struct mi_track_row){0});
    for (uint32_t i = 1; i <= count; i++) {
        mi_task_id task = mi_add_task(
            &batch, &(struct mi_task_row){.track = {1 + (uint32_t)rng_below(&seed, 3)},
                                          .native_id = i,
                                          .start_ns = i + (int64_t)rng_below(&seed, spread),
                                          .dur_ns = (int64_t)rng_below(&seed, 3),
                                          .parent = {i - 1}});
        mi_link_add(&batch,
                    &(struct mi_executed_row){.task = task, .confidence = (uint8_t)(i % 3)});
    }
    assert_true(mi_model_merge(&model, (mi_source_id){0}, &batch, &err));
    assert_true(mi_model_index_graphs(&model, &err) && mi_model_freeze(&model, &err));
    const struct mi_tasks *tasks = &model.all.rows.tasks;
    int64_t sum = 0;
    for (uint32_t t = 1; t < tasks->count; t++) {
        sum += mi_some_get(tasks->native_id[t]);
        assert_int_equal(tasks->parent[t].v ? mi_some_get(tasks->native_id[tasks->parent[t].v]) : 0,
                         mi_some_get(tasks->native_id[t]) - 1);
        assert_int_equal(model.all.rows.executed.confidence[tasks->link[t].v],
                         mi_some_get(tasks->native_id[t]) % 3);
        if (t == 1 || tasks->track[t].v != tasks->track[t - 1].v) {
            assert_true(t == 1 || tasks->track[t].v > tasks->track[t - 1].v);
            continue;
        }
        assert_true(tasks->start_ns[t] >= tasks->start_ns[t - 1]);
        if (tasks->start_ns[t] != tasks->start_ns[t - 1])
            continue;
        assert_true(tasks->dur_ns[t] <= tasks->dur_ns[t - 1]);
        assert_true(tasks->dur_ns[t] < tasks->dur_ns[t - 1] ||
                    mi_some_get(tasks->native_id[t]) > mi_some_get(tasks->native_id[t - 1]));
    }
    assert_int_equal(sum, (int64_t)count * (count + 1) / 2);
    mi_model_fini(&model);
}

static void tasks_of_any_order_are_sorted(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 40; count++)
        check_order(count, count + 1, 1 + count);
    check_order(5000, 7, 1);
    check_order(5000, 8, 20);
    check_order(5000, 9, 100000);
}

static void strings_are_borrowed_only_from_the_mapping(void **state)
{
    (void)state;
    char file[] = "name in the file";
    struct mi_batch batch;
    assert_true(mi_batch_init(&batch, mi_cstr(file), NULL));
    mi_str_id inside = mi_batch_str(&batch, mi_bytes_sub(mi_cstr(file), 0, 4));
    char outside[] = "elsewhere";
    mi_str_id copied = mi_batch_cstr(&batch, outside);
    outside[0] = 'E';
    assert_ptr_equal(mi_batch_text(&batch, inside).at, file);
    assert_true(mi_bytes_equal(mi_batch_text(&batch, copied), MI_LIT("elsewhere")));
    mi_batch_fini(&batch);
}

static void diagnostics_count_and_keep_the_first_place(void **state)
{
    (void)state;
    struct mi_batch batch;
    assert_true(mi_batch_init(&batch, (struct mi_bytes){0}, NULL));
    for (unsigned i = 0; i < 1000; i++) {
        mi_batch_diag(&batch, MI_LOSS, "x.broken", 100 + i, i, "record %u is broken", i);
        mi_batch_diag(&batch, MI_NOTICE, "x.odd", MI_NO_OFFSET, 0, "odd");
    }
    const struct mi_diags *diags = &batch.rows.diags;
    assert_int_equal(diags->count, 3);
    assert_int_equal(diags->times[1], 1000);
    assert_int_equal(diags->offset[1], 100);
    assert_int_equal(diags->offset[2], -1);
    assert_true(
        mi_bytes_equal(mi_batch_text(&batch, diags->text[1]), MI_LIT("record 0 is broken")));
    mi_batch_fini(&batch);
}

static void a_failed_batch_adds_nothing(void **state)
{
    (void)state;
    struct mi_batch batch;
    assert_true(mi_batch_init(&batch, (struct mi_bytes){0}, NULL));
    assert_int_equal(mi_add_dim(&batch, &(struct mi_dim_row){.size = 3}).v, 1);
    mi_batch_fail(&batch, MI_ELIMIT, "too many rows");
    assert_int_equal(mi_add_dim(&batch, &(struct mi_dim_row){.size = 4}).v, 0);
    assert_int_equal(mi_batch_cstr(&batch, "text").v, 0);
    assert_int_equal(batch.rows.dims.count, 2);
    assert_string_equal(batch.error.text, "too many rows");
    mi_batch_fini(&batch);
}

static void descriptions_match_the_structs(void **state)
{
    (void)state;
    struct mi_batch batch;
    assert_true(mi_batch_init(&batch, (struct mi_bytes){0}, NULL));
    mi_add_task(&batch, &(struct mi_task_row){
                            .native_id = -1, .turn = 7, .start_raw = INT64_MIN, .dur_ns = 5});
    const struct mi_any_table *tasks = mi_any_table(&batch.rows, MI_T_tasks);
    const struct mi_table_info *info = &mi_table_infos[MI_T_tasks];
    int seen = 0;
    for (unsigned c = 0; c < info->column_count; c++) {
        int64_t value = mi_column_int(tasks, &info->columns[c], 1);
        if (!strcmp(info->columns[c].name, "native_id"))
            seen += value == -1;
        if (!strcmp(info->columns[c].name, "turn"))
            seen += value == 7;
        if (!strcmp(info->columns[c].name, "start_raw"))
            seen += value == INT64_MIN && info->columns[c].kind == MI_KIND_TICKS;
    }
    assert_int_equal(seen, 3);
    assert_string_equal(mi_enum_name(MI_E_fate, MI_FATE_FUSED_INTO), "fused_into");
    assert_string_equal(mi_enum_name(MI_E_fate, 200), "?");
    mi_batch_fini(&batch);
}

/* What is not there takes no memory, and is written as rows and files write it. */
static void numbers_may_be_missing(void **state)
{
    (void)state;
    static const int64_t ids[] = {-1, 0, 7, UINT32_MAX - 1, UINT32_MAX, INT64_C(1) << 40};
    static const uint32_t kept[] = {0, 1, 8, UINT32_MAX, 0, 0};
    struct mi_batch batch;
    assert_true(mi_batch_init(&batch, (struct mi_bytes){0}, NULL));
    const struct mi_tasks *tasks = &batch.rows.tasks;
    for (uint32_t i = 0; i < 6; i++)
        mi_add_task(&batch,
                    &(struct mi_task_row){.native_id = ids[i], .connection = (uint32_t)ids[i]});
    const struct mi_table_info *info = &mi_table_infos[MI_T_tasks];
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(tasks->native_id[i + 1].plus_one, kept[i]);
        assert_true(mi_some_get(tasks->native_id[i + 1]) == (kept[i] ? ids[i] : -1));
        assert_int_equal(mi_some_u32(tasks->connection[i + 1]), (uint32_t)ids[i]);
        for (unsigned c = 0; c < info->column_count; c++) {
            int64_t value =
                mi_column_int(mi_any_table(&batch.rows, MI_T_tasks), &info->columns[c], i + 1);
            if (!strcmp(info->columns[c].name, "native_id"))
                assert_true(value == (kept[i] ? ids[i] : -1));
            if (!strcmp(info->columns[c].name, "connection"))
                assert_true(value == (int64_t)(uint32_t)ids[i]);
        }
    }
    mi_batch_fini(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_batches_keep_their_relations),
        cmocka_unit_test(tasks_are_sorted_and_parents_follow),
        cmocka_unit_test(tasks_of_any_order_are_sorted),
        cmocka_unit_test(strings_are_borrowed_only_from_the_mapping),
        cmocka_unit_test(diagnostics_count_and_keep_the_first_place),
        cmocka_unit_test(a_failed_batch_adds_nothing),
        cmocka_unit_test(descriptions_match_the_structs),
        cmocka_unit_test(numbers_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
