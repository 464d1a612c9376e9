/* The rank of each collection: what its files state, by their content or their names. Several say
 * different things (a table that calls every device 0, settings that were copied): the first of
 * these stands, and all values are reported.
 *
 *   fact "rank"                 settings of the framework's profiler, of the job
 *   profiler_info_3.json, ascend_pytorch_profiler_3.db
 *   fact "rank_of_device:D"     RANK_DEVICE_MAP of a database */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/cann/cann_tables.h"

#include <stdio.h>

enum { MAX_RANK_DIGITS = 9, MAX_SHOWN = 8 };

struct statement {
    uint32_t collection, source;
    int64_t rank;
};

struct ranks {
    struct mi_model *model;
    struct mi_tables *rows;
    struct statement *list; /* in the order of their weight */
    uint32_t count, room;
};

/* -1 = no plain number. */
static int64_t number_of(struct mi_bytes text)
{
    int64_t number = 0;
    if (!text.len || text.len > MAX_RANK_DIGITS)
        return -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return -1;
        number = number * 10 + (text.at[i] - '0');
    }
    return number;
}

int64_t mi_cann_rank_in_name(struct mi_bytes path)
{
    static const char *const starts[] = {"profiler_info_", "ascend_pytorch_profiler_",
                                         "ascend_mindspore_profiler_"};
    size_t from = path.len, end;
    while (from && path.at[from - 1] != '/')
        from--;
    struct mi_bytes name = mi_bytes_sub(path, from, path.len);
    for (end = name.len; end && name.at[end - 1] != '.'; end--)
        ;
    for (size_t i = 0; end && i < sizeof starts / sizeof *starts; i++) {
        struct mi_bytes start = mi_cstr(starts[i]);
        if (mi_bytes_starts(name, start) && end - 1 > start.len)
            return number_of(mi_bytes_sub(name, start.len, end - 1 - start.len));
    }
    return -1;
}

static bool state(struct ranks *r, uint32_t source, int64_t rank)
{
    uint32_t collection = r->rows->sources.collection[source];
    if (rank < 0 || !collection)
        return true;
    if (!mi_vec_room(&r->list, &r->room, r->count, sizeof *r->list))
        return false;
    r->list[r->count++] = (struct statement){collection, source, rank};
    return true;
}

static bool state_facts(struct ranks *r, struct mi_bytes name, bool is_start)
{
    const struct mi_facts *facts = &r->rows->facts;
    bool ok = true;
    for (uint32_t f = 1; ok && f < facts->count; f++) {
        struct mi_bytes fact = mi_model_text(r->model, facts->name[f]);
        if (is_start ? mi_bytes_starts(fact, name) : mi_bytes_equal(fact, name))
            ok = state(r, facts->source[f].v, number_of(mi_model_text(r->model, facts->text[f])));
    }
    return ok;
}

static bool state_names(struct ranks *r)
{
    bool ok = true;
    for (uint32_t s = 1; ok && s < r->rows->sources.count; s++)
        ok = state(r, s, mi_cann_rank_in_name(mi_model_text(r->model, r->rows->sources.path[s])));
    return ok;
}

/* "0 (profiler_info_0.json), 3 (...)": every value once, with the first file that states it. */
static mi_str_id list_values(const struct ranks *r, uint32_t first)
{
    char text[1024];
    size_t len = 0;
    unsigned shown = 0;
    for (uint32_t i = first; i < r->count && shown < MAX_SHOWN; i++) {
        bool is_again = r->list[i].collection != r->list[first].collection;
        for (uint32_t k = first; k < i && !is_again; k++)
            is_again = r->list[k].collection == r->list[i].collection &&
                       r->list[k].rank == r->list[i].rank;
        struct mi_bytes path = mi_model_text(r->model, r->rows->sources.path[r->list[i].source]);
        size_t from = path.len;
        while (from && path.at[from - 1] != '/')
            from--;
        if (is_again || len + 128 > sizeof text)
            continue;
        int name_len = path.len - from < 80 ? (int)(path.len - from) : 80;
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%lld (%.*s)", shown++ ? ", " : "",
                                (long long)r->list[i].rank, name_len, (const char *)path.at + from);
    }
    return mi_batch_printf(&r->model->all, "files state different ranks: %.*s", (int)len, text);
}

static void settle(struct ranks *r, int64_t *rank_of)
{
    struct mi_batch *all = &r->model->all;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t c = r->list[i].collection;
        if (rank_of[c] >= 0)
            continue;
        rank_of[c] = r->list[i].rank;
        bool differs = false;
        for (uint32_t k = i + 1; k < r->count; k++)
            differs |= r->list[k].collection == c && r->list[k].rank != rank_of[c];
        if (differs)
            mi_add_diag(all, &(struct mi_diag_row){.source = {r->list[i].source},
                                                   .code = mi_batch_cstr(all, "cann.rank_differs"),
                                                   .severity = MI_NOTICE,
                                                   .times = 1,
                                                   .offset = -1,
                                                   .text = list_values(r, i)});
    }
    struct mi_tracks *tracks = &r->rows->tracks;
    for (uint32_t t = 1; t < tracks->count; t++)
        if (tracks->rank[t] < 0)
            tracks->rank[t] = rank_of[r->rows->sources.collection[tracks->source[t].v]];
    struct mi_counters *counters = &r->rows->counters;
    for (uint32_t c = 1; c < counters->count; c++)
        if (counters->rank[c] < 0)
            counters->rank[c] = rank_of[r->rows->sources.collection[counters->source[c].v]];
}

bool mi_cann_apply_ranks(struct mi_model *model, struct mi_error *err)
{
    struct ranks r = {.model = model, .rows = &model->all.rows};
    uint32_t count = r.rows->sources.count + 1;
    int64_t *rank_of = mi_mem_new(count, sizeof *rank_of);
    bool ok = rank_of && state_facts(&r, MI_LIT("rank"), false) && state_names(&r) &&
              state_facts(&r, MI_LIT("rank_of_device:"), true);
    for (uint32_t c = 0; ok && c < count; c++)
        rank_of[c] = -1;
    if (ok)
        settle(&r, rank_of);
    mi_mem_free(r.list);
    mi_mem_free(rank_of);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for ranks");
}
