#include "pipeline/saved.h"

#include "model/snapshot.h"

const struct mi_item *mi_saved_find(const struct mi_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].is_named &&
            mi_bytes_starts(inputs->items[i].input.bytes, MI_LIT(MI_SNAPSHOT_MAGIC)))
            return &inputs->items[i];
    return NULL;
}

bool mi_saved_load(const struct mi_inputs *inputs, const struct mi_item *item,
                   struct mi_model *model, struct mi_error *err)
{
    if (inputs->count != 1) {
        mi_fail(err, MI_EUSAGE, "a saved baseline is a whole: it is not read beside other inputs");
        return mi_error_in(err, item->path);
    }
    return mi_snapshot_read(model, item->input.bytes, err) || mi_error_in(err, item->path);
}
