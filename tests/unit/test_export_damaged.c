/* Exports of damaged inputs: whatever a reader makes of a capture with flipped bits, every exporter
 * writes it, the JSON ones as valid JSON. */
#include "export_can.h"
#include "present/exporter.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

enum { ROUNDS = 120, FLIPS_MOST = 12 };

static const char *const names[] = {"model.onnx", "optimised.onnx", "profile.json"};

struct content {
    uint8_t bytes[1 << 16];
    size_t len;
};

static void read_file(const char *folder, const char *name, struct content *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    content->len = fread(content->bytes, 1, sizeof content->bytes, file);
    assert_in_range(content->len, 1, sizeof content->bytes - 1);
    fclose(file);
}

static void write_file(const char *name, const struct content *content)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content->bytes, 1, content->len, file), content->len);
    fclose(file);
}

/* --- a target that judges --- */

struct judge {
    struct mi_target base;
    struct mi_sink sink;
    bool is_json;
};

static struct mi_sink *open_judge(struct mi_target *base, const char *name, struct mi_error *err)
{
    struct judge *judge = (struct judge *)(void *)base;
    (void)err;
    mi_sink_init_memory(&judge->sink);
    judge->is_json = strstr(name, ".json") != NULL;
    return &judge->sink;
}

static bool close_judge(struct mi_target *base, struct mi_error *err)
{
    struct judge *judge = (struct judge *)(void *)base;
    struct mi_bytes bytes = mi_sink_bytes(&judge->sink);
    bool ok = mi_sink_flush(&judge->sink, err);
    if (judge->is_json) {
        json_error_t error;
        json_t *doc = json_loadb((const char *)bytes.at, bytes.len, JSON_ALLOW_NUL, &error);
        if (!doc)
            fail_msg("%s at %d", error.text, error.position);
        json_decref(doc);
    }
    mi_sink_fini(&judge->sink);
    return ok;
}

static void export_all(const struct mi_session *session)
{
    struct mi_view view = {.session = session, .model = mi_session_model(session)};
    for (size_t f = 0; f < mi_exporter_count; f++) {
        if (!can_export(f))
            continue;
        struct mi_error err = MI_ERROR_INIT;
        struct judge judge = {.base = {open_judge, close_judge}};
        if (!mi_exporters[f]->write(&view, &judge.base, &err))
            fail_msg("%s: %s", mi_exporters[f]->name, err.text);
    }
}

/* Loads the three files of the current folder; true if anything in them could be read. */
static bool load_and_export(void)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session = mi_session_new(&(struct mi_session_options){.jobs = 1}, &err);
    assert_non_null(session);
    bool ok = true;
    for (int i = 0; i < 3; i++)
        ok = mi_session_add(session, names[i], &err) && ok;
    ok = ok && mi_session_load(session, &err);
    if (ok)
        export_all(session);
    mi_session_free(session);
    return ok;
}

static void damaged_captures_are_exported(void **state)
{
    (void)state;
    char folder[] = "/tmp/mi-damaged-XXXXXX", command[64];
    struct content *whole = calloc(3, sizeof *whole);
    uint64_t rng = 2024;
    int loaded = 0;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++)
        read_file(MI_SOURCE_DIR "/tests/data/capture/small", names[i], &whole[i]);
    assert_int_equal(chdir(folder), 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 3; i++) {
            static struct content damaged;
            damaged = whole[i];
            for (size_t flips = rng_below(&rng, FLIPS_MOST); flips; flips--)
                damaged.bytes[rng_below(&rng, damaged.len)] ^= (uint8_t)(1u << rng_below(&rng, 8));
            write_file(names[i], &damaged);
        }
        loaded += load_and_export();
    }
    assert_true(loaded > ROUNDS / 2);
    free(whole);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(chdir("/") || system(command), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_captures_are_exported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
