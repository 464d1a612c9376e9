/* Commands that are one pass: options in, report out. */
#include "base/mem.h"
#include "cli/cli.h"

int mi_cli_pass(struct mi_cli *cli, const struct mi_command *command, const char *name,
                const struct mi_args *args, const struct mi_param *subject)
{
    size_t first = subject ? 1 : 0;
    if (args->operand_count < first)
        return mi_cli_usage(cli, command, "a name is missing: %s", command->operands);
    if (args->operand_count == first)
        return mi_cli_usage(cli, command, "an input is missing: %s", command->operands);
    int code = 0;
    struct mi_args full = {.operands = args->operands, .operand_count = args->operand_count};
    full.list = mi_mem_new(args->count + 1, sizeof *full.list);
    struct mi_session *session = full.list ? mi_cli_open(cli, args, first, &code) : NULL;
    if (session) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_report report;
        if (subject)
            full.list[full.count++] = (struct mi_arg){.param = subject, .text = args->operands[0]};
        for (size_t i = 0; i < args->count; i++)
            full.list[full.count++] = args->list[i];
        mi_report_init(&report);
        code = mi_session_report(session, name, &full, &report, &err)
                   ? mi_cli_report(cli, session, &report)
                   : mi_cli_error(cli, &err);
        mi_report_fini(&report);
    }
    mi_session_free(session);
    mi_mem_free(full.list);
    return code;
}
