/* Notes to calls of the host. operator_details has a row per op in the order of their starts, and
 * neither time nor id: rows and ops are joined as long as their names agree, from the first on.
 * operator_memory states when memory was asked for: by the op of that name that was running. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/notes/notes.h"

#include <stdlib.h>

enum { MAX_BACK = 64 };

struct joining {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_keyed *ops, *named; /* by collection and start; by collection, name and start */
    uint32_t op_count, op_room;
    mi_str_id details, memory;
};

static uint32_t collection_of(const struct joining *j, uint32_t slice)
{
    return j->rows->sources.collection[j->rows->tracks.source[j->rows->slices.track[slice].v].v];
}

/* The outer op comes first: at one start the longer one. */
static int by_start(const void *left, const void *right)
{
    const struct mi_keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->group < b->group) - (a->group > b->group);
}

static bool gather_ops(struct joining *j)
{
    const struct mi_slices *slices = &j->rows->slices;
    mi_str_id op = mi_strings_find(&j->model->all.strings, MI_LIT("op"));
    for (uint32_t s = 1; op.v && s < slices->count; s++) {
        if (slices->category[s].v != op.v || !collection_of(j, s) ||
            mi_bytes_starts(mi_model_text(j->model, slices->name[s]), MI_LIT("ProfilerStep#")))
            continue;
        if (!mi_vec_room(&j->ops, &j->op_room, j->op_count, sizeof *j->ops))
            return false;
        int64_t dur = slices->dur_ns[s];
        j->ops[j->op_count++] =
            (struct mi_keyed){.key = collection_of(j, s),
                              .group = dur < UINT32_MAX ? (uint32_t)dur : UINT32_MAX,
                              .row = s,
                              .at = slices->start_raw[s]};
    }
    if (j->op_count)
        qsort(j->ops, j->op_count, sizeof *j->ops, by_start);
    return true;
}

/* --- by order --- */

static uint32_t first_of(const struct joining *j, uint32_t collection)
{
    uint32_t lo = 0, hi = j->op_count;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (j->ops[middle].key < collection)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static void join_details(struct joining *j)
{
    struct mi_notes *notes = &j->model->all.rows.notes;
    for (uint32_t n = 1, next; n < notes->count; n = next) {
        uint32_t source = notes->source[n].v, collection = j->rows->sources.collection[source];
        uint32_t op = first_of(j, collection), left = 0;
        bool agrees = collection != 0;
        for (next = n; next < notes->count && notes->source[next].v == source; next++) {
            if (notes->kind[next].v != j->details.v)
                continue;
            agrees = agrees && op < j->op_count && j->ops[op].key == collection &&
                     j->rows->slices.name[j->ops[op].row].v == notes->name[next].v;
            if (agrees)
                notes->slice[next].v = j->ops[op++].row;
            else
                left++;
        }
        if (left && j->op_count)
            mi_notes_notice(j->model, source, MI_NOTICE, "notes.no_op", left,
                            mi_batch_cstr(&j->model->all,
                                          N_("rows about ops from the first one on whose name is "
                                             "not that of the op in its place")));
    }
}

/* --- by name and time --- */

static bool name_ops(struct joining *j)
{
    struct mi_map keys = {0}; /* (collection, name) -> number */
    uint32_t count = 0;
    struct mi_notes *notes = &j->model->all.rows.notes;
    j->named = mi_mem_new((size_t)j->op_count + 1, sizeof *j->named);
    bool ok = j->named != NULL;
    for (uint32_t i = 0; ok && i < j->op_count; i++) {
        uint32_t *at =
            mi_map_at(&keys, mi_pair(j->ops[i].key, j->rows->slices.name[j->ops[i].row].v));
        ok = at != NULL;
        if (!ok)
            break;
        if (!*at)
            *at = ++count;
        j->named[i] = (struct mi_keyed){.key = *at, .row = j->ops[i].row, .at = j->ops[i].at};
    }
    if (ok && j->op_count)
        qsort(j->named, j->op_count, sizeof *j->named, mi_keyed_compare);
    for (uint32_t n = 1; ok && n < notes->count; n++) {
        uint32_t collection = j->rows->sources.collection[notes->source[n].v];
        uint32_t key = notes->kind[n].v == j->memory.v && notes->start_raw[n] >= 0
                           ? mi_map_get(&keys, mi_pair(collection, notes->name[n].v))
                           : 0;
        int64_t at = notes->start_raw[n];
        uint32_t lo = 0, hi = key ? j->op_count : 0;
        while (lo < hi) { /* the first that starts later */
            uint32_t middle = lo + (hi - lo) / 2;
            if (j->named[middle].key < key ||
                (j->named[middle].key == key && j->named[middle].at <= at))
                lo = middle + 1;
            else
                hi = middle;
        }
        for (uint32_t back = 0; key && lo > 0 && back < MAX_BACK; back++) {
            const struct mi_keyed *op = &j->named[--lo];
            if (op->key != key)
                break;
            if (mi_notes_distance(at, op->at) <=
                j->rows->slices.dur_ns[op->row]) { /* the innermost comes first */
                notes->slice[n].v = op->row;
                break;
            }
        }
    }
    mi_map_fini(&keys);
    return ok;
}

bool mi_notes_join_slices(struct mi_model *model, struct mi_error *err)
{
    struct joining j = {.model = model, .rows = &model->all.rows};
    j.details = mi_strings_find(&model->all.strings, MI_LIT("operator_details"));
    j.memory = mi_strings_find(&model->all.strings, MI_LIT("operator_memory"));
    if (model->all.rows.notes.count <= 1 || model->all.rows.slices.count <= 1 ||
        (!j.details.v && !j.memory.v))
        return true;
    bool ok = gather_ops(&j);
    if (ok && j.details.v)
        join_details(&j);
    ok = ok && (!j.memory.v || name_ops(&j));
    mi_mem_free(j.ops);
    mi_mem_free(j.named);
    return (ok && !mi_batch_failed(&model->all)) ||
           mi_fail(err, MI_ENOMEM, "out of memory while joining notes");
}
