/* What the page and its user wait for, without a browser (that is bench_page.mjs): answers over a
 * model of ten million tasks and a million names, the way from files to the first picture and to
 * `waits`, and the sizes that were promised.
 *
 *     bench_answers [--size-mb N]     N million tasks in the timeline (default 10) */
#include "base/gzip.h"
#include "base/mem.h"
#include "pipeline/session.h"
#include "present/serve/http.h"
#include "present/serve/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "generate_trace.h"

#define PROGRAM (MI_BINARY_DIR "/inspector-cli")

enum {
    MILLION = 1000000,
    STREAMS = 32,
    KERNELS = 5000,
    NAMES = MILLION, /* nodes to search */
    BOXES = 20000,   /* nodes to draw */
    WINDOWS = 20,    /* questions of one case */
    STEP_NS = 5000,  /* mean distance of tasks on a stream */
    WIDTH = 1600,    /* pixels */
};

static void check(bool ok, const struct mi_error *err)
{
    if (ok)
        return;
    fprintf(stderr, "bench_answers: %s %s\n", err->input, err->text);
    abort();
}

/* --- models, put together in memory --- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static mi_source_id begin_model(struct mi_model *model)
{
    struct mi_error err = MI_ERROR_INIT;
    check(mi_model_init(model, &err), &err);
    struct mi_source_row row = {.path = mi_batch_cstr(&model->all, "bench")};
    mi_source_id source = mi_model_add_source(model, &row, (struct mi_bytes){0}, &err);
    check(source.v != 0, &err);
    return source;
}

static void end_model(struct mi_model *model)
{
    struct mi_error err = MI_ERROR_INIT;
    check(mi_model_index_graphs(model, &err) && mi_model_freeze(model, &err), &err);
}

/* One graph: a chain from which every fourth node branches off. */
static void add_nodes(struct mi_model *model, mi_source_id source, uint32_t count)
{
    static const char *const ops[] = {"MatMulV2", "Add", "LayerNormV3", "SoftmaxV2", "Cast"};
    struct mi_batch *all = &model->all;
    mi_graph_id graph = mi_add_graph(all, &(struct mi_graph_row){.source = source,
                                                                 .layer = MI_LAYER_FRAMEWORK,
                                                                 .kind = MI_GRAPH_MAIN});
    mi_value_id last = {0};
    for (uint32_t n = 0; n < count; n++) {
        mi_str_id name =
            mi_batch_printf(all, "/model/layers.%u/block.%u/%s", n / 100, n % 100, ops[n % 5]);
        struct mi_node_row row = {.graph = graph,
                                  .name = name,
                                  .op = mi_batch_cstr(all, ops[n % 5]),
                                  .position = n,
                                  .native_id = -1,
                                  .stream = -1,
                                  .first_in = mi_next_row(all, ports),
                                  .in_count = last.v != 0};
        if (last.v)
            mi_add_port(all, &(struct mi_port_row){.value = last});
        mi_value_id made = mi_add_value(all, &(struct mi_value_row){.graph = graph,
                                                                    .name = name,
                                                                    .kind = MI_VALUE_ACTIVATION,
                                                                    .data_offset = -1,
                                                                    .data_bytes = -1});
        row.first_out = mi_next_row(all, ports);
        row.out_count = 1;
        mi_add_port(all, &(struct mi_port_row){.value = made});
        all->rows.values.producer[made.v] = mi_add_node(all, &row);
        if (n % 4 != 3)
            last = made;
    }
}

static void add_tasks(struct mi_model *model, mi_source_id source, uint64_t count)
{
    struct mi_batch *all = &model->all;
    mi_track_id tracks[STREAMS];
    int64_t at_ns[STREAMS] = {0};
    uint64_t seed = 1;
    for (uint32_t s = 0; s < STREAMS; s++)
        tracks[s] = mi_add_track(all, &(struct mi_track_row){.source = source,
                                                             .kind = MI_TRACK_STREAM,
                                                             .rank = -1,
                                                             .process = -1,
                                                             .native_id = s});
    for (uint32_t k = 0; k < KERNELS; k++)
        mi_add_kernel(all, &(struct mi_kernel_row){
                               .source = source,
                               .name = mi_batch_printf(all, "te_matmul_%u_kernel0", k),
                               .node_index = -1,
                               .kind = MI_TASK_COMPUTE,
                               .category = (uint8_t)(1 + k % (mi_enum_size(MI_E_category) - 1)),
                               .model = -1});
    for (uint64_t t = 0; t < count; t++) {
        uint32_t s = (uint32_t)(next_random(&seed) % STREAMS);
        int64_t dur_ns = 1 + (int64_t)(next_random(&seed) % STEP_NS);
        mi_add_task(all,
                    &(struct mi_task_row){.track = tracks[s],
                                          .kernel = {1 + (uint32_t)(next_random(&seed) % KERNELS)},
                                          .native_id = (int64_t)t,
                                          .connection = MI_NO_CONNECTION,
                                          .start_raw = at_ns[s],
                                          .start_ns = at_ns[s],
                                          .dur_ns = dur_ns,
                                          .record_offset = -1});
        at_ns[s] += dur_ns + (int64_t)(next_random(&seed) % STEP_NS);
    }
}

/* --- questions --- */

struct question {
    struct mi_site *site;
    const char *path, *query; /* the value of "q" */
    char body[160];
    uint64_t reply_bytes; /* as sent: packed */
};

static const char *query_of(const struct mi_request *request, const char *name)
{
    const struct question *question = request->transport;
    return strcmp(name, "q") == 0 ? question->query : NULL;
}

/* The bytes of the answer as they are, or packed as the server sends them. */
static uint64_t ask(const struct question *question, bool is_packed)
{
    struct mi_request request = {.is_post = !question->query,
                                 .path = question->path,
                                 .body = mi_cstr(question->body),
                                 .query = query_of,
                                 .transport = (void *)(uintptr_t)question};
    struct mi_reply reply = {.status = 200, .media = "application/json"};
    struct mi_sink packed;
    mi_sink_init_memory(&reply.body);
    mi_sink_init_memory(&packed);
    mi_answer(question->site, &request, request.is_post ? "POST" : "GET", &reply);
    if (reply.status != 200 ||
        (is_packed && !mi_gzip_pack(&packed, mi_sink_bytes(&reply.body), MI_GZIP_FAST, NULL)))
        abort();
    uint64_t bytes = mi_sink_size(is_packed ? &packed : &reply.body);
    mi_sink_fini(&packed);
    mi_sink_fini(&reply.body);
    return bytes;
}

struct questions {
    struct question list[WINDOWS];
    uint32_t count;
};

static uint64_t run_questions(void *context)
{
    const struct questions *all = context;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < all->count; i++)
        bytes += ask(&all->list[i], false);
    return bytes;
}

static double most_packed(const struct questions *all)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        uint64_t bytes = ask(&all->list[i], true);
        most = bytes > most ? bytes : most;
    }
    return (double)most / 1000;
}

static void add_window(struct questions *all, struct mi_site *site, int64_t from_ns, int64_t to_ns)
{
    struct question *q = &all->list[all->count++];
    *q = (struct question){.site = site, .path = "/api/v1/slices"};
    int64_t step_ns = (to_ns - from_ns) / WIDTH;
    snprintf(q->body, sizeof q->body, "{\"from_ns\":%lld,\"to_ns\":%lld,\"step_ns\":%lld}",
             (long long)from_ns, (long long)to_ns, (long long)(step_ns ? step_ns : 1));
}

/* Milliseconds of processor time per question; negative: not measured. */
static double each_ms(const struct bench_row *row, const struct questions *all)
{
    return row->is_ok && row->rounds ? row->cpu_seconds * 1000 / all->count : -1;
}

static void bench_search(struct bench *bench, struct mi_site *site)
{
    static const char *const texts[] = {"m",       "matmul",         "layers.77",
                                        "softmax", "block.99/Cast",  "xyz",
                                        "op:cast", "layers.5 op:add"};
    double most_ms = -1;
    bench_group(bench, "search, 1,000,000 names");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct questions one = {.count = 1};
        one.list[0] = (struct question){.site = site, .path = "/api/v1/search", .query = texts[i]};
        double ms = each_ms(bench_run(bench, texts[i], run_questions, &one, 0), &one);
        most_ms = ms > most_ms ? ms : most_ms;
    }
    bench_goal(bench, "the slowest search over 1,000,000 names", most_ms, BENCH_AT_MOST, 30,
               "cpu ms");
}

static void bench_timeline(struct bench *bench, uint64_t tasks)
{
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    mi_source_id source = begin_model(&model);
    add_tasks(&model, source, tasks);
    add_nodes(&model, source, NAMES);
    end_model(&model);
    struct mi_site *site = mi_site_new(&model, &err);
    check(site != NULL, &err);
    int64_t end_ns = (int64_t)(tasks / STREAMS) * STEP_NS;
    bench_group(bench, "timeline");

    struct questions full = {.count = 0}, windows = {.count = 0};
    add_window(&full, site, 0, end_ns);
    ask(&full.list[0], false); /* lanes are made once; what follows is measured without it */
    const struct bench_row *row = bench_run(bench, "full width, 32 rows", run_questions, &full, 0);
    bench_goal(bench, "all tasks at full width, 32 rows", each_ms(row, &full), BENCH_AT_MOST, 60,
               "cpu ms");
    bench_goal(bench, "... its answer", most_packed(&full), BENCH_AT_MOST, 200, "KB");
    for (uint32_t i = 0; i < WINDOWS; i++) { /* from a thousandth to a third of all */
        int64_t width_ns = end_ns / 1000 << (i % 9);
        add_window(&windows, site, end_ns / WINDOWS / 2 * i, end_ns / WINDOWS / 2 * i + width_ns);
    }
    row = bench_run(bench, "windows of all widths", run_questions, &windows, 0);
    bench_goal(bench, "a window of the timeline", each_ms(row, &windows), BENCH_AT_MOST, 30,
               "cpu ms");
    bench_goal(bench, "... its largest answer", most_packed(&windows), BENCH_AT_MOST, 200, "KB");

    bench_search(bench, site);
    mi_site_free(site);
    mi_model_fini(&model);
}

static void bench_drawing(struct bench *bench)
{
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    add_nodes(&model, begin_model(&model), BOXES);
    end_model(&model);
    struct mi_site *site = mi_site_new(&model, &err);
    check(site != NULL, &err);
    struct questions all = {.count = 1};
    all.list[0] = (struct question){.site = site, .path = "/api/v1/layout"};
    snprintf(all.list[0].body, sizeof all.list[0].body,
             "{\"layer\":\"framework\",\"fold\":\"none\",\"depth\":9}");
    bench_group(bench, "drawing");
    const struct bench_row *row = bench_run(bench, "20,000 boxes", run_questions, &all, 0);
    bench_goal(bench, "a drawing of 20,000 boxes, with its outline", each_ms(row, &all),
               BENCH_AT_MOST, 100, "cpu ms");
    mi_site_free(site);
    mi_model_fini(&model);
}

/* --- from the files to the first picture, and to the waits --- */

static struct mi_session *load(const char *folder)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session = mi_session_new(&(struct mi_session_options){.jobs = 2}, &err);
    check(session != NULL, &err);
    check(mi_session_add(session, folder, &err) && mi_session_load(session, &err), &err);
    return session;
}

/* What the page asks for first. */
static uint64_t run_open(void *context)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session = load(context);
    struct mi_site *site = mi_site_new(mi_session_model(session), &err);
    check(site != NULL, &err);
    struct questions first = {.count = 0};
    first.list[first.count++] =
        (struct question){.site = site, .path = "/api/v1/capture", .query = ""};
    first.list[first.count] = (struct question){.site = site, .path = "/api/v1/layout"};
    snprintf(first.list[first.count++].body, sizeof first.list[0].body, "{\"layer\":\"compiled\"}");
    add_window(&first, site, 0, INT64_C(10) * 1000 * MILLION);
    uint64_t bytes = run_questions(&first);
    mi_site_free(site);
    mi_session_free(session);
    return bytes;
}

static uint64_t run_waits(void *context)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_report report;
    struct mi_args args = {0};
    mi_report_init(&report);
    check(mi_session_report(context, "waits", &args, &report, &err), &err);
    uint64_t rows = report.table_count ? report.tables[0].row_count : 0;
    mi_report_fini(&report);
    return rows;
}

static void bench_opening(struct bench *bench, uint32_t nodes, uint64_t tasks, double most_seconds,
                          bool with_waits)
{
    const char *folder = bench_folder();
    char text[96];
    struct trace *trace = trace_new(&(struct trace_plan){.tasks = tasks, .nodes = nodes});
    trace_write_om(trace, bench_path(folder, "model.om"));
    trace_write_db(trace, bench_path(folder, "msprof_20250109084924.db"));
    trace_free(trace);
    char *input = strdup(folder);
    if (!input)
        abort();
    bench_group(bench,
                with_waits ? "100,000 nodes, 2,000,000 tasks" : "10,000 nodes, 200,000 tasks");
    const struct bench_row *row = bench_run(bench, "files to first picture", run_open, input, 0);
    snprintf(text, sizeof text, "%u nodes and %llu tasks: files to first picture", nodes,
             (unsigned long long)tasks);
    bench_goal(bench, text, row->is_ok && row->rounds ? row->cpu_seconds : -1, BENCH_AT_MOST,
               most_seconds, "cpu s");
    if (with_waits) {
        struct mi_session *session = load(input);
        row = bench_run(bench, "waits", run_waits, session, 0);
        bench_goal(bench, "... waits, once it is read",
                   row->is_ok && row->rounds ? row->cpu_seconds : -1, BENCH_AT_MOST, 3, "cpu s");
        mi_session_free(session);
    }
    free(input);
    bench_remove_folder(folder);
}

/* --- sizes --- */

static double size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size : -1;
}

static void bench_program_itself(struct bench *bench)
{
    const char *folder = bench_folder(), *stripped = bench_path(folder, "stripped");
    const char *output = bench_path(folder, "output.txt");
    const char *const version[] = {PROGRAM, "--version", NULL};
    const char *const strip[] = {"/usr/bin/strip", "-o", stripped, PROGRAM, NULL};
    double page_bytes = 0;
    bench_group(bench, "program");
    const struct bench_row *row = bench_program(bench, "--version", version, output, 0);
    bench_goal(bench, "inspector-cli --version",
               row->is_ok && row->rounds ? row->cpu_seconds * 1000 : -1, BENCH_AT_MOST, 10,
               "cpu ms");
    bench_program(bench, "strip", strip, output, 0);
    bench_goal(bench, "the program, stripped", size_of(stripped) / MILLION, BENCH_AT_MOST, 3, "MB");
    for (const struct mi_asset *asset = mi_assets; asset->path; asset++)
        if (asset->path[0] == '/')
            page_bytes += (double)(asset->end - asset->begin);
    bench_goal(bench, "the page, packed", page_bytes / 1000, BENCH_AT_MOST, 150, "KB");
    bench_remove_folder(folder);
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "answers", argc, argv);
    bench_timeline(&bench, bench.size_bytes ? bench.size_bytes : UINT64_C(10) * MILLION);
    bench_drawing(&bench);
    bench_opening(&bench, 10000, 200000, 0.5, false);
    bench_opening(&bench, 100000, 2000000, 3, true);
    bench_program_itself(&bench);
    return bench_report(&bench);
}
