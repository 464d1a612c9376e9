/* Standard output and standard error. */
#include "base/utf8.h"
#include "cli/cli.h"
#include "present/text/message.h"
#include "present/text/report_json.h"
#include "present/text/report_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool send_out(void *context, struct mi_bytes bytes, struct mi_error *err)
{
    struct mi_cli_out *out = context;
    while (bytes.len) {
        if (mi_cancelled(out->cancel))
            return mi_fail(err, MI_ECANCELLED, "stopped");
        ssize_t written = write(STDOUT_FILENO, bytes.at, bytes.len);
        if (written >= 0) {
            bytes = mi_bytes_sub(bytes, (size_t)written, bytes.len);
        } else if (errno != EINTR) {
            out->is_closed = errno == EPIPE;
            return mi_fail(err, MI_EIO, "standard output: %s", strerror(errno));
        }
    }
    return true;
}

void mi_cli_out_init(const struct mi_cli *cli, struct mi_cli_out *out)
{
    out->cancel = mi_cancelled(cli->cancel) ? NULL : cli->cancel;
    out->is_closed = false;
    mi_sink_init_callback(&out->sink, send_out, out);
}

int mi_cli_out_finish(const struct mi_cli *cli, struct mi_cli_out *out, int code)
{
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_sink_flush(&out->sink, &err) && !out->is_closed)
        code = mi_cli_error(cli, &err);
    mi_sink_fini(&out->sink);
    return code;
}

/* --- errors --- */

static void put_err(struct mi_sink *line)
{
    struct mi_bytes text = mi_sink_bytes(line);
    fwrite(text.at, 1, text.len, stderr);
    fflush(stderr);
}

int mi_cli_error(const struct mi_cli *cli, const struct mi_error *err)
{
    struct mi_sink line;
    mi_sink_init_memory(&line);
    mi_sink_text(&line, cli->program);
    mi_sink_text(&line, ": ");
    mi_text_error(&line, cli->lang, err);
    mi_sink_byte(&line, '\n');
    put_err(&line);
    mi_sink_fini(&line);
    return mi_code_exit(err->code);
}

int mi_cli_usage(const struct mi_cli *cli, const struct mi_command *command, const char *format,
                 ...)
{
    struct mi_error err = MI_ERROR_INIT;
    char text[sizeof err.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mi_fail(&err, MI_EUSAGE, "%s", text);
    mi_cli_error(cli, &err);
    fprintf(stderr, "%s inspector-cli %s%s--help\n", mi_tr(cli->lang, N_("help:")),
            command ? command->name : "", command ? " " : "");
    return mi_code_exit(MI_EUSAGE);
}

/* --- reports --- */

int mi_cli_report(const struct mi_cli *cli, const struct mi_session *session,
                  const struct mi_report *report)
{
    struct mi_cli_out out;
    (void)session;
    mi_cli_out_init(cli, &out);
    if (cli->json_lines) {
        mi_report_write_lines(report, &out.sink, NULL);
    } else if (cli->json) {
        mi_report_write_json(report, &out.sink, NULL);
    } else {
        struct mi_text_options options = {
            .lang = cli->lang, .columns = cli->columns, .color = cli->color};
        mi_report_write_text(report, &options, &out.sink);
    }
    return mi_cli_out_finish(cli, &out, 0);
}
