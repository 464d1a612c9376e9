/* The parts of the pass "overlap"; see overlap.c. */
#ifndef MI_ANALYSE_OVERLAP_PARTS_H
#define MI_ANALYSE_OVERLAP_PARTS_H

#include "analyse/accounting/lanes.h"
#include "analyse/pass.h"

/* Transfers or collectives of one node, or of one name, that no compute hides. */
struct mi_exposed {
    uint32_t entity; /* node, or nodes.count + kernel */
    enum mi_lane_kind kind;
    uint32_t tasks;   /* in counted runs */
    uint32_t longest; /* task with the longest exposed part */
    int64_t total_ns, exposed_ns, longest_ns;
};

struct mi_overlap {
    const struct mi_model *model;
    const struct mi_account *account;
    struct mi_report *out;
    uint32_t top;
    struct mi_lanes device, stream; /* at hand: one device, one of its streams */
    struct mi_spans extent;         /* of the counted runs of the device */
    int64_t all_ns[MI_LANE_KINDS], hidden_ns[MI_LANE_KINDS];
    struct mi_map places; /* (name, kind) -> place in `exposed` + 1 */
    struct mi_exposed *exposed;
    uint32_t exposed_count, exposed_room;
};

/* Adds what the device at hand moved or said, with how much of it its compute did not hide. False:
 * out of memory. */
bool mi_overlap_collect_exposed(struct mi_overlap *o, uint32_t group);

/* Table `exposed`, with what each could hide behind. False: out of memory. */
bool mi_overlap_list_exposed(struct mi_overlap *o);
void mi_overlap_free_exposed(struct mi_overlap *o);

#endif
