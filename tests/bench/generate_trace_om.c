/* The offline model whose runs the other writers tell of. */
#include "generate_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "om_writer.h"

/* domi.TaskDef */
enum { KERNEL = 0, EVENT_RECORD = 1, EVENT_WAIT = 2 };
/* ge.proto.DataType */
enum { DT_FLOAT = 1, DT_FLOAT16 = 2 };

static int dtype_of(const struct trace_op *op)
{
    return strcmp(op->dtype, "FLOAT") ? DT_FLOAT16 : DT_FLOAT;
}

static void put_desc(struct onnx_writer *w, uint32_t field, const struct trace_op *op)
{
    onnx_end(w, om_desc(w, field, dtype_of(op), "ND", op->shapes));
}

/* Inputs as names of the nodes they come from, whose numbers are counted from 1. */
static void put_op(struct onnx_writer *w, const struct trace_item *item,
                   const struct trace_item *const *of_node)
{
    static const char *const types[] = {"", "Send", "Recv"};
    const struct trace_op *op = trace_op(item);
    bool is_node = item->kind == TRACE_NODE;
    char inputs[256] = "";
    for (int i = 0; is_node && (i == 0 || item->inputs[i]); i++) {
        size_t len = strlen(inputs);
        snprintf(inputs + len, sizeof inputs - len, "%s%s:0", i ? " " : "",
                 item->inputs[i] ? of_node[item->inputs[i] - 1]->name : "x");
    }
    size_t at =
        om_op_begin(w, item->name, is_node ? op->type : types[item->kind], item->node + 1, inputs);
    onnx_int(w, 22, item->logic);
    if (!is_node)
        om_attr_int(w, 10, "event_id", item->event);
    for (int i = 0; is_node && (i == 0 || item->inputs[i]); i++)
        put_desc(w, 33, item->inputs[i] ? trace_op(of_node[item->inputs[i] - 1]) : op);
    if (is_node)
        put_desc(w, 34, op);
    onnx_end(w, at);
}

static void put_task(struct onnx_writer *w, const struct trace_item *item)
{
    char kernel[64];
    size_t task = om_task(w,
                          item->kind == TRACE_NODE     ? KERNEL
                          : item->kind == TRACE_RECORD ? EVENT_RECORD
                                                       : EVENT_WAIT,
                          item->logic);
    onnx_int(w, 1, item->node + 1);
    if (item->kind == TRACE_NODE) {
        size_t payload = onnx_begin(w, 20), context = onnx_begin(w, 1);
        onnx_int(w, 1, 2);
        onnx_int(w, 4, item->node + 1);
        onnx_end(w, context);
        onnx_int(w, 11, trace_op(item)->cores);
        snprintf(kernel, sizeof kernel, "%s_ND_ND_FP16_%u", trace_op(item)->type, item->node % 97);
        onnx_text(w, 17, kernel);
        onnx_end(w, payload);
    } else {
        onnx_int(w, 11, item->event);
        size_t payload = onnx_begin(w, 26);
        onnx_int(w, 1, item->node + 1);
        onnx_end(w, payload);
    }
    onnx_end(w, task);
}

static void put_last(struct onnx_writer *w, const struct trace_item *last, uint32_t nodes)
{
    char inputs[80];
    snprintf(inputs, sizeof inputs, "%s:0", last->name);
    size_t at = om_op_begin(w, "Node_Output", "NetOutput", nodes + 1, inputs);
    put_desc(w, 33, trace_op(last));
    onnx_end(w, at);
}

void trace_write_om(const struct trace *trace, const char *path)
{
    struct onnx_writer def = {0}, tasks = {0}, om = {0};
    const struct trace_item **of_node = calloc(trace->item_count, sizeof *of_node);
    uint32_t nodes = 0;
    if (!of_node)
        abort();
    size_t graph = om_graph(&def, "bench"), data = om_op_begin(&def, "x", "Data", 0, "");
    put_desc(&def, 34, trace_op(&trace->items[0]));
    onnx_end(&def, data);
    for (uint32_t i = 0; i < trace->item_count; i++) {
        const struct trace_item *item = &trace->items[i];
        if (item->kind > TRACE_WAIT)
            continue;
        of_node[item->node] = item;
        put_op(&def, item, of_node);
        put_task(&tasks, item);
        nodes++;
    }
    put_last(&def, of_node[nodes - 1], nodes);
    onnx_end(&def, graph);
    struct om_part_of parts[] = {{0, def.at, def.len}, {2, tasks.at, tasks.len}};
    om_file(&om, &(struct om_head){.model_num = 1}, parts, 2);
    struct trace_out *out = trace_open(path);
    for (size_t at = 0; at < om.len; at += 65536)
        trace_put(out, (const char *)om.at + at,
                  om.len - at < 65536 ? (unsigned)(om.len - at) : 65536);
    trace_close(out);
    free(of_node);
    onnx_writer_fini(&def);
    onnx_writer_fini(&tasks);
    onnx_writer_fini(&om);
}
