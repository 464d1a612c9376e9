/* Speed of the JSON and CSV scanners beside memcpy, yajl and jansson. */
#include "base/csv_scan.h"
#include "base/decimal.h"
#include "base/json_scan.h"

#include <jansson.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

#include "bench.h"
#include "generate.h"

#define SIZE_BYTES ((size_t)100 * 1000 * 1000)

struct input {
    struct mi_bytes bytes;
    uint8_t *copy;
    bool force_scalar;
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

static uint64_t run_skip(void *context)
{
    const struct input *in = context;
    const struct mi_json_options options = {.force_scalar = in->force_scalar};
    struct mi_json js;
    mi_json_init(&js, in->bytes, &options);
    mi_json_skip(&js, NULL);
    if (!mi_json_done(&js))
        abort();
    return mi_json_offset(&js);
}

/* What a reader of traces does with an event, short of storing it. */
static uint64_t read_event(struct mi_json *js)
{
    struct mi_json_string key, text;
    uint64_t sum = 0;
    int64_t value;
    unsigned flags;
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        value = 0;
        if (mi_json_string_is(key, MI_LIT("ts")) || mi_json_string_is(key, MI_LIT("dur"))) {
            mi_json_scaled(js, 3, &value, &flags);
        } else if (mi_json_string_is(key, MI_LIT("name")) ||
                   mi_json_string_is(key, MI_LIT("cat")) || mi_json_string_is(key, MI_LIT("ph"))) {
            mi_json_string(js, &text);
            value = (int64_t)text.raw.len;
        } else if (mi_json_string_is(key, MI_LIT("pid")) || mi_json_string_is(key, MI_LIT("tid"))) {
            mi_json_i64(js, &value, &flags);
        }
        sum += (uint64_t)value;
    }
    return sum;
}

static uint64_t run_events(void *context)
{
    const struct input *in = context;
    const struct mi_json_options options = {.force_scalar = in->force_scalar};
    struct mi_json js;
    struct mi_json_string key;
    uint64_t sum = 0;
    mi_json_init(&js, in->bytes, &options);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key)) {
        if (!mi_json_string_is(key, MI_LIT("traceEvents")))
            continue;
        mi_json_begin_array(&js);
        while (mi_json_next_item(&js))
            sum += read_event(&js);
    }
    if (!mi_json_done(&js))
        abort();
    return sum;
}

static int count_number(void *context, const char *text, size_t len)
{
    (void)text;
    *(uint64_t *)context += len;
    return 1;
}

static int count_text(void *context, const unsigned char *text, size_t len)
{
    (void)text;
    *(uint64_t *)context += len;
    return 1;
}

static uint64_t run_yajl(void *context)
{
    const struct input *in = context;
    const yajl_callbacks callbacks = {
        .yajl_number = count_number, .yajl_string = count_text, .yajl_map_key = count_text};
    uint64_t sum = 0;
    yajl_handle yajl = yajl_alloc(&callbacks, NULL, &sum);
    yajl_config(yajl, yajl_dont_validate_strings, 1); /* as we do: no check of UTF-8 */
    if (yajl_parse(yajl, in->bytes.at, in->bytes.len) != yajl_status_ok ||
        yajl_complete_parse(yajl) != yajl_status_ok)
        abort();
    yajl_free(yajl);
    return sum;
}

static uint64_t run_jansson(void *context)
{
    const struct input *in = context;
    json_t *root = json_loadb((const char *)in->bytes.at, in->bytes.len, 0, NULL);
    if (!root)
        abort();
    size_t size = json_array_size(json_object_get(root, "traceEvents"));
    json_decref(root);
    return size;
}

static uint64_t run_rows(void *context)
{
    const struct input *in = context;
    const struct mi_csv_options options = {.force_scalar = in->force_scalar};
    struct mi_csv csv;
    struct mi_csv_row row;
    uint64_t sum = 0;
    mi_csv_init(&csv, in->bytes, &options);
    while (mi_csv_next(&csv, &row))
        sum += row.count;
    mi_csv_fini(&csv);
    return sum;
}

static uint64_t run_rows_with_times(void *context)
{
    const struct input *in = context;
    struct mi_csv csv;
    struct mi_csv_row row;
    uint64_t sum = 0;
    int64_t start_ns, dur_ns;
    mi_csv_init(&csv, in->bytes, NULL);
    while (mi_csv_next(&csv, &row)) {
        mi_decimal_scaled(mi_csv_raw(&row, 4), 3, &start_ns);
        mi_decimal_scaled(mi_csv_raw(&row, 5), 3, &dur_ns);
        sum += (uint64_t)start_ns + (uint64_t)dur_ns;
    }
    mi_csv_fini(&csv);
    return sum;
}

int main(int argc, char **argv)
{
    struct bench bench;
    struct mi_sink sink;
    bench_init(&bench, "scan", argc, argv);
    size_t size_bytes = bench.size_bytes ? bench.size_bytes : SIZE_BYTES;
    mi_sink_init_memory(&sink);

    generate_trace(&sink, size_bytes);
    struct input fast = {.bytes = mi_sink_bytes(&sink)};
    struct input scalar = {.bytes = fast.bytes, .force_scalar = true};
    uint64_t len = fast.bytes.len;
    bench_group(&bench, "trace.json");
    bench_run(&bench, "memcpy", run_copy, &fast, len);
    bench_run(&bench, "skip: whole grammar checked", run_skip, &fast, len);
    bench_run(&bench, "skip, scalar", run_skip, &scalar, len);
    bench_run(&bench, "events: names, times, lanes", run_events, &fast, len);
    bench_run(&bench, "events, scalar", run_events, &scalar, len);
    unsigned rounds = bench.rounds;
    bench.rounds = 1; /* slow, and only yardsticks */
    bench_run(&bench, "yajl, empty callbacks", run_yajl, &fast, len);
    bench_run(&bench, "jansson, tree", run_jansson, &fast, len);
    bench.rounds = rounds;

    mi_sink_clear(&sink);
    generate_table(&sink, size_bytes);
    fast.bytes = scalar.bytes = mi_sink_bytes(&sink);
    len = fast.bytes.len;
    bench_group(&bench, "table.csv");
    bench_run(&bench, "memcpy", run_copy, &fast, len);
    bench_run(&bench, "rows and fields", run_rows, &fast, len);
    bench_run(&bench, "rows and fields, scalar", run_rows, &scalar, len);
    bench_run(&bench, "rows, two times to ns", run_rows_with_times, &fast, len);
    mi_sink_fini(&sink);
    return bench_report(&bench);
}
