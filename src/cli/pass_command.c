/* Commands that are one pass: options in, report out. */
#include "base/mem.h"
#include "cli/cli.h"

#include <string.h>

static size_t fallback_count(const struct mi_cli_pass_options *options)
{
    return options->fallback && !options->fallback_count ? 1 : options->fallback_count;
}

/* The parameters of the pass: the subject, then what may be overridden, then what was given. */
static struct mi_args pass_args(const struct mi_args *args,
                                const struct mi_cli_pass_options *options, struct mi_arg *list)
{
    struct mi_args full = *args;
    full.list = list;
    full.count = 0;
    if (options->subject)
        list[full.count++] = (struct mi_arg){.param = options->subject, .text = args->operands[0]};
    for (size_t i = 0; i < fallback_count(options); i++)
        list[full.count++] = options->fallback[i];
    for (size_t i = 0; i < args->count; i++)
        list[full.count++] = args->list[i];
    return full;
}

static int show(const struct mi_cli *cli, const struct mi_session *session,
                const struct mi_args *args, const struct mi_cli_pass_options *options)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_report report;
    mi_report_init(&report);
    bool ok = mi_session_report(session, options->pass, args, &report, &err);
    if (ok && options->extend)
        ok = options->extend(session, args, &report, &err);
    int code = ok ? mi_cli_report(cli, session, &report) : mi_cli_error(cli, &err);
    if (ok && code == 0 && options->judge)
        code = options->judge(&report, args);
    mi_report_fini(&report);
    return code;
}

bool mi_cli_args_with(const struct mi_args *args, const struct mi_arg *fallback,
                      struct mi_args *full)
{
    *full = *args;
    full->list = mi_mem_new(args->count + 1, sizeof *full->list);
    if (!full->list)
        return false;
    full->list[0] = *fallback;
    for (size_t i = 0; i < args->count; i++)
        full->list[i + 1] = args->list[i];
    full->count = args->count + 1;
    return true;
}

const enum mi_severity *mi_cli_fail_severity(const struct mi_args *args)
{
    static const enum mi_severity known[] = {MI_INFO, MI_NOTICE, MI_WARNING, MI_ERROR};
    const struct mi_arg *given = mi_args_find(args, "fail-on");
    const char *wanted = given ? given->param->choices[given->number] : NULL;
    for (size_t i = 0; wanted && i < sizeof known / sizeof *known; i++)
        if (strcmp(mi_enum_name(MI_E_severity, known[i]), wanted) == 0)
            return &known[i];
    return NULL;
}

/* A gate that could not check does not let pass. */
int mi_cli_fail_on(const struct mi_report *report, const struct mi_args *args)
{
    const enum mi_severity *wanted = mi_cli_fail_severity(args);
    for (uint32_t i = 0; wanted && i < report->finding_count; i++)
        if (report->findings[i].severity >= *wanted ||
            strcmp(report->findings[i].rule, "not_checked") == 0)
            return 1;
    return 0;
}

int mi_cli_pass(struct mi_cli *cli, const struct mi_command *command, const struct mi_args *args,
                const struct mi_cli_pass_options *options)
{
    size_t first = options->subject ? 1 : 0;
    if (args->operand_count <= first)
        return mi_cli_usage(cli, command, "too few operands; wanted: %s", command->operands);
    int code = mi_code_exit(MI_ENOMEM);
    struct mi_arg *list = mi_mem_new(args->count + 1 + fallback_count(options), sizeof *list);
    struct mi_session *session = list ? mi_cli_open(cli, args, first, &code) : NULL;
    if (session) {
        struct mi_args full = pass_args(args, options, list);
        if (strcmp(options->pass, "inputs") != 0) /* which lists all of them */
            mi_cli_losses(cli, session);
        code = show(cli, session, &full, options);
    }
    mi_session_free(session);
    mi_mem_free(list);
    return code;
}
