/* inspector-cli: finds the command, sets up what all commands share, returns the exit code. */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct mi_command *const mi_commands[] = {
#define MI_COMMAND(name) &mi_command_##name,
#include "cli/commands.def"
#undef MI_COMMAND
    NULL};

const struct mi_command *mi_command_find(const char *name)
{
    for (const struct mi_command *const *command = mi_commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

/* A signal handler gets no context, so this one thing stands outside of any handle. */
static struct mi_cancel interrupted;

static void on_interrupt(int number)
{
    (void)number;
    mi_cancel_set(&interrupted);
}

/* Ctrl-C asks for an orderly end; the second one ends the program as usual. A reader that goes away
 * is noticed when writing. */
static void set_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    action = (struct sigaction){.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}

static unsigned terminal_columns(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return 80;
}

static void set_output(struct mi_cli *cli, const struct mi_args *args)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool is_dumb = !term || strcmp(term, "dumb") == 0;
    cli->json_lines = mi_args_flag(args, "jsonl");
    cli->json = cli->json_lines || mi_args_flag(args, "json");
    cli->columns = cli->out_is_tty && !mi_args_flag(args, "wide") ? terminal_columns() : 0;
    cli->color = cli->out_is_tty && !is_dumb && !(no_color && *no_color);
}

static int show_version(const struct mi_cli *cli)
{
    struct mi_cli_out out;
    mi_cli_out_init(cli, &out);
    mi_sink_text(&out.sink, "inspector-cli " MI_VERSION "\n");
    return mi_cli_out_finish(cli, &out, 0);
}

static int run_command(struct mi_cli *cli, const struct mi_options *options)
{
    const struct mi_args *args = &options->args;
    const struct mi_command *command = options->command;
    if (mi_args_flag(args, "version"))
        return show_version(cli);
    if (options->name && strcmp(options->name, "help") == 0)
        return mi_cli_overview(cli);
    if (!options->name)
        return mi_cli_overview(cli);
    if (!command) {
        const struct mi_command *nearest = mi_command_nearest(options->name);
        return nearest ? mi_cli_usage(cli, NULL, "there is no command \"%.60s\"; is \"%s\" meant?",
                                      options->name, nearest->name)
                       : mi_cli_usage(cli, NULL, "there is no command \"%.60s\"", options->name);
    }
    return mi_args_flag(args, "help") ? mi_cli_help(cli, command) : command->run(cli, args);
}

int main(int argc, char **argv)
{
    struct mi_options options;
    struct mi_error err = MI_ERROR_INIT;
    const char *lang = mi_options_lang(argc, argv);
    struct mi_cli cli = {.program = "inspector-cli",
                         .lang = mi_lang_from_env(lang),
                         .out_is_tty = isatty(STDOUT_FILENO) == 1,
                         .err_is_tty = isatty(STDERR_FILENO) == 1,
                         .cancel = &interrupted};
    enum mi_lang known;
    int code;
    set_signals();
    if (!mi_options_parse(&options, argc, argv, &err))
        code = err.code == MI_EUSAGE ? mi_cli_usage(&cli, options.command, "%s", err.text)
                                     : mi_cli_error(&cli, &err);
    else if (lang && !mi_lang_parse(lang, &known))
        code = mi_cli_usage(&cli, options.command,
                            "--lang: there is no language \"%.20s\"; en and "
                            "zh_CN are spoken",
                            lang);
    else {
        set_output(&cli, &options.args);
        code = run_command(&cli, &options);
    }
    mi_options_fini(&options);
    return code;
}
