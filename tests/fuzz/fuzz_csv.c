/* CSV scanner: any bytes, vector and scalar code alike. The first byte chooses the options. */
#include "base/csv_scan.h"
#include "fuzz.h"

static uint64_t walk(struct mi_bytes input, const struct mi_csv_options *options)
{
    struct mi_csv csv;
    struct mi_csv_row row;
    uint64_t sum = 1;
    size_t last = 0;
    mi_csv_init(&csv, input, options);
    for (unsigned rescues = 0; rescues < 20; rescues++) {
        while (mi_csv_next(&csv, &row)) {
            must(row.count >= 1 && row.offset >= last && row.end > row.offset);
            must(row.end <= input.len && row.line >= 1);
            last = row.end;
            sum = mix_number(sum, row.line);
            sum += row.is_ragged + 2U * row.is_malformed + 4U * row.is_open;
            for (uint32_t i = 0; i < row.count; i++) {
                struct mi_bytes raw = mi_csv_raw(&row, i);
                uint8_t *text = malloc(raw.len + 1);
                must(text);
                size_t len = mi_csv_unescape(raw, text);
                must(len <= raw.len);
                sum = mix(mix(sum, raw), (struct mi_bytes){text, len});
                sum += row.fields[i].is_quoted + 2U * row.fields[i].has_escape;
                free(text);
            }
        }
        if (!mi_csv_failed(&csv))
            break;
        sum = mix_number(mix_number(sum, csv.error.code), csv.error.offset);
        /* On behind the next line end, as a reader of damaged files does. */
        const uint8_t *next =
            last < input.len ? memchr(input.at + last, '\n', input.len - last) : NULL;
        if (!next)
            break;
        last = (size_t)(next - input.at) + 1;
        mi_csv_seek(&csv, last, 1);
    }
    mi_csv_fini(&csv);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct mi_csv_options options = {
        .delimiter = data[0] & 1 ? '\t' : ',',
        .fields_limit = data[0] & 2 ? 5 : 0,
    };
    struct mi_bytes input = {data + 1, size - 1};
    uint64_t vector = walk(input, &options);
    options.force_scalar = true;
    must(walk(input, &options) == vector);
    return 0;
}
