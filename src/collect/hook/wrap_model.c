/* Models: which file (or which bytes in memory) became which model id, and when it ran. */
#include "collect/hook/wrap.h"

#include <stdio.h>

enum { NAME_BYTES = 256, PATH_PTR = 2, ADDRESS_PTR = 3, SIZE = 4 /* aclmdlConfigAttr */ };

/* Copies the model first: the file may be gone, the memory free, once the call has returned. */
#define COPY_FILE(name, copied, path, id, ...)                                                     \
    do {                                                                                           \
        char copy[NAME_BYTES];                                                                     \
        mi_hook_copy_file(path, copy, sizeof copy);                                                \
        MI_CALL(name, (__VA_ARGS__));                                                              \
        MI_NOTE(name, false, path, .object = MI_MADE(id));                                         \
        note_copy(copied, is_noted, code, MI_MADE(id), copy);                                      \
        return code;                                                                               \
    } while (0)

#define COPY_MEMORY(name, copied, model, bytes, id, ...)                                           \
    do {                                                                                           \
        char copy[NAME_BYTES];                                                                     \
        mi_hook_copy_memory(model, bytes, copy, sizeof copy);                                      \
        MI_CALL(name, (__VA_ARGS__));                                                              \
        MI_NOTE(name, false, NULL, .object = MI_MADE(id), .size = bytes);                          \
        note_copy(copied, is_noted, code, MI_MADE(id), copy);                                      \
        return code;                                                                               \
    } while (0)

#define LOAD_FILE(name, ...)   COPY_FILE(name, MI_REC_model_copied, __VA_ARGS__)
#define LOAD_MEMORY(name, ...) COPY_MEMORY(name, MI_REC_model_copied, __VA_ARGS__)

static void note_copy(enum mi_rec_type type, bool is_noted, int code, uint64_t id, const char *copy)
{
    if (is_noted && code == 0 && *copy)
        mi_hook_note(&(struct mi_rec){.type = (uint16_t)type, .object = id}, mi_hook_now(), false,
                     copy);
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

/* --- bundles: files of several models --- */

MI_WRAP(aclmdlBundleLoadFromFile, const char *path, uint32_t *id)
{
    COPY_FILE(aclmdlBundleLoadFromFile, MI_REC_bundle_copied, path, id, path, id);
}

MI_WRAP(aclmdlBundleLoadFromMem, const void *model, size_t bytes, uint32_t *id)
{
    COPY_MEMORY(aclmdlBundleLoadFromMem, MI_REC_bundle_copied, model, bytes, id, model, bytes, id);
}

MI_WRAP(aclmdlBundleInitFromFile, const char *path, void *weights, size_t weight_bytes,
        uint32_t *id)
{
    COPY_FILE(aclmdlBundleInitFromFile, MI_REC_bundle_copied, path, id, path, weights, weight_bytes,
              id);
}

MI_WRAP(aclmdlBundleInitFromMem, const void *model, size_t bytes, void *weights,
        size_t weight_bytes, uint32_t *id)
{
    COPY_MEMORY(aclmdlBundleInitFromMem, MI_REC_bundle_copied, model, bytes, id, model, bytes,
                weights, weight_bytes, id);
}

/* The model at a place of the bundle. */
#define MEMBER(name, bundle, place, id, ...)                                                       \
    do {                                                                                           \
        MI_CALL(name, (__VA_ARGS__));                                                              \
        MI_NOTE(name, false, NULL, .object = MI_MADE(id),                                          \
                .size = (uint64_t)(uint32_t)(place) << 32 | (bundle));                             \
        return code;                                                                               \
    } while (0)

MI_WRAP(aclmdlBundleGetModelId, uint32_t bundle, size_t place, uint32_t *id)
{
    MEMBER(aclmdlBundleGetModelId, bundle, place, id, bundle, place, id);
}

MI_WRAP(aclmdlBundleLoadModel, uint32_t bundle, size_t place, uint32_t *id)
{
    MEMBER(aclmdlBundleLoadModel, bundle, place, id, bundle, place, id);
}

MI_WRAP(aclmdlBundleLoadModelWithMem, uint32_t bundle, size_t place, void *work, size_t work_bytes,
        void *weights, size_t weight_bytes, uint32_t *id)
{
    MEMBER(aclmdlBundleLoadModelWithMem, bundle, place, id, bundle, place, work, work_bytes,
           weights, weight_bytes, id);
}

MI_WRAP(aclmdlBundleLoadModelWithConfig, uint32_t bundle, size_t place, void *config, uint32_t *id)
{
    MEMBER(aclmdlBundleLoadModelWithConfig, bundle, place, id, bundle, place, config, id);
}

MI_WRAP(aclmdlBundleUnloadModel, uint32_t bundle, uint32_t id)
{
    MI_CALL(aclmdlBundleUnloadModel, (bundle, id));
    MI_NOTE(aclmdlBundleUnloadModel, false, NULL, .object = id);
    return code;
}

MI_WRAP(aclmdlBundleUnload, uint32_t id)
{
    MI_CALL(aclmdlBundleUnload, (id));
    MI_NOTE(aclmdlBundleUnload, false, NULL, .object = id);
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
