/* x of all vertices: each is aligned with the middle one of its neighbours in the rank above or
 * below, which makes blocks of vertices that stand under each other; blocks are pushed together;
 * of the four ways to do this (from above or below, from the left or the right) the mean of the two
 * middle results is taken (Brandes and Koepf, "Fast and simple horizontal coordinate assignment").
 *
 * A box is aligned with neighbours that are boxes, if it has any: so a chain stays a straight line,
 * whatever wires pass it by. What feeds one box and is fed by none (folded constants) does not pull
 * a chain to its side, and neither does what nobody reads. Where wires of several ranks are
 * crossed, wires stay straight. */
#include "base/mem.h"
#include "present/layout/lay.h"

#include <string.h>

#define NONE UINT32_MAX

struct placing {
    struct lay *lay;
    uint8_t *has_box[2];    /* [vertices] a box among the neighbours above; below */
    uint8_t *has_trunk[2];  /* [vertices] a neighbour above that has some above; below, below */
    uint8_t *is_crossed;    /* [pieces] of `up`: crosses a piece between two dummies */
    uint32_t *root, *align; /* [vertices] head of the block; next vertex of it, in a ring */
    float *x[4];            /* [vertices] results of the four ways */
    uint32_t *waits;        /* [vertices] of a block: blocks on its left that are not placed yet */
    uint32_t *queue;        /* [vertices] blocks in the order of placing */
    uint32_t *near;         /* [most neighbours] */
};

/* --- conflicts --- */

/* The place above of the dummy that this dummy continues; NONE for anything else. */
static uint32_t wire_above(const struct lay *lay, uint32_t v)
{
    if (!lay_is_dummy(lay, v) || lay->up.first[v] == lay->up.first[v + 1])
        return NONE;
    uint32_t up = lay->up.list[lay->up.first[v]];
    return lay_is_dummy(lay, up) ? lay->place[up] : NONE;
}

/* Pieces that cross a piece between two dummies are not aligned. */
static void mark_rank(struct placing *p, uint32_t rank)
{
    struct lay *lay = p->lay;
    uint32_t begin = lay->first[rank], width = lay->first[rank + 1] - begin;
    uint32_t left = 0, from = 0, above = lay->first[rank] - lay->first[rank - 1];
    for (uint32_t i = 0; i < width; i++) {
        uint32_t wire = wire_above(lay, lay->order[begin + i]);
        if (wire == NONE && i + 1 < width)
            continue;
        uint32_t right = wire == NONE ? above : wire;
        for (; from <= i; from++) {
            uint32_t v = lay->order[begin + from];
            for (uint32_t k = lay->up.first[v]; k < lay->up.first[v + 1]; k++) {
                uint32_t place = lay->place[lay->up.list[k]];
                bool is_inner = lay_is_dummy(lay, v) && lay_is_dummy(lay, lay->up.list[k]);
                if (!is_inner && (place < left || place > right))
                    p->is_crossed[k] = 1;
            }
        }
        left = right;
    }
}

/* --- blocks --- */

/* One of the four ways. Turned round, ranks are gone through from below, or places from the right.
 */
struct way {
    bool from_below, from_right;
};

static const struct lay_lists *seen_lists(const struct lay *lay, struct way way)
{
    return way.from_below ? &lay->down : &lay->up;
}

static bool is_crossed(const struct placing *p, struct way way, uint32_t v, uint32_t k)
{
    const struct lay *lay = p->lay;
    if (!way.from_below)
        return p->is_crossed[k];
    uint32_t below = lay->down.list[k];
    for (uint32_t i = lay->up.first[below]; i < lay->up.first[below + 1]; i++)
        if (lay->up.list[i] == v)
            return p->is_crossed[i];
    return false;
}

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static bool has_box(const struct lay *lay, const struct lay_lists *lists, uint32_t v)
{
    for (uint32_t k = lists->first[v]; k < lists->first[v + 1]; k++)
        if (!lay_is_dummy(lay, lists->list[k]))
            return true;
    return false;
}

static bool is_end(const struct lay_lists *lists, uint32_t v)
{
    return lists->first[v] == lists->first[v + 1];
}

static bool has_trunk(const struct lay_lists *lists, uint32_t v)
{
    for (uint32_t k = lists->first[v]; k < lists->first[v + 1]; k++)
        if (!is_end(lists, lists->list[k]))
            return true;
    return false;
}

static void find_boxes(struct placing *p)
{
    for (uint32_t v = 0; v < p->lay->vertices; v++) {
        p->has_box[0][v] = has_box(p->lay, &p->lay->up, v);
        p->has_box[1][v] = has_box(p->lay, &p->lay->down, v);
        p->has_trunk[0][v] = has_trunk(&p->lay->up, v);
        p->has_trunk[1][v] = has_trunk(&p->lay->down, v);
    }
}

/* Whether one of the two is an end that hangs beside the trunk which the other belongs to. */
static bool is_aside(const struct placing *p, const struct lay_lists *seen, uint32_t v, uint32_t u)
{
    const struct lay *lay = p->lay;
    bool is_down = seen == &lay->down;
    const struct lay_lists *back = is_down ? &lay->up : &lay->down;
    return (is_end(seen, u) && p->has_trunk[is_down][v]) ||
           (is_end(back, v) && p->has_trunk[!is_down][u]);
}

/* The neighbours that count for aligning, by place, as places in the list. Boxes go with boxes; a
 * wire goes with a box only where no box does. */
static uint32_t list_near(struct placing *p, const struct lay_lists *seen, uint32_t v)
{
    const struct lay *lay = p->lay;
    bool is_down = seen == &lay->down, is_wire = lay_is_dummy(lay, v);
    bool boxes_only = !is_wire && p->has_box[is_down][v];
    const uint8_t *has_box_back = p->has_box[!is_down];
    uint32_t count = 0;
    for (uint32_t k = seen->first[v]; k < seen->first[v + 1]; k++) {
        bool to_wire = lay_is_dummy(lay, seen->list[k]);
        if (to_wire ? boxes_only : is_wire && has_box_back[seen->list[k]])
            continue;
        if (is_aside(p, seen, v, seen->list[k]))
            continue;
        uint32_t at = count++;
        while (at &&
               compare(lay->place[seen->list[p->near[at - 1]]], lay->place[seen->list[k]]) > 0) {
            p->near[at] = p->near[at - 1];
            at--;
        }
        p->near[at] = k;
    }
    return count;
}

/* Hangs v onto the block of its middle neighbour, unless that would cross what is aligned already:
 * `border` is the place of the last one. */
static void align_vertex(struct placing *p, struct way way, uint32_t v, int64_t *border)
{
    const struct lay *lay = p->lay;
    const struct lay_lists *seen = seen_lists(lay, way);
    uint32_t count = list_near(p, seen, v);
    if (!count)
        return;
    uint32_t low = (count - 1) / 2, high = count / 2;
    for (int turn = 0; turn < (low == high ? 1 : 2); turn++) {
        uint32_t k = p->near[(turn == 0) == way.from_right ? high : low], u = seen->list[k];
        int64_t place = way.from_right ? -(int64_t)lay->place[u] : (int64_t)lay->place[u];
        if (p->align[v] != v || is_crossed(p, way, v, k) || *border >= place)
            continue;
        p->align[u] = v;
        p->root[v] = p->root[u];
        p->align[v] = p->root[v];
        *border = place;
    }
}

static void align_all(struct placing *p, struct way way)
{
    const struct lay *lay = p->lay;
    for (uint32_t v = 0; v < lay->vertices; v++)
        p->root[v] = p->align[v] = v;
    for (uint32_t i = 1; i < lay->rank_count; i++) {
        uint32_t rank = way.from_below ? lay->rank_count - 1 - i : i;
        uint32_t begin = lay->first[rank], width = lay->first[rank + 1] - begin;
        int64_t border = INT64_MIN;
        for (uint32_t k = 0; k < width; k++)
            align_vertex(p, way, lay->order[begin + (way.from_right ? width - 1 - k : k)], &border);
    }
}

/* --- pushing together --- */

static float gap_between(const struct lay *lay, uint32_t a, uint32_t b)
{
    bool wires = lay_is_dummy(lay, a) || lay_is_dummy(lay, b);
    return lay->half[a] + lay->half[b] + (wires ? lay->options.wire_gap : lay->options.box_gap);
}

/* The vertex beside v in its rank, on the side from which the way comes (or away from it). */
static uint32_t beside(const struct lay *lay, struct way way, uint32_t v, bool before)
{
    uint32_t begin = lay->first[lay->rank[v]], end = lay->first[lay->rank[v] + 1];
    uint32_t at = begin + lay->place[v];
    if (before != way.from_right)
        return at > begin ? lay->order[at - 1] : NONE;
    return at + 1 < end ? lay->order[at + 1] : NONE;
}

/* Blocks in an order in which all to the left of a block come before it. */
static uint32_t order_blocks(struct placing *p, struct way way)
{
    const struct lay *lay = p->lay;
    uint32_t count = 0;
    memset(p->waits, 0, lay->vertices * sizeof *p->waits);
    for (uint32_t v = 0; v < lay->vertices; v++)
        if (beside(lay, way, v, true) != NONE)
            p->waits[p->root[v]]++;
    for (uint32_t v = 0; v < lay->vertices; v++)
        if (p->root[v] == v && !p->waits[v])
            p->queue[count++] = v;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = p->queue[i];
        do {
            uint32_t next = beside(lay, way, v, false);
            if (next != NONE && !--p->waits[p->root[next]])
                p->queue[count++] = p->root[next];
            v = p->align[v];
        } while (v != p->queue[i]);
    }
    return count;
}

/* To the left as far as the blocks there allow, then back to the right where nothing is lost. */
static void push(struct placing *p, struct way way, float *x)
{
    const struct lay *lay = p->lay;
    uint32_t count = order_blocks(p, way);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = p->queue[i], v = root;
        float least = 0;
        do {
            uint32_t left = beside(lay, way, v, true);
            if (left != NONE && x[p->root[left]] + gap_between(lay, left, v) > least)
                least = x[p->root[left]] + gap_between(lay, left, v);
            v = p->align[v];
        } while (v != root);
        x[root] = least;
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t root = p->queue[i], v = root;
        float most = -1;
        do {
            uint32_t right = beside(lay, way, v, false);
            if (right != NONE) {
                float limit = x[p->root[right]] - gap_between(lay, v, right);
                most = most < 0 || limit < most ? limit : most;
            }
            v = p->align[v];
        } while (v != root);
        if (most > x[root])
            x[root] = most;
    }
    for (uint32_t v = 0; v < lay->vertices; v++)
        if (p->root[v] != v)
            x[v] = x[p->root[v]];
    for (uint32_t v = 0; way.from_right && v < lay->vertices; v++)
        x[v] = -x[v];
}

/* --- the mean of four --- */

static void extent(const struct lay *lay, const float *x, float *low, float *high)
{
    *low = *high = 0;
    for (uint32_t v = 0; v < lay->vertices; v++) {
        float left = x[v] - lay->half[v], right = x[v] + lay->half[v];
        *low = !v || left < *low ? left : *low;
        *high = !v || right > *high ? right : *high;
    }
}

static void join(struct placing *p)
{
    struct lay *lay = p->lay;
    float low[4], high[4];
    int narrowest = 0;
    for (int w = 0; w < 4; w++) {
        extent(lay, p->x[w], &low[w], &high[w]);
        if (high[w] - low[w] < high[narrowest] - low[narrowest])
            narrowest = w;
    }
    for (int w = 0; w < 4; w++) {
        float shift = w & 1 ? high[narrowest] - high[w] : low[narrowest] - low[w];
        for (uint32_t v = 0; v < lay->vertices; v++)
            p->x[w][v] += shift;
    }
    for (uint32_t v = 0; v < lay->vertices; v++) {
        float s[4] = {p->x[0][v], p->x[1][v], p->x[2][v], p->x[3][v]};
        for (int i = 1; i < 4; i++)
            for (int k = i; k && s[k - 1] > s[k]; k--) {
                float t = s[k];
                s[k] = s[k - 1];
                s[k - 1] = t;
            }
        lay->x[v] = (s[1] + s[2]) / 2;
    }
}

static uint32_t most_neighbours(const struct lay *lay)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < lay->vertices; v++) {
        uint32_t ups = lay->up.first[v + 1] - lay->up.first[v];
        uint32_t downs = lay->down.first[v + 1] - lay->down.first[v];
        most = ups > most ? ups : most;
        most = downs > most ? downs : most;
    }
    return most;
}

bool mi_lay_place(struct lay *lay)
{
    struct placing p = {.lay = lay};
    size_t n = (size_t)lay->vertices + 1;
    float *room = mi_mem_new(4 * n, sizeof *room);
    lay->x = mi_mem_new(n, sizeof *lay->x);
    p.is_crossed = mi_mem_zero((size_t)lay->up.first[lay->vertices] + 1, sizeof *p.is_crossed);
    for (int side = 0; side < 2; side++) {
        p.has_box[side] = mi_mem_new(n, sizeof *p.has_box[side]);
        p.has_trunk[side] = mi_mem_new(n, sizeof *p.has_trunk[side]);
    }
    p.root = mi_mem_new(n, sizeof *p.root);
    p.align = mi_mem_new(n, sizeof *p.align);
    p.waits = mi_mem_new(n, sizeof *p.waits);
    p.queue = mi_mem_new(n, sizeof *p.queue);
    p.near = mi_mem_new((size_t)most_neighbours(lay) + 1, sizeof *p.near);
    bool ok = room && lay->x && p.has_box[0] && p.has_box[1] && p.has_trunk[0] && p.has_trunk[1] &&
              p.is_crossed && p.root && p.align && p.waits && p.queue && p.near;
    if (ok)
        find_boxes(&p);
    for (uint32_t r = 1; ok && r < lay->rank_count; r++)
        mark_rank(&p, r);
    for (int w = 0; ok && w < 4; w++) {
        struct way way = {.from_below = w & 2, .from_right = w & 1};
        p.x[w] = room + (size_t)w * n;
        align_all(&p, way);
        push(&p, way, p.x[w]);
    }
    if (ok)
        join(&p);
    mi_mem_free(room);
    mi_mem_free(p.has_box[0]);
    mi_mem_free(p.has_box[1]);
    mi_mem_free(p.has_trunk[0]);
    mi_mem_free(p.has_trunk[1]);
    mi_mem_free(p.is_crossed);
    mi_mem_free(p.root);
    mi_mem_free(p.align);
    mi_mem_free(p.waits);
    mi_mem_free(p.queue);
    mi_mem_free(p.near);
    return ok;
}
