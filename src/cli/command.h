/* Commands: one file each in cli/ plus one row in commands.def. A command is a thin shell: options
 * in, exit code out; logic belongs to passes, exporters, collectors.
 *
 * `params` are its own options; those in cli_common_params (--input-format, --jobs, --lang, --json,
 * --help ...) are accepted by every command and evaluated before run(). */
#ifndef MI_CLI_COMMAND_H
#define MI_CLI_COMMAND_H

#include "base/param.h"
#include "base/pool.h"
#include "pipeline/session.h"
#include "present/text/i18n.h"

struct mi_cli {
    const char *program; /* "inspector-cli" */
    enum mi_lang lang;
    bool json;                /* --json, or --jsonl */
    bool json_lines;          /* --jsonl */
    bool out_is_tty;          /* standard output is a terminal */
    bool err_is_tty;          /* progress is drawn only then */
    unsigned columns;         /* width of the terminal; 0 = unlimited (not a terminal, or --wide) */
    bool color;               /* standard output is a terminal and NO_COLOR is not set */
    struct mi_cancel *cancel; /* set by Ctrl-C; long work polls it */
};

struct mi_command {
    const char *name;                   /* "summary" */
    const char *operands;               /* "INPUT..." as shown in --help */
    const char *summary;                /* message id: one line for the list of commands */
    const char *details;                /* message id: a paragraph for --help; NULL = none */
    const char *examples;               /* lines as typed, not translated */
    const struct mi_param *params;      /* its own; NULL = none */
    const struct mi_param *more_params; /* those of what it drives, a collector; NULL = none */
    int (*run)(struct mi_cli *cli, const struct mi_args *args); /* exit code */
};

#define MI_COMMAND(name) extern const struct mi_command mi_command_##name;
#include "cli/commands.def"
#undef MI_COMMAND

/* --- help for commands --- */

/* Prints the error to standard error in the user's language, with its place; returns its exit code.
 */
int mi_cli_error(const struct mi_cli *cli, const struct mi_error *err);

/* Wrong usage: prints the sentence and where help is; returns 2. */
int mi_cli_usage(const struct mi_cli *cli, const struct mi_command *command, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* A session over operands [first, operand_count) of `args`, loaded, with progress on a terminal and
 * the common options applied. NULL: the error was printed and *exit_code set. */
struct mi_session *mi_cli_open(const struct mi_cli *cli, const struct mi_args *args, size_t first,
                               int *exit_code);

/* Who else wants to know how far the reading is; as mi_session_options.progress. */
struct mi_cli_watch {
    void (*tick)(void *user, const char *stage, uint64_t done_bytes, uint64_t total_bytes);
    void *user;
};

/* The same, watched. */
struct mi_session *mi_cli_open_watched(const struct mi_cli *cli, const struct mi_args *args,
                                       size_t first, const struct mi_cli_watch *watch,
                                       int *exit_code);

/* Writes a report to standard output: tables for eyes in the user's language, or JSON with --json.
 * Returns the exit code. `report` is not freed. */
int mi_cli_report(const struct mi_cli *cli, const struct mi_session *session,
                  const struct mi_report *report);

#endif
