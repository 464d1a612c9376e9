#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_pass(cli, &mi_command_clocks, args,
                       &(struct mi_cli_pass_options){.pass = "clocks"});
}

const struct mi_command mi_command_clocks = {
    .name = "clocks",
    .operands = "INPUT...",
    .summary = N_("How far the clocks of the streams are apart, and what that rests on."),
    .details = N_("Events, runs of models and host launches tie the clocks. Where nothing does, "
                  "starts are left as exported. Raw starts are always kept."),
    .examples = "inspector-cli clocks model.om PROF_000001/\n"
                "inspector-cli clocks --top 50 --json PROF_000001/",
    .params = mi_params_clocks,
    .run = run,
};
