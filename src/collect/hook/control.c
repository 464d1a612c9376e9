/* The socket in the capture folder, control-<pid>.sock: whoever may write to the folder asks the
 * running process for a snapshot, a collection, its state or an end.
 *
 * A question is one word and a newline, the answer a few lines "key value", then the connection is
 * closed. Answered by the writer's thread, one at a time. */
#include "collect/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAIT_MS = 1000, QUESTION_BYTES = 64, ANSWER_BYTES = 1024 };

static char own_path[sizeof mi_hook.dir + 64];
static uint64_t own_device, own_inode; /* of the socket */

/* A path of a socket has 108 bytes at most; folders may have longer ones. */
static bool short_path(int folder, char *path, size_t size)
{
    return folder >= 0 && (size_t)snprintf(path, size, "/proc/self/fd/%d/control-%ld.sock", folder,
                                           (long)getpid()) < size;
}

int mi_control_open(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int folder = open(mi_hook.dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int listener = -1;
    if (short_path(folder, name.sun_path, sizeof name.sun_path)) {
        snprintf(own_path, sizeof own_path, "%s/control-%ld.sock", mi_hook.dir, (long)getpid());
        unlink(own_path); /* of a process that had our number before */
        listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (listener >= 0 && (fchmod(listener, 0600) != 0 ||
                              bind(listener, (struct sockaddr *)&name, sizeof name) != 0 ||
                              chmod(own_path, 0600) != 0 || listen(listener, 8) != 0)) {
            close(listener);
            listener = -1;
        }
    }
    if (folder >= 0)
        close(folder);
    struct stat info;
    if (listener >= 0 && fstat(listener, &info) == 0) {
        own_device = info.st_dev;
        own_inode = info.st_ino;
    }
    return listener;
}

void mi_control_close(int listener)
{
    if (mi_hook_owns(listener, own_device, own_inode))
        close(listener);
    if (own_path[0])
        unlink(own_path);
}

void mi_control_forget(void)
{
    own_path[0] = '\0';
}

/* --- questions --- */

static uint64_t issued(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < atomic_load(&mi_hook.ring_count); i++)
        sum += atomic_load_explicit(&mi_hook.rings[i].issued, memory_order_relaxed);
    return sum;
}

static void describe(char *answer, size_t size, const char *verdict)
{
    snprintf(
        answer, size,
        "%s\nprocess %ld\nrecords %llu\nmodels %llu\nprofiler %s\ntool %s\ngraph %s\nruntime %s\n"
        "dumps %s\n",
        verdict, (long)getpid(), (unsigned long long)issued(),
        (unsigned long long)atomic_load(&mi_hook.model_count), mi_profile_state(),
        mi_profile_name(), mi_hook.wants_graph ? "on" : "off", mi_hook.wants_runtime ? "on" : "off",
        mi_hook_dumps_graphs() ? "on" : "off");
}

/* Whether the capture ends with it. */
static bool answer_question(const char *question, char *answer, size_t size)
{
    bool is_stop = strcmp(question, "stop") == 0;
    if (strcmp(question, "collect") == 0) {
        mi_profile_collect();
        mi_hook_remark(MI_REC_collect, NULL);
        mi_hook_flush();
        describe(answer, size, "ok");
    } else if (is_stop) {
        mi_profile_stop();
        mi_hook_flush();
        describe(answer, size, "ok");
    } else if (strcmp(question, "snapshot") == 0) {
        mi_hook_snapshot();
        describe(answer, size, "ok");
    } else if (strcmp(question, "status") == 0) {
        describe(answer, size, "ok");
    } else {
        snprintf(answer, size, "error unknown question\n");
    }
    return is_stop;
}

static bool read_line(int peer, char *line, size_t size)
{
    size_t len = 0;
    while (len + 1 < size) {
        struct pollfd wait = {.fd = peer, .events = POLLIN};
        if (poll(&wait, 1, WAIT_MS) <= 0)
            return false;
        ssize_t got = read(peer, line + len, size - 1 - len);
        if (got <= 0)
            return false;
        len += (size_t)got;
        line[len] = '\0';
        char *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
            return true;
        }
    }
    return false;
}

int mi_control_answer(int listener)
{
    if (!mi_hook_owns(listener, own_device, own_inode))
        return -1;
    char question[QUESTION_BYTES], answer[ANSWER_BYTES];
    bool is_stop = false;
    int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (peer < 0)
        return listener;
    if (read_line(peer, question, sizeof question)) {
        is_stop = answer_question(question, answer, sizeof answer);
        if (is_stop)
            mi_hook_end_capture();
        if (send(peer, answer, strlen(answer), MSG_NOSIGNAL) < 0)
            is_stop = false; /* it has gone away; what it asked for is done */
    }
    close(peer);
    return listener;
}
