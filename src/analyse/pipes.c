#include "analyse/pipes.h"
#include "base/decimal.h"

static bool is_cores(struct mi_bytes name)
{
    static const char *const names[] = {"Block Dim", "Block Num", "blockDim", "blockNum",
                                        "block_dim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(name, mi_cstr(names[i])))
            return true;
    return false;
}

/* aic_mac_ratio, aiv_vec_ratio, mac_ratio: the pipe, whichever core it is of. */
static enum mi_pipe pipe_of(struct mi_bytes name)
{
    static const char *const names[MI_PIPES] = {"mac_ratio",  "vec_ratio",  "scalar_ratio",
                                                "mte1_ratio", "mte2_ratio", "mte3_ratio"};
    if (mi_bytes_starts(name, MI_LIT("aic_")) || mi_bytes_starts(name, MI_LIT("aiv_")))
        name = mi_bytes_sub(name, 4, name.len);
    for (int p = 0; p < MI_PIPES; p++)
        if (mi_bytes_equal(name, mi_cstr(names[p])))
            return (enum mi_pipe)p;
    return MI_PIPES;
}

static void take_value(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct mi_pipes *counters = user;
    enum mi_pipe pipe = pipe_of(name);
    int64_t number;
    if (is_number && is_cores(name) && mi_decimal_i64(text, &number) == 0)
        counters->cores = number;
    else if (is_number && pipe != MI_PIPES && mi_decimal_scaled(text, 6, &number) == 0 &&
             number > counters->share[pipe])
        counters->share[pipe] = number;
    else if ((mi_bytes_equal(name, MI_LIT("OP State")) ||
              mi_bytes_equal(name, MI_LIT("opState"))) &&
             text.len <= sizeof counters->state) {
        memcpy(counters->state, text.at, text.len);
        counters->state_len = text.len;
    }
}

struct mi_pipes mi_pipes_read(const struct mi_model *model, uint32_t task)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_pipes counters = {.cores = -1, .share = {-1, -1, -1, -1, -1, -1}};
    mi_source_id source = rows->kernels.source[rows->tasks.kernel[task].v];
    if (model->list_values && rows->tasks.record_offset[task] >= 0)
        model->list_values(model->values_of, source, rows->tasks.record_offset[task],
                           rows->tasks.record_bytes[task], take_value, &counters);
    return counters;
}

bool mi_pipes_is_state(const struct mi_pipes *counters, const char *state)
{
    return mi_bytes_equal((struct mi_bytes){counters->state, counters->state_len}, mi_cstr(state));
}
