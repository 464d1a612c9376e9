/* `stop`: ends a capture; the program goes on. */
#include "base/translate.h"
#include "cli/cli.h"
#include "cli/live.h"
#include "collect/live/live.h"

#include <stdio.h>

static int then(struct mi_cli *cli, const char *dir, size_t answered)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_live live = {.program = MI_VERSION};
    (void)answered;
    int code = mi_cli_export_profiles(cli, dir);
    snprintf(live.dir, sizeof live.dir, "%s", dir);
    if (!mi_live_close(&live, -1, &err))
        code = mi_cli_error(cli, &err);
    return code;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_ask(cli, &mi_command_stop, args, then);
}

const struct mi_command mi_command_stop = {
    .name = "stop",
    .operands = "[DIR]",
    .summary = N_("Ends a capture: everything is written, the program goes on unwatched."),
    .examples = "inspector-cli stop capture/",
    .params = mi_live_params,
    .run = run,
};
