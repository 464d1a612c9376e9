/* Protobuf wire cursor: any bytes, with sub-messages, packed fields and truncation kept or not. */
#include "base/pb_wire.h"
#include "fuzz.h"

enum { DEPTH = 32 };

static uint64_t read_packed(struct mi_pb *pb, uint64_t sum)
{
    enum mi_pb_type type = sum % 3 == 0   ? MI_PB_VARINT
                           : sum % 3 == 1 ? MI_PB_FIXED32
                                          : MI_PB_FIXED64;
    for (struct mi_pb_packed it = mi_pb_packed(pb, type); mi_pb_packed_next(&it);)
        sum = mix_number(sum, it.value);
    return sum;
}

static void walk(struct mi_bytes input, bool keep_truncated)
{
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    struct mi_pb stack[DEPTH];
    size_t open = 1;
    uint64_t sum = 1;
    stack[0] = mi_pb_init(input, 100, &err);
    if (keep_truncated)
        mi_pb_keep_truncated(&stack[0], &cut);
    while (open > 0) {
        struct mi_pb *pb = &stack[open - 1];
        if (!mi_pb_next(pb)) {
            open--;
            continue;
        }
        must(mi_pb_field(pb) > 0);
        must(mi_pb_offset(pb) <= 100 + input.len);
        sum = mix_number(sum, pb->key);
        enum mi_pb_type type = mi_pb_type(pb);
        if (type == MI_PB_LEN || type == MI_PB_GROUP) {
            sum = mix(sum, pb->bytes);
            must(mi_pb_payload_offset(pb) + pb->bytes.len <= 100 + input.len);
            if (sum % 5 == 0 && type == MI_PB_LEN)
                sum = read_packed(pb, sum);
            else if (open < DEPTH && sum % 5 < 3) {
                stack[open] = mi_pb_sub(pb);
                open++;
            }
        } else {
            sum = mix_number(sum, pb->value);
        }
    }
    must(err.code == MI_OK || err.offset <= 100 + input.len);
    must(!keep_truncated || err.code != MI_ETRUNCATED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk((struct mi_bytes){data, size}, false);
    walk((struct mi_bytes){data, size}, true);
    return 0;
}
