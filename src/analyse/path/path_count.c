#include "analyse/path/path_count.h"

#include "base/mem.h"

/* value * 10^exponent, 1 <= value < 10 (or 0); `exact` as long as it fits, else UINT64_MAX. */
struct big {
    double value;
    int64_t exponent;
    uint64_t exact;
};

static void normalise(struct big *big)
{
    while (big->value >= 10) {
        big->value /= 10;
        big->exponent++;
    }
}

static struct big big_of(uint64_t number)
{
    struct big big = {(double)number, 0, number};
    normalise(&big);
    return big;
}

static struct big add(struct big a, struct big b)
{
    struct big low = a.exponent < b.exponent ? a : b, sum = a.exponent < b.exponent ? b : a;
    int64_t shift = sum.exponent - low.exponent;
    /* Beyond 20 digits the smaller one is lost in rounding. */
    for (; shift > 0 && shift <= 20; shift--)
        low.value /= 10;
    if (shift == 0)
        sum.value += low.value;
    normalise(&sum);
    sum.exact = a.exact > UINT64_MAX - b.exact ? UINT64_MAX : a.exact + b.exact;
    return sum;
}

static struct big multiply(struct big a, struct big b)
{
    struct big product = {a.value * b.value, a.exponent + b.exponent, 0};
    normalise(&product);
    product.exact = a.exact && b.exact > UINT64_MAX / a.exact ? UINT64_MAX : a.exact * b.exact;
    if (a.exact == UINT64_MAX || b.exact == UINT64_MAX)
        product.exact = UINT64_MAX;
    return product;
}

/* Paths between the vertex and the open ends of one side. */
static struct big count_side(const struct mi_deps *deps, const uint8_t *marks,
                             const uint32_t *order, uint32_t count, uint32_t vertex, uint8_t side,
                             bool backwards, struct big *paths)
{
    const struct mi_csr *edges = backwards ? &deps->in : &deps->out;
    const uint32_t *ends = backwards ? deps->from : deps->to;
    for (uint32_t i = 0; i < count; i++)
        paths[order[i]] = (struct big){0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = order[backwards ? i : count - 1 - i];
        struct big sum = {0};
        bool is_end = true;
        if (v != vertex && !(marks[v] & side))
            continue;
        for (uint32_t e = edges->first[v]; e < edges->first[v + 1]; e++) {
            uint32_t other = ends[edges->list[e]];
            if (other == vertex || !(marks[other] & side))
                continue;
            sum = add(sum, paths[other]);
            is_end = false;
        }
        paths[v] = is_end ? big_of(1) : sum;
    }
    return paths[vertex];
}

bool mi_path_count(const struct mi_deps *deps, const uint8_t *marks, const uint32_t *order,
                   uint32_t count, uint32_t vertex, uint8_t before, uint8_t after,
                   struct mi_arena *arena, struct mi_bytes *text)
{
    struct big *paths = mi_mem_zero(deps->vertex_count, sizeof *paths);
    if (!paths)
        return false;
    struct big in = count_side(deps, marks, order, count, vertex, before, true, paths);
    struct big out = count_side(deps, marks, order, count, vertex, after, false, paths);
    struct big all = multiply(in, out);
    mi_mem_free(paths);
    if (all.exact < UINT64_MAX) {
        *text = mi_arena_printf(arena, "%llu", (unsigned long long)all.exact);
    } else {
        int64_t hundredths = (int64_t)(all.value * 100);
        *text = mi_arena_printf(arena, "%lld.%02llde%lld", (long long)(hundredths / 100),
                                (long long)(hundredths % 100), (long long)all.exponent);
    }
    return text->at != NULL;
}
