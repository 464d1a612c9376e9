/* Matching by the names of the ops that a node stands for: those that the compiler recorded on it,
 * else its own. A node that is gone went where its ops are recorded now. Constants stand for no op.
 */
#include "analyse/series/series_parts.h"

enum {
    MOST_HOLDERS = 8 /* nodes that hold one name: further ones are not looked at */
};

struct entry {
    uint32_t place; /* in step->nodes, or in step->live */
    uint32_t next;  /* entry; 0 = none */
};

struct holders {
    struct mi_map first; /* name -> entry */
    struct entry *entries;
    uint32_t count, room;
};

/* --- names of a node --- */

static uint32_t name_count(const struct mi_step *step, uint32_t node)
{
    uint32_t recorded = mi_csr_count(&step->series->recorded, node);
    return recorded ? recorded : !mi_series_is_constant(step->model, (mi_node_id){node});
}

static uint32_t name_at(const struct mi_step *step, uint32_t node, uint32_t k)
{
    const struct mi_tables *rows = &step->model->all.rows;
    if (!mi_csr_count(&step->series->recorded, node))
        return rows->nodes.name[node].v;
    return rows->recorded.name[step->series->recorded.list[step->series->recorded.first[node] + k]]
        .v;
}

static bool has_name(const struct mi_step *step, uint32_t node, uint32_t name)
{
    uint32_t count = name_count(step, node);
    for (uint32_t k = 0; k < count; k++)
        if (name_at(step, node, k) == name)
            return true;
    return false;
}

static bool hold(struct holders *holders, uint32_t name, uint32_t place)
{
    uint32_t *at = mi_map_at(&holders->first, name);
    if (!at || !mi_vec_room(&holders->entries, &holders->room, holders->count + 1,
                            sizeof *holders->entries))
        return false;
    holders->count += !holders->count; /* entry 0 means none */
    holders->entries[holders->count] = (struct entry){place, *at};
    *at = holders->count++;
    return true;
}

/* --- tracks that went into nodes --- */

/* Nodes of the stage by the names that are new to them; of a node that goes on those that its
 * track has not held before. Back to front, so that lists have the order of the stage. */
static bool list_new_names(const struct mi_step *step, struct holders *holders)
{
    const struct mi_series *series = step->series;
    for (uint32_t i = step->node_count; i-- > 0;) {
        uint32_t node = step->nodes[i], track = series->track_of[node];
        uint32_t count = name_count(step, node);
        if (track && !mi_csr_count(&step->series->recorded, node))
            continue;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t name = name_at(step, node, k);
            if (!name || (track && has_name(step, series->tracks[track].last.v, name)))
                continue;
            if (!hold(holders, name, i))
                return false;
        }
    }
    return true;
}

/* Places of the nodes that hold names of `node` now, each once; at most MOST_HOLDERS. */
static uint32_t find_holders(const struct mi_step *step, const struct holders *holders,
                             uint32_t node, uint32_t places[MOST_HOLDERS])
{
    uint32_t found = 0, count = name_count(step, node);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t entry = mi_map_get(&holders->first, name_at(step, node, k));
        for (int steps = 0; entry && steps < MOST_HOLDERS; steps++) {
            uint32_t place = holders->entries[entry].place, i = 0;
            while (i < found && places[i] != place)
                i++;
            if (i == found && found < MOST_HOLDERS)
                places[found++] = place;
            entry = holders->entries[entry].next;
        }
    }
    return found;
}

static void place_ended(const struct mi_step *step, const struct holders *holders,
                        const struct mi_series_verdicts *verdicts)
{
    uint32_t places[MOST_HOLDERS];
    for (uint32_t i = 0; i < step->live_count; i++) {
        uint32_t track = step->live[i];
        if (mi_series_is_seen(step, track))
            continue;
        uint32_t found = find_holders(step, holders, step->series->tracks[track].last.v, places);
        if (!found)
            continue;
        verdicts->fates[i] = (struct mi_series_fate){step->nodes[places[0]], found > 1};
        for (uint32_t k = 0; k < found; k++) {
            struct mi_series_birth *birth = &verdicts->births[places[k]];
            birth->is_split |= found > 1;
            birth->sources++;
            if (!birth->from)
                birth->from = track;
        }
    }
}

/* A new node with one source that went nowhere else is that node under another name. */
static bool rename_single(struct mi_step *step, const struct mi_series_verdicts *verdicts)
{
    for (uint32_t i = 0; i < step->node_count; i++) {
        const struct mi_series_birth *birth = &verdicts->births[i];
        mi_node_id node = {step->nodes[i]};
        if (step->series->track_of[node.v] || birth->is_split || birth->sources != 1)
            continue;
        if (!mi_series_rename(step, birth->from, node))
            return false;
    }
    return true;
}

/* --- nodes that split off from one that goes on --- */

static bool list_live_names(const struct mi_step *step, struct holders *holders)
{
    for (uint32_t i = step->live_count; i-- > 0;) {
        uint32_t node = step->series->tracks[step->live[i]].last.v;
        uint32_t count = name_count(step, node);
        for (uint32_t k = 0; k < count && mi_series_is_seen(step, step->live[i]); k++)
            if (name_at(step, node, k) && !hold(holders, name_at(step, node, k), i))
                return false;
    }
    return true;
}

static void split_off(const struct mi_step *step, const struct holders *live,
                      const struct mi_series_verdicts *verdicts)
{
    uint32_t places[MOST_HOLDERS];
    for (uint32_t i = 0; i < step->node_count; i++) {
        uint32_t node = step->nodes[i];
        if (step->series->track_of[node] || verdicts->births[i].from ||
            !mi_csr_count(&step->series->recorded, node))
            continue;
        if (find_holders(step, live, node, places))
            verdicts->births[i] =
                (struct mi_series_birth){.from = step->live[places[0]], .is_split = true};
    }
}

static void fini(struct holders *holders)
{
    mi_map_fini(&holders->first);
    mi_mem_free(holders->entries);
}

bool mi_series_match_origins(struct mi_step *step, struct mi_series_verdicts *verdicts)
{
    struct holders now = {0}, before = {0};
    bool ok = list_new_names(step, &now);
    if (ok) {
        place_ended(step, &now, verdicts);
        ok = rename_single(step, verdicts) && list_live_names(step, &before);
    }
    if (ok)
        split_off(step, &before, verdicts);
    fini(&now);
    fini(&before);
    return ok;
}
