/* Collectives of a step as the Ascend profilers sum them up.
 *
 *   communication.json          {"step50": {"p2p": {}, "collective": {"OP@GROUP": ENTRY,
 *                                "Total Op Info": ENTRY}}}
 *   communication_matrix.json   the same with {"0-1": LINK} instead of ENTRY, and OP-top1@GROUP
 *   PROF_x/analyze              both without the level of the step
 *   cluster_communication*.json "p2p" and "collective" outside, the step inside, and in it a level
 *                               of the rank: {"collective": {"step2": {"OP@GROUP": {"0": ENTRY}}}}
 *
 *   ENTRY  "Communication Time Info": {"Start Timestamp(us)", "Elapse Time(ms)", Transit, Wait,
 *          Synchronization, Idle}, "Communication Bandwidth Info": {"HCCS": {...}, ...}
 *   LINK   from and to rank: Transport Type, Transit Size(MB), Transit Time(ms), Bandwidth(GB/s)
 *
 * Trap: the start is written as a floating-point number, so it is right to some 0.1 us only.
 *
 * Becomes: a note (kind collective) and a statistic per entry, a statistic (kind link) per link;
 * every value stays reachable as one of its record. */
#include "base/decimal.h"
#include "base/json_scan.h"
#include "base/translate.h"
#include "parse/reader.h"

enum { MAX_LEVELS = 8, LOOK_BYTES = 1 << 16, MAX_NAME_BYTES = 512 };

/* --- where an entry stands --- */

enum entry { NO_ENTRY, COLLECTIVE, LINK };

struct walk {
    struct mi_batch *out;
    struct mi_json js;
    struct mi_bytes parts[MAX_LEVELS]; /* members that lead to the current value */
    unsigned open;                     /* objects that were entered */
};

/* By its first member. */
static enum entry entry_of(struct mi_json js)
{
    struct mi_json_string key;
    if (mi_json_peek(&js) != MI_JSON_OBJECT || !mi_json_begin_object(&js) ||
        !mi_json_next_key(&js, &key))
        return NO_ENTRY;
    if (mi_json_string_is(key, MI_LIT("Communication Time Info")) ||
        mi_json_string_is(key, MI_LIT("Communication Bandwidth Info")))
        return COLLECTIVE;
    return mi_json_string_is(key, MI_LIT("Transport Type")) ||
                   mi_json_string_is(key, MI_LIT("Transit Size(MB)"))
               ? LINK
               : NO_ENTRY;
}

/* Steps to the next entry below the current object; its place is in `parts`. */
static enum entry next_entry(struct walk *w)
{
    struct mi_json_string key;
    while (w->open) {
        if (!mi_json_next_key(&w->js, &key)) {
            if (mi_json_failed(&w->js))
                return NO_ENTRY;
            w->open--;
            continue;
        }
        w->parts[w->open - 1] = key.raw;
        enum entry entry = entry_of(w->js);
        if (entry != NO_ENTRY)
            return entry;
        if (w->open < MAX_LEVELS && mi_json_peek(&w->js) == MI_JSON_OBJECT &&
            mi_json_begin_object(&w->js))
            w->open++;
    }
    return NO_ENTRY;
}

static int sniff(const struct mi_probe *probe)
{
    struct walk w = {.open = 1};
    mi_json_init(&w.js, mi_bytes_sub(probe->bytes, 0, LOOK_BYTES), NULL);
    if (mi_json_peek(&w.js) != MI_JSON_OBJECT || !mi_json_begin_object(&w.js))
        return 0;
    return next_entry(&w) != NO_ENTRY ? 92 : 0;
}

/* --- what its place says --- */

struct place {
    struct mi_bytes step, op, group, rank, link;
};

static bool is_digits(struct mi_bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    return text.len > 0;
}

static bool is_link(struct mi_bytes text)
{
    const uint8_t *dash = text.len ? memchr(text.at, '-', text.len) : NULL;
    size_t at = dash ? (size_t)(dash - text.at) : 0;
    return dash && is_digits(mi_bytes_sub(text, 0, at)) &&
           is_digits(mi_bytes_sub(text, at + 1, text.len));
}

static void take_part(struct place *place, struct mi_bytes part)
{
    const uint8_t *at = part.len ? memchr(part.at, '@', part.len) : NULL;
    if (mi_bytes_equal(part, MI_LIT("p2p")) || mi_bytes_equal(part, MI_LIT("collective")))
        return;
    if (mi_bytes_starts(part, MI_LIT("step")) &&
        (part.len == 4 || is_digits(mi_bytes_sub(part, 4, part.len)))) {
        place->step = mi_bytes_sub(part, 4, part.len);
    } else if (is_link(part)) {
        place->link = part;
    } else if (is_digits(part)) {
        place->rank = part;
    } else if (mi_bytes_starts(part, MI_LIT("("))) { /* the ranks of the group */
        place->group = part;
    } else {
        size_t len = at ? (size_t)(at - part.at) : part.len;
        place->op = mi_bytes_sub(part, 0, len);
        if (at)
            place->group = mi_bytes_sub(part, len + 1, part.len);
    }
}

static int shown(struct mi_bytes text)
{
    return (int)(text.len < MAX_NAME_BYTES ? text.len : MAX_NAME_BYTES);
}

/* "step 50, group 110..., rank 0": what is known of these. */
static mi_str_id detail_of(struct mi_batch *out, const struct place *place)
{
    const struct {
        const char *word;
        struct mi_bytes text;
    } parts[] = {{"step ", place->step}, {"group ", place->group}, {"rank ", place->rank}};
    char text[3 * (MAX_NAME_BYTES + 16)];
    size_t at = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].text.len)
            continue;
        if (at) {
            text[at++] = ',';
            text[at++] = ' ';
        }
        size_t word = strlen(parts[i].word), len = (size_t)shown(parts[i].text);
        memcpy(text + at, parts[i].word, word);
        memcpy(text + at + word, parts[i].text.at, len);
        at += word + len;
    }
    return mi_batch_str(out, (struct mi_bytes){(const uint8_t *)text, at});
}

/* --- its values --- */

struct times {
    int64_t start_ns, elapse_ns, transit_ns; /* -1 = not stated */
};

/* `exponent`: from the unit of the member to ns. */
static void take_time(struct mi_json *js, int exponent, int64_t *ns)
{
    unsigned flags = 0;
    int64_t value = -1;
    enum mi_json_type type = mi_json_peek(js);
    if (type != MI_JSON_NUMBER && type != MI_JSON_STRING)
        return;
    if (mi_json_scaled(js, exponent, &value, &flags) &&
        !(flags & (MI_DECIMAL_BAD | MI_DECIMAL_OVERFLOW)))
        *ns = value;
}

static void read_times(struct mi_json *js, struct times *times)
{
    struct mi_json_string key;
    if (mi_json_peek(js) != MI_JSON_OBJECT || !mi_json_begin_object(js))
        return;
    while (mi_json_next_key(js, &key)) {
        if (mi_json_string_is(key, MI_LIT("Start Timestamp(us)")))
            take_time(js, 3, &times->start_ns);
        else if (mi_json_string_is(key, MI_LIT("Elapse Time(ms)")))
            take_time(js, 6, &times->elapse_ns);
        else if (mi_json_string_is(key, MI_LIT("Transit Time(ms)")))
            take_time(js, 6, &times->transit_ns);
    }
}

static struct times times_of(struct mi_bytes raw, enum entry entry)
{
    struct times times = {-1, -1, -1};
    struct mi_json js;
    struct mi_json_string key;
    mi_json_init(&js, raw, NULL);
    if (entry == LINK) {
        read_times(&js, &times);
        return times;
    }
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key))
        if (mi_json_string_is(key, MI_LIT("Communication Time Info")))
            read_times(&js, &times);
    return times;
}

/* --- rows --- */

static void add_statistic(struct walk *w, const char *kind, struct mi_bytes name,
                          const struct place *place, int64_t total_ns, size_t offset, size_t size)
{
    mi_add_statistic(w->out, &(struct mi_statistic_row){.kind = mi_batch_cstr(w->out, kind),
                                                        .name = mi_batch_str(w->out, name),
                                                        .detail = detail_of(w->out, place),
                                                        .device = -1,
                                                        .times = 1,
                                                        .total_ns = total_ns,
                                                        .min_ns = -1,
                                                        .max_ns = -1,
                                                        .record_offset = (int64_t)offset,
                                                        .record_bytes = (uint32_t)size});
}

static void add_collective(struct walk *w, const struct place *place, const struct times *times,
                           size_t offset, size_t size)
{
    if (mi_bytes_equal(place->op, MI_LIT("Total Op Info"))) {
        add_statistic(w, "collective_total", place->op, place, times->elapse_ns, offset, size);
        return;
    }
    add_statistic(w, "collective", place->op, place, times->elapse_ns, offset, size);
    mi_add_note(w->out,
                &(struct mi_note_row){.kind = mi_batch_cstr(w->out, "collective"),
                                      .name = mi_batch_str(w->out, place->op),
                                      .device = -1,
                                      .stream = -1,
                                      .native_id = -1,
                                      .start_raw = times->start_ns > 0 ? times->start_ns : -1,
                                      .record_offset = (int64_t)offset,
                                      .record_bytes = (uint32_t)size});
}

static void add_link(struct walk *w, const struct place *place, const struct times *times,
                     size_t offset, size_t size)
{
    mi_str_id name =
        mi_batch_printf(w->out, "%.*s %.*s", shown(place->op), (const char *)place->op.at,
                        shown(place->link), (const char *)place->link.at);
    add_statistic(w, "link", mi_batch_text(w->out, name), place, times->transit_ns, offset, size);
}

static void take_entry(struct walk *w, enum entry entry, struct mi_bytes file)
{
    struct place place = {0};
    struct mi_bytes raw;
    if (!mi_json_skip(&w->js, &raw))
        return;
    for (unsigned i = 0; i < w->open; i++)
        take_part(&place, w->parts[i]);
    size_t offset = (size_t)(raw.at - file.at);
    w->out->counts.in++;
    if (raw.len > UINT32_MAX) {
        w->out->counts.lost++;
        mi_batch_diag(w->out, MI_LOSS, "msprof.entry_broken", offset, 0,
                      "an entry longer than 4 GiB");
        return;
    }
    struct times times = times_of(raw, entry);
    if (entry == LINK)
        add_link(w, &place, &times, offset, raw.len);
    else
        add_collective(w, &place, &times, offset, raw.len);
    w->out->counts.kept++;
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct walk w = {.out = out, .open = 1};
    enum entry entry;
    mi_json_init(&w.js, src->bytes, &(struct mi_json_options){.allow_trailing_comma = true});
    mi_json_begin_object(&w.js);
    while (!mi_batch_failed(out) && (entry = next_entry(&w)) != NO_ENTRY) {
        take_entry(&w, entry, src->bytes);
        if (src->progress && out->counts.in % 65536 == 0 &&
            !src->progress(src->user, mi_json_offset(&w.js)))
            return mi_fail(err, MI_ECANCELLED, "stopped");
    }
    if (mi_json_failed(&w.js)) {
        out->counts.in++;
        out->counts.lost++;
        mi_batch_diag(out, MI_LOSS, "msprof.entry_broken", w.js.error.offset, w.js.error.line, "%s",
                      w.js.error.text);
    }
    return !mi_batch_failed(out);
}

/* --- values of a record --- */

/* "HCCS.Bandwidth(GB/s)": the members below the outermost. */
static struct mi_bytes join_parts(const struct mi_bytes *parts, unsigned count,
                                  char name[MAX_NAME_BYTES])
{
    size_t at = 0;
    for (unsigned i = count > 1 ? 1 : 0; i < count; i++) {
        size_t len = parts[i].len;
        if (at && at < MAX_NAME_BYTES)
            name[at++] = '.';
        if (len > MAX_NAME_BYTES - at)
            len = MAX_NAME_BYTES - at;
        if (len)
            memcpy(name + at, parts[i].at, len);
        at += len;
    }
    return (struct mi_bytes){(const uint8_t *)name, at};
}

static void list_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct mi_json js;
    struct mi_json_string key, string;
    struct mi_bytes parts[MAX_LEVELS], raw;
    char name[MAX_NAME_BYTES];
    unsigned open = 1;
    double ignored;
    mi_json_init(&js, record->bytes, NULL);
    mi_json_begin_object(&js);
    while (open) {
        if (!mi_json_next_key(&js, &key)) {
            if (mi_json_failed(&js))
                return;
            open--;
            continue;
        }
        parts[open - 1] = key.raw;
        if (mi_json_peek(&js) == MI_JSON_OBJECT && open < MAX_LEVELS) {
            mi_json_begin_object(&js);
            open++;
            continue;
        }
        bool is_string = mi_json_peek(&js) == MI_JSON_STRING;
        if (is_string ? !mi_json_string(&js, &string) : !mi_json_skip(&js, &raw))
            return;
        raw = is_string ? string.raw : raw;
        fn(user, join_parts(parts, open, name), raw, mi_decimal_double(raw, &ignored) == 0);
    }
}

const struct mi_reader mi_reader_msprof_communication = {
    .name = "msprof_communication",
    .title = N_("Ascend collectives and links (communication.json, communication_matrix.json)"),
    .sniff = sniff,
    .read = read_all,
    .metrics = list_metrics,
};
