#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_pass(cli, &mi_command_waits, args,
                       &(struct mi_cli_pass_options){.pass = "waits", .judge = mi_cli_fail_on});
}

const struct mi_command mi_command_waits = {
    .name = "waits",
    .operands = "INPUT...",
    .summary = N_("What streams waited for, whether they had to, and what it cost."),
    .details = N_("Lists the waits of one run, those that cost most first: the task that was held "
                  "back, the task that it waited for, and whether data flows between them. What a "
                  "needless wait costs is found by simulating the run without it: the gain is an "
                  "upper bound. --fail-on makes it a gate for scripts."),
    .examples = "inspector-cli waits model.om PROF_000001_20250109084754730_HORRDEIB/\n"
                "inspector-cli waits --min-wait 20 --top 0 capture/\n"
                "inspector-cli waits --fail-on warning --json capture/",
    .params = mi_params_waits,
    .run = run,
};
