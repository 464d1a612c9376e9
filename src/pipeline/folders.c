#include "pipeline/folders.h"

#include "base/translate.h"

#include <stdio.h>
#include <string.h>

enum { STAMP_DIGITS = 14 };

/* --- parts of a path --- */

static struct mi_bytes next_part(struct mi_bytes *rest)
{
    const uint8_t *slash = rest->len ? memchr(rest->at, '/', rest->len) : NULL;
    size_t len = slash ? (size_t)(slash - rest->at) : rest->len;
    struct mi_bytes part = mi_bytes_sub(*rest, 0, len);
    *rest = mi_bytes_sub(*rest, len + (slash != NULL), rest->len);
    return part;
}

static bool is_prof(struct mi_bytes part)
{
    return mi_bytes_starts(part, MI_LIT("PROF_"));
}

static bool is_framework(struct mi_bytes part)
{
    return mi_bytes_ends(part, MI_LIT("_ascend_pt")) || mi_bytes_ends(part, MI_LIT("_ascend_ms"));
}

static bool is_side(struct mi_bytes part)
{
    return mi_bytes_equal(part, MI_LIT("host")) || mi_bytes_starts(part, MI_LIT("device_"));
}

/* The path up to the outermost folder of a collection, and what follows; empty if there is none. */
static struct mi_bytes home_of(struct mi_bytes path, struct mi_bytes *below)
{
    *below = path;
    while (below->len) {
        struct mi_bytes part = next_part(below);
        if (below->len && (is_prof(part) || is_framework(part)))
            return mi_bytes_sub(path, 0, (size_t)(part.at - path.at) + part.len);
    }
    return (struct mi_bytes){0};
}

/* --- raw records --- */

const char *mi_folder_raw(const char *path)
{
    struct mi_bytes below, part, before = {0};
    if (!home_of(mi_cstr(path), &below).len)
        return NULL;
    while ((part = next_part(&below)).len && below.len) {
        if (mi_bytes_equal(part, MI_LIT("FRAMEWORK")))
            return N_("raw records of the framework's profiler; its exported files tell of them");
        if (is_side(before) && mi_bytes_equal(part, MI_LIT("data")))
            return N_("raw records of the device or host; exported files tell of them");
        if (is_side(before) && mi_bytes_equal(part, MI_LIT("sqlite")))
            return N_("working database of the exporter; exported files tell of what it holds");
        before = part;
    }
    return NULL;
}

/* What SQLite leaves beside a database. */
static const char *word_of_sqlite(struct mi_bytes path)
{
    if (mi_bytes_ends(path, MI_LIT(".db-wal")))
        return N_("log of the database beside it, read together with that");
    if (mi_bytes_ends(path, MI_LIT(".db-shm")))
        return N_("work file of SQLite; it holds no data");
    if (mi_bytes_ends(path, MI_LIT(".db-journal")))
        return N_("journal of SQLite: the database beside it was left in the middle of a change");
    return NULL;
}

const char *mi_folder_word(const char *path)
{
    struct mi_bytes below, part, name = {0}, before = {0};
    const char *word = word_of_sqlite(mi_cstr(path));
    if (word)
        return word;
    if (!home_of(mi_cstr(path), &below).len)
        return NULL;
    while ((part = next_part(&below)).len) {
        before = name;
        name = part;
    }
    if (mi_bytes_ends(name, MI_LIT(".done")) || mi_bytes_ends(name, MI_LIT(".complete")))
        return N_("mark of the profiler that a step is finished; it holds no data");
    if (mi_bytes_equal(name, MI_LIT("README.txt")))
        return N_("the exporter's note about its files; it holds no data");
    if (mi_bytes_ends(name, MI_LIT(".log")) || mi_bytes_ends(before, MI_LIT("_log")) ||
        mi_bytes_equal(before, MI_LIT("logs")))
        return N_("log of the profiler; it holds no data");
    return NULL;
}

/* --- exported twice --- */

struct name {
    struct mi_bytes dir, kind, stamp, ending;
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* "op_summary_slice_2": without its slice. */
static struct mi_bytes without_slice(struct mi_bytes kind)
{
    size_t at = kind.len;
    while (at && is_digit(kind.at[at - 1]))
        at--;
    struct mi_bytes stem = mi_bytes_sub(kind, 0, at);
    if (at < kind.len && mi_bytes_ends(stem, MI_LIT("_slice_")))
        kind.len = at - MI_LIT("_slice_").len;
    return kind;
}

/* Splits DIR/KIND_STAMP.ENDING; false if the name has no stamp. */
static bool split_name(const char *path, struct name *name)
{
    struct mi_bytes all = mi_cstr(path);
    size_t base = all.len, dot;
    while (base && all.at[base - 1] != '/')
        base--;
    struct mi_bytes file = mi_bytes_sub(all, base, all.len);
    for (dot = 0; dot < file.len && file.at[dot] != '.'; dot++)
        ;
    if (dot <= STAMP_DIGITS + 1 || file.at[dot - STAMP_DIGITS - 1] != '_')
        return false;
    for (size_t i = dot - STAMP_DIGITS; i < dot; i++)
        if (!is_digit(file.at[i]))
            return false;
    name->dir = mi_bytes_sub(all, 0, base);
    name->kind = without_slice(mi_bytes_sub(file, 0, dot - STAMP_DIGITS - 1));
    name->stamp = mi_bytes_sub(file, dot - STAMP_DIGITS, STAMP_DIGITS);
    name->ending = mi_bytes_sub(file, dot, file.len);
    return true;
}

bool mi_folders_mark_older(struct mi_inputs *inputs)
{
    struct mi_strings keys;
    bool failed = !mi_strings_init(&keys);
    uint32_t *newest = mi_arena_alloc(&inputs->arena, (inputs->count + 1) * sizeof *newest);
    failed = failed || !newest;
    for (int pass = 0; pass < 2 && !failed; pass++)
        for (size_t i = 0; i < inputs->count && !failed; i++) {
            struct mi_item *item = &inputs->items[i];
            struct name name, other;
            if (item->is_named || item->entry || !split_name(item->path, &name))
                continue;
            struct mi_bytes key = mi_arena_printf(&inputs->arena, "%.*s%.*s%.*s", (int)name.dir.len,
                                                  (const char *)name.dir.at, (int)name.kind.len,
                                                  (const char *)name.kind.at, (int)name.ending.len,
                                                  (const char *)name.ending.at);
            uint32_t known = keys.count, id = mi_strings_add(&keys, key, false, &failed).v;
            failed = failed || !key.at;
            if (failed)
                break;
            if (id >= known)
                newest[id - 1] = (uint32_t)i;
            struct mi_item *best = &inputs->items[newest[id - 1]];
            int order =
                split_name(best->path, &other) ? mi_bytes_compare(name.stamp, other.stamp) : 0;
            if (pass == 0 && order > 0)
                newest[id - 1] = (uint32_t)i;
            else if (pass == 1 && order < 0)
                item->newer = best->path;
        }
    mi_strings_fini(&keys);
    return !failed;
}

/* --- never exported --- */

/* Where an exporter puts its files. */
static bool is_output(struct mi_bytes below)
{
    struct mi_bytes part;
    while ((part = next_part(&below)).len && below.len)
        if (mi_bytes_equal(part, MI_LIT("mindstudio_profiler_output")) ||
            mi_bytes_equal(part, MI_LIT("ASCEND_PROFILER_OUTPUT")) ||
            mi_bytes_equal(part, MI_LIT("timeline")) || mi_bytes_equal(part, MI_LIT("summary")))
            return true;
    return false;
}

/* An item that stands for results: recognised, and not one of the small files around them. */
static bool is_result(const struct mi_item *item, struct mi_bytes below)
{
    if (mi_folder_raw(item->path) || item->newer)
        return false;
    return is_output(below) || (item->reader && strcmp(item->reader->name, "msprof_info") != 0);
}

static bool same_home(const struct mi_item *item, struct mi_bytes home, struct mi_bytes *below)
{
    return mi_bytes_equal(home_of(mi_cstr(item->path), below), home);
}

static void say_not_exported(struct mi_bytes home, struct mi_error *note)
{
    struct mi_bytes rest = home, part = {0};
    int len = (int)(home.len < 120 ? home.len : 120);
    while (rest.len)
        part = next_part(&rest);
    if (mi_bytes_ends(part, MI_LIT("_ascend_ms")))
        mi_fail(note, MI_EUNSUPPORTED,
                "collected but never exported; run: python3 -c \"from mindspore.profiler.profiler "
                "import analyse; analyse('%.*s')\"",
                len, (const char *)home.at);
    else if (is_framework(part))
        mi_fail(note, MI_EUNSUPPORTED,
                "collected but never exported; run: python3 -c \"from torch_npu.profiler.profiler "
                "import analyse; analyse('%.*s')\"",
                len, (const char *)home.at);
    else
        mi_fail(note, MI_EUNSUPPORTED,
                "collected but never exported; run: msprof --export=on --output=%.*s", len,
                (const char *)home.at);
}

const struct mi_item *mi_folders_not_exported(const struct mi_inputs *inputs, size_t *at,
                                              struct mi_error *note)
{
    struct mi_bytes below;
    while (*at < inputs->count) {
        size_t first = *at;
        bool is_raw = false, has_result = false;
        struct mi_bytes home = home_of(mi_cstr(inputs->items[first].path), &below);
        do { /* items of one collection are neighbours: folders are walked in order */
            is_raw = is_raw || mi_folder_raw(inputs->items[*at].path);
            has_result = has_result || is_result(&inputs->items[*at], below);
            ++*at;
        } while (*at < inputs->count && same_home(&inputs->items[*at], home, &below));
        if (home.len && is_raw && !has_result) {
            say_not_exported(home, note);
            return &inputs->items[first];
        }
    }
    return NULL;
}
