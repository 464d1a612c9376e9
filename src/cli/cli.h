/* What the files of cli/ share and commands need not know: options, help, output, progress. */
#ifndef MI_CLI_CLI_H
#define MI_CLI_CLI_H

#include "base/arena.h"
#include "base/sink.h"
#include "cli/command.h"

extern const struct mi_command *const mi_commands[]; /* in the order of commands.def, then NULL */
extern const struct mi_param mi_cli_common_params[]; /* accepted by every command */

const struct mi_command *mi_command_find(const char *name); /* NULL if there is none */

/* --- options.c --- */

/* The command line taken apart. Texts are borrowed from argv. */
struct mi_options {
    const struct mi_command *command; /* NULL: none was named */
    const char *name;                 /* the word that should name one; NULL = none */
    struct mi_args args;
    struct mi_arena arena;
};

/* Common options may stand before or behind the name of the command. MI_EUSAGE says what is wrong;
 * `options` then holds what was understood so far. Free with mi_options_fini() in any case. */
bool mi_options_parse(struct mi_options *options, int argc, char **argv, struct mi_error *err);
void mi_options_fini(struct mi_options *options);

/* Value of --lang somewhere on the command line, before it is parsed: errors need the language. */
const char *mi_options_lang(int argc, char **argv);

/* --- help.c --- */

int mi_cli_overview(const struct mi_cli *cli); /* `inspector-cli` without arguments */
int mi_cli_help(const struct mi_cli *cli, const struct mi_command *command);

/* The command whose name is nearest to `name`; NULL if none is near. */
const struct mi_command *mi_command_nearest(const char *name);

/* --- output.c --- */

/* Standard output. A reader that has gone away (`| head`) is no error; Ctrl-C ends the output. */
struct mi_cli_out {
    struct mi_sink sink;
    struct mi_cancel
        *cancel;    /* NULL: it was pressed before, and output was asked for all the same */
    bool is_closed; /* nobody reads any more */
};

void mi_cli_out_init(const struct mi_cli *cli, struct mi_cli_out *out);

/* Flushes and frees; prints what went wrong. `code`: the exit code if all went well. */
int mi_cli_out_finish(const struct mi_cli *cli, struct mi_cli_out *out, int code);

/* --- progress.c --- */

/* One line on standard error, from the second second on, only on a terminal. */
struct mi_progress;

struct mi_progress *mi_progress_new(const struct mi_cli *cli);
void mi_progress_free(struct mi_progress *progress); /* wipes the line; NULL is fine */

/* For mi_session_options.progress; `user` is the struct mi_progress. Any thread. False once Ctrl-C
 * was pressed. */
bool mi_progress_tick(void *user, const char *stage, uint64_t done, uint64_t total);

/* --- open.c --- */

/* Says on standard error what was lost of the inputs, the first of it with its place: numbers that
 * are printed next rest on the rest. Nothing if all was read. */
void mi_cli_losses(const struct mi_cli *cli, const struct mi_session *session);

/* --- planned_record.c --- */

/* Adds what the record of a planned task says as the table "planned_record"; nothing if its format
 * has no such values. */
bool mi_cli_planned_record(const struct mi_session *session, uint32_t planned,
                           struct mi_report *report, struct mi_error *err);

/* --- pass_command.c --- */

struct mi_cli_pass_options {
    const char *pass;
    /* Parameter of the pass that takes the first operand; NULL: all operands are inputs. */
    const struct mi_param *subject;
    const struct mi_arg *fallback; /* counts unless the user gives the same parameter; NULL: none */
    size_t fallback_count;         /* of a list of them; 0 with a fallback: one */
    /* Adds to the report what only the session knows; NULL: nothing. False: err says why. */
    bool (*extend)(const struct mi_session *session, const struct mi_args *args,
                   struct mi_report *report, struct mi_error *err);
    /* The exit code that a report deserves once it is printed; NULL: 0. */
    int (*judge)(const struct mi_report *report, const struct mi_args *args);
};

/* `args` with `fallback` in front, so that what the user gives counts; full->list is freed with
 * mi_mem_free(). False: out of memory. */
bool mi_cli_args_with(const struct mi_args *args, const struct mi_arg *fallback,
                      struct mi_args *full);

/* The severity given with --fail-on, or NULL. */
const enum mi_severity *mi_cli_fail_severity(const struct mi_args *args);

/* 1 if there is a finding of the severity given with --fail-on, or if something could not be
 * checked; else 0. */
int mi_cli_fail_on(const struct mi_report *report, const struct mi_args *args);

/* Runs a pass over the inputs and prints its report. */
int mi_cli_pass(struct mi_cli *cli, const struct mi_command *command, const struct mi_args *args,
                const struct mi_cli_pass_options *options);

#endif
