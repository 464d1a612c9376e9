/* Drawing graphs: how long it takes by size and shape, and how good the result is beside that of
 * two layout libraries of npm (layout_rivals.mjs), on generated shapes and on real models where
 * they are at hand. Shapes: a chain with skips (residual networks), blocks of parallel branches
 * (attention, mixtures of experts), and chains that are tied to each other at random. */
#include "pipeline/session.h"
#include "present/layout/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { SHAPES = 3 };

struct graph {
    struct mi_layout_graph graph;
    float *width, *height;
    uint32_t *from, *to;
};

struct input {
    struct graph graph;
};

static void edge(struct graph *g, uint32_t from, uint32_t to)
{
    g->from[g->graph.edge_count] = from;
    g->to[g->graph.edge_count++] = to;
}

static struct graph room_for(uint32_t boxes, uint32_t edges)
{
    struct graph g = {.width = malloc((boxes + 1) * sizeof(float)),
                      .height = malloc((boxes + 1) * sizeof(float)),
                      .from = malloc((edges + 1) * sizeof(uint32_t)),
                      .to = malloc((edges + 1) * sizeof(uint32_t))};
    if (!g.width || !g.height || !g.from || !g.to)
        abort();
    for (uint32_t v = 0; v < boxes; v++) {
        g.width[v] = 120;
        g.height[v] = 36;
    }
    g.graph = (struct mi_layout_graph){
        .box_count = boxes, .width = g.width, .height = g.height, .from = g.from, .to = g.to};
    return g;
}

static struct graph make(int shape, uint32_t boxes)
{
    struct graph g = room_for(boxes, 3 * boxes);
    uint32_t seed = 7;
    for (uint32_t v = 1; v < boxes; v++) {
        seed = seed * 1103515245 + 12345;
        if (shape == 0) {
            edge(&g, v - 1, v);
            if (v % 4 == 0)
                edge(&g, v - 4, v);
        } else if (shape == 1) { /* head, eight branches, tail */
            uint32_t block = v / 10 * 10, place = v % 10;
            if (place == 0)
                edge(&g, v - 1, v);
            else if (place < 9)
                edge(&g, block, v);
            for (uint32_t k = 1; place == 9 && k < 9; k++)
                edge(&g, block + k, v);
        } else { /* four chains side by side */
            if (v >= 4)
                edge(&g, v - 4, v);
            if (v >= 8 && (seed >> 16) % 6 == 0)
                edge(&g, v - 5 - (seed >> 8) % 3, v);
        }
    }
    return g;
}

static void drop(struct graph *g)
{
    free(g->width);
    free(g->height);
    free(g->from);
    free(g->to);
}

static uint64_t run_draw(void *context)
{
    const struct input *in = context;
    struct mi_layout layout;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_layout_draw(&in->graph.graph, NULL, &layout, &err))
        abort();
    uint64_t crossings = layout.crossings;
    mi_layout_fini(&layout);
    return crossings;
}

/* --- time --- */

static void bench_sizes(struct bench *bench)
{
    static const struct {
        uint32_t boxes;
        double limit_ms;
    } sizes[] = {{1000, 5}, {20000, 100}, {100000, 350}, {1000000, 5000}};
    static const char *const shapes[SHAPES] = {"chain with skips", "parallel branches",
                                               "chains tied to each other"};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double worst = 0;
        char group[48], goal[80];
        snprintf(group, sizeof group, "%u boxes", sizes[s].boxes);
        bench_group(bench, strdup(group));
        for (int shape = 0; shape < SHAPES; shape++) {
            struct input in = {.graph = make(shape, sizes[s].boxes)};
            const struct bench_row *row = bench_run(bench, shapes[shape], run_draw, &in, 0);
            double ms = row->is_ok ? row->cpu_seconds * 1e3 : -1;
            if (shape < 2 && ms > worst)
                worst = ms;
            drop(&in.graph);
        }
        snprintf(goal, sizeof goal, "%u boxes drawn, the first two shapes, processor time",
                 sizes[s].boxes);
        bench_goal(bench, goal, worst, BENCH_AT_MOST, sizes[s].limit_ms, "ms");
    }
}

/* --- beauty --- */

/* The nodes of a model's main graph without folding, constants left out: what the rivals get too.
 */
static bool from_model(struct graph *g, const char *const *paths, int layer)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session = mi_session_new(NULL, &err);
    struct mi_outline outline;
    struct mi_scenery set = {0};
    bool ok = session != NULL;
    for (int i = 0; ok && paths[i]; i++)
        ok = mi_session_add(session, paths[i], &err);
    ok = ok && mi_session_load(session, &err) &&
         mi_outline_init(&outline, mi_session_model(session),
                         &(struct mi_outline_options){.layer = layer, .flat = true}, &err) &&
         mi_scenery_init(&set, &outline, &err);
    if (ok) {
        uint32_t *number = calloc(outline.count, sizeof *number), count = 0;
        if (!number)
            abort();
        for (uint32_t i = 1; i < outline.count; i++)
            if (outline.items[i].node && !set.is_hidden[i])
                number[i] = ++count;
        *g = room_for(count, set.edge_count);
        for (uint32_t e = 0; e < set.edge_count; e++)
            if (number[set.from[e]] && number[set.to[e]] && set.from[e] != set.to[e])
                edge(g, number[set.from[e]] - 1, number[set.to[e]] - 1);
        free(number);
    }
    mi_scenery_fini(&set);
    mi_session_free(session);
    return ok;
}

static void write_json(const struct graph *g, const char *name, const char *path)
{
    struct mi_layout layout;
    struct mi_error err = MI_ERROR_INIT;
    FILE *file = fopen(path, "w");
    if (!file || !mi_layout_draw(&g->graph, NULL, &layout, &err))
        abort();
    fprintf(file, "{\"name\":\"%s\",\"boxes\":[", name);
    for (uint32_t v = 0; v < g->graph.box_count; v++)
        fprintf(file, "%s[%g,%g,%g,%g,%u]", v ? "," : "", (double)g->width[v], (double)g->height[v],
                (double)layout.x[v], (double)layout.y[v], layout.rank[v]);
    fprintf(file, "],\"edges\":[");
    for (uint32_t e = 0; e < g->graph.edge_count; e++) {
        fprintf(file, "%s[%u,%u,[", e ? "," : "", g->from[e], g->to[e]);
        for (uint32_t p = layout.first_point[e]; p < layout.first_point[e + 1]; p++)
            fprintf(file, "%s[%g,%g]", p == layout.first_point[e] ? "" : ",",
                    (double)layout.points[p].x, (double)layout.points[p].y);
        fprintf(file, "]]");
    }
    fprintf(file, "],\"width\":%g}\n", (double)layout.width);
    mi_layout_fini(&layout);
    if (fclose(file))
        abort();
}

struct sample {
    const char *name;
    int layer;
    const char *paths[3]; /* below the folder of large samples */
};

static const struct sample samples[] = {
    {"LaneNet framework",
     MI_LAYER_FRAMEWORK,
     {"cann-static/framework/lanenet_epoch_122_batch_8_AUG.onnx"}},
    {"LaneNet compiled", MI_LAYER_COMPILED, {"cann-static/om/lanenet_ascend310b4.om"}},
    {"GE dump 00056 Build", MI_LAYER_COMPILED, {"cann-static/ge-dump/ge_proto_00056_Build.txt"}},
    {"GE dump 00000062 Build",
     MI_LAYER_COMPILED,
     {"cann-static/ge-dump/ge_proto_00000062_Build.txt"}},
    {"GE dump graph 11",
     MI_LAYER_COMPILED,
     {"cann-static/ge-dump/ge_onnx_00000001_graph_11_Build.pbtxt"}},
    {"resnet18_q source", MI_LAYER_FRAMEWORK, {"onnxruntime/resnet18_q.onnx"}},
    {"mobilenetv3 source", MI_LAYER_FRAMEWORK, {"onnxruntime/mobilenetv3_w25.onnx"}},
    {"mobilenetv3 optimised", MI_LAYER_COMPILED, {"onnxruntime/mobilenetv3_w25.seq1.opt.onnx"}},
    {"bert_tiny source", MI_LAYER_FRAMEWORK, {"onnxruntime/bert_tiny.onnx"}},
    {"bert_tiny optimised", MI_LAYER_COMPILED, {"onnxruntime/bert_tiny.seq1.opt.onnx"}},
    {"bert_attention source", MI_LAYER_FRAMEWORK, {"onnxruntime/bert_attention.onnx"}},
    {"inception source", MI_LAYER_FRAMEWORK, {"onnxruntime/inception_branches.onnx"}},
    {"qdq_net source", MI_LAYER_FRAMEWORK, {"onnxruntime/qdq_net.onnx"}},
};

/* The last line of the rivals' table: the worst of our numbers as parts of dagre's. */
static void read_worst(const char *line, double *crossings, double *width)
{
    if (sscanf(line, "worst beside dagre: crossings %lf width %lf", crossings, width) != 2)
        *crossings = *width = -1;
}

static void bench_beauty(struct bench *bench)
{
    const char *shared = getenv("MI_SHARED"), *folder = bench_folder();
    char script[512];
    int count = 0;
    for (int shape = 0; shape < SHAPES; shape++, count++) {
        char name[32], file[32];
        struct graph g = make(shape, 400);
        snprintf(name, sizeof name, "shape %d, 400 boxes", shape);
        snprintf(file, sizeof file, "%d.json", count);
        write_json(&g, name, bench_path(folder, file));
        drop(&g);
    }
    for (size_t i = 0; shared && i < sizeof samples / sizeof *samples; i++, count++) {
        char path[1024], file[32];
        const char *paths[] = {path, NULL};
        struct graph g;
        snprintf(path, sizeof path, "%s/samples/%s", shared, samples[i].paths[0]);
        snprintf(file, sizeof file, "%d.json", count);
        if (!from_model(&g, paths, samples[i].layer))
            continue;
        write_json(&g, samples[i].name, bench_path(folder, file));
        drop(&g);
    }
    snprintf(script, sizeof script, "%s/tests/bench/layout_rivals.mjs", MI_SOURCE_DIR);
    const char *const rivals[] = {"/usr/bin/env", "node", script, folder, NULL};
    const char *output = bench_path(folder, "table");
    bench_group(bench, "beside dagre and elkjs");
    bench_program(bench, "all three, one after the other", rivals, output, 0);
    FILE *table = fopen(output, "r");
    char line[512] = "";
    double crossings, width;
    while (table && fgets(line, sizeof line, table))
        fputs(line, bench->json ? stderr : stdout);
    if (table)
        fclose(table);
    read_worst(line, &crossings, &width);
    bench_goal(bench, "crossings beside dagre's, the worst graph", crossings, BENCH_AT_MOST, 1.5,
               "x");
    bench_goal(bench, "width beside dagre's, the worst graph", width, BENCH_AT_MOST, 1.5, "x");
    bench_remove_folder(folder);
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "layout", argc, argv);
    bench_sizes(&bench);
    bench_beauty(&bench);
    return bench_report(&bench);
}
