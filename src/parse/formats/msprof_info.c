/* The small files around a profile of an Ascend device: which machine, which rank, which switches,
 * and the readings of the clocks.
 *
 *   PROF_x/host, device_N      info.json[.N], sample.json: machine, devices, switches
 *                              start_info[.N], end_info[.N]: when it began and ended (JSON)
 *                              host_start.log[.N], dev_start.log[.N]: readings of the clocks (text)
 *   *_ascend_pt, *_ascend_ms   profiler_info[_R].json, profiler_metadata.json
 *   results of cluster tools   communication_group.json
 *
 * The JSON files are told by the names of their members. The logs are lines "name: number", at most
 * one line "[Host]" or "[Device0]" in front; clock_monotonic_raw (ns) and cntvct (ticks of the
 * counter) were read at one moment. Numbers may be written as strings.
 *
 * Becomes: facts. Members that matter have one name whatever the file (rank, profiler_level,
 * clock:..., group_ranks:...), all others keep their path. */
#include "base/decimal.h"
#include "base/translate.h"
#include "parse/formats/msprof/msprof_facts.h"

enum { LOG_BYTES = 4096, MAX_LOG_LINES = 64 };

/* --- logs --- */

static const struct {
    const char *name, *host, *device;
} readings[] = {
    {"clock_monotonic_raw", "clock:host_monotonic_ns", "clock:device_monotonic_ns"},
    {"clock_realtime", "clock:host_realtime_ns", "clock:device_realtime_ns"},
    {"cntvct", "clock:host_counter", "clock:device_counter"},
    {"cntvct_diff", "clock:host_counter_difference", "clock:device_counter_difference"},
};

enum { READINGS = sizeof readings / sizeof *readings };

static struct mi_bytes trim(struct mi_bytes text)
{
    while (text.len && text.at[0] <= ' ')
        text = mi_bytes_sub(text, 1, text.len);
    while (text.len && text.at[text.len - 1] <= ' ')
        text.len--;
    return text;
}

static struct mi_bytes next_line(struct mi_bytes *rest)
{
    const uint8_t *end = rest->len ? memchr(rest->at, '\n', rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->at) : rest->len;
    struct mi_bytes line = mi_bytes_sub(*rest, 0, len);
    *rest = mi_bytes_sub(*rest, len + (end != NULL), rest->len);
    return trim(line);
}

/* Splits "name: value"; false if there is no colon. */
static bool split(struct mi_bytes line, struct mi_bytes *name, struct mi_bytes *value)
{
    const uint8_t *colon = line.len ? memchr(line.at, ':', line.len) : NULL;
    if (!colon)
        return false;
    size_t at = (size_t)(colon - line.at);
    *name = trim(mi_bytes_sub(line, 0, at));
    *value = trim(mi_bytes_sub(line, at + 1, line.len));
    return true;
}

static bool is_section(struct mi_bytes line)
{
    return line.len > 2 && line.at[0] == '[' && line.at[line.len - 1] == ']';
}

/* A log begins with its section or with a reading. */
static bool is_log(struct mi_bytes head)
{
    struct mi_bytes rest = mi_bytes_sub(head, 0, LOG_BYTES), name, value;
    struct mi_bytes line = next_line(&rest);
    if (mi_bytes_equal(line, MI_LIT("[Host]")) || mi_bytes_starts(line, MI_LIT("[Device")))
        line = next_line(&rest);
    if (!split(line, &name, &value))
        return false;
    for (unsigned i = 0; i < READINGS; i++)
        if (mi_bytes_equal(name, mi_cstr(readings[i].name)))
            return true;
    return false;
}

/* The section "[Host]" or "[Device0]", and the difference of counters, stand in logs of the host:
 * those of a device have neither. */
static bool is_of_host(struct mi_bytes text)
{
    struct mi_bytes rest = mi_bytes_sub(text, 0, LOG_BYTES), name, value;
    while (rest.len) {
        struct mi_bytes line = next_line(&rest);
        if (is_section(line) ||
            (split(line, &name, &value) && mi_bytes_equal(name, MI_LIT("cntvct_diff"))))
            return true;
    }
    return false;
}

static void read_reading(struct mi_batch *out, struct mi_bytes line, bool is_host, uint64_t offset,
                         uint32_t number)
{
    struct mi_bytes name, value;
    int64_t ignored;
    const char *fact = NULL;
    out->counts.in++;
    if (is_section(line)) {
        mi_add_fact(out, &(struct mi_fact_row){.name = mi_batch_cstr(out, "clock:section"),
                                               .text = mi_batch_str(out, line)});
        out->counts.kept++;
        return;
    }
    if (!split(line, &name, &value) || mi_decimal_i64(value, &ignored) != 0) {
        out->counts.lost++;
        mi_batch_diag(out, MI_LOSS, "msprof.clock_broken", offset, number,
                      "a line that is no reading of a clock");
        return;
    }
    for (unsigned i = 0; !fact && i < READINGS; i++)
        if (mi_bytes_equal(name, mi_cstr(readings[i].name)))
            fact = is_host ? readings[i].host : readings[i].device;
    mi_add_fact(out, &(struct mi_fact_row){
                         .name = fact ? mi_batch_cstr(out, fact)
                                      : mi_batch_printf(out, "clock:%.*s",
                                                        (int)(name.len < 200 ? name.len : 200),
                                                        (const char *)name.at),
                         .text = mi_batch_str(out, value)});
    out->counts.kept++;
}

static bool read_log(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct mi_bytes rest = src->bytes;
    bool is_host = is_of_host(rest);
    for (uint32_t number = 1; rest.len && !mi_batch_failed(out); number++) {
        uint64_t offset = (uint64_t)(rest.at - src->bytes.at);
        struct mi_bytes line = next_line(&rest);
        if (number > MAX_LOG_LINES)
            return mi_fail_at(err, MI_ELIMIT, offset, number,
                              "more than %d lines: this is no log of clocks", MAX_LOG_LINES);
        if (line.len)
            read_reading(out, line, is_host, offset, number);
    }
    return !mi_batch_failed(out);
}

/* --- the reader --- */

static int sniff(const struct mi_probe *probe)
{
    return is_log(probe->head) || mi_msprof_info_kind(probe->bytes) ? 92 : 0;
}

static bool read_info(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    if (is_log(src->bytes))
        return read_log(src, out, err);
    return mi_msprof_read_facts(src, out, err);
}

const struct mi_reader mi_reader_msprof_info = {
    .name = "msprof_info",
    .title = N_("Ascend profiler settings, machine and clocks (info.json, profiler_info, ...)"),
    .sniff = sniff,
    .read = read_info,
};
