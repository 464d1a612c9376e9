/* The model: everything known about one capture. Written by the pipeline, frozen once, then
 * read-only; any number of threads read a frozen model without locks. Knows no file format and no
 * policy. */
#ifndef MI_MODEL_MODEL_H
#define MI_MODEL_MODEL_H

#include "model/batch.h"
#include "model/index.h"

/* Receives one named value of a record; `text` is a number where `is_number`. */
typedef void mi_value_fn(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number);

struct mi_model {
    struct mi_batch all; /* the merged rows; matchers add link rows to it */
    struct mi_bytes
        *files; /* [rows.sources.count] bytes of each source, borrowed from the pipeline */
    struct mi_index
        index; /* lookups; parts of it are built before correlating, the rest by freeze */
    /* Lists the values of one record of a source: `offset` and `size_bytes` are those of a task,
     * slice, note or statistic. Set by the pipeline with `values_of`; NULL: records cannot be
     * read. False if there is no such record or its format has none. */
    bool (*list_values)(void *values_of, mi_source_id source, int64_t offset, uint32_t size_bytes,
                        mi_value_fn *fn, void *user);
    void *values_of;
    struct mi_kept_values *kept; /* values that came along in a snapshot; NULL: none did */
    int64_t start_unix_ns;       /* capture time 0, nanoseconds since 1970; 0 = not known */
    bool frozen;
};

bool mi_model_init(struct mi_model *model, struct mi_error *err);
void mi_model_fini(struct mi_model *model);

void mi_kept_values_free(struct mi_kept_values *kept);

/* Adds the row of one input and remembers its bytes, which must outlive the model. */
mi_source_id mi_model_add_source(struct mi_model *model, const struct mi_source_row *row,
                                 struct mi_bytes bytes, struct mi_error *err);

/* Appends all rows of `batch`, which belongs to `source`, and empties it. Ids are shifted, strings
 * re-interned; an ID column that names no source gets `source`. Merging in the same order gives the
 * same model, whoever filled the batches. */
bool mi_model_merge(struct mi_model *model, mi_source_id source, struct mi_batch *batch,
                    struct mi_error *err);

/* Lookups over graphs, names and values; call after the last merge, before correlating. */
bool mi_model_index_graphs(struct mi_model *model, struct mi_error *err);

/* Sorts tasks and slices by (track, start_ns, longer first, order of the file), renumbers what
 * points to them, builds the lookups over links. Nothing may be added afterwards. */
bool mi_model_freeze(struct mi_model *model, struct mi_error *err);

/* --- reading --- */

static inline struct mi_bytes mi_model_text(const struct mi_model *model, mi_str_id id)
{
    return mi_strings_get(&model->all.strings, id);
}

/* Whether the reader of that name read the source. */
static inline bool mi_source_is_read_by(const struct mi_model *model, uint32_t source,
                                        const char *reader)
{
    return mi_bytes_equal(mi_model_text(model, model->all.rows.sources.reader[source]),
                          mi_cstr(reader));
}

/* The bytes of a source's record, for example a task's; empty when it is not known or out of range.
 */
struct mi_bytes mi_model_record(const struct mi_model *model, mi_source_id source, int64_t offset,
                                int64_t size_bytes);

static inline enum mi_layer mi_node_layer(const struct mi_model *model, mi_node_id node)
{
    const struct mi_tables *rows = &model->all.rows;
    return (enum mi_layer)rows->graphs.layer[rows->nodes.graph[node.v].v];
}

/* True if the model has at least one graph of this layer (tasks: rows.tasks.count > 1). */
bool mi_model_has_layer(const struct mi_model *model, enum mi_layer layer);

#endif
