/* Where the list of events is no JSON: what is broken is counted, and reading goes on at the next
 * event, wherever that begins: a quote or a bracket that is missing lets an event swallow the
 * events behind it. */
#include "base/translate.h"
#include "parse/formats/chrome/chrome.h"

/* Fewer bytes hold no event, not even a part that names its phase. */
enum { LEAST_EVENT = 8 };

/* A brace, a quote behind it. */
static bool is_event_at(struct mi_bytes all, size_t p)
{
    if (p >= all.len || all.at[p] != '{')
        return false;
    for (p++; p < all.len && all.at[p] <= ' ';)
        p++;
    return p < all.len && all.at[p] == '"';
}

static size_t blanks_before(struct mi_bytes all, size_t p)
{
    while (p && all.at[p - 1] <= ' ' && all.at[p - 1])
        p--;
    return p;
}

/* Whether the object at `p` is the value of a key: a quote and a colon stand in front of it. */
static bool is_value(struct mi_bytes all, size_t p)
{
    p = blanks_before(all, p);
    if (!p || all.at[p - 1] != ':')
        return false;
    p = blanks_before(all, p - 1);
    return p && all.at[p - 1] == '"';
}

bool mi_chrome_is_event(struct mi_chrome *c, size_t p)
{
    struct mi_json *js = &c->scan.js;
    struct mi_json_string key;
    mi_json_seek(js, p, c->list_depth);
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        if (mi_json_string_is(key, MI_LIT("ph")))
            return true;
        if (mi_json_string_is(key, MI_LIT("traceEvents")))
            return false; /* a file of its own, which may be large */
    }
    return false;
}

size_t mi_chrome_next_event(struct mi_chrome *c, size_t from, size_t to)
{
    struct mi_bytes all = mi_bytes_sub(c->src->bytes, 0, to);
    for (size_t p = from; p < all.len; p++) {
        const uint8_t *at = memchr(all.at + p, '{', all.len - p);
        if (!at)
            break;
        p = (size_t)(at - all.at);
        if (is_event_at(all, p) && (p == from || !is_value(all, p)) && mi_chrome_is_event(c, p))
            return p;
    }
    return SIZE_MAX;
}

/* How many events have left something in a stretch of broken text: each has its keys once. */
static int64_t events_within(struct mi_bytes text)
{
    static const char *const keys[] = {"\"ph\"", "\"ts\"", "\"pid\""};
    int64_t counts[sizeof keys / sizeof *keys] = {0}, most = 0;
    for (size_t p = 0; p < text.len; p++) {
        const uint8_t *at = memchr(text.at + p, '"', text.len - p);
        if (!at)
            break;
        p = (size_t)(at - text.at);
        struct mi_bytes rest = mi_bytes_sub(text, p, text.len);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            counts[k] += mi_bytes_starts(rest, mi_cstr(keys[k]));
            most = counts[k] > most ? counts[k] : most;
        }
    }
    return most;
}

void mi_chrome_note_at(struct mi_chrome *c, size_t at, enum mi_severity severity, const char *code,
                       const char *text)
{
    c->event_at = at;
    mi_chrome_note(c, severity, code, text);
}

static void note_comma(struct mi_chrome *c, size_t at)
{
    mi_chrome_note_at(c, at, MI_NOTICE, "trace.comma",
                      N_("a comma between two events is missing or one too many"));
}

static void note_between(struct mi_chrome *c, size_t at)
{
    mi_chrome_note_at(c, at, MI_NOTICE, "trace.between",
                      N_("something that is no event stands between two events"));
}

static void note_unclosed(struct mi_chrome *c, size_t at)
{
    mi_chrome_note_at(c, at, MI_NOTICE, "trace.unclosed_list",
                      N_("the list of events is not closed: later events may be missing"));
}

static void lose(struct mi_chrome *c, size_t at, int64_t count, const char *code, const char *text)
{
    for (int64_t i = 0; i < count; i++) {
        c->event_at = at;
        mi_chrome_lose(c, code, text);
    }
}

/* From `from` to the next event, or to the end. */
static struct mi_bytes skipped(const struct mi_chrome *c, size_t from, size_t next)
{
    return mi_bytes_sub(c->src->bytes, from, next == SIZE_MAX ? c->src->bytes.len : next - from);
}

static bool has_hole(struct mi_bytes text)
{
    return text.len && memchr(text.at, 0, text.len);
}

static void lose_text(struct mi_chrome *c, size_t at, struct mi_bytes text, int64_t count)
{
    if (has_hole(text))
        lose(c, at, count, "trace.zero_bytes",
             N_("zero bytes within an event: a part of the file is gone, how many events with it "
                "is not known"));
    else
        lose(c, at, count, "trace.event_broken", N_("an event that is no JSON"));
}

bool mi_chrome_lose_between(struct mi_chrome *c, size_t from, size_t next)
{
    struct mi_bytes text = skipped(c, from, next);
    int64_t count = events_within(text);
    count += count == 0 && has_hole(text) && text.len >= LEAST_EVENT;
    c->batch->counts.in += count;
    lose_text(c, from, text, count);
    return count > 0;
}

bool mi_chrome_mend_nested(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    struct mi_json behind = c->scan.js;
    size_t next = mi_chrome_next_event(c, event->at + 1, mi_json_offset(&behind));
    if (next == SIZE_MAX) {
        c->scan.js = behind;
        return false;
    }
    c->batch->counts.in--;
    note_between(c, event->at);
    return mi_json_seek(&c->scan.js, next, c->list_depth);
}

bool mi_chrome_mend_event(struct mi_chrome *c, size_t start)
{
    struct mi_json *js = &c->scan.js;
    bool is_torn = js->error.code == MI_ETRUNCATED && mi_json_offset(js) >= c->src->bytes.len;
    size_t next = mi_chrome_next_event(c, start + 1, SIZE_MAX);
    struct mi_bytes text = skipped(c, start, next);
    int64_t count = events_within(text);
    count += count == 0;
    c->batch->counts.in += count - 1;
    c->broken_at = next == SIZE_MAX ? start + 1 : SIZE_MAX;
    if (next == SIZE_MAX && is_torn && !has_hole(text))
        lose(c, start, count, "trace.truncated",
             N_("the file ends within an event: later events are missing"));
    else
        lose_text(c, start, text, count);
    return next != SIZE_MAX && mi_json_seek(js, next, c->list_depth);
}

void mi_chrome_lose_hole(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    struct mi_bytes text = mi_bytes_sub(c->src->bytes, event->at, event->size);
    int64_t count = events_within(text);
    count += count == 0;
    c->batch->counts.in += count - 1;
    lose_text(c, event->at, text, count);
}

bool mi_chrome_mend_comma(struct mi_chrome *c, size_t start)
{
    struct mi_bytes all = c->src->bytes;
    if (start >= all.len || all.at[start] != ',')
        return false;
    note_comma(c, start);
    return mi_json_seek(&c->scan.js, start + 1, c->list_depth);
}

bool mi_chrome_mend_gap(struct mi_chrome *c, size_t value)
{
    struct mi_json *js = &c->scan.js;
    size_t at = mi_json_offset(js);
    struct mi_bytes all = c->src->bytes;
    c->broken_at = at;
    if (at >= all.len) {
        note_unclosed(c, at);
        return false;
    }
    if (all.at[at] == '{' || all.at[at] == ',') {
        note_comma(c, at);
        c->broken_at = SIZE_MAX;
        return mi_json_seek(js, at + (all.at[at] == ','), c->list_depth);
    }
    bool is_behind_value = value != SIZE_MAX;
    at = is_behind_value ? value : at;
    size_t next = mi_chrome_next_event(c, is_behind_value ? at + 1 : at, SIZE_MAX);
    struct mi_bytes between = skipped(c, at, next);
    int64_t count = events_within(between);
    if (is_behind_value)
        count -= count > 0; /* an event without its brace, of which a value was lost already */
    else if ((next != SIZE_MAX || has_hole(between)) && between.len >= LEAST_EVENT)
        count += count == 0;
    c->batch->counts.in += count;
    lose_text(c, at, between, count);
    if (next == SIZE_MAX)
        note_unclosed(c, at);
    else if (!count)
        note_between(c, at);
    c->broken_at = next == SIZE_MAX ? at : SIZE_MAX;
    return next != SIZE_MAX && mi_json_seek(js, next, c->list_depth);
}
