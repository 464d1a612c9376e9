/* gate: compares as `diff` does and judges by rules; made for CI. */
#include "analyse/gate/gate.h"
#include "base/input.h"
#include "base/mem.h"
#include "cli/sides.h"
#include "cli/verdicts.h"

#include <string.h>

enum { ROWS_FOR_EYES = 20 };

static const struct mi_param params[] = {
    MI_CLI_SIDES_PARAMS,
    {.name = "rules",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("FILE"),
     .help = N_("What is watched and how much is an alarm, as JSON; without it: everything, by "
                "limits that suit most.")},
    MI_CLI_VERDICTS_PARAMS,
    MI_PARAM_END};

static bool read_rules(const char *path, struct mi_gate_rules *rules, struct mi_error *err)
{
    struct mi_input input;
    if (!path)
        return mi_gate_rules_default(rules, err);
    if (!mi_input_open(&input, path, NULL, err))
        return false;
    bool ok = mi_gate_rules_read(rules, input.bytes, err) || mi_error_in(err, path);
    mi_input_close(&input);
    return ok;
}

static int judge(const struct mi_cli *cli, const struct mi_cli_sides *sides,
                 const struct mi_args *args, const struct mi_report *report)
{
    const enum mi_severity *given = mi_cli_fail_severity(args);
    enum mi_severity fail_on = given ? *given : MI_WARNING;
    int code = mi_cli_report(cli, sides->session[MI_CMP_NEW][0], report);
    int written = mi_cli_verdicts_write(cli, &mi_command_gate, args, report, fail_on);
    for (uint32_t f = 0; !code && !written && f < report->finding_count; f++)
        if (report->findings[f].severity >= fail_on)
            return 1;
    return code ? code : written;
}

static int compare(const struct mi_cli *cli, const struct mi_cli_sides *sides,
                   const struct mi_gate_rules *rules, const struct mi_args *args)
{
    static const struct mi_param top = {.name = "top", .kind = MI_PARAM_INT};
    struct mi_bytes names[MI_CMP_SIDES] = {mi_cstr(sides->name[MI_CMP_BASE][0]),
                                           mi_cstr(sides->name[MI_CMP_NEW][0])};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_compare compare;
    struct mi_report report;
    struct mi_args full;
    struct mi_arg rows = {.param = &top, .text = "", .number = cli->json ? 0 : ROWS_FOR_EYES};
    if (!mi_cli_args_with(args, &rows, &full))
        return mi_code_exit(MI_ENOMEM);
    mi_report_init(&report);
    bool is_compared = mi_cli_sides_compare(sides, args, &compare, &err);
    int code = is_compared && mi_gate_report(&compare, rules, names, &full, &report, &err)
                   ? judge(cli, sides, args, &report)
                   : mi_cli_error(cli, &err);
    if (is_compared)
        mi_compare_fini(&compare);
    mi_report_fini(&report);
    mi_mem_free(full.list);
    return code;
}

static int name_sides(const struct mi_cli *cli, const struct mi_args *args,
                      struct mi_cli_sides *sides)
{
    int code = mi_cli_sides_name(cli, &mi_command_gate, args, sides);
    if (code || sides->count[MI_CMP_BASE])
        return code;
    if (args->operand_count != MI_CMP_SIDES)
        return mi_cli_usage(cli, &mi_command_gate,
                            "wanted: BASE NEW; more captures of a side are named by --base and "
                            "--new");
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        sides->name[side][0] = args->operands[side];
        sides->count[side] = 1;
    }
    return 0;
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_cli_sides sides = {0};
    struct mi_gate_rules rules;
    int code = name_sides(cli, args, &sides);
    if (!code)
        code = mi_cli_verdicts_check(cli, &mi_command_gate, args);
    if (code)
        return code;
    if (!read_rules(mi_args_text(args, "rules", NULL), &rules, &err))
        return mi_cli_error(cli, &err);
    if (mi_cli_sides_open(cli, args, &sides, MI_CMP_BASE, &code) &&
        mi_cli_sides_open(cli, args, &sides, MI_CMP_NEW, &code))
        code = compare(cli, &sides, &rules, args);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        mi_cli_sides_close(&sides, side);
    mi_gate_rules_fini(&rules);
    return code;
}

const struct mi_command mi_command_gate = {
    .name = "gate",
    .operands = "(BASE NEW | --base CAPTURE... --new CAPTURE...)",
    .summary = N_("Is the new run worse than the base? Exit code 1 if it is; for CI."),
    .details =
        N_("Compares two captures and judges by rules: makespan, times of operators and operator "
           "types, shares, number of nodes, conversions put in, element types, what no longer "
           "runs at once. A time is an alarm if it is beyond the limit of its rule and beyond what "
           "noise alone would do, which is learned from the runs of both sides; a dozen runs each "
           "are good. With fewer it says what it could have seen. A rule of a rules file that "
           "cannot be checked does not let pass."),
    .examples = "inspector-cli gate baseline/ today/\n"
                "inspector-cli gate baseline/ today/ --rules gate.json -r gate.md -r gate.xml\n"
                "inspector-cli gate --base run1/ --base run2/ --new run3/ --new run4/",
    .params = params,
    .more_params = mi_params_gate,
    .run = run,
};
