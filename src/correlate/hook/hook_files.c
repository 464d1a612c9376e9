/* Which input is the file that was loaded: the hook's copy in the same capture, else the file of
 * that path; of a bundle which of its models. */
#include "correlate/hook/hook_parts.h"

static bool ends_like(struct mi_bytes path, struct mi_bytes end)
{
    if (!end.len || !mi_bytes_ends(path, end))
        return false;
    return path.len == end.len || path.at[path.len - end.len - 1] == '/' || end.at[0] == '/';
}

static bool is_main(const struct mi_tables *rows, uint32_t source, uint32_t graph)
{
    return rows->graphs.source[graph].v == source && rows->graphs.kind[graph] == MI_GRAPH_MAIN &&
           rows->graphs.layer[graph] == MI_LAYER_COMPILED;
}

static uint32_t first_main(const struct mi_tables *rows, uint32_t source)
{
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        if (is_main(rows, source, g))
            return g;
    return 0;
}

/* Main graphs of a bundle stand in the order of its models; which is whose is certain only where
 * each file within it is a model of the bundle that gave one. */
static uint32_t main_of_part(const struct mi_model *model, uint32_t source, int64_t part)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t files = 0, members = 0, mains = 0, found = 0;
    for (uint32_t f = 1; f < rows->facts.count; f++) {
        struct mi_bytes name = mi_model_text(model, rows->facts.name[f]);
        if (rows->facts.source[f].v != source || !mi_bytes_ends(name, MI_LIT(":om_version")))
            continue;
        files++;
        members += mi_bytes_starts(name, MI_LIT("model["));
    }
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        if (is_main(rows, source, g) && mains++ == part)
            found = g;
    return files == members && members == mains ? found : 0;
}

static uint32_t graph_of(const struct mi_model *model, uint32_t source, int64_t part)
{
    return part < 0 ? first_main(&model->all.rows, source) : main_of_part(model, source, part);
}

static uint32_t find_file(const struct mi_model *model, uint32_t load)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_bytes copy = mi_model_text(model, rows->loads.copy[load]);
    struct mi_bytes path = mi_model_text(model, rows->loads.path[load]);
    uint32_t capture = rows->sources.capture[rows->loads.source[load].v], found = 0;
    for (uint32_t s = 1; s < rows->sources.count; s++) {
        struct mi_bytes name = mi_model_text(model, rows->sources.path[s]);
        uint32_t graph = 0;
        if ((rows->sources.capture[s] == capture && ends_like(name, copy)) ||
            (!found && ends_like(path, name)))
            graph = graph_of(model, s, rows->loads.part[load]);
        if (graph && rows->sources.capture[s] == capture && ends_like(name, copy))
            return graph;
        found = found ? found : graph;
    }
    return found;
}

bool mi_hook_find_files(struct mi_model *model)
{
    struct mi_loads *loads = &model->all.rows.loads;
    for (uint32_t l = 1; l < loads->count; l++)
        loads->graph[l].v = find_file(model, l);
    return true;
}
