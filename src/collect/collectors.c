/* The table of collectors. */
#include "collect/collector.h"

const struct mi_collector *const mi_collectors[] = {
#define MI_COLLECTOR(name) &mi_collector_##name,
#include "collect/collectors.def"
#undef MI_COLLECTOR
    NULL};

const size_t mi_collector_count = sizeof mi_collectors / sizeof *mi_collectors - 1;

const struct mi_collector *mi_collector_find(const char *name)
{
    for (size_t i = 0; i < mi_collector_count; i++)
        if (strcmp(mi_collectors[i]->name, name) == 0)
            return mi_collectors[i];
    return NULL;
}
