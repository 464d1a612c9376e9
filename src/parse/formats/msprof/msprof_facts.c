#include "parse/formats/msprof/msprof_facts.h"

#include "base/decimal.h"

#include <string.h>

enum {
    MAX_LEVELS = 12,
    LOOK_BYTES = 1 << 16,
};

/* --- recognising --- */

/* Each line: a member that only this file has. */
static const struct {
    const char *member, *kind;
} signs[] = {
    {"collectionTimeBegin", "start of a collection"},
    {"collectionTimeEnd", "end of a collection"},
    {"ENV_VARIABLES", "settings of a framework"},
    {"parallel_group_info", "settings of a framework"},
    {"distributed_args", "settings of a framework"},
    {"comm_group_parallel_info", "communication groups"},
    {"hostUid", "machine"},
    {"DeviceInfo", "machine"},
    {"platform_version", "machine"},
    {"ai_core_metrics", "switches of a collection"},
    {"ai_core_profiling", "switches of a collection"},
    {"ai_core_profiling_mode", "switches of a collection"},
    {"task_time", "switches of a collection"},
    {"storageLimit", "switches of a collection"},
};

/* The members that a file must have together. */
static const struct {
    const char *first, *second, *kind;
} pairs[] = {
    {"config", "start_info", "profiler of a framework"},
    {"config", "rank_id", "profiler of a framework"},
    {"config", "end_info", "profiler of a framework"},
    {"collective", "p2p", "communication groups"},
};

enum { SIGNS = sizeof signs / sizeof *signs, PAIRS = sizeof pairs / sizeof *pairs };

/* Both communication_group.json and communication.json of the cluster tools have these members:
 * here their values are lists of ranks. */
static bool holds_lists(struct mi_json *js)
{
    struct mi_json_string key;
    if (mi_json_peek(js) == MI_JSON_ARRAY)
        return true;
    if (mi_json_peek(js) == MI_JSON_OBJECT && mi_json_begin_object(js))
        while (mi_json_next_key(js, &key))
            if (mi_json_peek(js) != MI_JSON_ARRAY)
                return false;
    return !mi_json_failed(js);
}

const char *mi_msprof_info_kind(struct mi_bytes head)
{
    struct mi_json js;
    struct mi_json_string key;
    unsigned seen_first = 0;
    const char *kind = NULL;
    mi_json_init(&js, mi_bytes_sub(head, 0, LOOK_BYTES), NULL);
    if (mi_json_peek(&js) != MI_JSON_OBJECT || !mi_json_begin_object(&js))
        return NULL;
    while (!kind && mi_json_next_key(&js, &key)) {
        for (unsigned i = 0; !kind && i < SIGNS; i++)
            if (mi_json_string_is(key, mi_cstr(signs[i].member)))
                kind = signs[i].kind;
        for (unsigned i = 0; !kind && i < PAIRS; i++) {
            if (mi_json_string_is(key, mi_cstr(pairs[i].first)))
                seen_first |= 1u << i;
            else if ((seen_first >> i & 1) && mi_json_string_is(key, mi_cstr(pairs[i].second)))
                kind = pairs[i].kind;
        }
        if (!kind && mi_json_string_is(key, MI_LIT("collective")) && !holds_lists(&js))
            return NULL;
    }
    return kind;
}

/* --- names of facts --- */

static const struct {
    const char *path, *fact;
} names[] = {
#define FACT(place, name) {place, name},
#include "parse/formats/msprof/msprof_facts.def"
#undef FACT
};

struct walk {
    struct mi_json js;
    struct mi_batch *out;
    struct mi_bytes parts[MAX_LEVELS]; /* members and places that lead to the current value */
    bool is_list[MAX_LEVELS];          /* the container at this level is a list ... */
    uint32_t places[MAX_LEVELS];       /* ... and this its current place */
    char digits[MAX_LEVELS][MI_DECIMAL_ROOM];
    unsigned level;
    bool is_start, is_end; /* start_info or end_info: their clock has one name for both */
    struct mi_bytes group, group_ranks, group_id, group_role; /* of communication_group.json */
    struct mi_scratch scratch;
};

static struct mi_bytes next_part(const char **path)
{
    size_t len = strcspn(*path, ".");
    struct mi_bytes part = {(const uint8_t *)*path, len};
    *path += len + ((*path)[len] == '.');
    return part;
}

/* Whether the current place is `path`; `*star` gets the part that the star stands for. */
static bool is_at(const struct walk *w, const char *path, struct mi_bytes *star)
{
    unsigned level = 0;
    while (*path) {
        struct mi_bytes part = next_part(&path);
        if (level >= w->level)
            return false;
        if (mi_bytes_equal(part, MI_LIT("*")))
            *star = w->parts[level];
        else if (!mi_bytes_equal(part, w->parts[level]))
            return false;
        level++;
    }
    return level == w->level;
}

static mi_str_id dotted_path(struct walk *w)
{
    size_t room = 8;
    for (unsigned i = 0; i < w->level; i++)
        room += w->parts[i].len + 1;
    char *text = (char *)mi_scratch_room(&w->scratch, room);
    if (!text) {
        mi_batch_fail(w->out, MI_ENOMEM, "out of memory");
        return MI_NO_STR;
    }
    size_t at = 0;
    for (unsigned i = 0; i < w->level; i++) {
        if (i)
            text[at++] = '.';
        if (w->parts[i].len)
            memcpy(text + at, w->parts[i].at, w->parts[i].len);
        at += w->parts[i].len;
    }
    return mi_batch_printf(w->out, "setting:%.*s", (int)(at < 4096 ? at : 4096), text);
}

static mi_str_id with_star(struct walk *w, const char *fact, struct mi_bytes star)
{
    size_t stem = strcspn(fact, "*");
    if (!fact[stem])
        return mi_batch_cstr(w->out, fact);
    return mi_batch_printf(w->out, "%.*s%.*s", (int)stem, fact,
                           (int)(star.len < 4096 ? star.len : 4096), (const char *)star.at);
}

/* The clock readings of start_info and end_info. */
static mi_str_id clock_name(struct walk *w)
{
    if (w->level != 1 || (!w->is_start && !w->is_end))
        return MI_NO_STR;
    if (mi_bytes_equal(w->parts[0], MI_LIT("clockMonotonicRaw")))
        return mi_batch_cstr(w->out,
                             w->is_end ? "clock:monotonic_end_ns" : "clock:monotonic_begin_ns");
    if (mi_bytes_equal(w->parts[0], MI_LIT("collectionTimeBegin")))
        return mi_batch_cstr(w->out, "clock:realtime_begin_us");
    if (mi_bytes_equal(w->parts[0], MI_LIT("collectionTimeEnd")))
        return mi_batch_cstr(w->out, "clock:realtime_end_us");
    return MI_NO_STR;
}

static mi_str_id name_of_place(struct walk *w)
{
    struct mi_bytes star = {0};
    mi_str_id name = clock_name(w);
    for (unsigned i = 0; !name.v && i < sizeof names / sizeof *names; i++)
        if (is_at(w, names[i].path, &star))
            name = with_star(w, names[i].fact, star);
    return name.v ? name : dotted_path(w);
}

/* --- values --- */

static void add_fact(struct walk *w, mi_str_id name, struct mi_bytes text)
{
    mi_add_fact(w->out, &(struct mi_fact_row){.name = name, .text = mi_batch_str(w->out, text)});
}

/* A list of plain values as one text: "0, 1, 4". */
static struct mi_bytes list_text(struct walk *w, struct mi_bytes raw)
{
    struct mi_json js;
    struct mi_bytes item;
    uint8_t *text = mi_scratch_room(&w->scratch, raw.len * 2 + 2);
    size_t at = 0;
    mi_json_init(&js, raw, NULL);
    if (!text || !mi_json_begin_array(&js))
        return (struct mi_bytes){0};
    while (mi_json_next_item(&js) && mi_json_skip(&js, &item)) {
        if (item.len >= 2 && item.at[0] == '"')
            item = mi_bytes_sub(item, 1, item.len - 2);
        if (at) {
            text[at++] = ',';
            text[at++] = ' ';
        }
        if (item.len)
            memcpy(text + at, item.at, item.len);
        at += item.len;
    }
    return (struct mi_bytes){text, at};
}

static void forget_group(struct walk *w)
{
    w->group = w->group_ranks = w->group_id = w->group_role = (struct mi_bytes){0};
}

static void keep_group_member(struct walk *w, struct mi_bytes text)
{
    struct mi_bytes member = w->parts[w->level - 1];
    if (mi_bytes_equal(member, MI_LIT("group_name")))
        w->group = text;
    else if (mi_bytes_equal(member, MI_LIT("group_id")))
        w->group_id = text;
    else if (mi_bytes_equal(member, MI_LIT("pg_name")))
        w->group_role = text;
    else if (mi_bytes_equal(member, MI_LIT("rank_set")))
        w->group_ranks = text;
}

static bool in_group_list(const struct walk *w)
{
    return w->level >= 2 && mi_bytes_equal(w->parts[0], MI_LIT("comm_group_parallel_info"));
}

static void give_group(struct walk *w)
{
    if (w->group.len && w->group_ranks.len)
        add_fact(w, with_star(w, "group_ranks:*", w->group), w->group_ranks);
    if (w->group.len && w->group_id.len)
        add_fact(w, with_star(w, "group_id:*", w->group), w->group_id);
    if (w->group.len && w->group_role.len)
        add_fact(w, with_star(w, "group_role:*", w->group), w->group_role);
    forget_group(w);
}

/* Ranks below 0 mean "none"; variables that are not set and empty lists say nothing either. */
static bool says_nothing(struct mi_bytes name, struct mi_bytes text)
{
    bool is_none = mi_bytes_equal(name, MI_LIT("rank")) &&
                   (mi_bytes_starts(text, MI_LIT("-")) || mi_bytes_equal(text, MI_LIT("null")));
    return !text.len || is_none;
}

static void give_value(struct walk *w, struct mi_bytes text)
{
    w->out->counts.in++;
    if (in_group_list(w) && w->level == 3) {
        keep_group_member(w, text);
        w->out->counts.kept++;
        return;
    }
    mi_str_id name = name_of_place(w);
    if (says_nothing(mi_batch_text(w->out, name), text)) {
        w->out->counts.skipped++;
        mi_batch_diag(w->out, MI_INFO, "msprof.value_empty", mi_json_offset(&w->js), 0,
                      "values that are empty, or a rank below 0, were left out");
        return;
    }
    add_fact(w, name, text);
    w->out->counts.kept++;
}

/* --- the walk --- */

/* Whether the list that comes next holds plain values only; it is then given as one. */
static bool is_plain_list(struct mi_json js)
{
    if (!mi_json_begin_array(&js))
        return false;
    while (mi_json_next_item(&js)) {
        enum mi_json_type type = mi_json_peek(&js);
        if (type == MI_JSON_OBJECT || type == MI_JSON_ARRAY)
            return false;
    }
    return !mi_json_failed(&js);
}

/* The scratch is used again for names. */
static struct mi_bytes keep(struct walk *w, struct mi_bytes text)
{
    return mi_batch_text(w->out, mi_batch_str(w->out, text));
}

static void take_value(struct walk *w)
{
    struct mi_json_string string;
    struct mi_bytes text;
    enum mi_json_type type = mi_json_peek(&w->js);
    if (type == MI_JSON_STRING) {
        if (mi_json_string(&w->js, &string) && mi_json_text(string, &w->scratch, &text)) {
            give_value(w, string.has_escape ? keep(w, text) : text);
        }
    } else if (mi_json_skip(&w->js, &text)) {
        give_value(w, type == MI_JSON_ARRAY ? keep(w, list_text(w, text)) : text);
    }
}

static bool enter(struct walk *w)
{
    enum mi_json_type type = mi_json_peek(&w->js);
    bool is_list = type == MI_JSON_ARRAY;
    if (w->level + 1 >= MAX_LEVELS || (type != MI_JSON_OBJECT && !is_list) ||
        (is_list && is_plain_list(w->js)))
        return false;
    w->is_list[w->level] = is_list;
    w->places[w->level] = 0;
    return is_list ? mi_json_begin_array(&w->js) : mi_json_begin_object(&w->js);
}

/* Steps to the next member or item of the innermost container and names it. */
static bool step(struct walk *w, unsigned inner)
{
    struct mi_json_string key = {0};
    if (!w->is_list[inner]) {
        if (!mi_json_next_key(&w->js, &key))
            return false;
        w->parts[inner] = key.raw;
        return true;
    }
    if (!mi_json_next_item(&w->js))
        return false;
    size_t len = mi_decimal_format_u64(w->places[inner]++, w->digits[inner]);
    w->parts[inner] = (struct mi_bytes){(const uint8_t *)w->digits[inner], len};
    return true;
}

static void walk_all(struct walk *w)
{
    unsigned open = enter(w) ? 1 : 0; /* containers */
    while (open && !mi_batch_failed(w->out)) {
        w->level = open - 1;
        if (!step(w, open - 1)) {
            if (mi_json_failed(&w->js))
                break;
            open--;
            if (in_group_list(w) && w->level == 2)
                give_group(w);
            continue;
        }
        w->level = open;
        if (enter(w))
            open++;
        else
            take_value(w);
    }
}

bool mi_msprof_read_facts(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct walk w = {.out = out};
    (void)err;
    mi_json_init(&w.js, src->bytes, &(struct mi_json_options){.allow_trailing_comma = true});
    const char *kind = mi_msprof_info_kind(src->bytes);
    w.is_start = kind == signs[0].kind;
    w.is_end = kind == signs[1].kind;
    walk_all(&w);
    if (mi_json_failed(&w.js)) {
        out->counts.in++;
        out->counts.lost++;
        mi_batch_diag(out, MI_LOSS, "msprof.info_broken", w.js.error.offset, w.js.error.line, "%s",
                      w.js.error.text);
    }
    mi_scratch_fini(&w.scratch);
    return !mi_batch_failed(out);
}
