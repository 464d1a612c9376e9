/* `run`: runs a model with a collector, then shows and dumps what the capture holds. */
#include "base/files.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/export.h"
#include "collect/collector.h"
#include "present/exporter.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct mi_param params[] = {
    {.name = "output-dir",
     .letter = 'o',
     .kind = MI_PARAM_TEXT,
     .metavar = N_("DIR"),
     .help = N_("Capture folder: new, empty, or holding an older capture, which is replaced "
                "(default: the name of the model with .capture, in the current folder).")},
    MI_PARAM_END};

/* "net.onnx" in any folder gives "net.capture" in this one. */
static void default_dir(const char *model, char *dir, size_t size)
{
    const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
    const char *dot = strrchr(name, '.');
    int len = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(dir, size, "%.*s.capture", len, name);
}

/* Makes the folder, or checks that nothing of the user's lies in it. */
static bool prepare_dir(const char *path, struct mi_error *err)
{
    struct mi_dir dir;
    char manifest[4200];
    struct stat info;
    if (!mi_make_dirs(path, err) || !mi_dir_read(&dir, path, MI_DIR_MAX_ENTRIES, err))
        return false;
    bool is_empty = dir.count == 0;
    mi_dir_free(&dir);
    snprintf(manifest, sizeof manifest, "%s/" MI_CAPTURE_FILE, path);
    if (!is_empty && stat(manifest, &info) != 0) {
        mi_fail(err, MI_EUSAGE, "the folder is not empty and holds no capture");
        return mi_error_in(err, path);
    }
    return true;
}

static void remove_old_dumps(const char *dir)
{
    char path[4200];
    for (const char *const *name = mi_exporter_json.files; *name; name++) {
        snprintf(path, sizeof path, "%s/%s", dir, *name);
        unlink(path);
    }
}

static void tick(void *user, const char *stage, uint64_t done, uint64_t total)
{
    mi_progress_tick(user, stage, done, total);
}

static void print_notes(const struct mi_cli *cli, const struct mi_manifest *manifest)
{
    struct mi_sink sink;
    mi_sink_init_fd(&sink, STDERR_FILENO);
    for (size_t i = 0; i < manifest->note_count; i++) {
        mi_sink_text(&sink, cli->program);
        mi_sink_text(&sink, ": ");
        mi_utf8_show(&sink, mi_cstr(manifest->notes[i]), 0);
        mi_sink_byte(&sink, '\n');
    }
    mi_sink_flush(&sink, NULL);
    mi_sink_fini(&sink);
}

static int collect(struct mi_cli *cli, const struct mi_args *args, const char *dir)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_progress *progress = mi_progress_new(cli);
    struct mi_collect job = {.model_path = args->operands[0],
                             .dir = dir,
                             .args = args,
                             .program = MI_VERSION,
                             .cancel = cli->cancel,
                             .progress = progress ? tick : NULL,
                             .user = progress};
    mi_manifest_init(&job.manifest);
    bool ok = mi_collector_ort.run(&job, &err);
    mi_progress_free(progress);
    if (ok)
        print_notes(cli, &job.manifest);
    mi_manifest_fini(&job.manifest);
    return ok ? 0 : mi_cli_error(cli, &err);
}

/* The capture as any other command would open it. */
static int show(struct mi_cli *cli, const struct mi_args *args, const char *dir)
{
    int code = 0;
    struct mi_args inputs = *args;
    inputs.operands = &dir;
    inputs.operand_count = 1;
    struct mi_session *session = mi_cli_open(cli, &inputs, 0, &code);
    if (session)
        code = mi_cli_dump(cli, session, dir);
    mi_session_free(session);
    return code;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    char by_name[4096];
    struct stat info;
    if (args->operand_count != 1)
        return mi_cli_usage(cli, &mi_command_run, "one model is wanted");
    const char *model = args->operands[0], *dir = mi_args_text(args, "output-dir", NULL);
    bool is_there = stat(model, &info) == 0 || strcmp(model, "-") == 0;
    if (!is_there)
        mi_fail(&err, MI_ENOTFOUND, "no such file or folder");
    else if (strcmp(model, "-") == 0 || !S_ISREG(info.st_mode))
        mi_fail(&err, MI_ENOTFOUND, "ONNX Runtime wants the model as a file");
    if (err.code != MI_OK) {
        mi_error_in(&err, model);
        return mi_cli_error(cli, &err);
    }
    if (!dir) {
        default_dir(model, by_name, sizeof by_name);
        dir = by_name;
    }
    if (!mi_collector_ort.available(args, &err) || !prepare_dir(dir, &err))
        return mi_cli_error(cli, &err);
    remove_old_dumps(dir);
    int code = collect(cli, args, dir);
    if (code)
        return code;
    /* Ctrl-C ended the run, not this command: what was collected is worth showing. */
    atomic_store(&cli->cancel->is_set, false);
    return show(cli, args, dir);
}

const struct mi_command mi_command_run = {
    .name = "run",
    .operands = "MODEL.onnx",
    .summary = N_("Runs an ONNX model with ONNX Runtime and shows all three layers of it."),
    .details = N_("Writes a capture folder: the model, the optimised model and the profile of the "
                  "same session, then graph.json, trace.json and summary.json, and prints the "
                  "summary. A model that does not load still gives its framework layer, and "
                  "Ctrl-C leaves a readable capture."),
    .examples = "inspector-cli run model.onnx -o capture/\n"
                "inspector-cli run model.onnx --runs 10 --threads 2 --shape x=1x3x640x640\n"
                "inspector-cli run model.onnx --custom-op-lib ./libmyops.so",
    .params = params,
    .more_params = mi_collector_params_ort,
    .run = run,
};
