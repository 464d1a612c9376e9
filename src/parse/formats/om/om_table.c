/* .om: header and partition tables. */
#include "base/mem.h"
#include "parse/formats/om/om_read.h"

#include <stdio.h>

const char *mi_om_partition_name(uint32_t type)
{
    static const char *const names[] = {[0] = "MODEL_DEF",
                                        [1] = "WEIGHTS_DATA",
                                        [2] = "TASK_INFO",
                                        [3] = "TBE_KERNELS",
                                        [4] = "CUST_AICPU_KERNELS",
                                        [5] = "SO_BINS",
                                        [6] = "FLOW_MODEL",
                                        [7] = "FLOW_SUBMODEL",
                                        [8] = "MODEL_INOUT_INFO",
                                        [9] = "STATIC_TASK_DESC",
                                        [10] = "DYNAMIC_TASK_DESC",
                                        [11] = "TASK_PARAM",
                                        [12] = "TILING_DATA",
                                        [20] = "PRE_MODEL_DESC",
                                        [21] = "PRE_MODEL_SQE",
                                        [22] = "PRE_KERNEL_ARGS",
                                        [23] = "PRE_MODEL_DESC_EXTEND",
                                        [24] = "BUNDLE_MODEL_INFO",
                                        [25] = "BUNDLE_MODEL_VAR_INFO",
                                        [26] = "CUSTOM_OPS"};
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

static struct mi_bytes padded(struct mi_bytes bytes, size_t from, size_t len)
{
    struct mi_bytes text = mi_bytes_sub(bytes, from, len);
    size_t used = 0;
    while (used < text.len && text.at[used])
        used++;
    return mi_bytes_sub(text, 0, used);
}

/* --- tables --- */

struct entry {
    uint32_t type;
    uint64_t offset, size;
};

static uint64_t table_bytes(uint32_t count, bool is_wide)
{
    return is_wide ? 8 + UINT64_C(24) * count : 4 + UINT64_C(12) * count;
}

static struct entry entry_at(const uint8_t *table, uint32_t i, bool is_wide)
{
    const uint8_t *at = table + (is_wide ? 8 + (size_t)24 * i : 4 + (size_t)12 * i);
    if (is_wide)
        return (struct entry){mi_load_u32le(at), mi_load_u64le(at + 8), mi_load_u64le(at + 16)};
    return (struct entry){mi_load_u32le(at), mi_load_u32le(at + 4), mi_load_u32le(at + 8)};
}

/* 0: no table of this width; 1: one whose partitions leave the file; 2: one that fits; 3: one whose
 * partitions stand back to back, too, as writers lay them. */
static int rate(const struct om *o, uint64_t at, bool is_wide)
{
    struct mi_bytes b = o->file.bytes;
    if (at > b.len || b.len - at < 4)
        return 0;
    uint32_t count = mi_load_u32le(b.at + at);
    if (count < 1 || count > OM_MAX_PARTITIONS || table_bytes(count, is_wide) > b.len - at)
        return 0;
    bool is_bundle = !o->header.is_old && o->header.model_type == OM_TYPE_BUNDLE;
    uint64_t data = is_bundle ? at : at + table_bytes(count, is_wide);
    uint64_t running = is_bundle ? table_bytes(count, is_wide) : 0;
    int rating = 3;
    for (uint32_t i = 0; i < count; i++) {
        struct entry e = entry_at(b.at + at, i, is_wide);
        if (e.type >= 64)
            return 0;
        if (e.offset > b.len - data || e.size > b.len - data - e.offset)
            rating = 1;
        else if (e.offset != running && rating == 3)
            rating = 2;
        running += e.size;
    }
    return rating;
}

/* The header tells the width; where that makes no sense the other one is tried. */
static int choose_width(const struct om *o, uint64_t at, bool *is_wide)
{
    bool hint = !o->header.is_old &&
                (o->header.model_type == OM_TYPE_FLOW || o->header.model_type == OM_TYPE_BUNDLE ||
                 o->header.model_length != 0);
    int hinted = rate(o, at, hint), other = rate(o, at, !hint);
    bool is_other = hinted == 0 || (hinted < 3 && other == 3);
    *is_wide = is_other ? !hint : hint;
    return is_other ? other : hinted;
}

static void add_part(struct om *o, struct om_table *table, struct entry e, uint64_t data,
                     uint64_t *running)
{
    uint64_t size = o->file.bytes.len;
    struct om_part part = {.type = e.type, .at = size};
    if (e.offset <= size - data)
        part.at = data + e.offset;
    else if (*running <= size) /* what CANN's loader goes by */
        part.at = *running;
    part.is_clipped = e.size > size - part.at;
    part.bytes =
        mi_bytes_sub(o->file.bytes, (size_t)part.at, part.is_clipped ? SIZE_MAX : (size_t)e.size);
    if (part.is_clipped) {
        const char *name = mi_om_partition_name(e.type);
        mi_batch_diag(
            o->out, MI_LOSS, "om.partition_clipped", om_at(o, part.at), 0,
            "the partition %s should have %llu bytes, but the file ends after %zu of them",
            name ? name : "of unknown type", (unsigned long long)e.size, part.bytes.len);
        mi_fail_at(&o->cut, MI_ETRUNCATED, om_at(o, size), 0, "inside the partition %s",
                   name ? name : "of unknown type");
    }
    *running = part.at + part.bytes.len;
    if (*running > table->end)
        table->end = *running;
    bool may_repeat = e.type == OM_FLOW_SUBMODEL || e.type == OM_BUNDLE_MODEL;
    if (!may_repeat && mi_om_find(table, e.type))
        mi_batch_diag(o->out, MI_NOTICE, "om.partition_twice", om_at(o, part.at), 0,
                      "more than one partition of type %u; the first is read", e.type);
    if (!mi_om_partition_name(e.type))
        mi_batch_diag(o->out, MI_INFO, "om.partition_unknown", om_at(o, part.at), 0,
                      "a partition of the unknown type %u", e.type);
    table->parts[table->count++] = part;
}

bool mi_om_table(struct om *o, uint64_t at, bool is_first, struct om_table *table)
{
    struct mi_bytes b = o->file.bytes;
    *table = (struct om_table){.end = at};
    if (!choose_width(o, at, &table->is_wide)) {
        if (is_first)
            mi_fail_at(&o->broken, at + 8 > b.len ? MI_ETRUNCATED : MI_EFORMAT,
                       om_at(o, at < b.len ? at : b.len), 0,
                       "there is no partition table behind the header");
        return false;
    }
    uint32_t count = mi_load_u32le(b.at + at);
    bool is_bundle = !o->header.is_old && o->header.model_type == OM_TYPE_BUNDLE;
    uint64_t data = at + (is_bundle ? 0 : table_bytes(count, table->is_wide)), running = data;
    table->parts = mi_mem_new(count, sizeof *table->parts);
    if (!table->parts)
        return mi_batch_fail(o->out, MI_ENOMEM, "out of memory for partitions");
    for (uint32_t i = 0; i < count; i++)
        add_part(o, table, entry_at(b.at + at, i, table->is_wide), data, &running);
    return true;
}

const struct om_part *mi_om_find(const struct om_table *table, uint32_t type)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->parts[i].type == type)
            return &table->parts[i];
    return NULL;
}

/* --- header --- */

static bool has_table(struct om *o, const struct om_header *header)
{
    bool is_wide;
    o->header = *header;
    return choose_width(o, header->head_bytes, &is_wide) > 0;
}

bool mi_om_header(struct om *o, struct om_header *header)
{
    struct mi_bytes b = o->file.bytes;
    *header = (struct om_header){.model_num = 1};
    if (!mi_bytes_starts(b, MI_LIT("IMOD")))
        return mi_fail_at(&o->broken, MI_EFORMAT, om_at(o, 0), 0,
                          "this is no .om file: it does not begin with IMOD");
    if (b.len < OM_HEADER_BYTES)
        return mi_fail_at(&o->broken, MI_ETRUNCATED, om_at(o, b.len), 0,
                          "the file ends inside its header (%zu of 256 bytes)", b.len);
    header->head_bytes = mi_load_u32le(b.at + 4);
    header->version = mi_load_u32le(b.at + 8);
    header->length = mi_load_u32le(b.at + 76);
    header->is_encrypted = b.at[80];
    header->model_type = b.at[82];
    header->name = padded(b, 84, 32);
    header->ir_version = mi_load_u32le(b.at + 152);
    header->is_old = header->version < OM_NEW_VERSION;
    if (header->is_old) {
        header->platform = padded(b, 156, 20);
        header->platform_type = b.at[176];
    } else {
        header->model_num = mi_load_u32le(b.at + 156);
        header->platform = padded(b, 160, 20);
        header->platform_type = b.at[180];
        header->model_length = mi_load_u64le(b.at + 184);
        header->is_dynamic = b.at[193];
    }
    if (header->model_num == 0)
        header->model_num = 1;
    if (header->head_bytes != OM_HEADER_BYTES &&
        (header->head_bytes < OM_HEADER_BYTES || !has_table(o, header))) {
        mi_batch_diag(o->out, MI_NOTICE, "om.header_size", om_at(o, 4), 0,
                      "the header says that it has %u bytes; taken for 256", header->head_bytes);
        header->head_bytes = OM_HEADER_BYTES;
    }
    return true;
}
