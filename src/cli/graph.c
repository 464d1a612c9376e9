#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

enum { DEPTH_FOR_EYES = 2 };

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param depth_param = {.name = "depth", .kind = MI_PARAM_INT};
    struct mi_arg depth = {.param = &depth_param, .text = "", .number = DEPTH_FOR_EYES};
    return mi_cli_pass(
        cli, &mi_command_graph, args,
        &(struct mi_cli_pass_options){.pass = "graph", .fallback = cli->json ? NULL : &depth});
}

const struct mi_command mi_command_graph = {
    .name = "graph",
    .operands = "INPUT...",
    .summary = N_("The graphs as an indented list, folded by the scopes that names spell."),
    .details = N_("Names with slashes are taken apart into scopes; bodies of If, Loop and Scan "
                  "stand below their owner. What is folded shows how many nodes it holds."),
    .examples = "inspector-cli graph model.onnx\n"
                "inspector-cli graph --depth 0 --type 'Conv*' capture/\n"
                "inspector-cli graph --layer compiled --flat capture/",
    .params = mi_params_graph,
    .run = run,
};
