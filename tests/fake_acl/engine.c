/* Streams, and events between them. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEVICES = 8, KERNEL_NS = 4000, OTHER_NS = 300 };

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_stream *all;
static int32_t next_id[DEVICES];
static struct fake_stream *defaults[DEVICES];

uint64_t fake_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void work(uint32_t ns)
{
    for (uint64_t end = fake_now() + ns; fake_now() < end;)
        continue;
}

/* --- events --- */

void fake_event_init(struct fake_event *event)
{
    memset(event, 0, sizeof *event);
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->change, NULL);
}

static void reach(struct fake_event *event, uint64_t turn)
{
    pthread_mutex_lock(&event->lock);
    if (event->reached < turn)
        event->reached = turn;
    pthread_cond_broadcast(&event->change);
    pthread_mutex_unlock(&event->lock);
}

static void wait_for(struct fake_event *event, uint64_t turn)
{
    pthread_mutex_lock(&event->lock);
    while (event->reached < turn)
        pthread_cond_wait(&event->change, &event->lock);
    pthread_mutex_unlock(&event->lock);
}

/* --- streams --- */

static void run_task(struct fake_stream *stream, struct fake_task *task)
{
    uint64_t start_ns = fake_now();
    switch (task->kind) {
    case FAKE_RECORD:
        work(OTHER_NS);
        break;
    case FAKE_WAIT:
        wait_for(task->event, task->turn);
        break;
    case FAKE_MODEL:
        fake_model_run(task->run);
        break;
    case FAKE_SIGNAL:
        fake_model_signal(task->run);
        return; /* of our own making */
    case FAKE_KERNEL:
    case FAKE_COPY:
    case FAKE_COLLECTIVE:
        work(task->work_ns ? task->work_ns : KERNEL_NS);
        break;
    case FAKE_OTHER:
        work(OTHER_NS);
        break;
    }
    uint64_t end_ns = fake_now();
    fake_log_task(stream, task, start_ns, end_ns);
    fake_report_kernel(stream, task, start_ns, end_ns);
    if (task->kind == FAKE_RECORD)
        reach(task->event, task->turn);
}

static void *run_stream(void *user)
{
    struct fake_stream *stream = user;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (!stream->first && !stream->is_ending)
            pthread_cond_wait(&stream->change, &stream->lock);
        struct fake_task *task = stream->first;
        if (!task)
            break;
        stream->first = task->next;
        if (!stream->first)
            stream->last = NULL;
        pthread_mutex_unlock(&stream->lock);
        run_task(stream, task);
        free(task);
        pthread_mutex_lock(&stream->lock);
        stream->done++;
        pthread_cond_broadcast(&stream->change);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

struct fake_stream *fake_stream_new(int32_t device)
{
    struct fake_stream *stream = calloc(1, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->change, NULL);
    pthread_mutex_lock(&all_lock);
    stream->device = device;
    stream->id = 3 + next_id[device]++;
    stream->next = all;
    all = stream;
    pthread_mutex_unlock(&all_lock);
    pthread_create(&stream->thread, NULL, run_stream, stream);
    return stream;
}

struct fake_stream *fake_stream_default(int32_t device)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!defaults[device])
        defaults[device] = fake_stream_new(device);
    pthread_mutex_unlock(&lock);
    return defaults[device];
}

void fake_stream_end(struct fake_stream *stream)
{
    pthread_mutex_lock(&all_lock);
    for (struct fake_stream **at = &all; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    pthread_mutex_unlock(&all_lock);
    pthread_mutex_lock(&stream->lock);
    stream->is_ending = true;
    pthread_cond_broadcast(&stream->change);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    free(stream);
}

uint32_t fake_put(struct fake_stream *stream, struct fake_task task)
{
    if (stream->graph && task.model == FAKE_NO_MODEL)
        return fake_graph_take(stream->graph, &task);
    struct fake_task *kept = malloc(sizeof *kept);
    *kept = task;
    kept->next = NULL;
    pthread_mutex_lock(&stream->lock);
    if (task.model == FAKE_NO_MODEL)
        kept->id = stream->next_task++ & 0xffff;
    uint32_t id = kept->id;
    if (stream->last)
        stream->last->next = kept;
    else
        stream->first = kept;
    stream->last = kept;
    stream->put++;
    pthread_cond_broadcast(&stream->change);
    pthread_mutex_unlock(&stream->lock);
    return id;
}

void fake_stream_wait(struct fake_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    for (uint64_t wanted = stream->put; stream->done < wanted;)
        pthread_cond_wait(&stream->change, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

void fake_streams_wait(int32_t device)
{
    struct fake_stream *list[256];
    size_t count = 0;
    pthread_mutex_lock(&all_lock);
    for (struct fake_stream *s = all; s && count < 256; s = s->next)
        if (s->device == device)
            list[count++] = s;
    pthread_mutex_unlock(&all_lock);
    for (size_t i = 0; i < count; i++)
        fake_stream_wait(list[i]);
}
