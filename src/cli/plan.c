#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

enum { ROWS_FOR_EYES = 1000 };

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param top_param = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_arg top = {.param = &top_param, .text = "", .number = ROWS_FOR_EYES};
    return mi_cli_pass(
        cli, &mi_command_plan, args,
        &(struct mi_cli_pass_options){.pass = "plan", .fallback = cli->json ? NULL : &top});
}

const struct mi_command mi_command_plan = {
    .name = "plan",
    .operands = "INPUT...",
    .summary = N_("The tasks that the compiler planned: order, streams, events, nodes."),
    .details = N_("Needs no profile: the list stands in the compiled model. A wait is paired with "
                  "the record of its event."),
    .examples = "inspector-cli plan model.om\n"
                "inspector-cli plan --stream 1 --type 'EVENT*' model.om\n"
                "inspector-cli plan --unlinked model.om",
    .params = mi_params_plan,
    .run = run,
};
