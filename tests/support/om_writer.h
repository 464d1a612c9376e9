/* Writes offline models (.om) for tests: the container of any kind, ge.proto messages and tasks,
 * also broken ones. Messages are put together with onnx_writer.h, which writes any protobuf.
 *
 *   struct onnx_writer def = {0}, om = {0};
 *   size_t graph = om_graph(&def, "net");
 *   om_op(&def, "x", "Data", 0, "");
 *   onnx_end(&def, graph);
 *   struct om_part_of parts[] = {{0, def.at, def.len}};
 *   om_file(&om, &(struct om_head){0}, parts, 1); */
#ifndef MI_TESTS_OM_WRITER_H
#define MI_TESTS_OM_WRITER_H

#include "onnx_writer.h"

/* --- container --- */

struct om_head {
    uint32_t version;   /* 0: 0x20000000 */
    uint32_t model_num; /* 0 stays 0, as older writers leave it */
    uint8_t model_type, is_encrypted, is_dynamic;
    bool is_narrow;   /* 32-bit tables */
    const char *name; /* NULL = "net" */
};

struct om_part_of {
    uint32_t type;
    const void *at;
    size_t len;
};

void om_u32(struct onnx_writer *w, uint32_t value);
void om_u64(struct onnx_writer *w, uint64_t value);

void om_header(struct onnx_writer *w, const struct om_head *head);

/* A table and its partitions. `from_header`: offsets count from the end of the header. */
void om_table(struct onnx_writer *w, const struct om_part_of *parts, uint32_t count, bool is_narrow,
              bool from_header);

/* Header and one table. */
void om_file(struct onnx_writer *w, const struct om_head *head, const struct om_part_of *parts,
             uint32_t count);

/* --- ge.proto --- */

size_t om_graph(struct onnx_writer *w, const char *name); /* field 7 of a ModelDef, left open */

/* OpDef in field 6; `inputs` are separated by blanks, "-" = not connected. om_op_begin() leaves it
 * open. */
void om_op(struct onnx_writer *w, const char *name, const char *type, int64_t id,
           const char *inputs);
size_t om_op_begin(struct onnx_writer *w, const char *name, const char *type, int64_t id,
                   const char *inputs);

/* A map entry up to its value, in `field` (10: op, 5: descriptor, 11: graph or model). Ended by
 * om_attr_end(). */
struct om_attr {
    size_t entry, value;
};

struct om_attr om_attr_begin(struct onnx_writer *w, uint32_t field, const void *key,
                             size_t key_len);
void om_attr_end(struct onnx_writer *w, struct om_attr attr);

void om_attr_int(struct onnx_writer *w, uint32_t field, const char *key, int64_t value);
void om_attr_bool(struct onnx_writer *w, uint32_t field, const char *key, bool value);
void om_attr_text(struct onnx_writer *w, uint32_t field, const char *key, const char *value);

/* Words separated by blanks; "" = an empty list. */
void om_attr_texts(struct onnx_writer *w, uint32_t field, const char *key, const char *words);

/* TensorDescriptor in `field` (33, 34), left open: dtype is a ge.proto.DataType, dims like "1,-1".
 */
size_t om_desc(struct onnx_writer *w, uint32_t field, int dtype, const char *layout,
               const char *dims);

/* int64s in a packed field: "1,2". */
void om_numbers(struct onnx_writer *w, uint32_t field, const char *numbers);

/* TaskDef in field 10 of a ModelTaskDef, left open. */
size_t om_task(struct onnx_writer *w, uint32_t type, uint32_t stream);

#endif
