/* Collectives that run on the AI CPU or the vector cores are typed like kernels; their names tell,
 * as they do for the profiler's own sums. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"

static bool talks(struct mi_bytes name)
{
    return mi_bytes_ends(name, MI_LIT("AicpuKernel")) || mi_bytes_ends(name, MI_LIT("AivKernel"));
}

bool mi_cann_settle_kinds(struct mi_model *model, struct mi_error *err)
{
    struct mi_kernels *kernels = &model->all.rows.kernels;
    uint32_t *collections = mi_cann_collections(model);
    for (uint32_t k = 1; collections && k < kernels->count; k++)
        if (collections[kernels->source[k].v] && kernels->kind[k] == MI_TASK_COMPUTE &&
            (talks(mi_model_text(model, kernels->name[k])) ||
             talks(mi_model_text(model, kernels->node_name[k]))))
            kernels->kind[k] = MI_TASK_COMMUNICATION;
    mi_mem_free(collections);
    return collections || mi_fail(err, MI_ENOMEM, "out of memory for kinds of tasks");
}
