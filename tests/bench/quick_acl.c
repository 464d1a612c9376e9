/* A runtime that does nothing, as fast as it can: what a call costs with the hook is then the
 * hook's. */
#include "fake_acl/acl.h"

#define API __attribute__((visibility("default")))

static _Thread_local uint32_t last_task;

API int aclrtGetDevice(int32_t *device)
{
    *device = 0;
    return 0;
}

API int aclrtStreamGetId(void *stream, int32_t *id)
{
    *id = (int32_t)(uintptr_t)stream & 0xff;
    return 0;
}

API int aclrtGetThreadLastTaskId(uint32_t *id)
{
    *id = last_task;
    return 0;
}

API int aclrtLaunchKernel(void *function, uint32_t cores, const void *args, size_t bytes,
                          void *stream)
{
    (void)function, (void)cores, (void)args, (void)bytes, (void)stream;
    last_task++;
    return 0;
}
