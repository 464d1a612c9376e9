#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"
#include "cli/live.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_arg all = {.param = &top, .text = "0", .number = 0};
    if (mi_args_flag(args, "environment"))
        return args->operand_count
                   ? mi_cli_usage(cli, &mi_command_doctor, "--environment takes no inputs")
                   : mi_cli_environment(cli);
    return mi_cli_pass(cli, &mi_command_doctor, args,
                       &(struct mi_cli_pass_options){.pass = "doctor",
                                                     .fallback = cli->json ? &all : NULL,
                                                     .judge = mi_cli_fail_on});
}

const struct mi_command mi_command_doctor = {
    .name = "doctor",
    .operands = "INPUT... | --environment",
    .summary = N_("What is wrong with a run, what it costs, and what to try."),
    .details =
        N_("Looks for symptoms, each by a rule of its own: needless conversions, wrong element "
           "types, streams that wait for each other, work on slow processors, a late host and "
           "more. Every finding has its cost, by simulating the run without it, the nodes and "
           "tasks that prove it, and what to try; the costliest come first. Give the graphs "
           "together with the profile: what a rule lacks is listed. --fail-on makes it a gate "
           "for scripts."),
    .examples = "inspector-cli doctor model.onnx model.om PROF_000001_20250109084754730_HORRDEIB/\n"
                "inspector-cli doctor --rules --rule inserted_transfers capture/\n"
                "inspector-cli doctor --fail-on warning --json capture/\n"
                "inspector-cli doctor --environment",
    .params = mi_params_doctor,
    .more_params = mi_environment_params,
    .run = run,
};
