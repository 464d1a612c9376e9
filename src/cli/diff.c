/* diff: the captures of two sides, each loaded on its own, then compared. */
#include "analyse/compare/report/diff_report.h"
#include "base/mem.h"
#include "base/translate.h"
#include "cli/cli.h"
#include "present/export/diff_links.h"
#include "present/text/report_json.h"

#include <string.h>
#include <unistd.h>

enum { ROWS_FOR_EYES = 20, MOST_FILES = 64 /* of one capture */ };

static const char *const formats[] = {"report", "links", NULL};

static const struct mi_param params[] = {
    {.name = "base",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("CAPTURE"),
     .repeats = true,
     .help = N_("A capture of the base; may be given several times, for more samples.")},
    {.name = "new",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("CAPTURE"),
     .repeats = true,
     .help = N_("A capture of the new side; may be given several times.")},
    {.name = "format",
     .kind = MI_PARAM_CHOICE,
     .metavar = N_("FORMAT"),
     .choices = formats,
     .help = N_("What to print: the report, or links: what costs something as neutral JSON "
                "(casegen-mapping/1).")},
    MI_PARAM_END};

struct sides {
    const char *name[MI_CMP_SIDES][MI_CMP_CAPTURES];
    struct mi_session *session[MI_CMP_SIDES][MI_CMP_CAPTURES];
    uint32_t count[MI_CMP_SIDES];
};

/* --- captures --- */

/* One capture: a path, or several joined with commas unless a file of that very name exists. */
static struct mi_session *open_capture(const struct mi_cli *cli, const struct mi_args *args,
                                       const char *text, int *code)
{
    const char *paths[MOST_FILES] = {text};
    struct mi_args inputs = *args;
    size_t size = strlen(text) + 1;
    char *copy = mi_mem_new(size, 1);
    inputs.operands = paths;
    inputs.operand_count = 1;
    if (!copy) {
        *code = mi_code_exit(MI_ENOMEM);
        return NULL;
    }
    memcpy(copy, text, size);
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

static bool open_side(const struct mi_cli *cli, const struct mi_args *args, struct sides *sides,
                      unsigned side, int *code)
{
    for (uint32_t i = 0; i < sides->count[side]; i++) {
        sides->session[side][i] = open_capture(cli, args, sides->name[side][i], code);
        if (!sides->session[side][i])
            return false;
    }
    return true;
}

static void close_side(struct sides *sides, unsigned side)
{
    for (uint32_t i = 0; i < sides->count[side]; i++) {
        mi_session_free(sides->session[side][i]);
        sides->session[side][i] = NULL;
    }
}

/* --- one comparison --- */

static bool compare_sides(const struct sides *sides, const struct mi_args *args,
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

/* Where comparisons go. Several as JSON are one document, else one is printed behind the other. */
struct output {
    const struct mi_cli *cli;
    bool is_list;
    struct mi_cli_out out;
    struct mi_jw jw;
};

static void output_init(struct output *output, const struct mi_cli *cli, bool is_list)
{
    *output = (struct output){.cli = cli, .is_list = is_list};
    if (!is_list)
        return;
    mi_cli_out_init(cli, &output->out);
    mi_jw_init(&output->jw, &output->out.sink, &(struct mi_jw_options){.indent = 1});
    mi_jw_begin_object(&output->jw);
    mi_jw_member_text(&output->jw, "schema", "model-inspector-comparisons/1");
    mi_jw_key(&output->jw, "comparisons");
    mi_jw_begin_array(&output->jw);
}

static int output_finish(struct output *output, int code)
{
    if (!output->is_list)
        return code;
    mi_jw_end(&output->jw);
    mi_jw_end(&output->jw);
    mi_jw_finish(&output->jw, NULL);
    return mi_cli_out_finish(output->cli, &output->out, code);
}

static bool wants_links(const struct mi_args *args)
{
    const struct mi_arg *format = mi_args_find(args, "format");
    return format && strcmp(format->param->choices[format->number], "links") == 0;
}

static int print_links(const struct mi_cli *cli, const struct mi_compare *compare,
                       const struct mi_args *args)
{
    struct mi_cli_out out;
    mi_cli_out_init(cli, &out);
    mi_export_diff_links(compare, mi_diff_least_ns(compare, args), &out.sink, NULL);
    return mi_cli_out_finish(cli, &out, 0);
}

/* Tables for eyes are short; programs get all rows. False: out of memory. */
static bool make_report(const struct output *output, const struct sides *sides,
                        const struct mi_compare *compare, const struct mi_args *args,
                        struct mi_report *report)
{
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_bytes names[MI_CMP_SIDES] = {mi_cstr(sides->name[MI_CMP_BASE][0]),
                                           mi_cstr(sides->name[MI_CMP_NEW][0])};
    struct mi_args full = *args;
    full.list = mi_mem_new(args->count + 1, sizeof *full.list);
    if (!full.list)
        return false;
    full.list[0] =
        (struct mi_arg){.param = &top, .text = "", .number = output->cli->json ? 0 : ROWS_FOR_EYES};
    if (args->count)
        memcpy(full.list + 1, args->list, args->count * sizeof *full.list);
    full.count = args->count + 1;
    mi_diff_report(compare, names, &full, report);
    mi_mem_free(full.list);
    return !report->failed;
}

static int print_report(struct output *output, const struct sides *sides,
                        const struct mi_compare *compare, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_report report;
    int code = 0;
    mi_report_init(&report);
    if (!make_report(output, sides, compare, args, &report)) {
        mi_fail(&err, MI_ENOMEM, "out of memory");
        code = mi_cli_error(output->cli, &err);
    } else if (output->is_list) {
        mi_jw_begin_object(&output->jw);
        mi_report_write_members(&report, &output->jw);
        mi_jw_end(&output->jw);
    } else {
        code = mi_cli_report(output->cli, sides->session[MI_CMP_NEW][0], &report);
    }
    mi_report_fini(&report);
    return code;
}

static int print_comparison(struct output *output, const struct sides *sides,
                            const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_compare compare;
    if (!compare_sides(sides, args, &compare, &err))
        return mi_cli_error(output->cli, &err);
    int code = wants_links(args) ? print_links(output->cli, &compare, args)
                                 : print_report(output, sides, &compare, args);
    mi_compare_fini(&compare);
    return code;
}

/* --- the command --- */

static int name_captures(const struct mi_cli *cli, const struct mi_args *args, struct sides *sides)
{
    static const char *const options[MI_CMP_SIDES] = {"base", "new"};
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (const struct mi_arg *arg;
             (arg = mi_args_nth(args, options[side], sides->count[side])) != NULL;) {
            if (sides->count[MI_CMP_BASE] + sides->count[MI_CMP_NEW] == MI_CMP_CAPTURES)
                return mi_cli_usage(cli, &mi_command_diff, "more than %d captures",
                                    MI_CMP_CAPTURES);
            sides->name[side][sides->count[side]++] = arg->text;
        }
    if (!sides->count[MI_CMP_BASE] != !sides->count[MI_CMP_NEW])
        return mi_cli_usage(cli, &mi_command_diff, "--base and --new belong together");
    if (sides->count[MI_CMP_BASE] && args->operand_count)
        return mi_cli_usage(cli, &mi_command_diff,
                            "name the captures by --base and --new, or without options: not both");
    if (!sides->count[MI_CMP_BASE] && args->operand_count < 2)
        return mi_cli_usage(cli, &mi_command_diff, "too few operands; wanted: %s",
                            mi_command_diff.operands);
    if (wants_links(args) && args->operand_count > 2)
        return mi_cli_usage(cli, &mi_command_diff, "--format links goes with one NEW only");
    if (args->operand_count > MI_CMP_CAPTURES)
        return mi_cli_usage(cli, &mi_command_diff, "more than %d captures", MI_CMP_CAPTURES);
    return 0;
}

/* The base against each of the others in turn. */
static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct sides sides = {0};
    int code = name_captures(cli, args, &sides);
    bool by_option = sides.count[MI_CMP_BASE] != 0;
    if (code)
        return code;
    if (!by_option) {
        sides.name[MI_CMP_BASE][0] = args->operands[0];
        sides.count[MI_CMP_BASE] = sides.count[MI_CMP_NEW] = 1;
    }
    struct output output;
    bool ok = open_side(cli, args, &sides, MI_CMP_BASE, &code);
    output_init(&output, cli, cli->json && args->operand_count > 2);
    for (size_t i = 1; ok && !code && (i == 1 || i < args->operand_count); i++) {
        if (!by_option)
            sides.name[MI_CMP_NEW][0] = args->operands[i];
        ok = open_side(cli, args, &sides, MI_CMP_NEW, &code);
        if (ok)
            code = print_comparison(&output, &sides, args);
        close_side(&sides, MI_CMP_NEW);
    }
    close_side(&sides, MI_CMP_BASE);
    return output_finish(&output, code);
}

const struct mi_command mi_command_diff = {
    .name = "diff",
    .operands = "(BASE NEW... | --base CAPTURE... --new CAPTURE...)",
    .summary = N_("What differs between captures, and what each difference costs."),
    .details = N_("Finds out which node is which across renaming, other fusion and nodes put in "
                  "between; then what appeared, is gone, was fused otherwise, has another element "
                  "type, shape, layout, kernel or stream, what ran at once before and does no "
                  "longer, and by how much each of it lengthens the run. A capture is a folder, a "
                  "file, or several of them joined with commas. Several NEW are each compared with "
                  "BASE; several captures of one side are its samples."),
    .examples = "inspector-cli diff baseline/ today/\n"
                "inspector-cli diff v1.om,PROF_000001/ v2.om,PROF_000002/\n"
                "inspector-cli diff --top 0 --pairs v1.onnx v2.onnx\n"
                "inspector-cli diff --json --base run1/ --base run2/ --new run3/ --new run4/",
    .params = params,
    .more_params = mi_params_diff,
    .run = run,
};
