/* ZIP and ZIP64 archives, read-only: the directory, and members that are stored or deflated.
 *
 *   END OF CENTRAL DIRECTORY  "PK\5\6"  found from the end; counts, size, place of the directory
 *   ZIP64 LOCATOR, RECORD     "PK\6\7", "PK\6\6"  the same with 64 bits, just before it
 *   DIRECTORY ENTRY           "PK\1\2"  one per member: sizes, name, place of its local header
 *   LOCAL HEADER              "PK\3\4"  before the data; only its lengths are used
 *
 * Source: the public APPNOTE. Bytes in front of the archive (self-extracting files) are tolerated.
 * Refused: archives over several disks, encrypted members, other methods, members that overlap each
 * other or the directory. Names are bytes: not checked, not made safe, never used as paths here. */
#ifndef MI_BASE_ZIP_H
#define MI_BASE_ZIP_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/input.h"

struct mi_zip_member {
    struct mi_bytes name; /* borrowed from the archive; folders end in '/' */
    uint64_t packed_bytes;
    uint64_t size_bytes;    /* as claimed */
    uint64_t header_offset; /* of the local header in `bytes` */
    uint64_t data_offset;   /* of the packed data in `bytes` */
    uint32_t crc;
    uint16_t method; /* 0 stored, 8 deflated; others cannot be read */
    bool is_encrypted;
};

struct mi_zip {
    struct mi_bytes bytes;         /* borrowed */
    struct mi_zip_member *members; /* [count], in the order of the directory; owned */
    uint32_t count;
};

#define MI_ZIP_MAX_MEMBERS 1000000U

/* Whether the bytes begin like a ZIP archive (local header or empty archive). */
bool mi_zip_sniff(struct mi_bytes head);

/* Reads the directory. MI_EFORMAT, MI_ETRUNCATED (no end record),
 * MI_EUNSUPPORTED, MI_ELIMIT (more than `max_members`), MI_ENOMEM. */
bool mi_zip_open(struct mi_zip *zip, struct mi_bytes bytes, uint32_t max_members,
                 struct mi_error *err);
void mi_zip_close(struct mi_zip *zip);

/* The member of that name (the last one if there are several), or NULL. */
const struct mi_zip_member *mi_zip_find(const struct mi_zip *zip, struct mi_bytes name);

/* Opens a member. A stored one borrows the archive's bytes (which must outlive it) and its checksum
 * is not checked, so weights stay untouched; a deflated one is unpacked into memory. `archive` is
 * the archive's path; the input's is "archive!member". Damaged data, a wrong checksum or too few
 * bytes are no failure: see `damage`. More bytes than the directory says are MI_EFORMAT, more than
 * options->max_bytes MI_ELIMIT. A member that is itself a gzip or zstd file stays as it is. */
bool mi_zip_read(const struct mi_zip *zip, const struct mi_zip_member *member, const char *archive,
                 const struct mi_input_options *options, struct mi_input *input,
                 struct mi_error *err);

#endif
