/* Where baselines are kept: a folder of saved models, one file each. */
#ifndef MI_CLI_BASELINES_H
#define MI_CLI_BASELINES_H

#include "cli/cli.h"

#define MI_BASELINE_SUFFIX ".baseline"

/* The folder: --dir, else $MI_BASELINE_DIR, else .model-inspector in the current folder. Borrowed.
 */
const char *mi_baseline_dir(const struct mi_args *args);

/* The file of a baseline; freed with mi_mem_free(). Names are letters, digits and . _ - and start
 * with none of these three: they cannot leave the folder. NULL: err says why. */
char *mi_baseline_path(const char *dir, const char *name, struct mi_error *err);

/* "baseline:NAME" stands for the file of that baseline, anything else for itself (a copy). */
char *mi_baseline_resolve(const char *operand, struct mi_error *err);

#endif
