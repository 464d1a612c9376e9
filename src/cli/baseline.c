/* baseline: keeps what was read and joined of a capture, to compare later runs with. */
#include "base/files.h"
#include "base/gzip.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/translate.h"
#include "cli/baselines.h"
#include "model/snapshot.h"

#include <string.h>
#include <time.h>

enum { MOST_FILES = 100000 };

static const struct mi_param params[] = {
    {.name = "dir",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("DIR"),
     .help = N_("The folder of baselines (default: $MI_BASELINE_DIR, else .model-inspector).")},
    {.name = "force", .kind = MI_PARAM_FLAG, .help = N_("Save over a baseline of the same name.")},
    MI_PARAM_END};

/* --- save --- */

static bool write_model(const struct mi_model *model, const char *path, struct mi_error *err)
{
    struct mi_sink plain, packed;
    mi_sink_init_memory(&plain);
    mi_sink_init_memory(&packed);
    bool ok = mi_snapshot_write(model, NULL, &plain, err) && mi_sink_flush(&plain, err) &&
              mi_gzip_pack(&packed, mi_sink_bytes(&plain), MI_GZIP_FAST, err) &&
              mi_file_write(path, mi_sink_bytes(&packed), err);
    mi_sink_fini(&plain);
    mi_sink_fini(&packed);
    return ok;
}

static bool is_there(const char *path)
{
    struct mi_input input;
    bool found = mi_input_open(&input, path, &(struct mi_input_options){.keep_packed = true}, NULL);
    if (found)
        mi_input_close(&input);
    return found;
}

static int save(const struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    const char *dir = mi_baseline_dir(args);
    int code = 0;
    if (args->operand_count < 3)
        return mi_cli_usage(cli, &mi_command_baseline, "wanted: save NAME INPUT...");
    char *path = mi_baseline_path(dir, args->operands[1], &err);
    if (!path)
        return mi_cli_error(cli, &err);
    if (!mi_args_flag(args, "force") && is_there(path)) {
        mi_fail(&err, MI_EUSAGE, "%.300s is there already; --force saves over it", path);
        code = mi_cli_error(cli, &err);
    }
    struct mi_session *session = code ? NULL : mi_cli_open(cli, args, 2, &code);
    if (session) {
        mi_cli_losses(cli, session);
        if (!mi_make_dirs(dir, &err) || !write_model(mi_session_model(session), path, &err))
            code = mi_cli_error(cli, &err);
    }
    mi_session_free(session);
    mi_mem_free(path);
    return code;
}

/* --- list --- */

static const struct mi_report_column columns[] = {
    {"name", N_("name"), MI_CELL_TEXT, "", N_("give baseline:NAME to diff and gate")},
    {"saved_utc", N_("saved (UTC)"), MI_CELL_TEXT, "", N_("when it was saved")},
    {"size_bytes", N_("size"), MI_CELL_INT, "B", N_("size of its file")},
};

static struct mi_bytes utc(int64_t ns, struct mi_arena *arena)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;
    char text[32];
    if (!gmtime_r(&seconds, &parts) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts))
        return (struct mi_bytes){0};
    return mi_arena_copy(arena, mi_cstr(text));
}

static int list(const struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_report report;
    struct mi_dir dir = {0};
    size_t suffix = strlen(MI_BASELINE_SUFFIX);
    if (!mi_dir_read(&dir, mi_baseline_dir(args), MOST_FILES, &err) && err.code != MI_ENOTFOUND)
        return mi_cli_error(cli, &err);
    mi_report_init(&report);
    struct mi_report_table *table = mi_report_add_table(&report, "baselines", N_("Baselines"),
                                                        columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; table && i < dir.count; i++) {
        struct mi_bytes name = mi_cstr(dir.entries[i].name);
        if (dir.entries[i].kind != MI_FILE_REGULAR || name.len <= suffix ||
            memcmp(name.at + name.len - suffix, MI_BASELINE_SUFFIX, suffix) != 0)
            continue;
        struct mi_cell *row = mi_report_add_row(&report, table);
        if (!row)
            break;
        row[0] =
            mi_cell_text(mi_arena_copy(&report.arena, mi_bytes_sub(name, 0, name.len - suffix)));
        row[1] = mi_cell_text(utc(dir.entries[i].mtime_ns, &report.arena));
        row[2] = mi_cell_int((int64_t)dir.entries[i].size_bytes);
    }
    int code = mi_cli_report(cli, NULL, &report);
    mi_report_fini(&report);
    mi_dir_free(&dir);
    return code;
}

/* --- show --- */

static int show(const struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_report report;
    int code = 0;
    if (args->operand_count != 2)
        return mi_cli_usage(cli, &mi_command_baseline, "wanted: show NAME");
    const char *path = mi_baseline_path(mi_baseline_dir(args), args->operands[1], &err);
    if (!path)
        return mi_cli_error(cli, &err);
    struct mi_args inputs = *args;
    inputs.operands = &path;
    inputs.operand_count = 1;
    struct mi_session *session = mi_cli_open(cli, &inputs, 0, &code);
    mi_report_init(&report);
    if (session)
        code = mi_session_report(session, "summary", NULL, &report, &err)
                   ? mi_cli_report(cli, session, &report)
                   : mi_cli_error(cli, &err);
    mi_report_fini(&report);
    mi_session_free(session);
    mi_mem_free((char *)(uintptr_t)path);
    return code;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    static const struct {
        const char *word;
        int (*run)(const struct mi_cli *cli, const struct mi_args *args);
    } words[] = {{"save", save}, {"list", list}, {"show", show}};
    for (size_t i = 0; args->operand_count && i < sizeof words / sizeof *words; i++)
        if (strcmp(args->operands[0], words[i].word) == 0)
            return words[i].run(cli, args);
    return mi_cli_usage(cli, &mi_command_baseline, "wanted: save, list or show");
}

const struct mi_command mi_command_baseline = {
    .name = "baseline",
    .operands = "(save NAME INPUT... | list | show NAME)",
    .summary = N_("Keeps captures under a name, to compare later runs with."),
    .details = N_("A baseline is one small file: graphs, tasks and links as they were read and "
                  "joined, without weights and without the counters of tasks. diff and gate take "
                  "baseline:NAME for a capture, and every command reads the file like any input."),
    .examples = "inspector-cli baseline save release-1.2 model.om PROF_000001/\n"
                "inspector-cli baseline list\n"
                "inspector-cli gate baseline:release-1.2 PROF_000002/",
    .params = params,
    .run = run,
};
