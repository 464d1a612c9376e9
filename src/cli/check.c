#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param severity_param = {.name = "severity", .kind = MI_PARAM_CHOICE};
    struct mi_arg notice = {.param = &severity_param, .text = "notice", .number = 1};
    return mi_cli_pass(cli, &mi_command_check, args,
                       &(struct mi_cli_pass_options){.pass = "check",
                                                     .fallback = cli->json ? NULL : &notice,
                                                     .judge = mi_cli_fail_on});
}

const struct mi_command mi_command_check = {
    .name = "check",
    .operands = "FRAMEWORK COMPILED",
    .summary = N_("What compiling changed: types, shapes, layouts; ops gone, replaced, added."),
    .details = N_("Compares the framework graph with the compiled one, op by op and tensor by "
                  "tensor, and marks what depends on an op whose element type changed. --fail-on "
                  "makes it a gate for scripts."),
    .examples = "inspector-cli check model.onnx model.om\n"
                "inspector-cli check --fail-on warning model.onnx model.om\n"
                "inspector-cli check --severity info --json capture/",
    .params = mi_params_check,
    .run = run,
};
