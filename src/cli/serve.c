/* serve: the three views in a browser, answered by this program until Ctrl-C. */
#include "present/serve/serve.h"

#include "base/translate.h"
#include "cli/sides.h"

#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const struct mi_param params[] = {
    {.name = "port",
     .letter = 'p',
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = 65535,
     .default_text = "0",
     .help = N_("Port to listen at; 0 takes any that is free.")},
    {.name = "address",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("ADDRESS"),
     .default_text = "127.0.0.1",
     .help = N_("Numeric address to listen at; one that other machines reach gets a random token "
                "in its link.")},
    {.name = "base",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("CAPTURE"),
     .help = N_("Compare the inputs with this capture: both sides beside one another, what differs "
                "and what it costs, as diff tells.")},
    {.name = "no-open", .kind = MI_PARAM_FLAG, .help = N_("Print the link, open no browser.")},
    MI_PARAM_END};

/* The desktop's own opener, if there is a desktop; its failure is no news, the link was printed. */
static void open_browser(const char *url)
{
    char name[] = "xdg-open", address[192];
    char *arguments[] = {name, address, NULL};
    posix_spawn_file_actions_t quiet;
    pid_t child;
    snprintf(address, sizeof address, "%s", url);
    if (posix_spawn_file_actions_init(&quiet) != 0)
        return;
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", 1, 0);
    posix_spawnp(&child, name, &quiet, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&quiet);
}

static bool print_link(const struct mi_cli *cli, const char *url, struct mi_error *err)
{
    struct mi_sink sink;
    mi_sink_init_fd(&sink, STDOUT_FILENO);
    mi_sink_text(&sink, url);
    mi_sink_byte(&sink, '\n');
    bool ok = mi_sink_flush(&sink, err);
    mi_sink_fini(&sink);
    if (ok && cli->err_is_tty) {
        mi_sink_init_fd(&sink, STDERR_FILENO);
        mi_sink_text(&sink, mi_tr(cli->lang, N_("Ctrl-C ends it.")));
        mi_sink_byte(&sink, '\n');
        mi_sink_flush(&sink, NULL);
        mi_sink_fini(&sink);
    }
    return ok;
}

static void wait_for_end(const struct mi_cli *cli)
{
    static const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
    while (!mi_cancelled(cli->cancel))
        nanosleep(&pause, NULL);
}

/* The link is told as soon as it is sure that there is something to read: the page loads while the
 * files are read, and shows how far that is. */
struct door {
    const struct mi_cli *cli;
    const struct mi_args *args;
    struct mi_server *server;
    struct mi_error err;
    atomic_flag is_told;
};

static void tell_link(struct door *door)
{
    if (atomic_flag_test_and_set(&door->is_told))
        return;
    const char *url = mi_serve_url(door->server);
    if (print_link(door->cli, url, &door->err) && !mi_args_flag(door->args, "no-open") &&
        door->cli->out_is_tty)
        open_browser(url);
}

/* Any thread. */
static void on_tick(void *user, const char *stage, uint64_t done_bytes, uint64_t total_bytes)
{
    struct door *door = user;
    if (strcmp(stage, "open") == 0)
        return; /* it is not known yet whether there is anything to show */
    mi_serve_reading(door->server, stage, done_bytes, total_bytes);
    tell_link(door);
}

static bool show(struct door *door, const struct mi_serve_show *what)
{
    if (!mi_serve_show(door->server, what, &door->err))
        return false;
    tell_link(door);
    return door->err.code == MI_OK;
}

/* The base comes first: where it cannot be read there is nothing to show. */
static int serve(struct door *door)
{
    struct mi_cli_sides base = {.name = {{mi_args_text(door->args, "base", NULL)}}};
    const struct mi_cli_watch watch = {on_tick, door};
    struct mi_session *session = NULL;
    int code = 0;
    base.count[MI_CMP_BASE] = base.name[MI_CMP_BASE][0] != NULL;
    if (mi_cli_sides_open(door->cli, door->args, &base, MI_CMP_BASE, &code))
        session = mi_cli_open_watched(door->cli, door->args, 0, &watch, &code);
    if (session) {
        const struct mi_serve_show what = {.session = session,
                                           .base = base.session[MI_CMP_BASE][0],
                                           .base_name = base.name[MI_CMP_BASE][0],
                                           .name = door->args->operands[0]};
        mi_cli_losses(door->cli, session);
        if (show(door, &what))
            wait_for_end(door->cli);
        else
            code = mi_cli_error(door->cli, &door->err);
    }
    mi_serve_stop(door->server); /* before what it shows goes */
    mi_cli_sides_close(&base, MI_CMP_BASE);
    mi_session_free(session);
    return code;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct door door = {
        .cli = cli, .args = args, .err = MI_ERROR_INIT, .is_told = ATOMIC_FLAG_INIT};
    struct mi_serve_options options = {.address = mi_args_text(args, "address", NULL),
                                       .port = (uint16_t)mi_args_int(args, "port", 0)};
    if (args->operand_count < 1)
        return mi_cli_usage(cli, &mi_command_serve, "no input was named");
    door.server = mi_serve_start(&options, &door.err);
    return door.server ? serve(&door) : mi_cli_error(cli, &door.err);
}

const struct mi_command mi_command_serve = {
    .name = "serve",
    .operands = "INPUT...",
    .summary = N_("Shows structure, timeline and mapping in a browser, linked with each other."),
    .details = N_("Prints the link and opens it. Only this machine can ask, unless --address says "
                  "otherwise. Nothing is written."),
    .examples = "inspector-cli serve model.onnx model.om PROF_000001/\n"
                "inspector-cli serve capture/ --no-open --port 8080\n"
                "inspector-cli serve today/ --base baseline/",
    .params = params,
    .run = run,
};
