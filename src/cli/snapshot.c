/* `snapshot`: the graphs, once the framework's compile call has returned. */
#include "base/translate.h"
#include "cli/cli.h"
#include "cli/live.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_ask(cli, &mi_command_snapshot, args, NULL);
}

const struct mi_command mi_command_snapshot = {
    .name = "snapshot",
    .operands = "[DIR]",
    .summary = N_("Has a running program write out what it has compiled and loaded."),
    .details = N_("To be called once compilation has returned. Models are copied, without weights, "
                  "when they are loaded, and the graph engine dumps its graphs when it compiles; "
                  "afterwards both are complete in the capture folder. Says so where dumping was "
                  "off."),
    .examples = "inspector-cli snapshot capture/",
    .params = mi_live_params,
    .run = run,
};
