/* The table of passes. */
#include "analyse/pass.h"

const struct mi_pass *const mi_passes[] = {
#define MI_PASS(name) &mi_pass_##name,
#include "analyse/passes.def"
#undef MI_PASS
    NULL};

const size_t mi_pass_count = sizeof mi_passes / sizeof *mi_passes - 1;

const struct mi_pass *mi_pass_find(const char *name)
{
    for (size_t i = 0; i < mi_pass_count; i++)
        if (strcmp(mi_passes[i]->name, name) == 0)
            return mi_passes[i];
    return NULL;
}
