#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

enum { ROWS_FOR_EYES = 30 };

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_arg top = {.param = &mi_params_summary[0], .text = "", .number = ROWS_FOR_EYES};
    return mi_cli_pass(
        cli, &mi_command_summary, args,
        &(struct mi_cli_pass_options){.pass = "summary", .fallback = cli->json ? NULL : &top});
}

const struct mi_command mi_command_summary = {
    .name = "summary",
    .operands = "INPUT...",
    .summary = N_("Totals by type, category and stream, and how much of the time is explained."),
    .details = N_("Times are sums over the work tasks of the counted runs; from three runs on the "
                  "first ones are warm-up and kept apart. A task that encloses others adds only "
                  "the time that they leave. Shares refer to the sum of their table."),
    .examples = "inspector-cli summary capture/\n"
                "inspector-cli summary model.onnx model.opt.onnx profile.json\n"
                "inspector-cli summary --json capture/ | jq .facts",
    .params = mi_params_summary,
    .run = run,
};
