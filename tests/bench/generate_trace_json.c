/* The Chrome trace of a made-up run, as msprof 8.1 writes it: one array, times as texts. */
#include "generate_trace.h"

#include <stdio.h>
#include <stdlib.h>

#define HOST   (TRACE_HOST_PID << 10 | 7 << 5)
#define DEVICE (TRACE_HOST_PID << 10 | 13 << 5)

struct events {
    const struct trace *trace;
    struct trace_out *out;
    struct trace_text *heads, *tails; /* [item_count] */
    bool is_first;
};

static void begin(struct events *events)
{
    trace_put_text(events->out, events->is_first ? "[" : ", ");
    events->is_first = false;
}

static void put_text(struct events *events, struct trace_text text)
{
    begin(events);
    trace_put(events->out, text.at, text.len);
    free(text.at);
}

/* --- rows and threads --- */

static void put_process(struct events *events, int pid, const char *name, const char *label,
                        int sort)
{
    put_text(events, trace_text("{\"name\": \"process_name\", \"pid\": %d, \"tid\": 0, \"args\": "
                                "{\"name\": \"%s\"}, \"ph\": \"M\"}",
                                pid, name));
    put_text(events, trace_text("{\"name\": \"process_labels\", \"pid\": %d, \"tid\": 0, \"args\": "
                                "{\"labels\": \"%s\"}, \"ph\": \"M\"}",
                                pid, label));
    put_text(events, trace_text("{\"name\": \"process_sort_index\", \"pid\": %d, \"tid\": 0, "
                                "\"args\": {\"sort_index\": %d}, \"ph\": \"M\"}",
                                pid, sort));
}

static void put_thread(struct events *events, int pid, uint32_t tid, const char *name)
{
    put_text(events, trace_text("{\"name\": \"thread_name\", \"pid\": %d, \"tid\": %u, \"args\": "
                                "{\"name\": \"%s %u\"}, \"ph\": \"M\"}",
                                pid, tid, name, tid));
    put_text(events, trace_text("{\"name\": \"thread_sort_index\", \"pid\": %d, \"tid\": %u, "
                                "\"args\": {\"sort_index\": %u}, \"ph\": \"M\"}",
                                pid, tid, tid));
}

/* Logical numbers name the lanes of a compiled model, exported ones those of eager runs. */
static uint32_t lane_of(const struct trace *trace, const struct trace_item *item)
{
    return trace->plan.is_eager || item->logic == trace->plan.streams ? item->stream : item->logic;
}

static void put_lanes(struct events *events)
{
    const struct trace *trace = events->trace;
    put_process(events, HOST, "CANN", "CPU", 7);
    put_thread(events, HOST, TRACE_HOST_PID, "Thread");
    put_process(events, DEVICE, "Ascend Hardware", "NPU", 13);
    for (uint32_t s = 0; s <= trace->plan.streams; s++)
        put_thread(events, DEVICE,
                   trace->plan.is_eager || s == trace->plan.streams ? TRACE_BASE_STREAM + s : s,
                   "Stream");
}

/* --- events --- */

static void put_call(struct events *events, const char *name, const char *mode, const char *level,
                     const char *item, uint32_t connection, int64_t start_ns, int64_t dur_ns)
{
    struct trace_out *out = events->out;
    begin(events);
    trace_put_text(out, "{\"name\": \"");
    trace_put_text(out, name);
    trace_put_text(out, "\", \"pid\": 448179424, \"tid\": 437675, \"ts\": \"");
    trace_put_us(out, start_ns);
    trace_put_text(out, "\", \"dur\": ");
    trace_put_short(out, dur_ns);
    trace_put_text(out, ", \"args\": {\"Thread Id\": 437675, \"Mode\": \"");
    trace_put_text(out, mode);
    trace_put_text(out, "\", \"level\": \"");
    trace_put_text(out, level);
    trace_put_text(out, "\", \"id\": \"0\", \"item_id\": \"");
    trace_put_text(out, item);
    trace_put_text(out, "\", \"connection_id\": ");
    trace_put_number(out, connection);
    trace_put_text(out, "}, \"ph\": \"X\"}");
}

/* The end of an arrow between the call and the task, whose ids are `connection << 32`. */
static void put_flow(struct events *events, uint64_t id, bool is_start, uint32_t tid, int64_t at_ns)
{
    struct trace_out *out = events->out;
    begin(events);
    trace_put_text(out, "{\"name\": \"HostToDevice");
    trace_put_number(out, id);
    trace_put_text(out,
                   is_start ? "\", \"ph\": \"s\", \"id\": \"" : "\", \"ph\": \"f\", \"id\": \"");
    trace_put_number(out, id);
    trace_put_text(out, "\", \"cat\": \"HostToDevice\", \"ts\": \"");
    trace_put_us(out, at_ns);
    trace_put_text(out, "\", \"pid\": ");
    trace_put_number(out, is_start ? HOST : DEVICE);
    trace_put_text(out, ", \"tid\": ");
    trace_put_number(out, tid);
    trace_put_text(out, is_start ? "}" : ", \"bp\": \"e\"}");
}

static void put_launch(struct events *events, const struct trace_task *task)
{
    int64_t start_ns = task->start_ns - 9000;
    bool is_node = task->item->kind == TRACE_NODE;
    if (is_node && !events->trace->plan.is_eager)
        return;
    if (is_node)
        put_call(events, "Node@launch", "launch", "node", task->item->name, task->connection,
                 start_ns, 7300);
    else if (task->item->kind == TRACE_EXECUTE)
        put_call(events, "Model@ModelExecute", "ModelExecute", "model", "1", task->connection,
                 start_ns, 7300);
    else
        put_call(events, "AscendCL@aclrtMemcpyAsync", "ACL_RTS", "acl", "0", task->connection,
                 start_ns, 3500);
    uint64_t id = (uint64_t)task->connection << (is_node ? 32 : 0);
    put_flow(events, id, true, TRACE_HOST_PID, start_ns);
    put_flow(events, id, false, lane_of(events->trace, task->item), task->start_ns);
}

static void put_task(void *user, const struct trace_task *task)
{
    struct events *events = user;
    struct trace_out *out = events->out;
    size_t item = (size_t)(task->item - events->trace->items);
    if (task->connection != TRACE_NONE)
        put_launch(events, task);
    begin(events);
    trace_put(out, events->heads[item].at, events->heads[item].len);
    trace_put_us(out, task->start_ns);
    trace_put_text(out, "\", \"dur\": ");
    trace_put_short(out, task->dur_ns);
    trace_put(out, events->tails[item].at, events->tails[item].len);
    trace_put_number(out, task->task_id);
    trace_put_text(out, ", \"Batch Id\": ");
    trace_put_number(out, task->batch);
    trace_put_text(out, ", \"Subtask Id\": 4294967295, \"connection_id\": ");
    trace_put_number(out, task->connection);
    trace_put_text(out, "}, \"ph\": \"X\"}");
}

static void make_texts(struct events *events)
{
    static const char *const names[] = {
        "", "EVENT_RECORD", "EVENT_WAIT", "MEMCPY_ASYNC", "MODEL_EXECUTE", "MEMCPY_ASYNC"};
    static const char *const types[] = {"",
                                        "EVENT_RECORD_SQE",
                                        "EVENT_WAIT_SQE",
                                        "PCIE_DMA_SQE",
                                        "PLACE_HOLDER_SQE",
                                        "PCIE_DMA_SQE"};
    for (uint32_t i = 0; i < events->trace->item_count; i++) {
        const struct trace_item *item = &events->trace->items[i];
        bool is_node = item->kind == TRACE_NODE;
        bool has_model =
            !events->trace->plan.is_eager && item->logic != events->trace->plan.streams;
        events->heads[i] = trace_text("{\"name\": \"%s\", \"pid\": %d, \"tid\": %u, \"ts\": \"",
                                      is_node ? item->name : names[item->kind], DEVICE,
                                      lane_of(events->trace, item));
        /* vector cores are AI_CORE here, too */
        events->tails[i] = trace_text(", \"args\": {\"Model Id\": %u, \"Task Type\": \"%s\", "
                                      "\"Physic Stream Id\": %u, \"Task Id\": ",
                                      has_model ? 1 : TRACE_NONE,
                                      is_node ? "AI_CORE" : types[item->kind], item->stream);
    }
}

/* A compiled model is launched once, when it is loaded. */
static void put_load(struct events *events)
{
    int64_t at_ns = TRACE_START - 60000000;
    for (uint32_t i = 0; i < events->trace->item_count; i++) {
        const struct trace_item *item = &events->trace->items[i];
        if (item->kind != TRACE_NODE)
            continue;
        put_call(events, "Node@launch", "launch", "node", item->name, 1 + item->node, at_ns, 12400);
        at_ns += 15000;
    }
}

uint64_t trace_write_json(const struct trace *trace, const char *path)
{
    struct events events = {.trace = trace,
                            .out = trace_open(path),
                            .heads = calloc(trace->item_count, sizeof(struct trace_text)),
                            .tails = calloc(trace->item_count, sizeof(struct trace_text)),
                            .is_first = true};
    if (!events.heads || !events.tails)
        abort();
    make_texts(&events);
    put_lanes(&events);
    if (!trace->plan.is_eager)
        put_load(&events);
    trace_each(trace, put_task, &events);
    trace_put(events.out, "]", 1);
    for (uint32_t i = 0; i < trace->item_count; i++) {
        free(events.heads[i].at);
        free(events.tails[i].at);
    }
    free(events.heads);
    free(events.tails);
    return trace_close(events.out);
}
