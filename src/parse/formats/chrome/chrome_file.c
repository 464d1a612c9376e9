/* The file around the list of events. What is no JSON there is stepped over: lists, events and the
 * few keys that matter are then looked for by themselves. */
#include "base/decimal.h"
#include "base/translate.h"
#include "parse/formats/chrome/chrome.h"

/* --- keys --- */

static const char *const keys[] = {"\"traceEvents\"", "\"baseTimeNanoseconds\"",
                                   "\"distributedInfo\"", "\"schemaVersion\"",
                                   "\"deviceProperties\""};

enum { KEYS = sizeof keys / sizeof *keys };

/* {"backend": ..., "rank": 1, ...} */
static void read_ranks(struct mi_chrome *c)
{
    struct mi_json *js = &c->scan.js;
    struct mi_json_string key;
    unsigned flags;
    int64_t rank;
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key))
        if (mi_json_string_is(key, MI_LIT("rank")) && mi_json_peek(js) == MI_JSON_NUMBER &&
            mi_json_i64(js, &rank, &flags) && !flags && rank >= 0)
            c->rank = rank;
}

static void read_head(struct mi_chrome *c, struct mi_json_string key)
{
    unsigned flags;
    if (mi_json_string_is(key, MI_LIT("baseTimeNanoseconds"))) {
        enum mi_json_type type = mi_json_peek(&c->scan.js);
        if (type != MI_JSON_NUMBER && type != MI_JSON_STRING)
            return;
        c->has_base = mi_json_i64(&c->scan.js, &c->base_ns, &flags) &&
                      !(flags & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW));
        c->is_kineto = true;
    } else if (mi_json_string_is(key, MI_LIT("distributedInfo")) &&
               mi_json_peek(&c->scan.js) == MI_JSON_OBJECT) {
        read_ranks(c);
    } else if (mi_json_string_is(key, MI_LIT("schemaVersion")) ||
               mi_json_string_is(key, MI_LIT("deviceProperties"))) {
        c->is_kineto = true;
    }
}

/* --- broken files --- */

/* A key that matters, and where its value stands. */
struct head {
    struct mi_json_string key;
    size_t at; /* of the key; SIZE_MAX: there is none */
    size_t value;
};

/* The key that ends at the quote `p`. */
static bool head_at(struct mi_bytes all, size_t p, struct head *head)
{
    size_t value = p + 1;
    while (value < all.len && all.at[value] <= ' ')
        value++;
    if (value >= all.len || all.at[value] != ':')
        return false;
    for (unsigned k = 0; k < KEYS; k++) {
        size_t len = strlen(keys[k]);
        if (p + 1 < len || memcmp(all.at + p + 1 - len, keys[k], len) != 0)
            continue;
        *head = (struct head){{.raw = mi_bytes_sub(all, p + 2 - len, len - 2)}, p, value + 1};
        return true;
    }
    return false;
}

/* The next key that ends at `from` or behind it: its first quote may have ended a text. */
static struct head next_head(struct mi_bytes all, size_t from)
{
    struct head head = {.at = SIZE_MAX};
    for (size_t p = from; p < all.len; p++) {
        const uint8_t *at = memchr(all.at + p, '"', all.len - p);
        if (!at)
            break;
        p = (size_t)(at - all.at);
        if (head_at(all, p, &head))
            break;
    }
    return head;
}

/* The scanner is inside a list. False only if the reader was stopped. */
static bool read_list(struct mi_chrome *c, struct mi_error *err)
{
    c->broken_at = SIZE_MAX;
    c->has_list = true;
    return mi_chrome_read_events(c, err);
}

/* The same for events without a list around them. */
static bool read_items(struct mi_chrome *c, size_t at, struct mi_error *err)
{
    mi_json_seek_item(&c->scan.js, at);
    return read_list(c, err);
}

/* Reads the value of a key that was found by itself. False only if the reader was stopped. */
static bool read_found(struct mi_chrome *c, const struct head *head, struct mi_error *err)
{
    struct mi_json *js = &c->scan.js;
    c->broken_at = SIZE_MAX;
    mi_json_seek(js, head->value, 0);
    if (!mi_json_string_is(head->key, MI_LIT("traceEvents"))) {
        read_head(c, head->key);
        return true;
    }
    if (mi_json_peek(js) != MI_JSON_ARRAY)
        return true; /* events are found by themselves */
    mi_json_begin_array(js);
    return read_list(c, err);
}

static bool is_broken(const struct mi_chrome *c)
{
    return c->broken_at != SIZE_MAX;
}

/* Where to look for more after what was found at `from` has been read. */
static size_t behind(const struct mi_chrome *c, size_t from)
{
    size_t at = is_broken(c) ? c->broken_at : mi_json_offset(&c->scan.js);
    return at > from ? at : from + 1;
}

/* Reads on at `from`, which lies outside of all that could be made sense of. */
static bool read_loose(struct mi_chrome *c, size_t from, struct mi_error *err)
{
    bool is_counted = is_broken(c); /* all that is broken, up to the end */
    struct head head = next_head(c->src->bytes, from);
    size_t event = mi_chrome_next_event(c, from, SIZE_MAX), at = from;
    c->is_loose = true;
    while (event != SIZE_MAX || head.at != SIZE_MAX) {
        bool is_head = head.at < event;
        if (!is_counted)
            mi_chrome_lose_between(c, at, is_head ? head.at : event);
        at = is_head ? head.at : event;
        if (!(is_head ? read_found(c, &head, err) : read_items(c, event, err)))
            return false;
        at = behind(c, at);
        is_counted |= is_broken(c);
        if (head.at != SIZE_MAX && head.at < at)
            head = next_head(c->src->bytes, at);
        if (event != SIZE_MAX && event < at)
            event = mi_chrome_next_event(c, at, SIZE_MAX);
    }
    if (!is_counted)
        mi_chrome_lose_between(c, at, SIZE_MAX);
    return true;
}

static void note_around(struct mi_chrome *c, size_t at)
{
    mi_chrome_note_at(c, at, MI_NOTICE, "trace.around_broken",
                      N_("what stands around the events is no JSON: from here on, events and the "
                         "keys that matter were looked for by themselves"));
}

/* What begins at `from` is no JSON, or the list in it was not. */
static bool mend_file(struct mi_chrome *c, size_t from, struct mi_error *err)
{
    if (is_broken(c)) /* which was told */
        return read_loose(c, c->broken_at, err);
    note_around(c, from);
    return read_loose(c, from, err);
}

/* --- whole files --- */

static bool read_object(struct mi_chrome *c, struct mi_error *err)
{
    struct mi_json *js = &c->scan.js;
    struct mi_json_string key;
    mi_json_begin_object(js);
    size_t from = mi_json_offset(js);
    while (!is_broken(c) && mi_json_next_key(js, &key)) {
        if (!mi_json_string_is(key, MI_LIT("traceEvents"))) {
            read_head(c, key);
        } else if (mi_json_begin_array(js) && !read_list(c, err)) {
            return false;
        }
        from = mi_json_failed(js) ? from : mi_json_offset(js);
    }
    return !(is_broken(c) || mi_json_failed(js)) || mend_file(c, from, err);
}

/* What stands at `at`, behind a list: events that go on, or something else. */
static bool read_trailing(struct mi_chrome *c, size_t at, struct mi_error *err)
{
    struct mi_bytes all = c->src->bytes;
    while (at < all.len && all.at[at] <= ' ')
        at++;
    if (at >= all.len)
        return true;
    if (mi_chrome_next_event(c, at, SIZE_MAX) != SIZE_MAX) {
        note_around(c, at);
        return read_loose(c, at, err);
    }
    if (!mi_chrome_lose_between(c, at, SIZE_MAX))
        mi_chrome_note_at(c, at, MI_LOSS, "trace.trailing",
                          N_("something follows the end of the list; it was not read"));
    return true;
}

/* The next list or object, one behind the other: two writers may have shared a file. */
static bool read_value(struct mi_chrome *c, bool is_first, struct mi_error *err)
{
    struct mi_json *js = &c->scan.js;
    size_t at = mi_json_offset(js);
    if (mi_json_peek(js) == MI_JSON_OBJECT) {
        while (c->src->bytes.at[at] != '{')
            at++;
        if (mi_chrome_is_event(c, at)) {
            note_around(c, at);
            return read_loose(c, at, err);
        }
        mi_json_seek(js, at, 0);
    }
    if (!is_first)
        mi_chrome_note_at(c, at, MI_NOTICE, "trace.second_list",
                          N_("a second list of events behind the first one was read too"));
    if (mi_json_peek(js) == MI_JSON_OBJECT)
        return read_object(c, err);
    mi_json_begin_array(js);
    return read_list(c, err) && (!is_broken(c) || mend_file(c, at, err));
}

static bool read_values(struct mi_chrome *c, struct mi_error *err)
{
    struct mi_json *js = &c->scan.js;
    for (bool is_first = true;; is_first = false) {
        enum mi_json_type type = mi_json_peek(js);
        size_t at = mi_json_offset(js);
        if (type != MI_JSON_ARRAY && type != MI_JSON_OBJECT)
            return is_first
                       ? mi_fail_at(err, MI_EFORMAT, at, 1, "this is no trace: no list of events")
                       : read_trailing(c, at, err);
        if (!read_value(c, is_first, err))
            return false;
        if (c->is_loose)
            return true;
        mi_json_seek(js, mi_json_offset(js), 0);
    }
}

bool mi_chrome_read_file(struct mi_chrome *c, struct mi_error *err)
{
    c->broken_at = SIZE_MAX;
    return read_values(c, err) && (c->has_list || c->is_loose || read_loose(c, 0, err));
}
