#include "model/has.h"

#include "base/translate.h"
#include "model/model.h"

unsigned mi_model_has(const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    unsigned has = 0;
    if (mi_model_has_layer(model, MI_LAYER_FRAMEWORK))
        has |= MI_HAS_FRAMEWORK_GRAPH;
    if (mi_model_has_layer(model, MI_LAYER_COMPILED))
        has |= MI_HAS_COMPILED_GRAPH;
    if (rows->tasks.count > 1)
        has |= MI_HAS_TASKS;
    if (rows->slices.count > 1)
        has |= MI_HAS_SLICES;
    if (rows->lowered.count > 1 || rows->executed.count > 1)
        has |= MI_HAS_LINKS;
    return has;
}

const char *mi_has_missing(unsigned needs, unsigned has)
{
    static const struct {
        unsigned bit;
        const char *text;
    } words[] = {{MI_HAS_FRAMEWORK_GRAPH, N_("not checked: the inputs hold no framework graph")},
                 {MI_HAS_COMPILED_GRAPH, N_("not checked: the inputs hold no compiled graph")},
                 {MI_HAS_TASKS, N_("not checked: the inputs hold no device tasks")},
                 {MI_HAS_SLICES, N_("not checked: the inputs hold no host spans")},
                 {MI_HAS_LINKS, N_("not checked: the inputs hold no links between layers")}};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (needs & ~has & words[i].bit)
            return words[i].text;
    return "";
}
