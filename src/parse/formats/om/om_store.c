/* .om: partitions that are neither graphs nor tasks nor weights: code becomes rows of `binaries`,
 * all else becomes facts.
 *
 *   kernels      {u32 magic, u32 name_len, u32 bin_len, name, bin}, to the end
 *   SO_BINS      u32 count, {u32 magic, u16 name_len, u16 type, u32 vendor_len, u32 bin_len, name,
 *                vendor, bin}
 *   MODEL_INOUT  {u32 type, u32 length, value}; of inputs and outputs: u32 count, {u64 size, u32
 *                format, u32 dtype, u32 name_len, u32 dims_len, u32 dims_v2_len, u32 range_len,
 *                name, i64 dims ...}, packed */
#include "parse/formats/om/om_read.h"

#include <stdio.h>

#define KERNEL_MAGIC UINT32_C(0x5d776efd)
#define CUSTOM_MAGIC UINT32_C(0x4b43534b)
#define TILING_MAGIC UINT32_C(0xdd776efe)
#define MAX_TENSORS  1024u /* inputs and outputs that become facts */

/* Reads little-endian numbers and stretches; once something is missing all is. */
struct cursor {
    struct mi_bytes left;
    uint64_t at; /* offset of `left` */
    bool is_short;
};

static struct mi_bytes take(struct cursor *c, uint64_t len)
{
    struct mi_bytes none = {NULL, 0};
    if (c->is_short || len > c->left.len) {
        c->is_short = true;
        return none;
    }
    struct mi_bytes taken = mi_bytes_sub(c->left, 0, (size_t)len);
    c->left = mi_bytes_sub(c->left, (size_t)len, SIZE_MAX);
    c->at += len;
    return taken;
}

static uint32_t take_u32(struct cursor *c)
{
    struct mi_bytes bytes = take(c, 4);
    return bytes.at ? mi_load_u32le(bytes.at) : 0;
}

static uint64_t take_u64(struct cursor *c)
{
    struct mi_bytes bytes = take(c, 8);
    return bytes.at ? mi_load_u64le(bytes.at) : 0;
}

static struct cursor open_part(const struct om *o, const struct om_part *part)
{
    return (struct cursor){.left = part->bytes, .at = om_at(o, part->at)};
}

static void complain(struct om *o, const struct om_part *part, uint64_t at)
{
    if (part->is_clipped)
        return; /* said already */
    const char *name = mi_om_partition_name(part->type);
    mi_batch_diag(o->out, MI_NOTICE, "om.store_broken", at, 0,
                  "the partition %s cannot be read to its end", name ? name : "?");
}

/* One kernel or library; the code itself is never touched. */
static void add_binary(struct om *o, const char *kind, struct mi_bytes name, uint64_t at,
                       uint32_t size_bytes)
{
    mi_str_id kind_id = mi_batch_cstr(o->out, kind), name_id = mi_batch_str(o->out, name);
    mi_add_binary(o->out, &(struct mi_binary_row){.graph = o->store_of,
                                                  .kind = kind_id,
                                                  .name = name_id,
                                                  .offset_bytes = (int64_t)at,
                                                  .size_bytes = size_bytes});
}

/* `kind` with an s at its end is the fact about all of them. */
static void read_kernels(struct om *o, const struct om_part *part, uint32_t magic, const char *kind)
{
    struct cursor c = open_part(o, part);
    uint64_t count = 0, bytes = 0;
    while (c.left.len && mi_om_step(o, c.at)) {
        uint64_t at = c.at;
        uint32_t found = take_u32(&c), name_len = take_u32(&c), bin_len = take_u32(&c);
        struct mi_bytes name = take(&c, name_len);
        uint64_t code_at = c.at;
        take(&c, bin_len);
        if (c.is_short || found != magic) {
            complain(o, part, at);
            break;
        }
        add_binary(o, kind, name, code_at, bin_len);
        count++;
        bytes += bin_len;
    }
    char fact[64];
    snprintf(fact, sizeof fact, "%ss", kind);
    mi_om_fact_number(o, fact, count);
    snprintf(fact, sizeof fact, "%ss_bytes", kind);
    mi_om_fact_number(o, fact, bytes);
}

static void read_libraries(struct om *o, const struct om_part *part)
{
    struct cursor c = open_part(o, part);
    uint32_t count = take_u32(&c);
    for (uint32_t i = 0; i < count && mi_om_step(o, c.at); i++) {
        uint64_t at = c.at;
        uint32_t magic = take_u32(&c), lens = take_u32(&c), vendor = take_u32(&c),
                 bin = take_u32(&c);
        struct mi_bytes name = take(&c, lens & 0xffff);
        take(&c, vendor);
        uint64_t code_at = c.at;
        take(&c, bin);
        if (c.is_short || magic != KERNEL_MAGIC) {
            complain(o, part, at);
            return;
        }
        mi_om_fact(o, "host_library", name);
        add_binary(o, "host_library", name, code_at, bin);
    }
}

static void read_tiling(struct om *o, const struct om_part *part)
{
    struct cursor c = open_part(o, part);
    uint32_t magic = take_u32(&c), version = take_u32(&c), len = take_u32(&c);
    if (c.is_short || magic != TILING_MAGIC || len > c.left.len) {
        complain(o, part, c.at);
        return;
    }
    mi_om_fact_number(o, "tiling_version", version);
    mi_om_fact_number(o, "tiling_bytes", len);
}

/* --- inputs and outputs --- */

/* "float32[1,3,256,512] NCHW, 1572864 bytes" */
static void tensor_fact(struct om *o, const char *role, struct mi_bytes name, uint64_t size,
                        uint32_t format, uint32_t dtype, struct mi_bytes dims)
{
    char text[512], fact[160];
    const char *type = mi_ge_dtype_of_ge(dtype), *layout = mi_ge_format_name(format & 0xff);
    size_t at = (size_t)snprintf(text, sizeof text, "%s[", type && *type ? type : "?");
    for (size_t i = 0; i + 8 <= dims.len && at + 32 < sizeof text - 64; i += 8)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", i ? "," : "",
                               (long long)mi_load_u64le(dims.at + i));
    snprintf(text + at, sizeof text - at, "] %s, %llu bytes", layout ? layout : "?",
             (unsigned long long)size);
    snprintf(fact, sizeof fact, "%s:%.*s", role, (int)(name.len < 128 ? name.len : 128),
             name.len ? (const char *)name.at : "");
    mi_om_fact(o, fact, mi_cstr(text));
}

static bool read_tensors(struct om *o, const char *role, struct cursor c)
{
    uint32_t count = take_u32(&c);
    for (uint32_t i = 0; i < count && i < MAX_TENSORS; i++) {
        uint64_t size = take_u64(&c);
        uint32_t format = take_u32(&c), dtype = take_u32(&c), name_len = take_u32(&c),
                 dims_len = take_u32(&c), dims2_len = take_u32(&c), range_len = take_u32(&c);
        struct mi_bytes name = take(&c, name_len), dims = take(&c, dims_len);
        struct mi_bytes dims2 = take(&c, dims2_len);
        take(&c, range_len);
        if (c.is_short)
            return false;
        tensor_fact(o, role, name, size, format, dtype, dims2.len ? dims2 : dims);
    }
    return true;
}

static void read_inout(struct om *o, const struct om_part *part)
{
    static const char *const names[] = {"input", "output", "dynamic_batch", "dynamic_hw",
                                        "dynamic_dims"};
    struct cursor c = open_part(o, part);
    while (c.left.len) {
        uint64_t at = c.at;
        uint32_t type = take_u32(&c), len = take_u32(&c);
        struct cursor value = {.at = c.at};
        value.left = take(&c, len);
        if (c.is_short || (type < 2 && !read_tensors(o, names[type], value))) {
            complain(o, part, at);
            return;
        }
        if (type >= 2 && type < sizeof names / sizeof *names && len)
            mi_om_fact(o, names[type], MI_LIT("yes"));
    }
}

void mi_om_stores(struct om *o, const struct om_table *table, mi_graph_id graph)
{
    const struct om_part *part;
    o->store_of = graph;
    if ((part = mi_om_find(table, OM_INOUT)) != NULL)
        read_inout(o, part);
    if ((part = mi_om_find(table, OM_KERNELS)) != NULL)
        read_kernels(o, part, KERNEL_MAGIC, "kernel");
    if ((part = mi_om_find(table, OM_CUST_KERNELS)) != NULL)
        read_kernels(o, part, KERNEL_MAGIC, "aicpu_kernel");
    if ((part = mi_om_find(table, OM_SO_BINS)) != NULL && part->bytes.len && !o->header.is_old)
        read_libraries(o, part);
    if ((part = mi_om_find(table, OM_TILING)) != NULL && part->bytes.len)
        read_tiling(o, part);
    if ((part = mi_om_find(table, OM_CUSTOM_OPS)) != NULL)
        read_kernels(o, part, CUSTOM_MAGIC, "custom_op");
}
