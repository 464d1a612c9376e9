/* Numbers and names of GE's data types, layouts, tasks and kernels. Pure functions over the tables
 * in ge_enums.def, any thread. Numbers that no table has give NULL or -1: they only grow. */
#ifndef MI_PARSE_FORMATS_GE_ENUMS_H
#define MI_PARSE_FORMATS_GE_ENUMS_H

#include "base/bytes.h"
#include "model/tables.h"
#include "parse/formats/ge/ge_enums.def"

/* Values of `op_index` that are no field number. */
enum { MI_GE_IN_CONTEXT = -1, MI_GE_IN_TASK = -2 };

/* Name in the model ("float32"; "" = undefined) of a ge.proto.DataType or a ge::DataType. */
const char *mi_ge_dtype_of_proto(int64_t number);
const char *mi_ge_dtype_of_ge(int64_t number);

/* The same by spelling (DT_FLOAT16, DT_BFLOAT16, RESERVED); NULL for one that is not known. */
const char *mi_ge_dtype_of_name(struct mi_bytes name);

/* Bits per element of a type as the model names it; 0 = unknown or no fixed size. */
unsigned mi_ge_dtype_bits(struct mi_bytes model_name);

/* A ge::Format without C0 and sub-format ("NC1HWC0"); NULL if not known. */
const char *mi_ge_format_name(int64_t number);

/* ge::Format as packed into `format_for_int`. */
struct mi_ge_format {
    unsigned primary; /* for mi_ge_format_name() */
    unsigned sub;     /* for example the number of groups; 0 = none */
    unsigned c0;      /* elements of the innermost dimension; 0 = not stated */
};

struct mi_ge_format mi_ge_format_unpack(int64_t packed);

/* "FRACTAL_Z:32" in its parts. A prefix FORMAT_ is left out and RESERVED is empty. */
struct mi_bytes mi_ge_layout_name(struct mi_bytes layout, struct mi_bytes *sub);

const char *mi_ge_kernel_type_name(int64_t number); /* NULL if not known */

struct mi_ge_task_type {
    const char *name;
    enum mi_task_kind kind;
    uint8_t payload; /* field of TaskDef; 0 = none */
    int8_t op_index; /* field of the payload, 0 = none, or MI_GE_IN_... */
};

const struct mi_ge_task_type *mi_ge_task_type(int64_t number); /* NULL if not known */

struct mi_ge_context_type {
    const char *name;
    enum mi_task_kind kind;
    uint8_t kernel; /* field with kernel names; 0 = none */
};

const struct mi_ge_context_type *mi_ge_context_type(uint32_t field); /* NULL if there is none */

enum mi_ge_role { MI_GE_ROLE_NONE, MI_GE_ROLE_INPUT, MI_GE_ROLE_CONST, MI_GE_ROLE_OUTPUT };

enum mi_ge_role mi_ge_op_role(struct mi_bytes type);

#endif
