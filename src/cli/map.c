#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_pass(cli, &mi_command_map, args, &(struct mi_cli_pass_options){.pass = "map"});
}

const struct mi_command mi_command_map = {
    .name = "map",
    .operands = "INPUT...",
    .summary = N_("What each framework op became: its compiled nodes, their tasks, and why."),
    .details = N_("Each framework op has exactly one fate: executed, fused into a node, folded, "
                  "removed, or not executed. Each link tells its rule, its evidence and how sure "
                  "it is: certain, likely or guess."),
    .examples = "inspector-cli map capture/\n"
                "inspector-cli map --only removed capture/\n"
                "inspector-cli map --unmapped-first --type Reshape model.onnx model.opt.onnx",
    .params = mi_params_map,
    .run = run,
};
