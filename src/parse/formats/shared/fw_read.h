/* What the readers of framework models share: limits, names, attributes, progress, and how a
 * reading ends. Private to the readers of TensorFlow, Caffe, MindIR and PyTorch graphs. */
#ifndef MI_PARSE_FORMATS_FW_READ_H
#define MI_PARSE_FORMATS_FW_READ_H

#include "base/pb_wire.h"
#include "parse/reader.h"

#define MI_FW_MAX_ITEMS 65536u /* elements of one attribute that become rows */
#define MI_FW_MAX_RANK  1024u  /* dimensions of one tensor that become rows */

struct mi_fw {
    const struct mi_source *src;
    struct mi_batch *out;
    struct mi_error *err;
    struct mi_error broken; /* first damage that hides the rest of the file */
    struct mi_error cut;    /* where the file ends too early; MI_OK if it does not */
    uint32_t max_depth, max_string_bytes, max_rows;
    uint32_t steps; /* since the last report of progress */
};

struct mi_fw mi_fw_init(const struct mi_source *src, struct mi_batch *out, struct mi_error *err);

/* One more record; false: stop (memory, limits, cancelled), and fw->err says why. */
bool mi_fw_step(struct mi_fw *fw, uint64_t offset);

/* Ends a reading: failures of our own come first, then damage, then a missing end. */
bool mi_fw_finish(struct mi_fw *fw);

/* A name as a string of the batch, cut to the limit. */
mi_str_id mi_fw_name(struct mi_fw *fw, struct mi_bytes text, uint64_t offset);

/* Something the file says about itself; an empty text is none. */
void mi_fw_fact(struct mi_fw *fw, const char *name, struct mi_bytes text, uint64_t offset);
void mi_fw_number_fact(struct mi_fw *fw, const char *name, int64_t number);

/* The row of a graph of the framework. */
mi_graph_id mi_fw_graph(struct mi_fw *fw, enum mi_graph_kind kind, mi_str_id name);

/* The row of a tensor without type, shape or data. */
mi_value_id mi_fw_value(struct mi_fw *fw, mi_graph_id graph, mi_str_id name,
                        enum mi_value_kind kind, mi_node_id producer);

/* Adds a dimension behind those of the shape at hand; *count counts them. */
void mi_fw_dim(struct mi_fw *fw, int64_t size, mi_str_id symbol, uint64_t offset, uint32_t *count);

/* An attribute made of the items from `first_item` to the last. */
void mi_fw_attr(struct mi_fw *fw, mi_str_id name, enum mi_attr_kind kind, uint32_t first_item);

/* An attribute of one text, for what stands beside the attributes proper. */
void mi_fw_note(struct mi_fw *fw, const char *name, mi_str_id text);

/* Number of bytes of elements of `bits` bits in the shape of `row`; -1 unknown. */
int64_t mi_fw_bytes(const struct mi_fw *fw, const struct mi_value_row *row, unsigned bits);

/* Where the numbers of a tensor lie that a protobuf message holds, gathered field by field: call
 * with each field that holds numbers and the offset of its tag. */
struct mi_fw_data {
    unsigned field_count;
    uint32_t type; /* wire type of the first field */
    struct mi_bytes payload;
    uint64_t payload_at;
    uint64_t start, end; /* of all fields, tags included */
};

void mi_fw_data_field(struct mi_fw_data *data, const struct mi_pb *pb, uint64_t start);

/* Fills data_offset, data_bytes and data_form; `is_varint`: packed elements are varints. */
void mi_fw_place(struct mi_fw *fw, const struct mi_fw_data *data, bool is_varint,
                 struct mi_value_row *row);

/* First bytes of a name for a message: arguments of "%.*s". */
#define MI_FW_SHOW(name)                                                                           \
    (int)((name).len < 80 ? (name).len : 80), (name).len ? (const char *)(name).at : ""

/* The same cursor with an error of its own: damage inside it stays inside. */
static inline struct mi_pb mi_fw_apart(struct mi_pb pb, struct mi_error *err)
{
    *err = MI_ERROR_INIT;
    pb.err = err;
    return pb;
}

/* Whether `text` could be an operator type: no blanks, no control characters, not empty. */
bool mi_fw_is_word(struct mi_bytes text);

/* Room for one more element in an array of `size` bytes each; false: out of memory, which the batch
 * knows then. */
bool mi_fw_room(struct mi_fw *fw, void *array, uint32_t count, uint32_t *room, size_t size);

#endif
