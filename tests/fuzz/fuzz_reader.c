/* One reader, named by FUZZ_READER: any bytes end in rows that are in order, or in an error. What
 * was read is then merged into a model and frozen, as the program would do. */
#include "check_batch.h"
#include "fuzz.h"
#include "model/model.h"
#include "parse/reader.h"

#include <stdio.h>

static void merge(struct mi_batch *batch, struct mi_bytes bytes)
{
    struct mi_model model;
    struct mi_error err = MI_ERROR_INIT;
    must(mi_model_init(&model, &err));
    mi_source_id source =
        mi_model_add_source(&model, &(struct mi_source_row){.size_bytes = 1}, bytes, &err);
    must(source.v && mi_model_merge(&model, source, batch, &err));
    must(mi_model_index_graphs(&model, &err) && mi_model_freeze(&model, &err));
    mi_model_fini(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mi_reader *reader = mi_reader_find(FUZZ_READER), *tied[2];
    struct mi_bytes bytes = {data, size};
    struct mi_probe probe = {.path = "fuzz", .head = mi_bytes_sub(bytes, 0, 4096), .bytes = bytes};
    struct mi_source src = {.path = "fuzz", .bytes = bytes, .role = ""};
    struct mi_batch batch;
    struct mi_error err = MI_ERROR_INIT;
    mi_reader_detect(&probe, tied);
    must(tied[0] == NULL);
    must(mi_batch_init(&batch, bytes, &err));
    bool ok = reader->read(&src, &batch, &err);
    must(ok == (err.code == MI_OK) && !mi_batch_failed(&batch));
    const char *complaint = check_batch(&batch);
    if (complaint)
        fprintf(stderr, "%s\n", complaint);
    must(!complaint);
    touch_records(reader, &batch, bytes);
    merge(&batch, bytes);
    mi_batch_fini(&batch);
    return 0;
}
