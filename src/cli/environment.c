/* What this machine has of what `start` needs. */
#include "base/translate.h"
#include "cli/cli.h"
#include "cli/live.h"
#include "collect/live/live.h"

#include <string.h>

const struct mi_param mi_environment_params[] = {
    {.name = "environment",
     .kind = MI_PARAM_FLAG,
     .help = N_("Instead of a run: what this machine has of what collecting on an Ascend device "
                "needs, and what will be used.")},
    MI_PARAM_END};

static const struct mi_report_column columns[] = {
    {"name", N_("what"), MI_CELL_TEXT, "", N_("library, function, program or variable")},
    {"found", N_("there"), MI_CELL_BOOL, "", N_("whether it is there")},
    {"serves", N_("what for"), MI_CELL_WORD, "", N_("what it is for")},
    {"detail", N_("where"), MI_CELL_TEXT, "", N_("path or value")}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static bool has(const struct mi_live_fact *facts, size_t count, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= facts[i].is_found && strcmp(facts[i].name, name) == 0;
    return found;
}

/* What will be used, and why. */
static const char *verdict_of(const struct mi_live_fact *facts, size_t count)
{
    if (!has(facts, count, "libmi_hook.so"))
        return N_("nothing: the hook is not there");
    if (!has(facts, count, "libascendcl.so"))
        return N_("nothing here: there is no runtime, or LD_LIBRARY_PATH does not lead to it "
                  "(set_env.sh of CANN does that)");
    if (has(facts, count, "PROFILER_SAMPLECONFIG") || has(facts, count, "PROFILING_MODE"))
        return N_("calls and models alone: another profiler is at work");
    const char *profiler = mi_live_choose(facts, count);
    if (strcmp(profiler, "none") == 0)
        return N_("calls and models alone: there is no profiler, neither aclprof nor MSPTI nor "
                  "msprof");
    if (strcmp(profiler, "msprof") == 0)
        return N_("calls, models, and device times by msprof, which start puts in front of the "
                  "program: there is neither aclprof nor MSPTI");
    if (strcmp(profiler, "mspti") == 0)
        return N_("calls, models, and device times by MSPTI: there is no msprof to make tables of "
                  "what aclprof leaves, or no aclprof");
    return has(facts, count, "msprof")
               ? N_("calls, models, and device times by the profiler of AscendCL: the runtime has "
                    "it, and msprof makes tables of what it leaves")
               : N_("calls, models, and device times, which stay raw: there is no msprof");
}

int mi_cli_environment(struct mi_cli *cli)
{
    static struct mi_live_fact facts[MI_LIVE_FACTS_MAX];
    struct mi_report report;
    size_t count = mi_live_check(facts);
    mi_report_init(&report);
    mi_report_add_fact(
        &report, &(struct mi_report_fact){.name = "collects",
                                          .title = N_("Collected will be"),
                                          .kind = MI_CELL_SENTENCE,
                                          .unit = "",
                                          .cell = mi_cell_text(mi_cstr(verdict_of(facts, count)))});
    struct mi_report_table *table = mi_report_add_table(
        &report, "environment", N_("For collecting on an Ascend device"), columns, COLUMNS);
    for (size_t i = 0; table && i < count; i++) {
        struct mi_cell *cells = mi_report_add_row(&report, table);
        if (!cells)
            break;
        cells[0] = mi_cell_text(mi_cstr(facts[i].name));
        cells[1] = mi_cell_int(facts[i].is_found);
        cells[2] = mi_cell_word(facts[i].serves);
        if (facts[i].detail[0])
            cells[3] = mi_cell_text(mi_cstr(facts[i].detail));
    }
    int code = report.failed ? mi_code_exit(MI_ENOMEM) : mi_cli_report(cli, NULL, &report);
    mi_report_fini(&report);
    return code;
}
