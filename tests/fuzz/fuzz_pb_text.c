/* Protobuf text scanner: any bytes, messages entered, left early or skipped. */
#include "base/pb_text.h"
#include "fuzz.h"

static uint64_t read_value(const struct mi_pbt *t, uint64_t sum)
{
    int64_t signed_value;
    uint64_t unsigned_value;
    double real;
    bool truth;
    sum = mix(sum, t->raw);
    if (t->kind == MI_PBT_STRING) {
        if (!t->has_escape)
            sum = mix(sum, mi_pbt_text(t));
        uint8_t *text = malloc(t->raw.len + 1);
        must(text);
        size_t len = 0;
        if (mi_pbt_decode(t, text, &len)) {
            must(len <= t->raw.len);
            sum = mix(sum, (struct mi_bytes){text, len});
        }
        free(text);
    }
    if (mi_pbt_i64(t, &signed_value))
        sum = mix_number(sum, (uint64_t)signed_value);
    if (mi_pbt_u64(t, &unsigned_value))
        sum = mix_number(sum, unsigned_value);
    if (mi_pbt_double(t, &real))
        sum++;
    if (mi_pbt_bool(t, &truth))
        sum += truth;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    uint64_t sum = 1;
    mi_pbt_init(&t, (struct mi_bytes){data, size}, &err);
    for (;;) {
        uint32_t depth = t.depth;
        if (!mi_pbt_next(&t)) {
            if (err.code != MI_OK || depth == 0)
                break;
            must(t.depth == depth - 1);
            continue;
        }
        must(t.depth == depth);
        sum = mix(sum, t.name);
        must(mi_pbt_offset(&t) <= size && mi_pbt_line(&t) >= 1);
        if (t.kind != MI_PBT_MESSAGE)
            sum = read_value(&t, sum);
        else if (sum % 4 != 0 && mi_pbt_enter(&t) && sum % 16 == 1)
            mi_pbt_leave(&t);
    }
    must(err.code == MI_OK || err.offset <= size);
    return 0;
}
