/* The command line: getopt_long over options built from parameter lists. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_LONG = 256 }; /* values of long options: FIRST_LONG + index of the parameter */

const struct mi_param mi_cli_common_params[] = {
    {.name = "input-format",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("FORMAT"),
     .help = N_("Read all inputs as FORMAT instead of recognising them by content.")},
    {.name = "jobs",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 1,
     .max = 64,
     .help = N_("Threads that read inputs (default: one per processor, at most 8).")},
    {.name = "no-mmap",
     .kind = MI_PARAM_FLAG,
     .help = N_("Read inputs into memory: for files that others may change meanwhile.")},
    {.name = "json", .kind = MI_PARAM_FLAG, .help = N_("Print JSON instead of tables.")},
    {.name = "jsonl",
     .kind = MI_PARAM_FLAG,
     .help = N_("Print JSON, one object per line: facts, rows of tables, findings.")},
    {.name = "wide",
     .kind = MI_PARAM_FLAG,
     .help = N_("Never shorten names to the width of the terminal.")},
    {.name = "lang",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("LANG"),
     .help = N_("Language: en or zh_CN (default: LC_ALL, LC_MESSAGES, LANG, LANGUAGE decide).")},
    {.name = "help", .letter = 'h', .kind = MI_PARAM_FLAG, .help = N_("Show help and stop.")},
    {.name = "version",
     .letter = 'V',
     .kind = MI_PARAM_FLAG,
     .help = N_("Show the version and stop.")},
    MI_PARAM_END};

const char *mi_options_lang(int argc, char **argv)
{
    const char *lang = NULL;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--lang=", 7) == 0)
            lang = argv[i] + 7;
        else if (strcmp(argv[i], "--lang") == 0 && i + 1 < argc)
            lang = argv[++i];
    }
    return lang;
}

struct parser {
    const struct mi_param **params; /* [count] common ones first */
    size_t count;
    struct option *longs; /* [count + 1] */
    char *shorts;
    size_t arg_room;
};

static size_t list_length(const struct mi_param *params)
{
    size_t count = 0;
    while (params && params[count].name)
        count++;
    return count;
}

/* Options of getopt for the common parameters and those of `command` (may be NULL). */
static bool build(struct parser *parser, struct mi_options *options,
                  const struct mi_command *command)
{
    const struct mi_param *const lists[] = {mi_cli_common_params, command ? command->params : NULL,
                                            command ? command->more_params : NULL};
    parser->count = 0;
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        parser->count += list_length(lists[l]);
    parser->params = mi_arena_alloc(&options->arena, parser->count * sizeof *parser->params);
    parser->longs = mi_arena_alloc(&options->arena, (parser->count + 1) * sizeof *parser->longs);
    parser->shorts = mi_arena_alloc(&options->arena, parser->count * 2 + 3);
    if (!parser->params || !parser->longs || !parser->shorts)
        return false;
    char *letter = parser->shorts;
    *letter++ = command ? ':' : '+'; /* before the command: stop at its name */
    if (!command)
        *letter++ = ':';
    size_t filled = 0;
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < list_length(lists[l]); i++)
            parser->params[filled++] = &lists[l][i];
    for (size_t i = 0; i < parser->count; i++) {
        const struct mi_param *param = parser->params[i];
        bool has_value = param->kind != MI_PARAM_FLAG;
        parser->longs[i] = (struct option){param->name, has_value ? required_argument : no_argument,
                                           NULL, FIRST_LONG + (int)i};
        if (param->letter) {
            *letter++ = param->letter;
            if (has_value)
                *letter++ = ':';
        }
    }
    parser->longs[parser->count] = (struct option){0};
    *letter = 0;
    return true;
}

static const struct mi_param *param_of(const struct parser *parser, int found)
{
    if (found >= FIRST_LONG)
        return parser->params[found - FIRST_LONG];
    for (size_t i = 0; i < parser->count; i++)
        if (parser->params[i]->letter == found)
            return parser->params[i];
    return NULL;
}

/* `word`: the argument that getopt was looking at. */
static bool fail_option(int found, const struct parser *parser, const char *word,
                        struct mi_error *err)
{
    const struct mi_param *param = optopt ? param_of(parser, optopt) : NULL;
    if (found == ':' && param)
        return mi_fail(err, MI_EUSAGE, "--%s wants a value (%s)", param->name, param->metavar);
    if (param && param->kind == MI_PARAM_FLAG)
        return mi_fail(err, MI_EUSAGE, "--%s takes no value", param->name);
    if (optopt > 0 && optopt < 128)
        return mi_fail(err, MI_EUSAGE, "unknown option -%c", optopt);
    return mi_fail(err, MI_EUSAGE, "unknown or ambiguous option %.80s", word);
}

static bool add_arg(struct mi_options *options, const struct mi_param *param, const char *text,
                    struct mi_error *err)
{
    struct mi_args *args = &options->args;
    if (!mi_param_parse(param, text, &args->list[args->count], err))
        return false;
    args->count++;
    return true;
}

static const struct mi_param *find_common(const char *name)
{
    const struct mi_param *param = mi_cli_common_params;
    while (strcmp(param->name, name) != 0)
        param++;
    return param;
}

static bool run_getopt(struct mi_options *options, const struct parser *parser, int argc,
                       char **argv, struct mi_error *err)
{
    opterr = 0;
    for (;;) {
        int before = optind, found;
        optopt = 0;
        found = getopt_long(argc, argv, parser->shorts, parser->longs, NULL);
        if (found < 0)
            return true;
        if (found == '?' || found == ':') {
            const char *word = argv[optind > before ? optind - 1 : before];
            return fail_option(found, parser, word, err);
        }
        if (!add_arg(options, param_of(parser, found), optarg, err))
            return false;
    }
}

bool mi_options_parse(struct mi_options *options, int argc, char **argv, struct mi_error *err)
{
    *options = (struct mi_options){0};
    mi_arena_init(&options->arena);
    struct parser parser = {0};
    options->args.list =
        mi_arena_alloc(&options->arena, ((size_t)argc + 1) * sizeof *options->args.list * 2);
    if (!options->args.list || !build(&parser, options, NULL))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    optind = 0; /* anew, also where a command line was parsed before */
    if (!run_getopt(options, &parser, argc, argv, err))
        return false;
    if (optind >= argc)
        return true;
    options->name = argv[optind];
    if (strcmp(options->name, "help") == 0 && optind + 1 < argc) { /* the same as COMMAND --help */
        options->name = argv[++optind];
        if (!add_arg(options, find_common("help"), "", err))
            return false;
    }
    options->command = mi_command_find(options->name);
    argc -= optind;
    argv += optind;
    /* A command that does not exist still gets its --help and --version looked at. */
    if (!options->command)
        return true;
    if (!build(&parser, options, options->command))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    optind = 0; /* start anew, also forgets the permutation of the first round */
    if (!run_getopt(options, &parser, argc, argv, err))
        return false;
    options->args.operands = (const char *const *)argv + optind;
    options->args.operand_count = (size_t)(argc - optind);
    return true;
}

void mi_options_fini(struct mi_options *options)
{
    mi_arena_fini(&options->arena);
}
