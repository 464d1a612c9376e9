/* Observed types: what devices report of the outputs when a node runs, "float32[1,8];int64[]".
 *
 * All tasks of a node count. Sizes that differ from task to task become unknown sizes, so do not
 * element types; a report that names another number of tensors than the node has makes all of them
 * useless, since reports are not bound to places. */
#include "correlate/pairs.h"
#include "correlate/types/types_parts.h"
#include "model/links.h"

enum { MAX_RANK = 64 };

struct output { /* what all reports so far say about one output */
    uint32_t dtype;
    uint32_t rank, first_size; /* sizes of struct seen */
    uint32_t first_dim;        /* row of mi_dims once it has some; 0 = not yet */
    bool no_dtype, no_shape;   /* reports contradict each other */
};

struct seen {
    struct mi_types *types;
    struct mi_model *model;
    const struct mi_tables *rows;
    uint32_t *first_output; /* [nodes.count] into outputs; 0 = nothing reported */
    uint32_t *last_kernel;  /* [nodes.count] kernel that was looked at last */
    uint8_t *is_useless;    /* [nodes.count] */
    struct mi_map done;     /* (node, kernel) -> 1 */
    struct output *outputs; /* 0 unused */
    int64_t *sizes;         /* 0 unused */
    uint32_t output_count, output_room, size_count, size_room;
};

/* --- reading reports --- */

struct report {
    struct mi_bytes rest;
    uint32_t dtype; /* 0 = a name that is not known here */
    uint32_t rank;
    int64_t sizes[MAX_RANK];
    bool broken;
};

static uint32_t dtype_of(const struct mi_types *types, struct mi_bytes name)
{
    mi_str_id id = mi_strings_find(&types->model->all.strings, name);
    for (unsigned i = 1; id.v && i <= MI_DTYPE_MAX; i++)
        if (types->dtypes[i].v == id.v)
            return id.v;
    return 0;
}

/* Digits up to `,` or `]`; false: something else. */
static bool read_size(struct report *report)
{
    int64_t size = 0;
    size_t i = 0;
    for (; i < report->rest.len && report->rest.at[i] >= '0' && report->rest.at[i] <= '9'; i++) {
        if (size > (INT64_MAX - 9) / 10)
            return false;
        size = size * 10 + (report->rest.at[i] - '0');
    }
    if (!i || report->rank == MAX_RANK)
        return false;
    report->sizes[report->rank++] = size;
    report->rest = mi_bytes_sub(report->rest, i, report->rest.len);
    return true;
}

static bool take(struct report *report, uint8_t byte)
{
    if (!report->rest.len || report->rest.at[0] != byte)
        return false;
    report->rest = mi_bytes_sub(report->rest, 1, report->rest.len);
    return true;
}

/* The next tensor of a report; false at the end and where it is broken. */
static bool next_tensor(const struct mi_types *types, struct report *report)
{
    if (!report->rest.len)
        return false;
    report->rank = 0;
    report->broken = true;
    const uint8_t *open = memchr(report->rest.at, '[', report->rest.len);
    if (!open)
        return false;
    size_t len = (size_t)(open - report->rest.at);
    report->dtype = dtype_of(types, mi_bytes_sub(report->rest, 0, len));
    report->rest = mi_bytes_sub(report->rest, len + 1, report->rest.len);
    if (!take(report, ']')) {
        do {
            if (!read_size(report))
                return false;
        } while (take(report, ','));
        if (!take(report, ']'))
            return false;
    }
    if (report->rest.len && (!take(report, ';') || !report->rest.len))
        return false;
    report->broken = false;
    return true;
}

static uint32_t count_tensors(const struct mi_types *types, struct mi_bytes text, bool *broken)
{
    struct report report = {.rest = text};
    uint32_t count = 0;
    while (next_tensor(types, &report))
        count++;
    *broken = report.broken;
    return count;
}

/* --- joining the reports of a node --- */

static bool is_used(const struct mi_tables *rows, uint32_t port)
{
    return rows->ports.value[port].v && !rows->ports.is_control[port];
}

static uint32_t count_used(const struct mi_tables *rows, uint32_t node)
{
    uint32_t count = 0, first = rows->nodes.first_out[node];
    for (uint32_t p = first; p < first + rows->nodes.out_count[node]; p++)
        count += is_used(rows, p);
    return count;
}

static bool add_output(struct seen *s, const struct report *report)
{
    if (!mi_vec_room(&s->outputs, &s->output_room, s->output_count, sizeof *s->outputs))
        return false;
    s->outputs[s->output_count++] = (struct output){.dtype = report->dtype,
                                                    .rank = report->rank,
                                                    .first_size = s->size_count,
                                                    .no_dtype = !report->dtype};
    for (uint32_t i = 0; i < report->rank; i++) {
        if (!mi_vec_room(&s->sizes, &s->size_room, s->size_count, sizeof *s->sizes))
            return false;
        s->sizes[s->size_count++] = report->sizes[i];
    }
    return true;
}

static void join_output(struct seen *s, struct output *output, const struct report *report)
{
    output->no_dtype = output->no_dtype || output->dtype != report->dtype;
    output->no_shape = output->no_shape || output->rank != report->rank;
    for (uint32_t i = 0; !output->no_shape && i < report->rank; i++)
        if (s->sizes[output->first_size + i] != report->sizes[i])
            s->sizes[output->first_size + i] = -1;
}

static bool add_report(struct seen *s, uint32_t node, struct mi_bytes text)
{
    bool broken, is_first = !s->first_output[node];
    uint32_t count = count_tensors(s->types, text, &broken);
    if (!text.len || s->is_useless[node])
        return true;
    if (broken || count != count_used(s->rows, node)) {
        s->is_useless[node] = 1;
        return true;
    }
    struct report report = {.rest = text};
    uint32_t at = is_first ? s->output_count : s->first_output[node];
    s->first_output[node] = at;
    for (; next_tensor(s->types, &report); at++)
        if (!is_first)
            join_output(s, &s->outputs[at], &report);
        else if (!add_output(s, &report))
            return false;
    return true;
}

/* A framework node is only what ran if the task is of its type: fused nodes keep names. */
static bool counts(const struct seen *s, uint32_t link, uint32_t kernel)
{
    const struct mi_tables *rows = s->rows;
    uint32_t node = rows->executed.node[link].v;
    if (!node || !kernel || rows->executed.confidence[link] < MI_LIKELY)
        return false;
    return mi_node_layer(s->model, (mi_node_id){node}) == MI_LAYER_COMPILED ||
           rows->kernels.op[kernel].v == rows->nodes.op[node].v;
}

static bool read_reports(struct seen *s)
{
    const struct mi_tables *rows = s->rows;
    s->output_count = s->size_count = 1;
    if (!mi_vec_room(&s->outputs, &s->output_room, 1, sizeof *s->outputs) ||
        !mi_vec_room(&s->sizes, &s->size_room, 1, sizeof *s->sizes))
        return false;
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);) {
        uint32_t node = rows->executed.node[at.row].v, kernel = rows->tasks.kernel[at.task].v;
        if (!counts(s, at.row, kernel) || s->last_kernel[node] == kernel)
            continue;
        bool had_other = s->last_kernel[node] != 0;
        s->last_kernel[node] = kernel;
        uint32_t *is_done = mi_map_at(&s->done, mi_pair(node, kernel));
        if (!is_done)
            return false;
        if (had_other && *is_done)
            continue;
        *is_done = 1;
        if (!add_report(s, node, mi_model_text(s->model, rows->kernels.outputs[kernel])))
            return false;
    }
    return true;
}

/* --- from nodes to values --- */

/* Works on tensors in another order of the dimensions, or padded to blocks. */
static bool has_own_layout(const struct seen *s, uint32_t node)
{
    const struct mi_tables *rows = s->rows;
    struct mi_bytes domain = mi_model_text(s->model, rows->nodes.domain[node]);
    if (mi_bytes_ends(domain, MI_LIT("nchwc")) || mi_bytes_ends(domain, MI_LIT("nhwc")) ||
        mi_bytes_starts(mi_model_text(s->model, rows->nodes.op[node]), MI_LIT("Nhwc")))
        return true;
    uint32_t first = rows->nodes.first_attr[node];
    for (uint32_t a = first; a < first + rows->nodes.attr_count[node]; a++)
        if (rows->attrs.kind[a] == MI_ATTR_INT && rows->attrs.item_count[a] == 1 &&
            rows->items.int_value[rows->attrs.first_item[a]] != 0 &&
            mi_bytes_equal(mi_model_text(s->model, rows->attrs.name[a]), MI_LIT("channels_last")))
            return true;
    return false;
}

/* Rows of mi_dims for what was seen, made once. */
static bool make_dims(struct seen *s, struct output *output)
{
    if (output->first_dim)
        return true;
    output->first_dim = mi_next_row(&s->model->all, dims);
    for (uint32_t i = 0; i < output->rank; i++)
        mi_add_dim(&s->model->all, &(struct mi_dim_row){.size = s->sizes[output->first_size + i]});
    return !mi_batch_failed(&s->model->all);
}

static bool see_dtype(struct seen *s, uint32_t value, const struct output *output)
{
    struct mi_values *values = &s->model->all.rows.values;
    if (output->no_dtype)
        return true;
    if (values->dtype_from[value] == MI_KNOWN_NOT) {
        values->dtype[value].v = output->dtype;
        values->dtype_from[value] = MI_KNOWN_OBSERVED;
        return true;
    }
    return values->type[value].v || !values->dtype[value].v ||
           values->dtype[value].v == output->dtype ||
           mi_types_conflict(s->types, value,
                             &(struct mi_types_contradiction){
                                 MI_KNOWN_OBSERVED, values->dtype[value], {output->dtype}});
}

static bool see_shape(struct seen *s, uint32_t value, struct output *output)
{
    struct mi_values *values = &s->model->all.rows.values;
    if (output->no_shape || !make_dims(s, output))
        return output->no_shape;
    if (values->shape_from[value] == MI_KNOWN_NOT && !values->type[value].v) {
        values->has_shape[value] = 1;
        values->first_dim[value] = output->first_dim;
        values->dim_count[value] = output->rank;
        values->shape_from[value] = MI_KNOWN_OBSERVED;
        return true;
    }
    return values->shape_from[value] == MI_KNOWN_NOT ||
           !mi_types_shapes_differ(s->model, values->first_dim[value], values->dim_count[value],
                                   output->first_dim, output->rank) ||
           mi_types_conflict(s->types, value,
                             &(struct mi_types_contradiction){.by = MI_KNOWN_OBSERVED});
}

/* Outputs of the nodes that ran. A declared shape is not held against another layout. */
static bool see_nodes(struct seen *s)
{
    const struct mi_tables *rows = s->rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        uint32_t at = s->first_output[n], first = rows->nodes.first_out[n];
        if (!at || s->is_useless[n])
            continue;
        bool own_layout = has_own_layout(s, n);
        for (uint32_t p = first; p < first + rows->nodes.out_count[n]; p++) {
            if (!is_used(rows, p))
                continue;
            uint32_t value = rows->ports.value[p].v;
            bool wants_shape = !own_layout || rows->values.shape_from[value] == MI_KNOWN_NOT;
            struct output *output = &s->outputs[at++];
            if (!see_dtype(s, value, output) || (wants_shape && !see_shape(s, value, output)))
                return false;
        }
    }
    return true;
}

/* --- from the compiled to the framework graph --- */

static bool find_links(const struct seen *s, struct mi_map *links)
{
    const struct mi_lowered *lowered = &s->rows->lowered;
    for (uint32_t r = 1; r < lowered->count; r++)
        if (lowered->confidence[r] >= MI_LIKELY &&
            !mi_map_set(links, mi_pair(lowered->framework[r].v, lowered->compiled[r].v), 1))
            return false;
    return true;
}

/* The tensor of that name in the framework graph, if its maker is linked to the node; 0 = none. */
static uint32_t twin_of(const struct seen *s, uint32_t graph, uint32_t node, uint32_t value,
                        const struct mi_map *links)
{
    const struct mi_values *values = &s->rows->values;
    uint32_t name = values->name[value].v;
    uint32_t twin = name ? mi_map_get(&s->model->index.value_by_name, mi_pair(graph, name)) : 0;
    uint32_t maker = twin ? values->producer[twin].v : 0;
    return maker && mi_map_get(links, mi_pair(maker, node)) ? twin : 0;
}

/* Tensors of equal name whose makers are linked are the same tensor. */
static bool see_pair(struct seen *s, struct mi_graph_pair pair, const struct mi_map *links)
{
    const struct mi_tables *rows = s->rows;
    const uint32_t *first_node = s->model->index.graph_first_node;
    for (uint32_t n = first_node[pair.compiled]; n < first_node[pair.compiled + 1]; n++) {
        uint32_t at = s->first_output[n], first = rows->nodes.first_out[n];
        if (!at || s->is_useless[n])
            continue;
        bool own_layout = has_own_layout(s, n);
        for (uint32_t p = first; p < first + rows->nodes.out_count[n]; p++) {
            if (!is_used(rows, p))
                continue;
            struct output *output = &s->outputs[at++];
            uint32_t twin = twin_of(s, pair.framework, n, rows->ports.value[p].v, links);
            if (twin &&
                (!see_dtype(s, twin, output) || (!own_layout && !see_shape(s, twin, output))))
                return false;
        }
    }
    return true;
}

static bool see_framework(struct seen *s, struct mi_error *err)
{
    struct mi_graph_pairs pairs = {0};
    struct mi_map links = {0};
    if (s->rows->lowered.count <= 1)
        return true;
    bool ok = mi_graph_pairs_find(&pairs, s->model, err) && find_links(s, &links);
    for (uint32_t p = 0; ok && p < pairs.count; p++)
        ok = see_pair(s, pairs.at[p], &links);
    mi_graph_pairs_fini(&pairs);
    mi_map_fini(&links);
    return ok;
}

bool mi_types_observe(struct mi_types *types, struct mi_error *err)
{
    struct seen s = {.types = types, .model = types->model, .rows = &types->model->all.rows};
    uint32_t nodes = s.rows->nodes.count;
    if (s.rows->executed.count <= 1)
        return true;
    s.first_output = mi_mem_zero(nodes, sizeof *s.first_output);
    s.last_kernel = mi_mem_zero(nodes, sizeof *s.last_kernel);
    s.is_useless = mi_mem_zero(nodes, 1);
    bool ok = s.first_output && s.last_kernel && s.is_useless && read_reports(&s) &&
              see_nodes(&s) && see_framework(&s, err);
    mi_mem_free(s.first_output);
    mi_mem_free(s.last_kernel);
    mi_mem_free(s.is_useless);
    mi_mem_free(s.outputs);
    mi_mem_free(s.sizes);
    mi_map_fini(&s.done);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for types of tensors");
}
