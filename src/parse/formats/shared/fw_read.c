/* What the readers of framework models share; see the header. */
#include "parse/formats/shared/fw_read.h"

#include "base/mem.h"
#include "base/translate.h"

static uint32_t limit(uint32_t wanted, uint32_t usual)
{
    return wanted ? wanted : usual;
}

struct mi_fw mi_fw_init(const struct mi_source *src, struct mi_batch *out, struct mi_error *err)
{
    return (struct mi_fw){.src = src,
                          .out = out,
                          .err = err,
                          .broken = MI_ERROR_INIT,
                          .cut = MI_ERROR_INIT,
                          .max_depth = limit(src->limits.max_depth, 256),
                          .max_string_bytes = limit(src->limits.max_string_bytes, 16u << 20),
                          .max_rows = limit(src->limits.max_rows, UINT32_MAX - 1)};
}

bool mi_fw_step(struct mi_fw *fw, uint64_t offset)
{
    const struct mi_tables *rows = &fw->out->rows;
    if (fw->err->code)
        return false;
    if (mi_batch_failed(fw->out))
        return mi_fail_at(fw->err, fw->out->error.code, offset, 0, "%s", fw->out->error.text);
    if (rows->nodes.count > fw->max_rows || rows->values.count > fw->max_rows ||
        rows->ports.count > fw->max_rows || rows->items.count > fw->max_rows ||
        rows->dims.count > fw->max_rows)
        return mi_fail_at(fw->err, MI_ELIMIT, offset, 0, "more than %u rows in one table",
                          fw->max_rows);
    if (++fw->steps % 4096 == 0 && fw->src->progress && !fw->src->progress(fw->src->user, offset))
        return mi_fail_at(fw->err, MI_ECANCELLED, offset, 0, "stopped");
    return true;
}

bool mi_fw_finish(struct mi_fw *fw)
{
    if (mi_batch_failed(fw->out))
        mi_fail(fw->err, fw->out->error.code, "%s", fw->out->error.text);
    if (fw->broken.code)
        mi_fail_at(fw->err, fw->broken.code, fw->broken.offset, fw->broken.line, "%s",
                   fw->broken.text);
    if (fw->cut.code)
        mi_fail_at(fw->err, fw->cut.code, fw->cut.offset, 0, "the file ends too early (%s)",
                   fw->cut.text);
    return fw->err->code == MI_OK;
}

mi_str_id mi_fw_name(struct mi_fw *fw, struct mi_bytes text, uint64_t offset)
{
    if (text.len > fw->max_string_bytes) {
        mi_batch_diag(fw->out, MI_NOTICE, "framework.string_cut", offset, 0,
                      "a text of %zu bytes was cut to %u", text.len, fw->max_string_bytes);
        text.len = fw->max_string_bytes;
    }
    return mi_batch_str(fw->out, text);
}

void mi_fw_fact(struct mi_fw *fw, const char *name, struct mi_bytes text, uint64_t offset)
{
    if (!text.len)
        return;
    mi_str_id name_id = mi_batch_cstr(fw->out, name);
    mi_str_id text_id = mi_fw_name(fw, text, offset);
    mi_add_fact(fw->out, &(struct mi_fact_row){.name = name_id, .text = text_id});
}

void mi_fw_number_fact(struct mi_fw *fw, const char *name, int64_t number)
{
    mi_str_id name_id = mi_batch_cstr(fw->out, name);
    mi_str_id text_id = mi_batch_printf(fw->out, "%lld", (long long)number);
    mi_add_fact(fw->out, &(struct mi_fact_row){.name = name_id, .text = text_id});
}

mi_graph_id mi_fw_graph(struct mi_fw *fw, enum mi_graph_kind kind, mi_str_id name)
{
    return mi_add_graph(
        fw->out,
        &(struct mi_graph_row){.layer = MI_LAYER_FRAMEWORK, .kind = (uint8_t)kind, .name = name});
}

mi_value_id mi_fw_value(struct mi_fw *fw, mi_graph_id graph, mi_str_id name,
                        enum mi_value_kind kind, mi_node_id producer)
{
    return mi_add_value(fw->out, &(struct mi_value_row){.graph = graph,
                                                        .name = name,
                                                        .kind = (uint8_t)kind,
                                                        .producer = producer,
                                                        .data_offset = -1,
                                                        .data_bytes = -1});
}

void mi_fw_dim(struct mi_fw *fw, int64_t size, mi_str_id symbol, uint64_t offset, uint32_t *count)
{
    if (*count >= MI_FW_MAX_RANK) {
        mi_batch_diag(fw->out, MI_LOSS, "framework.rank", offset, 0,
                      "a tensor with more than %u dimensions; the others are left out",
                      MI_FW_MAX_RANK);
        return;
    }
    mi_add_dim(fw->out, &(struct mi_dim_row){.size = size < 0 ? -1 : size, .symbol = symbol});
    ++*count;
}

void mi_fw_attr(struct mi_fw *fw, mi_str_id name, enum mi_attr_kind kind, uint32_t first_item)
{
    mi_add_attr(fw->out,
                &(struct mi_attr_row){.name = name,
                                      .kind = (uint8_t)kind,
                                      .first_item = first_item,
                                      .item_count = mi_next_row(fw->out, items) - first_item});
}

void mi_fw_note(struct mi_fw *fw, const char *name, mi_str_id text)
{
    uint32_t first = mi_next_row(fw->out, items);
    mi_add_item(fw->out, &(struct mi_item_row){.text = text});
    mi_fw_attr(fw, mi_batch_cstr(fw->out, name), MI_ATTR_OPAQUE, first);
}

int64_t mi_fw_bytes(const struct mi_fw *fw, const struct mi_value_row *row, unsigned bits)
{
    const struct mi_dims *dims = &fw->out->rows.dims;
    int64_t count = 1;
    bool is_known =
        bits && row->has_shape && row->dim_count < MI_FW_MAX_RANK && !mi_batch_failed(fw->out);
    for (uint32_t i = 0; i < row->dim_count && is_known; i++) {
        int64_t size = dims->size[row->first_dim + i];
        is_known = size >= 0 && (size == 0 || count <= INT64_MAX / 256 / size);
        count = is_known ? count * size : 0;
    }
    return is_known ? (count * bits + 7) / 8 : -1;
}

void mi_fw_data_field(struct mi_fw_data *data, const struct mi_pb *pb, uint64_t start)
{
    if (data->field_count++ == 0) {
        data->type = (uint32_t)mi_pb_type(pb);
        data->start = start;
        if (mi_pb_type(pb) == MI_PB_LEN) {
            data->payload = pb->bytes;
            data->payload_at = mi_pb_payload_offset(pb);
        }
    }
    data->end = mi_pb_offset(pb);
}

void mi_fw_place(struct mi_fw *fw, const struct mi_fw_data *data, bool is_varint,
                 struct mi_value_row *row)
{
    bool is_packed = data->field_count == 1 && data->type == MI_PB_LEN;
    row->data_offset = row->data_bytes = -1;
    if (!data->field_count)
        return;
    row->data_offset = (int64_t)(is_packed ? data->payload_at : data->start);
    row->data_bytes = is_packed ? (int64_t)data->payload.len : (int64_t)(data->end - data->start);
    if (!is_packed)
        row->data_form = mi_batch_cstr(fw->out, "fields");
    else if (is_varint)
        row->data_form = mi_batch_cstr(fw->out, "varint");
}

bool mi_fw_is_word(struct mi_bytes text)
{
    size_t len = text.len < 256 ? text.len : 256;
    for (size_t i = 0; i < len; i++)
        if (text.at[i] <= ' ' || text.at[i] == 0x7f)
            return false;
    return len > 0;
}

bool mi_fw_room(struct mi_fw *fw, void *array, uint32_t count, uint32_t *room, size_t size)
{
    void *old;
    if (count < *room)
        return true;
    if (mi_batch_failed(fw->out))
        return false;
    uint32_t wanted = *room ? 2 * *room : 64;
    memcpy(&old, array, sizeof old);
    void *more = wanted > *room ? mi_mem_resize(old, wanted, size) : NULL;
    if (!more)
        return mi_batch_fail(fw->out, MI_ENOMEM, "out of memory for a graph");
    memcpy(array, &more, sizeof more);
    *room = wanted;
    return true;
}
