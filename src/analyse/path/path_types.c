/* Types that flow through a node, in words. */
#include "analyse/path/path_types.h"

#include "analyse/deps.h"
#include "analyse/describe.h"

static void add_dtype(struct mi_dtype_set *set, struct mi_bytes dtype)
{
    for (unsigned i = 0; i < set->count; i++)
        if (mi_bytes_equal(set->list[i], dtype))
            return;
    if (dtype.len && set->count < MI_PATH_MAX_TYPES)
        set->list[set->count++] = dtype;
}

struct mi_cell mi_path_types_at(const struct mi_model *model, struct mi_arena *arena,
                                uint32_t first, uint32_t count, struct mi_dtype_set *set)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_words words = {.arena = arena};
    unsigned shown = 0;
    bool is_known = false;
    for (uint32_t i = first; i < first + count; i++) {
        mi_value_id value = mi_value_origin(model, rows->ports.value[i]);
        mi_node_id producer = rows->values.producer[value.v];
        if (!value.v || rows->ports.is_control[i] ||
            rows->values.kind[value.v] == MI_VALUE_CONSTANT ||
            (producer.v && mi_is_constant_node(model, producer)))
            continue;
        add_dtype(set, mi_describe_dtype(model, value));
        if (shown == MI_PATH_MAX_TYPES)
            mi_words_put(&words, MI_LIT("; ..."));
        if (shown++ >= MI_PATH_MAX_TYPES)
            continue;
        struct mi_bytes type = mi_describe_type(model, value, words.arena);
        is_known = is_known || type.len;
        mi_words_put(&words, shown > 1 ? MI_LIT("; ") : MI_LIT(""));
        mi_words_put(&words, type.len ? type : MI_LIT("?"));
    }
    return is_known ? mi_cell_text(mi_words_get(&words)) : mi_cell_none();
}

struct mi_bytes mi_path_changes(struct mi_arena *arena, const struct mi_dtype_set *in,
                                const struct mi_dtype_set *out)
{
    struct mi_words words = {.arena = arena};
    for (unsigned i = 0; i < in->count; i++)
        for (unsigned o = 0; o < out->count; o++) {
            if (mi_bytes_equal(in->list[i], out->list[o]))
                continue;
            mi_words_put(&words, words.len ? MI_LIT(", ") : MI_LIT(""));
            mi_words_put(&words, in->list[i]);
            mi_words_put(&words, MI_LIT(" -> "));
            mi_words_put(&words, out->list[o]);
        }
    return mi_words_get(&words);
}
