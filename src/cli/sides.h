/* Commands that compare captures of two sides, each loaded on its own. */
#ifndef MI_CLI_SIDES_H
#define MI_CLI_SIDES_H

#include "analyse/compare/compare.h"
#include "base/translate.h"
#include "cli/cli.h"

#define MI_CLI_SIDES_PARAMS                                                                        \
    {.name = "base",                                                                               \
     .kind = MI_PARAM_TEXT,                                                                        \
     .metavar = N_("CAPTURE"),                                                                     \
     .repeats = true,                                                                              \
     .help = N_("A capture of the base; may be given several times, for more samples.")},          \
    {                                                                                              \
        .name = "new", .kind = MI_PARAM_TEXT, .metavar = N_("CAPTURE"), .repeats = true,           \
        .help = N_("A capture of the new side; may be given several times.")                       \
    }

/* All zero to start with. */
struct mi_cli_sides {
    const char *name[MI_CMP_SIDES][MI_CMP_CAPTURES];
    struct mi_session *session[MI_CMP_SIDES][MI_CMP_CAPTURES];
    uint32_t count[MI_CMP_SIDES];
};

/* Takes the captures named by --base and --new; with operands instead, checks that there are two or
 * more and names none. Returns 0, or the exit code of a wrong use that was printed. */
int mi_cli_sides_name(const struct mi_cli *cli, const struct mi_command *command,
                      const struct mi_args *args, struct mi_cli_sides *sides);

/* Loads the captures of a side. False: the error was printed and *code set. */
bool mi_cli_sides_open(const struct mi_cli *cli, const struct mi_args *args,
                       struct mi_cli_sides *sides, unsigned side, int *code);
void mi_cli_sides_close(struct mi_cli_sides *sides, unsigned side);

/* Compares what is loaded, by --rank and --device; `compare` borrows from the sessions. */
bool mi_cli_sides_compare(const struct mi_cli_sides *sides, const struct mi_args *args,
                          struct mi_compare *compare, struct mi_error *err);

#endif
