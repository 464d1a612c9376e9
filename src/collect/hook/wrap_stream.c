/* Streams and events: which handle is which stream, who records an event and who waits for it. */
#include "collect/hook/wrap.h"

/* A new stream may have the handle of one that is gone: its id is told anew. */
static void forget(const void *stream)
{
    uint64_t key = MI_ID(stream) + 1;
    mi_hook_self.last_stream = 0;
    mi_hook_self.streams[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 58] = 0;
}

static uint64_t id_of(void *stream)
{
    typedef int ask_fn(void *, int32_t *);
    ask_fn *ask = (ask_fn *)mi_hook_real(MI_SYMBOL_aclrtStreamGetId);
    int32_t id = -1;
    mi_hook_self.is_busy = true;
    bool ok = ask && ask(stream, &id) == 0;
    mi_hook_self.is_busy = false;
    return ok ? (uint64_t)(int64_t)id : UINT64_MAX;
}

#define NOTE_CREATED(name)                                                                         \
    MI_NOTE(name, false, NULL, .stream = MI_MADE(stream),                                          \
            .size = code == 0 && stream ? id_of(*stream) : UINT64_MAX)

MI_WRAP(aclrtCreateStream, void **stream)
{
    MI_CALL(aclrtCreateStream, (stream));
    NOTE_CREATED(aclrtCreateStream);
    return code;
}

MI_WRAP(aclrtCreateStreamWithConfig, void **stream, uint32_t priority, uint32_t flag)
{
    MI_CALL(aclrtCreateStreamWithConfig, (stream, priority, flag));
    NOTE_CREATED(aclrtCreateStreamWithConfig);
    return code;
}

MI_WRAP(aclrtDestroyStream, void *stream)
{
    MI_CALL(aclrtDestroyStream, (stream));
    forget(stream);
    MI_NOTE(aclrtDestroyStream, false, NULL, .stream = MI_ID(stream));
    return code;
}

MI_WRAP(aclrtDestroyStreamForce, void *stream)
{
    MI_CALL(aclrtDestroyStreamForce, (stream));
    forget(stream);
    MI_NOTE(aclrtDestroyStreamForce, false, NULL, .stream = MI_ID(stream));
    return code;
}

MI_WRAP(aclrtSynchronizeStream, void *stream)
{
    MI_CALL(aclrtSynchronizeStream, (stream));
    MI_NOTE(aclrtSynchronizeStream, false, NULL, .stream = MI_ID(stream));
    return code;
}

MI_WRAP(aclrtSynchronizeStreamWithTimeout, void *stream, int32_t timeout)
{
    MI_CALL(aclrtSynchronizeStreamWithTimeout, (stream, timeout));
    MI_NOTE(aclrtSynchronizeStreamWithTimeout, false, NULL, .stream = MI_ID(stream));
    return code;
}

typedef int aclrtSynchronizeDevice_fn(void);
MI_HOOK_EXPORT int aclrtSynchronizeDevice(void);

MI_HOOK_EXPORT int aclrtSynchronizeDevice(void)
{
    MI_CALL(aclrtSynchronizeDevice, ());
    MI_NOTE(aclrtSynchronizeDevice, false, NULL, .object = 0);
    return code;
}

MI_WRAP(aclrtSynchronizeDeviceWithTimeout, int32_t timeout)
{
    MI_CALL(aclrtSynchronizeDeviceWithTimeout, (timeout));
    MI_NOTE(aclrtSynchronizeDeviceWithTimeout, false, NULL, .object = 0);
    return code;
}

/* --- events --- */

MI_WRAP(aclrtCreateEvent, void **event)
{
    MI_CALL(aclrtCreateEvent, (event));
    MI_NOTE(aclrtCreateEvent, false, NULL, .object = MI_MADE(event));
    return code;
}

MI_WRAP(aclrtCreateEventWithFlag, void **event, uint32_t flag)
{
    MI_CALL(aclrtCreateEventWithFlag, (event, flag));
    MI_NOTE(aclrtCreateEventWithFlag, false, NULL, .object = MI_MADE(event), .size = flag);
    return code;
}

MI_WRAP(aclrtCreateEventExWithFlag, void **event, uint32_t flag)
{
    MI_CALL(aclrtCreateEventExWithFlag, (event, flag));
    MI_NOTE(aclrtCreateEventExWithFlag, false, NULL, .object = MI_MADE(event), .size = flag);
    return code;
}

MI_WRAP(aclrtDestroyEvent, void *event)
{
    MI_CALL(aclrtDestroyEvent, (event));
    MI_NOTE(aclrtDestroyEvent, false, NULL, .object = MI_ID(event));
    return code;
}

MI_WRAP(aclrtRecordEvent, void *event, void *stream)
{
    MI_CALL(aclrtRecordEvent, (event, stream));
    MI_NOTE(aclrtRecordEvent, true, NULL, .stream = MI_ID(stream), .object = MI_ID(event));
    return code;
}

MI_WRAP(aclrtStreamWaitEvent, void *stream, void *event)
{
    MI_CALL(aclrtStreamWaitEvent, (stream, event));
    MI_NOTE(aclrtStreamWaitEvent, true, NULL, .stream = MI_ID(stream), .object = MI_ID(event));
    return code;
}

MI_WRAP(aclrtStreamWaitEventWithTimeout, void *stream, void *event, int32_t timeout)
{
    MI_CALL(aclrtStreamWaitEventWithTimeout, (stream, event, timeout));
    MI_NOTE(aclrtStreamWaitEventWithTimeout, true, NULL, .stream = MI_ID(stream),
            .object = MI_ID(event));
    return code;
}

MI_WRAP(aclrtResetEvent, void *event, void *stream)
{
    MI_CALL(aclrtResetEvent, (event, stream));
    MI_NOTE(aclrtResetEvent, true, NULL, .stream = MI_ID(stream), .object = MI_ID(event));
    return code;
}

MI_WRAP(aclrtSynchronizeEvent, void *event)
{
    MI_CALL(aclrtSynchronizeEvent, (event));
    MI_NOTE(aclrtSynchronizeEvent, false, NULL, .object = MI_ID(event));
    return code;
}

MI_WRAP(aclrtSynchronizeEventWithTimeout, void *event, int32_t timeout)
{
    MI_CALL(aclrtSynchronizeEventWithTimeout, (event, timeout));
    MI_NOTE(aclrtSynchronizeEventWithTimeout, false, NULL, .object = MI_ID(event));
    return code;
}
