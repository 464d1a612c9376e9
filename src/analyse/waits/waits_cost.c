/* What waits cost, by simulating the run without them. */
#include "analyse/waits/waits_parts.h"

static bool is_open(const struct mi_wait *wait)
{
    return wait->verdict == MI_WAIT_QUEUE || wait->verdict == MI_WAIT_REDUNDANT ||
           wait->verdict == MI_WAIT_NEEDLESS;
}

void mi_waits_measure(struct mi_waits *waits, struct mi_whatif *whatif,
                      const struct mi_wait_place *places)
{
    int64_t base_ns = mi_whatif_run(whatif);
    for (uint32_t i = 0; i < waits->count && waits->budget > 0; i++) {
        struct mi_wait *wait = &waits->list[i];
        if (!is_open(wait) || places[i].vertex == MI_TG_NONE)
            continue;
        if (wait->verdict != MI_WAIT_QUEUE)
            mi_whatif_remove_wait(whatif, places[i].vertex);
        else if (whatif->lane[places[i].vertex] != places[i].lane)
            mi_whatif_move(whatif, places[i].vertex, places[i].lane);
        wait->gain_sum_ns = mi_ns_add(wait->gain_sum_ns, base_ns - mi_whatif_run(whatif));
        wait->gain_runs++;
        mi_whatif_reset(whatif);
        waits->budget -= whatif->graph->count;
    }
}
