/* `start`: a capture of a program that uses AscendCL, with the hook inside it. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/live.h"
#include "collect/live/live.h"

#include <string.h>
#include <sys/wait.h>

static const char *const backends[] = {"auto", "cann", "ort", NULL};

static const struct mi_param params[] = {
    {.name = "output-dir",
     .letter = 'o',
     .kind = MI_PARAM_TEXT,
     .metavar = N_("DIR"),
     .help = N_("Capture folder: new or empty.")},
    {.name = "replace",
     .kind = MI_PARAM_FLAG,
     .help = N_("Remove the capture that the folder holds first; refused where it holds anything "
                "else.")},
    {.name = "enable-graph",
     .kind = MI_PARAM_FLAG,
     .help = N_("Collect compiled graphs: the models that are loaded, the dumps of the graph "
                "engine.")},
    {.name = "enable-runtime",
     .kind = MI_PARAM_FLAG,
     .help = N_("Collect what runs: calls, streams, events, and device times by a profiler.")},
    {.name = "with-weights", .kind = MI_PARAM_FLAG, .help = N_("Copy models with their weights.")},
    {.name = "framework",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("FILE"),
     .repeats = true,
     .help = N_("The model that was compiled (ONNX, ...), to be joined with what ran.")},
    {.name = "backend",
     .kind = MI_PARAM_CHOICE,
     .metavar = N_("BACKEND"),
     .default_text = "auto",
     .choices = backends,
     .help = N_("What runs: a program on CANN, or a model under ONNX Runtime; auto: the latter "
                "where the command is a model.")},
    {.name = "profiler",
     .kind = MI_PARAM_CHOICE,
     .metavar = N_("PROFILER"),
     .default_text = "auto",
     .choices = mi_live_profilers,
     .help = N_("Where device times come from; auto: what is there, see doctor --environment.")},
    {.name = "print-env",
     .kind = MI_PARAM_FLAG,
     .help = N_("Print the environment to be set, for eval \"$(...)\".")},
    MI_PARAM_END};

/* --- without a command --- */

/* Quoted for a shell: 'it'\''s'. */
static void put_quoted(struct mi_sink *sink, const char *text)
{
    mi_sink_byte(sink, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            mi_sink_text(sink, "'\\''");
        else
            mi_sink_byte(sink, (uint8_t)*text);
    }
    mi_sink_byte(sink, '\'');
}

static int print_environment(const struct mi_cli *cli, const struct mi_live_var *vars, size_t count,
                             bool is_for_eval)
{
    struct mi_cli_out out;
    mi_cli_out_init(cli, &out);
    if (!is_for_eval) {
        mi_sink_text(&out.sink, mi_tr(cli->lang, N_("Start the program with this environment:")));
        mi_sink_byte(&out.sink, '\n');
    }
    for (size_t i = 0; i < count; i++) {
        mi_sink_text(&out.sink, vars[i].value ? "export " : "unset ");
        mi_sink_text(&out.sink, vars[i].name);
        if (vars[i].value) {
            mi_sink_byte(&out.sink, '=');
            put_quoted(&out.sink, vars[i].value);
        }
        mi_sink_byte(&out.sink, '\n');
    }
    return mi_cli_out_finish(cli, &out, 0);
}

/* --- with a command --- */

static int exit_code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static char **command_line(const struct mi_args *args)
{
    char **argv = mi_mem_new(args->operand_count + 1, sizeof *argv);
    for (size_t i = 0; argv && i < args->operand_count; i++)
        memcpy(&argv[i], &args->operands[i], sizeof argv[i]); /* execvp() changes none of them */
    if (argv)
        argv[args->operand_count] = NULL;
    return argv;
}

/* Whatever happens to the capture, the program's exit code is ours. `live` NULL: there is none. */
static int run_program(struct mi_cli *cli, const struct mi_args *args, const struct mi_live *live,
                       struct mi_arena *arena, struct mi_live_var *vars, size_t count)
{
    struct mi_error err = MI_ERROR_INIT;
    char **argv = command_line(args), **whole = argv;
    int status = 0;
    if (argv && live && live->wants_runtime && strcmp(live->profiler, "msprof") == 0)
        whole = mi_live_wrap(live, arena, vars, &count, argv);
    bool ok = whole && mi_live_run(vars, count, whole, &status, &err);
    mi_mem_free(argv);
    if (!whole)
        return mi_code_exit(MI_ENOMEM);
    if (!ok) {
        mi_cli_error(cli, &err);
        return err.code == MI_ENOTFOUND ? 127 : 126;
    }
    if (!live)
        return exit_code_of(status);
    if (live->wants_runtime)
        mi_cli_export_profiles(cli, live->dir);
    if (!mi_live_close(live, status, &err))
        mi_cli_error(cli, &err);
    return exit_code_of(status);
}

/* --- the command --- */

static int go(struct mi_cli *cli, const struct mi_args *args, const struct mi_live *live)
{
    struct mi_live_var vars[MI_LIVE_ENV_MAX];
    struct mi_arena arena;
    mi_arena_init(&arena);
    size_t count = mi_live_environment(live, &arena, vars);
    if (live->wants_graph && mi_live_foreign_dumps())
        mi_cli_say(
            cli,
            N_("graphs are dumped where a variable of yours says, not into the capture: give "
               "that folder to export, too"),
            mi_live_foreign_dumps());
    int code = !count ? mi_code_exit(MI_ENOMEM)
               : args->operand_count
                   ? run_program(cli, args, live, &arena, vars, count)
                   : print_environment(cli, vars, count, mi_args_flag(args, "print-env"));
    mi_arena_fini(&arena);
    return code;
}

/* Wrong use; 0 = none. */
static int check(struct mi_cli *cli, const struct mi_args *args)
{
    const char *backend = mi_args_text(args, "backend", "auto");
    if (!mi_args_text(args, "output-dir", NULL))
        return mi_cli_usage(cli, &mi_command_start, "--output-dir is missing");
    if (!mi_args_flag(args, "enable-graph") && !mi_args_flag(args, "enable-runtime"))
        return mi_cli_usage(cli, &mi_command_start,
                            "nothing is to be collected: give --enable-graph, --enable-runtime, or "
                            "both");
    if (strcmp(backend, "ort") == 0 && !args->operand_count)
        return mi_cli_usage(cli, &mi_command_start,
                            "--backend ort runs a model: start --backend ort -o DIR ... -- "
                            "MODEL.onnx; programs of your own on ONNX Runtime are not hooked");
    if (strcmp(mi_args_text(args, "profiler", "auto"), "msprof") == 0 && !args->operand_count)
        return mi_cli_usage(cli, &mi_command_start,
                            "--profiler msprof wants a command: msprof starts it");
    if (mi_args_flag(args, "print-env") && args->operand_count)
        return mi_cli_usage(cli, &mi_command_start, "--print-env takes no command");
    return 0;
}

/* --- ONNX Runtime --- */

static bool is_model(const char *path)
{
    size_t len = strlen(path);
    return (len > 5 && strcmp(path + len - 5, ".onnx") == 0) ||
           (len > 4 && strcmp(path + len - 4, ".ort") == 0);
}

static bool is_for_ort(const struct mi_args *args)
{
    const char *backend = mi_args_text(args, "backend", "auto");
    return strcmp(backend, "ort") == 0 ||
           (strcmp(backend, "auto") == 0 && args->operand_count && is_model(args->operands[0]));
}

/* `run` does what start, snapshot and collect do elsewhere: the same folder, the same export. */
static int run_ort(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_options options;
    const char *fixed[] = {cli->program, "run", "--output-dir",
                           mi_args_text(args, "output-dir", "")};
    size_t count = sizeof fixed / sizeof *fixed;
    if (!mi_args_flag(args, "replace") && !mi_live_has_no_capture(fixed[3], &err))
        return mi_cli_error(cli, &err);
    if (!mi_args_flag(args, "enable-graph") || !mi_args_flag(args, "enable-runtime"))
        mi_cli_say(
            cli,
            N_("under ONNX Runtime graphs and times are collected together, whichever of the "
               "two was asked for"),
            NULL);
    char **argv = mi_mem_new(count + args->operand_count + 1, sizeof *argv);
    if (!argv)
        return mi_code_exit(MI_ENOMEM);
    memcpy(argv, fixed, sizeof fixed);
    memcpy(argv + count, args->operands, args->operand_count * sizeof *argv);
    argv[count + args->operand_count] = NULL;
    bool ok = mi_options_parse(&options, (int)(count + args->operand_count), argv, &err);
    int code = ok                      ? mi_command_run.run(cli, &options.args)
               : err.code == MI_EUSAGE ? mi_cli_usage(cli, &mi_command_run, "%s", err.text)
                                       : mi_cli_error(cli, &err);
    mi_options_fini(&options);
    mi_mem_free(argv);
    return code;
}

/* --- CANN --- */

/* The profiler that is decided here: msprof has to stand in front of the program. */
static const char *choose_profiler(const struct mi_args *args)
{
    static struct mi_live_fact facts[MI_LIVE_FACTS_MAX];
    const char *named = mi_args_text(args, "profiler", "auto");
    if (strcmp(named, "auto") != 0 || !args->operand_count || !mi_args_flag(args, "enable-runtime"))
        return named;
    const char *chosen = mi_live_choose(facts, mi_live_check(facts));
    return strcmp(chosen, "msprof") == 0 ? chosen : named;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    const char *sources[64];
    struct mi_live live = {.wants_graph = mi_args_flag(args, "enable-graph"),
                           .wants_runtime = mi_args_flag(args, "enable-runtime"),
                           .wants_weights = mi_args_flag(args, "with-weights"),
                           .program = MI_VERSION,
                           .sources = sources};
    int code = check(cli, args);
    if (code)
        return code;
    if (is_for_ort(args))
        return run_ort(cli, args);
    live.profiler = choose_profiler(args);
    for (const struct mi_arg *arg;
         live.source_count < 64 && (arg = mi_args_nth(args, "framework", live.source_count));)
        sources[live.source_count++] = arg->text;
    if (mi_live_find_hook(live.hook, sizeof live.hook, &err) &&
        mi_live_prepare(&live, mi_args_text(args, "output-dir", ""), mi_args_flag(args, "replace"),
                        &err))
        return go(cli, args, &live);
    code = mi_cli_error(cli, &err);
    if (!args->operand_count || err.code == MI_EUSAGE)
        return code;
    /* The program is what matters: it runs, if without a capture. */
    mi_cli_say(cli, N_("the program runs without a capture"), NULL);
    return run_program(cli, args, NULL, NULL, NULL, 0);
}

const struct mi_command mi_command_start = {
    .name = "start",
    .operands = "[-- COMMAND ARGS...]",
    .summary =
        N_("Runs a program that uses an Ascend device and collects what it compiles and runs."),
    .details =
        N_("The program gets libmi_hook.so by LD_PRELOAD and is otherwise as it was: its "
           "output, its exit code and Ctrl-C are its own. Without COMMAND the environment "
           "is printed that such a program needs. status, snapshot, collect and stop talk to "
           "it while it runs; export reads the capture at any time."),
    .examples =
        "inspector-cli start --output-dir capture/ --enable-graph --enable-runtime -- python3 "
        "infer.py\n"
        "eval \"$(inspector-cli start -o capture/ --enable-graph --enable-runtime --print-env)\"\n"
        "inspector-cli start -o capture/ --enable-runtime --framework net.onnx -- ./infer net.om\n"
        "inspector-cli start -o capture/ --replace --enable-graph --enable-runtime -- net.onnx "
        "--runs 10",
    .params = params,
    .run = run,
};
