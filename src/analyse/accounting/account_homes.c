/* What numbers its runs from 0 on its own: a collection (PROF_*, *_ascend_pt, *_ascend_ms; a
 * capture may hold several, one after the other), else a file of the hook, which is of one process,
 * else a capture folder, else the folder of the file. */
#include "analyse/accounting/account_runs.h"

#include "base/mem.h"
#include "base/strings.h"

#define MI_HOME_OF_CAPTURE ((uint32_t)1 << 31)

static bool is_collection(struct mi_bytes part)
{
    return mi_bytes_starts(part, MI_LIT("PROF_")) || mi_bytes_ends(part, MI_LIT("_ascend_pt")) ||
           mi_bytes_ends(part, MI_LIT("_ascend_ms"));
}

/* The path up to the outermost folder of a collection, else up to the folder of the file. */
static struct mi_bytes home_of_path(struct mi_bytes path, bool *has_collection)
{
    size_t from = 0, last = 0;
    *has_collection = false;
    for (size_t i = 0; i < path.len; i++) {
        if (path.at[i] != '/')
            continue;
        if (is_collection(mi_bytes_sub(path, from, i - from))) {
            *has_collection = true;
            return mi_bytes_sub(path, 0, i);
        }
        last = i;
        from = i + 1;
    }
    return mi_bytes_sub(path, 0, last);
}

/* A file of the hook is of one process, and several of them may use one device. */
static bool is_of_process(const struct mi_model *model, uint32_t source)
{
    return mi_source_is_read_by(model, source, "mi_hook");
}

uint32_t *mi_account_homes(const struct mi_model *model)
{
    const struct mi_sources *sources = &model->all.rows.sources;
    struct mi_strings homes;
    bool failed = false;
    uint32_t *home_of = mi_mem_zero(sources->count, sizeof *home_of);
    if (!home_of || !mi_strings_init(&homes)) {
        mi_mem_free(home_of);
        return NULL;
    }
    for (uint32_t s = 1; s < sources->count; s++) {
        bool has_collection;
        struct mi_bytes home =
            home_of_path(mi_model_text(model, sources->path[s]), &has_collection);
        uint32_t capture = sources->capture[s];
        if (is_of_process(model, s))
            home_of[s] = MI_HOME_OF_FILE | s;
        else if (capture && !has_collection)
            home_of[s] = MI_HOME_OF_CAPTURE | capture;
        else
            home_of[s] = mi_strings_add(&homes, home, false, &failed).v + 1;
    }
    mi_strings_fini(&homes);
    if (failed)
        mi_mem_free(home_of);
    return failed ? NULL : home_of;
}
