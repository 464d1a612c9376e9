/* Snapshots, which saved baselines and one-file reports are: any bytes behind the head end in a
 * model that is in order, or in an error. The head is put in front here, since it depends on the
 * tables of this version. What was read can be written anew, exported, and asked by all passes. */
#include "analyse/pass.h"
#include "fuzz.h"
#include "model/snapshot.h"
#include "present/exporter.h"

enum { HEAD = 16 }; /* magic and shape */

struct kept {
    struct mi_target base;
    struct mi_sink sink;
};

static struct mi_sink *open_kept(struct mi_target *base, const char *name, struct mi_error *err)
{
    (void)name, (void)err;
    struct kept *kept = (struct kept *)(void *)base;
    mi_sink_init_memory(&kept->sink);
    return &kept->sink;
}

static bool close_kept(struct mi_target *base, struct mi_error *err)
{
    (void)err;
    struct kept *kept = (struct kept *)(void *)base;
    touch(mi_sink_bytes(&kept->sink));
    mi_sink_fini(&kept->sink);
    return true;
}

static void export_all(const struct mi_model *model)
{
    struct mi_view view = {.model = model};
    struct mi_error err = MI_ERROR_INIT;
    for (size_t e = 0; e < mi_exporter_count; e++) {
        struct kept kept = {.base = {open_kept, close_kept}};
        if (mi_exporters[e] != &mi_exporter_sqlite && mi_exporters[e] != &mi_exporter_html)
            must(mi_exporters[e]->write(&view, &kept.base, &err));
    }
}

static void ask_all(const struct mi_model *model)
{
    for (size_t p = 0; p < mi_pass_count; p++) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_report report;
        mi_report_init(&report);
        must(mi_pass_run(mi_passes[p], model, NULL, &report, &err) || err.code != MI_OK);
        mi_report_fini(&report);
    }
}

/* What is written of a model that was read is the same, written once more. */
static void write_again(const struct mi_model *model)
{
    struct mi_sink first, second;
    struct mi_model again;
    struct mi_error err = MI_ERROR_INIT;
    mi_sink_init_memory(&first);
    mi_sink_init_memory(&second);
    must(mi_snapshot_write(model, NULL, &first, &err) && mi_model_init(&again, &err));
    must(mi_snapshot_read(&again, mi_sink_bytes(&first), &err));
    must(mi_snapshot_write(&again, NULL, &second, &err));
    must(mi_bytes_equal(mi_sink_bytes(&first), mi_sink_bytes(&second)));
    mi_model_fini(&again);
    mi_sink_fini(&first);
    mi_sink_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(HEAD + size);
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    must(bytes != NULL);
    memcpy(bytes, MI_SNAPSHOT_MAGIC, HEAD / 2);
    for (int i = 0; i < HEAD / 2; i++)
        bytes[HEAD / 2 + i] = (uint8_t)(mi_snapshot_shape() >> 8 * i);
    if (size)
        memcpy(bytes + HEAD, data, size);
    must(mi_model_init(&model, &err));
    if (mi_snapshot_read(&model, (struct mi_bytes){bytes, HEAD + size}, &err)) {
        write_again(&model);
        export_all(&model);
        ask_all(&model);
    } else {
        must(err.code != MI_OK);
    }
    mi_model_fini(&model);
    free(bytes);
    return 0;
}
