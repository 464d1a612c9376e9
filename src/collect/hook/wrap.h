/* How a wrapper is written. All functions of AscendCL that are interposed return an aclError, an
 * int.
 *
 *   MI_WRAP(aclrtRecordEvent, void *event, void *stream)
 *   {
 *       MI_CALL(aclrtRecordEvent, (event, stream)); // the real one, timed: sets `code`
 *       MI_NOTE(aclrtRecordEvent, true, NULL, .stream = MI_ID(stream), .object = MI_ID(event));
 *       return code;
 *   }
 */
#ifndef MI_COLLECT_HOOK_WRAP_H
#define MI_COLLECT_HOOK_WRAP_H

#include "collect/hook/hook.h"

#define MI_WRAP(name, ...)                                                                         \
    typedef int name##_fn(__VA_ARGS__);                                                            \
    MI_HOOK_EXPORT int name(__VA_ARGS__);                                                          \
    MI_HOOK_EXPORT int name(__VA_ARGS__)

#define MI_CALL(name, args)                                                                        \
    name##_fn *real = (name##_fn *)mi_hook_real(MI_SYMBOL_##name);                                 \
    if (!real)                                                                                     \
        return MI_HOOK_UNSUPPORTED;                                                                \
    bool is_noted = mi_hook_notes();                                                               \
    uint64_t start_ns = is_noted ? mi_hook_now() : 0;                                              \
    int code = real args

/* `is_on_stream`: the call puts a task onto the stream. */
#define MI_NOTE(name, is_on_stream, text, ...)                                                     \
    do {                                                                                           \
        if (is_noted)                                                                              \
            mi_hook_note(&(struct mi_rec){.type = MI_REC_##name, .code = code, __VA_ARGS__},       \
                         start_ns, is_on_stream, text);                                            \
    } while (0)

#define MI_ID(pointer) ((uint64_t)(uintptr_t)(pointer))

/* What the function has written through `pointer`, if it went well. */
#define MI_MADE(pointer) (code == 0 && (pointer) ? MI_ID(*(pointer)) : 0)

#endif
