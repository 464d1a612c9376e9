/* A table of N rows with one damage: a byte left out, put in or changed, some bytes zeroed, the end
 * cut off. However it strikes, all rows that it does not touch are kept, and of those that it
 * touches the ledger tells: kept + left out + lost is never less than N, but where zeroes make one
 * row of several, which is told as such. All kinds of tables that the project knows. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 6, ROOM = 4096, SURPLUS = 4 };

static const struct kind {
    const char *reader, *header, *row; /* `#`: the number of the row */
} kinds[] = {
    {"msprof_csv",
     "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),"
     "Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes",
     "0,1,#,35,conv#,Conv2D,AI_CORE,170000000000#.500\t,12.5,0,8,\"\"\"1,3;16\"\"\""},
    {"msprof_csv", "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)",
     "Add_#,AI_VECTOR_CORE,3,#,2.25,170000000000#.125"},
    {"msprof_tables", "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name",
     "0,3,#,0.#,0.066608,conv#/Conv2D"},
    {"msprof_tables",
     "Name,Input Shapes,Call Stack,Host Self Duration(us),Device Self Duration(us)",
     "aten::mm#,\"2,#;\",\"a.py(3): f;\n b.py(#): g\",1.5,2.25"},
    {"msprof_tables", "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB)",
     "PTA+GE+APP,170000000000#.250\t,1.#,2.#"},
    {"msprof_tables",
     "OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us)",
     "Conv#,AI_CORE,#,82.5,20.5,20.5,20.#"},
    {"msprof_tables", "Device_id,Iteration ID,Iteration End(us),Iteration Time(us),Model ID",
     "0,#,17000000000001#.125\t,150.#,3"},
};

struct table {
    char text[ROOM];
    const char *reader;
    size_t len;
    size_t at[ROWS], end[ROWS]; /* of each row, with its line end */
    size_t line_end;            /* bytes of it */
};

static void write_table(struct table *t, const struct kind *kind, const char *line_end)
{
    *t = (struct table){.reader = kind->reader, .line_end = strlen(line_end)};
    t->len = (size_t)snprintf(t->text, ROOM, "%s%s", kind->header, line_end);
    for (int r = 0; r < ROWS; r++) {
        t->at[r] = t->len;
        for (const char *p = kind->row; *p && t->len < ROOM; p++)
            t->text[t->len++] = *p == '#' ? (char)('1' + r) : *p;
        t->len += (size_t)snprintf(t->text + t->len, ROOM - t->len, "%s", line_end);
        t->end[r] = t->len;
    }
    assert_true(t->len < ROOM);
}

/* `gone` bytes from `at` on are replaced by `count` of `bytes`. */
struct damage {
    size_t at, gone, count;
    const char *bytes;
};

/* How many rows the damage does not touch; a byte between two of them touches both. */
static int untouched(const struct table *t, const struct damage *d)
{
    int count = 0;
    for (int r = 0; r < ROWS; r++)
        count += t->end[r] < d->at + (d->gone == 0) || t->at[r] > d->at + d->gone;
    return count;
}

static int64_t losses(const struct reading *r)
{
    const struct mi_diags *diags = &r->batch.rows.diags;
    int64_t count = 0;
    for (uint32_t i = 1; i < diags->count; i++)
        count += diags->severity[i] != MI_INFO ? diags->times[i] : 0;
    return count;
}

static void tell(const struct table *t, const struct damage *d, const struct reading *r)
{
    size_t from = d->at > 40 ? d->at - 40 : 0;
    print_error("%zu bytes at %zu became %zu of '%c': ...%.*s<HERE>%.30s...\n"
                "in %lld kept %lld left out %lld lost %lld\n",
                d->gone, d->at, d->count, d->count && *d->bytes ? *d->bytes : '0',
                (int)(d->at - from), t->text + from, t->text + d->at, (long long)r->batch.counts.in,
                (long long)r->batch.counts.kept, (long long)r->batch.counts.skipped,
                (long long)r->batch.counts.lost);
}

/* False: it went wrong. */
static bool check(const struct table *t, const struct damage *d)
{
    size_t len = t->len - d->gone + d->count;
    uint8_t *bytes = malloc(len); /* exactly as large: reading behind it is found */
    assert_non_null(bytes);
    memcpy(bytes, t->text, d->at);
    memcpy(bytes + d->at, d->bytes, d->count);
    memcpy(bytes + d->at + d->count, t->text + d->at + d->gone, t->len - d->at - d->gone);
    struct reading r;
    reading_bytes(&r, mi_reader_find(t->reader), (struct mi_bytes){bytes, len}, NULL, NULL);
    const struct mi_counts *n = &r.batch.counts;
    int64_t merged = reading_diag(&r, "msprof.zero_bytes");
    bool ok = r.ok && n->in == n->kept + n->skipped + n->lost && n->in + merged >= ROWS &&
              n->in <= ROWS + SURPLUS && n->kept >= untouched(t, d) &&
              (n->kept >= ROWS || losses(&r));
    if (!ok)
        tell(t, d, &r);
    reading_fini(&r);
    free(bytes);
    return ok;
}

static void check_all(bool (*check_at)(const struct table *t, size_t at))
{
    unsigned wrong = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int crlf = 0; crlf < 2; crlf++) {
            struct table t;
            write_table(&t, &kinds[k], crlf ? "\r\n" : "\n");
            for (size_t at = t.at[0]; at < t.len; at++)
                wrong += !check_at(&t, at);
        }
    assert_int_equal(wrong, 0);
}

static bool left_out_at(const struct table *t, size_t at)
{
    return check(t, &(struct damage){at, 1, 0, ""});
}

static const char signs[] = "\",;\nx0\r\t"; /* the zero behind them, too */

static bool put_in_at(const struct table *t, size_t at)
{
    bool ok = true;
    for (size_t i = 0; i < sizeof signs; i++)
        ok &= check(t, &(struct damage){at, 0, 1, signs + i});
    return ok;
}

static bool changed_at(const struct table *t, size_t at)
{
    bool ok = true;
    for (size_t i = 0; i < sizeof signs; i++)
        ok &= signs[i] == t->text[at] || check(t, &(struct damage){at, 1, 1, signs + i});
    return ok;
}

static bool zeroed_at(const struct table *t, size_t at)
{
    static const char zeroes[32]; /* no row is shorter */
    bool ok = true;
    for (size_t size = 2; size <= sizeof zeroes; size *= 2)
        if (at + size <= t->len)
            ok &= check(t, &(struct damage){at, size, size, zeroes});
    return ok;
}

static bool cut_at(const struct table *t, size_t at)
{
    struct table cut = *t;
    struct damage none = {at, 0, 0, ""};
    struct reading r;
    int64_t whole = 0, begun = 0;
    for (int row = 0; row < ROWS; row++) {
        whole += t->end[row] - t->line_end <= at;
        begun += t->at[row] < at;
    }
    reading_bytes(&r, mi_reader_find(t->reader), (struct mi_bytes){(uint8_t *)cut.text, at}, NULL,
                  NULL);
    const struct mi_counts *n = &r.batch.counts;
    bool ok = r.ok && n->in == n->kept + n->lost && n->in >= begun && n->in <= begun + 1 &&
              n->kept >= whole && (whole == begun || losses(&r));
    if (!ok)
        tell(t, &none, &r);
    reading_fini(&r);
    return ok;
}

static void a_byte_is_left_out(void **state)
{
    (void)state;
    check_all(left_out_at);
}

static void a_byte_is_put_in(void **state)
{
    (void)state;
    check_all(put_in_at);
}

static void a_byte_is_changed(void **state)
{
    (void)state;
    check_all(changed_at);
}

static void bytes_are_zeroed(void **state)
{
    (void)state;
    check_all(zeroed_at);
}

static void the_end_is_cut_off(void **state)
{
    (void)state;
    check_all(cut_at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_is_left_out), cmocka_unit_test(a_byte_is_put_in),
        cmocka_unit_test(a_byte_is_changed),  cmocka_unit_test(bytes_are_zeroed),
        cmocka_unit_test(the_end_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
