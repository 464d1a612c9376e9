/* .om: TASK_INFO, a domi.ModelTaskDef. What the compiler planned, in the order in which it runs.
 *
 *   ModelTaskDef       task=10
 *   TaskDef            id=1 type=2 stream_id=10 event_id=11 notify_id=12, payloads from 20 on: the
 *                      table in ge_enums.def says which field belongs to a type. A payload does not
 *                      tell the type: kernels carry a small kernel_with_handle, too
 *   KernelDef (20)     context=1 block_dim=11 kernel_name=17
 *   ...WithHandle (40) context=1 dev_func=11 block_dim=12 original_kernel_key=16
 *   KernelContext      kernel_type=1 op_index=4 origin_op_index=8
 *   KernelHcclDef (25) op_index=8 hccl_type=9
 *   StreamSwitch (32)  op_index=1 true_stream_id=2; Active (33), labels (37, 38) alike;
 *                      SwitchN (36) true_stream_id=4
 *   FftsPlusTaskDef    op_index=1 ffts_plus_ctx=4 {op_index=1 uniq_ctx_name=2, one of 6 to 20}
 *   FftsTaskDef        op_index=1 sub_task=5 {type=1 auto=8 {11, 12} manual=9 {12}}
 *   FusionTaskDef      op_index=1 sub_task=4 {type=1 payload=2 {1|2|3 {context=1}}}
 *
 * Source: the public task.proto. Absent numbers are 0, as proto3 has it. */
#include "parse/formats/om/om_read.h"

#include <stdio.h>

bool mi_om_is_tasks(struct mi_pb pb)
{
    struct mi_error err = MI_ERROR_INIT;
    uint32_t tasks = 0, others = 0;
    pb.err = &err;
    while (mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        if (field == 10 && mi_pb_type(&pb) == MI_PB_LEN)
            tasks++;
        else if (field != 1 && field != 9 && (field < 11 || field > 18))
            others++;
    }
    return others == 0 && (tasks > 0 || !err.code);
}

/* The fields of a TaskDef that are read. */
struct task {
    uint64_t id, type, stream, event, notify;
    struct mi_pb payload; /* of its type; empty if there is none */
    bool has_payload;
};

static uint64_t number_in(struct mi_pb pb, uint32_t field, uint64_t fallback)
{
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(field, MI_PB_VARINT))
            fallback = pb.value;
    return fallback;
}

static struct mi_bytes bytes_in(struct mi_pb pb, uint32_t field)
{
    struct mi_bytes found = {NULL, 0};
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(field, MI_PB_LEN) && !found.len)
            found = pb.bytes;
    return found;
}

static bool message_in(struct mi_pb pb, uint32_t field, struct mi_pb *found)
{
    bool has = false;
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(field, MI_PB_LEN)) {
            *found = mi_pb_sub(&pb);
            has = true;
        }
    return has;
}

static struct task scan_task(struct mi_pb pb)
{
    struct task task = {.payload = pb};
    task.type = number_in(pb, 2, 0);
    const struct mi_ge_task_type *type = mi_ge_task_type((int64_t)(uint32_t)task.type);
    while (mi_pb_next(&pb)) {
        switch (pb.key) {
        case MI_PB_KEY(1, MI_PB_VARINT):
            task.id = pb.value;
            break;
        case MI_PB_KEY(10, MI_PB_VARINT):
            task.stream = pb.value;
            break;
        case MI_PB_KEY(11, MI_PB_VARINT):
            task.event = pb.value;
            break;
        case MI_PB_KEY(12, MI_PB_VARINT):
            task.notify = pb.value;
            break;
        default:
            if (type && type->payload && pb.key == MI_PB_KEY(type->payload, MI_PB_LEN)) {
                task.payload = mi_pb_sub(&pb);
                task.has_payload = true;
            }
        }
    }
    return task;
}

/* --- what a task says by its type --- */

static int64_t op_index_of(const struct task *task, const struct mi_ge_task_type *type)
{
    struct mi_pb context;
    if (!type || type->op_index == 0)
        return -1;
    if (type->op_index == MI_GE_IN_TASK)
        return (int64_t)task->id;
    if (!task->has_payload)
        return -1;
    if (type->op_index != MI_GE_IN_CONTEXT)
        return (int64_t)number_in(task->payload, (uint32_t)type->op_index, 0);
    return message_in(task->payload, 1, &context) ? (int64_t)number_in(context, 4, 0) : -1;
}

/* Event or notify that the task is about; absent means 0. */
static int64_t event_of(const struct task *task)
{
    switch (task->type) {
    case 1:  /* EVENT_RECORD */
    case 2:  /* EVENT_WAIT */
    case 18: /* EVENT_RESET */
    case 45: /* MEM_EVENT_RECORD */
    case 46: /* MEM_EVENT_WAIT */
        return (int64_t)task->event;
    case 14: /* NOTIFY_RECORD */
    case 15: /* NOTIFY_WAIT */
        return (int64_t)task->notify;
    default:
        return -1;
    }
}

/* Label, or stream that the task switches to or activates. */
static int64_t label_of(const struct task *task)
{
    if (!task->has_payload)
        return -1;
    switch (task->type) {
    case 7:  /* STREAM_SWITCH: true_stream_id */
    case 8:  /* STREAM_ACTIVE: active_stream_id */
    case 9:  /* LABEL_SET */
    case 24: /* STREAM_LABEL_GOTO */
        return (int64_t)number_in(task->payload, 2, 0);
    case 20: /* STREAM_SWITCH_N: the first of its streams */
        return (int64_t)number_in(task->payload, 4, 0);
    default:
        return -1;
    }
}

static void fill_kernel(struct om *o, const struct task *task, const struct mi_ge_task_type *type,
                        struct mi_planned_row *row)
{
    uint32_t name = 0, dim = 0;
    if (!task->has_payload || !type)
        return;
    if (type->payload == 20) {
        name = 17;
        dim = 11;
    } else if (type->payload == 40) {
        name = 16;
        dim = 12;
    } else if (type->payload == 25) {
        name = 9;
        dim = 12;
    }
    struct mi_bytes kernel = name ? bytes_in(task->payload, name) : (struct mi_bytes){NULL, 0};
    if (!kernel.len && type->payload == 40)
        kernel = bytes_in(task->payload, 11);
    row->kernel = mi_batch_str(o->out, kernel);
    int64_t cores = dim ? (int64_t)(uint32_t)number_in(task->payload, dim, 0) : 0;
    row->block_dim = cores > 0 ? cores : -1;
}

/* --- parts of a task: device contexts, sub-tasks, merged ops --- */

struct parts {
    struct om *o;
    struct mi_planned_row row; /* what the parts inherit */
    uint32_t count;
};

static void add_part(struct parts *parts, mi_str_id type, enum mi_task_kind kind, int64_t op_index,
                     struct mi_bytes kernel)
{
    struct mi_planned_row row = parts->row;
    row.position = parts->count++;
    row.type = type;
    row.kind = (uint8_t)kind;
    row.op_index = op_index;
    row.kernel = mi_batch_str(parts->o->out, kernel);
    row.event = row.label = row.block_dim = -1;
    mi_add_planned(parts->o->out, &row);
}

/* A context of FFTS+: its kind is told by the member that is set. */
static void add_context(struct parts *parts, struct mi_pb pb)
{
    struct mi_batch *out = parts->o->out;
    int64_t op_index = (int64_t)(uint32_t)number_in(pb, 1, 0);
    struct mi_bytes kernel = bytes_in(pb, 2);
    const struct mi_ge_context_type *type = NULL;
    struct mi_pb inner = pb;
    for (struct mi_pb at = pb; mi_pb_next(&at);)
        if (mi_pb_type(&at) == MI_PB_LEN && mi_ge_context_type(mi_pb_field(&at))) {
            type = mi_ge_context_type(mi_pb_field(&at));
            inner = mi_pb_sub(&at);
        }
    if (type && type->kernel) {
        struct mi_bytes name = bytes_in(inner, type->kernel);
        struct mi_pb aicpu;
        if (type->kernel == 20 && message_in(inner, 20, &aicpu)) /* the kernel of an AI CPU */
            name = bytes_in(aicpu, 4);
        kernel = name.len ? name : kernel;
    }
    add_part(parts, mi_batch_cstr(out, type ? type->name : "FFTS_CONTEXT"),
             type ? type->kind : MI_TASK_OTHER, op_index, kernel);
}

static void add_ffts_sub(struct parts *parts, struct mi_pb pb)
{
    static const char *const names[] = {"FFTS_AIC", "FFTS_AIV", "FFTS_DMU", "FFTS_NOP",
                                        "FFTS_PREFETCH"};
    uint64_t type = number_in(pb, 1, 0);
    struct mi_pb inner;
    struct mi_bytes kernel = {NULL, 0};
    if (message_in(pb, 8, &inner))
        kernel = bytes_in(inner, 11).len ? bytes_in(inner, 11) : bytes_in(inner, 12);
    else if (message_in(pb, 9, &inner))
        kernel = bytes_in(inner, 12);
    add_part(parts, mi_batch_cstr(parts->o->out, type < 5 ? names[type] : "FFTS_SUB_TASK"),
             type < 2    ? MI_TASK_COMPUTE
             : type == 2 ? MI_TASK_TRANSFER
                         : MI_TASK_OTHER,
             -1, kernel);
}

static void add_fusion_sub(struct parts *parts, struct mi_pb pb)
{
    static const char *const names[] = {"FUSION_HCOM_CPU", "FUSION_AICPU", "FUSION_AICORE",
                                        "FUSION_CCU"};
    uint64_t type = number_in(pb, 1, 0);
    int64_t op_index = -1;
    struct mi_pb payload, inner, context;
    if (message_in(pb, 2, &payload))
        for (uint32_t field = 1; field <= 3; field++)
            if (message_in(payload, field, &inner) && message_in(inner, 1, &context))
                op_index = (int64_t)(uint32_t)number_in(context, 4, 0);
    add_part(parts, mi_batch_cstr(parts->o->out, type < 4 ? names[type] : "FUSION_SUB_TASK"),
             type == 0 || type == 3 ? MI_TASK_COMMUNICATION : MI_TASK_COMPUTE, op_index,
             (struct mi_bytes){NULL, 0});
}

/* One task that implements several ops: a part for each. */
static void add_origins(struct parts *parts, struct mi_pb kernel)
{
    struct mi_pb context;
    uint32_t count = 0;
    if (!message_in(kernel, 1, &context))
        return;
    for (int pass = 0; pass < 2; pass++) {
        for (struct mi_pb at = context; mi_pb_next(&at);) {
            if (at.key != MI_PB_KEY(8, MI_PB_LEN) && at.key != MI_PB_KEY(8, MI_PB_VARINT))
                continue;
            for (struct mi_pb_packed it = mi_pb_packed(&at, MI_PB_VARINT);
                 mi_pb_packed_next(&it);) {
                if (pass)
                    add_part(parts, mi_batch_cstr(parts->o->out, "MERGED_OP"), MI_TASK_COMPUTE,
                             (int64_t)(uint32_t)it.value, (struct mi_bytes){NULL, 0});
                else
                    count++;
            }
        }
        if (count < 2)
            return;
    }
}

static void add_parts(struct om *o, const struct task *task, const struct mi_ge_task_type *type,
                      const struct mi_planned_row *row, mi_planned_id parent)
{
    struct parts parts = {.o = o, .row = *row};
    parts.row.parent = parent;
    if (!task->has_payload || !type || !parent.v)
        return;
    if (type->op_index == MI_GE_IN_CONTEXT) {
        add_origins(&parts, task->payload);
        return;
    }
    uint32_t field = type->payload == 41 ? 5 : 4;
    if (type->payload < 41 || (type->payload > 42 && type->payload != 53))
        return;
    for (struct mi_pb pb = task->payload; mi_pb_next(&pb);) {
        if (pb.key != MI_PB_KEY(field, MI_PB_LEN))
            continue;
        if (!mi_om_step(o, mi_pb_offset(&pb)))
            return;
        if (type->payload == 42)
            add_context(&parts, mi_pb_sub(&pb));
        else if (type->payload == 41)
            add_ffts_sub(&parts, mi_pb_sub(&pb));
        else
            add_fusion_sub(&parts, mi_pb_sub(&pb));
    }
}

/* --- the list --- */

/* The name of the next task, or none. */
static mi_str_id next_name(struct om *o, struct mi_pb *names)
{
    while (mi_pb_next(names))
        if (names->key == MI_PB_KEY(2, MI_PB_LEN))
            return mi_batch_str(o->out, names->bytes);
    return MI_NO_STR;
}

static void read_task(struct om *o, const struct mi_pb *field, struct mi_planned_row row)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_sub(field);
    pb.err = &err;
    struct task task = scan_task(pb);
    const struct mi_ge_task_type *type = mi_ge_task_type((int64_t)(uint32_t)task.type);
    row.record_offset = (int64_t)mi_pb_payload_offset(field);
    row.record_bytes = field->bytes.len <= UINT32_MAX ? (uint32_t)field->bytes.len : UINT32_MAX;
    row.type = type ? mi_batch_cstr(o->out, type->name)
                    : mi_batch_printf(o->out, "TASK_%u", (unsigned)task.type);
    row.kind = (uint8_t)(type ? type->kind : MI_TASK_OTHER);
    row.stream = (int64_t)(uint32_t)task.stream;
    row.event = event_of(&task);
    row.label = label_of(&task);
    row.op_index = op_index_of(&task, type);
    row.block_dim = -1;
    fill_kernel(o, &task, type, &row);
    o->out->counts.in++;
    if (!type)
        mi_batch_diag(o->out, MI_INFO, "om.task_unknown", mi_pb_payload_offset(field), 0,
                      "a task of the unknown type %u", (unsigned)task.type);
    mi_planned_id planned = mi_add_planned(o->out, &row);
    o->out->counts.kept += planned.v != 0;
    add_parts(o, &task, type, &row, planned);
    if (err.code)
        mi_batch_diag(o->out, MI_LOSS, "om.task_broken", err.offset, 0,
                      "a task could be read in part only: %s", err.text);
}

/* Many of them need not make the table grow step by step. */
static void expect_tasks(struct om *o, struct mi_pb pb)
{
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    uint32_t count = 0;
    pb.err = &err;
    pb.cut = pb.cut ? &cut : NULL;
    while (count < UINT32_MAX / 4 && mi_pb_next(&pb))
        count += pb.key == MI_PB_KEY(10, MI_PB_LEN);
    mi_table_reserve(&o->out->rows, MI_T_planned, count);
}

void mi_om_tasks(struct om *o, struct mi_pb pb, mi_graph_id graph, struct mi_pb names)
{
    struct mi_error err = MI_ERROR_INIT, names_err = MI_ERROR_INIT;
    struct mi_planned_row row = {.graph = graph, .native_id = -1};
    expect_tasks(o, pb);
    pb.err = &err;
    names.err = &names_err;
    while (mi_pb_next(&pb)) {
        if (pb.key != MI_PB_KEY(10, MI_PB_LEN))
            continue;
        if (!mi_om_step(o, mi_pb_offset(&pb)))
            return;
        row.op_name = next_name(o, &names);
        read_task(o, &pb, row);
        row.position++;
    }
    if (err.code)
        mi_batch_diag(o->out, MI_LOSS, "om.tasks_broken", err.offset, 0,
                      "the partition TASK_INFO cannot be read to its end: %s", err.text);
}
