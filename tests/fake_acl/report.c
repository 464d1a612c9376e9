/* Hands what happens to the stand-in for MSPTI, if the process has loaded it. */
#include "mspti.h"

#include "fake.h"

#include <dlfcn.h>
#include <string.h>

static struct {
    void (*kernel)(uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, const char *, const char *);
    void (*api)(int, const char *, uint64_t, uint64_t, uint64_t);
    void (*copy)(uint32_t, uint32_t, uint64_t, int, uint64_t, uint64_t, uint64_t);
    void (*communication)(uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, const char *);
    uint64_t (*new_id)(void);
} mspti;
static _Atomic bool is_there;

static void find(void *handle, const char *name, void *function)
{
    void *at = dlsym(handle, name);
    memcpy(function, &at, sizeof at);
}

void fake_report_find(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    void *handle = atomic_load(&is_there) ? NULL : dlopen("libmspti.so", RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
        find(handle, "fake_mspti_kernel", &mspti.kernel);
        find(handle, "fake_mspti_api", &mspti.api);
        find(handle, "fake_mspti_copy", &mspti.copy);
        find(handle, "fake_mspti_communication", &mspti.communication);
        find(handle, "fake_mspti_new_id", &mspti.new_id);
        atomic_store(&is_there, mspti.kernel && mspti.api && mspti.copy && mspti.communication &&
                                    mspti.new_id);
    }
    pthread_mutex_unlock(&lock);
}

uint64_t fake_report_begin(void)
{
    return atomic_load(&is_there) ? mspti.new_id() : 0;
}

void fake_report_end(int kind, const char *name, uint64_t start_ns, uint64_t id)
{
    if (!atomic_load(&is_there))
        return;
    if (kind != FAKE_API_NODE)
        mspti.api(FAKE_API_RUNTIME, "KernelLaunch", start_ns, fake_now(), id);
    mspti.api(kind, name, start_ns, fake_now(), id);
}

void fake_report_kernel(const struct fake_stream *stream, const struct fake_task *task,
                        uint64_t start_ns, uint64_t end_ns)
{
    if (atomic_load(&is_there) && task->kind == FAKE_KERNEL)
        mspti.kernel((uint32_t)stream->device, (uint32_t)stream->id, start_ns, end_ns,
                     task->correlation, task->type, task->symbol ? task->symbol : task->name);
    if (atomic_load(&is_there) && task->kind == FAKE_COLLECTIVE)
        mspti.communication((uint32_t)stream->device, (uint32_t)stream->id, start_ns, end_ns,
                            task->correlation, task->name);
}

void fake_report_copy(int32_t device, int32_t stream, uint64_t bytes, int kind, uint64_t start_ns,
                      uint64_t id)
{
    if (atomic_load(&is_there))
        mspti.copy((uint32_t)device, (uint32_t)stream, bytes, kind, start_ns, fake_now(), id);
}
