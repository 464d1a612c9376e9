/* TEMPLATE of a command: copy this file to <name>.c, rename, add MI_COMMAND(<name>) to
 * commands.def. A command that is one pass needs no more than this; what takes a screen of logic
 * belongs into a pass. */
#include "base/translate.h"
#include "cli/cli.h"

/* To drop: commands.def declares yours. */
extern const struct mi_command mi_command_template;

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_pass(cli, &mi_command_template, args,
                       &(struct mi_cli_pass_options){.pass = "template"});
}

static const struct mi_param params[] = {MI_PARAM_END};

const struct mi_command mi_command_template = {
    .name = "template",
    .operands = "INPUT...",
    .summary = N_("Template"),
    .examples = "inspector-cli template model.onnx",
    .params = params,
    .run = run,
};
