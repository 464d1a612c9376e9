/* Offline models: the task list of the file, run as the device would. */
#include "fake.h"
#include "mspti.h"

#include "parse/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 256 };

static struct fake_model *models[MODELS];
static uint32_t model_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *text(const struct mi_batch *batch, mi_str_id id)
{
    struct mi_bytes bytes = mi_batch_text(batch, id);
    char *copy = malloc(bytes.len + 1);
    if (bytes.len)
        memcpy(copy, bytes.at, bytes.len);
    copy[bytes.len] = '\0';
    return copy;
}

static enum fake_kind kind_of(const char *type, int64_t event)
{
    if (strstr(type, "RECORD") && event >= 0)
        return FAKE_RECORD;
    if (strstr(type, "WAIT") && event >= 0)
        return FAKE_WAIT;
    if (strstr(type, "KERNEL"))
        return FAKE_KERNEL;
    return strstr(type, "MEMCPY") ? FAKE_COPY : FAKE_OTHER;
}

static const char *type_of(enum fake_kind kind, const char *type)
{
    if (kind == FAKE_RECORD)
        return "EVENT_RECORD";
    if (kind == FAKE_WAIT)
        return "EVENT_WAIT";
    if (kind == FAKE_KERNEL)
        return "KERNEL_AICORE";
    return kind == FAKE_COPY ? "MEMCPY_ASYNC" : type;
}

static uint32_t stream_of(struct fake_model *m, int64_t *logical, int64_t wanted, int32_t device)
{
    for (uint32_t i = 0; i < m->stream_count; i++)
        if (logical[i] == wanted)
            return i;
    logical[m->stream_count] = wanted;
    m->streams = realloc(m->streams, (m->stream_count + 1) * sizeof(struct fake_stream *));
    m->streams[m->stream_count] = fake_stream_new(device);
    return m->stream_count++;
}

static const char *node_type(const struct mi_batch *batch, int64_t index)
{
    const struct mi_nodes *nodes = &batch->rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++)
        if (nodes->native_id[n] == index)
            return text(batch, nodes->op[n]);
    return "";
}

static const char *node_name(const struct mi_batch *batch, uint32_t p)
{
    const struct mi_planned *planned = &batch->rows.planned;
    const struct mi_nodes *nodes = &batch->rows.nodes;
    if (planned->op_name[p].v)
        return text(batch, planned->op_name[p]);
    for (uint32_t n = 1; n < nodes->count && planned->op_index[p] >= 0; n++)
        if (nodes->native_id[n] == planned->op_index[p])
            return text(batch, nodes->name[n]);
    return "";
}

static const char *symbol_of(const struct mi_batch *batch, uint32_t p, const struct planned *task)
{
    char symbol[FAKE_NAME_BYTES];
    if (batch->rows.planned.kernel[p].v)
        return text(batch, batch->rows.planned.kernel[p]);
    snprintf(symbol, sizeof symbol, "te_%.60s_%u__kernel0", task->op, p);
    return strdup(symbol);
}

static void take_plan(struct fake_model *m, const struct mi_batch *batch, int32_t device)
{
    const struct mi_planned *planned = &batch->rows.planned;
    int64_t *logical = calloc(planned->count, sizeof *logical);
    m->list = calloc(planned->count, sizeof *m->list);
    for (uint32_t p = 1; p < planned->count; p++) {
        struct planned *task = &m->list[m->count];
        const char *type = text(batch, planned->type[p]);
        if (planned->parent[p].v || planned->stream[p] < 0)
            continue;
        task->stream = stream_of(m, logical, planned->stream[p], device);
        task->kind = kind_of(type, planned->event[p]);
        task->type = type_of(task->kind, type);
        task->name = node_name(batch, p);
        task->op = node_type(batch, planned->op_index[p]);
        task->id = m->streams[task->stream]->next_task++;
        task->symbol = symbol_of(batch, p, task);
        if (task->kind == FAKE_KERNEL) {
            uint64_t start_ns = fake_now();
            task->correlation = fake_report_begin();
            fake_report_end(FAKE_API_NODE, task->name, start_ns, task->correlation);
        }
        if (task->kind == FAKE_RECORD || task->kind == FAKE_WAIT) {
            task->event = (uint32_t)planned->event[p];
            if (task->event >= m->event_count)
                m->event_count = task->event + 1;
        }
        m->count++;
    }
    free(logical);
    m->events = calloc(m->event_count + 1, sizeof *m->events);
    for (uint32_t e = 0; e < m->event_count; e++)
        fake_event_init(&m->events[e]);
}

struct fake_model *fake_model_load(const void *bytes, size_t size, int32_t device)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    struct mi_source source = {.path = "model.om", .bytes = {bytes, size}, .role = ""};
    if (!mi_batch_init(&batch, (struct mi_bytes){0}, &err))
        return NULL;
    bool ok = mi_reader_om.read(&source, &batch, &err) && batch.rows.planned.count > 1;
    struct fake_model *m = ok ? calloc(1, sizeof *m) : NULL;
    if (m) {
        pthread_mutex_init(&m->lock, NULL);
        pthread_cond_init(&m->change, NULL);
        take_plan(m, &batch, device);
        pthread_mutex_lock(&lock);
        m->id = ++model_count;
        models[m->id % MODELS] = m;
        pthread_mutex_unlock(&lock);
    }
    mi_batch_fini(&batch);
    return m;
}

struct fake_model *fake_model_find(uint32_t id)
{
    struct fake_model *m = models[id % MODELS];
    return m && m->id == id && !m->is_gone ? m : NULL;
}

void fake_model_signal(struct fake_model *m)
{
    pthread_mutex_lock(&m->lock);
    m->streams_left--;
    pthread_cond_broadcast(&m->change);
    pthread_mutex_unlock(&m->lock);
}

/* One run at a time, as the device does it. */
void fake_model_run(struct fake_model *m)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    const struct planned **records = calloc(m->event_count + 1, sizeof *records);
    m->turn++;
    m->streams_left = m->stream_count;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct planned *p = &m->list[i];
        bool has_event = p->kind == FAKE_RECORD || p->kind == FAKE_WAIT;
        if (p->kind == FAKE_RECORD)
            records[p->event] = p;
        if (p->kind == FAKE_WAIT && records[p->event])
            fake_log_pair("planned_pair", m->streams[records[p->event]->stream]->id,
                          records[p->event]->id, m->streams[p->stream]->id, p->id);
        fake_put(m->streams[p->stream],
                 (struct fake_task){.kind = p->kind,
                                    .id = p->id,
                                    .model = m->id,
                                    .type = p->type,
                                    .op = p->op,
                                    .name = p->name,
                                    .symbol = p->symbol,
                                    .correlation = p->correlation,
                                    .event = has_event ? &m->events[p->event] : NULL,
                                    .turn = m->turn});
    }
    for (uint32_t s = 0; s < m->stream_count; s++)
        fake_put(m->streams[s], (struct fake_task){.kind = FAKE_SIGNAL, .model = m->id, .run = m});
    pthread_mutex_lock(&m->lock);
    while (m->streams_left)
        pthread_cond_wait(&m->change, &m->lock);
    pthread_mutex_unlock(&m->lock);
    free(records);
    pthread_mutex_unlock(&one);
}
