/* Writes ONNX models for tests, byte by byte: any shape, also broken ones, of any size.
 *
 *   struct onnx_writer w = {0};
 *   onnx_int(&w, 1, 8);                                  ir_version
 *   size_t graph = onnx_begin(&w, 7);
 *   onnx_node(&w, "n0", "Relu", "", "x", "y");
 *   onnx_end(&w, graph);
 *   ... w.at, w.len ...
 *   onnx_writer_fini(&w);
 *
 * Field numbers are those of the format page; out of memory ends the program. */
#ifndef MI_TESTS_ONNX_WRITER_H
#define MI_TESTS_ONNX_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct onnx_writer {
    uint8_t *at;
    size_t len, room;
};

void onnx_writer_fini(struct onnx_writer *w);

/* Scalars. */
void onnx_varint(struct onnx_writer *w, uint64_t bits); /* without a tag */
void onnx_int(struct onnx_writer *w, uint32_t field, int64_t value);
void onnx_float(struct onnx_writer *w, uint32_t field, float value);

/* Length-delimited fields. */
void onnx_bytes(struct onnx_writer *w, uint32_t field, const void *at, size_t len);
void onnx_text(struct onnx_writer *w, uint32_t field, const char *text);

/* Bytes without a tag. */
void onnx_raw(struct onnx_writer *w, const void *at, size_t len);

/* A nested message: the fields written until onnx_end() belong to it. */
size_t onnx_begin(struct onnx_writer *w, uint32_t field);
void onnx_end(struct onnx_writer *w, size_t begin);

/* NodeProto in field 1. Inputs and outputs are names separated by commas; "a,,b" leaves out the
 * second, "" means none. onnx_node_begin() leaves the node open for attributes. */
void onnx_node(struct onnx_writer *w, const char *name, const char *op, const char *domain,
               const char *inputs, const char *outputs);
size_t onnx_node_begin(struct onnx_writer *w, const char *name, const char *op, const char *domain,
                       const char *inputs, const char *outputs);

/* AttributeProto in field 5 of a node: of type INT, INTS, and the head of any other one. */
void onnx_attr_int(struct onnx_writer *w, const char *name, int64_t value);
void onnx_attr_ints(struct onnx_writer *w, const char *name, const int64_t *values, size_t count);
size_t onnx_attr_begin(struct onnx_writer *w, const char *name, int type);

/* ValueInfoProto with a tensor type, in field 11 (input), 12 (output) or 13. `dims` is like
 * "1,N,?"; NULL = without shape. */
void onnx_value(struct onnx_writer *w, uint32_t field, const char *name, int elem,
                const char *dims);

/* TensorProto in field 5 of a graph (or 5 of an attribute) with raw data. */
void onnx_tensor(struct onnx_writer *w, uint32_t field, const char *name, int elem,
                 const int64_t *dims, size_t dim_count, const void *raw, size_t raw_len);

void onnx_opset(struct onnx_writer *w, const char *domain, int64_t version);

/* --- whole models --- */

/* A model that ONNX Runtime accepts: float x[1,width] through `nodes` operators (Relu, Add, Mul,
 * Neg in turn) on `branches` parallel chains that are summed to y, and `weights` initialisers of
 * `weight_bytes` each (multiple of 4) that are added one per node as long as they last, if they
 * have 4 * width bytes, and stay unused otherwise. */
struct onnx_plan {
    uint32_t nodes, branches, width;
    uint32_t weights;
    uint64_t weight_bytes;
    /* The same model as an optimiser could leave it, which files of ONNX Runtime look like: each
     * Mul with the Neg behind it is one node, the Identity of several branches is gone. Such nodes
     * are made up: nothing runs them. */
    bool is_optimised;
};

/* Writes it to `file`; weights of all zeros become holes, so 800 MB cost no disk. 0 = written. */
int onnx_write_plan(FILE *file, const struct onnx_plan *plan);

#endif
