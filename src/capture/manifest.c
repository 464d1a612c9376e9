/* capture.json in memory: building it up, reading it, looking things up. Writing is in
 * manifest_write.c; the layout stands in manifest.h. */
#include "capture/manifest.h"

#include "base/decimal.h"
#include "base/json_scan.h"

#include <stdio.h>
#include <string.h>

/* No honest capture comes near these. */
enum { MAX_BYTES = 64 << 20, MAX_TEXT = 64 << 10, MAX_ENTRIES = 100000 };

void mi_manifest_init(struct mi_manifest *manifest)
{
    *manifest = (struct mi_manifest){.collector = ""};
    mi_arena_init(&manifest->arena);
}

void mi_manifest_fini(struct mi_manifest *manifest)
{
    mi_arena_fini(&manifest->arena);
    mi_manifest_init(manifest);
}

/* --- appending --- */

/* Room for one more: lists in the arena double whenever their count is a power of two. */
static void *grow(struct mi_manifest *manifest, void *list, size_t count, size_t size)
{
    if (count & (count - 1))
        return list;
    void *bigger = count > MAX_ENTRIES
                       ? NULL
                       : mi_arena_alloc(&manifest->arena, (count ? count * 2 : 1) * size);
    if (bigger && count)
        memcpy(bigger, list, count * size);
    return bigger;
}

/* A copy of `text` in the arena, "" for NULL; NULL: out of memory. */
static const char *keep(struct mi_manifest *manifest, const char *text)
{
    if (!text || !*text)
        return "";
    return (const char *)mi_arena_copy(&manifest->arena, mi_cstr(text)).at;
}

bool mi_manifest_add_file(struct mi_manifest *manifest, const struct mi_manifest_file *file)
{
    struct mi_manifest_file *list =
        grow(manifest, manifest->files, manifest->file_count, sizeof *list);
    struct mi_manifest_file copy = *file;
    copy.path = keep(manifest, file->path);
    copy.role = keep(manifest, file->role);
    copy.reader = keep(manifest, file->reader);
    copy.hash = keep(manifest, file->hash);
    if (!list || !copy.path || !copy.role || !copy.reader || !copy.hash)
        return false;
    manifest->files = list;
    list[manifest->file_count++] = copy;
    return true;
}

static bool add_pair(struct mi_manifest *manifest, struct mi_manifest_pair **list, size_t *count,
                     const char *name, const char *text)
{
    struct mi_manifest_pair *bigger = grow(manifest, *list, *count, sizeof *bigger);
    struct mi_manifest_pair pair = {keep(manifest, name), keep(manifest, text)};
    if (!bigger || !pair.name || !pair.text)
        return false;
    *list = bigger;
    bigger[(*count)++] = pair;
    return true;
}

bool mi_manifest_add_setting(struct mi_manifest *manifest, const char *name, const char *text)
{
    return add_pair(manifest, &manifest->settings, &manifest->setting_count, name, text);
}

bool mi_manifest_add_version(struct mi_manifest *manifest, const char *name, const char *text)
{
    return add_pair(manifest, &manifest->versions, &manifest->version_count, name, text);
}

bool mi_manifest_add_note(struct mi_manifest *manifest, const char *sentence)
{
    const char **list = grow(manifest, manifest->notes, manifest->note_count, sizeof *list);
    const char *copy = keep(manifest, sentence);
    if (!list || !copy)
        return false;
    manifest->notes = list;
    list[manifest->note_count++] = copy;
    return true;
}

/* --- looking up --- */

static const char *find_pair(const struct mi_manifest_pair *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].text;
    return NULL;
}

const char *mi_manifest_setting(const struct mi_manifest *manifest, const char *name)
{
    return find_pair(manifest->settings, manifest->setting_count, name);
}

const char *mi_manifest_version(const struct mi_manifest *manifest, const char *name)
{
    return find_pair(manifest->versions, manifest->version_count, name);
}

/* --- reading --- */

struct parser {
    struct mi_json js;
    struct mi_manifest *manifest;
    struct mi_scratch scratch;
    struct mi_error *err;
    bool failed;
};

/* A failure at the value that was just read. */
__attribute__((format(printf, 3, 4))) static bool refuse(struct parser *p, enum mi_code code,
                                                         const char *format, ...)
{
    char text[sizeof p->err->text];
    size_t at = mi_json_offset(&p->js);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->failed = true;
    return mi_fail_at(p->err, code, at, mi_json_line(&p->js, at), "%s", text);
}

/* Text of a string as a C string in the arena. A NUL or an absurd length is refused, because every
 * user of these texts takes them as C strings. */
static const char *to_text(struct parser *p, struct mi_json_string string)
{
    struct mi_bytes text;
    if (string.raw.len > MAX_TEXT)
        return refuse(p, MI_ELIMIT, "a text of the manifest is longer than 64 KiB"), NULL;
    if (!mi_json_text(string, &p->scratch, &text))
        return refuse(p, MI_ENOMEM, "out of memory"), NULL;
    if (text.len && memchr(text.at, 0, text.len))
        return refuse(p, MI_EFORMAT, "a text of the manifest holds a NUL character"), NULL;
    struct mi_bytes copy = mi_arena_copy(&p->manifest->arena, text);
    if (!copy.at)
        return refuse(p, MI_ENOMEM, "out of memory"), NULL;
    return (const char *)copy.at;
}

/* A string value; anything else is a failure of the scanner. */
static const char *read_text(struct parser *p)
{
    struct mi_json_string string;
    return mi_json_string(&p->js, &string) ? to_text(p, string) : NULL;
}

/* A string, number or word as text: settings are kept as they were written. */
static const char *read_any_text(struct parser *p)
{
    struct mi_bytes raw;
    if (mi_json_peek(&p->js) == MI_JSON_STRING)
        return read_text(p);
    if (!mi_json_skip(&p->js, &raw))
        return NULL;
    return to_text(p, (struct mi_json_string){.raw = raw});
}

/* An integer as number or string; an unreadable one is a failure, since guessing a clock is worse.
 */
static bool read_i64(struct parser *p, int64_t *out)
{
    unsigned flags;
    if (!mi_json_i64(&p->js, out, &flags))
        return false;
    return flags ? refuse(p, MI_EFORMAT,
                          "the manifest has something else where an integer should stand")
                 : true;
}

/* A component of the path is "..". */
static bool climbs(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == '\0'))
            return true;
    }
    return false;
}

static bool check_file(struct parser *p, const struct mi_manifest_file *file)
{
    if (!file->path || !*file->path)
        return refuse(p, MI_EFORMAT, "a file of the manifest has no path");
    if (strcmp(file->role, MI_ROLE_SOURCE_MODEL) == 0)
        return true;
    if (file->path[0] == '/' || climbs(file->path))
        return refuse(p, MI_EFORMAT,
                      "the manifest names \"%.100s\", which lies outside the capture folder",
                      file->path);
    return true;
}

/* "path_hex" restores a path that is not UTF-8, for which JSON has no form. */
static const char *from_hex(struct parser *p, const char *hex)
{
    static const char digits[] = "0123456789abcdef";
    size_t len = hex ? strlen(hex) : 0;
    char *out = hex && len % 2 == 0 ? mi_arena_alloc(&p->manifest->arena, len / 2 + 1) : NULL;
    if (!out)
        return NULL;
    for (size_t i = 0; i < len / 2; i++) {
        const char *high = strchr(digits, hex[2 * i]), *low = strchr(digits, hex[2 * i + 1]);
        int byte = high && low ? (int)(high - digits) * 16 + (int)(low - digits) : 0;
        if (!byte)
            return NULL;
        out[i] = (char)byte;
    }
    out[len / 2] = '\0';
    return out;
}

static bool read_file(struct parser *p)
{
    struct mi_manifest_file file = {.role = "", .reader = "", .hash = "", .size_bytes = -1};
    struct mi_json_string key;
    const char *hex = NULL;
    if (!mi_json_begin_object(&p->js))
        return false;
    while (!p->failed && mi_json_next_key(&p->js, &key)) {
        if (mi_json_string_is(key, MI_LIT("path")))
            file.path = read_text(p);
        else if (mi_json_string_is(key, MI_LIT("path_hex")))
            hex = from_hex(p, read_text(p));
        else if (mi_json_string_is(key, MI_LIT("role")))
            file.role = read_text(p);
        else if (mi_json_string_is(key, MI_LIT("reader")))
            file.reader = read_text(p);
        else if (mi_json_string_is(key, MI_LIT("hash")))
            file.hash = read_text(p);
        else if (mi_json_string_is(key, MI_LIT("size_bytes")))
            read_i64(p, &file.size_bytes);
        else if (mi_json_string_is(key, MI_LIT("clock_unix_ns")))
            read_i64(p, &file.clock_unix_ns);
    }
    if (p->failed || mi_json_failed(&p->js))
        return false;
    if (hex)
        file.path = hex;
    if (!check_file(p, &file))
        return false;
    return mi_manifest_add_file(p->manifest, &file) || refuse(p, MI_ENOMEM, "out of memory");
}

static void read_files(struct parser *p)
{
    mi_json_begin_array(&p->js);
    while (!p->failed && mi_json_next_item(&p->js)) {
        if (p->manifest->file_count >= MAX_ENTRIES)
            refuse(p, MI_ELIMIT, "the manifest lists more than 100,000 files");
        else
            read_file(p);
    }
}

static void read_pairs(struct parser *p, struct mi_manifest_pair **list, size_t *count)
{
    struct mi_json_string key;
    mi_json_begin_object(&p->js);
    while (!p->failed && mi_json_next_key(&p->js, &key)) {
        const char *name = to_text(p, key), *text = name ? read_any_text(p) : NULL;
        if (text && *count >= MAX_ENTRIES)
            refuse(p, MI_ELIMIT, "the manifest holds more than 100,000 settings");
        else if (text && !add_pair(p->manifest, list, count, name, text))
            refuse(p, MI_ENOMEM, "out of memory");
    }
}

static void read_notes(struct parser *p)
{
    mi_json_begin_array(&p->js);
    while (!p->failed && mi_json_next_item(&p->js)) {
        const char *note = read_text(p);
        if (note && p->manifest->note_count >= MAX_ENTRIES)
            refuse(p, MI_ELIMIT, "the manifest holds more than 100,000 notes");
        else if (note && !mi_manifest_add_note(p->manifest, note))
            refuse(p, MI_ENOMEM, "out of memory");
    }
}

static void read_member(struct parser *p, struct mi_json_string key, const char **schema)
{
    struct mi_manifest *m = p->manifest;
    if (mi_json_string_is(key, MI_LIT("schema"))) {
        *schema = read_text(p);
        if (*schema && strcmp(*schema, MI_CAPTURE_SCHEMA) != 0)
            refuse(p, MI_EUNSUPPORTED,
                   "the manifest is of schema \"%.80s\"; this version reads " MI_CAPTURE_SCHEMA,
                   *schema);
    } else if (mi_json_string_is(key, MI_LIT("collector"))) {
        const char *collector = read_text(p);
        m->collector = collector ? collector : "";
    } else if (mi_json_string_is(key, MI_LIT("complete"))) {
        mi_json_bool(&p->js, &m->complete);
    } else if (mi_json_string_is(key, MI_LIT("start_unix_ns"))) {
        read_i64(p, &m->start_unix_ns);
    } else if (mi_json_string_is(key, MI_LIT("files"))) {
        read_files(p);
    } else if (mi_json_string_is(key, MI_LIT("settings"))) {
        read_pairs(p, &m->settings, &m->setting_count);
    } else if (mi_json_string_is(key, MI_LIT("versions"))) {
        read_pairs(p, &m->versions, &m->version_count);
    } else if (mi_json_string_is(key, MI_LIT("notes"))) {
        read_notes(p);
    }
}

bool mi_manifest_read(struct mi_manifest *manifest, struct mi_bytes json, const char *path,
                      struct mi_error *err)
{
    struct parser p = {.manifest = manifest, .err = err};
    struct mi_json_string key;
    const char *schema = NULL;
    if (json.len > MAX_BYTES) {
        mi_fail(err, MI_ELIMIT, "the manifest is larger than 64 MiB");
        return mi_error_in(err, path);
    }
    mi_json_init(&p.js, json, &(struct mi_json_options){.depth_limit = 64});
    mi_json_begin_object(&p.js);
    while (!p.failed && mi_json_next_key(&p.js, &key))
        read_member(&p, key, &schema);
    if (!p.failed && mi_json_done(&p.js) && !schema)
        refuse(&p, MI_EFORMAT, "the manifest does not state its schema");
    if (!p.failed && mi_json_failed(&p.js)) {
        p.failed = true;
        mi_fail_at(err, p.js.error.code, p.js.error.offset, p.js.error.line, "%s", p.js.error.text);
    }
    mi_scratch_fini(&p.scratch);
    return !p.failed || mi_error_in(err, path);
}
