/* What other commands use of `export`. */
#ifndef MI_CLI_EXPORT_H
#define MI_CLI_EXPORT_H

#include "cli/command.h"

/* Writes graph.json, trace.json and summary.json into `dir`, prints the summary and where the files
 * lie (with --json the summary as JSON and nothing else). Returns the exit code. */
int mi_cli_dump(struct mi_cli *cli, const struct mi_session *session, const char *dir);

#endif
