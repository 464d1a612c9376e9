#include "pipeline/inputs.h"

#include "base/files.h"
#include "parse/foreign.h"
#include "pipeline/folders.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_WALK_DEPTH = 32, MAX_WALK_ENTRIES = 200000, HEAD_BYTES = 4096, MAX_PATH_BYTES = 4096 };

void mi_inputs_init(struct mi_inputs *inputs)
{
    *inputs = (struct mi_inputs){0};
    mi_arena_init(&inputs->arena);
}

static void close_item(struct mi_item *item)
{
    if (item->records)
        item->reader->close_records(item->records);
    mi_input_close(&item->companion);
    mi_input_close(&item->input);
}

void mi_inputs_fini(struct mi_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        close_item(&inputs->items[i]);
    for (size_t i = 0; i < inputs->capture_count; i++)
        mi_manifest_fini(&inputs->captures[i]->manifest);
    mi_arena_fini(&inputs->arena);
    mi_inputs_init(inputs);
}

/* Lists in the arena double at powers of two. */
static void *grow(struct mi_inputs *inputs, void *list, size_t count, size_t size)
{
    if (count && count & (count - 1))
        return list;
    void *bigger = mi_arena_alloc(&inputs->arena, (count ? count * 2 : 1) * size);
    if (!bigger)
        inputs->failed = true;
    else if (count)
        memcpy(bigger, list, count * size);
    return bigger;
}

static const char *keep(struct mi_inputs *inputs, const char *text)
{
    struct mi_bytes copy = mi_arena_copy(&inputs->arena, mi_cstr(text));
    if (!copy.at)
        inputs->failed = true;
    return (const char *)copy.at;
}

static struct mi_item *add_item(struct mi_inputs *inputs, const char *path, bool is_named)
{
    const char *kept = keep(inputs, path);
    struct mi_item *items = grow(inputs, inputs->items, inputs->count, sizeof *items);
    if (!kept || !items)
        return NULL;
    inputs->items = items;
    struct mi_item *item = &items[inputs->count++];
    *item = (struct mi_item){.path = kept, .is_named = is_named, .error = MI_ERROR_INIT};
    return item;
}

/* "dir" + "name"; absolute names stay as they are. */
static const char *join(struct mi_inputs *inputs, const char *dir, const char *name)
{
    size_t len = strlen(dir);
    const char *slash = len && dir[len - 1] == '/' ? "" : "/";
    struct mi_bytes path = name[0] == '/'
                               ? mi_arena_printf(&inputs->arena, "%s", name)
                               : mi_arena_printf(&inputs->arena, "%s%s%s", dir, slash, name);
    if (!path.at)
        inputs->failed = true;
    return (const char *)path.at;
}

/* --- folders --- */

static bool is_file(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* True while `path` lies within the capture folder that was entered last: its files are listed
 * there. */
static bool is_inside(const char *path, const char *dir)
{
    size_t len = dir ? strlen(dir) : 0;
    return len && strncmp(path, dir, len) == 0 && path[len] == '/';
}

/* What this program itself writes into a capture folder. */
static bool is_own(const char *name)
{
    static const char *const names[] = {MI_CAPTURE_FILE, "graph.json", "trace.json", "summary.json",
                                        "msprof.log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Adds all files of a folder; those of captures below it are left to `inner`, which gets their
 * folders, or left out where it is NULL. */
static bool walk_folder(struct mi_inputs *inputs, const char *dir, struct mi_capture *capture,
                        bool (*inner)(struct mi_inputs *, const char *, const char *,
                                      struct mi_error *),
                        struct mi_error *err)
{
    struct mi_walk walk;
    const char *captured = NULL;
    if (!mi_walk_open(&walk, dir, MAX_WALK_DEPTH, MAX_WALK_ENTRIES, err))
        return false;
    bool ok = true;
    while (ok && mi_walk_next(&walk, err)) {
        if (is_inside(walk.path, captured) || walk.entry->name[0] == '.')
            continue;
        if (walk.entry->kind == MI_FILE_REGULAR) {
            bool is_left_out = capture && walk.depth == 0 && is_own(walk.entry->name);
            struct mi_item *item = is_left_out ? NULL : add_item(inputs, walk.path, false);
            ok = item || is_left_out;
            if (item)
                item->capture = capture;
        } else if (walk.entry->kind == MI_FILE_DIR) {
            const char *manifest = join(inputs, walk.path, MI_CAPTURE_FILE);
            if (is_file(manifest)) {
                captured = keep(inputs, walk.path);
                ok = !inner || inner(inputs, walk.path, manifest, err);
            }
        }
    }
    mi_walk_close(&walk);
    return ok && err->code == MI_OK;
}

/* --- capture folders --- */

static bool add_file_of(struct mi_inputs *inputs, struct mi_capture *capture,
                        const struct mi_manifest_file *file, struct mi_error *err)
{
    const char *path =
        strcmp(file->path, ".") == 0 ? capture->dir : join(inputs, capture->dir, file->path);
    if (is_folder(path) && file->path[0] != '/')
        return walk_folder(inputs, path, capture, NULL, err);
    struct mi_item *item = path ? add_item(inputs, path, false) : NULL;
    if (item) {
        item->capture = capture;
        item->entry = file;
    }
    return item != NULL;
}

static bool add_capture(struct mi_inputs *inputs, const char *dir, const char *manifest_path,
                        struct mi_error *err)
{
    struct mi_capture **list =
        grow(inputs, inputs->captures, inputs->capture_count, sizeof(struct mi_capture *));
    struct mi_capture *capture = mi_arena_alloc(&inputs->arena, sizeof *capture);
    dir = keep(inputs, dir);
    struct mi_input json;
    if (!list || !capture || !dir)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    if (!mi_input_open(&json, manifest_path, NULL, err))
        return false;
    capture->dir = dir;
    mi_manifest_init(&capture->manifest);
    bool ok = mi_manifest_read(&capture->manifest, json.bytes, manifest_path, err);
    mi_input_close(&json);
    if (!ok) {
        mi_manifest_fini(&capture->manifest);
        return false;
    }
    inputs->captures = list;
    inputs->captures[inputs->capture_count++] = capture;
    for (size_t i = 0; i < capture->manifest.file_count; i++) {
        const struct mi_manifest_file *file = &capture->manifest.files[i];
        if (strcmp(file->role, MI_ROLE_EXPORT) != 0 && !add_file_of(inputs, capture, file, err))
            return inputs->failed || err->code == MI_OK; /* memory: said by the caller */
    }
    return true;
}

/* --- plain folders --- */

static bool add_dir(struct mi_inputs *inputs, const char *dir, struct mi_error *err)
{
    const char *manifest = join(inputs, dir, MI_CAPTURE_FILE);
    return is_file(manifest) ? add_capture(inputs, dir, manifest, err)
                             : walk_folder(inputs, dir, NULL, add_capture, err);
}

bool mi_inputs_add(struct mi_inputs *inputs, const char *path, struct mi_error *err)
{
    struct stat info;
    bool ok;
    if (strcmp(path, "-") != 0 && stat(path, &info) != 0) {
        mi_fail(err, MI_ENOTFOUND, "no such file or folder");
        return mi_error_in(err, path);
    }
    if (strcmp(path, "-") != 0 && S_ISDIR(info.st_mode))
        ok = add_dir(inputs, path, err);
    else
        ok = add_item(inputs, path, true) != NULL;
    if (inputs->failed)
        ok = mi_fail(err, MI_ENOMEM, "out of memory");
    return ok || mi_error_in(err, path);
}

/* --- opening --- */

static void recognise(struct mi_item *item)
{
    struct mi_bytes bytes = item->input.bytes;
    struct mi_probe probe = {
        .path = item->path, .bytes = bytes, .head = mi_bytes_sub(bytes, 0, HEAD_BYTES)};
    const struct mi_reader *tied[2];
    item->reader = mi_reader_detect(&probe, tied);
    if (tied[0]) {
        mi_fail(&item->error, MI_EUSAGE,
                "this could be \"%s\" or \"%s\"; say which with --input-format", tied[0]->name,
                tied[1]->name);
    } else if (!item->reader) {
        char what[sizeof item->error.text];
        if (!item->is_named && !item->entry && (item->word = mi_folder_word(item->path)))
            return;
        mi_explain_foreign(bytes, what, sizeof what);
        mi_fail(&item->error, MI_EUNSUPPORTED, "%s", what);
    }
}

bool mi_inputs_complete(struct mi_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct mi_item *item = &inputs->items[i];
        if (!item->is_named && !item->entry)
            item->word = mi_folder_raw(item->path);
    }
    return mi_folders_mark_older(inputs);
}

/* A file beside the item that holds a part of its content. Whoever looks only at the item would not
 * know that something is missing, so one that cannot be opened is an error. */
static void open_companion(struct mi_item *item, const struct mi_input_options *options)
{
    char path[MAX_PATH_BYTES];
    struct stat info;
    const char *ending = item->reader ? item->reader->companion : NULL;
    if (!ending || !item->input.is_file || item->input.packing != MI_PACKING_NONE)
        return;
    int len = snprintf(path, sizeof path, "%s%s", item->path, ending);
    if (len < 0 || (size_t)len >= sizeof path || stat(path, &info) != 0 || info.st_size == 0)
        return;
    mi_input_open(&item->companion, path, options, &item->error);
}

void mi_item_open(struct mi_item *item, const struct mi_reader *forced,
                  const struct mi_input_options *options)
{
    struct stat info;
    if (item->newer || item->word) {
        item->input.disk_bytes = stat(item->path, &info) == 0 ? (uint64_t)info.st_size : 0;
        return;
    }
    if (!mi_input_open(&item->input, item->path, options, &item->error))
        return;
    if (item->entry && item->entry->reader[0])
        item->reader = mi_reader_find(item->entry->reader);
    else if (forced && !item->capture)
        item->reader = forced;
    if (!item->reader)
        recognise(item);
    open_companion(item, options);
    mi_error_in(&item->error, item->path);
}
