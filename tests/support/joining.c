#include "joining.h"

void joining_init(struct joining *joining)
{
    *joining = (struct joining){.err = MI_ERROR_INIT};
    mi_model_init(&joining->model, &joining->err);
}

static void merge(struct joining *joining, struct reading *reading, const char *reader,
                  struct mi_bytes bytes, const char *path)
{
    struct mi_source_row row = {.path = mi_batch_cstr(&joining->model.all, path),
                                .reader = mi_batch_cstr(&joining->model.all, reader)};
    mi_source_id source = mi_model_add_source(&joining->model, &row, bytes, &joining->err);
    mi_model_merge(&joining->model, source, &reading->batch, &joining->err);
}

bool joining_file(struct joining *joining, const char *reader, const char *path)
{
    struct reading *reading = &joining->readings[joining->count];
    if (joining->count >= JOINING_MAX || !reading_file(reading, mi_reader_find(reader), path))
        return false;
    joining->count++;
    merge(joining, reading, reader, reading->input.bytes, path);
    return true;
}

void joining_bytes(struct joining *joining, const char *reader, struct mi_bytes bytes,
                   const char *path)
{
    struct reading *reading = &joining->readings[joining->count++];
    reading_bytes(reading, mi_reader_find(reader), bytes, NULL, NULL);
    merge(joining, reading, reader, bytes, path);
}

bool joining_run(struct joining *joining)
{
    return mi_model_index_graphs(&joining->model, &joining->err) &&
           mi_correlate(&joining->model, &joining->err) &&
           mi_model_freeze(&joining->model, &joining->err);
}

void joining_fini(struct joining *joining)
{
    mi_model_fini(&joining->model);
    for (uint32_t i = 0; i < joining->count; i++)
        reading_fini(&joining->readings[i]);
}
