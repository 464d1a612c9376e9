/* Folders and output files: order, limits, links in a circle, all-or-nothing writes. */
#include "base/files.h"
#include "base/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc_fail.h"

static char folder[] = "/tmp/mi-test-files-XXXXXX";

static const char *in(const char *name)
{
    static char path[2][300];
    static unsigned turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *name)
{
    assert_true(mi_file_write(in(name), mi_cstr(name), NULL));
}

static int make_tree(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || !mi_make_dirs(in("tree/b/deep/deeper"), NULL))
        return -1;
    put("tree/b/file");
    put("tree/b/deep/x");
    put("tree/b/deep/deeper/y");
    put("tree/a");
    put("tree/B");
    put("tree/\xff");
    put("tree/b.txt");
    return symlink("..", in("tree/b/up")) || symlink("nowhere", in("tree/dead")) ||
           symlink("a", in("tree/link"));
}

static int remove_tree(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void folders_are_listed_in_byte_order(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_dir dir;
    static const char *const want[] = {"B", "a", "b", "b.txt", "dead", "link", "\xff"};
    assert_true(mi_dir_read(&dir, in("tree"), 7, &err));
    assert_int_equal(dir.count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(dir.entries[i].name, want[i]);
    assert_int_equal(dir.entries[0].kind, MI_FILE_REGULAR);
    assert_int_equal(dir.entries[0].size_bytes, 6);
    assert_true(dir.entries[0].mtime_ns > INT64_C(1500000000000000000));
    assert_int_equal(dir.entries[2].kind, MI_FILE_DIR);
    assert_int_equal(dir.entries[4].kind, MI_FILE_DEAD_END);
    assert_int_equal(dir.entries[5].kind, MI_FILE_REGULAR);
    assert_true(dir.entries[5].is_link && !dir.entries[2].is_link);
    mi_dir_free(&dir);
    assert_false(mi_dir_read(&dir, in("tree"), 6, &err));
    assert_int_equal(err.code, MI_ELIMIT);
    err = MI_ERROR_INIT;
    assert_false(mi_dir_read(&dir, in("missing"), 6, &err));
    assert_int_equal(err.code, MI_ENOTFOUND);
    assert_string_equal(err.input, in("missing"));
}

static void walked(uint32_t max_depth, const char *want, uint32_t too_deep)
{
    char got[1000] = "";
    size_t used = 0, root = strlen(in("tree")) + 1;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_walk walk;
    assert_true(mi_walk_open(&walk, in("tree"), max_depth, 100, &err));
    while (mi_walk_next(&walk, &err))
        used += (size_t)snprintf(got + used, sizeof got - used, "%u:%s ", (unsigned)walk.depth,
                                 walk.path + root);
    assert_int_equal(err.code, MI_OK);
    assert_string_equal(got, want);
    assert_int_equal(walk.too_deep, too_deep);
    assert_false(mi_walk_next(&walk, &err));
    mi_walk_close(&walk);
}

static void trees_are_walked_in_order(void **state)
{
    (void)state;
    walked(10,
           "0:B 0:a 0:b 1:b/deep 2:b/deep/deeper 3:b/deep/deeper/y 2:b/deep/x 1:b/file 1:b/up "
           "0:b.txt 0:dead 0:link 0:\xff ",
           0);
    walked(1, "0:B 0:a 0:b 1:b/deep 1:b/file 1:b/up 0:b.txt 0:dead 0:link 0:\xff ", 1);
    walked(0, "0:B 0:a 0:b 0:b.txt 0:dead 0:link 0:\xff ", 1);
    struct mi_error err = MI_ERROR_INIT;
    struct mi_walk walk;
    assert_true(mi_walk_open(&walk, in("tree"), 10, 8, &err));
    while (mi_walk_next(&walk, &err))
        ;
    assert_int_equal(err.code, MI_ELIMIT);
    mi_walk_close(&walk);
    err = MI_ERROR_INIT;
    assert_false(mi_walk_open(&walk, in("tree/a"), 10, 8, &err));
    assert_int_equal(err.code, MI_ENOTFOUND);
}

static void folders_that_refuse_are_counted(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_walk walk;
    assert_true(mi_make_dirs(in("walls/closed"), &err));
    assert_true(mi_walk_open(&walk, in("walls"), 10, 8, &err));
    assert_true(mi_walk_next(&walk, &err));
    assert_int_equal(rmdir(in("walls/closed")), 0); /* gone before it is entered */
    assert_false(mi_walk_next(&walk, &err));
    assert_int_equal(err.code, MI_OK);
    assert_int_equal(walk.unreadable, 1);
    mi_walk_close(&walk);
}

static void content_is(const char *name, const char *want, size_t len)
{
    struct mi_input input;
    assert_true(mi_input_open(&input, in(name), NULL, NULL));
    assert_int_equal(input.bytes.len, len);
    assert_memory_equal(input.bytes.at, want, len);
    mi_input_close(&input);
}

static void files_appear_complete(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_writer writer;
    struct mi_dir dir;
    assert_true(mi_make_dirs(in("out"), &err));
    put("out/old");
    assert_true(mi_writer_open(&writer, in("out/old"), &err));
    assert_true(mi_writer_put(&writer, MI_LIT("new ")));
    content_is("out/old", "out/old", 7);
    assert_true(mi_writer_send(&writer, MI_LIT("bytes"), &err));
    assert_true(mi_writer_commit(&writer, &err));
    content_is("out/old", "new bytes", 9);
    assert_true(mi_writer_open(&writer, in("out/never"), &err));
    assert_true(mi_writer_put(&writer, MI_LIT("x")));
    mi_writer_abort(&writer);
    mi_writer_abort(&writer);
    assert_false(mi_writer_put(&writer, MI_LIT("x")));
    assert_true(mi_dir_read(&dir, in("out"), 10, &err));
    assert_int_equal(dir.count, 1);
    mi_dir_free(&dir);
    mode_t mask = umask(0);
    umask(mask);
    struct stat st;
    assert_int_equal(stat(in("out/old"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(err.code, MI_OK);
}

static void other_peoples_files_are_left_alone(void **state)
{
    (void)state;
    char name[100];
    snprintf(name, sizeof name, "taken.%ld-0.tmp", (long)getpid());
    put(name);
    put("taken");
    content_is("taken", "taken", 5);
    content_is(name, name, strlen(name));
}

static void long_files_are_written(void **state)
{
    (void)state;
    size_t len = 400000;
    char *bytes = malloc(len);
    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)('a' + i % 23);
    struct mi_writer writer;
    assert_true(mi_writer_open(&writer, in("long"), NULL));
    size_t steps[] = {1, 100, 65535, 65536, 65537, 3, 200000};
    size_t at = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_true(mi_writer_put(&writer, (struct mi_bytes){(uint8_t *)bytes + at, steps[i]}));
        at += steps[i];
    }
    assert_int_equal(writer.written_bytes, at);
    assert_true(mi_writer_commit(&writer, NULL));
    content_is("long", bytes, at);
    free(bytes);
}

static void links_and_devices_are_written_through(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct stat st;
    put("target");
    assert_int_equal(symlink("target", in("pointer")), 0);
    assert_true(mi_file_write(in("pointer"), MI_LIT("through"), &err));
    content_is("target", "through", 7);
    assert_true(lstat(in("pointer"), &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(mi_file_write("/dev/null", MI_LIT("away"), &err));
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    if (stat("/dev/full", &st) == 0) {
        assert_false(mi_file_write("/dev/full", MI_LIT("x"), &err));
        assert_int_equal(err.code, MI_EIO);
        assert_string_equal(err.input, "/dev/full");
    }
    err = MI_ERROR_INIT;
    assert_false(mi_file_write(folder, MI_LIT("x"), &err));
    assert_int_equal(err.code, MI_EIO);
    err = MI_ERROR_INIT;
    assert_false(mi_file_write(in("missing/x"), MI_LIT("x"), &err));
    assert_int_equal(err.code, MI_ENOTFOUND);
}

static void folders_are_made(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct stat st;
    assert_true(mi_make_dirs(in("p/q//r/"), &err));
    assert_true(stat(in("p/q/r"), &st) == 0 && S_ISDIR(st.st_mode));
    assert_true(mi_make_dirs(in("p/q"), &err));
    assert_true(mi_make_dirs("/", &err));
    put("p/file");
    assert_false(mi_make_dirs(in("p/file/x"), &err));
    assert_int_equal(err.code, MI_EIO);
    assert_string_equal(err.input, in("p/file"));
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bool done = false;
    for (long n = 0; !done; n++) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_walk walk;
        alloc_left = n;
        if (mi_walk_open(&walk, in("tree"), 10, 100, &err)) {
            while (mi_walk_next(&walk, &err))
                ;
            mi_walk_close(&walk);
        }
        done = alloc_left > 0;
        alloc_left = -1;
        assert_true(err.code == MI_OK || (!done && err.code == MI_ENOMEM));
        assert_true(n < 200);
    }
    done = false;
    for (long n = 0; !done; n++) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_dir dir;
        assert_true(mi_make_dirs(in("memory"), NULL));
        alloc_left = n;
        bool ok =
            mi_make_dirs(in("memory"), &err) && mi_file_write(in("memory/file"), MI_LIT("x"), &err);
        done = alloc_left > 0;
        alloc_left = -1;
        assert_true(ok || (!done && err.code == MI_ENOMEM));
        assert_true(mi_dir_read(&dir, in("memory"), 10, NULL));
        assert_int_equal(dir.count, ok);
        mi_dir_free(&dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_listed_in_byte_order),
        cmocka_unit_test(trees_are_walked_in_order),
        cmocka_unit_test(folders_that_refuse_are_counted),
        cmocka_unit_test(files_appear_complete),
        cmocka_unit_test(other_peoples_files_are_left_alone),
        cmocka_unit_test(long_files_are_written),
        cmocka_unit_test(links_and_devices_are_written_through),
        cmocka_unit_test(folders_are_made),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
