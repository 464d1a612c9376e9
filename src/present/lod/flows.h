/* Arrows of the timeline: what a task was started by, and what a wait waited for.
 *
 *   LAUNCH  call of the host -> task that it launched (tasks.launch)
 *   SIGNAL  task that records an event -> task that waits for it (signals)
 *   TRACE   arrows that the trace draws by itself and that are none of these (flows)
 *
 * An arrow leaves its cause when that is done - a launch as soon as the call begins - and reaches
 * its effect where it made a difference: the end of a wait that was blocked, else the start. */
#ifndef MI_PRESENT_LOD_FLOWS_H
#define MI_PRESENT_LOD_FLOWS_H

#include "present/lod/lod.h"

enum mi_arrow_kind { MI_ARROW_LAUNCH, MI_ARROW_SIGNAL, MI_ARROW_TRACE, MI_ARROW_KINDS };

struct mi_arrow_end {
    bool is_host;
    uint32_t id;   /* task, or slice of the host */
    uint32_t lane; /* of the mi_lod that was asked */
    int64_t at_ns;
};

struct mi_arrow {
    enum mi_arrow_kind kind;
    uint8_t confidence; /* enum mi_confidence */
    struct mi_arrow_end from, to;
};

/* Look-ups over signals and flows; the model must outlive them. */
struct mi_arrows {
    const struct mi_model *model;
    uint32_t *by_record, *by_wait; /* [signals.count - 1] rows of signals, by task */
    uint32_t *by_from, *by_to;     /* [flow_count] rows of flows of kind TRACE, by their ends */
    struct mi_csr launched;        /* slice -> tasks that it launched */
    uint32_t flow_count;
};

bool mi_arrows_init(struct mi_arrows *arrows, const struct mi_model *model, struct mi_error *err);
void mi_arrows_fini(struct mi_arrows *arrows);

/* All arrows at one task or slice of the host that both end in lanes of `lod`; returns how many of
 * `out` were filled. *total: how many there are. */
uint32_t mi_arrows_at(const struct mi_arrows *arrows, const struct mi_lod *lod, bool is_host,
                      uint32_t id, struct mi_arrow *out, uint32_t room, uint32_t *total);

/* Arrows whose effect starts in [from_ns, to_ns): evenly chosen ones where there are more than
 * `room`, signals first. `kinds`: a bit each; TRACE is not looked at. *total: how many there are.
 */
uint32_t mi_arrows_in(const struct mi_arrows *arrows, const struct mi_lod *lod, unsigned kinds,
                      int64_t from_ns, int64_t to_ns, struct mi_arrow *out, uint32_t room,
                      uint32_t *total);

#endif
