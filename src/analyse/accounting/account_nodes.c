/* What the counted tasks of each node add up to. */
#include "analyse/accounting.h"
#include "base/mem.h"

static void sum_tasks(struct mi_node_time *times, const struct mi_account *account,
                      const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t link = model->all.rows.tasks.link[t].v;
        if (!link || !mi_account_counts(account, (mi_task_id){t}))
            continue;
        struct mi_node_time *time = &times[rows->executed.node[link].v];
        time->tasks++;
        time->total_ns = mi_ns_add(time->total_ns, account->own_ns[t]);
        if (time->runs < account->runs[account->run_of[t]].counted_beside)
            time->runs = account->runs[account->run_of[t]].counted_beside;
    }
}

/* The group of one compiled node: framework ops whose results it computes. */
struct group {
    const struct mi_model *model;
    uint32_t *stamp; /* [nodes.count] compiled node whose group the op is in */
    uint32_t compiled;
};

static bool computes(const struct mi_lowered *links, uint32_t link)
{
    return links->role[link] == MI_ROLE_COMPUTED || links->role[link] == MI_ROLE_SHARED;
}

/* An op of the group reads a result of this one. */
static bool is_read_inside(const struct group *group, uint32_t op)
{
    const struct mi_tables *rows = &group->model->all.rows;
    const struct mi_csr *readers = &group->model->index.consumers;
    for (uint32_t i = 0; i < rows->nodes.out_count[op]; i++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[op] + i].v;
        for (uint32_t k = readers->first[value]; value && k < readers->first[value + 1]; k++)
            if (readers->list[k] != op && group->stamp[readers->list[k]] == group->compiled)
                return true;
    }
    return false;
}

/* The op of the group that no other of it reads; of several the last in the file. 0 = no group. */
static uint32_t last_of_group(const struct group *group)
{
    const struct mi_lowered *links = &group->model->all.rows.lowered;
    const struct mi_csr *of = &group->model->index.framework_of;
    uint32_t last = 0, any = 0, n = group->compiled;
    for (uint32_t i = of->first[n]; i < of->first[n + 1]; i++)
        if (computes(links, of->list[i]))
            group->stamp[links->framework[of->list[i]].v] = n;
    for (uint32_t i = of->first[n]; i < of->first[n + 1]; i++) {
        uint32_t op = links->framework[of->list[i]].v;
        if (group->stamp[op] != n)
            continue;
        any = op > any ? op : any;
        if (op > last && !is_read_inside(group, op))
            last = op;
    }
    return last ? last : any;
}

static bool hand_to_framework(struct mi_node_time *times, const struct mi_model *model)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct group group = {.model = model, .stamp = mi_mem_zero(nodes->count, sizeof(uint32_t))};
    for (uint32_t n = 1; group.stamp && n < nodes->count; n++) {
        if (!times[n].tasks || mi_node_layer(model, (mi_node_id){n}) != MI_LAYER_COMPILED)
            continue;
        group.compiled = n;
        uint32_t op = last_of_group(&group);
        if (!op)
            continue;
        times[op].tasks += times[n].tasks;
        times[op].total_ns = mi_ns_add(times[op].total_ns, times[n].total_ns);
        if (times[op].runs < times[n].runs)
            times[op].runs = times[n].runs;
    }
    bool ok = group.stamp != NULL;
    mi_mem_free(group.stamp);
    return ok;
}

struct mi_node_time *mi_account_nodes(const struct mi_account *account,
                                      const struct mi_model *model)
{
    struct mi_node_time *times = mi_mem_zero(model->all.rows.nodes.count, sizeof *times);
    if (!times)
        return NULL;
    sum_tasks(times, account, model);
    if (!hand_to_framework(times, model)) {
        mi_mem_free(times);
        return NULL;
    }
    return times;
}

bool mi_node_times(const struct mi_model *model, struct mi_node_time **times, struct mi_error *err)
{
    struct mi_account account;
    *times = NULL;
    if (model->all.rows.tasks.count <= 1)
        return true;
    if (!mi_account_init(&account, model, err))
        return false;
    *times = mi_account_nodes(&account, model);
    mi_account_fini(&account);
    return *times || mi_fail(err, MI_ENOMEM, "out of memory");
}
