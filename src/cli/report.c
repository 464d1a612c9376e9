/* report: everything that `serve` shows in one HTML file, to be sent and opened without a network.
 */
#include "base/translate.h"
#include "cli/sides.h"
#include "present/export_run.h"
#include "present/offline/offline.h"

static const struct mi_param params[] = {
    {.name = "output",
     .letter = 'o',
     .kind = MI_PARAM_TEXT,
     .metavar = N_("FILE"),
     .help = N_("The file to write, for example report.html; - for standard output.")},
    {.name = "base",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("CAPTURE"),
     .help = N_("Compare the inputs with this capture: both sides beside one another, what differs "
                "and what it costs, as diff tells.")},
    {.name = "max-size",
     .kind = MI_PARAM_INT,
     .metavar = N_("MIB"),
     .min = 1,
     .max = 1024,
     .default_text = "32",
     .help = N_("Largest size of the file in MiB. What does not fit is left out, and the page says "
                "what that was.")},
    {.name = "anonymise",
     .kind = MI_PARAM_FLAG,
     .help = N_("Put stand-ins for all names; types, shapes, times and numbers stay.")},
    {.name = "key",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("FILE"),
     .help =
         N_("With --anonymise: a file that nobody else has. Reports made with the same one have "
            "the same stand-ins for the same names.")},
    MI_PARAM_END};

static bool tick(void *user, uint64_t written_bytes)
{
    return mi_progress_tick(user, N_("writing"), written_bytes, 0);
}

static int write_file(const struct mi_cli *cli, const struct mi_view *view, const char *path)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_progress *progress = mi_progress_new(cli);
    struct mi_export_options options = {.progress = progress ? tick : NULL, .user = progress};
    bool ok = mi_export_file(view, &mi_exporter_html, path, &options, &err);
    mi_progress_free(progress);
    return ok ? 0 : mi_cli_error(cli, &err);
}

static int write_to_stdout(const struct mi_cli *cli, const struct mi_view *view)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_cli_out out;
    mi_cli_out_init(cli, &out);
    bool ok = mi_export_sink(view, &mi_exporter_html, &out.sink, NULL, &err);
    if (mi_sink_failed(&out.sink)) /* said by finish, unless the reader just went away */
        return mi_cli_out_finish(cli, &out, 0);
    return mi_cli_out_finish(cli, &out, ok ? 0 : mi_cli_error(cli, &err));
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    const char *path = mi_args_text(args, "output", NULL);
    struct mi_error err = MI_ERROR_INIT;
    int code = 0;
    if (args->operand_count < 1)
        return mi_cli_usage(cli, &mi_command_report, "no input was named");
    if (!path || !*path)
        return mi_cli_usage(cli, &mi_command_report, "say where to write: --output FILE");
    if (mi_args_text(args, "key", NULL) && !mi_args_flag(args, "anonymise"))
        return mi_cli_usage(cli, &mi_command_report, "--key goes with --anonymise");
    if (!mi_offline_can()) { /* said before anything is read */
        mi_fail(&err, MI_EUNSUPPORTED,
                "this program was built without what reports need: ./dev deps installs it");
        return mi_cli_error(cli, &err);
    }
    struct mi_session *session = mi_cli_open(cli, args, 0, &code);
    if (!session)
        return code;
    mi_cli_losses(cli, session);
    struct mi_cli_sides base = {.name = {{mi_args_text(args, "base", NULL)}}};
    base.count[MI_CMP_BASE] = base.name[MI_CMP_BASE][0] != NULL;
    if (mi_cli_sides_open(cli, args, &base, MI_CMP_BASE, &code)) {
        struct mi_view view = {.session = session,
                               .model = mi_session_model(session),
                               .args = args,
                               .base = base.session[MI_CMP_BASE][0],
                               .base_name = base.name[MI_CMP_BASE][0],
                               .name = args->operands[0]};
        code = strcmp(path, "-") == 0 ? write_to_stdout(cli, &view) : write_file(cli, &view, path);
    }
    mi_cli_sides_close(&base, MI_CMP_BASE);
    mi_session_free(session);
    return code;
}

const struct mi_command mi_command_report = {
    .name = "report",
    .operands = "INPUT... -o FILE",
    .summary = N_("Writes what serve shows into one HTML file that opens without a network."),
    .details = N_("The file holds graphs, tasks, links and texts of the inputs and the code that "
                  "answers the page; never weights, and of counters those that the summary quotes. "
                  "It appears when it is complete, and inputs are never overwritten."),
    .examples = "inspector-cli report model.onnx model.om PROF_000001/ -o report.html\n"
                "inspector-cli report capture/ --anonymise --max-size 8 -o for-support.html\n"
                "inspector-cli report today/ --base baseline/ -o changes.html\n"
                "inspector-cli report new/ --anonymise --key names.key -o new.html",
    .params = params,
    .run = run,
};
