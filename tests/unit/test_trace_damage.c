/* A trace of N events with one damage: a byte left out, put in or changed, some bytes zeroed, the
 * end cut off. However it strikes, all events that it does not touch are kept, and of those that it
 * touches the ledger tells: kept + left out + lost is never less than N. Events that the damage
 * runs together into one that is JSON (its keys stand there twice, or zeroes do) are told as such.
 */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EVENTS = 9, ROOM = 4096, SURPLUS = 2 };

struct trace {
    char text[ROOM];
    size_t len;
    size_t at[EVENTS], end[EVENTS]; /* of each event */
    size_t list;                    /* behind the bracket that opens the list */
};

/* Events of the writers that are known: Ascend's, Kineto's, and those with lists of objects. */
static const char *const events[EVENTS] = {
    "{\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"CANN\"},\"ph\":\"M\"}",
    "{\"name\":\"a\",\"pid\":1,\"tid\":7,\"ts\":\"100.020\",\"dur\":1.5,"
    "\"args\":{\"Model Id\":4294967295,\"Task Type\":\"AI_CORE\"},\"ph\":\"X\"}",
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 3, \"tid\": 4,\n"
    "    \"ts\": 200, \"dur\": 9.020, \"args\": {\"External id\": 5, \"Input Dims\": [[2, 3], []],"
    "\n      \"Call stack\": \"m.py(3): f;\\nn.py(5): g\"}}",
    "{\"ph\":\"X\",\"name\":\"frames\",\"pid\":3,\"tid\":4,\"ts\":300,\"dur\":2,"
    "\"args\":{\"frames\":[{\"name\":\"f\",\"line\":3},{\"name\":\"g\",\"line\":4}]}}",
    "{\"ph\":\"C\",\"name\":\"memory\",\"pid\":1,\"ts\":310,\"args\":{\"MB\":5}}",
    "{\"args\":{\"d\":[{\"name\":\"h\"}]},\"dur\":3,\"ts\":320,\"tid\":4,\"pid\":3,"
    "\"name\":\"turned\",\"ph\":\"X\"}",
    "{\"name\":\"b\",\"pid\":1,\"tid\":7,\"ts\":\"400.020\",\"dur\":1.5,"
    "\"args\":{\"Model Id\":4294967295,\"Task Type\":\"AI_CORE\"},\"ph\":\"X\"}",
    "{\"name\":\"c\",\"pid\":1,\"tid\":7,\"ts\":\"500.020\",\"dur\":1.5,"
    "\"args\":{\"Model Id\":4294967295,\"Task Type\":\"AI_CORE\"},\"ph\":\"X\",\"cat\":\"k\"}",
    "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"mark\",\"pid\":3,\"tid\":4,\"ts\":600}"};

static const struct form {
    const char *head, *between, *tail;
} forms[] = {
    {"[", ",", "]"},
    {"[\n", ",\n", "\n]\n"},
    {"{\"schemaVersion\":1,\"traceEvents\":[", ",", "]}"},
    {"{\n  \"traceEvents\": [\n  ", ",\n  ",
     "\n  ],\n  \"traceName\": \"t.json\",\n  \"baseTimeNanoseconds\": 7000\n}\n"},
};

static void write_trace(struct trace *t, const struct form *form)
{
    *t = (struct trace){0};
    t->list = t->len = (size_t)snprintf(t->text, ROOM, "%s", form->head);
    for (int e = 0; e < EVENTS; e++) {
        t->at[e] = t->len;
        t->len += (size_t)snprintf(t->text + t->len, ROOM - t->len, "%s", events[e]);
        t->end[e] = t->len;
        t->len += (size_t)snprintf(t->text + t->len, ROOM - t->len, "%s",
                                   e + 1 < EVENTS ? form->between : form->tail);
    }
    assert_true(t->len < ROOM);
}

/* `gone` bytes from `at` on are replaced by `count` of `bytes`. */
struct damage {
    size_t at, gone, count;
    const char *bytes;
};

static bool is_touched(const struct trace *t, int e, const struct damage *d)
{
    return t->at[e] < d->at + (d->gone ? d->gone : 1) && d->at < t->end[e] + (d->gone == 0);
}

/* The start of a span that stands in the file, in ns; -1: it is none. */
static int64_t start_of(int e)
{
    static const int64_t starts[EVENTS] = {-1,     100020, 200000, 300000, -1,
                                           320000, 400020, 500020, 600000};
    return starts[e];
}

static bool has_span(const struct reading *r, int64_t start)
{
    const struct mi_tables *rows = &r->batch.rows;
    for (uint32_t s = 1; s < rows->slices.count; s++)
        if (rows->slices.start_raw[s] == start)
            return true;
    for (uint32_t s = 1; s < rows->tasks.count; s++)
        if (rows->tasks.start_raw[s] == start)
            return true;
    return false;
}

static int64_t losses(const struct reading *r)
{
    const struct mi_diags *diags = &r->batch.rows.diags;
    int64_t count = 0;
    for (uint32_t i = 1; i < diags->count; i++)
        count += diags->severity[i] == MI_LOSS ? diags->times[i] : 0;
    return count;
}

static void tell(const struct trace *t, const struct damage *d, const struct reading *r)
{
    size_t from = d->at > 40 ? d->at - 40 : 0;
    print_error("%zu bytes at %zu became %zu of '%c': ...%.*s<HERE>%.30s...\n"
                "in %lld kept %lld left out %lld lost %lld\n",
                d->gone, d->at, d->count, d->count && *d->bytes ? *d->bytes : '0',
                (int)(d->at - from), t->text + from, t->text + d->at, (long long)r->batch.counts.in,
                (long long)r->batch.counts.kept, (long long)r->batch.counts.skipped,
                (long long)r->batch.counts.lost);
}

static bool is_right(const struct trace *t, const struct damage *d, const struct reading *r)
{
    const struct mi_counts *n = &r->batch.counts;
    int64_t merged = reading_diag(r, "trace.key_twice") + reading_diag(r, "trace.zero_bytes");
    bool is_right = r->ok && n->in == n->kept + n->skipped + n->lost && n->in + merged >= EVENTS &&
                    n->in <= EVENTS + SURPLUS &&
                    (n->kept + n->skipped + merged >= EVENTS || losses(r));
    for (int e = 0; is_right && e < EVENTS; e++)
        is_right = start_of(e) < 0 || is_touched(t, e, d) || has_span(r, start_of(e));
    return is_right;
}

/* False: it went wrong. A file whose very head is damaged may be refused, with an error. */
static bool check(const struct trace *t, const struct damage *d)
{
    size_t len = t->len - d->gone + d->count;
    uint8_t *bytes = malloc(len ? len : 1); /* exactly as large: reading behind it is found */
    assert_non_null(bytes);
    memcpy(bytes, t->text, d->at);
    memcpy(bytes + d->at, d->bytes, d->count);
    memcpy(bytes + d->at + d->count, t->text + d->at + d->gone, t->len - d->at - d->gone);
    struct reading r;
    reading_bytes(&r, mi_reader_find("chrome_trace"), (struct mi_bytes){bytes, len}, NULL, NULL);
    bool is_refused = !r.ok && d->at < t->list && r.err.code == MI_EFORMAT;
    bool ok = is_refused || is_right(t, d, &r);
    if (!ok)
        tell(t, d, &r);
    reading_fini(&r);
    free(bytes);
    return ok;
}

static void check_all(bool (*check_at)(const struct trace *t, size_t at))
{
    unsigned wrong = 0;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct trace t;
        write_trace(&t, &forms[f]);
        for (size_t at = 0; at < t.len; at++)
            wrong += !check_at(&t, at);
    }
    assert_int_equal(wrong, 0);
}

static bool left_out_at(const struct trace *t, size_t at)
{
    return check(t, &(struct damage){at, 1, 0, ""});
}

static bool put_in_at(const struct trace *t, size_t at)
{
    static const char bytes[] = "{}[]\",:\\x0\n";
    bool ok = true;
    for (size_t i = 0; i < sizeof bytes; i++) /* the zero behind them, too */
        ok &= check(t, &(struct damage){at, 0, 1, bytes + i});
    return ok;
}

static bool changed_at(const struct trace *t, size_t at)
{
    static const char bytes[] = "{}[]\",:\\x0\n";
    bool ok = true;
    for (size_t i = 0; i < sizeof bytes; i++)
        ok &= bytes[i] == t->text[at] || check(t, &(struct damage){at, 1, 1, bytes + i});
    return ok;
}

static bool zeroed_at(const struct trace *t, size_t at)
{
    static const char zeroes[64];
    bool ok = true;
    for (size_t size = 2; size <= sizeof zeroes; size *= 2)
        if (at + size <= t->len)
            ok &= check(t, &(struct damage){at, size, size, zeroes});
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

/* Of a cut file all events in front of the cut are kept, and the ledger says that it is cut. */
static void the_end_is_cut_off(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct trace t;
        write_trace(&t, &forms[f]);
        for (size_t len = t.list; len < t.end[EVENTS - 1]; len++) {
            struct reading r;
            int64_t whole = 0, begun = 0;
            uint8_t *bytes = malloc(len);
            assert_non_null(bytes);
            memcpy(bytes, t.text, len);
            for (int e = 0; e < EVENTS; e++) {
                whole += t.end[e] <= len;
                begun += t.at[e] < len;
            }
            reading_bytes(&r, mi_reader_find("chrome_trace"), (struct mi_bytes){bytes, len}, NULL,
                          NULL);
            assert_true(r.ok);
            assert_int_equal(r.batch.counts.in, begun);
            assert_int_equal(r.batch.counts.lost, begun - whole);
            assert_true(
                reading_diag(&r, "trace.truncated") + reading_diag(&r, "trace.unclosed_list") > 0);
            reading_fini(&r);
            free(bytes);
        }
    }
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
