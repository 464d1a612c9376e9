#include "collect/ort_api.h"

#include "base/decimal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void any_fn(void);

struct api_table {
    any_fn *slots[MI_ORT_SLOT_COUNT];
};

struct api_base {
    const struct api_table *(*GetApi)(uint32_t version);
    const char *(*GetVersionString)(void);
};

/* dlsym() gives an object pointer; POSIX promises that it holds a function all the same. */
static any_fn *find_function(void *library, const char *name)
{
    any_fn *function = NULL;
    void *address = dlsym(library, name);
    if (address)
        memcpy(&function, &address, sizeof function);
    return function;
}

/* The highest API version that a library of this version string serves: its minor number. Asking
 * for more makes the library print to standard error, so it is not tried out. 0: not understood. */
static uint32_t served_api(const char *version)
{
    uint64_t minor = 0;
    if (strncmp(version, "1.", 2) != 0)
        return 0;
    const char *at = version + 2;
    size_t len = strspn(at, "0123456789");
    unsigned flags = mi_decimal_u64(mi_bytes_sub(mi_cstr(at), 0, len), &minor);
    return flags || minor > UINT32_MAX ? 0 : (uint32_t)minor;
}

static bool bind(struct mi_ort *ort, const char *path, struct mi_error *err)
{
    any_fn *get_base = find_function(ort->library, "OrtGetApiBase");
    if (!get_base)
        return mi_fail(err, MI_EUNSUPPORTED, "%.150s is not ONNX Runtime: no OrtGetApiBase", path);
    const struct api_base *base = ((const struct api_base *(*)(void))get_base)();
    snprintf(ort->version, sizeof ort->version, "%s", base->GetVersionString());
    uint32_t served = served_api(ort->version);
    uint32_t api = served < MI_ORT_WANTED_API ? served : MI_ORT_WANTED_API;
    const struct api_table *table = api >= MI_ORT_LOWEST_API ? base->GetApi(api) : NULL;
    if (!table)
        return mi_fail(err, MI_EUNSUPPORTED, "%.120s is ONNX Runtime %s; 1.%d or later is needed",
                       path, ort->version, MI_ORT_LOWEST_API);
#define MI_ORT_BIND(name, slot, type, params) ort->name = (type(*) params)table->slots[slot];
    MI_ORT_ENTRIES(MI_ORT_BIND)
#undef MI_ORT_BIND
    return true;
}

bool mi_ort_open(struct mi_ort *ort, const char *path, struct mi_error *err)
{
    *ort = (struct mi_ort){0};
    ort->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!ort->library) {
        const char *why = dlerror();
        return mi_fail(err, MI_ENOTFOUND, "%s", why ? why : path);
    }
    /* Never closed again: its threads and thread-local data may outlive every session. */
    return bind(ort, path, err);
}

/* Tries `path`; a file that does not exist is no error but a reason to look further. */
static bool try_file(struct mi_ort *ort, const char *path, char *used, size_t size, bool *found,
                     struct mi_error *err)
{
    if (access(path, R_OK) != 0)
        return false;
    *found = true;
    snprintf(used, size, "%s", path);
    return mi_ort_open(ort, path, err);
}

const char *mi_ort_library(const char *name, char *path, size_t size)
{
    bool is_here = !strchr(name, '/') && access(name, F_OK) == 0;
    return is_here && (size_t)snprintf(path, size, "./%s", name) < size ? path : name;
}

bool mi_ort_find(struct mi_ort *ort, const char *wanted, char *used, size_t size,
                 struct mi_error *err)
{
    char here[512];
    if (!wanted)
        wanted = getenv("MI_ORT_LIB");
    if (wanted && wanted[0]) {
        wanted = mi_ort_library(wanted, here, sizeof here);
        snprintf(used, size, "%s", wanted);
        return mi_ort_open(ort, wanted, err);
    }
    static const char *const beside[] = {"../deps/ort/libonnxruntime.so",
                                         "../lib/model-inspector/libonnxruntime.so",
                                         "../lib/libonnxruntime.so"};
    char program[4096];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = NULL;
    if (len > 0) {
        program[len] = 0;
        slash = strrchr(program, '/');
    }
    for (size_t i = 0; slash && i < sizeof beside / sizeof *beside; i++) {
        char path[sizeof program + 64];
        bool found = false;
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - program), program, beside[i]);
        if (try_file(ort, path, used, size, &found, err))
            return true;
        if (found)
            return false;
    }
    static const char *const names[] = {"libonnxruntime.so.1", "libonnxruntime.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mi_error why = MI_ERROR_INIT;
        snprintf(used, size, "%s", names[i]);
        if (mi_ort_open(ort, names[i], &why))
            return true;
        if (why.code != MI_ENOTFOUND) {
            *err = why;
            return false;
        }
    }
    return mi_fail(err, MI_ENOTFOUND,
                   "ONNX Runtime was not found: give its library with --ort-lib or MI_ORT_LIB");
}

/* ONNX Runtime wraps a message in one of each enclosing node: the beginning says where it happened
 * and the end says what, so a long one loses its middle. */
static bool fail_with(const char *what, const char *message, struct mi_error *err)
{
    enum { HEAD_BYTES = 70, TAIL_BYTES = 130 };
    size_t len = strlen(message);
    if (len <= HEAD_BYTES + TAIL_BYTES)
        return mi_fail(err, MI_EUNSUPPORTED, "%s: %s", what, message);
    return mi_fail(err, MI_EUNSUPPORTED, "%s: %.*s ... %s", what, HEAD_BYTES, message,
                   message + (len - TAIL_BYTES));
}

bool mi_ort_ok(const struct mi_ort *ort, struct ort_status *status, const char *what,
               struct mi_error *err)
{
    if (!status)
        return true;
    fail_with(what, ort->GetErrorMessage(status), err);
    ort->ReleaseStatus(status);
    return false;
}
