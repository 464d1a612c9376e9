/* Exports when memory runs out: whichever allocation fails, the export says so and leaks nothing;
 * or it did without, and then the files are the same. */
#include "alloc_fail.h"
#include "export_can.h"
#include "export_model.h"
#include "present/exporter.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MAX_FILES = 40, MAX_BYTES = 1 << 20 };

/* Keeps what is written without allocating. */
struct target {
    struct mi_target base;
    struct mi_sink sink;
    uint8_t bytes[MAX_BYTES];
    size_t len;
};

static bool keep(void *context, struct mi_bytes bytes, struct mi_error *err)
{
    struct target *target = context;
    if (bytes.len > MAX_BYTES - target->len)
        return mi_fail(err, MI_ELIMIT, "the test has too little room");
    memcpy(target->bytes + target->len, bytes.at, bytes.len);
    target->len += bytes.len;
    return true;
}

static struct mi_sink *open_target(struct mi_target *base, const char *name, struct mi_error *err)
{
    struct target *target = (struct target *)(void *)base;
    (void)name;
    (void)err;
    mi_sink_init_callback(&target->sink, keep, target);
    return &target->sink;
}

static bool close_target(struct mi_target *base, struct mi_error *err)
{
    struct target *target = (struct target *)(void *)base;
    bool ok = mi_sink_flush(&target->sink, err);
    mi_sink_fini(&target->sink);
    target->sink = (struct mi_sink){0};
    return ok;
}

static bool export_with(struct target *target, const struct mi_model *model,
                        const struct mi_exporter *exporter, long allocations, struct mi_error *err)
{
    struct mi_view view = {.model = model};
    target->base = (struct mi_target){open_target, close_target};
    target->len = 0;
    target->sink = (struct mi_sink){0};
    alloc_left = allocations;
    bool ok = exporter->write(&view, &target->base, err);
    alloc_left = -1;
    mi_sink_fini(&target->sink);
    return ok;
}

static void every_allocation_may_fail(void **state)
{
    static struct target whole, part;
    (void)state;
    struct mi_model model;
    struct export_ids ids;
    assert_true(export_model(&model, &ids));
    for (size_t f = 0; f < mi_exporter_count; f++) {
        if (!can_export(f))
            continue;
        struct mi_error err = MI_ERROR_INIT;
        bool ok = export_with(&whole, &model, mi_exporters[f], -1, &err);
        assert_true(ok);
        assert_true(whole.len > 0);
        ok = false;
        for (long n = 0; !ok && n < 500; n++) {
            err = MI_ERROR_INIT;
            ok = export_with(&part, &model, mi_exporters[f], n, &err);
            if (!ok && err.code != MI_ENOMEM)
                fail_msg("%s, allocation %ld: %s", mi_exporters[f]->name, n, err.text);
            if (ok && (part.len != whole.len || memcmp(part.bytes, whole.bytes, whole.len)))
                fail_msg("%s, allocation %ld: other bytes", mi_exporters[f]->name, n);
        }
        assert_true(ok);
    }
    mi_model_fini(&model);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
