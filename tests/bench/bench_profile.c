/* Speed and memory of reading an ONNX Runtime profile into a merged model, beside memcpy, yajl and
 * jansson, which build no rows. The profile has the 1,000,000 events that ORT keeps at most if
 * --size-mb allows. */
#include "model/model.h"
#include "parse/reader.h"

#include <jansson.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

#include "bench.h"
#include "make_ort_profile.h"

enum { EVENT_BYTES = 600 };

struct input {
    struct mi_bytes bytes;
    uint8_t *copy;
};

static uint64_t run_copy(void *context)
{
    struct input *in = context;
    if (!in->copy)
        in->copy = malloc(in->bytes.len);
    if (!in->copy)
        abort();
    memcpy(in->copy, in->bytes.at, in->bytes.len);
    return in->copy[in->bytes.len / 2];
}

/* Everything up to the merged model, with all rows. */
static uint64_t run_reader(void *context)
{
    const struct input *in = context;
    struct mi_source src = {.path = "profile.json", .bytes = in->bytes, .role = ""};
    struct mi_model model;
    struct mi_batch batch;
    if (!mi_model_init(&model, NULL) || !mi_batch_init(&batch, in->bytes, NULL))
        abort();
    mi_source_id id = mi_model_add_source(&model, &(struct mi_source_row){0}, in->bytes, NULL);
    if (!mi_reader_ort_profile.read(&src, &batch, NULL) ||
        !mi_model_merge(&model, id, &batch, NULL))
        abort();
    uint64_t rows = model.all.rows.tasks.count - 1 + model.all.rows.slices.count - 1;
    mi_model_fini(&model);
    return rows;
}

static int count_event(void *context)
{
    ++*(uint64_t *)context;
    return 1;
}

static uint64_t run_yajl(void *context)
{
    const struct input *in = context;
    const yajl_callbacks callbacks = {.yajl_end_map = count_event};
    uint64_t maps = 0;
    yajl_handle yajl = yajl_alloc(&callbacks, NULL, &maps);
    yajl_config(yajl, yajl_dont_validate_strings, 1); /* as we do: no check of UTF-8 */
    if (yajl_parse(yajl, in->bytes.at, in->bytes.len) != yajl_status_ok ||
        yajl_complete_parse(yajl) != yajl_status_ok)
        abort();
    yajl_free(yajl);
    return maps;
}

static uint64_t run_jansson(void *context)
{
    const struct input *in = context;
    json_t *root = json_loadb((const char *)in->bytes.at, in->bytes.len, 0, NULL);
    if (!root)
        abort();
    size_t size = json_array_size(root);
    json_decref(root);
    return size;
}

static void compare(struct bench *bench, const char *group, struct mi_make_ort_profile plan)
{
    struct mi_sink sink;
    size_t events = bench->size_bytes / EVENT_BYTES;
    plan.event_count = events < 1000000 ? (uint32_t)events : 1000000;
    mi_sink_init_memory(&sink);
    mi_make_ort_profile(&sink, &plan);
    struct input input = {.bytes = mi_sink_bytes(&sink)};
    bench_group(bench, group);
    bench_run(bench, "memcpy", run_copy, &input, input.bytes.len);
    bench_run(bench, "reader, rows in a model", run_reader, &input, input.bytes.len);
    bench_run(bench, "yajl, one callback", run_yajl, &input, input.bytes.len);
    bench_run(bench, "jansson, tree", run_jansson, &input, input.bytes.len);
    mi_sink_fini(&sink);
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, argc, argv);
    compare(&bench, "profile.json", (struct mi_make_ort_profile){.nodes_per_run = 112});
    compare(&bench, "profile with a loop",
            (struct mi_make_ort_profile){.nodes_per_run = 40, .loop_turns = 5});
    return bench_report(&bench);
}
