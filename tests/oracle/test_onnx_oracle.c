/* ONNX reader against protobuf-c: every node, port, attribute, initialiser and shape of all samples
 * at hand says the same in our rows as in its decoded messages. */
#include "check_batch.h"
#include "onnx.pb-c.h"
#include "reading.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char *path; /* of the sample at hand, for messages */

static struct mi_bytes bytes_of(ProtobufCBinaryData data)
{
    return (struct mi_bytes){data.data, data.len};
}

static void same_text(const struct reading *r, mi_str_id id, ProtobufCBinaryData data)
{
    struct mi_bytes ours = mi_batch_text(&r->batch, id), theirs = bytes_of(data);
    if (!mi_bytes_equal(ours, theirs))
        fail_msg("%s: \"%.*s\" is not \"%.*s\"", path, (int)ours.len, (const char *)ours.at,
                 (int)theirs.len, (const char *)theirs.at);
}

static void same_domain(const struct reading *r, mi_str_id id, ProtobufCBinaryData data)
{
    if (mi_bytes_equal(bytes_of(data), MI_LIT("ai.onnx")))
        data.len = 0;
    same_text(r, id, data);
}

/* The value a name stands for: equal names, and none for an absent one. */
static void same_port(const struct reading *r, uint32_t port, ProtobufCBinaryData name)
{
    mi_value_id value = r->batch.rows.ports.value[port];
    assert_int_equal(value.v != 0, name.len != 0);
    same_text(r, r->batch.rows.values.name[value.v], name);
}

static void same_dims(const struct reading *r, uint32_t value, size_t count, const int64_t *dims)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_int_equal(rows->values.dim_count[value], count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rows->dims.size[rows->values.first_dim[value] + i], dims[i]);
}

static void same_tensor(const struct reading *r, uint32_t value, const Oracle__Tensor *tensor)
{
    const struct mi_values *values = &r->batch.rows.values;
    same_dims(r, value, tensor->n_dims, tensor->dims);
    int64_t at = values->data_offset[value], size = values->data_bytes[value];
    if (tensor->has_raw_data) {
        assert_int_equal(size, tensor->raw_data.len);
        if (size)
            assert_memory_equal(r->input.bytes.at + at, tensor->raw_data.data, (size_t)size);
        assert_int_equal(values->data_form[value].v, 0);
    } else if (tensor->n_float_data && !values->data_form[value].v) {
        assert_int_equal(size, tensor->n_float_data * 4);
        assert_memory_equal(r->input.bytes.at + at, tensor->float_data, (size_t)size);
    }
}

static void same_graph(const struct reading *r, uint32_t graph, const Oracle__Graph *theirs);

static uint32_t body_of(const struct reading *r, uint32_t node, const char *role)
{
    const struct mi_graphs *graphs = &r->batch.rows.graphs;
    for (uint32_t i = 1; i < graphs->count; i++)
        if (graphs->parent[i].v == node &&
            mi_bytes_equal(mi_batch_text(&r->batch, graphs->role[i]), mi_cstr(role)))
            return i;
    fail_msg("%s: node %u has no body %s", path, node, role);
    return 0;
}

static void same_list(const struct reading *r, uint32_t attr, const Oracle__Attribute *theirs)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t count = rows->attrs.item_count[attr], first = rows->attrs.first_item[attr];
    size_t wanted = theirs->type == 6   ? theirs->n_floats
                    : theirs->type == 7 ? theirs->n_ints
                    : theirs->type == 8 ? theirs->n_strings
                    : theirs->type == 9 ? theirs->n_tensors
                                        : theirs->n_graphs;
    assert_int_equal(count, wanted);
    for (uint32_t i = 0; i < count; i++) {
        if (theirs->type == 6)
            assert_true(rows->items.real_value[first + i] == (double)theirs->floats[i]);
        else if (theirs->type == 7)
            assert_int_equal(rows->items.int_value[first + i], theirs->ints[i]);
        else if (theirs->type == 8)
            same_text(r, rows->items.text[first + i], theirs->strings[i]);
        else if (theirs->type == 9)
            same_tensor(r, rows->items.value[first + i].v, theirs->tensors[i]);
        else
            same_graph(r, rows->items.graph[first + i].v, theirs->graphs[i]);
    }
}

static void same_attr(const struct reading *r, uint32_t node, uint32_t attr,
                      const Oracle__Attribute *theirs)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t item = rows->attrs.first_item[attr];
    char role[256];
    same_text(r, rows->attrs.name[attr], theirs->name);
    if (theirs->ref_attr_name.len) {
        assert_int_equal(rows->attrs.kind[attr], MI_ATTR_REFERENCE);
        same_text(r, rows->items.text[item], theirs->ref_attr_name);
        return;
    }
    switch (theirs->type) {
    case 1:
        assert_int_equal(rows->attrs.kind[attr], MI_ATTR_FLOAT);
        assert_true(rows->items.real_value[item] == (double)theirs->f);
        break;
    case 2:
        assert_int_equal(rows->attrs.kind[attr], MI_ATTR_INT);
        assert_int_equal(rows->items.int_value[item], theirs->i);
        break;
    case 3:
        assert_int_equal(rows->attrs.kind[attr], MI_ATTR_STRING);
        same_text(r, rows->items.text[item], theirs->s);
        break;
    case 4:
        assert_int_equal(rows->attrs.kind[attr], MI_ATTR_TENSOR);
        same_tensor(r, rows->items.value[item].v, theirs->t);
        break;
    case 5:
        assert_int_equal(rows->attrs.kind[attr], MI_ATTR_GRAPH);
        snprintf(role, sizeof role, "%.*s", (int)theirs->name.len, (const char *)theirs->name.data);
        assert_int_equal(rows->items.graph[item].v, body_of(r, node, role));
        same_graph(r, rows->items.graph[item].v, theirs->g);
        break;
    default:
        if (theirs->type >= 6 && theirs->type <= 10)
            same_list(r, attr, theirs);
    }
}

static void same_node(const struct reading *r, uint32_t node, const Oracle__Node *theirs)
{
    const struct mi_nodes *nodes = &r->batch.rows.nodes;
    same_text(r, nodes->name[node], theirs->name);
    same_text(r, nodes->op[node], theirs->op_type);
    same_domain(r, nodes->domain[node], theirs->domain);
    assert_int_equal(nodes->in_count[node], theirs->n_input);
    for (size_t i = 0; i < theirs->n_input; i++)
        same_port(r, nodes->first_in[node] + (uint32_t)i, theirs->input[i]);
    assert_int_equal(nodes->out_count[node], theirs->n_output);
    for (size_t i = 0; i < theirs->n_output; i++)
        same_port(r, nodes->first_out[node] + (uint32_t)i, theirs->output[i]);
    size_t notes =
        theirs->n_metadata_props + (size_t)theirs->has_doc_string + (size_t)theirs->has_overload;
    assert_int_equal(nodes->attr_count[node], theirs->n_attribute + notes);
    for (size_t i = 0; i < theirs->n_attribute; i++)
        same_attr(r, node, nodes->first_attr[node] + (uint32_t)i, theirs->attribute[i]);
}

static void same_nodes(const struct reading *r, uint32_t graph, size_t count, Oracle__Node **theirs)
{
    const struct mi_nodes *nodes = &r->batch.rows.nodes;
    uint32_t node = 1;
    while (node < nodes->count && nodes->graph[node].v != graph)
        node++;
    for (size_t i = 0; i < count; i++, node++) {
        assert_true(node < nodes->count && nodes->graph[node].v == graph);
        assert_int_equal(nodes->position[node], i);
        same_node(r, node, theirs[i]);
    }
    assert_true(node >= nodes->count || nodes->graph[node].v != graph);
}

static uint32_t constant_named(const struct reading *r, uint32_t graph, ProtobufCBinaryData name)
{
    const struct mi_values *values = &r->batch.rows.values;
    for (uint32_t i = 1; i < values->count; i++)
        if (values->graph[i].v == graph &&
            mi_bytes_equal(mi_batch_text(&r->batch, values->name[i]), bytes_of(name)))
            return i;
    fail_msg("%s: no row for the initialiser %.*s", path, (int)name.len, (const char *)name.data);
    return 0;
}

static void same_value(const struct reading *r, uint32_t port, const Oracle__ValueInfo *theirs)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t value = rows->ports.value[port].v;
    same_port(r, port, theirs->name);
    if (!theirs->type || !theirs->type->tensor_type || !theirs->type->tensor_type->shape)
        return;
    const Oracle__Shape *shape = theirs->type->tensor_type->shape;
    assert_int_equal(rows->values.dim_count[value], shape->n_dim);
    for (size_t i = 0; i < shape->n_dim; i++) {
        uint32_t dim = rows->values.first_dim[value] + (uint32_t)i;
        int64_t size = shape->dim[i]->has_dim_value ? shape->dim[i]->dim_value : -1;
        assert_int_equal(rows->dims.size[dim], size < 0 ? -1 : size);
        same_text(r, rows->dims.symbol[dim], shape->dim[i]->dim_param);
    }
}

static void same_graph(const struct reading *r, uint32_t graph, const Oracle__Graph *theirs)
{
    const struct mi_graphs *graphs = &r->batch.rows.graphs;
    same_text(r, graphs->name[graph], theirs->name);
    same_nodes(r, graph, theirs->n_node, theirs->node);
    for (size_t i = 0; i < theirs->n_initializer; i++)
        same_tensor(r, constant_named(r, graph, theirs->initializer[i]->name),
                    theirs->initializer[i]);
    assert_int_equal(graphs->in_count[graph], theirs->n_input);
    for (size_t i = 0; i < theirs->n_input; i++)
        same_value(r, graphs->first_in[graph] + (uint32_t)i, theirs->input[i]);
    assert_int_equal(graphs->out_count[graph], theirs->n_output);
    for (size_t i = 0; i < theirs->n_output; i++)
        same_value(r, graphs->first_out[graph] + (uint32_t)i, theirs->output[i]);
}

static void same_function(const struct reading *r, uint32_t graph, const Oracle__Function *theirs)
{
    const struct mi_graphs *graphs = &r->batch.rows.graphs;
    same_text(r, graphs->name[graph], theirs->name);
    same_domain(r, graphs->domain[graph], theirs->domain);
    same_nodes(r, graph, theirs->n_node, theirs->node);
    assert_int_equal(graphs->in_count[graph], theirs->n_input);
    for (size_t i = 0; i < theirs->n_input; i++)
        same_port(r, graphs->first_in[graph] + (uint32_t)i, theirs->input[i]);
    assert_int_equal(graphs->out_count[graph], theirs->n_output);
    for (size_t i = 0; i < theirs->n_output; i++)
        same_port(r, graphs->first_out[graph] + (uint32_t)i, theirs->output[i]);
}

static bool same_file(const char *name)
{
    struct reading r;
    path = name;
    if (!reading_file(&r, mi_reader_find("onnx"), name))
        return false;
    if (!r.ok)
        fail_msg("%s: %s", name, r.err.text);
    Oracle__Model *theirs = oracle__model__unpack(NULL, r.input.bytes.len, r.input.bytes.at);
    assert_non_null(theirs);
    assert_non_null(theirs->graph);
    same_graph(&r, 1, theirs->graph);
    for (size_t i = 0; i < theirs->n_functions; i++)
        same_function(&r, 2 + (uint32_t)i, theirs->functions[i]);
    oracle__model__free_unpacked(theirs, NULL);
    reading_fini(&r);
    return true;
}

static int same_folder(const char *folder)
{
    char name[2048];
    int count = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!mi_bytes_ends(mi_cstr(entry->d_name), MI_LIT(".onnx")))
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        count += same_file(name);
    }
    if (dir)
        closedir(dir);
    print_message("%s: %d files\n", folder, count);
    return count;
}

static void own_samples(void **state)
{
    (void)state;
    assert_true(same_folder(MI_SOURCE_DIR "/tests/data/onnx") >= 9);
    assert_true(same_folder(MI_SOURCE_DIR "/tests/data/ort_onnx") >= 1);
}

static void shared_samples(void **state)
{
    (void)state;
    int count = same_folder(shared_path("samples/onnxruntime"));
    count += same_folder(shared_path("samples/cann-static/framework"));
    if (count == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_samples),
        cmocka_unit_test(shared_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
