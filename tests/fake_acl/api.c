/* The symbols. Those of newer versions are left out with FAKE_ACL_OLD, to test against an older
 * runtime. */
#include "acl.h"
#include "fake.h"
#include "mspti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_PARAM = 100000, DEVICES = 8 };

static _Thread_local int32_t device;
static _Thread_local uint32_t last_task;

static struct fake_stream *stream_of(void *stream)
{
    return stream ? stream : fake_stream_default(device);
}

/* --- session, devices --- */

FAKE_API int aclInit(const char *config)
{
    (void)config;
    fake_report_find();
    const char *profile = getenv("FAKE_ACL_PROFILE"); /* the program runs under the tool */
    if (profile && fake_profile_init(profile, strlen(profile)) == 0)
        fake_profile_switch(true);
    return 0;
}

FAKE_API int aclFinalize(void)
{
    fake_log_write();
    if (getenv("FAKE_ACL_PROFILE"))
        fake_profile_write();
    return 0;
}

FAKE_API int aclrtSetDevice(int32_t wanted)
{
    if (wanted < 0 || wanted >= DEVICES)
        return BAD_PARAM;
    fake_report_find();
    device = wanted;
    return 0;
}

FAKE_API int aclrtGetDevice(int32_t *out)
{
    *out = device;
    return 0;
}

FAKE_API int aclrtResetDevice(int32_t wanted)
{
    fake_streams_wait(wanted);
    return 0;
}

FAKE_API int aclrtSynchronizeDevice(void)
{
    fake_streams_wait(device);
    return 0;
}

/* --- streams --- */

FAKE_API int aclrtCreateStream(void **stream)
{
    *stream = fake_stream_new(device);
    return 0;
}

FAKE_API int aclrtDestroyStream(void *stream)
{
    fake_stream_end(stream);
    return 0;
}

FAKE_API int aclrtSynchronizeStream(void *stream)
{
    fake_stream_wait(stream_of(stream));
    return 0;
}

#ifndef FAKE_ACL_OLD
FAKE_API int aclrtStreamGetId(void *stream, int32_t *id)
{
    *id = stream_of(stream)->id;
    return 0;
}

FAKE_API int aclrtGetThreadLastTaskId(uint32_t *id)
{
    *id = last_task;
    return 0;
}
#endif

/* --- events --- */

FAKE_API int aclrtCreateEvent(void **event)
{
    *event = malloc(sizeof(struct fake_event));
    fake_event_init(*event);
    return 0;
}

FAKE_API int aclrtDestroyEvent(void *event)
{
    free(event);
    return 0;
}

FAKE_API int aclrtRecordEvent(void *event, void *stream)
{
    struct fake_event *e = event;
    e->graph = stream_of(stream)->graph;
    pthread_mutex_lock(&e->lock);
    uint64_t turn = ++e->asked;
    pthread_mutex_unlock(&e->lock);
    last_task = fake_put(stream_of(stream), (struct fake_task){.kind = FAKE_RECORD,
                                                               .model = FAKE_NO_MODEL,
                                                               .type = "EVENT_RECORD",
                                                               .event = e,
                                                               .turn = turn});
    pthread_mutex_lock(&e->lock);
    if (turn == e->asked)
        e->recorded_id = (uint64_t)stream_of(stream)->id << 32 | last_task;
    pthread_mutex_unlock(&e->lock);
    return 0;
}

FAKE_API int aclrtStreamWaitEvent(void *stream, void *event)
{
    struct fake_event *e = event;
    if (e->graph)
        fake_graph_join(e->graph, stream_of(stream));
    pthread_mutex_lock(&e->lock);
    uint64_t turn = e->asked, record = e->recorded_id;
    pthread_mutex_unlock(&e->lock);
    last_task = fake_put(stream_of(stream), (struct fake_task){.kind = FAKE_WAIT,
                                                               .model = FAKE_NO_MODEL,
                                                               .type = "EVENT_WAIT",
                                                               .event = e,
                                                               .turn = turn});
    if (turn && !e->graph)
        fake_log_pair("pair", (int32_t)(record >> 32), (uint32_t)record, stream_of(stream)->id,
                      last_task);
    return 0;
}

FAKE_API int aclrtSynchronizeEvent(void *event)
{
    struct fake_event *e = event;
    pthread_mutex_lock(&e->lock);
    for (uint64_t turn = e->asked; e->reached < turn;)
        pthread_cond_wait(&e->change, &e->lock);
    pthread_mutex_unlock(&e->lock);
    return 0;
}

/* --- kernels and copies --- */

FAKE_API int aclrtBinaryGetFunction(void *binary, const char *kernel, void **function)
{
    (void)binary;
    *function = strdup(kernel);
    return 0;
}

FAKE_API int aclrtLaunchKernel(void *function, uint32_t cores, const void *args, size_t bytes,
                               void *stream)
{
    (void)cores, (void)args, (void)bytes;
    uint64_t start_ns = fake_now(), id = fake_report_begin();
    last_task = fake_put(stream_of(stream), (struct fake_task){.kind = FAKE_KERNEL,
                                                               .model = FAKE_NO_MODEL,
                                                               .type = "KERNEL_AICORE",
                                                               .name = function,
                                                               .correlation = id});
    fake_report_end(FAKE_API_ACL, "aclrtLaunchKernel", start_ns, id);
    return 0;
}

FAKE_API int aclnnAdd(void *workspace, uint64_t bytes, void *executor, void *stream)
{
    (void)workspace, (void)bytes, (void)executor;
    uint64_t start_ns = fake_now(), id = fake_report_begin();
    last_task = fake_put(stream_of(stream), (struct fake_task){.kind = FAKE_KERNEL,
                                                               .model = FAKE_NO_MODEL,
                                                               .type = "KERNEL_AICORE",
                                                               .op = "Add",
                                                               .name = "aclnnAdd_AddAiCore_Add",
                                                               .correlation = id});
    fake_report_end(FAKE_API_ACLNN, "aclnnAdd", start_ns, id);
    return 0;
}

/* Operators that the hook has no list of: it tells them by their partner. The last one has none,
 * and five arguments. */
FAKE_API int aclnnRollGetWorkspaceSize(const void *in, int64_t shift, void *out, uint64_t *bytes,
                                       void **executor)
{
    (void)in, (void)shift, (void)out;
    *bytes = 0;
    *executor = NULL;
    return 0;
}

FAKE_API int aclnnRoll(void *workspace, uint64_t bytes, void *executor, void *stream)
{
    (void)workspace, (void)bytes, (void)executor;
    last_task =
        fake_put(stream_of(stream), (struct fake_task){.kind = FAKE_KERNEL,
                                                       .model = FAKE_NO_MODEL,
                                                       .type = "KERNEL_AICORE",
                                                       .op = "Roll",
                                                       .name = "aclnnRoll_RollAiCore_Roll"});
    return 0;
}

FAKE_API int aclnnCalculateRollSize(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e)
{
    return (int)(a + 10 * b + 100 * c + 1000 * d + 10000 * e);
}

FAKE_API int aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind)
{
    (void)kind;
    if (bytes > room)
        return BAD_PARAM;
    memcpy(to, from, bytes);
    return 0;
}

static int copy_async(size_t bytes, int kind, void *stream, uint64_t start_ns, uint64_t id)
{
    last_task = fake_put(
        stream_of(stream),
        (struct fake_task){.kind = FAKE_COPY, .model = FAKE_NO_MODEL, .type = "MEMCPY_ASYNC"});
    fake_report_copy(device, stream_of(stream)->id, bytes, kind, start_ns, id);
    return 0;
}

FAKE_API int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, int kind,
                              void *stream)
{
    uint64_t start_ns = fake_now(), id = fake_report_begin();
    if (aclrtMemcpy(to, room, from, bytes, kind) != 0)
        return BAD_PARAM;
    return copy_async(bytes, kind, stream, start_ns, id);
}

FAKE_API int aclrtMemcpy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                           size_t width, size_t height, int kind)
{
    (void)kind;
    if (width > to_pitch || width > from_pitch)
        return BAD_PARAM;
    for (size_t row = 0; row < height; row++)
        memcpy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    return 0;
}

FAKE_API int aclrtMemcpy2dAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, int kind, void *stream)
{
    uint64_t start_ns = fake_now(), id = fake_report_begin();
    if (aclrtMemcpy2d(to, to_pitch, from, from_pitch, width, height, kind) != 0)
        return BAD_PARAM;
    return copy_async(width * height, kind, stream, start_ns, id);
}

/* --- models --- */

FAKE_API int aclmdlLoadFromMem(const void *bytes, size_t size, uint32_t *id)
{
    struct fake_model *model = fake_model_load(bytes, size, device);
    if (!model)
        return 145000;
    *id = model->id;
    fake_log_model(model->id, "memory");
    return 0;
}

FAKE_API int aclmdlLoadFromFile(const char *path, uint32_t *id)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 500002;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    void *bytes = malloc((size_t)size + 1);
    bool ok = size > 0 && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    struct fake_model *model = ok ? fake_model_load(bytes, (size_t)size, device) : NULL;
    free(bytes);
    if (!model)
        return 145000;
    *id = model->id;
    fake_log_model(model->id, path);
    return 0;
}

FAKE_API int aclmdlUnload(uint32_t id)
{
    struct fake_model *model = fake_model_find(id);
    if (!model)
        return BAD_PARAM;
    for (uint32_t s = 0; s < model->stream_count; s++)
        fake_stream_wait(model->streams[s]);
    model->is_gone = true;
    return 0;
}

FAKE_API int aclmdlExecute(uint32_t id, const void *in, void *out)
{
    struct fake_model *model = fake_model_find(id);
    (void)in, (void)out;
    if (!model)
        return BAD_PARAM;
    uint64_t start_ns = fake_now();
    fake_model_run(model);
    fake_log_execute(id, start_ns, fake_now());
    return 0;
}

FAKE_API int aclmdlExecuteAsync(uint32_t id, const void *in, void *out, void *stream)
{
    struct fake_model *model = fake_model_find(id);
    (void)in, (void)out;
    if (!model)
        return BAD_PARAM;
    uint64_t start_ns = fake_now();
    last_task = fake_put(stream_of(stream), (struct fake_task){.kind = FAKE_MODEL,
                                                               .model = FAKE_NO_MODEL,
                                                               .type = "MODEL_EXECUTE",
                                                               .run = model});
    fake_log_execute(id, start_ns, fake_now());
    return 0;
}

/* --- profiler --- */

FAKE_API int aclprofInit(const char *dir, size_t length)
{
    return fake_profile_init(dir, length);
}

FAKE_API void *aclprofCreateConfig(const uint32_t *devices, uint32_t count, int metrics,
                                   const void *events, uint64_t mask)
{
    (void)devices, (void)count, (void)metrics, (void)events, (void)mask;
    return malloc(1);
}

FAKE_API int aclprofStart(const void *config)
{
    fake_profile_switch(config != NULL);
    return config ? 0 : BAD_PARAM;
}

FAKE_API int aclprofStop(const void *config)
{
    fake_profile_switch(false);
    return config ? 0 : BAD_PARAM;
}

FAKE_API int aclprofDestroyConfig(void *config)
{
    free(config);
    return 0;
}

FAKE_API int aclprofFinalize(void)
{
    return fake_profile_write();
}
