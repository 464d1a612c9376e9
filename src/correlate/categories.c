/* The category of an operator: a look-up in categories.def. */
#include "correlate/categories.h"

#include "base/mem.h"
#include "correlate/categories/category_torch.h"
#include "correlate/verdict.h"

#include "model/links.h"
#include <string.h>

struct row {
    const char *op;
    enum mi_category category;
};

static const struct row table[] = {
#include "correlate/categories.def"
#define MI_ROW(op, category) {op, MI_CATEGORY_##category},
    MI_CATEGORY_TABLE(MI_ROW)
#undef MI_ROW
};

/* Domains whose operators ship with a stack; "" is each stack's own. */
static const char *const domains[] = {"",
                                      "ai.onnx",
                                      "ai.onnx.ml",
                                      "ai.onnx.training",
                                      "ai.onnx.preview.training",
                                      "com.microsoft",
                                      "com.microsoft.nchwc",
                                      "com.microsoft.experimental",
                                      "com.ms.internal.nhwc"};

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}

/* Order without regard to case. */
static int compare(struct mi_bytes a, const char *b)
{
    size_t i = 0;
    for (; i < a.len && b[i]; i++)
        if (lower(a.at[i]) != lower((uint8_t)b[i]))
            return lower(a.at[i]) < lower((uint8_t)b[i]) ? -1 : 1;
    return i < a.len ? 1 : b[i] ? -1 : 0;
}

static const struct row *find_row(struct mi_bytes op)
{
    size_t lo = 0, hi = sizeof table / sizeof *table;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        int order = compare(op, table[middle].op);
        if (order == 0)
            return &table[middle];
        if (order < 0)
            hi = middle;
        else
            lo = middle + 1;
    }
    return NULL;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Without a version ("V2"), the D of a variant with fixed attributes or the Grad of a gradient at
 * the end, one of them; unchanged if there is none. */
static struct mi_bytes without_suffix(struct mi_bytes op)
{
    size_t end = op.len;
    while (end && is_digit(op.at[end - 1]))
        end--;
    if (end < op.len && end > 1 && op.at[end - 1] == 'V')
        return mi_bytes_sub(op, 0, end - 1);
    if (op.len > 2 && op.at[op.len - 1] == 'D' && !is_digit(op.at[op.len - 2]))
        return mi_bytes_sub(op, 0, op.len - 1);
    if (op.len > 3 && op.at[op.len - 1] == 'D' && is_digit(op.at[op.len - 2]) &&
        op.at[op.len - 3] == 'V')
        return mi_bytes_sub(op, 0, op.len - 1);
    if (op.len > 4 && mi_bytes_ends(op, MI_LIT("Grad")))
        return mi_bytes_sub(op, 0, op.len - 4);
    return op;
}

static bool ships(struct mi_bytes domain)
{
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (mi_bytes_equal(domain, mi_cstr(domains[i])))
            return true;
    return false;
}

/* Of `op`, or of what it is a variant of; NULL if there is none. */
static const struct row *find_variant(struct mi_bytes op)
{
    for (;;) {
        const struct row *row = find_row(op);
        struct mi_bytes shorter = without_suffix(op);
        if (row || shorter.len == op.len)
            return row;
        op = shorter;
    }
}

static bool is_collective(struct mi_bytes op)
{
    /* Names of collectives come with the communicator or the algorithm behind them. */
    static const char *const starts[] = {"Hcom", "hcom_", "Hccl"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (mi_bytes_starts(op, mi_cstr(starts[i])))
            return true;
    return false;
}

enum mi_category mi_category_find(struct mi_bytes domain, struct mi_bytes op)
{
    enum mi_category of_torch;
    bool is_aclnn = !domain.len && mi_bytes_starts(op, MI_LIT("aclnn"));
    if (!domain.len && mi_category_of_torch(op, &of_torch))
        return of_torch;
    if (!ships(domain))
        return MI_CATEGORY_CUSTOM;
    if (!op.len)
        return MI_CATEGORY_OTHER;
    if (is_aclnn)
        op = mi_bytes_sub(op, strlen("aclnn"), SIZE_MAX);
    if (is_aclnn && mi_bytes_starts(op, MI_LIT("Inplace")))
        op = mi_bytes_sub(op, strlen("Inplace"), SIZE_MAX);
    const struct row *row = find_variant(op);
    if (row)
        return row->category;
    if (is_aclnn)
        return mi_category_of_aclnn(op);
    return is_collective(op) ? MI_CATEGORY_COMMUNICATION : MI_CATEGORY_CUSTOM;
}

/* --- relations between types --- */

static bool contains(struct mi_bytes text, struct mi_bytes part)
{
    for (size_t i = 0; part.len && i + part.len <= text.len; i++)
        if (memcmp(text.at + i, part.at, part.len) == 0)
            return true;
    return false;
}

bool mi_op_can_become(const struct mi_model *model, mi_node_id from, mi_node_id to)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct mi_bytes a = mi_model_text(model, nodes->op[from.v]);
    struct mi_bytes b = mi_model_text(model, nodes->op[to.v]);
    if (a.len <= 256 && b.len <= 256 && (contains(a, b) || contains(b, a)))
        return true;
    return nodes->category[from.v] == nodes->category[to.v] &&
           nodes->category[from.v] != MI_CATEGORY_OTHER &&
           nodes->category[from.v] != MI_CATEGORY_CUSTOM;
}

bool mi_op_converts(struct mi_bytes op)
{
    return mi_bytes_starts(op, MI_LIT("Cast")) ||
           mi_category_find((struct mi_bytes){0}, op) == MI_CATEGORY_DATA_MOVEMENT;
}

/* --- filling the columns --- */

/* Looks each (domain, type) up once. */
static bool remember(const struct mi_model *model, struct mi_map *seen, mi_str_id domain,
                     mi_str_id op, uint8_t *category)
{
    uint32_t *slot = mi_map_at(seen, mi_pair(domain.v, op.v));
    if (!slot)
        return false;
    if (!*slot)
        *slot =
            1 + (uint32_t)mi_category_find(mi_model_text(model, domain), mi_model_text(model, op));
    *category = (uint8_t)(*slot - 1);
    return true;
}

/* What a task is tells more than its type where the type is in no table. */
static uint8_t of_kind(unsigned kind, uint8_t by_type, bool has_type)
{
    static const uint8_t by_kind[] = {[MI_TASK_TRANSFER] = MI_CATEGORY_DATA_MOVEMENT,
                                      [MI_TASK_COMMUNICATION] = MI_CATEGORY_COMMUNICATION,
                                      [MI_TASK_SYNC] = MI_CATEGORY_SYNCHRONISATION,
                                      [MI_TASK_CONTROL] = MI_CATEGORY_CONTROL};
    bool is_known = has_type && by_type != MI_CATEGORY_CUSTOM;
    uint8_t known = kind < sizeof by_kind ? by_kind[kind] : (uint8_t)MI_CATEGORY_OTHER;
    return is_known || known == MI_CATEGORY_OTHER ? by_type : known;
}

/* A call of a function that the model brings along is no foreign operator: it is what its name
 * says, or other. */
static void fix_calls(struct mi_model *model, const uint8_t *is_call)
{
    struct mi_nodes *nodes = &model->all.rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        if (!is_call[n])
            continue;
        enum mi_category found =
            mi_category_find((struct mi_bytes){0}, mi_model_text(model, nodes->op[n]));
        nodes->category[n] =
            found == MI_CATEGORY_CUSTOM ? (uint8_t)MI_CATEGORY_OTHER : (uint8_t)found;
    }
}

bool mi_fill_categories(struct mi_model *model, struct mi_error *err)
{
    struct mi_nodes *nodes = &model->all.rows.nodes;
    struct mi_kernels *kernels = &model->all.rows.kernels;
    struct mi_map seen = {0};
    bool ok = true;
    for (uint32_t n = 1; ok && n < nodes->count; n++)
        ok = remember(model, &seen, nodes->domain[n], nodes->op[n], &nodes->category[n]);
    for (uint32_t k = 1; ok && k < kernels->count; k++) {
        ok = remember(model, &seen, MI_NO_STR, kernels->op[k], &kernels->category[k]);
        kernels->category[k] =
            of_kind(kernels->kind[k], kernels->category[k], kernels->op[k].v != 0);
    }
    mi_map_fini(&seen);
    uint8_t *is_call = ok ? mi_find_calls(model) : NULL;
    if (is_call)
        fix_calls(model, is_call);
    mi_mem_free(is_call);
    return is_call || mi_fail(err, MI_ENOMEM, "out of memory for categories");
}

void mi_kernel_categories_from_nodes(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);) {
        uint32_t kernel = rows->tasks.kernel[at.task].v, node = rows->executed.node[at.row].v;
        if (kernel && node)
            rows->kernels.category[kernel] = rows->nodes.category[node];
    }
}
