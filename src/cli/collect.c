/* `collect`: the device times, once a batch or step has ended. */
#include "base/translate.h"
#include "cli/cli.h"
#include "cli/live.h"

static int then(struct mi_cli *cli, const char *dir, size_t answered)
{
    (void)answered;
    return mi_cli_export_profiles(cli, dir);
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_ask(cli, &mi_command_collect, args, then);
}

const struct mi_command mi_command_collect = {
    .name = "collect",
    .operands = "[DIR]",
    .summary = N_("Has a running program hand over its device times, and exports them."),
    .details =
        N_("To be called when the batch or step that counts has ended, as often as there are "
           "such steps. What the profiler in the program has is completed, msprof makes "
           "tables of it where that is needed, and the profiler begins anew for what comes "
           "next. Without a running program what is there is exported."),
    .examples = "inspector-cli collect capture/",
    .params = mi_live_params,
    .run = run,
};
