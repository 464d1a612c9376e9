/* Files of libmi_hook.so, hook-<pid>-<n>.mirec: the calls of the runtime that a program made.
 *
 * The layout stands in capture/record.h, the calls in capture/calls.def. All numbers are
 * little-endian.
 *
 * A process may be killed at any moment. Its chunks are whole or cut off at the end; how many
 * records it made in all stands in the head, so that the ledger can say how many are missing. A
 * file that is still being written reads the same way.
 *
 * Becomes: a track per thread and a span per call; a launch per task that a call put onto a stream,
 * with its device, stream and task id where the runtime told them; waits for events with the record
 * that they wait for; a load per model with its file and the id that profiles call it by.
 *
 * Ignored on purpose: addresses, but for telling of one record. */
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/hook/hook_read.h"

#include <stdio.h>

#define SANE_RECORDS (UINT64_C(1) << 40) /* a count beyond is no count */

static int sniff(const struct mi_probe *probe)
{
    return mi_bytes_starts(probe->head, MI_LIT(MI_REC_MAGIC)) ? 100 : 0;
}

/* --- what the head says --- */

static bool read_head(struct hook *h, struct mi_error *err)
{
    struct mi_bytes bytes = h->src->bytes;
    if (bytes.len < MI_REC_HEAD_BYTES)
        return mi_fail_at(err, MI_ETRUNCATED, bytes.len, 0, "the file ends within its head");
    memcpy(&h->file, bytes.at, sizeof h->file);
    if (memcmp(h->file.magic, MI_REC_MAGIC, sizeof h->file.magic) != 0)
        return mi_fail_at(err, MI_EFORMAT, 0, 0, "this is no file of the hook");
    if (h->file.version != MI_REC_VERSION)
        return mi_fail_at(err, MI_EUNSUPPORTED, 8, 0,
                          "a file of version %u; this program reads version %d", h->file.version,
                          MI_REC_VERSION);
    return true;
}

static void add_fact(struct hook *h, const char *name, const char *text)
{
    mi_add_fact(h->out, &(struct mi_fact_row){.name = mi_batch_cstr(h->out, name),
                                              .text = mi_batch_cstr(h->out, text)});
}

static void add_fact_number(struct hook *h, const char *name, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)number);
    add_fact(h, name, text);
}

static void add_facts(struct hook *h)
{
    static const char *const states[] = {"running or killed", "ended", "broken off"};
    uint32_t state = h->file.state;
    add_fact_number(h, "process", h->file.process);
    if (h->file.parent)
        add_fact_number(h, "forked from", h->file.parent);
    h->out->counts.in++; /* the head tells of a process, if of nothing else */
    h->out->counts.kept++;
    add_fact(h, "state", state < sizeof states / sizeof *states ? states[state] : "unknown");
}

/* The pair of readings in the head ties the clock; how far those of the chunks are off says how
 * much the two clocks have drifted apart. */
static void add_clock(struct hook *h)
{
    double worst_ns = 0;
    int64_t base = (int64_t)(h->file.real_ns - h->file.mono_ns);
    for (uint32_t c = 0; c < h->chunk_count; c++) {
        const struct mi_rec_chunk *head = &h->chunks[c].head;
        int64_t apart = (int64_t)(head->real_ns - head->mono_ns);
        /* damaged readings may be further apart than an int64_t can say */
        double off_ns = (double)(apart > base ? (uint64_t)apart - (uint64_t)base
                                              : (uint64_t)base - (uint64_t)apart);
        worst_ns = off_ns > worst_ns ? off_ns : worst_ns;
    }
    h->clock = mi_add_clock(
        h->out, &(struct mi_clock_row){
                    .name = mi_batch_cstr(h->out, "hook@monotonic"),
                    .ref_raw = (int64_t)h->file.mono_ns,
                    .ref_ns = (int64_t)h->file.real_ns,
                    .ns_per_tick = 1,
                    .residual_ns = worst_ns,
                    .note = mi_batch_cstr(h->out, N_("both clocks were read by the hook"))});
}

/* --- what is missing --- */

struct ring {
    uint64_t seen;    /* records in its chunks and drops that they tell of */
    uint64_t last_ns; /* of its last chunk */
    uint64_t gap_ns;  /* nothing of it is missing before */
};

static struct mi_rec_slot slot_of(const struct hook *h, uint32_t ring)
{
    struct mi_rec_slot slot;
    memcpy(&slot, h->src->bytes.at + sizeof h->file + ring * sizeof slot, sizeof slot);
    return slot;
}

static void go_through_chunks(struct hook *h, struct ring *rings)
{
    for (uint32_t c = 0; c < h->chunk_count; c++) {
        const struct mi_rec_chunk *head = &h->chunks[c].head;
        struct ring *ring = &rings[head->ring];
        if (head->dropped && !ring->gap_ns)
            ring->gap_ns = ring->last_ns ? ring->last_ns : 1;
        ring->seen += (uint64_t)head->records + head->dropped;
        ring->last_ns = head->mono_ns;
        if (slot_of(h, head->ring).kind != MI_REC_SLOT_MSPTI) /* records of its own tell of those */
            h->dropped += head->dropped;
    }
}

/* Fills the ledger: records that were made and are in no chunk. */
static void count_missing(struct hook *h, struct ring *rings)
{
    uint64_t missing = 0, missing_activity = 0;
    h->refused = h->file.refused < SANE_RECORDS ? (int64_t)h->file.refused : 0;
    h->sure_until_ns = h->refused ? 0 : UINT64_MAX;
    go_through_chunks(h, rings);
    for (uint32_t r = 0; r < MI_REC_SLOTS; r++) {
        struct mi_rec_slot slot = slot_of(h, r);
        uint64_t issued = slot.issued;
        if (slot.kind == MI_REC_SLOT_MSPTI) {
            bool is_missing = issued < SANE_RECORDS && issued > rings[r].seen;
            missing_activity += is_missing ? issued - rings[r].seen : 0;
            continue; /* no call is missing for it */
        }
        if (issued < SANE_RECORDS && issued > rings[r].seen) {
            missing += issued - rings[r].seen;
            if (!rings[r].gap_ns)
                rings[r].gap_ns = rings[r].last_ns ? rings[r].last_ns : 1;
        }
        if (rings[r].gap_ns && rings[r].gap_ns < h->sure_until_ns)
            h->sure_until_ns = rings[r].gap_ns;
    }
    h->lost_records = (int64_t)missing;
    h->lost_activity = (int64_t)missing_activity;
}

static void tell_of_missing(struct hook *h)
{
    struct mi_counts *counts = &h->out->counts;
    if (h->lost_records)
        mi_batch_diag(h->out, MI_LOSS, "hook.records_missing", MI_NO_OFFSET, 0,
                      h->file.state == MI_REC_BROKEN_OFF
                          ? N_("%lld calls were seen but are not in the file: it could not be "
                               "written any further")
                      : h->file.state == MI_REC_ENDED
                          ? N_("%lld calls were seen but are not in the file: they were still "
                               "going on when the capture ended")
                          : N_("%lld calls were seen but are not in the file: the process ended "
                               "before they were written"),
                      (long long)h->lost_records);
    if (h->lost_activity)
        mi_batch_diag(
            h->out, MI_LOSS, "hook.mspti_late", MI_NO_OFFSET, 0,
            "%lld records of MSPTI are not in the file: it delivered them after the end, or "
            "the process ended before they were written",
            (long long)h->lost_activity);
    if (h->refused)
        mi_batch_diag(h->out, MI_LOSS, "hook.records_refused", MI_NO_OFFSET, 0,
                      "%lld calls of threads beyond %d at the same time were left out",
                      (long long)h->refused, MI_REC_SLOTS);
    if (h->dropped)
        mi_batch_diag(
            h->out, MI_LOSS, "hook.records_dropped", MI_NO_OFFSET, 0,
            "%lld calls were dropped, because the program made them faster than they could "
            "be written",
            (long long)h->dropped);
    if (h->file.state == MI_REC_BROKEN_OFF)
        mi_batch_diag(h->out, MI_WARNING, "hook.broken_off", MI_NO_OFFSET, 0,
                      "the file could not be written any further (error %d of the system)",
                      (int)h->file.error);
    else if (h->file.state != MI_REC_ENDED)
        mi_batch_diag(h->out, MI_NOTICE, "hook.not_ended", MI_NO_OFFSET, 0,
                      "the process was still running, or was killed: what came later is not here");
    int64_t lost = h->lost_records + h->lost_activity + h->dropped + h->refused;
    counts->in += lost;
    counts->lost += lost;
}

/* --- reading --- */

static bool read_records(struct hook *h, struct mi_error *err)
{
    struct ring *rings = mi_mem_zero(MI_REC_SLOTS, sizeof *rings);
    bool ok = rings && mi_hook_find_chunks(h);
    if (!rings)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    if (ok) {
        count_missing(h, rings);
        add_facts(h);
        add_clock(h);
        h->acl = mi_batch_cstr(h->out, "acl");
        ok = mi_hook_each(h, mi_hook_learn);
        mi_hook_sort_meanings(h);
        ok = ok && mi_hook_each(h, mi_hook_make_rows);
        mi_hook_sort_windows(h);
        ok = ok && (!h->has_activity || mi_hook_each(h, mi_hook_make_later));
        if (ok && !mi_batch_failed(h->out))
            mi_hook_pair_events(h);
        tell_of_missing(h);
    }
    mi_mem_free(rings);
    return ok || mi_batch_failed(h->out) || mi_fail(err, MI_ECANCELLED, "stopped");
}

static bool read_all(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    struct hook h = {.src = src, .out = out};
    bool ok = read_head(&h, err) && read_records(&h, err);
    mi_mem_free(h.chunks);
    mi_mem_free(h.streams.list);
    mi_mem_free(h.functions.list);
    mi_mem_free(h.bundles.list);
    mi_mem_free(h.bundle_copies.list);
    mi_mem_free(h.graphs.list);
    mi_mem_free(h.events);
    mi_map_fini(&h.threads);
    mi_map_fini(&h.loads);
    mi_hook_free_activity(&h);
    return ok;
}

const struct mi_reader mi_reader_mi_hook = {.name = "mi_hook",
                                            .title = N_("calls that the hook has seen"),
                                            .yields = MI_HAS_TASKS | MI_HAS_SLICES,
                                            .sniff = sniff,
                                            .read = read_all,
                                            .metrics = mi_hook_metrics};
