#include "cli/verdicts.h"

#include "base/files.h"
#include "present/text/report_format.h"

#include <string.h>

int mi_cli_verdicts_check(const struct mi_cli *cli, const struct mi_command *command,
                          const struct mi_args *args)
{
    const struct mi_arg *arg;
    for (size_t k = 0; (arg = mi_args_nth(args, "report", k)) != NULL; k++)
        if (!mi_report_format_of(arg->text))
            return mi_cli_usage(cli, command,
                                "--report %s: the end of the name should tell the format, such as "
                                ".md, .xml, .sarif, .json, .jsonl or .txt",
                                arg->text);
    return 0;
}

static bool write_file(const struct mi_report *report, const struct mi_report_about *about,
                       const char *path, struct mi_error *err)
{
    struct mi_writer writer;
    struct mi_sink sink;
    if (!mi_writer_open(&writer, path, err))
        return false;
    mi_sink_init_callback(&sink, mi_writer_send, &writer);
    mi_report_format_of(path)->write(report, about, &sink);
    bool ok = mi_sink_flush(&sink, err) && mi_writer_commit(&writer, err);
    mi_sink_fini(&sink);
    mi_writer_abort(&writer);
    return ok;
}

int mi_cli_verdicts_write(const struct mi_cli *cli, const struct mi_command *command,
                          const struct mi_args *args, const struct mi_report *report,
                          enum mi_severity fail_on)
{
    struct mi_report_about about = {
        .command = command->name, .lang = cli->lang, .fail_on = fail_on};
    const struct mi_arg *arg;
    for (size_t k = 0; (arg = mi_args_nth(args, "report", k)) != NULL; k++) {
        struct mi_error err = MI_ERROR_INIT;
        if (!write_file(report, &about, arg->text, &err))
            return mi_cli_error(cli, &err);
    }
    return 0;
}
