/* A custom-operator library for tests: example.inspect::QuickAct, y = x * sigmoid(1.702 x),
 * float32.
 *
 * Built as a shared library of its own; ONNX Runtime loads it through --custom-op-lib and calls
 * RegisterCustomOps(). The structs are the binary interface of custom operators (version 12),
 * written down here so that no header of ONNX Runtime is needed. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void any_fn(void);
typedef void *status; /* NULL = success */

struct api {
    any_fn *slots[147];
};

struct api_base {
    const struct api *(*get_api)(uint32_t version);
    const char *(*get_version)(void);
};

enum { API_VERSION = 12, FLOAT32 = 1, MAX_RANK = 16 };

struct op {
    uint32_t version;
    void *(*create_kernel)(const struct op *, const struct api *, const void *info);
    const char *(*get_name)(const struct op *);
    const char *(*get_provider)(const struct op *);
    int (*get_input_type)(const struct op *, size_t);
    size_t (*get_input_count)(const struct op *);
    int (*get_output_type)(const struct op *, size_t);
    size_t (*get_output_count)(const struct op *);
    void (*compute)(void *kernel, void *context);
    void (*destroy)(void *kernel);
    int (*get_input_characteristic)(const struct op *, size_t);
    int (*get_output_characteristic)(const struct op *, size_t);
    any_fn *later[14];
};

/* The entries of the table that the kernel calls, bound when it is created. */
static struct {
    status (*get_input)(const void *context, size_t, const void **value);
    status (*get_output)(void *context, size_t, const int64_t *dims, size_t rank, void **value);
    status (*get_shape)(const void *value, void **info);
    status (*get_rank)(const void *info, size_t *);
    status (*get_dims)(const void *info, int64_t *, size_t);
    status (*get_count)(const void *info, size_t *);
    status (*get_data)(void *value, void **data);
    void (*release_shape)(void *info);
} ort;

static void bind(void *target, const struct api *api, int slot)
{
    memcpy(target, &api->slots[slot], sizeof api->slots[slot]);
}

static void *create_kernel(const struct op *op, const struct api *api, const void *info)
{
    (void)op, (void)info;
    bind(&ort.get_input, api, 90);
    bind(&ort.get_output, api, 91);
    bind(&ort.get_shape, api, 65);
    bind(&ort.get_rank, api, 61);
    bind(&ort.get_dims, api, 62);
    bind(&ort.get_count, api, 64);
    bind(&ort.get_data, api, 51);
    bind(&ort.release_shape, api, 99);
    return &ort;
}

static void compute(void *kernel, void *context)
{
    (void)kernel;
    const void *x = NULL;
    void *y = NULL, *shape = NULL, *from = NULL, *to = NULL;
    int64_t dims[MAX_RANK];
    size_t rank = 0, count = 0;
    if (ort.get_input(context, 0, &x) || ort.get_shape(x, &shape))
        return;
    if (!ort.get_rank(shape, &rank) && rank <= MAX_RANK && !ort.get_dims(shape, dims, rank) &&
        !ort.get_count(shape, &count) && !ort.get_output(context, 0, dims, rank, &y)) {
        void *value;
        memcpy(&value, &x, sizeof value); /* get_data wants a value it may change; we only read */
        if (!ort.get_data(value, &from) && !ort.get_data(y, &to))
            for (size_t i = 0; i < count; i++) {
                float v = ((const float *)from)[i];
                ((float *)to)[i] = v / (1.0F + expf(-1.702F * v));
            }
    }
    ort.release_shape(shape);
}

static void destroy(void *kernel)
{
    (void)kernel;
}

static const char *get_name(const struct op *op)
{
    (void)op;
    return "QuickAct";
}

static const char *get_provider(const struct op *op)
{
    (void)op;
    return "CPUExecutionProvider";
}

static int get_type(const struct op *op, size_t index)
{
    (void)op, (void)index;
    return FLOAT32;
}

static size_t get_count(const struct op *op)
{
    (void)op;
    return 1;
}

static int is_required(const struct op *op, size_t index)
{
    (void)op, (void)index;
    return 0;
}

static const struct op quick_act = {.version = API_VERSION,
                                    .create_kernel = create_kernel,
                                    .get_name = get_name,
                                    .get_provider = get_provider,
                                    .get_input_type = get_type,
                                    .get_input_count = get_count,
                                    .get_output_type = get_type,
                                    .get_output_count = get_count,
                                    .compute = compute,
                                    .destroy = destroy,
                                    .get_input_characteristic = is_required,
                                    .get_output_characteristic = is_required};

status RegisterCustomOps(void *options, const struct api_base *base);

status RegisterCustomOps(void *options, const struct api_base *base)
{
    const struct api *api = base->get_api(API_VERSION);
    status (*create_domain)(const char *, void **);
    status (*add_op)(void *, const struct op *);
    status (*add_domain)(void *, void *);
    bind(&create_domain, api, 26);
    bind(&add_op, api, 27);
    bind(&add_domain, api, 28);
    void *domain = NULL; /* belongs to the session from here on: never released */
    status failed = create_domain("example.inspect", &domain);
    if (!failed)
        failed = add_op(domain, &quick_act);
    return failed ? failed : add_domain(options, domain);
}
