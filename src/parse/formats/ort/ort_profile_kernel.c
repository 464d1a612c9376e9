#include "parse/formats/ort/ort_profile_kernel.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

/* Signatures of one name that are compared before texts are built: shapes that change from run to
 * run make several. */
enum { MAX_COMPARED = 8 };

struct mi_ort_signature {
    struct mi_bytes name, op, provider, node_index, inputs, outputs;
    uint32_t kernel, next; /* next: another signature of the same node name */
};

void mi_ort_kernels_init(struct mi_ort_kernels *kernels, struct mi_batch *batch,
                         uint32_t max_name_bytes)
{
    *kernels =
        (struct mi_ort_kernels){.batch = batch, .max_name_bytes = max_name_bytes, .seen_count = 1};
}

void mi_ort_kernels_fini(struct mi_ort_kernels *kernels)
{
    mi_mem_free(kernels->seen);
    mi_mem_free(kernels->first_seen);
    mi_map_fini(&kernels->rows);
    mi_scratch_fini(&kernels->scratch);
}

/* --- types and shapes --- */

/* Names that differ from those of ONNX. */
static struct mi_bytes to_dtype(struct mi_bytes name)
{
    if (mi_bytes_equal(name, MI_LIT("float")))
        return MI_LIT("float32");
    if (mi_bytes_equal(name, MI_LIT("double")))
        return MI_LIT("float64");
    return name;
}

static uint8_t *put(uint8_t *out, struct mi_bytes text)
{
    if (text.len)
        memcpy(out, text.at, text.len);
    return out + text.len;
}

/* The dimensions without blanks; whatever is no list of numbers as it stands. */
static uint8_t *put_dims(uint8_t *out, struct mi_bytes raw)
{
    for (size_t i = 0; i < raw.len; i++)
        if (raw.at[i] > ' ')
            *out++ = raw.at[i];
    return out;
}

struct mi_bytes mi_ort_shapes(struct mi_bytes raw, struct mi_scratch *scratch)
{
    struct mi_json js;
    struct mi_json_string type;
    struct mi_bytes dims;
    /* an item is at least `{"":[]}`, and a type grows by two bytes */
    uint8_t *start = mi_scratch_room(scratch, raw.len + raw.len / 2 + 8), *out = start;
    if (!start)
        return (struct mi_bytes){0};
    mi_json_init(&js, raw, &(struct mi_json_options){.allow_trailing_comma = true});
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js)) {
        mi_json_begin_object(&js);
        while (mi_json_next_key(&js, &type)) {
            if (!mi_json_skip(&js, &dims))
                break;
            if (out > start)
                *out++ = ';';
            out = put_dims(put(out, to_dtype(type.raw)), dims);
        }
    }
    if (mi_json_failed(&js))
        return raw;
    return (struct mi_bytes){start, (size_t)(out - start)};
}

/* --- rows --- */

static enum mi_task_kind to_kind(struct mi_bytes op)
{
    static const char *const control[] = {"If", "Loop", "Scan", "SequenceMap"};
    static const char *const transfer[] = {"MemcpyFromHost", "MemcpyToHost"};
    for (size_t i = 0; i < sizeof control / sizeof *control; i++)
        if (mi_bytes_equal(op, mi_cstr(control[i])))
            return MI_TASK_CONTROL;
    for (size_t i = 0; i < sizeof transfer / sizeof *transfer; i++)
        if (mi_bytes_equal(op, mi_cstr(transfer[i])))
            return MI_TASK_TRANSFER;
    return MI_TASK_COMPUTE;
}

static bool same_kernel(const struct mi_kernels *table, uint32_t row,
                        const struct mi_kernel_row *kernel)
{
    return table->name[row].v == kernel->name.v && table->node_name[row].v == kernel->node_name.v &&
           table->node_index[row] == kernel->node_index && table->op[row].v == kernel->op.v &&
           table->engine[row].v == kernel->engine.v && table->inputs[row].v == kernel->inputs.v &&
           table->outputs[row].v == kernel->outputs.v;
}

/* The row with these columns, added if new. */
static mi_kernel_id add_kernel(struct mi_ort_kernels *kernels, const struct mi_kernel_row *kernel)
{
    const uint64_t key[] = {mi_pair(kernel->name.v, kernel->node_name.v),
                            (uint64_t)kernel->node_index, mi_pair(kernel->op.v, kernel->engine.v),
                            mi_pair(kernel->inputs.v, kernel->outputs.v)};
    uint64_t hash = mi_hash64((struct mi_bytes){(const uint8_t *)key, sizeof key});
    for (;; hash++) {
        uint32_t *row = mi_map_at(&kernels->rows, hash);
        if (!row) {
            mi_batch_fail(kernels->batch, MI_ENOMEM, "out of memory for kernels");
            return (mi_kernel_id){0};
        }
        if (!*row) {
            mi_kernel_id id = mi_add_kernel(kernels->batch, kernel);
            *row = id.v ? id.v : UINT32_MAX; /* a failed batch is not read any more */
            return id;
        }
        if (same_kernel(&kernels->batch->rows.kernels, *row, kernel))
            return (mi_kernel_id){*row};
    }
}

static mi_str_id cut_str(struct mi_ort_kernels *kernels, struct mi_bytes text)
{
    if (text.len > kernels->max_name_bytes) {
        mi_batch_diag(kernels->batch, MI_NOTICE, "ort.name_cut", MI_NO_OFFSET, 0,
                      "a name of %zu bytes was cut", text.len);
        text.len = kernels->max_name_bytes;
    }
    return mi_batch_str(kernels->batch, text);
}

static mi_kernel_id build_kernel(struct mi_ort_kernels *kernels, const struct mi_ort_event *event,
                                 mi_str_id name, mi_str_id node_name)
{
    struct mi_batch *batch = kernels->batch;
    struct mi_kernel_row row = {
        .name = name,
        .node_name = node_name,
        .node_index = mi_ort_integer(event->node_index, -1),
        .op = mi_batch_str(batch, event->op),
        .kind = (uint8_t)to_kind(event->op),
        .engine = mi_batch_str(batch, event->provider),
    };
    row.inputs = mi_batch_str(batch, mi_ort_shapes(event->inputs, &kernels->scratch));
    row.outputs = mi_batch_str(batch, mi_ort_shapes(event->outputs, &kernels->scratch));
    return add_kernel(kernels, &row);
}

/* --- what was seen before --- */

static bool same_signature(const struct mi_ort_signature *seen, const struct mi_ort_event *event)
{
    return mi_bytes_equal(seen->inputs, event->inputs) &&
           mi_bytes_equal(seen->outputs, event->outputs) && mi_bytes_equal(seen->op, event->op) &&
           mi_bytes_equal(seen->node_index, event->node_index) &&
           mi_bytes_equal(seen->provider, event->provider);
}

static bool grow_list(uint32_t **list, uint32_t *room, uint32_t need)
{
    uint32_t bigger = *room ? *room : 256;
    while (bigger < need)
        bigger = bigger > UINT32_MAX / 2 ? UINT32_MAX : bigger * 2;
    uint32_t *moved = mi_mem_resize(*list, bigger, sizeof *moved);
    if (!moved)
        return false;
    memset(moved + *room, 0, (bigger - *room) * sizeof *moved);
    *list = moved;
    *room = bigger;
    return true;
}

static void remember(struct mi_ort_kernels *kernels, const struct mi_ort_event *event,
                     struct mi_bytes name, mi_str_id node_name, mi_kernel_id kernel)
{
    if (!mi_vec_room(&kernels->seen, &kernels->seen_room, kernels->seen_count,
                     sizeof *kernels->seen))
        return; /* only slower */
    if (node_name.v >= kernels->name_room &&
        !grow_list(&kernels->first_seen, &kernels->name_room, node_name.v + 1))
        return;
    uint32_t at = kernels->seen_count++;
    kernels->seen[at] = (struct mi_ort_signature){.name = name,
                                                  .op = event->op,
                                                  .provider = event->provider,
                                                  .node_index = event->node_index,
                                                  .inputs = event->inputs,
                                                  .outputs = event->outputs,
                                                  .kernel = kernel.v,
                                                  .next = kernels->first_seen[node_name.v]};
    kernels->first_seen[node_name.v] = at;
}

mi_kernel_id mi_ort_kernel_of(struct mi_ort_kernels *kernels, const struct mi_ort_event *event,
                              struct mi_bytes name, struct mi_bytes node_name)
{
    mi_str_id node_id = cut_str(kernels, node_name);
    uint32_t at = node_id.v < kernels->name_room ? kernels->first_seen[node_id.v] : 0;
    uint32_t compared = 0;
    for (; at && compared < MAX_COMPARED; at = kernels->seen[at].next, compared++)
        if (same_signature(&kernels->seen[at], event) &&
            mi_bytes_equal(kernels->seen[at].name, name))
            return (mi_kernel_id){kernels->seen[at].kernel};
    mi_str_id name_id =
        name.at == node_name.at && name.len == node_name.len ? node_id : cut_str(kernels, name);
    mi_kernel_id kernel = build_kernel(kernels, event, name_id, node_id);
    /* the name of a re-escaped event does not outlive it, so it cannot be compared with later ones;
     * nor is more remembered than is ever compared */
    if (kernel.v && !event->name_is_copy && compared < MAX_COMPARED)
        remember(kernels, event, name, node_id, kernel);
    return kernel;
}
