#include "correlate/ort/ort_streams.h"

#include "base/mem.h"

/* Bodies within bodies; deeper ones keep their track. */
enum { MAX_NESTING = 64 };

struct placing {
    struct mi_model *model;
    struct mi_tables *rows;
    struct mi_map streams; /* (partition, node name) -> stream + 1 */
    struct mi_map tracks;  /* (profile, stream) -> track */
};

static bool is_read_by(const struct placing *p, uint32_t source, struct mi_bytes reader)
{
    return mi_bytes_equal(mi_model_text(p->model, p->rows->sources.reader[source]), reader);
}

static bool map_placements(struct placing *p)
{
    const struct mi_placements *list = &p->rows->placements;
    for (uint32_t i = 1; i < list->count; i++)
        if (!mi_map_set(&p->streams, mi_pair(list->source[i].v, list->node_name[i].v),
                        (uint32_t)list->stream[i] + 1))
            return false;
    return true;
}

/* Kernels of `profile` whose node `partition` places. */
static uint32_t count_placed(const struct placing *p, uint32_t profile, uint32_t partition)
{
    const struct mi_kernels *kernels = &p->rows->kernels;
    uint32_t count = 0;
    for (uint32_t k = 1; k < kernels->count; k++)
        count += kernels->source[k].v == profile &&
                 mi_map_get(&p->streams, mi_pair(partition, kernels->node_name[k].v)) != 0;
    return count;
}

/* The partition of the profile's capture; among several the one that places most of its kernels,
 * and none if two fit equally well. */
static uint32_t find_partition(const struct placing *p, uint32_t profile)
{
    const struct mi_sources *sources = &p->rows->sources;
    uint32_t best = 0, best_count = 0;
    for (uint32_t s = 1; s < sources->count; s++) {
        if (sources->capture[s] != sources->capture[profile] ||
            !is_read_by(p, s, MI_LIT("ort_partition")))
            continue;
        uint32_t count = count_placed(p, profile, s);
        if (count > best_count) {
            best = s;
            best_count = count;
        } else if (count == best_count && count) {
            best = 0;
        }
    }
    return best;
}

/* The track of a stream, made like `like`, a track of the same profile. 0: out of memory. */
static uint32_t stream_track(struct placing *p, uint32_t profile, uint32_t stream, uint32_t like)
{
    uint32_t *track = mi_map_at(&p->tracks, mi_pair(profile, stream));
    if (!track || *track)
        return track ? *track : 0;
    struct mi_tracks *tracks = &p->rows->tracks;
    for (uint32_t t = 1; t < tracks->count && !*track; t++)
        if (tracks->source[t].v == profile && tracks->kind[t] == MI_TRACK_STREAM &&
            tracks->native_id[t] == stream && tracks->process[t] == tracks->process[like])
            *track = t;
    if (!*track)
        *track = mi_add_track(&p->model->all,
                              &(struct mi_track_row){
                                  .source = {profile},
                                  .kind = MI_TRACK_STREAM,
                                  .name = mi_batch_printf(&p->model->all, "stream %u", stream),
                                  .clock = tracks->clock[like],
                                  .rank = -1,
                                  .device = -1,
                                  .process = tracks->process[like],
                                  .native_id = stream})
                     .v;
    return *track;
}

static bool place_tasks(struct placing *p, uint32_t profile, uint32_t partition)
{
    struct mi_tasks *tasks = &p->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t kernel = tasks->kernel[t].v, outermost = t;
        if (p->rows->kernels.source[kernel].v != profile || !tasks->thread[t].v)
            continue;
        for (int level = 0; level < MAX_NESTING && tasks->parent[outermost].v; level++)
            outermost = tasks->parent[outermost].v;
        kernel = tasks->kernel[outermost].v;
        uint32_t stream =
            mi_map_get(&p->streams, mi_pair(partition, p->rows->kernels.node_name[kernel].v));
        if (!stream)
            continue;
        tasks->track[t].v = stream_track(p, profile, stream - 1, tasks->thread[t].v);
        if (!tasks->track[t].v)
            return false;
    }
    return true;
}

/* Graphs come after the graph of the node that owns them, so one sweep reaches all bodies. */
static void place_nodes(struct placing *p, uint32_t capture, uint32_t partition)
{
    const struct mi_graphs *graphs = &p->rows->graphs;
    struct mi_nodes *nodes = &p->rows->nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        uint32_t graph = nodes->graph[n].v, parent = graphs->parent[graph].v;
        if (graphs->layer[graph] != MI_LAYER_COMPILED ||
            p->rows->sources.capture[graphs->source[graph].v] != capture)
            continue;
        uint32_t stream = mi_map_get(&p->streams, mi_pair(partition, nodes->name[n].v));
        if (parent)
            nodes->stream[n] = nodes->stream[parent];
        else if (stream)
            nodes->stream[n] = stream - 1;
    }
}

bool mi_ort_streams_apply(struct mi_model *model, struct mi_error *err)
{
    struct placing p = {.model = model, .rows = &model->all.rows};
    if (p.rows->placements.count <= 1)
        return true;
    bool ok = map_placements(&p);
    for (uint32_t s = 1; ok && s < p.rows->sources.count; s++) {
        uint32_t partition = is_read_by(&p, s, MI_LIT("ort_profile")) ? find_partition(&p, s) : 0;
        if (!partition)
            continue;
        ok = place_tasks(&p, s, partition);
        place_nodes(&p, p.rows->sources.capture[s], partition);
    }
    mi_map_fini(&p.streams);
    mi_map_fini(&p.tracks);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for streams");
}
