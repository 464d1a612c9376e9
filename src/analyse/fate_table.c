#include "analyse/fate_table.h"

#include "base/translate.h"

static const struct mi_report_column fate_columns[] = {
    {"fate", N_("fate"), MI_CELL_WORD, "", N_("what became of the framework op")},
    {"reason", N_("reason"), MI_CELL_WORD, "", N_("why")},
    {"nodes", N_("ops"), MI_CELL_INT, "", N_("framework ops of that fate")},
    {"share", N_("share"), MI_CELL_SHARE, "", N_("of all framework ops")},
};

enum { MAX_WORDS = 32 };

void mi_fate_table(const struct mi_model *model, struct mi_report *out)
{
    const struct mi_fates *fates = &model->all.rows.fates;
    int64_t counts[MAX_WORDS][MAX_WORDS] = {{0}};
    struct mi_report_table *table =
        mi_report_add_table(out, "fates", N_("What became of the framework ops"), fate_columns,
                            sizeof fate_columns / sizeof *fate_columns);
    for (uint32_t f = 1; f < fates->count; f++)
        counts[fates->fate[f] % MAX_WORDS][fates->reason[f] % MAX_WORDS]++;
    for (unsigned fate = 0; fate < MAX_WORDS; fate++)
        for (unsigned reason = 0; reason < MAX_WORDS; reason++) {
            struct mi_cell *row = counts[fate][reason] ? mi_report_add_row(out, table) : NULL;
            if (!row)
                continue;
            row[0] = mi_cell_word(mi_enum_name(MI_E_fate, fate));
            row[1] = mi_cell_word(mi_enum_name(MI_E_reason, reason));
            row[2] = mi_cell_int(counts[fate][reason]);
            row[3] = mi_cell_share(counts[fate][reason], (int64_t)fates->count - 1);
        }
}
