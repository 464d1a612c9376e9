/* Processes, lanes and their tracks. A lane is the pair of ids as written: 1 and "1" are the same
 * one, "stream 7" is its own. What a process is follows from its name, never from its id, but for
 * the device: exporters that do not name it in the label put it into the last five bits. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/chrome/chrome.h"

static bool out_of_memory(struct mi_chrome *c)
{
    return mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for the lanes of a trace");
}

static bool room_for(struct mi_chrome *c, void **rows, uint32_t count, uint32_t *room, size_t size)
{
    if (*rows && count < *room)
        return true;
    uint32_t more = *room ? *room * 2 : 64;
    void *grown = more > count ? mi_mem_resize(*rows, more, size) : NULL;
    if (!grown)
        return out_of_memory(c);
    *rows = grown;
    *room = more;
    return true;
}

static int64_t number_or(struct mi_bytes text, int64_t otherwise)
{
    int64_t number;
    return mi_chrome_number(text, &number) ? number : otherwise;
}

static uint32_t process_of(struct mi_chrome *c, struct mi_bytes text)
{
    uint64_t hash = mi_hash64(text);
    uint32_t *place = mi_map_at(&c->process_of_text, hash);
    while (place && *place && !mi_bytes_equal(c->processes[*place].text, text))
        place = mi_map_at(&c->process_of_text, ++hash);
    if (!place)
        return out_of_memory(c), 0;
    if (*place)
        return *place;
    if (!c->process_count)
        c->process_count = 1;
    if (!room_for(c, (void **)&c->processes, c->process_count, &c->process_room,
                  sizeof *c->processes))
        return 0;
    *place = c->process_count++;
    c->processes[*place] = (struct mi_chrome_process){
        .text = text, .number = number_or(text, -1), .label_device = -1, .sort = -1};
    return *place;
}

static bool is_lane(const struct mi_chrome *c, uint32_t lane, struct mi_bytes pid,
                    struct mi_bytes tid)
{
    struct mi_bytes t = c->lanes[lane].text, p = c->processes[c->lanes[lane].process].text;
    return t.len == tid.len && p.len == pid.len && mi_bytes_same(t.at, tid.at, t.len) &&
           mi_bytes_same(p.at, pid.at, p.len);
}

static uint32_t find_lane(struct mi_chrome *c, struct mi_bytes pid, struct mi_bytes tid)
{
    uint64_t hash = mi_hash64(pid) * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(tid);
    uint32_t *place = mi_map_at(&c->lane_of_text, hash);
    while (place && *place && !is_lane(c, *place, pid, tid))
        place = mi_map_at(&c->lane_of_text, ++hash);
    if (!place)
        return out_of_memory(c), 0;
    if (*place)
        return *place;
    uint32_t process = process_of(c, pid);
    if (!c->lane_count)
        c->lane_count = 1;
    if (!process ||
        !room_for(c, (void **)&c->lanes, c->lane_count, &c->lane_room, sizeof *c->lanes))
        return 0;
    *place = c->lane_count++;
    c->lanes[*place] =
        (struct mi_chrome_lane){.process = process, .text = tid, .number = number_or(tid, -1)};
    return *place;
}

/* Mostly the lane of the last event once more, or the one that followed that lane before. */
uint32_t mi_chrome_lane_of(struct mi_chrome *c, struct mi_bytes pid, struct mi_bytes tid)
{
    uint32_t last = c->last_lane, next = last ? c->lanes[last].next : 0;
    if (last && is_lane(c, last, pid, tid))
        return last;
    if (next && is_lane(c, next, pid, tid))
        return c->last_lane = next;
    c->last_lane = find_lane(c, pid, tid);
    if (last)
        c->lanes[last].next = c->last_lane;
    return c->last_lane;
}

/* --- metadata --- */

static uint8_t content_of(struct mi_bytes name)
{
    static const struct {
        const char *name;
        enum mi_chrome_content content;
    } contents[] = {{"Ascend Hardware", MI_CHROME_HARDWARE},
                    {"CANN", MI_CHROME_CANN},
                    {"Python", MI_CHROME_PYTHON},
                    {"Communication", MI_CHROME_COLLECTIVES},
                    {"HCCL", MI_CHROME_COLLECTIVES},
                    {"Overlap Analysis", MI_CHROME_OVERLAP}};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        if (mi_bytes_equal(name, mi_cstr(contents[i].name)))
            return (uint8_t)contents[i].content;
    return MI_CHROME_ANY;
}

/* CPU, NPU, NPU 3, GPU 0 */
static void take_label(struct mi_chrome_process *process, struct mi_bytes label)
{
    process->is_host = mi_bytes_equal(label, MI_LIT("CPU"));
    process->is_device =
        mi_bytes_starts(label, MI_LIT("NPU")) || mi_bytes_starts(label, MI_LIT("GPU"));
    process->label_device = -1;
    if (process->is_device && label.len > 4)
        process->label_device = number_or(mi_bytes_sub(label, 4, label.len), -1);
}

static void rename_to(struct mi_chrome *c, mi_str_id *name, mi_str_id to)
{
    if (name->v && name->v != to.v)
        mi_chrome_note(c, MI_NOTICE, "trace.renamed",
                       N_("a process or thread is named twice; the last name counts"));
    *name = to;
}

void mi_chrome_metadata(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    uint32_t lane = mi_chrome_lane_of(c, event->pid, event->tid);
    if (!lane)
        return;
    struct mi_chrome_process *process = &c->processes[c->lanes[lane].process];
    struct mi_bytes what = event->name.raw;
    c->batch->counts.kept++;
    if (mi_bytes_equal(what, MI_LIT("process_name")) &&
        mi_chrome_has_arg(event, MI_CHROME_ARG_NAME)) {
        rename_to(c, &process->name, mi_chrome_name(c, event->arg[MI_CHROME_ARG_NAME]));
        process->content = content_of(mi_batch_text(c->batch, process->name));
    } else if (mi_bytes_equal(what, MI_LIT("thread_name")) &&
               mi_chrome_has_arg(event, MI_CHROME_ARG_NAME)) {
        mi_str_id name = mi_chrome_name(c, event->arg[MI_CHROME_ARG_NAME]);
        rename_to(c, &c->lanes[lane].name, name);
        if (mi_bytes_starts(mi_batch_text(c->batch, name), MI_LIT("Group ")))
            c->lanes[lane].is_group = true;
    } else if (mi_bytes_equal(what, MI_LIT("process_labels")) &&
               mi_chrome_has_arg(event, MI_CHROME_ARG_LABELS)) {
        take_label(process, event->arg[MI_CHROME_ARG_LABELS].raw);
    } else if (mi_bytes_equal(what, MI_LIT("process_sort_index"))) {
        process->sort = mi_chrome_arg_number(event, MI_CHROME_ARG_SORT, -1);
    }
}

/* --- what a process is --- */

void mi_chrome_look_at_processes(struct mi_chrome *c)
{
    uint32_t pythons = 0;
    c->is_cann = c->has_tasks;
    c->python = -1;
    for (uint32_t p = 1; p < c->process_count; p++) {
        enum mi_chrome_content content = c->processes[p].content;
        c->is_cann |= content == MI_CHROME_HARDWARE || content == MI_CHROME_CANN ||
                      content == MI_CHROME_COLLECTIVES;
        if (content == MI_CHROME_PYTHON)
            c->python = pythons++ ? -1 : c->processes[p].number;
    }
}

int64_t mi_chrome_device(const struct mi_chrome *c, uint32_t process)
{
    const struct mi_chrome_process *p = &c->processes[process];
    bool is_device =
        p->is_device || p->content == MI_CHROME_HARDWARE || p->content == MI_CHROME_COLLECTIVES;
    if (!is_device)
        return -1;
    if (p->label_device >= 0)
        return p->label_device;
    bool fits = p->number > 1023 && p->sort >= 0 && (p->number >> 5 & 31) == p->sort;
    return fits ? p->number & 31 : 0;
}

struct mi_bytes mi_chrome_group_name(const struct mi_chrome *c, uint32_t lane)
{
    struct mi_bytes name = mi_batch_text(c->batch, c->lanes[lane].name);
    const struct mi_bytes before = MI_LIT("Group "), behind = MI_LIT(" Communication");
    if (!mi_bytes_starts(name, before))
        return (struct mi_bytes){0};
    name = mi_bytes_sub(name, before.len, name.len);
    if (mi_bytes_ends(name, behind))
        name.len -= behind.len;
    return name;
}

static bool lane_behind(const void *context, uint32_t left, uint32_t right)
{
    const struct mi_chrome_lane *lanes = context, *a = &lanes[left], *b = &lanes[right];
    return a->process != b->process ? a->process > b->process : a->number > b->number;
}

/* Planes stand behind their group: the group is the last one in front of them. */
void mi_chrome_find_groups(struct mi_chrome *c)
{
    uint32_t *order = mi_mem_new((size_t)c->lane_count * 2, sizeof *order), group = 0;
    if (!order) {
        out_of_memory(c);
        return;
    }
    for (uint32_t l = 0; l < c->lane_count; l++)
        order[l] = l;
    mi_chrome_sort(order + 1, c->lane_count - 1, order + c->lane_count, lane_behind, c->lanes);
    for (uint32_t i = 1; i < c->lane_count; i++) {
        struct mi_chrome_lane *lane = &c->lanes[order[i]];
        if (group && c->lanes[group].process != lane->process)
            group = 0;
        if (lane->is_group)
            group = order[i];
        lane->group = group;
    }
    mi_mem_free(order);
}

/* --- tracks --- */

static mi_track_id add_track(struct mi_chrome *c, uint32_t lane, const struct mi_track_row *row)
{
    mi_track_id id = mi_add_track(c->batch, row);
    if (!id.v)
        return id;
    if (!room_for(c, (void **)&c->lane_of_track, id.v, &c->track_room, sizeof *c->lane_of_track))
        return (mi_track_id){0};
    c->lane_of_track[id.v] = lane;
    return id;
}

static mi_clock_id add_clock(struct mi_chrome *c)
{
    return mi_add_clock(c->batch, &(struct mi_clock_row){.ns_per_tick = 1, .residual_ns = -1});
}

mi_track_id mi_chrome_thread_track(struct mi_chrome *c, uint32_t lane)
{
    if (!c->host_clock.v)
        c->host_clock = add_clock(c);
    if (!c->lanes[lane].thread)
        c->lanes[lane].thread =
            add_track(c, lane,
                      &(struct mi_track_row){.kind = MI_TRACK_THREAD,
                                             .clock = c->host_clock,
                                             .rank = -1,
                                             .device = -1,
                                             .process = -1,
                                             .native_id = c->lanes[lane].number})
                .v;
    return (mi_track_id){c->lanes[lane].thread};
}

static mi_track_id task_track(struct mi_chrome *c, uint32_t lane, int64_t stream, int64_t device,
                              enum mi_track_kind kind)
{
    struct mi_chrome_lane *l = &c->lanes[lane];
    if (l->stream && l->stream_number == stream)
        return (mi_track_id){l->stream};
    uint32_t *place = mi_map_at(&c->track_of, mi_pair(lane, (uint32_t)stream));
    if (!place)
        return out_of_memory(c), (mi_track_id){0};
    if (!*place)
        *place = add_track(c, lane,
                           &(struct mi_track_row){.kind = (uint8_t)kind,
                                                  .clock = add_clock(c),
                                                  .rank = -1,
                                                  .device = device,
                                                  .process = -1,
                                                  .native_id = stream})
                     .v;
    l->stream = *place;
    l->stream_number = stream;
    return (mi_track_id){*place};
}

mi_track_id mi_chrome_stream_track(struct mi_chrome *c, uint32_t lane, int64_t stream,
                                   int64_t device)
{
    return task_track(c, lane, stream, device, MI_TRACK_STREAM);
}

mi_track_id mi_chrome_group_track(struct mi_chrome *c, uint32_t lane)
{
    return task_track(c, lane, -1, -1, MI_TRACK_GROUP);
}
