#include "present/lod/counters.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

struct key {
    int64_t at_ns;
    uint32_t sample;
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->sample > b->sample) - (a->sample < b->sample);
}

static void sort_run(const struct mi_samples *samples, uint32_t *list, uint32_t count,
                     struct key *keys)
{
    bool is_sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (struct key){samples->at_ns[list[i]], list[i]};
        is_sorted = is_sorted && (!i || keys[i - 1].at_ns <= keys[i].at_ns);
    }
    if (is_sorted)
        return;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++)
        list[i] = keys[i].sample;
}

static void find_range(struct mi_counter_series *series, uint32_t counter)
{
    const struct mi_samples *samples = &series->model->all.rows.samples;
    const struct mi_csr *csr = &series->samples;
    double least = INFINITY, greatest = -INFINITY;
    for (uint32_t i = csr->first[counter]; i < csr->first[counter + 1]; i++) {
        least = fmin(least, samples->value[csr->list[i]]);
        greatest = fmax(greatest, samples->value[csr->list[i]]);
    }
    series->least[counter] = least;
    series->greatest[counter] = greatest;
}

/* The counter of each sample; 0 for what cannot be drawn. NULL: out of memory. */
static uint32_t *counters_of(const struct mi_samples *samples)
{
    uint32_t *of = mi_mem_new((size_t)samples->count + 1, sizeof *of);
    for (uint32_t s = 0; of && s < samples->count; s++)
        of[s] = isfinite(samples->value[s]) ? samples->counter[s].v : 0;
    return of;
}

bool mi_counter_series_init(struct mi_counter_series *series, const struct mi_model *model,
                            struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t counters = rows->counters.count;
    *series = (struct mi_counter_series){.model = model};
    uint32_t *of = counters_of(&rows->samples);
    struct key *keys = mi_mem_new((size_t)rows->samples.count + 1, sizeof *keys);
    series->least = mi_mem_new((size_t)counters + 1, sizeof *series->least);
    series->greatest = mi_mem_new((size_t)counters + 1, sizeof *series->greatest);
    bool ok = of && keys && series->least && series->greatest &&
              mi_csr_build(&series->samples, counters, of, rows->samples.count);
    for (uint32_t c = 1; ok && c < counters; c++) {
        uint32_t first = series->samples.first[c], count = series->samples.first[c + 1] - first;
        sort_run(&rows->samples, series->samples.list + first, count, keys);
        find_range(series, c);
    }
    mi_mem_free(of);
    mi_mem_free(keys);
    if (ok)
        return true;
    mi_counter_series_fini(series);
    return mi_fail(err, MI_ENOMEM, "out of memory for the timeline");
}

void mi_counter_series_fini(struct mi_counter_series *series)
{
    mi_csr_fini(&series->samples);
    mi_mem_free(series->least);
    mi_mem_free(series->greatest);
    *series = (struct mi_counter_series){0};
}

uint32_t mi_counter_series_query(const struct mi_counter_series *series, uint32_t counter,
                                 int64_t from_ns, int64_t to_ns, int64_t step_ns,
                                 struct mi_counter_step *out, uint32_t room)
{
    const struct mi_samples *samples = &series->model->all.rows.samples;
    const uint32_t *list = series->samples.list;
    uint32_t low = series->samples.first[counter], end = series->samples.first[counter + 1];
    uint32_t first = low, high = end, filled = 0;
    int64_t filled_step = -1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (samples->at_ns[list[middle]] < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low > first ? low - 1 : low; i < end; i++) {
        int64_t at = samples->at_ns[list[i]], since;
        double value = samples->value[list[i]];
        if (at >= to_ns)
            break;
        bool is_before = at < from_ns || __builtin_sub_overflow(at, from_ns, &since);
        int64_t step = is_before ? -2 : since / step_ns;
        if (step != filled_step && filled == room)
            break;
        if (step != filled_step)
            out[filled++] = (struct mi_counter_step){at, value, value, value};
        struct mi_counter_step *entry = &out[filled - 1];
        filled_step = step;
        entry->least = fmin(entry->least, value);
        entry->greatest = fmax(entry->greatest, value);
        entry->last = value;
    }
    return filled;
}
