/* Clocks of ranks: a collective ends on all its ranks within tens of microseconds, though it starts
 * whenever each of them is ready. Where the ends of two ranks are steadily further apart than hosts
 * usually disagree, everything of the later rank is moved, its host included. */
#include "base/mem.h"
#include "correlate/clocks/parts.h"

#include <math.h>
#include <stdlib.h>

#define AGREE_NS   100000.0 /* hosts that differ by no more are left alone */
#define MOST_NS    1e15     /* ... and by more: eleven days are two jobs */
#define SCATTER_NS 200000.0 /* ends that scatter more are not those of one collective */
#define ENDS_NS    50000.0  /* ends of one collective are no further apart */

struct apart {             /* one collective on two ranks */
    uint32_t first, other; /* collections */
    double ns;             /* by how much the other one ends later */
};

static int compare_aparts(const void *left, const void *right)
{
    const struct apart *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->other != b->other)
        return a->other < b->other ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static uint32_t collection_of(const struct mi_calibration *c, uint32_t track)
{
    return c->rows->sources.collection[c->rows->tracks.source[track].v];
}

static double end_of(const struct mi_calibration *c, uint32_t task)
{
    const struct mi_tasks *tasks = &c->rows->tasks;
    const struct mi_unit *unit = &c->units[c->unit_of[tasks->track[task].v]];
    return mi_line_apply(&unit->line, mi_since_base(c, tasks->start_ns[task])) +
           (double)tasks->dur_ns[task];
}

static uint32_t list_aparts(const struct mi_calibration *c, struct apart *list)
{
    const struct mi_peers *peers = &c->rows->peers;
    const struct mi_tasks *tasks = &c->rows->tasks;
    uint32_t count = 0;
    for (uint32_t p = 1; p < peers->count; p++) {
        uint32_t task = peers->task[p].v, first = peers->first[p].v;
        uint32_t a = collection_of(c, tasks->track[first].v);
        uint32_t b = collection_of(c, tasks->track[task].v);
        if (a && b && a != b)
            list[count++] = (struct apart){a < b ? a : b, a < b ? b : a,
                                           (end_of(c, task) - end_of(c, first)) * (a < b ? 1 : -1)};
    }
    qsort(list, count, sizeof *list, compare_aparts);
    return count;
}

/* Leaves one row for each pair of ranks whose ends are steady: their median. */
static uint32_t reduce(struct apart *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i;
             end < count && list[end].first == list[i].first && list[end].other == list[i].other;
             end++)
            ;
        uint32_t quarter = (end - i) / 4;
        double scatter = list[end - 1 - quarter].ns - list[i + quarter].ns;
        struct apart middle = list[i + (end - i) / 2];
        if (scatter <= SCATTER_NS && fabs(middle.ns) <= MOST_NS)
            list[kept++] = middle;
    }
    return kept;
}

/* From the first collection of each that are joined to the others. */
static void spread(const struct apart *list, uint32_t count, double *shifts, uint8_t *is_known,
                   uint32_t collections)
{
    for (uint32_t root = 1; root < collections; root++) {
        bool is_changed = !is_known[root];
        is_known[root] = 1;
        while (is_changed) {
            is_changed = false;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t a = list[i].first, b = list[i].other;
                if (is_known[a] == is_known[b])
                    continue;
                uint32_t next = is_known[a] ? b : a;
                shifts[next] = is_known[a] ? shifts[a] + list[i].ns : shifts[b] - list[i].ns;
                is_known[next] = 1;
                is_changed = true;
            }
        }
    }
}

static int64_t earlier(int64_t ns, double shift)
{
    int64_t at, by = fabs(shift) > AGREE_NS ? mi_whole_ns(shift) : 0;
    return __builtin_sub_overflow(ns, by, &at) ? ns : at;
}

static void move(struct mi_calibration *c, const double *shifts)
{
    struct mi_samples *samples = &c->rows->samples;
    struct mi_windows *windows = &c->rows->windows;
    for (uint32_t u = 1; u < c->unit_count; u++) {
        struct mi_unit *unit = &c->units[u];
        double shift = shifts[collection_of(c, unit->track)];
        if (fabs(shift) <= AGREE_NS)
            continue;
        unit->line.offset += shift;
        unit->is_with_rank = true;
        if (unit->is_host) {
            unit->low = -ENDS_NS;
            unit->high = ENDS_NS;
        }
    }
    for (uint32_t s = 1; s < samples->count; s++) {
        uint32_t source = c->rows->counters.source[samples->counter[s].v].v;
        double shift = shifts[c->rows->sources.collection[source]];
        samples->at_ns[s] = earlier(samples->at_ns[s], shift);
    }
    for (uint32_t w = 1; w < windows->count; w++) {
        double shift = shifts[c->rows->sources.collection[windows->source[w].v]];
        windows->start_ns[w] = earlier(windows->start_ns[w], shift);
    }
}

bool mi_ranks_place(struct mi_calibration *c)
{
    const struct mi_sources *sources = &c->rows->sources;
    uint32_t collections = 1;
    if (c->rows->peers.count <= 1)
        return true;
    for (uint32_t s = 1; s < sources->count; s++)
        collections =
            sources->collection[s] >= collections ? sources->collection[s] + 1 : collections;
    struct apart *list = mi_mem_new(c->rows->peers.count, sizeof *list);
    double *shifts = mi_mem_zero(collections, sizeof *shifts);
    uint8_t *is_known = mi_mem_zero(collections, 1);
    bool ok = list && shifts && is_known;
    if (ok) {
        uint32_t count = reduce(list, list_aparts(c, list));
        spread(list, count, shifts, is_known, collections);
        move(c, shifts);
    }
    mi_mem_free(list);
    mi_mem_free(shifts);
    mi_mem_free(is_known);
    return ok;
}
