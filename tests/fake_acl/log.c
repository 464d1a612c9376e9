/* What ran: the truth that tests compare with, and what the profiler exports of it. */
#include "fake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct row {
    int32_t device, stream;
    uint32_t task;
    int64_t model;
    const char *type, *op, *name;
    uint64_t start_ns, end_ns;
    bool is_profiled;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row *rows;
static size_t row_count, row_room;
static char *words; /* all other lines of the truth */
static size_t words_len;
static bool is_profiling;
static char profile_dir[4096];
static unsigned profile_number;

static void say(const char *line)
{
    size_t len = strlen(line);
    pthread_mutex_lock(&lock);
    words = realloc(words, words_len + len + 1);
    memcpy(words + words_len, line, len + 1);
    words_len += len;
    pthread_mutex_unlock(&lock);
}

void fake_log_task(const struct fake_stream *stream, const struct fake_task *task,
                   uint64_t start_ns, uint64_t end_ns)
{
    pthread_mutex_lock(&lock);
    if (row_count == row_room) {
        row_room = row_room ? row_room * 2 : 1024;
        rows = realloc(rows, row_room * sizeof *rows);
    }
    rows[row_count++] = (struct row){.device = stream->device,
                                     .stream = stream->id,
                                     .task = task->id,
                                     .model = task->model,
                                     .type = task->type,
                                     .op = task->op ? task->op : "",
                                     .name = task->name ? task->name : "",
                                     .start_ns = start_ns,
                                     .end_ns = end_ns,
                                     .is_profiled = is_profiling};
    pthread_mutex_unlock(&lock);
}

void fake_log_model(uint32_t id, const char *path)
{
    char line[4200];
    snprintf(line, sizeof line, "model %u %s\n", id, path);
    say(line);
}

void fake_log_execute(uint32_t id, uint64_t start_ns, uint64_t end_ns)
{
    char line[128];
    snprintf(line, sizeof line, "execute %u %llu %llu\n", id, (unsigned long long)start_ns,
             (unsigned long long)(end_ns - start_ns));
    say(line);
}

void fake_log_pair(const char *word, int32_t record_stream, uint32_t record_task,
                   int32_t wait_stream, uint32_t wait_task)
{
    char line[128];
    snprintf(line, sizeof line, "%s %d %u %d %u\n", word, (int)record_stream, record_task,
             (int)wait_stream, wait_task);
    say(line);
}

void fake_log_write(void)
{
    const char *path = getenv("FAKE_ACL_TRUTH");
    FILE *file = path && *path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    pthread_mutex_lock(&lock);
    if (words_len)
        fwrite(words, 1, words_len, file);
    for (size_t i = 0; i < row_count; i++)
        fprintf(file, "task %d %d %u %lld %s %llu %llu %s\n", (int)rows[i].device,
                (int)rows[i].stream, rows[i].task, (long long)rows[i].model, rows[i].type,
                (unsigned long long)rows[i].start_ns,
                (unsigned long long)(rows[i].end_ns - rows[i].start_ns), rows[i].name);
    pthread_mutex_unlock(&lock);
    fclose(file);
}

/* --- the profiler --- */

int fake_profile_init(const char *dir, size_t length)
{
    char stamp[32];
    time_t now = time(NULL);
    struct tm when;
    gmtime_r(&now, &when);
    strftime(stamp, sizeof stamp, "%Y%m%d%H%M%S", &when);
    int len = snprintf(profile_dir, sizeof profile_dir, "%.*s/PROF_%06u_%s000_%c%c%c%c%c%c%c%c",
                       (int)length, dir, ++profile_number, stamp, 'A' + (int)(getpid() >> 20 & 15),
                       'A' + (int)(getpid() >> 16 & 15), 'A' + (int)(getpid() >> 12 & 15),
                       'A' + (int)(getpid() >> 8 & 15), 'A' + (int)(getpid() >> 4 & 15),
                       'A' + (int)(getpid() & 15), 'A', 'B');
    return len > 0 && (size_t)len < sizeof profile_dir && mkdir(profile_dir, 0777) == 0 ? 0
                                                                                        : 100000;
}

void fake_profile_switch(bool on)
{
    pthread_mutex_lock(&lock);
    is_profiling = on;
    pthread_mutex_unlock(&lock);
}

static FILE *open_raw(const char *name)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/device_0", profile_dir);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/device_0/data", profile_dir);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/device_0/data/%s", profile_dir, name);
    return fopen(path, "w");
}

static void put_us(FILE *file, uint64_t ns, const char *end)
{
    fprintf(file, "%llu.%03u%s", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000), end);
}

static long long model_of(const struct row *row)
{
    return row->model == FAKE_NO_MODEL ? 4294967295 : (long long)row->model;
}

static void put_summary(FILE *file, const struct row *row)
{
    fprintf(file, "%d,%lld,%u,%d,\"%s\",%s,static,AI_CORE,", (int)row->device, model_of(row),
            row->task, (int)row->stream, row->name, *row->op ? row->op : "N/A");
    put_us(file, row->start_ns, "\t,");
    put_us(file, row->end_ns - row->start_ns, ",0.000,8,N/A,NO\n");
}

static void put_time(FILE *file, const struct row *row)
{
    fprintf(file, "%d,%s,%s,%d,%u,", (int)row->device,
            strcmp(row->type, "KERNEL_AICORE") == 0 ? row->name : "N/A", row->type,
            (int)row->stream, row->task);
    put_us(file, row->end_ns - row->start_ns, ",");
    put_us(file, row->start_ns, "\t,");
    put_us(file, row->end_ns, "\t\n");
}

static int by_start(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

int fake_profile_write(void)
{
    FILE *summary = open_raw("op_summary.raw"), *times = open_raw("task_time.raw");
    if (!summary || !times)
        return 100000;
    pthread_mutex_lock(&lock);
    qsort(rows, row_count, sizeof *rows, by_start);
    fputs("Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start "
          "Time(us),"
          "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible\n",
          summary);
    fputs("Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_"
          "stop(us)\n",
          times);
    for (size_t i = 0; i < row_count; i++) {
        if (!rows[i].is_profiled)
            continue;
        if (strcmp(rows[i].type, "KERNEL_AICORE") == 0)
            put_summary(summary, &rows[i]);
        put_time(times, &rows[i]);
        rows[i].is_profiled = false;
    }
    pthread_mutex_unlock(&lock);
    fclose(summary);
    fclose(times);
    return 0;
}
