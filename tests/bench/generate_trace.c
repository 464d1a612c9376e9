/* The schedule of a made-up run, and the buffered file that the writers share. */
#include "generate_trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_MAIN = 24, /* operators of the chain in a block ... */
    BLOCK_SIDE = 8,  /* ... and of the side chain beside it */
    FORK = 7,        /* the side chain reads this one ... */
    JOIN = 23,       /* ... and this one reads its end */
    OUT_BYTES = 1 << 20,
};

static const struct trace_op ops[] = {
    {"MatMulV2", "AI_CORE", "KERNEL_AICORE", "AI_CORE", "128,512", "FLOAT16", 24, 42000},
    {"Add", "AI_VECTOR_CORE", "KERNEL_AIVEC", "AIV_SQE", "128,512", "FLOAT16", 48, 6200},
    {"LayerNormV3", "AI_VECTOR_CORE", "KERNEL_AIVEC", "AIV_SQE", "8,128,512", "FLOAT", 48, 12800},
    {"SoftmaxV2", "AI_VECTOR_CORE", "KERNEL_AIVEC", "AIV_SQE", "8,16,128,128", "FLOAT16", 48,
     15100},
    {"Cast", "AI_VECTOR_CORE", "KERNEL_AIVEC", "AIV_SQE", "128,512", "FLOAT16", 48, 4100},
    {"TransData", "AI_VECTOR_CORE", "KERNEL_AIVEC", "AIV_SQE", "32,8,16,16", "FLOAT16", 48, 9300},
    {"BatchMatMulV2", "AI_CORE", "KERNEL_AICORE", "AI_CORE", "8,16,128,128", "FLOAT16", 24, 27500},
    {"Mul", "AI_VECTOR_CORE", "KERNEL_AIVEC", "AIV_SQE", "128,512", "FLOAT16", 48, 5600},
};
enum { OPS = sizeof ops / sizeof *ops };

static void *or_die(void *at)
{
    if (!at) {
        fprintf(stderr, "generate_trace: out of memory\n");
        exit(1);
    }
    return at;
}

static uint32_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(value >> 32);
}

const struct trace_op *trace_op(const struct trace_item *item)
{
    return &ops[item->op];
}

/* --- the list of a run --- */

static struct trace_item *add(struct trace *trace, enum trace_kind kind, uint32_t logic,
                              int64_t mean_ns)
{
    struct trace_item *item = &trace->items[trace->item_count++];
    *item = (struct trace_item){.kind = kind,
                                .logic = logic,
                                .stream = TRACE_BASE_STREAM + logic,
                                .place = trace->stream_items[logic]++,
                                .mean_ns = mean_ns};
    return item;
}

static uint32_t add_node(struct trace *trace, uint32_t logic, uint32_t *nodes, uint32_t from)
{
    uint32_t op = *nodes % OPS;
    struct trace_item *item = add(trace, TRACE_NODE, logic, ops[op].mean_ns);
    item->op = op;
    item->node = (*nodes)++;
    item->inputs[0] = from;
    snprintf(item->name, sizeof item->name, "/model/layer.%u/block/%s", item->node, ops[op].type);
    return item->node + 1;
}

static void add_event(struct trace *trace, enum trace_kind kind, uint32_t logic, uint32_t *nodes,
                      uint32_t event)
{
    struct trace_item *item = add(trace, kind, logic, kind == TRACE_RECORD ? 20 : 0);
    item->node = (*nodes)++;
    item->event = event;
    snprintf(item->name, sizeof item->name, "%s_%u", kind == TRACE_RECORD ? "Send" : "Recv", event);
}

static uint32_t add_block(struct trace *trace, uint32_t block, uint32_t *nodes, uint32_t last)
{
    uint32_t side = 1 + block % (trace->plan.streams - 1), event = 2 * block, fork = 0, end = 0;
    for (uint32_t i = 0; i < BLOCK_MAIN; i++) {
        if (i == JOIN) {
            add_event(trace, TRACE_WAIT, 0, nodes, event + 1);
            last = add_node(trace, 0, nodes, last);
            trace->items[trace->item_count - 1].inputs[1] = end;
            continue;
        }
        last = add_node(trace, 0, nodes, last);
        if (i != FORK)
            continue;
        fork = last;
        add_event(trace, TRACE_RECORD, 0, nodes, event);
        add_event(trace, TRACE_WAIT, side, nodes, event);
        end = fork;
        for (uint32_t k = 0; k < BLOCK_SIDE; k++)
            end = add_node(trace, side, nodes, end);
        add_event(trace, TRACE_RECORD, side, nodes, event + 1);
    }
    return last;
}

struct trace *trace_new(const struct trace_plan *plan)
{
    struct trace *trace = or_die(calloc(1, sizeof *trace));
    uint32_t nodes = 0, last = 0;
    trace->plan = *plan;
    trace->plan.nodes = plan->nodes ? plan->nodes : 1000;
    trace->plan.streams = plan->streams > 1 ? plan->streams : 4;
    trace->plan.slice_rows = plan->slice_rows ? plan->slice_rows : 1000000;
    uint32_t blocks = (trace->plan.nodes + BLOCK_MAIN + BLOCK_SIDE - 1) / (BLOCK_MAIN + BLOCK_SIDE);
    trace->items =
        or_die(calloc((size_t)blocks * (BLOCK_MAIN + BLOCK_SIDE + 4) + 3, sizeof *trace->items));
    trace->stream_items = or_die(calloc(trace->plan.streams + 1, sizeof *trace->stream_items));
    snprintf(add(trace, TRACE_COPY_IN, trace->plan.streams, 53000)->name, 64, "MEMCPY_ASYNC");
    snprintf(add(trace, TRACE_EXECUTE, trace->plan.streams, 900)->name, 64, "MODEL_EXECUTE");
    for (uint32_t b = 0; b < blocks; b++)
        last = add_block(trace, b, &nodes, last);
    snprintf(add(trace, TRACE_COPY_OUT, trace->plan.streams, 8700)->name, 64, "MEMCPY_ASYNC");
    trace->event_count = 2 * blocks;
    trace->runs = (uint32_t)((plan->tasks + trace->item_count - 1) / trace->item_count);
    trace->runs = trace->runs ? trace->runs : 1;
    trace->task_count = (uint64_t)trace->runs * trace->item_count;
    trace->kernel_count = (uint64_t)trace->runs * blocks * (BLOCK_MAIN + BLOCK_SIDE);
    return trace;
}

void trace_free(struct trace *trace)
{
    if (!trace)
        return;
    free(trace->items);
    free(trace->stream_items);
    free(trace);
}

/* --- runs --- */

struct clock {
    int64_t *stream_ns; /* [streams + 1] end of the last task of each */
    int64_t *event_ns;  /* [event_count] end of the last record of each */
    uint32_t *counters; /* [streams + 1] tasks submitted */
    uint32_t connection;
};

static int compare_tasks(const void *left, const void *right)
{
    const struct trace_task *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static struct trace_task run_item(const struct trace *trace, struct clock *clock,
                                  const struct trace_item *item, uint32_t run)
{
    uint32_t salt = mix((uint64_t)run << 32 | (uint32_t)(item - trace->items));
    uint32_t number = clock->counters[item->logic]++;
    bool is_static = !trace->plan.is_eager && item->logic != trace->plan.streams;
    struct trace_task task = {.item = item,
                              .run = run,
                              .task_id = is_static ? item->place : number % 65536,
                              .batch = is_static ? 0 : number / 65536,
                              .connection = TRACE_NONE};
    task.start_ns = clock->stream_ns[item->logic] + 300 + salt % 700;
    task.dur_ns = item->mean_ns + item->mean_ns * ((int64_t)(salt >> 16) % 100 - 50) / 1000;
    if (item->kind == TRACE_WAIT) {
        int64_t end_ns = clock->event_ns[item->event] + 60 + salt % 160;
        task.dur_ns = end_ns > task.start_ns + 20 ? end_ns - task.start_ns : 20;
    }
    if (item->kind == TRACE_NODE && !trace->plan.is_eager)
        task.connection = 1 + item->node; /* launched once, when the model was loaded */
    else if (item->kind != TRACE_RECORD && item->kind != TRACE_WAIT)
        task.connection = clock->connection++;
    clock->stream_ns[item->logic] = task.start_ns + task.dur_ns;
    if (item->kind == TRACE_RECORD)
        clock->event_ns[item->event] = task.start_ns + task.dur_ns;
    return task;
}

/* All streams start a run together, behind the copy in. */
static void align(const struct trace *trace, struct clock *clock)
{
    int64_t last_ns = 0;
    for (uint32_t s = 0; s <= trace->plan.streams; s++)
        if (clock->stream_ns[s] > last_ns)
            last_ns = clock->stream_ns[s];
    for (uint32_t s = 0; s <= trace->plan.streams; s++)
        clock->stream_ns[s] = last_ns;
}

void trace_each(const struct trace *trace, trace_fn *fn, void *user)
{
    size_t streams = trace->plan.streams + 1;
    struct clock clock = {.stream_ns = or_die(calloc(streams, sizeof(int64_t))),
                          .event_ns = or_die(calloc(trace->event_count + 1, sizeof(int64_t))),
                          .counters = or_die(calloc(streams, sizeof(uint32_t))),
                          .connection = 1000000};
    struct trace_task *tasks = or_die(calloc(trace->item_count, sizeof *tasks));
    for (size_t s = 0; s < streams; s++)
        clock.stream_ns[s] = TRACE_START;
    for (uint32_t run = 0; run < trace->runs; run++) {
        for (uint32_t i = 0; i < trace->item_count; i++) {
            tasks[i] = run_item(trace, &clock, &trace->items[i], run);
            if (trace->items[i].kind == TRACE_EXECUTE || i + 2 == trace->item_count)
                align(trace, &clock);
        }
        align(trace, &clock);
        qsort(tasks, trace->item_count, sizeof *tasks, compare_tasks);
        for (uint32_t i = 0; i < trace->item_count; i++)
            fn(user, &tasks[i]);
    }
    free(tasks);
    free(clock.stream_ns);
    free(clock.event_ns);
    free(clock.counters);
}

/* --- writing --- */

struct trace_out {
    FILE *file;
    uint64_t sent_bytes;
    unsigned used;
    char buffer[OUT_BYTES];
};

struct trace_text trace_text(const char *format, ...)
{
    char room[2048];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(room, sizeof room, format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof room)
        abort();
    return (struct trace_text){or_die(strdup(room)), (unsigned)len};
}

struct trace_out *trace_open(const char *path)
{
    struct trace_out *out = or_die(malloc(sizeof *out));
    out->file = fopen(path, "wb");
    out->sent_bytes = out->used = 0;
    if (!out->file) {
        fprintf(stderr, "generate_trace: cannot write %s\n", path);
        exit(1);
    }
    return out;
}

static void send_out(struct trace_out *out)
{
    if (fwrite(out->buffer, 1, out->used, out->file) != out->used) {
        fprintf(stderr, "generate_trace: the disk is full\n");
        exit(1);
    }
    out->sent_bytes += out->used;
    out->used = 0;
}

uint64_t trace_close(struct trace_out *out)
{
    send_out(out);
    uint64_t size = out->sent_bytes;
    if (fclose(out->file)) {
        fprintf(stderr, "generate_trace: the disk is full\n");
        exit(1);
    }
    free(out);
    return size;
}

void trace_put(struct trace_out *out, const char *at, unsigned len)
{
    if (OUT_BYTES - out->used < len)
        send_out(out);
    memcpy(out->buffer + out->used, at, len);
    out->used += len;
}

void trace_put_text(struct trace_out *out, const char *text)
{
    trace_put(out, text, (unsigned)strlen(text));
}

static void put_digits(struct trace_out *out, uint64_t value, unsigned least)
{
    char room[24];
    unsigned at = sizeof room;
    while (value || at > sizeof room - least) {
        room[--at] = (char)('0' + value % 10);
        value /= 10;
    }
    trace_put(out, room + at, (unsigned)sizeof room - at);
}

void trace_put_number(struct trace_out *out, uint64_t value)
{
    put_digits(out, value, 1);
}

void trace_put_us(struct trace_out *out, int64_t ns)
{
    put_digits(out, (uint64_t)ns / 1000, 1);
    trace_put(out, ".", 1);
    put_digits(out, (uint64_t)ns % 1000, 3);
}

void trace_put_short(struct trace_out *out, int64_t ns)
{
    unsigned part = (unsigned)(ns % 1000), digits = 3;
    for (; digits > 1 && part % 10 == 0; digits--)
        part /= 10;
    put_digits(out, (uint64_t)ns / 1000, 1);
    trace_put(out, ".", 1);
    put_digits(out, part, digits);
}
