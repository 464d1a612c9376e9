/* A model of 800 MB is read without its weights: the pages that hold them stay untouched. The file
 * is sparse, so it costs no disk. */
#include "onnx_writer.h"
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static const struct onnx_plan plan = {
    .nodes = 400, .branches = 4, .width = 1000000, .weights = 200, .weight_bytes = 4000000};

static char path[1024];

static int make(void **state)
{
    (void)state;
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/test_onnx_XXXXXX", folder ? folder : "/tmp");
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    return !file || onnx_write_plan(file, &plan) || fclose(file);
}

static int drop(void **state)
{
    (void)state;
    return unlink(path);
}

static long page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* Pages of the mapping that are in memory at all, read ahead or touched. */
static size_t resident_pages(struct mi_bytes bytes, size_t page)
{
    size_t count = (bytes.len + page - 1) / page, resident = 0;
    unsigned char *pages = malloc(count);
    assert_non_null(pages);
    assert_int_equal(mincore((void *)(uintptr_t)bytes.at, bytes.len, pages), 0);
    for (size_t i = 0; i < count; i++)
        resident += pages[i] & 1;
    free(pages);
    return resident;
}

static void weights_stay_on_disk(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct reading reading;
    long before = page_faults();
    assert_true(reading_file(&reading, NULL, path));
    long faults = page_faults() - before;
    size_t pages = reading.input.bytes.len / page;
    assert_true(reading.ok && reading.input.is_mapped);
    assert_true(reading.input.bytes.len > 800000000);
    assert_int_equal(reading.batch.rows.nodes.count - 1, 404);
    size_t resident = resident_pages(reading.input.bytes, page);
    print_message("%ld page faults and %zu of %zu pages in memory\n", faults, resident, pages);
    assert_true(faults < 4000);         /* a few for each weight's name, the rest for the rows */
    assert_true(resident < pages / 10); /* the kernel reads ahead of what is touched */
    reading_fini(&reading);
}

/* Rows say where each weight lies, far beyond what was read. */
static void weights_have_their_place(void **state)
{
    (void)state;
    struct reading reading;
    assert_true(reading_file(&reading, NULL, path));
    const struct mi_values *values = &reading.batch.rows.values;
    int64_t end = 0;
    int count = 0;
    for (uint32_t i = 1; i < values->count; i++)
        if (values->kind[i] == MI_VALUE_CONSTANT) {
            assert_true(values->data_offset[i] > end);
            assert_int_equal(values->data_bytes[i], 4000000);
            end = values->data_offset[i] + values->data_bytes[i];
            count++;
        }
    assert_int_equal(count, 200);
    assert_true(end > 800000000 && (uint64_t)end < reading.input.bytes.len);
    reading_fini(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_stay_on_disk),
        cmocka_unit_test(weights_have_their_place),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
