#include "present/serve/time_wish.h"

#include "base/json_scan.h"
#include "base/mem.h"
#include "present/lod/flows.h"

#include <string.h>

static void read_hidden(struct mi_json *js, struct mi_time_filter *filter)
{
    struct mi_json_string word;
    mi_json_begin_array(js);
    while (mi_json_next_item(js)) {
        if (mi_json_peek(js) != MI_JSON_STRING || !mi_json_string(js, &word))
            continue;
        for (unsigned c = 0; c < mi_enum_size(MI_E_category); c++)
            if (mi_bytes_equal(word.raw, mi_cstr(mi_enum_name(MI_E_category, c))))
                filter->hidden |= 1U << c;
    }
}

static void read_kinds(struct mi_json *js, struct mi_time_wish *wish)
{
    static const char *const names[] = {[MI_ARROW_LAUNCH] = "launch", [MI_ARROW_SIGNAL] = "signal"};
    struct mi_json_string word;
    wish->kinds = 0;
    mi_json_begin_array(js);
    while (mi_json_next_item(js))
        if (mi_json_string(js, &word))
            for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
                if (mi_bytes_equal(word.raw, mi_cstr(names[k])))
                    wish->kinds |= 1U << k;
}

static void read_member(struct mi_json *js, struct mi_bytes key, struct mi_time_wish *wish)
{
    const struct {
        const char *name;
        int64_t *number;
    } numbers[] = {{"from_ns", &wish->from_ns}, {"to_ns", &wish->to_ns},
                   {"step_ns", &wish->step_ns}, {"task", &wish->task},
                   {"slice", &wish->slice},     {"most_bytes", &wish->most_bytes}};
    struct mi_json_string word;
    unsigned flags;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (mi_bytes_equal(key, mi_cstr(numbers[i].name)))
            mi_json_i64(js, numbers[i].number, &flags);
    if (mi_bytes_equal(key, MI_LIT("raw")))
        mi_json_bool(js, &wish->filter.is_raw);
    else if (mi_bytes_equal(key, MI_LIT("hidden")))
        read_hidden(js, &wish->filter);
    else if (mi_bytes_equal(key, MI_LIT("kinds")))
        read_kinds(js, wish);
    else if (mi_bytes_equal(key, MI_LIT("text")) && mi_json_string(js, &word))
        wish->filter.text = word.raw;
    else if (mi_bytes_equal(key, MI_LIT("tracks")))
        wish->has_tracks = mi_json_skip(js, &wish->tracks);
    else if (mi_bytes_equal(key, MI_LIT("tasks")))
        mi_json_skip(js, &wish->tasks);
}

bool mi_time_wish_read(struct mi_time_wish *wish, const struct mi_request *request,
                       bool wants_window, struct mi_reply *reply)
{
    struct mi_json js;
    struct mi_json_string key;
    *wish = (struct mi_time_wish){.step_ns = 1, .kinds = ~0U};
    mi_json_init(&js, request->body, NULL);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key))
        read_member(&js, key.raw, wish);
    if (!mi_json_failed(&js) && wants_window && (wish->step_ns < 1 || wish->to_ns <= wish->from_ns))
        mi_fail(&js.error, MI_EUSAGE, "a window of time wants from_ns < to_ns and step_ns >= 1");
    if (mi_json_failed(&js))
        mi_reply_failure(reply, &js.error);
    return !mi_json_failed(&js);
}

uint8_t *mi_time_wish_tracks(const struct mi_time_wish *wish, uint32_t count)
{
    uint8_t *is_wanted = mi_mem_zero(count, 1);
    struct mi_json js;
    unsigned flags;
    int64_t track;
    if (!is_wanted)
        return NULL;
    memset(is_wanted, !wish->has_tracks, count);
    mi_json_init(&js, wish->tracks, NULL);
    if (wish->has_tracks)
        mi_json_begin_array(&js);
    while (wish->has_tracks && mi_json_next_item(&js))
        if (mi_json_i64(&js, &track, &flags) && track >= 0 && track < count)
            is_wanted[track] = 1;
    return is_wanted;
}
