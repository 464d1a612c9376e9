/* Values of the records of tasks, which otherwise stay in the input files:
 *
 *   number        tasks with values; per task, in the order of their rows:
 *   number        its row, as the difference to the one before
 *   number        values; per value: number of its name's string, of its text's string, u8 whether
 *                 that text is a number */
#include "base/mem.h"
#include "model/snapshot_parts.h"

#include <stdlib.h>

/* --- writing --- */

static bool list_values(const struct mi_snapshot_writing *w, uint32_t task, mi_value_fn *fn,
                        void *user)
{
    const struct mi_tables *rows = &w->model->all.rows;
    const uint8_t *wanted = w->options->values;
    return w->model->list_values && wanted && wanted[task] &&
           rows->tasks.record_offset[task] >= 0 && mi_snapshot_row(w, MI_T_tasks, task) &&
           w->model->list_values(
               w->model->values_of, rows->kernels.source[rows->tasks.kernel[task].v],
               rows->tasks.record_offset[task], rows->tasks.record_bytes[task], fn, user);
}

struct value {
    uint32_t name, text;
};

static struct value number_value(struct mi_snapshot_writing *w, struct mi_bytes name,
                                 struct mi_bytes text, bool is_number)
{
    return (struct value){mi_snapshot_text(w, MI_S_WORD, name),
                          mi_snapshot_text(w, is_number ? MI_S_WORD : MI_S_NAME, text)};
}

static void number_one(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    number_value(user, name, text, is_number);
}

void mi_snapshot_number_values(struct mi_snapshot_writing *w)
{
    for (uint32_t t = 1; t < w->model->all.rows.tasks.count; t++)
        list_values(w, t, number_one, w);
}

static void count_one(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    (void)name, (void)text, (void)is_number;
    ++*(uint32_t *)user;
}

static void write_one(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct mi_snapshot_writing *w = user;
    struct value value = number_value(w, name, text, is_number);
    mi_snapshot_put(w->sink, value.name);
    mi_snapshot_put(w->sink, value.text);
    mi_sink_byte(w->sink, is_number);
}

void mi_snapshot_write_values(struct mi_snapshot_writing *w)
{
    uint32_t count = w->model->all.rows.tasks.count, tasks = 0, before = 0;
    for (uint32_t t = 1; t < count; t++)
        tasks += list_values(w, t, NULL, NULL);
    mi_snapshot_put(w->sink, tasks);
    for (uint32_t t = 1; t < count; t++) {
        uint32_t values = 0, row = mi_snapshot_row(w, MI_T_tasks, t);
        if (!list_values(w, t, NULL, NULL))
            continue;
        list_values(w, t, count_one, &values);
        mi_snapshot_put(w->sink, row - before);
        mi_snapshot_put(w->sink, values);
        list_values(w, t, write_one, w);
        before = row;
    }
}

/* --- what is kept of them --- */

struct record {
    int64_t offset;
    uint32_t source, first, count; /* of the values */
};

struct kept_value {
    mi_str_id name, text;
    bool is_number;
};

struct mi_kept_values {
    const struct mi_model *model;
    struct record *records; /* in the order of source and offset */
    struct kept_value *values;
    uint32_t record_count, value_count, value_room;
};

void mi_kept_values_free(struct mi_kept_values *kept)
{
    if (!kept)
        return;
    mi_mem_free(kept->records);
    mi_mem_free(kept->values);
    mi_mem_free(kept);
}

static int compare(const struct record *a, uint32_t source, int64_t offset)
{
    if (a->source != source)
        return a->source < source ? -1 : 1;
    return (a->offset > offset) - (a->offset < offset);
}

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    int order = compare(x, y->source, y->offset);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

static bool list_kept(void *values_of, mi_source_id source, int64_t offset, uint32_t size_bytes,
                      mi_value_fn *fn, void *user)
{
    const struct mi_kept_values *kept = values_of;
    uint32_t from = 0, to = kept->record_count;
    (void)size_bytes;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const struct record *record = &kept->records[middle];
        int order = compare(record, source.v, offset);
        if (order == 0) {
            for (uint32_t v = 0; fn && v < record->count; v++) {
                const struct kept_value *value = &kept->values[record->first + v];
                fn(user, mi_model_text(kept->model, value->name),
                   mi_model_text(kept->model, value->text), value->is_number);
            }
            return true;
        }
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* --- reading --- */

static bool read_value(struct mi_snapshot_reading *r, struct mi_kept_values *kept)
{
    uint64_t name, text;
    uint32_t strings = r->model->all.strings.count;
    if (!mi_snapshot_get(r, &name) || !mi_snapshot_get(r, &text))
        return false;
    if (name >= strings || text >= strings || r->at == r->end || *r->at > 1)
        return mi_fail(r->err, MI_EFORMAT, "the snapshot is damaged: a value of a record");
    if (kept->value_count == kept->value_room) {
        uint32_t room = kept->value_room ? kept->value_room * 2 : 256;
        struct kept_value *values =
            room > kept->value_room ? mi_mem_resize(kept->values, room, sizeof *values) : NULL;
        if (!values)
            return mi_fail(r->err, MI_ENOMEM, "out of memory for values");
        kept->values = values;
        kept->value_room = room;
    }
    kept->values[kept->value_count++] =
        (struct kept_value){{(uint32_t)name}, {(uint32_t)text}, *r->at++};
    return true;
}

static bool read_record(struct mi_snapshot_reading *r, struct mi_kept_values *kept, uint64_t *task)
{
    const struct mi_tables *rows = &r->model->all.rows;
    uint64_t step;
    uint32_t count;
    if (!mi_snapshot_get(r, &step) || !mi_snapshot_get_count(r, &count))
        return false;
    if (step >= rows->tasks.count || *task + step >= rows->tasks.count)
        return mi_fail(r->err, MI_EFORMAT, "the snapshot is damaged: a record without a task");
    *task += step;
    kept->records[kept->record_count++] =
        (struct record){.offset = rows->tasks.record_offset[*task],
                        .source = rows->kernels.source[rows->tasks.kernel[*task].v].v,
                        .first = kept->value_count,
                        .count = count};
    for (uint32_t v = 0; v < count; v++)
        if (!read_value(r, kept))
            return false;
    return true;
}

bool mi_snapshot_read_values(struct mi_snapshot_reading *r)
{
    uint32_t count;
    uint64_t task = 0;
    if (!mi_snapshot_get_count(r, &count))
        return false;
    struct mi_kept_values *kept = r->model->kept = mi_mem_zero(1, sizeof *kept);
    if (kept)
        kept->records = mi_mem_zero(count, sizeof *kept->records);
    if (!kept || !kept->records)
        return mi_fail(r->err, MI_ENOMEM, "out of memory for values");
    kept->model = r->model;
    for (uint32_t i = 0; i < count; i++)
        if (!read_record(r, kept, &task))
            return false;
    qsort(kept->records, count, sizeof *kept->records, compare_records);
    r->model->list_values = list_kept;
    r->model->values_of = kept;
    return true;
}
