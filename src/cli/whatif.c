#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_arg all = {.param = &top, .text = "0", .number = 0};
    return mi_cli_pass(
        cli, &mi_command_whatif, args,
        &(struct mi_cli_pass_options){.pass = "whatif", .fallback = cli->json ? &all : NULL});
}

const struct mi_command mi_command_whatif = {
    .name = "whatif",
    .operands = "INPUT...",
    .summary = N_("How long a run would be after changes, and which change gains most."),
    .details =
        N_("Simulates the executed tasks of a run with changes: a node that is faster, a "
           "transfer or a wait that is left out, a task on another stream, nodes that are fused "
           "or not. Changes add up; without any, or with --rank, single changes are tried and "
           "listed, those that gain most first. NODE is a name, node:NUMBER, framework:NAME "
           "or compiled:NAME. The replay of the unchanged run is compared with what was "
           "observed."),
    .examples =
        "inspector-cli whatif --shorten /fc2/MatMul=50% model.om "
        "PROF_000001_20250109084754730_HORRDEIB/\n"
        "inspector-cli whatif --remove trans_Cast_3 --move /norm/LayerNorm=logic:1 capture/\n"
        "inspector-cli whatif --rank --top 10 capture/",
    .params = mi_params_whatif,
    .run = run,
};
