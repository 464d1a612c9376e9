/* The table "fates": how many framework ops met which fate for which reason. Shared by two passes.
 */
#ifndef MI_ANALYSE_FATE_TABLE_H
#define MI_ANALYSE_FATE_TABLE_H

#include "analyse/report.h"
#include "model/model.h"

void mi_fate_table(const struct mi_model *model, struct mi_report *out);

#endif
