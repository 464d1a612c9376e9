#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_pass(cli, &mi_command_inputs, args,
                       &(struct mi_cli_pass_options){.pass = "inputs"});
}

static const struct mi_param params[] = {MI_PARAM_END};

const struct mi_command mi_command_inputs = {
    .name = "inputs",
    .operands = "INPUT...",
    .summary = N_("What each input was recognised as, what was kept, skipped and lost, and where."),
    .details = N_("Each record of an input is kept, skipped on purpose or lost; the three add up. "
                  "What went wrong is listed with the place of the first occurrence."),
    .examples = "inspector-cli inputs capture/\n"
                "inspector-cli inputs --input-format ort_profile profile.json",
    .params = params,
    .run = run,
};
