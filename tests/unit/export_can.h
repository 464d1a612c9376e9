/* Formats that this build can write: reports want a module that some builds lack. */
#ifndef MI_TESTS_UNIT_EXPORT_CAN_H
#define MI_TESTS_UNIT_EXPORT_CAN_H

#include "present/exporter.h"
#include "present/offline/offline.h"

static inline bool can_export(size_t format)
{
    return mi_exporters[format] != &mi_exporter_html || mi_offline_can();
}

#endif
