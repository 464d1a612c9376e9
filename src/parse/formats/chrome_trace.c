/* Chrome Trace Event JSON, which many profilers write: trace_view.json and msprof_*.json of Ascend,
 * traces of PyTorch (Kineto), and anything else of this form.
 *
 *   [ event, event, ... ]                 the closing bracket may be missing: the writer was killed
 *   {"traceEvents": [ ... ], ...}         other keys before or behind; baseTimeNanoseconds is added
 *                                         to all times
 *   event   {"ph": phase, "name", "cat", "pid", "tid", "ts", "dur", "id", "args": {...}}
 *   ts, dur microseconds, as number or as text, with parts; ids as number or text, up to 2^80
 *   ph      X span or task, B E and b n e spans of two events, i moment, C counter, M names of
 *           processes and threads, s t f arrows; N O D ( ) P c v V are counted and left out
 *
 * Ascend: processes are told by their names, never by their ids. "Ascend Hardware" has a thread per
 * logic stream, with the stream of the device in the arguments; "CANN" calls of the host, named
 * level@call, with the number that ties them to their tasks; "Communication" (once "HCCL")
 * collectives by group, and by plane once more the tasks of which they consist; "Overlap Analysis"
 * what is derived from all these. Kineto: by category; correlation ties launches to kernels.
 *
 * Traps: events in any order, names of processes last; two arrays in one file, a comma too many or
 * too few; bare line ends and bytes below 0x20 in names; NaN; single lines of many GB; call stacks
 * of many MB; ends without beginnings; kernels at time 0; durations near 2^64.
 *
 * Becomes: tasks, slices, windows, counters, flows, notes. Versions seen: msprof 7.x and 8.1,
 * PyTorch profiler of Ascend 2024 and 2025. Deliberately left out: the overlap analysis. */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/chrome/chrome.h"

enum {
    DEFAULT_NAME_BYTES = 16 << 20,
    PROGRESS_BYTES = 8 << 20,
    LOOK_BYTES = 1 << 16,
};

/* --- recognising --- */

static bool contains(struct mi_bytes text, struct mi_bytes word)
{
    while (text.len >= word.len) {
        const uint8_t *at = memchr(text.at, *word.at, text.len - word.len + 1);
        if (!at)
            return false;
        text = mi_bytes_sub(text, (size_t)(at - text.at), text.len);
        if (mi_bytes_starts(text, word))
            return true;
        text = mi_bytes_sub(text, 1, text.len);
    }
    return false;
}

static int sniff(const struct mi_probe *probe)
{
    struct mi_bytes text = mi_bytes_sub(probe->bytes, 0, LOOK_BYTES);
    if (mi_bytes_starts(text, MI_LIT("\xef\xbb\xbf")))
        text = mi_bytes_sub(text, 3, text.len);
    while (text.len && (*text.at == ' ' || (*text.at >= '\t' && *text.at <= '\r')))
        text = mi_bytes_sub(text, 1, text.len);
    if (!text.len || (*text.at != '[' && *text.at != '{'))
        return 0;
    if (*text.at == '{')
        return contains(text, MI_LIT("\"traceEvents\"")) ? 80 : 0;
    bool has_phase = contains(text, MI_LIT("\"ph\""));
    return has_phase && contains(text, MI_LIT("\"pid\"")) ? 70 : 0;
}

/* --- events --- */

static void add_event(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    if (event->flags & MI_CHROME_ZERO_BYTES) {
        mi_chrome_lose_hole(c, event);
        return;
    }
    if (event->flags & MI_CHROME_KEY_TWICE)
        mi_chrome_note(c, MI_NOTICE, "trace.key_twice",
                       N_("an event with a key that stands there twice; the last value counts"));
    if (event->flags & MI_CHROME_ODD_ESCAPE)
        mi_chrome_note(c, MI_NOTICE, "trace.escape_unknown",
                       N_("a backslash that begins no escape was taken as it stands"));
    switch (event->phase) {
    case 'X':
        mi_chrome_complete(c, event);
        break;
    case 'M':
        mi_chrome_metadata(c, event);
        break;
    case 'C':
        mi_chrome_counter(c, event);
        break;
    case 's':
    case 't':
    case 'f':
        mi_chrome_flow(c, event);
        break;
    case 'B':
    case 'E':
        mi_chrome_begin_or_end(c, event);
        break;
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'T':
    case 'p':
    case 'F':
    case 'i':
    case 'I':
    case 'R':
        mi_chrome_async(c, event);
        break;
    case 'N':
    case 'O':
    case 'D':
        mi_chrome_skip(c, "trace.objects", N_("events about objects are left out"));
        break;
    case 'P':
        mi_chrome_skip(c, "trace.profile_samples", N_("samples of a profiler are left out"));
        break;
    case 'c':
        mi_add_fact(c->batch, &(struct mi_fact_row){.name = mi_batch_cstr(c->batch, "clock_sync"),
                                                    .text = mi_batch_str(c->batch, event->args)});
        mi_chrome_skip(c, "trace.clock_sync", N_("marks for tying clocks are left out"));
        break;
    case 'v':
    case 'V':
        mi_chrome_skip(c, "trace.memory_dumps", N_("dumps of memory are left out"));
        break;
    case '(':
    case ')':
        mi_chrome_skip(c, "trace.contexts", N_("events about contexts are left out"));
        break;
    case 0:
        mi_chrome_lose(c, "trace.no_phase", N_("an event that states no phase"));
        break;
    default:
        mi_chrome_skip(c, "trace.phase_unknown", N_("an event of a phase that is not known"));
    }
}

/* --- the list of events --- */

static bool may_go_on(struct mi_chrome *c, size_t *reported, struct mi_error *err)
{
    const struct mi_tables *rows = &c->batch->rows;
    size_t at = mi_json_offset(&c->scan.js);
    uint32_t most = c->src->limits.max_rows ? c->src->limits.max_rows : UINT32_MAX - 2;
    if (rows->tasks.count > most || rows->slices.count > most || rows->samples.count > most ||
        c->point_count > most)
        return mi_batch_fail(c->batch, MI_ELIMIT, "the trace holds more than %u events", most);
    if (at - *reported < PROGRESS_BYTES)
        return true;
    *reported = at;
    if (c->src->progress && !c->src->progress(c->src->user, at))
        return mi_fail(err, MI_ECANCELLED, "stopped");
    return true;
}

bool mi_chrome_read_events(struct mi_chrome *c, struct mi_error *err)
{
    struct mi_json *js = &c->scan.js;
    struct mi_chrome_event event;
    size_t reported = mi_json_offset(js);
    size_t value = SIZE_MAX;
    c->list_depth = mi_json_depth(js);
    for (;;) {
        if (!mi_json_next_item(js)) {
            if (!mi_json_failed(js) || !mi_chrome_mend_gap(c, value))
                return true;
            value = SIZE_MAX;
            continue;
        }
        size_t start = mi_json_offset(js);
        if (mi_chrome_mend_comma(c, start))
            continue;
        value = start < c->src->bytes.len && js->begin[start] == '{' ? SIZE_MAX : start;
        c->batch->counts.in++;
        bool ok = mi_chrome_event_read(&c->scan, &event);
        c->event_at = event.at;
        if (ok && !event.phase && mi_chrome_mend_nested(c, &event))
            continue;
        if (ok)
            add_event(c, &event);
        else if (!mi_chrome_mend_event(c, start))
            return true;
        if (mi_batch_failed(c->batch) || !may_go_on(c, &reported, err))
            return false;
    }
}

/* --- the file --- */

static void fini(struct mi_chrome *c)
{
    mi_mem_free(c->processes);
    mi_mem_free(c->lanes);
    mi_mem_free(c->lane_of_track);
    mi_mem_free(c->kernels);
    mi_mem_free(c->marks);
    mi_mem_free(c->planes);
    mi_mem_free(c->points);
    mi_map_fini(&c->process_of_text);
    mi_map_fini(&c->lane_of_text);
    mi_map_fini(&c->track_of);
    mi_map_fini(&c->kernel_of);
    mi_map_fini(&c->counter_of);
    mi_scratch_fini(&c->scratch);
}

static bool read_trace(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_chrome c = {.src = src, .batch = out, .rank = -1};
    c.max_name_bytes =
        src->limits.max_string_bytes ? src->limits.max_string_bytes : DEFAULT_NAME_BYTES;
    mi_chrome_scan_init(&c.scan, src->bytes);
    bool ok = mi_chrome_read_file(&c, err);
    if (ok)
        mi_chrome_finish(&c);
    fini(&c);
    return ok && !mi_batch_failed(out);
}

const struct mi_reader mi_reader_chrome_trace = {
    .name = "chrome_trace",
    .title = N_("Chrome trace"),
    .yields = MI_HAS_TASKS | MI_HAS_SLICES,
    .sniff = sniff,
    .read = read_trace,
    .metrics = mi_chrome_metrics,
};
