#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

enum { ROWS_FOR_EYES = 10 };

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_arg top = {.param = &mi_params_overlap[0], .text = "", .number = ROWS_FOR_EYES};
    return mi_cli_pass(
        cli, &mi_command_overlap, args,
        &(struct mi_cli_pass_options){.pass = "overlap", .fallback = cli->json ? NULL : &top});
}

const struct mi_command mi_command_overlap = {
    .name = "overlap",
    .operands = "INPUT...",
    .summary = N_("How much of transfers and communication is hidden behind compute."),
    .details = N_("Per device and stream: time in which something computed, moved data, "
                  "communicated, and in which nothing worked. What happens at once counts once. "
                  "The longest exposed transfers follow, with what they could hide behind."),
    .examples = "inspector-cli overlap PROF_000001_20250109084754730_ABCDEFGH/\n"
                "inspector-cli overlap --json model.om profile/ | jq .tables.overlap",
    .params = mi_params_overlap,
    .run = run,
};
