#include "make_ort_profile.h"

#include <inttypes.h>
#include <stdio.h>

enum { PID = 4711, ARGS = 15 };

struct maker {
    struct mi_sink *sink;
    const struct mi_make_ort_profile *options;
    uint32_t events; /* written so far */
    int64_t now_us;
};

static bool is_full(const struct maker *m)
{
    return m->events >= m->options->event_count;
}

static void put_line(struct maker *m, const char *line)
{
    if (is_full(m))
        return;
    mi_sink_text(m->sink, m->events ? ",\n" : "\n");
    mi_sink_text(m->sink, line);
    m->events++;
}

static void put_session(struct maker *m, const char *name, int64_t start_us)
{
    char line[256];
    snprintf(line, sizeof line,
             "{\"cat\" : \"Session\",\"pid\" :%d,\"tid\" :%d,\"dur\" :%" PRId64 ",\"ts\" :%" PRId64
             ",\"ph\" : \"X\",\"name\" :\"%s\",\"args\" : {}}",
             PID, PID, m->now_us - start_us, start_us, name);
    put_line(m, line);
}

struct kernel {
    const char *op;
    char name[96];
    uint32_t index, size;
};

/* One of the args; their order changes from event to event. */
static void put_arg(char *out, size_t room, const struct kernel *k, unsigned which)
{
    switch (which) {
    case 0:
        snprintf(out, room, "\"op_name\" : \"%s\"", k->op);
        break;
    case 1:
        snprintf(out, room, "\"provider\" : \"CPUExecutionProvider\"");
        break;
    case 2:
        snprintf(out, room, "\"node_index\" : \"%u\"", k->index);
        break;
    case 3:
        snprintf(out, room,
                 "\"input_type_shape\" : [{\"float\":[1,%u,56,56]},{\"float\":[%u,%u,3,3]},"
                 "{\"float\":[%u]}]",
                 k->size, k->size, k->size, k->size);
        break;
    case 4:
        snprintf(out, room, "\"output_type_shape\" : [{\"float\":[1,%u,56,56]}]", k->size);
        break;
    case 5:
        snprintf(out, room, "\"thread_scheduling_stats\" : \"\"");
        break;
    default: {
        static const char *const names[] = {
            "parameter_size",   "activation_size",      "output_size",
            "mem_bytes_in_use", "mem_requested_in_use", "mem_in_use_delta",
            "mem_in_use_peak",  "mem_arena_held",       "mem_arena_held_delta",
        };
        snprintf(out, room, "\"%s\" : \"%u\"", names[which - 6], k->size * 12544 + which);
    }
    }
}

static void put_kernel(struct maker *m, const struct kernel *k, uint32_t thread, int64_t dur_us)
{
    char line[1024], arg[256];
    int len =
        snprintf(line, sizeof line,
                 "{\"cat\" : \"Node\",\"pid\" :%d,\"tid\" :%u,\"dur\" :%" PRId64 ",\"ts\" :%" PRId64
                 ",\"ph\" : \"X\",\"name\" :\"%s_kernel_time\",\"args\" : {",
                 PID, PID + thread, dur_us, m->now_us, k->name);
    for (unsigned i = 0; i < ARGS; i++) {
        put_arg(arg, sizeof arg, k, (i + m->events * 7) % ARGS);
        len += snprintf(line + len, sizeof line - (size_t)len, "%s%s", i ? "," : "", arg);
    }
    snprintf(line + len, sizeof line - (size_t)len, "}}");
    m->now_us += dur_us;
    put_line(m, line);
}

static void put_fence(struct maker *m, const struct kernel *k, uint32_t thread, const char *which)
{
    char line[512];
    snprintf(line, sizeof line,
             "{\"cat\" : \"Node\",\"pid\" :%d,\"tid\" :%u,\"dur\" :0,\"ts\" :%" PRId64
             ",\"ph\" : \"X\",\"name\" :\"%s_fence_%s\",\"args\" : {\"op_name\" : \"%s\"}}",
             PID, PID + thread, m->now_us, k->name, which, k->op);
    put_line(m, line);
}

static void put_node(struct maker *m, const struct kernel *k, uint32_t thread)
{
    if (m->options->fences)
        put_fence(m, k, thread, "before");
    put_kernel(m, k, thread, 3 + k->index % 50);
    if (m->options->fences)
        put_fence(m, k, thread, "after");
    m->now_us += 4;
}

/* A Loop ends behind its bodies, so its event comes last. */
static void put_loop(struct maker *m, uint32_t index)
{
    static const char *const ops[] = {"Gemm", "Add", "Tanh"};
    struct kernel k = {.op = "Loop", .index = index, .size = 1};
    int64_t start_us = m->now_us;
    for (uint32_t turn = 0; turn < m->options->loop_turns && !is_full(m); turn++) {
        m->now_us += 3;
        int64_t body_us = m->now_us;
        for (uint32_t i = 0; i < 3; i++) {
            m->now_us += 2;
            struct kernel body = {.op = ops[i], .index = i, .size = 32};
            snprintf(body.name, sizeof body.name, "/cell/body/%s", ops[i]);
            put_node(m, &body, 0);
        }
        put_session(m, "SequentialExecutor::Execute", body_us);
    }
    int64_t end_us = m->now_us + 2;
    m->now_us = start_us;
    snprintf(k.name, sizeof k.name, "/cell/Loop");
    put_kernel(m, &k, 0, end_us - start_us);
}

const char *mi_make_ort_profile_node(char *name, size_t room, uint32_t index)
{
    static const char *const ops[] = {"Conv", "Relu", "Add", "MaxPool", "Mul"};
    const char *op = ops[index % 5];
    snprintf(name, room, "/features/features.%u/block/block.%u/%s_output_0_nchwc", index, index % 4,
             op);
    return op;
}

static void put_run(struct maker *m)
{
    uint32_t nodes = m->options->nodes_per_run, threads = m->options->threads;
    int64_t run_us = m->now_us, execute_us = m->now_us + 5;
    m->now_us += 10;
    for (uint32_t i = 0; i < nodes && !is_full(m); i++) {
        if (m->options->loop_turns && i + 1 == nodes) {
            put_loop(m, i);
            break;
        }
        struct kernel k = {.index = i, .size = 16 + 16 * (i % 8)};
        k.op = mi_make_ort_profile_node(k.name, sizeof k.name, i);
        put_node(m, &k, threads ? i % threads : 0);
    }
    m->now_us += 5;
    put_session(m, "SequentialExecutor::Execute", execute_us);
    m->now_us += 5;
    put_session(m, "model_run", run_us);
    m->now_us += 100;
}

void mi_make_ort_profile(struct mi_sink *sink, const struct mi_make_ort_profile *options)
{
    struct maker m = {.sink = sink, .options = options, .now_us = 1000};
    mi_sink_text(sink, "[");
    put_session(&m, "model_loading_uri", 19);
    m.now_us += 5000;
    put_session(&m, "session_initialization", 1200);
    while (!is_full(&m))
        put_run(&m);
    if (!options->unclosed)
        mi_sink_text(sink, "\n]\n");
}
