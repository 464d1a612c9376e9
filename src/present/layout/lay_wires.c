/* Dummies: where edges over several ranks run through. */
#include "base/mem.h"
#include "present/layout/lay.h"

/* How many ranks below `box` its wire has to reach; edges beyond the span are not routed. */
static uint32_t reach_of(const struct lay *lay, uint32_t box)
{
    uint32_t most = 0;
    for (uint32_t k = lay->out.first[box]; k < lay->out.first[box + 1]; k++) {
        uint32_t span = lay->rank[lay->out.list[k]] - lay->rank[box];
        if (span <= lay->options.span && span > most)
            most = span;
    }
    return most;
}

static bool add_dummies(struct lay *lay)
{
    uint64_t count = lay->boxes;
    lay->first_dummy = mi_mem_new((size_t)lay->boxes + 1, sizeof *lay->first_dummy);
    if (!lay->first_dummy)
        return false;
    for (uint32_t v = 0; v < lay->boxes; v++) {
        uint32_t reach = reach_of(lay, v);
        lay->first_dummy[v] = (uint32_t)count;
        count += reach > 1 ? reach - 1 : 0;
        if (count >= UINT32_MAX - 2)
            return false;
    }
    lay->first_dummy[lay->boxes] = (uint32_t)count;
    lay->vertices = (uint32_t)count;
    uint32_t *rank = mi_mem_resize(lay->rank, (size_t)count + 1, sizeof *rank);
    if (!rank)
        return false;
    lay->rank = rank;
    for (uint32_t v = 0; v < lay->boxes; v++)
        for (uint32_t d = lay->first_dummy[v]; d < lay->first_dummy[v + 1]; d++)
            rank[d] = rank[v] + 1 + (d - lay->first_dummy[v]);
    return true;
}

/* The vertex of box `v`'s wire in the given rank below it, or `v` itself. */
static uint32_t wire_at(const struct lay *lay, uint32_t v, uint32_t rank)
{
    return rank == lay->rank[v] ? v : lay->first_dummy[v] + rank - lay->rank[v] - 1;
}

static uint32_t list_pieces(const struct lay *lay, uint32_t *from, uint32_t *to)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < lay->boxes; v++) {
        for (uint32_t d = lay->first_dummy[v]; d < lay->first_dummy[v + 1]; d++) {
            from[count] = d == lay->first_dummy[v] ? v : d - 1;
            to[count++] = d;
        }
        for (uint32_t k = lay->out.first[v]; k < lay->out.first[v + 1]; k++) {
            uint32_t target = lay->out.list[k];
            if (lay->rank[target] - lay->rank[v] > lay->options.span)
                continue;
            from[count] = wire_at(lay, v, lay->rank[target] - 1);
            to[count++] = target;
        }
    }
    return count;
}

bool mi_lay_wires(struct lay *lay)
{
    if (!add_dummies(lay))
        return false;
    size_t room = (size_t)lay->vertices - lay->boxes + lay->out.first[lay->boxes] + 1;
    uint32_t *from = mi_mem_new(room, sizeof *from), *to = mi_mem_new(room, sizeof *to);
    bool ok = from && to;
    if (ok) {
        uint32_t count = list_pieces(lay, from, to);
        ok = mi_lay_lists(&lay->down, lay->vertices, count, from, to) &&
             mi_lay_lists(&lay->up, lay->vertices, count, to, from);
    }
    mi_mem_free(from);
    mi_mem_free(to);
    return ok;
}
