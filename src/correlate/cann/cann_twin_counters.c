/* Counters that several files of a collection tell of: equal in name, unit and device, and with the
 * same values at the same times. The one with most samples stays; what only the other has is added
 * to it. Counters that merely share their name stay apart. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cann/cann_twins.h"
#include "model/drop.h"

enum { MOST_NEW_SHARE = 10 }; /* one sample in so many may be missing in the other file */

struct twins {
    struct mi_model *model;
    struct mi_tables *rows;
    const uint32_t *collections;
    uint32_t *samples;  /* [counters.count] how many it has */
    uint32_t *base;     /* [counters.count] counter of that key with most samples; 0 = no rivals */
    uint32_t *equal;    /* [counters.count] samples that the base has too */
    struct mi_map seen; /* samples of bases */
};

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static bool same_counter(const struct twins *tw, uint32_t a, uint32_t b)
{
    const struct mi_counters *c = &tw->rows->counters;
    return c->name[a].v == c->name[b].v && c->unit[a].v == c->unit[b].v &&
           c->device[a] == c->device[b] && c->source[a].v != c->source[b].v &&
           tw->collections[c->source[a].v] == tw->collections[c->source[b].v];
}

/* The base of each counter that has rivals. */
static bool find_bases(struct twins *tw)
{
    const struct mi_counters *c = &tw->rows->counters;
    struct mi_map first = {0};
    bool ok = true;
    for (uint32_t s = 1; s < tw->rows->samples.count; s++)
        tw->samples[tw->rows->samples.counter[s].v]++;
    for (int pass = 0; ok && pass < 2; pass++) /* the largest of each key, then who belongs to it */
        for (uint32_t i = 1; ok && i < c->count; i++) {
            uint64_t key =
                mix(mix(mix(tw->collections[c->source[i].v], c->name[i].v), c->unit[i].v),
                    (uint64_t)c->device[i]);
            uint32_t *at = tw->collections[c->source[i].v] ? mi_map_at(&first, key) : NULL;
            ok = at || !tw->collections[c->source[i].v];
            if (!at)
                continue;
            if (pass && *at != i && same_counter(tw, *at, i))
                tw->base[i] = tw->base[*at] = *at;
            else if (!pass && (!*at || tw->samples[i] > tw->samples[*at]))
                *at = i;
        }
    mi_map_fini(&first);
    return ok;
}

static uint64_t key_of(const struct twins *tw, uint32_t sample, uint32_t counter)
{
    uint64_t bits;
    memcpy(&bits, &tw->rows->samples.value[sample], sizeof bits);
    return mix(mix(counter, (uint64_t)tw->rows->samples.at_raw[sample]), bits);
}

static bool count_equal(struct twins *tw)
{
    const struct mi_samples *samples = &tw->rows->samples;
    for (uint32_t s = 1; s < samples->count; s++) {
        uint32_t c = samples->counter[s].v;
        if (tw->base[c] == c && !mi_map_set(&tw->seen, key_of(tw, s, c), 1))
            return false;
    }
    for (uint32_t s = 1; s < samples->count; s++) {
        uint32_t c = samples->counter[s].v, base = tw->base[c];
        if (base && base != c)
            tw->equal[c] += mi_map_get(&tw->seen, key_of(tw, s, base)) != 0;
    }
    return true;
}

static bool drop_equal(struct twins *tw)
{
    struct mi_samples *samples = &tw->rows->samples;
    uint32_t *sample_instead = mi_mem_new(samples->count, sizeof *sample_instead);
    uint32_t *counter_instead = mi_mem_new(tw->rows->counters.count, sizeof *counter_instead);
    int64_t *twice = mi_mem_zero(tw->rows->sources.count, sizeof *twice);
    bool ok = sample_instead && counter_instead && twice;
    for (uint32_t c = 0; ok && c < tw->rows->counters.count; c++) {
        bool is_twin = tw->base[c] && tw->base[c] != c && tw->equal[c] &&
                       tw->equal[c] >= tw->samples[c] - tw->samples[c] / MOST_NEW_SHARE;
        counter_instead[c] = is_twin ? tw->base[c] : c;
        twice[tw->rows->counters.source[c].v] += is_twin ? tw->equal[c] : 0;
    }
    for (uint32_t s = 1; ok && s < tw->rows->sources.count; s++)
        mi_cann_notice(tw->model, s, MI_INFO, "msprof.sample_twice",
                       N_("values of a counter that another file tells of too are counted once"),
                       twice[s], -1);
    for (uint32_t s = 0; ok && s < samples->count; s++) {
        uint32_t c = samples->counter[s].v;
        bool is_twin =
            counter_instead[c] != c && mi_map_get(&tw->seen, key_of(tw, s, counter_instead[c]));
        sample_instead[s] = is_twin ? 0 : s;
    }
    ok = ok && mi_table_drop(tw->rows, MI_T_samples, sample_instead) &&
         mi_table_drop(tw->rows, MI_T_counters, counter_instead);
    mi_mem_free(sample_instead);
    mi_mem_free(counter_instead);
    mi_mem_free(twice);
    return ok;
}

bool mi_cann_merge_counters(struct mi_model *model, const uint32_t *collections)
{
    struct twins tw = {.model = model, .rows = &model->all.rows, .collections = collections};
    uint32_t count = tw.rows->counters.count, rivals = 0;
    tw.samples = mi_mem_zero(count, sizeof *tw.samples);
    tw.base = mi_mem_zero(count, sizeof *tw.base);
    tw.equal = mi_mem_zero(count, sizeof *tw.equal);
    bool ok = tw.samples && tw.base && tw.equal && find_bases(&tw);
    for (uint32_t c = 1; ok && c < count; c++)
        rivals += tw.base[c] != 0;
    ok = ok && (!rivals || (count_equal(&tw) && drop_equal(&tw)));
    mi_mem_free(tw.samples);
    mi_mem_free(tw.base);
    mi_mem_free(tw.equal);
    mi_map_fini(&tw.seen);
    return ok;
}
