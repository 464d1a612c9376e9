/* The one-file report: the page, its data and the code that answers it, in one HTML file that opens
 * from disk without a network.
 *
 * Its frame is web/src/report.html; the page is that of the server, and the code is the library's
 * own, compiled to WebAssembly (core.c), over a snapshot of the model. Weights are never inside,
 * and of the counters of tasks those that summaries quote. */
#ifndef MI_PRESENT_OFFLINE_OFFLINE_H
#define MI_PRESENT_OFFLINE_OFFLINE_H

#include "present/exporter.h"

/* Writes the report. Arguments of the view: "max-size" (MiB), "anonymise". Fails with
 * MI_EUNSUPPORTED where the program was built without what reports need, with MI_ELIMIT where the
 * size cannot be kept. Run it with mi_export_file(). */
extern const struct mi_exporter mi_offline_exporter;

/* Whether this program can write reports. */
bool mi_offline_can(void);

#endif
