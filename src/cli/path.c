#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_pass(
        cli, &mi_command_path, args,
        &(struct mi_cli_pass_options){.pass = "path", .subject = &mi_params_path[0]});
}

const struct mi_command mi_command_path = {
    .name = "path",
    .operands = "NODE INPUT...",
    .summary = N_("All dependency paths through a node, with the types that flow along them."),
    .details = N_("Shows the ancestors of the node, the node and its descendants in topological "
                  "order, and marks every node where the element type changes. Paths are counted, "
                  "not listed. Where there are tasks, the longest chain by task time is marked. "
                  "NODE is a name, node:NUMBER, framework:NAME or compiled:NAME; a name that both "
                  "layers know means the compiled node."),
    .examples = "inspector-cli path /layer1/conv1/Conv model.onnx\n"
                "inspector-cli path framework:/layer1/conv1/Conv capture/\n"
                "inspector-cli path node:12 capture/",
    .params = &mi_params_path[1],
    .run = run,
};
