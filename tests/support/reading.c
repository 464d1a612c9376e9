/* Runs one reader over bytes or over a file; see the header. */
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>

static void read_input(struct reading *reading, const struct mi_reader *reader, const char *role,
                       const struct mi_limits *limits)
{
    struct mi_source src = {.path = reading->input.path ? reading->input.path : "test",
                            .bytes = reading->input.bytes,
                            .role = role ? role : ""};
    if (limits)
        src.limits = *limits;
    if (!mi_batch_init(&reading->batch, src.bytes, &reading->err))
        abort();
    reading->ok = reader->read(&src, &reading->batch, &reading->err);
}

void reading_bytes(struct reading *reading, const struct mi_reader *reader, struct mi_bytes bytes,
                   const char *role, const struct mi_limits *limits)
{
    *reading = (struct reading){.input = {.bytes = bytes}, .err = MI_ERROR_INIT};
    read_input(reading, reader, role, limits);
}

bool reading_file(struct reading *reading, const struct mi_reader *reader, const char *path)
{
    struct mi_error err = MI_ERROR_INIT;
    *reading = (struct reading){.err = MI_ERROR_INIT};
    if (!mi_input_open(&reading->input, path, NULL, &err))
        return false;
    if (!reader) {
        const struct mi_reader *tied[2];
        struct mi_bytes bytes = reading->input.bytes;
        struct mi_probe probe = {
            .path = path, .head = mi_bytes_sub(bytes, 0, 4096), .bytes = bytes};
        reader = mi_reader_detect(&probe, tied);
    }
    if (reader) {
        read_input(reading, reader, "", NULL);
        return true;
    }
    mi_input_close(&reading->input);
    return false;
}

void reading_fini(struct reading *reading)
{
    mi_batch_fini(&reading->batch);
    mi_input_close(&reading->input);
}

const char *shared_path(const char *below)
{
    static char path[4096];
    const char *root = getenv("MI_SHARED");
    if (root)
        snprintf(path, sizeof path, "%s/%s", root, below);
    else
        snprintf(path, sizeof path, "%s/../shared/%s", MI_SOURCE_DIR, below);
    return path;
}

int64_t reading_diag(const struct reading *reading, const char *code)
{
    const struct mi_batch *batch = &reading->batch;
    for (uint32_t i = 1; i < batch->rows.diags.count; i++)
        if (mi_bytes_equal(mi_batch_text(batch, batch->rows.diags.code[i]), mi_cstr(code)))
            return batch->rows.diags.times[i];
    return 0;
}
