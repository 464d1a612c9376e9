#include "parse/formats/ort/ort_profile_event.h"

#include "base/decimal.h"

/* ORT's own layout, on which the recovery of names rests. */
#define EVENT_START MI_LIT("{\"cat\" :")
#define NAME_END    MI_LIT("\",\"args\" :")

void mi_ort_scan_init(struct mi_ort_scan *scan, struct mi_bytes input, struct mi_bytes first_event)
{
    /* models with sequence inputs leave a comma before the bracket of the shape lists */
    struct mi_json_options options = {.allow_trailing_comma = true};
    mi_json_init(&scan->js, input, &options);
    scan->scratch = (struct mi_scratch){0};
    scan->no_name_end = NULL;
    scan->is_raw = mi_bytes_starts(first_event, EVENT_START);
}

void mi_ort_scan_fini(struct mi_ort_scan *scan)
{
    mi_scratch_fini(&scan->scratch);
}

static bool is(struct mi_json_string key, struct mi_bytes word)
{
    return mi_bytes_equal(key.raw, word);
}

/* `p` at the opening quote of a name that was not escaped. Its end is the quote in front of the
 * args: quotes before that belong to the name. The search stops where the next event starts, so
 * that a torn event costs no more than itself. NULL: no end. */
static const uint8_t *find_name_end(struct mi_ort_scan *scan, const uint8_t *p)
{
    const struct mi_json *js = &scan->js;
    const uint8_t *quote = p;
    if (scan->no_name_end && p >= scan->no_name_end)
        return NULL;
    while ((quote = memchr(quote + 1, '"', (size_t)(js->limit - quote - 1))) != NULL) {
        struct mi_bytes rest = {quote, (size_t)(js->limit - quote)};
        if (mi_bytes_starts(rest, NAME_END))
            return quote;
        if (quote[-1] == '{' && quote - 1 > p && quote[-2] == '\n')
            return NULL;
    }
    scan->no_name_end = p;
    return NULL;
}

/* The name of an event in ORT's own layout. Most names are plain and read as JSON; the others are
 * cut out by what surrounds them, and the scanner is put behind them. */
static void read_raw_name(struct mi_ort_scan *scan, struct mi_ort_event *event)
{
    struct mi_json *js = &scan->js;
    struct mi_json_string string;
    if (mi_json_peek(js) != MI_JSON_STRING)
        return;
    const uint8_t *open = memchr(js->at, '"', (size_t)(js->limit - js->at));
    if (!open)
        return;
    const uint8_t *close = find_name_end(scan, open);
    uint32_t depth = mi_json_depth(js);
    bool is_json = mi_json_string(js, &string);
    if (!close) { /* no args behind it, or torn: what JSON says holds */
        event->has_name = is_json;
        event->name = string.raw;
        return;
    }
    event->has_name = true;
    event->name = (struct mi_bytes){open + 1, (size_t)(close - open) - 1};
    if (!is_json || string.raw.len != event->name.len) {
        event->name_repaired = true;
        mi_json_seek(js, (size_t)(close + 1 - js->begin), depth);
    }
}

static void read_escaped_name(struct mi_ort_scan *scan, struct mi_ort_event *event)
{
    struct mi_json_string string;
    if (mi_json_peek(&scan->js) != MI_JSON_STRING || !mi_json_string(&scan->js, &string))
        return;
    event->has_name = mi_json_text(string, &scan->scratch, &event->name);
    event->name_is_copy = string.has_escape;
}

static enum mi_ort_category to_category(struct mi_json_string text)
{
    if (is(text, MI_LIT("Node")))
        return MI_ORT_NODE;
    if (is(text, MI_LIT("Session")))
        return MI_ORT_SESSION;
    if (is(text, MI_LIT("Kernel")))
        return MI_ORT_KERNEL;
    return is(text, MI_LIT("Api")) ? MI_ORT_API : MI_ORT_OTHER;
}

/* The raw text of a string, number or list; strings without their quotes. */
static struct mi_bytes read_raw(struct mi_json *js)
{
    struct mi_json_string string;
    struct mi_bytes raw;
    if (mi_json_peek(js) == MI_JSON_STRING)
        return mi_json_string(js, &string) ? string.raw : (struct mi_bytes){0};
    return mi_json_skip(js, &raw) ? raw : (struct mi_bytes){0};
}

static void read_arg(struct mi_json *js, struct mi_json_string key, struct mi_ort_event *event)
{
    if (is(key, MI_LIT("op_name")))
        event->op = read_raw(js);
    else if (is(key, MI_LIT("provider")))
        event->provider = read_raw(js);
    else if (is(key, MI_LIT("node_index")))
        event->node_index = read_raw(js);
    else if (is(key, MI_LIT("graph_index")) && !event->node_index.len) /* before 1.14 */
        event->node_index = read_raw(js);
    else if (is(key, MI_LIT("input_type_shape")))
        event->inputs = read_raw(js);
    else if (is(key, MI_LIT("output_type_shape")))
        event->outputs = read_raw(js);
    else if (is(key, MI_LIT("parent_name")))
        event->parent_name = read_raw(js);
    else if (is(key, MI_LIT("stream")))
        event->stream = read_raw(js);
    else
        mi_json_skip(js, NULL);
}

static void read_args(struct mi_json *js, struct mi_ort_event *event)
{
    struct mi_json_string key;
    if (mi_json_peek(js) != MI_JSON_OBJECT) {
        mi_json_skip(js, NULL);
        return;
    }
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key))
        read_arg(js, key, event);
}

static void read_member(struct mi_ort_scan *scan, struct mi_json_string key,
                        struct mi_ort_event *event)
{
    struct mi_json *js = &scan->js;
    struct mi_json_string text;
    unsigned flags = 0;
    if (is(key, MI_LIT("cat"))) {
        event->category = mi_json_string(js, &text) ? to_category(text) : MI_ORT_OTHER;
    } else if (is(key, MI_LIT("ph"))) {
        event->other_phase = mi_json_string(js, &text) && !is(text, MI_LIT("X"));
    } else if (is(key, MI_LIT("pid"))) {
        mi_json_i64(js, &event->pid, &flags);
    } else if (is(key, MI_LIT("tid"))) {
        mi_json_i64(js, &event->tid, &flags);
    } else if (is(key, MI_LIT("ts"))) {
        event->has_start = mi_json_i64(js, &event->start_us, &flags);
    } else if (is(key, MI_LIT("dur"))) {
        event->has_dur = mi_json_scaled(js, 3, &event->dur_ns, &flags);
    } else if (is(key, MI_LIT("name"))) {
        if (scan->is_raw)
            read_raw_name(scan, event);
        else
            read_escaped_name(scan, event);
    } else if (is(key, MI_LIT("args"))) {
        read_args(js, event);
    }
    event->bad_number |= flags & (MI_DECIMAL_OVERFLOW | MI_DECIMAL_BAD);
}

bool mi_ort_event_read(struct mi_ort_scan *scan, struct mi_ort_event *event)
{
    struct mi_json_string key;
    *event = (struct mi_ort_event){.pid = -1, .tid = -1};
    mi_json_begin_object(&scan->js);
    while (mi_json_next_key(&scan->js, &key))
        read_member(scan, key, event);
    return !mi_json_failed(&scan->js);
}

bool mi_ort_event_enter_args(struct mi_ort_scan *scan)
{
    struct mi_ort_event ignored = {0};
    struct mi_json_string key;
    mi_json_begin_object(&scan->js);
    while (mi_json_next_key(&scan->js, &key)) {
        if (is(key, MI_LIT("args")) && mi_json_peek(&scan->js) == MI_JSON_OBJECT)
            return mi_json_begin_object(&scan->js);
        read_member(scan, key, &ignored);
    }
    return false;
}

int64_t mi_ort_integer(struct mi_bytes text, int64_t fallback)
{
    int64_t value;
    return text.len && mi_decimal_i64(text, &value) == 0 ? value : fallback;
}
