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
    .summary = N_("Ends profiling in a running program and exports its device times."),
    .details = N_("To be called when the batch or step that counts has ended. The profiler in the "
                  "program is stopped, so that its files are whole, and msprof makes tables of "
                  "them; calls are noted on. Without a running program what is there is "
                  "exported."),
    .examples = "inspector-cli collect capture/",
    .params = mi_live_params,
    .run = run,
};
