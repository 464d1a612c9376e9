/* The registry of export formats, made of exporters.def. */
#include "present/exporter.h"

#include <string.h>

const struct mi_exporter *const mi_exporters[] = {
#define MI_EXPORTER(name) &mi_exporter_##name,
#include "present/exporters.def"
#undef MI_EXPORTER
};

const size_t mi_exporter_count = sizeof mi_exporters / sizeof *mi_exporters;

const struct mi_exporter *mi_exporter_find(const char *name)
{
    for (size_t i = 0; i < mi_exporter_count; i++)
        if (strcmp(mi_exporters[i]->name, name) == 0)
            return mi_exporters[i];
    return NULL;
}
