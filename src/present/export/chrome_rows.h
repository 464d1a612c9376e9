/* The rows of a Chrome trace: which process and which thread each task and each span of the host
 * stands on, so that the slices of one row nest. */
#ifndef MI_PRESENT_EXPORT_CHROME_ROWS_H
#define MI_PRESENT_EXPORT_CHROME_ROWS_H

#include "model/model.h"

enum { MI_CHROME_HOST = 1, MI_CHROME_FRAMEWORK = 2, MI_CHROME_FIRST_DEVICE = 3 }; /* processes */

struct mi_chrome_place {
    uint32_t pid;
    uint64_t tid; /* unique over all processes; 0 = the process as a whole */
};

struct mi_chrome_span {
    int64_t start_ns, dur_ns;
    uint32_t track, row;
    bool is_slice;
};

struct mi_chrome_rows { /* all owned, but the tables */
    const struct mi_tables *tables;
    int64_t shift_ns;             /* added to all times, so that none is negative */
    struct mi_chrome_span *spans; /* [span_count] tasks and host spans, by track and time */
    uint32_t span_count;
    uint8_t *lane;       /* [tasks.count] extra row of its track, 0 = the track's own */
    uint8_t *slice_lane; /* [slices.count] same */
    uint8_t *lanes;      /* [tracks.count] how many the track has, at least 1 */
    uint32_t *pid;       /* [tracks.count] */
};

/* False with MI_ENOMEM; mi_chrome_rows_fini() in any case. */
bool mi_chrome_rows_init(struct mi_chrome_rows *rows, const struct mi_tables *tables,
                         struct mi_error *err);
void mi_chrome_rows_fini(struct mi_chrome_rows *rows);

/* A row of a track, and its mirror in the process of framework ops. */
struct mi_chrome_place mi_chrome_row(const struct mi_chrome_rows *rows, uint32_t track,
                                     unsigned lane);
struct mi_chrome_place mi_chrome_framework_row(const struct mi_chrome_rows *rows, uint32_t track,
                                               unsigned lane);

struct mi_chrome_place mi_chrome_task_place(const struct mi_chrome_rows *rows, uint32_t task);
struct mi_chrome_place mi_chrome_framework_place(const struct mi_chrome_rows *rows, uint32_t task);
struct mi_chrome_place mi_chrome_slice_place(const struct mi_chrome_rows *rows, uint32_t slice);

#endif
