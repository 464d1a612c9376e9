/* Every row of readers.def: it claims its own samples and nobody else's, and whatever is cut off or
 * flipped in them ends in rows that are in order, or in an error with a place.
 *
 * Samples of a reader are the files of tests/data/<reader>/ and those of the shared folder that a
 * rule below gives to it. MI_FLIPS sets how many bits are flipped per reader (default 20,000); long
 * files are cut at fewer places then, too. A failure prints what brings it back. */
#include "alloc_fail.h"
#include "check_batch.h"
#include "reading.h"
#include "rng.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { MAX_FILES = 256, SMALL_BYTES = 4096, HANDY_BYTES = 128 << 10 };

#define LEVEL_1_RANK_0                                                                             \
    "samples/cann-profiling/pytorch_alexnet_2rank/text/level1/rank0_ascend_pt/"                    \
    "ASCEND_PROFILER_OUTPUT"

/* Shared samples, first rule that fits: folder, end of the name, reader. */
static const struct rule {
    const char *folder, *suffix, *reader;
} rules[] = {
    {"samples/onnxruntime", ".opt.onnx", "ort_onnx"},
    {"samples/onnxruntime", ".profile.json", "ort_profile"},
    {"samples/onnxruntime", ".partition.json", "ort_partition"},
    {"samples/onnxruntime", ".onnx", "onnx"},
    {"samples/cann-static/framework", ".onnx", "onnx"},
    {"samples/cann-profiling/mstt_2024", "kernel_details_arith.csv", "msprof_csv"},
    {"samples/cann-profiling/mstt_2024", "kernel_details_level0.csv", "msprof_csv"},
    {"samples/cann-profiling/op_summary_variant", ".csv", "msprof_csv"},
    {"samples/cann-profiling/metadata", ".json", "msprof_info"},
    {"samples/cann-profiling/pytorch_alexnet_2rank/text/level1/rank0_ascend_pt", ".json",
     "msprof_info"},
    {"samples/cann-profiling/aclgraph_debug", ".json", "acl_graph"},
    {"samples/cann-profiling/cluster_analysis_output", "communication_group.json", "msprof_info"},
    {"samples/cann-profiling/cluster_analysis_output", ".json", "msprof_communication"},
    {LEVEL_1_RANK_0, "trace_view.json", "chrome_trace"},
    {LEVEL_1_RANK_0, ".json", "msprof_communication"},
    {LEVEL_1_RANK_0, "kernel_details.csv", "msprof_csv"},
    {LEVEL_1_RANK_0, ".csv", "msprof_tables"},
    {"samples/cann-profiling/msprof_db_oldschema", ".db", "msprof_db"},
    {"samples/cann-profiling/msprof_multi_device", ".db", "msprof_db"},
    {"samples/cann-profiling/pytorch_alexnet_2rank/db/level1/rank0_ascend_pt/"
     "ASCEND_PROFILER_OUTPUT",
     ".db", "msprof_db"},
    {"samples/cann-profiling/mstt_2024", "trace_view.json", "chrome_trace"},
    {"samples/cann-profiling/trace_view_tiny", ".json", "chrome_trace"},
    {"samples/cann-static/om", "_ascend310b4.om", "om"},
    {"samples/cann-static/om", "_unfold.om", "om"},
    {"samples/cann-static/om", "_model.om", "om"},
    {"samples/cann-static/om-hiai", ".om", "om"},
    {"samples/cann-static/ge-dump", ".txt", "ge_proto"},
    {"samples/cann-static/ge-dump", ".pbtxt", "ge_onnx"},
    {"samples/cann-static/framework", ".pb", "tf_graph"},
    {"samples/cann-static/framework", "caffe_abs.pbtxt", "caffe"},
    {"samples/cann-static/framework", "caffe_add.pbtxt", "caffe"},
    {"samples/cann-static/framework", ".pbtxt", "tf_graph_text"},
};

struct file {
    char path[1024];
    char *reader; /* who must claim it; points into tests/data or a rule */
};

static struct file files[MAX_FILES];
static size_t file_count;

static void add_file(const char *folder, const char *name, const char *reader)
{
    struct stat info;
    struct file *file = &files[file_count];
    assert_true(file_count < MAX_FILES);
    int len = snprintf(file->path, sizeof file->path, "%s/%s", folder, name);
    assert_true(len > 0 && (size_t)len < sizeof file->path);
    if (stat(file->path, &info) || !S_ISREG(info.st_mode))
        return;
    file->reader = strdup(reader);
    file_count++;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static void add_folder(const char *folder, const char *suffix, const char *reader)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        const char *chosen = reader;
        if (!mi_bytes_ends(mi_cstr(entry->d_name), mi_cstr(suffix)))
            continue;
        for (size_t i = 0; *suffix && i < sizeof rules / sizeof *rules; i++)
            if (mi_bytes_ends(mi_cstr(folder), mi_cstr(rules[i].folder)) &&
                mi_bytes_ends(mi_cstr(entry->d_name), mi_cstr(rules[i].suffix))) {
                chosen = rules[i].reader;
                break;
            }
        if (strcmp(chosen, reader) == 0)
            add_file(folder, entry->d_name, reader);
    }
    closedir(dir);
}

static int gather(void **state)
{
    (void)state;
    char folder[1024];
    for (size_t i = 0; i < mi_reader_count; i++) {
        snprintf(folder, sizeof folder, "%s/tests/data/%s", MI_SOURCE_DIR, mi_readers[i]->name);
        add_folder(folder, "", mi_readers[i]->name);
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        snprintf(folder, sizeof folder, "%s", shared_path(rules[i].folder));
        add_folder(folder, rules[i].suffix, rules[i].reader);
    }
    qsort(files, file_count, sizeof *files, by_path);
    return 0;
}

static int release(void **state)
{
    (void)state;
    for (size_t i = 0; i < file_count; i++)
        free(files[i].reader);
    return 0;
}

static uint64_t flips_wanted(void)
{
    const char *text = getenv("MI_FLIPS");
    return text ? strtoull(text, NULL, 10) : 20000;
}

static void open_file(struct mi_input *input, const struct file *file)
{
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_input_open(input, file->path, NULL, &err))
        fail_msg("%s: %s", file->path, err.text);
}

static uint8_t *copy_of(struct mi_bytes bytes)
{
    uint8_t *copy = malloc(bytes.len ? bytes.len : 1); /* exact: sanitizers see a step beyond */
    assert_non_null(copy);
    if (bytes.len)
        memcpy(copy, bytes.at, bytes.len);
    return copy;
}

/* Reads `bytes` by force and checks what must hold. `what` and `number` say how they were damaged.
 * Returns the sum of all rows. */
static uint64_t check(const struct file *file, struct mi_bytes bytes, const char *what,
                      uint64_t number)
{
    struct reading r;
    reading_bytes(&r, mi_reader_find(file->reader), bytes, NULL, NULL);
    const char *complaint = check_batch(&r.batch);
    if (complaint)
        fail_msg("%s, %s %llu: %s", file->path, what, (unsigned long long)number, complaint);
    if (r.ok != (r.err.code == MI_OK))
        fail_msg("%s, %s %llu: result and error differ", file->path, what,
                 (unsigned long long)number);
    bool has_place = r.err.line || (r.err.offset != MI_NO_OFFSET && r.err.offset <= bytes.len);
    if ((r.err.code == MI_EFORMAT || r.err.code == MI_ETRUNCATED) && !has_place)
        fail_msg("%s, %s %llu: no place: %s", file->path, what, (unsigned long long)number,
                 r.err.text);
    if (number % 16 == 0) /* listing records is slow in some formats */
        touch_records(mi_reader_find(file->reader), &r.batch, bytes);
    uint64_t sum = sum_batch(&r.batch);
    mi_batch_fini(&r.batch);
    return sum;
}

static void each_has_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < mi_reader_count; i++) {
        size_t count = 0;
        for (size_t k = 0; k < file_count; k++)
            count += strcmp(files[k].reader, mi_readers[i]->name) == 0;
        print_message("%s: %zu samples\n", mi_readers[i]->name, count);
        if (count == 0)
            fail_msg("no samples in tests/data/%s", mi_readers[i]->name);
    }
}

static void claimed_by_its_reader(void **state)
{
    (void)state;
    for (size_t i = 0; i < file_count; i++) {
        struct mi_input input;
        const struct mi_reader *tied[2];
        open_file(&input, &files[i]);
        struct mi_probe probe = {.path = files[i].path,
                                 .head = mi_bytes_sub(input.bytes, 0, 4096),
                                 .bytes = input.bytes};
        const struct mi_reader *reader = mi_reader_detect(&probe, tied);
        if (tied[0])
            fail_msg("%s: %s or %s", files[i].path, tied[0]->name, tied[1]->name);
        if (!reader || strcmp(reader->name, files[i].reader) != 0)
            fail_msg("%s: claimed by %s, not by %s", files[i].path, reader ? reader->name : "none",
                     files[i].reader);
        mi_input_close(&input);
    }
}

/* The same rows wherever the bytes lie. */
static void repeatable(void **state)
{
    (void)state;
    for (size_t i = 0; i < file_count; i++) {
        struct mi_input input;
        open_file(&input, &files[i]);
        uint8_t *copy = copy_of(input.bytes);
        uint64_t sum = check(&files[i], input.bytes, "pass", 1);
        if (sum != check(&files[i], (struct mi_bytes){copy, input.bytes.len}, "pass", 2))
            fail_msg("%s: read twice, the rows differ", files[i].path);
        free(copy);
        mi_input_close(&input);
    }
}

static void cut_anywhere(void **state)
{
    (void)state;
    uint64_t cuts = flips_wanted() / 100 + 1;
    for (size_t i = 0; i < file_count; i++) {
        struct mi_input input;
        open_file(&input, &files[i]);
        size_t step = input.bytes.len <= SMALL_BYTES ? 1 : 97;
        if (step > 1 && input.bytes.len / step > cuts)
            step = input.bytes.len / (size_t)cuts;
        for (size_t len = 0; len < input.bytes.len; len += step) {
            uint8_t *copy = copy_of(mi_bytes_sub(input.bytes, 0, len));
            check(&files[i], (struct mi_bytes){copy, len}, "cut at", len);
            free(copy);
        }
        mi_input_close(&input);
    }
}

static void flip(uint8_t *bytes, size_t len, uint64_t seed)
{
    uint64_t random = seed;
    size_t count = 1 + rng_below(&random, 4);
    while (count--) {
        size_t bit = rng_below(&random, len * 8);
        bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
    }
}

/* The flips of one reader are shared out among its files of handy size. */
static void flip_bits_of(const char *reader)
{
    size_t chosen[MAX_FILES], count = 0;
    for (int pass = 0; pass < 2 && count == 0; pass++)
        for (size_t i = 0; i < file_count; i++) {
            struct stat info;
            if (strcmp(files[i].reader, reader) == 0 && stat(files[i].path, &info) == 0 &&
                info.st_size > 0 && (pass || info.st_size <= HANDY_BYTES))
                chosen[count++] = i;
        }
    for (size_t k = 0; k < count; k++) {
        struct mi_input input;
        const struct file *file = &files[chosen[k]];
        open_file(&input, file);
        uint8_t *copy = copy_of(input.bytes);
        for (uint64_t n = 0; n < flips_wanted() / count + 1; n++) {
            uint64_t seed = (n + 1) * UINT64_C(0x9e3779b97f4a7c15) + k;
            flip(copy, input.bytes.len, seed);
            check(file, (struct mi_bytes){copy, input.bytes.len}, "flip", n);
            flip(copy, input.bytes.len, seed);
        }
        free(copy);
        mi_input_close(&input);
    }
}

static void flipped_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < mi_reader_count; i++)
        flip_bits_of(mi_readers[i]->name);
}

/* What comes of the file when memory suffices: some samples are broken. */
static enum mi_code usual_code(const struct file *file, struct mi_bytes bytes)
{
    struct reading r;
    reading_bytes(&r, mi_reader_find(file->reader), bytes, NULL, NULL);
    mi_batch_fini(&r.batch);
    return r.err.code;
}

/* Each allocation fails once: the reader says so and frees what it has. */
static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < file_count; i++) {
        struct mi_input input;
        open_file(&input, &files[i]);
        bool is_done = input.bytes.len > SMALL_BYTES;
        enum mi_code usual = is_done ? MI_OK : usual_code(&files[i], input.bytes);
        for (long left = 0; !is_done; left++) {
            struct mi_batch batch;
            struct mi_error err = MI_ERROR_INIT;
            struct mi_source src = {.path = "test", .bytes = input.bytes, .role = ""};
            assert_true(mi_batch_init(&batch, src.bytes, &err));
            alloc_left = left;
            bool ok = mi_reader_find(files[i].reader)->read(&src, &batch, &err);
            is_done = alloc_left >= 0;
            alloc_left = -1;
            bool told = (!ok && err.code == MI_ENOMEM) || batch.error.code == MI_ENOMEM;
            if (!is_done && !told && !ok && err.code != usual)
                fail_msg("%s, allocation %ld: %s", files[i].path, left, err.text);
            mi_batch_fini(&batch);
        }
        mi_input_close(&input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_samples), cmocka_unit_test(claimed_by_its_reader),
        cmocka_unit_test(repeatable),       cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(flipped_bits),     cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, gather, release);
}
