/* A comparison as a whole: captures of both sides, their samples, what both call the same. */
#include "analyse/compare/compare_parts.h"
#include "analyse/describe.h"
#include "base/mem.h"

#include <stdlib.h>

static int compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int64_t mi_cmp_median(int64_t *list, uint32_t count)
{
    if (!count)
        return 0;
    qsort(list, count, sizeof *list, compare_numbers);
    return list[(count - 1) / 2];
}

/* --- opening --- */

static bool open_capture(struct mi_cmp_capture *capture, const struct mi_model *model,
                         const struct mi_model *first, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    capture->model = model;
    if (!mi_account_init(&capture->account, model, err) ||
        !mi_tg_units_init(&capture->units, model, &capture->account, err) ||
        (first != model && !mi_match_init(&capture->to_first, first, model, err)))
        return false;
    capture->op_of = mi_mem_zero((size_t)rows->tasks.count + 1, sizeof *capture->op_of);
    capture->sample_of =
        mi_mem_zero((size_t)capture->account.run_count + 1, sizeof *capture->sample_of);
    return (capture->op_of && capture->sample_of) || mi_fail(err, MI_ENOMEM, "out of memory");
}

static bool open_side(struct mi_cmp_side *side, const struct mi_model *const *models,
                      uint32_t count, struct mi_error *err)
{
    side->rank = side->device = -1;
    for (uint32_t i = 0; i < count && i < MI_CMP_CAPTURES; i++) {
        side->capture_count = i + 1;
        if (!open_capture(&side->captures[i], models[i], models[0], err))
            return false;
    }
    return true;
}

/* The compiled graph if both have one, else the framework's. */
static void choose_layer(struct mi_compare *compare)
{
    static const enum mi_layer layers[] = {MI_LAYER_COMPILED, MI_LAYER_FRAMEWORK};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        if (!mi_model_has_layer(mi_cmp_model(compare, MI_CMP_BASE), layers[i]) ||
            !mi_model_has_layer(mi_cmp_model(compare, MI_CMP_NEW), layers[i]))
            continue;
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            const struct mi_model *model = mi_cmp_model(compare, side);
            compare->side[side].layer = layers[i];
            for (uint32_t n = 1; n < model->all.rows.nodes.count; n++)
                compare->side[side].node_count +=
                    mi_node_layer(model, (mi_node_id){n}) == layers[i];
        }
        return;
    }
}

bool mi_compare_init(struct mi_compare *compare, const struct mi_model *const *models[],
                     const uint32_t counts[], const struct mi_cmp_options *options,
                     struct mi_error *err)
{
    struct mi_cmp_side *base = &compare->side[MI_CMP_BASE], *new = &compare->side[MI_CMP_NEW];
    *compare = (struct mi_compare){0};
    mi_arena_init(&compare->arena);
    bool ok = mi_match_init(&compare->match, models[MI_CMP_BASE][0], models[MI_CMP_NEW][0], err);
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++)
        ok = open_side(&compare->side[side], models[side], counts[side], err);
    if (ok)
        choose_layer(compare);
    ok = ok && mi_cmp_find_samples(base, options, NULL, err) &&
         mi_cmp_find_samples(new, options, base, err);
    if (ok && (!mi_cmp_find_ops(compare) || !mi_cmp_find_times(compare)))
        ok = mi_fail(err, MI_ENOMEM, "out of memory for comparing");
    ok = ok && mi_cmp_find_runs(compare, err);
    if (ok && !mi_cmp_find_changes(compare))
        ok = mi_fail(err, MI_ENOMEM, "out of memory for comparing");
    ok = ok && mi_cmp_find_serials(compare, err) && mi_cmp_find_causes(compare, err);
    if (!ok)
        mi_compare_fini(compare);
    return ok;
}

static void close_side(struct mi_cmp_side *side)
{
    for (uint32_t i = 0; i < side->capture_count; i++) {
        struct mi_cmp_capture *capture = &side->captures[i];
        mi_account_fini(&capture->account);
        mi_tg_units_fini(&capture->units);
        mi_match_fini(&capture->to_first);
        mi_mem_free(capture->op_of);
        mi_mem_free(capture->sample_of);
    }
    mi_mem_free(side->samples);
    mi_cmp_run_fini(&side->run);
}

void mi_compare_fini(struct mi_compare *compare)
{
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        close_side(&compare->side[side]);
        mi_mem_free(compare->times[side]);
        mi_mem_free(compare->op_of_node[side]);
    }
    mi_match_fini(&compare->match);
    mi_mem_free(compare->ops);
    mi_mem_free(compare->types);
    mi_mem_free(compare->changes);
    mi_mem_free(compare->serials);
    mi_mem_free(compare->causes);
    mi_mem_free(compare->cause_ops);
    mi_mem_free(compare->region_of_op);
    mi_arena_fini(&compare->arena);
    *compare = (struct mi_compare){0};
}

/* --- reading --- */

void mi_cmp_op_samples(const struct mi_compare *compare, unsigned side, uint32_t op, int64_t *list)
{
    const struct mi_cmp_op *at = &compare->ops[op];
    memset(list, 0, compare->side[side].sample_count * sizeof *list);
    for (uint32_t i = 0; i < at->time_count[side]; i++) {
        const struct mi_cmp_time *time = &compare->times[side][at->first_time[side] + i];
        list[time->sample] = time->ns;
    }
}

struct mi_bytes mi_cmp_op_name(const struct mi_compare *compare, uint32_t op,
                               struct mi_arena *arena)
{
    const struct mi_cmp_op *at = &compare->ops[op];
    unsigned side = at->node[MI_CMP_NEW] || (!at->node[MI_CMP_BASE] && at->kernel[MI_CMP_NEW])
                        ? MI_CMP_NEW
                        : MI_CMP_BASE;
    if (at->node[side])
        return mi_describe_node(mi_cmp_model(compare, side), (mi_node_id){at->node[side]}, arena);
    const struct mi_model *model = compare->side[side].captures[at->kernel_capture[side]].model;
    const struct mi_kernels *kernels = &model->all.rows.kernels;
    uint32_t kernel = at->kernel[side];
    return mi_model_text(model, kernels->node_name[kernel].v ? kernels->node_name[kernel]
                                                             : kernels->name[kernel]);
}

struct mi_bytes mi_cmp_first_name(const struct mi_compare *compare,
                                  const struct mi_cmp_cause *cause, struct mi_arena *arena)
{
    const struct mi_tables *rows = &mi_cmp_model(compare, MI_CMP_NEW)->all.rows;
    if (cause->op_count)
        return mi_cmp_op_name(compare, compare->cause_ops[cause->first_op], arena);
    return mi_model_text(mi_cmp_model(compare, MI_CMP_NEW),
                         rows->kernels.name[rows->tasks.kernel[cause->task].v]);
}

struct mi_bytes mi_cmp_type_name(const struct mi_compare *compare, uint32_t type)
{
    return mi_model_text(compare->types[type].model, compare->types[type].name);
}
