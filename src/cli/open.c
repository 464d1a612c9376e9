/* From operands to a loaded session. */
#include "cli/cli.h"

struct mi_session *mi_cli_open(const struct mi_cli *cli, const struct mi_args *args, size_t first,
                               int *exit_code)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_progress *progress = mi_progress_new(cli);
    struct mi_session_options options = {
        .input_format = mi_args_text(args, "input-format", NULL),
        .jobs = (unsigned)mi_args_int(args, "jobs", 0),
        .no_mmap = mi_args_flag(args, "no-mmap"),
        .progress = progress ? mi_progress_tick : NULL,
        .user = progress,
    };
    struct mi_session *session = mi_session_new(&options, &err);
    bool ok = session != NULL;
    for (size_t i = first; ok && i < args->operand_count; i++)
        ok = mi_session_add(session, args->operands[i], &err);
    ok = ok && mi_session_load(session, &err);
    mi_progress_free(progress);
    if (ok)
        return session;
    mi_session_free(session);
    *exit_code = mi_cli_error(cli, &err);
    return NULL;
}
