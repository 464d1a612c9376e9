#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_arg all = {.param = &top, .text = "0", .number = 0};
    return mi_cli_pass(
        cli, &mi_command_critical, args,
        &(struct mi_cli_pass_options){.pass = "critical", .fallback = cli->json ? &all : NULL});
}

const struct mi_command mi_command_critical = {
    .name = "critical",
    .operands = "INPUT...",
    .summary = N_("What the length of a run is made of: work, waits, gaps, late launches."),
    .details = N_("Goes from the last end of a run back over what each task waited for last: the "
                  "task before it on its stream, the record of an event, the host. The pieces of "
                  "that chain add up to the length of the run: only what lies on it makes the run "
                  "shorter at once. --slack lists how much later each task could have ended."),
    .examples = "inspector-cli critical model.om PROF_000001_20250109084754730_HORRDEIB/\n"
                "inspector-cli critical --slack --top 0 capture/\n"
                "inspector-cli critical --json --run 3 capture/",
    .params = mi_params_critical,
    .run = run,
};
