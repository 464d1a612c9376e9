/* Causes and effects of a run, as exported and as calibrated. */
#ifndef MI_ANALYSE_CLOCKS_EFFECTS_H
#define MI_ANALYSE_CLOCKS_EFFECTS_H

#include "model/model.h"

enum mi_effect_kind { MI_EFFECT_EVENT, MI_EFFECT_LAUNCH };

/* An effect that comes before its cause. */
struct mi_effect {
    enum mi_effect_kind kind;
    uint32_t cause;              /* task; LAUNCH: slice */
    uint32_t effect;             /* task */
    int64_t before_ns, after_ns; /* from cause to effect, as exported and calibrated */
};

struct mi_effect_count {
    int64_t pairs, violated_before, violated_after;
    int64_t worst_before_ns, worst_after_ns; /* least distance from cause to effect */
};

struct mi_effects {
    struct mi_effect_count count[2];  /* by kind */
    struct mi_effect_count *by_track; /* [tracks.count] launches alone */
    struct mi_effect *worst;          /* the worst first */
    uint32_t worst_count, worst_room;
};

/* Capture time of a task as exported, before it was calibrated. */
int64_t mi_exported_start(const struct mi_model *model, uint32_t task);

/* Looks at all signals and launches and keeps the `most` worst. False: out of memory. */
bool mi_effects_find(struct mi_effects *effects, const struct mi_model *model, uint32_t most);
void mi_effects_fini(struct mi_effects *effects);

#endif
