/* Who issued each task: a node of the model, the compiler, the runtime or the application. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"
#include "model/links.h"

/* What the name of a kernel says: looked at once, not for each of its tasks. */
enum name { OTHER_NAME, OF_RUNTIME, STARTS_MODEL };

struct issuers {
    struct mi_model *model;
    struct mi_tables *rows;
    uint32_t *collections;
    uint8_t *is_inserted; /* [nodes.count] by the compiler, or where its graph begins and ends */
    uint8_t *is_model;    /* [tracks.count] a task of the stream belongs to a node */
    uint8_t *starts;      /* [tracks.count] a task of the stream starts a model */
    uint8_t *names;       /* [kernels.count] enum name */
};

static enum name look_at_name(struct mi_bytes name)
{
    if (mi_bytes_starts(name, MI_LIT("PROFIL")) || mi_bytes_starts(name, MI_LIT("ONLINE_PROF")) ||
        mi_bytes_starts(name, MI_LIT("FLIP_TASK")) || mi_bytes_starts(name, MI_LIT("MAINTENANCE")))
        return OF_RUNTIME;
    return mi_bytes_starts(name, MI_LIT("MODEL_EXECUTE")) ? STARTS_MODEL : OTHER_NAME;
}

/* Whether a call of the program itself launched the task. */
static bool is_called(const struct issuers *s, uint32_t task)
{
    uint32_t launch = s->rows->tasks.launch[task].v;
    return launch &&
           mi_bytes_equal(mi_model_text(s->model, s->rows->slices.category[launch]), MI_LIT("acl"));
}

static enum mi_task_by of_unlinked(const struct issuers *s, uint32_t task)
{
    uint32_t kernel = s->rows->tasks.kernel[task].v, track = s->rows->tasks.track[task].v;
    unsigned kind = s->rows->kernels.kind[kernel];
    if (!s->collections[s->rows->kernels.source[kernel].v])
        return MI_BY_UNKNOWN;
    if (s->names[kernel] == OF_RUNTIME)
        return MI_BY_RUNTIME;
    if (s->names[kernel] == STARTS_MODEL)
        return MI_BY_APPLICATION;
    if (kind == MI_TASK_SYNC && is_called(s, task))
        return MI_BY_APPLICATION; /* aclrtRecordEvent, aclrtStreamWaitEvent */
    if (s->rows->planned.count > 1 && !s->starts[track] &&
        s->rows->kernels.sync[kernel] != MI_SYNC_NONE)
        return MI_BY_COMPILER; /* events between the streams of a model */
    if (s->is_model[track])
        return kind == MI_TASK_COMPUTE ? MI_BY_UNKNOWN : MI_BY_RUNTIME;
    if (kind == MI_TASK_TRANSFER || s->starts[track])
        return MI_BY_APPLICATION;
    return kind == MI_TASK_COMPUTE ? MI_BY_UNKNOWN : MI_BY_RUNTIME;
}

static void look_at_links(struct issuers *s)
{
    struct mi_tasks *tasks = &s->rows->tasks;
    for (struct mi_links at = mi_links_begin(s->rows); mi_links_next(&at);) {
        uint32_t node = s->rows->executed.node[at.row].v;
        if (!node)
            continue;
        s->is_model[tasks->track[at.task].v] = 1;
        tasks->by[at.task] = s->is_inserted[node] ? MI_BY_COMPILER : MI_BY_NODE;
    }
    for (uint32_t t = 1; t < tasks->count; t++)
        if (s->names[tasks->kernel[t].v] == STARTS_MODEL)
            s->starts[tasks->track[t].v] = 1;
}

static void judge(struct issuers *s)
{
    const struct mi_births *births = &s->rows->births;
    struct mi_tasks *tasks = &s->rows->tasks;
    for (uint32_t k = 1; k < s->rows->kernels.count; k++)
        s->names[k] = (uint8_t)look_at_name(mi_model_text(s->model, s->rows->kernels.name[k]));
    for (uint32_t b = 1; b < births->count; b++)
        s->is_inserted[births->node[b].v] =
            births->origin[b] == MI_ORIGIN_INSERTED || births->origin[b] == MI_ORIGIN_BOUNDARY;
    look_at_links(s);
    for (uint32_t t = 1; t < tasks->count; t++)
        if (tasks->by[t] == MI_BY_UNKNOWN)
            tasks->by[t] = (uint8_t)of_unlinked(s, t);
}

bool mi_judge_issuers(struct mi_model *model, struct mi_error *err)
{
    struct mi_tables *rows = &model->all.rows;
    struct issuers s = {.model = model, .rows = rows, .collections = mi_cann_collections(model)};
    if (rows->tasks.count > 1) {
        s.is_inserted = mi_mem_zero(rows->nodes.count, 1);
        s.is_model = mi_mem_zero(rows->tracks.count, 1);
        s.starts = mi_mem_zero(rows->tracks.count, 1);
        s.names = mi_mem_zero(rows->kernels.count, 1);
    }
    bool ok = s.collections &&
              (rows->tasks.count <= 1 || (s.is_inserted && s.is_model && s.starts && s.names));
    if (ok && rows->tasks.count > 1)
        judge(&s);
    mi_mem_free(s.collections);
    mi_mem_free(s.is_inserted);
    mi_mem_free(s.is_model);
    mi_mem_free(s.starts);
    mi_mem_free(s.names);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while judging tasks");
}
