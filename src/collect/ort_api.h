/* ONNX Runtime's C interface, as much of it as running a model takes, reached by dlopen.
 *
 * The library exports one function, OrtGetApiBase(), whose GetApi(version) returns a table of
 * function pointers. Entries are appended from version to version and never move, so the position
 * in the table is the whole contract and no header of ONNX Runtime is needed. All entries used here
 * exist since API version 12 (ONNX Runtime 1.12). Functions return NULL on success or a status to
 * be released. */
#ifndef MI_COLLECT_ORT_API_H
#define MI_COLLECT_ORT_API_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { MI_ORT_LOWEST_API = 12, MI_ORT_WANTED_API = 14, MI_ORT_SLOT_COUNT = 147 };

/* Opaque objects of ONNX Runtime. */
struct ort_status;
struct ort_env;
struct ort_options;
struct ort_session;
struct ort_run_options;
struct ort_value;
struct ort_memory_info;
struct ort_allocator;
struct ort_type_info;
struct ort_tensor_info;

/* ONNXType: what an input is. */
enum { MI_ORT_TYPE_TENSOR = 1 };

typedef struct ort_status *ort_result; /* NULL = success; else to be released */

/* clang-format off */
/* X(name, position, return type, parameters) */
#define MI_ORT_ENTRIES(X)                                                                          \
    X(GetErrorMessage, 2, const char *, (const struct ort_status *))                               \
    X(CreateEnv, 3, ort_result, (int level, const char *id, struct ort_env **))                            \
    X(CreateSession, 7, ort_result, (const struct ort_env *, const char *path,                             \
                             const struct ort_options *, struct ort_session **))                   \
    X(Run, 9, ort_result, (struct ort_session *, const struct ort_run_options *,                           \
                   const char *const *in_names, const struct ort_value *const *ins, size_t in_count, \
                   const char *const *out_names, size_t out_count, struct ort_value **outs))       \
    X(CreateSessionOptions, 10, ort_result, (struct ort_options **))                                       \
    X(SetOptimizedModelFilePath, 11, ort_result, (struct ort_options *, const char *path))                 \
    X(SetSessionExecutionMode, 13, ort_result, (struct ort_options *, int mode))                           \
    X(EnableProfiling, 14, ort_result, (struct ort_options *, const char *prefix))                         \
    X(SetSessionGraphOptimizationLevel, 23, ort_result, (struct ort_options *, int level))                 \
    X(SetIntraOpNumThreads, 24, ort_result, (struct ort_options *, int count))                             \
    X(SetInterOpNumThreads, 25, ort_result, (struct ort_options *, int count))                             \
    X(RegisterCustomOpsLibrary, 29, ort_result, (struct ort_options *, const char *path, void **library))  \
    X(SessionGetInputCount, 30, ort_result, (const struct ort_session *, size_t *))                        \
    X(SessionGetOutputCount, 31, ort_result, (const struct ort_session *, size_t *))                       \
    X(SessionGetInputTypeInfo, 33, ort_result, (const struct ort_session *, size_t,                        \
                                        struct ort_type_info **))                                  \
    X(SessionGetInputName, 36, ort_result, (const struct ort_session *, size_t, struct ort_allocator *,    \
                                    char **))                                                      \
    X(SessionGetOutputName, 37, ort_result, (const struct ort_session *, size_t, struct ort_allocator *,   \
                                     char **))                                                     \
    X(CreateRunOptions, 39, ort_result, (struct ort_run_options **))                                       \
    X(RunOptionsSetTerminate, 46, ort_result, (struct ort_run_options *))                                  \
    X(CreateTensorAsOrtValue, 48, ort_result, (struct ort_allocator *, const int64_t *dims, size_t rank,   \
                                       int element_type, struct ort_value **))                     \
    X(CreateTensorWithDataAsOrtValue, 49, ort_result, (const struct ort_memory_info *, void *data,         \
                                               size_t bytes, const int64_t *dims, size_t rank,     \
                                               int element_type, struct ort_value **))             \
    X(FillStringTensor, 52, ort_result, (struct ort_value *, const char *const *texts, size_t count))      \
    X(CastTypeInfoToTensorInfo, 55, ort_result, (const struct ort_type_info *,                             \
                                         const struct ort_tensor_info **))                         \
    X(GetOnnxTypeFromTypeInfo, 56, ort_result, (const struct ort_type_info *, int *))                      \
    X(GetTensorElementType, 60, ort_result, (const struct ort_tensor_info *, int *))                       \
    X(GetDimensionsCount, 61, ort_result, (const struct ort_tensor_info *, size_t *))                      \
    X(GetDimensions, 62, ort_result, (const struct ort_tensor_info *, int64_t *, size_t))                  \
    X(GetSymbolicDimensions, 63, ort_result, (const struct ort_tensor_info *, const char **, size_t))      \
    X(CreateCpuMemoryInfo, 69, ort_result, (int allocator_type, int memory_type,                           \
                                    struct ort_memory_info **))                                    \
    X(AllocatorFree, 76, ort_result, (struct ort_allocator *, void *))                                     \
    X(GetAllocatorWithDefaultOptions, 78, ort_result, (struct ort_allocator **))                           \
    X(ReleaseStatus, 93, void, (struct ort_status *))                                              \
    X(ReleaseMemoryInfo, 94, void, (struct ort_memory_info *))                                     \
    X(ReleaseSession, 95, void, (struct ort_session *))                                            \
    X(ReleaseValue, 96, void, (struct ort_value *))                                                \
    X(ReleaseTypeInfo, 98, void, (struct ort_type_info *))                                         \
    X(SessionEndProfiling, 110, ort_result, (struct ort_session *, struct ort_allocator *, char **))       \
    X(AddSessionConfigEntry, 130, ort_result, (struct ort_options *, const char *key, const char *value))  \
    X(SessionGetProfilingStartTimeNs, 146, ort_result, (const struct ort_session *, uint64_t *))
/* clang-format on */

struct mi_ort {
#define MI_ORT_FIELD(name, slot, type, params) type(*name) params;
    MI_ORT_ENTRIES(MI_ORT_FIELD)
#undef MI_ORT_FIELD
    char version[64]; /* "1.28.2" as the library says */
    void *library;
};

/* Loads the library at `path` (a file, or a name for the system's search) and binds the entries.
 * MI_ENOTFOUND: it cannot be loaded; MI_EUNSUPPORTED: it is no ONNX Runtime or too old. */
bool mi_ort_open(struct mi_ort *ort, const char *path, struct mi_error *err);

/* A library as a user names it: one in the current folder need not be called ./NAME. Returns `name`
 * or `path` (size bytes). */
const char *mi_ort_library(const char *name, char *path, size_t size);

/* Finds and loads ONNX Runtime: `wanted` if given, else MI_ORT_LIB of the environment, else
 * deps/ort and lib beside the program's folder, else the system's. `used` (size bytes) receives
 * what was loaded. */
bool mi_ort_find(struct mi_ort *ort, const char *wanted, char *used, size_t size,
                 struct mi_error *err);

/* True if `status` is NULL; else fails with MI_EUNSUPPORTED and ONNX Runtime's own words, and
 * releases it. `what` says what was tried. */
bool mi_ort_ok(const struct mi_ort *ort, struct ort_status *status, const char *what,
               struct mi_error *err);

#endif
