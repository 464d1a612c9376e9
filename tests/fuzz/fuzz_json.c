/* JSON scanner: any bytes, vector and scalar code alike, with each combination of options. The
 * first byte chooses the options. */
#include "base/json_scan.h"
#include "fuzz.h"

/* The value that comes next, containers excepted; 0 where a container was opened. */
static uint64_t read_scalar(struct mi_json *js, uint64_t sum)
{
    struct mi_json_string string;
    struct mi_json_number number;
    bool truth;
    int64_t scaled;
    unsigned flags;
    switch (mi_json_peek(js)) {
    case MI_JSON_STRING:
        if (mi_json_string(js, &string)) {
            uint8_t *text = malloc(string.raw.len + 1);
            must(text);
            size_t len = mi_json_unescape(string.raw, text);
            must(len <= string.raw.len);
            sum = mix(mix(sum, string.raw), (struct mi_bytes){text, len});
            free(text);
        }
        return sum;
    case MI_JSON_NUMBER:
        if (sum & 1) {
            if (mi_json_scaled(js, 3, &scaled, &flags))
                sum = mix_number(sum, (uint64_t)scaled + flags);
        } else if (mi_json_number(js, &number)) {
            sum = mix(sum, number.text) + number.is_integer;
        }
        return sum;
    case MI_JSON_BOOL:
        if (mi_json_bool(js, &truth))
            sum = mix_number(sum, truth);
        return sum;
    case MI_JSON_OBJECT:
    case MI_JSON_ARRAY:
    case MI_JSON_NULL:
    case MI_JSON_NONE:
        break;
    }
    mi_json_null(js);
    return sum + 1;
}

/* Walks all values; a mix of everything that was seen. Now and then a value is left to be skipped.
 */
static uint64_t walk(struct mi_json *js)
{
    uint64_t sum = 0;
    bool is_object[MI_JSON_DEPTH_MOST + 1];
    uint32_t open = 0;
    struct mi_json_string key = {0};
    bool has_value = true;
    for (;;) {
        if (has_value && sum % 7 != 3) {
            enum mi_json_type type = mi_json_peek(js);
            if (type == MI_JSON_OBJECT ? mi_json_begin_object(js)
                                       : type == MI_JSON_ARRAY && mi_json_begin_array(js))
                is_object[open++] = type == MI_JSON_OBJECT;
            else
                sum = read_scalar(js, sum);
        } else if (has_value && open == 0) {
            struct mi_bytes raw = {0};
            mi_json_skip(js, &raw);
            sum = mix(sum, raw);
        }
        must(mi_json_depth(js) == open || mi_json_failed(js));
        if (open == 0)
            break;
        has_value = is_object[open - 1] ? mi_json_next_key(js, &key) : mi_json_next_item(js);
        if (has_value && is_object[open - 1])
            sum = mix(sum, key.raw);
        if (!has_value) {
            if (mi_json_failed(js))
                break;
            open--;
        }
    }
    mi_json_done(js);
    sum = mix_number(sum, js->error.code);
    sum = mix_number(sum, js->error.offset);
    return mix_number(sum, js->error.line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct mi_json_options options = {
        .allow_trailing_comma = data[0] & 1,
        .allow_control = data[0] & 2,
        .allow_non_finite = data[0] & 4,
        .depth_limit = data[0] & 8 ? 3 : 0,
    };
    struct mi_bytes input = {data + 1, size - 1};
    struct mi_json js;
    mi_json_init(&js, input, &options);
    uint64_t vector = walk(&js);
    options.force_scalar = true;
    mi_json_init(&js, input, &options);
    must(walk(&js) == vector);

    /* Back to life line by line, as a reader of broken profiles does. */
    for (size_t at = 0, steps = 0; at < input.len && steps < 100; steps++) {
        mi_json_seek(&js, at, 0);
        mi_json_skip(&js, NULL);
        must(mi_json_offset(&js) <= input.len);
        at = mi_json_next_line(&js, at);
    }
    return 0;
}
