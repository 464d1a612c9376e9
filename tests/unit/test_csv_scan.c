/* The CSV scanner: quoting, line ends, ragged and cut rows, recovery, limits; scalar twin and a
 * naive reader as judges. */
#include "base/csv_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

static const struct mi_csv_options scalar_only = {.force_scalar = true};

/* The rows as text: fields in <>, flags behind, one row per line. */
static void dump(struct mi_bytes input, const struct mi_csv_options *options, char *out,
                 size_t room)
{
    struct mi_csv csv;
    struct mi_csv_row row;
    struct mi_scratch scratch = {0};
    size_t used = 0;
    out[0] = '\0';
    mi_csv_init(&csv, input, options);
    while (mi_csv_next(&csv, &row)) {
        used += (size_t)snprintf(out + used, room - used, "%u:", row.line);
        for (uint32_t i = 0; i < row.count; i++) {
            struct mi_bytes text;
            assert_true(mi_csv_text(row.fields[i], &scratch, &text));
            assert_true(mi_bytes_equal(mi_csv_raw(&row, i), row.fields[i].raw));
            used += (size_t)snprintf(out + used, room - used, "<%.*s>", (int)text.len,
                                     text.len ? (const char *)text.at : "");
        }
        assert_int_equal(mi_csv_raw(&row, row.count).len, 0);
        used += (size_t)snprintf(out + used, room - used, "%s%s%s\n", row.is_ragged ? "R" : "",
                                 row.is_malformed ? "M" : "", row.is_open ? "O" : "");
        assert_true(used < room);
    }
    if (mi_csv_failed(&csv))
        snprintf(out + used, room - used, "%s@%u/%u\n", mi_code_name(csv.error.code),
                 (unsigned)csv.error.offset, csv.error.line);
    assert_false(mi_csv_next(&csv, &row));
    assert_true(row.count == 0 && !row.fields);
    mi_csv_fini(&csv);
    mi_scratch_fini(&scratch);
}

static void known_inputs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *rows;
    } cases[] = {
        {"", ""},
        {"\n\r\n\r", ""},
        {"a,b\n1,2\n", "1:<a><b>\n2:<1><2>\n"},
        {"a,b\r\n1,2\r\n", "1:<a><b>\n2:<1><2>\n"},
        {"a,b\r1,2", "1:<a><b>\n2:<1><2>O\n"},
        {"\xef\xbb\xbf"
         "a,b\n",
         "1:<a><b>\n"},
        {"\xef\xbb\xbf\"a\",b\n", "1:<a><b>\n"},
        {"a,,\n,,\n", "1:<a><><>\n2:<><><>\n"},
        {"a,b,", "1:<a><b><>O\n"},
        {"a\n\nb\n", "1:<a>\n3:<b>\n"},
        {"a,b\n1\n1,2,3\n", "1:<a><b>\n2:<1>R\n3:<1><2><3>R\n"},
        {"\"a,b\",\"c\"\"d\"\n", "1:<a,b><c\"d>\n"},
        {"\"\",\"\"\"\"\n", "1:<><\">\n"},
        {"\"x\ny\r\nz\rw\",2\nn,3\n", "1:<x\ny\r\nz\rw><2>\n5:<n><3>\n"},
        {"\"12\t\", 3\t\n", "1:<12\t>< 3\t>\n"},
        {"a\"b,c\"\"d\n", "1:<a\"b><c\"\"d>\n"},
        {"\"ab\"c,d\n", "1:<\"ab\"c><d>M\n"},
        {"\"ab\" ,\"d\"\n", "1:<\"ab\" ><d>M\n"},
        {"\"ab\"", "1:<ab>O\n"},
        {"a,b\n1,\"2\n3,4\n", "1:<a><b>\ntruncated@6/2\n"},
        {"\"", "truncated@0/1\n"},
        {"\"\"\"", "truncated@0/1\n"},
        {"\"a\nb\",\"c", "truncated@6/2\n"},
    };
    char got[512], twin[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dump(mi_cstr(cases[i].text), NULL, got, sizeof got);
        assert_string_equal(got, cases[i].rows);
        dump(mi_cstr(cases[i].text), &scalar_only, twin, sizeof twin);
        assert_string_equal(twin, cases[i].rows);
    }
    const struct mi_csv_options tabs = {.delimiter = '\t', .first_line = 10, .first_offset = 100};
    dump(MI_LIT("a,b\tc\n\"d"), &tabs, got, sizeof got);
    assert_string_equal(got, "10:<a,b><c>\ntruncated@106/11\n");
}

static void rows_know_their_place(void **state)
{
    (void)state;
    struct mi_bytes input = MI_LIT("h1,h2\r\n\r\nx,\"y\nz\"\r\nlast,row");
    struct mi_csv csv;
    struct mi_csv_row row;
    mi_csv_init(&csv, input, NULL);
    assert_true(mi_csv_next(&csv, &row));
    assert_true(row.offset == 0 && row.end == 7 && row.line == 1);
    assert_true(mi_csv_next(&csv, &row));
    assert_true(row.offset == 9 && row.end == 18 && row.line == 3 && !row.is_open);
    assert_true(row.fields[1].is_quoted && !row.fields[1].has_escape && !row.fields[0].is_quoted);
    assert_true(mi_csv_next(&csv, &row));
    assert_true(row.offset == 18 && row.end == input.len && row.line == 5 && row.is_open);
    assert_int_equal(csv.blank_lines, 1);
    assert_int_equal(csv.columns, 2);
    mi_csv_fini(&csv);
}

static void a_seek_recovers(void **state)
{
    (void)state;
    struct mi_bytes input = MI_LIT("a,b\n\"broken,1\nok,2\n");
    struct mi_csv csv;
    struct mi_csv_row row;
    mi_csv_init(&csv, input, NULL);
    assert_true(mi_csv_next(&csv, &row));
    assert_false(mi_csv_next(&csv, &row));
    assert_int_equal(csv.error.code, MI_ETRUNCATED);
    mi_csv_seek(&csv, 14, 3);
    assert_true(mi_csv_next(&csv, &row));
    assert_int_equal(row.line, 3);
    assert_false(row.is_ragged);
    assert_true(mi_bytes_equal(row.fields[0].raw, MI_LIT("ok")));
    assert_false(mi_csv_next(&csv, &row));
    assert_false(mi_csv_failed(&csv));
    mi_csv_seek(&csv, 9999, 9);
    assert_false(mi_csv_next(&csv, &row));
    mi_csv_fini(&csv);
}

static void fields_are_limited(void **state)
{
    (void)state;
    enum { MOST = 200000 };
    struct mi_csv csv;
    struct mi_csv_row row;
    uint8_t *text = malloc(MOST);
    assert_non_null(text);
    memset(text, ',', MOST);
    mi_csv_init(&csv, (struct mi_bytes){text, MOST}, NULL);
    assert_false(mi_csv_next(&csv, &row));
    assert_int_equal(csv.error.code, MI_ELIMIT);
    mi_csv_fini(&csv);
    const struct mi_csv_options many = {.fields_limit = MOST + 1}, few = {.fields_limit = 3};
    mi_csv_init(&csv, (struct mi_bytes){text, MOST}, &many);
    assert_true(mi_csv_next(&csv, &row));
    assert_int_equal(row.count, MOST + 1);
    mi_csv_fini(&csv);
    mi_csv_init(&csv, (struct mi_bytes){text, 2}, &few);
    assert_true(mi_csv_next(&csv, &row));
    assert_int_equal(row.count, 3);
    mi_csv_fini(&csv);
    free(text);
}

/* A second, slow reading of the same rules, byte by byte: the digest of fields and line numbers. */
static uint64_t mix(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * UINT64_C(1099511628211);
}

/* *cut: place of the quote that is never closed, or SIZE_MAX. */
static uint64_t naive(const uint8_t *t, size_t n, size_t *cut)
{
    uint64_t digest = 1;
    *cut = SIZE_MAX;
    size_t i = 0;
    uint32_t line = 1;
    while (i < n) {
        if (t[i] == '\n' || t[i] == '\r') {
            i += t[i] == '\r' && i + 1 < n && t[i + 1] == '\n' ? 2 : 1;
            line++;
            continue;
        }
        digest = mix(digest, line);
        uint64_t row = digest;
        for (bool more = true; more;) {
            size_t start = i, len = 0;
            uint32_t inside = 0;
            bool quoted = false;
            if (i < n && t[i] == '"') {
                size_t k = i + 1;
                while (k < n && (t[k] != '"' || (k + 1 < n && t[k + 1] == '"'))) {
                    inside += t[k] == '\r' || (t[k] == '\n' && t[k - 1] != '\r');
                    k += t[k] == '"' ? 2 : 1;
                }
                if (k >= n) {
                    *cut = i;
                    return 0;
                }
                len = k - i - 1;
                start = i + 1;
                i = k + 1;
                quoted = true;
            }
            size_t rest = i;
            while (i < n && t[i] != ',' && t[i] != '\n' && t[i] != '\r')
                i++;
            if (!quoted)
                len = i - start;
            else if (i != rest)
                len += 2 + (i - rest), start--;
            line += inside;
            row = mix(mix(row, start), len);
            more = i < n && t[i] == ',';
            i += more;
        }
        digest = row;
        if (i < n) {
            i += t[i] == '\r' && i + 1 < n && t[i + 1] == '\n' ? 2 : 1;
            line++;
        }
    }
    return digest;
}

static uint64_t ours(struct mi_bytes input, const struct mi_csv_options *options, size_t *cut)
{
    struct mi_csv csv;
    struct mi_csv_row row;
    uint64_t digest = 1;
    mi_csv_init(&csv, input, options);
    while (mi_csv_next(&csv, &row)) {
        digest = mix(digest, row.line);
        for (uint32_t i = 0; i < row.count; i++) {
            size_t start = (size_t)(row.fields[i].raw.at - input.at);
            digest = mix(mix(digest, start), row.fields[i].raw.len);
        }
    }
    bool failed = mi_csv_failed(&csv);
    *cut = failed ? (size_t)csv.error.offset : SIZE_MAX;
    mi_csv_fini(&csv);
    return failed ? 0 : digest;
}

static void random_inputs_agree(void **state)
{
    (void)state;
    static const char bytes[] = "ab,,,\"\"\"\n\r1\t x";
    uint64_t rng = 424242;
    unsigned complete = 0;
    for (int round = 0; round < 60000; round++) {
        size_t len = rng_below(&rng, 200), dense = 1 + rng_below(&rng, 14);
        uint8_t *copy = malloc(len + 1);
        assert_non_null(copy);
        for (size_t i = 0; i < len; i++)
            copy[i] = rng_below(&rng, 14) < dense ? (uint8_t)bytes[rng_below(&rng, 15)] : 'z';
        struct mi_bytes input = {copy, len};
        size_t cut, twin_cut, naive_cut;
        uint64_t digest = ours(input, NULL, &cut);
        assert_true(digest == ours(input, &scalar_only, &twin_cut));
        assert_true(digest == naive(copy, len, &naive_cut));
        assert_true(cut == twin_cut && cut == naive_cut);
        complete += cut == SIZE_MAX;
        free(copy);
    }
    assert_true(complete > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_inputs),        cmocka_unit_test(rows_know_their_place),
        cmocka_unit_test(a_seek_recovers),     cmocka_unit_test(fields_are_limited),
        cmocka_unit_test(random_inputs_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
