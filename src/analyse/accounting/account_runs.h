/* The runs of all tasks; a part of mi_account_init(). */
#ifndef MI_ANALYSE_ACCOUNT_RUNS_H
#define MI_ANALYSE_ACCOUNT_RUNS_H

#include "analyse/accounting.h"

/* Fills runs and run_of, says which runs are counted and what they add up to; own times and parts
 * must be known. False: out of memory. */
bool mi_account_find_runs(struct mi_account *account);

#endif
