/* Collectives across ranks: which calls of two ranks are the same one.
 *
 * Names are generated: hcom_allReduce__210_4_1 is the fifth call of the group whose hash ends in
 * 210. Ranks of one group have the same hash, so calls with equal numbers are one, unless warm-up
 * called another number of them on one rank: then all numbers are shifted. The shift must bring
 * equal types together; of several that do, the one that lets the calls end together is taken. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/host/host.h"
#include "model/sort.h"

#include <stdlib.h>

enum { MAX_TRIES = 64 };

/* Clocks of hosts agree better than this; calls further apart are of two jobs. */
#define MAX_APART_NS INT64_C(10000000000)

struct call {            /* of a collective */
    uint32_t group;      /* equal for one group of ranks */
    uint32_t collection; /* ... of one rank */
    uint32_t type;       /* string: hcom_allReduce */
    int64_t rank, index; /* index: in its name, else its place */
    int64_t end_ns;
    uint32_t task;
};

struct peers {
    struct mi_model *model;
    struct mi_tables *rows;
    struct call *list;
    uint32_t count, room;
    struct mi_map groups;
    int64_t shifted; /* pairs of ranks */
    mi_str_id name_text, shift_text;
};

/* --- names --- */

static bool take_number(struct mi_bytes *text, int64_t *number)
{
    size_t len = 0;
    *number = 0;
    for (; len < text->len && len < 18 && text->at[len] >= '0' && text->at[len] <= '9'; len++)
        *number = *number * 10 + (text->at[len] - '0');
    *text = mi_bytes_sub(*text, len, text->len);
    return len > 0;
}

/* Splits TYPE__GROUP_INDEX_PART; false: another kind of name. */
static bool split_name(struct mi_bytes name, struct mi_bytes *type, int64_t *group, int64_t *index)
{
    for (size_t i = 1; i + 1 < name.len; i++) {
        if (name.at[i] != '_' || name.at[i + 1] != '_')
            continue;
        struct mi_bytes rest = mi_bytes_sub(name, i + 2, name.len);
        *type = mi_bytes_sub(name, 0, i);
        if (!take_number(&rest, group) || !rest.len || rest.at[0] != '_')
            return false;
        rest = mi_bytes_sub(rest, 1, rest.len);
        return take_number(&rest, index);
    }
    return false;
}

static bool add_call(struct peers *p, uint32_t t)
{
    const struct mi_tables *rows = p->rows;
    uint32_t kernel = rows->tasks.kernel[t].v;
    mi_str_id name = rows->kernels.node_name[kernel].v ? rows->kernels.node_name[kernel]
                                                       : rows->kernels.name[kernel];
    struct mi_bytes type = mi_model_text(p->model, name);
    struct call call = {.collection = mi_host_collection_of_task(rows, t),
                        .rank = rows->tracks.rank[rows->tasks.track[t].v],
                        .index = -1,
                        .task = t};
    int64_t group = -1;
    if (__builtin_add_overflow(rows->tasks.start_ns[t], rows->tasks.dur_ns[t], &call.end_ns))
        return true;
    bool is_hcom = split_name(type, &type, &group, &call.index);
    uint64_t key = is_hcom ? (uint64_t)group : mi_pair(UINT32_MAX, rows->kernels.group[kernel].v);
    uint32_t *at = mi_map_at(&p->groups, key);
    call.type = mi_batch_str(&p->model->all, type).v;
    if (!at || !mi_vec_room(&p->list, &p->room, p->count, sizeof *p->list))
        return false;
    if (!*at)
        *at = p->groups.count;
    call.group = *at;
    p->list[p->count++] = call;
    return true;
}

static int compare_calls(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->collection != b->collection)
        return a->collection < b->collection ? -1 : 1;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* Those whose name has no number are counted. */
static void number_unnamed(struct peers *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct call *call = &p->list[i];
        bool goes_on =
            i && call[-1].group == call->group && call[-1].collection == call->collection;
        if (call->index < 0)
            call->index = goes_on ? call[-1].index + 1 : 0;
    }
}

/* --- shifts --- */

struct ranks { /* the calls of two ranks in one group, by index */
    const struct call *a, *b;
    uint32_t a_count, b_count;
};

struct fit {
    uint32_t pairs, wrong;
    int64_t apart_ns; /* least distance of two ends */
};

static int64_t distance(int64_t a, int64_t b)
{
    int64_t d;
    return __builtin_sub_overflow(a, b, &d) || d == INT64_MIN ? INT64_MAX : d < 0 ? -d : d;
}

/* Calls b with index + shift = index of a. */
static struct fit try_shift(const struct ranks *r, int64_t shift)
{
    struct fit fit = {.apart_ns = INT64_MAX};
    for (uint32_t i = 0, k = 0; i < r->a_count && k < r->b_count;) {
        int64_t index = r->b[k].index + shift;
        if (r->a[i].index == index) {
            int64_t apart = distance(r->a[i].end_ns, r->b[k].end_ns);
            fit.pairs++;
            fit.wrong += r->a[i].type != r->b[k].type;
            fit.apart_ns = apart < fit.apart_ns ? apart : fit.apart_ns;
        }
        bool step_a = r->a[i].index <= index, step_b = r->a[i].index >= index;
        i += step_a;
        k += step_b;
    }
    return fit;
}

static bool is_better(const struct fit *fit, const struct fit *than)
{
    if (!fit->pairs || fit->wrong)
        return false;
    return !than->pairs || than->wrong || fit->apart_ns < than->apart_ns / 2;
}

/* 0 if that fits; else the shift that does. False: none. */
static bool find_shift(const struct ranks *r, int64_t *shift)
{
    struct fit best = try_shift(r, 0);
    *shift = 0;
    for (uint32_t i = 0; i < r->a_count && i < MAX_TRIES; i++) {
        int64_t other = r->a[i].index - r->b[0].index;
        struct fit fit = try_shift(r, other);
        bool is_whole = fit.pairs == r->a_count || fit.pairs == r->b_count;
        if ((best.wrong || !best.pairs || is_whole) && is_better(&fit, &best)) {
            best = fit;
            *shift = other;
        }
    }
    return best.pairs && !best.wrong && best.apart_ns <= MAX_APART_NS;
}

static void add_pairs(struct peers *p, const struct ranks *r, int64_t shift)
{
    for (uint32_t i = 0, k = 0; i < r->a_count && k < r->b_count;) {
        int64_t index = r->b[k].index + shift;
        if (r->a[i].index == index)
            mi_add_peer(&p->model->all,
                        &(struct mi_peer_row){.task = {r->b[k].task},
                                              .first = {r->a[i].task},
                                              .confidence = shift ? MI_LIKELY : MI_CERTAIN,
                                              .evidence = shift ? p->shift_text : p->name_text});
        bool step_a = r->a[i].index <= index, step_b = r->a[i].index >= index;
        i += step_a;
        k += step_b;
    }
}

/* --- the step --- */

static void note_shift(struct peers *p, const struct call *call, int64_t shift)
{
    struct mi_batch *all = &p->model->all;
    uint32_t source = p->rows->kernels.source[p->rows->tasks.kernel[call->task].v].v;
    mi_add_diag(
        all,
        &(struct mi_diag_row){
            .source = {source},
            .code = mi_batch_cstr(all, "cann.collective_shift"),
            .severity = MI_NOTICE,
            .times = 1,
            .offset = -1,
            .text = mi_batch_printf(
                all,
                "collectives are counted from another number than on rank %lld: shifted by %lld",
                (long long)call->rank, (long long)shift)});
}

/* Whether two files name different groups: numbers of groups have three digits only. */
static bool contradicts(const struct peers *p, const struct call *a, const struct call *b)
{
    const struct mi_kernels *kernels = &p->rows->kernels;
    uint32_t x = p->rows->tasks.kernel[a->task].v, y = p->rows->tasks.kernel[b->task].v;
    const mi_str_id *reader = p->rows->sources.reader;
    return kernels->group[x].v && kernels->group[y].v &&
           kernels->group[x].v != kernels->group[y].v &&
           reader[kernels->source[x].v].v == reader[kernels->source[y].v].v;
}

/* The calls of one group, in [from, end): each rank with the first that it has calls in common
 * with. */
static void pair_group(struct peers *p, uint32_t from, uint32_t end)
{
    uint32_t first_end = from;
    while (first_end < end && p->list[first_end].collection == p->list[from].collection)
        first_end++;
    for (uint32_t b = first_end, b_end; b < end; b = b_end) {
        for (b_end = b; b_end < end && p->list[b_end].collection == p->list[b].collection; b_end++)
            ;
        struct ranks ranks = {&p->list[from], &p->list[b], first_end - from, b_end - b};
        int64_t shift;
        bool are_two = p->list[b].rank != p->list[from].rank || p->list[b].rank < 0;
        if (!are_two || contradicts(p, ranks.a, ranks.b) || !find_shift(&ranks, &shift))
            continue;
        add_pairs(p, &ranks, shift);
        if (shift)
            note_shift(p, &p->list[b], shift);
    }
}

bool mi_host_pair_collectives(struct mi_model *model, struct mi_error *err)
{
    struct peers p = {.model = model, .rows = &model->all.rows};
    const struct mi_tables *rows = p.rows;
    bool ok = true;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++)
        if (rows->kernels.kind[rows->tasks.kernel[t].v] == MI_TASK_COMMUNICATION &&
            rows->tracks.kind[rows->tasks.track[t].v] != MI_TRACK_STREAM &&
            mi_host_collection_of_task(rows, t))
            ok = add_call(&p, t);
    if (ok && p.count) {
        qsort(p.list, p.count, sizeof *p.list, compare_calls);
        number_unnamed(&p);
        p.name_text =
            mi_batch_cstr(&model->all, N_("group, type and number of the call are equal"));
        p.shift_text =
            mi_batch_cstr(&model->all, N_("group and type are equal, the numbers are shifted"));
        for (uint32_t from = 0, end; from < p.count; from = end) {
            for (end = from; end < p.count && p.list[end].group == p.list[from].group; end++)
                ;
            pair_group(&p, from, end);
        }
    }
    mi_mem_free(p.list);
    mi_map_fini(&p.groups);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for collectives of ranks");
}
