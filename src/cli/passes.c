#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param edges_param = {.name = "edges", .kind = MI_PARAM_FLAG};
    struct mi_arg edges = {.param = &edges_param, .text = "", .number = 1};
    struct mi_cli_pass_options options = {.pass = "stages", .fallback = cli->json ? &edges : NULL};
    if (args->operand_count > 2)
        return mi_cli_usage(cli, &mi_command_passes, "too many operands; wanted: %s",
                            mi_command_passes.operands);
    if (args->operand_count < 2)
        return mi_cli_pass(cli, &mi_command_passes, args, &options);
    /* The subject comes last here, and first for whoever drives passes. */
    const char *operands[] = {args->operands[1], args->operands[0]};
    struct mi_args turned = *args;
    turned.operands = operands;
    options.subject = &mi_params_stages[0];
    return mi_cli_pass(cli, &mi_command_passes, &turned, &options);
}

const struct mi_command mi_command_passes = {
    .name = "passes",
    .operands = "DIR [NODE]",
    .summary = N_("What each compile stage did to nodes and edges, from the dumps of a build."),
    .details = N_("DIR holds the graph dumps of the stages of one build. NODE is the name of a "
                  "node in any stage, or a part of it: its history is shown, with that of the "
                  "nodes that went into it and of the node that it went into."),
    .examples = "inspector-cli passes ge_dump/\n"
                "inspector-cli passes ge_dump/ layer1/conv1/Conv\n"
                "inspector-cli passes --change dtype --stage '*InsertTransNode*' ge_dump/",
    .params = &mi_params_stages[1],
    .run = run,
};
