/* `export`: a capture or files in another form, into a folder, a file or standard output. */
#include "cli/export.h"

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "present/export_run.h"

#include <stdio.h>
#include <sys/stat.h>

enum { ROWS_FOR_EYES = 30 };

static const char *const formats[] = {
#define MI_EXPORTER(name) #name,
#include "present/exporters.def"
#undef MI_EXPORTER
    NULL};

static const char *const layers[] = {"framework", "compiled", NULL};

static const struct mi_param params[] = {
    {.name = "format",
     .letter = 'f',
     .kind = MI_PARAM_CHOICE,
     .metavar = N_("FORMAT"),
     .choices = formats,
     .help = N_("What to write: json (graph.json, trace.json, summary.json), csv (a file per "
                "table), sqlite, chrome (for ui.perfetto.dev), dot (Graphviz), links, html (a page "
                "that opens "
                "without a network; see report).")},
    {.name = "input-dir",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("DIR"),
     .repeats = true,
     .help = N_("A folder with inputs; the same as naming it without the option.")},
    {.name = "output-dir",
     .letter = 'o',
     .kind = MI_PARAM_TEXT,
     .metavar = N_("DIR"),
     .help = N_("Write into this folder (default: the capture folder itself; other inputs want a "
                "place).")},
    {.name = "output",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("FILE"),
     .help = N_("Write a format of one file to FILE; - for standard output.")},
    {.name = "layer",
     .kind = MI_PARAM_CHOICE,
     .metavar = N_("LAYER"),
     .choices = layers,
     .help = N_("Graph that dot draws: framework or compiled (default: compiled if there is "
                "one).")},
    MI_PARAM_END};

/* --- places --- */

struct place {
    const char *dir, *file; /* one of them, never both */
};

static bool is_capture_dir(const char *path)
{
    char manifest[4096];
    struct stat info;
    int len = snprintf(manifest, sizeof manifest, "%s/%s", path, MI_CAPTURE_FILE);
    return len > 0 && (size_t)len < sizeof manifest && stat(manifest, &info) == 0;
}

/* Decides where to write before anything is read; `inputs`: operands and --input-dir together. */
static int find_place(const struct mi_cli *cli, const struct mi_args *args,
                      const struct mi_exporter *exporter, const struct mi_args *inputs,
                      struct place *place)
{
    const struct mi_command *command = &mi_command_export;
    *place =
        (struct place){mi_args_text(args, "output-dir", NULL), mi_args_text(args, "output", NULL)};
    if (place->dir && place->file)
        return mi_cli_usage(cli, command, "--output-dir and --output exclude each other");
    if (place->file && !exporter->suffix)
        return mi_cli_usage(cli, command,
                            "%s is several files and takes --output-dir, not --output",
                            exporter->name);
    if ((place->dir && !*place->dir) || (place->file && !*place->file))
        return mi_cli_usage(cli, command, "the place to write to is empty");
    if (!place->dir && !place->file && inputs->operand_count == 1 &&
        is_capture_dir(inputs->operands[0]))
        place->dir = inputs->operands[0];
    if (!place->dir && !place->file)
        return mi_cli_usage(cli, command,
                            exporter->suffix ? "say where to write: --output FILE or "
                                               "--output-dir DIR (only a capture folder "
                                               "takes its own dumps)"
                                             : "say where to write: --output-dir DIR "
                                               "(only a capture folder takes its own dumps)");
    return 0;
}

/* --- writing --- */

static bool tick(void *user, uint64_t written_bytes)
{
    return mi_progress_tick(user, N_("writing"), written_bytes, 0);
}

static int write_files(const struct mi_cli *cli, const struct mi_view *view,
                       const struct mi_exporter *exporter, const struct place *place)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_progress *progress = mi_progress_new(cli);
    struct mi_export_options options = {.progress = progress ? tick : NULL, .user = progress};
    bool ok = place->dir ? mi_export_dir(view, exporter, place->dir, &options, &err)
                         : mi_export_file(view, exporter, place->file, &options, &err);
    mi_progress_free(progress);
    return ok ? 0 : mi_cli_error(cli, &err);
}

static int write_to_stdout(const struct mi_cli *cli, const struct mi_view *view,
                           const struct mi_exporter *exporter)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_cli_out out;
    mi_cli_out_init(cli, &out);
    bool ok = mi_export_sink(view, exporter, &out.sink, NULL, &err);
    if (mi_sink_failed(&out.sink)) /* said by finish, unless the reader just went away */
        return mi_cli_out_finish(cli, &out, 0);
    return mi_cli_out_finish(cli, &out, ok ? 0 : mi_cli_error(cli, &err));
}

static int list_files(const struct mi_cli *cli, const struct mi_exporter *exporter, const char *dir)
{
    char name[64];
    struct mi_cli_out out;
    if (cli->json)
        return 0;
    mi_cli_out_init(cli, &out);
    mi_sink_text(&out.sink, mi_tr(cli->lang, N_("written to")));
    mi_sink_text(&out.sink, " ");
    mi_utf8_show(&out.sink, mi_cstr(dir), 0);
    mi_sink_text(&out.sink, ":");
    for (size_t k = 0; mi_export_file_name(exporter, k, name); k++) {
        mi_sink_text(&out.sink, " ");
        mi_sink_text(&out.sink, name);
    }
    mi_sink_byte(&out.sink, '\n');
    return mi_cli_out_finish(cli, &out, 0);
}

static int print_summary(const struct mi_cli *cli, const struct mi_session *session)
{
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_arg arg = {.param = &top, .text = "", .number = ROWS_FOR_EYES};
    struct mi_args args = {.list = &arg, .count = cli->json ? 0 : 1};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_report report;
    mi_report_init(&report);
    bool ok = mi_session_report(session, "summary", &args, &report, &err);
    int code = ok ? mi_cli_report(cli, session, &report) : mi_cli_error(cli, &err);
    mi_report_fini(&report);
    return code;
}

int mi_cli_dump(struct mi_cli *cli, const struct mi_session *session, const char *dir)
{
    struct mi_view view = {.session = session, .model = mi_session_model(session)};
    struct place place = {.dir = dir};
    int code = write_files(cli, &view, &mi_exporter_json, &place);
    if (!code)
        code = print_summary(cli, session);
    return code ? code : list_files(cli, &mi_exporter_json, dir);
}

/* --- the command --- */

static int export_session(struct mi_cli *cli, const struct mi_args *args,
                          const struct mi_session *session, const struct mi_exporter *exporter,
                          const struct place *place)
{
    struct mi_view view = {.session = session, .model = mi_session_model(session), .args = args};
    if (exporter == &mi_exporter_json)
        return mi_cli_dump(cli, session, place->dir);
    if (place->file && strcmp(place->file, "-") == 0)
        return write_to_stdout(cli, &view, exporter);
    int code = write_files(cli, &view, exporter, place);
    return code || !place->dir ? code : list_files(cli, exporter, place->dir);
}

static int run_on(struct mi_cli *cli, const struct mi_args *args, const struct mi_args *inputs)
{
    const struct mi_command *command = &mi_command_export;
    const char *format = mi_args_text(args, "format", NULL);
    const struct mi_exporter *exporter = format ? mi_exporter_find(format) : NULL;
    struct place place;
    if (!inputs->operand_count)
        return mi_cli_usage(cli, command, "name an input: a capture folder or files");
    if (!exporter)
        return mi_cli_usage(cli, command, "--format is missing");
    if (mi_args_find(args, "layer") && exporter != &mi_exporter_dot)
        return mi_cli_usage(cli, command, "--layer goes with --format dot only");
    int code = find_place(cli, args, exporter, inputs, &place);
    if (code)
        return code;
    if (place.file && strcmp(place.file, "-") == 0 && exporter == &mi_exporter_sqlite &&
        cli->out_is_tty)
        return mi_cli_usage(cli, command, "a database does not go to a terminal");
    struct mi_session *session = mi_cli_open(cli, inputs, 0, &code);
    if (!session)
        return code;
    mi_cli_losses(cli, session);
    code = export_session(cli, args, session, exporter, &place);
    mi_session_free(session);
    return code;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_args inputs = *args;
    size_t count = 0;
    const char **list = mi_mem_new(args->operand_count + args->count + 1, sizeof *list);
    if (!list)
        return mi_code_exit(MI_ENOMEM);
    for (const struct mi_arg *arg; (arg = mi_args_nth(args, "input-dir", count)) != NULL;)
        list[count++] = arg->text;
    for (size_t i = 0; i < args->operand_count; i++)
        list[count++] = args->operands[i];
    inputs.operands = list;
    inputs.operand_count = count;
    int code = run_on(cli, args, &inputs);
    mi_mem_free(list);
    return code;
}

const struct mi_command mi_command_export = {
    .name = "export",
    .operands = "(--input-dir DIR | INPUT...) --format FORMAT",
    .summary = N_("Writes everything known in another form: JSON, CSV, SQLite, Chrome trace, dot."),
    .details = N_("A capture folder receives its own dumps when no place is given; any other input "
                  "wants one. Files appear when they are complete, and inputs are never "
                  "overwritten. --format json prints the summary afterwards."),
    .examples = "inspector-cli export --input-dir capture/ --format json\n"
                "inspector-cli export capture/ --format chrome --output trace.json\n"
                "inspector-cli export model.onnx --format dot --output - | dot -Tsvg > model.svg\n"
                "inspector-cli export model.onnx profile.json --format sqlite -o out/",
    .params = params,
    .run = run,
};
