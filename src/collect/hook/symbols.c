/* Where the real functions are, and what a program gets that asks for them by name.
 *
 * A program that links the runtime finds our functions first, as we are preloaded. One that asks
 * dlsym() for them (Python's ctypes, frameworks that open the runtime by name) would pass us by, so
 * dlsym() is interposed too. It is written in the processor's own language because the real one
 * looks at who calls it: for anything that is not ours it is jumped to, and sees its own caller. */
#include "collect/hook/hook.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Libraries that functions of the runtime may be in, however and whenever they were opened. */
static const char *const libraries[] = {"libascendcl", "libacl",    "libopapi", "libnnopbase",
                                        "libruntime",  "libmsprof", "libhccl"};

enum { FOUND_MAX = 24, PATH_BYTES = 1024, TRIES = 64 };

typedef void *dlsym_fn(void *, const char *);

static const char *const names[] = {
#define MI_HOOK_SYMBOL(name) #name,
#include "collect/hook/symbols.def"
#undef MI_HOOK_SYMBOL
};

static _Atomic(mi_hook_fn *) found[MI_SYMBOL_COUNT];
static _Atomic uint32_t missed[MI_SYMBOL_COUNT];

/* Jumped to from below. */
__attribute__((visibility("hidden"))) dlsym_fn *mi_hook_real_dlsym;
__attribute__((visibility("hidden"))) void *mi_hook_lookup(void *handle, const char *name);

/* --- the real dlsym --- */

static pthread_once_t has_dlsym = PTHREAD_ONCE_INIT;
static void *self; /* this library */

static void find_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    Dl_info here;
    void *at = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !at; i++)
        at = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !at; i++)
        at = dlvsym(RTLD_DEFAULT, "dlsym", versions[i]);
    memcpy(&mi_hook_real_dlsym, &at, sizeof at);
    if (dladdr(&self, &here) && here.dli_fname)
        self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

static void *ask(void *handle, const char *name)
{
    pthread_once(&has_dlsym, find_dlsym);
    return mi_hook_real_dlsym ? mi_hook_real_dlsym(handle, name) : NULL;
}

/* --- libraries that were opened without being made global --- */

struct opened {
    char paths[FOUND_MAX][PATH_BYTES];
    size_t count;
};

static int note_library(struct dl_phdr_info *info, size_t size, void *user)
{
    struct opened *opened = user;
    const char *path = info->dlpi_name ? info->dlpi_name : "", *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    (void)size;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0 && opened->count < FOUND_MAX &&
            strlen(path) < PATH_BYTES) {
            snprintf(opened->paths[opened->count++], PATH_BYTES, "%s", path);
            break;
        }
    return 0;
}

static void *ask_opened(const char *name)
{
    struct opened opened = {.count = 0};
    void *at = NULL;
    dl_iterate_phdr(note_library, &opened);
    for (size_t i = 0; i < opened.count && !at; i++) {
        void *handle = dlopen(opened.paths[i], RTLD_LAZY | RTLD_NOLOAD);
        if (handle) {
            at = ask(handle, name);
            dlclose(handle);
        }
    }
    return at;
}

static bool is_ours(const void *at)
{
    Dl_info there, here;
    return dladdr(at, &there) && dladdr(&self, &here) && there.dli_fbase == here.dli_fbase;
}

mi_hook_fn *mi_hook_real(enum mi_symbol symbol)
{
    mi_hook_fn *real = atomic_load_explicit(&found[symbol], memory_order_acquire);
    if (real)
        return real;
    /* Whoever calls has the runtime; what is not there after some calls is what an older one lacks.
     */
    if (atomic_load_explicit(&missed[symbol], memory_order_relaxed) >= TRIES)
        return NULL;
    atomic_fetch_add_explicit(&missed[symbol], 1, memory_order_relaxed);
    void *at = ask(RTLD_NEXT, names[symbol]);
    if (!at || is_ours(at))
        at = ask_opened(names[symbol]);
    if (!at || is_ours(at))
        return NULL;
    memcpy(&real, &at, sizeof at);
    atomic_store_explicit(&found[symbol], real, memory_order_release);
    return real;
}

/* --- dlsym --- */

#define NOTHING ((void *)1) /* to be returned as NULL */

/* An operator of the runtime that is in no list. */
static void *find_operator(void *handle, const char *name)
{
    char partner[PATH_BYTES];
    if (!mi_aclnn_partner(name, partner, sizeof partner))
        return NULL;
    void *real = ask(handle, name);
    return real && ask(handle, partner) ? mi_aclnn_stub(name, real) : NULL;
}

/* What dlsym() shall return: NULL = ask the real one. */
void *mi_hook_lookup(void *handle, const char *name)
{
    pthread_once(&has_dlsym, find_dlsym);
    if (!name || (strncmp(name, "acl", 3) != 0 && strncmp(name, "Hccl", 4) != 0) ||
        handle == RTLD_NEXT || !self)
        return NULL;
    void *own = ask(self, name), *real = own ? ask(handle, name) : NULL;
    if (!own)
        return find_operator(handle, name);
    if (!real)
        return NULL;
    for (size_t i = 0; i < MI_SYMBOL_COUNT; i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        if (is_ours(real))
            return mi_hook_real((enum mi_symbol)i) ? own : NOTHING;
        mi_hook_fn *none = NULL, *fn;
        memcpy(&fn, &real, sizeof real);
        atomic_compare_exchange_strong(&found[i], &none, fn);
        return own;
    }
    return NULL;
}

/* Sanitizers ask dlsym() before anything of ours could run; there it stays the real one. */
#if defined(MI_HOOK_NO_DLSYM)
#elif defined(__x86_64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "    pushq %rdi\n"
        "    pushq %rsi\n"
        "    subq $8, %rsp\n"
        "    call mi_hook_lookup\n"
        "    addq $8, %rsp\n"
        "    popq %rsi\n"
        "    popq %rdi\n"
        "    cmpq $1, %rax\n"
        "    ja 1f\n"
        "    je 2f\n"
        "    jmp *mi_hook_real_dlsym(%rip)\n"
        "2:  xorl %eax, %eax\n"
        "1:  ret\n"
        ".size dlsym, .-dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "    stp x29, x30, [sp, #-32]!\n"
        "    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n"
        "    bl mi_hook_lookup\n"
        "    mov x2, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    cmp x2, #1\n"
        "    b.hi 1f\n"
        "    b.eq 2f\n"
        "    adrp x3, mi_hook_real_dlsym\n"
        "    ldr x3, [x3, :lo12:mi_hook_real_dlsym]\n"
        "    br x3\n"
        "2:  mov x2, xzr\n"
        "1:  mov x0, x2\n"
        "    ret\n"
        ".size dlsym, .-dlsym\n");
#endif
