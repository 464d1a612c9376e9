/* The doctor: symptoms, what they cost, and what to try.
 *
 * Question: what is wrong with this run? One rule per symptom (doctor/rules.def); what other passes
 * judge - waits, clocks - is taken over, not judged again. Costs are differences of simulated
 * makespans (taskgraph/whatif.h) or sums of times, and say which. The graver come first, then the
 * costlier; what puts clocks in doubt comes before all. Limits: one run of one device, with others
 * of it for the means; what two captures differ in is a question for another pass. */
#include "analyse/doctor/doctor.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/taskgraph/choose.h"

const struct mi_param mi_params_doctor[] = {
    {.name = "rule",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NAME"),
     .repeats = true,
     .help = N_("Check this rule only; may be given several times.")},
    {.name = "set",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("RULE.LIMIT=N"),
     .repeats = true,
     .help = N_("Another threshold for a rule; may be given several times.")},
    {.name = "rules",
     .kind = MI_PARAM_FLAG,
     .help = N_("List all rules with their thresholds, not only those that were not checked.")},
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N subjects of each finding; 0 = all (default: 5; all with --json).")},
    MI_TG_PARAMS,
    MI_FAIL_ON_PARAM,
    MI_PARAM_END};

const struct mi_doctor_rule *const mi_doctor_rules[] = {
#define MI_RULE(name) &mi_doctor_rule_##name,
#include "analyse/doctor/rules.def"
#undef MI_RULE
    NULL};

const size_t mi_doctor_rule_count = sizeof mi_doctor_rules / sizeof *mi_doctor_rules - 1;

enum { MOST_RULES = 64 };
_Static_assert(sizeof mi_doctor_rules / sizeof *mi_doctor_rules <= MOST_RULES, "more rules");

/* What a rule lacks; NULL: nothing. */
static const char *lacks(const struct mi_doctor_rule *rule, unsigned has)
{
    static const struct {
        unsigned need;
        const char *what;
    } needs[] = {
        {MI_DOCTOR_BASELINE, N_("needs two captures: compare them")},
        {MI_DOCTOR_TASKS, N_("needs a profile with device tasks")},
        {MI_DOCTOR_COMPILED, N_("needs the compiled graph")},
        {MI_DOCTOR_FRAMEWORK, N_("needs the framework graph")},
        {MI_DOCTOR_LINKS, N_("needs tasks that are linked to nodes")},
        {MI_DOCTOR_RANKS, N_("needs two ranks")},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (rule->needs & ~has & needs[i].need)
            return needs[i].what;
    return NULL;
}

static bool check_names(const struct mi_args *args, struct mi_error *err)
{
    const struct mi_arg *arg;
    for (size_t k = 0; (arg = mi_args_nth(args, "rule", k)); k++) {
        bool known = false;
        for (size_t r = 0; r < mi_doctor_rule_count; r++)
            known = known || strcmp(arg->text, mi_doctor_rules[r]->name) == 0;
        if (!known)
            return mi_fail(err, MI_EUSAGE, "there is no rule \"%.60s\"", arg->text);
    }
    return true;
}

/* "rule.limit=N" with names that exist. */
static bool is_limit(const char *text)
{
    for (size_t r = 0; r < mi_doctor_rule_count; r++) {
        const struct mi_doctor_rule *rule = mi_doctor_rules[r];
        size_t len = strlen(rule->name);
        if (strncmp(text, rule->name, len) != 0 || text[len] != '.')
            continue;
        for (const struct mi_doctor_limit *limit = rule->limits; limit && limit->name; limit++) {
            const char *name = text + len + 1;
            size_t name_len = strcspn(name, "=");
            const char *number = name + name_len + (name[name_len] == '=');
            if (name_len == strlen(limit->name) && memcmp(name, limit->name, name_len) == 0 &&
                *number && strlen(number) < 10 && strspn(number, "0123456789") == strlen(number))
                return true;
        }
    }
    return false;
}

static bool check_limits(const struct mi_args *args, struct mi_error *err)
{
    const struct mi_arg *arg;
    for (size_t k = 0; (arg = mi_args_nth(args, "set", k)); k++)
        if (!is_limit(arg->text))
            return mi_fail(err, MI_EUSAGE,
                           "\"%.60s\" is not of the form RULE.LIMIT=N; --rules lists them",
                           arg->text);
    return true;
}

static bool run_rules(struct mi_doctor *d, const char **why)
{
    for (size_t r = 0; r < mi_doctor_rule_count; r++) {
        const struct mi_doctor_rule *rule = mi_doctor_rules[r];
        d->rule = rule;
        d->not_checked = NULL;
        why[r] = mi_doctor_is_wanted(d->args, rule->name) ? lacks(rule, d->has)
                                                          : N_("was not asked for");
        if (why[r])
            continue;
        if (!rule->run(d))
            return mi_fail(d->err, MI_ENOMEM, "out of memory"); /* unless it said more itself */
        d->subject_count = d->pending; /* of a finding that was not added after all */
        why[r] = d->not_checked;
    }
    return !d->failed || mi_fail(d->err, MI_ENOMEM, "out of memory");
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_error own = MI_ERROR_INIT; /* a caller need not want to know */
    const char *why[MOST_RULES];
    static const struct mi_args none;
    struct mi_doctor d = {.model = model,
                          .rows = &model->all.rows,
                          .args = args ? args : &none,
                          .out = out,
                          .err = err ? err : &own,
                          .arena = &out->arena};
    bool ok = check_names(d.args, d.err) && check_limits(d.args, d.err) && mi_doctor_open(&d) &&
              run_rules(&d, why);
    if (ok)
        mi_doctor_write(&d, why);
    mi_doctor_close(&d);
    return ok;
}

const struct mi_pass mi_pass_doctor = {.name = "doctor",
                                       .title = N_("What is wrong, what it costs, what to try"),
                                       .needs = 0,
                                       .params = mi_params_doctor,
                                       .verdicts = true,
                                       .run = run};
