#include "parse/formats/msprof/msprof_sheet_cells.h"

#include "base/decimal.h"
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/msprof/msprof_columns.h"

enum { TRUNCATED_ORIGINALS = 8 };

static uint32_t record_bytes(const struct mi_sheet_reading *r)
{
    size_t size = r->row->end - r->row->offset;
    return size <= UINT32_MAX ? (uint32_t)size : 0;
}

static mi_clock_id clock_of(struct mi_sheet_reading *r, int64_t raw)
{
    if (!r->clock.v)
        r->clock = mi_add_clock(
            r->out, &(struct mi_clock_row){.name = mi_batch_cstr(r->out, r->sheet.kind->name),
                                           .ref_raw = raw,
                                           .ref_ns = raw,
                                           .ns_per_tick = 1,
                                           .residual_ns = -1,
                                           .note = mi_batch_cstr(r->out, N_("as exported"))});
    if (r->clock.v && raw < r->out->rows.clocks.ref_raw[r->clock.v])
        r->out->rows.clocks.ref_raw[r->clock.v] = r->out->rows.clocks.ref_ns[r->clock.v] = raw;
    return r->clock;
}

/* --- sums --- */

static bool add_statistic(struct mi_sheet_reading *r)
{
    struct mi_statistic_row s = {.record_offset = (int64_t)r->row->offset,
                                 .record_bytes = record_bytes(r)};
    if (!mi_sheet_number(r, MI_SHEET_DEVICE, &s.device) ||
        !mi_sheet_number(r, MI_SHEET_TIMES, &s.times) ||
        !mi_sheet_time(r, MI_SHEET_TOTAL, false, -1, &s.total_ns) ||
        !mi_sheet_time(r, MI_SHEET_MIN, false, -1, &s.min_ns) ||
        !mi_sheet_time(r, MI_SHEET_MAX, false, -1, &s.max_ns))
        return false;
    s.kind = mi_batch_cstr(r->out, r->sheet.kind->name);
    s.name = mi_sheet_text(r, MI_SHEET_NAME);
    s.detail = mi_sheet_text(r, MI_SHEET_DETAIL);
    mi_add_statistic(r->out, &s);
    return true;
}

/* "50", "rank 0": which step, and of whom in the tables of cluster tools. */
static mi_str_id whose_step(struct mi_sheet_reading *r)
{
    struct mi_bytes step = mi_sheet_here(r, MI_SHEET_NUMBER),
                    type = mi_sheet_here(r, MI_SHEET_DETAIL),
                    index = mi_sheet_here(r, MI_SHEET_NAME);
    if (r->sheet.place[MI_SHEET_DETAIL] < 0)
        return mi_batch_str(r->out, step);
    return mi_batch_printf(r->out, "%.*s, %.*s %.*s", (int)(step.len & 0xff), (const char *)step.at,
                           (int)(type.len & 0xff), (const char *)type.at, (int)(index.len & 0xff),
                           (const char *)index.at);
}

static bool has_role(const struct mi_sheet *sheet, uint32_t column)
{
    for (unsigned role = 0; role < MI_SHEET_ROLES; role++)
        if (sheet->place[role] == (int32_t)column)
            return true;
    return false;
}

static bool add_parts(struct mi_sheet_reading *r)
{
    int64_t device, total;
    uint8_t buffer[MI_SHEET_NUMBER_BYTES];
    struct mi_bytes unit;
    if (!mi_sheet_number(r, MI_SHEET_DEVICE, &device))
        return false;
    for (uint32_t c = 0; c < r->sheet.count; c++) {
        struct mi_bytes text = mi_sheet_cell(&r->sheet, r->row, c);
        struct mi_bytes stem = mi_sheet_stem(r->header.fields[c].raw, &unit);
        if (has_role(&r->sheet, c) || mi_msprof_is_absent(text))
            continue;
        if (mi_decimal_scaled(mi_sheet_with_point(r, text, buffer), mi_sheet_exponent(unit),
                              &total) > MI_DECIMAL_LOSS)
            return mi_sheet_lose(r, "msprof.row_broken", "a part of a step that is no number");
        mi_add_statistic(
            r->out, &(struct mi_statistic_row){.kind = mi_batch_cstr(r->out, r->sheet.kind->name),
                                               .name = mi_batch_str(r->out, stem),
                                               .detail = whose_step(r),
                                               .device = device,
                                               .times = -1,
                                               .total_ns = total,
                                               .min_ns = -1,
                                               .max_ns = -1,
                                               .record_offset = (int64_t)r->row->offset,
                                               .record_bytes = record_bytes(r)});
    }
    return true;
}

/* --- times --- */

static bool add_window(struct mi_sheet_reading *r)
{
    struct mi_window_row w = {0};
    int64_t end;
    if (!mi_sheet_number(r, MI_SHEET_DEVICE, &w.device) ||
        !mi_sheet_number(r, MI_SHEET_NUMBER, &w.number) ||
        !mi_sheet_number(r, MI_SHEET_MODEL, &w.model) ||
        !mi_sheet_time(r, MI_SHEET_END, true, -1, &end) ||
        !mi_sheet_time(r, MI_SHEET_DUR, false, -1, &w.dur_ns))
        return false;
    if (end < 0 || w.dur_ns < 0)
        return mi_sheet_lose(r, "msprof.row_broken", "an iteration without its end or its length");
    w.kind = mi_batch_cstr(r->out, r->sheet.kind->name);
    w.start_raw = end - w.dur_ns;
    w.clock = clock_of(r, w.start_raw);
    mi_add_window(r->out, &w);
    return true;
}

static mi_track_id thread_of(struct mi_sheet_reading *r, int64_t process, int64_t thread,
                             int64_t start)
{
    uint32_t *slot = mi_map_at(&r->threads, mi_pair((uint32_t)process, (uint32_t)thread));
    if (!slot) {
        mi_batch_fail(r->out, MI_ENOMEM, "out of memory for threads");
        return (mi_track_id){0};
    }
    mi_clock_id clock = clock_of(r, start);
    if (!*slot)
        *slot = mi_add_track(r->out,
                             &(struct mi_track_row){
                                 .kind = MI_TRACK_THREAD,
                                 .name = mi_batch_printf(r->out, "thread %lld", (long long)thread),
                                 .clock = clock,
                                 .rank = -1,
                                 .device = -1,
                                 .process = process,
                                 .native_id = thread})
                    .v;
    return (mi_track_id){*slot};
}

static bool add_slice(struct mi_sheet_reading *r)
{
    struct mi_slice_row s = {.connection = MI_NO_CONNECTION,
                             .correlation = MI_NO_CONNECTION,
                             .record_offset = (int64_t)r->row->offset,
                             .record_bytes = record_bytes(r)};
    int64_t process, thread, end;
    if (!mi_sheet_number(r, MI_SHEET_PROCESS, &process) ||
        !mi_sheet_number(r, MI_SHEET_THREAD, &thread) ||
        !mi_sheet_time(r, MI_SHEET_START, true, -1, &s.start_raw) ||
        !mi_sheet_time(r, MI_SHEET_END, true, s.start_raw, &end))
        return false;
    if (s.start_raw < 0)
        return mi_sheet_lose(r, "msprof.row_broken", "a span without a start");
    s.dur_ns = end > s.start_raw ? end - s.start_raw : 0;
    s.name = mi_sheet_text(r, MI_SHEET_NAME);
    s.item = mi_sheet_text(r, MI_SHEET_DETAIL);
    s.category = mi_batch_cstr(r->out, r->sheet.kind->name);
    s.track = thread_of(r, process, thread, s.start_raw);
    mi_add_slice(r->out, &s);
    return true;
}

/* --- series --- */

static bool is_plain_column(const struct mi_sheet_reading *r, uint32_t column)
{
    static const char *const words[] = {"stream ptr", "device type", "device", "device id"};
    struct mi_bytes unit, stem = mi_sheet_stem(r->header.fields[column].raw, &unit);
    if (has_role(&r->sheet, column))
        return false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (mi_sheet_same(stem, mi_cstr(words[i])))
            return false;
    return true;
}

static mi_counter_id series_of(struct mi_sheet_reading *r, mi_str_id name, uint32_t column,
                               int64_t device, int64_t at)
{
    uint32_t *slot =
        mi_map_at(&r->series, mi_pair(name.v, column << 20 ^ ((uint32_t)(device + 1) & 0xfffff)));
    if (!slot) {
        mi_batch_fail(r->out, MI_ENOMEM, "out of memory for series");
        return (mi_counter_id){0};
    }
    mi_clock_id clock = clock_of(r, at);
    if (!*slot) {
        struct mi_bytes unit, stem = mi_sheet_stem(r->header.fields[column].raw, &unit);
        struct mi_bytes whose = mi_batch_text(r->out, name);
        *slot = mi_add_counter(r->out,
                               &(struct mi_counter_row){
                                   .name = whose.len ? mi_batch_printf(r->out, "%.*s %.*s",
                                                                       (int)(whose.len & 0xfff),
                                                                       (const char *)whose.at,
                                                                       (int)(stem.len & 0xfff),
                                                                       (const char *)stem.at)
                                                     : mi_batch_str(r->out, stem),
                                   .unit = mi_sheet_bytes(unit) > 0 ? mi_batch_cstr(r->out, "B")
                                                                    : mi_batch_str(r->out, unit),
                                   .clock = clock,
                                   .rank = -1,
                                   .device = device})
                    .v;
    }
    return (mi_counter_id){*slot};
}

static bool add_series(struct mi_sheet_reading *r)
{
    int64_t device, at;
    uint8_t buffer[MI_SHEET_NUMBER_BYTES];
    if (!mi_sheet_number(r, MI_SHEET_DEVICE, &device) ||
        !mi_sheet_time(r, MI_SHEET_START, true, -1, &at))
        return false;
    if (at < 0)
        return mi_sheet_lose(r, "msprof.row_broken", "a measurement without a time");
    mi_str_id name = mi_sheet_text(r, MI_SHEET_NAME);
    for (uint32_t c = 0; c < r->sheet.count; c++) {
        double value;
        if (r->factors[c] <= 0)
            continue;
        struct mi_bytes text = mi_sheet_cell(&r->sheet, r->row, c);
        if (mi_msprof_is_absent(text) ||
            mi_decimal_double(mi_sheet_with_point(r, text, buffer), &value) != 0)
            continue;
        mi_counter_id counter = series_of(r, name, c, device, at);
        mi_add_sample(r->out, &(struct mi_sample_row){.counter = counter,
                                                      .at_raw = at,
                                                      .value = value * r->factors[c]});
    }
    return true;
}

bool mi_sheet_start(struct mi_sheet_reading *r)
{
    struct mi_bytes unit;
    r->factors = mi_mem_zero(r->header.count, sizeof *r->factors);
    for (uint32_t c = 0; r->factors && c < r->header.count; c++) {
        mi_sheet_stem(r->header.fields[c].raw, &unit);
        double bytes = mi_sheet_bytes(unit);
        r->factors[c] = !is_plain_column(r, c) ? 0 : bytes > 0 ? bytes : 1;
    }
    return r->factors != NULL;
}

void mi_sheet_end(struct mi_sheet_reading *r)
{
    mi_map_fini(&r->series);
    mi_map_fini(&r->threads);
    mi_scratch_fini(&r->scratch);
    mi_mem_free(r->factors);
}

/* --- notes --- */

static bool add_note(struct mi_sheet_reading *r)
{
    struct mi_note_row n = {.record_offset = (int64_t)r->row->offset,
                            .record_bytes = record_bytes(r)};
    if (!mi_sheet_number(r, MI_SHEET_DEVICE, &n.device) ||
        !mi_sheet_number(r, MI_SHEET_STREAM, &n.stream) ||
        !mi_sheet_number(r, MI_SHEET_TASK, &n.native_id) ||
        !mi_sheet_time(r, MI_SHEET_START, true, -1, &n.start_raw))
        return false;
    n.kind = mi_batch_cstr(r->out, r->sheet.kind->name);
    n.name = mi_sheet_text(r, MI_SHEET_NAME);
    mi_add_note(r->out, &n);
    return true;
}

static bool add_fusion(struct mi_sheet_reading *r)
{
    struct mi_fusion_note_row f = {0};
    struct mi_bytes rest = mi_sheet_here(r, MI_SHEET_DETAIL);
    uint32_t count = 0;
    if (!mi_sheet_number(r, MI_SHEET_MODEL, &f.model))
        return false;
    f.node_name = mi_sheet_text(r, MI_SHEET_NAME);
    if (!f.node_name.v)
        return mi_sheet_lose(r, "msprof.row_broken", "a fused node without a name");
    while (rest.len && !mi_msprof_is_absent(rest)) {
        const uint8_t *end = memchr(rest.at, ';', rest.len);
        size_t len = end ? (size_t)(end - rest.at) : rest.len;
        struct mi_bytes name = mi_msprof_trim(mi_bytes_sub(rest, 0, len));
        rest = mi_bytes_sub(rest, len + (end != NULL), rest.len);
        f.original = mi_batch_str(r->out, name);
        if (name.len) {
            mi_add_fusion_note(r->out, &f);
            count++;
        }
    }
    if (count >= TRUNCATED_ORIGINALS)
        mi_batch_diag(r->out, MI_NOTICE, "msprof.originals_cut", r->row->offset, r->row->line,
                      "a fused node with %u original ops: the profiler records no more, there may "
                      "be others",
                      count);
    return add_note(r);
}

/* --- a row --- */

/* Tables that were joined by hand repeat their header. */
static bool is_header(const struct mi_sheet_reading *r)
{
    for (uint32_t c = 0; c < r->sheet.count; c++)
        if (!mi_bytes_equal(mi_csv_raw(r->row, c), r->header.fields[c].raw))
            return false;
    return true;
}

void mi_sheet_add_row(struct mi_sheet_reading *r)
{
    static bool (*const adders[])(struct mi_sheet_reading *) = {
        [MI_SHEET_STATISTIC] = add_statistic, [MI_SHEET_PARTS] = add_parts,
        [MI_SHEET_WINDOW] = add_window,       [MI_SHEET_FUSION] = add_fusion,
        [MI_SHEET_NOTE] = add_note,           [MI_SHEET_SERIES] = add_series,
        [MI_SHEET_SLICE] = add_slice};
    r->out->counts.in++;
    if (is_header(r)) {
        r->out->counts.skipped++;
        mi_batch_diag(r->out, MI_NOTICE, "msprof.header_again", r->row->offset, r->row->line,
                      "a header row among the rows was left out");
    } else if (adders[r->sheet.kind->target](r)) {
        r->out->counts.kept++;
    }
}
