/* What the pass `whatif` is made of: changes as the user writes them, applied to runs; and the
 * ranking of changes by what they gain. */
#ifndef MI_ANALYSE_WHATIF_PARTS_H
#define MI_ANALYSE_WHATIF_PARTS_H

#include "analyse/doctor/doctor.h"

enum mi_change_kind {
    MI_CHANGE_SHORTEN,
    MI_CHANGE_REMOVE,
    MI_CHANGE_REMOVE_WAIT,
    MI_CHANGE_MOVE,
    MI_CHANGE_FUSE,
    MI_CHANGE_UNFUSE,
    MI_CHANGE_KINDS
};

extern const char *const mi_change_words[MI_CHANGE_KINDS];

struct mi_change {
    uint8_t kind;           /* enum mi_change_kind */
    uint32_t node;          /* of FUSE the one that takes the others in */
    uint32_t track;         /* MOVE: where to; 0 = a stream of its own */
    int64_t permille;       /* SHORTEN: the time that is left, of 1000; -1: dur_ns counts */
    int64_t dur_ns;         /* SHORTEN: time of each of its tasks; UNFUSE: of all parts */
    const uint32_t *others; /* FUSE: [other_count] nodes that become part of it */
    uint32_t other_count, part_count; /* UNFUSE: how many parts */
    bool keeps_data;                  /* REMOVE_WAIT: data is still waited for */
};

struct mi_changes {
    struct mi_doctor *d;
    struct mi_change *list; /* [count] in the arena of the report */
    uint32_t count;
    int64_t gap_ns; /* median gap in front of a task: what one more launch costs */
};

/* Reads --shorten, --remove, --remove-wait, --move, --fuse and --unfuse. False: err says which of
 * them makes no sense. */
bool mi_changes_read(struct mi_changes *changes, struct mi_doctor *doctor);

/* Applies one of them; for mi_doctor_gain(). */
void mi_change_apply(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *change);

/* All of them; `user` is the struct mi_changes. */
void mi_changes_apply(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user);

/* Table `rank`: single changes, those that gain most first. False: out of memory. */
bool mi_whatif_rank(struct mi_doctor *doctor, int64_t top);

#endif
