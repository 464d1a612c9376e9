/* What commands that judge share: --report FILE, and the exit code. */
#ifndef MI_CLI_VERDICTS_H
#define MI_CLI_VERDICTS_H

#include "analyse/report.h"
#include "base/translate.h"
#include "cli/cli.h"

#define MI_CLI_VERDICTS_PARAMS                                                                     \
    {                                                                                              \
        .name = "report", .letter = 'r', .kind = MI_PARAM_TEXT, .metavar = N_("FILE"),             \
        .repeats = true,                                                                           \
        .help = N_("Write the report to a file, too: .md Markdown, .xml JUnit, .sarif SARIF, "     \
                   ".json, .jsonl, .txt; may be given several times.")                             \
    }

/* Checks the names given with --report before anything is read: 0, or the exit code of a wrong use
 * that was printed. */
int mi_cli_verdicts_check(const struct mi_cli *cli, const struct mi_command *command,
                          const struct mi_args *args);

/* Writes the files of --report. `fail_on`: what counts as a failure. 0 or an exit code. */
int mi_cli_verdicts_write(const struct mi_cli *cli, const struct mi_command *command,
                          const struct mi_args *args, const struct mi_report *report,
                          enum mi_severity fail_on);

#endif
