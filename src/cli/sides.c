#include "cli/sides.h"

#include "base/mem.h"
#include "cli/baselines.h"

#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 64 /* of one capture */ };

/* --- captures --- */

/* One capture: a path, or several joined with commas unless a file of that very name exists. */
static struct mi_session *open_capture(const struct mi_cli *cli, const struct mi_args *args,
                                       const char *text, int *code)
{
    const char *paths[MOST_FILES];
    struct mi_args inputs = *args;
    struct mi_error err = MI_ERROR_INIT;
    char *copy = mi_baseline_resolve(text, &err);
    inputs.operands = paths;
    inputs.operand_count = 1;
    if (!copy) {
        *code = mi_cli_error(cli, &err);
        return NULL;
    }
    paths[0] = copy;
    if (strchr(text, ',') && access(text, F_OK) != 0) {
        inputs.operand_count = 0;
        for (char *at = copy, *comma; at && inputs.operand_count < MOST_FILES; at = comma) {
            comma = strchr(at, ',');
            if (comma)
                *comma++ = '\0';
            paths[inputs.operand_count++] = at;
        }
    }
    struct mi_session *session = mi_cli_open(cli, &inputs, 0, code);
    if (session)
        mi_cli_losses(cli, session);
    mi_mem_free(copy);
    return session;
}

bool mi_cli_sides_open(const struct mi_cli *cli, const struct mi_args *args,
                       struct mi_cli_sides *sides, unsigned side, int *code)
{
    for (uint32_t i = 0; i < sides->count[side]; i++) {
        sides->session[side][i] = open_capture(cli, args, sides->name[side][i], code);
        if (!sides->session[side][i])
            return false;
    }
    return true;
}

void mi_cli_sides_close(struct mi_cli_sides *sides, unsigned side)
{
    for (uint32_t i = 0; i < sides->count[side]; i++) {
        mi_session_free(sides->session[side][i]);
        sides->session[side][i] = NULL;
    }
}

/* --- names --- */

int mi_cli_sides_name(const struct mi_cli *cli, const struct mi_command *command,
                      const struct mi_args *args, struct mi_cli_sides *sides)
{
    static const char *const options[MI_CMP_SIDES] = {"base", "new"};
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (const struct mi_arg *arg;
             (arg = mi_args_nth(args, options[side], sides->count[side])) != NULL;) {
            if (sides->count[MI_CMP_BASE] + sides->count[MI_CMP_NEW] == MI_CMP_CAPTURES)
                return mi_cli_usage(cli, command, "more than %d captures", MI_CMP_CAPTURES);
            sides->name[side][sides->count[side]++] = arg->text;
        }
    if (!sides->count[MI_CMP_BASE] != !sides->count[MI_CMP_NEW])
        return mi_cli_usage(cli, command, "--base and --new belong together");
    if (sides->count[MI_CMP_BASE] && args->operand_count)
        return mi_cli_usage(cli, command,
                            "name the captures by --base and --new, or without options: not both");
    if (!sides->count[MI_CMP_BASE] && args->operand_count < 2)
        return mi_cli_usage(cli, command, "too few operands; wanted: %s", command->operands);
    if (args->operand_count > MI_CMP_CAPTURES)
        return mi_cli_usage(cli, command, "more than %d captures", MI_CMP_CAPTURES);
    return 0;
}

/* --- the comparison --- */

bool mi_cli_sides_compare(const struct mi_cli_sides *sides, const struct mi_args *args,
                          struct mi_compare *compare, struct mi_error *err)
{
    const struct mi_model *models[MI_CMP_SIDES][MI_CMP_CAPTURES];
    const struct mi_model *const *lists[MI_CMP_SIDES] = {models[0], models[1]};
    struct mi_cmp_options options = {.rank = mi_args_int(args, "rank", -1),
                                     .device = mi_args_int(args, "device", -1)};
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t i = 0; i < sides->count[side]; i++)
            models[side][i] = mi_session_model(sides->session[side][i]);
    return mi_compare_init(compare, lists, sides->count, &options, err);
}
