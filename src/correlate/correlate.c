/* The conductor of the stage, and the table of matchers. */
#include "correlate/matcher.h"

const struct mi_matcher *const mi_matchers[] = {
#define MI_MATCHER(name) &mi_matcher_##name,
#include "correlate/matchers.def"
#undef MI_MATCHER
    NULL};

const size_t mi_matcher_count = sizeof mi_matchers / sizeof *mi_matchers - 1;

bool mi_correlate(struct mi_model *model, struct mi_error *err)
{
    for (size_t i = 0; i < mi_matcher_count; i++)
        if (!(mi_matchers[i]->needs & ~mi_model_has(model)) && !mi_matchers[i]->run(model, err))
            return false;
    return true;
}
