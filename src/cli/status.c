/* `status`: which processes of a capture run, and what they have collected. */
#include "base/translate.h"
#include "cli/cli.h"
#include "cli/live.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_ask(cli, &mi_command_status, args, NULL);
}

const struct mi_command mi_command_status = {
    .name = "status",
    .operands = "[DIR]",
    .summary = N_("Which processes of a running capture there are, and what they have seen."),
    .examples = "inspector-cli status capture/",
    .params = mi_live_params,
    .run = run,
};
