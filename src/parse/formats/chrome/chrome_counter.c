/* Counters (C): each argument is a series of its own. The unit stands in its name, "Read(MB/s)", or
 * is its name, "MHz". Arguments that end in _id say which device part is measured. */
#include "base/decimal.h"
#include "base/hash.h"
#include "base/translate.h"
#include "parse/formats/chrome/chrome.h"

static struct mi_bytes unit_of(struct mi_bytes series)
{
    static const char *const units[] = {"MHz", "KB", "MB", "GB", "B", "mV", "W"};
    const uint8_t *open = series.len ? memchr(series.at, '(', series.len) : NULL;
    if (open && series.at[series.len - 1] == ')') {
        size_t from = (size_t)(open - series.at) + 1;
        return mi_bytes_sub(series, from, series.len - from - 1);
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (mi_bytes_equal(series, mi_cstr(units[i])))
            return series;
    return (struct mi_bytes){0};
}

/* Whether the name of the event says already what is measured. */
static bool says_nothing(struct mi_bytes series, struct mi_bytes unit)
{
    return mi_bytes_equal(series, MI_LIT("value")) || mi_bytes_equal(series, unit);
}

#define TEXT(bytes) (int)(bytes).len, (const char *)(bytes).at

/* Event, part and series, as far as they say something. */
static mi_str_id counter_name(struct mi_chrome *c, const struct mi_chrome_event *event,
                              struct mi_bytes part, struct mi_bytes series)
{
    mi_str_id id = mi_chrome_name(c, event->name);
    struct mi_bytes name = mi_batch_text(c->batch, id), unit = unit_of(series);
    if (unit.len && unit.len < series.len) /* the unit in brackets has a column of its own */
        series.len -= unit.len + 2;
    bool has_series = !says_nothing(series, unit) && !mi_bytes_ends(name, series) && series.len;
    if (has_series && part.len)
        return mi_batch_printf(c->batch, "%.*s %.*s %.*s", TEXT(name), TEXT(part), TEXT(series));
    if (has_series || part.len)
        return mi_batch_printf(c->batch, "%.*s %.*s", TEXT(name), TEXT(part.len ? part : series));
    return id;
}

/* The counter of a series: by its lane and all that names it. */
static uint32_t counter_of(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane,
                           struct mi_bytes part, struct mi_bytes series)
{
    uint64_t key = mi_hash64(event->name.raw);
    key = key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(series);
    key = key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(part);
    key = key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(event->id);
    key = key * UINT64_C(0x9e3779b97f4a7c15) + c->lanes[lane].process;
    uint32_t *place = mi_map_at(&c->counter_of, key);
    if (!place) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for counters");
        return 0;
    }
    if (*place)
        return *place;
    if (!c->host_clock.v)
        mi_chrome_thread_track(c, lane);
    return *place = mi_add_counter(
                        c->batch,
                        &(struct mi_counter_row){.name = counter_name(c, event, part, series),
                                                 .unit = mi_batch_str(c->batch, unit_of(series)),
                                                 .clock = c->host_clock,
                                                 .rank = -1,
                                                 .device = c->lanes[lane].process})
                        .v;
}

static bool is_part(struct mi_bytes key)
{
    return mi_bytes_ends(key, MI_LIT("_id"));
}

/* The value of the argument that says which part is measured; empty if there is none. */
static struct mi_bytes part_of(struct mi_bytes args)
{
    struct mi_json_options options = {.allow_control = true,
                                      .allow_non_finite = true,
                                      .allow_escape = true,
                                      .allow_trailing_comma = true};
    struct mi_json js;
    struct mi_json_string key, text;
    struct mi_json_number number;
    struct mi_bytes part = {0};
    mi_json_init(&js, args, &options);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key)) {
        if (!is_part(key.raw))
            continue;
        if (mi_json_peek(&js) == MI_JSON_NUMBER && mi_json_number(&js, &number))
            part = number.text;
        else if (mi_json_peek(&js) == MI_JSON_STRING && mi_json_string(&js, &text))
            part = text.raw;
    }
    return part;
}

static bool take_series(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane)
{
    struct mi_json_options options = {.allow_control = true,
                                      .allow_non_finite = true,
                                      .allow_escape = true,
                                      .allow_trailing_comma = true};
    struct mi_json js;
    struct mi_json_string key;
    struct mi_bytes part = part_of(event->args);
    bool has_any = false;
    mi_json_init(&js, event->args, &options);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key)) {
        enum mi_json_type type = mi_json_peek(&js);
        double value;
        unsigned flags;
        if (is_part(key.raw) || (type != MI_JSON_NUMBER && type != MI_JSON_STRING))
            continue;
        if (!mi_json_double(&js, &value, &flags) || flags & MI_DECIMAL_BAD)
            continue;
        uint32_t counter = counter_of(c, event, lane, part, key.raw);
        has_any |= mi_add_sample(c->batch, &(struct mi_sample_row){.counter = {counter},
                                                                   .at_raw = event->ts_ns,
                                                                   .value = value})
                       .v != 0;
    }
    return has_any;
}

void mi_chrome_counter(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    uint32_t lane = mi_chrome_lane_of(c, event->pid, event->tid);
    if (!lane)
        return;
    if (!(event->flags & MI_CHROME_HAS_TS) || event->flags & MI_CHROME_BAD_TS)
        mi_chrome_lose(c, "trace.no_time", N_("an event whose ts is missing or no number"));
    else if (!event->args.len || !take_series(c, event, lane))
        mi_chrome_lose(c, "trace.counter_empty", N_("a counter event without a number"));
    else
        c->batch->counts.kept++;
}

/* Until now `device` held the process. */
void mi_chrome_counters_finish(struct mi_chrome *c)
{
    struct mi_counters *counters = &c->batch->rows.counters;
    for (uint32_t row = 1; row < counters->count; row++)
        counters->device[row] = mi_chrome_device(c, (uint32_t)counters->device[row]);
}
