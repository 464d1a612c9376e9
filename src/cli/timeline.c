#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_FOR_EYES = 5, WIDTH_IN_PIPE = 100, LEAST_WIDTH = 40 };

/* Whether the terminal is said to read UTF-8; in a pipe blocks are bytes like others. */
static bool reads_utf8(const struct mi_cli *cli)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; cli->out_is_tty && i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8");
    }
    return !cli->out_is_tty;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct mi_param width = {.name = "width", .kind = MI_PARAM_INT};
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    static const struct mi_param ascii = {.name = "ascii", .kind = MI_PARAM_FLAG};
    int64_t columns = cli->columns ? cli->columns : WIDTH_IN_PIPE;
    const struct mi_arg list[] = {
        {.param = &width, .text = "", .number = columns < LEAST_WIDTH ? LEAST_WIDTH : columns},
        {.param = &top, .text = "", .number = cli->json ? 0 : ROWS_FOR_EYES},
        {.param = &ascii, .text = "", .number = 1}};
    return mi_cli_pass(cli, &mi_command_timeline, args,
                       &(struct mi_cli_pass_options){.pass = "timeline",
                                                     .fallback = list,
                                                     .fallback_count = reads_utf8(cli) ? 2 : 3});
}

const struct mi_command mi_command_timeline = {
    .name = "timeline",
    .operands = "INPUT...",
    .summary = N_("What every stream did in a window of time, drawn as text."),
    .details = N_("One line per stream, cut into slices of time: each shows the kind of work that "
                  "took most of it, or that the stream waited for an event. The longest tasks and "
                  "waits of the window follow."),
    .examples = "inspector-cli timeline profile/\n"
                "inspector-cli timeline --run 2 --lanes '3*' model.om profile/\n"
                "inspector-cli timeline --from 1.2ms --to 1.4ms profile/\n"
                "inspector-cli timeline --around /layer1/conv1/Conv model.om profile/",
    .params = mi_params_timeline,
    .run = run,
};
