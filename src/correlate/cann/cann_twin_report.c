/* What joining the files of one run is to tell: how often they agree and differ, and what only one
 * of them knows. */
#include "base/translate.h"
#include "correlate/cann/cann_twins.h"

void mi_cann_count_one(const struct mi_cann_twins *tw, struct mi_cann_count *count, uint32_t task)
{
    int64_t offset = tw->rows->tasks.record_offset[task];
    bool is_place = offset < tw->rows->sources.size_bytes[mi_cann_source_of(tw, task)]; /* no key */
    if (!count->times++)
        count->offset = is_place ? offset : -1;
}

bool mi_cann_find_scopes(struct mi_cann_twins *tw)
{
    const struct mi_tasks *tasks = &tw->rows->tasks;
    bool any_loose = false;
    for (uint32_t i = 1; i < tw->order_count; i++) {
        uint32_t t = tw->order[i];
        any_loose |= mi_cann_is_loose(tw, t);
        struct mi_cann_tally *tally = &tw->tallies[mi_cann_source_of(tw, t)];
        unsigned kind = tw->rows->kernels.kind[tasks->kernel[t].v];
        if (mi_cann_is_loose(tw, t))
            tally->has_collectives |= kind == MI_TASK_COMMUNICATION;
        else if (kind == MI_TASK_COMPUTE)
            tally->has_ops = true;
        else if (kind == MI_TASK_SYNC || kind == MI_TASK_TRANSFER)
            tally->has_all = true;
        tw->is_parent[tasks->parent[t].v] = 1;
    }
    return any_loose;
}

/* Whether another file of the collection ought to tell of the task too. */
static bool is_missed(const struct mi_cann_twins *tw, uint32_t task)
{
    const struct mi_sources *sources = &tw->rows->sources;
    uint32_t own = mi_cann_source_of(tw, task);
    unsigned kind = tw->rows->kernels.kind[tw->rows->tasks.kernel[task].v];
    bool is_op = kind == MI_TASK_COMPUTE && !tw->rows->tasks.parent[task].v;
    for (uint32_t s = 1; s < sources->count; s++) {
        const struct mi_cann_tally *tally = &tw->tallies[s];
        if (s == own || tw->collections[s] != tw->collections[own])
            continue;
        if (mi_cann_is_loose(tw, task) ? tally->has_collectives
                                       : tally->has_all || (is_op && tally->has_ops))
            return true;
    }
    return false;
}

void mi_cann_count_alone(struct mi_cann_twins *tw)
{
    for (uint32_t i = 1; i < tw->order_count; i++) {
        uint32_t t = tw->order[i];
        if (mi_cann_is_alive(tw, t) && !mi_cann_taken(tw, t) && !tw->is_parent[t] &&
            is_missed(tw, t))
            mi_cann_count_one(tw, &tw->tallies[mi_cann_source_of(tw, t)].alone, t);
    }
}

void mi_cann_notice(struct mi_model *model, uint32_t source, enum mi_severity severity,
                    const char *code, const char *text, int64_t times, int64_t offset)
{
    if (times)
        mi_add_diag(&model->all, &(struct mi_diag_row){.source = {source},
                                                       .code = mi_batch_cstr(&model->all, code),
                                                       .severity = (uint8_t)severity,
                                                       .times = times,
                                                       .offset = offset,
                                                       .text = mi_batch_cstr(&model->all, text)});
}

void mi_cann_report_twins(struct mi_cann_twins *tw)
{
    struct mi_sources *sources = &tw->rows->sources;
    for (uint32_t s = 1; s < sources->count; s++) {
        const struct mi_cann_tally *t = &tw->tallies[s];
        sources->records_kept[s] -= t->twice.times + t->repeated.times;
        sources->records_skipped[s] += t->twice.times + t->repeated.times;
        mi_cann_notice(tw->model, s, MI_INFO, "msprof.task_twice",
                       N_("tasks that another file tells of too are counted once"), t->twice.times,
                       t->twice.offset);
        mi_cann_notice(tw->model, s, MI_NOTICE, "msprof.tables_differ",
                       N_("tasks whose duration differs between two files"), t->durations.times,
                       t->durations.offset);
        mi_cann_notice(tw->model, s, MI_NOTICE, "msprof.kinds_differ",
                       N_("tasks whose type differs between two files"), t->kinds.times,
                       t->kinds.offset);
        mi_cann_notice(tw->model, s, MI_NOTICE, "msprof.row_twice",
                       N_("rows that stand in the table twice are counted once"), t->repeated.times,
                       t->repeated.offset);
        mi_cann_notice(tw->model, s, MI_NOTICE, "msprof.task_alone",
                       N_("tasks that another file of the same run does not tell of"),
                       t->alone.times, t->alone.offset);
    }
}
