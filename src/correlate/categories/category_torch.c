/* Operators of PyTorch are called namespace.name.overload: "aten.add.Tensor", "prims.mul.default",
 * "npu.npu_rms_norm.default"; in its profiles namespace::name, "aten::add". The name decides;
 * "_softmax" and "relu_" are variants of it. */
#include "correlate/categories/category_torch.h"

enum { MOST_SNAKE = 64 };

struct row {
    const char *name;
    enum mi_category category;
};

static const struct row table[] = {
#include "correlate/categories/torch_ops.def"
#define MI_ROW(name, category) {name, MI_CATEGORY_##category},
    MI_TORCH_TABLE(MI_ROW)
#undef MI_ROW
};

/* What PyTorch and torch_npu ship; other libraries register namespaces of their own. */
static const char *const namespaces[] = {
    "aten",      "prims", "prim",       "higher_order", "_operator",        "c10d_functional",
    "quantized", "npu",   "npu_define", "torchvision",  "_c10d_functional", "quantized_decomposed",
    "c10d"};

static int compare(struct mi_bytes a, const char *b)
{
    size_t len = strlen(b), least = a.len < len ? a.len : len;
    int order = least ? memcmp(a.at, b, least) : 0;
    return order ? order : (a.len > len) - (a.len < len);
}

static const struct row *find_row(struct mi_bytes name)
{
    size_t lo = 0, hi = sizeof table / sizeof *table;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        int order = compare(name, table[middle].name);
        if (order == 0)
            return &table[middle];
        if (order < 0)
            hi = middle;
        else
            lo = middle + 1;
    }
    return NULL;
}

static struct mi_bytes behind(struct mi_bytes text, struct mi_bytes start)
{
    return mi_bytes_starts(text, start) ? mi_bytes_sub(text, start.len, SIZE_MAX) : text;
}

static size_t find_dot(struct mi_bytes text)
{
    size_t at = 0;
    while (at < text.len && text.at[at] != '.')
        at++;
    return at;
}

static struct mi_bytes bare(struct mi_bytes name)
{
    while (name.len && name.at[0] == '_')
        name = mi_bytes_sub(name, 1, SIZE_MAX);
    while (name.len && name.at[name.len - 1] == '_')
        name.len--;
    return behind(name, MI_LIT("npu_"));
}

/* Without a version or the mark of a gradient at the end; empty if there is neither. */
static struct mi_bytes without_suffix(struct mi_bytes name)
{
    static const char *const ends[] = {"_backward", "_v2", "_v3", "_v4"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (mi_bytes_ends(name, mi_cstr(ends[i])))
            return mi_bytes_sub(name, 0, name.len - strlen(ends[i]));
    return (struct mi_bytes){NULL, 0};
}

static enum mi_category category_of(struct mi_bytes name)
{
    const struct row *row = NULL;
    for (; name.len && !row; name = without_suffix(name))
        row = find_row(name);
    return row ? row->category : MI_CATEGORY_OTHER;
}

bool mi_category_of_torch(struct mi_bytes op, enum mi_category *category)
{
    op = behind(op, MI_LIT("torch.ops."));
    size_t dot = 0;
    while (dot < op.len && op.at[dot] != '.' && op.at[dot] != ':')
        dot++;
    bool ships = false;
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces && dot < op.len; i++)
        ships = ships || mi_bytes_equal(mi_bytes_sub(op, 0, dot), mi_cstr(namespaces[i]));
    if (!ships)
        return false;
    bool is_profiled = op.at[dot] == ':';
    if (is_profiled && (dot + 1 >= op.len || op.at[dot + 1] != ':'))
        return false;
    struct mi_bytes name = mi_bytes_sub(op, dot + (is_profiled ? 2 : 1), SIZE_MAX);
    name = bare(mi_bytes_sub(name, 0, find_dot(name)));
    *category = category_of(name);
    return true;
}

/* --- aclnn --- */

/* "ThresholdBackward" is threshold_backward in PyTorch. */
static struct mi_bytes snake(struct mi_bytes camel, uint8_t room[MOST_SNAKE])
{
    size_t len = 0;
    for (size_t i = 0; i < camel.len && len + 2 <= MOST_SNAKE; i++) {
        bool is_capital = camel.at[i] >= 'A' && camel.at[i] <= 'Z';
        if (is_capital && i)
            room[len++] = '_';
        room[len++] = (uint8_t)(is_capital ? camel.at[i] + ('a' - 'A') : camel.at[i]);
    }
    return (struct mi_bytes){room, len};
}

enum mi_category mi_category_of_aclnn(struct mi_bytes name)
{
    /* The scalar variant, "Muls", and that of a tensor, "EqTensor". */
    static const char *const ends[] = {"", "s", "Tensor", "Scalar"};
    uint8_t room[MOST_SNAKE];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (!mi_bytes_ends(name, mi_cstr(ends[i])))
            continue;
        struct mi_bytes stem = mi_bytes_sub(name, 0, name.len - strlen(ends[i]));
        enum mi_category found = category_of(bare(snake(stem, room)));
        if (found != MI_CATEGORY_OTHER)
            return found;
    }
    return MI_CATEGORY_OTHER;
}
