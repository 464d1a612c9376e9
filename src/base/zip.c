/* ZIP and ZIP64 directories and members. */
#include "base/zip.h"
#include "base/mem.h"

#include <stdlib.h>
#include <zlib.h>

#define LOCAL_MAGIC   0x04034b50U
#define ENTRY_MAGIC   0x02014b50U
#define END_MAGIC     0x06054b50U
#define END64_MAGIC   0x06064b50U
#define LOCATOR_MAGIC 0x07064b50U

#define LOCAL_BYTES   30U
#define ENTRY_BYTES   46U
#define END_BYTES     22U
#define END64_BYTES   56U
#define LOCATOR_BYTES 20U
#define COMMENT_BYTES 65535U

static uint16_t load_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

/* Whether `len` bytes from `offset` on lie within `whole`. */
static bool fits(uint64_t whole, uint64_t offset, uint64_t len)
{
    return offset <= whole && len <= whole - offset;
}

bool mi_zip_sniff(struct mi_bytes head)
{
    return head.len >= 4 &&
           (mi_load_u32le(head.at) == LOCAL_MAGIC || mi_load_u32le(head.at) == END_MAGIC);
}

/* Where the directory stands and what it claims. */
struct directory {
    uint64_t at, len, count;
    uint64_t shift; /* bytes in front of the archive: added to every offset */
};

/* Offset of the end record: the last one whose comment reaches exactly to the end. */
static bool find_end(struct mi_bytes bytes, uint64_t *end)
{
    if (bytes.len < END_BYTES)
        return false;
    uint64_t last = bytes.len - END_BYTES;
    uint64_t first = last > COMMENT_BYTES ? last - COMMENT_BYTES : 0;
    for (uint64_t at = last + 1; at-- > first;) {
        if (mi_load_u32le(bytes.at + at) == END_MAGIC &&
            load_u16(bytes.at + at + 20) == last - at) {
            *end = at;
            return true;
        }
    }
    return false;
}

/* The 64-bit record, if a locator in front of the end record names one. Sets *end to its place. */
static bool read_end64(struct mi_bytes bytes, uint64_t *end, struct directory *dir, bool *has_it,
                       struct mi_error *err)
{
    *has_it =
        *end >= LOCATOR_BYTES && mi_load_u32le(bytes.at + (*end - LOCATOR_BYTES)) == LOCATOR_MAGIC;
    if (!*has_it)
        return true;
    uint64_t locator = *end - LOCATOR_BYTES;
    uint64_t claimed = mi_load_u64le(bytes.at + locator + 8);
    uint64_t at = claimed;
    /* Bytes in front of the archive move the record; then it stands right before its locator. */
    if (!fits(locator, at, END64_BYTES) || mi_load_u32le(bytes.at + at) != END64_MAGIC)
        at = locator >= END64_BYTES ? locator - END64_BYTES : 0;
    if (!fits(locator, at, END64_BYTES) || mi_load_u32le(bytes.at + at) != END64_MAGIC)
        return mi_fail_at(err, MI_EFORMAT, locator, 0,
                          "zip: no ZIP64 end record where it should be");
    const uint8_t *record = bytes.at + at;
    if (mi_load_u32le(record + 16) != 0 || mi_load_u32le(record + 20) != 0)
        return mi_fail_at(err, MI_EUNSUPPORTED, at, 0, "zip: archive over several disks");
    dir->count = mi_load_u64le(record + 32);
    dir->len = mi_load_u64le(record + 40);
    dir->at = mi_load_u64le(record + 48);
    *end = at;
    return true;
}

static bool find_directory(struct mi_bytes bytes, struct directory *dir, struct mi_error *err)
{
    uint64_t end = 0;
    bool is_64 = false;
    if (!find_end(bytes, &end))
        return mi_fail_at(err, MI_ETRUNCATED, bytes.len, 0, "zip: no end record");
    const uint8_t *record = bytes.at + end;
    *dir = (struct directory){.count = load_u16(record + 10),
                              .len = mi_load_u32le(record + 12),
                              .at = mi_load_u32le(record + 16)};
    if (!read_end64(bytes, &end, dir, &is_64, err))
        return false;
    if (!is_64 && (load_u16(record + 4) != 0 || load_u16(record + 6) != 0))
        return mi_fail_at(err, MI_EUNSUPPORTED, end, 0, "zip: archive over several disks");
    if (!fits(end, dir->at, dir->len))
        return mi_fail_at(err, MI_EFORMAT, end, 0,
                          "zip: directory of %llu bytes at %llu is outside",
                          (unsigned long long)dir->len, (unsigned long long)dir->at);
    dir->shift = end - dir->len - dir->at;
    dir->at += dir->shift;
    return true;
}

/* Takes the 64-bit values that replace 0xffffffff, in their fixed order. */
static bool read_extra64(struct mi_bytes extra, struct mi_zip_member *member)
{
    const uint32_t full = UINT32_MAX;
    uint64_t *wanted[3];
    unsigned count = 0;
    if (member->size_bytes == full)
        wanted[count++] = &member->size_bytes;
    if (member->packed_bytes == full)
        wanted[count++] = &member->packed_bytes;
    if (member->header_offset == full)
        wanted[count++] = &member->header_offset;
    while (count > 0 && extra.len >= 4) {
        size_t len = load_u16(extra.at + 2);
        struct mi_bytes field = mi_bytes_sub(extra, 4, len);
        if (load_u16(extra.at) == 1) {
            if (field.len < (size_t)count * 8)
                return false;
            for (unsigned i = 0; i < count; i++)
                *wanted[i] = mi_load_u64le(field.at + (size_t)i * 8);
            return true;
        }
        extra = mi_bytes_sub(extra, 4 + len, extra.len);
    }
    return true;
}

/* The local header only matters for where the data begin. */
static bool locate_data(struct mi_bytes bytes, const struct directory *dir, uint64_t entry_at,
                        struct mi_zip_member *member, struct mi_error *err)
{
    if (member->header_offset > dir->at - dir->shift)
        return mi_fail_at(err, MI_EFORMAT, entry_at, 0, "zip: member lies outside");
    uint64_t at = member->header_offset += dir->shift;
    if (!fits(dir->at, at, LOCAL_BYTES) || mi_load_u32le(bytes.at + at) != LOCAL_MAGIC)
        return mi_fail_at(err, MI_EFORMAT, entry_at, 0, "zip: no local header at %llu",
                          (unsigned long long)at);
    uint64_t names = (uint64_t)load_u16(bytes.at + at + 26) + load_u16(bytes.at + at + 28);
    member->data_offset = at + LOCAL_BYTES + names;
    if (!fits(dir->at, member->data_offset, member->packed_bytes))
        return mi_fail_at(err, MI_EFORMAT, entry_at, 0,
                          "zip: member of %llu bytes reaches into the directory",
                          (unsigned long long)member->packed_bytes);
    return true;
}

/* One directory entry at *at, which is advanced. */
static bool read_entry(struct mi_bytes bytes, const struct directory *dir, uint64_t *at,
                       struct mi_zip_member *member, struct mi_error *err)
{
    uint64_t dir_end = dir->at + dir->len;
    const uint8_t *entry = bytes.at + *at;
    if (!fits(dir_end, *at, ENTRY_BYTES) || mi_load_u32le(entry) != ENTRY_MAGIC)
        return mi_fail_at(err, MI_EFORMAT, *at, 0, "zip: damaged directory entry");
    uint16_t name_len = load_u16(entry + 28), extra_len = load_u16(entry + 30);
    uint64_t tail = (uint64_t)name_len + extra_len + load_u16(entry + 32);
    if (!fits(dir_end, *at + ENTRY_BYTES, tail))
        return mi_fail_at(err, MI_EFORMAT, *at, 0, "zip: directory entry runs past the directory");
    uint16_t flags = load_u16(entry + 8);
    *member = (struct mi_zip_member){
        .name = {entry + ENTRY_BYTES, name_len},
        .method = load_u16(entry + 10),
        .crc = mi_load_u32le(entry + 16),
        .packed_bytes = mi_load_u32le(entry + 20),
        .size_bytes = mi_load_u32le(entry + 24),
        .header_offset = mi_load_u32le(entry + 42),
        .is_encrypted = (flags & 0x2041) != 0, /* plain, strong, masked directory */
    };
    if (!read_extra64((struct mi_bytes){entry + ENTRY_BYTES + name_len, extra_len}, member))
        return mi_fail_at(err, MI_EFORMAT, *at, 0, "zip: short ZIP64 field");
    if (member->method == 0 && !member->is_encrypted && member->packed_bytes != member->size_bytes)
        return mi_fail_at(err, MI_EFORMAT, *at, 0, "zip: stored member with two sizes");
    if (!locate_data(bytes, dir, *at, member, err))
        return false;
    *at += ENTRY_BYTES + tail;
    return true;
}

struct span {
    uint64_t from, to;
};

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

/* Members that share bytes make small archives unpack to anything: refused. */
static bool check_overlap(const struct mi_zip *zip, struct mi_error *err)
{
    if (zip->count < 2)
        return true;
    struct span *spans = mi_mem_new(zip->count, sizeof *spans);
    if (!spans)
        return mi_fail(err, MI_ENOMEM, "no memory for %u zip members", zip->count);
    for (uint32_t i = 0; i < zip->count; i++) {
        const struct mi_zip_member *member = &zip->members[i];
        spans[i] = (struct span){member->header_offset, member->data_offset + member->packed_bytes};
    }
    qsort(spans, zip->count, sizeof *spans, compare_spans);
    bool ok = true;
    for (uint32_t i = 1; i < zip->count && ok; i++)
        if (spans[i].from < spans[i - 1].to)
            ok = mi_fail_at(err, MI_EFORMAT, spans[i].from, 0, "zip: members overlap");
    mi_mem_free(spans);
    return ok;
}

bool mi_zip_open(struct mi_zip *zip, struct mi_bytes bytes, uint32_t max_members,
                 struct mi_error *err)
{
    struct directory dir = {.at = 0};
    *zip = (struct mi_zip){.bytes = bytes};
    if (!find_directory(bytes, &dir, err))
        return false;
    /* Every entry takes its fixed part at least, so the claim is bounded before memory is taken. */
    if (dir.count > dir.len / ENTRY_BYTES)
        return mi_fail_at(err, MI_EFORMAT, dir.at, 0, "zip: %llu members do not fit the directory",
                          (unsigned long long)dir.count);
    if (dir.count > max_members)
        return mi_fail_at(err, MI_ELIMIT, dir.at, 0, "zip: more than %u members", max_members);
    if (dir.count == 0)
        return true;
    zip->members = mi_mem_new((size_t)dir.count, sizeof *zip->members);
    if (!zip->members)
        return mi_fail(err, MI_ENOMEM, "no memory for %llu zip members",
                       (unsigned long long)dir.count);
    bool ok = true;
    for (uint64_t at = dir.at; ok && zip->count < dir.count;) {
        ok = read_entry(bytes, &dir, &at, &zip->members[zip->count], err);
        zip->count += ok;
    }
    ok = ok && check_overlap(zip, err);
    if (!ok)
        mi_zip_close(zip);
    return ok;
}

void mi_zip_close(struct mi_zip *zip)
{
    mi_mem_free(zip->members);
    *zip = (struct mi_zip){.members = NULL};
}

const struct mi_zip_member *mi_zip_find(const struct mi_zip *zip, struct mi_bytes name)
{
    for (uint32_t i = zip->count; i-- > 0;)
        if (mi_bytes_equal(zip->members[i].name, name))
            return &zip->members[i];
    return NULL;
}

/* "archive!member" as a C string; a NUL in the member's name ends it. Caller frees. */
static char *member_path(const char *archive, struct mi_bytes name)
{
    size_t len = strlen(archive);
    char *path = mi_mem_new(len + name.len + 2, 1);
    if (path) {
        memcpy(path, archive, len);
        path[len] = '!';
        memcpy(path + len + 1, name.at, name.len);
        path[len + 1 + name.len] = 0;
    }
    return path;
}

static uint32_t crc_of(struct mi_bytes bytes)
{
    return (uint32_t)crc32_z(0, bytes.at, bytes.len);
}

static bool read_deflated(const struct mi_zip_member *member, struct mi_bytes packed,
                          uint64_t max_bytes, const char *path, struct mi_input *input,
                          struct mi_error *err)
{
    struct mi_unpacked out;
    struct mi_error why = MI_ERROR_INIT;
    if (member->size_bytes > max_bytes)
        return mi_fail_at(err, MI_ELIMIT, member->header_offset, 0,
                          "zip: member of more than %llu bytes", (unsigned long long)max_bytes);
    if (!mi_unpack_all(MI_PACKING_DEFLATE, packed, member->size_bytes, NULL, &out, &why)) {
        if (why.code == MI_ELIMIT)
            return mi_fail_at(err, MI_EFORMAT, member->header_offset, 0,
                              "zip: member is larger than the directory says");
        return mi_fail_at(err, why.code, member->header_offset, 0, "zip: %s", why.text);
    }
    if (!mi_input_adopt(input, path, out.at, out.len, err))
        return false;
    input->disk_bytes = packed.len;
    input->packing = MI_PACKING_DEFLATE;
    input->damage = out.damage;
    if (out.len != member->size_bytes)
        mi_fail_at(&input->damage, MI_EFORMAT, packed.len, 0,
                   "zip: member has %zu bytes, not the %llu of the directory", out.len,
                   (unsigned long long)member->size_bytes);
    else if (crc_of(input->bytes) != member->crc)
        mi_fail_at(&input->damage, MI_EFORMAT, packed.len, 0,
                   "zip: checksum of the member is wrong");
    if (input->damage.code != MI_OK)
        mi_error_in(&input->damage, path);
    return true;
}

static bool read_member(const struct mi_zip *zip, const struct mi_zip_member *member,
                        uint64_t max_bytes, const char *path, struct mi_input *input,
                        struct mi_error *err)
{
    struct mi_bytes packed = {zip->bytes.at + member->data_offset, (size_t)member->packed_bytes};
    struct mi_input_options as_is = {.keep_packed = true};
    if (member->is_encrypted)
        return mi_fail_at(err, MI_EUNSUPPORTED, member->header_offset, 0, "zip: encrypted member");
    if (member->method == 0)
        return mi_input_from_bytes(input, path, packed, &as_is, err);
    if (member->method == 8)
        return read_deflated(member, packed, max_bytes, path, input, err);
    return mi_fail_at(err, MI_EUNSUPPORTED, member->header_offset, 0,
                      "zip: compression method %u is not supported", member->method);
}

bool mi_zip_read(const struct mi_zip *zip, const struct mi_zip_member *member, const char *archive,
                 const struct mi_input_options *options, struct mi_input *input,
                 struct mi_error *err)
{
    uint64_t max_bytes = options && options->max_bytes ? options->max_bytes : MI_INPUT_MAX_BYTES;
    *input = (struct mi_input){.damage = MI_ERROR_INIT};
    char *path = member_path(archive, member->name);
    if (!path)
        return mi_fail(err, MI_ENOMEM, "no memory for a path");
    bool ok = read_member(zip, member, max_bytes, path, input, err);
    if (!ok)
        mi_error_in(err, path);
    mi_mem_free(path);
    return ok;
}
