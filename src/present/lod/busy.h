/* How busy devices were: the timeline seen from far away.
 *
 * A band is what one device (of one rank) did of one kind - computing, moving data, communicating -
 * on all its streams together, as the reports count it (analyse/accounting/lanes.h): two tasks at
 * one moment are busy once. Waits are not busy. A gap is a long time without any task, waits
 * included, as it lies between two runs. */
#ifndef MI_PRESENT_LOD_BUSY_H
#define MI_PRESENT_LOD_BUSY_H

#include "analyse/accounting.h"

enum { MI_BUSY_STEPS = 1024, MI_BUSY_MOST_GAPS = 4096, MI_BUSY_FULL = 255 };

struct mi_busy_band {
    int64_t rank, device;
    uint8_t kind; /* enum mi_lane_kind: compute, transfer, communication */
    uint32_t count;
    struct mi_span *spans; /* [count] in order, apart from each other */
    int64_t *before_ns;    /* [count + 1] how long it was busy before each span */
};

struct mi_busy {
    struct mi_busy_band *bands; /* [band_count] by rank, device, kind; those that were ever busy */
    uint32_t band_count;
    int64_t first_ns, end_ns; /* of all tasks */
    int64_t step_ns;          /* of `tracks` */
    uint32_t track_count;
    uint8_t *tracks;      /* [track_count * MI_BUSY_STEPS] share of each step, of MI_BUSY_FULL */
    struct mi_span *gaps; /* [gap_count] in order */
    uint32_t gap_count;
    int64_t least_gap_ns;
};

/* `start_ns` [tasks.count]: when tasks started, calibrated or as exported. */
bool mi_busy_init(struct mi_busy *busy, const struct mi_account *account, const int64_t *start_ns,
                  struct mi_error *err);
void mi_busy_fini(struct mi_busy *busy);

/* Share of each of `steps` steps from from_ns on in which the band was busy, of MI_BUSY_FULL; a
 * moment of it is never 0. */
void mi_busy_query(const struct mi_busy_band *band, int64_t from_ns, int64_t step_ns,
                   uint32_t steps, uint8_t *out);

#endif
