#include "cli/live.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "capture/manifest.h"
#include "cli/cli.h"
#include "collect/live/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct mi_param mi_live_params[] = {
    {.name = "input-dir",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("DIR"),
     .help = N_("The capture folder; the same as naming it without the option (default: "
                "MI_CAPTURE_DIR).")},
    MI_PARAM_END};

void mi_cli_say(const struct mi_cli *cli, const char *sentence, const char *detail)
{
    struct mi_sink sink;
    mi_sink_init_fd(&sink, STDERR_FILENO);
    mi_sink_text(&sink, cli->program);
    mi_sink_text(&sink, ": ");
    mi_sink_text(&sink, mi_tr(cli->lang, sentence));
    if (detail) {
        mi_sink_text(&sink, ": ");
        mi_utf8_show(&sink, mi_cstr(detail), 0);
    }
    mi_sink_byte(&sink, '\n');
    mi_sink_flush(&sink, NULL);
    mi_sink_fini(&sink);
}

static bool is_capture(const char *dir)
{
    char path[MI_LIVE_PATH + 64];
    struct stat info;
    return (size_t)snprintf(path, sizeof path, "%s/" MI_CAPTURE_FILE, dir) < sizeof path &&
           stat(path, &info) == 0;
}

static int find_dir(struct mi_cli *cli, const struct mi_command *command,
                    const struct mi_args *args, const char **dir)
{
    struct mi_error err = MI_ERROR_INIT;
    const char *named = mi_args_text(args, "input-dir", NULL);
    if (args->operand_count > 1 || (named && args->operand_count))
        return mi_cli_usage(cli, command, "one capture folder is wanted");
    *dir = named ? named : args->operand_count ? args->operands[0] : getenv("MI_CAPTURE_DIR");
    if (!*dir || !**dir)
        return mi_cli_usage(cli, command,
                            "name the capture folder, or set MI_CAPTURE_DIR as start does");
    if (is_capture(*dir))
        return 0;
    mi_fail(&err, MI_ENOTFOUND, "no capture was started in this folder");
    mi_error_in(&err, *dir);
    return mi_cli_error(cli, &err);
}

/* --- the answers as a table --- */

static const struct mi_report_column columns[] = {
    {"process", N_("process"), MI_CELL_INT, "", N_("process id")},
    {"calls", N_("calls"), MI_CELL_INT, "", N_("calls of the runtime that the hook has seen")},
    {"models", N_("models"), MI_CELL_INT, "", N_("loaded models that were copied")},
    {"profiler", N_("profiler"), MI_CELL_WORD, "", N_("state of the profiler in the process")},
    {"tool", N_("by"), MI_CELL_TEXT, "", N_("which profiler it is: aclprof, mspti, msprof")},
    {"graph", N_("graph"), MI_CELL_BOOL, "", N_("whether graphs are collected")},
    {"runtime", N_("runtime"), MI_CELL_BOOL, "", N_("whether device times are collected")}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *profiler_word(const char *word)
{
    static const char *const words[] = {N_("off"),    N_("waiting"), N_("another"),
                                        N_("failed"), N_("running"), N_("ended")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return words[i];
    return N_("unknown");
}

static void add_row(struct mi_report *report, struct mi_report_table *table,
                    const struct mi_live_answer *answer)
{
    struct mi_cell *cells = mi_report_add_row(report, table);
    if (!cells)
        return;
    cells[0] = mi_cell_int(answer->process);
    cells[1] = mi_cell_int((int64_t)answer->records);
    cells[2] = mi_cell_int((int64_t)answer->models);
    cells[3] = mi_cell_word(profiler_word(answer->profiler));
    cells[4] = mi_cell_text(mi_cstr(answer->tool));
    cells[5] = mi_cell_int(answer->wants_graph);
    cells[6] = mi_cell_int(answer->wants_runtime);
}

static int print(struct mi_cli *cli, const struct mi_live_answer *answers, size_t count)
{
    struct mi_report report;
    mi_report_init(&report);
    struct mi_report_table *table =
        mi_report_add_table(&report, "processes", N_("Running processes"), columns, COLUMNS);
    for (size_t i = 0; table && i < count; i++)
        add_row(&report, table, &answers[i]);
    int code = report.failed ? mi_code_exit(MI_ENOMEM) : mi_cli_report(cli, NULL, &report);
    mi_report_fini(&report);
    return code;
}

/* For each thing that is missing one sentence, however many processes there are. */
static void tell_of_dumps(const struct mi_cli *cli, const struct mi_live_answer *answers,
                          size_t count)
{
    bool is_off = false, is_unasked = false;
    for (size_t i = 0; i < count; i++) {
        is_off |= answers[i].wants_graph && !answers[i].dumps;
        is_unasked |= !answers[i].wants_graph;
    }
    if (is_unasked)
        mi_cli_say(cli,
                   N_("graphs are not collected: the capture was started without --enable-graph"),
                   NULL);
    if (is_off)
        mi_cli_say(cli,
                   N_("the graph engine was not told to dump its graphs before it began "
                      "(DUMP_GE_GRAPH); there are the loaded models alone"),
                   NULL);
}

int mi_cli_ask(struct mi_cli *cli, const struct mi_command *command, const struct mi_args *args,
               int (*then)(struct mi_cli *cli, const char *dir, size_t answered))
{
    static struct mi_live_answer answers[MI_LIVE_ANSWERS_MAX];
    const char *dir;
    int code = find_dir(cli, command, args, &dir);
    if (code)
        return code;
    size_t count = mi_live_ask(dir, command->name, answers);
    if (!count)
        mi_cli_say(cli, N_("no process of this capture is running; what it has left is there"),
                   NULL);
    if (strcmp(command->name, "snapshot") == 0)
        tell_of_dumps(cli, answers, count);
    code = print(cli, answers, count);
    return code || !then ? code : then(cli, dir, count);
}

int mi_cli_export_profiles(struct mi_cli *cli, const char *dir)
{
    struct mi_error err = MI_ERROR_INIT;
    uint32_t exported, missing;
    if (!mi_live_export_profiles(dir, &exported, &missing, &err))
        return mi_cli_error(cli, &err);
    if (missing)
        mi_cli_say(
            cli,
            N_("device times are still raw: msprof, which comes with CANN, is not in PATH or "
               "failed (msprof.log). Where it is: msprof --export=on --output=DIR"),
            dir);
    return 0;
}
