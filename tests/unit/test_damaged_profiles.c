/* Real files around a profile, damaged as transfers and killed processes damage them: what the
 * damage does not touch is kept at its place, the ledger adds up, and a diagnostic says where.
 * Damaged traces stand in test_trace_robustness.c, damaged databases in test_msprof_db_samples.c.
 */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES "samples/cann-profiling/"
#define ALEXNET SAMPLES "pytorch_alexnet_2rank/text/"
#define OUTPUT  "ASCEND_PROFILER_OUTPUT/"

enum {
    STRETCH = 147, /* bytes that are damaged, from the middle on */
    TOUCHED = 4,   /* records that so many bytes touch at most */
    NEAR = 1024,   /* a diagnostic names the record, or where it stopped making sense */
};

enum damage { CUT, GARBLED, ZEROED, DOUBLED, DAMAGES };

static const char *const damage_names[DAMAGES] = {"cut", "garbled", "zeroed", "doubled"};

/* A reader that goes on behind what is broken finds the rest; the others keep what stands before.
 * `unseen`: damages after which the file makes sense as it is, so nobody complains. Rows and
 * members doubled as a whole look like true ones: nothing is lost. */
static const struct kind {
    const char *reader;
    bool goes_on;
    struct {
        const char *path;
        unsigned unseen;
    } files[3]; /* there is one real listing of a captured model */
} kinds[] = {
    {"msprof_csv",
     true,
     {{ALEXNET "level1/rank0_ascend_pt/" OUTPUT "kernel_details.csv", 0},
      {SAMPLES "mstt_2024/kernel_details_arith.csv", 0},
      {SAMPLES "pytorch_l0cmetrics_2023/rank1/" OUTPUT "kernel_details.csv", 0}}},
    {"msprof_tables",
     true,
     {{ALEXNET "level1/rank1_ascend_pt/" OUTPUT "op_statistic.csv", 0},
      {ALEXNET "level2/rank0_ascend_pt/" OUTPUT "l2_cache.csv", 1u << DOUBLED},
      {ALEXNET "level2/rank0_ascend_pt/" OUTPUT "api_statistic.csv", 0}}},
    {"msprof_communication",
     false,
     {{ALEXNET "level1/rank0_ascend_pt/" OUTPUT "communication.json", 0},
      {ALEXNET "level2/rank0_ascend_pt/" OUTPUT "communication_matrix.json", 0},
      {SAMPLES "cluster_analysis_output/cluster_communication.json", 1u << DOUBLED}}},
    {"msprof_info",
     false,
     {{ALEXNET "level0/rank0_ascend_pt/profiler_info_0.json", 0},
      {SAMPLES "pytorch_l0cmetrics_2023/rank1/profiler_info_1.json", 0},
      {SAMPLES "metadata/profiler_metadata.json", 0}}},
    {"acl_graph", true, {{SAMPLES "aclgraph_debug/graph_debug.json", 0}}},
};

/* --- the damage --- */

struct damaged {
    uint8_t *bytes; /* exactly as large as the file: reading behind it is found */
    size_t len, from, to;
    size_t shift; /* how much further back stands what is behind the damage */
};

static struct damaged damage_it(struct mi_bytes whole, enum damage damage)
{
    struct damaged d = {.from = whole.len / 2};
    d.shift = damage == DOUBLED ? STRETCH : 0;
    d.to = damage == CUT ? whole.len : d.from + STRETCH;
    d.len = damage == CUT ? d.from : whole.len + d.shift;
    assert_true(d.to <= whole.len);
    d.bytes = malloc(d.len);
    assert_non_null(d.bytes);
    memcpy(d.bytes, whole.at, d.from);
    if (damage == CUT)
        return d;
    memcpy(d.bytes + d.from, whole.at + d.from, STRETCH);
    memcpy(d.bytes + d.from + d.shift, whole.at + d.from, whole.len - d.from);
    for (size_t i = d.from; i < d.to; i++)
        if (damage == ZEROED)
            d.bytes[i] = 0;
        else if (damage == GARBLED && (d.bytes[i] == ',' || d.bytes[i] == ':'))
            d.bytes[i] = ' ';
    return d;
}

/* --- what is left --- */

struct places {
    const int64_t *offsets;
    const uint32_t *sizes;
    uint32_t count;
};

/* The rows that records become, in the order of the file. */
static struct places places_of(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    if (rows->tasks.count > 1)
        return (struct places){rows->tasks.record_offset, rows->tasks.record_bytes,
                               rows->tasks.count};
    if (rows->planned.count > 1)
        return (struct places){rows->planned.record_offset, rows->planned.record_bytes,
                               rows->planned.count};
    if (rows->statistics.count > 1)
        return (struct places){rows->statistics.record_offset, rows->statistics.record_bytes,
                               rows->statistics.count};
    return (struct places){rows->notes.record_offset, rows->notes.record_bytes, rows->notes.count};
}

static bool has_record(struct places places, int64_t offset, uint32_t size)
{
    for (uint32_t i = 1; i < places.count; i++)
        if (places.offsets[i] == offset && places.sizes[i] == size)
            return true;
    return false;
}

/* Records that end before the damage, and those that begin behind it, are all there. How many. */
static uint32_t check_records(const struct reading *whole, const struct reading *r,
                              const struct damaged *d, bool goes_on)
{
    struct places wanted = places_of(whole), found = places_of(r);
    uint32_t count = 0;
    for (uint32_t i = 1; i < wanted.count; i++) {
        size_t at = (size_t)wanted.offsets[i], end = at + wanted.sizes[i];
        bool is_behind = at > d->to;
        if (end >= d->from && !(is_behind && goes_on))
            continue;
        assert_true(has_record(found, (int64_t)(at + (is_behind ? d->shift : 0)), wanted.sizes[i]));
        count++;
    }
    return count;
}

/* Facts have no places, but their texts lie in the file: those before the damage are the same. */
static uint32_t check_facts(const struct reading *whole, const struct reading *r,
                            const struct damaged *d)
{
    const struct mi_facts *wanted = &whole->batch.rows.facts, *found = &r->batch.rows.facts;
    struct mi_bytes file = whole->input.bytes;
    uint32_t count = 0;
    for (uint32_t i = 1; i < wanted->count; i++) {
        struct mi_bytes text = mi_batch_text(&whole->batch, wanted->text[i]);
        if (text.at >= file.at + d->from && text.at < file.at + file.len)
            break;
        if (text.at < file.at || text.at >= file.at + file.len)
            continue; /* put together from several values */
        assert_true(i < found->count);
        assert_true(mi_bytes_equal(text, mi_batch_text(&r->batch, found->text[i])));
        assert_true(mi_bytes_equal(mi_batch_text(&whole->batch, wanted->name[i]),
                                   mi_batch_text(&r->batch, found->name[i])));
        count++;
    }
    return count;
}

/* A loss or notice that the whole file does not have, at a place near the damage. */
static bool says_where(const struct reading *whole, const struct reading *r,
                       const struct damaged *d)
{
    const struct mi_diags *diags = &r->batch.rows.diags;
    for (uint32_t i = 1; i < diags->count; i++) {
        struct mi_bytes code = mi_batch_text(&r->batch, diags->code[i]);
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)code.len, (const char *)code.at);
        if (diags->severity[i] == MI_INFO || diags->times[i] <= reading_diag(whole, name))
            continue;
        size_t at = (size_t)diags->offset[i];
        if (at <= d->len && at + NEAR >= d->from && at <= d->to + d->shift + NEAR)
            return true;
    }
    return false;
}

static void check(const struct kind *kind, unsigned p, enum damage damage)
{
    struct reading whole, r;
    const char *path = kind->files[p].path;
    const struct mi_reader *reader = mi_reader_find(kind->reader);
    if (!reading_file(&whole, reader, shared_path(path)))
        skip();
    struct damaged d = damage_it(whole.input.bytes, damage);
    reading_bytes(&r, reader, (struct mi_bytes){d.bytes, d.len}, NULL, NULL);
    const struct mi_counts *counts = &r.batch.counts;
    print_message("%s, %s\n", path + sizeof SAMPLES - 1, damage_names[damage]);
    assert_true(whole.ok && r.ok);
    assert_int_equal(counts->in, counts->kept + counts->skipped + counts->lost);
    uint32_t untouched = whole.batch.rows.facts.count > 1
                             ? check_facts(&whole, &r, &d)
                             : check_records(&whole, &r, &d, kind->goes_on);
    assert_true(untouched * 4 >= whole.batch.counts.kept);
    if (kind->goes_on && damage != CUT)
        assert_true(untouched + TOUCHED >= whole.batch.counts.kept);
    assert_true(counts->kept >= untouched);
    assert_int_equal(says_where(&whole, &r, &d), !(kind->files[p].unseen >> damage & 1));
    mi_batch_fini(&r.batch);
    reading_fini(&whole);
    free(d.bytes);
}

static void damaged_files_keep_the_rest(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned p = 0; p < 3 && kinds[k].files[p].path; p++)
            for (unsigned damage = 0; damage < DAMAGES; damage++)
                check(&kinds[k], p, (enum damage)damage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_keep_the_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
