/* A process that becomes another program: what it has done so far is written before. All functions
 * of the family are interposed, since those of the C library call each other without our knowing.
 *
 * A child of vfork() shares the memory of its parent and is none of ours: it passes through. So
 * does a child of fork(), whose capture has not begun. */
#include "collect/hook/hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

enum { WORDS_MAX = 1000 };

typedef int execve_fn(const char *, char *const *, char *const *);
typedef int execv_fn(const char *, char *const *);
typedef int fexecve_fn(int, char *const *, char *const *);
typedef int execveat_fn(int, const char *, char *const *, char *const *, int);

static struct {
    execve_fn *execve, *execvpe;
    execv_fn *execv, *execvp;
    fexecve_fn *fexecve;
    execveat_fn *execveat;
} real;

static void find(const char *name, void *function)
{
    void *at = dlsym(RTLD_NEXT, name);
    memcpy(function, &at, sizeof at);
}

/* Early: a child of vfork() must not have to look for them. */
__attribute__((constructor)) static void find_all(void)
{
    find("execve", &real.execve);
    find("execvpe", &real.execvpe);
    find("execv", &real.execv);
    find("execvp", &real.execvp);
    find("fexecve", &real.fexecve);
    find("execveat", &real.execveat);
}

/* True: ours, to be resumed if the process goes on after all. */
static bool suspend(void)
{
    bool is_ours =
        atomic_load(&mi_hook.state) == MI_HOOK_ON && mi_hook.head->process == (uint32_t)getpid();
    if (is_ours) {
        mi_profile_suspend();
        mi_hook_flush_at_exit();
    }
    return is_ours;
}

static int resume(bool is_ours, int code)
{
    int error = errno;
    if (is_ours) {
        if (!atomic_load(&mi_hook.is_broken))
            mi_hook.head->state = MI_REC_RUNNING;
        mi_profile_initialise();
    }
    errno = error;
    return code;
}

#define PASS_ON(name, ...)                                                                         \
    do {                                                                                           \
        if (!real.name) {                                                                          \
            errno = ENOSYS;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        bool is_ours = suspend();                                                                  \
        return resume(is_ours, real.name(__VA_ARGS__));                                            \
    } while (0)

MI_HOOK_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    PASS_ON(execve, path, argv, envp);
}

MI_HOOK_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    PASS_ON(execvpe, file, argv, envp);
}

MI_HOOK_EXPORT int execv(const char *path, char *const argv[])
{
    PASS_ON(execv, path, argv);
}

MI_HOOK_EXPORT int execvp(const char *file, char *const argv[])
{
    PASS_ON(execvp, file, argv);
}

MI_HOOK_EXPORT int fexecve(int file, char *const argv[], char *const envp[])
{
    PASS_ON(fexecve, file, argv, envp);
}

MI_HOOK_EXPORT int execveat(int folder, const char *path, char *const argv[], char *const envp[],
                            int flags)
{
    PASS_ON(execveat, folder, path, argv, envp, flags);
}

/* --- those whose arguments are a list --- */

/* False: there are more than anybody writes down. */
static bool take_words(char *argv[WORDS_MAX + 1], const char *first, va_list *words)
{
    size_t count = 1;
    memcpy(&argv[0], &first, sizeof first);
    while (count <= WORDS_MAX && (argv[count] = va_arg(*words, char *)))
        count++;
    errno = E2BIG;
    return count <= WORDS_MAX;
}

MI_HOOK_EXPORT int execl(const char *path, const char *first, ...)
{
    char *argv[WORDS_MAX + 1];
    va_list words;
    va_start(words, first);
    bool ok = take_words(argv, first, &words);
    va_end(words);
    return ok ? execv(path, argv) : -1;
}

MI_HOOK_EXPORT int execlp(const char *file, const char *first, ...)
{
    char *argv[WORDS_MAX + 1];
    va_list words;
    va_start(words, first);
    bool ok = take_words(argv, first, &words);
    va_end(words);
    return ok ? execvp(file, argv) : -1;
}

MI_HOOK_EXPORT int execle(const char *path, const char *first, ...)
{
    char *argv[WORDS_MAX + 1];
    va_list words;
    va_start(words, first);
    bool ok = take_words(argv, first, &words); /* and the NULL behind them */
    char *const *envp = ok ? va_arg(words, char *const *) : NULL;
    va_end(words);
    return ok ? execve(path, argv, envp) : -1;
}
