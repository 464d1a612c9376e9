/* The symbols of bundles, captured graphs and collectives. A graph runs on the stream that it is
 * replayed on, a collective is one task. */
#include "acl.h"
#include "fake.h"
#include "mspti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAD_PARAM = 100000,
    HEAD = 256,
    ENTRY = 24,
    OM_MODEL = 24,
    BUNDLES = 16,
    MEMBERS = 8,
    GRAPH_TASKS = 64,
    GRAPH_MODEL = 1000
};

#ifndef FAKE_ACL_OLD

/* --- bundles --- */

static uint32_t bundles[BUNDLES][MEMBERS];
static uint32_t bundle_count;

static uint64_t u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Not by the public functions, which the hook would see. */
static int load_bundle(const uint8_t *model, size_t bytes, const char *path, uint32_t *id)
{
    const uint8_t *table = model + HEAD;
    int32_t device = 0;
    uint32_t members = 0, *list = bundles[++bundle_count % BUNDLES];
    aclrtGetDevice(&device);
    for (uint32_t i = 0; bytes > HEAD + 8 && i < table[0] && members < MEMBERS; i++) {
        const uint8_t *entry = table + 8 + (size_t)i * ENTRY;
        struct fake_model *member =
            entry[0] == OM_MODEL
                ? fake_model_load(table + u64(entry + 8), (size_t)u64(entry + 16), device)
                : NULL;
        if (!member)
            continue;
        list[members++] = member->id;
        fake_log_model(member->id, path);
    }
    *id = bundle_count;
    return members ? 0 : 145000;
}

FAKE_API int aclmdlBundleLoadFromMem(const void *model, size_t bytes, uint32_t *id)
{
    return load_bundle(model, bytes, "memory", id);
}

FAKE_API int aclmdlBundleLoadFromFile(const char *path, uint32_t *id)
{
    static uint8_t bytes[4 << 20];
    FILE *file = fopen(path, "rb");
    if (!file)
        return 500002;
    size_t len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return load_bundle(bytes, len, path, id);
}

FAKE_API int aclmdlBundleGetModelId(uint32_t bundle, size_t place, uint32_t *id)
{
    if (!bundle || bundle > bundle_count || place >= MEMBERS || !bundles[bundle % BUNDLES][place])
        return BAD_PARAM;
    *id = bundles[bundle % BUNDLES][place];
    return 0;
}

FAKE_API int aclmdlBundleUnload(uint32_t bundle)
{
    for (uint32_t m = 0; m < MEMBERS && bundles[bundle % BUNDLES][m]; m++)
        aclmdlUnload(bundles[bundle % BUNDLES][m]);
    return 0;
}

/* --- captured graphs --- */

struct fake_graph {
    int64_t model;
    struct fake_task list[GRAPH_TASKS];
    uint32_t count;
    struct fake_stream *streams[8];
    uint32_t stream_count;
};

static int64_t graph_count;

/* The stream takes part in the capture from now on. */
void fake_graph_join(struct fake_graph *graph, struct fake_stream *stream)
{
    if (stream->graph == graph)
        return;
    stream->graph = graph;
    graph->streams[graph->stream_count++ % 8] = stream;
}

/* Ids within a graph begin at 0, as those of streams do. */
uint32_t fake_graph_take(struct fake_graph *graph, const struct fake_task *task)
{
    struct fake_task *kept = &graph->list[graph->count % GRAPH_TASKS];
    *kept = *task;
    kept->id = graph->count++;
    kept->model = graph->model;
    return kept->id;
}

FAKE_API int aclmdlRICaptureBegin(void *stream, int mode)
{
    struct fake_graph *graph = calloc(1, sizeof *graph);
    (void)mode;
    graph->model = GRAPH_MODEL + ++graph_count;
    fake_graph_join(graph, stream);
    return 0;
}

FAKE_API int aclmdlRICaptureGetInfo(void *stream, int *status, void **graph)
{
    *graph = ((struct fake_stream *)stream)->graph;
    *status = *graph != NULL;
    return 0;
}

FAKE_API int aclmdlRICaptureEnd(void *stream, void **out)
{
    struct fake_graph *graph = ((struct fake_stream *)stream)->graph;
    if (!graph)
        return BAD_PARAM;
    for (uint32_t s = 0; s < graph->stream_count; s++)
        graph->streams[s]->graph = NULL;
    *out = graph;
    return 0;
}

static void replay(const struct fake_graph *graph, struct fake_stream *stream, uint64_t id)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        struct fake_task task = graph->list[i];
        task.correlation = id;
        if (task.kind == FAKE_KERNEL)
            fake_put(stream, task);
    }
}

FAKE_API int aclmdlRIExecuteAsync(void *graph, void *stream)
{
    uint64_t start_ns = fake_now(), id = fake_report_begin();
    replay(graph, stream, id);
    fake_report_end(FAKE_API_ACL, "aclmdlRIExecuteAsync", start_ns, id);
    return 0;
}

FAKE_API int aclmdlRIExecute(void *graph, int32_t timeout_ms)
{
    const struct fake_graph *g = graph;
    (void)timeout_ms;
    replay(graph, g->streams[0], fake_report_begin());
    fake_stream_wait(g->streams[0]);
    return 0;
}

FAKE_API int aclmdlRIDestroy(void *graph)
{
    free(graph);
    return 0;
}

/* --- collectives --- */

static int communicate(const char *call, const char *name, void *stream)
{
    uint64_t start_ns = fake_now(), id = fake_report_begin();
    fake_put(stream, (struct fake_task){.kind = FAKE_COLLECTIVE,
                                        .model = FAKE_NO_MODEL,
                                        .type = "COMMUNICATION",
                                        .name = name,
                                        .correlation = id});
    fake_report_end(FAKE_API_ACL, call, start_ns, id);
    return 0;
}

FAKE_API int HcclAllReduce(void *from, void *to, uint64_t count, int type, int op, void *comm,
                           void *stream)
{
    (void)from, (void)to, (void)count, (void)type, (void)op, (void)comm;
    return communicate("HcclAllReduce", "hcom_allReduce__1_0", stream);
}

FAKE_API int HcclAllGather(void *from, void *to, uint64_t count, int type, void *comm, void *stream)
{
    (void)from, (void)to, (void)count, (void)type, (void)comm;
    return communicate("HcclAllGather", "hcom_allGather__1_0", stream);
}

FAKE_API int HcclBarrier(void *comm, void *stream)
{
    (void)comm;
    return communicate("HcclBarrier", "hcom_barrier__1_0", stream);
}

#else

void fake_graph_join(struct fake_graph *graph, struct fake_stream *stream)
{
    stream->graph = graph;
}

uint32_t fake_graph_take(struct fake_graph *graph, const struct fake_task *task)
{
    return graph ? task->id : 0;
}

#endif
