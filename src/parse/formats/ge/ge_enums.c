/* Lookups in GE's vocabularies. The tables are short and the callers keep what they have found, so
 * names are searched one by one. */
#include "parse/formats/ge/ge_enums.h"

struct dtype {
    const char *dump, *name;
    int64_t ge, proto;
    unsigned bits;
};

#define ROW(dump_name, ge_number, proto_number, model_name, size)                                  \
    {.dump = (dump_name),                                                                          \
     .name = (model_name),                                                                         \
     .ge = (ge_number),                                                                            \
     .proto = (proto_number),                                                                      \
     .bits = (size)},
static const struct dtype dtypes[] = {MI_GE_DTYPES(ROW)};
#undef ROW

#define DTYPE_COUNT (sizeof dtypes / sizeof *dtypes)

const char *mi_ge_dtype_of_proto(int64_t number)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (dtypes[i].proto == number)
            return dtypes[i].name;
    return NULL;
}

const char *mi_ge_dtype_of_ge(int64_t number)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (dtypes[i].ge == number)
            return dtypes[i].name;
    return NULL;
}

const char *mi_ge_dtype_of_name(struct mi_bytes name)
{
#define ROW(spelling, dump_name) {spelling, dump_name},
    static const char *const aliases[][2] = {MI_GE_DTYPE_ALIASES(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (mi_bytes_equal(name, mi_cstr(aliases[i][0])))
            name = mi_cstr(aliases[i][1]);
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (mi_bytes_equal(name, mi_cstr(dtypes[i].dump)))
            return dtypes[i].name;
    return NULL;
}

unsigned mi_ge_dtype_bits(struct mi_bytes model_name)
{
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (mi_bytes_equal(model_name, mi_cstr(dtypes[i].name)))
            return dtypes[i].bits;
    return 0;
}

const char *mi_ge_format_name(int64_t number)
{
    switch (number) {
#define ROW(value, name)                                                                           \
    case (value):                                                                                  \
        return name;
        MI_GE_FORMATS(ROW)
#undef ROW
    default:
        return NULL;
    }
}

struct mi_ge_format mi_ge_format_unpack(int64_t packed)
{
    uint32_t bits = (uint32_t)packed, code = bits >> 24 & 0xf;
    return (struct mi_ge_format){
        .primary = bits & 0xff, .sub = bits >> 8 & 0xffff, .c0 = code ? 1u << (code - 1) : 0};
}

struct mi_bytes mi_ge_layout_name(struct mi_bytes layout, struct mi_bytes *sub)
{
    size_t len = 0;
    while (len < layout.len && layout.at[len] != ':')
        len++;
    *sub = mi_bytes_sub(layout, len + 1, layout.len);
    struct mi_bytes name = mi_bytes_sub(layout, 0, len);
    if (mi_bytes_starts(name, MI_LIT("FORMAT_")))
        name = mi_bytes_sub(name, 7, name.len);
    if (mi_bytes_equal(name, MI_LIT("RESERVED")))
        name.len = 0;
    return name;
}

const char *mi_ge_kernel_type_name(int64_t number)
{
    switch (number) {
#define ROW(value, name)                                                                           \
    case (value):                                                                                  \
        return name;
        MI_GE_KERNEL_TYPES(ROW)
#undef ROW
    default:
        return NULL;
    }
}

const struct mi_ge_task_type *mi_ge_task_type(int64_t number)
{
#define ROW(value, text, task_kind, field, index)                                                  \
    [value] = {                                                                                    \
        .name = (text), .kind = (task_kind), .payload = (field), .op_index = (int8_t)(index)},
    static const struct mi_ge_task_type tasks[] = {MI_GE_TASKS(ROW)};
#undef ROW
    bool is_known = number >= 0 && number < (int64_t)(sizeof tasks / sizeof *tasks);
    return is_known && tasks[number].name ? &tasks[number] : NULL;
}

const struct mi_ge_context_type *mi_ge_context_type(uint32_t field)
{
#define ROW(value, text, task_kind, kernel_field)                                                  \
    [value] = {.name = (text), .kind = (task_kind), .kernel = (kernel_field)},
    static const struct mi_ge_context_type contexts[] = {MI_GE_CONTEXTS(ROW)};
#undef ROW
    bool is_known = field < sizeof contexts / sizeof *contexts;
    return is_known && contexts[field].name ? &contexts[field] : NULL;
}

enum mi_ge_role mi_ge_op_role(struct mi_bytes type)
{
#define ROW(op_type, op_role) {.type = (op_type), .role = (op_role)},
    static const struct {
        const char *type;
        enum mi_ge_role role;
    } ops[] = {MI_GE_OPS(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (mi_bytes_equal(type, mi_cstr(ops[i].type)))
            return ops[i].role;
    return MI_GE_ROLE_NONE;
}
