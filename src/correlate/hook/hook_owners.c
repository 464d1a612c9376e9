/* Which process a profile is of. The hook notes the folders that AscendCL's profiler left for it,
 * and what MSPTI delivered stands in the hook's own file. */
#include "correlate/hook/hook_parts.h"

#include "base/mem.h"

static bool is_of_hook(const struct mi_model *model, uint32_t source)
{
    return mi_source_is_read_by(model, source, "mi_hook");
}

/* Whether a folder on the path has that name. */
static bool lies_in(struct mi_bytes path, struct mi_bytes folder)
{
    for (size_t from = 0, i = 0; folder.len && i < path.len; i++) {
        if (path.at[i] != '/')
            continue;
        if (mi_bytes_equal(mi_bytes_sub(path, from, i - from), folder))
            return true;
        from = i + 1;
    }
    return false;
}

uint32_t *mi_hook_owners(const struct mi_model *model)
{
    const struct mi_sources *sources = &model->all.rows.sources;
    const struct mi_facts *facts = &model->all.rows.facts;
    uint32_t *owners = mi_mem_zero(sources->count, sizeof *owners);
    for (uint32_t s = 1; owners && s < sources->count; s++)
        owners[s] = is_of_hook(model, s) ? s : 0;
    for (uint32_t f = 1; owners && f < facts->count; f++) {
        uint32_t hook = facts->source[f].v, capture = sources->capture[hook];
        struct mi_bytes folder = mi_model_text(model, facts->text[f]);
        if (!capture || !is_of_hook(model, hook) ||
            !mi_bytes_equal(mi_model_text(model, facts->name[f]), MI_LIT("profile")))
            continue;
        for (uint32_t s = 1; s < sources->count; s++)
            if (sources->capture[s] == capture && !owners[s] &&
                lies_in(mi_model_text(model, sources->path[s]), folder))
                owners[s] = hook;
    }
    return owners;
}

uint32_t mi_hook_home(const struct mi_model *model, const uint32_t *owners, uint32_t source)
{
    uint32_t capture = model->all.rows.sources.capture[source];
    return capture && owners[source] ? MI_HOOK_OF_PROCESS | owners[source] : capture;
}
