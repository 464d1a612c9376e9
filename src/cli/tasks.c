#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

enum { ROWS_FOR_EYES = 1000 };

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param top_param = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_arg top = {.param = &top_param, .text = "", .number = ROWS_FOR_EYES};
    return mi_cli_pass(
        cli, &mi_command_tasks, args,
        &(struct mi_cli_pass_options){.pass = "tasks", .fallback = cli->json ? NULL : &top});
}

const struct mi_command mi_command_tasks = {
    .name = "tasks",
    .operands = "INPUT...",
    .summary = N_("The tasks that ran: stream, start, duration, and the node each belongs to."),
    .examples = "inspector-cli tasks --sort duration --top 20 capture/\n"
                "inspector-cli tasks --stream 0 --run 1 --type 'Conv*' capture/\n"
                "inspector-cli tasks --unlinked capture/",
    .params = mi_params_tasks,
    .run = run,
};
