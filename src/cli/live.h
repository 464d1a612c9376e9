/* What start, status, snapshot, collect and stop share. */
#ifndef MI_CLI_LIVE_H
#define MI_CLI_LIVE_H

#include "cli/command.h"

/* The command `name`: finds the capture folder (--input-dir, the operand, MI_CAPTURE_DIR), asks the
 * processes that run under it, and prints what they answer. `then` is done with the folder
 * afterwards (NULL: nothing) and returns an exit code. */
int mi_cli_ask(struct mi_cli *cli, const struct mi_command *command, const struct mi_args *args,
               int (*then)(struct mi_cli *cli, const char *dir, size_t answered));

extern const struct mi_param mi_live_params[]; /* --input-dir */

/* Exports what msprof can export, and says what is still raw. */
int mi_cli_export_profiles(struct mi_cli *cli, const char *dir);

/* What this machine has of what `start` needs, and what will be used: environment.c. */
int mi_cli_environment(struct mi_cli *cli);

extern const struct mi_param mi_environment_params[]; /* --environment */

/* One sentence on standard error, with the program's name before it. */
void mi_cli_say(const struct mi_cli *cli, const char *sentence, const char *detail);

#endif
