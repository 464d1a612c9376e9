#include "collect/ort_feed.h"

#include "base/decimal.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { MAX_RANK = 16, MAX_PORTS = 4096 };
#define MAX_FEED_BYTES ((int64_t)16 << 30)

/* Element types by their number (ONNX TensorProto.DataType); size 0 = cannot be made here. */
static const struct {
    const char *name;
    unsigned size;
} types[] = {
    [1] = {"float32", 4}, [2] = {"uint8", 1},    [3] = {"int8", 1},     [4] = {"uint16", 2},
    [5] = {"int16", 2},   [6] = {"int32", 4},    [7] = {"int64", 8},    [8] = {"string", 1},
    [9] = {"bool", 1},    [10] = {"float16", 2}, [11] = {"float64", 8}, [12] = {"uint32", 4},
    [13] = {"uint64", 8}, [16] = {"bfloat16", 2}};

struct port {
    const char *name;
    int type;
    size_t rank;
    int64_t dims[MAX_RANK];
    int64_t count; /* elements */
};

/* The part of "NAME=REST" after the sign if the option is about `name` (names may hold '='). */
static const char *value_for(const char *option, const char *name)
{
    size_t len = strlen(name);
    return strncmp(option, name, len) == 0 && option[len] == '=' ? option + len + 1 : NULL;
}

static const char *find_option(const struct mi_args *args, const char *option, const char *name)
{
    const char *found = NULL;
    const struct mi_arg *arg;
    for (size_t k = 0; (arg = mi_args_nth(args, option, k)); k++) {
        const char *value = value_for(arg->text, name);
        if (value)
            found = value;
    }
    return found;
}

/* "1x3x224x224" (or "scalar") into dims. */
static bool parse_shape(const char *text, struct port *port, struct mi_error *err)
{
    struct port asked = *port;
    asked.rank = 0;
    for (const char *at = strcmp(text, "scalar") == 0 ? "" : text; *at;) {
        size_t len = strspn(at, "0123456789");
        int64_t dim = 0;
        unsigned flags = mi_decimal_i64(mi_bytes_sub(mi_cstr(at), 0, len), &dim);
        bool is_last = !at[len], is_followed = at[len] == 'x' && at[len + 1];
        if (flags || dim > INT32_MAX || asked.rank == MAX_RANK || (!is_last && !is_followed))
            return mi_fail(err, MI_EUSAGE, "--shape %s=%.60s: write it like 1x3x224x224",
                           port->name, text);
        asked.dims[asked.rank++] = dim;
        at += len + (is_last ? 0 : 1);
    }
    bool fits = asked.rank == port->rank;
    for (size_t d = 0; fits && d < port->rank; d++)
        fits = port->dims[d] < 0 || port->dims[d] == asked.dims[d];
    if (!fits)
        return mi_fail(err, MI_EUSAGE, "--shape %s=%.60s does not fit the model's input",
                       port->name, text);
    *port = asked;
    return true;
}

static void choose_open_dims(struct port *port)
{
    for (size_t d = 0; d < port->rank; d++)
        if (port->dims[d] < 0)
            port->dims[d] = d == 0 ? 1 : port->rank == 4 && d >= 2 ? 224 : 16;
}

static bool count_elements(struct port *port, struct mi_error *err)
{
    port->count = 1;
    for (size_t d = 0; d < port->rank; d++) {
        if (port->dims[d] > 0 && port->count > MAX_FEED_BYTES / port->dims[d])
            return mi_fail(err, MI_ELIMIT, "input %.80s would need more than 16 GiB", port->name);
        port->count *= port->dims[d];
    }
    if (port->count > MAX_FEED_BYTES / types[port->type].size)
        return mi_fail(err, MI_ELIMIT, "input %.80s would need more than 16 GiB", port->name);
    return true;
}

static bool describe(const struct mi_ort *ort, struct ort_session *session, size_t index,
                     const struct mi_args *args, struct port *port, struct mi_error *err)
{
    struct ort_type_info *info = NULL;
    const struct ort_tensor_info *tensor = NULL;
    int kind = 0;
    bool ok =
        mi_ort_ok(ort, ort->SessionGetInputTypeInfo(session, index, &info), "input type", err) &&
        mi_ort_ok(ort, ort->GetOnnxTypeFromTypeInfo(info, &kind), "input type", err);
    if (ok && kind != MI_ORT_TYPE_TENSOR)
        ok = mi_fail(err, MI_EUNSUPPORTED, "input %.100s is not a tensor; only tensors can be fed",
                     port->name);
    ok = ok && mi_ort_ok(ort, ort->CastTypeInfoToTensorInfo(info, &tensor), "input type", err) &&
         mi_ort_ok(ort, ort->GetTensorElementType(tensor, &port->type), "input type", err) &&
         mi_ort_ok(ort, ort->GetDimensionsCount(tensor, &port->rank), "input shape", err);
    if (ok && port->rank > MAX_RANK)
        ok = mi_fail(err, MI_ELIMIT, "input %.100s has %zu dimensions", port->name, port->rank);
    ok = ok &&
         mi_ort_ok(ort, ort->GetDimensions(tensor, port->dims, port->rank), "input shape", err);
    ort->ReleaseTypeInfo(info);
    if (!ok)
        return false;
    if (port->type < 0 || (size_t)port->type >= sizeof types / sizeof *types ||
        !types[port->type].size)
        return mi_fail(err, MI_EUNSUPPORTED,
                       "input %.100s has element type %d, which cannot be fed", port->name,
                       port->type);
    const char *shape = find_option(args, "shape", port->name);
    if (shape && !parse_shape(shape, port, err))
        return false;
    choose_open_dims(port);
    return count_elements(port, err);
}

/* --- values --- */

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* IEEE half of a small value: exact for the multiples of 2^-10 that are drawn here. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, mantissa = bits & 0x7FFFFF;
    int exponent = (int)(bits >> 23 & 0xFF) - 127 + 15;
    if (exponent <= 0)
        return (uint16_t)sign;
    if (exponent >= 31)
        return (uint16_t)(sign | 0x7C00);
    return (uint16_t)(sign | (uint32_t)exponent << 10 | mantissa >> 13);
}

static void store(uint8_t *at, int type, double real, int64_t whole)
{
    float single = (float)real;
    uint32_t bits;
    uint16_t half;
    switch (type) {
    case 1:
        memcpy(at, &single, sizeof single);
        break;
    case 11:
        memcpy(at, &real, sizeof real);
        break;
    case 10:
        half = half_of(single);
        memcpy(at, &half, sizeof half);
        break;
    case 16:
        memcpy(&bits, &single, sizeof bits);
        half = (uint16_t)(bits >> 16);
        memcpy(at, &half, sizeof half);
        break;
    default: /* little-endian integers: the low bytes are the value */
        for (unsigned b = 0; b < types[type].size; b++)
            at[b] = (uint8_t)((uint64_t)whole >> (8 * b));
    }
}

static void fill(uint8_t *data, const struct port *port, const char *constant, uint64_t *state)
{
    unsigned size = types[port->type].size;
    double wanted = 0;
    if (constant)
        mi_decimal_double(mi_cstr(constant), &wanted);
    for (int64_t i = 0; i < port->count; i++) {
        uint32_t random = draw(state);
        double real = constant ? wanted : (double)(random % 2048) / 1024.0 - 1.0;
        int64_t whole = constant ? (int64_t)wanted : port->type == 9 ? 1 : (int64_t)(random & 1);
        store(data + i * size, port->type, real, whole);
    }
}

static bool make_strings(const struct mi_ort *ort, const struct port *port,
                         struct ort_value **value, struct mi_error *err)
{
    struct ort_allocator *allocator = NULL;
    const char **texts = mi_mem_new((size_t)port->count, sizeof *texts);
    if (!texts)
        return mi_fail(err, MI_ENOMEM, "out of memory for input %.80s", port->name);
    for (int64_t i = 0; i < port->count; i++)
        texts[i] = "text";
    bool ok =
        mi_ort_ok(ort, ort->GetAllocatorWithDefaultOptions(&allocator), "allocator", err) &&
        mi_ort_ok(ort,
                  ort->CreateTensorAsOrtValue(allocator, port->dims, port->rank, port->type, value),
                  "input", err) &&
        mi_ort_ok(ort, ort->FillStringTensor(*value, texts, (size_t)port->count), "input", err);
    mi_mem_free(texts);
    return ok;
}

static bool make_tensor(const struct mi_ort *ort, const struct port *port, const char *constant,
                        uint64_t *state, struct ort_value **value, struct mi_error *err)
{
    if (port->type == 8)
        return make_strings(ort, port, value, err);
    struct ort_memory_info *memory = NULL;
    size_t bytes = (size_t)port->count * types[port->type].size;
    uint8_t *data = mi_mem_new(bytes, 1); /* lent to the tensor: lives until the process ends */
    if (!data)
        return mi_fail(err, MI_ENOMEM, "out of memory for input %.80s", port->name);
    fill(data, port, constant, state);
    bool ok = mi_ort_ok(ort, ort->CreateCpuMemoryInfo(1, 0, &memory), "memory", err) &&
              mi_ort_ok(ort,
                        ort->CreateTensorWithDataAsOrtValue(memory, data, bytes, port->dims,
                                                            port->rank, port->type, value),
                        "input", err);
    if (memory)
        ort->ReleaseMemoryInfo(memory);
    return ok;
}

static void note_shape(struct mi_ort_feed *feed, const struct port *port)
{
    size_t used = strlen(feed->shapes);
    char dims[MAX_RANK * 12] = "";
    size_t len = 0;
    for (size_t d = 0; d < port->rank; d++)
        len += (size_t)snprintf(dims + len, sizeof dims - len, "%s%lld", d ? "," : "",
                                (long long)port->dims[d]);
    snprintf(feed->shapes + used, sizeof feed->shapes - used, "%s%s=%s[%s]", used ? " " : "",
             port->name, types[port->type].name, dims);
}

/* --- names --- */

typedef ort_result name_fn(const struct ort_session *, size_t, struct ort_allocator *, char **);

static char **list_names(const struct mi_ort *ort, struct ort_session *session, name_fn *get,
                         size_t count, struct mi_error *err)
{
    struct ort_allocator *allocator = NULL;
    char **names = count <= MAX_PORTS ? mi_mem_zero(count, sizeof *names) : NULL;
    if (!names) {
        mi_fail(err, MI_ELIMIT, "%zu inputs or outputs are too many", count);
        return NULL;
    }
    bool ok = mi_ort_ok(ort, ort->GetAllocatorWithDefaultOptions(&allocator), "allocator", err);
    for (size_t i = 0; ok && i < count; i++)
        ok = mi_ort_ok(ort, get(session, i, allocator, &names[i]), "name of input or output", err);
    if (ok)
        return names;
    mi_mem_free(names);
    return NULL;
}

static bool options_name_inputs(const struct mi_ort_feed *feed, const struct mi_args *args,
                                const char *option, struct mi_error *err)
{
    const struct mi_arg *arg;
    for (size_t k = 0; (arg = mi_args_nth(args, option, k)); k++) {
        bool known = false;
        for (size_t i = 0; i < feed->in_count && !known; i++)
            known = value_for(arg->text, feed->in_names[i]) != NULL;
        if (!known)
            return mi_fail(err, MI_EUSAGE, "--%s %.100s: the model has no input of that name",
                           option, arg->text);
    }
    return true;
}

static bool fills_are_numbers(const struct mi_args *args, struct mi_error *err)
{
    const struct mi_arg *arg;
    for (size_t k = 0; (arg = mi_args_nth(args, "fill", k)); k++) {
        double number;
        const char *sign = strrchr(arg->text, '='); /* there is one: it names an input */
        if (mi_decimal_double(mi_cstr(sign + 1), &number))
            return mi_fail(err, MI_EUSAGE, "--fill %.100s: \"%.40s\" is not a number", arg->text,
                           sign + 1);
    }
    return true;
}

bool mi_ort_feed_build(struct mi_ort_feed *feed, const struct mi_ort *ort,
                       struct ort_session *session, const struct mi_args *args,
                       struct mi_error *err)
{
    *feed = (struct mi_ort_feed){0};
    uint64_t state = (uint64_t)mi_args_int(args, "seed", 1) * 2 + 1;
    if (!mi_ort_ok(ort, ort->SessionGetInputCount(session, &feed->in_count), "inputs", err) ||
        !mi_ort_ok(ort, ort->SessionGetOutputCount(session, &feed->out_count), "outputs", err))
        return false;
    feed->in_names = list_names(ort, session, ort->SessionGetInputName, feed->in_count, err);
    feed->out_names = list_names(ort, session, ort->SessionGetOutputName, feed->out_count, err);
    feed->ins = mi_mem_zero(feed->in_count, sizeof(struct ort_value *));
    if (!feed->in_names || !feed->out_names || !feed->ins)
        return mi_fail(err, MI_ENOMEM, "out of memory for inputs");
    if (!options_name_inputs(feed, args, "shape", err) ||
        !options_name_inputs(feed, args, "fill", err) || !fills_are_numbers(args, err))
        return false;
    for (size_t i = 0; i < feed->in_count; i++) {
        struct port port = {.name = feed->in_names[i]};
        if (!describe(ort, session, i, args, &port, err) ||
            !make_tensor(ort, &port, find_option(args, "fill", port.name), &state, &feed->ins[i],
                         err))
            return false;
        note_shape(feed, &port);
    }
    return true;
}

void mi_ort_feed_fini(struct mi_ort_feed *feed, const struct mi_ort *ort)
{
    for (size_t i = 0; feed->ins && i < feed->in_count; i++)
        if (feed->ins[i])
            ort->ReleaseValue(feed->ins[i]);
    mi_mem_free(feed->ins);
    mi_mem_free(feed->in_names);
    mi_mem_free(feed->out_names);
    *feed = (struct mi_ort_feed){0};
}
