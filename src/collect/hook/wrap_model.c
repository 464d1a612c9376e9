/* Models: which file (or which bytes in memory) became which model id, and when it ran. */
#include "collect/hook/wrap.h"

#include <stdio.h>

enum { NAME_BYTES = 256, PATH_PTR = 2, ADDRESS_PTR = 3, SIZE = 4 /* aclmdlConfigAttr */ };

/* Copies the model first: the file may be gone, the memory free, once the call has returned. */
#define LOAD_FILE(name, path, id, ...)                                                             \
    do {                                                                                           \
        char copy[NAME_BYTES];                                                                     \
        mi_hook_copy_file(path, copy, sizeof copy);                                                \
        MI_CALL(name, (__VA_ARGS__));                                                              \
        MI_NOTE(name, false, path, .object = MI_MADE(id));                                         \
        note_copy(is_noted, code, MI_MADE(id), copy);                                              \
        return code;                                                                               \
    } while (0)

#define LOAD_MEMORY(name, model, bytes, id, ...)                                                   \
    do {                                                                                           \
        char copy[NAME_BYTES];                                                                     \
        mi_hook_copy_memory(model, bytes, copy, sizeof copy);                                      \
        MI_CALL(name, (__VA_ARGS__));                                                              \
        MI_NOTE(name, false, NULL, .object = MI_MADE(id), .size = bytes);                          \
        note_copy(is_noted, code, MI_MADE(id), copy);                                              \
        return code;                                                                               \
    } while (0)

static void note_copy(bool is_noted, int code, uint64_t model, const char *copy)
{
    if (is_noted && code == 0 && *copy)
        mi_hook_note(&(struct mi_rec){.type = MI_REC_model_copied, .object = model}, mi_hook_now(),
                     false, copy);
}

MI_WRAP(aclmdlLoadFromFile, const char *path, uint32_t *id)
{
    LOAD_FILE(aclmdlLoadFromFile, path, id, path, id);
}

MI_WRAP(aclmdlLoadFromFileWithMem, const char *path, uint32_t *id, void *work, size_t work_bytes,
        void *weights, size_t weight_bytes)
{
    LOAD_FILE(aclmdlLoadFromFileWithMem, path, id, path, id, work, work_bytes, weights,
              weight_bytes);
}

MI_WRAP(aclmdlLoadFromFileWithQ, const char *path, uint32_t *id, const uint32_t *in,
        size_t in_count, const uint32_t *out, size_t out_count)
{
    LOAD_FILE(aclmdlLoadFromFileWithQ, path, id, path, id, in, in_count, out, out_count);
}

MI_WRAP(aclmdlLoadFromMem, const void *model, size_t bytes, uint32_t *id)
{
    LOAD_MEMORY(aclmdlLoadFromMem, model, bytes, id, model, bytes, id);
}

MI_WRAP(aclmdlLoadFromMemWithMem, const void *model, size_t bytes, uint32_t *id, void *work,
        size_t work_bytes, void *weights, size_t weight_bytes)
{
    LOAD_MEMORY(aclmdlLoadFromMemWithMem, model, bytes, id, model, bytes, id, work, work_bytes,
                weights, weight_bytes);
}

MI_WRAP(aclmdlLoadFromMemWithQ, const void *model, size_t bytes, uint32_t *id, const uint32_t *in,
        size_t in_count, const uint32_t *out, size_t out_count)
{
    LOAD_MEMORY(aclmdlLoadFromMemWithQ, model, bytes, id, model, bytes, id, in, in_count, out,
                out_count);
}

/* --- load by a list of settings --- */

/* Of the handle that this thread filled last; others are loaded without a name. */
static _Thread_local struct {
    const void *handle;
    const char *path;
    const void *model;
    size_t bytes;
} settings;

MI_WRAP(aclmdlSetConfigOpt, void *handle, int attr, const void *value, size_t bytes)
{
    MI_CALL(aclmdlSetConfigOpt, (handle, attr, value, bytes));
    (void)start_ns;
    if (!is_noted || code != 0 || !value)
        return code;
    if (settings.handle != handle) {
        memset(&settings, 0, sizeof settings);
        settings.handle = handle;
    }
    if (attr == PATH_PTR && bytes == sizeof settings.path)
        memcpy(&settings.path, value, bytes);
    else if (attr == ADDRESS_PTR && bytes == sizeof settings.model)
        memcpy(&settings.model, value, bytes);
    else if (attr == SIZE && bytes == sizeof settings.bytes)
        memcpy(&settings.bytes, value, bytes);
    return code;
}

MI_WRAP(aclmdlLoadWithConfig, const void *handle, uint32_t *id)
{
    bool is_known = settings.handle == handle;
    if (is_known && settings.path)
        LOAD_FILE(aclmdlLoadWithConfig, settings.path, id, handle, id);
    LOAD_MEMORY(aclmdlLoadWithConfig, is_known ? settings.model : NULL,
                is_known ? settings.bytes : 0, id, handle, id);
}

MI_WRAP(aclmdlUnload, uint32_t id)
{
    MI_CALL(aclmdlUnload, (id));
    MI_NOTE(aclmdlUnload, false, NULL, .object = id);
    return code;
}

/* --- running --- */

MI_WRAP(aclmdlExecute, uint32_t id, const void *in, void *out)
{
    MI_CALL(aclmdlExecute, (id, in, out));
    MI_NOTE(aclmdlExecute, false, NULL, .object = id);
    return code;
}

MI_WRAP(aclmdlExecuteV2, uint32_t id, const void *in, void *out, void *stream, const void *config)
{
    MI_CALL(aclmdlExecuteV2, (id, in, out, stream, config));
    MI_NOTE(aclmdlExecuteV2, true, NULL, .stream = MI_ID(stream), .object = id);
    return code;
}

MI_WRAP(aclmdlExecuteAsync, uint32_t id, const void *in, void *out, void *stream)
{
    MI_CALL(aclmdlExecuteAsync, (id, in, out, stream));
    MI_NOTE(aclmdlExecuteAsync, true, NULL, .stream = MI_ID(stream), .object = id, .size = 1);
    return code;
}

MI_WRAP(aclmdlExecuteAsyncV2, uint32_t id, const void *in, void *out, void *stream,
        const void *config)
{
    MI_CALL(aclmdlExecuteAsyncV2, (id, in, out, stream, config));
    MI_NOTE(aclmdlExecuteAsyncV2, true, NULL, .stream = MI_ID(stream), .object = id, .size = 1);
    return code;
}
