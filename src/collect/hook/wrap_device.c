/* Session and devices. */
#include "collect/hook/wrap.h"

MI_WRAP(aclInit, const char *config)
{
    mi_profile_prepare();
    MI_CALL(aclInit, (config));
    MI_NOTE(aclInit, false, NULL, .object = 0);
    if (code == 0)
        mi_profile_initialise();
    return code;
}

typedef int aclFinalize_fn(void);
MI_HOOK_EXPORT int aclFinalize(void);

MI_HOOK_EXPORT int aclFinalize(void)
{
    mi_profile_pause(); /* behind this point it could not */
    MI_CALL(aclFinalize, ());
    MI_NOTE(aclFinalize, false, NULL, .object = 0);
    return code;
}

MI_WRAP(aclrtSetDevice, int32_t device)
{
    MI_CALL(aclrtSetDevice, (device));
    if (code == 0)
        mi_hook_self.device = device;
    MI_NOTE(aclrtSetDevice, false, NULL, .object = (uint64_t)device);
    if (code == 0)
        mi_profile_device(device);
    return code;
}

MI_WRAP(aclrtResetDevice, int32_t device)
{
    MI_CALL(aclrtResetDevice, (device));
    MI_NOTE(aclrtResetDevice, false, NULL, .object = (uint64_t)device);
    return code;
}

MI_WRAP(aclrtResetDeviceForce, int32_t device)
{
    MI_CALL(aclrtResetDeviceForce, (device));
    MI_NOTE(aclrtResetDeviceForce, false, NULL, .object = (uint64_t)device);
    return code;
}

MI_WRAP(aclrtSetCurrentContext, void *context)
{
    MI_CALL(aclrtSetCurrentContext, (context));
    if (is_noted && code == 0)
        mi_hook_learn_device();
    MI_NOTE(aclrtSetCurrentContext, false, NULL, .object = (uint64_t)mi_hook_self.device);
    return code;
}

MI_WRAP(aclrtCreateContext, void **context, int32_t device)
{
    MI_CALL(aclrtCreateContext, (context, device));
    if (code == 0)
        mi_hook_self.device = device;
    MI_NOTE(aclrtCreateContext, false, NULL, .object = (uint64_t)device);
    if (code == 0)
        mi_profile_device(device);
    return code;
}
