/* Names of graph dumps taken apart. */
#include "parse/formats/ge/ge_dump_name.h"

/* The last component: of a path, or of an archive member ("dumps.zip!a/b.txt"). */
static struct mi_bytes file_name(const char *path)
{
    struct mi_bytes all = mi_cstr(path);
    size_t from = all.len;
    while (from && all.at[from - 1] != '/' && all.at[from - 1] != '!' && all.at[from - 1] != '\\')
        from--;
    return mi_bytes_sub(all, from, all.len);
}

static bool take(struct mi_bytes *rest, struct mi_bytes prefix)
{
    if (!mi_bytes_starts(*rest, prefix))
        return false;
    *rest = mi_bytes_sub(*rest, prefix.len, rest->len);
    return true;
}

/* "<digits>_", or digits at the end; false and nothing taken if it does not stand there or is
 * absurdly large. */
static bool take_number(struct mi_bytes *rest, int64_t *value)
{
    size_t len = 0;
    *value = 0;
    while (len < rest->len && rest->at[len] >= '0' && rest->at[len] <= '9' && len < 10)
        *value = *value * 10 + (rest->at[len++] - '0');
    if (len == 0 || (len < rest->len && rest->at[len] != '_') || *value >= UINT32_MAX)
        return false;
    *rest = mi_bytes_sub(*rest, len + 1, rest->len);
    return true;
}

static struct mi_bytes without_suffix(struct mi_bytes name)
{
    static const char *const suffixes[] = {".txt", ".pbtxt", ".json", ".py"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        struct mi_bytes suffix = mi_cstr(suffixes[i]);
        if (mi_bytes_ends(name, suffix))
            return mi_bytes_sub(name, 0, name.len - suffix.len);
    }
    return name;
}

/* TorchAir writes a graph as built and as optimised, in this order. */
static struct mi_ge_dump_name torchair_name(struct mi_bytes name)
{
    struct mi_ge_dump_name out = {.graph_id = -1};
    static const char *const stages[] = {"dynamo_original_graph", "dynamo_optimized_graph"};
    for (uint32_t i = 0; i < 2; i++) {
        struct mi_bytes stage = mi_cstr(stages[i]), rest = name;
        if (!take(&rest, stage) || (rest.len && rest.at[0] != '_'))
            continue;
        out.stage = mi_bytes_sub(name, 0, stage.len);
        out.stage_index = i + 1;
        rest = mi_bytes_sub(rest, 1, rest.len);
        int64_t id;
        if (take_number(&rest, &id) && mi_bytes_starts(rest, MI_LIT("rank_")))
            out.graph_id = id;
    }
    return out;
}

struct mi_ge_dump_name mi_ge_dump_name(const char *path)
{
    struct mi_bytes rest = without_suffix(file_name(path));
    struct mi_ge_dump_name out = {.graph_id = -1};
    int64_t index, id;
    if (!take(&rest, MI_LIT("ge_proto_")) && !take(&rest, MI_LIT("ge_onnx_")) &&
        !take(&rest, MI_LIT("ge_readable_")) && !take(&rest, MI_LIT("ge_visual_")))
        return torchair_name(rest);
    if (!take_number(&rest, &index))
        return out;
    out.stage_index = (uint32_t)index + 1;
    out.is_single_op = take(&rest, MI_LIT("aclop_"));
    struct mi_bytes behind = rest;
    if (take(&behind, MI_LIT("graph_")) && take_number(&behind, &id)) {
        out.graph_id = id;
        rest = behind;
    }
    out.stage = rest;
    if (rest.len == 0)
        out.stage_index = 0;
    return out;
}
