/* Help texts, made of the tables of commands and parameters. */
#include "base/utf8.h"
#include "cli/cli.h"

#include <string.h>

#define DETAIL_WIDTH 78

static size_t put(struct mi_sink *sink, const char *text)
{
    mi_sink_text(sink, text);
    return mi_utf8_shown_width(mi_cstr(text), 0);
}

static void pad(struct mi_sink *sink, size_t used, size_t to)
{
    mi_sink_repeat(sink, ' ', used < to ? to - used : 1);
}

/* Columns of the character at `text` and its length; a blank ends a word, and so does every wide
 * character. */
static unsigned step(const char *text, unsigned *width)
{
    uint32_t code = 0;
    unsigned len = mi_utf8_decode((const uint8_t *)text, strlen(text), &code);
    *width = len ? mi_utf8_width(code) : 1;
    return len ? len : 1;
}

static bool closes(const char *text)
{
    static const char *const marks[] = {"\u3001", "\u3002", "\uff0c", "\uff1a", "\uff1b", "\uff09"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(text, marks[i], strlen(marks[i])) == 0)
            return true;
    return false;
}

/* The next word of `text`: up to a blank, or one wide character, which may stand alone. */
static size_t next_word(const char *text, size_t *width)
{
    size_t len = 0;
    *width = 0;
    while (text[len] && text[len] != ' ') {
        unsigned wide = 0, one = step(text + len, &wide);
        if (wide == 2 && len)
            break;
        len += one;
        *width += wide;
        if (wide == 2) {
            /* Closing marks do not begin a line. */
            while (closes(text + len)) {
                len += step(text + len, &wide);
                *width += wide;
            }
            break;
        }
    }
    return len;
}

/* Writes `text` in lines of at most DETAIL_WIDTH columns, each but the first indented. */
static void put_wrapped(struct mi_sink *sink, const char *text, size_t indent)
{
    size_t used = indent, width;
    while (*text) {
        bool has_blank = *text == ' ';
        text += has_blank;
        size_t len = next_word(text, &width);
        if (used + has_blank + width > DETAIL_WIDTH && used > indent) {
            mi_sink_byte(sink, '\n');
            mi_sink_repeat(sink, ' ', indent);
            used = indent;
        } else if (has_blank && used > indent) {
            mi_sink_byte(sink, ' ');
            used++;
        }
        mi_sink_write(sink, (struct mi_bytes){(const uint8_t *)text, len});
        used += width;
        text += len;
    }
    mi_sink_byte(sink, '\n');
}

static void put_params(struct mi_sink *sink, enum mi_lang lang, const struct mi_param *params)
{
    for (; params && params->name; params++) {
        size_t used = 2;
        mi_sink_text(sink, "  ");
        if (params->letter) {
            mi_sink_byte(sink, '-');
            mi_sink_byte(sink, (uint8_t)params->letter);
            mi_sink_text(sink, ", ");
            used += 4;
        }
        used += put(sink, "--") + put(sink, params->name);
        if (params->kind == MI_PARAM_CHOICE) {
            mi_sink_byte(sink, ' ');
            used++;
            for (int i = 0; params->choices[i]; i++)
                used += put(sink, i ? "|" : "") + put(sink, params->choices[i]);
        } else if (params->metavar) {
            used += put(sink, " ") + put(sink, mi_tr(lang, params->metavar));
        }
        if (used > 26) {
            mi_sink_byte(sink, '\n');
            used = 0;
        }
        pad(sink, used, 28);
        put_wrapped(sink, mi_tr(lang, params->help), 28);
    }
}

int mi_cli_overview(const struct mi_cli *cli)
{
    struct mi_cli_out out;
    struct mi_sink *sink = &out.sink;
    mi_cli_out_init(cli, &out);
    put_wrapped(sink,
                mi_tr(cli->lang, N_("Shows what became of a model: its framework graph, the graph "
                                    "that the compiler made of it, and the tasks that a device "
                                    "ran, joined.")),
                0);
    mi_sink_byte(sink, '\n');
    mi_sink_text(sink, mi_tr(cli->lang, N_("usage:")));
    mi_sink_text(sink, " inspector-cli COMMAND [--OPTION...] INPUT...\n\n");
    mi_sink_text(sink, mi_tr(cli->lang, N_("Commands:")));
    mi_sink_byte(sink, '\n');
    for (const struct mi_command *const *command = mi_commands; *command; command++) {
        size_t used = put(sink, "  ") + put(sink, (*command)->name);
        pad(sink, used, 14);
        put_wrapped(sink, mi_tr(cli->lang, (*command)->summary), 14);
    }
    mi_sink_byte(sink, '\n');
    mi_sink_text(sink, mi_tr(cli->lang, N_("Options of every command:")));
    mi_sink_byte(sink, '\n');
    put_params(sink, cli->lang, mi_cli_common_params);
    mi_sink_byte(sink, '\n');
    put_wrapped(
        sink,
        mi_tr(cli->lang, N_("Inputs are files and folders in any mix: models, profiles, capture "
                            "folders; - is standard input. Exit codes: 0 done, 1 a finding at the "
                            "asked severity, 2 wrong usage, 3 input not readable, 4 internal "
                            "error.")),
        0);
    mi_sink_byte(sink, '\n');
    put_wrapped(
        sink, mi_tr(cli->lang, N_("inspector-cli COMMAND --help tells more about a command.")), 0);
    return mi_cli_out_finish(cli, &out, 0);
}

int mi_cli_help(const struct mi_cli *cli, const struct mi_command *command)
{
    struct mi_cli_out out;
    struct mi_sink *sink = &out.sink;
    mi_cli_out_init(cli, &out);
    mi_sink_text(sink, mi_tr(cli->lang, N_("usage:")));
    mi_sink_text(sink, " inspector-cli ");
    mi_sink_text(sink, command->name);
    mi_sink_text(sink, " [--OPTION...] ");
    mi_sink_text(sink, command->operands);
    mi_sink_text(sink, "\n\n");
    put_wrapped(sink, mi_tr(cli->lang, command->summary), 0);
    if (command->details) {
        mi_sink_byte(sink, '\n');
        put_wrapped(sink, mi_tr(cli->lang, command->details), 0);
    }
    if (command->params && command->params->name) {
        mi_sink_byte(sink, '\n');
        mi_sink_text(sink, mi_tr(cli->lang, N_("Options:")));
        mi_sink_byte(sink, '\n');
        put_params(sink, cli->lang, command->params);
        put_params(sink, cli->lang, command->more_params);
    }
    mi_sink_byte(sink, '\n');
    mi_sink_text(sink, mi_tr(cli->lang, N_("Options of every command:")));
    mi_sink_byte(sink, '\n');
    put_params(sink, cli->lang, mi_cli_common_params);
    if (command->examples) {
        mi_sink_byte(sink, '\n');
        mi_sink_text(sink, mi_tr(cli->lang, N_("Examples:")));
        mi_sink_text(sink, "\n  ");
        for (const char *at = command->examples; *at; at++) {
            mi_sink_byte(sink, (uint8_t)*at);
            if (*at == '\n' && at[1])
                mi_sink_text(sink, "  ");
        }
        mi_sink_byte(sink, '\n');
    }
    return mi_cli_out_finish(cli, &out, 0);
}

/* --- the nearest name --- */

enum { LONGEST_NAME = 32 };

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST_NAME + 1];
    size_t a_len = strlen(a), b_len = strlen(b);
    if (a_len > LONGEST_NAME || b_len > LONGEST_NAME)
        return LONGEST_NAME;
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_len; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                second[j - 2] + 1 < best)
                best = second[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a_len % 3][b_len];
}

const struct mi_command *mi_command_nearest(const char *name)
{
    const struct mi_command *nearest = NULL;
    unsigned best = 3;
    for (const struct mi_command *const *command = mi_commands; *command; command++) {
        unsigned far = distance(name, (*command)->name);
        bool begins = strlen(name) >= 2 && strncmp((*command)->name, name, strlen(name)) == 0;
        if (begins)
            far = 1;
        if (far < best) {
            best = far;
            nearest = *command;
        }
    }
    return nearest;
}
