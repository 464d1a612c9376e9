/* Merging a batch into the model: append every column, shift ids, re-intern strings. */
#include "base/mem.h"
#include "model/model.h"

/* The model's id of each string of the batch: [batch->strings.count], or NULL when out of memory.
 */
static uint32_t *map_strings(struct mi_model *model, const struct mi_batch *batch)
{
    uint32_t *map = mi_mem_new(batch->strings.count, sizeof *map);
    if (!map)
        return NULL;
    map[0] = 0;
    bool failed = false;
    /* The batch's own copies move to the model with its arena, so every string can be borrowed. */
    for (uint32_t i = 1; i < batch->strings.count; i++)
        map[i] = mi_strings_add(&model->all.strings, mi_batch_text(batch, (mi_str_id){i}), false,
                                &failed)
                     .v;
    if (failed) {
        mi_mem_free(map);
        return NULL;
    }
    return map;
}

/* From so many strings on a batch's are worth taking over, while the model has at most so many
 * rows that name its own. */
enum { MANY_STRINGS = 1024, FEW_ROWS = 1024 };

static bool should_take(const struct mi_model *model, const struct mi_batch *batch)
{
    uint64_t rows = 0;
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        rows += mi_any_table_of(&model->all.rows, (enum mi_table_no)t)->count - 1;
    return batch->strings.count >= MANY_STRINGS &&
           batch->strings.count >= model->all.strings.count && rows <= FEW_ROWS;
}

/* Rewrites every string of the model's rows. */
static void renumber_strings(struct mi_tables *rows, const uint32_t *map)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        const struct mi_table_info *info = &mi_table_infos[t];
        struct mi_any_table *table = mi_any_table(rows, (enum mi_table_no)t);
        for (unsigned c = 0; c < info->column_count && table->count > 1; c++) {
            if (info->columns[c].kind != MI_KIND_STR)
                continue;
            uint32_t *list = mi_column_array(table, &info->columns[c]);
            for (uint32_t row = 1; row < table->count; row++)
                list[row] = map[list[row]];
        }
    }
}

/* Makes the batch's strings the model's, and adds the few that the model had: a huge first batch is
 * not hashed again, and no second pool stands beside the first. */
static bool take_strings(struct mi_model *model, struct mi_batch *batch)
{
    struct mi_strings *own = &model->all.strings, *taken = &batch->strings;
    uint32_t *map = mi_mem_new(own->count, sizeof *map);
    bool failed = map == NULL;
    for (uint32_t i = 1; i < own->count && !failed; i++)
        map[i] = mi_strings_add(taken, mi_strings_get(own, (mi_str_id){i}), false, &failed).v;
    if (!failed) {
        map[0] = 0;
        renumber_strings(&model->all.rows, map);
        mi_arena_adopt(&taken->arena, &own->arena);
        struct mi_strings swap = *own;
        *own = *taken;
        *taken = swap;
    }
    mi_mem_free(map);
    return !failed;
}

struct shift {
    uint32_t add;        /* for ID and FIRST */
    uint32_t if_none;    /* value of an ID column that is 0 */
    const uint32_t *map; /* for STR; NULL = they stay */
};

/* Zeros that stay zeros are not written: they may take no memory. */
static void shift_u32(uint32_t *list, uint32_t count, struct shift shift)
{
    if (!shift.if_none &&
        ((!shift.map && !shift.add) || mi_mem_is_zero(list, count * sizeof *list)))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i])
            list[i] = shift.map ? shift.map[list[i]] : list[i] + shift.add;
        else if (shift.if_none)
            list[i] = shift.if_none;
    }
}

/* Moves the arrays of the batch's table into the model's, which has no rows yet: a huge first batch
 * is not copied. */
static void take_table(struct mi_any_table *to, struct mi_any_table *from,
                       const struct mi_table_info *info)
{
    for (unsigned c = 0; c < info->column_count; c++) {
        uint8_t *a = (uint8_t *)to + info->columns[c].array_at;
        uint8_t *b = (uint8_t *)from + info->columns[c].array_at;
        uint8_t swap[sizeof(void *)];
        memcpy(swap, a, sizeof swap);
        memcpy(a, b, sizeof swap);
        memcpy(b, swap, sizeof swap);
    }
    struct mi_any_table counts = *to;
    *to = *from;
    *from = counts;
}

/* Copies rows 1 .. of the batch's table behind the model's. Each column is given up once it is
 * copied, so that hardly anything is there twice. */
static bool copy_table(struct mi_tables *rows, enum mi_table_no which, struct mi_any_table *from)
{
    uint32_t count = from->count - 1;
    if (!mi_table_reserve(rows, which, count))
        return false;
    struct mi_any_table *to = mi_any_table(rows, which);
    const struct mi_table_info *info = &mi_table_infos[which];
    for (unsigned c = 0; c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        uint8_t *dst = (uint8_t *)mi_column_array(to, column) + to->count * column->size;
        const uint8_t *src = (const uint8_t *)mi_column_array(from, column) + column->size;
        if (to->count >= to->used)
            mi_mem_sparse_copy(dst, src, (size_t)count * column->size);
        else
            memcpy(dst, src, (size_t)count * column->size);
        mi_column_clear(from, column);
    }
    to->count += count;
    to->used = to->count > to->used ? to->count : to->used;
    return true;
}

/* Appends one table. `before`: row counts of the model's tables before this merge. */
static bool append_table(struct mi_model *model, enum mi_table_no which, struct mi_batch *batch,
                         mi_source_id source, const uint32_t *before, const uint32_t *strings)
{
    struct mi_tables *rows = &model->all.rows;
    struct mi_any_table *from = mi_any_table(&batch->rows, which), *to = mi_any_table(rows, which);
    const struct mi_table_info *info = &mi_table_infos[which];
    if (from->count == 1)
        return true;
    if (to->count == 1)
        take_table(to, from, info);
    else if (!copy_table(rows, which, from))
        return false;
    uint32_t first = before[which], count = to->count - first;
    for (unsigned c = 0; c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        bool is_ref = column->kind == MI_KIND_ID || column->kind == MI_KIND_FIRST;
        if (column->kind != MI_KIND_STR && !is_ref)
            continue;
        uint32_t *list = (uint32_t *)mi_column_array(to, column) + first;
        struct shift shift = {.map = is_ref ? NULL : strings};
        if (is_ref)
            shift.add = before[column->extra] - 1;
        if (column->kind == MI_KIND_ID && column->extra == MI_T_sources)
            shift.if_none = source.v;
        shift_u32(list, count, shift);
    }
    mi_table_clear(&batch->rows, which);
    return true;
}

bool mi_model_merge(struct mi_model *model, mi_source_id source, struct mi_batch *batch,
                    struct mi_error *err)
{
    struct mi_tables *rows = &model->all.rows;
    uint32_t before[MI_TABLE_COUNT];
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        before[t] = mi_any_table(rows, (enum mi_table_no)t)->count;
    bool is_taken = should_take(model, batch);
    uint32_t *strings = is_taken ? NULL : map_strings(model, batch);
    bool ok = is_taken ? take_strings(model, batch) : strings != NULL;
    mi_arena_adopt(&model->all.strings.arena, &batch->strings.arena);
    for (int t = 0; ok && t < MI_TABLE_COUNT; t++)
        ok = append_table(model, (enum mi_table_no)t, batch, source, before, strings);
    mi_mem_free(strings);
    if (ok && source.v) {
        rows->sources.records_in[source.v] += batch->counts.in;
        rows->sources.records_kept[source.v] += batch->counts.kept;
        rows->sources.records_skipped[source.v] += batch->counts.skipped;
        rows->sources.records_lost[source.v] += batch->counts.lost;
    }
    mi_batch_fini(batch);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while merging the inputs");
}
