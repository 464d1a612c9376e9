/* Single operators that are looked up by name, as frameworks do: any of them.
 *
 * An operator has two functions, aclnnNameGetWorkspaceSize() and aclnnName(), and all of the second
 * kind have one prototype. So a function that dlsym() finds, and that has its partner beside it, is
 * handed out as one of a store of stubs, each of which knows its number. Operators that a program
 * is linked with are seen where they stand in calls.def. */
#include "collect/hook/hook.h"

#include <pthread.h>
#include <stdio.h>

#define PARTNER "GetWorkspaceSize"

enum { NAME_BYTES = 96, STUBS = 1024 };

typedef int operator_fn(void *, uint64_t, void *, void *);

static struct {
    char name[NAME_BYTES];
    operator_fn *real;
} operators[STUBS];
static unsigned operator_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int call(unsigned number, void *workspace, uint64_t bytes, void *executor, void *stream)
{
    bool is_noted = mi_hook_notes();
    uint64_t start_ns = is_noted ? mi_hook_now() : 0;
    int code = operators[number].real(workspace, bytes, executor, stream);
    if (is_noted)
        mi_hook_note(&(struct mi_rec){.type = MI_REC_aclnn_operator,
                                      .code = code,
                                      .stream = (uint64_t)(uintptr_t)stream},
                     start_ns, true, operators[number].name);
    return code;
}

/* --- the store: stub_000 ... stub_3ff --- */

#define STUB(n)                                                                                    \
    static int stub_##n(void *workspace, uint64_t bytes, void *executor, void *stream)             \
    {                                                                                              \
        return call(0x##n, workspace, bytes, executor, stream);                                    \
    }
#define ADDRESS(n) stub_##n,

/* clang-format off */
#define TIMES_16(X, n) \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) \
    X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define TIMES_256(X, n) \
    TIMES_16(X, n##0) TIMES_16(X, n##1) TIMES_16(X, n##2) TIMES_16(X, n##3) \
    TIMES_16(X, n##4) TIMES_16(X, n##5) TIMES_16(X, n##6) TIMES_16(X, n##7) \
    TIMES_16(X, n##8) TIMES_16(X, n##9) TIMES_16(X, n##a) TIMES_16(X, n##b) \
    TIMES_16(X, n##c) TIMES_16(X, n##d) TIMES_16(X, n##e) TIMES_16(X, n##f)

TIMES_256(STUB, 0) TIMES_256(STUB, 1) TIMES_256(STUB, 2) TIMES_256(STUB, 3)

static operator_fn *const stubs[STUBS] = {
    TIMES_256(ADDRESS, 0) TIMES_256(ADDRESS, 1) TIMES_256(ADDRESS, 2) TIMES_256(ADDRESS, 3)};
/* clang-format on */

/* --- what dlsym() asks --- */

bool mi_aclnn_partner(const char *name, char *partner, size_t size)
{
    size_t len = strlen(name), end = sizeof PARTNER - 1;
    bool is_first_phase = len >= end && strcmp(name + len - end, PARTNER) == 0;
    return strncmp(name, "aclnn", 5) == 0 && len < NAME_BYTES && !is_first_phase &&
           (size_t)snprintf(partner, size, "%s" PARTNER, name) < size;
}

void *mi_aclnn_stub(const char *name, void *real)
{
    operator_fn *fn, *stub = NULL;
    void *at = NULL;
    memcpy(&fn, &real, sizeof fn);
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < operator_count && (operators[i].real != fn || strcmp(operators[i].name, name) != 0))
        i++;
    if (i == operator_count && i < STUBS) {
        snprintf(operators[i].name, NAME_BYTES, "%s", name);
        operators[i].real = fn;
        operator_count++;
    }
    if (i < operator_count)
        stub = stubs[i];
    pthread_mutex_unlock(&lock);
    memcpy(&at, &stub, sizeof at);
    return at;
}
