/* Matching by type and neighbours: a node that is gone and one that is new, of one type and between
 * the same nodes, are one node under another name if no other pair could be meant. */
#include "analyse/series/series_parts.h"
#include "base/hash.h"

enum {
    MOST_ROUNDS = 16 /* what one round has matched are neighbours in the next */
};

/* A neighbour counts if it goes on from the stage before to this one. */
static uint32_t known_track(const struct mi_step *step, uint32_t node)
{
    uint32_t track = step->series->track_of[node];
    return track && mi_series_is_seen(step, track) && step->series->tracks[track].born < step->stage
               ? track
               : 0;
}

/* What a node looks like from its neighbours; 0: none of them is known. */
static uint64_t sign_of(const struct mi_step *step, uint32_t node)
{
    const struct mi_tables *rows = &step->model->all.rows;
    const struct mi_csr *readers = &step->model->index.consumers;
    uint64_t hash = mi_hash_mix(1, rows->nodes.op[node].v), around = 0;
    uint32_t known = 0;
    for (uint32_t p = 0; p < rows->nodes.in_count[node]; p++) {
        mi_value_id value = rows->ports.value[rows->nodes.first_in[node] + p];
        uint32_t track = known_track(step, rows->values.producer[value.v].v);
        known += track != 0;
        if (track)
            hash = mi_hash_mix(mi_hash_mix(hash, mi_pair(track, step->out_port[value.v])), p);
    }
    for (uint32_t p = 0; p < rows->nodes.out_count[node]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[node] + p].v;
        for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++) {
            uint32_t track = known_track(step, readers->list[i]);
            known += track != 0;
            if (track)
                around += mi_hash_mix(3, mi_pair(track, p)); /* their order says nothing */
        }
    }
    hash = mi_hash_mix(hash, around);
    return known ? hash | 1 : 0;
}

static bool note(struct mi_map *signs, uint64_t sign, uint32_t place)
{
    uint32_t *at = sign ? mi_map_at(signs, sign) : NULL;
    if (!sign)
        return true;
    if (at)
        *at = *at ? UINT32_MAX : place + 1;
    return at != NULL;
}

static bool is_open(const struct mi_step *step, const struct mi_series_verdicts *verdicts,
                    uint32_t place)
{
    mi_node_id node = {step->nodes[place]};
    return !step->series->track_of[node.v] && !verdicts->births[place].from &&
           !mi_series_is_constant(step->model, node);
}

static bool is_missed(const struct mi_step *step, const struct mi_series_verdicts *verdicts,
                      uint32_t place)
{
    uint32_t track = step->live[place];
    return !mi_series_is_seen(step, track) && !verdicts->fates[place].into &&
           !mi_series_is_constant(step->model, step->series->tracks[track].last);
}

static bool round_of(struct mi_step *step, const struct mi_series_verdicts *verdicts,
                     uint32_t *matched)
{
    struct mi_map gone = {0}, new = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < step->live_count; i++)
        if (is_missed(step, verdicts, i))
            ok = note(&gone, sign_of(step, step->series->tracks[step->live[i]].last.v), i);
    for (uint32_t i = 0; ok && i < step->node_count && gone.count; i++)
        if (is_open(step, verdicts, i))
            ok = note(&new, sign_of(step, step->nodes[i]), i);
    uint32_t first_change = step->series->change_count;
    for (uint32_t i = 0; ok && i < step->node_count && new.count; i++) {
        if (!is_open(step, verdicts, i))
            continue;
        /* Signs change as pairs are made: only those of the start of the round count. */
        uint64_t sign = sign_of(step, step->nodes[i]);
        uint32_t other = sign ? mi_map_get(&gone, sign) : 0;
        if (!other || other == UINT32_MAX || mi_map_get(&new, sign) != i + 1 ||
            mi_series_is_seen(step, step->live[other - 1]))
            continue;
        ok = mi_series_rename(step, step->live[other - 1], (mi_node_id){step->nodes[i]});
    }
    *matched = step->series->change_count - first_change;
    mi_map_fini(&gone);
    mi_map_fini(&new);
    return ok;
}

bool mi_series_match_alike(struct mi_step *step, const struct mi_series_verdicts *verdicts)
{
    uint32_t matched = 1;
    for (int i = 0; matched && i < MOST_ROUNDS; i++)
        if (!round_of(step, verdicts, &matched))
            return false;
    return true;
}
