#include "generate.h"

#include <stdarg.h>
#include <stdio.h>

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void put(struct mi_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct mi_sink *sink, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mi_sink_text(sink, text);
}

static const char *const ops[] = {
    "aten::convolution", "aten::addmm",
    "MatMulV2",          "Add",
    "LayerNormV3",       "cudaLaunchKernel",
    "aten::copy_",       "model/block_12/attention/query/MatMul_kernel_time"};

void generate_trace(struct mi_sink *sink, size_t size_bytes)
{
    uint64_t state = 88172645463325252u, ns = 1736412474723783388u;
    mi_sink_text(sink, "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n");
    for (unsigned i = 0; mi_sink_size(sink) < size_bytes; i++) {
        uint64_t r = next(&state);
        unsigned dur_ns = (unsigned)(r >> 40) % 100000;
        ns += dur_ns;
        put(sink,
            "%s  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s%s\", \"pid\": %u, "
            "\"tid\": %u,\n    \"ts\": %llu.%03u, \"dur\": %u.%03u,\n    \"args\": {\n      "
            "\"External id\": %u,\"Record function id\": 0, \"Input Dims\": [[%u, %u, 56, 56], "
            "[%u], "
            "[]], \"Input type\": [\"float\", \"float\", \"\"]\n    }\n  }",
            i ? ",\n" : "", ops[r % 8], r % 61 ? "" : "\\n\\u00b5", 4000 + (unsigned)(r >> 20) % 4,
            4100 + (unsigned)(r >> 24) % 16, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000),
            dur_ns / 1000, dur_ns % 1000, i, 1 + (unsigned)(r >> 8) % 64,
            1 + (unsigned)(r >> 12) % 512, 1 + (unsigned)(r >> 12) % 512);
    }
    mi_sink_text(sink, "\n  ],\n  \"traceName\": \"trace.json\"\n}\n");
}

void generate_table(struct mi_sink *sink, size_t size_bytes)
{
    uint64_t state = 88172645463325252u, ns = 1736412474723783388u;
    mi_sink_text(sink, "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),"
                       "Block Dim,Input Shapes,Output Shapes,mac_ratio\n");
    while (mi_sink_size(sink) < size_bytes) {
        uint64_t r = next(&state);
        unsigned dur_ns = (unsigned)(r >> 40) % 100000;
        ns += dur_ns;
        put(sink,
            "0,%s_%u,MatMulV2,AI_CORE,%llu.%03u\t,%u.%03u,%u,\"%u,%u;%u\",\"\"\"%u,%u\"\"\",0.%u\n",
            ops[r % 8], (unsigned)(r >> 8) % 1000, (unsigned long long)(ns / 1000),
            (unsigned)(ns % 1000), dur_ns / 1000, dur_ns % 1000, (unsigned)(r >> 16) % 40,
            (unsigned)(r >> 20) % 64, (unsigned)(r >> 12) % 512, (unsigned)(r >> 12) % 512,
            (unsigned)(r >> 20) % 64, (unsigned)(r >> 12) % 512, (unsigned)(r >> 30) % 1000);
    }
}
