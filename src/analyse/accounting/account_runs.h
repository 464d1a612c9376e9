/* The runs of all tasks; a part of mi_account_init(). */
#ifndef MI_ANALYSE_ACCOUNT_RUNS_H
#define MI_ANALYSE_ACCOUNT_RUNS_H

#include "analyse/accounting.h"

/* Fills runs and run_of, says which runs are counted and what they add up to; own times and parts
 * must be known. False: out of memory. */
bool mi_account_find_runs(struct mi_account *account);

#define MI_HOME_OF_FILE ((uint32_t)1 << 30)

/* [sources.count], equal for sources whose runs are numbered together; MI_HOME_OF_FILE | source
 * where a file is alone. mi_mem_free(); NULL: out of memory. */
uint32_t *mi_account_homes(const struct mi_model *model);

#endif
