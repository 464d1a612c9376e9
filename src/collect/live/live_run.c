/* The user's program as a child: its terminal, its signals, its exit code. */
#include "collect/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

enum { HANDED_ON = sizeof handed_on / sizeof *handed_on };

static void choose_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < HANDED_ON; i++)
        sigaddset(set, handed_on[i]);
}

/* Never returns: the program, or the reason why it could not be started through the pipe. */
static void become(const struct mi_live_var *vars, size_t count, char *const *argv,
                   const sigset_t *mask, int report)
{
    for (size_t i = 0; i < count; i++)
        if ((vars[i].value ? setenv(vars[i].name, vars[i].value, 1) : unsetenv(vars[i].name)) != 0)
            break;
    for (size_t i = 0; i < HANDED_ON; i++)
        signal(handed_on[i], SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    int error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* Ctrl-C comes from the terminal to all processes in front; only what was sent to us alone has to
 * be handed on, or the program would see it twice. */
static int wait_for(pid_t pid, const sigset_t *set)
{
    int status = 0;
    for (;;) {
        siginfo_t info;
        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
        int number = sigwaitinfo(set, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(pid, number);
    }
}

bool mi_live_run(const struct mi_live_var *vars, size_t count, char *const *argv, int *status,
                 struct mi_error *err)
{
    sigset_t set, before;
    int ends[2], error = 0;
    if (pipe(ends) != 0)
        return mi_fail(err, MI_EIO, "no pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    choose_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(vars, count, argv, &before, ends[1]);
    close(ends[1]);
    bool ok = pid > 0 || mi_fail(err, MI_EIO, "no process: %s", strerror(errno));
    if (ok && read(ends[0], &error, sizeof error) == sizeof error) {
        waitpid(pid, status, 0);
        ok = mi_fail(err, error == ENOENT ? MI_ENOTFOUND : MI_EIO, "it cannot be started: %s",
                     strerror(error));
        mi_error_in(err, argv[0]);
    }
    close(ends[0]);
    if (ok)
        *status = wait_for(pid, &set);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ok;
}
