/* Reading one event. */
#include "parse/formats/chrome/chrome_event.h"
#include "base/decimal.h"

#include <stddef.h>

/* Times beyond this are nonsense (the year 2116); differences and sums of two fit. */
#define MAX_NS (INT64_MAX / 2)

enum outer_key {
    KEY_OTHER,
    KEY_PH,
    KEY_NAME,
    KEY_CAT,
    KEY_TS,
    KEY_DUR,
    KEY_PID,
    KEY_TID,
    KEY_ARGS,
    KEY_ID,
    KEY_ID2,
    KEY_SCOPE,
    KEY_BP,
};

struct key {
    const char *text;
    uint8_t len, value;
};

#define KEY(text, value)                                                                           \
    {                                                                                              \
        text, sizeof(text) - 1, value                                                              \
    }

static const struct key outer_keys[] = {
    KEY("ph", KEY_PH),      KEY("name", KEY_NAME), KEY("cat", KEY_CAT), KEY("ts", KEY_TS),
    KEY("dur", KEY_DUR),    KEY("pid", KEY_PID),   KEY("tid", KEY_TID), KEY("args", KEY_ARGS),
    KEY("id", KEY_ID),      KEY("id2", KEY_ID2),   KEY("bp", KEY_BP),   KEY("bind_id", KEY_ID),
    KEY("scope", KEY_SCOPE)};

/* value: mi_chrome_arg + 1 */
#define ARG(text, arg) KEY(text, MI_CHROME_ARG_##arg + 1)

static const struct key inner_keys[] = {ARG("name", NAME),
                                        ARG("labels", LABELS),
                                        ARG("sort_index", SORT),
                                        ARG("Task Type", TASK_TYPE),
                                        ARG("Model Id", MODEL),
                                        ARG("Physic Stream Id", STREAM),
                                        ARG("Stream Id", STREAM),
                                        ARG("stream", STREAM),
                                        ARG("Task Id", TASK),
                                        ARG("Subtask Id", SUBTASK),
                                        ARG("connection_id", CONNECTION),
                                        ARG("level", LEVEL),
                                        ARG("item_id", ITEM),
                                        ARG("alg_type", ALGORITHM),
                                        ARG("model id", MODEL),
                                        ARG("task type", PLANE_TYPE),
                                        ARG("stream id", PLANE_STREAM),
                                        ARG("task id", PLANE_TASK),
                                        ARG("context id", PLANE_CONTEXT),
                                        ARG("Iteration ID", ITERATION),
                                        ARG("correlation_id", QUEUE),
                                        ARG("correlation", CORRELATION),
                                        ARG("External id", EXTERNAL),
                                        ARG("external id", EXTERNAL),
                                        ARG("device", DEVICE)};

static bool is_key(const struct key *key, struct mi_bytes text)
{
    return key->len == text.len && memcmp(key->text, text.at, text.len) == 0;
}

/* The value of a key; 0 = it is not in the list. */
static unsigned find_key(struct mi_chrome_guess *guess, const struct key *keys, size_t count,
                         const struct mi_json_string *found)
{
    unsigned place = guess->at++ % (sizeof guess->key / sizeof *guess->key);
    unsigned guessed = guess->key[place];
    if (guessed < count && is_key(&keys[guessed], found->raw))
        return keys[guessed].value;
    for (unsigned k = 0; k < count; k++)
        if (mi_json_string_is(*found,
                              (struct mi_bytes){(const uint8_t *)keys[k].text, keys[k].len})) {
            guess->key[place] = (uint8_t)k;
            return keys[k].value;
        }
    return 0;
}

/* A string or number as text; any other value is stepped over and gives nothing. */
static bool read_scalar(struct mi_json *js, struct mi_json_string *out)
{
    struct mi_json_number number;
    *out = (struct mi_json_string){0};
    enum mi_json_type type = mi_json_peek(js);
    if (type == MI_JSON_STRING)
        return mi_json_string(js, out);
    if (type != MI_JSON_NUMBER)
        return mi_json_skip(js, NULL);
    if (!mi_json_number(js, &number))
        return false;
    out->raw = number.text;
    return true;
}

static bool read_text(struct mi_json *js, struct mi_bytes *out)
{
    struct mi_json_string text;
    bool ok = read_scalar(js, &text);
    *out = text.raw;
    return ok;
}

static void read_time(struct mi_json *js, struct mi_chrome_event *event)
{
    unsigned flags = 0;
    enum mi_json_type type = mi_json_peek(js);
    event->flags |= MI_CHROME_HAS_TS;
    if (type != MI_JSON_STRING && type != MI_JSON_NUMBER)
        flags = MI_DECIMAL_BAD, mi_json_skip(js, NULL);
    else
        mi_json_scaled(js, 3, &event->ts_ns, &flags);
    if (flags & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW) || event->ts_ns > MAX_NS ||
        event->ts_ns < -MAX_NS)
        event->flags |= MI_CHROME_BAD_TS;
    if (flags & MI_DECIMAL_LOSS)
        event->flags |= MI_CHROME_ROUNDED;
}

/* Durations have parts of a nanosecond as a rule: what the device counts are ticks. */
static void read_duration(struct mi_json *js, struct mi_chrome_event *event)
{
    unsigned flags = 0;
    enum mi_json_type type = mi_json_peek(js);
    event->flags |= MI_CHROME_HAS_DUR;
    if (type != MI_JSON_STRING && type != MI_JSON_NUMBER)
        flags = MI_DECIMAL_BAD, mi_json_skip(js, NULL);
    else
        mi_json_scaled(js, 3, &event->dur_ns, &flags);
    if (flags & MI_DECIMAL_BAD)
        event->flags |= MI_CHROME_BAD_DUR;
    else if (flags & MI_DECIMAL_OVERFLOW || event->dur_ns > MAX_NS)
        event->flags |= event->dur_ns > 0 ? MI_CHROME_ENDLESS : 0;
}

/* {"local": id} or {"global": id} */
static void read_id2(struct mi_json *js, struct mi_chrome_event *event)
{
    struct mi_json_string key;
    if (mi_json_peek(js) != MI_JSON_OBJECT) {
        mi_json_skip(js, NULL);
        return;
    }
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        event->id_is_local = mi_json_string_is(key, MI_LIT("local"));
        read_text(js, &event->id);
    }
}

static void read_args(struct mi_chrome_scan *scan, struct mi_chrome_event *event)
{
    struct mi_json *js = &scan->js;
    struct mi_json_string key;
    event->args_given = 0;
    if (mi_json_peek(js) != MI_JSON_OBJECT) {
        mi_json_skip(js, NULL);
        return;
    }
    mi_json_begin_object(js);
    size_t start = mi_json_offset(js) - 1;
    scan->inner.at = 0;
    while (mi_json_next_key(js, &key)) {
        unsigned arg =
            find_key(&scan->inner, inner_keys, sizeof inner_keys / sizeof *inner_keys, &key);
        if (!arg)
            continue;
        if (event->args_given >> (arg - 1) & 1)
            event->flags |= MI_CHROME_KEY_TWICE;
        event->args_given |= UINT32_C(1) << (arg - 1);
        read_scalar(js, &event->arg[arg - 1]);
    }
    event->args = (struct mi_bytes){js->begin + start, mi_json_offset(js) - start};
}

static void read_field(struct mi_chrome_scan *scan, struct mi_chrome_event *event, unsigned key)
{
    struct mi_json *js = &scan->js;
    struct mi_bytes text;
    switch (key) {
    case KEY_PH:
        if (read_text(js, &text))
            event->phase = text.len == 1 ? (char)*text.at : '?';
        break;
    case KEY_NAME:
        read_scalar(js, &event->name);
        break;
    case KEY_CAT:
        read_scalar(js, &event->category);
        break;
    case KEY_TS:
        read_time(js, event);
        break;
    case KEY_DUR:
        read_duration(js, event);
        break;
    case KEY_PID:
        read_text(js, &event->pid);
        break;
    case KEY_TID:
        read_text(js, &event->tid);
        break;
    case KEY_ARGS:
        read_args(scan, event);
        break;
    case KEY_ID:
        read_text(js, &event->id);
        break;
    case KEY_ID2:
        read_id2(js, event);
        break;
    case KEY_SCOPE:
        read_text(js, &event->scope);
        break;
    case KEY_BP:
        if (read_text(js, &text) && mi_bytes_equal(text, MI_LIT("e")))
            event->flags |= MI_CHROME_BINDS_HERE;
        break;
    default:
        break;
    }
}

void mi_chrome_scan_init(struct mi_chrome_scan *scan, struct mi_bytes bytes)
{
    struct mi_json_options options = {
        .allow_trailing_comma = true, .allow_control = true, .allow_non_finite = true};
    *scan = (struct mi_chrome_scan){0};
    mi_json_init(&scan->js, bytes, &options);
}

/* All but arg[], which args_given tells of. */
static void clear(struct mi_chrome_event *event)
{
    memset(event, 0, offsetof(struct mi_chrome_event, arg));
}

bool mi_chrome_event_read(struct mi_chrome_scan *scan, struct mi_chrome_event *event)
{
    struct mi_json *js = &scan->js;
    struct mi_json_string key;
    uint32_t seen = 0;
    clear(event);
    if (mi_json_peek(js) != MI_JSON_OBJECT) {
        event->at = mi_json_offset(js);
        return mi_json_skip(js, NULL);
    }
    mi_json_begin_object(js);
    event->at = mi_json_offset(js) - 1;
    scan->outer.at = 0;
    while (mi_json_next_key(js, &key)) {
        unsigned found =
            find_key(&scan->outer, outer_keys, sizeof outer_keys / sizeof *outer_keys, &key);
        if (found && seen >> found & 1)
            event->flags |= MI_CHROME_KEY_TWICE;
        seen |= UINT32_C(1) << found;
        read_field(scan, event, found);
    }
    event->size = mi_json_offset(js) - event->at;
    return !mi_json_failed(js);
}

bool mi_chrome_number(struct mi_bytes text, int64_t *number)
{
    size_t i = 0;
    while (i < text.len && i < 18 && text.at[i] >= '0' && text.at[i] <= '9')
        i++;
    if (i && i == text.len) {
        *number = (int64_t)mi_decimal_digits(text.at, text.len);
        return true;
    }
    return mi_decimal_i64(text, number) == 0;
}

int64_t mi_chrome_arg_number(const struct mi_chrome_event *event, enum mi_chrome_arg arg,
                             int64_t otherwise)
{
    int64_t number;
    if (!mi_chrome_has_arg(event, arg) || !mi_chrome_number(event->arg[arg].raw, &number) ||
        number < 0 || number > INT64_C(1) << 53)
        return otherwise;
    return number;
}
