/* Speed of the protobuf scanners beside memcpy: a graph of small nodes in wire form, a dump of such
 * nodes as text, and a text of weights. */
#include "base/pb_text.h"
#include "base/pb_wire.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define LAST_BYTES ((size_t)1 << 10) /* most that one node takes */

#define SIZE_BYTES ((size_t)100 * 1000 * 1000)

struct input {
    struct mi_bytes bytes;
    uint8_t *copy;
};

static uint64_t run_copy(void *context)
{
    struct input *in = context;
    memcpy(in->copy, in->bytes.at, in->bytes.len);
    return in->copy[in->bytes.len / 2];
}

/* Every field of every node and attribute, as a reader of graphs steps through them. */
static uint64_t run_wire(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb graph = mi_pb_init(in->bytes, 0, &err);
    uint64_t fields = 0;
    while (mi_pb_next(&graph)) {
        struct mi_pb node = mi_pb_sub(&graph);
        while (mi_pb_next(&node)) {
            fields++;
            if (node.key != MI_PB_KEY(5, MI_PB_LEN))
                continue;
            struct mi_pb attribute = mi_pb_sub(&node);
            while (mi_pb_next(&attribute))
                fields += attribute.key;
        }
    }
    if (err.code != MI_OK)
        abort();
    return fields;
}

static uint64_t run_text(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    uint64_t sum = 0;
    mi_pbt_init(&t, in->bytes, &err);
    for (;;) {
        bool is_inside = t.depth > 0;
        if (mi_pbt_next(&t)) {
            sum += t.raw.len;
            if (t.kind == MI_PBT_MESSAGE)
                mi_pbt_enter(&t);
        } else if (!is_inside || err.code != MI_OK) {
            break;
        }
    }
    if (err.code != MI_OK)
        abort();
    return sum;
}

static uint64_t run_text_skip(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    uint64_t fields = 0;
    mi_pbt_init(&t, in->bytes, &err);
    while (mi_pbt_next(&t))
        fields++;
    if (err.code != MI_OK)
        abort();
    return fields;
}

static size_t put_string(uint8_t *to, uint8_t key, const char *text)
{
    size_t len = strlen(text);
    to[0] = key;
    to[1] = (uint8_t)len;
    memcpy(to + 2, text, len);
    return len + 2;
}

/* One node of an ONNX-like graph: two inputs, an output, a name, a type, one attribute. */
static size_t put_node(uint8_t *to, unsigned i)
{
    static const uint8_t attribute[] = {0x2a, 19,  0x0a, 12,  'k', 'e',  'r', 'n',  'e', 'l', '_',
                                        's',  'h', 'a',  'p', 'e', 0x18, 3,   0xa0, 1,   7};
    char text[64];
    size_t len = 2;
    for (unsigned input = 0; input < 2; input++) {
        snprintf(text, sizeof text, "/layer%u/Conv_output_%u", i % 1000, input);
        len += put_string(to + len, 0x0a, text);
    }
    snprintf(text, sizeof text, "/layer%u/Conv_%u", i % 1000, i);
    len += put_string(to + len, 0x12, text);
    len += put_string(to + len, 0x1a, text);
    len += put_string(to + len, 0x22, "Conv");
    memcpy(to + len, attribute, sizeof attribute);
    len += sizeof attribute;
    to[0] = 0x0a;
    to[1] = (uint8_t)(0x80 | ((len - 2) & 0x7f));
    memmove(to + 3, to + 2, len - 2);
    to[2] = (uint8_t)((len - 2) >> 7);
    return len + 1;
}

static size_t put_text_node(uint8_t *to, unsigned i)
{
    return (size_t)snprintf(
        (char *)to, LAST_BYTES,
        "  op {\n    name: \"layer%u/conv_%u\"\n    type: \"Conv2D\"\n    input: "
        "\"layer%u/relu:0\"\n    attr {\n      key: \"_datadump_original_op_names\"\n"
        "      value {\n        list {\n          s: \"Conv_%u\"\n          val_type: "
        "VT_LIST_STRING\n        }\n      }\n    }\n    id: %u\n  }\n",
        i % 1000, i, (i + 999) % 1000, i, i);
}

/* Weights as the text printer writes them: mostly escapes. */
static size_t put_weights(uint8_t *to, unsigned i)
{
    size_t len = (size_t)snprintf((char *)to, LAST_BYTES, "data: \"");
    for (unsigned k = 0; k < 100; k++)
        len += (size_t)snprintf((char *)to + len, LAST_BYTES - len, "%s",
                                (i + k) % 3 ? "\\000" : "a\\n");
    return len + (size_t)snprintf((char *)to + len, LAST_BYTES - len, "\"\n");
}

static void fill(struct input *in, uint8_t *memory, size_t room,
                 size_t (*put)(uint8_t *to, unsigned i))
{
    size_t len = 0;
    for (unsigned i = 0; len + LAST_BYTES <= room; i++)
        len += put(memory + len, i);
    in->bytes = (struct mi_bytes){memory, len};
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "pb", argc, argv);
    size_t size_bytes = bench.size_bytes ? bench.size_bytes : SIZE_BYTES;
    size_t room = size_bytes + LAST_BYTES;
    uint8_t *memory = malloc(room);
    struct input in = {.copy = malloc(room)};
    if (!memory || !in.copy)
        return 1;
    memset(in.copy, 1, room);

    fill(&in, memory, room, put_node);
    bench_group(&bench, "graph.onnx");
    bench_run(&bench, "memcpy", run_copy, &in, in.bytes.len);
    bench_run(&bench, "every field", run_wire, &in, in.bytes.len);

    fill(&in, memory, room, put_text_node);
    bench_group(&bench, "graph.pbtxt");
    bench_run(&bench, "memcpy", run_copy, &in, in.bytes.len);
    bench_run(&bench, "every field", run_text, &in, in.bytes.len);
    bench_run(&bench, "top level, the rest skipped", run_text_skip, &in, in.bytes.len);

    fill(&in, memory, room, put_weights);
    bench_group(&bench, "weights.pbtxt");
    bench_run(&bench, "memcpy", run_copy, &in, in.bytes.len);
    bench_run(&bench, "strings of escapes", run_text, &in, in.bytes.len);
    free(memory);
    free(in.copy);
    return bench_report(&bench);
}
