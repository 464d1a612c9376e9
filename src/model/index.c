#include "model/index.h"

#include "base/mem.h"

bool mi_csr_build(struct mi_csr *csr, uint32_t row_count, const uint32_t *keys, uint32_t count)
{
    mi_csr_fini(csr);
    csr->first = mi_mem_zero((size_t)row_count + 3, sizeof *csr->first);
    csr->list = mi_mem_new(count, sizeof *csr->list);
    if (!csr->first || !csr->list)
        return false;
    csr->row_count = row_count;
    /* Counting sort: counts stand two places ahead, so that after the fill first[a] is a's start.
     */
    for (uint32_t i = 1; i < count; i++)
        if (keys[i])
            csr->first[keys[i] + 2]++;
    for (uint32_t a = 2; a < row_count + 3; a++)
        csr->first[a] += csr->first[a - 1];
    for (uint32_t i = 1; i < count; i++)
        if (keys[i])
            csr->list[csr->first[keys[i] + 1]++] = i;
    return true;
}

void mi_csr_fini(struct mi_csr *csr)
{
    mi_mem_free(csr->first);
    mi_mem_free(csr->list);
    *csr = (struct mi_csr){0};
}

void mi_index_fini(struct mi_index *index)
{
    mi_mem_free(index->graph_first_node);
    mi_csr_fini(&index->consumers);
    mi_csr_fini(&index->inner);
    mi_csr_fini(&index->outer_uses);
    mi_map_fini(&index->node_by_name);
    mi_mem_free(index->next_same_name);
    mi_map_fini(&index->value_by_name);
    mi_csr_fini(&index->node_tasks);
    mi_csr_fini(&index->compiled_of);
    mi_csr_fini(&index->framework_of);
    mi_mem_free(index->kernel_first);
    mi_mem_free(index->kernel_count);
    mi_mem_free(index->track_first_task);
    mi_mem_free(index->track_first_slice);
    mi_mem_free(index->fate_of);
    mi_mem_free(index->birth_of);
    *index = (struct mi_index){0};
}
