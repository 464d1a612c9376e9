/* Where the list of events is no JSON: what is broken is counted, and reading goes on at the next
 * event. */
#include "base/translate.h"
#include "parse/formats/chrome/chrome.h"

/* A brace, a quote behind it. */
static bool is_event_at(struct mi_bytes all, size_t p)
{
    if (p >= all.len || all.at[p] != '{')
        return false;
    for (p++; p < all.len && all.at[p] <= ' ';)
        p++;
    return p < all.len && all.at[p] == '"';
}

/* Where the next event begins behind a broken one: behind a brace, and a comma or none. SIZE_MAX:
 * nowhere. */
static size_t next_event(const struct mi_chrome *c, size_t from)
{
    struct mi_bytes all = c->src->bytes;
    while (from < all.len) {
        const uint8_t *at = memchr(all.at + from, '}', all.len - from);
        if (!at)
            break;
        from = (size_t)(at - all.at) + 1;
        size_t p = from;
        while (p < all.len && (all.at[p] <= ' ' || all.at[p] == ',' || all.at[p] == '['))
            p++;
        if (is_event_at(all, p))
            return p;
    }
    return SIZE_MAX;
}

/* The same between two events, where no text or list can hide a brace. */
static size_t next_brace(const struct mi_chrome *c, size_t from)
{
    struct mi_bytes all = c->src->bytes;
    while (from < all.len) {
        const uint8_t *at = memchr(all.at + from, '{', all.len - from);
        if (!at)
            break;
        from = (size_t)(at - all.at);
        if (is_event_at(all, from))
            return from;
        from++;
    }
    return SIZE_MAX;
}

void mi_chrome_note_at(struct mi_chrome *c, size_t at, enum mi_severity severity, const char *code,
                       const char *text)
{
    c->event_at = at;
    mi_chrome_note(c, severity, code, text);
}

bool mi_chrome_mend_event(struct mi_chrome *c, size_t start)
{
    struct mi_json *js = &c->scan.js;
    bool is_torn = js->error.code == MI_ETRUNCATED && mi_json_offset(js) >= c->src->bytes.len;
    c->batch->counts.lost++;
    size_t at = mi_json_offset(js), next;
    if (start < c->src->bytes.len && c->src->bytes.at[start] != '{')
        next = next_brace(c, start); /* no event at all */
    else
        next = next_event(c, is_torn ? start : at - (at > start));
    if (next == SIZE_MAX && is_torn) {
        mi_chrome_note_at(c, start, MI_LOSS, "trace.truncated",
                          N_("the file ends within an event: later events are missing"));
        return false;
    }
    mi_chrome_note_at(c, start, MI_LOSS, "trace.event_broken", N_("an event that is no JSON"));
    return next != SIZE_MAX && mi_json_seek(js, next, c->list_depth);
}

bool mi_chrome_mend_gap(struct mi_chrome *c)
{
    struct mi_json *js = &c->scan.js;
    size_t at = mi_json_offset(js);
    struct mi_bytes all = c->src->bytes;
    if (at >= all.len) {
        mi_chrome_note_at(c, at, MI_NOTICE, "trace.unclosed_list",
                          N_("the list of events is not closed: later events may be missing"));
        return false;
    }
    if (all.at[at] == '{' || all.at[at] == ',') {
        mi_chrome_note_at(c, at, MI_NOTICE, "trace.comma",
                          N_("a comma between two events is missing or one too many"));
        return mi_json_seek(js, at + (all.at[at] == ','), c->list_depth);
    }
    c->batch->counts.in++;
    mi_chrome_note_at(c, at, MI_LOSS, "trace.event_broken", N_("an event that is no JSON"));
    c->batch->counts.lost++;
    size_t next = next_brace(c, at);
    return next != SIZE_MAX && mi_json_seek(js, next, c->list_depth);
}
