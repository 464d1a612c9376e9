/* As much of AscendCL's headers as the host programs of these tests use. */
#ifndef TESTS_FAKE_ACL_ACL_H
#define TESTS_FAKE_ACL_ACL_H

#include <stddef.h>
#include <stdint.h>

int aclInit(const char *config);
int aclFinalize(void);
int aclrtSetDevice(int32_t device);
int aclrtGetDevice(int32_t *device);
int aclrtResetDevice(int32_t device);
int aclrtSynchronizeDevice(void);
int aclrtCreateStream(void **stream);
int aclrtDestroyStream(void *stream);
int aclrtSynchronizeStream(void *stream);
int aclrtStreamGetId(void *stream, int32_t *id);
int aclrtGetThreadLastTaskId(uint32_t *id);
int aclrtCreateEvent(void **event);
int aclrtDestroyEvent(void *event);
int aclrtRecordEvent(void *event, void *stream);
int aclrtStreamWaitEvent(void *stream, void *event);
int aclrtSynchronizeEvent(void *event);
int aclrtBinaryGetFunction(void *binary, const char *kernel, void **function);
int aclrtLaunchKernel(void *function, uint32_t cores, const void *args, size_t bytes, void *stream);
int aclnnAdd(void *workspace, uint64_t bytes, void *executor, void *stream);
int aclnnRollGetWorkspaceSize(const void *in, int64_t shift, void *out, uint64_t *bytes,
                              void **executor);
int aclnnRoll(void *workspace, uint64_t bytes, void *executor, void *stream);
int aclnnCalculateRollSize(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e);
int aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind);
int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, int kind, void *stream);
int aclrtMemcpy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, int kind);
int aclrtMemcpy2dAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t height, int kind, void *stream);
int aclmdlLoadFromMem(const void *bytes, size_t size, uint32_t *id);
int aclmdlLoadFromFile(const char *path, uint32_t *id);
int aclmdlUnload(uint32_t id);
int aclmdlExecute(uint32_t id, const void *in, void *out);
int aclmdlExecuteAsync(uint32_t id, const void *in, void *out, void *stream);
int aclmdlBundleLoadFromFile(const char *path, uint32_t *id);
int aclmdlBundleLoadFromMem(const void *model, size_t bytes, uint32_t *id);
int aclmdlBundleGetModelId(uint32_t bundle, size_t place, uint32_t *id);
int aclmdlBundleUnload(uint32_t bundle);
int aclmdlRICaptureBegin(void *stream, int mode);
int aclmdlRICaptureGetInfo(void *stream, int *status, void **graph);
int aclmdlRICaptureEnd(void *stream, void **graph);
int aclmdlRIExecuteAsync(void *graph, void *stream);
int aclmdlRIExecute(void *graph, int32_t timeout_ms);
int aclmdlRIDestroy(void *graph);
int HcclAllReduce(void *from, void *to, uint64_t count, int type, int op, void *comm, void *stream);
int HcclAllGather(void *from, void *to, uint64_t count, int type, void *comm, void *stream);
int HcclBarrier(void *comm, void *stream);
int aclprofInit(const char *dir, size_t length);
void *aclprofCreateConfig(const uint32_t *devices, uint32_t count, int metrics, const void *events,
                          uint64_t mask);
int aclprofStart(const void *config);
int aclprofStop(const void *config);
int aclprofDestroyConfig(void *config);
int aclprofFinalize(void);

#endif
