/* Where exports go: all files or none, never over an input, progress and cancelling. */
#include "export_model.h"
#include "present/export_run.h"
#include "present/offline/offline.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct mi_model model;
    struct export_ids ids;
    char dir[64];
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_file(const char *path, const char *text)
{
    char content[256] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(content, text);
}

static unsigned files_in(const char *path)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.' || (entry->d_name[1] && entry->d_name[1] != '.');
    closedir(dir);
    return count;
}

static int set_up(void **state)
{
    static struct fixture f;
    snprintf(f.dir, sizeof f.dir, "/tmp/mi-export-XXXXXX");
    *state = &f;
    return mkdtemp(f.dir) && chdir(f.dir) == 0 && export_model(&f.model, &f.ids) ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[96];
    mi_model_fini(&f->model);
    snprintf(command, sizeof command, "rm -rf '%s'", f->dir);
    return chdir("/") || system(command);
}

static void a_folder_is_made_and_filled(void **state)
{
    struct fixture *f = *state;
    struct mi_view view = {.model = &f->model};
    unsigned files = 0;
    for (size_t i = 0; i < mi_exporter_count; i++) {
        struct mi_error err = MI_ERROR_INIT;
        char name[64], path[160];
        if (mi_exporters[i] == &mi_exporter_html && !mi_offline_can())
            continue; /* built without a compiler for the page */
        assert_true(mi_export_dir(&view, mi_exporters[i], "a/b", NULL, &err));
        for (size_t k = 0; mi_export_file_name(mi_exporters[i], k, name); k++) {
            snprintf(path, sizeof path, "a/b/%s", name);
            assert_int_equal(access(path, R_OK), 0);
            files++;
        }
    }
    assert_int_equal(files_in("a/b"), files); /* and no others, as a half-written one would be */
    assert_true(files > MI_TABLE_COUNT);
}

/* The model says that it was read from dir/net.onnx. */
static void an_input_is_not_overwritten(void **state)
{
    struct fixture *f = *state;
    struct mi_view view = {.model = &f->model};
    static const char *const paths[] = {"dir/net.onnx", "link", "./dir/../dir/net.onnx",
                                        "dir/capture.json"};
    assert_int_equal(mkdir("dir", 0777), 0);
    write_file("dir/net.onnx", "precious");
    write_file("dir/capture.json", "precious");
    assert_int_equal(symlink("dir/net.onnx", "link"), 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct mi_error err = MI_ERROR_INIT;
        assert_false(mi_export_file(&view, &mi_exporter_dot, paths[i], NULL, &err));
        assert_int_equal(err.code, MI_EUSAGE);
        assert_string_equal(err.input, paths[i]);
        assert_file("dir/net.onnx", "precious");
        assert_file("dir/capture.json", "precious");
    }
    assert_int_equal(files_in("dir"), 2);
}

struct cancel {
    uint64_t after_bytes, seen;
};

static bool tick(void *user, uint64_t written_bytes)
{
    struct cancel *cancel = user;
    assert_true(written_bytes > cancel->seen);
    cancel->seen = written_bytes;
    return written_bytes <= cancel->after_bytes;
}

static void a_stopped_export_leaves_what_was_there(void **state)
{
    struct fixture *f = *state;
    struct mi_view view = {.model = &f->model};
    struct mi_error err = MI_ERROR_INIT;
    struct cancel cancel = {.after_bytes = 1};
    struct mi_export_options options = {tick, &cancel};
    assert_int_equal(mkdir("old", 0777), 0);
    write_file("old/graph.json", "old");
    assert_false(mi_export_dir(&view, &mi_exporter_json, "old", &options, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_true(cancel.seen > 1);
    assert_file("old/graph.json", "old");
    assert_int_equal(files_in("old"), 1);
}

static void a_place_that_cannot_be_written_is_named(void **state)
{
    struct fixture *f = *state;
    struct mi_view view = {.model = &f->model};
    struct mi_error err = MI_ERROR_INIT;
    write_file("plain", "");
    assert_false(mi_export_dir(&view, &mi_exporter_json, "plain/sub", NULL, &err));
    assert_non_null(strstr(err.input, "plain"));
    err = MI_ERROR_INIT;
    assert_false(mi_export_file(&view, &mi_exporter_dot, "missing/x.dot", NULL, &err));
    assert_non_null(strstr(err.input, "missing/x.dot"));
    err = MI_ERROR_INIT;
    assert_false(mi_export_file(&view, &mi_exporter_dot, "/dev/full", NULL, &err));
    assert_int_equal(err.code, MI_EIO);
    err = MI_ERROR_INIT;
    assert_true(mi_export_file(&view, &mi_exporter_dot, "/dev/null", NULL, &err));
}

static void a_sink_of_the_callers_is_used(void **state)
{
    struct fixture *f = *state;
    struct mi_view view = {.model = &f->model};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_sink sink;
    mi_sink_init_memory(&sink);
    assert_true(mi_export_sink(&view, &mi_exporter_dot, &sink, NULL, &err));
    assert_true(mi_bytes_starts(mi_sink_bytes(&sink), MI_LIT("// model-inspector-dot/1\n")));
    mi_sink_fini(&sink);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_folder_is_made_and_filled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_input_is_not_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stopped_export_leaves_what_was_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_that_cannot_be_written_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sink_of_the_callers_is_used, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
