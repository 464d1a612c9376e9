/* The picture: a line per stream, a column per slice of time, a sign for what took most of it. */
#include "analyse/describe.h"
#include "analyse/timeline/timeline_parts.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"

enum {
    LEAST_COLUMNS = 20,
    MOST_LABEL = 28, /* longer names of lanes are cut where the terminal is narrow */
    BESIDE = 16,     /* gaps, and the column of shares */
    TICK = 20        /* columns from one time to the next */
};

/* Full: at least half of the slice. */
static const struct {
    const char *full[2], *part[2]; /* blocks, ASCII */
    const char *word;
} signs[MI_LANE_KINDS] = {
    [MI_LANE_COMPUTE] = {{"\xe2\x96\x88", "#"}, {"\xe2\x96\x84", "+"}, N_("compute")},
    [MI_LANE_TRANSFER] = {{"\xe2\x96\x93", "T"}, {"\xe2\x96\x96", "t"}, N_("transfer")},
    [MI_LANE_COMMUNICATION] = {{"\xe2\x96\x92", "C"}, {"\xe2\x96\x97", "c"}, N_("communication")},
    [MI_LANE_OTHER] = {{"\xe2\x96\x9a", "O"}, {"\xe2\x96\x98", "o"}, N_("other work")},
    [MI_LANE_WAIT] = {{"\xe2\x96\x91", "."}, {"\xe2\x96\x91", "."}, N_("waits for an event")},
};

static const struct mi_report_column lane_columns[] = {
    {"lane", N_("stream"), MI_CELL_TEXT, "", N_("stream, engine or group of collectives")},
    {"busy_share", N_("busy"), MI_CELL_SHARE, "", N_("share of the window in which it worked")},
    {"tasks", NULL, MI_CELL_INT, "", N_("tasks that touch the window")},
    {"busy_ns", NULL, MI_CELL_INT, "ns", N_("time of the window in which it worked")},
    {"wait_ns", NULL, MI_CELL_INT, "ns", N_("time of the window in which it waited for an event")},
    {"picture", N_("timeline"), MI_CELL_TEXT, "", N_("what took most of each slice of time")},
};

static const struct mi_report_column sign_columns[] = {
    {"sign", N_("sign"), MI_CELL_TEXT, "", N_("as it stands in the timeline")},
    {"part", N_("less than half"), MI_CELL_TEXT, "", N_("sign where it took less than half")},
    {"meaning", N_("meaning"), MI_CELL_WORD, "", N_("what the stream did")},
};

/* A lane at hand. */
struct lane {
    const struct mi_timeline *timeline;
    uint32_t columns;
    int64_t (*times)[MI_LANE_KINDS]; /* [columns] */
    struct mi_lanes sets;
    uint32_t tasks;
    bool is_seen[MI_LANE_KINDS];
};

/* First moment of a column; column `columns` is the end of the window. */
static int64_t edge_of(const struct lane *lane, uint32_t column)
{
    const struct mi_timeline *tl = lane->timeline;
    uint64_t window = (uint64_t)tl->to_ns - (uint64_t)tl->from_ns;
    uint64_t whole = window / lane->columns * column;
    return tl->from_ns + (int64_t)(whole + window % lane->columns * column / lane->columns);
}

/* Column that holds the moment, which lies in the window. */
static uint32_t column_of(const struct lane *lane, int64_t at_ns)
{
    uint32_t low = 0, high = lane->columns;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (edge_of(lane, middle) <= at_ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void add_task(struct lane *lane, uint32_t task)
{
    const struct mi_timeline *tl = lane->timeline;
    enum mi_lane_kind kind = mi_lane_kind(tl->account, task);
    int64_t start_ns = mi_timeline_start(tl, task);
    int64_t end_ns = mi_ns_add(start_ns, tl->model->all.rows.tasks.dur_ns[task]);
    start_ns = start_ns > tl->from_ns ? start_ns : tl->from_ns;
    end_ns = end_ns < tl->to_ns ? end_ns : tl->to_ns;
    if (start_ns >= tl->to_ns || end_ns < start_ns ||
        (end_ns == start_ns && start_ns == tl->from_ns))
        return;
    lane->tasks++;
    if (kind == MI_LANE_NONE)
        return;
    mi_spans_add(&lane->sets.kinds[kind], start_ns, end_ns);
    for (uint32_t c = column_of(lane, start_ns); c < lane->columns && edge_of(lane, c) < end_ns;
         c++) {
        int64_t from_ns = edge_of(lane, c), to_ns = edge_of(lane, c + 1);
        from_ns = from_ns > start_ns ? from_ns : start_ns;
        to_ns = to_ns < end_ns ? to_ns : end_ns;
        lane->times[c][kind] = mi_ns_add(lane->times[c][kind], to_ns - from_ns);
    }
}

/* --- signs --- */

static const char *sign_of(struct lane *lane, uint32_t column)
{
    const int64_t *times = lane->times[column];
    int64_t slice_ns = edge_of(lane, column + 1) - edge_of(lane, column), work_ns = 0;
    int most = MI_LANE_WAIT;
    for (int k = 0; k < MI_LANE_WORK_KINDS; k++) {
        work_ns = mi_ns_add(work_ns, times[k]);
        if (times[k] > 0 && (most == MI_LANE_WAIT || times[k] > times[most]))
            most = k;
    }
    bool is_waiting = times[MI_LANE_WAIT] > 0 && (!work_ns || times[MI_LANE_WAIT] > slice_ns / 2);
    if (!work_ns && !is_waiting)
        return " ";
    most = is_waiting ? MI_LANE_WAIT : most;
    lane->is_seen[most] = true;
    bool is_full = work_ns >= slice_ns - work_ns;
    return (is_full ? signs[most].full : signs[most].part)[lane->timeline->is_ascii];
}

static struct mi_bytes picture_of(struct lane *lane)
{
    struct mi_words words = {.arena = &lane->timeline->out->arena};
    for (uint32_t c = 0; c < lane->columns; c++)
        mi_words_put(&words, mi_cstr(sign_of(lane, c)));
    return mi_words_get(&words);
}

/* Times in microseconds, each at the column where it begins. */
static struct mi_bytes axis_of(const struct lane *lane)
{
    const struct mi_timeline *tl = lane->timeline;
    struct mi_words words = {.arena = &tl->out->arena};
    int64_t tick_ns = edge_of(lane, TICK < lane->columns ? TICK : lane->columns) - tl->from_ns;
    uint32_t at = 0;
    for (uint32_t c = 0; c < lane->columns; c += TICK) {
        char digits[MI_DECIMAL_ROOM];
        size_t len = mi_decimal_format_us(mi_ns_sub(edge_of(lane, c), tl->zero_ns), digits);
        if (tick_ns >= 100000) /* parts of microseconds say nothing */
            len -= 4;
        if (c + 1 + len > lane->columns)
            break;
        mi_words_printf(&words, "%*s|%.*s", (int)(c - at), "", (int)len, digits);
        at = c + 1 + (uint32_t)len;
    }
    return mi_words_get(&words);
}

static struct mi_bytes marks_of(const struct lane *lane)
{
    const struct mi_timeline *tl = lane->timeline;
    struct mi_words words = {.arena = &tl->out->arena};
    for (uint32_t c = 0; c < lane->columns; c++) {
        bool is_marked = false;
        for (uint32_t i = 0; i < tl->marked_count && !is_marked; i++) {
            int64_t start_ns = mi_timeline_start(tl, tl->marked[i]);
            int64_t end_ns = mi_ns_add(start_ns, tl->model->all.rows.tasks.dur_ns[tl->marked[i]]);
            is_marked = start_ns < edge_of(lane, c + 1) &&
                        (end_ns > edge_of(lane, c) || start_ns >= edge_of(lane, c));
        }
        mi_words_put(&words, mi_cstr(is_marked ? "^" : " "));
    }
    return mi_words_get(&words);
}

/* --- tables --- */

static bool put_lane(struct lane *lane, uint32_t track, struct mi_report_table *table)
{
    const struct mi_timeline *tl = lane->timeline;
    const uint32_t *first = tl->model->index.track_first_task;
    memset(lane->times, 0, lane->columns * sizeof *lane->times);
    mi_lanes_clear(&lane->sets);
    lane->tasks = 0;
    for (uint32_t t = first[track]; t < first[track + 1]; t++)
        add_task(lane, t);
    struct mi_cell *row = mi_report_add_row(tl->out, table);
    if (!row || !mi_lanes_join(&lane->sets))
        return false;
    int64_t busy_ns = mi_spans_measure(&lane->sets.work);
    row[0] = mi_cell_text(mi_describe_track(tl->model, (mi_track_id){track}, &tl->out->arena));
    row[1] = mi_cell_share(busy_ns, mi_ns_sub(tl->to_ns, tl->from_ns));
    row[2] = mi_cell_int(lane->tasks);
    row[3] = mi_cell_int(busy_ns);
    row[4] = mi_cell_int(mi_spans_measure(&lane->sets.kinds[MI_LANE_WAIT]));
    row[5] = mi_cell_text(picture_of(lane));
    return true;
}

static void put_line(const struct lane *lane, struct mi_report_table *table, struct mi_bytes text)
{
    struct mi_cell *row = mi_report_add_row(lane->timeline->out, table);
    if (!row)
        return;
    row[0] = mi_cell_text(mi_cstr(""));
    row[5] = mi_cell_text(text);
}

static void list_signs(const struct lane *lane)
{
    const struct mi_timeline *tl = lane->timeline;
    struct mi_report_table *table = mi_report_add_table(tl->out, "signs", N_("Signs"), sign_columns,
                                                        sizeof sign_columns / sizeof *sign_columns);
    for (int k = 0; k < MI_LANE_KINDS; k++) {
        struct mi_cell *row = lane->is_seen[k] ? mi_report_add_row(tl->out, table) : NULL;
        if (!row)
            continue;
        row[0] = mi_cell_text(mi_cstr(signs[k].full[tl->is_ascii]));
        if (k != MI_LANE_WAIT)
            row[1] = mi_cell_text(mi_cstr(signs[k].part[tl->is_ascii]));
        row[2] = mi_cell_word(signs[k].word);
    }
}

static uint32_t width_of(struct mi_bytes text)
{
    uint32_t width = 0, code = 0;
    for (size_t at = 0; at < text.len;) {
        unsigned len = mi_utf8_decode(text.at + at, text.len - at, &code);
        width += len ? mi_utf8_width(code) : 1;
        at += len ? len : 1;
    }
    return width;
}

/* What names of lanes leave of the line. */
static uint32_t find_columns(const struct mi_timeline *tl)
{
    uint32_t label = 6;
    for (uint32_t track = 0; track < tl->model->all.rows.tracks.count; track++) {
        uint32_t width =
            tl->is_shown[track]
                ? width_of(mi_describe_track(tl->model, (mi_track_id){track}, &tl->out->arena))
                : 0;
        label = width > label ? width : label;
    }
    label = label > MOST_LABEL ? MOST_LABEL : label;
    return tl->width >= label + BESIDE + LEAST_COLUMNS ? tl->width - label - BESIDE : LEAST_COLUMNS;
}

bool mi_timeline_draw(const struct mi_timeline *timeline)
{
    struct lane lane = {.timeline = timeline, .columns = find_columns(timeline)};
    lane.times = mi_mem_new(lane.columns, sizeof *lane.times);
    struct mi_report_table *table =
        mi_report_add_table(timeline->out, "lanes", N_("Timeline"), lane_columns,
                            sizeof lane_columns / sizeof *lane_columns);
    bool ok = lane.times && table;
    if (ok)
        put_line(&lane, table, axis_of(&lane));
    for (uint32_t track = 0; ok && track < timeline->model->all.rows.tracks.count; track++)
        if (timeline->is_shown[track])
            ok = put_lane(&lane, track, table);
    if (ok && timeline->marked_count)
        put_line(&lane, table, marks_of(&lane));
    if (ok)
        list_signs(&lane);
    mi_lanes_fini(&lane.sets);
    mi_mem_free(lane.times);
    return ok;
}
