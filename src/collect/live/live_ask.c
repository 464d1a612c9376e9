/* Questions to the processes of a capture, over the sockets that their hooks keep in its folder. */
#include "base/decimal.h"
#include "base/files.h"
#include "collect/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MS = 60000, ANSWER_BYTES = 4096 };

/* Through the number of the folder: a path of a socket has 108 bytes at most. */
static int connect_to(int folder, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int len =
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
    int peer = len > 0 && (size_t)len < sizeof address.sun_path
                   ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
                   : -1;
    if (peer >= 0 && connect(peer, (struct sockaddr *)&address, sizeof address) != 0) {
        close(peer);
        peer = -1;
    }
    return peer;
}

/* Stopping a profiler may take its time. */
static bool talk(int peer, const char *question, char *answer, size_t size)
{
    char line[64];
    size_t len = 0;
    int line_len = snprintf(line, sizeof line, "%s\n", question);
    if (send(peer, line, (size_t)line_len, MSG_NOSIGNAL) != line_len)
        return false;
    while (len + 1 < size) {
        struct pollfd wait = {.fd = peer, .events = POLLIN};
        if (poll(&wait, 1, ANSWER_MS) <= 0)
            return false;
        ssize_t got = read(peer, answer + len, size - 1 - len);
        if (got < 0)
            return false;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    answer[len] = '\0';
    return strncmp(answer, "ok\n", 3) == 0;
}

/* The word behind "key " at the start of a line. */
static struct mi_bytes value_of(const char *answer, const char *key)
{
    size_t key_len = strlen(key);
    for (const char *line = answer; line && *line;) {
        const char *end = strchr(line, '\n');
        size_t len = end ? (size_t)(end - line) : strlen(line);
        if (len > key_len && strncmp(line, key, key_len) == 0 && line[key_len] == ' ')
            return (struct mi_bytes){(const uint8_t *)line + key_len + 1, len - key_len - 1};
        line = end ? end + 1 : NULL;
    }
    return (struct mi_bytes){0};
}

static uint64_t number_of(const char *answer, const char *key)
{
    int64_t number;
    struct mi_bytes text = value_of(answer, key);
    return text.len && mi_decimal_i64(text, &number) == 0 && number > 0 ? (uint64_t)number : 0;
}

static bool is_on(const char *answer, const char *key)
{
    return mi_bytes_equal(value_of(answer, key), MI_LIT("on"));
}

static void copy_word(char *to, size_t size, const char *text, const char *key)
{
    struct mi_bytes word = value_of(text, key);
    snprintf(to, size, "%.*s", (int)word.len, (const char *)word.at);
}

static void understand(const char *text, struct mi_live_answer *answer)
{
    *answer = (struct mi_live_answer){.process = (long)number_of(text, "process"),
                                      .records = number_of(text, "records"),
                                      .models = number_of(text, "models"),
                                      .wants_graph = is_on(text, "graph"),
                                      .wants_runtime = is_on(text, "runtime"),
                                      .dumps = is_on(text, "dumps")};
    copy_word(answer->profiler, sizeof answer->profiler, text, "profiler");
    copy_word(answer->tool, sizeof answer->tool, text, "tool");
}

static bool is_socket_name(const char *name)
{
    size_t len = strlen(name);
    return strncmp(name, "control-", 8) == 0 && len > 13 && strcmp(name + len - 5, ".sock") == 0;
}

size_t mi_live_ask(const char *dir, const char *question,
                   struct mi_live_answer answers[MI_LIVE_ANSWERS_MAX])
{
    struct mi_dir listing;
    size_t count = 0;
    int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;
    if (!mi_dir_read(&listing, dir, MI_DIR_MAX_ENTRIES, NULL)) {
        close(folder);
        return 0;
    }
    for (uint32_t i = 0; i < listing.count && count < MI_LIVE_ANSWERS_MAX; i++) {
        char text[ANSWER_BYTES];
        int peer = is_socket_name(listing.entries[i].name)
                       ? connect_to(folder, listing.entries[i].name)
                       : -1;
        if (peer < 0)
            continue;
        if (talk(peer, question, text, sizeof text))
            understand(text, &answers[count++]);
        close(peer);
    }
    mi_dir_free(&listing);
    close(folder);
    return count;
}
