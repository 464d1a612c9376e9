/* Kernels, single operators and copies. */
#include "collect/hook/wrap.h"

MI_WRAP(aclrtBinaryGetFunction, void *binary, const char *kernel, void **function)
{
    MI_CALL(aclrtBinaryGetFunction, (binary, kernel, function));
    MI_NOTE(aclrtBinaryGetFunction, false, kernel, .object = MI_MADE(function));
    return code;
}

MI_WRAP(aclrtLaunchKernel, void *function, uint32_t cores, const void *args, size_t bytes,
        void *stream)
{
    MI_CALL(aclrtLaunchKernel, (function, cores, args, bytes, stream));
    MI_NOTE(aclrtLaunchKernel, true, NULL, .stream = MI_ID(stream), .object = MI_ID(function),
            .size = cores);
    return code;
}

MI_WRAP(aclrtLaunchKernelV2, void *function, uint32_t cores, const void *args, size_t bytes,
        void *config, void *stream)
{
    MI_CALL(aclrtLaunchKernelV2, (function, cores, args, bytes, config, stream));
    MI_NOTE(aclrtLaunchKernelV2, true, NULL, .stream = MI_ID(stream), .object = MI_ID(function),
            .size = cores);
    return code;
}

MI_WRAP(aclrtLaunchKernelWithConfig, void *function, uint32_t cores, void *stream, void *config,
        void *args, void *reserved)
{
    MI_CALL(aclrtLaunchKernelWithConfig, (function, cores, stream, config, args, reserved));
    MI_NOTE(aclrtLaunchKernelWithConfig, true, NULL, .stream = MI_ID(stream),
            .object = MI_ID(function), .size = cores);
    return code;
}

MI_WRAP(aclrtLaunchKernelWithHostArgs, void *function, uint32_t cores, void *stream, void *config,
        void *args, size_t bytes, void *places, size_t count)
{
    MI_CALL(aclrtLaunchKernelWithHostArgs,
            (function, cores, stream, config, args, bytes, places, count));
    MI_NOTE(aclrtLaunchKernelWithHostArgs, true, NULL, .stream = MI_ID(stream),
            .object = MI_ID(function), .size = cores);
    return code;
}

MI_WRAP(aclrtLaunchCallback, void (*function)(void *), void *user, int kind, void *stream)
{
    MI_CALL(aclrtLaunchCallback, (function, user, kind, stream));
    MI_NOTE(aclrtLaunchCallback, true, NULL, .stream = MI_ID(stream));
    return code;
}

/* --- operators by their type --- */

MI_WRAP(aclopExecute, const char *type, int in_count, const void *const in[],
        const void *const in_data[], int out_count, const void *const out[], void *const out_data[],
        const void *attr, void *stream)
{
    MI_CALL(aclopExecute, (type, in_count, in, in_data, out_count, out, out_data, attr, stream));
    MI_NOTE(aclopExecute, true, type, .stream = MI_ID(stream));
    return code;
}

MI_WRAP(aclopExecuteV2, const char *type, int in_count, void *in[], void *in_data[], int out_count,
        void *out[], void *out_data[], void *attr, void *stream)
{
    MI_CALL(aclopExecuteV2, (type, in_count, in, in_data, out_count, out, out_data, attr, stream));
    MI_NOTE(aclopExecuteV2, true, type, .stream = MI_ID(stream));
    return code;
}

MI_WRAP(aclopCompileAndExecute, const char *type, int in_count, const void *const in[],
        const void *const in_data[], int out_count, const void *const out[], void *const out_data[],
        const void *attr, int engine, int flag, const char *path, void *stream)
{
    MI_CALL(aclopCompileAndExecute, (type, in_count, in, in_data, out_count, out, out_data, attr,
                                     engine, flag, path, stream));
    MI_NOTE(aclopCompileAndExecute, true, type, .stream = MI_ID(stream));
    return code;
}

#define MI_HOOK_CALL(number, name, role)
#define MI_HOOK_FOUND(number, name, role)
#define MI_HOOK_ACLNN(number, name)                                                                \
    MI_WRAP(name, void *workspace, uint64_t bytes, void *executor, void *stream)                   \
    {                                                                                              \
        MI_CALL(name, (workspace, bytes, executor, stream));                                       \
        MI_NOTE(name, true, NULL, .stream = MI_ID(stream));                                        \
        return code;                                                                               \
    }
#include "capture/calls.def"
#undef MI_HOOK_CALL

/* --- copies --- */

static uint64_t pack(size_t bytes, int kind)
{
    return (uint64_t)bytes | (uint64_t)(kind & 0xff) << 56;
}

MI_WRAP(aclrtMemcpy, void *to, size_t room, const void *from, size_t bytes, int kind)
{
    MI_CALL(aclrtMemcpy, (to, room, from, bytes, kind));
    MI_NOTE(aclrtMemcpy, false, NULL, .object = MI_ID(to), .size = pack(bytes, kind));
    return code;
}

MI_WRAP(aclrtMemcpyAsync, void *to, size_t room, const void *from, size_t bytes, int kind,
        void *stream)
{
    MI_CALL(aclrtMemcpyAsync, (to, room, from, bytes, kind, stream));
    MI_NOTE(aclrtMemcpyAsync, true, NULL, .stream = MI_ID(stream), .object = MI_ID(to),
            .size = pack(bytes, kind));
    return code;
}

MI_WRAP(aclrtMemcpy2d, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
        size_t height, int kind)
{
    MI_CALL(aclrtMemcpy2d, (to, to_pitch, from, from_pitch, width, height, kind));
    MI_NOTE(aclrtMemcpy2d, false, NULL, .object = MI_ID(to), .size = pack(width * height, kind));
    return code;
}

MI_WRAP(aclrtMemcpy2dAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch,
        size_t width, size_t height, int kind, void *stream)
{
    MI_CALL(aclrtMemcpy2dAsync, (to, to_pitch, from, from_pitch, width, height, kind, stream));
    MI_NOTE(aclrtMemcpy2dAsync, true, NULL, .stream = MI_ID(stream), .object = MI_ID(to),
            .size = pack(width * height, kind));
    return code;
}

MI_WRAP(aclrtMemset, void *to, size_t room, int32_t value, size_t bytes)
{
    MI_CALL(aclrtMemset, (to, room, value, bytes));
    MI_NOTE(aclrtMemset, false, NULL, .object = MI_ID(to), .size = pack(bytes, MI_REC_COPY_SET));
    return code;
}

MI_WRAP(aclrtMemsetAsync, void *to, size_t room, int32_t value, size_t bytes, void *stream)
{
    MI_CALL(aclrtMemsetAsync, (to, room, value, bytes, stream));
    MI_NOTE(aclrtMemsetAsync, true, NULL, .stream = MI_ID(stream), .object = MI_ID(to),
            .size = pack(bytes, MI_REC_COPY_SET));
    return code;
}
