/* Exports of a model made by hand: ids and relations, valid output, hostile names, places. */
#include "base/json_scan.h"
#include "base/utf8.h"
#include "export_can.h"
#include "export_model.h"
#include "parse/foreign.h"
#include "present/export_run.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

/* --- a target in memory --- */

enum { MAX_FILES = 40 };

struct memory_target {
    struct mi_target base;
    struct mi_sink files[MAX_FILES];
    char names[MAX_FILES][64];
    int count;
};

static struct mi_sink *open_memory(struct mi_target *base, const char *name, struct mi_error *err)
{
    struct memory_target *target = (struct memory_target *)(void *)base;
    (void)err;
    assert_true(target->count < MAX_FILES);
    snprintf(target->names[target->count], sizeof *target->names, "%s", name);
    mi_sink_init_memory(&target->files[target->count]);
    return &target->files[target->count++];
}

static bool close_memory(struct mi_target *base, struct mi_error *err)
{
    struct memory_target *target = (struct memory_target *)(void *)base;
    return mi_sink_flush(&target->files[target->count - 1], err);
}

static void export_to(struct memory_target *target, const struct mi_model *model,
                      const char *format, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_view view = {.model = model, .args = args};
    const struct mi_exporter *exporter = mi_exporter_find(format);
    assert_non_null(exporter);
    *target = (struct memory_target){.base = {open_memory, close_memory}};
    bool ok = exporter->write(&view, &target->base, &err);
    if (!ok)
        fail_msg("%s: %s", format, err.text);
}

static void drop(struct memory_target *target)
{
    for (int i = 0; i < target->count; i++)
        mi_sink_fini(&target->files[i]);
}

static struct mi_bytes file_named(const struct memory_target *target, const char *name)
{
    for (int i = 0; i < target->count; i++)
        if (strcmp(target->names[i], name) == 0)
            return mi_sink_bytes(&target->files[i]);
    fail_msg("no file %s", name);
    return (struct mi_bytes){0};
}

static json_t *parse(struct mi_bytes text)
{
    json_error_t error;
    json_t *doc = json_loadb((const char *)text.at, text.len,
                             JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!doc)
        fail_msg("%s at %d", error.text, error.position);
    return doc;
}

static json_t *load(const struct mi_model *model, const char *format, const char *file)
{
    struct memory_target target;
    export_to(&target, model, format, NULL);
    json_t *doc = parse(file_named(&target, file));
    drop(&target);
    return doc;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_int_t int_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* The record of array `list` with these two values. */
static json_t *node_of(json_t *graph, uint32_t id, const char *layer)
{
    size_t i;
    json_t *node;
    json_array_foreach(json_object_get(graph, "nodes"), i,
                       node) if (int_of(node, "node_id") == id &&
                                 strcmp(text_of(node, "layer_level"), layer) == 0) return node;
    fail_msg("no %s node %u", layer, id);
    return NULL;
}

static void assert_ids(const json_t *object, const char *key, size_t count, const uint32_t *ids)
{
    const json_t *list = json_object_get(object, key);
    assert_int_equal(json_array_size(list), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_integer_value(json_array_get(list, i)), ids[i]);
}

/* --- graph.json --- */

static void a_kept_node_has_one_id_in_both_layers(void **state)
{
    struct mi_model *model = *state;
    json_t *graph = load(model, "json", "graph.json");
    /* Rows: conv 1, relu 2, identity 3, if 4, hostile 5, add 6; cast 7, conv+relu 8, if 9, add 10.
     */
    json_t *kept = node_of(graph, 4, "compiled"), *twin = node_of(graph, 4, "framework");
    assert_string_equal(text_of(kept, "name"), "if");
    assert_string_equal(text_of(twin, "name"), "if");
    assert_ids(kept, "fused_from", 0, NULL);
    assert_string_equal(text_of(node_of(graph, 6, "compiled"), "op_type"), "Add");
    json_t *fused = node_of(graph, 8, "compiled");
    assert_ids(fused, "fused_from", 2, (const uint32_t[]){1, 2});
    assert_true(json_is_true(json_object_get(fused, "is_fused")));
    assert_string_equal(text_of(fused, "origin"), "fused");
    assert_string_equal(text_of(node_of(graph, 7, "compiled"), "origin"), "inserted");
    json_decref(graph);
}

static void a_framework_op_knows_fate_and_tasks(void **state)
{
    struct mi_model *model = *state;
    json_t *graph = load(model, "json", "graph.json");
    json_t *conv = node_of(graph, 1, "framework"), *identity = node_of(graph, 3, "framework");
    assert_string_equal(text_of(conv, "fate"), "fused_into");
    assert_int_equal(int_of(conv, "fate_into"), 8);
    assert_true(json_is_true(json_object_get(conv, "is_fused")));
    assert_int_equal(json_array_size(json_object_get(conv, "mapped_task_ids")), 2);
    assert_true(json_equal(json_object_get(conv, "mapped_task_ids"),
                           json_object_get(node_of(graph, 8, "compiled"), "mapped_task_ids")));
    /* A constant that a node merely contains was not executed by it. */
    assert_int_equal(json_array_size(json_object_get(identity, "mapped_task_ids")), 0);
    assert_string_equal(text_of(identity, "fate"), "folded");
    json_decref(graph);
}

static void shapes_attributes_and_branches_are_told(void **state)
{
    struct mi_model *model = *state;
    json_t *graph = load(model, "json", "graph.json");
    json_t *conv = node_of(graph, 1, "framework"), *add = node_of(graph, 6, "compiled");
    json_t *shape = json_object_get(conv, "shape"),
           *attributes = json_object_get(conv, "attributes");
    assert_string_equal(json_string_value(json_array_get(shape, 0)), "batch");
    assert_int_equal(json_integer_value(json_array_get(shape, 1)), 3);
    assert_true(json_is_null(json_array_get(shape, 2)));
    json_t *ends = json_object_get(json_array_get(attributes, 0), "value");
    assert_int_equal(json_integer_value(json_array_get(ends, 0)), 7);
    assert_string_equal(json_string_value(json_array_get(ends, 1)), "9223372036854775807");
    assert_string_equal(text_of(json_array_get(attributes, 1), "value"), "-inf");
    json_t *branch = json_object_get(add, "branch");
    assert_int_equal(int_of(branch, "node_id"), 4);
    assert_string_equal(text_of(branch, "role"), "then_branch");
    assert_true(json_is_null(json_object_get(conv, "branch")));
    json_decref(graph);
}

static void edges_reach_into_branches(void **state)
{
    struct mi_model *model = *state;
    json_t *graph = load(model, "json", "graph.json"), *edge;
    size_t i;
    int into_add = 0;
    json_array_foreach(json_object_get(graph, "edges"), i,
                       edge) if (int_of(edge, "to_node_id") == 6)
    {
        bool is_compiled = strcmp(text_of(edge, "layer_level"), "compiled") == 0;
        assert_int_equal(int_of(edge, "from_node_id"), is_compiled ? 8 : 2);
        into_add++;
    }
    assert_int_equal(into_add, 2);
    json_decref(graph);
}

/* --- trace.json --- */

static json_t *task_at(json_t *trace, const char *stream, json_int_t start_ns)
{
    size_t i;
    json_t *task;
    json_array_foreach(json_object_get(trace, "tasks"), i,
                       task) if (int_of(task, "stream_id") == atoi(stream) &&
                                 int_of(task, "start_ns") == start_ns) return task;
    fail_msg("no task at %lld", (long long)start_ns);
    return NULL;
}

static void a_task_of_no_run_says_so(void **state)
{
    struct mi_model *model = *state;
    uint32_t *run = &model->all.rows.tasks.run[1], before = *run;
    *run = MI_NO_RUN;
    json_t *trace = load(model, "json", "trace.json");
    json_t *task = json_array_get(json_object_get(trace, "tasks"), 0);
    assert_int_equal(int_of(task, "task_id"), 1);
    assert_true(json_is_null(json_object_get(task, "run")));
    json_decref(trace);
    *run = before;
}

static void tasks_have_times_events_and_nodes(void **state)
{
    struct mi_model *model = *state;
    json_t *trace = load(model, "json", "trace.json");
    json_t *cast = task_at(trace, "7", -1500), *wait = task_at(trace, "7", 500);
    json_t *conv = task_at(trace, "7", 1500), *record = task_at(trace, "7", 24500);
    assert_int_equal(int_of(cast, "start_us"), -2); /* floor, not towards zero */
    assert_true(json_is_null(json_object_get(cast, "event_before")));
    assert_int_equal(int_of(cast, "event_after"), int_of(record, "task_id"));
    assert_int_equal(int_of(conv, "event_before"), int_of(wait, "task_id"));
    assert_int_equal(int_of(conv, "event_after"), int_of(record, "task_id"));
    assert_int_equal(int_of(conv, "op_node_id"), 8);
    assert_string_equal(text_of(conv, "op_layer"), "compiled");
    assert_string_equal(text_of(conv, "fate"), "fused_into");
    assert_string_equal(text_of(conv, "dtype"), "float16");
    assert_string_equal(text_of(conv, "start_unix_ns"), "1736412474723784888");
    assert_true(json_is_true(json_object_get(conv, "calibrated")));
    assert_true(json_real_value(json_object_get(conv, "duration_us")) == 20.0);
    assert_true(json_is_null(json_object_get(record, "op_node_id")));
    /* Stream 8 has no events. */
    json_t *add = task_at(trace, "8", 29500);
    assert_true(json_is_null(json_object_get(add, "event_before")));
    assert_int_equal(int_of(add, "op_node_id"), 6);
    assert_string_equal(text_of(add, "branch"), "then_branch");
    json_decref(trace);
}

/* --- hostile names --- */

static void hostile_names_stay_inside_their_strings(void **state)
{
    struct mi_model *model = *state;
    static const char *const json_files[][2] = {{"json", "graph.json"},
                                                {"json", "trace.json"},
                                                {"json", "summary.json"},
                                                {"chrome", "export.trace.json"},
                                                {"links", "export.links.json"}};
    for (size_t i = 0; i < sizeof json_files / sizeof *json_files; i++)
        json_decref(load(model, json_files[i][0], json_files[i][1]));
    json_t *graph = load(model, "json", "graph.json"), *node = node_of(graph, 5, "framework");
    const json_t *name = json_object_get(node, "name");
    static const char expect[] = "=1+1\0\"'<script>\\ \xe2\x80\xae\xef\xbf\xbd\n,;\xe4\xb8\xad";
    assert_int_equal(json_string_length(name), sizeof expect - 1);
    assert_memory_equal(json_string_value(name), expect, sizeof expect - 1);
    assert_string_equal(text_of(node, "name_hex"),
                        "3d312b310022273c7363726970743e5c20e280aeff0a2c3be4b8ad");
    json_decref(graph);
}

static void every_text_format_is_utf8_without_nul(void **state)
{
    struct mi_model *model = *state;
    static const char *const formats[] = {"json", "csv", "chrome", "dot", "links"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        struct memory_target target;
        export_to(&target, model, formats[f], NULL);
        for (int i = 0; i < target.count; i++) {
            struct mi_bytes bytes = mi_sink_bytes(&target.files[i]);
            assert_true(bytes.len > 0);
            assert_true(mi_utf8_valid(bytes));
            assert_null(memchr(bytes.at, 0, bytes.len));
        }
        drop(&target);
    }
}

/* A name of 1 MiB, half of it no UTF-8, is whole in every format but dot, which cuts it. */
static void a_huge_name_is_whole(void **state)
{
    (void)state;
    enum { NAME_BYTES = 1 << 20 };
    static uint8_t name[NAME_BYTES];
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    struct export_ids ids;
    assert_true(mi_model_init(&model, &err));
    memset(name, 'a', NAME_BYTES / 2);
    memset(name + NAME_BYTES / 2, 0xff, NAME_BYTES / 2);
    mi_value_id out;
    ids.graph = test_graph(&model.all, MI_LAYER_FRAMEWORK, "net", (mi_node_id){0});
    test_node(&model.all, ids.graph, (struct mi_bytes){name, NAME_BYTES}, "Op", (mi_value_id){0},
              "out", &out);
    assert_true(mi_model_index_graphs(&model, &err) && mi_model_freeze(&model, &err));
    json_t *graph = load(&model, "json", "graph.json"), *node = node_of(graph, 1, "framework");
    assert_int_equal(json_string_length(json_object_get(node, "name")), NAME_BYTES * 2);
    assert_int_equal(strlen(text_of(node, "name_hex")), NAME_BYTES * 2);
    json_decref(graph);
    struct memory_target target;
    export_to(&target, &model, "csv", NULL);
    assert_true(file_named(&target, "nodes.csv").len > NAME_BYTES * 2);
    drop(&target);
    export_to(&target, &model, "dot", NULL);
    assert_in_range(file_named(&target, "export.dot").len, 100, 2000);
    drop(&target);
    mi_model_fini(&model);
}

/* --- csv --- */

static void csv_quotes_and_resolves(void **state)
{
    struct mi_model *model = *state;
    struct memory_target target;
    export_to(&target, model, "csv", NULL);
    assert_int_equal(target.count, MI_TABLE_COUNT);
    struct mi_bytes nodes = file_named(&target, "nodes.csv");
    static const char head[] = "id,graph,name,op,";
    assert_memory_equal(nodes.at, head, sizeof head - 1);
    char *text = calloc(nodes.len + 1, 1);
    memcpy(text, nodes.at, nodes.len);
    assert_non_null(strstr(text, "\n1,1,conv,Conv,"));
    assert_non_null(strstr(text, "\n9,3,if,If,"));
    assert_non_null(strstr(text, ",4\n10,4,add,")); /* public id of the kept If */
    assert_non_null(strstr(text, "\"=1+1\xe2\x90\x80\"\"'<script>\\ \xe2\x80\xae\xef\xbf\xbd\n,;"
                                 "\xe4\xb8\xad\",Custom"));
    free(text);
    drop(&target);
}

/* --- dot --- */

static void dot_nests_clusters_and_escapes(void **state)
{
    struct mi_model *model = *state;
    struct memory_target target;
    static const struct mi_param layer = {.name = "layer", .kind = MI_PARAM_TEXT};
    struct mi_arg arg = {.param = &layer, .text = "framework"};
    struct mi_args args = {.list = &arg, .count = 1};
    export_to(&target, model, "dot", &args);
    struct mi_bytes bytes = file_named(&target, "export.dot");
    char *text = calloc(bytes.len + 1, 1);
    memcpy(text, bytes.at, bytes.len);
    assert_non_null(strstr(text, "digraph \"framework\""));
    assert_non_null(strstr(text, "cluster_1 {"));
    assert_non_null(strstr(text, "n2 -> n6 [label=\"float16 batchx3x?\"]"));
    assert_non_null(strstr(text, "=1+1\\\\x00\\\"'<script>"));
    /* The branch stands inside its owner's graph. */
    const char *inner = strstr(text, "cluster_2 {");
    assert_non_null(inner);
    int depth = 0;
    for (const char *at = text; at < inner; at++)
        depth += (*at == '{') - (*at == '}');
    assert_int_equal(depth, 2);
    for (const char *at = inner; *at; at++)
        depth += (*at == '{') - (*at == '}');
    assert_int_equal(depth, 0);
    free(text);
    drop(&target);
}

/* --- chrome --- */

/* Slices of one row must nest; flows must start before they end and lie in a slice each. */
static void chrome_rows_nest_and_flows_bind(void **state)
{
    struct mi_model *model = *state;
    json_t *trace = load(model, "chrome", "export.trace.json");
    json_t *events = json_object_get(trace, "traceEvents"), *a, *b;
    size_t i, j, flows = 0, named[3] = {0, 0, 0};
    json_array_foreach(events, i, a)
    {
        const char *phase = text_of(a, "ph");
        if (*phase == 'M')
            continue;
        double ts = json_number_value(json_object_get(a, "ts"));
        double end = ts + json_number_value(json_object_get(a, "dur"));
        assert_true(ts >= 0);
        bool is_flow = *phase == 's' || *phase == 'f', is_bound = false;
        json_array_foreach(events, j, b)
        {
            if (*text_of(b, "ph") != 'X' || i == j || int_of(a, "pid") != int_of(b, "pid") ||
                int_of(a, "tid") != int_of(b, "tid"))
                continue;
            double from = json_number_value(json_object_get(b, "ts"));
            double to = from + json_number_value(json_object_get(b, "dur"));
            /* Of two that start together the longer one comes first. */
            if (*phase == 'X' && from == ts && i < j)
                assert_true(end >= to);
            if (*phase == 'X')
                assert_true(end <= from || to <= ts || (ts >= from && end <= to) ||
                            (from >= ts && to <= end));
            is_bound |= from <= ts && ts < to;
        }
        if (!is_flow)
            continue;
        assert_true(is_bound);
        flows++;
        if (*phase == 's') {
            named[0] += strcmp(text_of(a, "name"), "host") == 0;
            named[1] += strcmp(text_of(a, "name"), "origin") == 0;
            named[2] += strcmp(text_of(a, "name"), "data") == 0;
        }
    }
    assert_int_equal(named[0], 4); /* two runs on two streams */
    assert_int_equal(named[1], 6); /* conv+relu, if, add, twice */
    assert_int_equal(named[2], 6); /* cast -> conv -> if, conv -> add, twice */
    assert_int_equal(flows, 2 * (named[0] + named[1] + named[2]));
    json_decref(trace);
}

/* --- links --- */

static void links_speak_by_names_and_keys(void **state)
{
    struct mi_model *model = *state;
    json_t *links = load(model, "links", "export.links.json");
    assert_string_equal(text_of(links, "schema"), "casegen-mapping/1");
    json_t *conv = json_array_get(json_object_get(links, "framework"), 0);
    assert_string_equal(text_of(conv, "node"), "conv");
    assert_string_equal(text_of(json_array_get(json_object_get(conv, "compiled"), 0), "node"),
                        "conv+relu");
    json_t *gone = json_array_get(json_object_get(links, "framework"), 4);
    assert_string_equal(text_of(gone, "fate"), "removed");
    assert_int_equal(json_array_size(json_object_get(gone, "compiled")), 0);
    json_t *task = json_array_get(json_object_get(links, "tasks"), 0);
    assert_string_equal(text_of(task, "task"), "0/7/100/1736412474723781888");
    assert_string_equal(text_of(task, "by"), "compiler");
    assert_true(int_of(task, "calibrated_start_ns") == EXPORT_START_NS - 1500);
    json_t *clock = json_array_get(json_object_get(links, "clocks"), 0);
    assert_int_equal(int_of(clock, "offset_ns"), 0);
    assert_true(json_is_null(json_object_get(clock, "uncertainty_ns")));
    json_decref(links);
}

/* --- never read back --- */

static void dumps_are_known_as_our_own(void **state)
{
    struct mi_model *model = *state;
    for (size_t f = 0; f < mi_exporter_count; f++) {
        if (!can_export(f))
            continue;
        struct memory_target target;
        export_to(&target, model, mi_exporters[f]->name, NULL);
        for (int i = 0; i < target.count; i++)
            assert_int_equal(mi_is_own_dump(mi_sink_bytes(&target.files[i])),
                             mi_exporters[f] != &mi_exporter_csv);
        drop(&target);
    }
    assert_false(mi_is_own_dump(MI_LIT("{\"a\": \"model-inspector-graph/1\"}")));
    assert_false(mi_is_own_dump(MI_LIT("{\"schema\": \"model-inspector-capture/1\"}")));
    assert_false(mi_is_own_dump(MI_LIT("{\"schema\":")));
    assert_false(mi_is_own_dump(MI_LIT("SQLite format 3")));
}

/* --- schemas --- */

/* The words that a schema allows for one field are those of the model, with null where that may be.
 */
static void check_words(const json_t *schema, const char *type, const char *field,
                        enum mi_enum_no which)
{
    const json_t *properties =
        json_object_get(json_object_get(json_object_get(schema, "$defs"), type), "properties");
    const json_t *words = json_object_get(json_object_get(properties, field), "enum");
    size_t count = json_array_size(words);
    if (count && json_is_null(json_array_get(words, count - 1)))
        count--;
    if (count != mi_enum_size(which))
        fail_msg("docs/schema: %s.%s has %zu words, the model %u", type, field, count,
                 mi_enum_size(which));
    for (unsigned i = 0; i < mi_enum_size(which); i++)
        assert_string_equal(json_string_value(json_array_get(words, i)), mi_enum_name(which, i));
}

static void schemas_know_all_words(void **state)
{
    (void)state;
    json_t *graph = json_load_file(MI_SOURCE_DIR "/docs/schema/graph.schema.json", 0, NULL);
    json_t *trace = json_load_file(MI_SOURCE_DIR "/docs/schema/trace.schema.json", 0, NULL);
    assert_true(graph && trace);
    check_words(graph, "diagnostic", "severity", MI_E_severity);
    check_words(graph, "port", "kind", MI_E_value_kind);
    check_words(graph, "attribute", "kind", MI_E_attr_kind);
    check_words(graph, "link", "role", MI_E_role);
    check_words(graph, "link", "confidence", MI_E_confidence);
    check_words(graph, "node", "category", MI_E_category);
    check_words(graph, "node", "fate", MI_E_fate);
    check_words(graph, "node", "fate_reason", MI_E_reason);
    check_words(graph, "node", "origin", MI_E_origin);
    check_words(graph, "graph", "kind", MI_E_graph_kind);
    check_words(trace, "task", "kind", MI_E_task_kind);
    check_words(trace, "task", "sync", MI_E_sync);
    check_words(trace, "task", "category", MI_E_category);
    check_words(trace, "track", "kind", MI_E_track_kind);
    json_decref(graph);
    json_decref(trace);
}

/* --- an empty model --- */

static void an_empty_model_exports_too(void **state)
{
    (void)state;
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_model_init(&model, &err) && mi_model_index_graphs(&model, &err) &&
                mi_model_freeze(&model, &err));
    for (size_t f = 0; f < mi_exporter_count; f++) {
        if (!can_export(f))
            continue;
        struct memory_target target;
        export_to(&target, &model, mi_exporters[f]->name, NULL);
        assert_true(target.count > 0);
        drop(&target);
    }
    mi_model_fini(&model);
}

static void equal_models_give_equal_bytes(void **state)
{
    struct mi_model again;
    struct export_ids ids;
    assert_true(export_model(&again, &ids));
    for (size_t f = 0; f < mi_exporter_count; f++) {
        if (!can_export(f))
            continue;
        struct memory_target a, b;
        export_to(&a, *state, mi_exporters[f]->name, NULL);
        export_to(&b, &again, mi_exporters[f]->name, NULL);
        assert_int_equal(a.count, b.count);
        for (int i = 0; i < a.count; i++)
            assert_true(mi_bytes_equal(mi_sink_bytes(&a.files[i]), mi_sink_bytes(&b.files[i])));
        drop(&a);
        drop(&b);
    }
    mi_model_fini(&again);
}

static int make_model(void **state)
{
    static struct mi_model model;
    struct export_ids ids;
    *state = &model;
    return export_model(&model, &ids) ? 0 : -1;
}

static int free_model(void **state)
{
    mi_model_fini(*state);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_node_has_one_id_in_both_layers),
        cmocka_unit_test(a_framework_op_knows_fate_and_tasks),
        cmocka_unit_test(shapes_attributes_and_branches_are_told),
        cmocka_unit_test(edges_reach_into_branches),
        cmocka_unit_test(tasks_have_times_events_and_nodes),
        cmocka_unit_test(a_task_of_no_run_says_so),
        cmocka_unit_test(hostile_names_stay_inside_their_strings),
        cmocka_unit_test(every_text_format_is_utf8_without_nul),
        cmocka_unit_test(a_huge_name_is_whole),
        cmocka_unit_test(csv_quotes_and_resolves),
        cmocka_unit_test(dot_nests_clusters_and_escapes),
        cmocka_unit_test(chrome_rows_nest_and_flows_bind),
        cmocka_unit_test(links_speak_by_names_and_keys),
        cmocka_unit_test(dumps_are_known_as_our_own),
        cmocka_unit_test(schemas_know_all_words),
        cmocka_unit_test(an_empty_model_exports_too),
        cmocka_unit_test(equal_models_give_equal_bytes),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
