/* The one-file report: the page, its data and the code that answers it, in one HTML file that opens
 * from disk without a network.
 *
 * Its frame is web/src/report.html; the page is that of the server, and the code is the library's
 * own, compiled to WebAssembly (core.c), over a snapshot of the model. Weights are never inside,
 * and of the counters of tasks those that summaries quote. */
#ifndef MI_PRESENT_OFFLINE_OFFLINE_H
#define MI_PRESENT_OFFLINE_OFFLINE_H

#include "base/keyed_hash.h"
#include "base/sink.h"
#include "model/model.h"

struct mi_offline;

struct mi_offline_options {
    int64_t most_mib; /* largest size of the file, MiB; 0 = 32 */
    bool is_anonymised;
    const struct mi_hash_key *key; /* of the stand-ins; NULL: they are numbered, see disguise.h */
    const struct mi_model *base;   /* what the model is compared with; NULL: nothing */
    const char *base_name, *name;  /* what both are called, if there is a base */
};

/* Whether this program can write reports. */
bool mi_offline_can(void);

/* Makes all but the file itself. Fails with MI_EUNSUPPORTED where the program was built without
 * what reports need, with MI_ELIMIT where the size cannot be kept. */
struct mi_offline *mi_offline_new(const struct mi_model *model,
                                  const struct mi_offline_options *options, struct mi_error *err);
void mi_offline_free(struct mi_offline *report); /* NULL is fine */

bool mi_offline_write(const struct mi_offline *report, struct mi_sink *sink, struct mi_error *err);

#endif
