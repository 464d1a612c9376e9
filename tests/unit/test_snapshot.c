/* Snapshots: what is read back is the same model to every export; rows that are left out are gone
 * from all that refers to them; damaged ones fail and never lead out of a table. */
#include "alloc_fail.h"
#include "export_model.h"
#include "model/snapshot.h"
#include "present/exporter.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { MAX_BYTES = 1 << 20, FLIPS = 1500 };

struct kept {
    struct mi_target base;
    struct mi_sink sink;
};

static struct mi_sink *open_kept(struct mi_target *base, const char *name, struct mi_error *err)
{
    (void)name, (void)err;
    return &((struct kept *)(void *)base)->sink;
}

static bool close_kept(struct mi_target *base, struct mi_error *err)
{
    (void)base, (void)err;
    return true;
}

static struct mi_sink export_all(const struct mi_model *model)
{
    struct kept kept = {.base = {open_kept, close_kept}};
    struct mi_view view = {.model = model};
    struct mi_error err = MI_ERROR_INIT;
    mi_sink_init_memory(&kept.sink);
    for (size_t f = 0; f < mi_exporter_count; f++)
        if (mi_exporters[f] != &mi_exporter_sqlite && /* a database of its own making */
            mi_exporters[f] != &mi_exporter_html)     /* made of a snapshot */
            assert_true(mi_exporters[f]->write(&view, &kept.base, &err));
    return kept.sink;
}

static struct mi_sink snapshot_of(const struct mi_model *model,
                                  const struct mi_snapshot_options *options)
{
    struct mi_sink sink;
    struct mi_error err = MI_ERROR_INIT;
    mi_sink_init_memory(&sink);
    assert_true(mi_snapshot_write(model, options, &sink, &err));
    return sink;
}

static bool read_back(struct mi_model *model, struct mi_bytes bytes, struct mi_error *err)
{
    *err = MI_ERROR_INIT;
    if (!mi_model_init(model, err))
        return false;
    return mi_snapshot_read(model, bytes, err);
}

static void assert_same(struct mi_sink *a, struct mi_sink *b)
{
    struct mi_bytes one = mi_sink_bytes(a), other = mi_sink_bytes(b);
    assert_int_equal(one.len, other.len);
    assert_memory_equal(one.at, other.at, one.len);
}

static void what_is_read_back_is_the_same(void **state)
{
    (void)state;
    struct mi_model model, again;
    struct export_ids ids;
    struct mi_error err;
    assert_true(export_model(&model, &ids));
    struct mi_sink bytes = snapshot_of(&model, NULL);
    assert_true(read_back(&again, mi_sink_bytes(&bytes), &err));
    assert_true(again.frozen);
    assert_true(again.start_unix_ns == model.start_unix_ns);
    struct mi_sink before = export_all(&model), after = export_all(&again);
    assert_true(mi_sink_bytes(&before).len > 1000);
    assert_same(&before, &after);
    struct mi_sink twice = snapshot_of(&again, NULL);
    assert_same(&bytes, &twice);
    mi_sink_fini(&before);
    mi_sink_fini(&after);
    mi_sink_fini(&twice);
    mi_model_fini(&again);
    mi_sink_fini(&bytes);
    mi_model_fini(&model);
}

/* Half of the tasks and all attributes: links go with their tasks, the rest stays. */
static void rows_can_be_left_out(void **state)
{
    (void)state;
    static uint8_t tasks[256], none[256];
    struct mi_model model, part;
    struct export_ids ids;
    struct mi_error err;
    assert_true(export_model(&model, &ids));
    const struct mi_tables *rows = &model.all.rows;
    assert_in_range(rows->tasks.count, 4, 255);
    assert_in_range(rows->attrs.count, 2, 255);
    for (uint32_t t = 2; t < rows->tasks.count; t += 2)
        tasks[t] = 1;
    struct mi_snapshot_options options = {.keep = {[MI_T_tasks] = tasks, [MI_T_attrs] = none}};
    struct mi_sink bytes = snapshot_of(&model, &options);
    assert_true(read_back(&part, mi_sink_bytes(&bytes), &err));
    const struct mi_tables *left = &part.all.rows;
    assert_int_equal(left->tasks.count, 1 + (rows->tasks.count - 1) / 2);
    assert_int_equal(left->attrs.count, 1);
    assert_int_equal(left->nodes.count, rows->nodes.count);
    for (uint32_t n = 1; n < left->nodes.count; n++)
        assert_int_equal(left->nodes.attr_count[n], 0);
    for (uint32_t t = 1; t < left->tasks.count; t++)
        assert_true(left->tasks.start_ns[t] == rows->tasks.start_ns[2 * t]);
    for (uint32_t e = 1; e < left->executed.count; e++)
        assert_in_range(left->executed.task[e].v, 0, left->tasks.count - 1);
    mi_model_fini(&part);
    mi_sink_fini(&bytes);
    mi_model_fini(&model);
}

static struct mi_bytes hide(void *user, enum mi_str_kind kind, struct mi_bytes text)
{
    (void)user;
    return kind == MI_S_NAME ? MI_LIT("x") : kind == MI_S_TEXT ? (struct mi_bytes){0} : text;
}

/* --- values of records --- */

static bool two_values(void *values_of, mi_source_id source, int64_t offset, uint32_t size_bytes,
                       mi_value_fn *fn, void *user)
{
    char number[16];
    (void)source, (void)size_bytes;
    ++*(unsigned *)values_of;
    if (fn) {
        snprintf(number, sizeof number, "%d", (int)offset);
        fn(user, MI_LIT("cycles"), mi_cstr(number), true);
        fn(user, MI_LIT("state"), MI_LIT("secret"), false);
    }
    return true;
}

struct seen {
    unsigned count;
    char text[64];
};

static void see(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct seen *seen = user;
    size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "%.*s=%.*s%s ", (int)name.len,
             (const char *)name.at, (int)text.len, (const char *)text.at, is_number ? "" : "!");
    seen->count++;
}

static void values_of_records_come_along(void **state)
{
    (void)state;
    static uint8_t wanted[256];
    struct mi_model model, again;
    struct export_ids ids;
    struct mi_error err;
    unsigned asked = 0;
    assert_true(export_model(&model, &ids));
    struct mi_tables *rows = &model.all.rows;
    assert_in_range(rows->tasks.count, 4, 255);
    model.list_values = two_values;
    model.values_of = &asked;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        rows->tasks.record_offset[t] = 1000 - 10 * (int64_t)t;
    wanted[1] = wanted[3] = 1;
    struct mi_snapshot_options options = {.values = wanted, .rename = hide};
    struct mi_sink bytes = snapshot_of(&model, &options);
    assert_in_range(asked, 2, 16); /* only those that are wanted were read */
    assert_true(read_back(&again, mi_sink_bytes(&bytes), &err));
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        struct seen seen = {.count = 0};
        mi_source_id source = again.all.rows.kernels.source[again.all.rows.tasks.kernel[t].v];
        bool has =
            again.list_values(again.values_of, source, 1000 - 10 * (int64_t)t, 0, see, &seen);
        assert_int_equal(has, wanted[t]);
        assert_int_equal(seen.count, wanted[t] ? 2 : 0);
        if (wanted[t])
            assert_string_equal(seen.text,
                                t == 1 ? "cycles=990 state=x! " : "cycles=970 state=x! ");
    }
    assert_false(again.list_values(again.values_of, (mi_source_id){99}, 990, 0, NULL, NULL));
    mi_model_fini(&again);
    mi_sink_fini(&bytes);
    mi_model_fini(&model);
}

static bool contains(struct mi_bytes bytes, struct mi_bytes part)
{
    for (size_t i = 0; i + part.len <= bytes.len; i++)
        if (memcmp(bytes.at + i, part.at, part.len) == 0)
            return true;
    return false;
}

static void names_can_be_replaced(void **state)
{
    (void)state;
    struct mi_model model, hidden;
    struct export_ids ids;
    struct mi_error err;
    assert_true(export_model(&model, &ids));
    struct mi_snapshot_options options = {.rename = hide};
    struct mi_sink bytes = snapshot_of(&model, &options);
    assert_true(read_back(&hidden, mi_sink_bytes(&bytes), &err));
    const struct mi_nodes *nodes = &hidden.all.rows.nodes;
    struct mi_bytes op = mi_model_text(&hidden, nodes->op[ids.conv.v]);
    assert_true(mi_bytes_equal(op, MI_LIT("Conv")));
    assert_true(mi_bytes_equal(mi_model_text(&hidden, nodes->name[ids.conv.v]), MI_LIT("x")));
    struct mi_bytes all = mi_sink_bytes(&bytes);
    assert_true(contains(all, MI_LIT("Conv")));
    assert_false(contains(all, MI_LIT("conv")));
    assert_false(contains(all, MI_LIT("<script>")));
    mi_model_fini(&hidden);
    mi_sink_fini(&bytes);
    mi_model_fini(&model);
}

/* A model that could be read is whole: every export gets through it. */
static void judge(struct mi_bytes bytes, unsigned *survivors)
{
    struct mi_model model;
    struct mi_error err;
    if (read_back(&model, bytes, &err)) {
        struct mi_sink out = export_all(&model);
        mi_sink_fini(&out);
        ++*survivors;
    } else {
        assert_int_equal(err.code, MI_EFORMAT);
    }
    mi_model_fini(&model);
}

static void damaged_ones_fail(void **state)
{
    (void)state;
    static uint8_t copy[MAX_BYTES];
    struct mi_model model;
    struct export_ids ids;
    unsigned survivors = 0;
    uint64_t seed = 42;
    assert_true(export_model(&model, &ids));
    static uint8_t wanted[256];
    unsigned asked = 0;
    memset(wanted, 1, sizeof wanted);
    model.list_values = two_values;
    model.values_of = &asked;
    for (uint32_t t = 1; t < model.all.rows.tasks.count; t++)
        model.all.rows.tasks.record_offset[t] = t;
    struct mi_snapshot_options options = {.values = wanted};
    struct mi_sink sink = snapshot_of(&model, &options);
    struct mi_bytes bytes = mi_sink_bytes(&sink);
    assert_in_range(bytes.len, 500, MAX_BYTES);
    for (size_t len = 0; len < bytes.len; len++)
        judge(mi_bytes_sub(bytes, 0, len), &survivors);
    assert_int_equal(survivors, 0);
    for (int i = 0; i < FLIPS; i++) {
        memcpy(copy, bytes.at, bytes.len);
        for (size_t flips = 1 + rng_below(&seed, 3); flips; flips--)
            copy[rng_below(&seed, bytes.len)] ^= (uint8_t)(1 << rng_below(&seed, 8));
        judge((struct mi_bytes){copy, bytes.len}, &survivors);
    }
    assert_in_range(survivors, 1, FLIPS - 1);
    mi_sink_fini(&sink);
    mi_model_fini(&model);
}

/* A word that no vocabulary has: whoever looked it up would read behind a list. */
static void words_stay_in_their_vocabulary(void **state)
{
    (void)state;
    struct mi_model model, again;
    struct export_ids ids;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(export_model(&model, &ids));
    model.all.rows.nodes.category[1] = 250;
    struct mi_sink sink = snapshot_of(&model, NULL);
    assert_true(mi_model_init(&again, &err));
    assert_false(mi_snapshot_read(&again, mi_sink_bytes(&sink), &err));
    assert_non_null(strstr(err.text, "nodes.category of row 1"));
    mi_model_fini(&again);
    mi_sink_fini(&sink);
    mi_model_fini(&model);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct mi_model model, again;
    struct export_ids ids;
    struct mi_error err = MI_ERROR_INIT;
    bool ok = false;
    assert_true(export_model(&model, &ids));
    for (long n = 0; !ok && n < 2000; n++) {
        struct mi_sink sink;
        mi_sink_init_memory(&sink);
        err = MI_ERROR_INIT;
        alloc_left = n;
        ok = mi_snapshot_write(&model, NULL, &sink, &err) && !mi_sink_failed(&sink);
        alloc_left = -1;
        mi_sink_fini(&sink);
    }
    assert_true(ok);
    struct mi_sink sink = snapshot_of(&model, NULL);
    ok = false;
    for (long n = 0; !ok && n < 2000; n++) {
        err = MI_ERROR_INIT;
        assert_true(mi_model_init(&again, &err));
        alloc_left = n;
        ok = mi_snapshot_read(&again, mi_sink_bytes(&sink), &err);
        alloc_left = -1;
        if (!ok)
            assert_int_equal(err.code, MI_ENOMEM);
        mi_model_fini(&again);
    }
    assert_true(ok);
    mi_sink_fini(&sink);
    mi_model_fini(&model);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_back_is_the_same),
        cmocka_unit_test(rows_can_be_left_out),
        cmocka_unit_test(values_of_records_come_along),
        cmocka_unit_test(names_can_be_replaced),
        cmocka_unit_test(damaged_ones_fail),
        cmocka_unit_test(words_stay_in_their_vocabulary),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
