/* capture.json on disk: one layout, the same bytes for the same content. */
#include "base/files.h"
#include "base/json_write.h"
#include "capture/manifest.h"

#include <string.h>

static void write_file(struct mi_jw *jw, const struct mi_manifest_file *file)
{
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "path", file->path);
    mi_jw_hex_note(jw, "path_hex", mi_cstr(file->path));
    mi_jw_member_text(jw, "role", file->role);
    if (file->reader[0])
        mi_jw_member_text(jw, "reader", file->reader);
    if (file->size_bytes >= 0)
        mi_jw_member_i64(jw, "size_bytes", file->size_bytes);
    if (file->hash[0])
        mi_jw_member_text(jw, "hash", file->hash);
    if (file->clock_unix_ns) {
        mi_jw_key(jw, "clock_unix_ns");
        mi_jw_i64_string(jw, file->clock_unix_ns);
    }
    mi_jw_end(jw);
}

static void write_pairs(struct mi_jw *jw, const char *key, const struct mi_manifest_pair *list,
                        size_t count)
{
    mi_jw_key(jw, key);
    mi_jw_begin_object(jw);
    for (size_t i = 0; i < count; i++)
        mi_jw_member_text(jw, list[i].name, list[i].text);
    mi_jw_end(jw);
}

static void write_all(struct mi_jw *jw, const struct mi_manifest *manifest)
{
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "schema", MI_CAPTURE_SCHEMA);
    mi_jw_member_text(jw, "collector", manifest->collector);
    mi_jw_member_bool(jw, "complete", manifest->complete);
    if (manifest->start_unix_ns) {
        mi_jw_key(jw, "start_unix_ns");
        mi_jw_i64_string(jw, manifest->start_unix_ns);
    }
    mi_jw_key(jw, "files");
    mi_jw_begin_array(jw);
    for (size_t i = 0; i < manifest->file_count; i++)
        write_file(jw, &manifest->files[i]);
    mi_jw_end(jw);
    write_pairs(jw, "settings", manifest->settings, manifest->setting_count);
    write_pairs(jw, "versions", manifest->versions, manifest->version_count);
    mi_jw_key(jw, "notes");
    mi_jw_begin_array(jw);
    for (size_t i = 0; i < manifest->note_count; i++)
        mi_jw_text(jw, manifest->notes[i]);
    mi_jw_end(jw);
    mi_jw_end(jw);
}

bool mi_manifest_write(const struct mi_manifest *manifest, const char *dir, struct mi_error *err)
{
    struct mi_arena arena;
    struct mi_sink sink;
    struct mi_jw jw;
    mi_arena_init(&arena);
    size_t len = strlen(dir);
    struct mi_bytes path = mi_arena_printf(&arena, "%s%s%s", dir,
                                           len && dir[len - 1] == '/' ? "" : "/", MI_CAPTURE_FILE);
    mi_sink_init_memory(&sink);
    mi_jw_init(&jw, &sink, &(struct mi_jw_options){.indent = 1});
    write_all(&jw, manifest);
    bool ok = path.at || mi_fail(err, MI_ENOMEM, "out of memory");
    ok = ok && mi_jw_finish(&jw, err) &&
         mi_file_write((const char *)path.at, mi_sink_bytes(&sink), err);
    mi_sink_fini(&sink);
    mi_arena_fini(&arena);
    return ok || mi_error_in(err, dir);
}
