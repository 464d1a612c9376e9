/* op_summary and task_time of a made-up run, in slices of as many rows as exporters write. */
#include "generate_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS                                                                                   \
    ",aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,aic_mte1_time(us),"          \
    "aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aiv_time(us),aiv_total_cycles,"               \
    "aiv_vec_time(us),aiv_vec_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),"           \
    "aiv_mte3_ratio,cube_utilization(%)"
#define NO_COUNTERS "0.0,0,0.0,0.0,0.0,0.0,0.0,0.0"

static const char summary_header[] =
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID";
static const char time_header[] =
    "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),"
    "task_stop(us)";

/* One table, slice after slice. */
struct table {
    const struct trace *trace;
    const char *folder, *kind, *header;
    struct trace_out *out;
    uint32_t rows, slices;
    uint64_t bytes;
};

static void begin_row(struct table *table)
{
    char path[4096];
    if (table->out && table->rows < table->trace->plan.slice_rows) {
        table->rows++;
        return;
    }
    table->bytes += table->out ? trace_close(table->out) : 0;
    snprintf(path, sizeof path, "%s/%s_slice_%u_20250109084924.csv", table->folder, table->kind,
             table->slices++);
    table->out = trace_open(path);
    table->rows = 1;
    trace_put_text(table->out, table->header);
    if (!strcmp(table->kind, "op_summary") && !table->trace->plan.is_bare)
        trace_put_text(table->out, COUNTERS);
    trace_put(table->out, "\n", 1);
}

struct tables {
    struct table summary, time;
    struct trace_text *heads, *tails, *kernels; /* [item_count] */
    int64_t last_ns;
};

static void put_counters(struct trace_out *out, const struct trace_task *task)
{
    int64_t busy_ns = task->dur_ns * 92 / 100;
    bool is_cube = !strcmp(trace_op(task->item)->core, "AI_CORE");
    trace_put_text(out, is_cube ? "," : "," NO_COUNTERS ",");
    trace_put_short(out, busy_ns);
    trace_put(out, ",", 1);
    trace_put_number(out, (uint64_t)busy_ns * 9 / 5 * trace_op(task->item)->cores);
    trace_put(out, ",", 1);
    trace_put_short(out, busy_ns * 48 / 100);
    trace_put_text(out, ",0.481,");
    trace_put_short(out, busy_ns * 20 / 100);
    trace_put_text(out, ",0.205,");
    trace_put_short(out, busy_ns * 51 / 100);
    trace_put_text(out, is_cube ? ",0.513," NO_COUNTERS ",43.29" : ",0.513,0");
}

static void put_summary(struct tables *tables, const struct trace_task *task)
{
    size_t item = (size_t)(task->item - tables->summary.trace->items);
    int64_t wait_ns = task->start_ns - tables->last_ns;
    begin_row(&tables->summary);
    struct trace_out *out = tables->summary.out;
    trace_put_text(out, tables->summary.trace->plan.is_eager ? "0,4294967295," : "0,1,");
    trace_put_number(out, task->task_id);
    trace_put(out, tables->heads[item].at, tables->heads[item].len);
    trace_put_us(out, task->start_ns);
    trace_put(out, "\t,", 2);
    trace_put_short(out, task->dur_ns);
    trace_put(out, ",", 1);
    trace_put_short(out, wait_ns > 0 && tables->last_ns ? wait_ns : 0);
    trace_put(out, tables->tails[item].at, tables->tails[item].len);
    if (!tables->summary.trace->plan.is_bare)
        put_counters(out, task);
    trace_put(out, "\n", 1);
    tables->last_ns = task->start_ns + task->dur_ns;
}

static void put_time(struct tables *tables, const struct trace_task *task)
{
    size_t item = (size_t)(task->item - tables->time.trace->items);
    begin_row(&tables->time);
    struct trace_out *out = tables->time.out;
    trace_put(out, tables->kernels[item].at, tables->kernels[item].len);
    trace_put_number(out, task->task_id);
    trace_put(out, ",", 1);
    trace_put_short(out, task->dur_ns);
    trace_put(out, ",", 1);
    trace_put_us(out, task->start_ns);
    trace_put(out, "\t,", 2);
    trace_put_us(out, task->start_ns + task->dur_ns);
    trace_put(out, "\t\n", 2);
}

static void put_task(void *user, const struct trace_task *task)
{
    struct tables *tables = user;
    if (task->item->kind == TRACE_NODE)
        put_summary(tables, task);
    put_time(tables, task);
}

static void make_texts(struct tables *tables, const struct trace *trace)
{
    static const char *const types[] = {
        "", "EVENT_RECORD", "EVENT_WAIT", "MEMCPY_ASYNC", "MODEL_EXECUTE", "MEMCPY_ASYNC"};
    for (uint32_t i = 0; i < trace->item_count; i++) {
        const struct trace_item *item = &trace->items[i];
        const struct trace_op *op = trace_op(item);
        bool is_node = item->kind == TRACE_NODE;
        tables->heads[i] =
            trace_text(",%u,%s,%s,static,%s,", item->stream, item->name, op->type, op->core);
        tables->tails[i] = trace_text(",%u,0,NO,\"\"\"%s\"\"\",%s,ND,\"\"\"%s\"\"\",%s,ND,N/A",
                                      op->cores, op->shapes, op->dtype, op->shapes, op->dtype);
        tables->kernels[i] = is_node ? trace_text("0,%s_ND_ND_FP16_%u,%s,%u,", op->type,
                                                  item->node % 97, op->core, item->stream)
                                     : trace_text("0,N/A,%s,%u,", types[item->kind], item->stream);
    }
}

static void free_texts(struct trace_text *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(texts[i].at);
    free(texts);
}

uint64_t trace_write_csv(const struct trace *trace, const char *folder)
{
    struct tables tables = {
        .summary = {.trace = trace,
                    .folder = folder,
                    .kind = "op_summary",
                    .header = summary_header},
        .time = {.trace = trace, .folder = folder, .kind = "task_time", .header = time_header},
        .heads = calloc(trace->item_count, sizeof(struct trace_text)),
        .tails = calloc(trace->item_count, sizeof(struct trace_text)),
        .kernels = calloc(trace->item_count, sizeof(struct trace_text))};
    if (!tables.heads || !tables.tails || !tables.kernels)
        abort();
    make_texts(&tables, trace);
    trace_each(trace, put_task, &tables);
    tables.summary.bytes += trace_close(tables.summary.out);
    tables.time.bytes += trace_close(tables.time.out);
    free_texts(tables.heads, trace->item_count);
    free_texts(tables.tails, trace->item_count);
    free_texts(tables.kernels, trace->item_count);
    return tables.summary.bytes + tables.time.bytes;
}
