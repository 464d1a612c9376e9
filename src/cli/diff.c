/* diff: the captures of two sides, each loaded on its own, then compared. */
#include "analyse/compare/report/diff_report.h"
#include "base/mem.h"
#include "base/translate.h"
#include "cli/sides.h"
#include "present/export/diff_links.h"
#include "present/text/report_json.h"

#include <string.h>

enum { ROWS_FOR_EYES = 20 };

static const char *const formats[] = {"report", "links", NULL};

static const struct mi_param params[] = {
    MI_CLI_SIDES_PARAMS,
    {.name = "format",
     .kind = MI_PARAM_CHOICE,
     .metavar = N_("FORMAT"),
     .choices = formats,
     .help = N_("What to print: the report, or links: what costs something as neutral JSON "
                "(casegen-mapping/1).")},
    MI_PARAM_END};

/* --- one comparison --- */

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
static bool make_report(const struct output *output, const struct mi_cli_sides *sides,
                        const struct mi_compare *compare, const struct mi_args *args,
                        struct mi_report *report)
{
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_bytes names[MI_CMP_SIDES] = {mi_cstr(sides->name[MI_CMP_BASE][0]),
                                           mi_cstr(sides->name[MI_CMP_NEW][0])};
    struct mi_args full;
    struct mi_arg rows = {
        .param = &top, .text = "", .number = output->cli->json ? 0 : ROWS_FOR_EYES};
    if (!mi_cli_args_with(args, &rows, &full))
        return false;
    mi_diff_report(compare, names, &full, report);
    mi_mem_free(full.list);
    return !report->failed;
}

static int print_report(struct output *output, const struct mi_cli_sides *sides,
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

static int print_comparison(struct output *output, const struct mi_cli_sides *sides,
                            const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_compare compare;
    if (!mi_cli_sides_compare(sides, args, &compare, &err))
        return mi_cli_error(output->cli, &err);
    int code = wants_links(args) ? print_links(output->cli, &compare, args)
                                 : print_report(output, sides, &compare, args);
    mi_compare_fini(&compare);
    return code;
}

/* --- the command --- */

/* The base against each of the others in turn. */
static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_cli_sides sides = {0};
    int code = mi_cli_sides_name(cli, &mi_command_diff, args, &sides);
    if (!code && wants_links(args) && args->operand_count > 2)
        code = mi_cli_usage(cli, &mi_command_diff, "--format links goes with one NEW only");
    bool by_option = sides.count[MI_CMP_BASE] != 0;
    if (code)
        return code;
    if (!by_option) {
        sides.name[MI_CMP_BASE][0] = args->operands[0];
        sides.count[MI_CMP_BASE] = sides.count[MI_CMP_NEW] = 1;
    }
    struct output output;
    bool ok = mi_cli_sides_open(cli, args, &sides, MI_CMP_BASE, &code);
    output_init(&output, cli, cli->json && args->operand_count > 2);
    for (size_t i = 1; ok && !code && (i == 1 || i < args->operand_count); i++) {
        if (!by_option)
            sides.name[MI_CMP_NEW][0] = args->operands[i];
        ok = mi_cli_sides_open(cli, args, &sides, MI_CMP_NEW, &code);
        if (ok)
            code = print_comparison(&output, &sides, args);
        mi_cli_sides_close(&sides, MI_CMP_NEW);
    }
    mi_cli_sides_close(&sides, MI_CMP_BASE);
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
