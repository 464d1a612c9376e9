/* Joining graphs of real models, against reference mappings: for every model and every stored run
 * the units of the reference, what the README of the samples says about each model, and what holds
 * for all (one fate per framework node, one birth per compiled node, no conflict). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <jansson.h>

#include "joining.h"

#define FOLDER "samples/onnxruntime/"

struct sample {
    const char *model, *run;
    bool has_mapping;
    uint32_t exact, inserted; /* compiled nodes */
    uint32_t covered, shared; /* framework nodes that depend on the input: once, more often */
    uint32_t constants;       /* framework nodes that depend on none */
};

static const struct sample samples[] = {
    {"resnet18_q", "seq1", true, 24, 1, 69, 0, 32},
    {"resnet18_q", "seq2", false, 24, 1, 69, 0, 32},
    {"mobilenetv3_w25", "seq1", true, 76, 36, 157, 0, 70},
    {"bert_tiny", "seq1", true, 51, 18, 121, 0, 40},
    {"bert_tiny", "ort1201seq1", true, 63, 0, 121, 0, 40},
    {"bert_attention", "seq1", true, 34, 1, 178, 5, 67},
    {"control_flow", "seq1", true, 14, 0, 17, 0, 4},
    {"custom_domain", "seq1", true, 6, 3, 7, 0, 0},
    {"functions", "seq1", true, 6, 0, 30, 0, 10},
    {"inception_branches", "seq1", true, 19, 3, 44, 0, 16},
    {"inception_branches", "seq2", false, 19, 3, 44, 0, 16},
    {"inception_branches", "par2", false, 19, 3, 44, 0, 16},
    {"inception_branches", "streams4", true, 19, 3, 44, 0, 16},
    {"inception_branches", "ort1131par", false, 19, 3, 44, 0, 16},
    {"qdq_net", "seq1", true, 9, 2, 21, 1, 6},
};

/* --- the model --- */

static const char *sample_path(const struct sample *sample, const char *suffix)
{
    char below[512];
    if (strcmp(suffix, ".onnx") == 0)
        snprintf(below, sizeof below, FOLDER "%s.onnx", sample->model);
    else
        snprintf(below, sizeof below, FOLDER "%s.%s%s", sample->model, sample->run, suffix);
    return shared_path(below);
}

static void join_sample(struct joining *joining, const struct sample *sample)
{
    joining_init(joining);
    if (!joining_file(joining, "onnx", sample_path(sample, ".onnx")))
        skip();
    assert_true(joining_file(joining, "ort_onnx", sample_path(sample, ".opt.onnx")));
    if (mi_reader_find("ort_profile"))
        assert_true(joining_file(joining, "ort_profile", sample_path(sample, ".profile.json")));
    if (!joining_run(joining))
        fail_msg("%s", joining->err.text);
}

static const char *text_of(const struct joining *joining, mi_str_id id, char text[512])
{
    struct mi_bytes bytes = mi_model_text(&joining->model, id);
    snprintf(text, 512, "%.*s", (int)bytes.len, (const char *)bytes.at);
    return text;
}

/* The graph of a layer whose path is "" or "/cell/Loop/body:/cell/If/then_branch"; 0 = none. */
static uint32_t graph_at(const struct joining *joining, enum mi_layer layer, const char *path)
{
    const struct mi_tables *rows = &joining->model.all.rows;
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        if (rows->graphs.layer[g] != layer || rows->graphs.kind[g] == MI_GRAPH_FUNCTION)
            continue;
        char here[2048] = "", more[4096], name[512], role[512];
        for (uint32_t at = g; rows->graphs.parent[at].v;
             at = rows->nodes.graph[rows->graphs.parent[at].v].v) {
            snprintf(more, sizeof more, "%s/%s%s%s",
                     text_of(joining, rows->nodes.name[rows->graphs.parent[at].v], name),
                     text_of(joining, rows->graphs.role[at], role), here[0] ? ":" : "", here);
            snprintf(here, sizeof here, "%.*s", (int)sizeof here - 1, more);
        }
        if (strcmp(here, path) == 0)
            return g;
    }
    return 0;
}

/* --- one unit of the reference --- */

struct verdict {
    uint32_t nodes, reached, certain_missed;
};

/* True if the link is to the framework node that the reference names; nodes in functions are called
 * "<call>/<node>" there. */
static bool is_link_to(const struct joining *joining, uint32_t link, const char *expected,
                       uint32_t expected_node)
{
    const struct mi_tables *rows = &joining->model.all.rows;
    uint32_t n = rows->lowered.framework[link].v;
    if (expected_node)
        return n == expected_node;
    char name[512], call[512], whole[1200];
    text_of(joining, rows->nodes.name[n], name);
    if (strcmp(name, expected) == 0)
        return true;
    for (uint32_t r = 1; r < rows->lowered.count; r++) {
        if (rows->lowered.compiled[r].v != rows->lowered.compiled[link].v)
            continue;
        text_of(joining, rows->nodes.name[rows->lowered.framework[r].v], call);
        snprintf(whole, sizeof whole, "%s/%s", call, name);
        if (strcmp(whole, expected) == 0)
            return true;
    }
    return false;
}

static bool has_functions(const struct joining *joining)
{
    const struct mi_graphs *graphs = &joining->model.all.rows.graphs;
    for (uint32_t g = 1; g < graphs->count; g++)
        if (graphs->kind[g] == MI_GRAPH_FUNCTION)
            return true;
    return false;
}

/* Links of a compiled node, without those to calls of functions, whose nodes are linked too. */
static uint32_t count_links(const struct joining *joining, uint32_t compiled)
{
    const struct mi_tables *rows = &joining->model.all.rows;
    const struct mi_csr *links = &joining->model.index.framework_of;
    uint32_t count = 0;
    for (uint32_t i = links->first[compiled]; i < links->first[compiled + 1]; i++) {
        uint32_t n = rows->lowered.framework[links->list[i]].v;
        char domain[512];
        text_of(joining, rows->nodes.domain[n], domain);
        bool is_call = false;
        for (uint32_t g = 1; g < rows->graphs.count; g++)
            is_call = is_call || (rows->graphs.kind[g] == MI_GRAPH_FUNCTION &&
                                  rows->graphs.name[g].v == rows->nodes.op[n].v &&
                                  rows->graphs.domain[g].v == rows->nodes.domain[n].v);
        count += !is_call;
    }
    return count;
}

static bool has_link(const struct joining *joining, uint32_t compiled, const char *expected,
                     uint32_t expected_node)
{
    const struct mi_csr *links = &joining->model.index.framework_of;
    for (uint32_t i = links->first[compiled]; i < links->first[compiled + 1]; i++)
        if (is_link_to(joining, links->list[i], expected, expected_node))
            return true;
    return false;
}

static bool is_inserted(const struct joining *joining, uint32_t compiled)
{
    uint32_t birth = joining->model.index.birth_of[compiled];
    return joining->model.all.rows.births.origin[birth] == MI_ORIGIN_INSERTED;
}

static bool node_matches(const struct joining *joining, json_t *unit, uint32_t compiled,
                         uint32_t framework_graph)
{
    size_t i;
    json_t *item;
    uint32_t expected = 0;
    if (strcmp(json_string_value(json_object_get(unit, "state")), "inserted") == 0)
        return is_inserted(joining, compiled) && count_links(joining, compiled) == 0;
    bool by_name = has_functions(joining);
    json_array_foreach(json_object_get(unit, "framework"), i, item)
    {
        uint32_t first = joining->model.index.graph_first_node[framework_graph];
        uint32_t node = first + (uint32_t)json_integer_value(json_object_get(item, "i"));
        const char *name = json_string_value(json_object_get(item, "name"));
        expected++;
        if (!has_link(joining, compiled, name, by_name ? 0 : node))
            return false;
    }
    json_array_foreach(json_object_get(unit, "folded"), i, item)
    {
        expected++;
        if (!has_link(joining, compiled, json_string_value(item), 0))
            return false;
    }
    return count_links(joining, compiled) == expected;
}

static void check_node(const struct joining *joining, json_t *unit, uint32_t compiled,
                       uint32_t framework_graph, struct verdict *verdict)
{
    verdict->nodes++;
    if (node_matches(joining, unit, compiled, framework_graph)) {
        verdict->reached++;
        return;
    }
    const struct mi_tables *rows = &joining->model.all.rows;
    const struct mi_csr *links = &joining->model.index.framework_of;
    char name[512], other[512], evidence[512];
    print_message("not as in the reference: %s\n",
                  text_of(joining, rows->nodes.name[compiled], name));
    for (uint32_t i = links->first[compiled]; i < links->first[compiled + 1]; i++) {
        uint32_t link = links->list[i];
        print_message("  %s: %s\n",
                      text_of(joining, rows->nodes.name[rows->lowered.framework[link].v], other),
                      text_of(joining, rows->lowered.evidence[link], evidence));
        verdict->certain_missed += rows->lowered.confidence[link] == MI_CERTAIN;
    }
}

static void check_mapping(const struct joining *joining, json_t *mapping, struct verdict *verdict)
{
    size_t g, u, o;
    json_t *graph, *unit, *node;
    json_array_foreach(json_object_get(mapping, "graphs"), g, graph)
    {
        const char *path = json_string_value(json_object_get(graph, "path"));
        uint32_t compiled = graph_at(joining, MI_LAYER_COMPILED, path);
        uint32_t framework = graph_at(joining, MI_LAYER_FRAMEWORK, path);
        assert_true(compiled && framework);
        json_array_foreach(json_object_get(graph, "units"), u, unit)
            json_array_foreach(json_object_get(unit, "optimized"), o, node)
                check_node(joining, unit,
                           joining->model.index.graph_first_node[compiled] +
                               (uint32_t)json_integer_value(json_object_get(node, "i")),
                           framework, verdict);
    }
}

/* --- what holds for every model --- */

static void check_fates(const struct joining *joining)
{
    const struct mi_model *model = &joining->model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t fates = 0, births = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        bool is_framework = mi_node_layer(model, (mi_node_id){n}) == MI_LAYER_FRAMEWORK;
        fates += is_framework;
        births += !is_framework;
        assert_int_equal(model->index.fate_of[n] != 0, is_framework);
        assert_int_equal(model->index.birth_of[n] != 0, !is_framework);
        if (is_framework) {
            assert_int_not_equal(rows->fates.fate[model->index.fate_of[n]], MI_FATE_UNKNOWN);
            assert_int_not_equal(rows->fates.reason[model->index.fate_of[n]], MI_REASON_UNLINKED);
        } else {
            assert_int_not_equal(rows->births.origin[model->index.birth_of[n]], MI_ORIGIN_UNKNOWN);
        }
    }
    assert_int_equal(rows->fates.count - 1, fates);
    assert_int_equal(rows->births.count - 1, births);
    for (uint32_t r = 1; r < rows->lowered.count; r++) {
        assert_int_equal(rows->lowered.conflict[r].v, 0);
        assert_int_not_equal(rows->lowered.evidence[r].v, 0);
        assert_int_not_equal(rows->lowered.confidence[r], MI_CONFIDENCE_NONE);
    }
}

/* Facts of the README, counted from the links. In a model with functions only those of the README's
 * inlined graph differ from ours; see check_covered(). */
static void check_births(const struct joining *joining, const struct sample *sample)
{
    const struct mi_births *births = &joining->model.all.rows.births;
    uint32_t inserted = 0, linked = 0;
    for (uint32_t b = 1; b < births->count; b++) {
        inserted += births->origin[b] == MI_ORIGIN_INSERTED;
        linked += mi_csr_count(&joining->model.index.framework_of, births->node[b].v) != 0;
    }
    assert_int_equal(inserted, sample->inserted);
    assert_int_equal(linked, sample->exact);
}

static bool is_constant_fold(const struct mi_tables *rows, uint32_t fate)
{
    return rows->fates.fate[fate] == MI_FATE_FOLDED &&
           rows->fates.reason[fate] == MI_REASON_CONSTANT;
}

static void check_covered(const struct joining *joining, const struct sample *sample)
{
    const struct mi_model *model = &joining->model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t constants = 0, once = 0, shared = 0;
    if (has_functions(joining))
        return;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        if (!model->index.fate_of[n])
            continue;
        if (is_constant_fold(rows, model->index.fate_of[n])) {
            constants++;
            continue;
        }
        bool is_shared = false;
        uint32_t first = model->index.compiled_of.first[n];
        for (uint32_t i = first; i < model->index.compiled_of.first[n + 1]; i++)
            is_shared =
                is_shared || rows->lowered.role[model->index.compiled_of.list[i]] == MI_ROLE_SHARED;
        once += !is_shared && mi_csr_count(&model->index.compiled_of, n) != 0;
        shared += is_shared;
    }
    assert_int_equal(constants, sample->constants);
    assert_int_equal(once, sample->covered);
    assert_int_equal(shared, sample->shared);
}

/* --- tests --- */

static void test_sample(void **state)
{
    const struct sample *sample = *state;
    struct joining joining;
    join_sample(&joining, sample);
    check_fates(&joining);
    check_births(&joining, sample);
    check_covered(&joining, sample);
    if (sample->has_mapping) {
        json_error_t error;
        json_t *mapping = json_load_file(sample_path(sample, ".mapping.json"), 0, &error);
        assert_non_null(mapping);
        struct verdict verdict = {0};
        check_mapping(&joining, mapping, &verdict);
        json_decref(mapping);
        print_message("%s.%s: %u of %u compiled nodes as in the reference\n", sample->model,
                      sample->run, verdict.reached, verdict.nodes);
        assert_int_equal(verdict.nodes, sample->exact + sample->inserted);
        assert_int_equal(verdict.certain_missed, 0);
        assert_true(verdict.reached * 100 >= verdict.nodes * 99);
    }
    joining_fini(&joining);
}

int main(void)
{
    struct CMUnitTest tests[sizeof samples / sizeof *samples];
    char names[sizeof samples / sizeof *samples][64];
    struct sample copies[sizeof samples / sizeof *samples];
    memcpy(copies, samples, sizeof samples);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        snprintf(names[i], sizeof names[i], "%s.%s", samples[i].model, samples[i].run);
        tests[i] = (struct CMUnitTest){
            .name = names[i], .test_func = test_sample, .initial_state = &copies[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
