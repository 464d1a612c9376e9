/* What holds for the whole trace: the ledger, times that only the end of the file settles, names,
 * devices and clocks of tracks, facts. */
#include "base/translate.h"

#include "parse/formats/chrome/chrome.h"

/* --- the ledger --- */

/* The place of a code among the notes, else behind them. Mostly it is the same literal; those of
 * other files may lie elsewhere. */
static uint32_t place_of(const struct mi_chrome *c, const char *code)
{
    uint32_t n = 0;
    while (n < c->note_count && c->notes[n].code != code)
        n++;
    if (n < c->note_count)
        return n;
    for (n = 0; n < c->note_count && strcmp(c->notes[n].code, code) != 0;)
        n++;
    return n;
}

void mi_chrome_note(struct mi_chrome *c, enum mi_severity severity, const char *code,
                    const char *text)
{
    uint32_t n = place_of(c, code);
    if (n == MI_CHROME_NOTES)
        return;
    if (n == c->note_count) {
        bool has_place = c->event_at != MI_NO_OFFSET;
        c->notes[c->note_count++] = (struct mi_chrome_note){
            .code = code,
            .text = text,
            .severity = severity,
            .offset = c->event_at,
            .line = has_place ? mi_json_line(&c->scan.js, (size_t)c->event_at) : 0};
    }
    c->notes[n].times++;
}

void mi_chrome_skip(struct mi_chrome *c, const char *code, const char *text)
{
    c->batch->counts.skipped++;
    mi_chrome_note(c, MI_NOTICE, code, text);
}

void mi_chrome_lose(struct mi_chrome *c, const char *code, const char *text)
{
    c->batch->counts.lost++;
    mi_chrome_note(c, MI_LOSS, code, text);
}

void mi_chrome_notes_flush(struct mi_chrome *c)
{
    for (uint32_t n = 0; n < c->note_count; n++) {
        const struct mi_chrome_note *note = &c->notes[n];
        mi_add_diag(c->batch, &(struct mi_diag_row){.code = mi_batch_cstr(c->batch, note->code),
                                                    .severity = (uint8_t)note->severity,
                                                    .times = note->times,
                                                    .offset = note->offset == MI_NO_OFFSET
                                                                  ? -1
                                                                  : (int64_t)note->offset,
                                                    .line = note->line,
                                                    .text = mi_batch_cstr(c->batch, note->text)});
    }
}

mi_str_id mi_chrome_name(struct mi_chrome *c, struct mi_json_string text)
{
    struct mi_bytes name;
    if (!mi_json_text(text, &c->scratch, &name)) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for names");
        return MI_NO_STR;
    }
    if (name.len > c->max_name_bytes) {
        mi_chrome_note(c, MI_NOTICE, "trace.name_cut", N_("a name beyond the limit was cut"));
        name.len = c->max_name_bytes;
    }
    return mi_batch_str(c->batch, name);
}

mi_str_id mi_chrome_name_again(struct mi_chrome *c, struct mi_json_string text, mi_str_id *last)
{
    struct mi_bytes had = mi_batch_text(c->batch, *last);
    if (!text.has_escape && had.len == text.raw.len && mi_bytes_same(had.at, text.raw.at, had.len))
        return *last;
    return *last = mi_chrome_name(c, text);
}

/* --- times --- */

/* Times since 1970 lie far from those since a start: anything behind 1973 is one. */
#define EPOCH_NS INT64_C(100000000000000000)

enum { UNDATED = -2 }; /* number of a track: no stream or thread has it */

static void extend(int64_t *last, int64_t start, int64_t dur)
{
    if (dur != INT64_MAX && start + dur > *last)
        *last = start + dur;
}

/* Spans and tasks that were never finished end with the trace. */
static void close_endless(struct mi_chrome *c)
{
    struct mi_tables *rows = &c->batch->rows;
    int64_t last = INT64_MIN;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        extend(&last, rows->tasks.start_raw[t],
               rows->tasks.dur_ns[t] == INT64_MAX ? 0 : rows->tasks.dur_ns[t]);
    for (uint32_t s = 1; s < rows->slices.count; s++)
        extend(&last, rows->slices.start_raw[s],
               rows->slices.dur_ns[s] == INT64_MAX ? 0 : rows->slices.dur_ns[s]);
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        if (rows->tasks.dur_ns[t] == INT64_MAX)
            rows->tasks.dur_ns[t] = last - rows->tasks.start_raw[t];
    for (uint32_t s = 1; s < rows->slices.count; s++)
        if (rows->slices.dur_ns[s] == INT64_MAX)
            rows->slices.dur_ns[s] = last - rows->slices.start_raw[s];
}

/* A place for what has no time: its clock has no origin, so it stands where the capture begins. */
static mi_track_id undated_track(struct mi_chrome *c, enum mi_track_kind kind)
{
    mi_str_id name = mi_batch_cstr(c->batch, N_("undated"));
    mi_clock_id clock = mi_add_clock(
        c->batch, &(struct mi_clock_row){.name = name, .ns_per_tick = 1, .residual_ns = -1});
    return mi_add_track(c->batch, &(struct mi_track_row){.kind = (uint8_t)kind,
                                                         .name = name,
                                                         .clock = clock,
                                                         .rank = -1,
                                                         .device = kind == MI_TRACK_THREAD ? -1 : 0,
                                                         .process = -1,
                                                         .native_id = UNDATED});
}

static bool has_epoch(const struct mi_tables *rows)
{
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        if (rows->tasks.start_raw[t] >= EPOCH_NS)
            return true;
    for (uint32_t s = 1; s < rows->slices.count; s++)
        if (rows->slices.start_raw[s] >= EPOCH_NS)
            return true;
    return false;
}

/* Times of 0 among those since 1970 are no times. */
static void set_undated_apart(struct mi_chrome *c)
{
    struct mi_tables *rows = &c->batch->rows;
    mi_track_id tasks = {0}, slices = {0};
    if (!has_epoch(rows))
        return;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        if (rows->tasks.start_raw[t] != 0)
            continue;
        tasks = tasks.v ? tasks : undated_track(c, MI_TRACK_ENGINE);
        rows->tasks.track[t] = tasks;
        mi_chrome_note(c, MI_NOTICE, "trace.undated",
                       N_("a time of 0 among times since 1970: when it ran is not known"));
    }
    for (uint32_t s = 1; s < rows->slices.count; s++) {
        if (rows->slices.start_raw[s] != 0)
            continue;
        slices = slices.v ? slices : undated_track(c, MI_TRACK_THREAD);
        rows->slices.track[s] = slices;
        mi_chrome_note(c, MI_NOTICE, "trace.undated",
                       N_("a time of 0 among times since 1970: when it ran is not known"));
    }
}

/* The first moment that a clock tells of, wherever it stands. */
static void first_moment(struct mi_clocks *clocks, uint8_t *seen, uint32_t clock, int64_t raw)
{
    if (!seen[clock] || raw < clocks->ref_raw[clock])
        clocks->ref_raw[clock] = raw;
    seen[clock] = 1;
}

static void look_at_all(struct mi_tables *rows, uint8_t *seen)
{
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        first_moment(&rows->clocks, seen, rows->tracks.clock[rows->tasks.track[t].v].v,
                     rows->tasks.start_raw[t]);
    for (uint32_t s = 1; s < rows->slices.count; s++)
        first_moment(&rows->clocks, seen, rows->tracks.clock[rows->slices.track[s].v].v,
                     rows->slices.start_raw[s]);
    for (uint32_t s = 1; s < rows->samples.count; s++)
        first_moment(&rows->clocks, seen, rows->counters.clock[rows->samples.counter[s].v].v,
                     rows->samples.at_raw[s]);
}

/* Where clocks stand: as exported since 1970, or since a moment that the file names, or unknown. */
static void fix_clocks(struct mi_chrome *c)
{
    struct mi_clocks *clocks = &c->batch->rows.clocks;
    uint8_t *seen = mi_scratch_room(&c->scratch, clocks->count);
    if (!seen) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for clocks");
        return;
    }
    memset(seen, 0, clocks->count);
    look_at_all(&c->batch->rows, seen);
    for (uint32_t k = 1; k < clocks->count; k++) {
        bool is_epoch = clocks->ref_raw[k] >= EPOCH_NS;
        clocks->ref_ns[k] = clocks->ref_raw[k];
        if (c->has_base && !is_epoch &&
            !__builtin_add_overflow(clocks->ref_raw[k], c->base_ns, &clocks->ref_ns[k]))
            clocks->note[k] =
                mi_batch_cstr(c->batch, N_("as exported, since the moment that the trace names"));
        else if (is_epoch)
            clocks->note[k] = mi_batch_cstr(c->batch, N_("as exported"));
    }
}

/* --- tracks --- */

/* The process of the operating system: exporters put it into the upper bits of their own ids, older
 * ones hide it in digits; then it is that of the framework's rows. */
static int64_t os_process(const struct mi_chrome *c, const struct mi_chrome_process *process)
{
    bool fits = process->number > 1023 && process->sort >= 0 &&
                (process->number >> 5 & 31) == process->sort;
    if (process->content == MI_CHROME_PYTHON || process->content == MI_CHROME_ANY)
        return process->number;
    if (fits)
        return process->number >> 10;
    return c->python >= 0 ? c->python : process->number;
}

#define TEXT(bytes) (int)(bytes).len, (const char *)(bytes).at

/* Threads of the framework by their own name, others behind that of their process. */
static mi_str_id thread_name(struct mi_chrome *c, const struct mi_chrome_lane *lane)
{
    const struct mi_chrome_process *process = &c->processes[lane->process];
    struct mi_bytes outer = mi_batch_text(c->batch, process->name);
    bool is_alone = !outer.len || process->content == MI_CHROME_PYTHON;
    if (lane->name.v && is_alone)
        return lane->name;
    if (lane->name.v)
        return mi_batch_printf(c->batch, "%.*s %.*s", TEXT(outer),
                               TEXT(mi_batch_text(c->batch, lane->name)));
    if (is_alone)
        return mi_batch_printf(c->batch, "thread %.*s", TEXT(lane->text));
    return mi_batch_printf(c->batch, "%.*s thread %.*s", TEXT(outer), TEXT(lane->text));
}

static mi_str_id stream_name(struct mi_chrome *c, const struct mi_chrome_lane *lane, int64_t device,
                             int64_t stream)
{
    long long logic = lane->number;
    bool is_logic =
        c->processes[lane->process].content == MI_CHROME_HARDWARE && logic >= 0 && logic != stream;
    if (is_logic && device > 0)
        return mi_batch_printf(c->batch, "device %lld stream %lld (logic %lld)", (long long)device,
                               (long long)stream, logic);
    if (is_logic)
        return mi_batch_printf(c->batch, "stream %lld (logic %lld)", (long long)stream, logic);
    if (device > 0)
        return mi_batch_printf(c->batch, "device %lld stream %lld", (long long)device,
                               (long long)stream);
    return mi_batch_printf(c->batch, "stream %lld", (long long)stream);
}

static mi_str_id group_name(struct mi_chrome *c, uint32_t lane, int64_t device)
{
    struct mi_bytes name = mi_chrome_group_name(c, lane);
    if (!name.len)
        name = c->lanes[lane].text;
    if (device > 0)
        return mi_batch_printf(c->batch, "device %lld group %.*s", (long long)device, TEXT(name));
    return mi_batch_printf(c->batch, "group %.*s", TEXT(name));
}

static void name_track(struct mi_chrome *c, uint32_t track)
{
    struct mi_tracks *tracks = &c->batch->rows.tracks;
    uint32_t lane = c->lane_of_track[track];
    const struct mi_chrome_lane *l = &c->lanes[lane];
    uint32_t clock = tracks->clock[track].v;
    tracks->rank[track] = c->rank;
    if (tracks->kind[track] == MI_TRACK_THREAD) {
        tracks->name[track] = thread_name(c, l);
        tracks->process[track] = os_process(c, &c->processes[l->process]);
        return;
    }
    if (tracks->device[track] < 0)
        tracks->device[track] = mi_chrome_device(c, l->process);
    if (tracks->device[track] < 0)
        tracks->device[track] = 0;
    tracks->name[track] = tracks->kind[track] == MI_TRACK_GROUP
                              ? group_name(c, lane, tracks->device[track])
                              : stream_name(c, l, tracks->device[track], tracks->native_id[track]);
    c->batch->rows.clocks.name[clock] = tracks->name[track];
}

/* --- facts --- */

static void add_fact(struct mi_chrome *c, const char *name, const char *text)
{
    mi_add_fact(c->batch, &(struct mi_fact_row){.name = mi_batch_cstr(c->batch, name),
                                                .text = mi_batch_cstr(c->batch, text)});
}

void mi_chrome_finish(struct mi_chrome *c)
{
    c->event_at = MI_NO_OFFSET;
    mi_chrome_look_at_processes(c);
    mi_chrome_spans_finish(c);
    mi_chrome_rows_finish(c);
    if (c->has_endless)
        close_endless(c);
    mi_chrome_collectives_finish(c);
    mi_chrome_flows_finish(c);
    mi_chrome_kernels_finish(c);
    mi_chrome_counters_finish(c);
    if (mi_batch_failed(c->batch))
        return;
    for (uint32_t track = 1; track < c->batch->rows.tracks.count; track++)
        name_track(c, track);
    if (c->host_clock.v)
        c->batch->rows.clocks.name[c->host_clock.v] = mi_batch_cstr(c->batch, "host");
    set_undated_apart(c);
    fix_clocks(c);
    add_fact(c, "trace_dialect", c->is_cann ? "cann" : c->is_kineto ? "kineto" : "chrome");
    if (!c->batch->counts.in)
        mi_chrome_note(c, MI_NOTICE, "trace.no_events", N_("the trace holds no events"));
    mi_chrome_notes_flush(c);
}
