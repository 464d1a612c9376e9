/* From operands to a loaded session. */
#include "base/translate.h"
#include "cli/cli.h"

#include <stdio.h>

struct opening {
    struct mi_progress *progress; /* NULL: out of memory, and none is drawn */
    const struct mi_cli_watch *watch;
};

static bool on_tick(void *user, const char *stage, uint64_t done, uint64_t total)
{
    const struct opening *opening = user;
    if (opening->watch)
        opening->watch->tick(opening->watch->user, stage, done, total);
    return !opening->progress || mi_progress_tick(opening->progress, stage, done, total);
}

struct mi_session *mi_cli_open(const struct mi_cli *cli, const struct mi_args *args, size_t first,
                               int *exit_code)
{
    return mi_cli_open_watched(cli, args, first, NULL, exit_code);
}

struct mi_session *mi_cli_open_watched(const struct mi_cli *cli, const struct mi_args *args,
                                       size_t first, const struct mi_cli_watch *watch,
                                       int *exit_code)
{
    struct mi_error err = MI_ERROR_INIT;
    struct opening opening = {mi_progress_new(cli), watch};
    struct mi_session_options options = {
        .input_format = mi_args_text(args, "input-format", NULL),
        .jobs = (unsigned)mi_args_int(args, "jobs", 0),
        .no_mmap = mi_args_flag(args, "no-mmap"),
        .progress = on_tick,
        .user = &opening,
    };
    struct mi_session *session = mi_session_new(&options, &err);
    bool ok = session != NULL;
    for (size_t i = first; ok && i < args->operand_count; i++)
        ok = mi_session_add(session, args->operands[i], &err);
    ok = ok && mi_session_load(session, &err);
    mi_progress_free(opening.progress);
    if (ok)
        return session;
    mi_session_free(session);
    *exit_code = mi_cli_error(cli, &err);
    return NULL;
}

/* The diagnostic as an error with its place. */
static struct mi_error error_of(const struct mi_model *model, uint32_t diag)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_bytes text = mi_model_text(model, rows->diags.text[diag]);
    struct mi_bytes path = mi_model_text(model, rows->sources.path[rows->diags.source[diag].v]);
    char input[4096];
    mi_fail_at(&err, MI_EFORMAT,
               rows->diags.offset[diag] >= 0 ? (uint64_t)rows->diags.offset[diag] : MI_NO_OFFSET,
               rows->diags.line[diag], "%.*s", (int)(text.len < 1024 ? text.len : 1024),
               (const char *)text.at);
    snprintf(input, sizeof input, "%.*s", (int)(path.len < 4095 ? path.len : 4095),
             (const char *)path.at);
    mi_error_in(&err, input);
    return err;
}

void mi_cli_losses(const struct mi_cli *cli, const struct mi_session *session)
{
    const struct mi_model *model = mi_session_model(session);
    const struct mi_diags *diags = &model->all.rows.diags;
    uint32_t losses = 0;
    for (uint32_t d = 1; d < diags->count; d++) {
        if (diags->severity[d] < MI_LOSS || losses++)
            continue;
        bool has_reason =
            d + 1 < diags->count && diags->source[d + 1].v == diags->source[d].v &&
            mi_bytes_equal(mi_model_text(model, diags->code[d]), MI_LIT("capture.incomplete")) &&
            mi_bytes_equal(mi_model_text(model, diags->code[d + 1]), MI_LIT("capture.note"));
        struct mi_error err = error_of(model, has_reason ? d + 1 : d);
        mi_cli_error(cli, &err);
    }
    if (losses)
        fprintf(stderr, "%s inspector-cli inputs\n",
                mi_tr(cli->lang, N_("Not everything could be read, numbers may be too small; all "
                                    "that is missing:")));
}
