#include "present/serve/site_diff.h"

#include "base/lock.h"
#include "base/mem.h"
#include "present/serve/site_parts.h"

enum { LEAST_NS = 500, LEAST_PPM = 30000 };

const char *const mi_differs_names[MI_DIFFERS_KINDS] = {
    [MI_CMP_REFUSED] = "fused_otherwise",
    [MI_CMP_RETYPED] = "another_type",
    [MI_CMP_DTYPE] = "dtype",
    [MI_CMP_SHAPE] = "shape",
    [MI_CMP_FORMAT] = "layout",
    [MI_CMP_KERNEL] = "kernel",
    [MI_CMP_STREAM] = "stream",
    [MI_CMP_APPEARED] = "appeared",
    [MI_CMP_VANISHED] = "vanished",
    [MI_CMP_RENAMED] = "renamed",
    [MI_DIFFERS_SLOWER] = "slower",
    [MI_DIFFERS_FASTER] = "faster",
};

struct slot {
    struct mi_lock lock;
    bool is_ready;
    struct mi_joint_drawn joint;
};

struct mi_site_diff {
    struct mi_site *sites[MI_CMP_SIDES];
    struct mi_lock compare_lock, joint_lock;
    bool has_compare, has_joint;
    struct mi_compare compare;
    uint32_t *cause_of; /* [op_count] */
    struct mi_joint joint;
    uint16_t *differs; /* [joint nodes] */
    struct slot slots[MI_FOLDINGS];
};

struct mi_site_diff *mi_site_diff_new(struct mi_site *base, struct mi_site *own)
{
    struct mi_site_diff *diff = mi_mem_zero(1, sizeof *diff);
    if (!diff)
        return NULL;
    diff->sites[MI_CMP_BASE] = base;
    diff->sites[MI_CMP_NEW] = own;
    mi_lock_init(&diff->compare_lock);
    mi_lock_init(&diff->joint_lock);
    for (int s = 0; s < MI_FOLDINGS; s++)
        mi_lock_init(&diff->slots[s].lock);
    return diff;
}

void mi_site_diff_free(struct mi_site_diff *diff)
{
    if (!diff)
        return;
    for (int s = 0; s < MI_FOLDINGS; s++) {
        if (diff->slots[s].is_ready)
            mi_joint_drawn_fini(&diff->slots[s].joint);
        mi_lock_fini(&diff->slots[s].lock);
    }
    if (diff->has_joint)
        mi_joint_fini(&diff->joint);
    if (diff->has_compare)
        mi_compare_fini(&diff->compare);
    mi_mem_free(diff->cause_of);
    mi_mem_free(diff->differs);
    mi_lock_fini(&diff->compare_lock);
    mi_lock_fini(&diff->joint_lock);
    mi_mem_free(diff);
}

/* --- the comparison --- */

static bool compare(struct mi_site_diff *diff, struct mi_error *err)
{
    const struct mi_model *models[] = {mi_site_model(diff->sites[0]),
                                       mi_site_model(diff->sites[1])};
    const struct mi_model *const *lists[] = {&models[0], &models[1]};
    struct mi_cmp_options options = {.rank = -1, .device = -1};
    if (!mi_compare_init(&diff->compare, lists, (const uint32_t[]){1, 1}, &options, err))
        return false;
    diff->cause_of = mi_mem_zero(diff->compare.op_count, sizeof *diff->cause_of);
    for (uint32_t i = 0; diff->cause_of && i < diff->compare.cause_count; i++) {
        const struct mi_cmp_cause *cause = &diff->compare.causes[i];
        for (uint32_t k = 0; k < cause->op_count; k++)
            diff->cause_of[diff->compare.cause_ops[cause->first_op + k]] = i + 1;
    }
    if (!diff->cause_of)
        mi_compare_fini(&diff->compare);
    return diff->cause_of || mi_fail(err, MI_ENOMEM, "out of memory for comparing");
}

const struct mi_compare *mi_site_compare(struct mi_site *site, struct mi_error *err)
{
    struct mi_site_diff *diff = mi_site_diff(site);
    if (!diff) {
        mi_fail(err, MI_ENOTFOUND, "there is no base to compare with");
        return NULL;
    }
    mi_lock_take(&diff->compare_lock);
    if (!diff->has_compare)
        diff->has_compare = compare(diff, err);
    bool ok = diff->has_compare;
    mi_lock_give(&diff->compare_lock);
    return ok ? &diff->compare : NULL;
}

const uint32_t *mi_site_cause_of(const struct mi_site *site)
{
    return mi_site_diff(site)->cause_of;
}

/* --- the joint graph --- */

/* Times of an op that some cause counts: the others differ by noise. */
static unsigned pace_of(const struct mi_site_diff *diff, uint32_t op)
{
    const struct mi_cmp_op *at = &diff->compare.ops[op];
    int64_t was = at->median_ns[MI_CMP_BASE], is = at->median_ns[MI_CMP_NEW];
    int64_t delta = mi_ns_sub(is, was), size = delta < 0 ? mi_ns_sub(0, delta) : delta;
    int64_t least = was < is ? was : is;
    if (!op || !diff->cause_of[op] || !at->tasks[MI_CMP_BASE] || !at->tasks[MI_CMP_NEW] ||
        size < LEAST_NS || (double)size * 1e6 < (double)least * LEAST_PPM)
        return 0;
    return 1U << (delta > 0 ? MI_DIFFERS_SLOWER : MI_DIFFERS_FASTER);
}

static bool mark_nodes(struct mi_site_diff *diff)
{
    const struct mi_compare *compare = &diff->compare;
    diff->differs = mi_mem_zero(diff->joint.model.all.rows.nodes.count, sizeof *diff->differs);
    if (!diff->differs)
        return false;
    for (uint32_t i = 0; i < compare->change_count; i++) {
        const struct mi_cmp_change *change = &compare->changes[i];
        for (unsigned side = 0; side < MI_CMP_SIDES; side++)
            if (change->node[side])
                diff->differs[diff->joint.node_of[side][change->node[side]]] |=
                    (uint16_t)(1U << change->kind);
    }
    for (uint32_t o = 1; o < compare->op_count; o++)
        for (unsigned side = 0; side < MI_CMP_SIDES; side++)
            if (compare->ops[o].node[side])
                diff->differs[diff->joint.node_of[side][compare->ops[o].node[side]]] |=
                    (uint16_t)pace_of(diff, o);
    diff->differs[0] = 0;
    return true;
}

static bool join(struct mi_site_diff *diff, struct mi_error *err)
{
    bool ok = mi_joint_init(&diff->joint, &diff->compare.match, err) &&
              (mark_nodes(diff) || mi_fail(err, MI_ENOMEM, "out of memory for comparing"));
    if (!ok)
        mi_joint_fini(&diff->joint);
    return ok;
}

const struct mi_joint *mi_site_joint(struct mi_site *site, struct mi_error *err)
{
    if (!mi_site_compare(site, err))
        return NULL;
    struct mi_site_diff *diff = mi_site_diff(site);
    mi_lock_take(&diff->joint_lock);
    if (!diff->has_joint)
        diff->has_joint = join(diff, err);
    bool ok = diff->has_joint;
    mi_lock_give(&diff->joint_lock);
    return ok ? &diff->joint : NULL;
}

const uint16_t *mi_site_differs(const struct mi_site *site)
{
    return mi_site_diff(site)->differs;
}

const struct mi_joint_drawn *mi_site_joint_drawn(struct mi_site *site, struct mi_folding folding,
                                                 struct mi_error *err)
{
    const struct mi_joint *joint = mi_site_joint(site, err);
    if (!joint)
        return NULL;
    struct mi_site_diff *diff = mi_site_diff(site);
    struct mi_joint_making making = {.compare = &diff->compare,
                                     .joint = joint,
                                     .differs = diff->differs,
                                     .own = {mi_site_drawn(diff->sites[0], folding, err),
                                             mi_site_drawn(diff->sites[1], folding, err)}};
    struct slot *slot = &diff->slots[mi_folding_number(folding)];
    if (!making.own[0] || !making.own[1])
        return NULL;
    mi_lock_take(&slot->lock);
    if (!slot->is_ready)
        slot->is_ready = mi_site_draw(&slot->joint.drawn, &joint->model, folding, err) &&
                         mi_joint_drawn_fill(&slot->joint, &making, err);
    bool ok = slot->is_ready;
    mi_lock_give(&slot->lock);
    return ok ? &slot->joint : NULL;
}
