/* Which input is the file that was loaded: the hook's copy in the same capture, else the file of
 * that path. */
#include "correlate/hook/hook_parts.h"

static bool ends_like(struct mi_bytes path, struct mi_bytes end)
{
    if (!end.len || !mi_bytes_ends(path, end))
        return false;
    return path.len == end.len || path.at[path.len - end.len - 1] == '/' || end.at[0] == '/';
}

/* The first main graph of each source, as graphs stand in the order of their sources. */
static uint32_t main_graph(const struct mi_tables *rows, uint32_t source)
{
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        if (rows->graphs.source[g].v == source && rows->graphs.kind[g] == MI_GRAPH_MAIN &&
            rows->graphs.layer[g] == MI_LAYER_COMPILED)
            return g;
    return 0;
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
            graph = main_graph(rows, s);
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
