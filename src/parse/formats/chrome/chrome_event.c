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

static void take_time(struct mi_chrome_event *event, struct mi_bytes text)
{
    unsigned flags = mi_decimal_scaled(text, 3, &event->ts_ns);
    event->flags |= MI_CHROME_HAS_TS;
    if (flags & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW) || event->ts_ns > MAX_NS ||
        event->ts_ns < -MAX_NS)
        event->flags |= MI_CHROME_BAD_TS;
    if (flags & MI_DECIMAL_LOSS)
        event->flags |= MI_CHROME_ROUNDED;
}

/* Durations have parts of a nanosecond as a rule: what the device counts are ticks. */
static void take_duration(struct mi_chrome_event *event, struct mi_bytes text)
{
    unsigned flags = mi_decimal_scaled(text, 3, &event->dur_ns);
    event->flags |= MI_CHROME_HAS_DUR;
    if (flags & MI_DECIMAL_BAD)
        event->flags |= MI_CHROME_BAD_DUR;
    else if (flags & MI_DECIMAL_OVERFLOW || event->dur_ns > MAX_NS)
        event->flags |= event->dur_ns > 0 ? MI_CHROME_ENDLESS : 0;
}

void mi_chrome_take(struct mi_chrome_event *event, unsigned field, struct mi_bytes text,
                    bool has_escape)
{
    if (field >= MI_CHROME_FIELD_ARG) {
        event->arg[field - MI_CHROME_FIELD_ARG] = (struct mi_json_string){text, has_escape};
        return;
    }
    switch (field) {
    case KEY_PH:
        event->phase = text.len == 1 ? (char)*text.at : '?';
        break;
    case KEY_NAME:
        event->name = (struct mi_json_string){text, has_escape};
        break;
    case KEY_CAT:
        event->category = (struct mi_json_string){text, has_escape};
        break;
    case KEY_TS:
        take_time(event, text);
        break;
    case KEY_DUR:
        take_duration(event, text);
        break;
    case KEY_PID:
        event->pid = text;
        break;
    case KEY_TID:
        event->tid = text;
        break;
    case KEY_ID:
        event->id = text;
        break;
    case KEY_SCOPE:
        event->scope = text;
        break;
    case KEY_BP:
        event->flags |= mi_bytes_equal(text, MI_LIT("e")) ? MI_CHROME_BINDS_HERE : 0;
        break;
    default:
        break;
    }
}

static bool is_scalar(struct mi_json *js)
{
    enum mi_json_type type = mi_json_peek(js);
    return type == MI_JSON_STRING || type == MI_JSON_NUMBER;
}

/* {"local": id} or {"global": id} */
static void read_id2(struct mi_json *js, struct mi_chrome_event *event)
{
    struct mi_json_string key, id;
    if (mi_json_peek(js) != MI_JSON_OBJECT) {
        mi_json_skip(js, NULL);
        return;
    }
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        event->id_is_local = mi_json_string_is(key, MI_LIT("local"));
        read_scalar(js, &id);
        event->id = id.raw;
    }
}

/* A value that may be of a shape; any other than text and numbers is stepped over and gives
 * nothing. */
static void read_value(struct mi_chrome_scan *scan, struct mi_chrome_event *event, unsigned field)
{
    struct mi_json_string value;
    bool may_be = is_scalar(&scan->js);
    if (!read_scalar(&scan->js, &value))
        return;
    mi_chrome_draft_value(scan, may_be ? &value : NULL, field);
    mi_chrome_take(event, field, value.raw, value.has_escape);
}

static void read_args(struct mi_chrome_scan *scan, struct mi_chrome_event *event)
{
    struct mi_json *js = &scan->js;
    struct mi_json_string key;
    event->args_given = 0;
    if (mi_json_peek(js) != MI_JSON_OBJECT) {
        mi_chrome_draft_value(scan, NULL, 0);
        mi_json_skip(js, NULL);
        return;
    }
    mi_json_begin_object(js);
    size_t start = mi_json_offset(js) - 1;
    mi_chrome_draft_args(scan, (struct mi_bytes){js->begin + start, 0}, false);
    scan->inner.at = 0;
    while (mi_json_next_key(js, &key)) {
        unsigned arg =
            find_key(&scan->inner, inner_keys, sizeof inner_keys / sizeof *inner_keys, &key);
        if (arg && event->args_given >> (arg - 1) & 1)
            event->flags |= MI_CHROME_KEY_TWICE;
        event->args_given |= arg ? UINT32_C(1) << (arg - 1) : 0;
        read_value(scan, event, arg ? MI_CHROME_FIELD_ARG + arg - 1 : 0);
    }
    event->args = (struct mi_bytes){js->begin + start, mi_json_offset(js) - start};
    mi_chrome_draft_args(scan, event->args, true);
}

void mi_chrome_scan_init(struct mi_chrome_scan *scan, struct mi_bytes bytes)
{
    struct mi_json_options options = {.allow_trailing_comma = true,
                                      .allow_control = true,
                                      .allow_non_finite = true,
                                      .allow_escape = true};
    *scan = (struct mi_chrome_scan){0};
    mi_json_init(&scan->js, bytes, &options);
}

void mi_chrome_event_clear(struct mi_chrome_event *event)
{
    /* in pieces: of a memset() of this size compilers make one slow instruction */
    enum { PIECE = 64, ALL = offsetof(struct mi_chrome_event, arg) };
    uint8_t *at = (uint8_t *)event;
    for (size_t piece = 0; piece < ALL / PIECE; piece++, at += PIECE)
        memset(at, 0, PIECE);
    memset(at, 0, ALL % PIECE);
}

bool mi_chrome_event_read(struct mi_chrome_scan *scan, struct mi_chrome_event *event)
{
    struct mi_json *js = &scan->js;
    struct mi_json_string key;
    uint32_t seen = 0, odd = js->odd_escapes, zeroes = js->zero_bytes;
    if (mi_chrome_shape_read(scan, event))
        return true;
    mi_chrome_event_clear(event);
    if (mi_json_peek(js) != MI_JSON_OBJECT) {
        event->at = mi_json_offset(js);
        return mi_json_skip(js, NULL);
    }
    mi_json_begin_object(js);
    event->at = mi_json_offset(js) - 1;
    mi_chrome_draft_begin(scan, js->begin + event->at);
    scan->outer.at = 0;
    while (mi_json_next_key(js, &key)) {
        unsigned found =
            find_key(&scan->outer, outer_keys, sizeof outer_keys / sizeof *outer_keys, &key);
        if (found && seen >> found & 1)
            event->flags |= MI_CHROME_KEY_TWICE;
        seen |= UINT32_C(1) << found;
        if (found == KEY_ARGS) {
            read_args(scan, event);
        } else if (found == KEY_ID2) {
            mi_chrome_draft_value(scan, NULL, 0);
            read_id2(js, event);
        } else {
            read_value(scan, event, found);
        }
    }
    event->size = mi_json_offset(js) - event->at;
    event->flags |= js->odd_escapes != odd ? MI_CHROME_ODD_ESCAPE : 0;
    event->flags |= js->zero_bytes != zeroes ? MI_CHROME_ZERO_BYTES : 0;
    if (mi_json_failed(js))
        return false;
    mi_chrome_draft_end(scan, event);
    return true;
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

bool mi_chrome_arg_whole(const struct mi_chrome_event *event, enum mi_chrome_arg arg,
                         int64_t *number)
{
    if (!mi_chrome_has_arg(event, arg))
        return false;
    if (event->number_is_read >> arg & 1) {
        *number = event->number[arg];
        return true;
    }
    return mi_chrome_number(event->arg[arg].raw, number);
}

int64_t mi_chrome_arg_number(const struct mi_chrome_event *event, enum mi_chrome_arg arg,
                             int64_t otherwise)
{
    int64_t number;
    if (!mi_chrome_arg_whole(event, arg, &number) || number < 0 || number > INT64_C(1) << 53)
        return otherwise;
    return number;
}
