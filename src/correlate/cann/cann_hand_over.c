/* What one row of a task takes over from another that tells of the same task. */
#include "correlate/cann/cann_twins.h"

/* Types are written in capitals, so a name with a small letter is a symbol. */
static bool is_symbol(struct mi_bytes name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.at[i] >= 'a' && name.at[i] <= 'z')
            return true;
    return false;
}

static bool is_trace(const struct mi_model *model, uint32_t source)
{
    return mi_source_is_read_by(model, source, "chrome_trace");
}

/* Traces up to 8.1 call every kernel AI_CORE, whatever core ran it. */
static bool knows_engine(const struct mi_model *model, uint32_t kernel)
{
    const struct mi_kernels *kernels = &model->all.rows.kernels;
    return kernels->engine[kernel].v &&
           !(is_trace(model, kernels->source[kernel].v) &&
             mi_bytes_equal(mi_model_text(model, kernels->engine[kernel]), MI_LIT("AI_CORE")));
}

static void fill(mi_str_id *to, mi_str_id from)
{
    if (!to->v)
        *to = from;
}

static void hand_over_kernel(struct mi_model *model, uint32_t to, uint32_t from)
{
    struct mi_kernels *kernels = &model->all.rows.kernels;
    if (kernels->name[to].v == kernels->node_name[to].v && !kernels->node_name[from].v &&
        is_symbol(mi_model_text(model, kernels->name[from])))
        kernels->name[to] = kernels->name[from];
    if (knows_engine(model, from) && !knows_engine(model, to)) {
        kernels->engine[to] = kernels->engine[from];
        if (kernels->kind[to] == MI_TASK_COMPUTE && kernels->kind[from] != MI_TASK_OTHER)
            kernels->kind[to] = kernels->kind[from];
    }
    fill(&kernels->node_name[to], kernels->node_name[from]);
    fill(&kernels->op[to], kernels->op[from]);
    fill(&kernels->type[to], kernels->type[from]);
    fill(&kernels->group[to], kernels->group[from]);
    fill(&kernels->inputs[to], kernels->inputs[from]);
    fill(&kernels->outputs[to], kernels->outputs[from]);
    if (kernels->model[to] < 0)
        kernels->model[to] = kernels->model[from];
}

static int64_t end_of(const struct mi_tasks *tasks, uint32_t t)
{
    int64_t end;
    return __builtin_add_overflow(tasks->start_raw[t], tasks->dur_ns[t], &end) ? INT64_MAX : end;
}

/* Larger than the task, so that no chain of parents can lead back to it. */
static bool encloses(const struct mi_tasks *tasks, uint32_t parent, uint32_t task)
{
    return tasks->start_raw[parent] <= tasks->start_raw[task] &&
           end_of(tasks, parent) >= end_of(tasks, task) &&
           tasks->dur_ns[parent] > tasks->dur_ns[task];
}

void mi_cann_hand_over(struct mi_model *model, uint32_t kept, uint32_t dropped)
{
    struct mi_tasks *tasks = &model->all.rows.tasks;
    uint32_t parent = tasks->parent[dropped].v;
    hand_over_kernel(model, tasks->kernel[kept].v, tasks->kernel[dropped].v);
    /* None is zero, and what is zero is not written: it may take no memory. */
    if (!tasks->connection[kept].plus_one && tasks->connection[dropped].plus_one)
        tasks->connection[kept] = tasks->connection[dropped];
    if (!tasks->thread[kept].v && tasks->thread[dropped].v)
        tasks->thread[kept] = tasks->thread[dropped];
    if (!tasks->native_id[kept].plus_one && tasks->native_id[dropped].plus_one)
        tasks->native_id[kept] = tasks->native_id[dropped];
    if (!tasks->parent[kept].v && parent && encloses(tasks, parent, kept))
        tasks->parent[kept].v = parent;
}

unsigned mi_cann_richness(const struct mi_model *model, uint32_t task)
{
    const struct mi_kernels *kernels = &model->all.rows.kernels;
    uint32_t kernel = model->all.rows.tasks.kernel[task].v;
    bool is_table = mi_source_is_read_by(model, kernels->source[kernel].v, "msprof_csv");
    return (kernels->node_name[kernel].v ? 8U : 0U) + (kernels->op[kernel].v ? 4U : 0U) +
           (is_table ? 2U : 0U) + (kernels->inputs[kernel].v ? 1U : 0U);
}
